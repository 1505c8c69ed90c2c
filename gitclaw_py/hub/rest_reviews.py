"""The operations on reviews and their comments.

https://docs.github.com/rest/pulls/reviews, https://docs.github.com/rest/pulls/comments
"""

from __future__ import annotations

from gitclaw_py.core.access import Level
from gitclaw_py.core.thread import Account
from gitclaw_py.hub import documents, review_documents, reviewing
from gitclaw_py.hub.anchors import Draft
from gitclaw_py.hub.calls import Answer, Call, Field, Json, check_fields, one_page
from gitclaw_py.hub.diff_lines import LEFT, RIGHT
from gitclaw_py.hub.refusals import RefusalError, malformed, not_for_this_role
from gitclaw_py.hub.rest_threads import need_role
from gitclaw_py.hub.reviews import STATES, Review, ReviewComment
from gitclaw_py.hub.times import normal
from gitclaw_py.hub.world import Doer, World

_DRAFT = (
    Field("path", (str,), is_required=True),
    Field("body", (str,), is_required=True),
    *(Field(name, (int,)) for name in ("position", "line", "start_line")),
    *(Field(name) for name in ("side", "start_side")),
)
_NO_SCHEMA = 'No subschema in "oneOf" matched.'
"""What a comment with a key too many is told. https://github.com/PyGithub/PyGithub/issues/3293"""


def _viewer(call: Call) -> Account | None:
    return call.token.account if call.token else None


def _review(call: Call) -> Review:
    number = call.here.threads.pull(call.number("number"))[0].number
    return call.here.reviews.get(number, call.number("review"), _viewer(call))


def _own_review(call: Call) -> Review:
    review = _review(call)
    if review.author.id != call.who.account.id:
        raise not_for_this_role()
    return review


def _answered(world: World, call: Call, review: Review) -> Answer:
    return Answer(200, review_documents.review(world.links, call.here, review))


def list_reviews(world: World, call: Call) -> Answer:
    """The reviews of a pull request, oldest first."""
    number = call.here.threads.pull(call.number("number"))[0].number
    reviews = call.here.reviews.of(number, _viewer(call))
    return one_page(call, [review_documents.review(world.links, call.here, review) for review in reviews])


def create_review(world: World, call: Call) -> Answer:
    """Post a review with all its comments, or nothing."""
    number = call.here.threads.pull(call.number("number"))[0].number
    drafts = call.fields.get("comments", [])
    comments = [_draft(draft) for draft in (drafts if isinstance(drafts, list) else [])]
    wanted = reviewing.Wanted(call.text("body") or "", _event(call), comments, call.text("commit_id"))
    return _answered(world, call, reviewing.post(world, call.here, Doer.of(call.who), number, wanted))


def _event(call: Call) -> str | None:
    event = call.text("event")
    if event and event not in STATES:
        raise malformed(f"For 'properties/event', {event} is not one of {', '.join(STATES)}.")
    return event or None


def _draft(value: object) -> Draft:
    try:
        check_fields(value, _DRAFT)
    except RefusalError as refusal:
        raise malformed(f"{_NO_SCHEMA}\n{refusal.message.rpartition(chr(10))[2]}") from refusal
    return _read_draft(value if isinstance(value, dict) else {})


def _read_draft(fields: Json) -> Draft:
    sides = [_text(fields, name) for name in ("side", "start_side")]
    if any(side not in {None, RIGHT, LEFT} for side in sides):
        raise malformed(f"For 'properties/side', {sides[0]} is not one of {LEFT}, {RIGHT}.")
    return Draft(
        str(fields["path"]),
        str(fields["body"]),
        _number(fields, "line"),
        sides[0] or RIGHT,
        _number(fields, "start_line"),
        sides[1],
        _number(fields, "position"),
        fields.get("subject_type") == "file",
    )


def _text(fields: Json, name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) else None


def _number(fields: Json, name: str) -> int | None:
    value = fields.get(name)
    return value if isinstance(value, int) else None


def get_review(world: World, call: Call) -> Answer:
    """One review."""
    return _answered(world, call, _review(call))


def edit_review(world: World, call: Call) -> Answer:
    """Replace the summary of one's own review."""
    body = str(call.fields["body"])
    return _answered(world, call, reviewing.edit_review(world, call.here, Doer.of(call.who), _own_review(call), body))


def delete_review(world: World, call: Call) -> Answer:
    """Delete one's own pending review."""
    review = _own_review(call)
    document = _answered(world, call, review)
    reviewing.drop(world, call.here, review)
    return document


def submit_review(world: World, call: Call) -> Answer:
    """Submit one's own pending review."""
    wanted = reviewing.Wanted(call.text("body") or "", _event(call))
    return _answered(world, call, reviewing.submit(world, call.here, Doer.of(call.who), _own_review(call), wanted))


def dismiss_review(world: World, call: Call) -> Answer:
    """Let a review no longer count."""
    need_role(call, Level.WRITE)
    message = str(call.fields["message"])
    return _answered(world, call, reviewing.dismiss(world, call.here, Doer.of(call.who), _review(call), message))


def list_comments_of_review(world: World, call: Call) -> Answer:
    """The comments of one review."""
    return _listed(world, call, call.here.reviews.comments_of(_review(call)))


def list_comments(world: World, call: Call) -> Answer:
    """The comments of all reviews of a pull request."""
    number = call.here.threads.pull(call.number("number"))[0].number
    comments = call.here.reviews.comments(number, _viewer(call))
    if since := call.query.get("since"):
        comments = [comment for comment in comments if comment.updated_at >= _moment(since)]
    if call.query.get("direction") == "desc" and "sort" in call.query:
        comments.reverse()
    return _listed(world, call, comments)


def _moment(text: str) -> str:
    try:
        return normal(text)
    except ValueError as error:
        raise malformed(f"For 'properties/since', {text} is not a valid date-time.") from error


def _listed(world: World, call: Call, comments: list[ReviewComment]) -> Answer:
    return one_page(call, [review_documents.comment(world.links, call.here, comment) for comment in comments])


def create_comment(world: World, call: Call) -> Answer:
    """Put a single comment on the diff, or reply with ``in_reply_to``."""
    number = call.here.threads.pull(call.number("number"))[0].number
    doer, fields = Doer.of(call.who), call.fields
    if isinstance(first := fields.get("in_reply_to"), int):
        to = call.here.reviews.get_comment(first, _viewer(call))
        written = reviewing.reply(world, call.here, doer, to, str(fields["body"]))
    else:
        written = reviewing.comment(world, call.here, doer, number, _read_draft(fields), str(fields["commit_id"]))
    return Answer(201, review_documents.comment(world.links, call.here, written))


def _comment(call: Call) -> ReviewComment:
    return call.here.reviews.get_comment(call.number("id"), _viewer(call))


def _own_comment(call: Call) -> ReviewComment:
    comment = _comment(call)
    if comment.author.id != call.who.account.id:
        need_role(call, Level.WRITE)
    return comment


def get_comment(world: World, call: Call) -> Answer:
    """One comment."""
    return Answer(200, review_documents.comment(world.links, call.here, _comment(call)))


def edit_comment(world: World, call: Call) -> Answer:
    """Replace the text of a comment: one's own, or with the right to write anyone's."""
    body = str(call.fields["body"])
    edited = reviewing.edit(world, call.here, Doer.of(call.who), _own_comment(call), body)
    return Answer(200, review_documents.comment(world.links, call.here, edited))


def delete_comment(world: World, call: Call) -> Answer:
    """Remove a comment: one's own, or with the right to write anyone's."""
    reviewing.delete(world, call.here, Doer.of(call.who), _own_comment(call))
    return Answer(204)


def reply(world: World, call: Call) -> Answer:
    """Reply to the first comment of a thread."""
    call.here.threads.pull(call.number("number"))
    written = reviewing.reply(world, call.here, Doer.of(call.who), _comment(call), str(call.fields["body"]))
    return Answer(201, review_documents.comment(world.links, call.here, written))


def list_reactions(world: World, call: Call) -> Answer:
    """The reactions to a comment."""
    content = call.query.get("content")
    reactions = [one for one in _comment(call).reactions if content in {None, one.content}]
    return one_page(call, [documents.reaction(world.links, one) for one in reactions])


def create_reaction(world: World, call: Call) -> Answer:
    """React to a comment; a second time the same changes nothing."""
    content = str(call.fields["content"])
    reaction, is_new = call.here.reviews.react(_comment(call), call.who.account, content)
    return Answer(201 if is_new else 200, documents.reaction(world.links, reaction))


def delete_reaction(world: World, call: Call) -> Answer:
    """Take a reaction to a comment back."""
    del world
    call.here.reviews.unreact(_comment(call), call.number("reaction"))
    return Answer(204)
