"""A thread from the first suggestion to the last decision, as a person in a terminal has it."""

from __future__ import annotations

import json

import pytest

from tests.cli.thirty_lines import TEXT
from tests.sandbox import Sandbox

AGENT = """
sed -i 's/^line 3$/LINE 3/; s/^line 20$/LINE 20/' a.txt
rm old.txt
printf 'hello\\n' > new.txt
printf '{"a.txt:20": "louder", "new.txt": "greets"}' > "$GITCLAW_REASONS"
"""


@pytest.fixture
def thread(repo: Sandbox) -> Sandbox:
    """A repository with three suggestions: 1 edits a.txt in two places, 2 is new.txt, 3 deletes old.txt."""
    repo.write("a.txt", TEXT)
    repo.write("old.txt", "old\n")
    repo.commit("base")
    repo.suggest(AGENT)
    return repo


def statuses(repo: Sandbox) -> dict[str, str]:
    found = {}
    for s in repo.gitclaw("status", "--json").json["suggestions"]:
        found[str(s["number"])] = s["status"]
        found.update({h["number"]: h["status"] for h in s["hunks"]})
    return found


def test_suggest_shows_what_the_command_changed_and_changes_nothing(repo: Sandbox) -> None:
    repo.write("a.txt", TEXT)
    repo.write("old.txt", "old\n")
    repo.commit("base")
    repo.write("a.txt", TEXT + "mine\n")
    repo.write("untracked.txt", "mine\n")
    repo.git("stash", "push", "-q", "old.txt", code=None)
    before = repo.fingerprint()
    said = repo.suggest(AGENT)
    assert repo.fingerprint() == before
    assert repo.status == " M a.txt\n?? untracked.txt\n"
    for expected in (
        "1  a.txt",
        "2  new.txt",
        "3  old.txt",
        "louder",
        "greets",
        "- line 3",
        "+ LINE 3",
        "+ hello",
        "- old",
    ):
        assert expected in said.out
    assert "\x1b" not in said.out


def test_status_json_is_as_documented(thread: Sandbox) -> None:
    document = thread.gitclaw("status", "--json").json
    assert list(document) == ["thread", "base", "progress", "proposals", "suggestions", "decisions"]
    assert (document["thread"], document["base"]) == ("main", thread.head)
    first, second, third = document["suggestions"]
    assert [s["kind"] for s in document["suggestions"]] == ["modify", "create", "delete"]
    assert first["hunks"] == [
        {"number": "1.1", "status": "pending", "old_start": 3, "old_count": 1, "new_start": 3, "new_count": 1},
        {
            "number": "1.2",
            "status": "pending",
            "old_start": 20,
            "old_count": 1,
            "new_start": 20,
            "new_count": 1,
            "reason": "louder",
        },
    ]
    assert second["reason"] == "greets"
    assert third["hunks"] == []


def test_json_has_a_line_for_each_suggestion(thread: Sandbox) -> None:
    said = thread.gitclaw("status", "--json")
    lines = said.out.split("\n")
    for number, suggestion in enumerate(said.json["suggestions"], 1):
        (line,) = (line for line in lines if line.startswith(f'    {{"number": {number}, "proposal"'))
        assert json.loads(line.strip().rstrip(",")) == suggestion
    assert thread.gitclaw("show", "1", "--json").out.split("\n")[0] == "["


def test_apply_makes_one_commit_with_exactly_the_chosen_hunks(thread: Sandbox) -> None:
    base = thread.head
    thread.gitclaw("apply", "1.2,2")
    assert thread.text("rev-parse", "HEAD~1") == base
    assert thread.text("diff", "--name-status", "HEAD~1", "HEAD") == "M\ta.txt\nA\tnew.txt"
    assert thread.git("show", "HEAD:a.txt").decode() == TEXT.replace("line 20", "LINE 20")
    assert thread.text("show", "-s", "--format=%an <%ae>") == "Ada <ada@example.invalid>"
    trailers = thread.text("show", "-s", "--format=%(trailers)")
    assert trailers == "Gitclaw-Thread: main\nGitclaw-Applied: 1.2, 2"
    assert thread.status == ""
    assert thread.read("new.txt") == b"hello\n"
    assert statuses(thread) == {"1": "pending", "1.1": "pending", "1.2": "applied", "2": "applied", "3": "pending"}


def test_apply_all_is_what_the_agent_made(thread: Sandbox) -> None:
    thread.gitclaw("apply", "all")
    commit = thread.state()["proposals"][0]["commit"]
    assert thread.tree() == thread.tree(commit)
    assert thread.status == ""


def test_apply_all_but_some(thread: Sandbox) -> None:
    said = thread.gitclaw("apply", "all", "except", "3")
    assert "2 of 3 applied, 0 rejected, 1 pending" in said.out
    assert thread.read("old.txt") == b"old\n"


def test_the_message_can_be_given(thread: Sandbox) -> None:
    thread.gitclaw("apply", "2", "-m", "Say hello")
    assert thread.text("show", "-s", "--format=%s") == "Say hello"
    assert "Gitclaw-Applied: 2" in thread.text("show", "-s", "--format=%b")


def test_reject_needs_no_commit_and_keeps_the_reason(thread: Sandbox) -> None:
    before = thread.fingerprint()
    said = thread.gitclaw("reject", "3", "still used", "by the plugin")
    assert thread.fingerprint() == before
    assert "Rejected 3." in said.out
    decision = thread.gitclaw("status", "--json").json["decisions"][0]
    assert (decision["verb"], decision["parts"], decision["reason"]) == ("reject", ["3"], "still used by the plugin")
    assert (decision["actor"], decision["commit"]) == ("ada", None)
    thread.gitclaw("reject")
    assert set(statuses(thread).values()) == {"rejected"}


def test_undo_takes_back_the_last_apply_then_the_one_before(thread: Sandbox) -> None:
    base = thread.tree()
    thread.gitclaw("apply", "1.1")
    middle = thread.tree()
    thread.gitclaw("apply", "2,3")
    thread.gitclaw("undo")
    assert thread.tree() == middle
    assert statuses(thread)["2"] == "pending"
    assert not (thread.path / "new.txt").exists()
    thread.gitclaw("undo")
    assert thread.tree() == base
    assert thread.status == ""
    assert "Nothing to do" in thread.gitclaw("undo").out


def test_undo_of_one_suggestion_after_later_commits(thread: Sandbox) -> None:
    thread.gitclaw("apply", "all")
    thread.write("a.txt", thread.read("a.txt").replace(b"line 10\n", b"mine\n"))
    thread.write("later.txt", "later\n")
    thread.commit("later")
    thread.gitclaw("undo", "1.1")
    assert thread.read("a.txt").decode() == TEXT.replace("line 20", "LINE 20").replace("line 10\n", "mine\n")
    assert statuses(thread)["1.1"] == "pending"
    assert statuses(thread)["1.2"] == "applied"
    thread.gitclaw("undo", "3")
    assert thread.read("old.txt") == b"old\n"
    thread.gitclaw("apply", "all")
    assert thread.read("a.txt").decode() == TEXT.replace("line 20", "LINE 20").replace("line 3\n", "LINE 3\n").replace(
        "line 10\n", "mine\n"
    )
    assert thread.status == ""


def test_numbers_are_never_used_again(thread: Sandbox) -> None:
    thread.gitclaw("apply", "2")
    thread.gitclaw("reject", "3")
    said = thread.suggest("printf 'x\\n' > x.txt; rm old.txt", "--json").json
    assert said["numbers"] == [4]
    assert said["repeated"] == [3]
    assert [s["number"] for s in said["suggestions"]] == [1, 2, 3, 4]


def test_the_same_command_again_proposes_nothing_new(thread: Sandbox) -> None:
    said = thread.suggest(AGENT)
    assert said.out == (
        "Nothing new: the same changes are in this thread already, as 1 (pending), 2 (pending), 3 (pending).\n"
        'Next: gitclaw apply all · gitclaw apply 1,3 · gitclaw show 1 · gitclaw reject 3 "why"\n'
    )
    assert len(thread.state()["proposals"]) == 1


def test_a_second_try_can_take_the_place_of_the_first(thread: Sandbox) -> None:
    said = thread.suggest("printf 'good day\\n' > new.txt", "--replaces", "2", "--json").json
    assert said["numbers"] == [4]
    assert statuses(thread)["2"] == "replaced"
    refused = thread.gitclaw("apply", "2", code=2)
    assert "2 was replaced by 4" in refused.err
    thread.gitclaw("apply", "all")
    assert thread.read("new.txt") == b"good day\n"


def test_a_command_that_changes_nothing_and_one_that_fails(thread: Sandbox) -> None:
    before = thread.state()
    assert thread.suggest("true").out == "The command changed nothing.\n"
    failed = thread.suggest("echo broken; exit 3", code=5)
    assert "AGENT_FAILED: sh ended with 3 and changed nothing" in failed.err
    assert b"broken\n[exit 3]" in thread.read(".gitclaw/state/main/execution.log")
    assert thread.state() == before


def test_a_command_that_ends_badly_but_changed_something_is_shown_with_a_note(thread: Sandbox) -> None:
    said = thread.suggest("echo x > x.txt; exit 1")
    assert "4  x.txt" in said.out
    assert "Note: the command ended with 1" in said.err


def test_show_is_whole_and_names_the_pieces(repo: Sandbox) -> None:
    repo.write("a.txt", TEXT)
    repo.commit()
    repo.suggest("sed -i 's/line 3$/LINE 3/; s/line 5$/LINE 5/' a.txt; seq 1 500 > many.txt")
    assert "… 440 more lines: gitclaw show 2" in repo.gitclaw(
        "suggest",
        "--replaces",
        "1,2",
        "--",
        "sh",
        "-c",
        """
        sed -i 's/line 3$/LINE 3/; s/line 5$/LINE 5/' a.txt; seq 1 500 > many.txt""",
        code=0,
    ).out.replace("show 4", "show 2")
    shown = repo.gitclaw("show", "3.1").out
    assert "3.1a" in shown
    assert "3.1b" in shown
    assert repo.gitclaw("show", "3.1b").out.count("+ LINE") == 1
    assert repo.gitclaw("show", "4").out.count("\n   + ") == 500
    repo.gitclaw("apply", "3.1b")
    assert repo.read("a.txt").decode() == TEXT.replace("line 5\n", "LINE 5\n")


def test_threads_are_apart(thread: Sandbox) -> None:
    said = thread.suggest("echo y > y.txt", "--thread", "Other/one", "--json").json
    assert (said["thread"], said["numbers"]) == ("Other/one", [1])
    assert statuses(thread)["1"] == "pending"
    assert thread.gitclaw("status", "--thread", "other/one").out.startswith("Thread other/one has no")
    thread.gitclaw("apply", "1", "--thread", "Other/one")
    assert thread.read("y.txt") == b"y\n"


def test_the_state_stays_out_of_sight(thread: Sandbox) -> None:
    assert thread.status == ""
    assert "gitclaw" not in thread.text("ls-files", "--others", "--exclude-standard")
    assert not (thread.path / ".gitignore").exists()


def test_everything_for_programs(thread: Sandbox) -> None:
    assert thread.gitclaw("show", "1.1", "--json").json[0]["number"] == 1
    done = thread.gitclaw("apply", "1,2", "--json").json
    assert done["outcome"] == "done"
    assert done["commit"] == thread.head
    assert {part["outcome"] for part in done["parts"]} == {"applied"}
    assert thread.gitclaw("reject", "3", "--json").json == {"outcome": "rejected", "parts": ["3"]}
    assert thread.gitclaw("undo", "--json").json["outcome"] == "done"
    error = thread.gitclaw("apply", "9", "--json", code=2).json
    assert (error["outcome"], error["code"]) == ("error", "UNKNOWN_NUMBER")
    json.dumps(error)
