"""Replays of real commits, in small: this repository's own, and a made-up history of every kind of change."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import replay
from tests.sandbox import Sandbox, made
from tests.trials.histories import generated

_HERE = Path(__file__).resolve().parents[1]
_COMMITS = 10


def test_own_history() -> None:
    if not (_HERE / ".git").exists():
        pytest.skip("not a clone")
    report = replay.replay(_HERE, 2, files=1)
    assert report.mismatches == []


def test_every_kind_of_change(tmp_path: Path) -> None:
    source = _made_up(tmp_path / "source")
    before = _listed(source.path)
    report = replay.replay(source.path, _COMMITS, files=5)
    assert report.mismatches == []
    assert report.counts["commits"] >= _COMMITS - 1
    assert report.counts["commits with files"] >= 3
    assert _listed(source.path) == before, "the repository was written to"


def test_a_repository_with_one_commit(tmp_path: Path) -> None:
    source = made(tmp_path / "source")
    source.write("a", "a\n")
    source.commit()
    assert replay.replay(source.path, 10, files=2) == replay.Report()


def test_a_mismatch_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = made(tmp_path / "source")
    for text in ("a\n", "b\n"):
        source.write("a", text)
        source.commit()
    monkeypatch.setattr("sys.argv", ["replay", "--repository", str(source.path), "--files", "0"])
    assert replay.main() == 0
    monkeypatch.setattr(Sandbox, "tree", lambda _self, revision: revision)
    assert replay.main() == 1
    assert "undo of everything gives the base" in capsys.readouterr().out


def _listed(top: Path) -> dict[str, bytes]:
    """Contents, not times: git makes the time of an object it meets again new."""
    return {str(path): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()}


def _made_up(path: Path) -> Sandbox:
    source = made(path)
    rng = random.Random(5)
    lives = generated(4, rng)
    for commit in range(_COMMITS + 1):
        for number, life in enumerate(lives):
            text = b"".join(life[min(commit, len(life) - 1)])
            source.write(f"src/file{number}.py", text.replace(b"\n", b"\r\n") if number == 3 else text)
        _CHANGES[commit % len(_CHANGES)](source, commit)
        source.commit(f"commit {commit}")
    return source


def _new_files(source: Sandbox, commit: int) -> None:
    source.write(f"docs/page{commit}.md", "".join(f"line {n}\n" for n in range(30)))
    source.write(f"docs/no newline {commit}", "one\ntwo")
    source.write("script", "#!/bin/sh\necho\n")
    source.write("empty", b"")


def _renamed_and_edited(source: Sandbox, commit: int) -> None:
    old = min((source.path / "docs").glob("page*"))
    lines = old.read_text().splitlines(keepends=True)
    lines[3] = f"edited in {commit}\n"
    lines[20:22] = []
    source.remove(f"docs/{old.name}")
    source.write(f"docs/moved/{old.name}", "".join(lines))


def _modes(source: Sandbox, commit: int) -> None:
    script = source.path / "script"
    script.chmod(0o644 if script.stat().st_mode & 0o100 else 0o755)
    source.write("docs/latin1", b"caf\xe9 %d\nna\xefve\n" % commit)


def _links(source: Sandbox, commit: int) -> None:
    link = source.path / "link"
    link.unlink(missing_ok=True)
    link.symlink_to(f"docs/page{commit}")
    source.write("image", bytes(range(256)) * 4 + b"%d" % commit)


def _file_to_folder(source: Sandbox, commit: int) -> None:
    source.remove("empty")
    source.write("empty/inside", f"{commit}\n")
    source.write("script", "#!/bin/sh\nexit\n", 0o755)


def _removed(source: Sandbox, commit: int) -> None:
    source.remove("empty")
    source.write("empty", f"a file again {commit}\n")
    source.remove("link")
    source.write("link", "no link\n")


def _ends(source: Sandbox, commit: int) -> None:
    source.write("docs/latin1", b"caf\xe9\r\nna\xefve\r\nmore \x0c\xe2\x80\xa8 %d" % commit)
    source.write('odd "name"\twith\nnewline', f"{commit}\n")
    source.write("image", bytes(range(255, -1, -1)) * 4)
    source.remove("script")


_CHANGES: list[Callable[[Sandbox, int], None]] = [
    _new_files,
    _renamed_and_edited,
    _modes,
    _links,
    _file_to_folder,
    _removed,
    _ends,
]
