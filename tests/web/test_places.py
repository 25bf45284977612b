"""Two places with one shape: what is met on a preview, in terms of production, and back (ENV-01, ENV-02)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.model.page import Alternate, Canonical, Facts, Refresh
from sitemap_action.web.places import Places, places

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
    assert places(site_url, start, mount) == Places(site, served)


WHOLE = [
    # id, site-url, start, site, served: of `crawl.scope: origin`
    ("production", DOCS, DOCS, SITE, SITE),
    ("a preview of the same shape", DOCS, f"{PREVIEW}docs/", SITE, PREVIEW),
    ("nothing tells which is which", DOCS, PREVIEW, DOCS, PREVIEW),
]


@pytest.mark.parametrize(("site_url", "start", "site", "served"), [pytest.param(*row[1:], id=row[0]) for row in WHOLE])
def test_whole_origins(site_url: str, start: str, site: str, served: str) -> None:
    assert places(site_url, start, whole=True) == Places(site, served)


ON_PREVIEW = Places(DOCS, f"{PREVIEW}m/")
WWW = Places("https://x.com/", PREVIEW, www=True)
SWAPPED = Places("https://x.com/", "https://www.x.com/", www=True)
BELOW = Places(SITE, f"{SITE}pr-7/")
TO_SITE = [
    # id, places, URL as met, URL on the site
    ("production keeps all", Places(SITE, SITE), f"{SITE}a?b=1", f"{SITE}a?b=1"),
    ("ENV-01", ON_PREVIEW, f"{PREVIEW}m/a/?b=1", f"{DOCS}a/?b=1"),
    ("ENV-01 the start page", ON_PREVIEW, f"{PREVIEW}m/", DOCS),
    ("ENV-02 what names production stays", ON_PREVIEW, f"{DOCS}a", f"{DOCS}a"),
    ("outside the mount path", ON_PREVIEW, f"{PREVIEW}login", f"{PREVIEW}login"),
    ("the mount path is a directory", ON_PREVIEW, f"{PREVIEW}m2/a", f"{PREVIEW}m2/a"),
    ("another site", ON_PREVIEW, "https://other.net/m/a", "https://other.net/m/a"),
    ("another port", ON_PREVIEW, "https://pr-7.preview.net:8443/m/a", "https://pr-7.preview.net:8443/m/a"),
    ("a preview in a directory of production", BELOW, f"{SITE}pr-7/a", f"{SITE}a"),
    ("and what is linked from its root", BELOW, f"{SITE}a", f"{SITE}a"),
    ("crawl.www: same", WWW, "https://www.x.com/a", "https://x.com/a"),
    ("crawl.www: same, on the preview", WWW, "https://www.pr-7.preview.net/a", "https://x.com/a"),
    ("crawl.www: same, another host", WWW, "https://www.y.com/a", "https://www.y.com/a"),
    ("crawl.www: same, another subdomain", WWW, "https://shop.x.com/a", "https://shop.x.com/a"),
    ("crawl.www: same, looked at with www.", SWAPPED, "https://www.x.com/a", "https://x.com/a"),
    ("crawl.www: same, the site's own spelling", SWAPPED, "https://x.com/a", "https://x.com/a"),
    ("crawl.www: same, production", Places(SITE, SITE, www=True), "https://x.com/a", f"{SITE}a"),
    ("crawl.www: strict", Places(SITE, SITE), "https://x.com/a", "https://x.com/a"),
]  # fmt: skip


@pytest.mark.parametrize(("where", "met", "on_site"), [pytest.param(*row[1:], id=row[0]) for row in TO_SITE])
def test_to_site(where: Places, met: str, on_site: str) -> None:
    assert where.to_site(met) == on_site


TO_SERVED = [
    ("ENV-02 fetched where it is served", ON_PREVIEW, f"{DOCS}a", f"{PREVIEW}m/a"),
    ("production", Places(SITE, SITE), f"{SITE}a", f"{SITE}a"),
    ("crawl.www: same, looked at with www.", SWAPPED, "https://x.com/a", "https://www.x.com/a"),
    ("elsewhere", ON_PREVIEW, "https://www.x.com/blog/", "https://www.x.com/blog/"),
]


@pytest.mark.parametrize(("where", "on_site", "served"), [pytest.param(*row[1:], id=row[0]) for row in TO_SERVED])
def test_to_served(where: Places, on_site: str, served: str) -> None:
    assert where.to_served(on_site) == served


PATHS = st.text("abm/-.?=&%41", max_size=12)


@pytest.mark.parametrize("where", [Places(SITE, SITE), ON_PREVIEW, WWW, SWAPPED, BELOW], ids=str)
@given(path=PATHS)
def test_there_and_back(where: Places, path: str) -> None:
    """What is asked for at the served place is the page of the site that was meant (ENV-02)."""
    assert where.to_site(where.to_served(where.site + path)) == where.site + path


def test_ENV_02_facts_are_stated_as_on_the_site() -> None:
    """Canonical, hreflang, refresh, images and the base of links; what is elsewhere stays."""
    met = Facts(
        title="A",
        base=f"{PREVIEW}m/a",
        canonicals=(Canonical("/m/a", f"{PREVIEW}m/a", "link", ""), Canonical("x", "https://o.net/", "link", "why")),
        refresh=Refresh(0, f"{PREVIEW}m/b"),
        alternates=(Alternate("de", f"{PREVIEW}m/de"), Alternate("fr", f"{DOCS}fr")),
        images=(f"{PREVIEW}m/p.png", "https://cdn.net/p.png"),
    )
    found = ON_PREVIEW.facts(met, f"{DOCS}a")
    assert (found.title, found.base) == ("A", f"{DOCS}a")
    assert [one.url for one in found.canonicals] == [f"{DOCS}a", "https://o.net/"]
    assert found.canonicals[0].href == "/m/a"  # as written
    assert found.refresh == Refresh(0, f"{DOCS}b")
    assert found.alternates == (Alternate("de", f"{DOCS}de"), Alternate("fr", f"{DOCS}fr"))
    assert found.images == (f"{DOCS}p.png", "https://cdn.net/p.png")


def test_facts_of_production_are_the_same_object() -> None:
    facts = Facts(base=f"{SITE}a", images=(f"{SITE}p.png",))
    assert Places(SITE, SITE).facts(facts, f"{SITE}a") is facts


def test_facts_of_a_page_that_says_nothing_of_the_kind() -> None:
    assert ON_PREVIEW.facts(Facts(title="A", base=f"{PREVIEW}m/a"), f"{DOCS}a") == Facts(title="A", base=f"{DOCS}a")
