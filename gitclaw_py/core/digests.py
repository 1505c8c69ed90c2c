"""SHA-1 and SHA-256, by Python's own code, or by OpenSSL's where that is worth loading.

Loading it takes 3 ms, which is longer than the ids of a usual thread: they are digests of short texts. Python's
``random`` does the same for that reason: https://github.com/python/cpython/blob/v3.13.0/Lib/random.py#L64-L71
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

Digest = Callable[[bytes], Any]
"""As ``hashlib.sha1`` and ``hashlib.sha256`` are; not for keeping secrets."""
_OWN = {"sha1": ("_sha1",), "sha256": ("_sha2", "_sha256")}
"""Where they are in Python: from 3.12 on, and before."""
_chosen: dict[str, Digest] = {}


def digest(algorithm: str) -> Digest:
    """The digest of that name."""
    if algorithm not in _chosen:
        _chosen[algorithm] = _own(algorithm) or _fast(algorithm)
    return _chosen[algorithm]


def prefer_fast() -> None:
    """There is much to do from now on: OpenSSL is up to six times as fast."""
    _chosen.update({algorithm: _fast(algorithm) for algorithm in _OWN})


def _own(algorithm: str) -> Digest | None:
    for module in _OWN[algorithm]:
        try:
            found: Digest = getattr(import_module(module), algorithm)
        except ImportError:
            continue
        return found
    return None


def _fast(algorithm: str) -> Digest:
    import hashlib

    return partial(getattr(hashlib, algorithm), usedforsecurity=False)
