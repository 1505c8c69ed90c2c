"""No attack of the table is forgotten."""

from __future__ import annotations

from tests.attacks.rows import ROWS, admitted, rows_of, rows_tested


def test_every_row_has_a_test_or_a_reason() -> None:
    covered = rows_tested().keys() | admitted()
    assert ROWS.keys() - covered == set()
    assert covered - ROWS.keys() == set()


def test_the_names_of_tests_say_their_rows() -> None:
    assert rows_of("test_row_07_a_filter") == (7,)
    assert rows_of("test_rows_06_70_both[one]") == (6, 70)
    assert rows_of("test_row_7_too_short") == ()
    assert rows_of("test_rowing_12_things") == ()
