"""Installing what a lock names, with nothing but Python's own library: wheels alone, each by its hash.

It does a fraction of what pip does, and takes a fraction of its time: nothing is resolved, built, compiled or run.
All wheels are fetched at once, from an index that speaks JSON.
https://packaging.python.org/en/latest/specifications/simple-repository-api/#json-based-simple-api-for-python-package-indexes
"""

import gzip
import hashlib
import io
import json
import platform
import re
import ssl
import sys
import threading
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urljoin, urlsplit

INDEX = "https://pypi.org/simple"
_JSON = "application/vnd.pypi.simple.v1+json"
_TIMEOUT = 30
_AT_ONCE = 6
_LOCKED = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;]+)([^\n]*(?:\n[ \t]+[^\n]*)*)", re.MULTILINE)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_GLIBC = re.compile(r"manylinux_2_(\d+)_(.+)")
_OLD_GLIBC = {"manylinux1": 5, "manylinux2010": 12, "manylinux2014": 17}


class NotHereError(Exception):
    """It cannot be done this way, and pip has to do it; the text says why."""


class Locked(NamedTuple):
    """A package of the lock: its name, and the hashes of all its files."""

    name: str
    hashes: frozenset[str]


class _Wheel(NamedTuple):
    rank: int
    url: str
    sha256: str


def locked(text: str) -> list[Locked]:
    """The packages of a lock as pip reads it: https://pip.pypa.io/en/stable/topics/secure-installs/#hash-checking-mode.

    Raises:
        NotHereError: some package has no hash.
    """
    found = [Locked(name, frozenset(_HASH.findall(rest))) for name, _, rest in _LOCKED.findall(text)]
    if not found or not all(package.hashes for package in found):
        raise NotHereError("the lock has no hashes")
    return found


def install(packages: Sequence[Locked], folder: Path, index: str) -> None:
    """Put all packages into a folder.

    Raises:
        NotHereError: the index or this machine is of a kind that is left to pip.
        ValueError: a file is not the one that the lock names.
    """
    if sys.implementation.name != "cpython" or not sys.platform.startswith("linux"):
        raise NotHereError("this is no CPython on Linux")
    if urllib.request.getproxies():
        raise NotHereError("there is a proxy")
    local, context = threading.local(), ssl.create_default_context()

    def one(package: Locked) -> None:
        if not hasattr(local, "web"):
            local.web = _Web(context)
        _unpacked(_fetched(local.web, package, index), folder)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for _ in pool.map(one, packages):
            pass


class _Web:
    """The connections of one thread, each used again: looking up a name and greeting a host is what takes long."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context
        self._connections: dict[str, HTTPConnection] = {}

    def read(self, url: str, accept: str) -> bytes:
        """What is at an address; nothing is followed that leads elsewhere."""
        place = urlsplit(url)
        connection = self._connections.setdefault(place.netloc, self._connection(place))
        connection.request("GET", place.path, headers={"Accept": accept, "Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        data = answer.read()
        if answer.status != HTTPStatus.OK:
            raise ValueError(f"{url} answers with {answer.status}")
        return gzip.decompress(data) if answer.headers.get("Content-Encoding") == "gzip" else data

    def _connection(self, place: SplitResult) -> HTTPConnection:
        if place.scheme == "https":
            return HTTPSConnection(place.netloc, timeout=_TIMEOUT, context=self._context)
        if place.hostname != "127.0.0.1":
            raise ValueError("the address is not safe")
        return HTTPConnection(place.netloc, timeout=_TIMEOUT)


def _fetched(web: _Web, package: Locked, index: str) -> bytes:
    address = f"{index.rstrip('/')}/{re.sub('[-_.]+', '-', package.name).lower()}/"
    try:
        page: Any = json.loads(web.read(address, _JSON))
        wheel = min(_suitable(package, page, address), default=None)
        data = web.read(wheel.url, "*/*") if wheel else b""
    except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
        raise NotHereError(f"{package.name} could not be fetched: {error}") from error
    if wheel is None:
        raise NotHereError(f"{package.name} has no wheel for this machine")
    if hashlib.sha256(data).hexdigest() != wheel.sha256:
        raise ValueError(f"{package.name} is not the file that the lock names")
    return data


def _suitable(package: Locked, page: Mapping[str, Any], address: str) -> Iterator[_Wheel]:
    for file in page["files"]:
        sha256 = file["hashes"].get("sha256", "")
        if sha256 in package.hashes and file["filename"].endswith(".whl"):
            rank = _rank(file["filename"])
            if rank is not None:
                yield _Wheel(rank, urljoin(address, file["url"]), sha256)


def _rank(filename: str) -> int | None:
    """How well a wheel suits, 0 best; None where it does not run here.

    https://packaging.python.org/en/latest/specifications/platform-compatibility-tags/
    """
    pythons, abis, platforms = filename.removesuffix(".whl").split("-")[-3:]
    if platforms != "any" and not any(map(_runs_here, platforms.split("."))):
        return None
    own = f"cp{sys.version_info.major}{sys.version_info.minor}"
    if own in pythons.split(".") and own in abis.split("."):
        return 0
    if abis == "abi3" and any(map(_is_no_newer, pythons.split("."))):
        return 1
    return 2 if abis == "none" and {"py3", own} & set(pythons.split(".")) else None


def _is_no_newer(tag: str) -> bool:
    return tag.startswith("cp3") and tag[3:].isdigit() and int(tag[3:]) <= sys.version_info.minor


def _runs_here(tag: str) -> bool:
    libc, version = platform.libc_ver()
    name, _, machine = tag.partition("_")
    found = _GLIBC.fullmatch(tag)
    least, machine = (int(found[1]), found[2]) if found else (_OLD_GLIBC.get(name, sys.maxsize), machine)
    parts = version.split(".")
    return libc == "glibc" and machine == platform.machine() and parts[0] == "2" and least <= int(parts[1])


def _unpacked(data: bytes, folder: Path) -> None:
    """https://packaging.python.org/en/latest/specifications/binary-distribution-format/#installing-a-wheel-distribution-1-0-py32-none-any-whl."""
    with zipfile.ZipFile(io.BytesIO(data)) as wheel:
        for item in wheel.infolist():
            path = PurePosixPath(item.filename)
            if path.is_absolute() or ".." in path.parts:
                raise ValueError(f"a wheel holds {item.filename}")
            if path.parts[0].endswith(".data"):
                raise NotHereError("a wheel has files that do not belong among the packages")
        wheel.extractall(folder)
