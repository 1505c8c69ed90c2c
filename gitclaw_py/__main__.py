"""``python -m gitclaw_py``."""

from gitclaw_py.cli import command

command()
