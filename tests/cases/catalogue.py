"""Every change case, by name."""

from __future__ import annotations

from tests.cases.case import Case
from tests.cases.names import NAMES
from tests.cases.shapes import SHAPES
from tests.cases.texts import TEXTS

CASES: dict[str, Case] = {**TEXTS, **NAMES, **SHAPES}
