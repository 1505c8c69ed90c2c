"""Every text can be read: the contrast of the colours in page.css, in light and in dark.

https://www.w3.org/TR/WCAG22/#contrast-minimum
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gitclaw_py.hub

_CSS = (Path(gitclaw_py.hub.__file__).parent / "static" / "page.css").read_text(encoding="utf-8")
_VARIABLE = re.compile(r"--([a-z-]+): (#[0-9a-f]{6});")
_LIGHT, _DARK = (dict(_VARIABLE.findall(block)) for block in re.findall(r":root \{(.*?)\}", _CSS, re.DOTALL))
_SCHEMES = {"light": _LIGHT, "dark": {**_LIGHT, **_DARK}}
_TEXTS = [
    *((text, ground) for text in ("text", "text-muted", "link") for ground in ("ground", "ground-muted")),
    *((text, "ground") for text in ("note", "tip", "important", "warning", "caution")),
    *((text, "ground-muted") for text in ("tip", "caution")),
    *((f"{kind}-text", kind) for kind in ("added", "removed", "place")),
    *(("on-button", ground) for ground in ("button", "button-hover")),
    *(("on-state", ground) for ground in ("open", "closed", "refused")),
    *((text, "code") for text in ("text", "text-muted")),
]
_EDGES = [("edge-strong", "ground"), ("edge-strong", "ground-muted"), ("focus", "ground"), ("focus", "ground-muted")]


def _luminance(colour: str) -> float:
    """https://www.w3.org/TR/WCAG22/#dfn-relative-luminance."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", _SCHEMES)
def test_text_stands_out_from_its_ground(scheme: str) -> None:
    colours = _SCHEMES[scheme]
    weak = {pair: round(contrast(colours[pair[0]], colours[pair[1]]), 2) for pair in _TEXTS}
    assert not {pair: ratio for pair, ratio in weak.items() if ratio < 4.5}


@pytest.mark.parametrize("scheme", _SCHEMES)
def test_edges_of_fields_and_the_focus_can_be_seen(scheme: str) -> None:
    colours = _SCHEMES[scheme]
    weak = {pair: round(contrast(colours[pair[0]], colours[pair[1]]), 2) for pair in _EDGES}
    assert not {pair: ratio for pair, ratio in weak.items() if ratio < 3}


def test_initials_can_be_read_on_every_tint() -> None:
    tints = re.findall(r"\.tint\d \{ fill: (#[0-9a-f]{6}); \}", _CSS)
    assert len(tints) == 8
    assert all(contrast("#ffffff", tint) >= 4.5 for tint in tints)


def test_every_colour_that_is_used_is_defined() -> None:
    used = set(re.findall(r"var\(--([a-z-]+)\)", _CSS))
    assert used - {"mono", "sans", "hue"} <= set(_LIGHT)
    assert set(_LIGHT) == used & set(_LIGHT), "defined and not used"
