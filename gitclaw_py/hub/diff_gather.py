"""The page of a pull request's changes, and its reviews on the page of the conversation, out of what the hub knows."""

from __future__ import annotations

from collections.abc import Iterable

from gitclaw_py.hub import suggestions
from gitclaw_py.hub.anchors import now_at
from gitclaw_py.hub.diff_lines import LEFT, RIGHT, DiffFile, Row, pull_diff, read_hunks
from gitclaw_py.hub.diff_views import ChangedFile, Line, Part, Said, Talk
from gitclaw_py.hub.documents import Links, role_name
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.reviews import Anchor, Review, ReviewComment, ReviewThread
from gitclaw_py.hub.threads import CONTENTS, Pull, Thread
from gitclaw_py.hub.threads import Reaction as Given
from gitclaw_py.hub.views import Reaction, Remark, Reviewed
from gitclaw_py.hub.world import World

_VERBS = {
    "APPROVED": "approved these changes",
    "CHANGES_REQUESTED": "requested changes",
    "DISMISSED": "gave a review that was dismissed",
}

_Placed = tuple[Anchor | None, Talk]
_Places = dict[tuple[str, int], list[Talk]]


def counted(reactions: tuple[Given, ...]) -> tuple[Reaction, ...]:
    """Reactions by kind, without those that nobody gave."""
    counts = {content: sum(one.content == content for one in reactions) for content in CONTENTS}
    return tuple(Reaction(content, count) for content, count in counts.items() if count)


def hidden(repo: Repository, node_id: str) -> str:
    """Why something was minimised, empty when it was not."""
    return repo.reviews.hidden.get(node_id, "").lower()


def count_files(repo: Repository, pull: Pull) -> int:
    """How many files a pull request changes."""
    return len(pull_diff(repo.git, pull.base_oid, pull.head_oid))


def changed_files(world: World, repo: Repository, thread: Thread, pull: Pull) -> tuple[ChangedFile, ...]:
    """The files of a pull request with the threads in them; those of files that it no longer changes come last."""
    files = pull_diff(repo.git, pull.base_oid, pull.head_oid)
    found: dict[str, list[_Placed]] = {path: [] for path in files}
    for talk in repo.reviews.threads(thread.number, None):
        now = now_at(repo.git, pull, talk.comments[0])
        path = now.path if now else talk.comments[0].anchor.path
        found.setdefault(path, []).append((now, _talk(world, repo, pull, talk, now)))
    return tuple(_file(path, files.get(path), talks) for path, talks in found.items())


def _file(path: str, file: DiffFile | None, talks: list[_Placed]) -> ChangedFile:
    homeless = tuple(talk for now, talk in talks if now is None or now.line is None)
    if file is None:
        return ChangedFile(path, "This pull request does not change it any more.", 0, 0, (), homeless)
    change = file.change
    places: _Places = {}
    for now, talk in talks:
        if now and now.line is not None:
            places.setdefault((now.side, now.line), []).append(talk)
    parts = tuple(Part(hunk.head, tuple(_line(row, places) for row in hunk.rows)) for hunk in file.hunks)
    return ChangedFile(path, _note(file), change.additions, change.deletions, parts, homeless)


def _note(file: DiffFile) -> str:
    change = file.change
    words = {"added": "New file.", "removed": "Deleted.", "renamed": f"Renamed from {change.former}."}
    said = words.get(change.status, "")
    return said if file.hunks else f"{said} There are no lines to show.".strip()


def _line(row: Row, places: _Places) -> Line:
    ends = ((side, row.number(side)) for side in (LEFT, RIGHT))
    here = [talk for side, number in ends if number for talk in places.get((side, number), ())]
    return Line(row.sign, row.old, row.new, row.text, row.has_newline, tuple(here))


def _talk(world: World, repo: Repository, pull: Pull, thread: ReviewThread, now: Anchor | None) -> Talk:
    first = thread.comments[0]
    is_resolved = thread.resolved_by is not None
    state = "Resolved" if is_resolved else "" if now else "Outdated"
    place = _lines(now or first.anchor)
    said = tuple(_said(repo, comment) for comment in thread.comments)
    with_block = [one.id for one in thread.comments if suggestions.suggested(one.body) is not None]
    if not with_block:
        return Talk(thread.id, place, said, state, is_resolved)
    hint = suggestions.refusal(world, repo, repo.owner, first.pull, with_block[-1])
    if hint is None or (hint == suggestions.NOT_ALLOWED and pull.head_repository != repo.name):
        return Talk(thread.id, place, said, state, is_resolved, with_block[-1])
    return Talk(thread.id, place, said, state, is_resolved, hint=hint)


def _lines(anchor: Anchor) -> str:
    if anchor.line is None:
        return "The file"
    old = "" if anchor.side == RIGHT else "old "
    many = anchor.start_line is not None
    return f"{old}{'lines' if many else 'line'} {f'{anchor.start_line} to ' if many else ''}{anchor.line}".capitalize()


def _said(repo: Repository, comment: ReviewComment) -> Said:
    author = comment.author
    return Said(
        comment.id,
        author.login,
        "bot" if author.is_bot else role_name(repo.level(author)),
        comment.created_at,
        comment.body,
        tuple(_replaced(comment)),
        comment.updated_at != comment.created_at,
        counted(comment.reactions),
        hidden(repo, comment.node_id),
    )


def _replaced(comment: ReviewComment) -> Iterable[str]:
    """The lines as they were when the comment was made: they stay shown when they are long gone."""
    anchor = comment.anchor
    if anchor.line is None or anchor.side != RIGHT:
        return
    first = anchor.line if anchor.start_line is None else anchor.start_line
    for hunk in read_hunks(comment.hunk):
        for row in hunk.rows:
            if row.new is not None and first <= row.new <= anchor.line:
                yield row.text


def reviews(links: Links, repo: Repository, thread: Thread, pull: Pull) -> list[Reviewed]:
    """The submitted reviews, with links to their comments on the page of the changes."""
    page = f"{links.page(repo, thread).removeprefix(links.url)}/files"
    return [_reviewed(repo, pull, review, page) for review in repo.reviews.of(thread.number, None)]


def _reviewed(repo: Repository, pull: Pull, review: Review, page: str) -> Reviewed:
    author, comments = review.author, repo.reviews.comments_of(review)
    is_reply = bool(comments) and all(comment.reply_to for comment in comments) and not review.body
    return Reviewed(
        review.id,
        author.login,
        "bot" if author.is_bot else role_name(repo.level(author)),
        review.submitted_at or "",
        "replied" if is_reply else _VERBS.get(review.state, "reviewed"),
        review.body,
        tuple(_remark(repo, pull, comment, page) for comment in comments),
        hidden(repo, review.node_id),
    )


def _remark(repo: Repository, pull: Pull, comment: ReviewComment, page: str) -> Remark:
    now = now_at(repo.git, pull, comment)
    anchor = now or comment.anchor
    state = "Resolved" if repo.reviews.is_resolved(comment) else "" if now else "Outdated"
    place = f"`{anchor.path}` {_lines(anchor)[:1].lower()}{_lines(anchor)[1:]}"
    return Remark(comment.id, place, f"{page}#discussion_r{comment.id}", state)
