"""The deploy witness: what is served beside what was built (WIT-01…03).

Two answers for one URL, and two robots.txt, are compared by their effect on a search engine. What an edge rightly
changes is in none of these: scripts, beacons, nonces, names of assets, compression, other headers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple
from urllib.parse import urlsplit

from sitemap_action.checks.base import DESIGN, ERROR, INFO, WARNING, SiteCheck, live_rule
from sitemap_action.html import directives
from sitemap_action.html.directives import canonical_targets, source_text
from sitemap_action.model.outcome import Diff
from sitemap_action.model.page import Directive, Page, PageKind
from sitemap_action.model.site import Content, KnownUrl, Verdict
from sitemap_action.model.source import ServedSite
from sitemap_action.model.wording import plural
from sitemap_action.robots.changed_rules import RobotsComparison, has_same_records, named_agents
from sitemap_action.robots.groups import Profile, parse
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
            "gone-lost": (ERROR, "an address that a rule of the build answers with 410 is served otherwise"),
            "missing-answers": (ERROR, "pages that do not exist answer 200, and the build has no such rule"),
            "gone-answers": (WARNING, "a page that the build does not have any more is still served"),
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
_OF_OTHERS = frozenset({"redirect-lost", "gone-lost", "gone-answers"})  # than pages
_MOST_CAUSES = 10  # with a finding of their own


class WitnessCheck(SiteCheck):
    """Part of a pass only where a deployed site was read beside the build."""

    rules = _RULES

    def on_start(self) -> None:
        found, self._own = self.options.found, origin(self.options.site_url)
        assert found.witness is not None  # noqa: S101 - as above
        self._served = found.witness
        self._listed: set[str] = set()
        self._baseline: set[str] = set()
        self._differences: list[tuple[str, Difference]] = []
        self._texts = Texts()
        self._preview = origin(self._served.found.location) != self._own
        by_rule = found.hosting.plain_answers(self._own)
        self._by_rule = {page.url: page for page in by_rule}  # without what is an address of the build besides

    def on_url(self, known: KnownUrl, _verdict: Verdict, /) -> None:
        served, page = self._served, known.page
        if known.committed is not None:
            self._listed.add(page.url)
        if known.baseline is not None:
            self._baseline.add(page.url)
        self._by_rule.pop(page.url, None)
        if (answer := _answer(served, page.url)) is not None:
            found = page_differences(page, answer, served.pages, preview=self._preview)
            self._differences += [(page.url, one) for one in found]
            self._texts.add(page, answer, known.previous)
            published = known.baseline is not None or page.url in self.options.run.baseline.ledger.lines
            gone = published and known.committed is None and page.kind is PageKind.GONE and page.status != _GONE
            if gone and _is_page(served, page.url):
                self._differences.append((page.url, Difference("gone-answers", "")))

    def on_end(self, _diff: Diff, /) -> None:
        served, hosting = self._served, self.options.found.hosting
        if served.sitemap is not None and self._listed and served.sitemap != self._listed:
            detail = self._describe_sitemap(served, served.sitemap)
            self.report.add("served-sitemap", path=self.options.run.sitemap, detail=detail)
        for page in self._by_rule.values():
            if (answer := _answer(served, page.url)) is not None:
                found = page_differences(page, answer, served.pages, preview=self._preview)
                self._differences += [(page.url, one) for one in found]
        answering = [url for url in served.missing if _is_page(served, self._end(served, url))]
        if not (answering or hosting.fallback or hosting.partial):
            url, other = served.other_case
            if _is_page(served, url) and _is_page(served, other):
                self.report.add("ignores-case", other, detail=f"answers as {url} does")
        elif answering and not (hosting.fallback or hosting.partial):
            end = self._end(served, answering[0])
            detail = f"redirects to {end}" if end != answering[0] else ""
            self.report.add("missing-answers", answering[0], detail=detail)
            self._differences = [row for row in self._differences if row[1].code != "gone-answers"]
        self._report_differences()
        if not self._preview and (self.options.found.robots is not None or self.options.site_url == f"{self._own}/"):
            self._check_robots(served)  # else that of the host is no part of the build

    def _end(self, served: ServedSite, url: str) -> str:
        """Where redirects of a made-up address lead; the address itself where a rule of the build may redirect it."""
        page = served.pages.get(url)
        if page is None or self.options.found.hosting.has_patterns:
            return url
        return [url, *_later_targets(page, served.pages)][-1]

    def _report_differences(self) -> None:
        """One finding for each of the commonest causes, which says where it was seen."""
        urls: dict[tuple[str, str], list[str]] = {}
        for url, one in self._differences:
            urls.setdefault((one.code, one.cause), []).append(url)
        common = sorted((key for key in urls if key[1]), key=lambda key: -len(urls[key]))[:_MOST_CAUSES]
        where = {key: self._describe_place(key[0], urls[key]) for key in common if len(urls[key]) > 1}
        for url, one in self._differences:
            key, of_text = (one.code, one.cause), one.code == "content"
            cause = describe_deployment(self._texts.shares()) if of_text else f"{one.cause}{where.get(key, '')}"
            self.report.add(one.code, url, detail=one.detail, cause=cause, together=of_text or key in where)

    def _describe_place(self, code: str, urls: Sequence[str]) -> str:
        if len(urls) >= self._texts.pages and code not in _OF_OTHERS:
            return ", on every page that was looked at"
        first, last = min(urls), max(urls)
        shared = next((at for at, pair in enumerate(zip(first, last, strict=False)) if len({*pair}) > 1), len(first))
        folder = first[:shared].rpartition("/")[0]
        return f", always below {folder[len(self._own) :]}/" if len(folder) > len(self._own) else ""

    def _describe_sitemap(self, served: ServedSite, found: frozenset[str]) -> str:
        lacking, more = sorted(self._listed - found), sorted(found - self._listed)
        if not found:
            return "no sitemap that lists a page is served"
        base = self.options.run.baseline
        known = ((f"the baseline ({base.description})", self._baseline), ("an earlier run", served.earlier))
        sets, texts = compare_known_sets(found, self._listed, known), self._texts.shares()
        deployment = describe_deployment(sets, texts)
        parts = [f"it lacks {plural(len(lacking), 'URL')} such as {lacking[0]}"] if lacking else []
        parts += [f"it lists {plural(len(more), 'URL')} that the build's does not, such as {more[0]}"] if more else []
        parts.insert(0 if sets.has_old or texts.has_old else len(parts), deployment)
        return "; ".join(filter(None, parts))

    def _check_robots(self, served: ServedSite) -> None:
        if served.found.robots is None and served.found.incomplete:
            return  # no answer, which proves nothing
        built, found = self.options.found.robots or b"", served.found.robots or b""
        before, after = (parse(text, Profile.GOOGLE) for text in (built, found))
        changes = RobotsComparison(before, after, named_agents(self.options.agents, before, after))
        differ = [changes.add(url) for url in sorted(self._listed)] if built != found else []
        for one in changes.rules():
            what = f"{one.rule}, line {one.line} {'of the build' if one.allowed else 'as served'}"
            how = f"{'does not block' if one.allowed else 'blocks'} {' and '.join(one.agents)} from {one.pages}"
            self.report.add("served-robots", detail=f"{what}, {how}", path=_ROBOTS)
        if not any(differ) and not has_same_records(built, found):
            detail = "none is served" if served.found.robots is None else ""
            self.report.add("served-robots-text", detail=detail, path=_ROBOTS)


def _answer(served: ServedSite, url: str) -> Page | None:
    """What is served at a URL; None where that is not known, as after a crawl that was cut short."""
    page = None if served.found.no_pages else served.pages.get(url)
    cut = page is not None and page.kind is PageKind.UNDETERMINED and bool(served.found.incomplete)
    return None if cut else page


def _is_page(served: ServedSite, url: str) -> bool:
    page = served.pages.get(url)
    return page is not None and page.kind is PageKind.PAGE


# --- which deployment is served: this build, one that is known, or both in part ---


class Shares(NamedTuple):
    """What is served of this build and of an older one, as text and as two answers; nothing is known of "" ."""

    text: str = ""
    has_old: bool = False  # something that the older one has, and this build has not
    has_new: bool = False  # the reverse


def describe_deployment(*found: Shares) -> str:
    """Whether it is stale or half done, with the shares; "" where nothing older is seen."""
    shares = "; ".join(one.text for one in found if one.text)
    if not any(one.has_old for one in found):
        return shares
    how = "half done" if any(one.has_new for one in found) else "stale"
    return f"the deployment is {how}: {shares}"


def compare_known_sets(
    found: AbstractSet[str], built: AbstractSet[str], known: Iterable[tuple[str, AbstractSet[str]]]
) -> Shares:
    """Which known set the served sitemap has, wholly or in part, with the share of its URLs.

    Of the URLs that only one of both sets has, each is served as the one or as the other has it. One URL in ten may be
    explained by neither.
    """
    for name, urls in sorted(known, key=lambda one: len(found ^ one[1])):
        differing = built ^ urls
        old = sum(1 for url in differing if (url in found) == (url in urls))
        strange = len(found - built - urls) + len((built & urls) - found)
        if not (urls and old) or strange * 10 > len(found | built | urls):
            continue
        if found == urls:
            return Shares(f"its URLs are those of {name}", has_old=True)
        share = f"{len(found & urls):,} of its {plural(len(found), 'URL')} are those of {name}"
        if old == len(differing):
            return Shares(f"{share}, none is of this build alone", has_old=True)
        new, left = len(found & built - urls), len(found & urls - built)
        mixed = f"{new:,} {'is' if new == 1 else 'are'} of this build alone" if new else f"{left:,} removed since"
        return Shares(f"{share}, {mixed}", has_old=True, has_new=True)
    return Shares()


class Texts:
    """Counts pages whose served text is that of the build, or that of an earlier run with the state."""

    def __init__(self) -> None:
        self.pages = 0  # of the build that gave an answer
        self._built = self._earlier = self._other = self._changed = 0

    def add(self, built: Page, served: Page, previous: Content | None) -> None:
        """`_changed`: pages of the build that an earlier run had otherwise."""
        if built.kind is not PageKind.PAGE or built.destination:
            return
        self.pages += 1
        if built.facts is None or served.facts is None or not (built.facts.fingerprint and served.facts.fingerprint):
            return
        is_built, before = served.facts.fingerprint == built.facts.fingerprint, previous and previous.fingerprint
        self._built += is_built
        self._changed += is_built and bool(before) and before != built.facts.fingerprint
        self._earlier += not is_built and before == served.facts.fingerprint
        self._other += not is_built and before != served.facts.fingerprint

    def shares(self) -> Shares:
        """Without a text where all have that of the build."""
        total = plural(self._built + self._earlier + self._other, "page")
        if not self._earlier:
            return Shares(f"{self._other:,} of {total} with another text" if self._other else "")
        share = f"{self._earlier:,} of {total} with the text of an earlier run, {self._built:,} that of the build"
        other = f", {self._other:,} neither" if self._other else ""
        return Shares(share + other, has_old=True, has_new=bool(self._changed))


# --- differences of two answers ---

_MOST_HOPS = 10  # HTML-43
_OK, _GONE = 200, 410


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
        if built.facts.words and not served.facts.words:
            yield Difference("answer", "answers with a document without text")
            return
        one, other = built.facts.head, served.facts.head
        yield from _directive_differences(one.directives, other.directives, preview=preview)
        before, after = canonical_targets(one.canonicals), canonical_targets(other.canonicals)
        if before != after:
            cause, detail = _canonical_cause(before, after)
            added = any(link.source == "header" for link in set(other.canonicals) - set(one.canonicals))
            layer = ", by a Link header that no rule of the build sets" if added else ""
            yield Difference("canonical", cause and f"{cause}{layer}", f"{detail}{layer}")
        if one.versions != other.versions:
            yield Difference("hreflang", "the language versions differ")
        before_text, after_text = built.facts.fingerprint, served.facts.fingerprint
        if before_text and after_text and before_text != after_text:
            yield Difference("content", "")


def _answer_difference(built: Page, served: Page, pages: Mapping[str, Page]) -> Difference | None:
    """Status and final URL. A page of the build that is none itself (404, a file in no format) proves nothing."""
    if built.kind is PageKind.GONE:
        lost = built.status == _GONE and (served.kind, served.status) != (PageKind.GONE, _GONE)
        how = f"redirects to {served.target}" if served.target else served.reason or f"answers {served.status}"
        return Difference("gone-lost", how, f"{how} ({built.evidence})" if built.evidence else "") if lost else None
    if served.kind is PageKind.UNDETERMINED:
        return Difference("answer", served.reason or f"answers {served.status}")
    if target := built.destination:
        return _redirect_difference(built, target, served, pages)
    target = served.destination
    if built.kind not in {PageKind.PAGE, PageKind.FILE} or (built.kind is served.kind and not target):
        return None
    if target:
        how = "redirects" if served.kind is PageKind.REDIRECT else "is a document that redirects"
        return Difference("answer", _redirect_cause(served, target), f"{how} to {target} ({served.status})")
    answered = served.media_type if served.status == _OK else ""
    how = f"answers with {answered}" if answered else f"answers {served.status}"
    return Difference("answer", how if served.status else served.reason)


def _redirect_cause(served: Page, target: str) -> str:
    """What redirects of other pages may share; "" where it is the target alone."""
    parts, own = urlsplit(target), urlsplit(served.url)
    if parts.query:  # of a login, which holds the address to return to
        return f"redirects to {parts.netloc}{parts.path} with a query"
    if parts.netloc != own.netloc:
        return f"redirects to {parts.netloc}"
    if parts.scheme != own.scheme:
        return f"redirects to {parts.scheme}"
    if parts.path.rstrip("/") == own.path.rstrip("/"):
        return f"redirects to the address {'with' if parts.path.endswith('/') else 'without'} a final slash"
    return ""


def _redirect_difference(built: Page, target: str, served: Page, pages: Mapping[str, Page]) -> Difference | None:
    found, where = served.destination, built.evidence or built.path
    rule = f"the build redirects to {target}{f' ({where})' if where else ''}"
    if not found:
        how = f"answers {served.status}"
        return Difference("redirect-lost", how, f"{how}; {rule}")
    if target not in (found, *_later_targets(served, pages)):
        return Difference("redirect-lost", _redirect_cause(served, found), f"redirects to {found}; {rule}")
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
        return "the served page has no canonical", f"none in place of {built[0]}"
    if not built:
        return "the served page has a canonical, and the build has none", f"{served[0]}, and the build has none"
    one, other = urlsplit(built[0]), urlsplit(served[0])
    detail = f"{served[0]} in place of {built[0]}"
    if one._replace(scheme="", netloc="") == other._replace(scheme="", netloc=""):
        return f"at {other.scheme}://{other.netloc} in place of {one.scheme}://{one.netloc}", detail
    if one._replace(path=one.path.rstrip("/")) == other._replace(path=other.path.rstrip("/")):
        return f"{'with' if other.path.endswith('/') else 'without'} a final slash", detail
    return "", detail
