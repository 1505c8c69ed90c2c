"""A seal on a document: who has no key cannot write one that is believed.

The seal is the last key of the JSON object. It is made over the bytes before it and over where the document belongs,
so that no byte can change and no document can be put elsewhere. It does not tell an old document from the newest.
"""

import re
from typing import NamedTuple

from gitclaw_py.errors import ConfigError

SHORTEST = 32
"""Characters of a key. https://datatracker.ietf.org/doc/html/rfc2104#section-3"""
UNSEALED = "unsealed"
"""Instead of an old key: documents without a seal are believed still."""
_SEAL = re.compile(rb',\n"seal": "([0-9a-f]{64})"\}\n\Z')
_END = b"}\n"
_LENGTH = len(b',\n"seal": ""}\n') + 64


class Keys(NamedTuple):
    """The key that seals, and older ones whose seals are believed still."""

    current: str
    older: tuple[str, ...] = ()


def keys(current: str | None, older: str | None) -> Keys | None:
    """The keys in two settings, the older ones with spaces between them; None where nothing is sealed.

    Raises:
        ConfigError: ``CONFIG_INVALID``: one is too short to be a secret.
    """
    if not current:
        return None
    found = Keys(current.strip(), tuple((older or "").split()))
    if any(len(key) < SHORTEST and key != UNSEALED for key in found.older) or len(found.current) < SHORTEST:
        what = f"A key in GITCLAW_STATE_KEY or GITCLAW_STATE_KEY_OLD is shorter than {SHORTEST} characters"
        raise ConfigError("CONFIG_INVALID", what, "make one with: openssl rand -hex 32")
    return found


def sealed(data: bytes, place: str, known: Keys | None) -> bytes:
    """The document, a JSON object that ends with ``}`` and a newline, with its seal where there is a key."""
    if known is None:
        return data
    return b'%s,\n"seal": "%s"}\n' % (data.removesuffix(_END), _seal(data, place, known.current).encode())


def opened(data: bytes, place: str, known: Keys | None) -> bytes:
    """The document without its seal.

    Raises:
        ConfigError: ``CONFIG_INVALID``: there is a key, and the seal is not by it.
    """
    found = _SEAL.search(data, max(0, len(data) - _LENGTH))
    plain = data[: found.start()] + _END if found else data
    if known is None or _is_believed(plain, found[1].decode() if found else None, place, known):
        return plain
    what = "has a seal by another key, or was changed by someone else" if found else "has no seal"
    raise ConfigError(
        "CONFIG_INVALID",
        f"What is kept at {place.partition(' ')[2]} {what}",
        "move the ref back to a commit that gitclaw made; after a change of keys see SECURITY.md",
    )


def _is_believed(plain: bytes, seal: str | None, place: str, known: Keys) -> bool:
    import hmac  # only who has a key needs it

    if seal is None:
        return UNSEALED in known.older
    every = (known.current, *(key for key in known.older if key != UNSEALED))
    return any(hmac.compare_digest(_seal(plain, place, key), seal) for key in every)


def _seal(data: bytes, place: str, key: str) -> str:
    import hmac

    whole = b"gitclaw seal 1\0%d:%s%s" % (len(place.encode()), place.encode(), data)
    return hmac.new(key.encode(), whole, "sha256").hexdigest()
