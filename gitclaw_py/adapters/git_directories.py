"""Git directories of our own, in which nobody's configuration, hooks or attributes apply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from gitclaw_py.adapters.private_folders import private_folder

# No attribute of the tree takes part. https://git-scm.com/docs/gitattributes
_PLAIN = b"* -text -eol -ident -filter !diff !merge -working-tree-encoding -export-subst\n"


@contextmanager
def sealed_directory(object_format: str, environment: Mapping[str, str]) -> Iterator[Path]:
    """A git directory without objects of its own, for one use: see ``Git.plumbing``."""
    with private_folder(environment) as path:
        seal(path, object_format)
        yield path


def seal(path: Path, object_format: str) -> None:
    """Make an empty folder a git directory without objects of its own."""
    extended = object_format != "sha1"
    extension = f"[extensions]\n\tobjectFormat = {object_format}\n" if extended else ""
    bare_directory(path, extension, version=int(extended))
    (path / "info").mkdir()
    (path / "info/attributes").write_bytes(_PLAIN)


def bare_directory(path: Path, more: str = "", *, version: int = 0) -> None:
    """Make an empty folder a bare git directory, as ``git init`` does, but for a process and its sample hooks.

    ``more`` is further configuration. Up to version 1, and without an extension that says else, every ref is a file.
    https://git-scm.com/docs/gitrepository-layout and https://git-scm.com/docs/repository-version
    """
    for folder in ("refs", "objects"):
        (path / folder).mkdir()
    config = f"[core]\n\trepositoryFormatVersion = {version}\n\tbare = true\n{more}"
    for name, text in (("HEAD", "ref: refs/heads/none\n"), ("config", config)):
        (path / name).write_bytes(text.encode())
