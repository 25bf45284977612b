"""What `read` prints: a record for each page, image, video and publication, and one for the result."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct, field

from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.extensions import ExtensionNode, parse_extension

Record: TypeAlias = Mapping[str, object]

IMAGE = "<image:image "
"""Begins each image of `Entry.extensions`."""

_COLUMNS = ("type", "loc", "lastmod", "changefreq", "priority", "page", "sitemap", "line")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would compute


class Tally(Struct):
    """How many records of each type there are, and what was skipped, by reason."""

    records: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)

    def count(self, record: Record) -> Record:
        kind = str(record["type"])
        self.records[kind] = self.records.get(kind, 0) + 1
        return record

    def skip(self, reason: str, many: int = 1) -> None:
        self.skipped[reason] = self.skipped.get(reason, 0) + many


def page(entry: Entry, sitemap: str) -> Record:
    found: dict[str, object] = {"type": "page", "loc": entry.loc}
    found |= {name: value for name in _COLUMNS[2:5] if (value := getattr(entry, name))}
    if entry.alternates:
        found["alternates"] = [{"hreflang": one.hreflang, "href": one.url} for one in entry.alternates]
    return found | {"sitemap": sitemap, "line": entry.line}


def media(entry: Entry) -> Iterator[Record]:
    """Images, videos and news of one page; an address is as written."""
    for loc in entry.images:
        yield {"type": "image", "loc": loc, "page": entry.loc}
    for fragment in entry.extensions:
        node = parse_extension(fragment)
        if node.name == "video:video":
            yield _video(node, entry)
        elif node.name == "news:news":
            yield _publication(node, entry)


def _video(node: ExtensionNode, entry: Entry) -> Record:
    loc = node.first("video:content_loc").text or node.first("video:player_loc").text
    texts = {"thumbnail": node.first("video:thumbnail_loc").text, "title": node.first("video:title").text}
    return {"type": "video", "loc": loc.strip(), **_given(texts), "page": entry.loc}


def _publication(node: ExtensionNode, entry: Entry) -> Record:
    publication = node.first("news:publication")
    texts = {
        "name": publication.first("news:name").text,
        "language": publication.first("news:language").text,
        "date": node.first("news:publication_date").text,
        "title": node.first("news:title").text,
    }
    return {"type": "publication", **_given(texts), "page": entry.loc}


def _given(texts: Mapping[str, str]) -> Mapping[str, str]:
    return {name: text.strip() for name, text in texts.items() if text.strip()}


def _jsonl(record: Record) -> str:
    return json.dumps(record) + "\n"


def _text(record: Record) -> str:
    return f"{record['loc']}\n" if "loc" in record else ""


def _csv(record: Record) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([_cell(record.get(name, "")) for name in _COLUMNS])
    return line.getvalue()


def _cell(value: object) -> str:
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


FORMATS: Mapping[str, Callable[[Record], str]] = {"text": _text, "jsonl": _jsonl, "csv": _csv}
HEADS = {"csv": ",".join(_COLUMNS) + "\n"}
"""What stands before the first record."""
