"""Cases 79 to 96 of a review as far as posting decides them: limits, refusals, timeouts, and a second run."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from gitclaw_py.core.replies.marker import Marker, write
from gitclaw_py.hub.faults import Fault, Faults
from gitclaw_py.hub.pulls import Offer, open_pull
from gitclaw_py.hub.reviewing import Wanted
from gitclaw_py.hub.reviews import ReviewThread
from gitclaw_py.hub.world import Doer
from tests.conversations.talk import BOT, FILES, Talk

HEAD = FILES["app.py"].replace(b"line 2\n", b"line two\n")
TWO = HEAD.replace(b"line 30\n", b"line thirty\n")
TAKEN = HEAD.replace(b"old = 1", b"new = 1")
MOVED = b"first\n" * 3 + HEAD
REQUEST = "/gitclaw\n\nreplace old with new in app.py"
IN_THE_MIDDLE = "/gitclaw\n\nreplace two with deux in app.py"
REVIEWS = r"/pulls/\d+/reviews$"


class _Before(Faults):
    """Something happens once, right before a request whose path matches is carried out."""

    def __init__(self, path: str, do: Callable[[], object]) -> None:
        super().__init__()
        self._path = re.compile(path)
        self._do = iter([do])

    def take(self, method: str, path: str) -> Fault | None:
        """No fault at all."""
        if method == "POST" and self._path.search(path):
            for do in self._do:
                do()
        return None


class _Refusing(Faults):
    """The reviews with these places in the order of all are refused for a line that is not in the diff."""

    def __init__(self, *places: int) -> None:
        super().__init__()
        errors = ["Pull request review thread line must be part of the diff"]
        body = {
            "message": "Unprocessable Entity",
            "errors": errors,
            "documentation_url": "https://docs.github.com/rest",
        }
        self._refusal = Fault("POST", re.compile(REVIEWS), status=422, body=body)
        self._places = places
        self._count = 0

    def take(self, method: str, path: str) -> Fault | None:
        """The refusal, for a review whose turn it is."""
        if method != "POST" or not self._refusal.path.search(path):
            return None
        self._count += 1
        return self._refusal if self._count in self._places else None


@pytest.fixture
def pull(talk: Talk) -> Talk:
    """A pull request whose diff shows one of the two lines that are asked for."""
    talk.pull({"app.py": HEAD})
    return talk


@pytest.fixture
def asked(pull: Talk) -> Talk:
    """That pull request with its review: a button for 1.1; 1.2 is outside of the diff."""
    pull.say(REQUEST)
    return pull


def buttons(talk: Talk) -> list[str]:
    return [c.body for c in talk.repo.review_comments(talk.number) if "```suggestion" in c.body]


def thread(talk: Talk) -> ReviewThread:
    """The only thread there is."""
    (found,) = talk.repo.review_threads(talk.number)
    return found


def pushed(talk: Talk, **files: bytes) -> None:
    """A person pushes, and the bot looks at it."""
    named = {name.replace("_", "."): content for name, content in files.items()}
    talk.repo.push_files("topic", named, talk.mona)
    talk.handle()


def review_posts(talk: Talk, start: int) -> int:
    api, _ = talk.requests(start)
    return sum(line.startswith("POST") and line.endswith("/reviews") for line in api)


def refused(talk: Talk, sentence: str, *, times: int = 1, status: int = 422) -> None:
    """Have the next so many reviews refused."""
    body = {
        "message": "Unprocessable Entity",
        "errors": [sentence],
        "documentation_url": "https://docs.github.com/rest",
    }
    talk.hub.faults.add(REVIEWS, method="POST", times=times, status=status, body=body)


def test_case_079_a_review_only_comments(asked: Talk) -> None:
    assert [review.state for review in asked.repo.reviews(asked.number)] == ["COMMENTED"]


def test_case_080_a_refused_place_leaves_the_rest_inline_and_itself_as_a_number(talk: Talk) -> None:
    """The diff of a refused change is in the thread's proposal already, so that the review only names its number."""
    talk.pull({"app.py": TWO})
    start = len(talk.hub.log)
    refused(talk, "Pull request review thread line must be part of the diff", times=3)
    (reply,) = talk.say(REQUEST)
    (body,) = buttons(talk)
    (review,) = talk.repo.reviews(talk.number)
    assert "new = 2" in body
    assert "| **1.1** | `app.py` line 1 | `/apply 1.1`: GitHub did not take the comment |" in review.body
    assert "-old = 1\n+new = 1\n" in reply
    assert review_posts(talk, start) == 4


@pytest.mark.parametrize("count", [1, 3])
def test_case_080_what_is_refused_last_is_in_the_thread_too(talk: Talk, count: int) -> None:
    """After the last piece there is a review without comments, where there is something to tell."""
    text = b"".join(b"old = %d\n" % n + b"line\n" * 9 for n in range(1, count + 1))
    talk.pull({"new.py": text})
    talk.hub.faults = _Refusing(1, 2, 2 + count)
    start = len(talk.hub.log)
    talk.say("/gitclaw\n\nreplace old with new in new.py\nwrite added.txt x")
    told = "".join(review.body for review in talk.repo.reviews(talk.number))
    line = count * 10 - 9
    number = f"2.{count}" if count > 1 else "2"
    assert f"| **{number}** | `new.py` line {line} | `/apply {number}`: GitHub did not take the comment |" in told
    assert told.count("GitHub did not take the comment") == 1
    assert told.count("it is a new file") == 1
    assert len(buttons(talk)) == count - 1
    assert review_posts(talk, start) == 2 + count + 1
    assert "### Review: 0 suggestions with a button\n\nUse the numbers here.\n" in told


@pytest.mark.parametrize("ours", [True, False])
def test_case_081_only_a_pending_review_of_our_own_is_dropped(pull: Talk, *, ours: bool) -> None:
    left = "left by a crash\n\n" + write(Marker("review", "1")) if ours else "a draft of someone with the same account"
    pull.repo.review(pull.hub.account(BOT), pull.number, Wanted(left))
    start = len(pull.hub.log)
    pull.say(REQUEST)
    assert any(line.startswith("DELETE") for line in pull.requests(start)[0]) is ours
    assert len(buttons(pull)) == ours
    assert review_posts(pull, start) == 2


def test_case_082_a_pull_request_of_our_own_is_commented_on(talk: Talk) -> None:
    bot = talk.hub.account(BOT)
    talk.repo.push_files("topic", {"app.py": HEAD}, talk.mona)
    talk.number = talk.repo.open_pull(bot, "topic")
    talk.waiting.clear()
    talk.say(REQUEST)
    assert len(buttons(talk)) == 1


def test_case_082_a_draft_is_reviewed_like_any_other(talk: Talk) -> None:
    talk.repo.push_files("topic", {"app.py": HEAD}, talk.mona)
    offer = Offer(talk.repo.repository, "topic", "main", "A draft", "", is_draft=True)
    talk.number = open_pull(talk.hub.world, talk.repo.repository, Doer(talk.mona), offer).number
    talk.waiting.clear()
    talk.say(REQUEST)
    assert (len(buttons(talk)), talk.runs[-1].code) == (1, 0)


def test_case_082_a_locked_pull_request_keeps_its_numbers_in_the_thread(pull: Talk) -> None:
    """A review that a lock refuses is skipped with its reason; that is no failure of the run."""
    pull.repo.grant(pull.mona, "admin")
    pull.repo.lock(pull.number)
    pull.waiting.clear()
    refused(pull, "lock prevents review", times=9)
    (reply,) = pull.say(REQUEST)
    assert "### Proposal 1" in reply
    assert "no review was posted: Could not review pull request #2: the conversation is locked" in pull.runs[-1].out
    assert "may not" not in pull.runs[-1].out
    assert "every number is in the thread" in pull.runs[-1].out
    assert pull.runs[-1].code == 0


def test_case_082_a_closed_pull_request_gets_no_review(pull: Talk) -> None:
    pull.repo.close(pull.mona, pull.number)
    pull.waiting.clear()
    start = len(pull.hub.log)
    (reply,) = pull.say(REQUEST)
    assert "### Proposal 1" in reply
    assert (review_posts(pull, start), pull.runs[-1].code) == (0, 0)


@pytest.mark.parametrize("status", [403, 429])
def test_case_084_a_limit_is_waited_for_and_the_review_is_there_once(pull: Talk, status: int) -> None:
    body = {"message": "You have exceeded a secondary rate limit."}
    pull.hub.faults.add(REVIEWS, method="POST", status=status, body=body, headers={"Retry-After": "30"})
    pull.say(REQUEST)
    assert 30.0 in pull.slept
    assert len(pull.repo.reviews(pull.number)) == 1


def test_case_084_a_review_that_came_through_all_the_same_is_found(pull: Talk) -> None:
    start = len(pull.hub.log)
    pull.hub.faults.add(REVIEWS, method="POST", status=429, headers={"Retry-After": "30"}, after=True)
    pull.say(REQUEST)
    assert 30.0 in pull.slept
    assert len(pull.repo.reviews(pull.number)) == review_posts(pull, start) == 1


def test_case_084_an_hour_is_not_waited(pull: Talk) -> None:
    pull.hub.faults.limit(REVIEWS, method="POST", times=9, seconds=3600)
    (reply,) = pull.say(REQUEST)
    assert "### Proposal 1" in reply
    assert sum(pull.slept) <= 180
    assert "could not be posted" in pull.runs[-1].out


@pytest.mark.parametrize("after", [True, False], ids=["came through", "did not"])
@pytest.mark.parametrize("how", [{"drop": True}, {"status": 502}], ids=["no answer", "bad gateway"])
def test_case_085_a_review_without_an_answer_is_looked_for(pull: Talk, how: dict[str, Any], *, after: bool) -> None:
    start = len(pull.hub.log)
    pull.hub.faults.add(REVIEWS, method="POST", after=after, **how)
    pull.say(REQUEST)
    assert len(pull.repo.reviews(pull.number)) == len(buttons(pull)) == 1
    assert review_posts(pull, start) == 2 - after


def test_case_086_more_than_fit_into_one_review_keep_their_numbers(talk: Talk) -> None:
    talk.pull({"new.py": b"".join(b"old = %d\n" % n + b"line\n" * 9 for n in range(1, 61))})
    talk.say("/gitclaw\n\nreplace old with new in new.py")
    (review,) = talk.repo.reviews(talk.number)
    assert len(buttons(talk)) == 50
    assert review.body.count("there are too many for one review") == 10
    assert "| **1.60** | `new.py` line 591 | `/apply 1.60`: there are too many for one review |" in review.body
    talk.say("/apply 1.60")
    assert b"new = 60\n" in (talk.file("new.py", "topic") or b"")


def test_case_088_a_push_before_the_review_puts_no_comment_on_a_wrong_line(pull: Talk) -> None:
    head = pull.repo.branch("topic")
    pull.hub.faults = _Before(REVIEWS, lambda: pull.repo.push_files("topic", {"app.py": MOVED}, pull.mona))
    pull.say(IN_THE_MIDDLE)
    (review,) = pull.repo.reviews(pull.number)
    (button,) = pull.repo.review_comments(pull.number)
    assert review.commit == head != pull.repo.branch("topic")
    pull.repo.apply_suggestions(pull.mona, pull.number, [button.id])
    assert pull.file("app.py", "topic") == MOVED.replace(b"line two", b"line deux")


def test_case_089_a_second_run_adds_nothing_and_says_so(asked: Talk) -> None:
    before = asked.repo.review_comments(asked.number)
    start = len(asked.hub.log)
    pushed(asked, other_txt=b"more\n")
    assert asked.repo.review_comments(asked.number) == before
    assert review_posts(asked, start) == 0
    assert "review comments that are there already: 1" in asked.runs[-1].out


def test_case_090_a_change_that_moved_down_is_the_same(pull: Talk) -> None:
    pull.say(IN_THE_MIDDLE)
    pushed(pull, app_py=MOVED)
    assert len(buttons(pull)) == 1
    assert thread(pull).resolved_by is None
    assert "review comments that are there already: 1" in pull.runs[-1].out


@pytest.mark.parametrize("replied", [False, True], ids=["alone", "a person replied"])
def test_case_091_a_thread_whose_change_is_made_is_closed_unless_people_talk_in_it(
    asked: Talk, *, replied: bool
) -> None:
    (said,) = asked.repo.review_comments(asked.number)
    if replied:
        asked.repo.reply_in_review(asked.mona, asked.number, said.id, "Hm, why?")
    pushed(asked, app_py=TAKEN)
    assert (thread(asked).resolved_by is None) is replied
    assert thread(asked).comments[0].id == said.id


@pytest.mark.parametrize(("turned_down", "count"), [("", 2), ("resolved", 1), ("thumbs-down", 1), ("deleted", 0)])
def test_case_092_what_a_person_turned_down_is_not_posted_again(asked: Talk, turned_down: str, count: int) -> None:
    """Applied and taken back, a change is pending again; without a word of a person it has a button again."""
    match turned_down:
        case "resolved":
            asked.repo.resolve(asked.mona, thread(asked))
        case "thumbs-down":
            asked.repo.repository.reviews.react(thread(asked).comments[0], asked.mona, "-1")
        case "deleted":
            asked.repo.repository.reviews.remove(thread(asked).comments[0])
    asked.say("/apply 1.1")
    pushed(asked, other_txt=b"more\n")
    asked.say("/undo")
    pushed(asked, other_txt=b"more still\n")
    assert len(buttons(asked)) == count


def test_case_092_what_a_person_deleted_is_pending_still(asked: Talk) -> None:
    asked.repo.repository.reviews.remove(thread(asked).comments[0])
    start = len(asked.hub.log)
    pushed(asked, other_txt=b"more\n")
    assert buttons(asked) == []
    assert [line for line in asked.requests(start)[0] if "/reviews" in line] == []
    assert "1 pending" in asked.say("/gitclaw status")[0]
    asked.say("/apply 1.1")
    assert asked.file("app.py", "topic") == TAKEN


def test_case_095_when_nothing_is_left_there_is_no_review_and_the_old_one_is_closed(asked: Talk) -> None:
    start = len(asked.hub.log)
    pushed(asked, app_py=HEAD.replace(b"old", b"new"))
    assert review_posts(asked, start) == 0
    assert thread(asked).resolved_by is not None


def test_case_096_a_thread_that_may_not_be_resolved_is_hidden_instead(asked: Talk) -> None:
    asked.repo.repository.reviews.resolving_needs = "administration"
    pushed(asked, app_py=TAKEN)
    assert thread(asked).resolved_by is None
    assert list(asked.repo.repository.reviews.hidden) == [thread(asked).comments[0].node_id]
    assert asked.runs[-1].code == 0
    pushed(asked, other_txt=b"more\n")
    assert "closed" not in asked.runs[-1].out


def test_case_096_forbidden_to_close_in_any_way_is_two_lines_and_no_failure(asked: Talk) -> None:
    """The token was told that it may: the first request reads the threads, the next two resolve and hide."""
    error = {"type": "FORBIDDEN", "message": "Resource not accessible by integration"}
    refusal = {"data": {"a0": None}, "errors": [{**error, "path": ["a0"]}]}
    asked.hub.faults.add("/graphql")
    asked.hub.faults.add("/graphql", times=2, status=200, body=refusal)
    pushed(asked, app_py=TAKEN)
    assert (thread(asked).resolved_by, asked.repo.repository.reviews.hidden) == (None, {})
    assert "could not resolve review threads: Resource not accessible by integration\n" in asked.runs[-1].err
    assert "could not hide comments: Resource not accessible by integration\n" in asked.runs[-1].err
    assert asked.runs[-1].code == 0
