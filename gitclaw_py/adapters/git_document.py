"""A document that the forge keeps on a ref of its own: a file in the tree of a commit, repeated in its message.

Without the contents of files, which are fetched apart, the message has it; it counts only if the tree names it.
"""

from typing import NamedTuple

from gitclaw_py.adapters.git_clone import GitClone
from gitclaw_py.core.diffs import blob_id

_ID = 20
"""Bytes of an object's id, by SHA-1."""
_FILE_MODES = (b"100644", b"100755", b"100664", b"120000")


class Kept(NamedTuple):
    """What the message repeats, and the blob that the tree has under the document's name, if any."""

    repeated: bytes
    blob: str | None

    @property
    def is_repeated(self) -> bool:
        """Whether the two are the same."""
        return self.blob == blob_id("sha1", self.repeated)


def kept(clone: GitClone, ref: str, name: bytes) -> Kept | None:
    """The document of that name on a ref; None where there is no such ref."""
    if not clone.has(ref):
        return None
    commit, tree = clone.objects(f"{ref}^{{commit}}", f"{ref}^{{tree}}")
    return Kept(commit.partition(b"\n\n")[2].partition(b"\n\n")[2], _files(tree).get(name))


def _files(tree: bytes) -> dict[bytes, str]:
    """The blobs of a raw tree, by their names.

    https://git-scm.com/book/en/v2/Git-Internals-Git-Objects#_tree_objects
    """
    found, at = {}, 0
    while (end := tree.find(b"\0", at)) > at:
        mode, _, name = tree[at:end].partition(b" ")
        at = end + 1 + _ID
        if mode in _FILE_MODES:
            found[name] = tree[end + 1 : at].hex()
    return found
