"""What `read` prints, a record for each page, image, video and publication, and the stream or file that takes it."""

import csv
import io
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeAlias

from click.exceptions import Exit

from sitemap_action.console.streams import Console, reader_gone
from sitemap_action.errors import PublishError
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.entry_fields import PageEntry
from sitemap_action.web.printable import spreadsheet_cell

Record: TypeAlias = Mapping[str, object]

IMAGE = "<image:image "
"""Begins each image of `Entry.extensions`."""

_COLUMNS = ("type", "loc", "lastmod", "changefreq", "priority", "page", "sitemap", "line")


def page_record(entry: Entry, sitemap: str) -> Record:
    found: dict[str, object] = {"type": "page", "loc": entry.loc}
    found |= {name: value for name in _COLUMNS[2:5] if (value := getattr(entry, name))}
    if entry.alternates:
        found["alternates"] = [{"hreflang": one.hreflang, "href": one.url} for one in entry.alternates]
    return found | {"sitemap": sitemap, "line": entry.line}


def media_records(entry: Entry) -> Iterator[Record]:
    """Images, videos and news of one page; an address is as written."""
    for loc in entry.images:
        yield {"type": "image", "loc": loc, "page": entry.loc}
    typed = PageEntry(entry.loc, entry, "")
    for one in typed.videos:
        texts = {"thumbnail": one.thumbnail, "title": one.title}
        yield {"type": "video", "loc": one.loc, **_drop_empty(texts), "page": entry.loc}
    for article in typed.news:
        texts = {name: getattr(article, name) for name in ("name", "language", "date", "title")}
        yield {"type": "publication", **_drop_empty(texts), "page": entry.loc}


def _drop_empty(texts: Mapping[str, str]) -> Mapping[str, str]:
    return {name: text for name, text in texts.items() if text}


def _jsonl(record: Record) -> str:
    return json.dumps(record) + "\n"


def _text(record: Record) -> str:
    return f"{record['loc']}\n" if "loc" in record else ""


def _csv(record: Record) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([spreadsheet_cell(record.get(name, "")) for name in _COLUMNS])
    return line.getvalue()


FORMATS: Mapping[str, Callable[[Record], str]] = {"text": _text, "jsonl": _jsonl, "csv": _csv}
HEADS = {"csv": ",".join(_COLUMNS) + "\n"}
"""What stands before the first record."""


@contextmanager
def open_output(
    console: Console, output: str | None, has_records: Callable[[], bool]
) -> Iterator[Callable[[str], None]]:
    """What writes text: to standard output as it goes, or to a file that appears whole, and only with a record.

    What the file held before goes at the start, so that no run leaves another one's answer.
    """
    if output is None:
        yield partial(_print_records, console)
        return
    path = Path(output)
    with _named_error(path):
        path.unlink(missing_ok=True)
        file = tempfile.NamedTemporaryFile(  # noqa: SIM115 - it is closed before it takes its place
            "w", encoding="utf-8", newline="\n", dir=path.parent, prefix=".sitemap-action-", delete=False
        )
    draft = Path(file.name)

    def write(text: str) -> None:
        with _named_error(path):
            file.write(console.mask(text))

    try:
        yield write
        with _named_error(path):
            file.close()
            if has_records():
                draft.chmod(0o644)
                draft.replace(path)
    finally:
        with suppress(OSError):
            file.close()
        draft.unlink(missing_ok=True)


def _print_records(console: Console, text: str) -> None:
    console.write_report(text)
    if reader_gone():
        raise Exit(0)  # more records are of no use


@contextmanager
def _named_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = "name a file that may be written"
        raise PublishError(f"cannot write {path}: {error.strerror}", hint=hint) from error
