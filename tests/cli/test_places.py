"""Where gitclaw is started, and what it is told: folders, branches, configuration, terminals, mistakes."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.sandbox import Sandbox, git_that, made


@pytest.fixture
def thread(repo: Sandbox) -> Sandbox:
    repo.write("a.txt", "a\n")
    repo.write("sub/b.txt", "b\n")
    repo.commit("base")
    return repo


def configure(repo: Sandbox, place: str, **keys: object) -> None:
    repo.write(place, json.dumps(keys))


def test_in_a_subfolder_the_command_runs_in_that_subfolder(thread: Sandbox) -> None:
    said = thread.gitclaw("suggest", "--json", "--", "sh", "-c", "echo x > here.txt", cwd="sub").json
    assert [s["path"] for s in said["suggestions"]] == ["sub/here.txt"]
    thread.gitclaw("apply", "1", cwd="sub")
    assert thread.read("sub/here.txt") == b"x\n"


@pytest.mark.parametrize(
    ("git", "said"),
    [
        (None, "INTERNAL: git is not installed, or not on the search path."),
        # What an old git does not know it says once more. https://git-scm.com/docs/git-rev-parse
        ('[ "$9" = rev-parse ] && echo --path-format=absolute', "INTERNAL: git is too old."),
    ],
    ids=["none", "old"],
)
def test_without_a_git_that_will_do_the_one_to_install_is_named(
    thread: Sandbox, tmp_path: Path, git: str | None, said: str
) -> None:
    folder = tmp_path / "git"
    if git is not None:
        git_that(folder, git)
    ended = thread.gitclaw("status", code=1, PATH=str(folder))
    assert ended.err == f"{said}\nNext: install git 2.34 or later\n"


def test_on_a_detached_head_the_commit_goes_there(thread: Sandbox) -> None:
    thread.git("checkout", "-q", "--detach")
    thread.suggest("echo x > x.txt")
    main = thread.text("rev-parse", "main")
    thread.gitclaw("apply", "all")
    assert thread.text("rev-parse", "main") == main
    assert thread.text("rev-parse", "HEAD~1") == main
    assert thread.status == ""


def test_another_branch_takes_it_without_being_checked_out(thread: Sandbox) -> None:
    thread.git("branch", "other")
    thread.suggest("echo x > x.txt; echo more >> a.txt")
    before = thread.fingerprint()["files"]
    assert "on other as" in thread.gitclaw("apply", "all", "--branch", "other").out
    assert thread.fingerprint()["files"] == before
    assert thread.status == ""
    assert thread.git("show", "other:a.txt") == b"a\nmore\n"
    assert "There is no branch nope" in thread.gitclaw("undo", "--branch", "nope", code=2).err
    thread.gitclaw("undo", "--branch", "other")
    assert thread.tree("other") == thread.tree("main")


def test_a_bare_repository(thread: Sandbox, tmp_path: Path) -> None:
    thread.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    bare = Sandbox(tmp_path / "bare")
    bare.suggest("echo x > x.txt")
    assert (bare.path / "gitclaw/state/main/state.json").exists()
    bare.gitclaw("apply", "1")
    assert bare.git("show", "main:x.txt") == b"x\n"
    bare.gitclaw("undo")
    assert "leave --no-commit out" in bare.gitclaw("apply", "1", "--no-commit", code=2).err
    assert "NOT_A_REPOSITORY" in bare.suggest("true", "--working-tree", code=2).err


def test_a_linked_worktree(thread: Sandbox, tmp_path: Path) -> None:
    thread.git("worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked"))
    linked = Sandbox(tmp_path / "linked")
    linked.suggest("echo x >> a.txt")
    linked.gitclaw("apply", "1")
    assert linked.status == ""
    assert linked.git("show", "linked:a.txt") == b"a\nx\n"
    assert thread.status == ""


def test_a_branch_that_another_worktree_has_checked_out_is_left_to_it(thread: Sandbox, tmp_path: Path) -> None:
    thread.git("worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked"))
    thread.suggest("echo x >> a.txt")
    said = thread.gitclaw("apply", "1", "--branch", "linked", code=2)
    assert "BRANCH_IN_USE: linked is checked out in" in said.err
    assert thread.git("show", "linked:a.txt") == b"a\n"
    thread.git("worktree", "remove", str(tmp_path / "linked"))
    thread.gitclaw("apply", "1", "--branch", "linked")
    assert thread.git("show", "linked:a.txt") == b"a\nx\n"


@pytest.mark.parametrize("name", ["other", "refs/heads/other", "v1.0", "über/x+y"])
def test_a_branch_by_any_name_from_any_folder(thread: Sandbox, name: str) -> None:
    thread.write("deep/er/b.txt", "b\n")
    thread.commit()
    thread.git("branch", name.removeprefix("refs/heads/"))
    thread.git("tag", "refs/heads/other", "HEAD~1")  # a tag that git might take for the branch
    thread.suggest("echo x >> a.txt")
    Sandbox(thread.path / "deep/er", thread.environment).gitclaw("apply", "1", "--branch", name)
    assert thread.git("show", f"refs/heads/{name.removeprefix('refs/heads/')}:a.txt") == b"a\nx\n"


@pytest.mark.parametrize("name", ["main~0", "main^{commit}", "main..main", "main:a.txt", "--all", "nope", ""])
def test_what_is_no_branch_is_none(thread: Sandbox, name: str) -> None:
    thread.suggest("echo x >> a.txt")
    before = thread.text("rev-parse", "main")
    said = thread.gitclaw("apply", "1", f"--branch={name}", code=None)
    if name:
        assert (said.code, said.err.split(": ")[0]) == (2, "UNKNOWN_REF")
        assert thread.text("rev-parse", "main") == before


def test_a_repository_with_sha256(tmp_path: Path) -> None:
    repo = made(tmp_path / "sha256", "--object-format=sha256")
    repo.write("a.txt", "".join(f"{k}\n" for k in range(30)))
    repo.commit()
    repo.suggest("sed -i 's/^3$/three/; s/^20$/twenty/' a.txt; echo x > x.txt; ln -s x.txt link")
    repo.write("a.txt", "0th\n" + repo.read("a.txt").decode())
    repo.commit("moved")
    repo.gitclaw("apply", "all")
    assert b"three" in repo.git("show", "HEAD:a.txt")
    assert repo.status == ""
    repo.gitclaw("undo")
    assert repo.tree() == repo.tree("HEAD~2")


def test_outside_of_a_repository_and_before_the_first_commit(tmp_path: Path) -> None:
    nowhere = Sandbox(tmp_path)
    said = nowhere.gitclaw("status", code=2, GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    assert said.err.startswith("NOT_A_REPOSITORY: ")
    assert "git init" in said.err
    assert "has no commit yet" in made(tmp_path / "new").gitclaw("status", code=2).err


def test_a_git_directory_named_by_the_environment_is_not_touched(thread: Sandbox, tmp_path: Path) -> None:
    other = made(tmp_path / "other")
    other.write("x", "x")
    other.commit()
    before = other.fingerprint()
    thread.suggest("git add -A; git commit -m x; echo x > x.txt", GIT_DIR=str(other.path / ".git"), code=0)
    assert other.fingerprint() == before


def test_an_agent_that_needs_git_gets_a_repository_of_its_own(thread: Sandbox) -> None:
    before = thread.fingerprint()
    script = "git mv a.txt c.txt && git -c user.name=x -c user.email=x commit -qam x && git log --oneline > log.txt"
    said = thread.suggest(script, "--git", "--json").json
    assert [s["path"] for s in said["suggestions"]] == ["c.txt", "log.txt"]
    assert thread.fingerprint() == before
    assert thread.suggest("git rev-parse", code=5).err.startswith("AGENT_FAILED")


def test_configuration_is_found_in_its_order(thread: Sandbox) -> None:
    thread.write(".gitignore", "suggestions.json\n")
    thread.commit()
    configure(thread, "suggestions.json", showRationale=False)
    configure(thread, ".github/suggestions.json", defaultMode="commit-only")
    thread.suggest("echo 1 > 1.txt")
    assert thread.text("log", "-1", "--format=%s") == "Apply suggestion 1 in 1.txt"
    configure(thread, ".gitclaw/suggestions.json", defaultMode="suggest-only")
    assert "2  2.txt" in thread.suggest("echo 2 > 2.txt").out
    configure(thread, "else.json", defaultMode="commit-only")
    thread.suggest("echo 3 > 3.txt", "--config", "else.json")
    assert thread.text("log", "-1", "--format=%s") == "Apply suggestion 3 in 3.txt"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"defaultmode": "hybrid"}', "has an unknown key, defaultmode.\nNext: did you mean defaultMode?"),
        ('{"defaultMode": "yolo"}', "has a wrong defaultMode: it should be 'suggest-only'"),
        ('{"maxSuggestionsPerComment": 0}', "has a wrong maxSuggestionsPerComment"),
        ('{"showRationale": "yes"}', "has a wrong showRationale"),
        ('{"x": 1}', "the keys are $schema, defaultMode"),
        ("[]", "is not a JSON object"),
        ("{,}", "is not JSON"),
    ],
)
def test_a_wrong_configuration_is_explained(thread: Sandbox, text: str, said: str) -> None:
    thread.write("suggestions.json", text)
    failed = thread.suggest("true", code=3)
    assert failed.err.startswith("CONFIG_INVALID: suggestions.json")
    assert said in failed.err


RISKY = "rm sub/b.txt; echo x > auth.py; echo y > uv.lock"


@pytest.mark.parametrize(
    ("mode", "script", "commits", "shows"),
    [
        ("suggest-only", "echo x > x.txt", False, True),
        ("suggest-and-commit", "echo x > x.txt", True, True),
        ("suggest-and-commit", RISKY, False, True),
        ("commit-only", RISKY, True, False),
        ("hybrid", "echo x > x.txt", True, False),
        ("hybrid", RISKY, False, True),
    ],
)
def test_modes(thread: Sandbox, mode: str, script: str, commits: bool, shows: bool) -> None:  # noqa: FBT001
    before = thread.head
    configure(thread, ".gitclaw/suggestions.json", defaultMode=mode, riskThreshold="high")
    said = thread.suggest(script)
    assert (thread.head != before) == commits
    assert ("Proposal P1" in said.out) == shows
    assert ("gitclaw undo" in said.out) == commits
    if commits:
        thread.gitclaw("undo")
        assert thread.tree() == thread.tree(before)


def test_reasons_can_be_hidden_and_long_lists_are_cut(thread: Sandbox) -> None:
    configure(thread, ".gitclaw/suggestions.json", showRationale=False, maxSuggestionsPerComment=2)
    said = thread.suggest(
        'for k in 1 2 3 4; do echo $k > n$k.txt; done; echo \'{"n1.txt": "because"}\' > $GITCLAW_REASONS'
    )
    assert "because" not in said.out
    assert "n4.txt" in said.out
    assert "… and 2 more; see one with gitclaw show 3" in said.out


def test_an_agent_that_takes_too_long_is_stopped_with_everything_it_started(thread: Sandbox) -> None:
    before = thread.fingerprint()
    started = time.monotonic()
    script = "echo $$ > $GITCLAW_REASONS.pid; sleep 300 & sleep 300"
    said = thread.suggest(script, "--timeout", "0.5", code=5)
    assert said.err.startswith("AGENT_TIMEOUT: sh was stopped after")
    assert time.monotonic() - started < 60
    assert thread.fingerprint() == before
    assert thread.status == ""
    assert not (thread.path / ".gitclaw/state/main/state.json").exists()


def test_an_interrupted_run_leaves_nothing(thread: Sandbox) -> None:
    before = thread.fingerprint()
    process, _ = thread.suggesting("echo x > x.txt; echo ready; sleep 300")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.startswith(b"Interrupted")
    assert thread.fingerprint() == before


def test_what_an_agent_can_do_to_its_workspace_does_not_matter(thread: Sandbox) -> None:
    before = thread.fingerprint()
    script = """
        rm -rf * .[a-z]*; mkdir locked; echo x > locked/x; chmod 000 locked/x locked; mkfifo pipe
        ln -s /etc/passwd link; mkdir .git; echo bad > .git/config; mkdir -p n/.git; echo y > n/y
    """
    said = thread.suggest(script, "--json").json
    assert thread.fingerprint() == before
    assert {s["path"]: s["kind"] for s in said["suggestions"]} == {
        "a.txt": "delete",
        "sub/b.txt": "delete",
        "link": "symlink",
        "locked/x": "create",
    }
    assert sorted(said["warnings"]) == [
        "n/ is a repository of its own and was left out",
        "pipe is neither a file nor a folder and was left out",
    ]


def test_commands_that_cannot_be_started_and_mistakes(thread: Sandbox) -> None:
    missing = thread.gitclaw("suggest", "--", "no-such-command", code=5)
    assert missing.err == (
        "AGENT_FAILED: no-such-command cannot be started: No such file or directory.\n"
        "Next: check that it is installed: command -v no-such-command\n"
    )
    assert "No command was given" in thread.gitclaw("suggest", code=2).err
    assert "runs no command" in thread.gitclaw("suggest", "--uncommitted", "--", "true", code=2).err
    assert "takes no command" in thread.gitclaw("status", "--", "true", code=2).err
    assert "There are no suggestions in thread main" in thread.gitclaw("apply", "1", code=2).err
    assert "invalid choice: 'aply'" in thread.gitclaw("aply", "1", code=2).err
    assert "cannot be read" in thread.suggest("true", "--config", "nope.json", code=3).err


def test_a_damaged_state_is_refused_and_kept(thread: Sandbox) -> None:
    thread.suggest("echo x > x.txt")
    path = thread.write(".gitclaw/state/main/state.json", "{")
    failed = thread.gitclaw("apply", "all", code=3)
    assert failed.err.startswith(f"CONFIG_INVALID: {path}: The state file cannot be read")
    assert path.read_text() == "{"


def test_without_an_author_git_is_to_be_told(thread: Sandbox) -> None:
    thread.environment = {
        k: v for k, v in thread.environment.items() if not k.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))
    }
    said = thread.suggest("echo x > x.txt", code=None)
    if said.code:  # where the machine's name makes an address, git is content with it
        assert "UNKNOWN_AUTHOR" in said.err
        assert "git config user.name" in said.err


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colours_in_a_pipe(thread: Sandbox, environment: dict[str, str], coloured: bool) -> None:  # noqa: FBT001
    assert ("\x1b[" in thread.suggest("echo x > x.txt", code=0, **environment).out) == coloured


def test_in_a_terminal_there_are_colours_and_progress(thread: Sandbox) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "gitclaw_py", "suggest", "--", "sh", "-c", "echo working; sleep 1; echo x > x.txt"],
        cwd=thread.path,
        stdout=theirs,
        stderr=theirs,
        env={**thread.environment, "TERM": "xterm"},
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:
            break
        if not piece:
            break
        said += piece
    os.close(ours)
    assert process.wait() == 0
    assert "sh · 0 s · working".encode() in said
    assert b"\r\x1b[2K" in said
    assert b"\x1b[32m   + x\x1b[0m" in said


def test_a_reader_that_goes_away_is_no_error(thread: Sandbox) -> None:
    thread.suggest("seq 1 100000 > many.txt")
    command = f"{sys.executable} -m gitclaw_py show 1 | head -n 1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        cwd=thread.path,
        capture_output=True,
        env=thread.environment,
        check=False,
    )
    assert done.stderr == b""
    assert done.stdout.startswith(b"1  many.txt")


HEAVY = {"github", "git", "httpx", "requests", "pydantic", "ssl", "unidiff", "rich"}


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["suggest", "--help"]])
def test_help_and_version_bring_nothing_heavy(words: list[str]) -> None:
    code = (
        "import sys\nfrom gitclaw_py.cli import main\n"
        f"try:\n    main({words!r})\nfinally:\n    print(sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)
    modules = set(json.loads(done.stdout.rpartition("[")[2].join(["[", ""]).replace("'", '"')))
    assert not modules & (HEAVY | {"subprocess", "json", "dataclasses"})


PROBE = """
import sys
compiled = []
def heard(event, told):
    if event == "compile" and told[1] == "<string>" and not bytes(told[0]).startswith(b"lambda _cls"):
        compiled.append(told[0])
sys.addaudithook(heard)
from gitclaw_py.cli import main
code = main(sys.argv[1:])
print(sorted(sys.modules), compiled, sep="\\n")
sys.exit(code)
"""


@pytest.mark.parametrize("words", [["apply", "1", "--branch", "other"], ["reject", "1"], ["apply", "1", "--json"]])
def test_a_decision_brings_nothing_that_it_does_not_need(thread: Sandbox, words: list[str]) -> None:
    """OpenSSL, the protocols and every annotation of a named tuple that Python compiles again cost milliseconds."""
    thread.git("branch", "other")
    thread.suggest("echo new > new.txt")
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *words], cwd=thread.path, env=thread.environment, capture_output=True, check=True
    )
    *_, modules, compiled = done.stdout.decode().strip().split("\n")
    assert compiled == "[]"
    unneeded = {"_hashlib", "dataclasses", "inspect", "shutil", "tempfile", "gitclaw_py.core.render"}
    assert not (HEAVY | unneeded).intersection(json.loads(modules.replace("'", '"')))
    assert "gitclaw_py.core.secrets" not in modules
