"""Media types by file name, and selection by type (HTML-48)."""

import pytest

from sitemap_action.web.media import has_type, media_type

NAMES = [
    ("a.html", "text/html"),
    ("a.HTM", "text/html"),
    ("a.b.pdf", "application/pdf"),
    ("/x/a.xhtml", "application/xhtml+xml"),
    ("a.unknown", ""),
    ("html", ""),
    ("", ""),
]


@pytest.mark.parametrize(("path", "kind"), NAMES)
def test_media_type(path: str, kind: str) -> None:
    assert media_type(path) == kind


X = "https://x.com/"
SELECTED = [
    # id, path, media type, select.types, wanted
    ("HTML-48 a page", X, "text/html", ["html"], True),
    ("XHTML is HTML", f"{X}a", "application/xhtml+xml", ["html"], True),
    ("HTML whatever its name", f"{X}a.pdf", "text/html", ["html"], True),
    ("a page where only PDF is listed", f"{X}a", "text/html", ["pdf"], False),
    ("HTML-48 PDF by option", f"{X}a.pdf", "application/pdf", ["html", "pdf"], True),
    ("PDF without its extension", f"{X}download", "application/pdf", ["pdf"], True),
    ("by media type", f"{X}a.pdf", "application/pdf", ["application/pdf"], True),
    ("by an extension that we do not know", f"{X}a.xyz", "application/x-xyz", ["xyz"], True),
    ("by its extension, whatever the server calls it", f"{X}a.pdf", "application/octet-stream", ["pdf"], True),
    ("HTML-48 PDF without option", f"{X}a.pdf", "application/pdf", ["html"], False),
    ("a type that is not listed", f"{X}a.css", "text/css", ["html", "pdf"], False),
    ("a name without a dot has no extension", f"{X}export/pdf", "text/csv", ["pdf"], False),
]


@pytest.mark.parametrize(("path", "kind", "types", "found"), [pytest.param(*row[1:], id=row[0]) for row in SELECTED])
def test_has_type(path: str, kind: str, types: list[str], found: bool) -> None:
    assert has_type(path, kind, types) is found
