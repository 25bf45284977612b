"""What becomes of the redirect rules of each host (RT-01…RT-04): in rows, and against a walk that shares no code with the package.

SITEMAP_ACTION_REDIRECT_TABLES=2000 sets how many random sites there are for each host.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from examples import share
from host_builds import PAGES, served
from known_faults import html, put
from redirect_reference import HOME, HOSTS, RandomSite, random_site
from sitemap_action.__main__ import run
from sitemap_action.html.document import NO_OPTIONAL
from sitemap_action.model.source import Hosting, RuleFate
from sitemap_action.walk.build import Build, judge_redirects

SITES = int(os.environ.get("SITEMAP_ACTION_REDIRECT_TABLES") or share(300))
UNDECIDED = {"served", "unserved"}  # of a rule with a placeholder only some are known to be never served


def hosting(
    host: str, controls: Mapping[str, str], pages: tuple[str, ...] = PAGES, seeds: Sequence[str] = (), base: str = HOME
) -> Hosting:
    build = served(host, controls, pages, site_url=base)
    return judge_redirects(Build("dist", base, build.host, NO_OPTIONAL), build, seeds, ("_redirects",), "dist/")


def fates(site: RandomSite) -> list[RuleFate]:
    return [rule.fate for rule in hosting(site.host.split()[0], site.control_files(), site.files).redirects]


@pytest.mark.parametrize("host", HOSTS)
def test_RT_every_rule_has_the_fate_that_a_brute_force_walk_finds(host: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(SITES):
        site = random_site(host, seed)
        expected = [site.fate(number) for number in range(len(site.rules))]
        for rule, fate, want in zip(site.rules, fates(site), expected, strict=True):
            seen[fate] += 1
            undecided = rule.kind != "path" and fate is RuleFate.SERVED and want in UNDECIDED
            assert undecided or fate == want, (seed, rule, fate, want, site.files, site.control_files())
    assert {*RuleFate} - {RuleFate.UNKNOWN} <= seen.keys()


def text(*lines: str) -> dict[str, str]:
    return {"_redirects": "".join(f"{line}\n" for line in lines)}


def vercel(*rows: Mapping[str, object], **more: object) -> dict[str, str]:
    return {"vercel.json": json.dumps({**more, "redirects": [{"permanent": True, **row} for row in rows]})}


def to(source: str, destination: str, **more: object) -> dict[str, object]:
    return {"source": source, "destination": destination, **more}


TOO_MANY = (
    "the host takes 2,000 static rules and 100 with placeholders, and all rules below the first of these count as such"
)
GONE = f"leads to {HOME}none, which answers 404"
# id, host, control files, the last rule's fate, and a part of its detail
ROWS: tuple[tuple[str, str, Mapping[str, str], str, str], ...] = (
    ("a dead end", "netlify", text("/old /none 301"), "dead-end", GONE),
    ("a chain", "netlify", text("/y /folder/ 301", "/x /y 301"), "chain", f"takes 2 redirects to {HOME}folder/"),
    ("a chain by the host", "netlify", text("/x /folder"), "chain", f"takes 2 redirects to {HOME}folder/"),
    ("a loop", "netlify", text("/b /a", "/a /b"), "loop", f"comes back, by {HOME}b"),
    ("into a loop", "netlify", text("/b /a", "/a /b", "/c /a"), "dead-end", f"leads into a loop at {HOME}a"),
    ("a loop of one", "cloudflare-pages", text("/a /a"), "loop", "comes back"),
    ("a loop with a query", "cloudflare-pages", text("/a /a?x=1"), "loop", "comes back"),
    ("ten hops", "cloudflare-pages", text("/a9 /file", *(f"/a{n} /a{n + 1}" for n in range(8, -1, -1))), "chain", "takes 10 redirects"),
    ("eleven", "cloudflare-pages", text("/b9 /file", *(f"/b{n} /b{n + 1}" for n in range(8, -1, -1)), "/c /b0"), "dead-end", f"leads to more than 10 redirects, on to {HOME}file"),
    ("a hash", "netlify", text("/old /folder/#part"), "served", ""),
    ("a query", "netlify", text("/old /folder/?x=1"), "served", ""),
    ("a file that is no page", "netlify", text("/old /404.html"), "served", ""),
    ("escapes", "netlify", text("/ü /folder/", "/old /%c3%bc"), "chain", "takes 2"),
    ("another case", "netlify", text("/OLD /folder/", "/x /old"), "dead-end", f"{HOME}old, which answers 404"),
    ("an address of the site", "netlify", text(f"/old {HOME}none"), "dead-end", GONE),
    ("of another", "netlify", text("/old https://y.com/none"), "served", ""),
    ("of another protocol", "netlify", text("/old http://www.example.com/none"), "served", ""),
    ("of the site, in the source", "netlify", text(f"{HOME}old /none 301!"), "dead-end", GONE),
    ("of another, in the source", "netlify", text("http://y.com/old /none 301!"), "unknown", "it is for another host"),
    ("a rule with a status", "netlify", text("/none / 410", "/old /none"), "dead-end", f"leads to {HOME}none, which answers 410"),
    ("a proxy", "netlify", text("/api/* https://y.com/:splat 200", "/old /api/x"), "served", ""),
    ("a fallback", "netlify", text("/old /none 301!", "/* /index.html 200"), "served", ""),
    ("what a fallback serves", "netlify", {**text("/old /none 301"), "netlify.toml": '[[redirects]]\nfrom = "/*"\nto = "/index.html"\nstatus = 200'}, "served", ""),
    ("a language", "netlify", text("/ /none 302 Language=de"), "unknown", "it holds for some visitors or queries only"),
    ("leads to what a language changes", "netlify", text("/none /folder/ 302 Language=de", "/old /none"), "unknown", "another rule may answer /none"),
    ("and a query", "netlify", text("/none id=:id /folder/", "/old /none?id=1"), "unknown", "another rule may answer /none"),
    ("a placeholder in the target alone", "netlify", text("/old /none/:splat"), "dead-end", "answers 404"),
    ("a function", "netlify", text("/old /.netlify/functions/x"), "served", ""),
    ("hidden by a file", "netlify", text("/file / 301"), "unserved", "file.html is served in its place"),
    ("forced", "netlify", text("/file / 301!"), "served", ""),
    ("by an index", "netlify", text("/folder/ / 301"), "unserved", "folder/index.html is served in its place"),
    ("what the host does without it", "netlify", text("/folder /folder/ 301"), "served", ""),
    ("a slash alone", "netlify", text("/a /a/ 301"), "unserved", "it leads back to its own path, and the host leaves it out"),
    ("by a rule", "netlify", text("/w/* /", "/w/a /file"), "unserved", "_redirects line 1 comes first"),
    ("with a placeholder, by a rule", "netlify", text("/w/* /", "/w/:a/b /file"), "unserved", "_redirects line 1 takes every path of it"),
    ("not by one beside", "netlify", text("/w/:a /", "/w/* /file"), "served", ""),
    ("not by one that is longer", "netlify", text("/w/* /", "/w* /file"), "served", ""),
    ("by all paths", "netlify", text("/* /index.html 200", "/w/* /file"), "unserved", "_redirects line 1 takes every path of it"),
    ("no target", "netlify", text("/a"), "unserved", "it names no target that starts with /, http: or https:"),
    ("HOST-06 static below dynamic", "cloudflare-pages", text("/a/* /", *(f"/a{n} /" for n in range(100))), "unserved", TOO_MANY),
    ("HOST-06 many static", "cloudflare-pages", text(*(f"/a{n} /" for n in range(2_001))), "unserved", TOO_MANY),
    ("HOST-06 the last static", "cloudflare-pages", text(*(f"/a{n} /" for n in range(2_000))), "served", ""),
    ("HOST-06 a dynamic one below", "cloudflare-pages", text(*(f"/a{n} /" for n in range(2_001)), "/b/* /"), "served", ""),
    ("HOST-06 many dynamic", "cloudflare-pages", text(*(f"/a{n}/* /" for n in range(101))), "unserved", TOO_MANY),
    ("HOST-06 workers", "cloudflare-workers", text(*(f"/a{n}/* /" for n in range(101))), "unserved", f"{TOO_MANY}; the deployment to Workers refuses the file"),
    ("HOST-06 http", "cloudflare-pages", text("/a http://y.com"), "unserved", "its target is neither a path nor an https:// URL"),
    ("HOST-06 too long", "cloudflare-pages", text("/" + "a" * 2_000 + " /b"), "unserved", "at most 2,000 characters"),
    ("HOST-06 twice", "cloudflare-pages", text("/a /", "/a /file"), "unserved", "a rule above it has the same path"),
    ("HOST-06 without end", "cloudflare-pages", text("/* /index.html 200"), "unserved", "it would lead back to itself without end"),
    ("HOST-06 an index without end", "cloudflare-workers", text("/ /index.html"), "unserved", "it would lead back to itself without end"),
    ("HOST-06 html_handling: none", "cloudflare-workers", {**text("/ /index.html"), "wrangler.toml": '[assets]\nhtml_handling = "none"'}, "served", ""),
    ("a worker behind the files", "cloudflare-workers", {**text("/old /none"), "wrangler.toml": 'main = "x.js"\n[assets]'}, "unknown", "wrangler.toml has main: a Worker answers where no file does"),
    ("vercel", "vercel", vercel(to("/old", "/none")), "dead-end", GONE),
    ("vercel, a cookie", "vercel", vercel(to("/old", "/none", has=[{"type": "cookie", "key": "x"}])), "unknown", "it holds for some requests only"),
    ("vercel, what is not read", "vercel", vercel(to("/(?<!x)y", "/"), to("/old", "/none")), "unknown", "vercel.json line 1: its source is no pattern that can be read here"),
    ("vercel, an unknown name", "vercel", vercel(to("/old", "/:x")), "unserved", "its destination names :x, which its source does not have"),
    ("vercel, code", "vercel", vercel(to("/old", "/api/x")), "unknown", "code may answer /api/x"),
    ("vercel, functions", "vercel", vercel(to("/old", "/none"), functions={"x": {}}), "unknown", "vercel.json has functions, which may answer any path"),
    ("vercel, another spelling", "vercel", vercel(to("/old.html", "/folder"), cleanUrls=True), "unserved", "the host redirects /old.html to /old before"),
    ("vercel, two of one line", "vercel", vercel(to("/old", "/folder"), to("/b", "/none")), "dead-end", GONE),
    ("firebase", "firebase", {"firebase.json": '{"hosting": {"redirects": [{"source": "/old", "destination": "/none"}]}}'}, "dead-end", GONE),
    ("firebase, a function", "firebase", {"firebase.json": '{"hosting": {"redirects": [{"source": "/old", "destination": "/none"}], "rewrites": [{"source": "/none", "function": "x"}]}}'}, "served", ""),
    ("azure", "azure-swa", {"staticwebapp.config.json": '{"routes": [{"route": "/old", "redirect": "/none"}]}'}, "dead-end", GONE),
    ("azure, a login", "azure-swa", {"staticwebapp.config.json": '{"routes": [{"route": "/in", "allowedRoles": ["a"]}, {"route": "/old", "redirect": "/in"}]}'}, "dead-end", "answers 401"),
)  # fmt: skip


@pytest.mark.parametrize(("host", "controls", "fate", "detail"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_RT_a_rule(host: str, controls: Mapping[str, str], fate: str, detail: str) -> None:
    rules = [rule for rule in hosting(host, controls).redirects if 300 <= rule.status < 400 or rule.fate != "served"]
    assert rules[-1].fate == fate, rules[-1]
    assert detail in rules[-1].detail
    assert bool(detail) == bool(rules[-1].detail)


# host, control files, file and line of each rule
PLACES: tuple[tuple[str, Mapping[str, str], list[tuple[str, int]]], ...] = (
    ("netlify", text("# moved", "", "/a /b", "/b /c # x"), [("dist/_redirects", 3), ("dist/_redirects", 4)]),
    ("netlify", {"netlify.toml": '# [[redirects]]\n[[redirects]]\nfrom = "/a"\nto = "/b"\n\n[[ redirects ]] # x\nfrom = "/b"\nto = "/c"\n'}, [("netlify.toml", 2), ("netlify.toml", 6)]),
    ("netlify", {"netlify.toml": 'redirects = [\n{from = "/a", to = "/b"}]'}, [("netlify.toml", 0)]),
    ("vercel", {"vercel.json": '{"redirects": [\n{"source": "/a{b}", "destination": "/b", "has": []},\n\n{\n"source": "/c", "destination": "/d"}]}'}, [("vercel.json", 2), ("vercel.json", 4)]),
    ("firebase", {"firebase.json": '{// {\n"hosting": {"redirects": [/* {\n */\n{"source": "/a", "destination": "/b"}]}}'}, [("firebase.json", 4)]),
    ("azure-swa", {"staticwebapp.config.json": '{"routes": [{"route": "/x"},\n{"route": "/a",\n"redirect": "/b"}]}'}, [("staticwebapp.config.json", 1), ("staticwebapp.config.json", 2)]),
)  # fmt: skip


@pytest.mark.parametrize(("host", "controls", "places"), PLACES)
def test_RT_a_rule_has_its_file_and_line(host: str, controls: Mapping[str, str], places: list[tuple[str, int]]) -> None:
    assert [rule.place for rule in hosting(host, controls).redirects] == places


# --- documents that redirect, as generators write them for old addresses ---


def docusaurus(to: str) -> str:
    return f"""<!DOCTYPE html><html><head><meta charset="UTF-8"><meta http-equiv="refresh" content="0; url={to}">
<link rel="canonical" href="{to}" /></head><script>
  window.location.href = '{to}' + window.location.search + window.location.hash;</script></html>"""


def mkdocs(to: str) -> str:
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Redirecting...</title>
<link rel="canonical" href="{to}"><script>var anchor=window.location.hash.substr(1);location.href="{to}"+(anchor?"#"+anchor:"")
</script><meta http-equiv="refresh" content="0; url={to}"></head>
<body>You're being redirected to a <a href="{to}">new destination</a>.</body></html>"""


SITE = "https://www.example.com/repo/"
# id, host, target of each document and rule, what is said: rule, file, line and part of the message
STUBS: tuple[tuple[str, str, Mapping[str, str], list[tuple[str, str, int, str]]], ...] = (
    ("a page", "generic", {"old": "/repo/page/"}, []),
    ("relative", "generic", {"old": "../page/"}, []),
    ("a part of it", "generic", {"old": "../page/#part"}, []),
    ("with a query", "generic", {"old": "../page/?from=old"}, []),
    ("another site", "generic", {"old": "https://other.example/none"}, []),
    ("itself", "generic", {"old": "/repo/old/#part"}, []),
    ("nothing", "generic", {"old": "/repo/none/"}, [("RT-01", "dist/old/index.html", 1, "/old/ leads to https://www.example.com/repo/none/, which answers 404")]),
    ("a chain", "generic", {"old": "/repo/x/", "x": "/repo/page/"}, [("RT-03", "dist/old/index.html", 1, "/old/ takes 2 redirects to https://www.example.com/repo/page/")]),
    ("what the host does for its pages", "generic", {"old": "/repo/page"}, []),
    ("a loop", "generic", {"old": "/repo/x/", "x": "/repo/old/"}, [("RT-02", "dist/old/index.html", 1, "/old/ comes back, by https://www.example.com/repo/x/"), ("RT-02", "dist/x/index.html", 1, "/x/ comes back")]),
    ("a loop by another spelling", "generic", {"old": "/repo/x/index.html", "x": "/repo/old"}, [("RT-02", "dist/old/index.html", 1, ""), ("RT-02", "dist/x/index.html", 1, "")]),
    ("the host is not known", "auto", {"old": "/repo/none/"}, []),
    ("what a build lists below a point", "generic", {"old": "/repo/.well-known/x"}, []),
)  # fmt: skip


@pytest.mark.parametrize("write", [docusaurus, mkdocs])
@pytest.mark.parametrize(("host", "stubs", "said"), [pytest.param(*row[1:], id=row[0]) for row in STUBS])
def test_RT_a_document_that_redirects_is_a_rule(
    host: str,
    stubs: Mapping[str, str],
    said: list[tuple[str, str, int, str]],
    write: Callable[[str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    pages = {"index.html": html(""), "page/index.html": html("page"), "404.html": "<p>404"}
    put(tmp_path, {f"dist/{path}": text for path, text in pages.items()})
    put(tmp_path, {f"dist/{name}/index.html": write(to) for name, to in stubs.items()})
    found = check("--site-url", SITE, "--host", host)
    assert len(found) == len(said), found
    for row, (rule, path, line, message) in zip(found, said, strict=True):
        assert (row["rule"], row["path"], row["line"]) == (rule, path, line)
        assert message in row["message"]


def check(*flags: str) -> list[dict[str, Any]]:
    """What is said of redirect rules."""
    run(
        ["check", "--path", "dist", *flags, "--sitemap", "sitemap.xml", "--no-progress", "--report", "json=report.json"]
    )
    findings = json.loads(Path("report.json").read_text())["findings"]
    return [row for row in findings if row["rule"].startswith("RT-")]


def test_RT_a_rule_may_lead_to_a_document_that_redirects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"index.html": html(""), "page/index.html": html("page"), "404.html": "<p>404"}
    stubs = {
        "old/index.html": mkdocs("../page/"),
        "dead/index.html": mkdocs("../none/"),
        "back/index.html": mkdocs("/to"),
    }
    rules = {"_redirects": "/a /old/ 301\n/b /dead/ 301\n/to /back/ 301\n/page/* /.netlify/functions/x\n"}
    put(tmp_path, {f"dist/{path}": text for path, text in {**files, **stubs, **rules}.items()})
    found = check("--site-url", HOME, "--host", "netlify")
    named = {(row["rule"], row["path"].removeprefix("dist/"), row["line"]) for row in found}
    assert named == {("RT-03", "_redirects", 1), ("RT-01", "_redirects", 2), ("RT-02", "_redirects", 3), ("RT-01", "dead/index.html", 1), ("RT-02", "back/index.html", 1)}  # fmt: skip


def test_RT_below_a_path_nothing_is_known_of_what_rules_lead_to() -> None:
    rules = hosting("netlify", text("/old /none", "/w/* /", "/w/:a /"), base=f"{HOME}docs/").redirects
    assert [rule.fate for rule in rules] == ["unknown", "served", "unserved"]


def test_RT_04_a_url_without_an_answer_needs_a_rule_that_is_never_served() -> None:
    """Whatever the host compares: Netlify a path without its slash, Cloudflare the path as it is."""
    lines = ("/a/* /", *(f"/b{number} /" for number in range(99)), "/old /folder/ 301", "/file /folder/ 301", "/w/* /")
    urls = [f"{HOME}{path}" for path in ("old", "old/", "file", "w/x?q=1", "b0", "none", "")]
    needed = hosting("cloudflare-pages", text(*lines), seeds=[*urls, "https://y.com/old"]).needed
    assert {url: rule.place.line for url, rule in needed.items()} == {urls[0]: 101, urls[3]: 103}
    assert {rule.fate for rule in needed.values()} == {"unserved"}
