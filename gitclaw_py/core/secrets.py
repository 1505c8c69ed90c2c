"""Secrets in bytes: by what the tokens of known services look like, and by every value that this process holds.

Nothing turns it off: no comment in the text, no name of a file. Every pattern takes time that grows as the text does.
Where a service says how its tokens look, that is beside the rule; the others are as their users know them.
"""

import base64
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

OWN = "secret of this run"
"""The rule for values that the process holds."""
_AT = r"(?<![A-Za-z0-9])"
_RULES: Mapping[str, tuple[str, str]] = {
    # https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/about-authentication-to-github#githubs-token-formats
    "GitHub token": ("ghp_ gho_ ghu_ ghs_ ghr_", rf"{_AT}gh[pousr]_[A-Za-z0-9_.-]{{36,400}}"),
    "GitHub fine-grained token": ("github_pat_", r"github_pat_[A-Za-z0-9_]{36,255}"),
    # https://docs.gitlab.com/security/tokens/#token-prefixes
    "GitLab token": (
        "glpat- glptt- glrt- glcbt- gldt- glsoat- glagent- gloas- glimt- glft-",
        rf"{_AT}gl[a-z]{{2,5}}-[A-Za-z0-9_.-]{{20,300}}",
    ),
    # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids
    "AWS key": (
        "AKIA ASIA ABIA ACCA",
        rf"{_AT}A[A-Z]IA[A-Z2-7]{{16}}(?![A-Za-z0-9])|{_AT}ACCA[A-Z2-7]{{16}}(?![A-Za-z0-9])",
    ),
    "AWS secret key": (
        "aws_secret AWS_SECRET awsSecret aws-secret",
        r"(?i:aws[_-]?secret[_-]?(?:access[_-]?)?key)[\"']?\s{0,8}(?:=>?|:)\s{0,8}[\"']?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])",
    ),
    # https://docs.slack.dev/authentication/tokens
    "Slack token": (
        "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-",
        rf"{_AT}x(?:ox[a-z]|app)-[A-Za-z0-9-]{{20,300}}",
    ),
    "Slack webhook": (
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Z0-9]{8,20}/[A-Z0-9]{8,20}/[A-Za-z0-9]{16,50}",
    ),
    # https://docs.stripe.com/keys
    "Stripe key": (
        "sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_ rk_prod_",
        rf"{_AT}[rs]k_[a-z]{{4}}_[A-Za-z0-9]{{16,255}}",
    ),
    "Stripe webhook secret": ("whsec_", rf"{_AT}whsec_[A-Za-z0-9+/]{{32,255}}"),
    # https://cloud.google.com/docs/authentication/api-keys
    "Google API key": ("AIza", rf"{_AT}AIza[A-Za-z0-9_-]{{35}}(?![A-Za-z0-9_-])"),
    "Google OAuth token": ("ya29.", rf"{_AT}ya29\.[A-Za-z0-9_-]{{20,400}}"),
    "Google OAuth secret": ("GOCSPX-", rf"{_AT}GOCSPX-[A-Za-z0-9_-]{{28}}"),
    "Google service account": ('"private_key_id"', r"\"private_key_id\"\s{0,8}:\s{0,8}\"[0-9a-f]{40}\""),
    "OpenAI key": (
        "sk-",
        (
            rf"{_AT}sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{{20,300}}|[A-Za-z0-9]{{20}}T3BlbkFJ[A-Za-z0-9]{{20}}"
            r"|[A-Za-z0-9]{48}(?![A-Za-z0-9]))"
        ),
    ),
    "Anthropic key": ("sk-ant-", rf"{_AT}sk-ant-[a-z0-9]{{1,20}}-[A-Za-z0-9_-]{{20,300}}"),
    "OpenRouter key": ("sk-or-v1-", rf"{_AT}sk-or-v1-[0-9a-f]{{64}}"),
    "Groq key": ("gsk_", rf"{_AT}gsk_[A-Za-z0-9]{{52}}(?![A-Za-z0-9])"),
    "xAI key": ("xai-", rf"{_AT}xai-[A-Za-z0-9]{{80}}(?![A-Za-z0-9])"),
    "Hugging Face token": ("hf_", rf"{_AT}hf_[A-Za-z0-9]{{34,40}}(?![A-Za-z0-9])"),
    "Replicate token": ("r8_", rf"{_AT}r8_[A-Za-z0-9]{{37}}(?![A-Za-z0-9])"),
    "private key": (
        "-----BEGIN",
        (
            r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr]|[\"'+,]){0,40}"
            r"(?:[A-Za-z0-9+/=]{16}|Proc-Type:|Version:|Comment:)"
        ),
    ),
    "PuTTY key": ("PuTTY-User-Key-File-", r"PuTTY-User-Key-File-[23]: "),
    "age key": ("AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    # https://www.rfc-editor.org/rfc/rfc7519
    "JSON web token": (
        "eyJ",
        rf"{_AT}eyJ[A-Za-z0-9_-]{{10,2000}}\.eyJ[A-Za-z0-9_-]{{10,4000}}\.[A-Za-z0-9_-]{{16,1000}}",
    ),
    # https://docs.npmjs.com/about-access-tokens
    "npm token": ("npm_", rf"{_AT}npm_[A-Za-z0-9]{{36}}(?![A-Za-z0-9])"),
    # https://pypi.org/help/#apitoken
    "PyPI token": ("pypi-AgE", r"pypi-AgE[A-Za-z0-9_-]{50,300}"),
    "RubyGems key": ("rubygems_", r"rubygems_[0-9a-f]{48}"),
    "crates.io token": ("cio", rf"{_AT}cio[A-Za-z0-9]{{32}}(?![A-Za-z0-9])"),
    "Docker token": ("dckr_pat_ dckr_oat_", r"dckr_[op]at_[A-Za-z0-9_-]{27,40}"),
    "DigitalOcean token": ("dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    "Azure storage key": ("AccountKey=", r"AccountKey=[A-Za-z0-9+/]{86}=="),
    "Databricks token": ("dapi", rf"{_AT}dapi[0-9a-f]{{32}}(?![A-Za-z0-9])"),
    "HashiCorp Vault token": ("hvs. hvb. hvr.", rf"{_AT}hv[sbr]\.[A-Za-z0-9_-]{{24,300}}"),
    "Terraform token": (".atlasv1.", r"(?<=[A-Za-z0-9]{14})\.atlasv1\.[A-Za-z0-9_-]{60,100}"),
    "SendGrid key": ("SG.", rf"{_AT}SG\.[A-Za-z0-9_-]{{22}}\.[A-Za-z0-9_-]{{43}}"),
    "Mailgun key": ("key-", rf"{_AT}key-[0-9a-f]{{32}}(?![A-Za-z0-9])"),
    "Twilio key": ("SK", rf"{_AT}SK[0-9a-f]{{32}}(?![A-Za-z0-9])"),
    "Telegram bot token": (":AA", r"(?<=[0-9]{8}):AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])"),
    "Shopify token": ("shpat_ shpca_ shppa_ shpss_", r"shp[a-z]{2}_[0-9a-fA-F]{32}"),
    "Linear key": ("lin_api_", r"lin_api_[A-Za-z0-9]{40}"),
    "Notion token": ("ntn_ secret_", rf"{_AT}(?:secret_[A-Za-z0-9]{{43}}|ntn_[A-Za-z0-9]{{40,50}})(?![A-Za-z0-9])"),
    "New Relic key": ("NRAK-", r"NRAK-[A-Z0-9]{27}"),
    "Sentry token": ("sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9_=+/-]{40,300}"),
    "Grafana token": ("glsa_ glc_", rf"{_AT}gl(?:sa|c)_[A-Za-z0-9_=+/]{{32,400}}"),
}
"""For each kind of secret the words one of which it begins with, and what it looks like from there on."""
_EXAMPLE = b"EXAMPLE"
_FEWEST = 5
"""Different characters in the part of a token that is made by chance; a row of x is nobody's."""
_SHORTEST, _CUT = 8, 8
_BETWEEN = bytes(code for code in range(256) if not chr(code).isascii() or not chr(code).isalnum())
"""Everything but letters and digits, which does not count where our own values are looked for."""


class Hit(NamedTuple):
    """What was found: by which rule, in which line from 1. Never the value."""

    rule: str
    line: int

    def __str__(self) -> str:
        """For a sentence."""
        return f"{self.rule} in line {self.line}"


class _Match(NamedTuple):
    rule: str
    at: int
    value: bytes


@lru_cache(maxsize=1)
def _rules() -> Sequence[tuple[str, bytes, bytes]]:
    """Name, word and pattern. A pattern is compiled where its word stands: all of them take 5 ms."""
    return [
        (name, word.encode("ascii"), pattern.encode("ascii"))
        for name, (words, pattern) in _RULES.items()
        for word in words.split()
    ]


class Watch:
    """Looks for secrets; ``values`` are those that this process holds."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._needles: tuple[tuple[bytes, bool], ...] = ()
        self.also(values)

    def also(self, values: Iterable[str]) -> None:
        """Look for these values, too, from now on: which they are may be known late."""
        more = (needle for value in values for needle in _forms(value.strip().encode()))
        self._needles = tuple(dict.fromkeys((*self._needles, *more)))

    def own(self, data: bytes) -> bool:
        """Whether one of the process's own values is in ``data``, or most of one.

        It may be cut by up to 8 characters at each end, reversed, in base64, hexadecimal or percent signs, and have
        other characters in between.
        """
        return self._place(data) is not None

    def first(self, new: bytes, old: Iterable[bytes] = ()) -> Hit | None:
        """The first secret in ``new`` that is in none of the ``old`` texts."""
        found = list(_matches(new))
        at = self._place(new)
        if at is not None:
            found.append(_Match(OWN, at, b""))
        if not found:
            return None
        before = list(old)
        known = Counter(match.value for text in before for match in _matches(text))
        if at is not None and any(map(self.own, before)):
            known[b""] = 1
        fresh = [match for match in found if match.value not in known]
        if not fresh:
            return None
        match = min(fresh, key=lambda one: one.at)
        return Hit(match.rule, new.count(b"\n", 0, match.at) + 1)

    def in_text(self, text: str, old: Iterable[bytes] = ()) -> Hit | None:
        """The same for a text."""
        return self.first(text.encode("utf-8", "replace"), old)

    def line(self, text: str) -> str:
        """The text for a log or a page that anybody may read, or that there was a secret in it."""
        hit = self.in_text(text)
        return f"(withheld: a secret, {hit.rule})" if hit else text

    def _place(self, data: bytes) -> int | None:
        """Where one of our own values is, as far as that can be said."""
        if not self._needles:
            return None
        squeezed = data.translate(None, _BETWEEN)
        folded = squeezed.lower()
        for needle, any_case in self._needles:
            at = (folded if any_case else squeezed).find(needle)
            if at >= 0:
                return _before_squeezing(data, at)
        return None


def _before_squeezing(data: bytes, at: int) -> int:
    for kept in re.finditer(rb"[A-Za-z0-9]+", data):
        if at < len(kept[0]):
            return kept.start() + at
        at -= len(kept[0])
    return len(data)


def _matches(data: bytes) -> Iterator[_Match]:
    # Text in two bytes a character is text all the same.
    text = data.replace(b"\0", b"") if b"\0" in data else data
    for name, word, pattern in _rules():
        at = text.find(word)
        if at < 0:
            continue
        matched = re.compile(pattern).match
        while at >= 0:
            found = matched(text, at)
            if found and not found[0].endswith(_EXAMPLE) and len(set(found[0][-24:])) >= _FEWEST:
                yield _Match(name, at, found[0])
            at = text.find(word, found.end() if found else at + 1)


def _forms(value: bytes) -> Iterator[tuple[bytes, bool]]:
    """What to look for where everything but letters and digits is left out, and whether case does not count there."""
    core = _core(value)
    if len(core) < _SHORTEST:
        return
    half = len(core) // 2
    pieces = [core, core[:half], core[half:]] if half >= 2 * _SHORTEST else [core]
    for piece in pieces:
        plain = piece.translate(None, _BETWEEN)
        if len(plain) >= _SHORTEST:
            yield plain, False
            yield plain[::-1], False
        yield piece.hex().encode(), True
        yield piece[::-1].hex().encode(), True
        for before in range(3):
            yield _in_base64(piece, before).translate(None, _BETWEEN), False
            yield _in_base64(piece[::-1], before).translate(None, _BETWEEN), False


def _core(value: bytes) -> bytes:
    """What is left of a value of which so much was cut off at both ends that it is hardly of use."""
    cut = min(_CUT, max(0, (len(value) - 2 * _SHORTEST) // 2))
    return value[cut : len(value) - cut]


def _in_base64(piece: bytes, before: int) -> bytes:
    """The characters of base64 that come from ``piece`` alone, where so many other bytes stand before it."""
    first = -(-before * 8 // 6)
    last = (before + len(piece)) * 8 // 6
    return base64.b64encode(b"\0" * before + piece)[first:last]


def added(watch: Watch, new: bytes, old: Iterable[bytes] = ()) -> str | None:
    """Which secret a text adds to what was there before, as a phrase without its value."""
    hit = watch.first(new, old)
    return str(hit) if hit else None
