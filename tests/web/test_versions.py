"""Which version of a documentation a page is of, and where the current one has it."""

import pytest

from sitemap_action.web.patterns import Versions

S = "https://x.com/docs/"
FOLDERS = Versions(S, "/stable/", ("/v*/", "/archive/v*/"), ("/dev/",))
ROOT = Versions(S, "", ("/v*/",))
BELOW = Versions("https://x.com/", "/docs/", ("/docs/1.*/",), ("/docs/next/",))  # as Docusaurus builds them
ROWS = [
    # id, versions, URL, folder, the current page
    ("the current version", FOLDERS, f"{S}stable/a", "", ""),
    ("an old one", FOLDERS, f"{S}v1.2/a/b?c=/d", "/v*/", f"{S}stable/a/b?c=/d"),
    ("its start page", FOLDERS, f"{S}v1/", "/v*/", f"{S}stable/"),
    ("two segments", FOLDERS, f"{S}archive/v1/a", "/archive/v*/", f"{S}stable/a"),
    ("a draft has no current page", FOLDERS, f"{S}dev/a", "/dev/", ""),
    ("* is within one segment", FOLDERS, f"{S}vision", "", ""),
    ("not below site-url", FOLDERS, "https://x.com/v1/a", "", ""),
    ("the current one is named like an old one", Versions(S, "/v3/", ("/v*/",)), f"{S}v3/a", "", ""),
    (
        "an old one in the folder of the current one",
        BELOW,
        "https://x.com/docs/1.0/a/b",
        "/docs/1.*/",
        "https://x.com/docs/a/b",
    ),
    ("a draft in the folder of the current one", BELOW, "https://x.com/docs/next/a", "/docs/next/", ""),
    ("the current one beside them", BELOW, "https://x.com/docs/a", "", ""),
    ("the current one is the site", ROOT, f"{S}v1/a", "/v*/", f"{S}a"),
    ("a page of that", ROOT, f"{S}a", "", ""),
    ("no versions", Versions(S), f"{S}v1/a", "", ""),
]


@pytest.mark.parametrize(
    ("versions", "url", "folder", "current"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_folder(versions: Versions, url: str, folder: str, current: str) -> None:
    assert (versions.find_folder(url), versions.find_current(url)) == (folder, current)
