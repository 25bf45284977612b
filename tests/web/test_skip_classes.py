"""URLs that are no pages by their names (`crawl.skip`), and names that may be pages."""

import pytest

from sitemap_action.web.media import SKIP_CLASSES, SkipFilter

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
def test_skip_class(url: str, kind: str) -> None:
    assert SkipFilter(SKIP_CLASSES).skip_class(url) == kind


def test_only_the_chosen_classes() -> None:
    skips = SkipFilter(["media"])
    assert [skips.skip_class(f"{X}/{name}") for name in ("a.png", "a.pdf", "feed")] == ["media", "", ""]


def test_HTML_48_selected_types_are_not_skipped() -> None:
    skips = SkipFilter(SKIP_CLASSES, ["html", "pdf", "rss"])
    assert [skips.skip_class(f"{X}/{name}") for name in ("a.pdf", "a.doc", "feed", "a.rss")] == [
        "",
        "documents",
        "",
        "",
    ]


def test_no_extension_is_in_two_classes() -> None:
    names = [name for extensions in SKIP_CLASSES.values() for name in extensions.split()]
    assert len(names) == len(set(names))
    assert "html" not in names


def test_U_18_extensions_and_media_types() -> None:
    skips = SkipFilter([".DWG", "video/mp4", "image/*", "feeds"], ["image/svg+xml"])
    names = ("a.dwg", "a.DWG", "a.mp4", "a.webm", "a.png", "a.svg", "a.pdf", "a.rss")
    assert [skips.skip_class(f"{X}/{name}") for name in names] == [".DWG", ".DWG", "video/mp4", "", "image/*", "", "", "feeds"]  # fmt: skip
