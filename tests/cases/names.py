"""Cases about names: every byte a path may hold, in edited, new and renamed files."""

from __future__ import annotations

from dataclasses import replace

from gitclaw_py.core.suggestions import Kind
from tests.cases.case import FILE, LINES, NOTHING, Case, Row, called_git, case, edited, moved, steps, wrote

_NAMES: dict[str, bytes] = {
    "space": b"a b.txt",
    "space_b_slash": b"x b/x.txt",
    "quote": b'q"uo.txt',
    "squote": b"q'uo.txt",
    "newline": b"new\nline.txt",
    "tab": b"t\tab.txt",
    "unicode": "éあ.txt".encode(),
    "nfd": "e\u0301.txt".encode(),
    "dash": b"-rf.txt",
    "backslash": b"b\\s.txt",
    "latin1_name": b"caf\xe9.txt",
    "trailing_space": b"end ",
    "colon": b":colon",
    "magic": b":(glob)x",
    "star": b"a*[x]?.txt",
    "unicode_space": "é あ.txt".encode(),
    "devnull_like": b"dev/null",
    "ab_dir": b"b/x.txt",
    "a_dir": b"a/x.txt",
    "cr_name": b"c\rr.txt",
    "del_name": b"d\x7f.txt",
    "dotgit_like": b".gitx/y",
    "nel_name": "n\u2028l.txt".encode(),
    "long_name": b"n" * 200 + b".txt",
}


def _named() -> dict[str, Case]:
    made = {}
    for name, path in _NAMES.items():
        made[f"name_{name}"] = edited(LINES, LINES.replace(b"line 5\n", b"L5\n"), path, units=1)
        made[f"newname_{name}"] = case(
            wrote("base", b"b\n"), wrote(path, b"q\nr\n"), Row(Kind.CREATE, path, NOTHING, FILE)
        )
    return made


def _case_rename(*, misconfigured: bool) -> Case:
    """Only the case of the name changes, perhaps where a copied configuration says that case does not count."""
    made = moved(b"Readme.md", b"README.md")
    if not misconfigured:
        return made
    return replace(made, setup=steps(made.setup, called_git("config", "core.ignorecase", "true")))


NAMES: dict[str, Case] = {
    **_named(),
    "rename": moved(b"a.txt", b"sub/b.txt"),
    "rename_edit": moved(b"a.txt", b"b.txt", LINES.replace(b"line 3\n", b"LINE 3\n")),
    "rename_spaces": moved(b"a b c.txt", b"x b y.txt", LINES + b"1\n"),
    "rename_to_newline": moved(b"plain.txt", b"n\nl.txt"),
    "rename_colon": moved(b"plain.txt", b":x.txt"),
    "rename_latin1": moved(b"plain.txt", b"caf\xe9.txt"),
    "rename_unicode_edit": moved("é a.txt".encode(), "é b.txt".encode(), LINES + b"1\n"),
    "rename_into_b": moved(b"f.txt", b"b/f.txt"),
    "rename_swap_prefix": moved(b"a/f.txt", b"b/f.txt"),
    "rename_same_tail": moved(b"xxf.txt", b"yyf.txt", LINES + b"1\n"),
    "rename_of_dash": moved(b"-a", b"--b"),
    "case_rename": _case_rename(misconfigured=False),
    "case_rename_ignorecase": _case_rename(misconfigured=True),
}
