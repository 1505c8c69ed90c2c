"""``python -m gitclaw_py``, and what the command ``gitclaw`` starts.

Nothing but what Python has loaded already is imported before it is certain where the rest is imported from.
"""

import sys

_AGAIN = "import sys; sys.path.append(sys.argv.pop(1)); from gitclaw_py.cli import command; command()"


def main() -> None:
    """Run the command line, and the verbs that hold a token out of reach of what lies around.

    They start themselves again in isolated mode: no module comes from the current folder, from ``PYTHONPATH`` or from
    the person's own packages. https://docs.python.org/3/using/cmdline.html#cmdoption-I
    """
    if sys.argv[1:2] in (["run"], ["work"], ["publish"]) and not sys.flags.isolated:
        _isolated()
    from gitclaw_py.cli import command

    command()


def _isolated() -> None:
    import os

    # Where this very module is from comes last, so that it hides nothing; without an installation it is needed.
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    os.execv(sys.executable, [sys.executable, "-I", "-c", _AGAIN, here, *sys.argv[1:]])  # noqa: S606 - no shell is meant


if __name__ == "__main__":
    main()
