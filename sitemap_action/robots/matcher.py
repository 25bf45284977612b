"""Which robots.txt rule decides about a path: the longest pattern, allow before disallow (RFC 9309 §2.2.2)."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from sitemap_action.robots.lines import Profile

_REWRITE_GOOGLE = re.compile(rb"%[0-9A-Fa-f]{2}|[\x80-\xff]")
_REWRITE_RFC = re.compile(rb"%[0-9A-Fa-f]{2}|[^!-~]|[\"<>\\^`{|}]")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# The path begins at the first of / ? ; behind the authority, as in Google's library; `http:x` has no authority.
_URL = re.compile(r"(?:[^/?;#]*://|//)?[^/?;#]*([/?;][^#]*)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RobotsVerdict:
    """Whether a URL is allowed, the group that speaks to the agent, the line that decided; "" and 0 when none did."""

    allowed: bool
    agent_group: str = ""  # its name as the file writes it, "*" for everybody's
    line: int = 0
    rule: str = ""  # "Disallow: /private/", value as written


@dataclass(frozen=True, slots=True)
class RobotsRule:
    pattern: str  # canonical
    verdict: RobotsVerdict


@dataclass(frozen=True, slots=True)
class _Wildcard:
    """A pattern that is more than a beginning, cut at its `*`s."""

    length: int  # of the pattern's text
    needle: str  # the longest literal part: where it is missing, nothing matches
    parts: tuple[str, ...]
    to_the_end: bool  # it ended with `$`
    verdict: RobotsVerdict

    def matches(self, path: str) -> bool:
        """Leftmost search of part after part, so that no pattern makes it go back (RB-13)."""
        if not path.startswith(self.parts[0]):
            return False
        position = len(self.parts[0])
        for part in self.parts[1:-1]:
            position = path.find(part, position)
            if position < 0:
                return False
            position += len(part)
        if len(self.parts) == 1:
            return position == len(path) if self.to_the_end else True
        last = self.parts[-1]
        if self.to_the_end:
            return len(path) - len(last) >= position and path.endswith(last)
        return path.find(last, position) >= 0


class RobotsRules:
    """The rules that hold for one agent, ready for many paths.

    Plain beginnings, nearly all rules of nearly all files, lie sorted: the last one not after the path, or one of those
    it begins with, is the longest that the path begins with. Patterns with `*` or `$` are tried in turn, longest first.
    """

    def __init__(self, rules: Iterable[RobotsRule], otherwise: RobotsVerdict) -> None:
        beginnings: dict[str, RobotsVerdict] = {}
        wildcards: dict[str, RobotsVerdict] = {}
        for rule in rules:
            if rule.pattern.startswith(("/", "*")):  # RB-16, RB-17: no other pattern ever matches
                table = beginnings if _is_beginning(rule.pattern) else wildcards
                known = table.setdefault(rule.pattern, rule.verdict)
                if rule.verdict.allowed and not known.allowed:
                    table[rule.pattern] = rule.verdict
        self._otherwise = otherwise
        self._beginnings = sorted(beginnings)
        self._verdicts = [beginnings[beginning] for beginning in self._beginnings]
        self._shorter = _shorter(self._beginnings)
        self._wildcards = [_wildcard(pattern, verdict) for pattern, verdict in wildcards.items()]
        self._wildcards.sort(key=lambda wildcard: (-wildcard.length, not wildcard.verdict.allowed))

    def verdict(self, path: str) -> RobotsVerdict:
        """What holds for a canonical path with its query."""
        best, length = self._otherwise, 0
        at = bisect_right(self._beginnings, path) - 1
        while at >= 0:
            if path.startswith(self._beginnings[at]):
                best, length = self._verdicts[at], len(self._beginnings[at])
                break
            at = self._shorter[at]
        for wildcard in self._wildcards:
            if wildcard.length < length or (wildcard.length == length and best.allowed):
                break
            if wildcard.needle in path and wildcard.matches(path):
                tie = wildcard.length == length and not wildcard.verdict.allowed
                return best if tie else wildcard.verdict
        return best


def canonical_path(url: str, profile: Profile) -> str:
    """Path, parameters and query of a URL, as they are compared with patterns (RB-11, RB-14)."""
    match = _URL.match(url)
    path = (match and match[1]) or "/"
    if not path.startswith("/"):
        path = "/" + path
    return _literal(canonical(path.encode("utf-8", "surrogatepass"), profile))


def canonical(text: bytes, profile: Profile) -> str:
    """A path or pattern in ASCII: other bytes as escapes, hex in upper case; `rfc` also decodes unreserved (RB-14)."""
    if profile is Profile.GOOGLE:
        return _REWRITE_GOOGLE.sub(_upper, text).decode("ascii")
    return _REWRITE_RFC.sub(_upper_or_decoded, text).decode("ascii")


def sample(pattern: str) -> str:
    """A canonical path that a canonical pattern matches."""
    path = _literal(pattern.removesuffix("$").replace("*", ""))
    return path if path.startswith("/") else "/" + path


def _upper(match: re.Match[bytes]) -> bytes:
    return match[0].upper() if len(match[0]) == 3 else b"%%%02X" % match[0][0]


def _upper_or_decoded(match: re.Match[bytes]) -> bytes:
    if len(match[0]) == 3 and (byte := int(match[0][1:], 16)) in _UNRESERVED:
        return bytes((byte,))
    return _upper(match)


def _literal(text: str) -> str:
    """`%24` and `%2A` stand for the characters that a pattern cannot write otherwise (RFC 9309 §2.2.3, RB-13)."""
    return text.replace("%24", "$").replace("%2A", "*") if "%2" in text else text


def _is_beginning(pattern: str) -> bool:
    return "*" not in pattern and not pattern.endswith("$") and _literal(pattern) == pattern


def _wildcard(pattern: str, verdict: RobotsVerdict) -> _Wildcard:
    to_the_end = pattern.endswith("$")
    parts = [_literal(part) for part in pattern[: len(pattern) - to_the_end].split("*")]
    parts = [parts[0], *filter(None, parts[1:-1]), *parts[1:][-1:]]
    return _Wildcard(len(pattern), max(parts, key=len), tuple(parts), to_the_end, verdict)


def _shorter(beginnings: list[str]) -> list[int]:
    """For each of the sorted beginnings the longest other one that it begins with; -1 for none."""
    out: list[int] = []
    for at, beginning in enumerate(beginnings):
        other = at - 1
        while other >= 0 and not beginning.startswith(beginnings[other]):
            other = out[other]
        out.append(other)
    return out
