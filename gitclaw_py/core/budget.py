"""How often agents may be started: in a thread, for an account, in a repository. Counted before they are."""

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gitclaw_py.core.strict_json import Reader, UnreadableError, parse
from gitclaw_py.errors import BudgetError, ConfigError

_HOUR, _DAY = 3_600, 86_400
_LARGEST = 1 << 20
_MOST_KEPT = 10_000
_KEYS = frozenset(("version", "runs"))


class Allowance(NamedTuple):
    """How many runs there may be; None where they are not counted."""

    per_thread_and_hour: int | None = 20
    per_user_and_day: int | None = 100
    per_repository_and_day: int | None = 300

    @property
    def is_endless(self) -> bool:
        """Whether nothing is counted."""
        return all(most is None for most in self)


class Spent(NamedTuple):
    """One run: when it began (seconds since 1970), the id of the account that asked for it, and the thread."""

    at: int
    account: int
    thread: int


def spend(runs: Sequence[Spent], one: Spent, allowed: Allowance) -> tuple[Spent, ...]:
    """The runs of the last day with one more, if it is allowed.

    Raises:
        BudgetError: ``BUDGET_EXCEEDED``, with the limit and when there is room again.
    """
    now = one.at
    # Times to come are someone's mistake or trick: they count, and only until tomorrow.
    kept = tuple(run._replace(at=min(run.at, now)) for run in runs if run.at > now - _DAY)
    kept = kept[-_MOST_KEPT:]
    limits: tuple[tuple[str, int | None, int, Callable[[Spent], bool], str], ...] = (
        (
            "in this thread",
            allowed.per_thread_and_hour,
            _HOUR,
            lambda r: r.thread == one.thread,
            "runsPerThreadPerHour",
        ),
        ("for you", allowed.per_user_and_day, _DAY, lambda r: r.account == one.account, "runsPerUserPerDay"),
        ("in this repository", allowed.per_repository_and_day, _DAY, lambda _: True, "runsPerRepositoryPerDay"),
    )
    for whose, most, span, counts, key in limits:
        times = sorted(run.at for run in kept if counts(run) and run.at > now - span)
        if most is not None and len(times) >= most:
            raise _exceeded(whose, most, span, times[-most] + span - now, key)
    return (*kept, one)


def _exceeded(whose: str, most: int, span: int, wait: int, key: str) -> BudgetError:
    time = "hour" if span == _HOUR else "day"
    minutes = max(1, -(-wait // 60))
    again = f"{minutes} minutes" if minutes < 120 else f"{-(-minutes // 60)} hours"  # noqa: PLR2004
    return BudgetError(
        "BUDGET_EXCEEDED",
        f"{most} runs {whose} within one {time} are allowed, and there were as many",
        f"ask again in {again}, or raise limits.{key} in suggestions.json",
    )


def dump(runs: Sequence[Spent]) -> bytes:
    """The document, with a line for each run."""
    lines = ",\n ".join(json.dumps(list(run)) for run in runs)
    return f'{{"version": 1,\n"runs": [\n {lines}\n]}}\n'.encode("ascii")


def load(data: bytes) -> tuple[Spent, ...]:
    """The runs in a document.

    Raises:
        ConfigError: ``CONFIG_INVALID``.
    """
    try:
        reader = Reader(parse(data, _LARGEST), None, "budget")
        reader.only(_KEYS)
        if reader.at("version").whole() != 1:
            raise reader.wrong("is of another version")
        return reader.at("runs").each(_spent)
    except UnreadableError as error:
        what = f"The count of runs at refs/gitclaw/budget cannot be read: {error}"
        raise ConfigError("CONFIG_INVALID", what, "delete that ref; it begins anew") from error


def _spent(reader: Reader) -> Spent:
    at, account, thread = reader.exactly(3)
    return Spent(at.natural(), account.natural(), thread.natural())
