"""Eighty mistakes that people make on the command line and in the config, each with what it says in the first round (U-31).

A sentence names what was given, and what to write instead: the second command of a person can be right.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from runners import urlset
from sitemap_action.__main__ import run

SITE = "--site-url=https://www.example.com/"
PAGE = (
    "<!doctype html><html lang=en><title>{0}</title><h1>{0}</h1><p>"
    + "word " * 60
    + "<a href=/>Home</a><a href=/a/>A</a>"
)
HERE = {
    "dist/index.html": PAGE.format("Home"),
    "dist/a/index.html": PAGE.format("A"),
    "dist/404.html": "<!doctype html><title>Not found</title><p>Nothing is here",
    "dist/sitemap.xml": urlset("", "a"),
}
Files = Mapping[str, str]


def config(text: str) -> Files:
    return {".github/sitemap.yml": text}


def placed(below: str) -> Files:
    return config(f"site-url: https://www.example.com/\n{below}")


CLOSED, ONCE = "https://127.0.0.1:1/", "--set http.retries=0"
MISTAKES: list[tuple[str, int, str, Files]] = [
    # the command line, its exit code, what is said, and files beside a build in dist
    # commands
    ("chek", 2, "did you mean `sitemap-action check`?", {}),
    ("Check dist", 2, "did you mean `sitemap-action check`?", {}),
    ("dist", 2, "check it: `sitemap-action check dist`", {}),
    ("https://www.example.com/", 2, "check it: `sitemap-action check https://www.example.com/`", {}),
    ("help", 2, "did you mean `sitemap-action --help`?", {}),
    ("version", 2, "did you mean `sitemap-action --version`?", {}),
    ("lint dist/sitemap.xml", 2, "did you mean `sitemap-action validate`?", {}),
    ("generate dist", 2, "did you mean `sitemap-action write`?", {}),
    ("-v", 2, "write `sitemap-action --version`, or --verbose behind a command", {}),
    # which site
    ("check", 2, "run `sitemap-action check dist`", {}),
    ("check", 2, "sitemap.yml is not read: call it .github/sitemap.yml", {"sitemap.yml": "source: {path: dist}\n"}),
    ("check", 2, ".github/sitemap.yaml is not read: call it .github/sitemap.yml", {".github/sitemap.yaml": "source: {path: dist}\n"}),
    ("check", 2, ".github/sitemap.yml names no source", config("select: {exclude: [/x/**]}\n")),
    ("check distt", 2, "the folder distt does not exist\nhint: build the site first; did you mean dist?", {}),
    ("check --path distt", 2, "the folder distt does not exist\nhint: build the site first; did you mean dist?", {}),
    ("check dist/index.html", 2, "dist/index.html is a file", {}),
    ("check dist/sitemap.xml", 2, "judged by `sitemap-action validate dist/sitemap.xml`", {}),
    ("check www.example.com", 2, "write the address of a site as https://www.example.com", {}),
    ("check localhost:8000", 2, "write the address of a site as http://localhost:8000", {}),
    ("check htp://www.example.com/", 2, "write the address of a site as https://www.example.com/", {}),
    ("check https:/www.example.com/", 2, "write the address of a site as https://www.example.com/", {}),
    ("check ftp://www.example.com/", 2, "write the address of a site as https://www.example.com/", {}),
    ("check https://www.example.com/sitemap.xml", 2, "its site by `sitemap-action check https://www.example.com/`", {}),
    ("check dist public", 2, "one site at a time", {}),
    ("check --path https://www.example.com/", 2, "write --url https://www.example.com/", {}),
    ("check --url dist", 2, "write --path dist", {}),
    ("check dist --path dist", 2, "give one of them", {}),
    ("check https://www.example.com/ --offline", 2, "name the folder of the build (--path dist), or leave --offline out", {}),
    (f"check {CLOSED} {ONCE}", 3, "no connection; check that the server is up", {}),
    (f"write {CLOSED} {ONCE}", 3, "no connection; check that the server is up", {}),
    ("check empty --offline " + SITE, 3, "the folder empty has no page", {"empty/x.txt": "x"}),
    ("check dist --site-url el.example.com", 2, "did you mean https://el.example.com/?", {}),
    ("check dist --site-url /docs/", 2, "for example https://www.example.com/docs/", {}),
    ("check dist --site-url https://www.example.com/?a=1", 2, "without user name, query and fragment", {}),
    ("check dist --site-url https://www.example.com/index.html", 2, "the site that it is the start of is https://www.example.com/", {}),
    ("commit dist", 2, "name the folder with --path", {}),
    ("pull-request https://www.example.com/", 2, "or the address with --url", {}),
    # options
    ("check dist --siteurl x", 2, "'--site-url'", {}),
    ("check --pth dist", 2, "'--path'", {}),
    ("check dist --json", 2, "write --format json, or --report json=FILE", {}),
    ("check dist -o x.json", 2, "write --report FORMAT=FILE", {}),
    ("check dist -q", 2, "write --quiet", {}),
    ("write dist -n", 2, "write --dry-run", {}),
    (f"check {CLOSED} --header x", 2, "write SITEMAP_ACTION_HEADERS", {}),
    ("check dist --exclude /x/", 2, "write --set 'select.exclude=[/drafts/**]'", {}),
    (f"check {CLOSED} --max-depth 3", 2, "write --set crawl.max-depth=N", {}),
    ("check dist --format htlm", 2, "did you mean html?", {}),
    ("read dist --sort lastmd", 2, "did you mean lastmod?", {}),
    ("check dist --format xml", 2, "'text', 'json', 'markdown'", {}),
    ("check dist --report json", 2, "as in --report json=report.json", {}),
    ("check dist --report pdf=x.pdf", 2, "one of text, json, markdown", {}),
    ("check dist --report json=dist " + SITE, 2, "dist: it is no regular file\nhint: correct --report", {}),
    ("check dist --set policy.max-removed", 2, "as in --set policy.max-removed=5", {}),
    ("check dist --set policy.max-remove=5", 2, "did you mean max-removed?", {}),
    ("check dist --set crawl.max-pages=many", 2, '"many" is not a whole number', {}),
    ("check dist --fail-on losst", 2, '"losst" is not one of stale, lost', {}),
    ("check dist --host netlfy", 2, "did you mean netlify?", {}),
    ("check dist --shard 1/4", 2, "--shard 1/4 --state FILE", {}),
    ("check dist --shard 0/4 --state s", 2, "write K/N, as in 1/8", {}),
    ("check dist --state dist " + SITE, 2, "name another file with --state", {}),
    ("check dist --config sitemap.yaml", 2, "sitemap.yaml: no such file\nhint: correct --config", {}),
    # sitemaps
    ("check dist --sitemap sitemap.xml --offline " + SITE, 1, "sitemap.xml does not exist, and dist/sitemap.xml does", {}),
    ("check dist --sitemap dist/sitemp.xml --offline " + SITE, 1, "dist/sitemp.xml does not exist, and dist/sitemap.xml does", {}),
    ("check dist --sitemap dist", 2, "for example public/sitemap.xml", {}),
    ("check dist --sitemap ../sitemap.xml", 2, "a path inside the workspace", {}),
    ("check dist --baseline old.xml " + SITE, 2, "there is no sitemap at old.xml", {}),
    ("check dist --baseline git:main " + SITE, 2, "name a file instead, or run in a checkout", {}),
    ("check dist --offline " + SITE, 2, "restore the file from git, or delete it", {"dist/sitemap.xml": "<urlset>"}),
    ("validate", 2, "name a sitemap, a folder of them, a URL, or -", {}),
    ("validate sitemp.xml", 2, "sitemp.xml: no such file", {}),
    ("validate dist/index.html", 1, "the document is no sitemap, index, feed or list of URLs: an HTML page", {}),
    ("validate docs", 2, "a sitemap's name contains `sitemap` and ends in .xml", {"docs/x.md": "x"}),
    (f"validate {CLOSED}sitemap.xml --fix out", 3, "--fix takes local files only", {}),
    ("diff dist/sitemap.xml", 2, "as in `sitemap-action diff ", {}),
    ("read", 2, "as in `sitemap-action read ", {}),
    ("read sitemap.xml", 2, "name a sitemap, a folder with one, or the URL of a site", {}),
    ("explain", 2, "as in `sitemap-action explain ", {}),
    ("robots robots.txt --agent Googlebot /a/", 2, "name a robots.txt, or a URL", {}),
    ("rules SM29", 2, "did you mean SM-29", {}),
    ("rules ver", 0, "VER-02   warning", {}),
    ("check dist --set versions.old=/", 2, '"/" is not a folder inside the site with / at both ends', {}),
    (f"redirects {CLOSED} {ONCE}", 3, "no connection", {}),
    # the config, and init
    ("check", 2, ":1:1: site_url is not a known key; did you mean site-url?", config("site_url: https://www.example.com/\n")),
    ("check", 2, ":2:1: path is not a known key; path belongs under source", placed("path: dist\n")),
    ("check", 2, ":3:1: not valid YAML: a tab cannot indent; use spaces", placed("source:\n\tpath: dist\n")),
    ("check", 2, 'the key "source" occurs twice; the first is in line 2', placed("source: {path: dist}\nsource: {path: dist}\n")),
    ("check", 2, '"dist" is not a section; indent its keys below it', placed("source: dist\n")),
    ("check", 2, "holds keys and values, not a list", config("- site-url\n")),
    ("check", 2, "the folder build does not exist\nhint: build the site first, or correct source.path", placed("source: {path: build}\n")),
    ("check dist", 2, 'a percentage, both with "or" between them, or none; for example 5 or 2%', placed("policy: {max-removed: 20 percent}\n")),
    ("check dist", 2, '"SM-999" is not a rule', placed("checks: {SM-999: off}\n")),
    ("check dist", 2, "did you mean warning?", placed("checks: {SM-29: warn}\n")),
    ("check dist", 2, "perhaps you meant '/drafts/**'", placed("select: {exclude: [drafts/**]}\n")),
    ("check dist", 2, "the regular expression is not valid: missing )", placed("select: {exclude: ['re:(']}\n")),
    ("check dist", 2, '"tomorrow" is not a date', placed("policy: {expected-removals: [{url: /x/, class: gone, reason: x, until: tomorrow}]}\n")),
    ("init --path docz", 2, "the folder docz does not exist\nhint: correct --path", {}),
    ("init --generator hugoo", 2, "did you mean hugo?", {}),
    ("init", 2, "another site is set up with --path and its folder", {".github/sitemap.yml": "x", ".github/workflows/sitemap.yml": "x", "index.html": "x"}),
]  # fmt: skip


def mistake(line: str, code: int, sentence: str, files: Files, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What is wrong with the answer, with the answer; "" where nothing is."""
    for path, text in {**HERE, **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    ended = run(shlex.split(line))
    printed = "".join(capsys.readouterr())
    return "" if ended == code and sentence in printed else f"$ {line} → {ended}\n{printed[:600]}"


def test_U_31_the_first_answer_to_a_mistake_says_what_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(MISTAKES) >= 80
    wrong = []
    for number, (line, code, sentence, files) in enumerate(MISTAKES):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        wrong.append(mistake(line, code, sentence, files, folder, capsys))
    assert [one for one in wrong if one] == []
