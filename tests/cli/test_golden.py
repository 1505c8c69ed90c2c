"""What a person reads, whole. To change it: ``pytest --update-golden tests/cli/test_golden.py``, and read the diff."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.sandbox import Ended, Sandbox

TOP = Path(__file__).resolve().parents[2]
Golden = Callable[[str, str], None]
TEXT = "".join(f"line {k}\n" for k in range(1, 41))


def settled(text: str) -> str:
    """Without what differs from run to run: ids of commits, of which one in a thousand has no digit."""
    return re.sub(r"(?<![0-9a-f])(?:[0-9a-f]{10}|[0-9a-f]{7})(?![0-9a-f])", "COMMIT", text)


def whole(ended: Ended) -> str:
    return settled(f"{ended.out}--- stderr, exit {ended.code}\n{ended.err}")


def test_demo(repo: Sandbox, golden: Golden) -> None:
    ended = repo.gitclaw("demo")
    golden("demo", whole(ended))
    thread = _block((TOP / "README.md").read_text(encoding="utf-8"), "```text\nmona:")
    shown = iter(ended.out.split("\n"))
    missing = [line for line in thread if not any(line.strip() == other.strip() for other in shown)]
    assert not missing, "the thread in the README is the one that the demonstration plays"


def _block(text: str, start: str) -> list[str]:
    place = text.index(start)
    return text[place : text.index("\n```", place)].split("\n")[1:]


def test_demo_keeps_its_repository_where_it_is_told(repo: Sandbox) -> None:
    repo.gitclaw("demo", "--keep", "sample")
    sample = Sandbox(repo.path / "sample/hub/octo/sample.git")
    assert sample.text("log", "--format=%s", "-1", "main") == "feat: the sample could be tidier"
    assert (
        sample.text("for-each-ref", "--format=%(refname)", "refs/gitclaw")
        == "refs/gitclaw/budget\nrefs/gitclaw/threads/1"
    )
    assert "exists already" in repo.gitclaw("demo", "--keep", "sample", code=2).err


def test_every_kind(repo: Sandbox, golden: Golden) -> None:
    repo.write("a.txt", TEXT)
    repo.write("b.txt", TEXT)
    repo.write("bin", b"\0a")
    repo.write("crlf.txt", "a\r\nb\r\n")
    repo.write("p/x", "x\n")
    repo.write("run.sh", "#!/bin/sh\n")
    repo.write("latin.txt", b"caf\xe9\n")
    repo.commit("base")
    said = repo.suggest("""
        sed -i 's/line 3$/LINE 3/; s/line 5$/LINE 5/; s/line 30$/LINE 30/' a.txt; chmod +x run.sh a.txt
        mkdir d; mv b.txt d/c.txt; sed -i 's/line 9$/NINE/' d/c.txt; printf '\\0b' > bin; ln -s a.txt link
        printf 'a\\r\\nB\\r\\nno end' > crlf.txt; rm -r p; echo file > p; printf 'caf\\351s\\n' > latin.txt
        printf '\\033[31mred\\342\\200\\256\\n' > "$(printf 'odd\\tname\\351')"
        printf '{"a.txt": "louder", "a.txt:30": "loudest\\\\u001b[0m", "link": "a link"}' > "$GITCLAW_REASONS"
    """)
    golden("every-kind", whole(said))
    repo.gitclaw("apply", "1.1b,1.mode,4")
    golden("every-kind-status", whole(repo.gitclaw("status")))
    golden("every-kind-show", whole(repo.gitclaw("show", "1", "2")))
    golden("needs", whole(repo.gitclaw("apply", "8", code=2)))


def test_conflicts(repo: Sandbox, golden: Golden) -> None:
    block = "begin\n    x = 1\nend\n\n"
    repo.write("f.py", block * 6)
    repo.write("a.txt", TEXT)
    repo.commit("base")
    repo.suggest("sed -i '10s/1/2/' f.py; sed -i 's/line 3$/LINE 3/; s/line 20$/LINE 20/' a.txt")
    repo.write("a.txt", TEXT.replace("line 3\n", "changed by a person\n"))
    repo.write("f.py", block * 5)
    repo.commit("later")
    golden("conflict", whole(repo.gitclaw("apply", "1", code=6)))
    golden("ambiguous", whole(repo.gitclaw("apply", "2", code=6)))
    golden("partial", whole(repo.gitclaw("apply", "1", "--partial", code=6)))
    repo.write("a.txt", repo.read("a.txt").replace(b"LINE 20", b"mine"))
    golden("own-edits", whole(repo.gitclaw("undo", code=6)))


def test_help(repo: Sandbox, golden: Golden) -> None:
    golden("help", whole(repo.gitclaw("--help", COLUMNS="100")))
