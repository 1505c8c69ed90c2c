"""What may become of a change at a path: plain, sensitive (only by its own number, by who may), blocked (never by us).

One table for every repository; patterns of ``suggestions.json`` add to it and take back what it marks as removable.
Paths are compared as the most forgiving file system reads them, so that no spelling gets past it.
"""

import re
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from gitclaw_py.core.paths import fold, objection, oddity
from gitclaw_py.core.patterns import compiled, expression, matches


class Standing(IntEnum):
    """How far a change may go without a person making it; the larger, the less."""

    PLAIN = 0
    SENSITIVE = 1
    BLOCKED = 2


class Rules(NamedTuple):
    """What a repository says beside the table, as lines of a ``.gitignore``.

    ``block`` and ``sensitive`` add, ``allow`` takes back what is removable. ``portable`` blocks names that not every
    system reads alike: a forge's branch is checked out everywhere.
    """

    block: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    portable: bool = False


class Ruling(NamedTuple):
    """The standing of a path, why, and whether ``allow`` can take it back."""

    standing: Standing
    why: str = ""
    removable: bool = False


class Row(NamedTuple):
    """One line of the table."""

    standing: Standing
    why: str
    removable: bool
    patterns: tuple[str, ...]


STEERS = (
    ".claude/",
    ".mcp.json",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "AGENTS.override.md",
    "AGENT.md",
    "GEMINI.md",
    "QWEN.md",
    ".env*",
    ".envrc",
    ".cursor/",
    ".cursorrules",
    ".cursorignore",
    ".codex/",
    ".gemini/",
    ".geminiignore",
    ".qwen/",
    "opencode.json",
    "opencode.jsonc",
    ".opencode/",
    ".aider*",
    ".windsurf/",
    ".windsurfrules",
    ".clinerules",
    ".roo/",
    ".roorules*",
    ".roomodes",
    ".continue/",
    ".continuerules",
    ".goosehints",
    ".goose/",
    ".amazonq/",
    ".kiro/",
    ".junie/",
    ".augment/",
    ".agents/",
    ".github/copilot-instructions.md",
    ".github/instructions/",
    ".github/prompts/",
    ".github/chatmodes/",
    ".github/agents/",
    ".vscode/",
    ".idea/",
    ".zed/",
    ".fleet/",
    ".devcontainer/",
    ".devcontainer.json",
    ".husky/",
    ".githooks/",
    ".lefthook/",
    "lefthook.y*ml",
    ".lefthook.y*ml",
    ".pre-commit-config.yaml",
    ".gitconfig",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
)
"""What agents, editors and hooks obey without being asked. A run on a pull request sees the default branch's."""
_B, _S = Standing.BLOCKED, Standing.SENSITIVE
TABLE = (
    Row(_B, "a workflow runs with the repository's secrets", False, (".github/workflows/",)),
    Row(_B, "it says which other repositories are checked out", False, (".gitmodules",)),
    Row(_B, "a git configuration or hook", False, (".gitconfig", ".githooks/")),
    Row(_B, "an action runs inside of workflows", True, (".github/actions/",)),
    Row(
        _B,
        "a place for secrets",
        True,
        (".env*", "config/secrets/", "**/config/secrets/", ".netrc", ".git-credentials"),
    ),
    Row(
        _B,
        "a key",
        True,
        ("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "id_rsa", "id_ed25519", "id_ecdsa"),
    ),
    Row(_B, "it says how things are deployed", True, ("deployment/",)),
    Row(_S, "the settings of gitclaw", False, ("suggestions.json", ".gitclaw/")),
    Row(_S, "it says who has to review", False, ("CODEOWNERS",)),
    Row(_S, "the settings of the repository", True, (".github/", ".gitlab/", ".forgejo/", ".gitea/")),
    Row(_S, "it changes what git shows and stores", True, (".gitattributes",)),
    Row(_S, "agents and editors obey it", True, STEERS),
    Row(
        _S,
        "it runs in builds and checks",
        True,
        (
            "Makefile",
            "GNUmakefile",
            "*.mk",
            "justfile",
            "Taskfile.y*ml",
            "package.json",
            "action.y*ml",
            ".gitlab-ci.yml",
            ".circleci/",
            ".buildkite/",
            ".travis.yml",
            "azure-pipelines.yml",
            "bitbucket-pipelines.yml",
            "Jenkinsfile",
        ),
    ),
)
"""From what is never applied to what takes a number of its own; the first line that fits decides."""
_PLAIN = Ruling(Standing.PLAIN)


def _any_of(patterns: tuple[str, ...]) -> bytes:
    """A file or link that a pattern names, or one below a folder it names."""
    bodies = (expression(fold(pattern.rstrip("/").encode()).decode()) for pattern in patterns)
    return b"|".join(b"(?:%b(?:/.*)?)" % body for body in bodies)


def _hint(pattern: str) -> bytes:
    """What a path, with a slash before it, has to hold if the pattern fits."""
    folded = fold(pattern.rstrip("/").encode()).removeprefix(b"**/").removeprefix(b"/")
    if folded.startswith(b"."):
        return b"/."
    return folded[1:] if folded.startswith(b"*.") else b"/" + re.split(rb"[*?\\[]", folded)[0]


@lru_cache(maxsize=1)
def _hints() -> re.Pattern[bytes]:
    """Tells the paths that no pattern can fit from the others, faster than by trying them all."""
    words = {_hint(pattern) for row in TABLE for pattern in row.patterns}
    by_sign = {sign: sorted(re.escape(word[1:]) for word in words if word[:1] == sign) for sign in (b"/", b".")}
    return re.compile(b"|".join(re.escape(sign) + b"(?:%b)" % b"|".join(rest) for sign, rest in by_sign.items()))


def get_ready() -> None:
    """Compile what ``ruling`` needs for any path: 1 ms, for those who have to wait for something else anyway."""
    _hints()


@lru_cache(maxsize=1)
def _table() -> re.Pattern[bytes]:
    return re.compile(b"|".join(b"(?P<r%d>%b)" % (k, _any_of(row.patterns)) for k, row in enumerate(TABLE)), re.DOTALL)


@lru_cache(maxsize=1)
def _steering() -> re.Pattern[bytes]:
    return re.compile(_any_of(STEERS), re.DOTALL)


NO_RULES = Rules()
"""Those of a repository that says nothing."""


@lru_cache(maxsize=20_000)
def ruling(path: bytes, rules: Rules = NO_RULES) -> Ruling:
    """What may become of a change at a path."""
    if why := objection(path):
        return Ruling(Standing.BLOCKED, why)
    own, table = _own(path, rules), _by_table(path, rules)
    if table.standing > Standing.PLAIN and table.removable and matches(compiled(rules.allow), path):
        table = _PLAIN
    return max(table, own, key=lambda found: found.standing)


def _own(path: bytes, rules: Rules) -> Ruling:
    folded = fold(path)
    for standing, lines in ((Standing.BLOCKED, rules.block), (Standing.SENSITIVE, rules.sensitive)):
        if lines and (matches(compiled(lines), path) or matches(compiled(tuple(map(str.lower, lines))), folded)):
            return Ruling(standing, "suggestions.json says so", removable=True)
    return _PLAIN


def _by_table(path: bytes, rules: Rules) -> Ruling:
    folded = fold(path)
    # "github~1" is what Windows calls a folder ".github", and where that is.
    if "~" in folded.decode("latin-1") and (real := _behind_short_names(folded)):
        folded = real
    found = _table().fullmatch(folded) if _hints().search(b"/" + folded) else None
    ours = _PLAIN
    if found and found.lastgroup:
        row = TABLE[int(found.lastgroup[1:])]
        ours = Ruling(row.standing, row.why, row.removable)
    if rules.portable and ours.standing < Standing.BLOCKED and (why := oddity(path)):
        return Ruling(Standing.BLOCKED, why, removable=ours.standing is Standing.PLAIN)
    return ours


_ALIASED = {
    b"github": b".github",
    b"gitmod": b".gitmodules",
    b"gitatt": b".gitattributes",
    b"gitcon": b".gitconfig",
    b"gitcla": b".gitclaw",
    b"githoo": b".githooks",
    b"claude": b".claude",
    b"vscode": b".vscode",
    b"devcon": b".devcontainer",
    b"husky": b".husky",
    b"workfl": b"workflows",
    b"codeow": b"codeowners",
    b"sugges": b"suggestions.json",
    b"env": b".env",
}
_ALIAS = re.compile(rb"([^.~/]{1,6})~[0-9]{1,5}(?:\.[^./]{0,3})?")


def _behind_short_names(path: bytes) -> bytes | None:
    """The path with the short names of protected folders and files written out; None where there are none."""
    names = path.split(b"/")
    real = [_ALIASED.get(found[1], name) if (found := _ALIAS.fullmatch(name)) else name for name in names]
    return b"/".join(real) if real != names else None


def is_of_workflows(*paths: bytes) -> bool:
    """Whether a change at any of the paths changes what is in the folder of GitHub's workflows.

    Without a permission of its own a token may push no commit that does, on no ref.
    https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps#repository-permissions-for-workflows
    """
    return any(map(_is_of_workflows, map(fold, paths)))


def _is_of_workflows(folded: bytes) -> bool:
    return folded in (b".github", b".github/workflows") or folded.startswith(b".github/workflows/")


def steers(path: bytes) -> bool:
    """Whether an agent, an editor or a hook would obey the file by itself."""
    return _steering().fullmatch(fold(path)) is not None


def strictest(first: Ruling, second: Ruling) -> Ruling:
    """Of the two names of a file that moves, the one that counts."""
    return first if first.standing >= second.standing else second
