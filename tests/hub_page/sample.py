"""A thread with everything a page can show: the one of the README, told up to a follow-up run."""

from __future__ import annotations

from gitclaw_py.hub.views import Entry, Happening, Reaction, ThreadView

REQUEST = """\
`report` prints a table only. I would like to pipe it into other tools.

- [x] CSV
- [ ] JSON

/gitclaw add a `--json` flag
"""
PROGRESS = """\
Finished in 1 min 52 s: [proposal 1](#issuecomment-103).
<!-- gitclaw:1 progress r=8821 -->
"""
PROPOSAL = """\
### Proposal 1: 5 suggestions

Adds `--json` to `report` and moves formatting to one module. Checks passed: `pytest -q`, 212 tests.

| # | File | Change | Why |
|--:|:--|:--|:--|
| **1** | `src/report.py` | Edit, +264 −12, hunks 1.1 to 1.3 | Adds the flag, calls the new formatter |
| **2** | `src/formats.py` | New file, +41 | One place for output formats |
| **3** | `docs/cli.md` → `docs/usage/cli.md` | Rename, +6 −1 | Layout asked for in `AGENTS.md` |
| **4** | `src/legacy_fmt.py` | Delete, −88 | Nothing calls it after 1 |
| **5** | `docs/img/flow.png` | Binary, 18 → 22 KB | Shows the new step |

1 needs 2. 4 needs 1.

**Reply** `/apply all`, `/apply 1,3`, `/apply 1.2`, `/reject 4`, or `/refine 1 use an enum`.

<details open><summary>1 · src/report.py · edit, 3 hunks</summary>

**1.1** line 12: import the formatter
```diff
@@ -12,2 +12,3 @@
 import argparse
+from .formats import render
 import sys
```
**1.2** line 48: add the flag
```diff
@@ -48,1 +49,2 @@
-    p.add_argument("--csv", action="store_true")
+    p.add_argument("--csv", action="store_true", help="print comma separated values, one row for each entry")
+    p.add_argument("--json", action="store_true", help="print JSON")
```
**1.3** line 90: rewrite `main` (214 lines, not shown). [Read 1.3 in the full patch](https://github.com/octo/hello)
</details>

<details><summary>2 · src/formats.py · new file, 41 lines</summary>

```diff
+def render(rows, kind):
+    ...
```
</details>

<details><summary>5 · docs/img/flow.png · binary</summary>

No text diff. ![Flow chart with four boxes: parse, load, format, print](https://github.com/octo/hello/raw/main/flow.png)
</details>

<sub>Proposal 1 on main@4f2a9c1 · agent copilot · 41,200 tokens in, 3,180 out · 1 min 52 s · \
[run log](https://github.com/octo/hello/actions/runs/8821)</sub>
<!-- gitclaw:1 proposal p=1 s=1-5 base=4f2a9c1 -->
"""
APPLIED = """\
### Applied 2 of 3; 1 failed

| # | File | Result |
|--:|:--|:--|
| **1** | `src/report.py` | Applied, all 3 hunks |
| **2** | `src/formats.py` | Applied |
| **3** | `docs/usage/cli.md` | Failed: the file already exists on `main` since c81d2ee |

Commit [a1b2c3d](https://github.com/octo/hello/commit/a1b2c3d) on `gitclaw/issue-42`, by @mona. 4 and 5 are still open.

**Next:** `/refine 3` rebuilds it on today's `main`; `/reject 3` drops it; `/undo` takes back this commit.

> [!IMPORTANT]
> CI waits for a click: a maintainer presses **Approve workflows to run** in #57.

<!-- gitclaw:1 apply p=1 ok=1,2 bad=3 -->
"""
FAILED = """\
### Failed: the model service refused the key (MODEL_UNAVAILABLE)

**Why:** `API_KEY` is set but was rejected (HTTP 401). Nothing was changed.

**Fix:** a repository admin renews the secret, then comments `/gitclaw retry`.

<details><summary>Technical details</summary>

```text
POST /v1/messages -> 401 authentication_error, request req_0123, try 1 of 1
```
</details>
"""
REVIEW = """\
Row `None` crashes; a guard is enough. See https://docs.python.org/3/library/stdtypes.html.

```suggestion
    if row is None:
        return ""
```
"""
BOT = "gitclaw[bot]"

ISSUE = ThreadView(
    repository="octo/hello",
    number=42,
    title="Add `--json` to report",
    state="open",
    is_pull_request=False,
    branch_line="",
    entries=(
        Entry(0, "mona", "admin", "2026-11-27T09:00:00Z", REQUEST, reactions=(Reaction("+1", 2), Reaction("eyes", 1))),
        Happening("2026-11-27T09:00:05Z", "mona added the label `gitclaw`"),
        Entry(101, BOT, "bot", "2026-11-27T09:00:10Z", PROGRESS, edited=True),
        Entry(103, BOT, "bot", "2026-11-27T09:02:10Z", PROPOSAL),
        Entry(104, "mona", "admin", "2026-11-27T09:05:00Z", "Nice.\n\n/apply 1-3", reactions=(Reaction("rocket", 1),)),
        Happening("2026-11-27T09:05:09Z", "gitclaw[bot] pushed `a1b2c3d` to `gitclaw/issue-42`", "/octo/hello/pull/57"),
        Entry(105, BOT, "bot", "2026-11-27T09:05:10Z", APPLIED),
        Entry(106, "newcomer", "read", "2026-11-27T09:06:00Z", "> still used by the plugin\n\nIs it? cc @octocat"),
        Entry(107, BOT, "bot", "2026-11-27T09:07:00Z", FAILED),
    ),
    people=("mona", "octocat", "newcomer"),
    form_token="f0r<m",  # noqa: S106
    labels=("gitclaw", "help wanted"),
)
BUSY = ISSUE._replace(busy=True)
PULL = ISSUE._replace(
    number=57,
    title="feat(report): add --json",
    state="merged",
    is_pull_request=True,
    branch_line="gitclaw[bot] merged 2 commits into `main` from `gitclaw/issue-42`",
    locked=True,
    people=(),
    labels=(),
    entries=(
        Entry(0, BOT, "bot", "2026-11-27T09:05:10Z", ""),
        Entry(108, "octocat", "write", "2026-11-27T09:30:00Z", REVIEW),
        Happening("2026-11-27T09:31:00Z", "octocat merged commit `d4e5f6a` into `main`"),
    ),
)
