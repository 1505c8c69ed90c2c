"""A comment in a terminal: what only a page shows is left out, and nothing of what an agent said."""

from __future__ import annotations

from gitclaw_py.core.replies import proposals
from gitclaw_py.local.transcript import lines
from tests.core.replies.scenes import LINKS, RUN


def _shown(body: str) -> list[str]:
    return list(lines(body, lambda style, text: f"{style}({text})"))


def test_an_answer_stands_apart_as_it_was_written() -> None:
    answer = "Why:\n- one\n\n```py\nx = '<!--'\n```\n<sub>- two</sub> `<br>` \x1b[31m"
    (body,) = proposals.answered(answer, re="1", requester="mona", run=RUN, links=LINKS)
    assert _shown(body) == [
        "bold(Answer)",
        "",
        "For @mona. No file was changed.",
        "",
        "    Why:",
        "    - one",
        "    ",
        "    ```py",
        "    x = '<!--'",
        "    ```",
        r"    <sub>- two</sub> `<br>` \x1b[31m",
    ]


def test_a_diff_has_colours_and_a_summary_is_a_heading() -> None:
    folded = "<details><summary>1 · <code>a.py</code></summary>\n\n```diff\n-a\n+b\n c\n```\n\n</details>\n\n[Log](https://e.x)\n"
    assert _shown(folded) == [
        "bold(1 · a.py)",
        "",
        "    red(-a)",
        "    green(+b)",
        "    dim( c)",
        "",
        "Log",
    ]
