"""The entry of a listed page: what the config asks for, what the committed entry has, and its date; and the files.

The lastmod is that of the first source that `output.lastmod` names and that has one (SM-40…47, DIFF-34). Entries become
the files that would be written: every requested format, and compressed copies.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from datetime import datetime
from functools import lru_cache
from urllib.parse import urlsplit

from msgspec.structs import replace

from sitemap_action.config.schema import DEPTH, HOME, Lastmod, OutputConfig
from sitemap_action.decide.policy import SelectPolicy
from sitemap_action.html.directives import parse_stated_time
from sitemap_action.model.page import Alternate, Page, PageDate, PageKind
from sitemap_action.model.site import Content, KnownUrl, Listed, Role, Site, Verdict
from sitemap_action.model.sitemap import Entry, SitemapFile
from sitemap_action.model.source import SourceDates
from sitemap_action.model.wording import FILE_NAME
from sitemap_action.sitemap import write
from sitemap_action.sitemap.extension_faults import valid_extensions
from sitemap_action.sitemap.extensions import is_version_link, parse_extension, replace_versions
from sitemap_action.sitemap.protocol import (
    FREQUENCIES,
    format_date,
    formats_of,
    is_priority,
    lastmod_fault,
    later_date,
    normal_date,
)
from sitemap_action.sitemap.split import Layout, Splitter
from sitemap_action.sitemap.write import NOTHING_COMMITTED, CommittedSitemap, FingerprintFile, JsonFile
from sitemap_action.web.patterns import compile_patterns, page_key
from sitemap_action.web.urls import normal_form

_AUTO = (Lastmod.PAGE, Lastmod.FINGERPRINT, Lastmod.GIT)
_MODIFIED = frozenset(("dateModified", "article:modified_time"))
_TIME, _HEADER = "time", "last-modified"
_STAMPED = 0.95  # of the dated pages have one day: it is that of a build (SM-46)
_MANY = 20  # pages that state their dates themselves, before these count as stamped


class EntryDates:
    """Every date that it gives is valid, has a day, and is neither old nor in the future."""

    def __init__(self, site: Site, output: OutputConfig, sources: SourceDates, now: datetime) -> None:
        auto = Lastmod.AUTO in output.lastmod
        expanded = [one for name in output.lastmod for one in (_AUTO if name is Lastmod.AUTO else (name,))]
        order = list(dict.fromkeys(expanded))
        self._order = order[: order.index(Lastmod.OMIT)] if Lastmod.OMIT in order else order
        self._times = Lastmod.PAGE in output.lastmod or not auto  # a lone <time> may be the day of publication
        self._now, self._today, self._date_only = now, now.date().isoformat(), output.date_only
        self._sources = sources.by_page
        # What could not be asked, or has not seen a change yet, takes no date away.
        self._keeps = Lastmod.FINGERPRINT in self._order or (Lastmod.GIT in self._order and sources.refused)
        self._stamped = (
            _stamped_sources(site, self._find_stated_date) if {Lastmod.PAGE, Lastmod.HTTP} & {*order} else frozenset()
        )

    def find_date(self, page: Page, committed: str, previous: Content | None) -> str:
        """`committed`: the date of the entry in the committed sitemap; "" where there is none that can be kept."""
        for source in self._order:
            if source not in self._stamped and (found := self._from(source, page, committed, previous)):
                return found[:10] if self._date_only else found
        return committed if self._keeps else ""

    def _from(self, source: Lastmod, page: Page, committed: str, previous: Content | None) -> str:
        match source:
            case Lastmod.KEEP:
                return committed
            case Lastmod.GIT:
                url = page.url
                key = "" if "?" in url else page_key(url[url.index("/", 8) :])
                return self._reliable(self._sources.get(key, "")) if key else ""
            case Lastmod.PAGE | Lastmod.HTTP:
                return self._find_stated_date(source, page)
            case Lastmod.FINGERPRINT:
                return self._by_content(page, previous)
            case _:
                return ""

    def _by_content(self, page: Page, previous: Content | None) -> str:
        """The day on which the content changed; "" where it is seen for the first time, for it may be old."""
        if previous is None or not previous.fingerprint:
            return ""
        now = page.facts.fingerprint if page.facts is not None else ""
        return self._reliable(previous.lastmod) if now in ("", previous.fingerprint) else self._today

    def _find_stated_date(self, source: Lastmod, page: Page) -> str:
        dates = page.facts.dates if page.facts is not None else ()
        if source is Lastmod.HTTP:
            return self._newest(one for one in dates if one.source == _HEADER)
        if found := self._newest(one for one in dates if one.source in _MODIFIED):
            return found
        times = {self._reliable(_read_page_date(one)) for one in dates if one.source == _TIME} if self._times else ()
        return min(times) if len(times) == 1 else ""

    def _newest(self, dates: Iterator[PageDate]) -> str:
        newest = ""
        for one in dates:
            newest = later_date(newest, self._reliable(_read_page_date(one)))
        return newest

    def _reliable(self, text: str) -> str:
        """The date in the format of the files that are written; "" for one that search engines would not believe."""
        return _believe_date(text, self._now)


def _stamped_sources(site: Site, stated: Callable[[Lastmod, Page], str]) -> frozenset[Lastmod]:
    """Sources that give nearly all pages one day, which is that of a build or of a deployment."""
    days: dict[Lastmod, Counter[str]] = {Lastmod.PAGE: Counter(), Lastmod.HTTP: Counter()}
    for page in site.pages():
        if page.kind is PageKind.PAGE and page.facts is not None and page.facts.dates:
            for source, found in days.items():
                if date := stated(source, page):
                    found[date[:10]] += 1
    least = {Lastmod.PAGE: _MANY, Lastmod.HTTP: 1}
    return frozenset(
        source
        for source, found in days.items()
        if found.total() >= least[source] and max(found.values()) >= _STAMPED * found.total()
    )


@lru_cache(maxsize=4096)
def _believe_date(text: str, now: datetime) -> str:
    date = normal_date(text)
    return date if date and lastmod_fault(date, now) is None else ""


def _read_page_date(stated: PageDate) -> str:
    return sitemap_date(stated.value, header=stated.source == _HEADER)


@lru_cache(maxsize=4096)
def sitemap_date(text: str, *, header: bool = False) -> str:
    """The date as the protocol has it, without a time of day where its zone is not stated; "" for no date."""
    if not header and (date := normal_date(text)):
        return date
    found = parse_stated_time(text, header=header)
    if found is None:
        return ""
    return format_date(found) if found.tzinfo is not None else found.date().isoformat()


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
        self._home = home
        self._changefreq, self._priority = output.changefreq, output.priority
        self._frequencies = compile_patterns(tuple(output.changefreq))
        self._priorities = compile_patterns(tuple(output.priority))

    def find_hints(self, page: Page, committed: tuple[str, str]) -> tuple[str, str]:
        """(changefreq, priority); those that are committed where nothing else is asked for."""
        changefreq, priority = committed
        if not (self._changefreq or self._priority):
            return committed
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


class MadeEntries:
    """Makes one entry at a time."""

    def __init__(self, site: Site, policy: SelectPolicy, carried_over: CarriedOver) -> None:
        self._carried_over = carried_over
        self._hints = AskedHints(policy.output, policy.site_url)
        self._dates = EntryDates(site, policy.output, policy.dates, policy.now)

    def make_entry(self, page: Page, committed: Entry | None, previous: Content | None) -> Entry:
        """SM-47: without a reliable date there is none."""
        if committed is None:
            return Entry(page.url, self._dates.find_date(page, "", previous), *self._hints.find_hints(page, ("", "")))
        lastmod = self._carried_over.lastmod(committed.lastmod) if committed.lastmod else ""
        hints = self._carried_over.hints(committed) if committed.changefreq or committed.priority else ("", "")
        changefreq, priority = self._hints.find_hints(page, hints)
        extensions = self._carried_over.extensions(page.url, committed)
        return Entry(page.url, self._dates.find_date(page, lastmod, previous), changefreq, priority, *extensions)


class SitemapGenerator:
    """Makes the files of all layouts while entries are added, so that memory holds no list of entries."""

    def __init__(
        self,
        output: OutputConfig,
        sitemap: str,
        address: str,
        committed: CommittedSitemap = NOTHING_COMMITTED,
        copies: Collection[str] = (),
    ) -> None:
        """`sitemap`: path of the committed file; `address`: its URL on the site; `copies`: that are kept in step."""
        self._gzip, self._copies = output.gzip, copies
        layouts = [
            Layout(sitemap, address, output.urls_per_file, format=name) for name in formats_of(sitemap, output.format)
        ]
        text = Layout(sitemap, address, output.urls_per_file, format="text")
        if text.target in copies and text.format not in {layout.format for layout in layouts}:
            layouts.append(text)  # U-21
        split = [layout for layout in layouts if layout.format != "json"]
        self._formats = [layout.format for layout in layouts]
        self._splitter = Splitter(*split, committed=committed) if split else None
        self._fingerprints = FingerprintFile(output.fingerprints) if output.fingerprints else None
        self._json = next((JsonFile(layout.target) for layout in layouts if layout.format == "json"), None)

    def on_url(self, row: KnownUrl, verdict: Verdict) -> None:
        """Every known URL, in order."""
        file = row.committed.file if row.committed is not None else 0
        if isinstance(verdict, Listed):
            self.add(verdict.entry, file)
            if self._fingerprints is not None and (content := _fingerprint(row, verdict)):
                self._fingerprints.add(row.page.url, content, verdict.entry.lastmod)
        elif file and self._splitter is not None:
            self._splitter.leave_out(file)

    def add(self, entry: Entry, file: int = 0) -> None:
        """`file`: number of the committed document that lists the URL."""
        if self._splitter is not None:
            self._splitter.add(entry, file)
        if self._json is not None:
            self._json.add(entry)

    def finish(self) -> tuple[SitemapFile, ...]:
        """The files in the order in which they are safe to write; the first format is that of the committed sitemap."""
        files = list(self._splitter.finish()) if self._splitter is not None else []
        if self._json is not None:
            files.append(self._json.finish())
        files.sort(key=lambda file: self._formats.index(file.format))  # type: ignore[arg-type]
        zipped = (file for file in files if not file.path.endswith(".gz"))
        files += [_compress(file) for file in zipped if self._gzip or f"{file.path}.gz" in self._copies]
        if self._fingerprints is not None:
            files.insert(0, self._fingerprints.finish())
        return tuple(files)


def name_uploads(files: tuple[SitemapFile, ...]) -> tuple[SitemapFile, ...]:
    """The files of a served sitemap, whose paths are URLs, by the names under which a person may keep them here."""
    paths = [urlsplit(file.path).path.strip("/") for file in files]
    names = [path.rpartition("/")[2] for path in paths]
    if len(set(names)) < len(names):
        names = [path.replace("/", "-") for path in paths]
    others = ["sitemap.xml"] if len(files) == 1 else [f"sitemap-{number}.xml" for number in range(1, len(files) + 1)]
    usable = [name if FILE_NAME.fullmatch(name) else other for name, other in zip(names, others, strict=True)]
    return tuple(replace(file, path=name) for file, name in zip(files, usable, strict=True))


def _fingerprint(row: KnownUrl, verdict: Listed) -> str:
    """The fingerprint of a page; of one without an answer, that of an earlier run."""
    facts = None if verdict.unverified else row.page.facts
    before = row.previous.fingerprint if row.previous is not None else ""
    return (facts.fingerprint if facts is not None else "") or before


def _compress(file: SitemapFile) -> SitemapFile:
    return SitemapFile(f"{file.path}.gz", write.compress(file.content), file.urls, file.format, copy=True)
