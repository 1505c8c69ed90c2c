"""Rows 44, 47 and 62 of the threat table: what we are built on, how new it is, and what is left to it."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

TOP = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DIRECT = [Requirement(line) for line in PROJECT["dependencies"]]
FLOORS = {
    # https://github.com/gitpython-developers/GitPython/security/advisories: the last one was mended in 3.2.1
    "gitpython": "3.2.1",
    "pygithub": "2.10",
    # CVE-2026-21441, https://github.com/urllib3/urllib3/security/advisories/GHSA-38jv-5279-wg99
    "urllib3": "2.6.3",
    # CVE-2024-47081, https://github.com/psf/requests/security/advisories/GHSA-9hjg-9r4m-mvj7
    "requests": "2.32.4",
    # CVE-2021-41945 was mended in 0.23
    "httpx": "0.28",
    "unidiff": "1.0.1",
}
LOCK = (TOP / "requirements.lock").read_text(encoding="ascii")
LOCKED = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", LOCK, re.MULTILINE))


@pytest.mark.parametrize("name", FLOORS)
def test_row_44_what_is_installed_is_at_or_above_its_floor(name: str) -> None:
    assert Version(metadata.version(name)) >= Version(FLOORS[name])


@pytest.mark.parametrize("name", FLOORS)
def test_row_44_nothing_below_its_floor_can_be_installed(name: str) -> None:
    (required,) = (one for one in DIRECT if canonicalize_name(one.name) == name)
    lowest = [Version(spec.version) for spec in required.specifier if spec.operator == ">="]
    assert max(lowest) >= Version(FLOORS[name])


def test_row_47_dependencies_are_few() -> None:
    assert len(DIRECT) <= 8
    assert all(one.specifier for one in DIRECT)


def needed(one: Requirement, found: set[tuple[str, str]]) -> None:
    """Add the packages that one needs at run time, itself among them, each with an extra or none."""
    name = canonicalize_name(one.name)
    for extra in ("", *one.extras):
        if (name, extra) in found:
            continue
        found.add((name, extra))
        for line in metadata.requires(name) or ():
            other = Requirement(line)
            if other.marker is None or other.marker.evaluate({"extra": extra}):
                needed(other, found)


def test_row_47_everything_that_is_needed_is_locked_and_nothing_else() -> None:
    found = set[tuple[str, str]]()
    for one in DIRECT:
        needed(one, found)
    closure = {name for name, _ in found}
    if {name: metadata.version(name) for name in closure & LOCKED.keys()}.items() <= LOCKED.items():
        assert closure == LOCKED.keys()
    else:
        pytest.skip("other versions than the locked ones are installed, which may need other packages")


def test_row_47_each_by_the_hashes_of_its_files() -> None:
    pieces = re.split(r"^(?=[a-z])", LOCK, flags=re.MULTILINE)[1:]
    assert len(pieces) == len(LOCKED) > 15
    for piece in pieces:
        lines = piece.strip().split("\n")[1:]
        assert lines, piece
        assert all(re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}(?: \\)?", line) for line in lines), piece
    # Where it comes from is for who installs it to say.
    assert "://" not in LOCK
    assert "index" not in LOCK


def test_row_47_the_lock_fits_what_is_asked_for_and_what_was_tested() -> None:
    for one in DIRECT:
        assert one.specifier.contains(LOCKED[canonicalize_name(one.name)])
    tested = dict(re.findall(r"^(\S+)==(\S+)", (TOP / ".ci/constraints.txt").read_text(encoding="ascii"), re.MULTILINE))
    tested = {canonicalize_name(name): version for name, version in tested.items()}
    assert {name: tested.get(name) for name in LOCKED} == LOCKED


def test_row_47_the_gate_installs_from_the_lock() -> None:
    gate = (TOP / ".ci/run").read_text(encoding="utf-8")
    assert "--require-hashes --only-binary :all: --requirement requirements.lock" in gate
