"""Pages of a real documentation build, where it is installed (HTML-27: its canonicals are file: URLs)."""

from pathlib import Path

import pytest

from sitemap_action.html import extract
from sitemap_action.html.links import Resolver

BUILD = Path("/usr/share/doc/python3.11/html")
SITE = "https://docs.example.org/"

pytestmark = pytest.mark.skipif(not (BUILD / "index.html").exists(), reason="no Python documentation is installed")


def test_every_page() -> None:
    resolver = Resolver()
    pages = sorted(BUILD.rglob("*.html"))
    targets = set()
    for page in pages:
        url = SITE + page.relative_to(BUILD).as_posix()
        document = extract.read(page.read_bytes(), [("content-type", "text/html")], url, resolver=resolver)
        facts = document.facts
        assert [canonical.ignored for canonical in facts.head.canonicals] in ([], ["file: URL"])
        assert (facts.shell, facts.refresh, facts.base) == (None, None, url)
        assert len(facts.fingerprint) == 16
        assert facts.head.title
        targets |= {link for link in document.links if link.startswith(SITE)}
    assert len(pages) > 500
    # Every page but a few special ones is reached by links.
    assert len({SITE + page.relative_to(BUILD).as_posix() for page in pages} - targets) < 10
