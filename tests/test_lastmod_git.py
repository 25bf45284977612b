"""`output.lastmod: git` in whole runs: dates of sources in the sitemap that is written."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from here import run_in
from histories import History

SITE = "https://www.example.com/"


def page(name: str, head: str = "") -> str:
    body = f"What {name} has to say in words of its own. " * 20
    links = "".join(f'<a href="{path}">x</a>' for path in ("/", "/guide/", "/guide/install/", "/about/", "/own/"))
    return (
        f"<!doctype html><html><head><title>{name}</title>{head}</head><body><main>{body}</main>{links}</body></html>"
    )


def built(top: Path, base: str = "") -> None:
    for name in ("index", "guide/index", "guide/install/index", "about/index", "own/index"):
        file = top / "site" / base / f"{name}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page(name))


def docs(top: Path) -> History:
    made = History(top)
    made.commit({"mkdocs.yml": "site_name: x\n", ".gitignore": "site\n", "docs/index.md": "a"})
    made.commit({"docs/guide/README.md": "a", "docs/guide/install.md": "a"})
    made.commit({"docs/guide/install.md": "b"})
    made.commit({"docs/about.md": "a"})
    built(top)
    return made


def write(top: Path, config: str, command: str = "write", site: str = SITE) -> dict[str, object]:
    (top / ".github").mkdir(exist_ok=True)
    (top / ".github/sitemap.yml").write_text(
        f"site-url: {site}\nsitemap: sitemap.xml\nsource: {{path: site, host: generic}}\n{config}"
    )
    done = run_in(top, command, "--offline", "--format", "json")
    assert done.returncode == 0, done.stdout + done.stderr
    report: dict[str, object] = json.loads(done.stdout)
    return report


def dates(top: Path, site: str = SITE) -> dict[str, str]:
    text = (top / "sitemap.xml").read_text()
    rows = re.findall(r"<loc>(.*?)</loc>(?:\s*<lastmod>(.*?)</lastmod>)?", text)
    return {url.removeprefix(site): date for url, date in rows}


def notes(report: dict[str, object]) -> str:
    return json.dumps(report["notes"])


def test_each_page_has_the_date_of_its_source(tmp_path: Path) -> None:
    made = docs(tmp_path / "repository")
    report = write(made.top, "output: {lastmod: git}\n")
    assert dates(made.top) == {
        "": made.followed("docs/index.md"),
        "about/": made.followed("docs/about.md"),
        "guide/": made.followed("docs/guide/README.md"),
        "guide/install/": made.followed("docs/guide/install.md"),
        "own/": "",
    }
    assert "4 source files of pages, by the layout of MkDocs" in notes(report)
    before = (made.top / "sitemap.xml").read_bytes()
    write(made.top, "output: {lastmod: git}\n")
    assert (made.top / "sitemap.xml").read_bytes() == before


def test_the_map_of_the_config_comes_first_and_the_newest_source_counts(tmp_path: Path) -> None:
    made = docs(tmp_path / "repository")
    made.commit({"data/one.json": "1"})
    made.commit({"data/two.json": "2"})
    mapped = "output:\n  lastmod: git\n  lastmod-map:\n    data/*.json: /own\n    docs/guide/*.md: /about/index.html\n"
    report = write(made.top, mapped)
    assert dates(made.top) == {
        "": made.followed("docs/index.md"),
        "about/": made.followed("docs/about.md"),
        "guide/": "",
        "guide/install/": "",
        "own/": made.followed("data/two.json"),
    }
    assert "by output.lastmod-map and the layout of MkDocs" in notes(report)


def test_a_source_that_says_where_its_page_is_dates_no_other(tmp_path: Path) -> None:
    """/about/ is the page of z.md; a.md, which the layout gives that address, has left it."""
    made = History(top := tmp_path / "site-with-hugo")
    made.commit(
        {"hugo.toml": "baseURL = 'https://www.example.com/'\n", ".gitignore": "site\n", "content/guide/_index.md": "a"}
    )
    made.commit({"content/about.md": "---\nurl: /own/\n---\na"})
    made.commit({"content/z.md": "---\nurl: /about/\n---\na"})
    built(top)
    write(top, "output: {lastmod: git}\n")
    assert {url for url, date in dates(top).items() if date} == {"guide/"}


def test_dates_without_a_time(tmp_path: Path) -> None:
    made = docs(tmp_path / "repository")
    write(made.top, "output: {lastmod: git, date-only: true}\n")
    assert dates(made.top)[""] == made.followed("docs/index.md")[:10]


def test_a_date_that_nobody_believes_is_left_out(tmp_path: Path) -> None:
    made = docs(tmp_path / "repository")
    made.commit({"docs/index.md": "z"}, author="4000000000 +0000")
    made.commit({"docs/about.md": "z"}, author="@1000 +0000")
    write(made.top, "output: {lastmod: git}\n")
    assert (dates(made.top)[""], dates(made.top)["about/"]) == ("", "")


@pytest.mark.parametrize("depth", [1, 3])
def test_a_shallow_clone_is_refused_and_keeps_what_is_committed(tmp_path: Path, depth: int) -> None:
    made = docs(tmp_path / "repository")
    entry = f"<url><loc>{SITE}</loc><lastmod>2020-02-02</lastmod></url>"
    made.commit({"sitemap.xml": f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entry}</urlset>'})
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", f"--depth={depth}", made.top.as_uri(), str(clone)], check=True)
    built(clone)
    report = write(clone, "output: {lastmod: git}\n")
    assert {*dates(clone).values()} == {"2020-02-02", ""}
    assert "this clone is shallow" in notes(report)
    assert "fetch-depth: 0" in notes(report)
    subprocess.run(["git", "fetch", "-q", "--unshallow"], cwd=clone, check=True)
    write(clone, "output: {lastmod: git}\n")
    assert dates(clone)["guide/install/"] == made.followed("docs/guide/install.md")


def test_a_site_below_a_path(tmp_path: Path) -> None:
    made = docs(tmp_path / "repository")
    site = f"{SITE}base/"
    mapped = "output:\n  lastmod: git\n  lastmod-map: {docs/guide/*.md: /base/guide/*, docs/about.md: /own/}\n"
    write(made.top, mapped, site=site)
    assert dates(made.top, site)["guide/install/"] == made.followed("docs/guide/install.md")
    assert dates(made.top, site)["own/"] == made.followed("docs/about.md")
    assert dates(made.top, site)[""] == made.followed("docs/index.md")


def test_a_folder_of_a_repository_is_the_workspace(tmp_path: Path) -> None:
    made = History(tmp_path / "repository")
    made.commit({"web/mkdocs.yml": "site_name: x\n", "web/docs/index.md": "a", "docs/index.md": "other"})
    made.commit({"web/docs/about.md": "a", "web/data/own.json": "1"})
    built(made.top / "web")
    write(made.top / "web", "output:\n  lastmod: git\n  lastmod-map: {data/*.json: /*/}\n")
    assert dates(made.top / "web")["about/"] == made.followed("web/docs/about.md")
    assert dates(made.top / "web")["own/"] == made.followed("web/data/own.json")


def test_without_a_repository_there_is_no_date(tmp_path: Path) -> None:
    built(tmp_path)
    report = write(tmp_path, "output: {lastmod: git}\n")
    assert {*dates(tmp_path).values()} == {""}
    assert "there is no git repository here" in notes(report)


def test_without_a_generator_the_report_asks_for_a_map(tmp_path: Path) -> None:
    made = History(tmp_path / "repository")
    made.commit({"src/about.txt": "a"})
    built(made.top)
    report = write(made.top, "output: {lastmod: git}\n")
    assert "no generator is recognised" in notes(report)


def test_a_readme_beside_an_index_dates_nothing(tmp_path: Path) -> None:
    """Where the config names it, it does."""
    made = History(tmp_path / "repository")
    made.commit({"mkdocs.yml": "site_name: A\n", "docs/index.md": "a", "docs/about/README.md": "b"})
    made.commit({"docs/README.md": "later"})
    built(made.top)
    write(made.top, "output: {lastmod: git}\n")
    assert dates(made.top)[""] == made.followed("docs/index.md")
    assert dates(made.top)["about/"] == made.followed("docs/about/README.md")
    write(made.top, "output: {lastmod: git, lastmod-map: {docs/README.md: /}}\n")
    assert dates(made.top)[""] == made.followed("docs/README.md")


def test_of_a_generator_without_a_usual_layout_too(tmp_path: Path) -> None:
    made = History(tmp_path / "repository")
    made.commit({"nuxt.config.ts": "", "package.json": "{}", "pages/about.vue": "a"})
    built(made.top)
    report = write(made.top, "output: {lastmod: git}\n")
    assert "no layout of Nuxt is known: name sources and pages in output.lastmod-map" in notes(report)


def test_a_check_shows_dates_that_would_change(tmp_path: Path) -> None:
    made = docs(tmp_path / "repository")
    write(made.top, "output: {lastmod: git}\n")
    old = made.followed("docs/about.md")
    made.commit({"docs/about.md": "new"})
    report = write(made.top, "output: {lastmod: git}\n", "check")
    assert report["changed"] == [{"url": f"{SITE}about/", "fields": {"lastmod": [old, made.followed("docs/about.md")]}}]
