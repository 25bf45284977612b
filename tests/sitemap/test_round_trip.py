"""Entries with every extension are read as they were written, and what is written passes gate and rules, in any files."""

import gzip
from collections.abc import Sequence
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from examples import share
from sitemap_action.checks.all import check_set
from sitemap_action.checks.base import FileOptions
from sitemap_action.config.schema import OutputConfig
from sitemap_action.decide.entries import SitemapGenerator
from sitemap_action.model.finding import Severity
from sitemap_action.model.page import Alternate
from sitemap_action.model.sitemap import Entry, SitemapDocument
from sitemap_action.sitemap.extensions import escape_attribute, escape_text
from sitemap_action.sitemap.protocol import EXTENSIONS
from sitemap_action.sitemap.read import read
from sitemap_action.sitemap.schema import schema_faults
from sitemap_documents import write_sitemap

SITE = "https://www.example.com/"
NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
OTHER = {"mobile": "http://www.google.com/schemas/sitemap-mobile/1.0", "own": "https://own.example/ns"}
Element = tuple[str, Sequence[tuple[str, str]], "str | Sequence[Element]"]  # name, attributes, text or children


def canonical(element: Element) -> str:
    """As the reader has it: usual prefixes, declared on the outermost tag."""
    declared = "".join(f' xmlns:{prefix}="{(EXTENSIONS | OTHER)[prefix]}"' for prefix in sorted(_prefixes(element)))
    name = len(element[0]) + 1
    return _text(element)[:name] + declared + _text(element)[name:]


def _text(element: Element) -> str:
    name, attributes, content = element
    inside = escape_text(content) if isinstance(content, str) else "".join(map(_text, content))
    pairs = "".join(f' {key}="{escape_attribute(value)}"' for key, value in attributes)
    return f"<{name}{pairs}>{inside}</{name}>" if inside else f"<{name}{pairs}/>"


def _prefixes(element: Element) -> set[str]:
    children = () if isinstance(element[2], str) else element[2]
    return {element[0].partition(":")[0], *(prefix for child in children for prefix in _prefixes(child))}


# Line ends and tabs are normalised within attributes, which have none here; white space at the ends is no content.
texts = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=20)
paths = st.text("abcXYZ019-_.~%", max_size=12).map(lambda text: text.replace("%", "%C3%BC"))
urls = paths.map(lambda path: f"{SITE}media/{path}.bin?a=1&b='2'")
dates = st.sampled_from(["", "2024-02-29", "2026-10-31T23:59:59+02:00", "2026-10-31T10:00:00.5Z"])
image = urls.map(lambda url: ("image:image", (), [("image:loc", (), url)]))
video = st.builds(
    lambda url, title, seconds: (
        "video:video",
        (),
        [
            ("video:thumbnail_loc", (), f"{url}&thumb"),
            ("video:title", (), title),
            ("video:description", (), f"about {title}"),
            ("video:content_loc", (), f"{url}&file"),
            ("video:duration", (), str(seconds)),
        ],
    ),
    urls,
    texts,
    st.integers(1, 28_800),
)
news = texts.map(
    lambda title: (
        "news:news",
        (),
        [
            ("news:publication", (), [("news:name", (), "The Daily"), ("news:language", (), "en")]),
            ("news:publication_date", (), "2026-10-31"),
            ("news:title", (), title),
        ],
    )
)
app = urls.map(lambda url: ("xhtml:link", (("href", url), ("media", "print"), ("rel", "alternate")), ""))
other = st.one_of(
    st.just(("mobile:mobile", (), "")),
    texts.map(lambda text: ("own:data", (("key", text),), [("own:deep", (), text), ("image:caption", (), text)])),
)


def entry(path: str, date: str, hints: tuple[str, str], elements: Sequence[Element]) -> Entry:
    extensions = [canonical(element) for element in elements]
    images = tuple(child[2] for element in elements if element[0] == "image:image" for child in element[2])  # type: ignore[misc]
    return Entry(f"{SITE}{path}", date, *hints, images=images, extensions=tuple(extensions))  # type: ignore[arg-type]


def entries(*extensions: st.SearchStrategy[Element]) -> st.SearchStrategy[list[Entry]]:
    hints = st.tuples(st.sampled_from(["", "daily", "never"]), st.sampled_from(["", "0.0", "0.5", "1.0"]))
    lists = st.lists(st.one_of(*extensions), max_size=3)
    return st.lists(st.builds(entry, paths, dates, hints, lists), max_size=12, unique_by=lambda one: one.loc)


def in_versions(listed: list[Entry]) -> list[Entry]:
    """The first two are versions of each other."""
    if len(listed) < 2:
        return listed
    links = (Alternate("en", listed[0].loc), Alternate("de", listed[1].loc), Alternate("x-default", listed[0].loc))
    elements = tuple(
        canonical(("xhtml:link", (("href", link.url), ("hreflang", link.hreflang), ("rel", "alternate")), ""))
        for link in links
    )
    versions = [one._replace(alternates=links, extensions=(*elements, *one.extensions)) for one in listed[:2]]
    return [*versions, *listed[2:]]


every = entries(image, video, news, app, other).map(in_versions)
single_news = st.tuples(entries(image, video, app).map(in_versions), st.lists(news, max_size=4)).map(
    lambda pair: [
        one._replace(extensions=(*one.extensions, canonical(pair[1][at]))) if at < len(pair[1]) else one
        for at, one in enumerate(pair[0])
    ]
)


def read_entries(content: bytes) -> list[Entry]:
    return [event._replace(line=0) for event in read(content) if isinstance(event, Entry)]


@settings(deadline=None)
@given(every)
def test_what_is_written_is_read_again(listed: list[Entry]) -> None:
    assert read_entries(write_sitemap(listed)) == listed


outputs = st.builds(
    OutputConfig,
    urls_per_file=st.sampled_from([1, 2, 5, 50_000]),
    format=st.permutations(["xml", "text", "json"]).flatmap(
        lambda names: st.integers(1, 3).map(lambda count: tuple(names[:count]))
    ),
    gzip=st.booleans(),
)


@settings(deadline=None, max_examples=share(40))
@given(single_news, outputs, st.sampled_from(["sitemap.xml", "sitemap.xml.gz"]))
def test_what_is_written_passes_gate_and_rules(listed: list[Entry], output: OutputConfig, sitemap: str) -> None:
    generator = SitemapGenerator(output, sitemap, f"{SITE}{sitemap}")
    ordered = sorted(listed)
    for one in ordered:
        generator.add(one)
    files = generator.finish()
    sets: dict[str, list[SitemapDocument]] = {}
    for file in files:
        content = gzip.decompress(file.content) if file.path.endswith(".gz") else file.content
        assert file.urls <= output.urls_per_file or file.format == "json"
        if file.format != "json" and not file.copy:
            sets.setdefault(file.format, []).append(SitemapDocument(file.path, file.content, f"{SITE}{file.path}"))
            assert not listed or not content.startswith(b"<") or schema_faults(content) == []
    for kind, documents in sets.items():
        index_first = [documents[-1], *documents[:-1]]
        found = check_set(index_first, FileOptions(NOW))
        errors = [one for one in found.findings if one.severity is Severity.ERROR]
        assert not (listed and errors)
        written = [one for document in documents for one in read_entries(document.content)]
        assert written == (ordered if kind == "xml" else [Entry(one.loc) for one in ordered])
