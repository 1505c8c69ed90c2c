"""Shortcuts that look right and are wrong: each would make one of these fail.

What the libraries do is shown beside it, so that nobody has to believe it.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from git import Repo
from unidiff.patch import PatchSet

from gitclaw_py.adapters.git_repository import opened
from gitclaw_py.handlers.suggest import Suggested
from tests.handlers.worlds import propose
from tests.sandbox import Sandbox


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.write("a.txt", "".join(f"line {k}\n" for k in range(1, 21)))
    repo.commit("base")
    return repo


def paths(outcome: object) -> dict[bytes, str]:
    assert isinstance(outcome, Suggested)
    return {s.path: s.kind.value for s in outcome.suggestions}


def test_index_add_of_gitpython_stores_unfiltered_bytes(base: Sandbox) -> None:
    base.write(".gitattributes", "*.txt text eol=crlf\n")
    base.write("b.txt", b"a\r\nb\r\n")
    with Repo(base.path, expand_vars=False) as repository:
        repository.index.add(["b.txt"])
        stored = repository.index.entries[("b.txt", 0)].hexsha
    assert base.git("cat-file", "blob", stored) == b"a\r\nb\r\n"  # wrong: git itself stores "a\nb\n"
    base.git("rm", "-q", "-f", "--cached", "b.txt")
    base.gitclaw("suggest", "--uncommitted")
    base.gitclaw("apply", "1,2")  # attributes are never part of "all"
    assert base.git("show", "HEAD:b.txt") == b"a\nb\n"
    assert base.status == ""


def test_git_apply_puts_a_hunk_into_the_wrong_function_and_reports_success(repo: Sandbox) -> None:
    body = "    x = value\n    y = other\n    return x + y\n\n"
    repo.write("f.py", "".join(f"def f{k}():\n{body}" for k in range(4)))
    repo.commit("base")
    script = "sed -i '13s/other/better/' f.py"
    patch = subprocess.run(
        ["sh", "-c", f"{script} && git diff -U1 && git checkout -q f.py"],
        cwd=repo.path,
        env=repo.environment,
        capture_output=True,
        check=True,
    ).stdout
    repo.suggest(script)
    repo.write("f.py", repo.read("f.py").decode().replace(f"def f2():\n{body}", ""))
    repo.commit("f2 is gone")
    repo.git("apply", "-", stdin=patch)  # exit 0
    assert b"better" in repo.read("f.py")
    repo.git("checkout", "-q", "f.py")
    assert "GIT_CONFLICT" in repo.gitclaw("apply", "1", code=6).err
    assert b"better" not in repo.read("f.py")


@pytest.mark.parametrize("name", ["é.txt", "tab\t.txt", 'quote".txt', "new\nline.txt"])
def test_patch_headers_quote_names(base: Sandbox, name: str) -> None:
    base.write(name, "x\n")
    base.commit()
    base.write(name, "y\n")
    patch = base.git("-c", "core.quotePath=true", "diff", "HEAD")
    assert PatchSet(patch.decode("latin-1"))[0].path != name  # wrong: octal escapes, in quotes
    base.git("checkout", "-q", ".")
    assert paths(propose(base, lambda folder: (folder / name).write_text("z\n"))) == {name.encode(): "modify"}


def test_a_folder_called_b_confuses_patch_headers(base: Sandbox) -> None:
    base.write("x b/x.txt", "x\n")
    base.commit()
    base.write("x b/x.txt", "y\n", 0o755)
    patch = base.git("diff", "HEAD").decode()
    with pytest.raises(Exception, match="Target without source"):
        PatchSet(patch)
    base.git("checkout", "-q", ".")
    assert paths(propose(base, lambda folder: (folder / "x b/x.txt").chmod(0o755))) == {b"x b/x.txt": "mode"}


@pytest.mark.parametrize(("old", "new"), [("a\n", ""), ("", "a\n"), ("a\nb\n", "b\n"), ("b\n", "a\nb\n")])
def test_flags_of_a_patch_set_call_an_edit_a_new_or_deleted_file(base: Sandbox, old: str, new: str) -> None:
    base.write("f.txt", old)
    base.commit()
    base.write("f.txt", new)
    found = PatchSet(base.git("diff", "-U0", "HEAD").decode())[0]
    assert found.is_added_file or found.is_removed_file  # wrong: it is modified
    base.git("checkout", "-q", ".")
    assert paths(propose(base, lambda folder: (folder / "f.txt").write_text(new))) == {b"f.txt": "modify"}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_gitpython_loses_every_change_beside_a_name_that_is_not_utf8(base: Sandbox) -> None:
    def change(folder: Path) -> None:
        (folder / "a.txt").write_text("changed\n")
        with open(bytes(folder) + b"/caf\xe9.txt", "wb") as file:
            file.write(b"x\n")

    outcome = propose(base, change)
    assert paths(outcome) == {b"a.txt": "modify", b"caf\xe9.txt": "create"}
    assert isinstance(outcome, Suggested)
    with Repo(base.path, expand_vars=False) as repository:
        commit = repository.commit(outcome.proposal.commit)
        assert list(commit.parents[0].diff(commit)) == []  # wrong: two files changed


def test_text_of_gitpython_has_lost_its_last_newline(base: Sandbox) -> None:
    with Repo(base.path, expand_vars=False) as repository:
        assert not repository.git.show("HEAD:a.txt").endswith("\n")  # wrong
    with opened(base.path, base.environment) as ours, ours.open(base.head) as session:
        entry = session.entry(b"a.txt")
        assert entry is not None
        assert session.text(entry.oid).endswith(b"\n")


@pytest.mark.parametrize("content", [b"a\x85b\nx\n", b"a\x0cb\nx\n", "a\u2028b\nx\n".encode(), b"a\rb\nx\n"])
def test_splitlines_cuts_where_git_does_not(base: Sandbox, content: bytes) -> None:
    assert len(content.decode("latin-1").splitlines()) > 2 or len(content.decode("utf-8", "replace").splitlines()) > 2
    base.write("f.txt", content)
    base.commit()
    wanted = content.replace(b"x", b"X")
    outcome = propose(base, lambda folder: (folder / "f.txt").write_bytes(wanted))
    assert isinstance(outcome, Suggested)
    (only,) = outcome.suggestions[0].hunks
    assert (only.start, only.end, only.lines) == (1, 2, (b"X\n",))


def test_a_copy_of_the_index_with_a_new_time_hides_an_edit_of_the_same_size(base: Sandbox) -> None:
    """Git trusts a file's recorded times unless the index is as young as they are."""
    for k in range(5):
        base.write("a.txt", f"{k}\n" * 3)
        base.commit()
        base.write("a.txt", f"{k + 5}\n" * 3)
        said = base.gitclaw("suggest", "--uncommitted", "--json", "--thread", str(k)).json
        assert [s["path"] for s in said["suggestions"]] == ["a.txt"]
        base.git("checkout", "-q", ".")


def test_an_edit_of_the_same_size_in_the_same_moment_is_seen(base: Sandbox) -> None:
    for k in range(10):
        outcome = propose(
            base,
            lambda folder, k=k: (folder / "a.txt").write_bytes(  # type: ignore[misc]
                (folder / "a.txt").read_bytes().replace(b"line 1\n", b"LINE%d\n" % k)
            ),
        )
        assert paths(outcome) == {b"a.txt": "modify"}
