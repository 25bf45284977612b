"""llms.txt and Markdown twins (AGT-01, AGT-02, H-05): their links, and what a served site answers for them."""

import pytest

from agent_sites import Answers, Site, ask, dead_twin, html_page, redirect, time_out
from fakes import HOME, at
from sitemap_action.walk.agent_files import links_of_file, read_links

LINKS = [
    # id, Markdown, targets
    ("a list", "- [A](/a.md): about\n- [B](/b.md)", ["/a.md", "/b.md"]),
    ("two on a line", "[A](/a) and [B](/b)", ["/a", "/b"]),
    ("a title", '[A](/a "the title")', ["/a"]),
    ("angle brackets", "[A](</a b>) <https://x.example/c> <not-a-url>", ["/a b", "https://x.example/c"]),
    ("parentheses in it", "[A](/a_(b))", ["/a_(b)"]),
    ("a reference", "[A][1]\n\n[1]: /a.md 'title'", ["/a.md"]),
    ("an entity", "[A](/a?x=1&amp;y=2)", ["/a?x=1&y=2"]),
    ("an image is none, what it links to is", "![x](/x.png) [![y](/y.png)](/page)", ["/page"]),
    ("code", "`[A](/a)` and ``[B](/b)`` [C](/c)", ["/c"]),
    ("a fence", "```md\n[A](/a)\n```\n[B](/b)", ["/b"]),
    ("a longer fence", "````\n```\n[A](/a)\n````\n[B](/b)", ["/b"]),
    ("a fence in a list", "- ~~~\n  [A](/a)\n  ~~~\n- [B](/b)", ["/b"]),
    ("an open fence", "```\n[A](/a)", []),
    ("no target", "[A]() [B] (/b) ]( x", ["x"]),
    ("no text", "", []),
]


@pytest.mark.parametrize(("text", "targets"), [pytest.param(*row[1:], id=row[0]) for row in LINKS])
def test_links_of_a_markdown_text(text: str, targets: list[str]) -> None:
    assert [target for _, target in read_links(text.encode())] == targets


def test_a_link_has_its_line() -> None:
    assert [*links_of_file(f"{HOME}docs/llms.txt", b"# A\n\n[x](x.md#part) [y](../y) [z](mailto:z@example.com)\n")] == [
        (3, at("/docs/x.md")),
        (3, at("/y")),
    ]


def test_what_is_relative_in_the_text_of_all_pages_is_so_to_an_unknown_page() -> None:
    content = b"[a](a.md) [b](../b) [c](/c) [d](https://www.example.com/d)"
    assert [url for _, url in links_of_file(f"{HOME}llms-full.txt", content)] == [at("/c"), at("/d")]


@pytest.mark.parametrize("part", ["](", "[", "![", "`", "](/a(", "<http://", "[a]:", "](<", "((", "```\n", "a"])
def test_no_text_takes_long(part: str) -> None:
    """A count of steps cannot be asserted: quadratic time over four megabytes would not end within the test run."""
    content = part.encode() * (4_000_000 // len(part))
    assert len([*read_links(content)]) <= 20_000
    assert len([*read_links(content.replace(b"\n", b"") + b"\n[x](/x)")]) <= 20_001


ANSWERS: list[tuple[str, Answers, str, list[tuple[str, int, str]]]] = [
    # id, answers, links of llms.txt, dead links with line and why
    ("a page that the crawl has seen", {}, "[a](/seen/)", []),
    ("one that it has not", {"/a.md": b"# A"}, "[a](/a.md)", []),
    ("a page that is gone", {}, "\n[a](/a.md)", [("/a.md", 2, "answers 404")]),
    ("one that the crawl has seen", {}, "[a](/lost/)", [("/lost/", 1, "answers 404")]),
    ("a redirect to it", {}, "[a](/moved)", [("/moved", 1, f"redirects to {HOME}lost/, which answers 404")]),
    ("410", {"/a.md": 410}, "[a](/a.md)", [("/a.md", 1, "answers 410")]),
    ("a redirect to a file", {"/a": redirect("/a", "/b"), "/b": b"B"}, "[a](/a)", []),
    ("a redirect to nothing", {"/a": redirect("/a", "/b")}, "[a](/a)", [("/a", 1, f"redirects to {HOME}b, which answers 404")]),
    ("a loop", {"/a": redirect("/a", "/b"), "/b": redirect("/b", "/a")}, "[a](/a)", [("/a", 1, "its redirects never end")]),
    ("another host", {"/a": redirect("/a", "https://other.example/")}, "[a](/a) [b](https://other.example/b)", []),
    ("an error of the server", {"/a.md": 503}, "[a](/a.md)", []),
    ("no answer", {"/a.md": time_out("/a.md")}, "[a](/a.md)", []),
    ("a page that the crawl left out", {"/unread": b"x"}, "[a](/unread)", []),
    ("a fragment", {"/a.md": b"# A"}, "[a](/a.md#part)", []),
    ("a section", {"/docs/llms.txt": b"[x](x.md)"}, "[a](/docs/llms.txt)", [("/docs/x.md", 1, "answers 404")]),
    ("itself", {}, "[a](/llms.txt)", []),
]  # fmt: skip


@pytest.mark.parametrize(("answers", "links", "dead"), [pytest.param(*row[1:], id=row[0]) for row in ANSWERS])
def test_what_a_served_site_answers(answers: Answers, links: str, dead: list[tuple[str, int, str]]) -> None:
    site = Site({"/llms.txt": links.encode(), **answers})
    found, notes = ask(site)
    assert [(one.url.removeprefix(HOME[:-1]), one.line, one.why) for one in found] == dead
    assert notes == ()
    assert len(site.requested) == len(set(site.requested)), "something was requested twice"


def test_a_site_without_llms_txt_gets_one_request() -> None:
    site = Site({})
    assert ask(site) == ((), ())
    assert site.requested == ["/llms.txt"]
    site = Site({"/llms.txt": b"[a](/seen/)"})
    assert ask(site) == ((), ())
    assert site.requested == ["/llms.txt", "/llms-full.txt"]


def test_a_page_in_the_place_of_llms_txt_is_none() -> None:
    page = html_page("/llms.txt", b"<p>[a](/gone)")
    assert ask(Site({"/llms.txt": page})) == ((), ())


def test_what_robots_txt_blocks_is_not_requested() -> None:
    site = Site({"/llms.txt": b"[a](/private/a.md) [b](/b.md)", "/b.md": b"B"})
    assert ask(site, "User-agent: *\nDisallow: /private/\n") == ((), ())
    assert "/private/a.md" not in site.requested
    blocked = Site({"/llms.txt": b"[b](/gone)"})
    assert ask(blocked, "User-agent: *\nDisallow: /llms.txt\n") == ((), ())
    assert blocked.requested == []


def test_a_crawl_requests_500_at_most_and_says_so() -> None:
    site = Site({"/llms.txt": "\n".join(f"[{n}](/{n}.md)" for n in range(600)).encode()})
    found, notes = ask(site)
    assert len(found) == 500
    assert notes == ("100 links of llms.txt and Markdown twins were not requested: 500 at most are",)


def test_where_every_path_has_a_page_a_file_is_not_there() -> None:
    page = html_page("/a.md", b"<p>App")
    site = Site({"/llms.txt": b"[a](/a.md) [b](/seen/) [c](/c.md)", "/a.md": page, "/c.md": b"C"})
    (found,), _ = ask(site, fallback=True)
    assert found.url == at("/a.md")
    assert "HTML page" in found.why


def test_a_twin_that_is_not_there_names_its_page() -> None:
    site = Site({"/b.md": b"B"})
    found, _ = ask(site, twins=((at("/a.md"), at("/a/")), (at("/b.md"), at("/b/"))))
    assert found == (dead_twin("/a.md", "/a/"),)
