"""The shortest names for parts of a suggestion: ``3``, ``3.1``, ``3.1a``."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gitclaw_py.core.suggestions import Suggestion, group_parts


class Named(NamedTuple):
    """A name, and the smallest parts it stands for."""

    name: str
    parts: tuple[str, ...]


class Names:
    """Names parts of one suggestion, in time that depends on how many they are."""

    def __init__(self, suggestion: Suggestion) -> None:
        self._number = suggestion.number
        self._total = len(suggestion.parts)
        self._groups: dict[str, tuple[str, int]] = {}
        for group in suggestion.groups:
            members = group_parts(suggestion.number, group)
            shown = (f"{suggestion.number}.{group.number}", len(members))
            self._groups.update(dict.fromkeys(members, shown))

    def shortest(self, parts: Sequence[str]) -> list[Named]:
        """Names for ``parts``, in their order: the whole suggestion, whole groups, and single ones."""
        if len(parts) == self._total:
            return [Named(str(self._number), tuple(parts))]
        together: dict[str, list[str]] = {}
        for part in parts:
            together.setdefault(self._groups.get(part, (part, 1))[0], []).append(part)
        return [named for shown, members in together.items() for named in self._of_group(shown, members)]

    def _of_group(self, shown: str, members: Sequence[str]) -> Iterable[Named]:
        if len(members) == self._groups.get(members[0], (shown, 1))[1]:
            return [Named(shown, tuple(members))]
        return [Named(member, (member,)) for member in members]
