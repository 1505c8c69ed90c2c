"""``gitclaw review-plan``: the plan of a review in any repository, which stays as it is."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from tests.reviews.github import PullRequest
from tests.sandbox import Ended, Sandbox

LINES = [f"l{k}" for k in range(1, 41)]


def text(*changes: tuple[int, str]) -> str:
    changed = dict(changes)
    return "".join(f"{changed.get(k, line)}\n" for k, line in enumerate(LINES, 1))


@pytest.fixture
def pull(repo: Sandbox) -> Sandbox:
    """A pull request from main into base: line 20 of f.txt was changed."""
    repo.write("f.txt", text((20, "before")))
    repo.write("untouched.txt", "x\n")
    repo.commit()
    repo.git("branch", "base")
    repo.write("f.txt", text())
    repo.commit()
    return repo


def plan(repo: Sandbox, script: str, *options: str, code: int = 0) -> Ended:
    call = ("review-plan", "--base", "base", "--head", "main", *options)
    return repo.gitclaw(*call, "--", "sh", "-c", script, code=code)


FIX = "sed -i -e s/l18/X18/ -e s/l35/X35/ f.txt; echo y > untouched.txt; echo new > new.txt"


def test_the_plan_as_json(pull: Sandbox) -> None:
    found = plan(pull, FIX, "--json").json
    assert found.keys() == {"comments", "fallbacks"}
    (comment,) = found["comments"]
    body = comment.pop("body")
    assert comment == {"path": "f.txt", "line": 18, "side": "RIGHT", "numbers": ["1.1"]}
    assert "```suggestion\nX18\n```" in body
    assert found["fallbacks"] == [
        {"number": "1.2", "path": "f.txt", "reason": "out_of_diff"},
        {"number": "2", "path": "new.txt", "reason": "new_file"},
        {"number": "3", "path": "untouched.txt", "reason": "out_of_diff"},
    ]
    PullRequest(pull, "base", "main").accept({**{k: comment[k] for k in ("path", "line", "side")}, "body": body})


def test_several_lines_have_a_first_one(pull: Sandbox) -> None:
    (comment,) = plan(pull, "sed -i -e 19d -e 20d f.txt", "--json").json["comments"]
    assert (comment["start_line"], comment["line"]) == (19, 20)


def test_the_plan_for_people(pull: Sandbox) -> None:
    said = plan(pull, FIX).out
    assert said.startswith("1 comment, 3 fallbacks\n")
    assert "f.txt:18  1.1\n   X18\n" in said
    assert "1.2  f.txt:35  out_of_diff: these lines are not part of the pull request's diff" in said


def test_a_prepared_tree_instead_of_a_command(pull: Sandbox) -> None:
    pull.write("f.txt", text((21, "X21")))
    pull.git("add", "-A")
    tree = pull.text("write-tree")
    pull.git("reset", "-q", "--hard")
    found = pull.gitclaw("review-plan", "--base", "base", "--head", "main", "--work", tree, "--json").json
    assert [c["line"] for c in found["comments"]] == [21]


def objects(repo: Sandbox) -> list[str]:
    return sorted(os.path.join(top, name) for top, _, names in os.walk(repo.path / ".git") for name in names)


def test_nothing_is_left_in_the_repository(pull: Sandbox) -> None:
    pull.write("f.txt", "mine\n")
    before, there = pull.fingerprint(), objects(pull)
    plan(pull, FIX)
    assert (pull.fingerprint(), objects(pull)) == (before, there)
    assert not (pull.path / ".gitclaw").exists()


def test_a_repository_that_cannot_be_written_to(pull: Sandbox) -> None:
    places = [Path(top) for top, _, _ in os.walk(pull.path)]
    for place in places:
        place.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert len(plan(pull, FIX, "--json").json["comments"]) == 1
    finally:
        for place in places:
            place.chmod(stat.S_IRWXU)


def test_the_command_works_on_the_head_and_not_on_what_is_checked_out(pull: Sandbox) -> None:
    pull.git("checkout", "-q", "base")
    assert [c["line"] for c in plan(pull, FIX, "--json").json["comments"]] == [18]


def test_a_bare_repository(pull: Sandbox, tmp_path: Path) -> None:
    pull.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    assert [c["line"] for c in plan(Sandbox(tmp_path / "bare"), FIX, "--json").json["comments"]] == [18]


def test_a_clone_that_borrows_its_objects(pull: Sandbox, tmp_path: Path) -> None:
    pull.git("clone", "-q", "--shared", ".", str(tmp_path / "shared"))
    shared = Sandbox(tmp_path / "shared")
    shared.git("branch", "base", "origin/base")
    assert [c["line"] for c in plan(shared, FIX, "--json").json["comments"]] == [18]


def test_names_that_are_not_text(pull: Sandbox) -> None:
    found = plan(pull, "printf 'x\\n' > \"$(printf 'a\\377b')\"", "--json").json
    assert found["fallbacks"] == [{"number": "1", "path": "a\\xffb", "reason": "new_file"}]


def test_reasons_of_the_command_are_in_the_comments(pull: Sandbox) -> None:
    script = 'sed -i s/l18/X18/ f.txt; echo \'{"f.txt:18": "says what it is"}\' > "$GITCLAW_REASONS"'
    (comment,) = plan(pull, script, "--json").json["comments"]
    assert comment["body"].startswith("`says what it is`\n\n```suggestion\n")
    said = plan(pull, 'sed -i s/l18/X18/ f.txt; echo no > "$GITCLAW_REASONS"')
    assert "the reasons could not be read" in said.err


def test_nothing_changed(pull: Sandbox) -> None:
    assert plan(pull, "true").out == "Nothing to plan: no changes.\n"
    assert plan(pull, "true", "--json").json == {"comments": [], "fallbacks": []}


def test_a_command_that_fails_is_told(pull: Sandbox) -> None:
    assert "AGENT_FAILED: sh ended with 3 and changed nothing" in plan(pull, "exit 3", code=5).err
    assert plan(pull, f"{FIX}; exit 3", "--json").json["comments"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--base", "base", "--head", "main"), "either a command or --work"),
        (("--base", "base", "--head", "main", "--work", "main", "--", "true"), "either a command or --work"),
        (("--base", "nope", "--head", "main", "--work", "main"), "There is no commit nope"),
        (("--base", "base", "--head", "--all", "--work", "main"), "--head"),
        (("--base", "base", "--head", "main", "--work", "no:tree"), "There is no tree no:tree"),
        (("--base", "base", "--head", "main", "true"), "after two dashes"),
    ],
)
def test_mistakes_are_told(pull: Sandbox, options: tuple[str, ...], told: str) -> None:
    assert told in pull.gitclaw("review-plan", *options, code=2).err


def test_commits_without_a_common_history(pull: Sandbox) -> None:
    pull.git("checkout", "-q", "--orphan", "lonely")
    pull.commit()
    said = pull.gitclaw("review-plan", "--base", "base", "--head", "lonely", "--work", "main", "--json", code=2)
    assert json.loads(said.out)["code"] == "UNKNOWN_REF"
    assert "no history in common" in json.loads(said.out)["what"]
