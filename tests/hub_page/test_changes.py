"""The page of a pull request's changes as a document: what stands in it, and what cannot be made up."""

from __future__ import annotations

from gitclaw_py.hub.diff_page import render
from gitclaw_py.hub.diff_views import ChangedFile, ChangesView, Line, Part, Said, Talk
from gitclaw_py.hub.page import render as render_thread
from gitclaw_py.hub.views import Reaction, Remark, Reviewed
from tests.hub_page.sample import PULL
from tests.hub_page.test_page import Document

SUGGESTION = "Shorter.\n\n```suggestion\nnew\n```\n"
SAID = Said(
    7, "gitclaw[bot]", "bot", "2026-11-27T09:00:00Z", SUGGESTION, ("old <line>",), reactions=(Reaction("+1", 1),)
)
OPEN = Talk("PRRT_7", "Line 5", (SAID,), suggestion=7)
OUTDATED = Talk("PRRT_8", "Line 9", (SAID._replace(id=8),), "Outdated", hint="Outdated suggestions cannot be applied.")
RESOLVED = Talk("PRRT_9", "Lines 2 to 3", (SAID._replace(id=9),), "Resolved", is_resolved=True)
LINES = (
    Line(" ", 4, 4, "same"),
    Line("-", 5, None, "old"),
    Line("+", None, 5, "new", has_newline=False, talks=(OPEN,)),
)
VIEW = ChangesView(
    PULL._replace(state="open", people=("mona", "octocat"), changes=1),
    (
        ChangedFile("src/a.py", "", 1, 1, (Part("@@ -4,2 +4,2 @@ def f():", LINES),), (OUTDATED,)),
        ChangedFile("gone.py", "This pull request does not change it any more.", 0, 0, (), (RESOLVED,)),
    ),
)


def test_lines_have_their_numbers_and_their_sign_in_words_too() -> None:
    page = render(VIEW).decode()
    assert '<tr class="removed"><td class="at">5</td><td class="at"></td><td><pre>' in page
    assert '<span class="hidden">added: </span><span class="sign">+</span>new' in page
    assert '<span class="no-end">no line end</span>' in page


def test_a_suggestion_shows_the_lines_it_replaces_and_those_it_puts_there() -> None:
    page = render(VIEW).decode()
    assert (
        '<span class="removed"><span class="sign">-</span>old &lt;line&gt;\n</span>'
        '<span class="added"><span class="sign">+</span>new\n</span>'
    ) in page


def test_only_what_can_be_applied_has_a_button() -> None:
    page = Document(render(VIEW))
    buttons = [(button.get("name"), button.get("value")) for button in page.all("button") if button.get("name")]
    assert ("apply", "7") in buttons
    assert ("apply", "batch") in buttons
    assert {("resolve", "PRRT_7"), ("resolve", "PRRT_8"), ("unresolve", "PRRT_9")} <= set(buttons)
    assert [value for name, value in buttons if name == "apply"] == ["7", "batch"]
    assert [box["value"] for box in page.all("input") if box.get("name") == "comment"] == ["7"]
    assert "Outdated suggestions cannot be applied." in render(VIEW).decode()


def test_who_may_do_nothing_sees_no_button() -> None:
    page = Document(render(VIEW._replace(thread=VIEW.thread._replace(people=()))))
    assert not page.all("button")
    assert not page.all("form")


def test_what_is_resolved_or_outdated_is_folded_and_says_so() -> None:
    page = render(VIEW).decode()
    assert page.count('<details class="talk folded">') == 2
    assert '<span class="role">Outdated</span> gitclaw on line 9, 1 comment' in page
    assert '<span class="role">Resolved</span> gitclaw on lines 2 to 3, 1 comment' in page


def test_every_field_has_a_label_and_every_id_is_there_once() -> None:
    page = Document(render(VIEW))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    labelled = {label["for"] for label in page.all("label") if "for" in label}
    assert {field["id"] for tag in ("textarea", "select") for field in page.all(tag)} <= labelled
    named = [a["aria-labelledby"] for _, a in page.tags if "aria-labelledby" in a]
    assert set(named) <= set(ids)
    assert {a["form"] for _, a in page.tags if "form" in a} <= set(ids)


def test_the_two_pages_lead_to_each_other() -> None:
    page = Document(render(VIEW))
    tabs = [(link["href"], link.get("aria-current")) for link in page.all("a") if "/pull/" in (link["href"] or "")]
    assert tabs[:2] == [("/octo/hello/pull/57", None), ("/octo/hello/pull/57/files", "page")]
    assert 'href="/octo/hello/pull/57" aria-current="page"' in render_thread(VIEW.thread).decode()


def test_a_review_stands_in_the_conversation_with_links_to_its_comments() -> None:
    remark = Remark(7, "`src/a.py` line 5", "/octo/hello/pull/57/files#discussion_r7", "Resolved")
    review = Reviewed(3, "octocat", "write", "2026-11-27T09:00:00Z", "requested changes", "Hm.", (remark,))
    page = render_thread(PULL._replace(entries=(review,))).decode()
    assert "<span>requested changes</span>" in page
    assert (
        '<li id="discussion_r7"><a href="/octo/hello/pull/57/files#discussion_r7"><code>src/a.py</code> line 5</a>'
        in page
    )
    assert 'id="pullrequestreview-3"' in page


_EVIL = "\"'><script>alert(1)</script><!--`</title></textarea></td></table>"


def test_no_value_can_write_markup() -> None:
    def built(text: str) -> bytes:
        said = Said(7, text, text, text, text, (text,), reactions=(Reaction(text, 1),))
        talk = Talk(text, text, (said,), hint=text)
        other = talk._replace(said=(said._replace(id=8),), state=text, suggestion=8)
        line = Line(text, 1, 1, text, talks=(talk,))
        file = ChangedFile(text, text, 1, 1, (Part(text, (line,)),), (other,))
        return render(ChangesView(PULL._replace(people=(text,), form_token=text, notice=text, changes=1), (file,)))

    written, expected = Document(built(_EVIL)), Document(built("x"))
    assert [(tag, sorted(names)) for tag, names in written.tags] == [(t, sorted(names)) for t, names in expected.tags]


def test_what_is_hidden_is_folded_and_says_why() -> None:
    review = Reviewed(3, "octocat", "write", "2026-11-27T09:00:00Z", "reviewed", "Hm.", (), "outdated")
    page = render_thread(PULL._replace(entries=(review,))).decode()
    assert "<summary>This comment was hidden as outdated.</summary>" in page
    talk = OPEN._replace(said=(SAID._replace(hidden="off_topic"),))
    file = ChangedFile("a", "", 0, 0, (), (talk,))
    assert "hidden as off topic." in render(VIEW._replace(files=(file,))).decode()
