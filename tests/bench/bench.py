"""What the goals share: how often to measure, and repositories that are made once."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.bench import repositories
from tests.sandbox import ENVIRONMENT, Sandbox


@dataclass(frozen=True, slots=True)
class Bench:
    """One run of the benchmark, with a folder of its own."""

    folder: Path
    quick: bool
    rounds: int

    @property
    def sizes(self) -> tuple[int, int]:
        """Files in the small and in the large repository."""
        return (1_000, 10_000) if self.quick else (1_000, 100_000)

    def bare(self, files: int) -> Sandbox:
        """A bare repository of so many files."""
        path = self.folder / f"bare-{files}"
        if not path.exists():
            origin = self.checkout(files)
            origin.git("clone", "-q", "--bare", str(origin.path), str(path))
        return Sandbox(path, self._environment())

    def checkout(self, files: int) -> Sandbox:
        """A repository of so many files, checked out; whoever changes it leaves it as it was."""
        path = self.folder / f"checkout-{files}"
        ready = path.with_suffix(".ready")
        if not ready.exists():
            shutil.rmtree(path, ignore_errors=True)
            sandbox = repositories.made_of(path, files)
            sandbox.git("reset", "-q", "--hard")
            ready.touch()
        return Sandbox(path, self._environment())

    def _environment(self) -> dict[str, str]:
        """Workspaces lie on the same disk as the repositories, or their times could not be compared."""
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        return {**ENVIRONMENT, "TMPDIR": str(temporary)}

    def scratch(self, name: str) -> Path:
        """An empty folder."""
        path = self.folder / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path


def size(files: int) -> str:
    """1k, 10k, 100k."""
    return f"{files // 1000}k files"
