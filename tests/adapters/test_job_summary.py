from __future__ import annotations

from pathlib import Path

from gitclaw_py.adapters.job_summary import JobSummary

LIMIT = 1024 * 1024


def test_what_is_added_stands_one_below_the_other(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    JobSummary(str(path)).add("### One\n")
    JobSummary(str(path)).add("two é")
    assert path.read_text(encoding="utf-8") == "### One\n\ntwo é\n\n"


def test_without_a_file_nothing_is_kept() -> None:
    JobSummary(None).add("one")
    JobSummary("").add("one")


def test_github_shows_nothing_of_what_is_too_long_so_that_it_is_cut_at_a_line(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    summary = JobSummary(str(path))
    summary.add("line\n" * LIMIT)
    summary.add("more\n" * LIMIT)
    text = path.read_text(encoding="utf-8")
    assert path.stat().st_size < LIMIT
    assert set(text.split("\n")) == {"line", "", "The rest is longer than what GitHub shows here."}
