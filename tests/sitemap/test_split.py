"""Entries to files: one, or numbered ones and an index; never over a limit, the same for the same entries."""

import gzip
from collections.abc import Iterable

import pytest

from sitemap_action.model.sitemap import Entry, SitemapFile
from sitemap_action.sitemap.split import Layout, Splitter, is_generated, is_shard
from sitemap_documents import is_valid, read_children, read_entries
from writing_memory import held, kept

ADDRESS = "https://x.com/docs/sitemap.xml"
IMAGE = '<image:image xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><image:loc>https://x.com/p</image:loc></image:image>'

NEWS = '<news:news xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><news:title>T</news:title></news:news>'


def entries(count: int, lastmod: str = "") -> list[Entry]:
    return [Entry(f"https://x.com/docs/{n:05}", lastmod) for n in range(count)]


def layout(path: str = "public/sitemap.xml", **options: object) -> Layout:
    return Layout(path, ADDRESS, **options)  # type: ignore[arg-type]


def split(listed: Iterable[Entry], how: Layout) -> tuple[SitemapFile, ...]:
    splitter = Splitter(how)
    for entry in listed:
        splitter.add(entry)
    return splitter.finish()


def children(file: SitemapFile) -> list[tuple[str, str]]:
    return read_children(file.content)


def locs(file: SitemapFile) -> list[str]:
    return [entry.loc for entry in read_entries(file.content)]


PATHS = (
    # layout, entries, paths with the URLs they list
    (layout(), 0, [("public/sitemap.xml", 0)]),
    (layout(), 3, [("public/sitemap.xml", 3)]),
    (layout(urls_per_file=3), 3, [("public/sitemap.xml", 3)]),
    (layout(urls_per_file=3), 4, [("public/sitemap-1.xml", 3), ("public/sitemap-2.xml", 1), ("public/sitemap.xml", 0)]),
    (layout("sitemap.xml", urls_per_file=1), 2, [("sitemap-1.xml", 1), ("sitemap-2.xml", 1), ("sitemap.xml", 0)]),
    (layout("public/sitemap.xml.gz"), 1, [("public/sitemap.xml.gz", 1)]),
    (layout("public/map.xml.gz", urls_per_file=1), 2, [("public/map-1.xml.gz", 1), ("public/map-2.xml.gz", 1), ("public/map.xml.gz", 0)]),
    (layout(format="text"), 2, [("public/sitemap.txt", 2)]),
    (layout("public/sitemap.txt.gz", format="text"), 2, [("public/sitemap.txt.gz", 2)]),
    (layout(format="text", urls_per_file=1), 2, [("public/sitemap-1.txt", 1), ("public/sitemap-2.txt", 1), ("public/sitemap-index.xml", 0)]),
)  # fmt: skip


@pytest.mark.parametrize(("how", "count", "paths"), PATHS)
def test_SM_08_files_children_first(how: Layout, count: int, paths: list[tuple[str, int]]) -> None:
    files = split(entries(count), how)
    assert [(file.path, file.urls) for file in files] == paths
    assert all(file.content.startswith(b"\x1f\x8b") == file.path.endswith(".gz") for file in files)
    assert files == split(entries(count), how)


def test_NEWS_02_a_file_has_at_most_a_thousand_news() -> None:
    news = [Entry(f"https://x.com/docs/{n:05}", extensions=(NEWS,)) for n in range(1001)]
    first, second, index = split(news, layout())
    assert (first.urls, second.urls) == (1000, 1)
    assert len(children(index)) == 2


def test_SM_08_fifty_thousand_and_one() -> None:
    files = split(entries(50_001), layout(urls_per_file=10**9))
    assert [file.urls for file in files] == [50_000, 1, 0]
    assert [is_valid(file.content) for file in files] == [True] * 3
    assert children(files[-1]) == [("https://x.com/docs/sitemap-1.xml", ""), ("https://x.com/docs/sitemap-2.xml", "")]


def test_SM_08_bytes_count_with_head_and_foot() -> None:
    whole = split(entries(100), layout())[0]
    size = len(whole.content)
    assert [file.urls for file in split(entries(100), layout(max_bytes=size))] == [100]
    files = split(entries(100), layout(max_bytes=size - 1))
    assert [file.urls for file in files] == [99, 1, 0]
    assert all(len(file.content) < size for file in files)
    assert [url for file in files for url in locs(file)] == locs(whole)


def test_a_namespace_is_declared_in_the_files_that_use_it() -> None:
    listed = [
        Entry("https://x.com/docs/1"),
        Entry("https://x.com/docs/2", extensions=(IMAGE,)),
        Entry("https://x.com/docs/3"),
    ]
    first, second, third, _ = split(listed, layout(urls_per_file=1))
    assert [b"xmlns:image" in file.content.split(b"\n")[2] for file in (first, second, third)] == [False, True, False]
    one = split(listed, layout())[0]
    assert one.content.count(b"xmlns:image") == 1
    tight = split(listed, layout(max_bytes=len(one.content) - 1))  # the declaration counts as well
    assert [file.urls for file in tight] == [2, 1, 0]


LATEST = (
    # lastmod of the entries, of their file in the index
    (["2024-01-01", "2024-03-01", "2024-02-01"], "2024-03-01"),
    (["2024-01-01T23:00:00-10:00", "2024-01-02T00:30:00+14:00"], "2024-01-01T23:00:00-10:00"),  # by instant
    (["2024-01-01T10:00Z", "2023"], "2024-01-01T10:00:00Z"),
    (["", ""], ""),  # left out, never now (SM-47)
    (["2024", "yesterday"], ""),
)


@pytest.mark.parametrize(("lastmods", "latest"), LATEST)
def test_SM_51_index_names_the_latest_date(lastmods: list[str], latest: str) -> None:
    listed = [Entry(f"https://x.com/docs/{n}", lastmod) for n, lastmod in enumerate(lastmods)] + entries(1)
    files = split(listed, layout(urls_per_file=len(lastmods)))
    assert children(files[-1])[0] == ("https://x.com/docs/sitemap-1.xml", latest)


SHARDS = (
    ("sitemap-1.xml", True),
    ("sitemap-12.xml", True),
    ("sitemap-1.xml.gz", True),
    ("sitemap-3.txt", True),
    ("sitemap.xml", False),
    ("sitemap-0.xml", False),
    ("sitemap-01.xml", False),
    ("sitemap-a.xml", False),
    ("sitemap-1.xml.bak", False),
    ("mysitemap-1.xml", False),
    ("sitemap-1.json", False),
    ("sitemap-1.xml\n", False),
)


@pytest.mark.parametrize(("name", "shard"), SHARDS)
def test_names_of_shards(name: str, shard: bool) -> None:
    assert is_shard(name, layout()) is shard


GENERATED = (
    (split(entries(1), layout())[0].content, True),
    (split(entries(1), layout("sitemap.xml.gz"))[0].content, True),
    (split(entries(2), layout(urls_per_file=1))[-1].content, True),
    (b'<?xml version="1.0"?>\n<urlset>\n<!-- Generated by sitemap-action -->', False),
    (b"<!-- Generated by sitemap-action -->", False),
    (b"", False),
    (b"\x1f\x8bbroken", False),
    (gzip.compress(b"x", mtime=0), False),
)


@pytest.mark.parametrize(("content", "generated"), GENERATED)
def test_only_generated_files_may_be_deleted(content: bytes, generated: bool) -> None:
    assert is_generated(content) is generated


@pytest.mark.parametrize("again", [False, True], ids=["first", "again"])
def test_memory_beside_the_bytes_of_the_files_is_flat(again: bool) -> None:
    """Ten times as many URLs; each takes 104 bytes of a file, and may take two beside that."""
    held(500, 500, again=again)
    few, _, _ = held(1_000, 500, again=again)
    many, size, _ = held(10_000, 500, again=again)
    assert many - few < 0.03 * size


def test_a_large_sitemap_waits_compressed() -> None:
    assert kept(10_000) > 1
    assert kept(100_000) < 0.5  # the first megabytes are kept as they are
