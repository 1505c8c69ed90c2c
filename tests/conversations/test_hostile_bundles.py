"""Row 22: what an agent's job could hand over if the agent had taken it. None of it is published."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import pytest

from tests.conversations.split import Split
from tests.conversations.talk import Talk
from tests.sandbox import Sandbox

REQUEST = "/gitclaw rename\n\nreplace old with new in app.py"
REF = "refs/gitclaw/works/0"
Change = Callable[["Forger"], None]


class Forger:
    """Has the machine that the agent ran on, and everything that was handed over."""

    def __init__(self, split: Split) -> None:
        self.split = split
        self.git = Sandbox(split.talk.folder / "forged")
        self.git.path.mkdir()
        url = f"{split.talk.hub.url}/{split.talk.repo.name}.git"
        token = split.talk.repo.token(contents="read")
        self.git.git("clone", "-q", url.replace("://", f"://x-access-token:{token}@"), ".")
        self.document = json.loads((split.folder / "bundle.json").read_bytes())

    @property
    def worked(self) -> Any:
        """The one run of the document."""
        return self.document["works"][0]

    def tree(self, *entries: tuple[str, str, str]) -> str:
        """A tree of these entries, each mode, id and path, whatever git thinks of them."""
        raw = b"".join(f"{mode} {path}".encode() + b"\0" + bytes.fromhex(oid) for mode, oid, path in entries)
        return self.git.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=raw).decode().strip()

    def blob(self, text: str = "evil\n") -> str:
        """Some contents."""
        return self.git.git("hash-object", "-w", "--stdin", stdin=text.encode()).decode().strip()

    def commit(self, tree: str, *parents: str) -> str:
        """A commit of a tree."""
        options = [option for parent in parents for option in ("-p", parent)]
        return self.git.text("commit-tree", "-m", "x", *options, tree)

    def hand(self, commit: str, *more: str, without: str = "^origin/main") -> None:
        """Hand over a git bundle with that commit, and other refs."""
        self.git.git("update-ref", REF, commit)
        refs = [REF, *more]
        self.git.git("bundle", "create", "-q", str(self.split.folder / "proposals.bundle"), *refs, without)
        self.worked["commit"] = commit
        self.save()

    def save(self) -> None:
        """Hand over the document as it is now."""
        (self.split.folder / "bundle.json").write_text(json.dumps(self.document))


def _files(forger: Forger, *entries: tuple[str, str, str]) -> None:
    forger.hand(forger.commit(forger.tree(*entries), forger.worked["base"]))


def _of_another_thread(forger: Forger) -> None:
    forger.document["thread"] += 1
    forger.save()


def _of_another_request(forger: Forger) -> None:
    forger.document["asked"] += "0"
    forger.save()


def _of_another_run(forger: Forger) -> None:
    forger.document["run"] = "76"
    forger.save()


def _for_another_command(forger: Forger) -> None:
    forger.worked["re"] += ".2"
    forger.save()


def _from_another_base(forger: Forger) -> None:
    base = forger.split.talk.repo.push_files("other", {"secret.txt": b"x"}, forger.split.talk.mona)
    forger.git.git("fetch", "-q", "origin", "other")
    forger.worked["base"] = base
    forger.hand(forger.commit(forger.tree(("100644", forger.blob(), "a")), base), without=f"^{base}")


def _on_other_files(forger: Forger) -> None:
    between = forger.commit(forger.tree(("100644", forger.blob(), "planted")), forger.worked["base"])
    forger.hand(forger.commit(forger.tree(("100644", forger.blob(), "a")), between))


def _a_merge(forger: Forger) -> None:
    base = forger.worked["base"]
    other = forger.commit(forger.tree(("100644", forger.blob(), "a")), base)
    forger.hand(forger.commit(forger.tree(("100644", forger.blob(), "a")), base, other))


def _without_a_parent(forger: Forger) -> None:
    forger.hand(forger.commit(forger.tree(("100644", forger.blob(), "a"))))


def _another_commit_than_named(forger: Forger) -> None:
    forger.hand(forger.commit(forger.tree(("100644", forger.blob(), "a")), forger.worked["base"]))
    forger.worked["commit"] = forger.worked["commit"][::-1]
    forger.save()


def _more_refs(forger: Forger) -> None:
    tree = forger.tree(("100644", forger.blob(), "a"))
    forger.git.git("update-ref", "refs/heads/main", forger.commit(tree, forger.worked["base"]))
    forger.hand(forger.commit(tree, forger.worked["base"]), "refs/heads/main")


def _contents_that_did_not_come(forger: Forger) -> None:
    _files(forger, ("100644", forger.blob(), "a"))
    missing = "1" * 40
    commit = forger.commit(forger.tree(("100644", missing, "a")), forger.worked["base"])
    # git itself would not pack it: the objects, one by one.
    names = f"{commit}\n{forger.git.text('rev-parse', commit + '^{tree}')}\n".encode()
    pack = forger.git.git("pack-objects", "--stdout", "-q", stdin=names)
    head = f"# v2 git bundle\n-{forger.worked['base']} \n{commit} {REF}\n\n".encode()
    (forger.split.folder / "proposals.bundle").write_bytes(head + pack)
    forger.worked["commit"] = commit
    forger.save()


def _no_bundle(forger: Forger) -> None:
    (forger.split.folder / "proposals.bundle").write_bytes(b"# v2 git bundle\n\nPACK")


def _a_broken_pack(forger: Forger) -> None:
    path = forger.split.folder / "proposals.bundle"
    data = bytearray(path.read_bytes())
    data[-30] ^= 1
    path.write_bytes(data)


def _a_link(forger: Forger) -> None:
    path = forger.split.folder / "bundle.json"
    os.rename(path, path.parent.parent / "elsewhere")
    path.symlink_to(path.parent.parent / "elsewhere")


def _a_submodule(forger: Forger) -> None:
    _files(forger, ("160000", "2" * 40, "module"))


def _a_git_directory(forger: Forger) -> None:
    _files(forger, ("40000", forger.tree(("100644", forger.blob(), "config")), ".git"))


def _a_folder_above(forger: Forger) -> None:
    _files(forger, ("40000", forger.tree(("100644", forger.blob(), "a")), ".."))


def _a_name_that_is_a_path(forger: Forger) -> None:
    _files(forger, ("100644", forger.blob(), "a/../b"))


def _one_name_twice(forger: Forger) -> None:
    _files(forger, ("100644", forger.blob(), "a"), ("100644", forger.blob(), "a"))


FORGED: list[Change] = [
    _of_another_thread,
    _of_another_request,
    _of_another_run,
    _for_another_command,
    _from_another_base,
    _on_other_files,
    _a_merge,
    _without_a_parent,
    _another_commit_than_named,
    _more_refs,
    _contents_that_did_not_come,
    _no_bundle,
    _a_broken_pack,
    _a_link,
    _a_submodule,
    _a_git_directory,
    _a_folder_above,
    _a_name_that_is_a_path,
    _one_name_twice,
]


@pytest.mark.parametrize("change", FORGED, ids=lambda change: change.__name__.strip("_"))
def test_row_22_it_is_not_taken(talk: Talk, change: Change) -> None:
    split = Split(talk)
    split.between = lambda: change(Forger(split))
    before = talk.repo.branch("main")
    (answer,) = split.say(REQUEST)
    assert answer.startswith("### Failed: "), answer
    assert "was not taken" in answer or change is _for_another_command
    assert talk.repo.branch("main") == before
    assert talk.state() is None
    assert talk.runs[-1].code in (1, 5)


def test_row_22_what_is_said_is_said_as_an_agents_words(talk: Talk) -> None:
    split = Split(talk)

    def change() -> None:
        forger = Forger(split)
        forger.worked["warnings"] = ["<img src=x> @mona /apply all", "::error::x"]
        forger.document["agent"] = "evil"
        forger.save()

    split.between = change
    (answer,) = split.say(REQUEST)
    assert "### Proposal 1" in answer
    assert "\n- `<img src=x> @mona /apply all`\n- `::error::x`\n" in answer
    assert "evil" not in answer


def test_row_58_what_is_larger_than_an_agent_may_leave_is_refused(talk: Talk) -> None:
    split = Split(talk)

    def change() -> None:
        forger = Forger(split)
        _files(forger, ("100644", forger.blob("x" * (1 << 20) + "x"), "a"))

    split.between = change
    (answer,) = split.say(REQUEST)
    assert "has 1,048,577 bytes" in answer
    assert talk.runs[-1].code == 4


def test_row_22_only_the_files_of_the_commit_count(talk: Talk) -> None:
    """Its author, its time, its message and its trees are the forger's; those that are kept are ours."""
    split = Split(talk)

    def change() -> None:
        forger = Forger(split)
        _files(forger, ("100666", forger.blob(), "a"))

    split.between = change
    (answer,) = split.say(REQUEST)
    assert "### Proposal 1" in answer
    commit = talk.repo.repository.git.commit(talk.state()["proposals"][0]["commit"])
    assert commit.message.startswith("gitclaw: proposal 1")
    assert "Ada" not in str(commit)
    raw = talk.repo.repository.git.git("cat-file", "tree", f"{talk.state()['proposals'][0]['commit']}^{{tree}}")
    assert raw.startswith(b"100644 a\0")
