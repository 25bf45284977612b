"""The files of a list of entries: one per format, split at the limit, with compressed copies where configured."""

import gzip
from collections.abc import Iterator

import pytest

from sitemap_action.config.schema import OutputConfig
from sitemap_action.generate import generate, layouts
from sitemap_action.model.sitemap import Entry

ADDRESS = "https://www.example.com/sitemap.xml"
ROWS = [
    # id, output, entries, (path, URLs) of each file in the order of writing
    ("one file", OutputConfig(), 2, [("public/sitemap.xml", 2)]),
    ("no entry", OutputConfig(), 0, [("public/sitemap.xml", 0)]),
    ("SM-08 split: children before the index", OutputConfig(urls_per_file=2), 3, [("public/sitemap-1.xml", 2), ("public/sitemap-2.xml", 1), ("public/sitemap.xml", 0)]),
    ("two formats", OutputConfig(format=("xml", "text")), 2, [("public/sitemap.xml", 2), ("public/sitemap.txt", 2)]),
    ("compressed copies come last", OutputConfig(format=("xml", "json"), gzip=True), 1, [("public/sitemap.xml", 1), ("public/sitemap.json", 1), ("public/sitemap.xml.gz", 1), ("public/sitemap.json.gz", 1)]),
]  # fmt: skip


def entries(count: int) -> Iterator[Entry]:
    return (Entry(f"https://www.example.com/{number}") for number in range(count))


@pytest.mark.parametrize(("output", "count", "files"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_files(output: OutputConfig, count: int, files: list[tuple[str, int]]) -> None:
    found = generate(entries(count), output, layouts(output, "public/sitemap.xml", ADDRESS))
    assert [(file.path, file.urls) for file in found] == files
    assert found == generate(entries(count), output, layouts(output, "public/sitemap.xml", ADDRESS))  # SM-70


def test_a_compressed_copy_has_the_same_bytes() -> None:
    output = OutputConfig(gzip=True)
    plain, packed = generate(entries(3), output, layouts(output, "sitemap.xml", ADDRESS))
    assert gzip.decompress(packed.content) == plain.content


def test_a_compressed_sitemap_is_not_compressed_twice() -> None:
    output = OutputConfig(gzip=True)
    (file,) = generate(entries(3), output, layouts(output, "sitemap.xml.gz", f"{ADDRESS}.gz"))
    assert b"<loc>" in gzip.decompress(file.content)
