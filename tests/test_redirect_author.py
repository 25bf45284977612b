"""A change that renames pages: proposals, the patch, what is written, and a check that is green afterwards."""

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from repositories import commit, create, git
from runners import SITEMAP, Job, build, listed, urlset
from servers import serve
from sitemap_action.__main__ import run

HOME = "https://www.example.com/"
PAGE = '<!doctype html><html lang="en"><head><title>{0}</title></head><body>{1}<p>{2}</p></body></html>'


class Site:
    """Plain files in `public`, tracked by git, with a sitemap of theirs; `base` is the commit before the change."""

    def __init__(
        self, place: Path, pages: Mapping[str, str], files: Mapping[str, str], host: str, home: str = HOME
    ) -> None:
        self.place, self.host, self.home = place, host, home
        create(place)
        for name, text in {
            **{f"public/{page}": self._page(page, body) for page, body in pages.items()},
            **files,
        }.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text)
        self.commit()
        self.command("write")
        self.commit()
        git(place, "branch", "base")

    def _page(self, name: str, body: str) -> str:
        return PAGE.format(name, "", body)

    def commit(self) -> None:
        git(self.place, "add", "-A")
        git(self.place, "commit", "-q", "--allow-empty", "-m", "change")

    def command(self, *arguments: str) -> int:
        where = ("--path", "public", "--site-url", self.home, "--host", self.host, "--sitemap", "public/sitemap.xml")
        return run([*arguments, *where, "--quiet"])

    def rename(self, old: str, new: str) -> None:
        (self.place / "public" / new).parent.mkdir(parents=True, exist_ok=True)
        git(self.place, "mv", f"public/{old}", f"public/{new}")


def words(seed: int, count: int = 300) -> str:
    return "\n".join(" ".join(f"w{seed}x{line}x{number}" for number in range(10)) for line in range(count // 10))


LONG = "".join(f"Sentence {number} of a page that moves. " for number in range(40))
_MKDOCS = {"mkdocs.yml": f"site_name: x\nsite_url: {HOME}\n"}
PAGES = {"index.html": "Home", **{f"guide/{name}/index.html": words(seed) for seed, name in enumerate("abcd")}}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    return Site(tmp_path, PAGES, {"public/_redirects": "# by hand\n/short /guide/a/ 301\n"}, "cloudflare-pages")


def proposals(site: Site, capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    capsys.readouterr()
    assert site.command("redirects", "--format", "json", *arguments) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return found


def rows(found: list[dict[str, object]]) -> list[tuple[object, ...]]:
    return [(str(one["url"]).removeprefix(HOME), one["kind"], str(one["target"]).removeprefix(HOME)) for one in found]


def test_a_folder_is_renamed_and_the_patch_makes_the_check_green(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.rename("guide", "manual")
    site.commit()
    assert site.command("check", "--set", "baseline=git:base", "--report", "patch=p.diff") == 1
    assert f"redirect it to {HOME}manual/a/" in capsys.readouterr().out
    git(site.place, "apply", "p.diff")
    assert (site.place / "public/_redirects").read_text().startswith("# by hand\n/short /manual/a/ 301\n")
    assert site.command("check", "--set", "baseline=git:base") == 0
    assert proposals(site, capsys) == []


def test_each_rename_is_found_where_no_group_moved(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.rename("guide/a/index.html", "start/index.html")
    site.commit()
    found = proposals(site, capsys)
    assert rows(found) == [("guide/a/", "certain", "start/")]
    assert (found[0]["file"], found[0]["line"]) == ("public/_redirects", 3)


def test_a_page_that_went_into_another_is_a_choice(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    git(site.place, "rm", "-q", "public/guide/a/index.html")
    (site.place / "public/new").mkdir()
    (site.place / "public/new/index.html").write_text(PAGE.format("new", words(0, 150), words(9, 900)))
    site.commit()
    (found,) = proposals(site, capsys, "--write")
    assert (found["kind"], found["target"], found["share"]) == ("choose", f"{HOME}new/", pytest.approx(0.5, abs=0.1))
    assert "new" not in (site.place / "public/_redirects").read_text()


def test_write_adds_them_once(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.rename("guide", "manual")
    site.commit()
    assert site.command("redirects", "--write") == 0
    first = (site.place / "public/_redirects").read_bytes()
    assert first == b"# by hand\n/short /manual/a/ 301\n/guide/* /manual/:splat 301\n"
    assert "in place of /guide/a/" in capsys.readouterr().out
    assert site.command("redirects", "--write") == 0
    assert (site.place / "public/_redirects").read_bytes() == first


def test_where_a_guard_stops_the_write_the_patch_has_the_redirects_and_says_so(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    """With them nothing is lost any more, so that the next patch has the sitemap."""
    site.rename("guide", "manual")
    site.commit()
    limit = ("--set", "policy.max-removed=1", "--set", "baseline=git:base")
    assert site.command("check", *limit, "--report", "patch=p.diff") == 1
    patch = (site.place / "p.diff").read_text()
    assert patch.startswith(
        "# not in this patch, for `write` would change nothing: public/sitemap.xml (a guard of the policy tripped"
    )
    git(site.place, "apply", "p.diff")
    assert git(site.place, "diff", "--name-only").split() == ["public/_redirects"]
    assert site.command("check", *limit, "--report", "patch=p.diff") == 1
    git(site.place, "apply", "p.diff")
    assert site.command("check", *limit) == 0


_WHOLE = {
    "netlify": ("public/_redirects", "/guide/* /manual/:splat 301"),
    "cloudflare-pages": ("public/_redirects", "/guide/* /manual/:splat 301"),
    "vercel": ("vercel.json", '{ "source": "/guide/:path*", "destination": "/manual/:path*", "permanent": true }'),
    "firebase": ("firebase.json", '{ "source": "/guide/:rest*", "destination": "/manual/:rest", "type": 301 }'),
    "azure-swa": ("public/staticwebapp.config.json", ""),
}
_FILES = {
    "vercel": {"vercel.json": '{"cleanUrls": true}'},
    "firebase": {"firebase.json": '{"hosting": {"cleanUrls": true}}'},
    "azure-swa": {"public/staticwebapp.config.json": '{"routes": []}'},
}
_FLAT = {
    "index.html": "Home",
    "404.html": "none",
    **{f"guide/{name}.html": words(seed) for seed, name in enumerate("abcd")},
}
# host, files beside, what stays in the folder, whether it is one rule
FOLDERS: list[tuple[str, dict[str, str], str, bool]] = [
    *((host, {}, "", host != "azure-swa") for host in _WHOLE),
    ("netlify", {}, "guide/d.html", False),
    ("netlify", {"public/guide/picture.png": "x"}, "guide/picture.png", False),
    ("netlify", {"public/_redirects": "/guide/old/* /a 301\n"}, "", False),
    ("netlify", {"public/_redirects": "/blog/* /b 302\n"}, "", True),
    ("netlify", {"urls.txt": "/guide/z gone 2026-01-01 over\n"}, "", False),
    ("netlify", {"urls.txt": "/guide/a\n/other/z gone 2026-01-01 over\n"}, "", True),
]


@pytest.mark.parametrize(("host", "files", "stays", "one"), FOLDERS)
def test_a_folder_is_one_rule_where_all_that_it_catches_agrees(
    host: str, files: dict[str, str], stays: str, one: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is written, nothing is lost afterwards."""
    monkeypatch.chdir(tmp_path)
    site = Site(tmp_path, _FLAT, {**_FILES.get(host, {}), **files}, host)
    site.rename("guide", "manual")
    if stays:
        site.rename(f"manual/{stays.partition('/')[2]}", stays)
    site.commit()
    ledger = ("--set", f"policy.ledger={'urls.txt' if 'urls.txt' in files else ''}")
    assert site.command("redirects", "--write", *ledger) == 0
    path, rule = _WHOLE[host]
    text = (tmp_path / path).read_text()
    assert (bool(rule) and rule in text, "/guide/a" not in text) == (one, one), text
    assert site.command("check", "--set", "baseline=git:base", "--set", "policy.fail-on=lost", *ledger) == 0


# value of output.redirects, the file that `write` changes beside the sitemap
SETTINGS = [("off", ""), ("auto", "public/_redirects"), ("public/_redirects", "public/_redirects")]


@pytest.mark.parametrize(("setting", "path"), SETTINGS)
def test_writing_modes_add_them_where_the_config_says_so(site: Site, setting: str, path: str) -> None:
    site.rename("guide", "manual")
    site.commit()
    site.command("write", "--set", f"output.redirects={setting}", "--set", "policy.max-removed=none")
    changed = set(git(site.place, "diff", "--name-only").split()) - {"public/sitemap.xml"}
    assert changed == ({path} if path else set())


@pytest.mark.parametrize("path", ["../_redirects", ".git/config", ".github/workflows/a.yml", "/etc/passwd"])
def test_a_hostile_config_names_no_file_elsewhere(site: Site, path: str, capsys: pytest.CaptureFixture[str]) -> None:
    site.rename("guide", "manual")
    site.commit()
    assert site.command("write", "--set", f"output.redirects={path}") == 2
    assert "output.redirects" in capsys.readouterr().err
    assert git(site.place, "status", "--porcelain") == ""


def test_no_redirect_is_written_through_a_link(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    (site.place / "elsewhere").write_text("kept\n")
    (site.place / "public/_redirects").unlink()
    (site.place / "public/_redirects").symlink_to("../elsewhere")
    site.rename("guide", "manual")
    site.commit()
    site.command("redirects", "--write")
    assert (site.place / "elsewhere").read_text() == "kept\n"
    assert "_redirects" in capsys.readouterr().out


def test_a_rule_that_would_not_be_served_is_not_proposed(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    (site.place / "public/_redirects").write_text("/guide/* /gone/:splat 301\n")
    site.commit()
    site.rename("guide/a/index.html", "start/index.html")
    site.commit()
    assert proposals(site, capsys) == [], "the rule for the folder answers first"


def test_the_start_page_is_no_target(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    git(site.place, "rm", "-q", "public/index.html")
    site.rename("guide/a/index.html", "index.html")
    site.commit()
    assert rows(proposals(site, capsys)) == [("guide/a/", "none", "")]


def test_without_git_the_groups_are_known_and_the_reason_is_said(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.rename("guide/a/index.html", "start/index.html")
    shutil.rmtree(site.place / ".git")
    (found,) = proposals(site, capsys)
    assert (found["kind"], found["why"]) == ("none", "there is no git repository here")


@pytest.mark.parametrize("kept", [("--set", "output.fingerprints=x.fingerprints"), ("--state", "x.state")])
def test_a_page_has_its_content_at_a_new_address(
    kept: tuple[str, ...], site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    assert site.command("write", *kept) == 0
    shutil.rmtree(site.place / ".git")
    (site.place / "public/start").mkdir()
    (site.place / "public/guide/a/index.html").rename(site.place / "public/start/index.html")
    assert rows(proposals(site, capsys, *kept)) == [("guide/a/", "certain", "start/")]


def test_a_shallow_clone_says_what_it_lacks(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    site.rename("guide/a/index.html", "start/index.html")
    site.commit()
    git(site.place, "clone", "-q", "--depth=1", f"file://{site.place}", "shallow")
    shutil.rmtree(site.place / ".git")
    site.place = site.place / "shallow"
    monkeypatch.chdir(site.place)
    git(site.place, "remote", "remove", "origin")
    (found,) = proposals(site, capsys)
    assert found["kind"] == "none"
    assert found["why"]


def test_the_report_for_programs_has_the_line_to_add(site: Site) -> None:
    site.rename("guide/a/index.html", "start/index.html")
    site.commit()
    site.command("check", "--report", "json=r.json")
    (row,) = json.loads((site.place / "r.json").read_text())["removed"]
    assert row["fixes"] == [{"path": "public/_redirects", "line": 3, "replacement": "/guide/a/ /start/ 301\n"}]


def apply_fixes(text: str, fixes: Iterable[dict[str, Any]]) -> str:
    """What an editor makes of the fixes of a SARIF file."""
    lines: dict[int, list[str]] = {}
    for fix in fixes:
        for change in fix["artifactChanges"]:
            for one in change["replacements"]:
                assert one["deletedRegion"]["startColumn"] == one["deletedRegion"]["endColumn"] == 1
                lines.setdefault(one["deletedRegion"]["startLine"], []).append(one["insertedContent"]["text"])
    old = [*text.splitlines(keepends=True), ""]
    return "".join(part for at, line in enumerate(old, 1) for part in (*lines.get(at, ()), line))


@pytest.mark.parametrize("folder", [False, True], ids=["two pages", "a folder"])
def test_each_format_has_the_repair_where_it_has_a_place_for_one(folder: bool, site: Site) -> None:
    if folder:
        (site.place / "public/_redirects").write_text("# by hand\n")
        site.rename("guide", "manual")
    else:
        site.rename("guide/b/index.html", "start/index.html")
        site.rename("guide/c/index.html", "end/index.html")
    site.commit()
    forms = ("json", "sarif", "junit", "gitlab", "csv", "annotations", "markdown", "text")
    site.command("check", "--set", "baseline=git:base", *(f"--report={form}={form}.out" for form in forms))
    texts = {form: (site.place / f"{form}.out").read_text() for form in forms}
    target = f"{HOME}manual/a/" if folder else f"{HOME}start/"
    assert [form for form, text in texts.items() if target not in text] == []
    assert [form for form, text in texts.items() if f"redirect it to {target}" not in text] == [
        "json",
        "csv",
        "markdown",
    ]
    rule, finding = ("DIFF-11", "DIFF-11") if folder else ("listed-gone", "POL-02")
    results = json.loads(texts["sarif"])["runs"][0]["results"]
    before = (site.place / "public/_redirects").read_text()
    fixed = [fix for one in results for fix in one.get("fixes", ()) if one["ruleId"] == rule]
    site.command("check", "--set", "baseline=git:base", "--set", "policy.fail-on=none", "--report=json=json.out")
    findings = json.loads((site.place / "json.out").read_text())["findings"]
    fixes = [fix for one in findings if one["rule"] == finding for fix in one["fixes"]]
    added = {
        "path": "public/_redirects",
        "line": 2 if folder else 4,
        "replacement": f"/guide/{'* /manual/:splat' if folder else 'c/ /end/'} 301\n",
    }
    assert (len(fixes), added in fixes) == (1 if folder else 2, True)
    assert site.command("redirects", "--write") == 0
    after = (site.place / "public/_redirects").read_text()
    assert sorted(apply_fixes(before, fixed).splitlines()) == sorted(after.splitlines())


BELOW = f"{HOME}docs/"
# the file before, the row that is added (None: text to paste)
BELOW_A_PATH = [
    ("with the path", "/docs/x /docs/guide/a/ 301\n", "/docs/guide/b/ /docs/start/ 301"),
    ("without it, which a proxy takes away", "/x /guide/a/ 301\n", "/guide/b/ /start/ 301"),
    ("nothing tells", "# none\n", None),
    ("both", "/docs/x /docs/guide/a/ 301\n/y /guide/a/ 301\n", None),
]


@pytest.mark.parametrize(("before", "row"), [one[1:] for one in BELOW_A_PATH], ids=[one[0] for one in BELOW_A_PATH])
def test_below_a_path_the_rows_that_are_there_tell(
    before: str, row: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    site = Site(tmp_path, PAGES, {"public/_redirects": before}, "cloudflare-pages", BELOW)
    site.rename("guide/b/index.html", "start/index.html")
    site.commit()
    capsys.readouterr()
    assert site.command("redirects", "--write") == 0
    shown, after = capsys.readouterr().out, (tmp_path / "public/_redirects").read_text()
    assert after == (before if row is None else f"{before}{row}\n")
    assert ("/docs/guide/b/,/docs/start/,301" in shown, "add one row by hand" in shown) == (row is None, row is None)
    assert site.command("check", "--set", "baseline=git:base", "--set", "policy.fail-on=lost") == (row is None)


# other files of the repository, host, what the proposal says; the site is crawled
CRAWLED = [
    ("its rule is served", {}, "git has its source as renamed"),
    ("another file comes first", {"docs/_redirects": "/guide/* /archive/:splat 301!\n"}, "leads to"),
]


@pytest.mark.parametrize(("files", "says"), [one[1:] for one in CRAWLED], ids=[one[0] for one in CRAWLED])
def test_of_a_site_that_is_crawled_the_repository_says_what_its_host_does(
    files: dict[str, str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    create(tmp_path)
    toml = '[[redirects]]\n  from = "/x/"\n  to = "/new/"\n'
    kept = {"docs/index.md": "home", "netlify.toml": toml, "sitemap.xml": urlset("", "guide"), **_MKDOCS, **files}
    base = commit(tmp_path, {**kept, "docs/guide.md": LONG}, branch="main")
    commit(tmp_path, {**kept, "docs/new.md": LONG}, base, branch="main")
    git(tmp_path, "checkout", "-q", "-f", "main")
    home = '<!doctype html><title>home</title><a href="/new/">new</a>'
    with serve({"/": home, "/new/": f"<!doctype html><title>new</title><p>{LONG}", "/robots.txt": ""}) as served:
        where = ("--url", served.url, "--site-url", HOME, "--sitemap", "sitemap.xml", "--quiet")
        named = ("--set", "output.redirects=netlify.toml")
        assert run(["redirects", *where, *named, "--allow-private-hosts", "127.0.0.1"]) == 0
    assert says in capsys.readouterr().out


def test_where_no_host_is_known_the_report_says_that_nothing_was_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A build may copy a file of redirects that is above its folder."""
    monkeypatch.chdir(tmp_path)
    site = Site(tmp_path, PAGES, {"_redirects": "/x /guide/a/ 301\n"}, "auto")
    site.rename("guide/b/index.html", "start/index.html")
    site.commit()
    capsys.readouterr()
    assert site.command("redirects") == 0
    shown = capsys.readouterr().out
    assert ("+/guide/b/ /start/ 301" in shown, "could not be tried" in shown) == (True, True), shown


def test_thousands_of_pages_are_proposed_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pages = {"index.html": "Home"} | {f"old/{number}/index.html": words(number, 20) for number in range(1_500)}
    site = Site(tmp_path, pages, {}, "netlify")
    site.rename("old", "new")
    site.commit()
    found = proposals(site, capsys)
    assert {one["kind"] for one in found} == {"certain"}
    assert len(found) == 1_500


# --- commits and pull requests ---

UPDATE = "sitemap-action/update"
HEAD = "---\ntitle: x\n---\n"


class Kept(NamedTuple):
    """What keeps redirects: host, files beside the sources, the folder of these, what is edited, the line it gets."""

    host: str
    files: dict[str, str]
    sources: str
    path: str
    line: str


_ASTRO = {
    "package.json": '{"dependencies": {"astro": "5"}}',
    "astro.config.mjs": "export default {\n  redirects: {\n    '/x': '/a/',\n  },\n};\n",
}
_DOCUSAURUS = "module.exports = {\n  plugins: [['@docusaurus/plugin-client-redirects', {\n    redirects: [\n      { from: '/x/', to: '/a/' },\n    ],\n  }]],\n};\n"
_SPHINX = "extensions = ['sphinxext.rediraffe']\nrediraffe_redirects = {\n    'x.rst': 'a.rst',\n}\n"
_PLUGIN = {
    "mkdocs.yml": f"site_name: x\nsite_url: {HOME}\nplugins:\n  - redirects:\n      redirect_maps:\n        x.md: a.md\n"
}
KEPT = {
    "_redirects": Kept("cloudflare-pages", _MKDOCS, "docs/{}.md", "docs/_redirects", "/old/ /new/ 301"),
    "netlify.toml": Kept("netlify", {**_MKDOCS, "netlify.toml": '[[redirects]]\n  from = "/x/"\n  to = "/a/"\n'}, "docs/{}.md", "netlify.toml", '  to = "/new/"'),
    "vercel.json": Kept("vercel", _MKDOCS, "docs/{}.md", "vercel.json", '    { "source": "/old/", "destination": "/new/", "permanent": true }'),
    "firebase.json": Kept("firebase", {**_MKDOCS, "firebase.json": '{\n  "hosting": {\n    "public": "dist"\n  }\n}\n'}, "docs/{}.md", "firebase.json", '      { "source": "/old/", "destination": "/new/", "type": 301 }'),
    "staticwebapp.config.json": Kept("azure-swa", {**_MKDOCS, "docs/staticwebapp.config.json": '{\n  "routes": []\n}\n'}, "docs/{}.md", "docs/staticwebapp.config.json", '    { "route": "/old/", "redirect": "/new/", "statusCode": 301 }'),
    "MkDocs": Kept("github-pages", _PLUGIN, "docs/{}.md", "mkdocs.yml", "        old.md: new.md"),
    "Hugo": Kept("github-pages", {"hugo.toml": f'baseURL = "{HOME}"\n'}, "content/{}.md", "content/new.md", "  - /old/"),
    "Jekyll": Kept("github-pages", {"_config.yml": "permalink: pretty\nplugins: [jekyll-redirect-from]\n"}, "{}.md", "new.md", "  - /old/"),
    "Astro": Kept("github-pages", _ASTRO, "src/pages/{}.md", "astro.config.mjs", "    '/old': '/new/',"),
    "Docusaurus": Kept("github-pages", {"package.json": '{"dependencies": {"@docusaurus/core": "3"}}', "docusaurus.config.js": _DOCUSAURUS}, "src/pages/{}.md", "docusaurus.config.js", "      { from: '/old/', to: '/new/' },"),
    "Sphinx": Kept("github-pages", {"conf.py": _SPHINX}, "{}.rst", "conf.py", "    'old.rst': 'new.rst',"),
}  # fmt: skip
CONFIG = "source: {{host: {0}}}\noutput: {{redirects: auto}}\n"


def renamed(job: Job, kept: Kept) -> dict[str, str]:
    """A branch on which a page was renamed, checked out; what is built of it."""
    sources = {kept.sources.format(name): f"{HEAD}{name}\n" for name in ("index", "a")}
    old, new = kept.sources.format("old"), kept.sources.format("new")
    job.site.commit({**sources, **kept.files, SITEMAP: urlset("", "a", "old"), old: HEAD + LONG})
    job.site.commit({old: None, new: HEAD + LONG})
    job.checkout(depth=50)
    return {**build("a", "new"), ".github/sitemap.yml": CONFIG.format(kept.host)}


@pytest.mark.parametrize("apart", [False, True], ids=["one process", "two processes"])
@pytest.mark.parametrize("name", KEPT)
def test_redirects_go_with_the_sitemap(name: str, apart: bool, job: Job) -> None:
    """One commit has both, and a second run adds nothing; modes alternate."""
    kept = KEPT[name]
    mode = "commit" if ([*KEPT].index(name) % 2) == apart else "pull-request"
    site, at, token = renamed(job, kept), "main" if mode == "commit" else UPDATE, job.hub.token()
    before = job.site.head()
    ended = job.run(token, site, mode=mode, apart=apart)
    assert (ended.code, ended.outputs["changed"]) == (0, "true"), ended.log
    head = job.site.head(at)
    assert {*job.site.ask("diff", "--name-only", before, head).split()} == {SITEMAP, kept.path}, ended.log
    assert listed(job.site, at) == ["", "a", "new"]
    assert kept.line in (job.site.read(kept.path, at) or b"").decode().splitlines()
    if not apart:
        again = job.run(token, site, mode=mode)
        assert (again.code, job.site.head(at)) == (0, head), again.log
