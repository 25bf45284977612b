"""`diff` over files: whatever way they are read, the same differences, and always those of two plain sets."""

import gzip
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from examples import share
from sitemap_action.decide.changes import Difference, changed_fields
from sitemap_action.errors import BaselineError
from sitemap_action.look.committed_sitemap import compare_sitemaps, identity
from sitemap_action.look.documents import Documents, find_documents
from sitemap_action.model.outcome import Added, Changed
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.read import read
from sitemap_action.store import entries
from sitemap_action.walk.folders import WorkTree

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
SITE = "https://www.example.com/"
IMAGE = "<image:image><image:loc>https://www.example.com/a.png</image:loc></image:image>"


def urlset(*rows: str) -> bytes:
    entries = "\n".join(f"<url>{row}</url>" for row in rows)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NS}>\n{entries}\n</urlset>\n'.encode()


def index(*names: str) -> bytes:
    rows = "".join(f"<sitemap><loc>{SITE}{name}</loc></sitemap>" for name in names)
    return f"<sitemapindex {NS}>{rows}</sitemapindex>".encode()


def stored(workspace: Path, path: str) -> Documents:
    return find_documents(WorkTree(workspace), path)


def by_hand(old: bytes, new: bytes) -> list[Difference]:
    """The definition: first entry of each identity, one set against the other."""
    before, after = first(old), first(new)
    rows: list[Difference] = [before[key]._replace(loc=key) for key in before.keys() - after.keys()]
    rows += [Added(key) for key in after.keys() - before.keys()]
    both = ((key, changed_fields(before[key], after[key])) for key in before.keys() & after.keys())
    rows += [Changed(key, fields) for key, fields in both if fields]
    return sorted(rows, key=lambda row: row.loc if isinstance(row, Entry) else row.url)


def first(data: bytes) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for event in read(data):
        if isinstance(event, Entry):
            found.setdefault(identity(event.loc), event)
    return found


LOCS = [SITE, f"{SITE}a", f"{SITE}%61", f"{SITE}b?x=1&amp;y=2", f"{SITE}b?y", f"{SITE}ü", f"{SITE}%C3%BC", f"{SITE}c/../d", f"{SITE}d", "no url", "a\tb", "a\\b", f"{SITE}e%"]  # fmt: skip
FIELDS = ["", "<lastmod>2026-01-01</lastmod>", "<lastmod>2026-01-01</lastmod><priority>0.5</priority>", "<changefreq>daily</changefreq>", IMAGE]  # fmt: skip
ROWS = st.lists(st.tuples(st.sampled_from(LOCS), st.sampled_from(FIELDS)).map(lambda row: f"<loc>{row[0]}</loc>{row[1]}"), max_size=8)  # fmt: skip
LISTED_TWICE = [f"<loc>{SITE}</loc>", f"<loc>{SITE}</loc><lastmod>2026-01-01</lastmod>"]
SIDES = ROWS.map(lambda rows: urlset(*rows))


@given(SIDES, SIDES)
@example(urlset(*LISTED_TWICE), urlset(*reversed(LISTED_TWICE)))
@settings(max_examples=share(200), deadline=None)
def test_as_two_sets(old: bytes, new: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        (workspace / "old.xml").write_bytes(old)
        (workspace / "new.xml.gz").write_bytes(gzip.compress(new))
        sides = stored(workspace, "old.xml"), stored(workspace, "new.xml.gz")
        assert [*compare_sitemaps(*sides)] == by_hand(old, new)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(entries, "_PART", 20)  # the hashes of large sitemaps are compared part by part
            assert [*compare_sitemaps(*sides)] == by_hand(old, new)


def test_over_many_files(tmp_path: Path) -> None:
    names = [f"part-{number}.xml" for number in range(6)]
    for side, extra in (("old", "x"), ("new", "y")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "sitemap.xml").write_bytes(index(*names))
        for number, name in enumerate(names):
            rows = [f"<loc>{SITE}{number}-{row}</loc>" for row in range(20)]
            (tmp_path / side / name).write_bytes(urlset(*rows, f"<loc>{SITE}{number}-{extra}</loc>"))
    found = compare_sitemaps(stored(tmp_path, "old/sitemap.xml"), stored(tmp_path, "new/sitemap.xml"))
    assert [*found] == [
        row for number in range(6) for row in (Entry(f"{SITE}{number}-x", line=23), Added(f"{SITE}{number}-y"))
    ]


@pytest.mark.parametrize("children", [1, 6])
def test_a_damaged_child_is_told(children: int, tmp_path: Path) -> None:
    names = [f"part-{number}.xml" for number in range(children)]
    (tmp_path / "sitemap.xml").write_bytes(index(*names))
    for name in names:
        (tmp_path / name).write_bytes(urlset("<loc>https://www.example.com/</loc>")[:-20])
    with pytest.raises(BaselineError, match=r"part-0\.xml:\d+: ") as raised:
        next(compare_sitemaps(stored(tmp_path, "sitemap.xml"), stored(tmp_path, "sitemap.xml")))
    assert raised.value.hint
