"""What the gate tells: the jobs that come after, the log and the summary. It imports nothing it does not need."""

from __future__ import annotations

import sys
from os import environ, urandom


def ignored(reason: str) -> int:
    """Nothing starts. ``reason`` is one sentence."""
    tell([("kind", "ignored"), ("head", ""), ("thread", "0")], f"Ignored: {reason}")
    return 0


def tell(outputs: list[tuple[str, str]], line: str) -> None:
    """Write the outputs of the step, and one line for people.

    A delimiter that nobody can guess ends each value, so that none can hold another output.
    https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#multiline-strings
    """
    sys.stdout.write(f"{line}\n")
    plain = line.replace("`", "'")  # the summary is a page, and the line may name what others typed
    _append("GITHUB_STEP_SUMMARY", f"### gitclaw\n\n`{plain}`\n")
    end = f"end-{urandom(16).hex()}"
    _append("GITHUB_OUTPUT", "".join(f"{name}<<{end}\n{value}\n{end}\n" for name, value in outputs))


def _append(name: str, text: str) -> None:
    path = environ.get(name)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
