"""Addresses of what the replies speak of."""

from typing import NamedTuple


def run_log(server: str, repository: str, run: str | None) -> str | None:
    """The page with the log of a run of a workflow, by its id; None where that is not known."""
    return f"{server}/{repository}/actions/runs/{run}" if run else None


class Links(NamedTuple):
    """Where things are: the forge (``https://github.com``), the repository (``octo/hello``), and the log of this run.

    ``docs`` is the page that explains the commands, if there is one.
    """

    server: str
    repository: str
    run: str | None = None
    docs: str | None = None

    @property
    def clone(self) -> str:
        """Where git fetches from."""
        return f"{self._home}.git"

    def commit(self, oid: str) -> str:
        """The page of a commit."""
        return f"{self._home}/commit/{oid}"

    def blob(self, oid: str, path: bytes) -> str:
        """A file as it is in a commit."""
        return f"{self._home}/blob/{oid}/{_quoted(path)}"

    def branch(self, name: str) -> str:
        """The files of a branch."""
        return f"{self._home}/tree/{_quoted(name.encode('utf-8', 'surrogateescape'))}"

    def thread(self, number: int) -> str:
        """An issue; for the number of a pull request, the forge leads on to that."""
        return f"{self._home}/issues/{number}"

    def comment(self, number: int, comment: int) -> str:
        """A comment of a thread."""
        return f"{self.thread(number)}#issuecomment-{comment}"

    def pull(self, number: int) -> str:
        """A pull request."""
        return f"{self._home}/pull/{number}"

    def compare(self, base: str, branch: str) -> str:
        """The form that opens a pull request from a branch.

        https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/proposing-changes-to-your-work-with-pull-requests/using-query-parameters-to-create-a-pull-request
        """
        ends = (_quoted(name.encode("utf-8", "surrogateescape")) for name in (base, branch))
        return f"{self._home}/compare/{'...'.join(ends)}?expand=1"

    @property
    def _home(self) -> str:
        return f"{self.server}/{self.repository}"


def _quoted(name: bytes) -> str:
    from urllib.parse import quote

    return quote(name, safe="/")
