"""The verb ``review-plan``: what a proposal would be as review comments, without a forge and without a trace."""

import os
import time
from argparse import Namespace
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from gitclaw_py.adapters.command_agent import CommandAgent
from gitclaw_py.adapters.directory_workspace import DirectoryWorkspaces
from gitclaw_py.adapters.git_process import GitError, quoted
from gitclaw_py.adapters.git_repository import GitRepository, opened
from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.core.alignment import Alignment, Comparison
from gitclaw_py.core.applying import targets
from gitclaw_py.core.reasons import explained, read_reasons
from gitclaw_py.core.review.listing import document, lines
from gitclaw_py.core.review.plan import Plan
from gitclaw_py.core.review.planner import plan
from gitclaw_py.core.suggestions import Suggestion, suggest
from gitclaw_py.errors import AgentError, UsageError

_MESSAGE = "gitclaw review-plan\n"


class _Work(NamedTuple):
    """The tree that is wanted, and the reasons for it as the command left them."""

    tree: str
    reasons: bytes | None = None


def run(options: Namespace, command: tuple[str, ...], environment: Mapping[str, str], terminal: Terminal) -> int:
    """Print the plan.

    Raises:
        UsageError: a revision cannot be found, or not exactly one of a command and ``--work`` was given.
        AgentError: the command failed and changed nothing.
    """
    if bool(command) == bool(options.work):
        next_step = "gitclaw review-plan --base REV --head REV -- COMMAND, or --work TREE-ISH instead of the command"
        raise UsageError("USAGE", "It takes either a command or --work", next_step)
    with opened(Path.cwd(), environment) as repository:
        _write_aside(repository)
        base, head = (_resolved(repository, name, "commit") for name in (options.base, options.head))
        if options.work:
            work = _Work(_resolved(repository, options.work, "tree"))
        else:
            agent = CommandAgent(command, environment, options.timeout)
            work = _worked(repository, head, agent, terminal)
        found = planned(repository, (base, head), work.tree, lambda made: _with_reasons(made, work, terminal))
    if options.json:
        terminal.say_json(document(found))
    else:
        for line in lines(found, terminal.paint):
            terminal.say(line)
    return 0


def planned(
    repository: GitRepository,
    sides: tuple[str, str],
    tree: str,
    explain: Callable[[list[Suggestion]], list[Suggestion]] = list,
) -> Plan:
    """The plan for a pull request, ``sides`` being its base and its head, and what its files should be instead."""
    base, head = sides
    files = repository.pull_diff(base, head)
    diffs = repository.diff(head, tree)
    with repository.open(head) as session:
        made = explain(list(suggest(diffs, session.texts, 1, 1)))
        wanted = targets(made, (part for s in made for part in s.parts), (), undo=False)
        session.prefetch(list({path for s in made for path in (s.old_path, s.path)}))
        alignments: dict[Comparison, Alignment] = {}
        found = plan(wanted, session, files, alignments)
        while not isinstance(found, Plan):
            alignments.update(repository.compare(found))
            found = plan(wanted, session, files, alignments)
    return found


def _write_aside(repository: GitRepository) -> None:
    """What is written goes into a folder that is removed, so that the repository may even be read-only."""
    objects = repository.git.sealed / "objects"
    (objects / "info").mkdir(exist_ok=True)
    # https://git-scm.com/docs/gitrepository-layout
    (objects / "info" / "alternates").write_bytes(quoted(os.fsencode(repository.git.objects)) + b"\n")
    repository.git = repository.git._replace(objects=objects)


def _resolved(repository: GitRepository, name: str, kind: str) -> str:
    try:
        answer = repository.git.user("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{{kind}}}")
    except GitError as error:
        raise UsageError("UNKNOWN_REF", f"There is no {kind} {name}", "name a branch, a tag or a commit") from error
    return answer.decode("ascii").strip()


def _worked(repository: GitRepository, head: str, agent: CommandAgent, terminal: Terminal) -> _Work:
    """Run the command on a copy of the head."""
    log = repository.git.sealed / "log"
    name = os.path.basename(agent.command[0])
    with DirectoryWorkspaces(repository).export(head, with_git=False) as workspace:
        ran = agent.run(workspace.path, "", log, terminal.progress(name))
        terminal.end_progress()
        with repository.open(head) as session:
            change = workspace.changes(taken=session.store)
            for warning in change.warnings:
                terminal.warn(warning)
            commit = session.record(head, _MESSAGE, change, int(time.time()))
    if ran.exit_code and not change.writes:
        what = f"{name} ended with {ran.exit_code} and changed nothing"
        raise AgentError("AGENT_FAILED", what, "see what it says when you run it yourself", ran.said)
    return _Work(commit, ran.reasons)


def _with_reasons(made: list[Suggestion], work: _Work, terminal: Terminal) -> list[Suggestion]:
    if work.reasons is None:
        return made
    try:
        return explained(made, read_reasons(work.reasons))
    except ValueError as error:
        terminal.warn(f"the reasons could not be read: {error}")
        return made
