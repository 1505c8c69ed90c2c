"""Every row of the threat table that is about authority, state, bounds and supply has a test of its number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
ROWS = [1, 2, 11, 15, 17, 22, *range(27, 35), *range(41, 48), *range(55, 59), 62, *range(64, 69), 70]
FOUND = {
    int(number)
    for path in TESTS.rglob("test_*.py")
    for number in re.findall(r"^def test_row_(\d\d)_", path.read_text(encoding="utf-8"), re.MULTILINE)
}


@pytest.mark.parametrize("row", ROWS)
def test_a_row_has_a_test_of_its_number(row: int) -> None:
    assert row in FOUND
