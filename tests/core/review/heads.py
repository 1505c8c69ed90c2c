"""The head of a pull request, in memory."""

from __future__ import annotations

from collections.abc import Mapping

from gitclaw_py.core.diffs import Entry, blob_id


class Head:
    """See ``applying.View``: the files as they are now, and ``others`` that can be read."""

    object_format = "sha1"

    def __init__(self, files: Mapping[bytes, bytes], *others: bytes) -> None:
        self._entries = {path: Entry("100644", blob_id("sha1", data)) for path, data in files.items()}
        self._blobs = {blob_id("sha1", data): data for data in (*files.values(), *others)}

    def entry(self, path: bytes) -> Entry | None:
        return self._entries.get(path)

    def text(self, oid: str) -> bytes:
        return self._blobs[oid]

    def files_under(self, path: bytes) -> list[bytes]:
        raise AssertionError(path)
