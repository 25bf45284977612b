"""Which differences between two entries of one URL are changes, and of which field."""

import pytest

from sitemap_action.decide.changes import changed_fields
from sitemap_action.model.sitemap import Entry

A = "https://www.example.com/a"
XHTML, IMAGE = (
    'xmlns:xhtml="http://www.w3.org/1999/xhtml"',
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
)
DE = f'<xhtml:link {XHTML} href="https://www.example.com/de/a" hreflang="de" rel="alternate"/>'
FR = f'<xhtml:link {XHTML} href="https://www.example.com/fr/a" hreflang="fr" rel="alternate"/>'
PICTURE = f"<image:image {IMAGE}><image:loc>https://www.example.com/a.png</image:loc></image:image>"
OTHER = '<price xmlns="urn:shop">5</price>'

ROWS = [
    # id, old, new, changed fields
    ("DIFF-12 spelling of the URL", Entry("https://WWW.example.com/%61"), Entry(A), []),
    ("DIFF-12 another line", Entry(A, line=3), Entry(A, line=900), []),
    ("DIFF-12 order of elements", Entry(A, extensions=(DE, PICTURE)), Entry(A, extensions=(PICTURE, DE)), []),
    ("DIFF-13 lastmod", Entry(A, "2026-01-01"), Entry(A, "2026-02-01"), ["lastmod"]),
    ("DIFF-13 lastmod in another notation", Entry(A, "2026-01-01T12:00:00.000Z"), Entry(A, "2026-01-01T13:00:00+01:00"), []),
    ("DIFF-13 a day is less than its first moment", Entry(A, "2026-01-01"), Entry(A, "2026-01-01T00:00:00Z"), ["lastmod"]),
    ("DIFF-13 lastmod that is no date", Entry(A, "x"), Entry(A, "y"), ["lastmod"]),
    ("DIFF-13 lastmod lost", Entry(A, "2026-01-01"), Entry(A), ["lastmod"]),
    ("DIFF-13 alternates", Entry(A, extensions=(DE, FR)), Entry(A, extensions=(DE,)), ["alternates"]),
    ("DIFF-13 images", Entry(A), Entry(A, extensions=(PICTURE,)), ["images"]),
    ("DIFF-13 another namespace", Entry(A, extensions=(OTHER,)), Entry(A), ["extensions"]),
    ("DIFF-13 two at once", Entry(A, "2026-01-01", extensions=(DE,)), Entry(A, extensions=(PICTURE,)), ["lastmod", "alternates", "images"]),
    ("SM-50 changefreq and priority left out", Entry(A, "", "daily", "0.5"), Entry(A), []),
    ("DIFF-13 changefreq and priority stated", Entry(A, "", "daily", "0.5"), Entry(A, "", "weekly", "0.5"), ["changefreq"]),
    ("DIFF-13 priority new", Entry(A), Entry(A, "", "", "0.5"), ["priority"]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "fields"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_changes(old: Entry, new: Entry, fields: list[str]) -> None:
    assert [name for name, _, _ in changed_fields(old, new)] == fields


def test_elements_are_shown_without_their_declarations() -> None:
    ((name, old, new),) = changed_fields(Entry(A, extensions=(DE,)), Entry(A))
    assert (name, new) == ("alternates", "")
    assert old == '<xhtml:link href="https://www.example.com/de/a" hreflang="de" rel="alternate"/>'
