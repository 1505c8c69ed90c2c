"""The state as the documented document that ``--json`` prints."""

from __future__ import annotations

from typing import Any

from gitclaw_py.core.state import Decision, State, Status, overall, progress, statuses
from gitclaw_py.core.state_json import dump_proposal
from gitclaw_py.core.suggestions import Group, Suggestion, group_parts

Json = dict[str, Any]


def document(state: State) -> Json:
    """What ``gitclaw status --json`` prints: see ``gitclaw_py/docs/status-json.md``."""
    found = statuses(state)
    suggestions = [suggestion(s, found) for s in state.suggestions]
    counts = progress(Status(one["status"]) for one in suggestions)
    return {
        "thread": state.thread,
        "base": state.proposals[-1].base if state.proposals else None,
        "progress": {
            "total": counts.total,
            "applied": counts.applied,
            "rejected": counts.rejected,
            "replaced": counts.replaced,
            "pending": counts.pending,
        },
        "proposals": [dump_proposal(p) for p in state.proposals],
        "suggestions": suggestions,
        "decisions": [_decision(number, d) for number, d in enumerate(state.decisions, 1)],
    }


def suggestion(s: Suggestion, found: dict[str, Status]) -> Json:
    """One suggestion, with the statuses of its parts."""
    names = s.parts
    status = overall(map(found.__getitem__, names))
    result: Json = {"number": s.number, "proposal": s.proposal, **_path("path", s.path)}
    if s.is_renamed:
        result.update(_path("old_path", s.old_path))
    result.update({"kind": s.kind.value, "status": status.value, "added": s.added, "removed": s.removed})
    result.update({key: value for key, value in _said(s) if value})
    if s.requires:
        result["requires"] = list(s.requires)
    if s.old and s.new and s.old.mode != s.new.mode:
        result.update({"old_mode": s.old.mode, "mode": s.new.mode})
    parts = [name for name in names if name.endswith((".rename", ".mode"))]
    if parts:
        result["parts"] = [{"number": name, "status": found[name].value} for name in parts]
    result["hunks"] = _hunks(s, found)
    return result


def _said(s: Suggestion) -> tuple[tuple[str, str | None], ...]:
    blocked = s.blocked
    return ("reason", s.reason), ("blocked", blocked), ("careful", None if blocked else s.careful)


def _hunks(s: Suggestion, found: dict[str, Status]) -> list[Json]:
    hunks, growth = [], 0
    for group in s.groups:
        hunks.append(_hunk(s.number, group, growth, found))
        growth += sum(hunk.growth for hunk in group.hunks)
    return hunks


def _hunk(number: int, group: Group, growth: int, found: dict[str, Status]) -> Json:
    names = group_parts(number, group)
    old_start, old_count, new_start, new_count = extent(group, growth)
    hunk: Json = {
        "number": f"{number}.{group.number}",
        "status": overall(map(found.__getitem__, names)).value,
        "old_start": old_start,
        "old_count": old_count,
        "new_start": new_start,
        "new_count": new_count,
    }
    if group.reason:
        hunk["reason"] = group.reason
    if len(names) > 1:
        hunk["parts"] = [{"number": name, "status": found[name].value} for name in names]
    return hunk


def extent(group: Group, growth: int) -> tuple[int, int, int, int]:
    """Where a group is on both sides, as in an ``@@`` line: lines from 1, and a count of 0 means "after"."""
    start, end = group.hunks[0].start, group.hunks[-1].end
    old_count = end - start
    new_count = old_count + sum(hunk.growth for hunk in group.hunks)
    new_start = start + growth
    return start + bool(old_count), old_count, new_start + bool(new_count), new_count


def _path(key: str, path: bytes) -> Json:
    """A path as text; bytes that are not UTF-8 are escaped in it, and the exact name is beside it in base64."""
    try:
        return {key: path.decode("utf-8")}
    except UnicodeDecodeError:
        from base64 import b64encode

        return {key: path.decode("utf-8", "backslashreplace"), f"{key}_base64": b64encode(path).decode("ascii")}


def _decision(number: int, d: Decision) -> Json:
    result: Json = {
        "number": number,
        "verb": d.verb.value,
        "parts": list(d.parts),
        "actor": d.actor,
        "at": d.at,
        "commit": d.commit,
        "branch": d.branch,
    }
    if d.reason:
        result["reason"] = d.reason
    for key, parts in (("on_branch", d.on_branch), ("in_index", d.in_index), ("in_files", d.in_files)):
        if parts:
            result[key] = list(parts)
    if d.replaced_by:
        result["replaced_by"] = list(d.replaced_by)
    return result
