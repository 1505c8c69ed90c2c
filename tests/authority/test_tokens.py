"""Rows 41 to 46 of the threat table: the process that holds a token, and where the token goes."""

from __future__ import annotations

import ast
import base64
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import gitclaw_py
from gitclaw_py.adapters.git_clone import GitClone
from gitclaw_py.adapters.git_connection import GitConnection
from gitclaw_py.adapters.git_history import commits, log
from gitclaw_py.adapters.github_forge import GitHubForge
from gitclaw_py.core.refnames import is_branch, is_oid
from gitclaw_py.errors import GitclawError
from tests.adapters.scripted_github import Says, Script, serving
from tests.conversations.talk import Talk
from tests.handlers.worlds import propose, world
from tests.sandbox import ENVIRONMENT, Sandbox, git_that

PACKAGE = Path(gitclaw_py.__file__).parent
TOKEN = "ghs_canary0123456789"  # noqa: S105 - that it is one is what this is about
HOSTILE = "import os\nopen(os.environ['MARK'], 'a').write(__name__ + '\\n')\nraise SystemExit(7)\n"
MODULES = ("json", "argparse", "sitecustomize", "usercustomize", "signal", "typing", "re", "gitclaw_py")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder whose modules have the names of ours and of Python's, and tell when they are imported."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    for name in MODULES:
        (folder / f"{name}.py").write_text(HOSTILE, encoding="ascii")
    return folder


def _started(command: list[str], folder: Path, **more: str) -> tuple[subprocess.CompletedProcess[str], str]:
    payload = json.loads((Path(__file__).parents[1] / "payloads/issue_comment.created.1.json").read_bytes())
    event = folder.parent / "event.json"
    event.write_text(json.dumps(payload), encoding="utf-8")
    mark = folder.parent / "mark"
    mark.touch()
    known = {"PATH": ENVIRONMENT["PATH"], "HOME": "/nonexistent", "MARK": str(mark), "GITHUB_TOKEN": TOKEN}
    words = [*command, "run", "--event", str(event), "--event-name", "issue_comment"]
    ended = subprocess.run(words, cwd=folder, env={**known, **more}, capture_output=True, text=True, check=False)
    return ended, mark.read_text(encoding="ascii")


def test_row_41_an_isolated_start_imports_nothing_of_the_folder_or_of_pythonpath(hostile: Path) -> None:
    ended, imported = _started([sys.executable, "-I", "-m", "gitclaw_py"], hostile, PYTHONPATH=str(hostile))
    assert (ended.returncode, imported) == (0, ""), ended.stderr
    assert ended.stdout.startswith("Ignored: ")


@pytest.fixture
def console(tmp_path: Path) -> str:
    """The installed command, or one as installers write it now: pip before 25.2 has it import ``re`` before ours.

    https://github.com/pypa/pip/issues/13165
    """
    installed = Path(sys.executable).with_name("gitclaw")
    text = installed.read_text(encoding="utf-8")
    if "import re\n" not in text:
        return str(installed)
    written = tmp_path / "gitclaw"
    first, _, _ = text.partition("\n")
    written.write_text(
        f"{first}\nimport sys\nfrom gitclaw_py.__main__ import main\nsys.exit(main())\n", encoding="utf-8"
    )
    written.chmod(0o755)
    return str(written)


def test_row_41_the_command_starts_itself_again_isolated(hostile: Path, console: str) -> None:
    ended, imported = _started([console], hostile)
    assert (ended.returncode, imported) == (0, ""), ended.stderr
    # These Python itself imports from PYTHONPATH before anything of ours, and a package of our name is not ours.
    for name in ("sitecustomize", "usercustomize", "gitclaw_py"):
        (hostile / f"{name}.py").unlink()
    ended, imported = _started([console], hostile, PYTHONPATH=str(hostile))
    assert (ended.returncode, imported) == (0, ""), ended.stderr


def test_row_41_the_isolated_process_knows_it(tmp_path: Path) -> None:
    program = (
        "import sys, runpy; sys.argv = ['gitclaw', 'run']; import gitclaw_py.__main__ as m; import os;"
        "os.execv = lambda path, words: print(words[1:3]); m._isolated()"
    )
    said = subprocess.check_output([sys.executable, "-c", program], cwd=tmp_path, env=ENVIRONMENT, text=True)
    assert said.startswith("['-I', '-c']")


class _Elsewhere(BaseHTTPRequestHandler):
    def _seen(self) -> None:
        self.server.seen.append(dict(self.headers))  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_POST = _seen  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Tests read what was seen."""


@contextmanager
def elsewhere() -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Another host, and the headers of what came to it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Elsewhere)
    seen: list[dict[str, str]] = []
    server.seen = seen  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _forge(script: Script) -> GitHubForge:
    return GitHubForge(script.url, TOKEN, "octo/hello", sleep=lambda _: None, note=lambda _: None, timeout=5)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_row_42_a_redirect_to_another_host_gets_no_token(status: int) -> None:
    with elsewhere() as (url, seen), serving() as script:
        forge = _forge(script)
        script.answers(*[Says(None, status, {"Location": f"{url}/x"})] * 4)
        with pytest.raises(GitclawError):
            forge.thread(1)
        forge.close()
        assert seen == []
        script._answers.clear()


def test_row_42_nor_do_addresses_in_answers() -> None:
    with elsewhere() as (url, seen), serving() as script:
        forge = _forge(script)
        script.answers(Says([], headers={"Link": f'<{url}/x?page=2>; rel="next"'}), Says([]))
        forge.comments(1, None)
        forge.close()
        assert seen == []
        assert all(asked.path.startswith("/repos/octo/hello/") for asked in script.asked)


def test_row_42_what_netrc_says_does_not_replace_the_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login mallory password stolen\n", encoding="ascii")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with serving() as script:
        forge = _forge(script)
        script.answers(Says([]))
        forge.comments(1, None)
        forge.close()
        assert script.asked[0].headers["Authorization"] == f"token {TOKEN}"


def test_row_42_git_follows_no_redirect_with_the_token(tmp_path: Path) -> None:
    with elsewhere() as (url, seen), serving() as script:
        script.answers(Says(None, 302, {"Location": f"{url}/octo/hello.git/info/refs?service=git-upload-pack"}))
        clone = GitClone(
            GitConnection(f"{script.url}/octo/hello.git", TOKEN, tmp_path, ENVIRONMENT),
            ("bot", "bot@example.invalid"),
        )
        with pytest.raises(GitclawError):
            clone.fetch(["refs/heads/main"])
        assert "Authorization" in script.asked[0].headers
        assert seen == []


def test_row_43_no_process_has_the_token_among_its_arguments(talk: Talk, tmp_path: Path) -> None:
    folder = tmp_path / "shim"
    git_that(folder, r"""for word in "$@"; do printf '%s\n' "$word" >> "$0.argv"; done""")
    talk.environment["PATH"] = f"{folder}:{ENVIRONMENT['PATH']}"
    talk.environment["GITCLAW_STATE_KEY"] = "k" * 32
    talk.say("/gitclaw\n\nwrite a.txt a")
    talk.say("/apply 1")
    said = (folder / "git.argv").read_text(encoding="utf-8")
    assert said.count("push") >= 3
    basic = base64.b64encode(f"x-access-token:{talk.token}".encode()).decode()
    for secret in (talk.token, basic, "k" * 32, "Authorization"):
        assert secret not in said


def _names(tree: ast.AST) -> set[str]:
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def test_row_44_gitpython_is_asked_for_history_alone() -> None:
    """No clone, fetch, pull, submodule, remote, archive, blame or configuration, where its advisories are."""
    tree = ast.parse((PACKAGE / "adapters/git_history.py").read_text(encoding="utf-8"))
    own = {"iter_commits", "hexsha", "parents", "message", "partition"}
    assert _names(tree) <= own
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Repo"]
    assert len(calls) == 2
    for call in calls:
        assert {k.arg: ast.literal_eval(k.value) for k in call.keywords} == {"expand_vars": False}


def test_row_44_a_path_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import git

    monkeypatch.setenv("WHERE", str(tmp_path))
    with pytest.raises((git.NoSuchPathError, git.InvalidGitRepositoryError)):
        commits(Path("$WHERE"), 1)


def test_row_44_an_option_is_no_refspec(tmp_path: Path) -> None:
    import git

    repository = git.Repo.init(tmp_path / "r")
    remote = repository.create_remote("origin", str(tmp_path / "r"))
    with pytest.raises(git.UnsafeOptionError):
        remote.pull("--upload-pack=touch x")
    repository.close()


HOOKS = ("pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "post-index-change", "reference-transaction")


def test_row_45_no_planted_hook_runs_when_we_commit_or_read(repo: Sandbox, tmp_path: Path) -> None:
    repo.write("a.txt", "a\n")
    repo.commit()
    mark = tmp_path / "mark"
    for name in HOOKS:
        hook = repo.path / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\necho {name} >> {mark}\n", encoding="ascii")
        hook.chmod(0o755)
    propose(repo, lambda folder: (folder / "a.txt").write_text("b\n", encoding="ascii"))
    repo.gitclaw("apply", "all")
    assert repo.text("show", "HEAD:a.txt") == "b"
    assert log(repo.path, 1)
    assert not mark.exists()


OPTIONS = ["--output=F", "-x", "--upload-pack=touch F", "-", "--exec=x", "@{-1}", "a..b", "a:b", "a b", "a\n", "", "@"]


@pytest.mark.parametrize("name", OPTIONS)
def test_row_46_no_name_from_outside_is_an_option_or_a_refspec(name: str) -> None:
    assert not is_branch(name)
    assert not is_oid(name)


@pytest.mark.parametrize("name", ["main", "feature/é", "a-b_c.d", "gitclaw/issue-1", "v1.0", "x@y"])
def test_row_46_and_names_of_branches_are(name: str) -> None:
    assert is_branch(name)


def test_row_46_a_base_branch_that_is_an_option_is_refused_with_the_event(talk: Talk) -> None:
    talk.post("/gitclaw status")
    event, payload = talk.waiting.pop()
    talk.run(event, {**payload, "repository": {**payload["repository"], "default_branch": "x --upload-pack=y"}})
    assert talk.runs[-1].out.startswith("Ignored: ")


def test_row_46_a_file_name_that_is_an_option_is_a_file_name(repo: Sandbox) -> None:
    repo.write("a.txt", "a\n")
    repo.commit()
    names = ["--output=F", "-rf", "--", ":(top)x", ":!x", "*"]

    def change(folder: Path) -> None:
        for name in names:
            (folder / name).write_text("x\n", encoding="ascii")

    with world(repo):
        propose(repo, change)
    repo.gitclaw("apply", "all")
    listed = repo.git("ls-tree", "-z", "--name-only", "HEAD").split(b"\0")[:-1]
    assert sorted(map(os.fsdecode, listed)) == sorted([*names, "a.txt"])
