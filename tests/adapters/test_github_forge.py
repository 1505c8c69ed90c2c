from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from gitclaw_py.adapters.github_forge import GitHubForge
from gitclaw_py.core.access import Level
from gitclaw_py.core.thread import Account, Comment, PullRequest
from gitclaw_py.ports.forge import Forge
from tests.adapters.github_world import (
    BROKEN,
    DENIED,
    HANGS_UP,
    NEW,
    ROOT,
    World,
    comment,
    failing,
    issue,
    pull,
    user,
    working,
)
from tests.adapters.scripted_github import Says

COMMENTS = f"{ROOT}/issues/42/comments"
PAGE_1 = f"GET {COMMENTS}?page=1&per_page=100"
MONA = Account("mona", 7)


@pytest.fixture
def world() -> Iterator[World]:
    with working() as found:
        yield found


PULL = PullRequest(9, "https://github.com/octo/hello/pull/9", True, "octo/hello", "fix", NEW, "main")


def permission(name: str, role: str | None = None, number: int = 7) -> Says:
    return Says({"permission": name, "role_name": role or name, "user": user(number=number)})


def linked(last: int) -> dict[str, str]:
    there = f"https://elsewhere.example{COMMENTS}?per_page=100&page="
    return {"Link": f'<{there}2>; rel="next", <{there}{last}>; rel="last"'}


def ours(found: Comment) -> bool:
    return "<!-- ours -->" in found.body


def test_it_is_what_the_handlers_ask_for(world: World) -> None:
    forge: Forge = world.forge
    assert forge is world.forge
    assert world.script.asked == []


def test_nothing_heavy_is_imported_before_the_first_request() -> None:
    heavy = "('github', 'requests', 'ssl', 'httpx', 'pydantic', 'email')"
    program = (
        "import sys; from gitclaw_py.adapters.github_forge import GitHubForge;"
        "GitHubForge('https://api.github.com', 't', 'o/r', sleep=print, note=print).close();"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "[]\n"


def test_what_signs_for_apps_is_not_loaded_and_can_be_by_others() -> None:
    program = (
        "import sys; from gitclaw_py.adapters.github_forge import imported; imported();"
        "print([name for name in sys.modules if name.startswith('cryptography')]);"
        "import cryptography; print(cryptography.__name__)"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "[]\ncryptography\n"


def test_requests_carry_the_token_and_the_version_of_the_interface(world: World) -> None:
    world.script.answers(Says(issue()))
    world.forge.thread(42)
    headers = world.script.asked[0].headers
    assert headers["Authorization"] == "token t0ken"
    assert headers["X-GitHub-Api-Version"] == "2022-11-28"
    assert headers["User-Agent"] == "gitclaw"


@pytest.mark.parametrize(
    ("answer", "level"),
    [
        (permission("admin"), Level.ADMIN),
        (permission("write", "maintain"), Level.MAINTAIN),
        (permission("write"), Level.WRITE),
        (permission("write", "release manager"), Level.WRITE),
        (permission("read", "triage"), Level.TRIAGE),
        (permission("read"), Level.READ),
        (permission("read", "admin"), Level.READ),
        (permission("none"), Level.NONE),
    ],
)
def test_row_01_a_role_is_a_level_and_one_of_their_own_making_counts_as_its_permission(
    world: World, answer: Says, level: Level
) -> None:
    world.script.answers(answer)
    assert world.forge.level(MONA) is level
    assert world.script.requests == [f"GET {ROOT}/collaborators/mona/permission"]


@pytest.mark.parametrize(
    "answer",
    [
        permission("admin", number=8),
        Says({"permission": "admin", "role_name": "admin", "user": None}),
        permission("owner"),
        Says({"message": "Not Found"}, 404),
        Says({"message": "mona is not a user"}, 404),
        DENIED,
        Says({"message": "Bad credentials"}, 401),
        Says({"permission": "admin", "role_name": "admin"}),
        Says([]),
        Says("admin"),
    ],
)
def test_row_66_no_permission_when_the_answer_does_not_say_so_of_this_id(world: World, answer: Says) -> None:
    world.script.answers(answer)
    assert world.forge.level(MONA) is Level.NONE
    assert len(world.noted) == 1
    assert "mona" in world.noted[0]


def test_row_01_no_permission_when_there_is_no_answer(world: World) -> None:
    world.script.answers(BROKEN, HANGS_UP, BROKEN)
    assert world.forge.level(MONA) is Level.NONE
    assert "502 Server Error" in world.noted[-1]


def test_a_login_is_quoted(world: World) -> None:
    world.script.answers(Says({"message": "Not Found"}, 404))
    assert world.forge.level(Account("../../x[bot]", 5)) is Level.NONE
    assert world.script.requests == [f"GET {ROOT}/collaborators/..%2F..%2Fx%5Bbot%5D/permission"]


def test_comments_come_a_hundred_at_a_time(world: World) -> None:
    world.script.answers(
        Says([comment(n) for n in range(100)], headers=linked(2)), Says([comment(100)]), Says([comment(101)])
    )
    assert [found.id for found in world.forge.comments(42, None)] == list(range(101))
    assert [found.id for found in world.forge.comments(42, "2026-01-02T03:04:05Z")] == [101]
    since = "&since=2026-01-02T03%3A04%3A05Z"
    assert world.script.requests == [PAGE_1, f"GET {COMMENTS}?page=2&per_page=100", PAGE_1 + since]


def test_a_comment_is_read_as_it_was_written(world: World) -> None:
    there = comment(5, "a\r\n<b>\u2028") | {"updated_at": "2026-01-02T03:04:06Z", "user": None}
    world.script.answers(Says([there]))
    (found,) = world.forge.comments(42, None)
    assert found.body == "a\r\n<b>\u2028"
    assert found.is_edited
    assert found.author == Account("ghost", 0)


def test_a_thread_is_one_request(world: World) -> None:
    more: dict[str, Any] = {
        "pull_request": {"url": "https://api.github.com/x"},
        "labels": ["old", {"name": "new"}],
        "state": "closed",
        "locked": True,
        "user": user("robot[bot]", 3, "Bot"),
    }
    world.script.answers(Says(issue(**more)), Says(issue()))
    found = world.forge.thread(42)
    assert (found.is_pull_request, found.is_open, found.is_locked) == (True, False, True)
    assert found.labels == ("old", "new")
    assert found.author == Account("robot[bot]", 3, is_bot=True)
    assert found.body == ""
    found = world.forge.thread(42)
    assert (found.is_pull_request, found.is_open, found.is_locked) == (False, True, False)
    assert world.script.requests == [f"GET {ROOT}/issues/42"] * 2


def test_a_comment_is_one_request(world: World) -> None:
    world.script.answers(Says(comment(5, "hi"), 201))
    assert world.forge.comment(42, "hi", ours).id == 5
    assert [(asked.method, asked.path, asked.body) for asked in world.script.asked] == [
        ("POST", COMMENTS, {"body": "hi"})
    ]
    assert world.slept == []


def test_comments_are_a_second_apart(world: World) -> None:
    world.script.answers(Says(comment(5), 201), Says(comment(6), 201))
    start = time.monotonic()
    world.forge.comment(42, "one", ours)
    world.forge.comment(42, "two", ours)
    assert time.monotonic() - start < 0.9, "only the sleep that was given is used"
    assert len(world.slept) == 1
    assert 0.5 < world.slept[0] <= 1


SLOW = Says(comment(5), 201, seconds=1.3)
HALF = Says(status=201, text='{"id": 5, "bo')
PROXY = Says(status=200, text="<html>Sign in to the guest network</html>")
LIMITED = Says({"message": "You have exceeded a secondary rate limit."}, 403, {"Retry-After": "30"})


@pytest.mark.parametrize("failure", [BROKEN, HANGS_UP, SLOW, HALF, PROXY, LIMITED, Says(text="", status=201)])
def test_a_comment_that_is_there_after_a_failure_is_not_posted_again(world: World, failure: Says) -> None:
    there = [comment(3, "<!-- ours -->"), comment(4, "an answer"), comment(5, "hi <!-- ours -->"), comment(6, "thanks")]
    world.script.answers(failure, Says(there))
    assert world.forge.comment(42, "hi <!-- ours -->", ours).id == 5
    assert world.script.requests == [f"POST {COMMENTS}", PAGE_1]
    assert world.slept == [30 if failure is LIMITED else 1]


def test_a_comment_that_is_not_there_after_a_failure_is_posted_again(world: World) -> None:
    world.script.answers(BROKEN, Says([comment(4)]), HANGS_UP, Says([comment(4)]), Says(comment(5), 201))
    assert world.forge.comment(42, "hi <!-- ours -->", ours).id == 5
    assert world.script.requests == [f"POST {COMMENTS}", PAGE_1, f"POST {COMMENTS}", PAGE_1, f"POST {COMMENTS}"]
    assert world.slept == [1, 2]
    assert world.noted[0] == "GitHub: status 502: Server Error; look in 1 s (comment on #42)"


def test_a_comment_is_not_posted_a_fourth_time(world: World) -> None:
    world.script.answers(BROKEN, Says([]), BROKEN, Says([]), BROKEN)
    error = failing(lambda: world.forge.comment(42, "hi", ours))
    assert error.code == "FORGE_UNAVAILABLE"
    assert error.details == ("502 Server Error",)


def test_a_comment_is_not_posted_again_while_nobody_can_say_whether_it_is_there(world: World) -> None:
    world.script.answers(HANGS_UP, BROKEN, BROKEN, BROKEN)
    assert failing(lambda: world.forge.comment(42, "hi", ours)).code == "FORGE_UNAVAILABLE"
    assert world.script.requests == [f"POST {COMMENTS}", *[PAGE_1] * 3]


def test_in_a_long_thread_only_the_newest_comments_are_looked_at(world: World) -> None:
    world.script.answers(
        HANGS_UP, Says([comment(1)], headers=linked(9)), Says([comment(900)]), Says([comment(850, "<!-- ours -->")])
    )
    assert world.forge.comment(42, "hi", ours).id == 850
    assert [path[-20:] for path in world.script.requests[1:]] == [f"?page={n}&per_page=100" for n in (1, 9, 8)]


def test_editing_is_one_request_and_may_be_repeated(world: World) -> None:
    world.script.answers(BROKEN, Says(comment(5)))
    world.forge.edit(5, "new")
    assert world.script.requests == [f"PATCH {ROOT}/issues/comments/5"] * 2
    assert world.script.asked[1].body == {"body": "new"}


@pytest.mark.parametrize(
    "answer", [DENIED, BROKEN, HANGS_UP, LIMITED, PROXY, Says({"message": "Validation Failed"}, 422)]
)
def test_a_reaction_that_fails_is_noted_and_not_repeated(world: World, answer: Says) -> None:
    world.script.answers(answer)
    world.forge.react(42, 5, "eyes")
    assert world.script.requests == [f"POST {ROOT}/issues/comments/5/reactions"]
    assert world.slept == []
    assert world.noted[0].startswith("left out a reaction: ")


def test_a_reaction_to_the_thread_itself(world: World) -> None:
    world.script.answers(Says({"id": 1, "content": "eyes"}, 201))
    world.forge.react(42, None, "eyes")
    assert [(str(asked), asked.body) for asked in world.script.asked] == [
        (f"POST {ROOT}/issues/42/reactions", {"content": "eyes"})
    ]
    assert world.noted == []


def test_opening_an_issue_is_one_request(world: World) -> None:
    world.script.answers(Says(issue(43), 201))
    assert world.forge.open_issue("It breaks", "always").number == 43
    assert world.script.asked[0].body == {"title": "It breaks", "body": "always"}


def test_an_issue_that_may_be_there_is_not_opened_again(world: World) -> None:
    world.script.answers(BROKEN)
    assert failing(lambda: world.forge.open_issue("It breaks", "")).code == "FORGE_UNAVAILABLE"


def test_an_issue_that_was_refused_only_for_now_is_opened(world: World) -> None:
    world.script.answers(LIMITED, Says(issue(43), 201))
    assert world.forge.open_issue("It breaks", "").number == 43
    assert world.slept == [30]


def test_a_pull_request_is_one_request(world: World) -> None:
    world.script.answers(Says(pull()), Says(pull(repository=None)))
    assert world.forge.pull(9) == PULL
    assert world.forge.pull(9).head_repository is None
    assert world.script.requests == [f"GET {ROOT}/pulls/9"] * 2


def test_the_pull_request_of_a_branch_is_not_that_of_a_fork(world: World) -> None:
    world.script.answers(Says([pull(8, "octo/fork"), pull()]), Says([pull(8, "octo/fork"), pull(7, None)]))
    assert world.forge.pull_of("fix") == PULL
    assert world.forge.pull_of("fix") is None
    assert world.script.requests[0] == f"GET {ROOT}/pulls?head=octo%3Afix&per_page=100&state=all"


def test_opening_a_pull_request_is_one_request(world: World) -> None:
    world.script.answers(Says(pull(), 201))
    assert world.forge.open_pull("fix", "main", "Fix it", "why", draft=True) == PULL
    assert world.script.asked[0].body == {
        "head": "fix",
        "base": "main",
        "title": "Fix it",
        "body": "why",
        "draft": True,
    }


def test_a_pull_request_that_is_there_after_a_failure_is_the_one(world: World) -> None:
    world.script.answers(HANGS_UP, Says([pull()]))
    assert world.forge.open_pull("fix", "main", "Fix it", "why", draft=False) == PULL


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [
        ("Resource not accessible by integration", 403, "PERMISSION_DENIED"),
        ("GitHub Actions is not permitted to create or approve pull requests.", 403, "PERMISSION_DENIED"),
        ("Bad credentials", 401, "PERMISSION_DENIED"),
        ("Not Found", 404, "PERMISSION_DENIED"),
        ("A pull request already exists for octo:fix.", 422, "BRANCH_EXISTS"),
        ("Repository rule violations found", 422, "BRANCH_PROTECTED"),
        ("body is too long (maximum is 65536 characters)", 422, "TOO_LARGE"),
        ("Merge conflict", 409, "STATE_CONFLICT"),
        ("Problems parsing JSON", 400, "INTERNAL"),
    ],
)
def test_a_refusal_is_told_with_the_words_of_github(world: World, text: str, status: int, code: str) -> None:
    world.script.answers(Says({"message": "Validation Failed", "errors": [{"message": text}]}, status))
    error = failing(lambda: world.forge.open_pull("fix", "main", "Fix it", "why", draft=False))
    assert error.code == code
    assert text in error.details[0]
    assert world.slept == []


def test_the_limit_of_requests_is_waited_for_by_the_clock_of_the_forge(world: World) -> None:
    spent = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767322810", "Date": "Fri, 02 Jan 2026 03:00:00 GMT"}
    world.script.answers(Says({"message": "API rate limit exceeded for x"}, 403, spent), Says(issue()))
    assert world.forge.thread(42).number == 42
    assert world.slept == [11]


def test_the_time_to_wait_may_be_a_date(world: World) -> None:
    later = {"Retry-After": "Fri, 02 Jan 2026 03:00:25 GMT", "Date": "Fri, 02 Jan 2026 03:00:00 GMT"}
    world.script.answers(Says({"message": "Unavailable"}, 503, later), Says(issue()))
    assert world.forge.thread(42).number == 42
    assert world.slept == [25]


def test_a_limit_that_lasts_too_long_is_told(world: World) -> None:
    world.script.answers(Says({"message": "API rate limit exceeded"}, 429, {"Retry-After": "3000"}))
    error = failing(lambda: world.forge.thread(42))
    assert (error.code, error.details) == ("FORGE_UNAVAILABLE", ("429 API rate limit exceeded",))
    assert world.slept == []


def test_a_server_that_is_not_there(world: World) -> None:
    forge = GitHubForge("http://127.0.0.1:9", "t", "octo/hello", sleep=world.slept.append, note=world.noted.append)
    assert failing(lambda: forge.thread(42)).code == "FORGE_UNAVAILABLE"
    assert world.slept == [1, 2]


@pytest.mark.parametrize("answer", [Says({"number": 42}), Says([issue()]), Says(issue() | {"title": 3}), Says(4)])
def test_an_answer_of_another_shape_is_told(world: World, answer: Says) -> None:
    world.script.answers(answer)
    assert failing(lambda: world.forge.thread(42)).code == "FORGE_UNAVAILABLE"
