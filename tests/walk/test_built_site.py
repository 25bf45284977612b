"""A build directory read into the inventory: pages, links, answers for seeds and targets, skipped files."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from crawls import Recorder
from sitemap_action.config.schema import SelectConfig
from sitemap_action.errors import UsageError
from sitemap_action.hosts.all import choose_host
from sitemap_action.hosts.base import BuildFiles, HostResponse, ServedBuild
from sitemap_action.hosts.page_spellings import PLAIN_HOSTS, StaticHost
from sitemap_action.model.observer import EventKind
from sitemap_action.model.page import Directive, Page, PageKind
from sitemap_action.model.source import Hosting, SourceResult
from sitemap_action.store.inventory import Inventory, temporary
from sitemap_action.walk import document_pool
from sitemap_action.walk.built_site import FolderSource

BASE = "https://x.com/"
# The test runner has threads; the program has none when it starts its processes.
FORKS = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


@pytest.fixture
def inventory() -> Iterator[Inventory]:
    with temporary() as found:
        yield found


def build(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


def links(*hrefs: str) -> str:
    return "<!doctype html><title>A page</title>" + "".join(f'<a href="{href}">words to read</a>' for href in hrefs)


def gather(
    inventory: Inventory, root: Path, seeds: Iterable[str] = (), base: str = BASE, types: tuple[str, ...] = ("html",)
) -> SourceResult:
    return FolderSource(
        root=root, location="dist", base=base, host=choose_host("generic"), select=SelectConfig(types=types)
    ).gather(inventory, seeds)


def test_every_page_with_the_number_of_pages_that_link_to_it(tmp_path: Path, inventory: Inventory) -> None:
    files = {
        "index.html": links("/a/", "/a/", "b.html", "/"),  # twice from one page counts once, itself never
        "a/index.html": links("/", "../b.html", "https://other.example/"),
        "b.html": '<a href="/a/" rel="nofollow">not followed</a>',
    }
    gathered = gather(inventory, build(tmp_path, files))
    assert gathered == SourceResult("folder", "dist", hosting=Hosting())
    assert [(page.url, page.path, page.inlinks) for page in inventory.pages()] == [
        ("https://x.com/", "index.html", 1),
        ("https://x.com/a/", "a/index.html", 1),
        ("https://x.com/b.html", "b.html", 2),
    ]


def test_HTML_68_a_link_to_another_spelling_counts_for_the_page(tmp_path: Path, inventory: Inventory) -> None:
    gather(inventory, build(tmp_path, {"index.html": links("/a", "/a/index.html"), "a/index.html": links("/")}))
    page = inventory.page("https://x.com/a/")
    assert page is not None
    assert page.inlinks == 2
    assert inventory.page("https://x.com/a") is None  # no seed and no target


# answers for a seed; the site has /, /a/ and paper.pdf
ANSWERS = (
    Page("https://x.com/a", PageKind.REDIRECT, status=301, target="https://x.com/a/"),
    Page("https://x.com/a/index.html", PageKind.PAGE, status=200, path="a/index.html", twin="https://x.com/a/"),
    Page("https://x.com/a?x=1", PageKind.REDIRECT, status=301, target="https://x.com/a/?x=1"),
    Page("https://x.com/gone/", PageKind.GONE, status=404, reason="no file for this URL (404)"),
    # A file of a type that is not listed has no page: it is its own twin.
    Page("https://x.com/paper.pdf", PageKind.PAGE, status=200, path="paper.pdf", twin="https://x.com/paper.pdf"),
)


@pytest.mark.parametrize("expected", ANSWERS, ids=lambda page: page.url)
def test_DIFF_03_a_seed_is_answered(tmp_path: Path, inventory: Inventory, expected: Page) -> None:
    build(tmp_path, {"index.html": links("/a/"), "a/index.html": links("/"), "paper.pdf": "%PDF"})
    gather(inventory, tmp_path, [expected.url])
    assert inventory.page(expected.url) == expected


@pytest.mark.parametrize(
    "head",
    [
        '<link rel="canonical" href="/gone/">',
        '<link rel="alternate" hreflang="de" href="/gone/">',
        '<meta http-equiv="refresh" content="0; url=/gone/">',
    ],
)
def test_targets_of_a_page_have_an_answer_and_a_referrer(tmp_path: Path, inventory: Inventory, head: str) -> None:
    gather(inventory, build(tmp_path, {"index.html": "<title>Home</title>" + head}))
    page = inventory.page("https://x.com/gone/")
    assert page is not None
    assert (page.kind, page.found_on) == (PageKind.GONE, BASE)


def test_V_04_a_url_with_a_query_is_another_page(tmp_path: Path, inventory: Inventory) -> None:
    """URL-23: with the facts of its file, as over HTTP; a redirect takes the query along."""
    build(tmp_path, {"index.html": links("/a/?x=2", "/a?y=1"), "a/index.html": "<title>A</title>"})
    gather(inventory, tmp_path, ["https://x.com/a/?x=1", "https://x.com/a?x=2", "https://x.com/gone?x"])
    found = {page.url: (page.kind, page.twin, page.facts and page.facts.head.title) for page in inventory.pages()}
    del found[BASE]
    assert found == {
        "https://x.com/a/": (PageKind.PAGE, "", "A"),
        "https://x.com/a/?x=1": (PageKind.PAGE, "", "A"),
        "https://x.com/a/?x=2": (PageKind.PAGE, "", "A"),
        "https://x.com/a?x=2": (PageKind.REDIRECT, "", None),
        "https://x.com/gone?x": (PageKind.GONE, "", None),
    }
    page = inventory.page("https://x.com/a/")
    assert page is not None
    assert page.inlinks == 2  # HTML-68: both links


def test_a_seed_that_is_a_page_is_read_once(tmp_path: Path, inventory: Inventory) -> None:
    gather(inventory, build(tmp_path, {"index.html": links()}), [BASE])
    assert [(page.url, page.facts is not None) for page in inventory.pages()] == [(BASE, True)]


def test_V_28_only_index_html_is_the_page_of_its_directory(tmp_path: Path, inventory: Inventory) -> None:
    gather(inventory, build(tmp_path, {"index.html": "<title>A</title>", "old/index.htm": "<title>B</title>"}))
    pages = [(page.url, page.path) for page in inventory.pages()]
    assert pages == [(BASE, "index.html"), (f"{BASE}old/index.htm", "old/index.htm")]


def test_HOST_04_an_error_page_has_the_reason_why_it_is_not_listed(tmp_path: Path, inventory: Inventory) -> None:
    gather(inventory, build(tmp_path, {"404.html": links(), "index.html": links()}))
    assert [page.unlisted for page in inventory.pages()] == ["", "error page of the host"]


def test_links_out_of_the_site_or_its_directory_are_not_known(tmp_path: Path, inventory: Inventory) -> None:
    files = {"index.html": links("/", "/blog/", "https://x.org/docs/", "a.html") + '<link rel="canonical" href="/">'}
    gather(inventory, build(tmp_path, files), base="https://x.com/docs/")
    assert [page.url for page in inventory.pages()] == ["https://x.com/docs/", "https://x.com/docs/a.html"]
    assert inventory.urls_without_page() == []


# select.types → the pages
TYPES = (
    (("html",), ["/", "/x.xhtml"]),  # XHTML is a page too
    (("html", "pdf"), ["/", "/paper.PDF", "/x.xhtml"]),  # by suffix, however it is written
    (("application/pdf",), ["/paper.PDF"]),  # by media type
    (("md",), ["/notes.md"]),
)


@pytest.mark.parametrize(("types", "expected"), TYPES)
def test_only_the_configured_types(
    tmp_path: Path, inventory: Inventory, types: tuple[str, ...], expected: list[str]
) -> None:
    files = dict.fromkeys(("index.html", "x.xhtml", "paper.PDF", "notes.md", "style.css"), "<title>x</title>")
    gather(inventory, build(tmp_path, files), types=types)
    assert [page.url.removeprefix("https://x.com") for page in inventory.pages()] == expected


def test_a_file_that_is_no_document_has_no_facts(tmp_path: Path, inventory: Inventory) -> None:
    gather(inventory, build(tmp_path, {"paper.pdf": "%PDF"}), types=("pdf",))
    assert [(page.kind, page.media_type) for page in inventory.pages()] == [(PageKind.FILE, "application/pdf")]


def test_in_a_folder_without_a_page_everything_is_undetermined(tmp_path: Path, inventory: Inventory) -> None:
    gathered = gather(inventory, build(tmp_path, {"style.css": ""}), [BASE])
    assert gathered == SourceResult(
        "folder", "dist", ("the folder dist has no page",), no_pages=True, hosting=Hosting()
    )
    assert list(inventory.pages()) == [Page(BASE, PageKind.UNDETERMINED, reason="the build has no page")]


def test_a_missing_folder_and_a_file_are_usage_errors(tmp_path: Path, inventory: Inventory) -> None:
    with pytest.raises(UsageError, match="the folder dist does not exist"):
        gather(inventory, tmp_path / "missing")
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot read the folder dist: Not a directory"):
        gather(inventory, tmp_path / "file")


def test_a_folder_that_cannot_be_listed_makes_the_result_incomplete(
    tmp_path: Path, inventory: Inventory, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tmp_path, {"index.html": links(), "closed/a.html": links()})
    scandir = os.scandir

    def guarded(path: str) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
        if path.endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    gathered = gather(inventory, tmp_path)
    assert gathered.incomplete == ("cannot list dist/closed/",)
    assert not gathered.no_pages
    assert [page.url for page in inventory.pages()] == [BASE]


def test_a_file_that_cannot_be_read_is_undetermined(
    tmp_path: Path, inventory: Inventory, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tmp_path, {"index.html": links(), "big.html": links("/")})
    monkeypatch.setattr("sitemap_action.walk.build.MAX_BODY", (tmp_path / "big.html").stat().st_size - 1)
    gather(inventory, tmp_path)
    reason = "big.html is larger than 0 MiB"
    assert inventory.page("https://x.com/big.html") == Page(
        "https://x.com/big.html", PageKind.UNDETERMINED, reason=reason, path="big.html"
    )


def test_HOST_12_skipped_paths_are_noted_where_they_may_contain_pages(tmp_path: Path, inventory: Inventory) -> None:
    outside = build(tmp_path / "outside", {"secret.html": links(), "style.css": ""})
    root = build(tmp_path / "dist", {"index.html": links(), "node_modules/x/README.html": links()})
    (root / "leak.html").symlink_to(outside / "secret.html")
    (root / "style.css").symlink_to(outside / "style.css")
    assert gather(inventory, root).notes == (
        "skipped leak.html: symbolic link that points out of the folder",
        "skipped node_modules/: packages, not pages",
    )


# base, files, the robots.txt of the site
ROBOTS = (
    (BASE, {"robots.txt": "User-agent: *"}, b"User-agent: *"),
    (BASE, {"a/robots.txt": "User-agent: *"}, None),  # RB-01: only at the root of a host
    ("https://x.com/docs/", {"robots.txt": "User-agent: *"}, None),  # HOST-13: served at /docs/robots.txt
    (BASE, {}, None),
)


UNKNOWN_HOST = "host unknown: pages are listed under the addresses that the site itself uses; name it in source.host"
NOT_OF_HOST = (
    "robots.txt of the build is not used: it is for a whole host, and this site is below /docs/; "
    "crawl.robots: file:PATH names the host's"
)
DECISIONS = [
    # id, site-url, files beside the page, whether the config names host and robots.txt, notes
    ("HOST-01 the host is not known", BASE, {}, (False, False), (UNKNOWN_HOST,)),
    ("HOST-01 it is named", BASE, {}, (True, False), ()),
    ("HOST-13 robots.txt below a path", "https://x.com/docs/", {"robots.txt": "x"}, (True, False), (NOT_OF_HOST,)),
    ("HOST-13 that of the host is named", "https://x.com/docs/", {"robots.txt": "x"}, (True, True), ()),
    ("HOST-13 none", "https://x.com/docs/", {}, (True, False), ()),
    ("HOST-13 at the root", BASE, {"robots.txt": "x"}, (True, False), ()),
    ("HOST-13 in a directory of the build", "https://x.com/docs/", {"a/robots.txt": "x"}, (True, False), ()),
]


@pytest.mark.parametrize(("base", "files", "named", "notes"), [pytest.param(*row[1:], id=row[0]) for row in DECISIONS])
def test_V_26_what_is_decided_for_the_user_is_noted(
    tmp_path: Path,
    inventory: Inventory,
    base: str,
    files: dict[str, str],
    named: tuple[bool, bool],
    notes: tuple[str, ...],
) -> None:
    build(tmp_path, {"index.html": links(), **files})
    host, robots = named
    source = FolderSource(
        tmp_path,
        "dist",
        base,
        choose_host("generic" if host else "auto"),
        robots=b"" if robots else None,
    )
    assert source.gather(inventory, ()).notes == notes


@pytest.mark.parametrize(("base", "files", "expected"), ROBOTS)
def test_RB_01_robots_txt_only_at_the_root(
    tmp_path: Path, inventory: Inventory, base: str, files: dict[str, str], expected: bytes | None
) -> None:
    root = build(tmp_path, {"index.html": links(), **files})
    assert gather(inventory, root, base=base).robots == expected


def large(root: Path) -> Path:
    """More pages than one process reads, in a chain, with aliases and canonicals across the chunks."""
    files = {"index.html": links("/page-0/", "/page-449")}
    for number in range(449):
        head = f'<link rel="canonical" href="/page-{number // 2}/">' if number % 100 == 99 else ""
        files[f"page-{number}/index.html"] = head + links(
            f"/page-{number + 1}/", f"../page-{number * 7 % 449}", "/gone"
        )
    return build(root, files)


@FORKS
def test_NET_16_many_processes_have_the_result_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever number of links is counted in memory."""
    root, found = large(tmp_path), []
    monkeypatch.setattr(document_pool, "pool_size", lambda: 2)
    for limit, held in ((10_000, 1), (10_000, 250_000), (400, 250_000)):
        monkeypatch.setattr(document_pool, "_POOL_FROM", limit)
        monkeypatch.setattr(document_pool, "_LINKS", held)
        with temporary() as inventory:
            gathered = gather(inventory, root, ["https://x.com/page-7", "https://x.com/gone"])
            found.append((gathered, list(inventory.pages()), inventory.urls_without_page()))
    at_once, alone, together = found
    assert together == alone == at_once
    assert len(alone[1]) == 454  # 450 pages, two seeds, and two links to nothing


@FORKS
def test_a_site_of_450_pages_is_read_in_other_processes(
    tmp_path: Path, inventory: Inventory, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = os.getpid()
    monkeypatch.setattr(document_pool, "pool_size", lambda: 2)

    read = document_pool.FileReader.batch

    def read_in_worker(reader: document_pool.FileReader, paths: Sequence[str], known: None) -> document_pool.PageBatch:
        assert os.getpid() != here
        return read(reader, paths, known)

    monkeypatch.setattr(document_pool.FileReader, "batch", read_in_worker)
    gather(inventory, large(tmp_path))
    assert sum(bool(page.path) for page in inventory.pages()) == 450


class NoindexHost(StaticHost):
    """The plain server, with a header for every page."""

    def answer(self, url_path: str, /) -> HostResponse:
        found = super().answer(url_path)
        return found._replace(headers=(("x-robots-tag", "noindex"),)) if found.file else found


def serve_by_control_file(found: BuildFiles) -> ServedBuild:
    """A host that is told by a file of the build what its headers are."""
    assert found.read("_headers.example") is None
    blocked = found.read("_headers") == b"/*\n  X-Robots-Tag: noindex\n"
    return ServedBuild((NoindexHost if blocked else StaticHost)(found.files, PLAIN_HOSTS["generic"]))


@pytest.mark.parametrize(
    ("control", "directives"),
    [("/*\n  X-Robots-Tag: noindex\n", [Directive("", "noindex", "", "header")]), ("# nothing\n", [])],
)
def test_a_host_reads_its_control_file_and_its_headers_reach_the_page(
    control: str, directives: list[Directive], tmp_path: Path, inventory: Inventory
) -> None:
    root = build(tmp_path, {"index.html": links("/"), "_headers": control})
    FolderSource(root, "dist", BASE, serve_by_control_file).gather(inventory, ())
    (page,) = inventory.pages()
    assert page.facts is not None
    assert list(page.facts.head.directives) == directives


def test_U_19_a_build_has_the_events_and_the_progress_of_a_served_site(tmp_path: Path, inventory: Inventory) -> None:
    root = build(tmp_path, {"index.html": links("/a/"), "a/index.html": links("/"), "b.html": "x"})
    (tmp_path.parent / "elsewhere.html").write_text("x")
    (root / "out.html").symlink_to(tmp_path.parent / "elsewhere.html")
    recorder = Recorder()
    source = FolderSource(root, "dist", BASE, choose_host("generic"), observer=recorder)
    source.gather(inventory, ())
    found = [(event.what, event.path, event.status) for event in recorder.events]
    assert found == [
        (EventKind.FOUND, "index.html", 0),
        (EventKind.FETCHED, "index.html", 200),
        (EventKind.FOUND, "a/index.html", 0),
        (EventKind.FETCHED, "a/index.html", 200),
        (EventKind.FOUND, "b.html", 0),
        (EventKind.FETCHED, "b.html", 200),
        (EventKind.SKIPPED, "out.html", 0),
    ]
    assert recorder.events[2].url == f"{BASE}a/"
    assert (recorder.last.done, recorder.last.queued) == (3, 0)
