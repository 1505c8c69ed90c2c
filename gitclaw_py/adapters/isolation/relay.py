"""A door in the agent's own loopback: what connects to the port there reaches the key proxy's socket outside."""

from __future__ import annotations

import contextlib
import socket
import threading

_CHUNK = 65_536


def listening(port: int) -> socket.socket:
    """The port of the loopback, open."""
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("127.0.0.1", port))
    server.listen(16)
    return server


def serve(server: socket.socket, path: str) -> None:
    """Pass every connection on, for ever."""
    while True:
        inside, _ = server.accept()
        outside = socket.socket(socket.AF_UNIX)
        try:
            outside.connect(path)
        except OSError:
            inside.close()
            continue
        for source, target in ((inside, outside), (outside, inside)):
            threading.Thread(target=_pass, args=(source, target), daemon=True).start()


def _pass(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(_CHUNK):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
