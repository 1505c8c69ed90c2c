"""How many requests and git processes things take: numbers that do not depend on the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.counting import GitLog
from tests.conversations.talk import Talk, talking


def many(count: int, word: str = "") -> str:
    return "/gitclaw\n\n" + "\n".join(f"write {word}{n}.txt text {word} {n}" for n in range(count))


def counted(talk: Talk, text: str) -> tuple[list[str], list[str]]:
    start = len(talk.hub.log)
    talk.say(text)
    return talk.requests(start)


@pytest.mark.parametrize("place", ["issue", "pull"])
def test_applying_takes_the_same_few_requests_for_one_file_and_for_fifty(talk: Talk, place: str) -> None:
    if place == "pull":
        talk.pull({"topic.py": b"topic = 1\n"})
    seen = []
    for files in (1, 50):
        talk.say(many(files, f"of-{files}-"))
        seen.append(counted(talk, "/apply all"))
    (api, git), (more_api, more_git) = seen
    assert (len(api), len(git)) == (len(more_api), len(more_git))
    assert len(api) <= 6, api
    assert len(git) <= 8, git


@pytest.mark.parametrize(
    # The first run of a repository looks for the count of runs too, and every run is counted before it begins.
    ("text", "most"),
    [(many(3), (5, 13)), ("/gitclaw why?\n\nanswer so", (5, 11)), ("/gitclaw status", (5, 7))],
)
def test_the_first_runs_of_a_thread_look_for_its_state_and_are_cheap(
    talk: Talk, text: str, most: tuple[int, int]
) -> None:
    api, git = counted(talk, text)
    assert len(api) <= most[0], api
    assert len(git) <= most[1], git


def test_the_git_processes_of_an_apply_do_not_grow_with_files(tmp_path: Path) -> None:
    GitLog(tmp_path / "shim")
    counts = []
    for files in (1, 30):
        place = tmp_path / str(files)
        place.mkdir()
        with talking(place) as talk:
            talk.say(many(files))
            log = tmp_path / "shim" / "log"
            log.write_bytes(b"")
            talk.environment["PATH"] = f"{tmp_path / 'shim'}:/usr/local/bin:/usr/bin:/bin"
            talk.say("/apply all")
            counts.append(len(log.read_text().splitlines()))
    assert counts[0] == counts[1] > 0, counts
    assert counts[0] <= 11, counts


def test_twenty_threads_at_once_do_not_get_in_each_others_way(talk: Talk) -> None:
    numbers = [talk.number, *(talk.repo.open_issue(talk.mona, f"Issue {n}") for n in range(19))]
    talk.waiting.clear()
    for number in numbers:
        talk.repo.comment(talk.mona, number, f"/gitclaw\n\nwrite f{number}.txt text")
    events, talk.waiting = talk.waiting, []
    runs = talk.at_once(events)
    replies = [[c.body for c in talk.repo.comments(number)][1:] for number in numbers]
    assert [len(said) for said in replies] == [1] * 20
    assert [said[0] for said in replies if "### Proposal 1: 1 suggestion" not in said[0]] == []
    assert [ran for ran in runs if "STATE_CONFLICT" in ran.err or ran.code] == []
