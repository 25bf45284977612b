"""What a ledger is made of: the addresses of the sitemap, of its history, and of files that a person names."""

import csv
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import chain
from pathlib import Path

from msgspec.structs import replace

from sitemap_action.config.schema import Config
from sitemap_action.disk.folder import read_whole
from sitemap_action.errors import UsageError
from sitemap_action.look.address_history import NO_HISTORY, sitemap_urls
from sitemap_action.look.baseline import Baseline
from sitemap_action.look.documents import Documents, documents_of, read_entries, user_named
from sitemap_action.look.places import is_sitemap, path_inside, repository
from sitemap_action.model.context import Context
from sitemap_action.model.finding import LedgerLine
from sitemap_action.web.media import SKIP_CLASSES, SkipFilter
from sitemap_action.web.patterns import filter_query
from sitemap_action.web.urls import BadUrl, is_host_of, is_url, normalize, origin, path_query

_MOST = 200_000_000  # bytes of a file
_LOGGED = re.compile(rb'"(?:GET|HEAD) (\S+) HTTP/[\d.]+" [23]\d\d ')
_COLUMNS = frozenset({"url", "page", "address", "loc", "link", "top pages", "landing page", "page path"})


def read_addresses(name: str) -> Iterator[str]:
    """URLs and root-relative paths of a list, a CSV with such a column, an access log or a sitemap.

    Of a log, requests that were answered. Raises UsageError.
    """
    try:
        content = read_whole(Path(name), _MOST)
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}", hint="name a file in --from") from None
    if is_sitemap(content) and content.lstrip().startswith((b"<", b"\x1f\x8b", b"\xef\xbb\xbf<")):
        documents = documents_of(user_named(name))
        yield from (entry.loc for document in documents for entry in read_entries(document))
    elif logged := _LOGGED.findall(content):
        yield from (one.decode(errors="replace") for one in logged)
    else:
        yield from _read_table(content.decode("utf-8-sig", errors="replace"))


def _read_table(text: str) -> Iterator[str]:
    """The column with a usual name, else the first cell of each row that is an address."""
    rows = csv.reader(StringIO(text), delimiter="\t" if "\t" in text.partition("\n")[0] else ",")
    column: int | None = None
    for number, row in enumerate(rows):
        if number == 0 and (found := [place for place, cell in enumerate(row) if cell.strip().casefold() in _COLUMNS]):
            column = found[0]
            continue
        cells = row[column : column + 1] if column is not None else row
        yield from [cell.strip().split()[0] for cell in cells if _is_address(cell.strip())][:1]


def _is_address(text: str) -> bool:
    return is_url(text) or (text.startswith("/") and not text.startswith("//"))


def with_candidates(  # noqa: PLR0913, PLR0917 - what is compared, and for which site
    config: Config, context: Context, base: Baseline, committed: Documents, site_url: str, named: Sequence[str]
) -> Baseline:
    """The baseline with a ledger of every address that may have been published; a new line has no number.

    `named`: by files. Raises BaselineError.
    """
    select, ledger = config.select, base.ledger
    files, query = SkipFilter(SKIP_CLASSES, select.types), select.query.allow
    workspace, rows = Path(context.workspace), committed.rows
    listed = (entry.loc for document in chain(committed, base.documents) for entry in read_entries(document))
    git = repository(workspace, rows[0].path if rows else "")
    whole = git.top() is not None and not git.shallow()
    old = sitemap_urls(git, [path_inside(git.top(), workspace, row.path) for row in rows]) if whole else ()
    made = {
        url: LedgerLine(url[len(origin(site_url)) :])
        for texts, allowed in ((chain(listed, old), None), (named, query or ()))
        for text in texts
        if (url := _candidate(text, site_url, config, allowed)) and not files.skip_class(url)
    }
    notes = (*base.notes, *(() if whole else (NO_HISTORY,)))
    ledger = replace(ledger, lines={**made, **ledger.lines})
    return replace(base, ledger=ledger, notes=notes)


def _candidate(text: str, site_url: str, config: Config, query: Sequence[str] | None) -> str:
    """The URL that it is below site-url, where the site lives or has lived; "" for another one."""
    if is_url(text) and not is_host_of(text, site_url, *config.policy.moved_from):
        return ""
    try:
        path, _, parameters = (path_query(text) if is_url(text) else text.partition("#")[0]).partition("?")
        kept = filter_query(parameters, query, config.select.drop_params)
        url = normalize(origin(site_url) + (f"{path}?{kept}" if kept else path))
    except BadUrl:
        return ""
    return url if url.startswith(site_url) else ""
