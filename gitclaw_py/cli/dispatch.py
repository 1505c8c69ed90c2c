"""Which module carries out which verb; only that one is imported."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path

from gitclaw_py.adapters.git_place import Search, search
from gitclaw_py.adapters.terminal import Terminal
from gitclaw_py.core.paint import safe
from gitclaw_py.errors import GitclawError, UsageError

_ON_THE_FORGE = ("run", "work", "publish")
_SETTING_UP = {"init": "init", "doctor": "doctor", "config": "configuration"}
"""The verbs that work without a thread, and the modules they are in."""


def run(options: Namespace, command: tuple[str, ...], environment: Mapping[str, str], terminal: Terminal) -> int:
    """Run one verb and return the exit code."""
    if options.verb in _ON_THE_FORGE:
        return _on_the_forge(options, environment, terminal)
    if options.verb == "demo":
        return _demo(options, terminal)
    if options.verb in _SETTING_UP:
        module = import_module(f"gitclaw_py.cli.{_SETTING_UP[options.verb]}")
        return int(module.run(options, environment, terminal))
    if options.verb == "review-plan":
        from gitclaw_py.cli import review_plan

        return review_plan.run(options, command, environment, terminal)
    # Git looks for the repository while the rest is imported, and writes the files that an agent is to work on.
    searching = search(_here(), environment, getattr(options, "branch", None))
    with _begun(options, command, searching):
        from gitclaw_py.cli import verbs

        return verbs.run(options, command, terminal, searching)


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise UsageError("NOT_A_REPOSITORY", "The current folder is gone", "go to one that is there") from error


def _begun(options: Namespace, command: tuple[str, ...], searching: Search) -> AbstractContextManager[object]:
    """Begin to export the current commit, where a suggestion starts from it.

    Raises:
        UsageError: ``NOT_A_REPOSITORY``, where that is known so early.
    """
    runs = options.verb == "suggest" and bool(command or options.agent)
    if not runs or options.working_tree or options.uncommitted:
        return nullcontext()
    from gitclaw_py.adapters.git_export import Export

    place = searching.found()
    searching.export = Export(searching.environment, place.objects, place.object_format, place.oid)
    return searching.export


def _on_the_forge(options: Namespace, environment: Mapping[str, str], terminal: Terminal) -> int:
    from gitclaw_py.cli import conversation

    verbs = {"run": conversation.run, "work": conversation.work, "publish": conversation.publish}
    try:
        return verbs[options.verb](options, environment, terminal)
    except GitclawError as error:
        conversation.stopped(error, environment, terminal)
        raise


def _demo(options: Namespace, terminal: Terminal) -> int:
    import shlex

    from gitclaw_py.local import demo

    if options.serve:
        return demo.serve(terminal, options.port, shlex.split(options.agent or ""))
    return demo.play(terminal, Path(options.keep) if options.keep else None)


def tell_error(error: GitclawError, terminal: Terminal, *, as_json: bool) -> None:
    """Say what went wrong and what to do, to a person or a program."""
    if as_json:
        terminal.say_json(
            {
                "outcome": "error",
                "code": error.code,
                "what": error.what,
                "next": error.next_step,
                "details": list(error.details),
            }
        )
    else:
        said = [f"{error.code}: {safe(error.what)}.", *(f"  {line}" for line in error.details)]
        terminal.note("\n".join([*said, f"Next: {error.next_step}"]))
