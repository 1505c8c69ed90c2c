"""Whatever a person has configured, the same change gives the same state to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitclaw_py.core.state_json import dump
from gitclaw_py.handlers.suggest import Suggested
from tests.handlers.worlds import propose
from tests.sandbox import Sandbox, made

SETTINGS = [
    "diff.noprefix=true", "diff.mnemonicPrefix=true", "color.ui=always", "color.diff=always", "diff.external=/bin/echo",
    "diff.context=0", "diff.context=10", "diff.interHunkContext=9", "diff.algorithm=patience", "diff.algorithm=minimal",
    "diff.indentHeuristic=false", "diff.renames=false", "diff.renames=copies", "diff.renameLimit=1",
    "diff.suppressBlankEmpty=true", "diff.submodule=log", "diff.submodule=diff", "diff.ignoreSubmodules=all",
    "diff.orderFile=/dev/null", "diff.wsErrorHighlight=all", "diff.colorMoved=zebra", "diff.wordRegex=.",
    "core.quotePath=false", "core.abbrev=7", "diff.up.textconv=tr a-z A-Z <", "diff.up.command=/bin/echo",
    "diff.up.binary=true", "diff.up.xfuncname=^X", "core.attributesFile=/dev/stdin", "core.bigFileThreshold=100",
    "diff.relative=true", "diff.autoRefreshIndex=false", "core.pager=less", "core.whitespace=cr-at-eol",
    "core.autocrlf=true", "core.autocrlf=input", "core.eol=crlf", "core.safecrlf=true", "core.precomposeunicode=true",
    "core.ignorecase=true", "core.fileMode=false", "core.symlinks=false", "core.fsmonitor=/bin/false",
    "core.hooksPath=/nonexistent", "core.compression=0", "core.untrackedCache=true", "core.splitIndex=true",
    "core.commentChar=;", "core.sparseCheckout=true", "log.showSignature=true", "core.useReplaceRefs=false",
    "apply.whitespace=fix", "status.renames=false", "status.showUntrackedFiles=no", "i18n.commitEncoding=latin-1",
    "commit.cleanup=verbatim", "commit.template=/nonexistent", "merge.conflictStyle=diff3", "index.version=4",
    "fastimport.unpackLimit=1", "gc.auto=1", "user.useConfigOnly=true", "init.defaultBranch=x",
]  # fmt: skip
ENVIRONMENT = {
    "GIT_EXTERNAL_DIFF": "/bin/echo", "GIT_DIFF_OPTS": "-u9", "GIT_LITERAL_PATHSPECS": "1", "LANGUAGE": "fr",
    "GIT_CONFIG_PARAMETERS": "'diff.noprefix'='true'", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "color.ui",
    "GIT_CONFIG_VALUE_0": "always", "GIT_PAGER": "less", "GIT_INDEX_FILE": "/nonexistent", "GIT_DIR": "/nonexistent",
    "GIT_WORK_TREE": "/nonexistent", "GIT_OBJECT_DIRECTORY": "/nonexistent", "GIT_TRACE": "1",
}  # fmt: skip
FUNCTIONS = "".join(f"def f{k}(x):\n    y = x\n\n    return y\n\n" for k in range(12))


def repository(path: Path) -> Sandbox:
    repo = made(path)
    repo.write("a.py", FUNCTIONS)
    repo.write("é b.py", FUNCTIONS)
    repo.write("renamed.py", FUNCTIONS + "r\n")
    repo.write("crlf.txt", "a \r\nb\r\n\r\n\r\nc\r\n")
    repo.write("binary", b"\0" * 200)
    repo.write("up.up", "abc\n")
    repo.write(".gitattributes", "*.up diff=up\n*.py -diff\n")
    repo.write("sub/x.py", FUNCTIONS + "zz\n")
    repo.commit("base")
    return repo


def change(folder: Path) -> None:
    new = FUNCTIONS.replace("    return y\n\ndef f6", "    return y\n\ndef g(x):\n    y = x\n\n    return y\n\ndef f6")
    (folder / "a.py").write_text(new.replace("def f10", "def f10b"))
    (folder / "é b.py").write_text(new)
    (folder / "renamed.py").rename(folder / "moved.py")
    (folder / "moved.py").write_text(FUNCTIONS + "r\nr\n")
    (folder / "crlf.txt").write_bytes(b"a\r\nb  \r\n\r\nc")
    (folder / "binary").write_bytes(b"\0" * 201)
    (folder / "up.up").write_text("abd\n")
    (folder / "sub/x.py").chmod(0o755)
    (folder / "empty.txt").touch()


def state_of(repo: Sandbox) -> bytes:
    outcome = propose(repo, change)
    assert isinstance(outcome, Suggested)
    return dump(outcome.state._replace(thread="same"))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return state_of(repository(tmp_path_factory.mktemp("plain") / "repo"))


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings(setting: str, tmp_path: Path, expected: bytes) -> None:
    repo = repository(tmp_path / "repo")
    name, _, value = setting.partition("=")
    repo.git("config", "-f", str(tmp_path / "gitconfig"), name, value)
    repo.environment["GIT_CONFIG_GLOBAL"] = str(tmp_path / "gitconfig")
    assert state_of(repo) == expected


def test_environment(tmp_path: Path, expected: bytes) -> None:
    repo = repository(tmp_path / "repo")
    repo.environment.update(ENVIRONMENT)
    assert state_of(repo) == expected


def test_the_repository_s_own_settings(tmp_path: Path, expected: bytes) -> None:
    repo = repository(tmp_path / "repo")
    for setting in SETTINGS:
        name, _, value = setting.partition("=")
        if not name.startswith(("core.sparseCheckout", "core.attributesFile", "index.version", "i18n")):
            repo.git("config", "--add", name, value)
    assert state_of(repo) == expected
