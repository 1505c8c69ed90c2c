from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from gitclaw_py.adapters.directory_store import DirectoryStore
from gitclaw_py.core.state import State, Verb
from gitclaw_py.ports.values import Move
from tests.core.states import FIRST, created, edit, state, word

WORD = word(Verb.APPLY, "1", commit="b" * 40)
MOVE = Move("refs/heads/main", "a" * 40, "b" * 40)


def test_an_unknown_thread_is_an_empty_one(tmp_path: Path) -> None:
    assert DirectoryStore(tmp_path / "state", "main").load() == State("main")
    assert not (tmp_path / "state").exists()


def test_what_is_saved_is_loaded_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path / "state", "main")
    store.save(state(edit(1, 2), created(2)))
    store.save(state(edit(1, 2)))
    assert store.load() == state(edit(1, 2))
    assert [path.name for path in (tmp_path / "state/main").iterdir()] == ["state.json"]


def test_an_announcement_lasts_until_it_is_fulfilled_or_withdrawn(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path / "state", "main")
    store.announce(WORD, MOVE)
    assert DirectoryStore(tmp_path / "state", "main").announced() == (WORD, MOVE)
    assert store.load() == State("main")
    store.save(state(created(1)))
    assert store.announced() is None
    store.announce(WORD, MOVE)
    store.withdraw()
    store.withdraw()
    assert store.announced() is None


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path / "state", "main")
    store.save(state(created(1)))
    (tmp_path / "state/main/state.json.new").mkdir()
    with pytest.raises(OSError, match=r"state\.json\.new"):
        store.save(state(created(1), created(2)))
    assert store.load() == state(created(1))


NAMES = [
    "main", "Main", "feature/x", "feature%2fx", "feature%2Fx", ".", "..", ".hidden", "é", "e\u0301", "a b", "x" * 300,
    "x" * 299 + "y", "CON", "a\\b", "a:b", "-rf",
]  # fmt: skip


def test_every_thread_has_a_folder_of_its_own_on_every_file_system(tmp_path: Path) -> None:
    for name in NAMES:
        DirectoryStore(tmp_path / "state", name).save(State(name))
    for name in NAMES:
        assert DirectoryStore(tmp_path / "state", name).load().thread == name
    folders = [path.name for path in (tmp_path / "state").iterdir() if path.is_dir()]
    assert len({folder.lower() for folder in folders}) == len(NAMES)
    assert all(folder.isascii() and len(folder) < 200 and not folder.startswith(".") for folder in folders)


def test_one_at_a_time(tmp_path: Path) -> None:
    def add(number: int) -> None:
        store = DirectoryStore(tmp_path / "state", "main")
        with store.lock():
            found = store.load()
            store.save(State("main", (FIRST,), (*found.suggestions, created(number))))

    threads = [threading.Thread(target=add, args=(number,)) for number in range(1, 21)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {s.number for s in DirectoryStore(tmp_path / "state", "main").load().suggestions} == set(range(1, 21))


def test_the_file_is_one_document_a_person_can_read(tmp_path: Path) -> None:
    DirectoryStore(tmp_path / "state", "main").save(state(edit(1, 1)))
    text = (tmp_path / "state/main/state.json").read_text("ascii")
    assert json.loads(text)["thread"] == "main"
    assert text.count("\n") > 10
