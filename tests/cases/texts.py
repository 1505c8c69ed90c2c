"""Cases about content: line ends, encodings, separators, and text that looks like a diff."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from gitclaw_py.core.suggestions import Kind
from tests.cases.case import FILE, LINES, Case, Expected, Row, called_git, case, edited, steps, wrote

_CRLF = LINES.replace(b"\n", b"\r\n")
_SEPARATORS = {"nel": "\x85", "ff": "\f", "vt": "\v", "ls": "\u2028", "ps": "\u2029", "fs": "\x1c", "rs": "\x1e"}
_BODY = b"    x\n" * 12
_U16 = (b"*.txt text working-tree-encoding=UTF-16LE\n", "héllo\nworld\n", "héllo\nWORLD\n")
_POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n"
_CLEAN = b"""\
# Stores what it reads and prints a pointer to it, as git-lfs does.
mkdir -p .git/store && cat >.git/store/new && name=$(sha256sum <.git/store/new | cut -d' ' -f1)
size=$(wc -c <.git/store/new) && mv .git/store/new ".git/store/$name"
printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %d\\n' "$name" "$size"
"""
_SMUDGE = b"""cat ".git/store/$(sed -n 's/^oid sha256://p')"\n"""


def _separators() -> dict[str, Case]:
    return {
        f"sep_{name}": edited(f"a{c}b\nx\ny\n".encode(), f"a{c}b\nX{c}Z\ny{c}\n".encode(), units=1)
        for name, c in _SEPARATORS.items()
    }


def _below(heading: bytes) -> Case:
    """A change far below a line that git would quote in the ``@@`` line."""
    return edited(heading + _BODY + b"y\n", heading + _BODY + b"Y\n", units=1)


def _autocrlf() -> Case:
    """The stored file has LF, whatever the working tree has; in a workspace CR is content."""
    made = edited(b"a\nb\n", b"a\r\nB\r\n", config={"core.autocrlf": "true"})
    rows = (Row(Kind.MODIFY, b"f.txt", FILE, FILE, units=1),)
    return replace(
        made,
        snapshot=Expected(rows, stored={b"f.txt": b"a\nB\n"}, converted=True),
        workspace=Expected((Row(Kind.MODIFY, b"f.txt", FILE, FILE),), converted=True),
    )


def _eol_crlf() -> Case:
    """As above by an attribute, which also makes git want to mend a stored CRLF."""
    made = edited(b"a\r\nb\r\n", b"a\r\nB\r\n", attributes=b"*.txt text eol=crlf\n")
    row = Row(Kind.MODIFY, b"f.txt", FILE, FILE, units=1)
    return replace(
        made,
        snapshot=Expected((row,), stored={b"f.txt": b"a\nB\n"}),
        workspace=Expected((row,), applied=" M f.txt\n", stuck=True),
    )


def _utf16_in_the_working_tree() -> Case:
    """Stored as UTF-8 and edited as UTF-16; an agent that writes UTF-16 writes it into the blob."""
    attributes, old, new = _U16
    made = edited(old.encode("utf-16-le"), new.encode("utf-16-le"), b"u16.txt", attributes=attributes)
    return replace(
        made,
        snapshot=Expected((Row(Kind.MODIFY, b"u16.txt", FILE, FILE, units=1),), stored={b"u16.txt": new.encode()}),
        workspace=Expected((Row(Kind.BINARY, b"u16.txt", FILE, FILE),), applied=" M u16.txt\n", stuck=True),
    )


def _utf8_in_the_workspace() -> Case:
    """The same change by an agent, who sees UTF-8; the person's file is UTF-16 afterwards."""
    attributes, old, new = _U16
    made = edited(old.encode("utf-16-le"), new.encode(), b"u16.txt", attributes=attributes, units=1)
    return replace(made, snapshot=None)


def _filtered(change: bytes, *, in_workspace: bool) -> Case:
    """A filter of the person's that turns the stored upper case into lower case to edit."""
    config = {"filter.up.clean": "tr a-z A-Z", "filter.up.smudge": "tr A-Z a-z"}
    made = edited(b"one\ntwo\nthree\n", change, attributes=b"*.txt filter=up\n", config=config, units=1)
    if in_workspace:
        return replace(made, snapshot=None)
    return replace(
        made,
        workspace=None,
        snapshot=Expected((Row(Kind.MODIFY, b"f.txt", FILE, FILE, units=1),), stored={b"f.txt": change.upper()}),
    )


def _large_files() -> Case:
    """A filter that stores a pointer, as git-lfs does: a pointer is changed whole."""
    picture = b"a new picture\n" * 1000
    setup = steps(
        wrote(".git/clean.sh", _CLEAN),
        wrote(".git/smudge.sh", _SMUDGE),
        called_git("config", "filter.large.clean", "sh .git/clean.sh"),
        called_git("config", "filter.large.smudge", "sh .git/smudge.sh"),
        wrote(".gitattributes", b"*.psd filter=large -text\n"),
        wrote("m.psd", b"\0picture\n" * 1000),
    )
    made = case(setup, wrote("m.psd", picture), Row(Kind.BINARY, b"m.psd", FILE, FILE))
    assert made.snapshot
    return replace(made, workspace=None, snapshot=replace(made.snapshot, stored={b"m.psd": _pointer_to(picture)}))


def _pointer_to(data: bytes) -> bytes:
    return _POINTER % (sha256(data).hexdigest().encode(), len(data))


TEXTS: dict[str, Case] = {
    "create": edited(None, b"a\nb\n"),
    "create_empty": edited(None, b""),
    "modify": edited(LINES, LINES.replace(b"line 7\n", b"LINE 7\n"), units=1),
    "delete": edited(LINES, None),
    "delete_empty": edited(b"", None),
    "empty_to_content": edited(b"", b"x\n", units=1),
    "content_to_empty": edited(b"x\ny\n", b"", units=1),
    "insert_at_top": edited(LINES, b"top\n" + LINES, units=1),
    "delete_first_line": edited(LINES, LINES.removeprefix(b"line 1\n"), units=1),
    "append_at_end": edited(LINES, LINES + b"end\n", units=1),
    "binary_nul": edited(b"\x00\x01" * 50, b"\x00\x02" * 50, b"b.bin", kind=Kind.BINARY),
    "binary_no_nul": edited(bytes(range(1, 256)) * 4, bytes(range(1, 256)) * 3 + b"\xff\xfe", b"b.bin"),
    "binary_nul_late": edited(b"a\n" * 5000 + b"\x00\n", b"a\n" * 5000 + b"b\x00\n", b"b.txt", units=1),
    "utf16_bom": edited(
        "héllo\nworld\n".encode("utf-16"), "héllo\nWORLD\n".encode("utf-16"), b"u16.txt", kind=Kind.BINARY
    ),
    "wte_utf16": _utf16_in_the_working_tree(),
    "wte_utf16_workspace": _utf8_in_the_workspace(),
    "filter": _filtered(b"one\n2\nthree\n", in_workspace=False),
    "filter_workspace": _filtered(b"ONE\n2\nTHREE\n", in_workspace=True),
    "lfs_pointer": edited(_POINTER % (b"1" * 64, 12345), _POINTER % (b"2" * 64, 999), b"m.psd", kind=Kind.BINARY),
    "lfs_filter": _large_files(),
    "attr_binary_text": edited(LINES, LINES + b"x\n", b"f.dat", attributes=b"*.dat -diff\n", units=1),
    "attr_textconv_cfg": edited(
        LINES,
        LINES + b"x\n",
        b"f.up",
        attributes=b"*.up diff=up\n",
        config={"diff.up.textconv": "tr a-z A-Z <"},
        units=1,
    ),
    "crlf": edited(_CRLF, _CRLF.replace(b"line 7", b"LINE 7"), units=1),
    "lf_to_crlf": edited(LINES, _CRLF, units=1),
    "mixed_eol": edited(b"a\r\nb\nc\r\nd\n", b"a\r\nB\r\nc\nd\n"),
    "autocrlf_true": _autocrlf(),
    "eol_crlf_attr": _eol_crlf(),
    "crlf_in_index_then_textattr": edited(b"a\r\nb\r\n", b"a\r\nB\r\n", units=1),
    "no_eof_nl_both": edited(b"a\nb", b"A\nb", units=1),
    "no_eof_nl_new": edited(b"a\nb\n", b"a\nb", units=1),
    "no_eof_nl_old": edited(b"a\nb", b"a\nb\n", units=1),
    "no_eof_nl_both_lastline": edited(b"a\nb", b"a\nc", units=1),
    "no_eof_nl_append": edited(b"a\nb", b"a\nb\nc", units=1),
    "no_eof_nl_create": edited(None, b"x"),
    "no_eof_nl_delete": edited(b"x", None),
    "bom_add": edited("é\nx\n".encode(), "\ufeffé\nx\n".encode(), units=1),
    "bom_edit": edited(b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfa\nB\n", units=1),
    "latin1": edited("café\nx\n".encode("latin-1"), "cafés\nx\n".encode("latin-1"), units=1),
    "shift_jis": edited("表示\nx\n".encode("shift_jis"), "表示あ\nx\n".encode("shift_jis"), units=1),
    "invalid_utf8": edited(b"ok\n\xff\xfe\xc0\n", b"ok\n\xff\xfe\xc1\xed\xa0\x80\n", units=1),
    **_separators(),
    "sep_nul_attr_text": edited(b"a\x00b\n", b"a\x00c\n", attributes=b"*.txt diff\n", kind=Kind.BINARY),
    "lone_cr": edited(b"a\rb\rc\nx\n", b"a\rB\rc\nx\ry\n", units=1),
    "lone_cr_only": edited(b"a\rb\rc\r", b"a\rB\rc\r", units=1),
    "cr_at_eof": edited(b"a\nb\r", b"a\nb\r\n", units=1),
    "cr_blank_lines": edited(b"\r\n\r\na\r\n", b"\r\n\r\n\r\na\r\n", units=1),
    "hunkhead_cr": edited(b"def f():\r\n" + _BODY + b"y\n", b"def f():\r\n" + _BODY + b"Y\n", units=1),
    "hunkhead_latin1": _below(b"def caf\xe9():\n"),
    "hunkhead_cut_utf8": _below(b"def " + "あ".encode() * 40 + b"():\n"),
    "long_line": edited(b"x" * 1_000_000 + b"\ny\n", b"x" * 999_999 + b"z\ny\n", units=1),
    "blank_tail": edited(b"a\n\n\n", b"a\n\n\n\n", units=1),
    "like_header_minus": edited(b"-- a/x\nx\n", b"x\n", units=1),
    "like_header_plus": edited(b"x\n", b"++ b/x\nx\n", units=1),
    "like_both": edited(b"-- a/x\n-- y\nk\n", b"++ b/x\n++ z\nk\n", units=1),
    "like_at": edited(b"k\n", b"@@ -1,1 +1,1 @@\nk\n", units=1),
    "like_diffgit": edited(
        b"k\n", b"diff --git a/q b/q\nindex 1..2\n--- a/q\n+++ b/q\n@@ -1 +1 @@\n-a\n+b\nk\n", units=1
    ),
    "like_nonl": edited(b"k\n\\ No newline at end of file\n", b"k\n\\ No newline at end of file\nz\n", units=1),
    "like_binary": edited(b"k\n", b"Binary files a/x and b/x differ\nGIT binary patch\nk\n", units=1),
    "like_nonl_remove": edited(b"\\ No newline at end of file\nk\n", b"k\n", units=1),
    "sig_dashes": edited(b"-- \nk\n", b"k\n", units=1),
    "dups": edited(b"x\n" * 30, b"x\n" * 29, units=1),
    "huge": edited(
        b"".join(b"%d\n" % n for n in range(400_000)),
        b"".join(b"%d\n" % n for n in range(400_000) if n % 1000),
        units=400,
    ),
    "many_hunks": edited(
        b"".join(b"%d\n" % n for n in range(5000)),
        b"".join(b"%d\n" % n if n % 10 else b"X%d\n" % n for n in range(5000)),
        b"f",
        units=500,
    ),
}
