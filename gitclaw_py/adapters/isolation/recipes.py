"""The ways to keep an agent apart, strongest first, as values: what starts each, what it does, what it promises.

Which one is taken is never assumed: the process that becomes the agent looks whether the promises hold, and the next
recipe is tried where they do not.
"""

import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from gitclaw_py.adapters.isolation import mounts
from gitclaw_py.core.settings import Isolation, Network

AGENT = mounts.Identity(62211, 62211)
"""The user the agent is; nobody's on this machine, and only the agent's own view of it has the name."""

SYSTEM = ("/bin", "/etc", "/lib", "/lib32", "/lib64", "/nix", "/opt", "/proc", "/sbin", "/sys", "/usr")
HIDDEN = ("/home", "/media", "/mnt", "/root", "/run", "/srv")
SCRATCH = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - these are the agent's own, and empty
RESOLVER = "/run/systemd/resolve"
"""Where the addresses of name servers are, on systems whose /etc/resolv.conf leads there."""


class Surroundings(NamedTuple):
    """What a recipe has to deal with here; ``packages`` are folders that the inner Python needs."""

    network: Network
    view: mounts.View
    packages: Sequence[str]
    search: str


class Recipe(NamedTuple):
    """One way.

    ``start`` is what comes before the inner Python; ``steps`` are what that does; ``watched`` is whether it stays,
    as the first process of a PID namespace that ends with it.
    """

    name: Isolation
    start: Callable[[Surroundings], Sequence[str]]
    steps: Callable[[Network], Sequence[str]]
    promises: Sequence[str]
    watched: bool


def _namespaces(here: Surroundings) -> Sequence[str]:
    kinds = ["--mount", "--pid", "--fork", "--kill-child=SIGKILL", "--mount-proc", "--ipc", "--uts"]
    start = ["unshare", *kinds, *([] if here.network is Network.OPEN else ["--net"]), "--"]
    return start if os.getuid() == 0 else ["sudo", "-n", *start]


def _bubblewrap(here: Surroundings) -> Sequence[str]:
    view = here.view
    start = [_found("bwrap", here.search), "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    start += ["--uid", str(AGENT.uid), "--gid", str(AGENT.gid), "--unshare-cgroup-try"]
    start += [] if here.network is Network.OPEN else ["--unshare-net"]
    start += ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
    start += ["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"]
    for place in view.scratch:
        start += ["--perms", "1777", "--size", str(view.scratch_bytes), "--tmpfs", place]
    hidden = [place for place in view.hidden if os.path.isdir(place)]
    for place in hidden:
        start += ["--perms", "0755", "--tmpfs", place]
    for place in (*here.packages, *view.readable):
        start += ["--ro-bind", place, place]
    for place, source in view.files.items():
        start += ["--ro-bind", source, place]
    for place in view.writable:
        start += ["--bind", place, place]
    for place in hidden:
        start += ["--remount-ro", place]
    return [*start, "--"]


def _nothing(_here: Surroundings) -> Sequence[str]:
    return []


def _found(name: str, search: str) -> str:
    return shutil.which(name, path=search) or name


def _in_namespaces(network: Network) -> Sequence[str]:
    return ["mounts", "user", *([] if network is Network.OPEN else ["loopback"]), *_relayed(network)]


def _relayed(network: Network) -> Sequence[str]:
    return ["relay"] if network is Network.PROXY else []


def _fenced(network: Network) -> Sequence[str]:
    return ["fences"] if network is Network.OPEN else ["fences", "sockets"]


def _free(_network: Network) -> Sequence[str]:
    return ["power"]


ALL: Mapping[Isolation, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            Isolation.NAMESPACES,
            _namespaces,
            _in_namespaces,
            ("user", "powers", "bounds", "bot", "files", "network"),
            watched=True,
        ),
        Recipe(
            Isolation.BUBBLEWRAP,
            _bubblewrap,
            _relayed,
            ("powers", "bounds", "bot", "files", "network"),
            watched=True,
        ),
        Recipe(Isolation.LANDLOCK, _nothing, _fenced, ("powers", "bot", "files", "network"), watched=False),
        Recipe(Isolation.NONE, _nothing, _free, (), watched=False),
    )
}
"""By their names in ``agent.isolation``, strongest first."""


def tried(wanted: Isolation) -> list[Recipe]:
    """The recipes to try for what the configuration says, in order."""
    if wanted is Isolation.AUTO:
        return [recipe for name, recipe in ALL.items() if name is not Isolation.NONE]
    return [ALL[wanted]]


def promises(recipe: Recipe, network: Network) -> list[str]:
    """What it promises with that network."""
    return [one for one in recipe.promises if one != "network" or network is not Network.OPEN]


def packages(top: str) -> list[str]:
    """The folders that the inner Python needs: its own, and our package."""
    return [sys.base_prefix, os.path.join(top, "gitclaw_py")]
