"""A repository of the hub in the hands of a test or of the demonstration: what people do there, without HTTP."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from gitclaw_py.core.access import Level
from gitclaw_py.core.thread import Account
from gitclaw_py.hub import merging, protection, pulls, reviewing, suggestions, talk
from gitclaw_py.hub.accounts import ACTIONS
from gitclaw_py.hub.bare import ZERO, Commit, FileBytes, RefMove, Signature
from gitclaw_py.hub.events import dispatch_event
from gitclaw_py.hub.repositories import Repository
from gitclaw_py.hub.reviews import Review, ReviewComment, ReviewThread
from gitclaw_py.hub.threads import Comment, Reaction, Thread
from gitclaw_py.hub.world import Doer, World

Files = Mapping[str, bytes | None]

ACTIONS_PERMISSIONS = {"contents": "write", "issues": "write", "pull_requests": "write"}


class RepositoryHandle:
    """One repository. Everything here is done by an account, and starts the same events as it would by HTTP."""

    def __init__(self, world: World, repository: Repository) -> None:
        self._world = world
        self.repository = repository

    @property
    def name(self) -> str:
        """``owner/name``."""
        return self.repository.name

    @property
    def id(self) -> int:
        """Its id."""
        return self.repository.id

    @property
    def clone_url(self) -> str:
        """Where git finds it."""
        return f"{self._world.links.url}/{self.name}.git"

    def grant(self, account: Account, role: str, *, called: str | None = None) -> None:
        """Give an account a role: ``none``, ``read``, ``triage``, ``write``, ``maintain`` or ``admin``.

        An organization's own roles have another name, ``called``, and may what one of these may.
        """
        with self._world.deed():
            self.repository.role_names[account.id] = called or role
            self.repository.roles[account.id] = Level[role.upper()]
            self.repository.members[account.id] = account

    def token(self, account: Account = ACTIONS, /, **permissions: str) -> str:
        """The secret of a new installation token, by default the one Actions has, of this repository alone.

        Without permissions named it may write contents, issues and pull requests.
        """
        chosen = permissions or ACTIONS_PERMISSIONS
        return self._world.accounts.installation_token(account, self.name, chosen).secret

    def open_issue(self, account: Account, title: str, body: str = "", labels: Sequence[str] = ()) -> int:
        """Open an issue; its number."""
        return talk.open_issue(self._world, self.repository, _doer(account), title, body, labels).number

    def comment(self, account: Account, number: int, body: str) -> int:
        """Comment in a thread; the comment's id."""
        return talk.comment(self._world, self.repository, _doer(account), number, body).id

    def edit_comment(self, account: Account, comment: int, body: str) -> None:
        """Replace a comment's text."""
        talk.edit_comment(self._world, self.repository, _doer(account), comment, body)

    def delete_comment(self, account: Account, comment: int) -> None:
        """Remove a comment."""
        talk.delete_comment(self._world, self.repository, _doer(account), comment)

    def label(self, account: Account, number: int, *names: str) -> None:
        """Put labels on a thread."""
        talk.label(self._world, self.repository, _doer(account), number, names)

    def close(self, account: Account, number: int) -> None:
        """Close a thread."""
        talk.close(self._world, self.repository, _doer(account), self.thread(number))

    def lock(self, number: int) -> None:
        """Lock a thread, by the owner."""
        talk.lock(self._world, self.repository, Doer(self.repository.owner), number, on=True)

    def protect(self, branch: str, *, by_ruleset: bool = False) -> None:
        """Let only pull requests change a branch: by the old protection, or by a ruleset."""
        with self._world.deed():
            (self.repository.ruled if by_ruleset else self.repository.protected).add(branch)

    def unprotect(self, branch: str) -> None:
        """Let a branch be pushed to again."""
        with self._world.deed():
            self.repository.protected.discard(branch)
            self.repository.ruled.discard(branch)

    def check(self, commit: str, name: str, conclusion: str | None, *, required: bool = False) -> None:
        """Say how a check of a commit ended, None for one that runs; a required one has to pass before a merge."""
        with self._world.deed():
            self.repository.checks.setdefault(commit, {})[name] = conclusion
            if required:
                self.repository.required_checks.add(name)

    def merge(self, account: Account, number: int, method: str = "merge") -> str:
        """Merge a pull request, as its page does; its branch stays. The new tip of its base."""
        thread = self.thread(number)
        how = merging.How(method, f"{thread.title} (#{number})")
        return merging.merge(self._world, self.repository, _doer(account), thread, how)

    def set_secret(self, name: str, environment: str | None = None) -> None:
        """Let there be a secret of that name, for all jobs or for those of an environment."""
        with self._world.deed():
            here = self.repository
            (here.environments.setdefault(environment, set()) if environment else here.secrets).add(name)

    def dispatch(self, account: Account, event_type: str, client_payload: dict[str, object]) -> None:
        """Ask from elsewhere."""
        with self._world.deed():
            dispatch_event(self._world, self.repository, account, event_type, client_payload)

    def fork(self, account: Account) -> RepositoryHandle:
        """A fork that belongs to the account."""
        with self._world.deed():
            name = f"{account.login}/{self.name.partition('/')[2]}"
            copy = self._world.found(name, account)
            copy.fork_of, copy.default_branch = self.name, self.repository.default_branch
            protection.install(copy)
            for ref, oid in self.repository.git.refs("refs/heads").items():
                copy.git.fetch(self.repository.git, oid)
                copy.git.move([RefMove(ref, ZERO, oid)])
            return RepositoryHandle(self._world, copy)

    def push_files(self, branch: str, files: Files, account: Account, message: str = "Change files") -> str:
        """Commit files (None removes one) on a branch, new branches on top of the default one; the commit.

        A name of ``path`` stands for a plain file, ``path:x`` for one that can be run, ``path:@`` for a link.
        """
        with self._world.deed():
            git = self.repository.git
            start = git.ref(f"refs/heads/{branch}") or git.ref(f"refs/heads/{self.repository.default_branch}")
            doer = _doer(account)
            who = Signature(account.login, pulls.noreply(doer), self._world.times.seconds())
            commit = Commit("", "", (), who, who, message)
            git.import_commit(branch, start, commit, dict(_file(name, content) for name, content in files.items()))
            pulls.follow_push(self._world, self.repository, doer)
            return git.ref(f"refs/heads/{branch}") or ZERO

    def open_pull(
        self, account: Account, head: str, base: str = "main", title: str = "A change", body: str = ""
    ) -> int:
        """Open a pull request; ``head`` is a branch here, or ``owner:branch`` of a fork. Its number."""
        owner, colon, branch = head.rpartition(":")
        source = self._world.repository(f"{owner}/{self.name.partition('/')[2]}") if colon else self.repository
        if source is None:
            raise LookupError(f"{owner} has no fork of {self.name}")
        offer = pulls.Offer(source, branch, base, title, body)
        return pulls.open_pull(self._world, self.repository, _doer(account), offer).number

    def reviews(self, number: int) -> list[Review]:
        """The submitted reviews of a pull request, oldest first."""
        return self.repository.reviews.of(number, None)

    def review_comments(self, number: int) -> list[ReviewComment]:
        """The comments of those reviews, oldest first."""
        return self.repository.reviews.comments(number, None)

    def review_threads(self, number: int) -> list[ReviewThread]:
        """The threads of those comments, oldest first."""
        return self.repository.reviews.threads(number, None)

    def review(self, account: Account, number: int, wanted: reviewing.Wanted) -> int:
        """Review a pull request; the review's id."""
        return reviewing.post(self._world, self.repository, _doer(account), number, wanted).id

    def reply_in_review(self, account: Account, number: int, comment: int, body: str) -> int:
        """Reply to the first comment of a thread; the reply's id."""
        to = self.repository.reviews.get_comment(comment, account)
        if to.pull != number:
            raise LookupError(comment)
        return reviewing.reply(self._world, self.repository, _doer(account), to, body).id

    def resolve(self, account: Account, thread: ReviewThread) -> None:
        """Resolve a thread."""
        reviewing.resolve(self._world, self.repository, _doer(account), thread)

    def apply_suggestions(
        self, account: Account, number: int, comments: Sequence[int], message: str | None = None
    ) -> str:
        """Commit the suggestions of these comments, as the button on the page does; the commit.

        Raises:
            RefusalError: it cannot be done, in the words of the page.
        """
        return suggestions.apply(self._world, self.repository, _doer(account), number, comments, message)

    def thread(self, number: int) -> Thread:
        """A thread as it is now."""
        return self.repository.threads.get(number)

    def comments(self, number: int) -> list[Comment]:
        """The comments of a thread, oldest first."""
        return self.repository.threads.comments(number)

    def reactions(self, comment: int) -> tuple[Reaction, ...]:
        """The reactions to a comment."""
        return self.repository.threads.get_comment(comment).reactions

    def branch(self, name: str) -> str | None:
        """The commit a branch is at."""
        return self.repository.git.ref(f"refs/heads/{name}")

    def ref(self, name: str) -> str | None:
        """The commit a ref, by its whole name, is at."""
        return self.repository.git.ref(name)

    def file(self, revision: str, path: str) -> bytes | None:
        """The bytes of a file, None when it is not there."""
        oid = self.repository.git.resolve(revision)
        entry = self.repository.git.entry(oid, path) if oid else None
        return self.repository.git.blob(entry.oid) if entry and entry.oid else None

    @property
    def folder(self) -> str:
        """The bare repository itself."""
        return os.fspath(self.repository.path)


def _doer(account: Account) -> Doer:
    return Doer(account, is_quiet=account == ACTIONS)


def _file(name: str, content: bytes | None) -> tuple[str, FileBytes]:
    path, _, kind = name.partition(":")
    return path, ({"x": "100755", "@": "120000"}.get(kind, "100644"), content)
