"""Parses a robots.txt into groups and decides which user agent may fetch which URL (RFC 9309; spec section 3)."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct, field

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import RobotsLine
from sitemap_action.model.sitemap import Fault
from sitemap_action.robots.matcher import Profile, RobotsRules, RobotsVerdict, canonical, canonical_path, sample

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


__all__ = ["Profile", "Robots", "RobotsStatus", "RobotsVerdict", "parse", "robots_status"]

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

    def block(self, agents: Iterable[str], url: str) -> RobotsLine | None:
        """The line that keeps the first of the agents from the URL that may not fetch it; None where all may."""
        for agent in agents:
            verdict = self.verdict(agent, url)
            if not verdict.allowed:
                return RobotsLine(agent, allowed=False, line=verdict.line, rule=verdict.rule)
        return None

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


_MOST_NAMED = 50  # agents of two files that are compared


class ChangedRule(NamedTuple):
    """A rule that blocks agents from URLs by one of two versions of robots.txt alone."""

    allowed: bool  # by the later one
    line: int  # of the version that blocks
    rule: str
    agents: tuple[str, ...]
    urls: list[str]

    @property
    def pages(self) -> str:
        return f"{len(self.urls):,} pages, such as {self.urls[0]}" if len(self.urls) > 1 else self.urls[0]


class RobotsComparison:
    """The verdicts of two versions of robots.txt, so that a changed comment is no change."""

    def __init__(self, before: Robots, after: Robots, agents: Iterable[str]) -> None:
        self._before, self._after, self._agents = before, after, tuple(agents)
        self._found: dict[tuple[bool, int, str, tuple[str, ...]], list[str]] = {}

    def add(self, url: str) -> bool:
        """Whether the verdict for an agent differs."""
        changed: dict[tuple[bool, int, str], list[str]] = {}
        for agent in self._agents:
            before, after = self._before.verdict(agent, url), self._after.verdict(agent, url)
            if before.allowed != after.allowed:
                blocking = before if after.allowed else after
                changed.setdefault((after.allowed, blocking.line, blocking.rule), []).append(agent)
        for key, agents in changed.items():
            self._found.setdefault((*key, tuple(agents)), []).append(url)
        return bool(changed)

    def rules(self) -> Iterator[ChangedRule]:
        return (ChangedRule(*key, urls) for key, urls in self._found.items())


def named_agents(agents: Iterable[str], *files: Robots) -> list[str]:
    """These agents, and those that the files name."""
    named = sorted({name for robots in files for name in robots.agents})[:_MOST_NAMED]
    return [*{name.casefold(): name for name in (*named, *agents)}.values()]


def has_same_records(one: bytes, other: bytes) -> bool:
    """Whether two files differ in comments and unknown fields alone, such as the signals that edges add."""
    first, second = ([(row.field, row.value) for row in read_records(text, Profile.GOOGLE)[0]] for text in (one, other))
    return first == second
