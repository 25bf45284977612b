"""One build, as a folder and behind nginx: every page has the same class.

Random builds are served in process as their host would; SITEMAP_ACTION_BUILDS=2000 sets how many.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from examples import share
from random_builds import SERVED, HostEngine, RandomBuild, random_build
from sitemap_action.__main__ import run
from test_deployed_folder import nginx

SITE = "https://www.example.com/"


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def page(name: str, *links: str, head: str = "") -> str:
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    text = f"some words about {name} that make a page of its own " * 12
    return f"<!doctype html><title>{name}</title>{head}<main><h1>{name}</h1>{anchors}<p>{text}</main>"


def naming(target: str) -> str:
    return f'<link rel="canonical" href="{target}">'


def lay_out(files: Mapping[str, str], committed: tuple[str, ...]) -> None:
    for name, text in files.items():
        path = Path("site", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    locs = "".join(f"<url><loc>{SITE}{path}</loc></url>" for path in committed)
    Path("sitemap.xml").write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>')


def judged(*arguments: str) -> dict[str, Any]:
    quick = ["--quiet", "--set", "sitemaps.use=false", "--set", "http.retries=0"]
    run(["check", *arguments, "--site-url", SITE, *quick, "--report", "json=report.json"])
    report: dict[str, Any] = json.loads(Path("report.json").read_text())
    return report


def both(tmp_path: Path, files: Mapping[str, str], committed: tuple[str, ...], *more: str) -> list[dict[str, Any]]:
    """The reports on the folder, and over HTTP."""
    lay_out(files, committed)
    folder = judged("--path", "site", "--host", "nginx", *more)
    with nginx(tmp_path, tmp_path / "site") as url:
        return [folder, judged("--url", url, *more)]


def classes(report: dict[str, Any]) -> dict[str, str]:
    """Path → class of every page that was listed or would be."""
    found = {row["url"]: row["class"] for row in report["removed"]}
    found |= {row["url"]: "added" for row in report["added"]}
    found |= {row["url"]: "undetermined" for row in report["undetermined"]}
    return {url.removeprefix(SITE): name for url, name in found.items()}


def findings(report: dict[str, Any], rule: str) -> list[dict[str, Any]]:
    return [row for row in report["findings"] if row["rule"] == rule]


def test_V_27_an_article_with_the_number_of_an_error_is_a_page(tmp_path: Path) -> None:
    files = {"index.html": page("home", "p/501.html", "500/"), "p/501.html": page("jeans"), "500/index.html": page("a")}
    for report in both(tmp_path, files, ("", "p/501.html", "500/")):
        assert (report["result"], classes(report)) == ("in-sync", {})


def test_V_28_an_index_htm_is_listed_where_it_is_served(tmp_path: Path) -> None:
    files = {"index.html": page("home", "legacy/index.htm"), "legacy/index.htm": page("legacy")}
    for report in both(tmp_path, files, ("", "legacy/index.htm")):
        assert (report["result"], classes(report)) == ("in-sync", {})


PAGES = tuple(f"p{number}/" for number in range(6))


def test_V_03_a_canonical_that_redirects_back_is_one_of_the_page(tmp_path: Path) -> None:
    """As Docusaurus writes by default: canonical /about, and the server redirects it to /about/."""
    files = {"index.html": page("home", *PAGES, head=naming(SITE))}
    files |= {f"{path}index.html": page(path, head=naming(f"{SITE}{path[:-1]}")) for path in PAGES}
    for report in both(tmp_path, files, ("", "p0", *PAGES[1:])):
        assert classes(report) == {"p0": "moved", "p0/": "added"}
        (finding,) = findings(report, "HTML-26")
        assert (finding["count"], finding["severity"]) == (6, "warning")


def test_V_03_the_canonical_is_listed_where_it_answers_200_itself(tmp_path: Path) -> None:
    """Under a host that serves /about without the slash."""
    files = {"index.html": page("home", *PAGES, head=naming(SITE))}
    files |= {f"{path}index.html": page(path, head=naming(f"{SITE}{path[:-1]}")) for path in PAGES}
    lay_out(files, ("", *(path[:-1] for path in PAGES)))
    clean = "location / { try_files $uri $uri/index.html $uri.html =404; }"
    reports = [judged("--path", "site", "--host", "nginx-clean")]
    with nginx(tmp_path, tmp_path / "site", clean) as url:
        reports.append(judged("--url", url))
    for report in reports:
        assert (report["result"], classes(report), findings(report, "HTML-26")) == ("in-sync", {}, [])


def test_V_03_with_a_query_it_leads_elsewhere(tmp_path: Path) -> None:
    files = {"index.html": page("home", "about/"), "about/index.html": page("a", head=naming(f"{SITE}about?v=1"))}
    for report in both(tmp_path, files, ("", "about/")):
        assert classes(report) == {"about/": "deindexed", "about/?v=1": "added"}
        assert [row["message"] for row in findings(report, "HTML-26")] == [
            f"the canonical redirects: {SITE}about?v=1",
            f"the canonical redirects back to the page, which is listed: {SITE}about?v=1",
        ]


@pytest.mark.parametrize("query", ["keep", "drop"])
def test_V_04_a_canonical_with_a_query_is_another_page(tmp_path: Path, query: str) -> None:
    """URL-23: one cause, named once; only spellings of an index file are the same page."""
    names = ("", *PAGES)
    files = {f"{path}index.html": page(path, *PAGES, head=naming(f"{SITE}{path}?preview=1")) for path in names}
    for report in both(tmp_path, files, names, "--set", f"select.query={query}"):
        assert report["result"] == "drift"
        others = {f"{path}?preview=1": "added" for path in names} if query == "keep" else {}
        assert classes(report) == dict.fromkeys(names, "deindexed") | others
        assert report["causes"][0] == "the canonicals of 7 listed pages have another query: ?preview=1"


def test_V_04_a_listed_url_with_a_query_is_a_page(tmp_path: Path) -> None:
    for report in both(tmp_path, {"index.html": page("home", "?page=2")}, ("", "?page=2")):
        assert (report["result"], classes(report)) == ("in-sync", {})


def test_V_16_what_a_canonical_leads_to(tmp_path: Path) -> None:
    files = {
        "index.html": page("home", "gone/", "hidden/", "chain/", "moved/", "noindex/", "script.html", "loop/", "back/"),
        "gone/index.html": page("gone", head=naming(f"{SITE}missing/")),
        "noindex/index.html": page("noindex", head='<meta name="robots" content="noindex">'),
        "hidden/index.html": page("hidden", head=naming(f"{SITE}noindex/")),
        "chain/index.html": page("chain", head=naming(f"{SITE}hidden/")),
        "loop/index.html": page("loop", head=naming(f"{SITE}back/")),
        "back/index.html": page("back", head=naming(f"{SITE}loop/")),
        "moved/index.html": page("moved", head=naming(f"{SITE}chain")),
        "script.html": "<!doctype html><title>Moved</title><script>window.location.href = '/b';</script>",
    }
    listed = ("", "gone/", "hidden/", "chain/", "moved/", "loop/", "back/", "script.html")
    for report in both(tmp_path, files, listed):
        assert classes(report) == dict.fromkeys(listed[1:-1], "deindexed")
        assert {
            row["url"].removeprefix(SITE): row["message"].partition(":")[0] for row in findings(report, "HTML-26")
        } == {
            "gone/": "the canonical is no page",
            "hidden/": "the canonical is not indexable",
            "chain/": "the canonical names another page as its canonical",
            "loop/": "the canonical names another page as its canonical",
            "back/": "the canonical names another page as its canonical",
            "moved/": "the canonical redirects",
        }
        assert [row["message"] for row in findings(report, "HTML-47")] == [
            "an otherwise empty page redirects with a script: /b"
        ]


ESCAPED = "tags/c%2B%2B/"


@pytest.mark.parametrize(
    ("link", "canonical", "listed", "expected"),
    [
        pytest.param(ESCAPED, "", ESCAPED, {}, id="links and the sitemap escape it"),
        pytest.param(ESCAPED, ESCAPED, ESCAPED, {}, id="so does its canonical"),
        pytest.param("tags/c++/", ESCAPED, ESCAPED, {}, id="links do not, and its canonical counts first"),
        pytest.param("tags/c++/", "", ESCAPED, {ESCAPED: "merged", "tags/c++/": "added"}, id="links do not"),
        pytest.param(ESCAPED, "", "tags/c++/", {"tags/c++/": "merged", ESCAPED: "added"}, id="the sitemap does not"),
        pytest.param("", "", ESCAPED, {}, id="nothing but the sitemap names it"),
        pytest.param(ESCAPED, "tags/c++/", ESCAPED, {ESCAPED: "merged", "tags/c++/": "added"}, id="a canonical does not"),
        pytest.param("tags/c%2B+/", "", "tags/c%2B+/", {}, id="escaped in part"),
    ],
)  # fmt: skip
def test_V_37_a_file_answers_every_escape_of_its_path(
    tmp_path: Path, link: str, canonical: str, listed: str, expected: dict[str, str]
) -> None:
    """One document is one page, in the spelling that its canonical, links and the sitemap use."""
    files = {
        "index.html": page("home", "about/", *filter(None, (link,))),
        "about/index.html": page("about", "/"),
        "tags/c++/index.html": page("tag", "/about/", head=naming(SITE + canonical) if canonical else ""),
    }
    for report in both(tmp_path, files, ("", "about/", listed)):
        assert classes(report) == expected
        assert report["result"] == ("drift" if expected else "in-sync")


def test_URL_21_a_sitemap_of_folders_says_nothing_of_other_pages(tmp_path: Path) -> None:
    """Their links show which of the spellings that the host serves alike is used."""
    files = {"index.html": page("home", "b/", "deep/er"), "b/index.html": page("b", "/deep/er")}
    lay_out(files | {"deep/er.html": page("deeper", "/b/")}, ("", "b/"))
    clean = "location / { try_files $uri $uri/index.html $uri.html =404; }"
    reports = [judged("--path", "site", "--host", host) for host in ("nginx-clean", "github-pages", "render")]
    with nginx(tmp_path, tmp_path / "site", clean) as url:
        reports.append(judged("--url", url))
    for report in reports:
        assert classes(report) == {"deep/er": "added"}


def test_HTML_73_links_to_nothing(tmp_path: Path) -> None:
    """Each with the first page that has one; a page that is gone from the sitemap says it in its row."""
    files = {
        "index.html": page("home", "/a/", "/b/", "/missing", "/gone/", "/a"),
        "a/index.html": page("a", "/missing#part", "/gone/", "/a/missing/", "/old/"),
        "old/index.html": '<!doctype html><title>old</title><meta http-equiv="refresh" content="0; url=/nowhere/">',
        "b/index.html": page("b", "/missing", "https://other.example/missing"),
    }
    for report in both(tmp_path, files, ("", "a/", "b/", "gone/"), "--max-removed", "100%"):
        found = {row["url"].removeprefix(SITE): row for row in report["skipped"] if "links" in row}
        named = {path: (row["reason"], row["links"]["found_on"], row["links"]["pages"]) for path, row in found.items()}
        assert named.pop("old/") in [("redirect-broken", by, 1) for by in ("", f"{SITE}a/")]  # "": it is a file
        assert named == {
            "missing": ("gone", SITE, 3),
            "a/missing/": ("gone", f"{SITE}a/", 1),
        }
        (gone,) = report["removed"]
        assert (gone["links"]["found_on"], gone["links"]["pages"]) == (SITE, 2)
        rules = [(one["rule"], one["url"].removeprefix(SITE)) for one in report["findings"] if one["rule"] == "HTML-73"]
        assert sorted(rules) == [("HTML-73", path) for path in sorted(found)]


@pytest.mark.parametrize(
    ("option", "shown"),
    [
        pytest.param("checks.HTML-73=off", "Found, not listed (1)\n    https://www.example.com/missing  gone", id="off"),
        pytest.param("select.exclude=/missing", "Found, not listed (1)\n    https://www.example.com/missing  excl", id="excluded"),
        pytest.param("checks.HTML-73=error", "Links to nothing (1)\n  ! https://www.example.com/missing", id="as it is"),
    ],
)  # fmt: skip
def test_HTML_73_is_a_section_of_the_report(option: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    lay_out({"index.html": page("home", "/missing")}, ("",))
    judged("--path", "site", "--set", option)
    assert shown in capsys.readouterr().out


@pytest.mark.parametrize(("orphans", "dropped"), [("drop", ["left/"]), ("keep", [])])
def test_DIFF_08_a_page_that_nothing_links_any_more(tmp_path: Path, orphans: str, dropped: list[str]) -> None:
    """A link to another spelling of a page is one to the page."""
    files = {
        "index.html": page("home", "/a", "/b/index.html", "/c/?from=home"),
        **{f"{name}/index.html": page(name, "/") for name in ("a", "b", "c")},
        "left/index.html": page("left", "/", "/left/"),
    }
    listed = ("", "a/", "b/", "c/", "left/")
    for report in both(tmp_path, files, listed, "--set", f"select.orphans={orphans}", "--set", "select.query=drop"):
        found = [(row["url"].removeprefix(SITE), row["class"]) for row in report["removed"]]
        assert found == [(path, "dropped") for path in dropped]
        unlinked = [row["url"] for row in report["findings"] if row["rule"] == "HTML-68"]
        assert unlinked == ([] if dropped else [f"{SITE}left/"])


BUILDS = int(os.environ.get("SITEMAP_ACTION_BUILDS") or share(100))
MENDED = (640, 1409, 684, 792)  # canonicals that name the index file of a folder, redirects that the sitemap lists


def judgement(build: RandomBuild, *source: str) -> dict[str, object]:
    options = [word for option in build.options for word in ("--set", option)]
    report = judged(*source, "--set", "http.backoff=0.001", "--set", "policy.max-removed=none", *options)
    same = {name: report[name] for name in ("result", "exit_code", "complete", "stale")}
    return same | {"classes": classes(report)}


def test_random_builds_have_the_verdicts_of_their_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Redirects of the host, chains, loops, blocked hops, refresh stubs, canonicals, and what the config selects."""
    differing = {}
    for seed in {*range(BUILDS), *MENDED}:
        build, where = random_build(seed), tmp_path / str(seed)
        where.mkdir()
        monkeypatch.chdir(where)
        build.lay_out(Path("site"))
        Path("sitemap.xml").write_text(build.sitemap)
        folder = judgement(build, "--path", "site", "--host", build.host)
        with monkeypatch.context() as patch:
            engine = HostEngine(build, Path("site"))
            patch.setattr("sitemap_action.fetch.policies._engine", lambda *_, engine=engine: engine)
            served = judgement(build, "--url", SERVED)
        capsys.readouterr()
        if folder != served:
            differing[seed] = {name: (folder[name], served[name]) for name in folder if folder[name] != served[name]}
    assert differing == {}
