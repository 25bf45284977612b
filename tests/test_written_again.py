"""What stays as it is when a committed sitemap is written again: comments, files, dates of the index."""

import gzip
import re
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewriting import NOW, SITE, SITEMAP, rewrite
from sitemap_action.checks.all import check_set
from sitemap_action.checks.base import FileOptions
from sitemap_action.config.schema import OutputConfig
from sitemap_action.model.finding import Severity
from sitemap_action.model.sitemap import ChildSitemap, Entry, SitemapDocument
from sitemap_action.sitemap.read import read
from sitemap_action.sitemap.write import GENERATOR, read_markup

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
STYLE = '<?xml-stylesheet type="text/xsl" href="/sitemap.xsl"?>'
TEN = OutputConfig(urls_per_file=10)


def entries(*names: str, lastmod: str = "") -> list[Entry]:
    return [Entry(f"{SITE}{name}", lastmod) for name in names]


def numbered(count: int) -> list[str]:
    return [f"{number:03}" for number in range(count)]


def urls(content: bytes) -> list[str]:
    return [event.loc.removeprefix(SITE) for event in read(content) if isinstance(event, Entry)]


def children(content: bytes) -> list[tuple[str, str]]:
    return [(event.loc.removeprefix(SITE), event.lastmod) for event in read(content) if isinstance(event, ChildSitemap)]


def changed(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> set[str]:
    return {path.removeprefix("public/") for path in {*before, *after} if before.get(path) != after.get(path)}


def urlset(*names: str, markup: str = "") -> bytes:
    body = "".join(f"<url><loc>{SITE}{name}</loc></url>" for name in names)
    return f"{HEAD}{markup}<urlset {NS}>{body}</urlset>".encode()


def index(*rows: tuple[str, str], markup: str = "") -> bytes:
    body = "".join(
        f"<sitemap><loc>{SITE}{name}</loc>{f'<lastmod>{date}</lastmod>' if date else ''}</sitemap>"
        for name, date in rows
    )
    return f"{HEAD}{markup}<sitemapindex {NS}>{body}</sitemapindex>".encode()


def findings(files: Mapping[str, bytes], address: str = SITE) -> list[str]:
    """Errors of the rules over files, and of the gate."""
    ordered = sorted(files, key=lambda path: path != SITEMAP)
    documents = (SitemapDocument(path, files[path], address + path.rpartition("/")[2]) for path in ordered)
    found = check_set(documents, FileOptions(NOW)).findings
    return [f"{one.rule.id} {one.message}" for one in found if one.severity is Severity.ERROR]


COMMENTED = f"""{HEAD}{STYLE}
<!-- kept by the docs team -->
{GENERATOR}
<urlset {NS}>
  <!-- pages -->
  <url><loc>{SITE}a</loc></url>
  <!-- ä: the second
       of two -->
  <url><loc>{SITE}b</loc><!-- within --><priority>0.5</priority></url>
  <!-- of a page that goes -->
  <url><loc>{SITE}c</loc></url>
  <!-- the end -->
</urlset>
<!-- after -->
""".encode()
KEPT = f"""{HEAD}{GENERATOR}
{STYLE}
<!-- kept by the docs team -->
<urlset {NS}>
  <!-- pages -->
  <url>
    <loc>{SITE}a</loc>
  </url>
  <!-- ä: the second
       of two -->
  <!-- within -->
  <url>
    <loc>{SITE}b</loc>
  </url>
  <url>
    <loc>{SITE}d</loc>
  </url>
  <!-- the end -->
</urlset>
<!-- after -->
"""


@pytest.mark.parametrize("pack", [False, True], ids=["plain", "compressed"])
def test_R_17_style_sheet_and_comments_are_kept(pack: bool) -> None:
    path = f"{SITEMAP}.gz" if pack else SITEMAP
    files = {path: gzip.compress(COMMENTED) if pack else COMMENTED}
    written = rewrite(files, entries("a", "b", "d"), sitemap=path)
    content = gzip.decompress(written[path]) if pack else written[path]
    assert content.decode() == KEPT
    assert rewrite(written, entries("a", "b", "d"), sitemap=path) == written
    assert not findings({SITEMAP: content})


def test_R_17_an_index_and_its_files_keep_their_own() -> None:
    files = {
        SITEMAP: index(("sitemap-b.xml", ""), ("sitemap-a.xml", ""), markup="<!-- index -->"),
        "public/sitemap-a.xml": urlset("a", markup=STYLE),
        "public/sitemap-b.xml": urlset("b", markup="<!-- b -->"),
    }
    files[SITEMAP] = files[SITEMAP].replace(b"</sitemap><sitemap>", b"</sitemap><!-- before a --><sitemap>")
    written = rewrite(files, entries("a", "b"))
    assert b"<!-- index -->" in written[SITEMAP]
    assert re.search(rb"<!-- before a -->\s*<sitemap>\s*<loc>[^<]*sitemap-a.xml", written[SITEMAP])
    assert (STYLE.encode() in written["public/sitemap-a.xml"], b"<!-- b -->" in written["public/sitemap-b.xml"]) == (True, True)  # fmt: skip
    assert not findings(written)


def test_R_17_a_file_that_is_split_leaves_its_comments_in_the_index() -> None:
    committed = {SITEMAP: urlset(*numbered(10), markup=f"{STYLE}<!-- mine -->")}
    written = rewrite(committed, entries(*numbered(11)), TEN)
    assert [content.count(b"<!-- mine -->") for content in written.values()] == [0, 0, 1]
    assert all(STYLE.encode() in content for content in written.values())


COMMENTS = (
    # bytes of a sitemap, what is kept of them
    pytest.param(
        f"<urlset {NS}><!-- a --><url><loc>{SITE}a</loc></url>", ["<!-- a -->"], id="a document that breaks off"
    ),
    pytest.param(f"<!DOCTYPE x><!-- a --><urlset {NS}/>", [], id="DOCTYPE"),
    pytest.param(f"<!-- {'x' * 70_000} --><!-- b --><urlset {NS}/>", ["<!-- b -->"], id="too long"),
    pytest.param(f"<urlset {NS}><url><loc><![CDATA[<!-- a -->]]></loc></url></urlset>", [], id="none, in CDATA"),
    pytest.param(f"<?a?><?b c?><urlset {NS}/>", ["<?a?>", "<?b c?>"], id="instructions"),
    pytest.param(f"<urlset {NS}/>{'<!-- x -->' * 200_000}", ["<!-- x -->"] * 104_857, id="at most a megabyte"),
)


@pytest.mark.parametrize(("content", "kept"), COMMENTS)
def test_R_17_what_is_read_of_any_bytes(content: str, kept: list[str]) -> None:
    found = read_markup(content.encode())
    assert [*found.prolog, *found.first, *sum(found.before.values(), ()), *found.last, *found.epilog] == kept


def test_SM_70_one_page_changes_one_of_ten_files() -> None:
    names = numbered(100)
    names[95:] = []
    written = rewrite({}, entries(*names, lastmod="2024-01-01"), TEN)
    assert len(written) == 11
    more = rewrite(written, [*entries(*names, lastmod="2024-01-01"), *entries("0005", lastmod="2024-01-01")], TEN)
    assert changed(written, more) == {"sitemap-10.xml"}  # where there is room: the other files are full
    less = rewrite(written, entries(*names[:20], *names[21:], lastmod="2024-01-01"), TEN)
    assert changed(written, less) == {"sitemap-3.xml"}
    again = rewrite(less, entries(*names[:20], "0195", *names[21:], lastmod="2024-01-01"), TEN)
    assert changed(less, again) == {"sitemap-10.xml"}  # the file of the page before it, 019, is full
    near = rewrite(less, entries(*names[:20], *names[21:], "0215", lastmod="2024-01-01"), TEN)
    assert changed(less, near) == {"sitemap-3.xml"}  # that of 021 has room


def test_SM_08_a_new_file_when_all_are_full() -> None:
    written = rewrite({}, entries(*numbered(20)), TEN)
    more = rewrite(written, entries(*numbered(21)), TEN)
    assert changed(written, more) == {"sitemap-3.xml", "sitemap.xml"}
    assert urls(more["public/sitemap-3.xml"]) == ["020"]
    gone = rewrite(more, entries(*numbered(10)), TEN)
    assert sorted(gone) == ["public/sitemap-1.xml", SITEMAP]  # the index stays one


def test_SM_08_sections_of_another_generator_keep_their_names() -> None:
    files = {
        SITEMAP: index(("posts-sitemap.xml", ""), ("page-sitemap.xml", "")),
        "public/posts-sitemap.xml": urlset("blog/a", "blog/c"),
        "public/page-sitemap.xml": urlset("about", "imprint"),
    }
    written = rewrite(files, entries("about", "blog/a", "blog/b", "blog/c", "imprint"))
    assert {path: urls(content) for path, content in written.items()} == {
        "public/posts-sitemap.xml": ["blog/a", "blog/b", "blog/c"],
        "public/page-sitemap.xml": ["about", "imprint"],
        SITEMAP: [],
    }


UNUSABLE = (
    # what is wrong with a file of the index, and where its entry goes
    pytest.param("other/sitemap-9.xml", urlset("a"), f"{SITE}other/sitemap-9.xml", "public/other/sitemap-9.xml", id="below"),
    pytest.param(".github/a.xml", urlset("a"), f"{SITE}.github/a.xml", SITEMAP, id="a hidden folder"),
    pytest.param("sitemap-9.txt", f"{SITE}a\n".encode(), f"{SITE}sitemap-9.txt", SITEMAP, id="a text file"),
    pytest.param("sitemap-9.xml", urlset("a"), "http://old.example/sitemap-9.xml", "public/sitemap-9.xml", id="another host"),
)  # fmt: skip


@pytest.mark.parametrize(("path", "content", "loc", "written"), UNUSABLE)
def test_SM_62_files_of_the_index_are_below_it(path: str, content: bytes, loc: str, written: str) -> None:
    files = {SITEMAP: index(("x", "")).replace(f"{SITE}x".encode(), loc.encode()), f"public/{path}": content}
    found = rewrite(files, entries("a"))
    assert set(found) == {written, SITEMAP}
    assert not findings({path: content for path, content in found.items() if "other" not in path})


DATES = (
    # date of the child in the index, dates of its entries before and after, the new date
    pytest.param("2020-02-02", "2024-01-01", "2024-01-01", "2020-02-02", id="a date set by hand stays"),
    pytest.param("", "2024-01-01", "2024-01-01", "", id="none is invented"),
    pytest.param("", "2024-01-01", "2024-05-05", "", id="nor where the file changes"),
    pytest.param("2024-01-01", "2024-01-01", "2024-05-05", "2024-05-05", id="it moves with the file"),
    pytest.param("2025-01-01", "2024-01-01", "2024-05-05", "2025-01-01", id="it does not go back"),
    pytest.param("2024-01", "2024-01-01", "2024-05-05", "2024-05-05", id="what is no date is repaired"),
)


@pytest.mark.parametrize(("stated", "before", "after", "date"), DATES)
def test_SM_51_the_date_of_a_child_moves_with_its_bytes(stated: str, before: str, after: str, date: str) -> None:
    files = rewrite({}, entries(*numbered(20), lastmod=before), TEN)
    rows = [("sitemap-1.xml", stated), ("sitemap-2.xml", "2021-01-01")]
    files[SITEMAP] = index(*rows)
    written = rewrite(files, entries(*numbered(10), lastmod=after) + entries(*numbered(20)[10:], lastmod=before), TEN)
    assert children(written[SITEMAP]) == [("sitemap-1.xml", date), ("sitemap-2.xml", "2021-01-01")]


def test_SM_51_a_new_child_has_the_date_of_its_newest_entry() -> None:
    files = rewrite({}, entries(*numbered(20)), TEN)
    written = rewrite(files, [*entries(*numbered(20)), *entries("9", lastmod="2024-05-05")], TEN)
    assert children(written[SITEMAP]) == [("sitemap-1.xml", ""), ("sitemap-2.xml", ""), ("sitemap-3.xml", "2024-05-05")]


def test_files_of_other_builds_stay() -> None:
    blog = urlset("blog/a", "blog/b")
    files = {
        SITEMAP: index(("sitemap-1.xml", ""), ("sitemap-2.xml", "2020-02-02"), markup="<!-- two builds -->"),
        "public/sitemap-1.xml": urlset("docs/a"),
        "public/sitemap-2.xml": blog,
    }
    written = rewrite(files, entries("docs/a", "docs/b"), OutputConfig(urls_per_file=1), site=f"{SITE}docs/")
    assert sorted(written) == ["public/sitemap-1.xml", "public/sitemap-3.xml", SITEMAP]
    assert children(written[SITEMAP]) == [("sitemap-1.xml", ""), ("sitemap-2.xml", "2020-02-02"), ("sitemap-3.xml", "")]
    mine = {"public/sitemap-2.xml": blog} | written
    assert rewrite(mine, entries("docs/a", "docs/b"), OutputConfig(urls_per_file=1), site=f"{SITE}docs/") == written
    # What is below no site of this index is compared as before.
    assert "public/sitemap-2.xml" in rewrite(files, entries("blog/a"), site=f"{SITE}wiki/")


names = st.lists(st.integers(0, 60).map("{:02}".format), unique=True, max_size=50)
outputs = st.builds(
    OutputConfig,
    urls_per_file=st.integers(1, 12),
    format=st.sampled_from([("xml",), ("xml", "text"), ("xml", "json", "text")]),
    gzip=st.booleans(),
)


@settings(deadline=None)
@given(st.lists(names, min_size=1, max_size=4), st.lists(outputs, min_size=4, max_size=4))
def test_SM_08_any_history_keeps_the_limits_and_the_second_write_changes_nothing(
    history: Sequence[list[str]], how: Sequence[OutputConfig]
) -> None:
    files: dict[str, bytes] = {}
    for listed, output in zip(history, how, strict=False):
        before = {name: path for path, content in files.items() if path.endswith(".xml") for name in urls(content)}
        indexed = any(children(content) for path, content in files.items() if path == SITEMAP)
        written = rewrite(files, entries(*listed), output)
        assert rewrite(written, entries(*listed), output) == written
        xml = {path: content for path, content in written.items() if path.endswith(".xml") and "-index" not in path}
        after = {name: path for path, content in xml.items() for name in urls(content)}
        assert sorted(after) == sorted(listed)
        assert all(len(urls(content)) <= output.urls_per_file for content in xml.values())
        assert all(urls(content) == sorted(urls(content)) for content in xml.values())
        if indexed:
            stay = [name for name in listed if name in before]
            full = {path for path in before.values() if list(before.values()).count(path) > output.urls_per_file}
            assert all(after[name] == before[name] for name in stay if before[name] not in full)
        assert not [one for one in findings(xml) if listed]
        files = written
