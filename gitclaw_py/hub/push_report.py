"""The reasons in git's report on a push, in GitHub's words.

A hook can only decline; GitHub's own server gives the reason of each refused ref in the report.
https://git-scm.com/docs/pack-protocol#_report_status
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_DATA, _SAID = 1, 2
_FLUSH = b"0000"
_MOST = 65_515


def with_reasons(body: bytes) -> bytes:
    """The answer to a push, in which ``hook declined`` is replaced by what GitHub would say."""
    try:
        packets = list(_packets(body))
    except ValueError:
        return body
    if not all(packet and packet[0] in {_DATA, _SAID} for packet in packets if packet is not None):
        return body
    said = b"".join(packet[1:] for packet in packets if packet and packet[0] == _SAID)
    report = b"".join(packet[1:] for packet in packets if packet and packet[0] == _DATA)
    if b"hook declined" not in report:
        return body
    lines = [None if line is None else _worded(line, said) for line in _packets(report)]
    made = b"".join(_FLUSH if line is None else _packet(line) for line in lines)
    told = b"".join(_packet(packet) for packet in packets if packet and packet[0] == _SAID)
    parts = [made[start : start + _MOST] for start in range(0, len(made), _MOST)]
    return told + b"".join(_packet(bytes([_DATA]) + part) for part in parts) + _FLUSH


def _worded(line: bytes, said: bytes) -> bytes:
    hit = re.fullmatch(rb"ng (\S+) hook declined\n?", line)
    if hit is None:
        return line
    name = hit[1]
    if b"GH006: Protected branch update failed for " + name + b"." in said:
        return b"ng " + name + b" protected branch hook declined\n"
    if b"GH013: Repository rule violations found for " + name + b"." in said:
        return b"ng " + name + b" push declined due to repository rule violations\n"
    refusal = re.search(rb"refusing to allow a GitHub App [^\n]*", said)
    return b"ng " + name + b" " + refusal[0] + b"\n" if refusal else line


def _packets(stream: bytes) -> Iterator[bytes | None]:
    """The packets of a stream; None is a flush.

    Raises:
        ValueError: it does not consist of packets.
    """
    place = 0
    while place + 4 <= len(stream):
        size = int(stream[place : place + 4], 16)
        if 0 < size < len(_FLUSH):
            raise ValueError(size)
        if size == 0:
            yield None
            place += 4
        else:
            yield stream[place + 4 : place + size]
            place += size


def _packet(content: bytes) -> bytes:
    return b"%04x" % (len(content) + 4) + content
