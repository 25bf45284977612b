"""Sources that say themselves where their page is: the layout of the generator gives them none."""

import pytest

from sitemap_action.setup.layouts import has_own_address

OTHER = [
    ("Hugo", "---\ntitle: A\nurl: /new/\n---\ntext", "/blog/a"),
    ("Hugo", "---\r\nslug: 'new'\r\n---\r\ntext", "/blog/a"),
    ("Hugo", '+++\nurl = "/new/"\n+++\n', "/blog/a"),
    ("Hugo", '{\n  "url": "/new/",\n  "title": "A"\n}\n', "/blog/a"),
    ("Hugo", "\ufeff---\nurl: /new/\n---\n", "/blog/a"),
    ("Jekyll", "---\npermalink: /:year/:title/\n---\n", "/about"),
    ("Eleventy", "---\npermalink: false\n---\n", "/a"),
    ("Eleventy", '---\npermalink: "{{ title | slugify }}/"\n---\n', "/a"),
    ("Docusaurus", "---\nslug: /\n---\n", "/docs/intro"),
    ("Docusaurus", "---\nid: other\n---\n", "/docs/intro"),
    ("Astro", "---\nslug: b\n---\n", "/blog/a"),
]  # fmt: skip
SAME = [
    ("Hugo", "---\nurl: /blog/a/\n---\n", "/blog/a"),
    ("Hugo", "---\nurl: blog/a.html\n---\n", "/blog/a"),
    ("Hugo", "---\nslug: a\n---\n", "/blog/a"),
    ("Hugo", "---\nurl: /blog/a/\n---\n", "/below/blog/a"),
    ("Hugo", "---\nmenu:\n  url: /other/\n---\n", "/blog/a"),
    ("Hugo", "---\ntitle: A\n---\nurl: /new/\n", "/blog/a"),
    ("Hugo", "text\nurl: /new/\n", "/blog/a"),
    ("Hugo", "", "/blog/a"),
    ("Jekyll", "---\nurl: /new/\n---\n", "/blog/a"),
    ("MkDocs", "---\nurl: /new/\nslug: b\n---\n", "/blog/a"),
    ("Docusaurus", "---\nid: intro\n---\n", "/docs/intro"),
]


@pytest.mark.parametrize(("generator", "text", "page"), OTHER)
def test_another_address(generator: str, text: str, page: str) -> None:
    assert has_own_address(text.encode(), generator, page)


@pytest.mark.parametrize(("generator", "text", "page"), SAME)
def test_the_address_of_the_layout(generator: str, text: str, page: str) -> None:
    assert not has_own_address(text.encode(), generator, page)


@pytest.mark.parametrize(
    "text", [b"---\n" + b"url" * 2_000, b"{" * 4_096, b"+++\n" + b"url = " * 1_000, b"---" * 2_000, b"\n" * 4_096]
)
def test_nothing_of_an_address(text: bytes) -> None:
    assert not has_own_address(text[:4_096], "MkDocs", "/a")
    has_own_address(text[:4_096], "Hugo", "/a")
