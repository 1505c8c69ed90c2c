"""``python -m tests.attacks``: every attack of the table is tried, and a table says what became of it.

A row is stopped when all tests named by its number pass. What cannot be tried here, for want of root or of a
program, is named. The exit code is 1 if an attack got through, or nothing tries it.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.attacks.rows import ROWS, TESTS, admitted, rows_of


class Tried(NamedTuple):
    """What became of one test: ``passed``, ``failed``, or ``skipped`` with the reason."""

    name: str
    became: str
    reason: str = ""


class Record:
    """Listens to a test run."""

    def __init__(self) -> None:
        self.rows: dict[int, list[Tried]] = defaultdict(list)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave only the tests that are named by a row."""
        items[:] = [item for item in items if rows_of(_name(item.nodeid))]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what became of a test; a failure before or after it is one of it."""
        if report.when != "call" and report.passed:
            return
        name = _name(report.nodeid)
        reason = report.longrepr[2] if report.skipped and isinstance(report.longrepr, tuple) else ""
        for row in rows_of(name):
            self.rows[row].append(Tried(name, report.outcome, reason.removeprefix("Skipped: ")))


def _name(node: str) -> str:
    return node.rpartition("::")[2]


def main() -> int:
    """Try everything and print the table."""
    record = Record()
    options = ["-q", "-m", "", "--no-header", "-p", "no:cacheprovider", "--no-summary", str(TESTS)]
    ended = pytest.main(options, plugins=[record])
    open_rows = 0
    for row, line, stopped in _table(record):
        open_rows += not stopped
        sys.stdout.write(f"| {row} | {ROWS[row]} | {line} |\n")
    sys.stdout.write(f"{open_rows} got through or are not tried\n")
    return int(open_rows > 0 or ended not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED))


def _table(record: Record) -> Iterator[tuple[int, str, bool]]:
    spared = admitted()
    for row in ROWS:
        tried = record.rows[row]
        failed = [t.name for t in tried if t.became == "failed"]
        skipped = {t.reason for t in tried if t.became == "skipped"}
        passed = sum(t.became == "passed" for t in tried)
        if failed:
            yield row, f"GOT THROUGH: {', '.join(failed)}", False
        elif passed:
            rest = f"; not tried here: {'; '.join(sorted(skipped))}" if skipped else ""
            yield row, f"stopped, {passed} tries{rest}", True
        elif skipped:
            yield row, f"not tried here: {'; '.join(sorted(skipped))}", True
        elif row in spared:
            yield row, "see SECURITY.md", True
        else:
            yield row, "NOT TRIED", False


if __name__ == "__main__":
    sys.exit(main())
