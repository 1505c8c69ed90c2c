"""The operations on pull requests.

https://docs.github.com/rest/pulls
"""

from __future__ import annotations

import re

from gitclaw_py.core.access import Level
from gitclaw_py.hub import merging, pull_documents, pulls, talk
from gitclaw_py.hub.accounts import ACTIONS
from gitclaw_py.hub.calls import Answer, Call, one_page
from gitclaw_py.hub.diff_lines import pull_diff
from gitclaw_py.hub.refusals import RefusalError, invalid, not_for_this_token, not_found
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.rest_threads import need_role
from gitclaw_py.hub.threads import Pull, Thread
from gitclaw_py.hub.world import Doer, World

_DIFF = re.compile(r"application/vnd\.github\.(v3\.)?diff")
_MOST_FILES, _MOST_LINES = 300, 20_000
"""https://docs.github.com/repositories/creating-and-managing-repositories/repository-limits#diff-limits"""


def _answered(world: World, call: Call, thread: Thread, status: int = 200) -> Answer:
    return Answer(status, pull_documents.pull(world.links, call.here, thread, world.repositories()))


def get_pull(world: World, call: Call) -> Answer:
    """One pull request, or with the media type for it its diff."""
    thread, pull = call.here.threads.pull(call.number("number"))
    if _DIFF.search(call.accept):
        return Answer(200, _diff(call.here, pull))
    answer = pull_documents.pull(world.links, call.here, thread, world.repositories())
    can, word = merging.state(call.here, thread)
    return Answer(200, {**answer, "mergeable": can, "mergeable_state": word})


def _diff(repo: Repository, pull: Pull) -> bytes:
    files = pull_diff(repo.git, pull.base_oid, pull.head_oid)
    if len(files) > _MOST_FILES:
        raise _too_large(f"files ({_MOST_FILES})")
    diff = repo.git.git("diff", "--no-ext-diff", "--no-textconv", "-M", f"{pull.base_oid}...{pull.head_oid}")
    if diff.count(b"\n") > _MOST_LINES:
        raise _too_large(f"lines ({_MOST_LINES})")
    return diff


def _too_large(what: str) -> RefusalError:
    said = f"Sorry, the diff exceeded the maximum number of {what}."
    return RefusalError(406, said, [{"resource": "PullRequest", "field": "diff", "code": "too_large"}])


def list_pulls(world: World, call: Call) -> Answer:
    """Pull requests, newest first, of a ``state``, a ``base`` or a ``head``."""
    found = [thread for thread in call.here.threads if _is_wanted(call, thread)]
    if call.query.get("direction", "desc") == "desc":
        found.reverse()
    everything = world.repositories()
    return one_page(call, [pull_documents.pull_simple(world.links, call.here, one, everything) for one in found])


def _is_wanted(call: Call, thread: Thread) -> bool:
    pull, query = thread.pull, call.query
    if pull is None or query.get("state", "open") not in {"all", thread.state}:
        return False
    head = f"{pull.head_repository.partition('/')[0]}:{pull.head_branch}"
    # A head without its owner is no filter at GitHub's.
    return query.get("base", pull.base_branch) == pull.base_branch and (
        ":" not in query.get("head", "") or query["head"].lower() == head.lower()
    )


def create_pull(world: World, call: Call) -> Answer:
    """Open a pull request."""
    if call.who.account == ACTIONS and not call.here.actions_may_open_pulls:
        raise RefusalError(403, "GitHub Actions is not permitted to create or approve pull requests.")
    title = call.text("title")
    if title is None:
        raise invalid("PullRequest", "title", "missing_field")
    source, branch = _source(world, call, str(call.fields["head"]))
    modify = call.flag("maintainer_can_modify", default=True)
    offer = pulls.Offer(source, branch, str(call.fields["base"]), title, call.text("body"), call.flag("draft"), modify)
    return _answered(world, call, pulls.open_pull(world, call.here, Doer.of(call.who), offer), 201)


def _source(world: World, call: Call, head: str) -> tuple[Repository, str]:
    owner, colon, branch = head.rpartition(":")
    here = call.here
    if not colon or owner.lower() == here.name.partition("/")[0].lower():
        return here, branch
    for repository in world.repositories().values():
        is_ours = repository.fork_of == here.name and repository.name.partition("/")[0].lower() == owner.lower()
        if is_ours and repository.may_read(call.token):
            return repository, branch
    raise invalid("PullRequest", "head", "invalid")


def edit_pull(world: World, call: Call) -> Answer:
    """Change title, text, base, or whether it is open."""
    thread, pull = call.here.threads.pull(call.number("number"))
    doer = Doer.of(call.who)
    if doer.account != thread.author:
        need_role(call, Level.TRIAGE)
    if {"title", "body", "base"} & set(call.fields):
        body = call.text("body") if "body" in call.fields else thread.body
        changed = pull._replace(base_branch=call.text("base") or pull.base_branch)
        changed_thread = thread._replace(title=call.text("title") or thread.title, body=body, pull=changed)
        thread = call.here.threads.touch(changed_thread)
    match call.text("state"):
        case "closed" if not thread.closed_at:
            thread = talk.close(world, call.here, doer, thread)
        case "open" if thread.closed_at:
            thread = talk.reopen(world, call.here, doer, thread)
        case None | "open" | "closed":
            pass
        case _:
            raise invalid("PullRequest", "state", "invalid")
    return _answered(world, call, thread)


def list_files(world: World, call: Call) -> Answer:
    """The files a pull request changes."""
    _, pull = call.here.threads.pull(call.number("number"))
    files = [file.change for file in pull_diff(call.here.git, pull.base_oid, pull.head_oid).values()]
    return one_page(call, [pull_documents.file(world.links, call.here, pull.head_oid, file) for file in files])


def merge(world: World, call: Call) -> Answer:
    """Merge a pull request."""
    thread, pull = call.here.threads.pull(call.number("number"))
    if call.text("sha") not in {None, pull.head_oid}:
        raise RefusalError(409, "Head branch was modified. Review and try the merge again.")
    method = call.text("merge_method") or "merge"
    owner = pull.head_repository.partition("/")[0]
    titles = {
        "merge": f"Merge pull request #{thread.number} from {owner}/{pull.head_branch}",
        "squash": f"{thread.title} (#{thread.number})",
        "rebase": "",
    }
    if method not in titles:
        raise invalid("PullRequest", "merge_method", "invalid")
    message = call.text("commit_message") or ("" if method == "squash" else thread.title)
    text = "\n\n".join(part for part in (call.text("commit_title") or titles[method], message) if part)
    oid = merging.merge(world, call.here, Doer.of(call.who), thread, merging.How(method, text))
    return Answer(200, {"sha": oid, "merged": True, "message": "Pull Request successfully merged"})


def update_branch(world: World, call: Call) -> Answer:
    """Bring the branch of a pull request up to date with its base. GitHub does it after it has answered."""
    thread, pull = call.here.threads.pull(call.number("number"))
    if call.text("expected_head_sha") not in {None, pull.head_oid}:
        raise RefusalError(422, "expected head sha didn’t match current head ref.")
    source = world.repository(pull.head_repository)
    if source is None or not source.may_push(call.who):
        raise not_for_this_token()
    merging.update(world, call.here, Doer.of(call.who), thread)
    page = f"{world.links.page(call.here, thread)}"
    return Answer(202, {"message": "Updating pull request branch.", "url": page})


def is_merged(world: World, call: Call) -> Answer:
    """204 when it is merged, 404 when it is not."""
    del world
    if call.here.threads.pull(call.number("number"))[1].merged_at is None:
        raise not_found()
    return Answer(204)
