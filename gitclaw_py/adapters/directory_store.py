"""The state of a thread in a folder: ``state.json``, the execution log, and what was announced.

A file is replaced in one step, after its content is on the disk: a crash leaves the old or the new one.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gitclaw_py.core import state_json
from gitclaw_py.core.digests import digest
from gitclaw_py.core.policy import Rules
from gitclaw_py.core.state import Decision, State, judged
from gitclaw_py.errors import ConfigError
from gitclaw_py.ports.values import Move

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")
_LONGEST = 150


class DirectoryStore:
    """See ``ports.Store``. ``root`` is the state directory, ``thread`` the name of the thread."""

    def __init__(self, root: Path, thread: str, rules: Rules = Rules()) -> None:  # noqa: B008 - it never changes
        self.rules = rules
        self._root = root
        self.thread = thread
        self._folder = root / _folder_name(thread)
        self._state = self._folder / "state.json"
        self._announcement = self._folder / "announced.json"
        self.log = self._folder / "execution.log"

    def threads(self) -> list[str]:
        """The names of all threads that have a state here."""
        found = []
        for path in sorted(self._root.glob("*/state.json")):
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                found.append(str(json.loads(path.read_bytes())["thread"]))
        return found

    def prepare(self) -> None:
        """Make the place for the state and the log, out of sight of git."""
        self._folder.mkdir(parents=True, exist_ok=True)
        # A folder that ignores itself stays out of git status without a line in anyone's .gitignore.
        rules = self._root / ".gitignore"
        if not rules.exists():
            rules.write_text("*\n", encoding="ascii")

    @contextmanager
    def lock(self) -> Iterator[bool]:
        """Keep others from changing the state meanwhile; the lock goes with the process.

        True where one of them had to be waited for.
        """
        self.prepare()
        with (self._folder / "lock").open("wb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                fcntl.flock(file, fcntl.LOCK_EX)
                yield True
            else:
                yield False

    def load(self) -> State:
        """The state as it is now; an empty one for a new thread."""
        try:
            return judged(state_json.load(self._state.read_bytes()), self.rules)
        except FileNotFoundError:
            return State(self.thread)
        except ConfigError as error:
            raise ConfigError(error.code, f"{self._state}: {error.what}", error.next_step) from error

    def save(self, state: State) -> None:
        """Replace the state, whole or not at all; an announcement is fulfilled by it."""
        self.prepare()
        _replace(self._state, state_json.dump(state))
        self.withdraw()

    def announce(self, decision: Decision, move: Move | None) -> None:
        """Remember that ``decision`` is taken once ``move`` has happened."""
        self.prepare()
        document = {"decision": state_json.dump_decision(decision), "move": list(move) if move else None}
        _replace(self._announcement, json.dumps(document).encode("ascii"))

    def announced(self) -> tuple[Decision, Move | None] | None:
        """What was announced and neither saved nor withdrawn."""
        try:
            document = json.loads(self._announcement.read_bytes())
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise self._unreadable() from error
        try:
            ref, old, new = map(str, (document["move"] or ("", "", ""))[:3])
            move = Move(ref, old, new) if ref else None
            return state_json.load_decision(document["decision"]), move
        except (KeyError, TypeError, ValueError, ConfigError) as error:
            raise self._unreadable() from error

    def _unreadable(self) -> ConfigError:
        return ConfigError(
            "CONFIG_INVALID",
            f"{self._announcement} cannot be read",
            "see in git log whether the last command made its commit, then delete that file",
        )

    def withdraw(self) -> None:
        """Forget what was announced."""
        self._announcement.unlink(missing_ok=True)


def _folder_name(thread: str) -> str:
    """A thread's name as one folder name, different for different names on every file system."""
    name = "".join(c if c in _PLAIN else "".join(f"%{byte:02x}" for byte in os.fsencode(c)) for c in thread)
    if len(name) > _LONGEST:
        name = f"{name[:_LONGEST]}-{digest('sha256')(os.fsencode(thread)).hexdigest()[:16]}"
    return "%2e" + name[1:] if name.startswith(".") else name


def _replace(path: Path, data: bytes) -> None:
    temporary = path.with_name(path.name + ".new")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
