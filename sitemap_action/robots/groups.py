"""Parses a robots.txt into groups and decides which user agent may fetch which URL (RFC 9309; spec section 3)."""

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from msgspec import Struct, field

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import RobotsLine
from sitemap_action.model.sitemap import Fault

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


MAX_BYTES = 512_000
"""Read of a file; RFC 9309 §2.5 and Google agree on 500 KiB (RB-18)."""

# Google stores a line in 2083 × 8 bytes, the last of them for the terminator (RB-29).
_GOOGLE_LINE = 2083 * 8 - 1
_BOM = b"\xef\xbb\xbf"
_WHITE_SPACE = b" \t\v\f"
_LINE_END = lazy_re(rb"\r\n|\r|\n")
_MARKUP = lazy_re(rb"\s*<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)


class Field(StrEnum):
    USER_AGENT = "user-agent"
    ALLOW = "allow"
    DISALLOW = "disallow"
    SITEMAP = "sitemap"
    CRAWL_DELAY = "crawl-delay"
    NOINDEX = "noindex"


# Google accepts every name with one of these prefixes as the field, `disallowed` too (RB-28).
_NAME_PREFIXES = {
    **dict.fromkeys((b"user-agent", b"useragent", b"user agent"), Field.USER_AGENT),
    b"allow": Field.ALLOW,
    **dict.fromkeys((b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw"), Field.DISALLOW),
    **dict.fromkeys((b"sitemap", b"site-map"), Field.SITEMAP),
}
_FIELDS = {field.encode(): field for field in Field}


class RobotsRecord(Struct, frozen=True):
    """One line with a known field; `value` as written, without white space around it and comment."""

    line: int  # from 1
    field: Field
    value: bytes

    @property
    def text(self) -> str:
        return self.value.decode("utf-8", "replace")


def read_records(body: bytes, profile: Profile) -> tuple[list[RobotsRecord], list[Fault]]:
    """The records in file order, and the faults by line; a fault of the whole file has line 0."""
    faults = []
    if len(body) > MAX_BYTES:
        faults.append(Fault("too-large", detail=f"{len(body)} bytes, of which the first {MAX_BYTES} count"))
    body = _without_bom(body[:MAX_BYTES])
    if _MARKUP.match(body):
        faults.append(Fault("html-body", detail="the body is markup, not the lines of a robots.txt"))
    records = []
    for number, line in enumerate(_LINE_END.split(body), 1):
        record, line_faults = _read_line(number, line[:_GOOGLE_LINE] if profile is Profile.GOOGLE else line, profile)
        faults.extend(line_faults)
        if record:
            faults.extend(_value_faults(record))
            records.append(record)
    return records, faults


def why_unread(body: bytes) -> str:
    """Why no line of a file can be one of a robots.txt, as text; "" where they can."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "it is UTF-16, and a robots.txt is read as UTF-8"
    return "it is a page of HTML or XML" if _MARKUP.match(_without_bom(body)) else ""


def _without_bom(body: bytes) -> bytes:
    """Removes a byte-order mark, or the first bytes of one, from the start (RB-02)."""
    length = 0
    while length < len(_BOM) and body[length : length + 1] == _BOM[length : length + 1]:
        length += 1
    return body[length:]


def _read_line(number: int, line: bytes, profile: Profile) -> tuple[RobotsRecord | None, list[Fault]]:
    text = line.partition(b"#")[0].strip(_WHITE_SPACE)
    name, colon, value = text.partition(b":")
    faults = []
    if not colon:
        words = text.split()
        if len(words) != 2 or not _field(words[0].lower()):
            return None, []
        name, value = words
        faults.append(Fault("missing-colon", number, text.decode("utf-8", "replace")))
    name = name.strip(_WHITE_SPACE).lower()
    field = _field(name)
    if field and field != name.decode("utf-8", "replace"):
        faults.append(Fault("misspelt-field", number, name.decode("utf-8", "replace")))
    is_used = field and (profile is Profile.GOOGLE or not faults)
    return (RobotsRecord(number, field, value.strip(_WHITE_SPACE)) if field and is_used else None), faults


def _field(name: bytes) -> Field | None:
    """The field of a name in lower case, with Google's tolerance; the standard accepts exact names only."""
    if name in _FIELDS:
        return _FIELDS[name]
    return next((field for prefix, field in _NAME_PREFIXES.items() if name.startswith(prefix)), None)


def _value_faults(record: RobotsRecord) -> Iterator[Fault]:
    match record.field:
        case Field.ALLOW | Field.DISALLOW if record.value and not record.value.startswith((b"/", b"*")):
            yield Fault("rule-without-slash", record.line, record.text)  # RB-17
        case Field.SITEMAP if not record.value.lower().startswith((b"http://", b"https://")):
            yield Fault("relative-sitemap", record.line, record.text)  # SM-68
        case Field.CRAWL_DELAY:
            yield Fault("crawl-delay", record.line, record.text)  # RB-25
        case Field.NOINDEX:
            yield Fault("noindex", record.line, record.text)  # RB-26
        case _:
            return


_PRODUCT_TOKEN = lazy_re(r"[A-Za-z_-]*")
_ANY_AGENT = "*"
_INDEX = lazy_re(r"(.*/)index\.htm[^/]*", re.DOTALL)


class RobotsStatus(StrEnum):
    """The access result of a request for robots.txt (RFC 9309 §2.3.1)."""

    PARSE = "parse"  # successful: the body has the rules
    ALLOW = "allow"  # unavailable: no rules apply
    UNREACHABLE = "unreachable"  # complete disallow: nothing may be crawled or written (RB-21)


def robots_status(status: int | None) -> RobotsStatus:
    """What the final HTTP status means; None is no complete response: DNS, TLS, timeout, reset, bad chunking.

    A redirect status means more than five redirects (RB-19).
    """
    if status is None or status == 429 or status >= 500 or status < 200:
        return RobotsStatus.UNREACHABLE
    return RobotsStatus.PARSE if status < 300 else RobotsStatus.ALLOW


class _RobotsGroup(Struct, frozen=True):
    """Consecutive user-agent lines and the rules after them (RB-05, RB-06)."""

    agents: dict[str, str] = field(default_factory=dict)  # product token in lower case, or "*" → name as written
    rules: list[RobotsRecord] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)  # seconds


class Robots(Struct, frozen=True):
    """One parsed robots.txt. It applies to every URL of its scheme, host and port, and to no other (RB-01)."""

    profile: Profile
    sitemaps: tuple[tuple[int, str], ...]  # line, URL as written (RB-24)
    faults: tuple[Fault, ...]
    _groups: dict[str, list[_RobotsGroup]]  # by product token in lower case, in file order (RB-09)
    _rules_by_agent: dict[str, RobotsRules] = field(default_factory=dict)

    @property
    def agents(self) -> tuple[str, ...]:
        """The user agents that groups name, without "*", as the file writes them."""
        names = (groups[0].agents[token] for token, groups in self._groups.items() if token != _ANY_AGENT)
        return tuple(dict.fromkeys(names))

    def verdict(self, agent: str, url: str) -> RobotsVerdict:
        """Whether the agent, named by its product token, may fetch the URL."""
        path = canonical_path(url, self.profile)
        if path == "/robots.txt":
            return _ALLOWED  # RB-23
        rules = self._rules_by_agent.get(agent)
        if rules is None:
            rules = self._rules_by_agent[agent] = self._rules(self._token(agent))
        return rules.verdict(path)

    def lines(self, agents: Iterable[str], url: str) -> Iterator[RobotsLine]:
        """The line that decides for each of the agents."""
        verdicts = ((agent, self.verdict(agent, url)) for agent in agents)
        return (RobotsLine(agent, one.allowed, one.line, one.rule) for agent, one in verdicts)

    def block(self, agents: Iterable[str], url: str) -> RobotsLine | None:
        """The line that keeps the first of the agents from the URL that may not fetch it; None where all may."""
        return next((line for line in self.lines(agents, url) if not line.allowed), None)

    def crawl_delay(self, agent: str) -> float | None:
        """Seconds between two requests: the first value in the agent's groups; not part of the standard (RB-25)."""
        delays = (delay for group in self._groups.get(self._token(agent), ()) for delay in group.delays)
        return next(delays, None)

    def find_shadowed(self, agent: str) -> tuple[RobotsVerdict, ...]:
        """Disallow rules of the `*` group that the agent's group, which replaces it, does not repeat (RB-34)."""
        token = self._token(agent)
        if token == _ANY_AGENT:
            return ()
        specific, any_agent = self._rules(token), self._rules(_ANY_AGENT)
        samples = (sample(pattern) for pattern, verdict in self._patterns(_ANY_AGENT) if not verdict.allowed)
        verdicts = (any_agent.verdict(path) for path in samples if specific.verdict(path).allowed)
        return tuple(dict.fromkeys(verdict for verdict in verdicts if not verdict.allowed))

    def restricted_agents(self) -> Iterator[str]:
        """Names of groups with a disallow rule, but for `*`: a group without any allows everything on purpose."""
        for token in self._groups:
            if token != _ANY_AGENT and any(not verdict.allowed for _, verdict in self._patterns(token)):
                yield self._groups[token][0].agents[token]

    def _token(self, agent: str) -> str:
        """The agent's product token where a group names it, else `*`; never both (RB-07, RB-08)."""
        token = agent.partition("/")[0].strip().lower()
        return token if token in self._groups else _ANY_AGENT

    def _rules(self, token: str) -> RobotsRules:
        groups = self._groups.get(token)
        return RobotsRules(self._patterns(token), RobotsVerdict(True, groups[0].agents[token]) if groups else _ALLOWED)

    def _patterns(self, token: str) -> Iterator[tuple[str, RobotsVerdict]]:
        for group in self._groups.get(token, ()):
            name = group.agents[token]
            for record in group.rules:
                allow = record.field is Field.ALLOW
                verdict = RobotsVerdict(allow, name, record.line, f"{'Allow' if allow else 'Disallow'}: {record.text}")
                pattern = canonical(record.value, self.profile)
                yield pattern, verdict
                if allow and self.profile is Profile.GOOGLE and (index := _INDEX.fullmatch(pattern)):
                    yield index[1] + "$", verdict  # RB-29


_ALLOWED = RobotsVerdict(True)


def parse(body: bytes, profile: Profile) -> Robots:
    """Parses any bytes as a robots.txt; nothing in them raises, defects are in `faults`."""
    records, faults = read_records(body, profile)
    groups: dict[str, list[_RobotsGroup]] = {}
    for group in _parse_groups(records, profile):
        for token in group.agents:
            groups.setdefault(token, []).append(group)
    sitemaps = tuple((record.line, record.text) for record in records if record.field is Field.SITEMAP and record.value)
    return Robots(profile, sitemaps, tuple(faults), groups)


def _parse_groups(records: Iterable[RobotsRecord], profile: Profile) -> Iterator[_RobotsGroup]:
    """Only a rule ends a group's user-agent lines; only a user-agent line after one starts a group (RB-05, RB-06)."""
    group = _RobotsGroup()
    for record in records:
        match record.field:
            case Field.USER_AGENT:
                if group.rules:
                    yield group
                    group = _RobotsGroup()
                name = re.split(r"[\s/]", record.text, maxsplit=1)[0]
                for token in _tokens(name, profile):
                    group.agents.setdefault(token.lower(), name)
            case Field.ALLOW | Field.DISALLOW if group.agents:  # RB-10
                group.rules.append(record)
            case Field.CRAWL_DELAY if (delay := _seconds(record.value)) is not None:
                group.delays.append(delay)
            case _:
                pass
    yield group


def _tokens(name: str, profile: Profile) -> Iterator[str]:
    """The product tokens of a user-agent line, from its first word (RB-07).

    RFC 9309 does not define names that are no product token, such as MJ12bot or 360Spider: the whole word counts too.
    """
    token = _PRODUCT_TOKEN.match(name)
    if token and token[0]:
        yield token[0]
    if name and (profile is Profile.RFC or name == _ANY_AGENT):
        yield name


def _seconds(value: bytes) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


_IMAGES = "googlebot-image"


def image_agents(robots: Robots, agents: Sequence[str]) -> tuple[str, ...]:
    """Google's crawler of images obeys its own group, where there is one, and else that of Googlebot."""
    own = (name for name in robots.agents if name.lower() == _IMAGES and "googlebot" in map(str.lower, agents))
    return (*agents, *own)
