"""An agent that does what the request says, word for word, and keeps what it was told in the file it is given.

Each line of the task is an instruction, or nothing to it: replace OLD with NEW in PATH, write PATH TEXT, delete PATH,
empty FOLDER, rename OLD to NEW, because PATH WHY, answer TEXT, print TEXT, sleep SECONDS, await FILE, fail CODE.
"await" waits until there is a file of this name beside the one with what it was told.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from pathlib import Path


def main() -> int:
    """Follow the instructions in order."""
    prompt = Path(os.environ["GITCLAW_PROMPT"]).read_text(encoding="utf-8")
    with Path(sys.argv[1]).open("a", encoding="utf-8") as told:
        told.write(prompt + "\n\x00\n")
    task = prompt.partition("# The task\n")[2].partition("\n# ")[0]
    reasons: dict[str, str] = {}
    code = 0
    for line in task.split("\n"):
        code = _followed(line.split(" "), reasons) or code
    Path(os.environ["GITCLAW_REASONS"]).write_text(json.dumps(reasons), encoding="utf-8")
    return code


def _changed(words: list[str]) -> bool:
    match words:
        case ["replace", old, "with", new, "in", path]:
            Path(path).write_text(Path(path).read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        case ["write", path, *text]:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(" ".join(text) + "\n", encoding="utf-8")
        case ["delete", path]:
            Path(path).unlink()
        case ["empty", folder]:
            shutil.rmtree(folder)
        case ["rename", old, "to", new]:
            Path(old).rename(new)
        case _:
            return False
    return True


def _await(path: Path) -> None:
    end = time.monotonic() + 30
    while not path.exists():
        if time.monotonic() > end:
            sys.exit(f"{path.name} never came")
        time.sleep(0.01)


def _followed(words: list[str], reasons: dict[str, str]) -> int:
    if _changed(words):
        return 0
    match words:
        case ["because", path, *why]:
            reasons[path] = " ".join(why)
        case ["answer", *text]:
            Path(os.environ["GITCLAW_ANSWER"]).write_text(" ".join(text), encoding="utf-8")
        case ["print", *text]:
            sys.stdout.write(" ".join(text) + "\n")
        case ["sleep", seconds]:
            time.sleep(float(seconds))
        case ["await", name]:
            _await(Path(sys.argv[1]).with_name(name))
        case ["fail", code]:
            return int(code)
        case _:
            pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
