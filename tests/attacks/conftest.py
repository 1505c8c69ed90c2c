"""Threads and repositories to attack."""

from __future__ import annotations

from tests.conversations.conftest import talk

__all__ = ["talk"]
