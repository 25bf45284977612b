"""Robots directives of a page, parsed and combined for agents (HTML-01…07, 11…13), and which canonicals count."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import Canonical, Directive

AGENTS = ("googlebot", "bingbot")

_MAX_LENGTH = 200  # characters of a rule or value; known ones are far shorter
_MAX_RULES = 100  # of one tag or header line

_WITH_VALUE = frozenset({"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"})
_KNOWN = _WITH_VALUE | {
    *("all", "index", "follow", "noindex", "nofollow", "none", "nosnippet", "indexifembedded", "notranslate"),
    *("noimageindex", "noarchive", "nocache", "nositelinkssearchbox"),
}
# Names of metadata with another meaning, by HTML or by convention, and with free text.
_METADATA_NAMES = frozenset(
    {"application-name", "author", "color-scheme", "description", "generator", "keywords", "referrer", "theme-color"}
    | {"title", "viewport"}
)
_NEGATIVE = frozenset({"noindex", "nofollow", "none", "unavailable_after"})
_AGENT_NAME = lazy_re(r"[a-z*][a-z0-9_.*/-]*", re.IGNORECASE)


def find_noindex(
    directives: Iterable[Directive], agents: Sequence[str] = AGENTS, now: datetime | None = None
) -> Directive | None:
    """The first rule for any of the agents that removes a page from the index; no rule cancels it (HTML-04, HTML-13).

    Without `now` no `unavailable_after` has passed.
    """
    return next((one for one in _negative_rules(directives, agents) if _forbids_index(one, now)), None)


def has_nofollow(directives: Iterable[Directive], agents: Sequence[str] = AGENTS) -> bool:
    """Whether a rule for any of the agents excludes the links of a page; no rule cancels it (HTML-04, HTML-13)."""
    return any(one.rule in {"nofollow", "none"} for one in _negative_rules(directives, agents))


def _negative_rules(directives: Iterable[Directive], agents: Sequence[str]) -> list[Directive]:
    negative = [one for one in directives if one.rule in _NEGATIVE]
    if not negative:
        return negative
    names = {"", *map(str.lower, agents)}
    return [one for one in negative if one.agent in names]


def beside_noindex(directives: Iterable[Directive], agents: Sequence[str] = AGENTS) -> frozenset[Directive]:
    """The negative rules of each header or meta that has a noindex, such as the nofollow beside it (ENV-03)."""
    found = [one for one in directives if one.rule in _NEGATIVE]
    sources = {(one.source, one.agent) for one in found if find_noindex((one,), agents)}
    return frozenset(one for one in found if (one.source, one.agent) in sources)


def without_host(found: tuple[Directive, ...], host: frozenset[Directive]) -> tuple[Directive, ...]:
    """The directives that are not those of the host (ENV-03)."""
    return tuple(one for one in found if one not in host) if host else found


_WITHOUT_EFFECT = frozenset({"all", "index", "follow"})


def effects(found: Iterable[Directive]) -> dict[str, Directive]:
    """What directives do, as text such as `googlebot: max-snippet: 20`, whatever states it; `none` is two of them."""
    done: dict[str, Directive] = {}
    for one in found:
        for rule in ("noindex", "nofollow") if one.rule == "none" else (one.rule,):
            if rule not in _WITHOUT_EFFECT:
                done.setdefault(": ".join(filter(None, (one.agent, rule, one.value))), one)
    return done


def expiry(directive: Directive) -> datetime | None:
    """When an `unavailable_after` takes effect: RFC 822, RFC 850 or ISO 8601, UTC where no zone is given (HTML-06)."""
    text = directive.value
    moment = parse_stated_time(text, header=False) or parse_stated_time(text, header=True)
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)


def unparsable_dates(directives: Iterable[Directive]) -> tuple[Directive, ...]:
    """Every `unavailable_after` without a valid date; it has no effect (HTML-06)."""
    return tuple([one for one in directives if one.rule == "unavailable_after" and expiry(one) is None])


def source_text(directive: Directive) -> str:
    """The directive as in the page or its headers: `X-Robots-Tag: googlebot: noindex`, `<meta name="robots" …>`."""
    rule = f"{directive.rule}: {directive.value}" if directive.value else directive.rule
    if directive.source == "meta":
        return f'<meta name="{directive.agent or "robots"}" content="{rule}">'
    return f"X-Robots-Tag: {directive.agent}: {rule}" if directive.agent else f"X-Robots-Tag: {rule}"


def parse_meta(name: str, content: str) -> tuple[Directive, ...]:
    """Rules of one <meta name content>; none when the name cannot be an agent's.

    The names of all agents are not known here, so a name without "bot" in it needs known rules alone.
    """
    agent = name.strip().lower()
    if agent in _METADATA_NAMES:
        return ()
    # Every page of a site has the same few lines.
    return _parse_cached(agent, content) if len(content) < _MAX_LENGTH else _parse_meta(agent, content)


def parse_header(line: str) -> tuple[Directive, ...]:
    """Rules of one X-Robots-Tag line; an `agent:` prefix applies to the rest of the line (HTML-11, HTML-12)."""
    return tuple(_rules(line, "", "header"))


def _parse_meta(agent: str, content: str) -> tuple[Directive, ...]:
    found = tuple(_rules(content, agent, "meta"))
    if agent == "robots" or "bot" in agent or all(one.rule in _KNOWN for one in found):
        return found
    return ()


_parse_cached = lru_cache(maxsize=256)(_parse_meta)


def _forbids_index(directive: Directive, now: datetime | None) -> bool:
    if directive.rule in {"noindex", "none"}:
        return True
    if directive.rule != "unavailable_after" or now is None:
        return False
    moment = expiry(directive)
    return moment is not None and moment <= now


def _rules(text: str, agent: str, source: str) -> Iterator[Directive]:
    agent = "" if agent == "robots" else agent[:_MAX_LENGTH]
    for part in _parts(text, prefixed=source == "header"):
        name, colon, rest = (piece.strip() for piece in part.partition(":"))
        if source == "header" and colon and _is_agent(name):
            agent = name.lower()[:_MAX_LENGTH]
            name, colon, rest = (piece.strip() for piece in rest.partition(":"))
        if name:
            yield Directive(agent, name.lower()[:_MAX_LENGTH], rest[:_MAX_LENGTH], source)


def _parts(text: str, *, prefixed: bool) -> list[str]:
    """Splits at commas, except inside the date of an `unavailable_after` (HTML-06)."""
    parts: list[str] = []
    in_date = False
    for piece in text.split(",", _MAX_RULES)[:_MAX_RULES]:
        name = piece.partition(":")[0].strip()
        if in_date and not (name.lower() in _KNOWN or (prefixed and ":" in piece and _is_agent(name))):
            parts[-1] += "," + piece
            continue
        parts.append(piece)
        in_date = "unavailable_after" in piece.lower()
    return parts


def _is_agent(name: str) -> bool:
    return name.lower() not in _KNOWN and _AGENT_NAME.fullmatch(name) is not None


_END_OF_DAY = lazy_re(r"[Tt ]24")


def parse_iso_time(text: str) -> datetime:
    """Raises ValueError, also for 24:00, which Python reads since 3.14 as midnight of the next day."""
    if _END_OF_DAY.search(text):
        raise ValueError(f"{text!r} names an hour that no day has")
    return datetime.fromisoformat(text)


@lru_cache(maxsize=4096)
def parse_stated_time(text: str, *, header: bool) -> datetime | None:
    """The time that a page states, or as a header writes it (RFC 822); None for a text that is no date."""
    try:
        if header:
            from email.utils import parsedate_to_datetime  # noqa: PLC0415 - few pages have such a date

            return parsedate_to_datetime(text)
        return parse_iso_time(text)
    except (ValueError, TypeError, IndexError, OverflowError):  # what email.utils raises differs between versions
        return None


# --- rel=canonical (HTML-20…27) ---

_SCHEME = lazy_re(r"[\x00-\x20]*([a-z][a-z0-9+.-]{0,20}):", re.IGNORECASE)
CONDITIONAL_ATTRIBUTES = ("hreflang", "lang", "media", "type")


def classify_canonical(
    href: str, url: str | None, source: str, *, misplaced: str = "", attributes: Iterable[str] = ()
) -> Canonical:
    """A canonical as written and as resolved (`urls.resolve`), with the first reason why it does not count.

    `misplaced` is why its position is invalid, "" for a valid one; `attributes` are the names beside rel and href.
    """
    # HTML-22: such a link is for some readers only, and no canonical for all.
    condition = next((f"has {name}" for name in CONDITIONAL_ATTRIBUTES if name in attributes and not misplaced), "")
    ignored = misplaced or condition or _not_a_page(href, url)
    return Canonical(href, url or "", source, ignored, conditional=condition != "")


def canonical_targets(canonicals: Sequence[Canonical]) -> tuple[str, ...]:
    """The canonical URLs of a page: none, one, or several that contradict each other, in document order (HTML-25)."""
    if len(canonicals) < 2:
        return () if not canonicals or canonicals[0].ignored else (canonicals[0].url,)
    return tuple(dict.fromkeys([canonical.url for canonical in canonicals if not canonical.ignored]))


def _not_a_page(href: str, url: str | None) -> str:
    """HTML-27: the href is no page that could be listed."""
    if url is not None:
        return "has a fragment" if "#" in href else ""
    if not href.strip("\t\n\f\r "):
        return "empty href"
    scheme = _SCHEME.match(href)
    if scheme is not None and scheme[1].lower() not in {"http", "https"}:
        return f"{scheme[1].lower()}: URL"
    return "not a valid URL"
