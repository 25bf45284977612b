"""`read`: the entries of a sitemap, of an index with all its children, or of everything that a site declares.

A fetcher by the options of a command, and documents as served, are for `validate`, `diff` and `explain`, too.
"""

import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.cli.options import NearChoice, default_config, network_options
from sitemap_action.cli.read_output import FORMATS, HEADS, IMAGE, Record, media_records, open_output, page_record
from sitemap_action.config.schema import Config
from sitemap_action.console.streams import Console
from sitemap_action.errors import UsageError
from sitemap_action.fetch.base import Fetcher, HttpOptions
from sitemap_action.fetch.policies import open_web
from sitemap_action.look.documents import DocumentList, Documents, user_named
from sitemap_action.look.state import state_refusal
from sitemap_action.look.web_sitemaps import cross_submitted
from sitemap_action.model.context import split_list
from sitemap_action.model.mask import Access
from sitemap_action.model.sitemap import Entry
from sitemap_action.model.wording import plural
from sitemap_action.sitemap.protocol import is_priority, normalize_loc, parse_date, site_host
from sitemap_action.store.entries import Seen, Sort, priority
from sitemap_action.store.loading_state import LoadingState, SitemapState
from sitemap_action.store.state import open_state
from sitemap_action.walk.sitemap_loading import Loaded, LoadOptions
from sitemap_action.walk.sitemap_stream import SitemapStream, Source, add_disallowed, address, load_url
from sitemap_action.walk.start import http_options
from sitemap_action.web.patterns import BadPattern, Patterns, compile_patterns
from sitemap_action.web.urls import BadUrl, is_url


def load_options(config: Config) -> LoadOptions:
    limits = config.sitemaps
    return LoadOptions(limits.max_documents, limits.max_depth, limits.max_inflated)


@asynccontextmanager
async def web(source: str, settings: Config, options: dict[str, Any]) -> AsyncIterator[Fetcher]:
    """A fetcher for everything that the source links to."""
    async with open_web(_http_options(address(source), settings, options)) as found:
        yield found.fetcher


def _http_options(url: str, settings: Config, options: dict[str, Any]) -> HttpOptions:
    allowed = split_list(options["allow_private_hosts"])
    log = Console(os.environ).request_log(verbose=options["verbose"] or options["debug"])
    access = Access(tls_verify=options["tls_verify"], allow_private_hosts=allowed, log=log)
    return http_options(settings, access, url, preview=False)


def fetch_sitemap(
    url: str, options: dict[str, Any], folder: Path, *, cross: bool
) -> tuple[Documents, Loaded, frozenset[str]]:
    """A sitemap, or all that a site declares, as it was received, and whether that was all of it.

    `cross`: the robots.txt of other hosts whose URLs are listed is requested; the origins whose robots.txt lets this
    sitemap list their URLs come last (SM-30).
    """
    import asyncio  # noqa: PLC0415 - files are read without, and start sooner

    with open_state(None) as state:
        return asyncio.run(_fetch(url, options, DocumentList(folder), state, cross=cross))


async def _fetch(
    url: str, options: dict[str, Any], documents: DocumentList, state: LoadingState, *, cross: bool
) -> tuple[Documents, Loaded, frozenset[str]]:
    settings = default_config(options)
    limits = replace(load_options(settings), entries=cross)  # only to find the other hosts are entries stored
    async with web(url, settings, options) as fetcher:
        paths, now = settings.sitemaps.paths, datetime.now(UTC)
        loaded = await load_url(fetcher, url, state, now, limits, paths=paths, observe=documents.add)
        others: frozenset[str] = frozenset()
        if cross:
            loaded = await add_disallowed(fetcher, url, state, loaded)
            roots = {row.address for row in state.statuses(SitemapState.READ, SitemapState.FAILED) if row.address}
            others = await cross_submitted(fetcher, state.urls(), roots)
    return documents.documents(loaded), loaded, others


_PIECES = 1_000  # records that are written at once
_VISITED = (SitemapState.READ, SitemapState.DUPLICATE, SitemapState.ABSENT, SitemapState.FAILED)
_NO_PATTERNS = compile_patterns(())
_FREQUENCIES = ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never")


class Selection(Struct, frozen=True):
    """Conditions that must all hold; one that is not set holds."""

    include: Patterns
    exclude: Patterns
    priority_min: float | None = None
    require_priority: bool = False
    frequencies: frozenset[str] = frozenset()
    since: datetime | None = None

    @property
    def selecting(self) -> bool:
        """Whether anything can be skipped."""
        return self != Selection(_NO_PATTERNS, _NO_PATTERNS)

    def find_reason(self, key: str, entry: Entry) -> str:
        """The first condition by which an entry is skipped, "" when it is not."""
        return self.skips_url(key) or self.skips_entry(entry)

    def skips_url(self, key: str) -> str:
        """The pattern rule by which a URL is skipped, "" when it is not."""
        if self.include.patterns and self.include.match(key) is None:
            return "not-included"
        return "excluded" if self.exclude.match(key) is not None else ""

    def skips_entry(self, entry: Entry) -> str:
        """The condition on its fields by which an entry is skipped, "" when it is not."""
        if self.require_priority and not is_priority(entry.priority):
            return "no-priority"
        if self.priority_min is not None and priority(entry) < self.priority_min:
            return "priority"
        if self.frequencies and entry.changefreq not in self.frequencies:
            return "changefreq"
        if self.since is None:
            return ""
        found = parse_date(entry.lastmod)
        if found is None:
            return "undated"
        return "before-since" if found.instant < self.since else ""


@click.command(epilog="Example: sitemap-action read https://www.example.com/ --format jsonl")
@click.argument("source")
@click.option("--include", multiple=True, metavar="PATTERN", help="Only URLs that match; repeatable.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="No URL that matches; repeatable.")
@click.option("--same-host", is_flag=True, help="Only URLs and sitemaps of the source's own host.")
@click.option("--max-urls", type=click.IntRange(1), metavar="N", help="Only the first N, in the order of --sort.")
@click.option(
    "--priority-min", type=click.FloatRange(0, 1), help="Only this priority or higher; a missing one counts as 0.5."
)
@click.option("--require-priority", is_flag=True, help="Only entries that have a priority.")
@click.option("--changefreq", multiple=True, metavar="WORD", help="Only this frequency; repeatable.")
@click.option("--since", metavar="DATE", help="Only entries that changed then or later; undated ones are skipped.")
@click.option("--media", "with_media", is_flag=True, help="Images, videos and news publications too.")
@click.option(
    "--sort",
    type=NearChoice([sort.value for sort in Sort]),
    default=Sort.ORDER.value,
    help="By URL, newest first, highest first, or as the sitemaps list them.  [default: order]",
)
@click.option("--format", "form", type=NearChoice(list(FORMATS)), default="text", help="Output format.")
@click.option("--output", metavar="FILE", help="File to write at the end; none is written without an entry.")
@click.option("--state", metavar="FILE", help="File that keeps what was read: a killed run resumes from it.")
@click.option("--quiet", is_flag=True, help="No summary.")
@network_options
def read(source: str, **options: Any) -> int:
    """List the URLs of a sitemap, or of all that a site declares.

    What a site declares are robots.txt and the usual paths. SOURCE is a URL (of a sitemap, or of a site, ending in
    a slash), a file, a folder, git:REF:PATH, or -. Exit 3 when any sitemap could not be read.
    """
    console = Console(os.environ, quiet=options["quiet"])
    selection = _read_selection(options)
    with open_state(_state_file(console, options["state"])) as state:
        if state.note:
            console.log(state.note)
        listing = Listing(source, state, selection, options)
        listing.write(console)
        visited = state.count(*_VISITED)
        state.mark_complete()
    listing.log_summary(console, visited)
    return 0 if listing.is_complete else 3


def _state_file(console: Console, name: str | None) -> Path | None:
    if not name:
        return None
    why = state_refusal(Path(name), Path.cwd())
    if why:
        console.log(why)
    return None if why else Path(name)


def _read_selection(options: dict[str, Any]) -> Selection:
    return Selection(
        include=_patterns(options["include"]),
        exclude=_patterns(options["exclude"]),
        priority_min=options["priority_min"],
        require_priority=options["require_priority"],
        frequencies=_parse_frequencies(options["changefreq"]),
        since=_parse_instant(options["since"]) if options["since"] else None,
    )


def _parse_instant(text: str) -> datetime:
    """The instant that `--since` names."""
    found = parse_date(text)
    if found is None:
        raise UsageError(f"--since {text} is not a date", hint="write 2026-11-20, or 2026-11-20T09:00:00Z")
    return found.instant


def _parse_frequencies(texts: tuple[str, ...]) -> frozenset[str]:
    """The values of `--changefreq`, each a word or several with commas."""
    words = [word.strip().lower() for text in texts for word in text.split(",")]
    for word in words:
        if word not in _FREQUENCIES:
            raise UsageError(f"--changefreq {word} is not a frequency", hint=f"one of {', '.join(_FREQUENCIES)}")
    return frozenset(words)


def _patterns(texts: tuple[str, ...]) -> Patterns:
    try:
        return compile_patterns(texts)
    except BadPattern as error:
        raise UsageError(str(error), hint="write a glob such as /blog/**, or re: and a regular expression") from None


class Listing:
    """The entries of one source: counts how many records of each type are written, and what is skipped, by reason."""

    def __init__(self, source: str, state: LoadingState, selection: Selection, options: dict[str, Any]) -> None:
        self._state, self._selection, self._options = state, selection, options
        self._form, self._sort, self._most = options["form"], Sort(options["sort"]), options["max_urls"]
        self._records: Counter[str] = Counter()
        self._skipped: Counter[str] = Counter()
        self._distinct = 0  # URLs that were met
        settings = default_config(options)
        limits, paths = load_options(settings), settings.sitemaps.paths
        named: Source = address(source) if is_url(source) else user_named(source, tuple(paths))
        if isinstance(named, str):
            limits = replace(limits, same_host=options["same_host"])
        http, now = _http_options(named if isinstance(named, str) else "", settings, options), datetime.now(UTC)
        self._stream = SitemapStream({source: named}, state, now, limits, http, paths=paths, enough=self._has_enough)

    @property
    def is_complete(self) -> bool:
        return self._stream.loaded.complete

    def write(self, console: Console) -> None:
        form, selection = self._form, self._selection
        with open_output(console, self._options["output"], lambda: bool(self._records)) as write:
            if form in HEADS:
                write(HEADS[form])
            addresses = form == "text" and not self._options["with_media"]
            if addresses and self._sort is Sort.ORDER and not (selection.selecting or self._most):
                self._write_addresses(write)
            else:
                for records in self._find_records():
                    texts = map(FORMATS[form], records)
                    while pieces := list(islice(texts, _PIECES)):
                        write("".join(pieces))
            self._skipped.update(self._stream.loaded.skipped)
            if duplicates := self._state.entry_count() - self._distinct:
                self._skipped["duplicate"] += duplicates
            if form == "jsonl":
                write(FORMATS[form](self._result()))

    def log_summary(self, console: Console, visited: int) -> None:
        loaded, records = self._stream.loaded, sorted(self._records.items())
        for note in (*loaded.notes, *loaded.incomplete):
            console.log(note)
        listed = ", ".join(plural(number, kind) for kind, number in records) or "nothing"
        console.log(f"{plural(visited, 'sitemap')} requested, {loaded.documents:,} read: {listed}")
        if self._skipped:
            skipped = sorted(self._skipped.items())
            console.log("skipped: " + ", ".join(f"{number:,} {why}" for why, number in skipped))
        if loaded.faults:
            found = ", ".join(f"{code} {number:,}" for code, number in sorted(loaded.faults.items()))
            console.log(f"tolerated: {found}; `sitemap-action validate` shows where")

    def _has_enough(self, _: LoadingState) -> bool:
        return self._sort is Sort.ORDER and self._most is not None and self._records["page"] >= self._most

    def _find_records(self) -> Iterator[Iterator[Record]]:
        """Those of a document, when it is in, or of all of them where entries are sorted."""
        seen, state, in_order = Seen(), self._state, self._sort is Sort.ORDER
        for document in self._stream.documents():
            if in_order:
                yield self._records_of({document.id: document.url}, state.rows(document, seen))
        if not in_order:
            yield self._records_of({one.id: one.url for one in state.statuses()}, state.entries(self._sort))

    def _records_of(self, urls: Mapping[int, str], rows: Iterable[tuple[int, str, Entry]]) -> Iterator[Record]:
        """`urls`: of the documents."""
        selecting = self._selection.selecting
        for document, key, entry in rows:
            self._distinct += 1
            if selecting and (why := self._selection.find_reason(key, entry)):
                self._skipped[why] += 1
            elif self._most and self._records["page"] >= self._most:
                self._skipped["limit"] += 1
            else:
                self._records["page"] += 1
                yield page_record(entry, urls[document])
                for record in self._media(entry, key) if self._options["with_media"] else ():
                    self._records[str(record["type"])] += 1
                    yield record

    def _write_addresses(self, write: Callable[[str], None]) -> None:
        """Only URLs, of which there may be a million."""
        seen = Seen()
        for document in self._stream.documents():
            for many, text in self._state.texts(document, seen):
                self._distinct += many
                write(text)
        if self._distinct:
            self._records["page"] = self._distinct

    def _media(self, entry: Entry, key: str) -> Iterator[Record]:
        """Under the same rules for URLs as pages; each once for a page."""
        listed: set[str] = set()
        nameless = sum(one.startswith(IMAGE) for one in entry.extensions) - len(entry.images)
        if nameless > 0:
            self._skipped["media-missing-loc"] += nameless
        for record in media_records(entry):
            if "loc" not in record:
                yield record
                continue
            try:
                found, _ = normalize_loc(str(record["loc"]), key)
                other_host = self._options["same_host"] and site_host(found) != site_host(key)
                why = self._selection.skips_url(found) or ("other-host" if other_host else "")
            except BadUrl as bad:
                self._skipped[f"media-{bad.code}"] += 1
                continue
            if why or found in listed:
                self._skipped[f"media-{why or 'duplicate'}"] += 1
                continue
            listed.add(found)
            yield record

    def _result(self) -> Record:
        loaded = self._stream.loaded
        status = "failed" if not loaded.complete else "succeeded" if self._records else "noresults"
        return {
            "type": "result",
            "status": status,
            "visited": self._state.count(*_VISITED),
            **{f"{kind}s": number for kind, number in sorted(self._records.items())},
            "unavailable": loaded.missing,
            "failed": [
                {"url": one.url, "reason": one.reason, "listed_by": one.listed_by, "line": one.line}
                for one in loaded.unavailable
            ],
            **{f"skipped_{why.replace('-', '_')}": number for why, number in sorted(self._skipped.items())},
        }
