"""Work of a person that a careless tool would lose, and words it would say that are not so."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.core.states import without_ids
from tests.sandbox import Sandbox, made

TEXT = "".join(f"{k}\n" for k in range(1, 31))


@pytest.fixture
def repo(repo: Sandbox) -> Sandbox:
    repo.write("a.txt", TEXT)
    repo.write("b.txt", "b\n")
    repo.write("d/q.txt", "q\n")
    repo.commit("base")
    return repo


def test_a_filter_that_fails_on_the_way_out_costs_nothing(repo: Sandbox) -> None:
    repo.write(".git/info/attributes", "*.txt filter=bad\n")
    repo.git("config", "filter.bad.clean", "cat")
    repo.git("config", "filter.bad.smudge", "cat")
    repo.suggest("sed -i 's/^5$/five/' a.txt")
    repo.write("a.txt", TEXT.replace("20\n", "precious\n"))
    repo.git("config", "filter.bad.smudge", "false")
    repo.git("config", "filter.bad.required", "true")
    before = repo.fingerprint()
    said = repo.gitclaw("apply", "all", code=1)
    assert "nothing was changed" in said.err
    assert {**repo.fingerprint(), "config": ""} == {**before, "config": ""}


def test_a_sparse_index_stays_whole(repo: Sandbox) -> None:
    repo.write("e/e.txt", "e\n")
    repo.write("e/f.txt", "f\n")
    repo.commit()
    repo.git("sparse-checkout", "set", "--sparse-index", "d")
    repo.suggest("echo x >> e/e.txt")
    repo.gitclaw("apply", "all")
    repo.git("fsck", "--strict")
    repo.git("commit", "-q", "--allow-empty", "-m", "x")
    repo.git("fsck", "--strict")
    assert repo.text("ls-tree", "-r", "--name-only", "HEAD") == "a.txt\nb.txt\nd/q.txt\ne/e.txt\ne/f.txt"


def test_a_link_of_mine_in_a_folder_that_becomes_a_file_is_in_the_way(repo: Sandbox) -> None:
    repo.suggest("rm -r d; echo 1 > d")
    os.symlink(repo.path.parent, repo.path / "d/mine")
    before = repo.fingerprint()
    repo.gitclaw("apply", "all", code=6)
    assert repo.fingerprint() == before


def test_a_file_that_cannot_be_removed_is_no_success(repo: Sandbox) -> None:
    if (
        os.geteuid() == 0
        and subprocess.run(["chattr", "+i", repo.path / "b.txt"], check=False, capture_output=True).returncode
    ):
        pytest.skip("this file system does not know files that cannot be removed")
    try:
        if os.geteuid() != 0:
            repo.path.chmod(0o555)
        repo.suggest("rm b.txt")
        said = repo.gitclaw("apply", "1", code=6)
        assert "b.txt cannot be written" in said.err
        assert "The commit is on main" in said.err
    finally:
        subprocess.run(["chattr", "-i", repo.path / "b.txt"], check=False, capture_output=True)
        repo.path.chmod(0o755)
    assert "1 of 1 applied" in repo.gitclaw("status").out
    assert repo.status == ""


def test_undo_leaves_what_someone_else_committed(repo: Sandbox) -> None:
    repo.suggest("echo x >> a.txt")
    repo.write("a.txt", TEXT + "x\n")
    head = repo.commit("someone else")
    assert "already on main" in repo.gitclaw("apply", "1").out
    repo.gitclaw("undo")
    assert repo.head == head
    assert repo.read("a.txt").decode() == TEXT + "x\n"
    assert "0 of 1 applied" in repo.gitclaw("status").out


def test_undo_leaves_what_another_suggestion_put_there(repo: Sandbox) -> None:
    repo.suggest("sed -i 's/^5$/five/' a.txt")
    repo.suggest("sed -i 's/^5$/five/; s/^25$/twenty-five/' a.txt")
    repo.gitclaw("apply", "1")
    repo.gitclaw("apply", "2.1")
    repo.gitclaw("undo", "2.1")
    assert b"five\n" in repo.read("a.txt")
    assert repo.git("show", "HEAD:a.txt") == repo.read("a.txt")


def test_undo_of_uncommitted_work_leaves_it_uncommitted(repo: Sandbox) -> None:
    repo.write("a.txt", TEXT + "mine\n")
    repo.write("untracked.txt", "mine\n")
    before = repo.status
    repo.gitclaw("suggest", "--uncommitted")
    repo.gitclaw("apply", "all")
    assert repo.status == ""
    repo.gitclaw("undo")
    assert repo.status == before
    assert repo.read("a.txt").decode() == TEXT + "mine\n"
    assert repo.read("untracked.txt") == b"mine\n"


def test_undo_over_two_branches_is_refused(repo: Sandbox) -> None:
    repo.suggest("echo x >> a.txt; echo y >> b.txt")
    repo.git("branch", "feature")
    repo.gitclaw("apply", "1")
    repo.gitclaw("apply", "2", "--branch", "feature")
    said = repo.gitclaw("undo", "1,2", code=2)
    assert "1.1 on main" in said.err or "1 on main" in said.err
    repo.gitclaw("undo", "2")
    assert repo.tree("feature") == repo.tree("main~1")


def test_undo_of_one_that_is_not_applied_is_refused_whole(repo: Sandbox) -> None:
    repo.suggest("echo x >> a.txt; echo y >> b.txt")
    repo.gitclaw("apply", "1")
    head = repo.head
    assert "Not applied: 2" in repo.gitclaw("undo", "1,2", code=2).err
    assert repo.head == head


def test_what_was_turned_down_can_be_had_back(repo: Sandbox) -> None:
    repo.suggest("echo x >> a.txt; echo y >> b.txt")
    assert "gitclaw undo 1,2" in repo.gitclaw("reject", "all", "not", "now").out
    assert "rejected: not now" in repo.gitclaw("status").out
    assert "Pending again: 1." in repo.gitclaw("undo", "1").out
    assert "0 of 2 applied, 1 rejected, 1 pending" in repo.gitclaw("status").out


@pytest.mark.parametrize("words", [["l"], ["#1"], ["not needed"], ["1."]])
def test_a_slip_does_not_turn_everything_down(repo: Sandbox, words: list[str]) -> None:
    repo.suggest("echo x >> a.txt; echo y >> b.txt")
    assert "is no number of a suggestion" in repo.gitclaw("reject", *words, code=2).err
    assert "2 pending" in repo.gitclaw("status").out


def test_marks_on_files_stay(repo: Sandbox) -> None:
    repo.suggest("sed -i 's/^5$/five/' a.txt; echo y >> b.txt")
    repo.git("update-index", "--skip-worktree", "a.txt")
    repo.git("update-index", "--assume-unchanged", "b.txt")
    repo.write("a.txt", TEXT.replace("20\n", "secret\n"))
    repo.gitclaw("apply", "all")
    assert repo.text("ls-files", "-v", "a.txt", "b.txt") == "S a.txt\nh b.txt"
    assert repo.status == ""
    assert repo.read("a.txt").decode() == TEXT.replace("20\n", "secret\n").replace("\n5\n", "\nfive\n")


def test_line_ends_that_git_keeps_are_no_edit(repo: Sandbox) -> None:
    repo.write("crlf.txt", TEXT.replace("\n", "\r\n"))
    repo.commit("crlf")
    repo.git("config", "core.autocrlf", "true")
    repo.suggest("sed -i 's/^5\\r$/five\\r/' crlf.txt")
    repo.write("crlf.txt", TEXT.replace("20\n", "mine\n").replace("\n", "\r\n"))
    repo.gitclaw("apply", "1")
    wanted = TEXT.replace("\n5\n", "\nfive\n").replace("20\n", "mine\n")
    assert repo.read("crlf.txt").decode() == wanted.replace("\n", "\r\n")


def test_a_tag_is_no_branch(repo: Sandbox) -> None:
    repo.git("tag", "v1")
    repo.suggest("echo x >> a.txt")
    assert "There is no branch" in repo.gitclaw("apply", "1", "--branch", "refs/tags/v1", code=2).err


def test_stored_hunks_that_were_changed_are_refused(repo: Sandbox) -> None:
    repo.suggest("sed -i 's/^5$/five/; s/^25$/twenty-five/' a.txt")
    path = repo.path / ".gitclaw/state/main/state.json"
    text = path.read_text()
    for old, new in (('"five\\n"', '"evil\\n"'), ("[24, 25,", "[240, 250,")):
        path.write_text(text.replace(old, new))
        assert "an id that is not that of its change" in repo.gitclaw("apply", "1.1", code=3).err
        # Nor does it help to leave the ids out, as the first version of the state had none.
        path.write_text(without_ids(text).replace(old, new))
        assert "INVALID_DIFF" in repo.gitclaw("apply", "1.1", code=6).err
    assert repo.head == repo.text("rev-parse", "main")
    assert repo.read("a.txt").decode() == TEXT


def test_submodules_can_be_looked_at(repo: Sandbox, tmp_path: Path) -> None:
    other = made(tmp_path / "other")
    other.write("x", "1\n")
    other.commit()
    repo.git("-c", "protocol.file.allow=always", "submodule", "-q", "add", str(other.path), "sub")
    repo.commit("sub")
    said = repo.suggest("rm -rf sub")
    assert "sub  submodule" in said.out
    assert "submodule" in repo.gitclaw("show", "1").out


@pytest.mark.parametrize("arguments", [["show", "all"], ["apply", "1"], ["undo", "all"]])
def test_without_suggestions_there_is_nothing_to_name(repo: Sandbox, arguments: list[str]) -> None:
    assert "There are no suggestions in thread main yet" in repo.gitclaw(*arguments, code=2).err


def test_two_of_one_selection_that_exclude_each_other_say_so(repo: Sandbox) -> None:
    repo.suggest("sed -i 's/^5$/five/' a.txt")
    repo.suggest("sed -i 's/^5$/FIVE/' a.txt")
    for options in ([], ["--no-commit"]):
        said = repo.gitclaw("apply", "all", *options, code=6)
        assert "another suggestion of this selection changes these lines" in said.err
        assert "choose one of them, for example gitclaw apply 1" in said.err


def test_a_file_that_is_only_mine_yet_can_be_changed_without_a_commit(repo: Sandbox) -> None:
    repo.write("mine.txt", "mine\n")
    repo.suggest("echo more >> mine.txt", "--working-tree")
    assert "gitclaw apply 1 --no-commit" in repo.gitclaw("apply", "1", code=6).err
    repo.gitclaw("apply", "1", "--no-commit")
    assert repo.read("mine.txt") == b"mine\nmore\n"


def test_caches_that_ignore_themselves_are_no_suggestions(repo: Sandbox) -> None:
    said = repo.suggest("mkdir .cache; echo '*' > .cache/.gitignore; echo x > .cache/x; echo y > y.txt", "--json").json
    assert [s["path"] for s in said["suggestions"]] == ["y.txt"]
    assert said["warnings"] == [".cache/ ignores itself and was left out"]


def test_a_mode_that_commits_commits_what_was_pending_too(repo: Sandbox) -> None:
    repo.suggest("echo x >> a.txt")
    repo.suggest("echo x >> a.txt; echo y >> b.txt", "--mode", "commit-only")
    assert "2 of 2 applied" in repo.gitclaw("status").out


def test_names_that_are_not_utf8_are_only_names(repo: Sandbox) -> None:
    repo.git("checkout", "-q", "-b", b"br\xe9")
    repo.suggest("echo x >> a.txt")
    repo.gitclaw("apply", "1", "-m", os.fsdecode(b"caf\xe9"))
    assert repo.git("log", "-1", "--format=%s", "--encoding=latin-1").strip()
    assert "1 of 1 applied" in repo.gitclaw("status").out
    other = os.fsdecode(b"t\xe9")
    repo.suggest("echo y >> b.txt", "--thread", other)
    assert "1 pending" in repo.gitclaw("status", "--thread", other).out


def test_an_agent_says_why_it_failed(repo: Sandbox) -> None:
    said = repo.suggest("echo the reason; exit 3", code=5)
    assert "\n  the reason\n" in said.err


def test_an_agent_that_removes_its_folder_and_one_that_is_not_there(repo: Sandbox) -> None:
    assert "removed its own folder" in repo.suggest('rm -rf "$PWD"', code=5).err
    repo.write("agent.sh", "echo\n", 0o755)
    assert "use --working-tree" in repo.gitclaw("suggest", "--", "./agent.sh", code=5).err
    assert "without quotes" in repo.gitclaw("suggest", "--", "ruff check", code=5).err


def test_what_cannot_be_read_is_named(repo: Sandbox) -> None:
    (repo.path / ".gitclaw").touch()
    assert ".gitclaw" in repo.gitclaw("status", code=1).err
    assert "nonexistent" in repo.gitclaw("status", code=1, TMPDIR="/nonexistent").err


def test_a_broken_configuration_keeps_nobody_from_looking(repo: Sandbox) -> None:
    repo.suggest("echo x >> a.txt")
    repo.write("suggestions.json", '{"default_mode": "hybrid"}')
    said = repo.gitclaw("status")
    assert "a.txt" in said.out
    assert "unknown key, default_mode" in said.err
    assert repo.suggest("true", code=3).err.startswith("CONFIG_INVALID")


def test_options_are_refused_before_the_agent_works(repo: Sandbox) -> None:
    repo.suggest("echo x >> a.txt")
    script = "touch /tmp/worked-$PPID; exit 1"
    assert "There is no suggestion 99" in repo.suggest(script, "--replaces", "99", code=2).err
    assert "more than 0" in repo.suggest("true", "--timeout", "0", code=2).err
    assert "two dashes" in repo.gitclaw("suggest", "ruff", "--fix", ".", code=2).err
    assert "makes no commit" in repo.gitclaw("apply", "1", "--no-commit", "-m", "x", code=2).err
    assert "apply does not know --config" in repo.gitclaw("apply", "1", "--config", "x", code=2).err


def test_reasons_may_begin_where_the_agent_works(repo: Sandbox) -> None:
    script = """echo x >> q.txt; echo '{"q.txt": "because"}' > $GITCLAW_REASONS"""
    assert "because" in repo.gitclaw("suggest", "--", "sh", "-c", script, cwd="d").out


def test_a_narrow_terminal_gets_lines_that_fit(repo: Sandbox) -> None:
    script = """
        mkdir -p very/long/path/to; echo x > very/long/path/to/some_module.py; echo y >> a.txt
        echo '{"a.txt": "a reason that is much longer than a narrow terminal is wide"}' > $GITCLAW_REASONS
    """
    repo.suggest(script)
    lines = repo.gitclaw("status", COLUMNS="60").out.split("\n")
    assert max(map(len, lines[2:])) <= 60
    assert any("…" in line for line in lines)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_whoever_ends_us_ends_the_agent(repo: Sandbox, number: signal.Signals) -> None:
    process, log = repo.suggesting("echo $$; echo ready; exec sleep 300")
    agent = int(log.split(b"\n")[2])
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == 130
    with pytest.raises(ProcessLookupError):
        os.kill(agent, 0)
