"""The entry of a listed page: what the config asks for, and what the committed entry has."""

from sitemap_action.config.schema import DEPTH, HOME, Lastmod, OutputConfig
from sitemap_action.decide.lastmod import EntryDates
from sitemap_action.decide.policy import SelectPolicy
from sitemap_action.model.page import Alternate, Page, PageKind
from sitemap_action.model.site import Content, Role, Site
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.dates import lastmod_fault, normal_date
from sitemap_action.sitemap.extension_faults import valid_extensions
from sitemap_action.sitemap.extensions import is_version_link, parse_extension, replace_versions
from sitemap_action.sitemap.protocol import FREQUENCIES, is_priority
from sitemap_action.web.patterns import compile_patterns
from sitemap_action.web.urls import normal_form


class ValidExtensions:
    """Extensions of committed entries where the sitemap is invalid: an element that is not valid is left out (R-09).

    Every committed entry is read once before the first is decided: a page that its own versions leave out has none
    (HL-02), and a link counts when its target links back (HL-03).
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._shared: dict[frozenset[str], frozenset[str]] = {}  # pages of a cluster share one set
        self._named: dict[str, frozenset[str]] = {}  # URL → the versions that the page names, itself included
        for key, entry in site.entries(Role.COMMITTED):
            if entry.alternates:
                named = frozenset(map(normal_form, _versions(valid_extensions(entry.extensions, key)).values()))
                self._named[key] = self._shared.setdefault(named, named) if key in named else frozenset()

    def extensions(self, key: str, entry: Entry) -> tuple[tuple[Alternate, ...], tuple[str, ...], tuple[str, ...]]:
        """(alternates, images, extensions) as an `Entry` has them. `key`: the URL that is listed."""
        elements = valid_extensions(entry.extensions, key)
        kept = {code: url for code, url in _versions(elements).items() if self._is_mutual(key, normal_form(url))}
        if all(normal_form(url) == key for url in kept.values()):
            kept = {}  # a set of one page says nothing
        alternates, elements = replace_versions(elements, kept)
        images = (parse_extension(one).first("image:loc").text for one in elements if one.startswith("<image:image"))
        return alternates, tuple(images), elements

    def _is_mutual(self, key: str, url: str) -> bool:
        """Whether nothing shows that the target does not link back."""
        if key not in self._named.get(key, ()):
            return False
        if url in self._named:
            return key in self._named[url]
        page = self._site.page(url)
        return url == key or page is None or page.kind is PageKind.FOREIGN


def _versions(elements: tuple[str, ...]) -> dict[str, str]:
    """Hreflang → URL, of the links that are valid alone."""
    links = map(parse_extension, filter(is_version_link, elements))
    return {(one.get("hreflang") or "").strip(): (one.get("href") or "").strip() for one in links}


class CarriedOver:
    """Leaves out what makes a sitemap invalid; the comparison has a row for each field that goes."""

    def __init__(self, site: Site, policy: SelectPolicy) -> None:
        self._now = policy.now
        self._today = policy.now.date().isoformat()
        self._date_only = policy.output.date_only
        self._valid = ValidExtensions(site) if policy.repair else None

    def entry(self, key: str, entry: Entry) -> Entry:
        lastmod = self.lastmod(entry.lastmod)
        changefreq, priority = self.hints(entry)
        if self._valid is not None and entry.extensions:
            return Entry(entry.loc, lastmod, changefreq, priority, *self.extensions(key, entry), entry.line)
        if (lastmod, changefreq, priority) == (entry.lastmod, entry.changefreq, entry.priority):
            return entry
        return entry._replace(lastmod=lastmod, changefreq=changefreq, priority=priority)

    def extensions(self, key: str, entry: Entry) -> tuple[tuple[Alternate, ...], tuple[str, ...], tuple[str, ...]]:
        """(alternates, images, extensions) as an `Entry` has them."""
        if self._valid is None or not entry.extensions:
            return entry.alternates, entry.images, entry.extensions
        return self._valid.extensions(key, entry)

    def lastmod(self, text: str) -> str:
        """A date that is read, and is not after the run (SM-40, SM-44)."""
        if not normal_date(text):
            return ""
        if text > self._today and lastmod_fault(text, self._now) == "date-future":
            return ""
        return text[:10] if self._date_only else text

    def hints(self, entry: Entry) -> tuple[str, str]:
        return (
            entry.changefreq if entry.changefreq in FREQUENCIES else "",
            entry.priority if entry.priority and is_priority(entry.priority) else "",
        )


class AskedHints:
    """By pattern, of which the first that matches counts."""

    def __init__(self, output: OutputConfig, home: str) -> None:
        """`home`: URL of the start page."""
        self.any = bool(output.changefreq or output.priority)
        self._home = home
        self._changefreq, self._priority = output.changefreq, output.priority
        self._frequencies = compile_patterns(tuple(output.changefreq))
        self._priorities = compile_patterns(tuple(output.priority))

    def find_hints(self, page: Page, committed: tuple[str, str]) -> tuple[str, str]:
        """(changefreq, priority); those that are committed where nothing else is asked for."""
        changefreq, priority = committed
        if (pattern := self._frequencies.match(page.url)) is not None:
            changefreq = self._changefreq[pattern]
        if (pattern := self._priorities.match(page.url)) is not None:
            priority = self._number(page, self._priority[pattern], priority)
        return changefreq, priority

    def _number(self, page: Page, asked: str, committed: str) -> str:
        is_home = page.url == self._home
        if asked == HOME:
            return "1.0" if is_home else "0.5"
        if asked != DEPTH:
            return asked
        if not is_home and not (page.depth and page.inlinks):
            return committed  # no link leads there
        return f"{max(1, 10 - (0 if is_home else page.depth)) / 10:.1f}"


_NO_SOURCE = ((Lastmod.KEEP,), (Lastmod.OMIT,))


class MadeEntries:
    """Makes one entry at a time."""

    def __init__(self, site: Site, policy: SelectPolicy, carried_over: CarriedOver) -> None:
        self._carried_over = carried_over
        self._hints = AskedHints(policy.output, policy.site_url)
        self._omits = policy.output.lastmod == (Lastmod.OMIT,)
        self._dates = (
            EntryDates(site, policy.output, policy.dates, policy.now)
            if policy.output.lastmod not in _NO_SOURCE
            else None
        )

    def make_entry(self, page: Page, committed: Entry | None, previous: Content | None) -> Entry:
        """SM-47: without a reliable date there is none."""
        if committed is None:
            lastmod = self._dates.find_date(page, "", previous) if self._dates is not None else ""
            hints = self._hints.find_hints(page, ("", "")) if self._hints.any else ("", "")
            return Entry(page.url, lastmod, *hints)
        keep = committed.lastmod and not self._omits
        lastmod = self._carried_over.lastmod(committed.lastmod) if keep else ""
        lastmod = self._dates.find_date(page, lastmod, previous) if self._dates is not None else lastmod
        hints = self._carried_over.hints(committed) if committed.changefreq or committed.priority else ("", "")
        hints = self._hints.find_hints(page, hints) if self._hints.any else hints
        extensions = self._carried_over.extensions(page.url, committed)
        return Entry(page.url, lastmod, hints[0], hints[1], *extensions)
