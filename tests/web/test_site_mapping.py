"""URLs of a preview mapped to production, and back (ENV-01, ENV-02)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.model.page import Alternate, Canonical, Facts, Head, PageMedia, Refresh, Rendering
from sitemap_action.web.spellings import SiteMapping, site_mapping

SITE, DOCS = "https://www.x.com/", "https://www.x.com/docs/"
PREVIEW = "https://pr-7.preview.net/"

DIRECTORIES = [
    # id, site-url, start, mount, site, served
    ("production", SITE, SITE, "", SITE, SITE),
    ("ENV-01 a preview", SITE, PREVIEW, "", SITE, PREVIEW),
    ("a start page in a directory", SITE, f"{PREVIEW}a/index.html?v=1", "", SITE, f"{PREVIEW}a/"),
    ("one path on both", DOCS, f"{PREVIEW}docs/", "", DOCS, f"{PREVIEW}docs/"),
    ("served at another path", DOCS, PREVIEW, "", DOCS, PREVIEW),
    ("source.mount", DOCS, f"{PREVIEW}start", "/", DOCS, PREVIEW),
    ("source.mount without its slash", SITE, PREVIEW, "/pr/7", SITE, f"{PREVIEW}pr/7/"),
    ("source.mount in normal form", SITE, PREVIEW, "/%7ea/", SITE, f"{PREVIEW}~a/"),
    ("a preview in a directory of production", SITE, f"{SITE}pr-7/", "", SITE, f"{SITE}pr-7/"),
    ("a start page above the site is on production", DOCS, SITE, "", DOCS, DOCS),
]  # fmt: skip


@pytest.mark.parametrize(
    ("site_url", "start", "mount", "site", "served"), [pytest.param(*row[1:], id=row[0]) for row in DIRECTORIES]
)
def test_directories(site_url: str, start: str, mount: str, site: str, served: str) -> None:
    assert site_mapping(site_url, start, mount) == SiteMapping(site, served)


WHOLE = [
    # id, site-url, start, site, served: of `crawl.scope: origin`
    ("production", DOCS, DOCS, SITE, SITE),
    ("a preview of the same shape", DOCS, f"{PREVIEW}docs/", SITE, PREVIEW),
    ("another path, so only the directories", DOCS, PREVIEW, DOCS, PREVIEW),
]


@pytest.mark.parametrize(("site_url", "start", "site", "served"), [pytest.param(*row[1:], id=row[0]) for row in WHOLE])
def test_whole_origins(site_url: str, start: str, site: str, served: str) -> None:
    assert site_mapping(site_url, start, whole=True) == SiteMapping(site, served)


ON_PREVIEW = SiteMapping(DOCS, f"{PREVIEW}m/")
WWW = SiteMapping("https://x.com/", PREVIEW, www=True)
SWAPPED = SiteMapping("https://x.com/", "https://www.x.com/", www=True)
BELOW = SiteMapping(SITE, f"{SITE}pr-7/")
TO_SITE = [
    # id, mapping, URL as served, URL on the site
    ("production keeps all", SiteMapping(SITE, SITE), f"{SITE}a?b=1", f"{SITE}a?b=1"),
    ("ENV-01", ON_PREVIEW, f"{PREVIEW}m/a/?b=1", f"{DOCS}a/?b=1"),
    ("ENV-01 the start page", ON_PREVIEW, f"{PREVIEW}m/", DOCS),
    ("ENV-02 a URL of production stays", ON_PREVIEW, f"{DOCS}a", f"{DOCS}a"),
    ("outside the mount path", ON_PREVIEW, f"{PREVIEW}login", f"{PREVIEW}login"),
    ("the mount path is a directory", ON_PREVIEW, f"{PREVIEW}m2/a", f"{PREVIEW}m2/a"),
    ("another site", ON_PREVIEW, "https://other.net/m/a", "https://other.net/m/a"),
    ("another port", ON_PREVIEW, "https://pr-7.preview.net:8443/m/a", "https://pr-7.preview.net:8443/m/a"),
    ("a preview in a directory of production", BELOW, f"{SITE}pr-7/a", f"{SITE}a"),
    ("and a link from its root", BELOW, f"{SITE}a", f"{SITE}a"),
    ("crawl.www: same", WWW, "https://www.x.com/a", "https://x.com/a"),
    ("crawl.www: same, on the preview", WWW, "https://www.pr-7.preview.net/a", "https://x.com/a"),
    ("crawl.www: same, another host", WWW, "https://www.y.com/a", "https://www.y.com/a"),
    ("crawl.www: same, another subdomain", WWW, "https://shop.x.com/a", "https://shop.x.com/a"),
    ("crawl.www: same, served with www.", SWAPPED, "https://www.x.com/a", "https://x.com/a"),
    ("crawl.www: same, the site's host", SWAPPED, "https://x.com/a", "https://x.com/a"),
    ("crawl.www: same, production", SiteMapping(SITE, SITE, www=True), "https://x.com/a", f"{SITE}a"),
    ("crawl.www: strict", SiteMapping(SITE, SITE), "https://x.com/a", "https://x.com/a"),
]  # fmt: skip


@pytest.mark.parametrize(("mapping", "url", "on_site"), [pytest.param(*row[1:], id=row[0]) for row in TO_SITE])
def test_to_site(mapping: SiteMapping, url: str, on_site: str) -> None:
    assert mapping.to_site(url) == on_site


TO_SERVED = [
    ("ENV-02 fetched where it is served", ON_PREVIEW, f"{DOCS}a", f"{PREVIEW}m/a"),
    ("production", SiteMapping(SITE, SITE), f"{SITE}a", f"{SITE}a"),
    ("crawl.www: same, served with www.", SWAPPED, "https://x.com/a", "https://www.x.com/a"),
    ("elsewhere", ON_PREVIEW, "https://www.x.com/blog/", "https://www.x.com/blog/"),
]


@pytest.mark.parametrize(("mapping", "on_site", "served"), [pytest.param(*row[1:], id=row[0]) for row in TO_SERVED])
def test_to_served(mapping: SiteMapping, on_site: str, served: str) -> None:
    assert mapping.to_served(on_site) == served


PATHS = st.text("abm/-.?=&%41", max_size=12)


@pytest.mark.parametrize("mapping", [SiteMapping(SITE, SITE), ON_PREVIEW, WWW, SWAPPED, BELOW], ids=str)
@given(path=PATHS)
def test_round_trip(mapping: SiteMapping, path: str) -> None:
    """A URL of the site, mapped to where it is fetched, maps back to itself (ENV-02)."""
    assert mapping.to_site(mapping.to_served(mapping.site + path)) == mapping.site + path


def test_ENV_02_facts_are_mapped_to_the_site() -> None:
    """Canonical, hreflang, refresh, images and the base URL; other sites' URLs stay."""
    served = Facts(
        base=f"{PREVIEW}m/a",
        head=Head(
            "A",
            canonicals=(
                Canonical("/m/a", f"{PREVIEW}m/a", "link", ""),
                Canonical("x", "https://o.net/", "link", "why"),
            ),
            alternates=(Alternate("de", f"{PREVIEW}m/de"), Alternate("fr", f"{DOCS}fr")),
        ),
        refresh=Refresh(0, f"{PREVIEW}m/b"),
        media=PageMedia((f"{PREVIEW}m/p.png", "https://cdn.net/p.png")),
    )
    found = ON_PREVIEW.map_facts(served, f"{DOCS}a")
    assert (found.head.title, found.base) == ("A", f"{DOCS}a")
    assert [one.url for one in found.head.canonicals] == [f"{DOCS}a", "https://o.net/"]
    assert found.head.canonicals[0].href == "/m/a"  # as written
    assert found.refresh == Refresh(0, f"{DOCS}b")
    assert found.head.alternates == (Alternate("de", f"{DOCS}de"), Alternate("fr", f"{DOCS}fr"))
    assert found.media.images == (f"{DOCS}p.png", "https://cdn.net/p.png")


def test_facts_of_production_are_the_same_object() -> None:
    facts = Facts(base=f"{SITE}a", media=PageMedia((f"{SITE}p.png",)))
    assert SiteMapping(SITE, SITE).map_facts(facts, f"{SITE}a") is facts


def test_facts_without_urls() -> None:
    assert ON_PREVIEW.map_facts(Facts(head=Head("A"), base=f"{PREVIEW}m/a"), f"{DOCS}a").base == f"{DOCS}a"


def test_HTML_72_urls_of_the_served_and_of_the_rendered_head_are_mapped() -> None:
    head = Head(
        "A",
        canonicals=(Canonical("/m/a", f"{PREVIEW}m/a", "link", ""),),
        alternates=(Alternate("de", f"{PREVIEW}m/de"),),
    )
    facts = Facts(base=f"{PREVIEW}m/a", head=head, rendering=Rendering(head, head))
    mapped = ON_PREVIEW.map_facts(facts, f"{DOCS}a").rendering
    assert mapped is not None
    for one in (mapped.served, mapped.rendered):
        assert one is not None
        assert one.canonicals[0].url == f"{DOCS}a"
        assert one.alternates == (("de", f"{DOCS}de"),)
