"""The hub's web side: the page of a thread, its comment box, and plain text for what replies link to.

Only a browser on this machine that opened the page itself is served: the name it used has to be this
machine's, and a form has to bring the token that stands in it.
"""

import re
import secrets
from collections.abc import Mapping
from importlib import resources
from typing import NamedTuple
from urllib.parse import parse_qs

from gitclaw_py.core.thread import Account
from gitclaw_py.hub import talk
from gitclaw_py.hub.bare import GitFailedError
from gitclaw_py.hub.diff_forms import act
from gitclaw_py.hub.diff_gather import changed_files, count_files, counted, hidden, reviews
from gitclaw_py.hub.diff_views import ChangesView
from gitclaw_py.hub.documents import role_name
from gitclaw_py.hub.refusals import RefusalError
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.threads import Thread
from gitclaw_py.hub.views import Entry, Happening, Reviewed, ThreadView
from gitclaw_py.hub.world import Doer, World

_THREAD = re.compile(r"/(?P<repo>[^/]+/[^/]+)/(?:issues|pull)/(?P<number>\d{1,9})")
_STATIC = re.compile(r"/static/(?P<name>[a-z]+\.(?P<kind>css|js|svg))")
_CHANGES = re.compile(r"/(?P<repo>[^/]+/[^/]+)/pull/(?P<number>\d{1,9})/files")
_COMMIT = re.compile(r"/(?P<repo>[^/]+/[^/]+)/commit/(?P<oid>[0-9a-f]{7,40})")
_DIFF = re.compile(r"/(?P<repo>[^/]+/[^/]+)/pull/(?P<number>\d{1,9})\.(?:diff|patch)")
_RUN = re.compile(r"/(?P<repo>[^/]+/[^/]+)/actions/runs/(?P<run>\d{1,12})")
_KINDS = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_FORM = "application/x-www-form-urlencoded"


class Visit(NamedTuple):
    """A request of a browser's. ``headers`` are by lower-case name; ``form_token`` is the one to be brought."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    form_token: str
    is_busy: bool = False


class Shown(NamedTuple):
    """What the browser gets."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def thread_at(path: str) -> tuple[str, int] | None:
    """The repository and the number that a page's address names."""
    hit = _THREAD.fullmatch(path)
    return (hit["repo"], int(hit["number"])) if hit else None


def is_page(path: str) -> bool:
    """Whether an address is one of the web side's."""
    return path == "/" or any(pattern.fullmatch(path) for pattern in (_THREAD, _CHANGES, _STATIC, _COMMIT, _DIFF, _RUN))


def answer(world: World, visit: Visit) -> Shown:
    """Show a page, or take a comment from its form."""
    if not _is_for_us(world, visit.headers.get("host", "")):
        return _plain(403, "This server answers to 127.0.0.1 and localhost only.")
    if hit := _STATIC.fullmatch(visit.path):
        return _static(hit["name"], _KINDS[hit["kind"]])
    try:
        return _shown(world, visit)
    except RefusalError as refusal:
        return _plain(refusal.status, refusal.message)
    except GitFailedError:
        return _plain(404, "Not Found")


def _is_for_us(world: World, host: str) -> bool:
    port = world.links.url.rpartition(":")[2]
    return host in {f"127.0.0.1:{port}", f"localhost:{port}"}


def _shown(world: World, visit: Visit) -> Shown:
    if visit.path == "/":
        return _newest(world)
    if hit := _COMMIT.fullmatch(visit.path):
        return _text(_found(world, hit["repo"]), "show", "--stat", "--patch", hit["oid"])
    if hit := _RUN.fullmatch(visit.path):
        return _run(world, int(hit["run"]))
    if hit := _DIFF.fullmatch(visit.path):
        repository = _found(world, hit["repo"])
        pull = repository.threads.pull(int(hit["number"]))[1]
        return _text(repository, "diff", f"{pull.base_oid}...{pull.head_oid}")
    named = _THREAD.fullmatch(visit.path) or _CHANGES.fullmatch(visit.path)
    if named is None:
        raise RefusalError(404, "Not Found")
    repository = _found(world, named["repo"])
    with world.deed():
        thread = repository.threads.get(int(named["number"]))
        if _CHANGES.fullmatch(visit.path):
            repository.threads.pull(thread.number)
        return (_posted if visit.method == "POST" else _page)(world, repository, thread, visit)


def _found(world: World, name: str) -> Repository:
    repository = world.repository(name)
    if repository is None:
        raise RefusalError(404, "Not Found")
    return repository


def _newest(world: World) -> Shown:
    threads = [(thread.updated_at, repo, thread) for repo in world.repositories().values() for thread in repo.threads]
    if not threads:
        return _plain(200, "There is no thread yet.")
    _, repo, thread = max(threads, key=lambda found: found[0])
    return _sent_to(world.links.page(repo, thread))


def _run(world: World, run: int) -> Shown:
    said = world.run_log(run)
    return _plain(404, "Not Found") if said is None else _plain(200, said.rstrip("\n"))


def _text(repository: Repository, *command: str) -> Shown:
    shown = repository.git.git(command[0], "--no-color", "--no-ext-diff", "--no-textconv", *command[1:], "--")
    return Shown(200, (("Content-Type", "text/plain; charset=utf-8"), *_ALWAYS), shown)


def _posted(world: World, repository: Repository, thread: Thread, visit: Visit) -> Shown:
    fields = parse_qs(visit.body.decode("utf-8", "replace"), keep_blank_values=True)
    if visit.headers.get("content-type", "").partition(";")[0].strip() != _FORM:
        return _plain(415, "The form sends its fields url-encoded.")
    if not secrets.compare_digest(fields.get("form_token", [""])[0].encode(), visit.form_token.encode()):
        return _plain(403, "Load the page again: this form is from before the server was started.")
    login = fields.get("as", [""])[0]
    account = next((one for one in people(repository, thread) if one.login == login), None)
    if account is None:
        return _page(world, repository, thread, visit, f"{login or 'Nobody'} has no part in this repository.")
    try:
        anchor = _done(world, repository, thread, account, fields, on_changes=_is_on_changes(visit))
    except RefusalError as refusal:
        said = refusal.errors[0].get("message", refusal.message) if refusal.errors else refusal.message
        return _page(world, repository, repository.threads.get(thread.number), visit, said)
    return _sent_to(f"{world.links.url}{visit.path}{anchor}")


def _is_on_changes(visit: Visit) -> bool:
    return _CHANGES.fullmatch(visit.path) is not None


def _done(
    world: World,
    repository: Repository,
    thread: Thread,
    account: Account,
    fields: Mapping[str, list[str]],
    *,
    on_changes: bool,
) -> str:
    """Do what a form asks for; what the address to go to ends with."""
    if on_changes:
        anchor = act(world, repository, thread, account, fields)
        return f"#{anchor}" if anchor else ""
    talk.comment(world, repository, Doer(account), thread.number, fields.get("body", [""])[0])
    return ""


def people(repository: Repository, thread: Thread) -> list[Account]:
    """Who can be commented as: those with a role, then others who wrote here, and no bots."""
    wrote = [thread.author, *(comment.author for comment in repository.threads.comments(thread.number))]
    wrote += [comment.author for comment in repository.reviews.comments(thread.number, None)]
    return [account for account in dict.fromkeys([*repository.members.values(), *wrote]) if not account.is_bot]


def view(world: World, repository: Repository, thread: Thread, visit: Visit, notice: str = "") -> ThreadView:
    """What the page of a thread shows."""
    pull = thread.pull
    line = f"`{pull.head_repository}:{pull.head_branch}` into `{pull.base_branch}`" if pull else ""
    return ThreadView(
        repository.name,
        thread.number,
        thread.title,
        "merged" if pull and pull.merged_at else thread.state,
        pull is not None,
        line,
        _entries(world, repository, thread),
        tuple(account.login for account in people(repository, thread)),
        visit.form_token,
        busy=visit.is_busy,
        locked=thread.is_locked,
        labels=tuple(label.name for label in thread.labels),
        notice=notice,
        changes=count_files(repository, pull) if pull else None,
    )


def _entries(world: World, repository: Repository, thread: Thread) -> tuple[Entry | Happening | Reviewed, ...]:
    opened = Entry(0, thread.author.login, _role(repository, thread.author), thread.created_at, thread.body or "")
    comments = [
        Entry(
            comment.id,
            comment.author.login,
            _role(repository, comment.author),
            comment.created_at,
            comment.body,
            edited=comment.updated_at != comment.created_at,
            reactions=counted(comment.reactions),
            hidden=hidden(repository, f"IC_{comment.id}"),
        )
        for comment in repository.threads.comments(thread.number)
    ]
    reviewed = reviews(world.links, repository, thread, thread.pull) if thread.pull else ()
    between = [*comments, *reviewed, *repository.threads.happenings.get(thread.number, ())]
    return (opened._replace(reactions=counted(thread.reactions)), *sorted(between, key=lambda entry: entry.at))


def _role(repository: Repository, account: Account) -> str:
    return "bot" if account.is_bot else role_name(repository.level(account))


def _page(world: World, repository: Repository, thread: Thread, visit: Visit, notice: str = "") -> Shown:
    from gitclaw_py.hub import diff_page, page

    headers = (("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", page.POLICY), *_ALWAYS)
    shown = view(world, repository, thread, visit, notice)
    if _is_on_changes(visit) and thread.pull:
        files = changed_files(world, repository, thread, thread.pull)
        return Shown(422 if notice else 200, headers, diff_page.render(ChangesView(shown, files)))
    return Shown(422 if notice else 200, headers, page.render(shown))


_ALWAYS = (("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"))


def _static(name: str, kind: str) -> Shown:
    file = resources.files("gitclaw_py.hub") / "static" / name
    if not file.is_file():
        return _plain(404, "Not Found")
    return Shown(200, (("Content-Type", f"{kind}; charset=utf-8"), *_ALWAYS), file.read_bytes())


def _sent_to(url: str) -> Shown:
    return Shown(303, (("Location", url), *_ALWAYS), b"")


def _plain(status: int, text: str) -> Shown:
    return Shown(status, (("Content-Type", "text/plain; charset=utf-8"), *_ALWAYS), f"{text}\n".encode())
