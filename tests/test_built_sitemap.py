"""The sitemap that a generator writes into an ignored folder: real repositories, and production on loopback (B-01…B-07)."""

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from repositories import checkout, create, git, pull_request
from servers import Route, Site, busy, serve, typed
from sitemap_action.__main__ import run

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
PAGES = [f"p{number:02}" for number in range(1, 41)]  # and the home page: 41
KEPT = PAGES[:7]
FLAGS = ["--allow-private-hosts", "127.0.0.1", "--report", "json=report.json", "--report", "markdown=report.md"]


def urls(site: str, *names: str) -> list[str]:
    return [f"{site}{name}/" if name else site for name in ("", *names)]


def urlset(site: str, *names: str) -> str:
    rows = "".join(f"<url><loc>{url}</loc></url>\n" for url in urls(site, *names))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACE}>\n{rows}</urlset>\n'


def index(site: str, *children: str) -> str:
    rows = "".join(f"<sitemap><loc>{site}{child}</loc></sitemap>\n" for child in children)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex {NAMESPACE}>\n{rows}</sitemapindex>\n'


def build(folder: Path, *names: str, below: str = "") -> None:
    """What a generator writes; its home page links to every other page."""
    links = "".join(f'<a href="/{below}{name}/">{name}</a>' for name in names)
    for name in ("", *names):
        page = folder / below / name / "index.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        text = f"The page {name or 'home'} has words of its own. " * 20
        page.write_text(f"<!doctype html><title>{name or 'Home'}</title><h1>{name}</h1><p>{text}</p>{links}")


@pytest.fixture
def production() -> Iterator[Site]:
    with serve({}) as site:
        site.routes["/sitemap.xml"] = typed("application/xml", urlset(site.url, *PAGES))
        yield site


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pull request, checked out: `dist` is ignored, and the repository has no sitemap."""
    origin = pull_request(tmp_path / "origin", {".gitignore": "dist/\n", "a": "1"}, {".gitignore": "dist/\n", "a": "2"})
    clone = checkout(origin.directory, origin.merge, tmp_path / "clone")
    event = tmp_path / "event.json"
    base, head = {"ref": "main", "sha": origin.main}, {"ref": "topic", "sha": origin.head}
    event.write_text(json.dumps({"number": 12, "pull_request": {"base": base, "head": head}}))
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
    monkeypatch.setenv("GITHUB_SHA", origin.merge)
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    monkeypatch.chdir(clone)
    return clone


def look(*flags: str, command: str = "check", path: str = "dist") -> tuple[int, dict[str, Any]]:
    code = run([command, "--path", path, *FLAGS, *flags])
    file = Path("report.json")
    return code, json.loads(file.read_text()) if file.exists() else {}


def removed(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(row["url"], row["class"]) for row in report["removed"]]


def test_B_01_a_pull_request_that_deletes_33_of_41_pages_fails_and_names_them(
    clone: Path, production: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    build(clone / "dist", *KEPT)
    (clone / "dist/sitemap.xml").write_text(urlset(production.url, *KEPT))
    code, report = look()
    assert (code, report["result"], report["judged"], report["sitemap"]) == (1, "drift", "built", "dist/sitemap.xml")
    assert report["stale"]["missing"] == report["stale"]["extra"] == []
    gone = [url for url in urls(production.url, *PAGES) if url not in urls(production.url, *KEPT)]
    assert removed(report) == [(url, "gone") for url in gone]
    assert len(gone) == 33
    assert report["counts"]["added"] == 0
    assert report["baseline"] == f"the sitemap that {production.url}sitemap.xml serves"
    printed = capsys.readouterr().out
    assert "33 pages of the baseline are lost: 33 gone" in printed
    assert "built      dist/sitemap.xml (8 URLs)" in printed
    assert "commit" not in printed.split("host unknown")[1]
    assert [guard["key"] for guard in report["guards"]] == ["policy.max-removed"]


def test_B_01_a_pull_request_that_deletes_nothing_is_green(clone: Path, production: Site) -> None:
    build(clone / "dist", *PAGES, "new")
    (clone / "dist/sitemap.xml").write_text(urlset(production.url, *PAGES, "new"))
    code, report = look()
    assert (code, report["result"], report["complete"], removed(report)) == (0, "in-sync", True, [])
    assert [row["url"] for row in report["added"]] == [f"{production.url}new/"]


def test_B_01_production_that_cannot_be_read_is_inconclusive(
    clone: Path, production: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    build(clone / "dist", *KEPT)
    (clone / "dist/sitemap.xml").write_text(urlset(production.url, *KEPT))
    production.routes["/sitemap.xml"] = busy(1, 503)
    code, report = look()
    assert (code, report["result"], report["complete"]) == (3, "inconclusive", False)
    (why,) = report["incomplete"]
    assert why == report["causes"][0]
    assert f"the sitemap of {production.url} cannot be read: {production.url}sitemap.xml answers 503" in why
    assert (report["added"], report["removed"]) == ([], [])
    printed = capsys.readouterr().out
    assert "--baseline committed" in printed
    for flags in (["--baseline", "committed"], ["--offline"]):  # the first question alone
        code, report = look(*flags)
        assert (code, report["complete"], report["removed"]) == (0, True, [])
        assert any(note.endswith("was not judged") for note in report["notes"])


UNREADABLE: list[tuple[str, Mapping[str, Route]]] = [
    # id, what production serves
    ("a page for every path", {"/sitemap.xml": "<!doctype html><title>Application</title>"}),
    ("a sitemap that breaks off", {"/sitemap.xml": typed("application/xml", urlset("https://x.example/")[:-30])}),
    ("a child that is not there", {"/sitemap.xml": typed("application/xml", index("https://x.example/", "one.xml"))}),
    ("a login", {"/sitemap.xml": 403}),
]


@pytest.mark.parametrize("routes", [pytest.param(row[1], id=row[0]) for row in UNREADABLE])
def test_B_01_what_is_no_whole_sitemap_is_no_baseline(
    routes: Mapping[str, Route], clone: Path, production: Site
) -> None:
    production.routes.update(routes)
    build(clone / "dist", *KEPT)
    (clone / "dist/sitemap.xml").write_text(urlset(production.url, *KEPT))
    assert look()[0] == 3


def test_B_01_a_false_built_sitemap_is_drift_whatever_production_answers(clone: Path, production: Site) -> None:
    production.routes["/sitemap.xml"] = 500
    build(clone / "dist", *KEPT)
    (clone / "dist/sitemap.xml").write_text(urlset(production.url, *KEPT, "not-built"))
    code, report = look()
    assert (code, report["stale"]["extra"], report["complete"]) == (1, [f"{production.url}not-built/"], False)


@pytest.mark.parametrize("status", [404, 410])
def test_B_01_the_first_deployment_is_said(
    status: int, clone: Path, production: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    production.routes["/sitemap.xml"] = status
    build(clone / "dist", *PAGES)
    (clone / "dist/sitemap.xml").write_text(urlset(production.url, *PAGES))
    code, report = look()
    assert (code, report["result"], report["first_run"], report["complete"]) == (0, "in-sync", False, True)
    assert any(note.startswith("first deployment: ") for note in report["notes"])
    assert "first deployment" in capsys.readouterr().out


def test_B_01_a_sitemap_that_production_serves_under_another_usual_name_is_no_first_deployment(
    clone: Path, production: Site
) -> None:
    build(clone / "dist", *KEPT)
    (clone / "dist/sitemap-index.xml").write_text(index(production.url, "sitemap-0.xml"))
    (clone / "dist/sitemap-0.xml").write_text(urlset(production.url, *KEPT))
    code, report = look()
    assert (code, report["sitemap"], len(report["removed"])) == (1, "dist/sitemap-index.xml", 33)
    assert production.paths[:3] == ["/robots.txt", "/sitemap-index.xml", "/sitemap.xml"]


def test_B_01_the_index_of_production_is_read_whole(clone: Path, production: Site) -> None:
    production.routes["/sitemap.xml"] = typed("application/xml", index(production.url, "one.xml", "two.xml"))
    production.routes["/one.xml"] = typed("application/xml", urlset(production.url, *PAGES[:20]))
    production.routes["/two.xml"] = typed("application/xml", urlset(production.url, *PAGES[20:]))
    build(clone / "dist", *KEPT)
    (clone / "dist/sitemap.xml").write_text(urlset(production.url, *KEPT))
    code, report = look()
    assert (code, len(report["removed"])) == (1, 33)


def test_B_01_the_target_branch_s_copy_comes_before_production(
    tmp_path: Path, production: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pull request that stops committing the file, and lets the generator write it."""
    before = {".gitignore": "dist/\n", "public/sitemap.xml": urlset(production.url, *PAGES)}
    origin = pull_request(tmp_path / "origin", before, {".gitignore": "dist/\n"})
    clone = checkout(origin.directory, origin.merge, tmp_path / "clone")
    monkeypatch.chdir(clone)
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
    monkeypatch.setenv("GITHUB_SHA", origin.merge)
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    build(clone / "dist", *KEPT)
    (clone / "dist/sitemap.xml").write_text(urlset(production.url, *KEPT))
    code, report = look()
    assert (code, report["judged"], len(report["removed"])) == (1, "built", 33)
    assert report["baseline"].startswith("public/sitemap.xml at ")
    assert any("public/sitemap.xml is on the target branch and not here" in note for note in report["notes"])
    assert production.paths == []


def test_B_01_a_file_of_another_build_is_a_baseline(clone: Path, production: Site) -> None:
    """As a cache restores it; production is not asked."""
    build(clone / "dist", *KEPT)
    (clone / "dist/sitemap.xml").write_text(urlset(production.url, *KEPT))
    (clone / ".baseline").mkdir()
    (clone / ".baseline/sitemap.xml").write_text(index(production.url, "sitemap-0.xml"))
    (clone / ".baseline/sitemap-0.xml").write_text(urlset(production.url, *PAGES))
    code, report = look("--baseline", ".baseline/sitemap.xml")
    assert (code, len(report["removed"]), production.paths) == (1, 33, [])


def test_B_01_write_repairs_what_the_generator_wrote_in_its_place(clone: Path, production: Site) -> None:
    build(clone / "dist", *PAGES, "new")
    (clone / "dist/sitemap.xml").write_text(urlset(production.url, *PAGES))
    code, report = look(command="write")
    assert (code, report["changed_files"], report["stale"]["missing"]) == (0, True, [f"{production.url}new/"])
    assert f"{production.url}new/" in (clone / "dist/sitemap.xml").read_text()
    assert not (clone / "sitemap.xml").exists()
    assert git(clone, "status", "--porcelain", "--untracked-files=no") == ""
    code, report = look(command="write")
    assert (code, report["changed_files"]) == (0, False)


def test_B_01_write_stops_where_production_cannot_be_read(clone: Path, production: Site) -> None:
    """A guard against the loss of pages had nothing to count."""
    production.routes["/sitemap.xml"] = 500
    build(clone / "dist", *KEPT, "new")
    before = urlset(production.url, *KEPT)
    (clone / "dist/sitemap.xml").write_text(before)
    assert look(command="write")[0] == 3
    assert (clone / "dist/sitemap.xml").read_text() == before


# --- committed or built: git decides ---

TRACKED: list[tuple[str, str, str, str]] = [
    # id, folder of the build, path of the sitemap, what it is when git tracks it
    ("B-02 a build that is committed, as GitHub Pages serves docs/", "docs", "docs/sitemap.xml", "committed"),
    ("B-02 plain files that are committed, in a folder of any name", "www", "www/sitemap.xml", "committed"),
    ("a folder that the generator copies", "dist", "public/sitemap.xml", "committed"),
    ("B-02 the output folder of Hugo", "public", "public/sitemap.xml", "committed"),
    ("at the top", "dist", "sitemap.xml", "committed"),
]


@pytest.mark.parametrize(("path", "sitemap", "expected"), [pytest.param(*row[1:], id=row[0]) for row in TRACKED])
@pytest.mark.parametrize("ways", ["committed", "staged", "ignored"])
def test_B_02_git_decides_and_never_the_name_of_a_folder(
    path: str, sitemap: str, expected: str, ways: str, tmp_path: Path, production: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(tmp_path / "repository")
    monkeypatch.chdir(tmp_path / "repository")
    build(Path(path), *PAGES)
    Path(sitemap).parent.mkdir(exist_ok=True)
    Path(sitemap).write_text(urlset(production.url, *PAGES))
    if ways != "ignored":
        git(Path(), "add", sitemap)
    if ways == "committed":
        git(Path(), "commit", "-q", "-m", "sitemap")
    code, report = look(path=path)
    assert (code, report["sitemap"]) == (0, sitemap)
    assert report["judged"] == ("built" if ways == "ignored" else expected)
    assert bool(production.paths) is (ways == "ignored")


@pytest.mark.parametrize(
    ("sitemap", "judged"),
    [("site/sitemap.xml", "built"), ("sitemap.xml", "committed"), ("docs/sitemap.xml", "committed")],
)
def test_B_02_without_git_the_place_decides(
    sitemap: str, judged: str, tmp_path: Path, production: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    build(Path("site"), *PAGES)
    Path(sitemap).parent.mkdir(exist_ok=True)
    Path(sitemap).write_text(urlset(production.url, *PAGES))
    code, report = look(path="site")
    assert (code, report["judged"], report["sitemap"]) == (0, judged, sitemap)


def test_B_02_several_repositories_side_by_side(
    tmp_path: Path, production: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    create(tmp_path / "site")
    build(Path("site/dist"), *PAGES)
    Path("site/public").mkdir()
    Path("site/public/sitemap.xml").write_text(urlset(production.url, *PAGES))
    assert look(path="site/dist")[1]["judged"] == "built"
    git(Path("site"), "add", "public")
    assert look(path="site/dist")[1]["judged"] == "committed"


# --- found in the build ---

FOUND: list[tuple[str, dict[str, str], str]] = [
    # id, files of the build beside its pages (SITE is replaced), path of the sitemap
    ("VitePress, Sphinx", {"sitemap.xml": "P"}, "dist/sitemap.xml"),
    ("Astro", {"sitemap-index.xml": "sitemap-0.xml", "sitemap-0.xml": "P"}, "dist/sitemap-index.xml"),
    ("WordPress, exported", {"sitemap_index.xml": "sitemap-0.xml", "sitemap-0.xml": "P"}, "dist/sitemap_index.xml"),
    ("robots.txt names another place", {"maps/all.xml": "P", "robots.txt": "Sitemap: SITEmaps/all.xml"}, "dist/maps/all.xml"),
    ("robots.txt comes first", {"all.xml": "P", "sitemap.xml": "old", "robots.txt": "Sitemap: SITEall.xml"}, "dist/all.xml"),
    ("robots.txt names what is not there", {"sitemap.xml": "P", "robots.txt": "Sitemap: SITEall.xml"}, "dist/sitemap.xml"),
    ("robots.txt names a page", {"sitemap.xml": "P", "robots.txt": "Sitemap: SITEindex.html"}, "dist/sitemap.xml"),
    ("robots.txt names nonsense", {"sitemap.xml": "P", "robots.txt": "Sitemap: http://[/x\nSitemap: /../../.git/config"}, "dist/sitemap.xml"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "sitemap"), [pytest.param(*row[1:], id=row[0]) for row in FOUND])
def test_B_03_a_sitemap_is_found_in_the_build(
    files: dict[str, str], sitemap: str, clone: Path, production: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    build(clone / "dist", *PAGES)
    for path, content in files.items():
        text = urlset(production.url, *PAGES) if content == "P" else content.replace("SITE", production.url)
        text = index(production.url, content) if path.endswith("index.xml") else text
        (clone / "dist" / path).parent.mkdir(exist_ok=True)
        (clone / "dist" / path).write_text(text)
    code, report = look("--set", "sitemaps.search-console-submitted=true")
    assert (code, report["sitemap"], report["judged"]) == (0, sitemap, "built")
    assert "does not exist yet" not in capsys.readouterr().out


def test_B_03_nobody_is_told_to_commit_what_is_built(
    clone: Path, production: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    build(clone / "dist", *PAGES, "new")
    (clone / "dist/sitemap.xml").write_text(urlset(production.url, *PAGES))
    assert look()[0] == 1
    printed = capsys.readouterr().out
    assert "Run `sitemap-action write` after the build, or correct what writes dist/sitemap.xml" in printed
    assert "and commit" not in printed + Path("report.md").read_text()


def test_B_03_a_committed_sitemap_near_the_build_comes_first(clone: Path, production: Site) -> None:
    for place in ("public", "site/static"):
        (clone / place).mkdir(parents=True)
        (clone / place / "sitemap.xml").write_text(urlset(production.url, *PAGES))
    build(clone / "site/dist", *PAGES)
    (clone / "site/dist/sitemap.xml").write_text(urlset(production.url, *PAGES))
    git(clone, "add", "public", "site/static")
    assert look(path="site/dist")[1]["sitemap"] == "site/static/sitemap.xml"
    for place in ("docs", "src/static", "."):
        (clone / "site" / place).mkdir(parents=True, exist_ok=True)
        git(clone, "mv", git(clone, "ls-files", "site"), f"site/{place}/sitemap.xml")
        found = look(path="site/dist")[1]
        assert (found["sitemap"], found["judged"]) == (f"site/{place}/sitemap.xml".replace("./", ""), "committed")


def test_B_03_a_build_elsewhere(tmp_path: Path, production: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line may name it."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    build(tmp_path / "there", *PAGES)
    (tmp_path / "there/sitemap.xml").write_text(urlset(production.url, *PAGES))
    for path in (str(tmp_path / "there"), "../there"):
        code, report = look(path=path)
        assert (code, report["sitemap"], report["judged"]) == (0, f"{path}/sitemap.xml", "built")


def test_B_03_what_lies_outside_of_the_workspace_is_not_written(
    tmp_path: Path, production: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    build(tmp_path / "there", *PAGES, "new")
    (tmp_path / "there/sitemap.xml").write_text(urlset(production.url, *PAGES))
    assert look(path="../there", command="write")[0] == 2
    assert "../there/sitemap.xml is outside of the workspace" in capsys.readouterr().err
    assert look("--sitemap", "sitemap.xml", "--site-url", production.url, path="../there", command="write")[0] == 0
    assert Path("sitemap.xml").exists()


def test_B_03_a_link_in_the_place_of_the_build_is_refused(clone: Path, tmp_path: Path, production: Site) -> None:
    build(tmp_path / "elsewhere", *PAGES)
    (tmp_path / "elsewhere/sitemap.xml").write_text(urlset(production.url, *PAGES))
    (clone / "dist").symlink_to(tmp_path / "elsewhere")
    config = clone / ".github/sitemap.yml"
    config.parent.mkdir()
    config.write_text(f"site-url: {production.url}\nsource: {{path: dist}}\n")
    assert run(["check", *FLAGS]) == 2


# --- where the site is ---


@pytest.mark.parametrize(("below", "site"), [("en/", ""), ("", "en/")])
def test_B_05_the_files_of_the_build_tell_where_the_site_is(
    below: str, site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All URLs are below /en/: of a site there, or of a site at the root with one language."""
    monkeypatch.chdir(tmp_path)
    build(Path("dist"), *PAGES, below=below)
    Path("dist/index.html").write_text((Path("dist") / below / "index.html").read_text())
    host = "https://www.example.com/"
    Path("sitemap.xml").write_text(urlset(f"{host}en/", *PAGES))
    code, report = look("--set", "select.exclude=[/]" if below else "select.exclude=[]")
    assert (report["site_url"], removed(report), report["stale"]["extra"], code) == (f"{host}{site}", [], [], 0)
    printed = capsys.readouterr().out
    assert f"taken from sitemap.xml: {host}{site}, below which 41 of 41 URLs looked up have a file" in printed


# --- copies beside it ---


def test_U_21_copies_beside_the_sitemap_are_kept_in_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """MkDocs writes sitemap.xml.gz, too; a file of other URLs is not ours to replace."""
    monkeypatch.chdir(tmp_path)
    site = "https://www.example.com/"
    build(Path("dist"), *PAGES)
    old = urlset(site, *PAGES[:20])
    Path("dist/sitemap.xml").write_text(old)
    Path("dist/sitemap.xml.gz").write_bytes(gzip.compress(old.encode()))
    listed = [line.split("<")[0] for line in old.split("<loc>")[1:]]
    Path("dist/sitemap.txt").write_text("".join(f"{url}\n" for url in listed))
    assert run(["write", "--path", "dist", "--offline"]) == 0
    new = Path("dist/sitemap.xml").read_bytes()
    assert len(listed) < new.count(b"<loc>") == len(PAGES) + 1
    assert gzip.decompress(Path("dist/sitemap.xml.gz").read_bytes()) == new
    assert len(Path("dist/sitemap.txt").read_text().split()) == len(PAGES) + 1
    Path("dist/sitemap.txt").write_text(f"{site}mine/\n")
    Path("dist/sitemap.xml.gz").write_bytes(b"no gzip")
    Path("dist/sitemap.xml").write_text(old)
    capsys.readouterr()
    assert run(["write", "--path", "dist", "--offline"]) == 0
    printed = capsys.readouterr().out
    for name in ("dist/sitemap.xml.gz", "dist/sitemap.txt"):
        assert f"{name} has other URLs than dist/sitemap.xml, and is left as it is" in printed
    assert Path("dist/sitemap.txt").read_text() == f"{site}mine/\n"
    assert not Path("dist/sitemap.txt.gz").exists()


# --- feeds beside it ---


def test_U_27_a_feed_of_an_index_judges_pages_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nikola lists the feed of each gallery, whose items are images; another may be empty, or repeat the newest pages."""
    monkeypatch.chdir(tmp_path)
    site = "https://www.example.com/"
    build(Path("dist"), *PAGES)

    def feed(*links: str) -> str:
        items = "".join(f"<item><title>a</title><link>{site}{link}</link></item>" for link in links)
        channel = f"<title>a</title><link>{site}</link><description>a</description>{items}"
        return f'<?xml version="1.0"?><rss version="2.0"><channel>{channel}</channel></rss>'

    feeds = {
        "rss.xml": feed("p01/", "p02/"),
        "galleries/rss.xml": feed("galleries/a.jpg", "p03/"),
        "empty/rss.xml": feed(),
    }
    for name, text in feeds.items():
        (Path("dist") / name).parent.mkdir(exist_ok=True)
        (Path("dist") / name).write_text(text)
    Path("dist/sitemap-pages.xml").write_text(urlset(site, *PAGES))
    Path("dist/sitemap.xml").write_text(index(site, "sitemap-pages.xml", *feeds))
    code, report = look()
    assert (code, report["findings"]) == (0, [])
    assert "dist/galleries/rss.xml: 1 link of this feed to no pages do not count" in capsys.readouterr().out
    (Path("dist") / "new").mkdir()
    Path("dist/new/index.html").write_text(Path("dist/p04/index.html").read_text().replace("p04", "new"))
    assert look(command="write")[0] == 0
    written = Path("dist/sitemap.xml").read_text()
    for name, text in feeds.items():
        assert f"<loc>{site}{name}</loc>" in written, "a feed stays in the index"
        assert (Path("dist") / name).read_text() == text
    assert f"<loc>{site}new/</loc>" in Path("dist/sitemap-pages.xml").read_text()
    assert look()[0] == 0


# --- where a first one goes ---

FIRST: list[tuple[str, str, list[str], str]] = [
    # id, folder of the build, folders and files that are there, path of the sitemap that is written
    ("Astro, Next.js, Vite", "dist", ["public", "src"], "public/sitemap.xml"),
    ("Docusaurus, Gatsby, Hugo", "public", ["static"], "static/sitemap.xml"),
    ("Eleventy", "_site", ["src/static"], "src/static/sitemap.xml"),
    ("MkDocs", "site", ["docs", "mkdocs.yml"], "docs/sitemap.xml"),
    ("U-26: docs of an unknown generator", "site", ["docs"], "site/sitemap.xml"),
    ("U-26: Rspress", "doc_build", ["docs", "package.json", "rspress.config.ts"], "docs/public/sitemap.xml"),
    ("U-26: Pelican copies nothing", "output", ["public", "static", "pelicanconf.py"], "output/sitemap.xml"),
    ("U-26: MkDocs beside another build", "out", ["docs", "mkdocs.yml"], "out/sitemap.xml"),
    ("VitePress", "docs/.vitepress/dist", ["docs/public"], "docs/public/sitemap.xml"),
    ("Sphinx: docs holds the build, and is not copied", "docs/_build/html", [], "docs/_build/html/sitemap.xml"),
    ("Nuxt, without a folder that is copied", ".output/public", [], ".output/public/sitemap.xml"),
    ("Nuxt", ".output/public", ["public"], "public/sitemap.xml"),
    ("a monorepo", "sites/www/dist", ["public", "sites/www/public", "sites/docs/public"], "sites/www/public/sitemap.xml"),
    ("a monorepo with one folder for all", "sites/www/dist", ["static"], "static/sitemap.xml"),
    ("Hugo, without a folder that is copied", "public", [], "public/sitemap.xml"),
    ("nothing that is copied", "dist", ["src"], "dist/sitemap.xml"),
    ("the workspace itself", ".", [], "sitemap.xml"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "folders", "written"), [pytest.param(*row[1:], id=row[0]) for row in FIRST])
def test_B_06_a_first_sitemap_goes_where_the_generator_copies_from(
    path: str, folders: list[str], written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for name in folders:
        (Path(name) if "." not in name else Path(name).parent).mkdir(parents=True, exist_ok=True)
        if "." in name:
            Path(name).write_text("{}" if name == "package.json" else "")
    build(Path(path), *PAGES)
    flags = ["--site-url", "https://www.example.com/"]
    assert look(*flags, path=path)[0] == 1
    in_build = written.startswith(f"{path}/")
    advice = f"after each build: it writes {written}" if in_build else f"and commit {written}"
    printed = capsys.readouterr().out
    assert f"Run `sitemap-action write` {advice}." in printed.splitlines()[-1]
    assert (f"a first one goes to {written}, which the next build removes" in printed) is in_build
    assert look(*flags, path=path, command="write")[0] == 0
    assert [file.as_posix() for file in Path().rglob("sitemap*.xml")] == [written]
    if in_build:
        assert look(*flags, path=path)[0] == 0, "in sync until the next build"


CANONICALS: list[tuple[str, str, str]] = [
    # id, head of the start page, site-url
    ("its own address", '<link rel="canonical" href="https://www.example.com/docs/">', "https://www.example.com/docs/"),
    ("relative", '<link rel="canonical" href="/">', ""),
    ("none", "", ""),
    ("two that differ", '<link rel="canonical" href="https://a.example/"><link rel="canonical" href="https://b.example/">', ""),
]  # fmt: skip


@pytest.mark.parametrize(("head", "site_url"), [pytest.param(*row[1:], id=row[0]) for row in CANONICALS])
def test_U_26_the_start_page_of_a_build_states_where_the_site_is(
    head: str, site_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    build(Path("dist"), *PAGES)
    start = Path("dist/index.html")
    start.write_text(start.read_text().replace("<title>", f"{head}<title>", 1))
    if not site_url:
        assert run(["write", "--path", "dist", "--offline"]) == 2
        assert "site-url is not set" in capsys.readouterr().err
        return
    assert run(["write", "--path", "dist", "--offline"]) == 0
    assert f"taken from the canonical of index.html: {site_url}" in capsys.readouterr().out
    assert f"<loc>{site_url}</loc>" in Path("dist/sitemap.xml").read_text()


def test_B_06_a_build_that_is_committed_is_where_it_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GitHub Pages serves docs/ of the branch."""
    create(tmp_path / "repository")
    monkeypatch.chdir(tmp_path / "repository")
    build(Path("docs"), *PAGES)
    Path("public").mkdir()
    git(Path(), "add", "docs")
    assert look("--site-url", "https://www.example.com/", path="docs", command="write")[0] == 0
    assert Path("docs/sitemap.xml").exists()


# --- what the build ships is what was judged ---

SHIPPED: list[tuple[str, dict[str, str], str, str]] = [
    # id, files of the build (P lists the pages), severity of ENV-07 where it can fail, words
    ("the same file", {"sitemap.xml": "P"}, "", ""),
    ("the same URLs in other files", {"sitemap.xml": "INDEX", "sitemap-0.xml": "P"}, "", ""),
    ("nothing", {}, "warning", "the build ships no sitemap at this address"),
    ("an old one", {"sitemap.xml": "OLD"}, "error", "34 URLs missing there, as https://www.example.com/new/; 1 URL only there, as https://www.example.com/old/"),
    ("one of another generator", {"sitemap.xml": "LOCAL"}, "error", "only there, as http://localhost:3000/"),
    ("one that breaks off", {"sitemap.xml": "CUT"}, "error", "the build ships a sitemap that cannot be read"),
    ("an index without its child", {"sitemap.xml": "INDEX"}, "error", "sitemap-0.xml, which is unavailable"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "severity", "words"), [pytest.param(*row[1:], id=row[0]) for row in SHIPPED])
def test_B_04_ENV_07_the_build_ships_what_was_judged(
    files: dict[str, str], severity: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    site = "https://www.example.com/"
    contents = {
        "P": urlset(site, *PAGES, "new"),
        "OLD": urlset(site, *KEPT, "old"),
        "LOCAL": urlset("http://localhost:3000/", *PAGES),
        "CUT": urlset(site, *PAGES)[:-40],
        "INDEX": index(site, "sitemap-0.xml"),
    }
    build(Path("dist"), *PAGES, "new")
    Path("public").mkdir()
    Path("public/sitemap.xml").write_text(contents["P"])
    for name, what in files.items():
        (Path("dist") / name).write_text(contents[what])
    code, report = look("--set", "policy.fail-on=[stale, lost, invalid, errors]")
    found = [(row["severity"], row["path"]) for row in report["findings"] if row["rule"] == "ENV-07"]
    assert found == ([(severity, "dist/sitemap.xml")] if severity else [])
    assert words in capsys.readouterr().out
    assert (code, report["judged"], report["sitemap"]) == (int(severity == "error"), "committed", "public/sitemap.xml")
    assert look()[0] == 0  # as the sitemap is true, and nobody wants errors to fail


def test_B_04_ENV_07_the_address_of_the_sitemap_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    site = "https://www.example.com/"
    build(Path("dist"), *PAGES)
    (Path("dist") / "maps").mkdir()
    for place in ("sitemap.xml", "dist/maps/pages.xml"):
        Path(place).write_text(urlset(site, *PAGES))
    for address, ids in (
        (f"{site}maps/pages.xml", []),
        (f"{site}sitemap.xml", ["ENV-07"]),
        ("https://x.example/s.xml", []),
    ):
        report = look("--set", f"sitemap-url={address}", "--set", "sitemaps.search-console-submitted=true")[1]
        assert [row["rule"] for row in report["findings"] if row["rule"] == "ENV-07"] == ids


# --- one of several sitemaps of a build ---


@pytest.mark.parametrize(
    ("others", "robots", "named"),
    [
        (["de/sitemap.xml"], "", "not judged: dist/de/sitemap.xml; pages"),
        (
            ["de/sitemap.xml"],
            "Sitemap: https://www.example.com/sitemap.xml\n",
            "not judged: dist/de/sitemap.xml; pages",
        ),
        (["more.xml"], "Sitemap: /sitemap.xml\nSitemap: /more.xml\n", "not judged: dist/more.xml; pages"),
        (
            [f"{name}/sitemap.xml" for name in "abcde"],
            "",
            "dist/a/sitemap.xml, dist/b/sitemap.xml, dist/c/sitemap.xml and 2 more",
        ),
        (["de/feed.xml", ".cache/sitemap.xml"], "", ""),
    ],
)
def test_other_sitemaps_of_the_build_are_named(
    others: list[str], robots: str, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Docusaurus writes one for each language, and no index."""
    monkeypatch.chdir(tmp_path)
    build(Path("dist"), *PAGES)
    site = "https://www.example.com/"
    for name in ("sitemap.xml", *others):
        Path("dist", name).parent.mkdir(parents=True, exist_ok=True)
        Path("dist", name).write_text(urlset(site, *PAGES))
    Path("dist/robots.txt").write_text(robots)
    notes = [note for note in look("--site-url", site)[1]["notes"] if note.startswith("not judged")]
    assert len(notes) == bool(named)
    assert all(named in note for note in notes)
    Path("dist/sitemap.xml").write_text(index(site, *(name for name in others if not name.startswith("."))))
    assert not [note for note in look("--site-url", site)[1]["notes"] if note.startswith("not judged")]
