"""What an event costs that is not for us: no request, and nothing heavy is imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sandbox import ENVIRONMENT

PAYLOADS = Path(__file__).parents[1] / "payloads"
HEAVY = {"github", "git", "httpx", "requests", "urllib3", "pydantic", "ssl", "http", "unidiff", "rich", "markdown_it"}
PROBE = """
import sys
from gitclaw_py.cli import main
code = main(["run", "--event", sys.argv[1], "--event-name", "issue_comment"])
print(sorted({name.partition(".")[0] for name in sys.modules}))
sys.exit(code)
"""


@pytest.mark.parametrize("text", ["thanks!", "see /usr/bin/git", "/lgtm"])
def test_an_ignored_comment_imports_nothing_heavy(tmp_path: Path, text: str) -> None:
    payload = json.loads((PAYLOADS / "issue_comment.created.1.json").read_bytes())
    payload["comment"]["body"] = text
    event = tmp_path / "event.json"
    event.write_text(json.dumps(payload), encoding="utf-8")
    # Without a token: whatever it wanted to ask, it could not.
    environment = {**ENVIRONMENT, "GITHUB_ACTIONS": "true"}
    command = [sys.executable, "-c", PROBE, str(event)]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("Ignored: ")
    assert HEAVY.isdisjoint(json.loads(ended.stdout.split("\n")[-2].replace("'", '"')))
