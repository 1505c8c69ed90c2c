"""Words that several replies share: numbers, files, changes, statuses, times."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gitclaw_py.core import usage
from gitclaw_py.core.replies.links import Links
from gitclaw_py.core.replies.markdown import clip, clip_start, code, inline, link, prose, worded
from gitclaw_py.core.selection import compact
from gitclaw_py.core.state import Decision, State, Status, last_word, overall, statuses
from gitclaw_py.core.suggestions import Kind, Suggestion
from gitclaw_py.core.usage import UNKNOWN, Usage
from gitclaw_py.core.visible import visible, visible_path
from gitclaw_py.errors import GitclawError

LONGEST_PATH = 160
_MOST_NAMES = 40
_SHORT = 7
_MINUTE = 60
_KINDS = {
    Kind.CREATE: "New file",
    Kind.MODIFY: "Edit",
    Kind.DELETE: "Delete",
    Kind.RENAME: "Rename",
    Kind.MODE: "Mode",
    Kind.SYMLINK: "Symbolic link",
    Kind.BINARY: "Binary",
    Kind.SUBMODULE: "Submodule",
}
PERSON = "a person must do this"
ALONE = "only by its own number"
CI_PUSH = (
    "Checks do not start by themselves on a commit made with the token of GitHub Actions."
    " The next push by a person starts them."
)
"""https://docs.github.com/en/actions/concepts/security/github_token#when-github_token-triggers-workflow-runs"""
CI_PULL = (
    'Checks wait for a click: someone with write access presses "Approve workflows to run" in the pull request.'
    " GitHub asks for that where the token of GitHub Actions opened it."
)
_OURS = frozenset((CI_PUSH, CI_PULL))


class Run(NamedTuple):
    """What made a reply: the agent, how long it took, where its log is, and what it used as far as is known.

    ``is_online`` is whether it had the network of the machine it ran on.
    """

    agent: str
    seconds: float
    log: str | None = None
    usage: Usage = UNKNOWN
    is_online: bool = False


def taken_back(parts: Sequence[str]) -> str:
    """Which parts a new version of the files does without; empty when that is none."""
    return f"{', '.join(parts)} {'was' if len(parts) == 1 else 'were'} taken back" if parts else ""


def short(oid: str) -> str:
    """A commit id as people write it."""
    return oid[:_SHORT]


def commit_link(oid: str, links: Links) -> str:
    """A commit, by its short id."""
    return link(code(short(oid)), links.commit(oid))


def path(s: Suggestion) -> str:
    """The file of a suggestion as code, both names of a rename."""
    return " → ".join(code(name) for name in names(s))


def clipped_path(name: bytes) -> str:
    """A path as text of bounded length; its end says most."""
    return clip_start(visible_path(name), LONGEST_PATH)


def names(s: Suggestion) -> list[str]:
    """The names of the file, old one first, as text of bounded length."""
    both = [s.old_path, s.path] if s.is_renamed else [s.path]
    return [clipped_path(name) for name in both]


def change(s: Suggestion) -> str:
    """What happens to the file: ``Edit, executable, +3 −1, parts 1.1 to 1.3``."""
    pieces = [" → ".join(s.becomes).capitalize() if s.becomes else _KINDS[s.kind]]
    if s.changes_mode and s.new:
        pieces.append("executable" if s.new.mode == "100755" else "not executable")
    lines = " ".join(([f"+{s.added}"] if s.added else []) + ([f"−{s.removed}"] if s.removed else []))
    pieces += [lines] if lines else []
    pieces += [parts] if (parts := parts_of(s)) else []
    return ", ".join(pieces)


def parts_of(s: Suggestion) -> str:
    """The parts that can be chosen one by one: ``parts 1.1 to 1.3``."""
    extra = [name for name in s.parts if name.endswith((".rename", ".mode"))]
    last = f"{s.number}.{len(s.groups)}"
    if len(s.groups) > 1:
        return " and ".join([f"parts {s.number}.1 to {last}", *extra])
    return f"parts {' and '.join([*extra, last])}" if extra and s.groups else ""


def numbers(state: State, parts: Iterable[str]) -> str:
    """The shortest way to name parts, for a sentence; of very many, the first."""
    named = compact(state, parts).split(", ")
    if len(named) <= _MOST_NAMES:
        return ", ".join(named)
    return ", ".join(named[:_MOST_NAMES]) + f" and {len(named) - _MOST_NAMES} more"


def typed(state: State, parts: Iterable[str]) -> str | None:
    """Parts as the word of a command; None when they are too many to be typed."""
    named = compact(state, parts).split(", ")
    return ",".join(named) if len(named) <= _MOST_NAMES else None


def status_words(state: State, s: Suggestion, found: dict[str, Status]) -> str:
    """One of the fixed list: Pending, Applied, Partly applied, Rejected, Replaced by 6."""
    parts = s.parts
    seen = {found[name] for name in parts}
    if Status.APPLIED in seen and len(seen) > 1:
        return "Partly applied"
    status = overall(seen)
    if status is Status.REPLACED:
        word = last_word(state, parts[-1])
        by = ", ".join(map(str, word.replaced_by)) if word else ""
        return f"Replaced by {by}" if by else "Replaced"
    return status.value.capitalize()


def standing(state: State) -> str:
    """``3 of 7 applied, 1 rejected, 3 pending.``: counts that add up, without those that are nought."""
    found = statuses(state)
    count = Counter(status_words(state, s, found).partition(" by ")[0].lower() for s in state.suggestions)
    others = [f"{count[word]} {word}" for word in ("partly applied", "rejected", "replaced", "pending") if count[word]]
    return ", ".join([f"{count['applied']} of {count.total()} applied", *others]) + "."


def next_steps(steps: Sequence[str]) -> str:
    """What can be done now."""
    return "**Next:** " + " · ".join(steps) if steps else ""


def sentence(text: str) -> str:
    """Text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


def word_of(state: State, s: Suggestion) -> Decision | None:
    """The latest decision about any part of a suggestion."""
    parts = set(s.parts)
    return next((d for d in reversed(state.decisions) if parts.intersection(d.parts)), None)


def note(text: str) -> str:
    """A sentence beside a reply: one of ours as it is, any other as plain text."""
    return text if text in _OURS else prose(text)


def what_of(error: GitclawError, most: int = 500) -> str:
    """What happened, without its full stop; what are not our own words in it is code."""
    return worded(error.what, error.named, most).rstrip(".")


def next_of(error: GitclawError) -> str:
    """What to do next, with the commands of a thread."""
    step = in_thread(clip(" ".join(visible(error.next_step).split()), 1_000))
    return code(step.replace("`", "")) if error.next_step in error.named else inline(step)


def duration(seconds: float) -> str:
    """``52 s``, ``1 min 52 s``."""
    whole = max(0, round(seconds))
    minutes, rest = divmod(whole, _MINUTE)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def footer(pieces: Sequence[str], links: Links | None, run: Run | None = None) -> str:
    """The small print at the end of a reply."""
    said = [*pieces]
    if run:
        said += [prose(run.agent, 80), duration(run.seconds), usage.words(run.usage)]
        said += ["the agent had open network access"] if run.is_online else []
    log = (run.log if run else None) or (links.run if links else None)
    return " · ".join([*said, link("run log", log)] if log else said)


_COMMAND = r"(?P<verb>apply|reject|undo|refine)\b(?P<numbers> (?:[0-9][0-9a-z.,-]*|all)(?<![.,]))?"
_IN_A_TERMINAL = (
    (re.compile(r"all it said is in .*"), "see all it said in the run log"),
    (
        re.compile(r"give it longer with --timeout, or see what it did: .*"),
        "give it longer in the workflow, or see what it did in the run log",
    ),
    (re.compile(r"take it back there: leave --branch .* out"), "give the command in the thread where it was applied"),
    (
        re.compile(r"make some with gitclaw suggest -- COMMAND, or name another thread with --thread"),
        "ask for some with `/gitclaw <request>`",
    ),
    (re.compile(r"(?:run )?gitclaw suggest(?: again| once more)"), "ask again with `/gitclaw <request>`"),
    (re.compile(r"gitclaw suggest -- COMMAND"), "`/gitclaw <request>`"),
    (re.compile(r"\bgitclaw (?P<verb>status|help|show)\b(?P<numbers> [0-9][0-9.a-z]*(?<!\.))?"), "namespaced"),
    (re.compile(rf"\bgitclaw {_COMMAND}"), "own"),
    (re.compile(rf"(?<=: ){_COMMAND}"), "own"),
    (re.compile(r"any gitclaw command"), "any command"),
)


def in_thread(text: str) -> str:
    """What an error says to do next, with the commands of a thread instead of those of a terminal."""
    for pattern, form in _IN_A_TERMINAL:
        if form == "own":
            text = pattern.sub(lambda m: f"`/{m['verb']}{m['numbers'] or ''}`", text)
        elif form == "namespaced":
            text = pattern.sub(lambda m: f"`/gitclaw {m['verb']}{m['numbers'] or ''}`", text)
        else:
            text = pattern.sub(form, text)
    return text
