"""Cases about what a path is: modes, links, folders, submodules, and files that git was told things about."""

from __future__ import annotations

import os

from gitclaw_py.core.suggestions import Kind
from tests.cases.case import (
    FILE,
    GITLINK,
    LINES,
    LINK,
    NOTHING,
    PROGRAM,
    Case,
    Expected,
    Row,
    called_git,
    case,
    linked,
    made_executable,
    removed,
    steps,
    without_workspace,
    wrote,
)
from tests.sandbox import Sandbox, made

_OTHER = LINES[::-1]
_COLONS = (b":x.log", b":(glob)y.log", b"a*[x].log", b"n\nl.log", b"caf\xe9.log")


def _with_submodule(sandbox: Sandbox) -> None:
    """A submodule ``sub`` at the first of two commits of a repository beside this one."""
    source = made(sandbox.path.parent / f"{sandbox.path.name}-sub")
    for data in (b"1\n", b"2\n"):
        source.write("a", data)
        source.commit()
    sandbox.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(source.path), "sub")
    Sandbox(sandbox.path / "sub").git("checkout", "-q", "HEAD~1")


def _bump(sandbox: Sandbox) -> None:
    Sandbox(sandbox.path / "sub").git("checkout", "-q", "main")


def _nest(sandbox: Sandbox) -> None:
    nested = made(sandbox.path / "nested")
    nested.write("a", b"1\n")
    nested.commit()


def _nest_without_commit(sandbox: Sandbox) -> None:
    made(sandbox.path / "n2").write("a", b"x\n")


def _conflict(sandbox: Sandbox) -> None:
    sandbox.git("checkout", "-q", "-b", "o")
    sandbox.write("f", LINES.replace(b"line 3\n", b"O\n"))
    sandbox.commit()
    sandbox.git("checkout", "-q", "main")
    sandbox.write("f", LINES.replace(b"line 3\n", b"M\n"))
    sandbox.commit()
    sandbox.git("merge", "o", code=1)


def _submodules() -> dict[str, Case]:
    removal = Row(Kind.SUBMODULE, b"sub", GITLINK, NOTHING)
    to_file = Row(Kind.SUBMODULE, b"sub", GITLINK, FILE)
    unseen = frozenset({b"sub/a"})
    return {
        # The files of a submodule are its own: neither apply nor undo touches them.
        "submodule_bump": Case(
            _with_submodule, _bump, Expected((Row(Kind.SUBMODULE, b"sub", GITLINK, GITLINK),), undone=" M sub\n"), None
        ),
        "submodule_dirty": Case(_with_submodule, wrote("sub/a", b"dirty\n"), Expected(), Expected(unseen=unseen)),
        "submodule_remove": Case(
            _with_submodule, removed("sub"), Expected((removal,)), Expected((removal,), applied="?? sub/\n")
        ),
        "submodule_to_file": Case(
            _with_submodule,
            steps(removed("sub"), wrote("sub", b"file\n")),
            Expected((to_file,)),
            Expected((to_file,), held=True),
        ),
    }


def _nested() -> dict[str, Case]:
    gitlink = Row(Kind.SUBMODULE, b"nested", NOTHING, GITLINK, blocked=True)
    others = (Row(Kind.MODIFY, b"f", FILE, FILE), Row(Kind.CREATE, b"z", NOTHING, FILE))
    beside = steps(wrote("f", LINES + b"more\n"), wrote("z", b"new\n"))
    return {
        "nested_repo": Case(wrote("f", LINES), _nest, Expected((gitlink,)), Expected(warning="nested/")),
        "nested_repo_nocommit": Case(
            wrote("f", LINES), _nest_without_commit, Expected(warning="n2/"), Expected(warning="n2/")
        ),
        "nested_repo_nocommit_others": Case(
            wrote("f", LINES),
            steps(_nest_without_commit, beside),
            Expected(others, warning="n2/", applied="?? n2/\n", undone="?? n2/\n"),
            Expected(others, warning="n2/"),
        ),
    }


def _filemode_false() -> Case:
    """In the working tree the bit means nothing; an agent that sets it means it."""
    setup = steps(wrote("s.sh", LINES), called_git("config", "core.fileMode", "false"))
    mode = Row(Kind.MODE, b"s.sh", FILE, PROGRAM)
    return Case(setup, made_executable("s.sh"), Expected(unseen=frozenset({b"s.sh"})), Expected((mode,)))


def _log_and_more(sandbox: Sandbox) -> None:
    for path in (*_COLONS, b":(top)z", b":kept"):
        sandbox.write(path, b"1\n")


def _touch_back(sandbox: Sandbox) -> None:
    """An edit of the same size that leaves the time of the file as it was."""
    path = sandbox.path / "f"
    found = path.stat()
    path.write_bytes(LINES.replace(b"line 7\n", b"LINE 7\n"))
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


def _ignored() -> dict[str, Case]:
    rules, log = wrote(".gitignore", b"*.log\n"), frozenset({b"x.log"})
    kept = tuple(Row(Kind.CREATE, path, NOTHING, FILE) for path in (b":(top)z", b":kept"))
    tracked = steps(rules, wrote("x.log", b"1\n"), called_git("add", "-f", "x.log"))
    return {
        "ignored_new": Case(
            steps(rules, wrote("f", LINES)), wrote("x.log", b"ignored\n"), Expected(unseen=log), Expected(unseen=log)
        ),
        "ignored_names": Case(
            steps(rules, wrote("f", LINES)),
            _log_and_more,
            Expected(kept, unseen=frozenset(_COLONS)),
            Expected(kept, unseen=frozenset(_COLONS)),
        ),
        "ignored_tracked": case(tracked, wrote("x.log", b"2\n"), Row(Kind.MODIFY, b"x.log", FILE, FILE)),
    }


def _told(*change: str) -> Case:
    """Git was told not to look at a file, and then the file changes."""
    step = steps(called_git("update-index", *change), wrote("f", LINES + b"x\n"))
    return Case(wrote("f", LINES), step, Expected(unseen=frozenset({b"f"})), None)


def _in_index(*change: Row, data: bytes) -> Case:
    """A new file of which the index knows nothing but the name."""
    step = steps(wrote("ita.txt", data), called_git("add", "-N", "ita.txt"))
    return without_workspace(case(wrote("f", LINES), step, *change))


_F, _FG = wrote("f", LINES), steps(wrote("f", LINES), wrote("g", LINES))
_LINKED = steps(_F, linked("lnk", "f"))

SHAPES: dict[str, Case] = {
    "rename_swap": case(
        steps(wrote("a", LINES), wrote("b", _OTHER)),
        steps(wrote("a", _OTHER), wrote("b", LINES)),
        Row(Kind.MODIFY, b"a", FILE, FILE),
        Row(Kind.MODIFY, b"b", FILE, FILE),
    ),
    "copy": case(wrote("a.txt", LINES), wrote("copy.txt", LINES), Row(Kind.CREATE, b"copy.txt", NOTHING, FILE)),
    "copy_edit": case(
        wrote("a.txt", LINES),
        steps(wrote("copy.txt", LINES + b"z\n"), wrote("a.txt", b"q\n" + LINES)),
        Row(Kind.MODIFY, b"a.txt", FILE, FILE),
        Row(Kind.CREATE, b"copy.txt", NOTHING, FILE),
    ),
    "chmod_x": case(wrote("s.sh", LINES), made_executable("s.sh"), Row(Kind.MODE, b"s.sh", FILE, PROGRAM)),
    "chmod_x_edit": case(
        wrote("s.sh", LINES), wrote("s.sh", LINES + b"x\n", 0o755), Row(Kind.MODIFY, b"s.sh", FILE, PROGRAM, units=1)
    ),
    "rename_chmod_edit": case(
        wrote("s.sh", LINES),
        steps(removed("s.sh"), wrote("t.sh", LINES + b"x\n", 0o755)),
        Row(Kind.RENAME, b"t.sh", FILE, PROGRAM, b"s.sh", units=1),
    ),
    "chmod_empty": case(wrote("s.sh", b""), made_executable("s.sh"), Row(Kind.MODE, b"s.sh", FILE, PROGRAM)),
    "mode_filemode_false": _filemode_false(),
    "symlink_create": case(_F, linked("lnk", "f"), Row(Kind.SYMLINK, b"lnk", NOTHING, LINK)),
    "symlink_retarget": case(
        _LINKED, steps(removed("lnk"), linked("lnk", "nowhere/x")), Row(Kind.SYMLINK, b"lnk", LINK, LINK)
    ),
    "file_to_symlink": case(_FG, steps(removed("f"), linked("f", "g")), Row(Kind.SYMLINK, b"f", FILE, LINK)),
    "symlink_to_file": case(
        steps(wrote("g", LINES), linked("f", "g")), steps(removed("f"), _F), Row(Kind.SYMLINK, b"f", LINK, FILE)
    ),
    "symlink_to_dir_create": case(wrote("dir/f", LINES), linked("ld", "dir"), Row(Kind.SYMLINK, b"ld", NOTHING, LINK)),
    "symlink_target_newline": case(_F, linked("lnk", "a\n"), Row(Kind.SYMLINK, b"lnk", NOTHING, LINK)),
    "dir_to_file": case(
        steps(wrote("p/x", LINES), wrote("p/y", b"y\n")),
        steps(removed("p"), wrote("p", b"a file\n")),
        Row(Kind.CREATE, b"p", NOTHING, FILE),
        Row(Kind.DELETE, b"p/x", FILE, NOTHING),
        Row(Kind.DELETE, b"p/y", FILE, NOTHING),
    ),
    "file_to_dir": case(
        wrote("p", LINES), steps(removed("p"), wrote("p/x", LINES)), Row(Kind.RENAME, b"p/x", FILE, FILE, b"p")
    ),
    "file_to_dir_new": case(
        wrote("p", LINES),
        steps(removed("p"), wrote("p/x", b"new\n")),
        Row(Kind.DELETE, b"p", FILE, NOTHING),
        Row(Kind.CREATE, b"p/x", NOTHING, FILE),
    ),
    "same_size_same_time": case(_F, _touch_back, Row(Kind.MODIFY, b"f", FILE, FILE, units=1)),
    **_submodules(),
    **_nested(),
    **_ignored(),
    "intent_to_add": _in_index(Row(Kind.CREATE, b"ita.txt", NOTHING, FILE), data=b"new\n"),
    "ita_empty": _in_index(Row(Kind.CREATE, b"ita.txt", NOTHING, FILE), data=b""),
    "untracked_dir": case(
        _F,
        steps(wrote("nd/a", b"1\n"), wrote("nd/e/b", b"2\n"), lambda sandbox: (sandbox.path / "emptydir").mkdir()),
        Row(Kind.CREATE, b"nd/a", NOTHING, FILE),
        Row(Kind.CREATE, b"nd/e/b", NOTHING, FILE),
    ),
    "staged_then_reverted": without_workspace(case(_F, steps(wrote("f", LINES + b"s\n"), called_git("add", "f"), _F))),
    "staged_new_then_deleted": without_workspace(
        case(_F, steps(wrote("n", b"n\n"), called_git("add", "n"), removed("n")))
    ),
    "rm_cached_kept": without_workspace(case(_FG, called_git("rm", "-q", "--cached", "g"))),
    "skip_worktree": _told("--skip-worktree", "f"),
    "assume_unchanged": _told("--assume-unchanged", "f"),
    "unmerged": Case(_F, _conflict, None, None, refused="GIT_CONFLICT"),
    "fifo": Case(_F, lambda sandbox: os.mkfifo(sandbox.path / "pipe"), Expected(), Expected(warning="pipe")),
}
