"""Names that surely are no page's (`crawl.skip`), and names that may be."""

import pytest

from sitemap_action.web.skips import SKIPS, Skips

X = "https://x.com"
NAMES = [
    # URL, class
    (f"{X}/a.jpg", "media"),
    (f"{X}/a.JPG?v=1", "media"),
    (f"{X}/a.tar.gz", "archives"),
    (f"{X}/a.pdf", "documents"),
    (f"{X}/app.1a2b.js", "assets"),
    (f"{X}/blog/feed", "feeds"),
    (f"{X}/blog/feed/", "feeds"),
    (f"{X}/index.xml", "feeds"),
    (f"{X}/news.rss", "feeds"),
    (f"{X}/", ""),
    (f"{X}/a", ""),
    (f"{X}/a.html", ""),
    (f"{X}/a.php?img=b.jpg", ""),  # the query is no name
    (f"{X}/v1.2", ""),
    (f"{X}/README.md", ""),  # may be a page
    (f"{X}/data.xml", ""),  # XHTML, perhaps
    (f"{X}/a.jpg/", ""),  # a directory
    (f"{X}/jpg", ""),
    (f"{X}/.js", ""),  # a name without a stem has no extension
    (f"{X}/feeds", ""),
    (f"{X}/feed/a", ""),
    ("https://feed/", ""),  # a host is no name of a file
    ("https://rss:8443/", ""),
    ("https://example.zip/", ""),
]


@pytest.mark.parametrize(("url", "kind"), NAMES)
def test_names(url: str, kind: str) -> None:
    assert Skips(SKIPS).kind(url) == kind


def test_only_the_chosen_classes() -> None:
    skips = Skips(["media"])
    assert [skips.kind(f"{X}/{name}") for name in ("a.png", "a.pdf", "feed")] == ["media", "", ""]


def test_HTML_48_wanted_types_are_asked_for() -> None:
    skips = Skips(SKIPS, ["html", "pdf", "rss"])
    assert [skips.kind(f"{X}/{name}") for name in ("a.pdf", "a.doc", "feed", "a.rss")] == ["", "documents", "", ""]


def test_no_extension_is_in_two_classes() -> None:
    names = [name for extensions in SKIPS.values() for name in extensions.split()]
    assert len(names) == len(set(names))
    assert "html" not in names
