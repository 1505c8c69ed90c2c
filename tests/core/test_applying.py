"""Planning on trees: whatever is chosen, only what was chosen changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from gitclaw_py.core.applying import TREE, Plan, plan, targets
from gitclaw_py.core.decisions import to_apply, to_undo
from gitclaw_py.core.diffs import Entry, FileDiff
from gitclaw_py.core.selection import resolve
from gitclaw_py.core.state import State, Verb, decided
from gitclaw_py.core.suggestions import folders, suggest
from gitclaw_py.errors import UsageError
from tests.core.states import FIRST, word

Files = dict[bytes, Entry]
PATHS = [b"a", b"a/x", b"a/y", b"a/y/z", b"b", b"b/x", b"c"]


class Tree:
    """A tree in memory."""

    object_format = "sha1"

    def __init__(self, files: Mapping[bytes, Entry]) -> None:
        self.files = dict(files)

    def entry(self, path: bytes) -> Entry | None:
        if any(name.startswith(path + b"/") for name in self.files):
            return Entry(TREE, "-")
        return self.files.get(path)

    def text(self, oid: str) -> bytes:
        raise AssertionError(oid)

    def files_under(self, path: bytes) -> Sequence[bytes]:
        return [name for name in self.files if name.startswith(path + b"/")]

    def write(self, writes: Mapping[bytes, Entry | None]) -> None:
        for path, entry in writes.items():
            if entry is None:
                del self.files[path]
        self.files.update({path: entry for path, entry in writes.items() if entry})
        assert all(not self.files.keys() & set(folders(path)) for path in self.files), "a file lies in a file"


@st.composite
def trees(draw: st.DrawFn) -> Files:
    chosen = draw(st.lists(st.sampled_from(PATHS), unique=True))
    clear = [path for path in chosen if not any(above in chosen for above in folders(path))]
    return {path: Entry("100644", draw(st.sampled_from(["1" * 40, "2" * 40, "3" * 40]))) for path in clear}


def proposed(base: Files, new: Files) -> State:
    changed = [path for path in sorted({*base, *new}) if base.get(path) != new.get(path)]
    diffs = [FileDiff(path, path, base.get(path), new.get(path), ()) for path in changed]
    return State("main", (FIRST,), tuple(suggest(diffs, iter, 1, 1)))  # type: ignore[arg-type]


def landed(state: State, tree: Tree, parts: Sequence[str], applied: Sequence[str], *, undo: bool) -> None:
    found = plan(targets(state.suggestions, parts, applied, undo=undo), tree, {})
    assert isinstance(found, Plan)
    assert found.unplaced == []
    tree.write(found.writes)


@given(trees(), trees(), st.data())
def test_closed_selections_change_nothing_else(base: Files, new: Files, data: st.DataObject) -> None:
    """P11. An incomplete selection is refused, a complete one touches only its own paths, and undo restores."""
    state = proposed(base, new)
    names = [name for s in state.suggestions for name in s.parts]
    if not names:
        return
    chosen = data.draw(st.lists(st.sampled_from(names), unique=True, min_size=1))
    tree = Tree(base)
    try:
        parts = to_apply(state, resolve(state, chosen)).parts
    except UsageError:
        return
    landed(state, tree, parts, [], undo=False)
    touched = {s.path for s in state.suggestions if set(s.parts) & set(parts)}
    for path in {*base, *new}:
        assert tree.files.get(path) == (new if path in touched else base).get(path)
    state = decided(state, word(Verb.APPLY, *parts, commit="c" * 40))
    landed(state, tree, to_undo(state, None).parts, parts, undo=True)
    assert tree.files == base


@given(trees(), trees())
def test_everything_is_the_new_tree(base: Files, new: Files) -> None:
    state = proposed(base, new)
    names = [name for s in state.suggestions for name in s.parts]
    tree = Tree(base)
    landed(state, tree, names, [], undo=False)
    assert tree.files == new
    landed(state, tree, names, names, undo=True)
    assert tree.files == base
