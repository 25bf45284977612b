"""The redirect rules of a host: which of them are never served, and what the others lead to (RT-01…RT-04).

Theory of operation. The host of a build is asked for the path of each rule, as a visitor asks it. Another answer than
that of the rule means that something comes before it; from the rule's own answer on, its chain is walked over the
answers of the host. A rule with a placeholder has no one path: it is never served only where an earlier rule takes
every path that it can match. A document that redirects at once is a rule too, of which the path is the one of its file.
Nothing is said where code, a proxy, another site or a rule that is not read may answer.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from urllib.parse import urlsplit

from msgspec.structs import replace

from sitemap_action.decide.redirects import PageLookup, RedirectChain, follow_http
from sitemap_action.hosts.base import HostResponse, PathPattern, Route, ServedBuild
from sitemap_action.hosts.routes import PathIndex, location
from sitemap_action.model.finding import Place
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.source import RedirectRule, RuleFate
from sitemap_action.web.redirect_walk import ChainEnd

_ANY_PATH = PathPattern()  # of a rule that is not read
_SPLAT = lazy_re(r"((?:[\w/-]|\\.)*)(\(\?:/\(\?P<splat>\.\*\)\)\?|\(\?P<splat>\.\*\)|\(?\.\*\)?)")
_SYNTAX = lazy_re(r"(?<!\\)[^\w/\\-]")
_REPEATED = "?*+{"  # what makes the character before it optional
_SLASHES = lazy_re("//+")


def location_url(base: str, target: str) -> str:
    """The URL of a redirect of a host; `target`: a path below the deployment, or an absolute URL."""
    return base + target[1:] if target.startswith("/") else target


class RedirectTable:
    """The rules of one build on its host; `base` is the address of the build."""

    def __init__(self, served: ServedBuild, base: str, stubs: Iterable[Page] = ()) -> None:
        """`stubs`: documents that redirect at once, as generators write them for old addresses: a rule each."""
        self._served, self._base = served, base
        self._stubs = {page.path: page for page in stubs}
        self._rows: dict[tuple[object, ...], list[Route]] = {}  # a host may need two patterns for a rule
        for rule in served.rules:
            self._rows.setdefault((rule.place, rule.source, rule.target, rule.status), []).append(rule)
        self._places = {rule.evidence for rule in served.rules}
        unclear = [rule for rule in served.rules if rule.unclear]
        self._unclear = PathIndex([rule.pattern for rule in unclear])
        self._unknown = served.elsewhere or next(
            (f"{rule.place}: {rule.unclear}" for rule in unclear if rule.pattern == _ANY_PATH), ""
        )

    def judge(self, answers: PageLookup) -> Iterator[RedirectRule]:
        """Every rule with its fate, in the order of the host, then stubs; `answers`: what it has for a URL."""
        covered, pages = self._find_covered(), _WithStubs(self._stubs, answers)
        for rows in self._rows.values():
            first = rows[0]
            row = RedirectRule(first.place, first.source or first.pattern.literal, first.target, first.status)
            if why := first.unserved or covered.get(first, ""):
                yield replace(row, fate=RuleFate.UNSERVED, detail=why)
            elif first.unclear:
                yield replace(row, fate=RuleFate.UNKNOWN, detail=first.unclear)
            elif first.pattern.literal and 300 <= first.status < 400:
                yield self._judge_redirect(row, rows, pages)
            else:
                yield row
        for stub in self._stubs.values():
            to = answers.page(stub.target)
            if to is None or to.path != stub.path:  # else it is a reload (HTML-42)
                yield self._judge_stub(stub, pages)

    def _judge_stub(self, stub: Page, pages: PageLookup) -> RedirectRule:
        path, chain = self._path(stub.url), follow_http(pages, stub)
        row = RedirectRule(Place(stub.path, 1), path, self._path(stub.target) or stub.target, stub.status)
        fate, detail = self._end(chain, path.__eq__)
        if fate is RuleFate.CHAIN and not any(hop.page.path or hop.page.evidence for hop in chain.hops[1:]):
            return row  # the host adds a slash to what the generator wrote
        if fate is not RuleFate.SERVED and (why := self._why_unknown(chain)):
            fate, detail = RuleFate.UNKNOWN, why
        return replace(row, fate=fate, detail=detail)

    def find_needed(self, urls: Iterable[str]) -> dict[str, RedirectRule]:
        """URL that the host has nothing for → the rule that is for it, and that is never served (RT-04)."""
        unserved = [rule for rule in self._served.rules if rule.unserved and rule.pattern != _ANY_PATH]
        index, found = PathIndex([rule.pattern for rule in unserved]), {}
        for url in urls if unserved else ():
            path = self._path(url)
            number = index.first(self._served.key(path)) if path else None
            answer = self._served.host.answer(path) if number is not None else None
            if number is not None and answer is not None and (answer.status == 404 or answer.fallback):
                rule = unserved[number]
                row = RedirectRule(rule.place, rule.source, rule.target, rule.status)
                found[url] = replace(row, fate=RuleFate.UNSERVED, detail=rule.unserved)
        return found

    def find_fault(self, url: str, target: str, answer: HostResponse, pages: PageLookup) -> str:
        """Why an answer does not redirect a URL to a page permanently and at once, as text; "" where it does."""
        if not answer.location:
            needed = self.find_needed([url]).get(url)
            shown = f"{answer.file} is served there" if answer.file and answer.status == 200 else "no rule takes it"
            return needed.detail if needed else shown
        chain = follow_http(pages, Page(url, PageKind.REDIRECT, target=location_url(self._base, answer.location)))
        if chain.arrival is None or chain.arrival.kind is not PageKind.PAGE or chain.url != target:
            return f"{answer.evidence or 'the host'} leads to {chain.url}"
        return "" if answer.status in {301, 308} else f"the host would answer {answer.status}, which is temporary"

    def _path(self, url: str) -> str:
        """The path that the host is asked for; "" for a URL of another site."""
        return f"/{url[len(self._base) :].partition('?')[0]}" if url.startswith(self._base) else ""

    def _find_covered(self) -> dict[Route, str]:
        """Rules with a placeholder, of which an earlier rule takes every path → which one."""
        found: dict[Route, str] = {}
        expressions: dict[str, Route] = {}
        prefixes: dict[str, Route] = {}
        for rule in self._served.rules:
            text = rule.pattern.expression
            if rule.unserved or rule.unclear or not text:
                continue
            earlier = expressions.get(text) or _find_prefix(prefixes, text)
            if earlier is not None and not rule.pattern.literal and 300 <= rule.status < 400:
                found[rule] = f"{earlier.place} takes every path of it"
            may_skip = 300 <= rule.status < 400 and rule.target.startswith(_literal_start(text))  # what leads to itself
            if not rule.pattern.excluded and not may_skip:
                expressions.setdefault(text, rule)
                if splat := _SPLAT.fullmatch(text):
                    prefixes.setdefault(f"{splat[1]}/" if splat[2].startswith("(?:/") else splat[1], rule)
        return found

    def _judge_redirect(self, row: RedirectRule, rows: list[Route], pages: PageLookup) -> RedirectRule:
        if urlsplit(self._base).path != "/":
            why = f"{self._base} is below a path, and whether the rules have it is not known"
            return replace(row, fate=RuleFate.UNKNOWN, detail=why)
        rule, answer = rows[0], self._served.host.answer
        paths = dict.fromkeys(path for one in rows for path in _request_paths(one.pattern.literal))
        start = next(((path, found) for path in paths if _is_answer_of(rule, found := answer(path))), None)
        if start is None:
            path = rule.source if rule.source in paths else next(iter(paths))
            why = self._why_unserved(rule, path, answer(path))
            return replace(row, fate=RuleFate.UNSERVED, detail=why) if why else row
        url, target = (location_url(self._base, one) for one in (start[0], start[1].location))
        chain = follow_http(pages, Page(url, PageKind.REDIRECT, target=target))
        fate, detail = self._end(chain, lambda path: path in paths and _is_answer_of(rule, answer(path)))
        if fate is RuleFate.SERVED:
            return row
        if why := self._why_unknown(chain):
            fate, detail = RuleFate.UNKNOWN, why
        return replace(row, fate=fate, detail=detail)

    def _why_unserved(self, rule: Route, path: str, answer: HostResponse) -> str:
        """Why the host answers the path of a rule otherwise, as text; "" where that leads to the same place."""
        if _leads_to_target(answer, rule):
            return ""
        if answer.evidence in self._places and answer.evidence != rule.evidence:
            return f"{answer.evidence} comes first"
        if answer.file:
            return f"{answer.file} is served in its place"
        if answer.location:
            return f"the host redirects {path} to {answer.location} before"
        return "" if answer.evidence == rule.evidence else "it leads back to its own path, and the host leaves it out"

    def _end(self, chain: RedirectChain, is_own: Callable[[str], bool]) -> tuple[RuleFate, str]:
        """`is_own`: whether the rule redirects a path."""
        urls = [hop.page.url for hop in chain.hops]
        if chain.end is ChainEnd.LOOP:
            loop = urls[urls.index(chain.url) :] if chain.url in urls else urls
            if any(map(is_own, map(self._path, loop))):
                return RuleFate.LOOP, f"comes back{_list_way(loop[1:])}"
            return RuleFate.DEAD_END, f"leads into a loop at {chain.url}"
        if chain.end is ChainEnd.TOO_LONG:
            return RuleFate.DEAD_END, f"leads to more than {len(urls) - 1} redirects, on to {chain.url}"
        if chain.arrival is not None and chain.arrival.kind is PageKind.GONE:
            return RuleFate.DEAD_END, f"leads to {chain.url}, which answers {chain.arrival.status}{_list_way(urls[1:])}"
        if chain.arrival is not None and chain.arrival.kind is PageKind.PAGE and len(urls) > 1:
            return RuleFate.CHAIN, f"takes {len(urls)} redirects to {chain.url}"
        return RuleFate.SERVED, ""

    def _why_unknown(self, chain: RedirectChain) -> str:
        """What may answer otherwise on the way of a chain, as text; "" for nothing."""
        for path in (self._path(hop.target) for hop in chain.hops):
            if path.startswith(self._served.code or ("\0",)):
                return f"code may answer {path}"
            if self._unclear.first(path) is not None or self._unclear.first(self._served.key(path)) is not None:
                return f"another rule may answer {path}"
        return self._unknown


class _WithStubs:
    """What a host answers, where a document that redirects counts as a redirect; `stubs` by their files."""

    def __init__(self, stubs: Mapping[str, Page], answers: PageLookup) -> None:
        self._stubs, self._answers = stubs, answers

    def page(self, url: str, /) -> Page | None:
        page = self._answers.page(url)
        return page if page is None or not page.path else self._stubs.get(page.path, page)


def _request_paths(literal: str) -> tuple[str, ...]:
    """The paths that a host may compare with this one: with or without a final slash, or the name of an index."""
    folder = literal.removesuffix("index.html")
    return literal, f"{literal.removesuffix('/')}/", folder, folder.removesuffix("/") or "/"


def _is_answer_of(rule: Route, answer: HostResponse) -> bool:
    """Several rules may be on one line."""
    return (answer.status, answer.evidence) == (rule.status, rule.evidence) and _leads_to_target(answer, rule)


def _leads_to_target(answer: HostResponse, rule: Route) -> bool:
    """A host may join the slashes of a target."""
    to = answer.location
    return to == rule.target or _SLASHES.sub("/", to) == _SLASHES.sub("/", location(rule.target))


def _find_prefix(prefixes: dict[str, Route], text: str) -> Route | None:
    for end in range(1, len(text)) if prefixes else ():
        if text[:end] in prefixes and text[end] not in _REPEATED:
            return prefixes[text[:end]]
    return None


def _literal_start(expression: str) -> str:
    return _SYNTAX.split(expression, 1)[0].replace("\\", "").rstrip("/") or "/"


def _list_way(urls: list[str]) -> str:
    return f", by {', '.join(urls)}" if urls else ""
