"""The facts of a page as a browser sees it: those of the served and of the rendered document (HTML-70, HTML-72)."""

import pytest

from html_pages import Facts, HtmlDocument, canonical_urls, is_noindex
from sitemap_action.fetch.base import RenderedPage, Response
from sitemap_action.fetch.page_from_answer import page_of, targets

URL = "https://x.com/a"
HEADERS = (("content-type", "text/html"), ("x-robots-tag", "noarchive"))
WORDS = "word " * 60


def shell(head: str = "") -> str:
    return f"<!doctype html><head><title>App</title>{head}</head><div id=root></div><script src=/app.js></script>"


def seen(head: str = "<title>Page A</title>", body: str = f"<h1>A</h1><p>{WORDS}<a href=/b>b</a>") -> str:
    return f"<!doctype html><head>{head}</head><body><div id=root>{body}</div><script src=/app.js></script>"


def read(served: str, rendered: RenderedPage | str) -> tuple[HtmlDocument, Facts]:
    if isinstance(rendered, str):
        rendered = RenderedPage(rendered.encode(), milliseconds=120)
    page, document = page_of(Response(URL, 200, HEADERS, served.encode(), rendered=rendered))
    assert document is not None
    assert page.facts is not None
    return document, page.facts


def test_HTML_70_what_scripts_make_is_the_page() -> None:
    dated = (
        '<script type="application/ld+json">{"@type":"Article","dateModified":"2026-0%d-01"}</script><img src=/%d.png>'
    )
    document, facts = read(shell(dated % (1, 1)), seen("<title>Page A</title>" + dated % (2, 2)))
    assert ([one.value for one in facts.dates], [*facts.media.images]) == (
        ["2026-02-01"],
        ["https://x.com/2.png"],
    )
    assert facts.shell is None
    assert (facts.head.title, facts.words >= 50) == ("Page A", True)
    assert document.links == ("https://x.com/b",)
    assert facts.rendering is not None
    assert facts.rendering.shell.clause.startswith("<div id=root>")
    assert facts.rendering.milliseconds == 120


def test_of_the_served_bytes_stay_size_and_digest() -> None:
    alone, _ = page_of(Response(URL, 200, HEADERS, shell().encode()))
    _, facts = read(shell(), seen())
    assert alone.facts is not None
    assert (facts.size, facts.digest) == (alone.facts.size, alone.facts.digest)


def test_HTML_72_a_served_noindex_holds_whatever_a_script_does() -> None:
    _, facts = read(shell("<meta name=robots content=noindex>"), seen())
    assert is_noindex(facts)
    assert facts.rendering is not None
    assert facts.rendering.rendered is not None
    assert [one.rule for one in facts.rendering.served.directives] == ["noarchive", "noindex"]
    assert [one.rule for one in facts.rendering.rendered.directives] == ["noarchive"]


def test_HTML_72_a_noindex_that_a_script_adds_counts() -> None:
    _, facts = read(shell(), seen("<meta name=robots content=noindex>"))
    assert is_noindex(facts)


def test_HTML_72_a_canonical_is_read_before_and_after_rendering() -> None:
    home, own = '<link rel=canonical href="https://x.com/">', f'<link rel=canonical href="{URL}">'
    _, facts = read(shell(home), seen(own))
    assert canonical_urls(facts) == ("https://x.com/", URL)
    _, same = read(shell(own), seen(own))
    assert canonical_urls(same) == (URL,)


def test_HTML_72_language_versions_of_both_count() -> None:
    link = '<link rel=alternate hreflang={0} href="https://x.com/{0}/a">'
    _, facts = read(shell(link.format("en")), seen(link.format("de")))
    assert [one.url for one in facts.head.alternates] == ["https://x.com/en/a", "https://x.com/de/a"]
    assert facts.rendering is not None
    assert [one.url for one in facts.rendering.served.alternates] == ["https://x.com/en/a"]


def test_a_link_that_either_document_lets_follow_is_followed() -> None:
    served = f"<p>{WORDS}<a href=/b rel=nofollow>b</a><a href=/c rel=nofollow>c</a><a href=/d>d</a>"
    document, facts = read(served, seen(body=f"{WORDS}<a href=/b>b</a><a href=/c rel=nofollow>c</a>"))
    assert document.links == ("https://x.com/b", "https://x.com/c", "https://x.com/d")
    assert document.nofollow == {"https://x.com/c"}
    assert facts.links.urls == 3


@pytest.mark.parametrize(
    ("rendered", "why"),
    [
        (seen(body=""), "its scripts make no text and no link within render.wait-for-timeout"),
        (seen(body="<p>Loading…"), "after render.wait-for-timeout it still shows only 'loading'"),
        (RenderedPage(failure="the browser ended"), "the browser ended"),
    ],
)
def test_HTML_70_a_shell_that_was_not_seen_stays_one(rendered: RenderedPage | str, why: str) -> None:
    document, facts = read(shell(), rendered)
    assert facts.shell
    assert facts.head.title == "App"
    assert document.links == ()
    assert facts.rendering is not None
    assert facts.rendering.failure == why


def test_a_short_page_that_scripts_do_not_build_stays_what_it_is() -> None:
    served = "<title>Moved</title><p>Moved house."
    alone, _ = page_of(Response(URL, 200, HEADERS, served.encode()))
    _, facts = read(served, served)
    assert alone.facts == facts._replace(rendering=None)


def test_HTML_47_a_page_that_a_script_left_redirects() -> None:
    _, facts = read(shell(), RenderedPage(redirect="https://x.com/en/"))
    assert facts.refresh == (0, "https://x.com/en/")
    assert targets(facts) == ["https://x.com/en/"]
    assert facts.shell is None
    assert facts.rendering is not None
    assert (facts.rendering.redirect, facts.rendering.rendered) == ("https://x.com/en/", None)
