"""`read`: the entries of a sitemap, of an index with all its children, or of everything that a site declares.

A fetcher by the options of a command, and documents as served, are for `validate`, `diff` and `explain`, too.
"""

import os
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
from sitemap_action.cli.read_output import FORMATS, HEADS, IMAGE, Record, Tally, media_records, open_output, page_record
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
from sitemap_action.sitemap.protocol import is_priority, normalize_loc, parse_date, site_host
from sitemap_action.store.entries import Seen, Sort, priority
from sitemap_action.store.loading_state import LoadingState, SitemapState, SitemapStatus
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
        tally = Tally()
        stream = _stream(source, state, tally, options)
        _write(console, stream, selection, tally, options)
        visited = state.count(*_VISITED)
        state.mark_complete()
    _log_summary(console, stream.loaded, tally, visited)
    return 0 if stream.loaded.complete else 3


def _state_file(console: Console, name: str | None) -> Path | None:
    if not name:
        return None
    why = state_refusal(Path(name), Path.cwd())
    if why:
        console.log(why)
    return None if why else Path(name)


def _stream(source: str, state: LoadingState, tally: Tally, options: dict[str, Any]) -> SitemapStream:
    settings = default_config(options)
    limits, paths = load_options(settings), settings.sitemaps.paths
    first: int | None = options["max_urls"] if options["sort"] == Sort.ORDER.value else None

    def enough(_: LoadingState) -> bool:
        return first is not None and tally.records.get("page", 0) >= first

    named: Source = address(source) if is_url(source) else user_named(source, tuple(paths))
    if isinstance(named, str):
        limits = replace(limits, same_host=options["same_host"])
    http = _http_options(named if isinstance(named, str) else "", settings, options)
    now = datetime.now(UTC)
    return SitemapStream({source: named}, state, now, limits, http, paths=paths, enough=enough)


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


def _write(
    console: Console, stream: SitemapStream, selection: Selection, tally: Tally, options: dict[str, Any]
) -> None:
    form, state = options["form"], stream.state
    with open_output(console, options["output"], lambda: bool(tally.records)) as write:
        if form in HEADS:
            write(HEADS[form])
        addresses, sort = form == "text" and not options["with_media"], Sort(options["sort"])
        if addresses and sort is Sort.ORDER and not (selection.selecting or options["max_urls"]):
            _write_addresses(write, stream, tally)
        else:
            urls: dict[int, str] = {}
            for documents, rows in _rows(stream, sort):
                urls |= {one.id: one.url for one in documents}
                wanted = _select_entries(rows, selection, tally, options["max_urls"])
                records = _records(wanted, urls, selection, tally, options)
                texts = (FORMATS[form](tally.count(record)) for record in records)
                while pieces := list(islice(texts, _PIECES)):
                    write("".join(pieces))
        for why, number in stream.loaded.skipped.items():
            tally.skip(why, number)
        if duplicates := state.entry_count() - tally.distinct:
            tally.skip("duplicate", duplicates)
        if form == "jsonl":
            write(FORMATS[form](_result(state, stream.loaded, tally)))


def _rows(
    stream: SitemapStream, sort: Sort
) -> Iterator[tuple[Iterable[SitemapStatus], Iterable[tuple[int, str, Entry]]]]:
    """Documents with what they list: one at a time, when it is in, or all of them where entries are sorted."""
    seen, state = Seen(), stream.state
    for document in stream.documents():
        if sort is Sort.ORDER:
            yield [document], state.rows(document, seen)
    if sort is not Sort.ORDER:
        yield state.statuses(), state.entries(sort)


def _write_addresses(write: Callable[[str], None], stream: SitemapStream, tally: Tally) -> None:
    """Only URLs, of which there may be a million."""
    seen = Seen()
    for document in stream.documents():
        for many, text in stream.state.texts(document, seen):
            tally.distinct += many
            write(text)
    if tally.distinct:
        tally.records["page"] = tally.distinct


def _select_entries(
    rows: Iterable[tuple[int, str, Entry]], selection: Selection, tally: Tally, limit: int | None
) -> Iterator[tuple[int, str, Entry]]:
    selecting = selection.selecting
    for row in rows:
        tally.distinct += 1
        if selecting and (why := selection.find_reason(row[1], row[2])):
            tally.skip(why)
        elif limit and tally.records.get("page", 0) >= limit:
            tally.skip("limit")
        else:
            yield row


def _records(
    wanted: Iterable[tuple[int, str, Entry]],
    urls: Mapping[int, str],
    selection: Selection,
    tally: Tally,
    options: dict[str, Any],
) -> Iterator[Record]:
    for document, key, entry in wanted:
        yield page_record(entry, urls[document])
        if options["with_media"]:
            yield from _media(entry, key, selection, tally, same_host=options["same_host"])


def _media(entry: Entry, key: str, selection: Selection, tally: Tally, *, same_host: bool) -> Iterator[Record]:
    """Under the same rules for URLs as pages; each once for a page."""
    listed: set[str] = set()
    nameless = sum(one.startswith(IMAGE) for one in entry.extensions) - len(entry.images)
    if nameless > 0:
        tally.skip("media-missing-loc", nameless)
    for record in media_records(entry):
        if "loc" not in record:
            yield record
            continue
        try:
            found, _ = normalize_loc(str(record["loc"]), key)
            why = selection.skips_url(found) or (
                "other-host" if same_host and site_host(found) != site_host(key) else ""
            )
        except BadUrl as bad:
            tally.skip(f"media-{bad.code}")
            continue
        if why or found in listed:
            tally.skip(f"media-{why or 'duplicate'}")
            continue
        listed.add(found)
        yield record


def _result(state: LoadingState, loaded: Loaded, tally: Tally) -> Record:
    failed = [
        {"url": one.url, "reason": one.reason, "listed_by": one.listed_by, "line": one.line}
        for one in loaded.unavailable
    ]
    counts = {f"{kind}s": number for kind, number in sorted(tally.records.items())}
    skipped = {f"skipped_{reason.replace('-', '_')}": number for reason, number in sorted(tally.skipped.items())}
    status = "failed" if not loaded.complete else "succeeded" if tally.records else "noresults"
    visited = state.count(*_VISITED)
    return {
        "type": "result",
        "status": status,
        "visited": visited,
        **counts,
        "unavailable": loaded.missing,
        "failed": failed,
        **skipped,
    }


def _log_summary(console: Console, loaded: Loaded, tally: Tally, visited: int) -> None:
    for note in (*loaded.notes, *loaded.incomplete):
        console.log(note)
    listed = ", ".join(_many(number, kind) for kind, number in sorted(tally.records.items())) or "nothing"
    console.log(f"{_many(visited, 'sitemap')} requested, {loaded.documents:,} read: {listed}")
    if tally.skipped:
        console.log("skipped: " + ", ".join(f"{number:,} {why}" for why, number in sorted(tally.skipped.items())))
    if loaded.faults:
        found = ", ".join(f"{code} {number:,}" for code, number in sorted(loaded.faults.items()))
        console.log(f"tolerated: {found}; `sitemap-action validate` shows where")


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
