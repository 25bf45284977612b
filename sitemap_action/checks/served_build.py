"""The deploy witness: what is served beside what was built (WIT-01…03).

Two answers for one URL, and two robots.txt, are compared by their effect on a search engine. What an edge rightly
changes is in none of these: scripts, beacons, nonces, names of assets, compression, other headers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from sitemap_action.checks.base import DESIGN, ERROR, INFO, WARNING, SiteCheck, live_rule
from sitemap_action.html import directives
from sitemap_action.html.directives import canonical_targets, source_text
from sitemap_action.model.outcome import Diff
from sitemap_action.model.page import Directive, Page, PageKind
from sitemap_action.model.site import KnownUrl, Verdict
from sitemap_action.model.source import ServedSite
from sitemap_action.model.wording import plural
from sitemap_action.robots.groups import Profile, RobotsComparison, has_same_records, named_agents, parse
from sitemap_action.web.redirect_walk import RedirectWalk
from sitemap_action.web.urls import origin

_RULES = (
    live_rule(
        "WIT-01",
        {
            "served-sitemap": (ERROR, "another sitemap is served than the build has"),
            "served-robots": (ERROR, "the robots.txt that is served has another effect than that of the build"),
            "served-robots-text": (INFO, "another robots.txt is served than the build has, with the same effect"),
        },
        summary="Sitemap and robots.txt are served as they were built.",
        source=DESIGN,
        passes="the sitemap that is served lists the URLs of the build's",
        fails="it lists those of the last deployment",
        tip="Deploy again, and look at what answers before the files: an edge that manages robots.txt, or a cache.",
    ),
    live_rule(
        "WIT-02",
        {
            "answer": (ERROR, "a page of the build is not served"),
            "redirect-lost": (ERROR, "a redirect of the build is not served"),
            "directives": (ERROR, "a page is served with other robots directives than the build has"),
            "canonical": (ERROR, "a page is served with another canonical than the build has"),
            "missing-answers": (ERROR, "pages that do not exist answer 200, and the build has no such rule"),
            "hreflang": (WARNING, "a page is served with other language versions than the build has"),
            "ignores-case": (WARNING, "the server ignores the case of letters: each page has other addresses too"),
        },
        summary="Each page of the build is served with its status, address, robots directives and canonical.",
        source=DESIGN,
        passes="/a/ answers 200, with the canonical of the build",
        fails="X-Robots-Tag: noindex on /a/, which no rule of the build sets",
        tip="Correct what changes it between the build and the visitor: rules of the edge, the server, the upload.",
    ),
    live_rule(
        "WIT-03",
        {"content": (INFO, "a page is served with other text, links or JSON-LD than the build has")},
        summary="Each page of the build is served with its text, links and JSON-LD.",
        source=DESIGN,
        passes="the text of the build, and a script more",
        fails="the text of the last deployment",
        tip="Where the pages are those of an earlier build, deploy again or empty the cache.",
    ),
)
_ROBOTS = "robots.txt"


class WitnessCheck(SiteCheck):
    rules = _RULES

    def on_start(self) -> None:
        self._served, self._own = self.options.found.witness, origin(self.options.site_url)
        self._listed: set[str] = set()
        self._baseline: set[str] = set()
        self._earlier = 0  # pages with the content of an earlier run
        self._preview = self._served is not None and origin(self._served.found.location) != self._own

    def on_url(self, known: KnownUrl, _verdict: Verdict, /) -> None:
        served, page = self._served, known.page
        if served is None:
            return
        if known.committed is not None:
            self._listed.add(page.url)
        if known.baseline is not None:
            self._baseline.add(page.url)
        if (answer := _answer(served, page.url)) is not None:
            for one in page_differences(page, answer, served.pages, preview=self._preview):
                cause = one.cause
                if one.code == "content" and known.previous is not None:
                    earlier = answer.facts is not None and answer.facts.fingerprint == known.previous.fingerprint
                    self._earlier += earlier
                    cause = "that of an earlier run" if earlier else ""
                self.report.add(one.code, page.url, detail=one.detail, cause=cause)

    def on_end(self, _diff: Diff, /) -> None:
        served, hosting = self._served, self.options.found.hosting
        if served is None or hosting is None:
            return
        if served.sitemap is not None and self._listed and served.sitemap != self._listed:
            detail = self._describe_sitemap(served, served.sitemap)
            self.report.add("served-sitemap", self.options.run.sitemap, detail=detail)
        for page in hosting.plain_redirects(self._own):
            answer = _answer(served, page.url)
            if answer is not None and (one := _answer_difference(page, answer, served.pages)):
                self.report.add(one.code, page.url, detail=one.detail, cause=one.cause)
        answering = [url for url in served.missing if _is_page(served, url)]
        if answering and not (hosting.fallback or hosting.partial):
            self.report.add("missing-answers", answering[0])
        url, other = served.other_case
        if _is_page(served, url) and _is_page(served, other):
            self.report.add("ignores-case", other, detail=f"answers as {url} does")
        if not self._preview and (self.options.found.robots is not None or self.options.site_url == f"{self._own}/"):
            self._check_robots(served)  # else that of the host is no part of the build

    def _describe_sitemap(self, served: ServedSite, found: frozenset[str]) -> str:
        lacking, more = sorted(self._listed - found), sorted(found - self._listed)
        if not found:
            return "no sitemap that lists a page is served"
        parts = [f"it lacks {plural(len(lacking), 'URL')} such as {lacking[0]}"] if lacking else []
        parts += [f"it lists {plural(len(more), 'URL')} that the build's does not, such as {more[0]}"] if more else []
        if found == self._baseline:
            parts.append(f"it is that of {self.options.run.baseline.description}: the deployment is stale")
        elif self._earlier:
            parts.append(f"{self._earlier:,} of {plural(len(served.pages), 'page')} have the text of an earlier run")
        return "; ".join(parts)

    def _check_robots(self, served: ServedSite) -> None:
        built, found = self.options.found.robots or b"", served.found.robots or b""
        before, after = (parse(text, Profile.GOOGLE) for text in (built, found))
        changes = RobotsComparison(before, after, named_agents(self.options.agents, before, after))
        differ = [changes.add(url) for url in sorted(self._listed)] if built != found else []
        for one in changes.rules():
            what = f"{one.rule}, line {one.line} {'of the build' if one.allowed else 'as served'}"
            how = f"{'does not block' if one.allowed else 'blocks'} {' and '.join(one.agents)} from {one.pages}"
            self.report.add("served-robots", one.urls[0], detail=f"{what}, {how}", path=_ROBOTS)
        if not any(differ) and not has_same_records(built, found):
            self.report.add("served-robots-text", path=_ROBOTS)


def _answer(served: ServedSite, url: str) -> Page | None:
    """What is served at a URL; None where that is not known, as after a crawl that was cut short."""
    page = None if served.found.no_pages else served.pages.get(url)
    cut = page is not None and page.kind is PageKind.UNDETERMINED and bool(served.found.incomplete)
    return None if cut else page


def _is_page(served: ServedSite, url: str) -> bool:
    page = served.pages.get(url)
    return page is not None and page.kind is PageKind.PAGE


# --- differences of two answers ---

_MOST_HOPS = 10  # HTML-43


class Difference(NamedTuple):
    """One effect that differs; `code` is that of `checks.witness`."""

    code: str
    cause: str  # what other pages may share; "" where it is of this page alone
    detail: str = ""


def page_differences(built: Page, served: Page, pages: Mapping[str, Page], *, preview: bool) -> Iterator[Difference]:
    """`pages`: what is served, by URL; on a `preview` headers are those of its host, and do not count (ENV-03)."""
    if found := _answer_difference(built, served, pages):
        yield found
    elif built.facts is not None and served.facts is not None and not built.destination:
        one, other = built.facts.head, served.facts.head
        yield from _directive_differences(one.directives, other.directives, preview=preview)
        before, after = canonical_targets(one.canonicals), canonical_targets(other.canonicals)
        if before != after:
            yield Difference("canonical", *_canonical_cause(before, after))
        if one.versions != other.versions:
            yield Difference("hreflang", "the language versions differ")
        before_text, after_text = built.facts.fingerprint, served.facts.fingerprint
        if before_text and after_text and before_text != after_text:
            yield Difference("content", "")


def _answer_difference(built: Page, served: Page, pages: Mapping[str, Page]) -> Difference | None:
    """Status and final URL. A page of the build that is none itself (gone, a file in no format) proves nothing."""
    if served.kind is PageKind.UNDETERMINED:
        return Difference("answer", served.reason or f"answers {served.status}")
    if target := built.destination:
        return _redirect_difference(built, target, served, pages)
    target = served.destination
    if built.kind not in {PageKind.PAGE, PageKind.FILE} or (built.kind is served.kind and not target):
        return None
    if target:
        parts, detail = urlsplit(target), f"{served.status} to {target}"
        if parts.query:  # of a login, which holds the address to return to
            return Difference("answer", f"redirects to {parts.netloc}{parts.path} with a query", detail)
        same = parts.netloc == urlsplit(served.url).netloc
        return Difference("answer", "" if same else f"redirects to {parts.netloc}", detail)
    return Difference("answer", f"answers {served.status}" if served.status else served.reason)


def _redirect_difference(built: Page, target: str, served: Page, pages: Mapping[str, Page]) -> Difference | None:
    found, rule = served.destination, f"{built.evidence or built.path}: {target}"
    if not found:
        return Difference("redirect-lost", f"answers {served.status}", rule)
    if target not in (found, *_later_targets(served, pages)):
        return Difference("redirect-lost", "", f"to {found} in place of {rule}")
    if built.permanent and not served.permanent:
        return Difference("redirect-lost", f"redirects with {served.status}, and the build with {built.status}")
    return None


def _later_targets(first: Page, pages: Mapping[str, Page]) -> Iterator[str]:
    walk = RedirectWalk(first, lambda page: page if page.kind is PageKind.REDIRECT else None, _MOST_HOPS)
    for hop in walk:
        walk.found = pages.get(hop.target)
        yield hop.target


def _directive_differences(
    built: Iterable[Directive], served: Iterable[Directive], *, preview: bool
) -> Iterator[Difference]:
    before, after = directives.effects(built), directives.effects(served)
    for key in sorted(after.keys() - before.keys()):
        one = after[key]
        if one.source == "header" and preview:
            continue
        where = "by a header that no rule of the build sets" if one.source == "header" else "in the served document"
        yield Difference("directives", f"{source_text(one)} is added, {where}")
    for key in sorted(before.keys() - after.keys()):
        one = before[key]
        what = "a header rule of the build that is not applied" if one.source == "header" else "which the build has"
        yield Difference("directives", f"{source_text(one)} is not served, {what}")


def _canonical_cause(built: Sequence[str], served: Sequence[str]) -> tuple[str, str]:
    """(cause, detail): pages whose canonical has another host share that."""
    if not served:
        return "the served page has no canonical", f"in place of {built[0]}"
    if not built:
        return "the served page has a canonical, and the build has none", served[0]
    one, other = urlsplit(built[0]), urlsplit(served[0])
    detail = f"{served[0]} in place of {built[0]}"
    if one._replace(scheme="", netloc="") == other._replace(scheme="", netloc=""):
        return f"at {other.scheme}://{other.netloc} in place of {one.scheme}://{one.netloc}", detail
    return "", detail
