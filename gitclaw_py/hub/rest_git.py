"""The operations on refs, objects and branches.

https://docs.github.com/rest/git
"""

from __future__ import annotations

import base64
import binascii
import re
from datetime import datetime

from gitclaw_py.hub import git_documents as documents
from gitclaw_py.hub.bare import ZERO, GitFailedError, RefMove, Signature, TreeEntry, is_ref_name
from gitclaw_py.hub.calls import Answer, Call, Json
from gitclaw_py.hub.git_documents import Place
from gitclaw_py.hub.protection import BY_RULE, is_hidden, new_workflow, rule_against
from gitclaw_py.hub.pulls import follow_push, noreply
from gitclaw_py.hub.refusals import RefusalError, malformed, not_for_this_token, not_found
from gitclaw_py.hub.world import Doer, World

_OID = re.compile(r"[0-9a-f]{40}")
_WEB_FLOW = ("GitHub", "noreply@github.com")


def _place(world: World, call: Call) -> Place:
    return Place(world.links, call.here)


def get_ref(world: World, call: Call) -> Answer:
    """One ref."""
    name = f"refs/{call.parameters['ref']}"
    oid = call.here.git.ref(name)
    if oid is None:
        raise not_found()
    return Answer(200, documents.ref(_place(world, call), name, oid, call.here.git.kind(oid) or "commit"))


def matching_refs(world: World, call: Call) -> Answer:
    """All refs whose names begin so."""
    start = f"refs/{call.parameters['ref']}"
    refs = call.here.git.refs("refs")
    found = [
        documents.ref(_place(world, call), name, oid, "commit") for name, oid in refs.items() if name.startswith(start)
    ]
    return Answer(200, found)


def create_ref(world: World, call: Call) -> Answer:
    """A new ref."""
    name, oid = str(call.fields["ref"]), str(call.fields["sha"])
    if name.count("/") < len(("refs", "heads")) or not is_ref_name(name):
        raise RefusalError(422, f"Reference name must start with 'refs/' and be valid: {name}")
    if call.here.git.ref(name):
        raise RefusalError(422, "Reference already exists")
    if rule := rule_against(call.here, name):
        raise RefusalError(422, rule if rule == BY_RULE else "Reference update failed")
    return Answer(201, _moved(world, call, RefMove(name, ZERO, oid)))


def update_ref(world: World, call: Call) -> Answer:
    """Move a ref."""
    name, oid = f"refs/{call.parameters['ref']}", str(call.fields["sha"])
    old = _there(call, name)
    if rule := rule_against(call.here, name):
        raise RefusalError(422, rule)
    if call.here.git.kind(oid) == "commit" and not call.flag("force") and not call.here.git.is_ancestor(old, oid):
        raise RefusalError(422, "Update is not a fast forward")
    return Answer(200, _moved(world, call, RefMove(name, old, oid)))


def delete_ref(world: World, call: Call) -> Answer:
    """Remove a ref."""
    name = f"refs/{call.parameters['ref']}"
    old = _there(call, name)
    if rule := rule_against(call.here, name):
        raise RefusalError(422, rule if rule == BY_RULE else "Cannot delete protected branch")
    _moved(world, call, RefMove(name, old, ZERO))
    return Answer(204)


def _there(call: Call, name: str) -> str:
    old = call.here.git.ref(name)
    if old is None:
        raise RefusalError(422, "Reference does not exist")
    return old


def _moved(world: World, call: Call, move: RefMove) -> Json:
    git = call.here.git
    if move.new != ZERO and (not _OID.fullmatch(move.new) or git.kind(move.new) is None):
        raise RefusalError(422, "Object does not exist")
    if is_hidden(move.name):
        raise RefusalError(422, "Reference update failed")
    if not call.who.allows("workflows", "write") and new_workflow(call.here, [move]):
        raise not_for_this_token()
    try:
        git.move([move])
    except GitFailedError as error:
        raise RefusalError(422, "Reference update failed") from error
    follow_push(world, call.here, Doer.of(call.who))
    return documents.ref(_place(world, call), move.name, move.new, git.kind(move.new) or "commit")


def create_blob(world: World, call: Call) -> Answer:
    """A new blob."""
    text = str(call.fields["content"])
    match call.text("encoding") or "utf-8":
        case "utf-8":
            content = text.encode("utf-8", "surrogatepass")
        case "base64":
            try:
                content = base64.b64decode(re.sub(r"\s", "", text), validate=True)
            except binascii.Error as error:
                raise RefusalError(422, "content is not valid Base64") from error
        case _:
            raise malformed("The encoding must be 'utf-8' or 'base64'.")
    oid = call.here.git.write_blob(content)
    return Answer(201, {"sha": oid, "url": f"{_place(world, call).api}/git/blobs/{oid}"})


def get_blob(world: World, call: Call) -> Answer:
    """A blob."""
    oid = _object(call, "blob")
    return Answer(200, documents.blob(_place(world, call), oid, call.here.git.blob(oid)))


def _object(call: Call, *kinds: str) -> str:
    oid = call.parameters["sha"]
    if not _OID.fullmatch(oid) or call.here.git.kind(oid) not in kinds:
        raise not_found()
    return oid


def create_tree(world: World, call: Call) -> Answer:
    """A new tree, on top of ``base_tree`` or on nothing."""
    git, base = call.here.git, call.text("base_tree")
    if base is not None and (not _OID.fullmatch(base) or git.kind(base) not in {"tree", "commit"}):
        raise RefusalError(404, "Not Found")
    wanted = call.fields["tree"]
    entries = [_tree_entry(call, item) for item in (wanted if isinstance(wanted, list) else [])]
    if any(entry.oid is None and (base is None or git.entry(base, entry.path) is None) for entry in entries):
        raise RefusalError(422, "GitRPC::BadObjectState")
    try:
        oid = git.write_tree(base, entries)
    except GitFailedError as error:
        raise RefusalError(422, "tree.sha or tree.path is not valid") from error
    return Answer(201, documents.tree(_place(world, call), oid, git.tree(oid)))


_KINDS = {"100644": "blob", "100755": "blob", "120000": "blob", "040000": "tree", "160000": "commit"}


def _tree_entry(call: Call, item: object) -> TreeEntry:
    if not isinstance(item, dict):
        raise malformed("For 'properties/tree', an entry is not an object.")
    if unknown := set(item) - {"path", "mode", "type", "sha", "content"}:
        raise malformed(f'"{min(unknown)}" is not a permitted key.')
    path, mode, oid, content = item.get("path"), item.get("mode"), item.get("sha"), item.get("content")
    if not isinstance(path, str) or not _is_path(path):
        raise RefusalError(422, "tree.path contains a malformed path component")
    if not isinstance(mode, str) or mode not in _KINDS or item.get("type", _KINDS[mode]) != _KINDS[mode]:
        raise RefusalError(422, "Must supply a valid tree.mode")
    if ("sha" in item) == ("content" in item):
        raise RefusalError(422, "Must supply either tree.sha or tree.content")
    if isinstance(content, str):
        oid = call.here.git.write_blob(content.encode("utf-8", "surrogatepass"))
    if (
        isinstance(oid, str)
        and mode != "160000"
        and (not _OID.fullmatch(oid) or call.here.git.kind(oid) != _KINDS[mode])
    ):
        raise RefusalError(422, f"tree.sha {oid} is not a valid {_KINDS[mode]}")
    return TreeEntry(path, mode, oid if isinstance(oid, str) else None, _KINDS[mode])


def _is_path(path: str) -> bool:
    return "\0" not in path and not any(part.lower() in {"", ".", "..", ".git"} for part in path.split("/"))


def get_tree(world: World, call: Call) -> Answer:
    """A tree, or with ``recursive`` all below it."""
    oid = call.here.git.resolve(call.parameters["sha"])
    found = oid and call.here.git.commit(oid).tree
    found = found or _object(call, "tree")
    entries = call.here.git.tree(found, recursive="recursive" in call.query)
    return Answer(200, documents.tree(_place(world, call), found, entries))


def create_commit(world: World, call: Call) -> Answer:
    """A new commit, on no ref. GitHub signs what an app makes in its own name.

    https://docs.github.com/authentication/managing-commit-signature-verification/about-commit-signature-verification#signature-verification-for-bots
    """
    git, tree, parents = call.here.git, str(call.fields["tree"]), call.fields.get("parents", [])
    oids = [str(parent) for parent in parents] if isinstance(parents, list) else []
    if not _OID.fullmatch(tree) or git.kind(tree) != "tree":
        raise RefusalError(422, "Tree SHA does not exist")
    if not all(_OID.fullmatch(oid) and git.kind(oid) == "commit" for oid in oids):
        raise RefusalError(422, "Parent SHA does not exist or is not a commit object")
    is_own = "author" not in call.fields and "committer" not in call.fields and call.who.account.is_bot
    now = world.times.seconds()
    author = _signature(call.fields.get("author"), _default(call, now))
    last = Signature(*_WEB_FLOW, now) if is_own else _signature(call.fields.get("committer"), author)
    oid = git.write_commit(tree, oids, str(call.fields["message"]), author, last)
    if is_own:
        call.here.verified.add(oid)
    return Answer(201, documents.git_commit(_place(world, call), git.commit(oid)))


def _default(call: Call, now: int) -> Signature:
    doer = Doer.of(call.who)
    return Signature(doer.account.login, noreply(doer), now)


def _signature(value: object, default: Signature) -> Signature:
    if not isinstance(value, dict):
        return default
    if unknown := set(value) - {"name", "email", "date"}:
        raise malformed(f'"{min(unknown)}" is not a permitted key.')
    date = value.get("date")
    try:
        seconds = int(datetime.fromisoformat(str(date)).timestamp()) if date is not None else default.date
    except ValueError as error:
        raise malformed(f"For 'properties/date', {date} is not a valid date-time.") from error
    return Signature(str(value.get("name", default.name)), str(value.get("email", default.email)), seconds)


def get_commit(world: World, call: Call) -> Answer:
    """A commit, as git knows it."""
    return Answer(200, documents.git_commit(_place(world, call), call.here.git.commit(_object(call, "commit"))))
