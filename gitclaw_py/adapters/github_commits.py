"""Commits through GitHub's API, which signs them for the token's account when no author is named.

https://docs.github.com/en/authentication/managing-commit-signature-verification/about-commit-signature-verification#signature-verification-for-bots
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any

from gitclaw_py.adapters import github_documents as documents
from gitclaw_py.adapters.github_refusals import denied, exists, moved, protected, said
from gitclaw_py.adapters.http_pacing import Paced, Request
from gitclaw_py.core.pacing import Failure, Repeat
from gitclaw_py.core.suggestions import SUBMODULE
from gitclaw_py.core.visible import visible_path
from gitclaw_py.errors import GitclawError, InternalError, RefusedError
from gitclaw_py.ports.forge import Committed, Entries
from gitclaw_py.ports.values import Move

Json = Any
_UPDATE = "mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }"
"""All refs or none, each from where it was. https://docs.github.com/en/graphql/reference/mutations#updaterefs"""
_NOWHERE = "0"
_DENIED = frozenset({"FORBIDDEN", "INSUFFICIENT_SCOPES", "NOT_FOUND"})


class GitHubCommits:
    """Makes commits and moves refs in the repository whose API paths begin with ``root``."""

    def __init__(self, paced: Paced, root: str) -> None:
        self._paced = paced
        self._root = root

    def commit(self, entries: Entries) -> Committed:
        """See ``ports.Forge.commit``; one more request asks for the tree of the parent, where that is not known.

        Nothing is seen of it until a ref moves, so each request may be repeated.

        Raises:
            RefusedError: ``BLOCKED_PATH``: a name cannot be sent, because it is not UTF-8.
        """
        changes = list(_changes(entries))
        base = entries.tree or self._tree_of(entries.parent)
        for oid, data in entries.blobs.items():
            self._blob(oid, data)
        tree = documents.read(_sha, self._post("write a tree", "trees", {"base_tree": base, "tree": changes}))
        content = {"message": entries.message, "tree": tree, "parents": [entries.parent]}
        return documents.read(_committed, self._post("write a commit", "commits", content))

    def _tree_of(self, commit: str) -> str:
        """GitHub has taken commits for trees, and has stopped it without notice.

        https://github.com/github-tools/github/issues/125
        """
        answer = self._paced.ask(Request(f"read commit {commit}", "GET", f"{self._root}/git/commits/{commit}"))
        return documents.read(lambda document: _sha(document["tree"]), answer.document)

    def _blob(self, oid: str, data: bytes) -> None:
        content = {"content": base64.b64encode(data).decode("ascii"), "encoding": "base64"}
        made = documents.read(_sha, self._post("write a blob", "blobs", content))
        if made != oid:
            what = "GitHub stored other bytes than it was given"
            raise InternalError("INTERNAL", what, "report this", (f"{made} instead of {oid}",))

    def _post(self, doing: str, what: str, content: Json) -> Json:
        return self._paced.ask(Request(doing, "POST", f"{self._root}/git/{what}", content)).document

    def move(self, moves: Sequence[Move]) -> None:
        """See ``ports.Forge.move``."""
        names = ", ".join(move.ref for move in moves)
        updates = [{"name": m.ref, "beforeOid": m.old, "afterOid": m.new, "force": m.begins_anew} for m in moves]
        content = {"query": _UPDATE, "variables": {"input": {"repositoryId": self._id, "refUpdates": updates}}}
        request = Request(f"move {names}", "POST", "/graphql", content, repeat=Repeat.AFTER_LOOKING)
        document = self._paced.ask(request, partial(self._happened, moves)).document
        words, kinds = documents.read(_errors, document)
        if words:
            raise self._refused(request.doing, words, kinds, moves)

    @cached_property
    def _id(self) -> str:
        """The name of the repository in GraphQL. It stays the same, so it is asked for once."""
        answer = self._paced.ask(Request("read the repository", "GET", self._root))
        return documents.read(lambda document: str(document["node_id"]), answer.document)

    def _happened(self, moves: Sequence[Move]) -> Json:
        """An answer without errors if the moves were made: all were if one was."""
        changing = [move for move in moves if move.old != move.new]
        for move in changing:
            now = self._at(move)
            if now in (move.old, move.new):
                return {} if now == move.new else None
        if not changing:
            return None
        raise moved("move the branch", "every ref is at another commit than before")

    def _refused(self, doing: str, words: str, kinds: frozenset[str], moves: Sequence[Move]) -> GitclawError:
        """Where the words do not tell it, where the refs are does.

        GitHub says "Reference cannot be updated" of refs that have moved and of those that rules protect.
        """
        known = said(doing, words)
        if known is not None and known.code != "BRANCH_EXISTS":
            return known
        if kinds & _DENIED:
            return denied(doing, Failure(None, words))
        for move in moves:
            if self._at(move) != move.old:
                is_new = not move.old.strip(_NOWHERE) and move.ref.startswith("refs/heads/")
                return exists(doing, words) if is_new else moved(doing, words)
        return protected(doing, words)

    def _at(self, move: Move) -> str:
        """The commit its ref is at, zeros when there is none."""
        from urllib.parse import quote

        path = f"{self._root}/git/ref/{quote(move.ref.removeprefix('refs/'))}"
        request = Request(f"see where {move.ref} is", "GET", path, may_be_missing=True)
        document = self._paced.ask(request).document
        return _NOWHERE * len(move.old) if document is None else documents.read(_target, document)


def _changes(entries: Entries) -> Iterator[Json]:
    """Deletions come first: a folder may have to make way for a file of its name.

    https://docs.github.com/en/rest/git/trees#create-a-tree
    """
    for path, entry in sorted(entries.writes.items(), key=lambda item: (item[1] is not None, item[0])):
        mode = entry.mode if entry else "100644"
        kind = "commit" if mode == SUBMODULE else "blob"
        yield {"path": _name(path), "mode": mode, "type": kind, "sha": entry.oid if entry else None}


def _name(path: bytes) -> str:
    try:
        return path.decode("utf-8")
    except UnicodeDecodeError:
        what = f"{visible_path(path)} has a name that GitHub's API cannot take"
        raise RefusedError("BLOCKED_PATH", what, "let commits go by push: commit.via") from None


def _sha(document: Json) -> str:
    return str(document["sha"])


def _target(document: Json) -> str:
    return str(document["object"]["sha"])


def _committed(document: Json) -> Committed:
    found = document["verification"]
    return Committed(_sha(document), bool(found["verified"]), str(found["reason"]))


def _errors(document: Json) -> tuple[str, frozenset[str]]:
    errors = document.get("errors") or ()
    return "; ".join(str(error["message"]) for error in errors), frozenset(str(error.get("type")) for error in errors)
