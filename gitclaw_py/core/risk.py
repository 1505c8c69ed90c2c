"""How much could go wrong if a proposal were applied: points from the real diff, after the run.

Every rule is in the table; a level is reached by points, and the rules that gave them are said.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from fnmatch import translate
from functools import lru_cache
from typing import NamedTuple

from gitclaw_py.core.suggestions import Suggestion
from gitclaw_py.core.visible import visible_path


class Risk(StrEnum):
    """The levels, from the lowest to the highest."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


_EACH_DELETION = 5
_REACHED_AT = ((Risk.CRITICAL, 70), (Risk.HIGH, 40), (Risk.MEDIUM, 15))
_ORDER = tuple(Risk)


_MANY_FILES, _MANY_FOLDERS = 10, 5
_CRITICAL = (
    "*auth*",
    "*login*",
    "*password*",
    "*secret*",
    "*token*",
    "*crypt*",
    "*security*",
    "*permission*",
    "*payment*",
    "*billing*",
    "*migration*",
    ".env*",
    "*.pem",
    "*.key",
    "codeowners",
)
_INFRASTRUCTURE = (
    "dockerfile*",
    "*.dockerfile",
    "docker-compose*",
    "compose.y*ml",
    "*.tf",
    "*.tfvars",
    "jenkinsfile",
    ".github",
    "action.y*ml",
    ".gitlab-ci.yml",
    ".circleci",
    "azure-pipelines.yml",
    "k8s",
    "kubernetes",
    "helm",
    "terraform",
    "ansible",
    "makefile",
    "procfile",
    "nginx*",
    "*.service",
)
_DEPENDENCIES = (
    "package.json",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock*",
    "requirements*.txt",
    "constraints*.txt",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "pipfile*",
    "go.mod",
    "go.sum",
    "cargo.toml",
    "cargo.lock",
    "gemfile*",
    "*.gemspec",
    "composer.json",
    "composer.lock",
    "pom.xml",
    "build.gradle*",
    "gradle.lockfile",
    "*.csproj",
    "packages.lock.json",
    "mix.exs",
    "mix.lock",
    "pubspec.*",
)
_WEIGHTS = {"files": 15, "deletions": 10, "critical": 40, "folders": 10, "infrastructure": 25, "dependencies": 15}


class Assessment(NamedTuple):
    """The level, the points behind it, and where they come from; ``named`` are the paths in that, in order."""

    level: Risk
    score: int
    because: tuple[str, ...]
    named: tuple[str, ...] = ()


def assess(suggestions: Sequence[Suggestion]) -> Assessment:
    """The risk of applying all of ``suggestions``."""
    paths = sorted({path for s in suggestions for path in (s.path, s.old_path)})
    folders = {path.rpartition(b"/")[0] for path in paths}
    deleted = [s for s in suggestions if s.new is None]
    named = {
        "critical path": _first(paths, _CRITICAL),
        "infrastructure": _first(paths, _INFRASTRUCTURE),
        "dependencies": _first(paths, _DEPENDENCIES),
    }
    told = {what: f"{what} ({path})" if path else "" for what, path in named.items()}
    found = {
        "files": f"{len(suggestions)} files" if len(suggestions) > _MANY_FILES else "",
        "deletions": f"{len(deleted)} deleted" if deleted else "",
        "critical": told["critical path"],
        "folders": f"{len(folders)} folders" if len(folders) > _MANY_FOLDERS else "",
        "infrastructure": told["infrastructure"],
        "dependencies": told["dependencies"],
    }
    score = sum(_WEIGHTS[rule] for rule, why in found.items() if why)
    score += _EACH_DELETION * min(len(deleted), _MANY_FILES)
    because = tuple(why for why in found.values() if why)
    return Assessment(level_of(score), score, because, tuple(filter(None, named.values())))


def level_of(score: int) -> Risk:
    """The level that so many points reach: 15 medium, 40 high, 70 critical."""
    return next((level for level, least in _REACHED_AT if score >= least), Risk.LOW)


def at_least(risk: Risk, threshold: Risk) -> bool:
    """Whether a risk reaches a threshold."""
    return _ORDER.index(risk) >= _ORDER.index(threshold)


def get_ready() -> None:
    """Compile what ``assess`` needs: 2 ms, for those who have to wait for something else anyway."""
    for patterns in (_CRITICAL, _INFRASTRUCTURE, _DEPENDENCIES):
        _names(patterns)


@lru_cache(maxsize=3)
def _names(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, patterns)))


def _first(paths: Sequence[bytes], patterns: tuple[str, ...]) -> str:
    """The first path that has a folder or file of such a name; empty when there is none."""
    is_one = _names(patterns).match
    for path in paths:
        if any(map(is_one, path.decode("utf-8", "replace").lower().split("/"))):
            return visible_path(path)
    return ""
