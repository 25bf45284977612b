"""Pages and entries as JSON text and back: the record columns of the inventory."""

from msgspec import json

from sitemap_action.model.page import Page
from sitemap_action.model.sitemap import Entry

_encoder = json.Encoder()
_pages = json.Decoder(Page)
_entries = json.Decoder(Entry)
_DEPTH = Page._fields.index("depth")  # before `inlinks`


def encode(value: Page | Entry) -> str:
    return _encoder.encode(value).decode()


def decode_page(text: str, inlinks: int, depth: int = 0) -> Page:
    """`inlinks` is counted in its own column while pages are added; `depth`: of a page whose record has none.

    Raises msgspec.MsgspecError for a text that is no page.
    """
    page = _pages.decode(text)
    if not (inlinks or depth or page.inlinks):
        return page
    # Of every page of a site: `_replace` costs as much as all of the decoding.
    return tuple.__new__(Page, (*page[:_DEPTH], page.depth or depth, inlinks, *page[_DEPTH + 2 :]))


def decode_entry(text: str) -> Entry:
    return _entries.decode(text)
