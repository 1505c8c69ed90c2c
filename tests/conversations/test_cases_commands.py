"""Cases 97 to 116: numbered diffs, and the commands that decide on them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conversations.breaking import commits, watched
from tests.conversations.talk import FILES, Talk, talking

REQUEST = "/gitclaw rename\n\nreplace old with new in app.py\nwrite added.txt hello\nwrite more.txt more"
"""Suggestions 1 and 3 are new files, 2 is the change of app.py: added.txt, app.py, more.txt."""
OLD = FILES["app.py"]
NEW = OLD.replace(b"old", b"new")
WORKFLOW = ".github/workflows/ci.yml"


@pytest.fixture
def asked(talk: Talk) -> Talk:
    """An issue with three suggestions."""
    talk.say(REQUEST)
    return talk


def taken(talk: Talk, branch: str = "main") -> str:
    """Which of the three suggestions the branch has."""
    there = [talk.file("added.txt", branch), talk.file("app.py", branch) == NEW, talk.file("more.txt", branch)]
    return "".join(str(number) for number, found in enumerate(there, 1) if found)


def modes(talk: Talk, branch: str = "main") -> dict[str, str]:
    """The mode of every file of a branch."""
    listed = talk.repo.repository.git.git("ls-tree", "-r", branch).decode().splitlines()
    return {line.partition("\t")[2]: line[:6] for line in listed}


def diffs(reply: str) -> str:
    """What a person copies out of a reply: its blocks, one after the other."""
    return "".join(re.findall(r"^```diff\n(.*?)^```$", reply, re.DOTALL | re.MULTILINE))


def test_case_097_an_issue_gets_numbered_diffs_and_no_button(talk: Talk) -> None:
    (reply,) = talk.say(REQUEST)
    assert reply.count("```diff\n") == 4
    assert "```suggestion" not in reply
    assert all(f"| **{number}** |" in reply for number in (1, 2, 3))


def test_case_098_what_is_shown_is_a_patch(tmp_path: Path) -> None:
    texts = {"tabs.txt": b"a\told\nend", "app.py": OLD}
    with talking(tmp_path, files=texts) as talk:
        (reply,) = talk.say(
            "/gitclaw\n\nreplace old with new in app.py\nreplace old with new in tabs.txt\nwrite n.txt n"
        )
    place = tmp_path / "theirs"
    place.mkdir()
    for name, content in texts.items():
        (place / name).write_bytes(content)
    subprocess.run(["git", "apply", "-"], cwd=place, input=diffs(reply).encode(), check=True)
    found = {path.name: path.read_bytes() for path in place.iterdir()}
    assert found == {"tabs.txt": b"a\tnew\nend", "app.py": NEW, "n.txt": b"n\n"}


def test_case_099_two_numbers_are_one_commit_with_exactly_these(asked: Talk) -> None:
    asked.say("/apply 1,3")
    assert taken(asked) == "13"
    assert len(commits(asked)) == 1
    assert asked.file("app.py") == OLD


@pytest.mark.parametrize(
    ("words", "which"),
    [("1-3", "123"), ("all", "123"), (" 1 , 3 ", "13"), ("3,1", "13"), ("1,1,3,1", "13"), ("1 3", "13")],
)
def test_case_100_numbers_in_whatever_way_and_order(asked: Talk, words: str, which: str) -> None:
    asked.say(f"/apply {words}")
    assert taken(asked) == which
    assert len(commits(asked)) == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("9", "there is no suggestion 9 in this thread"),
        ("1,9", "there is no suggestion 9 in this thread"),
        ("0", "there is no suggestion 0 in this thread"),
    ],
)
def test_case_101_a_number_that_is_not_there_names_those_that_are(asked: Talk, words: str, told: str) -> None:
    (reply,) = asked.say(f"/apply {words}")
    assert told in reply
    assert "the numbers here go from 1 to 3" in reply
    assert commits(asked) == []


NO_NUMBERS = ["-1", "1--3", "1-", "1.", ".1", "1.2.3", "٣", "1;2", "1234567890", "1-1234567890"]


@pytest.mark.parametrize("words", [*NO_NUMBERS, "1,x", "x", "1 -"])
def test_case_101_what_is_no_number_is_named_and_told_how_numbers_look(asked: Talk, words: str) -> None:
    """What was meant is unknown, so that the next step is how to write it; `/gitclaw status` lists the numbers."""
    (reply,) = asked.say(f"/apply {words}")
    read = words.rpartition(",")[2].replace(" -", "-")
    assert f"### Nothing changed: '{read}' is not a number of a suggestion\n" in reply.replace("\\", "")
    assert "numbers are like 3, 3.1, 1-3 or all" in reply
    assert commits(asked) == []


@pytest.mark.parametrize("words", ["", ",", " , "])
def test_case_101_no_number_at_all_is_told_how_numbers_look(asked: Talk, words: str) -> None:
    (reply,) = asked.say(f"/apply {words}")
    assert "no number was given" in reply
    assert "name numbers like 1,3 or 2.1, or say all" in reply
    assert commits(asked) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("3-1", "ranges go from the smaller number to the larger one, like 1-3"),
        ("1-99999", "holds more numbers than any thread has"),
        ("1-5", "There is no suggestion 4 in this thread"),
        ("1.1-2.1", "ranges are like 1-3 or 2.1-2.4"),
    ],
)
def test_case_101_a_range_that_is_none_is_told_why(asked: Talk, words: str, told: str) -> None:
    (reply,) = asked.say(f"/apply {words}")
    assert told.lower() in reply.replace("\\", "").lower()
    assert commits(asked) == []


@pytest.mark.parametrize("verb", ["reject", "gitclaw reject", "refine", "undo", "gitclaw show"])
@pytest.mark.parametrize("words", ["-1", "1.", "1--3"])
def test_case_101_what_is_no_number_does_not_mean_everything(asked: Talk, verb: str, words: str) -> None:
    """Without numbers these would be about all that is pending, with the slip as the reason or the feedback."""
    before = asked.state()
    (reply,) = asked.say(f"/{verb} {words}")
    assert f"'{words}' is not a number of a suggestion" in reply.replace("\\", "")
    assert asked.state() == before
    assert len(asked.prompts()) == 1


def test_case_101_two_commas_are_one(asked: Talk) -> None:
    asked.say("/apply 1,,3")
    assert taken(asked) == "13"


def test_case_101_a_long_slip_is_cut(asked: Talk) -> None:
    (reply,) = asked.say("/apply " + "7" * 9_000)
    assert f"'{'7' * 40}…' is not a number" in reply
    assert len(reply) < 1_000


@pytest.mark.parametrize(
    "text",
    ["> /apply 1", "```\n/apply 1\n```", "    /apply 1", "`/apply 1`", "I would /apply 1 now", "<!-- \n/apply 1\n-->"],
    ids=["quote", "fence", "indented", "code", "sentence", "hidden"],
)
def test_case_102_a_command_is_one_only_where_a_line_begins(asked: Talk, text: str) -> None:
    assert asked.say(text) == []
    assert commits(asked) == []


def test_case_103_an_edited_comment_commands_nothing(asked: Talk) -> None:
    comment = asked.post("hello")
    asked.handle()
    asked.repo.edit_comment(asked.mona, comment, "/apply 1")
    asked.handle()
    assert commits(asked) == []


def test_case_103_the_bot_does_not_listen_to_itself(asked: Talk) -> None:
    before = len(asked.hub.log)
    assert asked.say("/apply 1", asked.hub.account("github-actions[bot]")) == ["/apply 1"]
    assert asked.hub.log[before:] == []


@pytest.mark.parametrize("role", ["none", "read", "triage"])
def test_case_104_who_may_not_write_may_not_apply(asked: Talk, role: str) -> None:
    asked.repo.grant(asked.reader, role)
    (reply,) = asked.say("/apply 1", asked.reader)
    assert "`/apply` needs write access" in reply
    assert commits(asked) == []


@pytest.mark.parametrize("status", [403, 404, 500])
def test_case_104_a_permission_that_cannot_be_read_is_none(asked: Talk, status: int) -> None:
    asked.hub.faults.add("/permission$", times=9, status=status, body={"message": "No"})
    asked.say("/apply 1")
    assert commits(asked) == []


def test_case_105_what_fits_on_a_new_head_is_merged(asked: Talk) -> None:
    theirs = OLD.replace(b"line 15\n", b"LINE 15\n")
    asked.repo.push_files("main", {"app.py": theirs}, asked.mona)
    asked.say("/apply 2")
    assert asked.file("app.py") == theirs.replace(b"old", b"new")


def test_case_105_what_does_not_fit_is_refused_with_its_file(asked: Talk) -> None:
    theirs = OLD.replace(b"old = 2", b"ancient = 2")
    asked.repo.push_files("main", {"app.py": theirs}, asked.mona)
    (reply,) = asked.say("/apply 2")
    assert "2.2 does not fit" in reply
    assert "`app.py`" in reply
    assert asked.file("app.py") == theirs


@pytest.mark.parametrize(("line", "which"), [(b"line 15", "1"), (b"old = 1", "")], ids=["elsewhere", "the same line"])
def test_case_106_a_push_while_applying_is_never_overwritten(asked: Talk, line: bytes, which: str) -> None:
    theirs, pushes = OLD.replace(line, b"theirs"), iter([True])

    def around(name: str, call: Callable[[], object]) -> object:
        if name == "push" and next(pushes, False):
            asked.repo.push_files("main", {"app.py": theirs}, asked.mona)
        return call()

    asked.around = watched(around)
    (reply,) = asked.say("/apply 1,2")
    assert (asked.file("added.txt") is not None) is bool(which)
    assert asked.file("app.py") == (theirs.replace(b"old", b"new") if which else theirs)
    assert ("### Applied 1, 2" in reply, "2.1 does not fit" in reply) == (bool(which), not which)


def test_case_107_what_is_applied_is_told_with_its_commit(asked: Talk) -> None:
    asked.say("/apply 1")
    head = asked.repo.branch("main") or ""
    (reply,) = asked.say("/apply 1")
    assert f"1 (it is applied already, in `{head[:7]}`)" in reply
    assert asked.repo.branch("main") == head


def test_case_108_a_workflow_that_may_not_be_changed_keeps_no_other_number_back(talk: Talk) -> None:
    """It is left out; a person has to make the change."""
    talk.say(f"/gitclaw\n\nwrite {WORKFLOW} on: push\nreplace old with new in app.py")
    assert "BLOCKED_PATH" in talk.say("/apply 1")[0]
    (reply,) = talk.say("/apply all")
    assert "### Applied 2" in reply
    assert "Left out: 1 (a person must do this: a workflow runs with the repository's secrets)." in reply
    assert (talk.file("app.py"), talk.file(WORKFLOW)) == (NEW, None)


def test_case_109_a_script_can_be_run_afterwards(tmp_path: Path) -> None:
    with talking(tmp_path, files={"run.sh:x": b"old\n", "plain.sh": b"old\n"}) as talk:
        talk.say("/gitclaw\n\nreplace old with new in run.sh\nreplace old with new in plain.sh")
        talk.say("/apply all")
        assert talk.file("run.sh") == b"new\n"
        assert [modes(talk)[name] for name in ("run.sh", "plain.sh")] == ["100755", "100644"]


def test_case_110_nothing_is_written_through_a_link(asked: Talk) -> None:
    asked.say("/gitclaw\n\nreplace Guide with Manual in docs/guide.md")
    asked.repo.push_files("main", {"docs/guide.md": None, "docs:@": b"/tmp"}, asked.mona)
    (reply,) = asked.say("/apply 4")
    assert "### Nothing was applied" in reply
    assert asked.file("docs") == b"/tmp"


def test_case_111_what_is_applied_is_what_was_stored_whatever_the_comment_says_now(asked: Talk) -> None:
    (said,) = (comment for comment in asked.comments() if "### Proposal 1" in comment.body)
    asked.repo.edit_comment(asked.mona, said.id, said.body.replace("+hello", "+planted").replace("+new", "+planted"))
    asked.handle()
    asked.say("/apply all")
    assert (asked.file("added.txt"), asked.file("app.py")) == (b"hello\n", NEW)


def test_case_112_the_change_of_a_fork_is_given_as_a_patch(talk: Talk) -> None:
    stranger = talk.hub.account("stranger")
    fork = talk.repo.fork(stranger)
    fork.push_files("topic", {"topic.py": b"topic = 1\n"}, stranger)
    talk.number = talk.repo.open_pull(stranger, "stranger:topic")
    talk.waiting.clear()
    talk.say("/gitclaw\n\nreplace topic with theme in topic.py")
    (reply,) = talk.say("/apply 1")
    assert "### Nothing was pushed: the branch is in a fork" in reply
    assert "git apply" in reply
    assert "-topic = 1\n+theme = 1\n" in diffs(reply)


@pytest.mark.parametrize("by_ruleset", [False, True], ids=["protected", "ruleset"])
def test_case_113_a_push_that_a_rule_refuses_is_told_in_github_s_words(talk: Talk, *, by_ruleset: bool) -> None:
    talk.pull({"topic.py": b"topic = 1\n"})
    talk.say("/gitclaw\n\nreplace topic with theme in topic.py\nwrite added.txt hello")
    talk.repo.protect("topic", by_ruleset=by_ruleset)
    head = talk.repo.branch("topic")
    (reply,) = talk.say("/apply all")
    assert "Changes must be made through a pull request" in reply
    assert (talk.repo.branch("topic"), talk.state()["decisions"]) == (head, [])


def test_case_114_what_is_deleted_new_or_renamed_is_so_in_the_commit(talk: Talk) -> None:
    talk.say(
        "/gitclaw\n\ndelete docs/guide.md\nwrite manual/guide.md # Guide\nwrite deep/er/new.txt x\ndelete notes.txt"
    )
    talk.say("/apply all")
    assert set(modes(talk)) == {"app.py", "deep/er/new.txt", "manual/guide.md", "suggestions.json"}
    assert "rename" in {s["kind"] for s in talk.state()["suggestions"]}


def test_case_115_the_commit_names_its_numbers_who_asked_and_where(asked: Talk) -> None:
    """The thread stands for the comment: GitHub links the number, and shows the commit in that thread."""
    asked.say("/apply 1,3")
    message = asked.message()
    assert f"\nRefs #{asked.number}\n" in message
    assert f"\nGitclaw-Thread: {asked.number}\nGitclaw-Applied: 1, 3\n" in message
    assert f"\nCo-authored-by: mona <{asked.mona.id}+mona@users.noreply.github.com>" in message


def test_case_116_what_starts_the_checks_of_a_branch_is_told(asked: Talk) -> None:
    (reply,) = asked.say("/apply 1")
    assert "Checks do not start by themselves on a commit made with the token of GitHub Actions." in reply


def test_case_116_in_a_pull_request_the_checks_wait_for_a_click(talk: Talk) -> None:
    talk.pull({"topic.py": b"topic = 1\n"})
    talk.say(REQUEST)
    (reply,) = talk.say("/apply 1")
    assert "Checks wait for a click" in reply


def test_case_116_a_pull_request_that_we_opened_waits_for_a_click(tmp_path: Path) -> None:
    with talking(tmp_path, {"commit": {"to": "pull-request"}}) as talk:
        talk.say(REQUEST)
        assert "Approve workflows to run" in "".join(talk.say("/apply 1"))
