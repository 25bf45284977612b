"""Decides which robots.txt rule applies to a path: the longest match, allow before disallow (RFC 9309 §2.2.2)."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from sitemap_action.model.lazy_re import lazy_re

_REWRITE_GOOGLE = lazy_re(rb"%[0-9A-Fa-f]{2}|[\x80-\xff\[\]]")  # brackets as in the normal form of URLs
_REWRITE_RFC = lazy_re(rb"%[0-9A-Fa-f]{2}|[^!-~]|[\"<>\\^`{|}\[\]]")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# The path starts at the first of / ? ; after the authority, as in Google's library; `http:x` has no authority.
_URL = lazy_re(r"(?:[^/?;#]*://|//)?[^/?;#]*([/?;][^#]*)?", re.DOTALL)


class RobotsVerdict(Struct, frozen=True):
    """Whether a URL is allowed, by which group and which rule; "" and 0 where none applies."""

    allowed: bool
    agent_group: str = ""  # its user-agent as the file writes it, "*" for any agent
    line: int = 0
    rule: str = ""  # "Disallow: /private/", value as written


class Profile(StrEnum):
    """Parsing rules: the standard's, or those of Google's library where it differs."""

    RFC = "rfc"
    GOOGLE = "google"


class _Wildcard(Struct, frozen=True):
    """A pattern with `*` or `$`, split at each `*`."""

    length: int  # of the pattern's text
    needle: str  # the longest literal part: a path without it cannot match
    parts: tuple[str, ...]
    anchored: bool  # ends with `$`
    verdict: RobotsVerdict

    def matches(self, path: str) -> bool:
        """Leftmost search of part after part: linear, as no pattern causes backtracking (RB-13)."""
        if not path.startswith(self.parts[0]):
            return False
        position = len(self.parts[0])
        for part in self.parts[1:-1]:
            position = path.find(part, position)
            if position < 0:
                return False
            position += len(part)
        if len(self.parts) == 1:
            return position == len(path) if self.anchored else True
        last = self.parts[-1]
        if self.anchored:
            return len(path) - len(last) >= position and path.endswith(last)
        return path.find(last, position) >= 0


class RobotsRules:
    """The rules for one agent, prepared for many paths.

    Prefixes, nearly all rules of nearly all files, are sorted: the longest prefix of a path is the last one that does
    not sort after the path, or one of that one's own prefixes. Patterns with `*` or `$` are tried longest first.
    """

    def __init__(self, rules: Iterable[tuple[str, RobotsVerdict]], default: RobotsVerdict) -> None:
        """`rules`: canonical patterns, each with what it decides."""
        prefixes: dict[str, RobotsVerdict] = {}
        wildcards: dict[str, RobotsVerdict] = {}
        for pattern, verdict in rules:
            if pattern.startswith(("/", "*")):  # RB-16, RB-17: no other pattern ever matches
                table = prefixes if _is_prefix(pattern) else wildcards
                if not table.setdefault(pattern, verdict).allowed and verdict.allowed:
                    table[pattern] = verdict
        self._default = default
        self._prefixes = sorted(prefixes)
        self._verdicts = [prefixes[prefix] for prefix in self._prefixes]
        self._shorter_prefix = _find_shorter_prefixes(self._prefixes)
        self._wildcards = [_wildcard(pattern, verdict) for pattern, verdict in wildcards.items()]
        self._wildcards.sort(key=lambda wildcard: (-wildcard.length, not wildcard.verdict.allowed))

    def verdict(self, path: str) -> RobotsVerdict:
        """The verdict for a canonical path with its query."""
        best, length = self._default, 0
        at = bisect_right(self._prefixes, path) - 1
        while at >= 0:
            if path.startswith(self._prefixes[at]):
                best, length = self._verdicts[at], len(self._prefixes[at])
                break
            at = self._shorter_prefix[at]
        for wildcard in self._wildcards:
            if wildcard.length < length or (wildcard.length == length and best.allowed):
                break
            if wildcard.needle in path and wildcard.matches(path):
                tie = wildcard.length == length and not wildcard.verdict.allowed
                return best if tie else wildcard.verdict
        return best


def canonical_path(url: str, profile: Profile) -> str:
    """Path, parameters and query of a URL in the form that patterns are compared with (RB-11, RB-14)."""
    match = _URL.match(url)
    path = (match and match[1]) or "/"
    if not path.startswith("/"):
        path = "/" + path
    return _literal(canonical(path.encode("utf-8", "surrogatepass"), profile))


def canonical(text: bytes, profile: Profile) -> str:
    """A path or pattern in ASCII: other bytes as escapes, hex in upper case; `rfc` also decodes unreserved (RB-14)."""
    if profile is Profile.GOOGLE:
        return _REWRITE_GOOGLE.sub(_upper, text).decode("ascii")
    return _REWRITE_RFC.sub(_upper_or_decode, text).decode("ascii")


def sample(pattern: str) -> str:
    """A canonical path that a canonical pattern matches."""
    path = _literal(pattern.removesuffix("$").replace("*", ""))
    return path if path.startswith("/") else "/" + path


def _upper(match: re.Match[bytes]) -> bytes:
    return match[0].upper() if len(match[0]) == 3 else b"%%%02X" % match[0][0]


def _upper_or_decode(match: re.Match[bytes]) -> bytes:
    if len(match[0]) == 3 and (byte := int(match[0][1:], 16)) in _UNRESERVED:
        return bytes((byte,))
    return _upper(match)


def _literal(text: str) -> str:
    """Decodes `%24` and `%2A`, which a pattern cannot write literally (RFC 9309 §2.2.3, RB-13)."""
    return text.replace("%24", "$").replace("%2A", "*") if "%2" in text else text


def _is_prefix(pattern: str) -> bool:
    return "*" not in pattern and not pattern.endswith("$") and _literal(pattern) == pattern


def _wildcard(pattern: str, verdict: RobotsVerdict) -> _Wildcard:
    anchored = pattern.endswith("$")
    parts = [_literal(part) for part in pattern[: len(pattern) - anchored].split("*")]
    parts = [parts[0], *filter(None, parts[1:-1]), *parts[1:][-1:]]
    return _Wildcard(
        length=len(pattern), needle=max(parts, key=len), parts=tuple(parts), anchored=anchored, verdict=verdict
    )


def _find_shorter_prefixes(prefixes: list[str]) -> list[int]:
    """The index of the longest proper prefix of each prefix among them; -1 for one without.

    In sorted order a text stands behind its prefixes, with only texts that share them between. So the longest prefix of
    an entry is its predecessor, or a prefix of that one, or of that in turn: a chain that earlier entries have built.
    A step along the chain is never taken again by a later entry, so that all of them cost linear time.
    """
    found: list[int] = []
    for at, prefix in enumerate(prefixes):
        other = at - 1
        while other >= 0 and not prefix.startswith(prefixes[other]):
            other = found[other]
        found.append(other)
    return found
