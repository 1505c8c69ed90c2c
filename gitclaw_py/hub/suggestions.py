"""Applying suggestions, as the button on a pull request's page does.

https://docs.github.com/pull-requests/collaborating-with-pull-requests/reviewing-changes-in-pull-requests/incorporating-feedback-in-your-pull-request
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from gitclaw_py.core.access import Level
from gitclaw_py.core.thread import Account
from gitclaw_py.hub.anchors import now_at
from gitclaw_py.hub.bare import BareRepository, RefMove, Signature, TreeEntry
from gitclaw_py.hub.diff_lines import LEFT
from gitclaw_py.hub.markdown import fenced
from gitclaw_py.hub.protection import rule_against
from gitclaw_py.hub.pulls import follow_push, noreply
from gitclaw_py.hub.refusals import RefusalError
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.reviews import PENDING, ReviewComment, ReviewThread
from gitclaw_py.hub.threads import Pull, Thread
from gitclaw_py.hub.world import Doer, World

# The page's own words.
CLOSED = "Suggestions cannot be applied while the pull request is closed."
IN_PENDING = "Suggestions cannot be applied from pending reviews."
IS_RESOLVED = "This suggestion has been applied or marked resolved."
IS_OUTDATED = "Outdated suggestions cannot be applied."
ON_DELETED = "Applying suggestions on deleted lines is not supported."
NO_CHANGE = "This suggestion is invalid because no changes were made to the code."
SAME_LINE = "Only one suggestion per line can be applied in a batch."
NOT_ALLOWED = "Only people who can write to the branch may apply suggestions."
NO_SUGGESTION = "There is no suggestion in this comment."
NO_BRANCH = "The head branch was deleted."

_BATCH = "Apply suggestions from code review"


class Change(NamedTuple):
    """Lines ``first`` to ``last`` of a file are to be these, without their ends."""

    path: str
    first: int
    last: int
    lines: tuple[bytes, ...]


class _Picked(NamedTuple):
    thread: ReviewThread
    author: Account
    change: Change


def suggested(body: str) -> tuple[bytes, ...] | None:
    """The lines of a comment's first suggestion, none for a deletion; None when there is no suggestion."""
    blocks = fenced(body, "suggestion")
    if not blocks:
        return None
    text = blocks[0] if blocks[0].endswith("\n") or not blocks[0] else f"{blocks[0]}\n"
    return tuple(text.encode("utf-8", "replace").split(b"\n")[:-1])


def changed(content: bytes, changes: Iterable[Change]) -> bytes:
    """A file with lines replaced; only line feeds end lines. New lines get the carriage returns of the old ones.

    Lines are what stands between line feeds, so that the last one is empty in a file that ends with one: a
    suggestion whose last line is empty adds the missing line feed at the end of a file.
    """
    lines = content.split(b"\n")
    for change in sorted(changes, key=lambda one: one.first, reverse=True):
        old = lines[change.first - 1 : change.last]
        end = b"\r" if old and all(line.endswith(b"\r") for line in old) else b""
        lines[change.first - 1 : change.last] = [line + end for line in change.lines]
    return b"\n".join(lines)


def apply(
    world: World, repo: Repository, doer: Doer, number: int, comments: Sequence[int], message: str | None = None
) -> str:
    """Commit the suggestions of these comments, in one commit by the one who applies; its id.

    Raises:
        RefusalError: it cannot be done; the text is what the page says then.
    """
    with world.deed():
        thread, pull = repo.threads.pull(number)
        source = _source(world, repo, doer, thread, pull)
        picked = [_picked(repo, doer, pull, identity) for identity in dict.fromkeys(comments)]
        if not picked:
            raise RefusalError(422, NO_SUGGESTION)
        _check_apart([one.change for one in picked])
        tree = _tree(source.git, pull.head_oid, [one.change for one in picked])
        said = _message(doer, picked, message)
        _commit(world, source, doer, pull, (tree, said))
        for one in picked:
            repo.reviews.resolve(one.thread, doer.account)
        follow_push(world, source, doer)
        return source.git.ref(f"refs/heads/{pull.head_branch}") or ""


def refusal(world: World, repo: Repository, account: Account, number: int, comment: int) -> str | None:
    """Why someone cannot apply a comment's suggestion, None when they can."""
    thread, pull = repo.threads.pull(number)
    doer = Doer(account)
    try:
        source = _source(world, repo, doer, thread, pull)
        _files(source.git, pull.head_oid, [_picked(repo, doer, pull, comment).change])
    except RefusalError as error:
        return error.message
    return None


def _source(world: World, repo: Repository, doer: Doer, thread: Thread, pull: Pull) -> Repository:
    """The repository of the head branch, if it may be pushed to."""
    source = world.repository(pull.head_repository)
    if thread.closed_at:
        raise RefusalError(422, CLOSED)
    if source is None or source.git.ref(f"refs/heads/{pull.head_branch}") is None:
        raise RefusalError(422, NO_BRANCH)
    is_invited = pull.maintainer_can_modify and repo.level(doer.account) >= Level.WRITE
    if source.level(doer.account) < Level.WRITE and not is_invited:
        raise RefusalError(403, NOT_ALLOWED)
    if rule := rule_against(source, f"refs/heads/{pull.head_branch}"):
        raise RefusalError(422, rule)
    return source


def _picked(repo: Repository, doer: Doer, pull: Pull, identity: int) -> _Picked:
    comment = repo.reviews.get_comment(identity, doer.account)
    thread = repo.reviews.thread_of(comment, doer.account)
    lines = suggested(comment.body)
    if lines is None or comment.anchor.line is None:
        raise RefusalError(422, NO_SUGGESTION)
    if repo.reviews.get(comment.pull, comment.review, doer.account).state == PENDING:
        raise RefusalError(422, IN_PENDING)
    if thread.resolved_by is not None:
        raise RefusalError(422, IS_RESOLVED)
    return _Picked(thread, comment.author, _change(repo.git, pull, comment, lines))


def _change(git: BareRepository, pull: Pull, comment: ReviewComment, lines: tuple[bytes, ...]) -> Change:
    if LEFT in {comment.anchor.side, comment.anchor.start_side}:
        raise RefusalError(422, ON_DELETED)
    now = now_at(git, pull, comment)
    if now is None or now.line is None:
        raise RefusalError(422, IS_OUTDATED)
    return Change(now.path, now.line if now.start_line is None else now.start_line, now.line, lines)


def _check_apart(changes: Sequence[Change]) -> None:
    for one, other in pairwise(sorted(changes)):
        if one.path == other.path and other.first <= one.last:
            raise RefusalError(422, SAME_LINE)


def _tree(git: BareRepository, head: str, changes: Sequence[Change]) -> str:
    entries = [TreeEntry(path, mode, git.write_blob(new)) for path, mode, new in _files(git, head, changes)]
    return git.write_tree(head, entries)


def _files(git: BareRepository, head: str, changes: Sequence[Change]) -> list[tuple[str, str, bytes]]:
    """The path, the mode and the new bytes of each file; every change has to change something."""
    files = []
    for path in dict.fromkeys(change.path for change in changes):
        there = _file(git, head, path)
        if there is None:
            raise RefusalError(422, IS_OUTDATED)
        (mode, old), here = there, [change for change in changes if change.path == path]
        if any(changed(old, [change]) == old for change in here):
            raise RefusalError(422, NO_CHANGE)
        files.append((path, mode, changed(old, here)))
    return files


@lru_cache(maxsize=64)
def _file(git: BareRepository, head: str, path: str) -> tuple[str, bytes] | None:
    """The mode and the bytes; a page with a thousand suggestions asks as often."""
    there = git.entry(head, path)
    return (there.mode, git.blob(there.oid)) if there and there.oid and there.kind == "blob" else None


def _message(doer: Doer, picked: Sequence[_Picked], message: str | None) -> str:
    default = f"Update {picked[0].change.path}" if len(picked) == 1 else _BATCH
    others = dict.fromkeys(one.author for one in picked if one.author.id != doer.account.id)
    trailers = [f"Co-authored-by: {author.login} <{noreply(Doer(author))}>" for author in others]
    return "\n\n".join(part for part in (message or default, "\n".join(trailers)) if part) + "\n"


def _commit(world: World, source: Repository, doer: Doer, pull: Pull, what: tuple[str, str]) -> None:
    tree, message = what
    who = Signature(doer.account.login, noreply(doer), world.times.seconds())
    oid = source.git.write_commit(tree, [pull.head_oid], message, who, who)
    source.verified.add(oid)
    source.git.move([RefMove(f"refs/heads/{pull.head_branch}", pull.head_oid, oid)])
