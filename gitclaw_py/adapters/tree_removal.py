"""Removing a folder that others could change as they liked."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from contextlib import suppress
from pathlib import Path

from gitclaw_py.adapters.private_folders import to_the_end


def remove_tree(root: Path) -> None:
    """Remove a tree, even one whose folders were made read-only; no link in it is followed."""
    to_the_end(_remove, root)


def _remove(root: Path) -> None:
    try:
        shutil.rmtree(root)
    except (OSError, RecursionError):
        with suppress(FileNotFoundError):
            os.chmod(root, stat.S_IRWXU)
        for folder, names, _ in os.walk(root):
            for name in names:
                place = os.path.join(folder, name)
                if not os.path.islink(place):
                    with suppress(OSError):
                        os.chmod(place, stat.S_IRWXU)
        # Folders in one another deeper than Python goes, or any path reaches.
        subprocess.run(["rm", "-rf", "--", os.fspath(root)], capture_output=True, check=False)
