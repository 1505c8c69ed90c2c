"""A workspace: a folder with the plain bytes of a commit, for an agent to change, and its reading back.

No filter runs on the way out or in, so what is read back is what was written. Only files whose recorded times,
size, mode or inode differ are read.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from errno import ELOOP
from pathlib import Path

from gitclaw_py.adapters.git_export import Export, listed
from gitclaw_py.adapters.git_process import GitError, run, sealed_environment
from gitclaw_py.adapters.git_repository import GitRepository
from gitclaw_py.adapters.private_folders import private_folder
from gitclaw_py.adapters.tree_walk import MODE, SIZE, Stamp, Stamps
from gitclaw_py.core.bounds import ON_ONE_S_OWN, Bounds, Measured
from gitclaw_py.core.diffs import Entry, blob_id
from gitclaw_py.core.policy import steers
from gitclaw_py.core.suggestions import SUBMODULE, SYMLINK, folders
from gitclaw_py.core.visible import visible_path
from gitclaw_py.errors import AgentError
from gitclaw_py.ports.engine import Taken, nobody
from gitclaw_py.ports.values import TreeChange

_RULES = b".gitignore"
_LARGEST_RULES = 1 << 20


class DirectoryWorkspaces:
    """See ``ports.Workspaces``. ``ahead`` is an export that was begun before anyone asked for it."""

    def __init__(self, repository: GitRepository, ahead: Export | None = None) -> None:
        self._repository = repository
        self._ahead = ahead

    @contextmanager
    def export(self, commit: str, *, with_git: bool, steering: str | None = None) -> Iterator[DirectoryWorkspace]:
        """A workspace with the files of ``commit``; it is gone afterwards.

        What steers agents is as in the commit ``steering``: an agent that starts in a pull request's code obeys
        nothing of it. Reading back does not take that for a change.
        """
        with ExitStack() as stack:
            export = stack.enter_context(self._export(commit, steered=steering is not None))
            try:
                recorded = export.finished()
            except GitError:
                from gitclaw_py.adapters.git_promises import bring

                if not bring(self._repository.git, self._repository.variables, commit):
                    raise
                export = stack.enter_context(self._export(commit, steered=steering is not None))
                recorded = export.finished()
            entries = recorded if steering is None else _steered_files(export, recorded, steering)
            if with_git:
                _throw_away_repository(export.files, self._repository)
            yield DirectoryWorkspace(export.files, entries, self._repository, recorded)

    def _export(self, commit: str, *, steered: bool) -> Export:
        ahead, self._ahead = self._ahead, None
        if ahead and ahead.commit == commit and not steered:
            return ahead
        git, object_format = self._repository.git, self._repository.object_format
        return Export(git.environment, git.objects, object_format, commit, writes=not steered)


def _steered_files(export: Export, recorded: dict[bytes, Entry], steering: str) -> dict[bytes, Entry]:
    """Write the files of an export that wrote none, with those that steer agents from elsewhere; what is there then."""
    path, environment = export.files, export.environment
    answer = run(["ls-tree", "-r", "-z", "--full-tree", steering], path, environment)
    entries = _steered(recorded, {name: entry for name, entry in listed(answer, 2).items() if steers(name)})
    if entries != recorded:
        run(["read-tree", "--empty"], path, environment)
        told = (b"%s %s\t%s\0" % (e.mode.encode(), e.oid.encode(), name) for name, e in entries.items())
        run(["update-index", "-z", "--index-info"], path, environment, stdin=b"".join(told))
    run(["checkout-index", "--all", "--quiet"], path, environment)
    return entries


class DirectoryWorkspace:
    """See ``ports.Workspace``."""

    def __init__(
        self,
        path: Path,
        entries: dict[bytes, Entry],
        repository: GitRepository,
        recorded: dict[bytes, Entry] | None = None,
    ) -> None:
        self.path = path
        self._recorded = entries if recorded is None else recorded
        self._top = os.fsencode(path)
        self._entries = entries
        self._repository = repository
        submodules = {name for name, entry in entries.items() if entry.mode == SUBMODULE}
        self._stamps = Stamps(self._top, entries, submodules)
        self._unrecorded = entries.keys() - set(self._stamps)
        # To free what is known of 100,000 files takes 30 ms, and whoever drops it would wait. What refers to itself is
        # left to the next search for garbage, and a process that ends before there is one never frees it.
        self._itself = self
        self._wait_for_the_clock()

    def changes(self, bounds: Bounds = ON_ONE_S_OWN, taken: Taken = nobody) -> TreeChange:
        """What differs from the base now: candidates only, a file written back as it was is among them.

        Raises:
            RefusedError: ``TOO_LARGE``: it is more than the bounds allow, by the sizes of the walk: nothing was read.
        """
        if not os.path.isdir(self._top):
            raise AgentError(
                "AGENT_FAILED",
                "The agent removed its own folder; nothing was proposed",
                "see what it did before you run it again",
            )
        seen = self._stamps.compared()
        changed, gone = dict(seen.changed), set(seen.gone)
        left_out = self._left_out(changed, gone, seen.warnings.append)
        counted = {name: found for name, found in changed.items() if name not in left_out}
        vanished = self._vanished(gone | (self._unrecorded - changed.keys()))
        measured = Measured(bounds)
        for name, size in [
            *((name, found[SIZE]) for name, found in counted.items()),
            *((name, 0) for name in vanished),
        ]:
            measured.add(name, size)
        writes: dict[bytes, Entry | None] = {}
        places: dict[str, bytes] = {}
        for name, found in counted.items():
            place = os.path.join(self._top, name)
            data = _content(place)
            entry = Entry(_mode(found), blob_id(self._repository.object_format, data))
            taken(entry.oid, data)
            writes[name] = entry
            places[entry.oid] = place
        writes |= dict.fromkeys(vanished)
        other = [
            f"{visible_path(name)} was shown to the agent as on the default branch" for name in self._other(writes)
        ]
        warnings = tuple(sorted([*seen.warnings, *other]))
        return TreeChange(writes, _Contents(places, self._repository.object_format), warnings)

    def _left_out(
        self, changed: Mapping[bytes, Stamp], gone: set[bytes], warn: Callable[[str], None]
    ) -> Collection[bytes]:
        """The new files that nobody wants to see: what their own folders exclude, or the base's rules."""
        new = [name for name in changed if name not in self._entries]
        rules = [name for name in new if changed[name][SIZE] <= _LARGEST_RULES]
        hidden = tuple(self._folders_that_ignore_themselves(rules, warn))
        inside = {name for name in new if name.startswith(hidden)}
        return inside | self._ignored([name for name in new if name not in inside], gone.union(changed))

    def _vanished(self, missing: set[bytes]) -> list[bytes]:
        """The files of the base that are gone, of those that are not there."""
        shown = missing & self._entries.keys() & self._recorded.keys()
        return [name for name in shown if not self._is_kept(name, self._entries[name])]

    def _other(self, names: Iterable[bytes]) -> list[bytes]:
        """The changed files that the agent did not see as the commit has them."""
        return [name for name in names if self._entries.get(name) != self._recorded.get(name)]

    def _is_kept(self, name: bytes, entry: Entry) -> bool:
        """A submodule's folder is there, empty; only its disappearance is a change."""
        place = os.path.join(self._top, name)
        return entry.mode == SUBMODULE and os.path.isdir(place) and not os.path.islink(place)

    def _folders_that_ignore_themselves(self, new: Iterable[bytes], warn: Callable[[str], None]) -> Iterator[bytes]:
        """New folders whose own new rules exclude everything in them: the caches of tools, which git would not show."""
        for name in new:
            folder, _, rules = name.rpartition(b"/")
            place = os.path.join(self._top, name)
            if folder and rules == _RULES and b"*" in _content(place).split(b"\n"):
                warn(f"{visible_path(folder)}/ ignores itself and was left out")
                yield folder + b"/"

    def _ignored(self, names: Iterable[bytes], touched: Collection[bytes]) -> set[bytes]:
        """The new files that the base's own ignore rules exclude; the agent's edits to the rules do not count."""
        asked = list(names)
        rules = [name for name in self._entries if name.endswith(_RULES)] if asked else []
        rules = [name for name in rules if name.rpartition(b"/")[2] == _RULES]
        if not rules:
            return set()
        with private_folder(self._repository.git.environment, "rules") as folder:
            self._write_rules(folder, rules, touched)
            # check-ignore refuses literal pathspecs; after "./" no name is read as a magic one.
            own = {"GIT_WORK_TREE": str(folder), "GIT_LITERAL_PATHSPECS": "0"}
            answer = run(
                ["check-ignore", "--no-index", "-z", "--stdin"],
                folder,
                self._repository.git.plumbing_environment() | own,
                stdin=b"".join(b"./" + name + b"\0" for name in asked),
                ok=(0, 1),
            )
        return {name.removeprefix(b"./") for name in answer.split(b"\0")[:-1]}

    def _write_rules(self, folder: Path, rules: Iterable[bytes], touched: Collection[bytes]) -> None:
        with ExitStack() as stack:
            session = None
            for name in rules:
                if not self._entries[name].is_regular:
                    continue
                if name in touched:
                    session = session or stack.enter_context(self._repository.open(self._repository.head().oid))
                    text = session.text(self._entries[name].oid)
                else:  # as it was
                    text = _content(os.path.join(self._top, name))
                place = os.path.join(os.fsencode(folder), name)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as file:
                    file.write(text)

    def _wait_for_the_clock(self) -> None:
        """Let the clock of the file system move on, so that every later edit has a later time.

        Its steps can be as long as a timer tick; an edit of the same size within the step of the recording
        would be invisible.
        """
        probe = self.path.parent / "clock"
        while True:
            probe.write_bytes(b"")
            if os.lstat(probe).st_ctime_ns > self._stamps.latest:
                return
            time.sleep(0.001)


def _mode(stamp: Stamp) -> str:
    """As git says it."""
    return SYMLINK if stat.S_ISLNK(stamp[MODE]) else "100755" if stamp[MODE] & stat.S_IXUSR else "100644"


def _steered(recorded: dict[bytes, Entry], steering: dict[bytes, Entry]) -> dict[bytes, Entry]:
    """The files of a commit with those that steer agents from elsewhere; none of these takes the place of a folder."""
    kept = {name: entry for name, entry in recorded.items() if not steers(name)}
    taken = {folder for name in kept for folder in folders(name)}
    fitting = {
        name: entry for name, entry in steering.items() if name not in taken and kept.keys().isdisjoint(folders(name))
    }
    return {**kept, **fitting}


class _Contents(Mapping[str, bytes]):
    """Blobs that are read when they are asked for, so that they are not all in memory at once.

    They are what their ids say: what is recorded, remembered and found to be plain goes by these.
    """

    def __init__(self, places: Mapping[str, bytes], object_format: str) -> None:
        self._places = places
        self._object_format = object_format

    def __getitem__(self, oid: str) -> bytes:
        data = _content(self._places[oid])
        if blob_id(self._object_format, data) != oid:
            raise _changed_meanwhile(self._places[oid])
        return data

    def __contains__(self, oid: object) -> bool:
        return oid in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _changed_meanwhile(place: bytes) -> AgentError:
    name = visible_path(place)
    next_step = "a process of the agent is still running; stop it and try again"
    return AgentError("AGENT_FAILED", f"{name} changed while it was read", next_step, named=(name,))


def _content(place: bytes) -> bytes:
    """The bytes of a plain file, or where a link leads; never follows one, or waits on a pipe in its place."""
    try:
        descriptor = _opened(place)
    except OSError as error:
        if error.errno == ELOOP:
            return os.readlink(place)
        raise
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise _changed_meanwhile(place)
        data = os.read(descriptor, found.st_size + 1)
        if len(data) == found.st_size:
            return data
        with open(descriptor, "rb", buffering=0, closefd=False) as rest:  # it grew, or is more than one call gives
            return data + rest.readall()
    finally:
        os.close(descriptor)


def _opened(place: bytes) -> int:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        return os.open(place, flags)
    except PermissionError:
        os.chmod(place, stat.S_IRUSR | stat.S_IWUSR)
        return os.open(place, flags)


def _throw_away_repository(path: Path, repository: GitRepository) -> None:
    """A repository with one commit, for agents that need git; it shares nothing with the real one."""
    environment = sealed_environment(repository.git.environment)
    run(["init", "--quiet", "--initial-branch=main", f"--object-format={repository.object_format}"], path, environment)
    run(["-c", "core.autocrlf=false", "add", "--all", "--force"], path, environment)
    for name, value in (("user.name", "gitclaw"), ("user.email", "gitclaw@localhost")):
        run(["config", name, value], path, environment)
    run(["commit", "--quiet", "--allow-empty", "--no-verify", "--message=base"], path, environment)
