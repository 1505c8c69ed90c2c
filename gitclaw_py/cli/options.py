"""The words of the command line. Nothing else is imported here: --help and --version take no longer than this."""

from __future__ import annotations

import argparse
import os
import sys

from gitclaw_py import __version__

_EPILOG = """\
numbers: 3 is a suggestion, 3.1 one of its hunks, 3.1a the smallest piece; 1,3  1-3  all  all except 4

exit codes: 0 ok, 1 failed, 2 usage, 3 configuration, 4 not allowed, 5 agent failed, 6 conflict or partly
applied, 7 budget spent, 130 interrupted
"""


class _Help(argparse.HelpFormatter):
    """As wide as the terminal. argparse asks for that at every option, and by shutil, which takes long to import."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


class _HelpOfAll(_Help, argparse.RawDescriptionHelpFormatter):
    """The numbers and exit codes at the end keep their lines."""


def _columns() -> int:
    """As https://docs.python.org/3/library/shutil.html#shutil.get_terminal_size finds it."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return 80


def parser(chosen: str | None = None) -> argparse.ArgumentParser:
    """The ``chosen`` verb with its options, or else all verbs without: making all takes as long as most verbs."""
    top = argparse.ArgumentParser(
        prog="gitclaw",
        epilog=_EPILOG,
        formatter_class=_HelpOfAll,
        description="An agent's changes as numbered suggestions that you apply one by one.",
    )
    top.add_argument("--version", action="version", version=f"gitclaw {__version__}")
    # Without a name given, argparse would format the whole usage to find it.
    verbs = top.add_subparsers(dest="verb", metavar="COMMAND", required=True, prog="gitclaw")
    for name in [chosen] if chosen in _VERBS else _VERBS:
        text, fill = _VERBS[name]
        verb = verbs.add_parser(name, help=text, description=text, usage=_USAGES.get(name), formatter_class=_Help)
        if name == chosen:
            fill(verb)
    return top


_USAGES = {
    "suggest": 'gitclaw suggest [options] -- COMMAND ...\n       gitclaw suggest [options] --agent NAME "REQUEST"',
    "review-plan": "gitclaw review-plan [options] -- COMMAND ...",
}

TAKE_A_COMMAND = ("suggest", "review-plan")
"""The verbs that run what stands after two dashes."""


def _common(verb: argparse.ArgumentParser) -> argparse.ArgumentParser:
    verb.add_argument("--thread", metavar="NAME", help="the thread; by default the branch")
    verb.add_argument("--json", action="store_true", help="print the result for a program")
    return verb


def _configured(verb: argparse.ArgumentParser) -> argparse.ArgumentParser:
    verb.add_argument("--config", metavar="FILE", help="the configuration; by default suggestions.json, as it is found")
    return _common(verb)


def _suggest(verb: argparse.ArgumentParser) -> None:
    _configured(verb).add_argument("request", nargs="*", metavar="REQUEST", help=argparse.SUPPRESS)
    verb.add_argument(
        "--agent",
        metavar="NAME",
        help='an agent that is known by its name, instead of a command: --agent claude "what to do"',
    )
    base = verb.add_mutually_exclusive_group()
    base.add_argument(
        "--working-tree", action="store_true", help="start from your files as they are, not from the commit"
    )
    base.add_argument("--uncommitted", action="store_true", help="run nothing: suggest what is not committed yet")
    verb.add_argument(
        "--isolate", action="store_true", help="keep it apart as in a thread: no network, nothing of yours but the copy"
    )
    verb.add_argument("--git", action="store_true", help="give the command a throw-away git repository")
    verb.add_argument(
        "--mode",
        choices=["suggest-only", "suggest-and-commit", "commit-only", "hybrid"],
        help="how far to go; by default what the configuration says",
    )
    verb.add_argument("--replaces", metavar="NUMBERS", help="the suggestions that the new ones take the place of")
    verb.add_argument(
        "--timeout", metavar="SECONDS", type=_seconds, default=1800.0, help="stop the command then (default 1800)"
    )


def _review_plan(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--base", metavar="REV", required=True, help="what the pull request goes into")
    verb.add_argument("--head", metavar="REV", required=True, help="the last commit of the pull request")
    verb.add_argument("--work", metavar="TREE-ISH", help="run nothing: the files as they should be")
    verb.add_argument("--json", action="store_true", help="print the plan for a program")
    verb.add_argument(
        "--timeout", metavar="SECONDS", type=_seconds, default=1800.0, help="stop the command then (default 1800)"
    )


def _seconds(text: str) -> float:
    seconds = float(text)
    if not seconds > 0:
        raise argparse.ArgumentTypeError("more than 0, please")
    return seconds


def _apply(verb: argparse.ArgumentParser) -> None:
    _common(verb).add_argument("numbers", nargs="+", metavar="NUMBERS", help="1,3  1-3  2.1  all  all except 4")
    _landing(verb, "the current one")
    verb.add_argument("--partial", action="store_true", help="apply what fits and leave the rest pending")


def _undo(verb: argparse.ArgumentParser) -> None:
    _common(verb).add_argument("numbers", nargs="*", metavar="NUMBERS", help="by default all of the last apply")
    _landing(verb, "the one it was applied on")


def _landing(verb: argparse.ArgumentParser, branch: str) -> None:
    verb.add_argument("--branch", metavar="NAME", help=f"the branch to commit to; by default {branch}")
    verb.add_argument("--no-commit", action="store_true", help="only change the files")
    verb.add_argument("--sure", action="store_true", help="where it was asked whether that is the place: yes, it is")
    verb.add_argument("-m", "--message", metavar="TEXT", help="the first line of the commit message")


def _reject(verb: argparse.ArgumentParser) -> None:
    _common(verb).add_argument(
        "words",
        nargs="*",
        metavar="NUMBERS [REASON]",
        help="what to turn down, then in words why; without numbers, all that is pending",
    )


def _show(verb: argparse.ArgumentParser) -> None:
    _configured(verb).add_argument("numbers", nargs="+", metavar="NUMBERS")


def _demo(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--keep", metavar="DIR", help="make the sample repository there and leave it")
    verb.add_argument(
        "--serve", action="store_true", help="leave the page of a thread open, to try every command by hand"
    )
    verb.add_argument("--port", type=int, default=8123, help="where the page is (default 8123)")
    verb.add_argument("--agent", metavar="COMMAND", help="what works on the page instead of the scripted agent")


def _evented(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--event", metavar="FILE", help="the event as JSON; by default what GITHUB_EVENT_PATH names")
    verb.add_argument(
        "--event-name", metavar="NAME", help="its name; by default GITHUB_EVENT_NAME, or how the file begins"
    )


def _gate(verb: argparse.ArgumentParser) -> None:
    verb.epilog = (
        "It asks who may do that, pins the head of a pull request and reacts, and leaves kind, head and thread in "
        "GITHUB_OUTPUT. GITCLAW_MENTION, GITCLAW_LABEL and GITCLAW_BOTS say what suggestions.json says."
    )


def _work(verb: argparse.ArgumentParser) -> None:
    _evented(verb)
    verb.add_argument("--out", metavar="DIR", required=True, help="where to leave what the agent did")
    verb.add_argument("--head", metavar="COMMIT", help="the commit of the pull request that was decided on")


def _publish(verb: argparse.ArgumentParser) -> None:
    _evented(verb)
    verb.add_argument("--bundle", metavar="DIR", help="what gitclaw work left, where an agent had to work")
    verb.add_argument("--head", metavar="COMMIT", help="the commit of the pull request that was decided on")


def _run(verb: argparse.ArgumentParser) -> None:
    _evented(verb)
    verb.add_argument(
        "--rehearse",
        action="store_true",
        help="play it on a GitHub of this machine, with the repository one is in; also without a token",
    )
    verb.add_argument("--dry-run", action="store_true", help="write nothing, and print what would have been written")


def _agent_name(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--agent", metavar="NAME", help="an agent that is known by its name, such as claude or codex")


def _on_github(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--repository", metavar="OWNER/NAME", help="the repository on GitHub; by default where origin leads"
    )
    verb.add_argument("--json", action="store_true", help="print the result for a program")


def _init(verb: argparse.ArgumentParser) -> None:
    _agent_name(verb)
    verb.add_argument("--dry-run", action="store_true", help="show what would be written, and write nothing")
    verb.add_argument("--pr", action="store_true", help="open a pull request with it instead of writing it here")
    verb.add_argument("--uses", metavar="OWNER/NAME@COMMIT", help="the gitclaw to use; by default the one that this is")
    _on_github(verb)


def _doctor(verb: argparse.ArgumentParser) -> None:
    _on_github(verb)
    verb.add_argument("--config", metavar="FILE", help="the configuration; by default suggestions.json, as it is found")
    verb.add_argument("--ask", action="store_true", help="also ask the agent something, which its model may charge for")


def _config(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--config", metavar="FILE", help="the configuration; by default suggestions.json, as it is found")
    verb.add_argument("--json", action="store_true", help="print the result for a program")


def _status(verb: argparse.ArgumentParser) -> None:
    _configured(verb)


_VERBS = {
    "suggest": ("run a command in a copy of the repository; what it changes is suggested", _suggest),
    "apply": ("put suggestions on the branch, as one commit", _apply),
    "reject": ("turn suggestions down, all pending ones if none is named", _reject),
    "undo": ("take back the last apply, or the suggestions named", _undo),
    "status": ("all numbers of the thread, with their status", _status),
    "show": ("suggestions or hunks in full", _show),
    "run": ("handle an event of GitHub, as GitHub Actions hands it over", _run),
    "gate": ("say what jobs an event starts, with nothing but Python's own library", _gate),
    "work": ("let the agent work on an event, and leave what it did in a folder", _work),
    "publish": ("handle an event without running an agent, with what gitclaw work left", _publish),
    "review-plan": ("what would be review comments on a pull request, and why the rest would not", _review_plan),
    "init": ("what a repository on GitHub needs to have the bot: a workflow and suggestions.json", _init),
    "doctor": ("every reason why nothing happens, and what to do about it", _doctor),
    "config": ("what holds in suggestions.json, and where it comes from", _config),
    "demo": ("a thread on a GitHub of this machine, played and printed; or its page, with --serve", _demo),
}
"""What each verb does, in a line, and its options."""
