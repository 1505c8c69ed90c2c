"""Rows 35 and 36: secrets are found in every form, by what they look like and by what this process holds."""

from __future__ import annotations

import base64
import random
import re
import string
import time
from pathlib import Path
from urllib.parse import quote

import pytest

from gitclaw_py.core import secrets
from gitclaw_py.core.secrets import OWN, Watch

_CHANCE = random.Random(7)


def made(length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """By chance, and put together here: no file of the repository holds a whole token."""
    return "".join(_CHANCE.choice(alphabet) for _ in range(length))


_HEX, _UP = "0123456789abcdef", string.ascii_uppercase + "234567"
TOKENS = {
    "GitHub token": ["gh" + kind + "_" + made(36) for kind in "pousr"],
    "GitHub fine-grained token": ["github" + "_pat_" + made(22) + "_" + made(59)],
    "GitLab token": ["gl" + "pat-" + made(20)],
    "AWS key": ["AK" + "IA" + made(16, _UP), "AS" + "IA" + made(16, _UP)],
    "AWS secret key": ["aws_secret" + "_access_key = " + made(40)],
    "Slack token": ["xo" + "xb-" + made(12, string.digits) + "-" + made(24)],
    "Slack webhook": ["https://hooks.slack" + ".com/services/T" + made(9, _UP) + "/B" + made(9, _UP) + "/" + made(24)],
    "Stripe key": ["sk" + "_live_" + made(24), "rk" + "_test_" + made(24)],
    "Google API key": ["AI" + "za" + made(35)],
    "OpenAI key": ["sk" + "-proj-" + made(40), "sk" + "-" + made(48)],
    "Anthropic key": ["sk" + "-ant-api03-" + made(80)],
    "private key": ["-----BEGIN " + kind + "PRIVATE KEY-----\n" + made(64) for kind in ("", "RSA ", "OPENSSH ")],
    "JSON web token": ["ey" + "J" + made(20) + ".ey" + "J" + made(40) + "." + made(43)],
    "npm token": ["npm" + "_" + made(36)],
    "PyPI token": ["pypi" + "-AgE" + made(80)],
    "SendGrid key": ["SG" + "." + made(22) + "." + made(43)],
    "Hugging Face token": ["hf" + "_" + made(34)],
    "HashiCorp Vault token": ["hv" + "s." + made(30)],
}
OWNED = "ghs" + "_" + made(36)
WATCH = Watch([OWNED])


@pytest.mark.parametrize(("rule", "token"), [(rule, token) for rule, tokens in TOKENS.items() for token in tokens])
def test_row_35_the_tokens_of_services_are_found_and_never_told(rule: str, token: str) -> None:
    for text in (f"x\ny = '{token}'\n", f"x\n# pragma: allowlist secret {token}\n", f"x\n{token} # nosec noqa\n"):
        hit = Watch().first(text.encode())
        assert hit is not None
        assert (hit.rule, hit.line) == (rule, 2)
        assert token not in str(hit)
    wide = f"x\n{token}".encode("utf-16-le")
    assert Watch().first(wide) is not None


def test_a_rule_is_tried_only_where_one_of_its_words_stands() -> None:
    """With a word of no letters it would be tried at every byte of every text, which takes ten times as long."""
    shortest = min(secrets._rules(), key=lambda rule: len(rule[1]))
    assert len(shortest[1]) >= 2
    for rule, word, pattern in secrets._rules():
        assert not re.fullmatch(pattern, word), rule


def _forms() -> dict[str, bytes]:
    value = OWNED.encode()
    spread = b" ".join(value[k : k + 1] for k in range(len(value)))
    return {
        "as it is": value,
        "cut in front": value[8:],
        "cut behind": value[:-8],
        "cut on both sides": value[7:-7],
        "reversed": value[::-1],
        "hexadecimal": value.hex().encode(),
        "HEXADECIMAL": value.hex().upper().encode(),
        "base64": base64.b64encode(value),
        "base64, one later": base64.b64encode(b"x" + value),
        "base64, two later": base64.b64encode(b"xy" + value),
        "base64 of addresses": base64.urlsafe_b64encode(b"xyz?" + value),
        "base64 in lines": base64.encodebytes(b"abc" * 20 + value),
        "base64 of the reverse": base64.b64encode(value[::-1]),
        "for an address": quote(OWNED, safe="").encode(),
        "percent signs": b"".join(b"%%%02x" % byte for byte in value),
        "with blanks": spread,
        "in quotes and lines": b'"+\n"'.join(value[k : k + 5] for k in range(0, len(value), 5)),
    }


@pytest.mark.parametrize("form", _forms())
def test_row_35_our_own_values_are_found_in_every_form(form: str) -> None:
    text = b"first\nsecond " + _forms()[form] + b" end\n"
    assert WATCH.own(text)
    assert not Watch([made(40)]).own(text)
    hit = WATCH.first(text)
    assert hit is not None
    assert OWNED not in str(hit)


def test_row_35_only_what_is_added_counts() -> None:
    token = TOKENS["npm token"][0]
    had = f"a\n{token}\n".encode()
    assert WATCH.first(had + b"more\n", [had]) is None
    other = "npm" + "_" + made(36)
    assert str(WATCH.first(had + other.encode(), [had])) == "npm token in line 3"
    assert WATCH.first(OWNED.encode(), [OWNED.encode()]) is None


def test_row_36_a_row_of_one_letter_and_the_examples_of_manuals_are_none() -> None:
    for text in ("ghp_" + "x" * 36, "AKIA" + "IOSFODNN7EXAMPLE", "-----BEGIN PRIVATE KEY-----", "sk-" + "0" * 48):
        assert Watch().first(text.encode()) is None


def test_row_35_this_repository_and_ordinary_code_have_none() -> None:
    top = Path(__file__).parents[2]
    library = Path(random.__file__).parent
    files = [p for pattern in ("*.md", "*.toml", "gitclaw_py/**/*.py", "tests/**/*.py") for p in top.glob(pattern)]
    files += sorted(library.glob("*.py"))
    lines = 0
    for path in files:
        data = path.read_bytes()
        lines += data.count(b"\n")
        assert WATCH.first(data) is None, path
    assert lines > 50_000


def test_row_35_the_time_grows_as_the_text_does() -> None:
    shapes = [b"ghp_", b"eyJ" + b"a" * 13, b"-----BEGIN ", b"sk-", b"SK", b"A" * 50, b"aws_secret_access_key ="]
    for shape in shapes:
        data = shape * (1_000_000 // len(shape))
        start = time.process_time()
        WATCH.first(data)
        assert time.process_time() - start < 8, shape


def test_row_35_short_values_are_no_secrets() -> None:
    assert not Watch(["", "abc", "1234567"]).own(b"abc 1234567")
    assert Watch([OWNED]).first(OWNED.encode()[8:-8]) is not None
    hit = Watch([OWNED]).first(OWNED.encode()[8:-8])
    assert hit is not None
    assert hit.rule == OWN
