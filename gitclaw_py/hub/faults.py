"""What goes wrong on request, for tests: errors, delays, closed connections."""

import re
import threading
from collections.abc import Mapping
from typing import NamedTuple

from gitclaw_py.hub.refusals import SECONDARY_LIMIT

_LIMITS = "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api"


class Fault(NamedTuple):
    """What happens to requests of a ``method`` whose path matches; an empty method is any.

    With ``status`` it is answered with that and ``body``; with ``drop`` the connection is closed without an
    answer; with ``delay`` it waits so many seconds. ``after``: the request is carried out first.
    """

    method: str
    path: re.Pattern[str]
    status: int = 0
    body: object = None
    headers: Mapping[str, str] = {}
    drop: bool = False
    delay: float = 0.0
    after: bool = False


class Faults:
    """The faults that are still to come."""

    def __init__(self) -> None:
        self._faults: list[tuple[Fault, int]] = []
        self._lock = threading.Lock()

    def add(self, path: str, *, method: str = "", times: int = 1, **what: object) -> None:
        """Have the next so many requests fail whose path ``path`` is found in; see ``Fault`` for ``what``.

        Raises:
            TypeError: ``what`` names something that a fault does not have.
        """
        fault = Fault(method, re.compile(path), **what)  # type: ignore[arg-type]
        with self._lock:
            self._faults.append((fault, times))

    def limit(self, path: str, *, method: str = "", times: int = 1, seconds: int = 1) -> None:
        """Have requests meet GitHub's secondary rate limit, which says how long to wait."""
        body = {"message": SECONDARY_LIMIT, "documentation_url": _LIMITS}
        headers = {"Retry-After": str(seconds)}
        self.add(path, method=method, times=times, status=403, body=body, headers=headers)

    def exhaust(self, path: str, *, times: int = 1, reset: int) -> None:
        """Have requests meet the primary rate limit, which ends at ``reset``, in seconds since 1970."""
        body = {"message": "API rate limit exceeded for installation ID 1.", "documentation_url": _LIMITS}
        headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset)}
        self.add(path, times=times, status=403, body=body, headers=headers)

    def take(self, method: str, path: str) -> Fault | None:
        """The fault that this request meets; it then has one time less."""
        with self._lock:
            for place, (fault, times) in enumerate(self._faults):
                if fault.method in {"", method} and fault.path.search(path):
                    self._faults[place] = (fault, times - 1)
                    if times <= 1:
                        del self._faults[place]
                    return fault
        return None
