"""Files that other generators write: what is judged, how severely, and how often (R-04, R-07, R-08, R-19, R-29)."""

import pytest

from checked_files import SITE, check_content
from sitemap_action.checks.severity import adjust_severities
from sitemap_action.model.finding import Severity

NAMESPACES = (
    'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" '
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" '
    'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'
)


def urlset(entries: str) -> str:
    return f"<urlset {NAMESPACES}>{entries}</urlset>"


def found(entries: str) -> list[tuple[str, str]]:
    return [(one.rule.id, one.severity) for one in check_content(urlset(entries))]


LOC = f"<loc>{SITE}/a</loc>"
IMAGE = f"<image:image><image:loc>{SITE}/p.jpg</image:loc></image:image>"
OUT_OF_ORDER = (
    f"{IMAGE}{LOC}",
    f"{LOC}{IMAGE}<lastmod>2026-01-01</lastmod>",
    f'<x:y xmlns:x="urn:x"/>{LOC}',
    f'<xhtml:link rel="alternate" hreflang="en" href="{SITE}/a"/>{LOC}',
)


@pytest.mark.parametrize("entry", OUT_OF_ORDER)
def test_R_07_an_extension_before_loc_is_a_matter_of_order(entry: str) -> None:
    assert found(f"<url>{entry}</url>") == [("SM-14", "warning")]


def test_R_07_a_broken_extension_in_its_place_stays_an_error() -> None:
    broken = f"<url>{LOC}<image:image><image:loc>{SITE}/p.jpg</image:loc><image:src/></image:image></url>"
    assert found(broken) == [("SM-12", "error")]


def links(*attributes: str) -> str:
    return f"<url>{LOC}{''.join(f'<xhtml:link {one}/>' for one in attributes)}</url>"


HREFLANG = f'rel="alternate" hreflang="en" href="{SITE}/a"'
OTHER_FEATURES = (
    f'rel="alternate" media="only screen and (max-width: 640px)" href="{SITE}/m/a"',
    f'rel="amphtml" href="{SITE}/amp/a"',
    'rel="alternate" href="android-app://com.x/http/x.com/a"',
    f'rel="ALTERNATE" media="handheld" href="{SITE}/m/a"',
)


@pytest.mark.parametrize("attributes", OTHER_FEATURES)
def test_R_08_links_without_hreflang_are_other_features(attributes: str) -> None:
    assert found(links(attributes)) == []
    assert found(links(HREFLANG, attributes)) == []


UNKNOWN = (f'rel="canonical" href="{SITE}/a"', f'rel="next" href="{SITE}/b"', f'href="{SITE}/b"')


@pytest.mark.parametrize("attributes", UNKNOWN)
def test_R_08_a_link_of_an_unknown_rel_is_a_hint(attributes: str) -> None:
    assert found(links(HREFLANG, attributes)) == [("HL-01", "info")]


BAD_HREFLANG = (
    f'hreflang="en" href="{SITE}/a"',
    f'rel="canonical" hreflang="en" href="{SITE}/a"',
    'rel="alternate" hreflang="en"',
    'rel="alternate" hreflang="de" href="/de"',
    f'rel="alternate" hreflang="" href="{SITE}/a"',
)


@pytest.mark.parametrize("attributes", BAD_HREFLANG)
def test_R_08_a_link_with_hreflang_needs_rel_and_an_absolute_href(attributes: str) -> None:
    assert [one for one in found(links(HREFLANG, attributes)) if one[0] == "HL-01"] == [("HL-01", "error")]


def test_R_19_a_URL_above_the_sitemap_is_a_warning_and_an_error_under_strict() -> None:
    above = check_content(urlset(f"<url>{LOC}</url>"), f"{SITE}/en/sitemap.xml")
    assert [(one.rule.id, one.severity) for one in above] == [("SM-29", "warning")]
    assert [one.severity for one in adjust_severities(above, {}, strict=True)] == ["error"]


def test_U_28_what_a_generator_does_in_each_build_is_a_hint_unless_the_config_says_otherwise() -> None:
    entry = f"<url>{LOC}<priority>1</priority><changefreq>daily</changefreq></url>"
    made = check_content(
        urlset(entry + entry.replace("</loc>", "?a</loc><lastmod>x</lastmod>")), f"{SITE}/en/sitemap.xml"
    )

    def rules(settings: dict[str, Severity], *, strict: bool = False) -> dict[str, str]:
        return {
            one.rule.id: one.severity.value for one in adjust_severities(made, settings, strict=strict, generated=True)
        }

    assert {name: rules({})[name] for name in ("SM-14", "SM-29", "SM-40")} == {
        "SM-14": "info",
        "SM-29": "info",
        "SM-40": "error",
    }
    stamped = "".join(f"<url><loc>{SITE}/{n}</loc><lastmod>2026-10-01</lastmod></url>" for n in range(500))
    made = [*made, *(one for one in check_content(urlset(stamped)) if one.rule.id == "SM-46")]
    assert rules({})["SM-46"] == "info"
    assert (rules({}, strict=True)["SM-14"], rules({"SM": Severity.WARNING})["SM-29"]) == ("error", "warning")
    assert {one.severity.value for one in made if one.rule.id in {"SM-14", "SM-29"}} == {"warning"}


ENGLISH = (
    f'<url><loc>{SITE}/en</loc><xhtml:link rel="alternate" hreflang="en" href="{SITE}/en"/>'
    f'<xhtml:link rel="alternate" hreflang="de" href="{SITE}/de"/>'
    f'<xhtml:link rel="alternate" hreflang="x-default" href="{SITE}/en"/></url>'
)
GERMAN = f"<url><loc>{SITE}/de</loc></url>"


@pytest.mark.parametrize("entries", [ENGLISH + GERMAN, GERMAN + ENGLISH])
def test_R_04_a_version_that_is_listed_without_versions_does_not_link_back(entries: str) -> None:
    assert found(entries) == [("HL-03", "error")]


def test_R_04_a_version_that_no_file_lists_is_not_verified() -> None:
    assert found(ENGLISH) == [("HL-03", "info")]


def video(content: str) -> str:
    texts = {"thumbnail_loc": f"{SITE}/t.jpg", "title": "t", "description": "d", "content_loc": content}
    return (
        f"<video:video>{''.join(f'<video:{name}>{text}</video:{name}>' for name, text in texts.items())}</video:video>"
    )


def test_R_29_each_video_that_is_its_own_page_is_a_finding() -> None:
    same, other = video(f"{SITE}/a"), video(f"{SITE}/v.mp4")
    two = check_content(urlset(f"<url>{LOC}{same}{other}{same}</url>"))
    assert [one.rule.id for one in two] == ["VID-03", "VID-03"]
    assert [one.message.rpartition(": ")[2] for one in two] == [
        "video 1, video:content_loc",
        "video 3, video:content_loc",
    ]


def test_R_29_each_fault_of_one_video_is_a_finding() -> None:
    dates = "".join(f"<video:{name}_date>soon</video:{name}_date>" for name in ("expiration", "publication"))
    one = video(f"{SITE}/v.mp4").replace("</video:video>", f"{dates}</video:video>")
    assert [row.message.rpartition("format: ")[2] for row in check_content(urlset(f"<url>{LOC}{one}</url>"))] == [
        "video:expiration_date: soon",
        "video:publication_date: soon",
    ]


def test_R_29_each_image_without_a_loc_is_a_finding() -> None:
    bare = "<image:image/>"
    images = check_content(urlset(f"<url>{LOC}{bare}{IMAGE}{bare}</url>"))
    assert [one.message.rpartition(": ")[2] for one in images] == ["image 1", "image 3"]
