"""The files made of entries: one per format, split where it is full, a compressed copy of each on request."""

import gzip

import pytest

from sitemap_action.config.schema import OutputConfig
from sitemap_action.decide.entries import SitemapGenerator, name_uploads
from sitemap_action.model.sitemap import Entry, SitemapFile
from sitemap_action.model.wording import file_name

ADDRESS = "https://www.example.com/sitemap.xml"
ROWS = [
    # id, output, entries, (path, URLs) of each file in the order of writing
    ("one file", OutputConfig(), 2, [("public/sitemap.xml", 2)]),
    ("no entry", OutputConfig(), 0, [("public/sitemap.xml", 0)]),
    ("SM-08 split: children before the index", OutputConfig(urls_per_file=2), 3, [("public/sitemap-1.xml", 2), ("public/sitemap-2.xml", 1), ("public/sitemap.xml", 0)]),
    ("two formats", OutputConfig(format=("xml", "text")), 2, [("public/sitemap.xml", 2), ("public/sitemap.txt", 2)]),
    ("JSON is never split", OutputConfig(format=("json",), urls_per_file=1), 2, [("public/sitemap.json", 2)]),
    ("compressed copies come last", OutputConfig(format=("xml", "json"), gzip=True), 1, [("public/sitemap.xml", 1), ("public/sitemap.json", 1), ("public/sitemap.xml.gz", 1), ("public/sitemap.json.gz", 1)]),
]  # fmt: skip


def generate(count: int, output: OutputConfig, sitemap: str, address: str = ADDRESS) -> tuple[SitemapFile, ...]:
    generator = SitemapGenerator(output, sitemap, address)
    for number in range(count):
        generator.add(Entry(f"https://www.example.com/{number}"))
    return generator.finish()


@pytest.mark.parametrize(("output", "count", "files"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_files(output: OutputConfig, count: int, files: list[tuple[str, int]]) -> None:
    found = generate(count, output, "public/sitemap.xml")
    assert [(file.path, file.urls) for file in found] == files
    assert found == generate(count, output, "public/sitemap.xml")  # SM-70


NAMES = (
    ("map-1.xml", "map-1.xml"),
    ("map.txt?x=1", "map.txt"),
    ("map.php", "sitemap.xml"),
    ("$(id).xml", "sitemap.xml"),
)


@pytest.mark.parametrize(("served", "name"), NAMES)
def test_the_file_to_upload_has_the_name_that_the_advice_has(served: str, name: str) -> None:
    address = f"https://www.example.com/a/{served}"
    (file,) = name_uploads(generate(1, OutputConfig(), address, address))
    assert file.path == file_name(address) == name


def test_a_compressed_copy_has_the_same_bytes() -> None:
    output = OutputConfig(gzip=True)
    plain, packed = generate(3, output, "sitemap.xml")
    assert gzip.decompress(packed.content) == plain.content


def test_a_compressed_sitemap_is_not_compressed_twice() -> None:
    output = OutputConfig(gzip=True)
    (file,) = generate(3, output, "sitemap.xml.gz", f"{ADDRESS}.gz")
    assert b"<loc>" in gzip.decompress(file.content)
