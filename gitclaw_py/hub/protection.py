"""What may not be pushed: protected branches, hidden refs, and workflows without the permission for them.

One rule for git and for the API. For git it is a hook, which is told by its environment what to refuse:
https://git-scm.com/docs/githooks#update
"""

from __future__ import annotations

from collections.abc import Sequence

from gitclaw_py.hub.accounts import Token
from gitclaw_py.hub.bare import ZERO, GitFailedError, RefMove
from gitclaw_py.hub.repositories import Repository

WORKFLOWS = ".github/workflows"
BY_PULL_REQUEST = "Changes must be made through a pull request."
BY_RULE = f"Repository rule violations found\n\n{BY_PULL_REQUEST}\n\n"
_REFUSED = "refusing to allow a GitHub App to create or update workflow `%s` without `workflows` permission"

_HOOK = f"""\
#!/bin/sh
# The rules of the hub for one ref: see gitclaw_py/hub/protection.py
case " $HUB_PROTECTED " in
*" $1 "*)
    echo "error: GH006: Protected branch update failed for $1." >&2
    echo "error: {BY_PULL_REQUEST}" >&2
    exit 1
    ;;
esac
case " $HUB_RULED " in
*" $1 "*)
    printf 'error: GH013: Repository rule violations found for %s.\\n\\n- {BY_PULL_REQUEST}\\n\\n' "$1" >&2
    exit 1
    ;;
esac
[ -n "$HUB_WORKFLOWS" ] && exit 0
[ "$3" = {ZERO} ] && exit 0
changed=$(git log --format= --name-only --diff-merges=first-parent "$3" --not --all -- {WORKFLOWS} | head -n 1)
[ -z "$changed" ] && exit 0
printf 'error: {_REFUSED}\\n' "$changed" >&2
exit 1
"""


def install(repository: Repository) -> None:
    """Put the hook into a repository."""
    hook = repository.path / "hooks" / "update"
    hook.write_text(_HOOK, encoding="ascii")
    hook.chmod(0o755)


def hook_environment(repository: Repository, token: Token) -> dict[str, str]:
    """What the hook has to know about a push."""
    protected, ruled = (
        " ".join(f"refs/heads/{name}" for name in sorted(names)) for names in (repository.protected, repository.ruled)
    )
    return {
        "HUB_PROTECTED": protected,
        "HUB_RULED": ruled,
        "HUB_WORKFLOWS": "1" if token.allows("workflows", "write") else "",
    }


def refused_workflow(path: str) -> str:
    """GitHub's sentence about a workflow that may not be changed."""
    return _REFUSED % path


def rule_against(repository: Repository, name: str) -> str | None:
    """Why a ref (its whole name) may not be moved but by a pull request, in GitHub's words; None when it may."""
    if not name.startswith("refs/heads/"):
        return None
    branch = name.removeprefix("refs/heads/")
    if branch in repository.ruled:
        return BY_RULE
    return BY_PULL_REQUEST if branch in repository.protected else None


def is_hidden(name: str) -> bool:
    """Whether a ref is GitHub's own."""
    return name.startswith("refs/pull/")


def new_workflow(repository: Repository, moves: Sequence[RefMove]) -> str | None:
    """A workflow that commits change which are new to the repository, if there is one."""
    tips = [move.new for move in moves if move.new != ZERO]
    if not tips:
        return None
    options = ("--format=", "--name-only", "--diff-merges=first-parent")
    try:
        listed = repository.git.git("log", *options, *tips, "--not", "--all", "--", WORKFLOWS)
    except GitFailedError:
        return None
    return next(iter(listed.decode("utf-8", "replace").split("\n")), None) or None
