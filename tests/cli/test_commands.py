"""`validate`, `diff`, `robots` and `rules` as a user calls them."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from servers import Reply, redirect, serve
from sitemap_action.__main__ import run
from sitemap_action.checks.severity import consequence
from sitemap_action.cli.options import RULES

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*urls: str, lastmod: str = "") -> str:
    date = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    rows = "".join(f"<url><loc>{url}</loc>{date}</url>\n" for url in urls)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACE}>\n{rows}</urlset>\n'


def index(*urls: str) -> str:
    rows = "".join(f"<sitemap><loc>{url}</loc></sitemap>\n" for url in urls)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex {NAMESPACE}>\n{rows}</sitemapindex>\n'


A, B, C = (f"https://www.example.com/{name}" for name in "abc")


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "more", "code", "says"),
    [
        (urlset(A, B), [], 0, "sitemap.xml: urlset, 2 URLs"),
        (urlset(A, "/relative"), [], 1, "SM-21"),
        (urlset(A, A), [], 0, "SM-31"),
        (urlset(A, A), ["--strict"], 1, "SM-31"),
        (urlset(A, lastmod="10/05/2005"), [], 1, "SM-40"),
        (urlset(A)[:120], [], 1, "damaged"),
        (urlset("https://other.example.com/a"), ["--site-url", "https://www.example.com/"], 1, "SM-28"),
        (urlset(A, "http://a.b/"), ["--schema", "--strict"], 1, "SM-22"),
    ],
)
def test_validate(text: str, more: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("sitemap.xml").write_text(text)
    assert run(["validate", "sitemap.xml", *more]) == code
    assert says in capsys.readouterr().out


def test_U_32_fix_writes_faulty_files_and_says_what_was_left_out(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("in").mkdir()
    entry = f"<url><loc>{A}</loc><lastmod>10/05/2005</lastmod><priority>7</priority></url>"
    texts = {"sitemap-1.xml": urlset(B), "sitemap-2.xml": urlset(A, A, "/x").replace("</urlset>", f"{entry}</urlset>")}
    texts |= {"sitemap-3.xml": urlset(C).replace("</url>", "<lastmod>1999</lastmod><lastmod>x</lastmod></url>")}
    for name, text in texts.items():
        (workspace / "in" / name).write_text(text)
    (workspace / "in/sitemap-4.xml.gz").write_bytes(gzip.compress(urlset(C, lastmod="soon").encode()))
    (workspace / "in/sitemap-5.xml").write_text(urlset(A)[:120])
    (workspace / "in/sitemap-6.xml").write_text("<!doctype html><title>Not found</title>")
    bare = {
        "sitemap-7.xml": urlset(f"{A}?x=1&y=2", f"{B}?&amp;&#38;&z"),
        "sitemap-8.xml": urlset(A, "<![CDATA[a&b]]>&"),
    }
    for name, text in (bare | {"sitemap-9.xml": urlset(f"{A}?x&y", "<")}).items():
        (workspace / "in" / name).write_text(text)
    assert run(["validate", "in", "--fix", "out"]) == 1
    said = capsys.readouterr().err
    written = ["sitemap-2.xml", "sitemap-3.xml", "sitemap-4.xml.gz", "sitemap-7.xml"]
    assert sorted(path.name for path in Path("out").iterdir()) == written
    assert "wrote out/sitemap-7.xml\n  each bare & is &amp; now (2)" in said
    assert "?x=1&amp;y=2</loc>" in Path("out/sitemap-7.xml").read_text()
    assert all(f"in/sitemap-{number}.xml is not repaired: half a file" in said for number in (8, 9))
    for line in (f"left out, listed twice: {A} (line", "left out, no URL: /x (line", "left out, wrong lastmod: "):
        assert line in said
    assert "in/sitemap-5.xml is not repaired: half a file does not tell the rest" in said
    assert "in/sitemap-6.xml is not repaired: it is no sitemap" in said
    assert run(["validate", "out", "--strict"]) == 0
    assert Path("out/sitemap-2.xml").read_text().count("<loc>") == 1
    assert {name: (workspace / "in" / name).read_text() for name in texts} == texts
    assert run(["validate", "in", "--fix", "in"]) == 1
    assert "it would replace itself: name another folder" in capsys.readouterr().err


def test_validate_reads_an_index_with_its_children(capsys: pytest.CaptureFixture[str]) -> None:
    Path("sitemap.xml").write_text(index("https://www.example.com/one.xml", "https://www.example.com/two.xml.gz"))
    Path("one.xml").write_text(urlset(A))
    Path("two.xml.gz").write_bytes(gzip.compress(urlset(A, B).encode()))
    assert run(["validate", "sitemap.xml", "--format", "json"]) == 0
    (document,) = json.loads(capsys.readouterr().out)
    assert [(file["path"], file["urls"]) for file in document["files"]] == [
        ("sitemap.xml", 0),
        ("one.xml", 1),
        ("two.xml.gz", 2),
    ]
    assert "SM-31" in {finding["rule"] for finding in document["findings"]}  # twice, across files


def test_validate_a_folder_reads_every_child_with_its_index(capsys: pytest.CaptureFixture[str]) -> None:
    Path("public").mkdir()
    Path("public/sitemap.xml").write_text(index("https://www.example.com/sitemap-1.xml"))
    Path("public/sitemap-1.xml").write_text(urlset(A))
    Path("public/feed.xml").write_text("<x/>")
    assert run(["validate", "public"]) == 0
    assert capsys.readouterr().out.count("public/sitemap-1.xml") == 1


def test_validate_standard_input(workspace: Path) -> None:
    command = [sys.executable, "-m", "sitemap_action", "validate", "-"]
    done = subprocess.run(command, input=urlset(A, "ftp://x.com/").encode(), capture_output=True, check=False)
    assert done.returncode == 1
    assert b"standard input:4" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["validate", "missing.xml"], "missing.xml: no such file"),
        (["validate", "."], "no sitemap in this folder"),
        (["validate"], "Missing argument"),
        (["diff", "missing.xml", "missing.xml"], "there is no sitemap at missing.xml"),
        (["diff", "git:HEAD:a.xml", "b.xml"], "is not a git repository"),
        (["robots", "missing.txt", "--agent", "a", A], "cannot read missing.txt"),
        (["rules", "SM-999"], "SM-999 is not a rule"),
        (["chekc"], "did you mean `sitemap-action check`?"),
    ],
)
def test_usage(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "code", "says"),
    [
        (urlset(A, B), urlset(B, A), 0, "list the same URLs"),
        (urlset(A, B), urlset(A, C), 1, f"1 added, 1 removed, 0 changed\n- {B}  [line 4]\n+ {C}\n"),
        (urlset(A), urlset(A, lastmod="2026-01-01"), 1, f"~ {A}  lastmod: none → 2026-01-01\n"),
        (urlset("https://www.example.com/%7Ea"), urlset("https://www.example.com/~a"), 0, "list the same URLs"),
    ],
)
def test_diff(old: str, new: str, code: int, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("old.xml").write_text(old)
    Path("new.xml").write_text(new)
    assert run(["diff", "old.xml", "new.xml"]) == code
    assert says in capsys.readouterr().out


def test_diff_sees_through_sharding_and_compression(capsys: pytest.CaptureFixture[str]) -> None:
    """DIFF-12: URLs that moved between files are no change."""
    Path("old.xml").write_text(urlset(A, B))
    Path("new.xml").write_text(index("https://www.example.com/one.xml.gz", "https://www.example.com/two.xml"))
    Path("one.xml.gz").write_bytes(gzip.compress(urlset(B).encode()))
    Path("two.xml").write_text(urlset(A))
    assert run(["diff", "old.xml", "new.xml", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"added": [], "removed": [], "changed": []}


def test_before_the_first_commit_there_is_nothing_to_fetch(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.xml").write_text(urlset(A))
    subprocess.run(["git", "init", "-q"], check=True)
    assert run(["diff", "git:HEAD:a.xml", "a.xml"]) == 2
    assert "the repository has no commit yet; name a file instead" in capsys.readouterr().err


def test_diff_with_a_commit(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("sitemap.xml").write_text(urlset(A, B))
    for arguments in (["init", "-q"], ["add", "sitemap.xml"], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", *arguments], check=True, cwd=workspace)
    Path("sitemap.xml").write_text(urlset(A))
    assert run(["diff", "git:HEAD:sitemap.xml", "sitemap.xml"]) == 1
    assert f"- {B}" in capsys.readouterr().out
    command = [sys.executable, "-m", "sitemap_action", "diff", "-", "git:HEAD:sitemap.xml"]
    assert subprocess.run(command, input=urlset(B, A).encode(), capture_output=True, check=False).returncode == 0


def test_the_children_of_an_index_of_a_commit_are_of_that_commit(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("i.xml").write_text(index("https://www.example.com/1.xml"))
    Path("1.xml").write_text(urlset(A, "/relative"))
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", *arguments], check=True, cwd=workspace)
    Path("1.xml").write_text(urlset(B))
    assert run(["read", "git:HEAD:i.xml"]) == 0
    assert capsys.readouterr().out == f"{A}\n"
    assert run(["validate", "git:HEAD:i.xml"]) == 1
    assert "SM-21" in capsys.readouterr().out


ROBOTS = "User-agent: *\nDisallow: /b\n\nUser-agent: Bingbot\nAllow: /\n"


def test_robots_names_the_line_that_decided(capsys: pytest.CaptureFixture[str]) -> None:
    Path("robots.txt").write_text(ROBOTS)
    assert run(["robots", "robots.txt", "--agent", "Googlebot", A, B]) == 1
    assert capsys.readouterr().out == (
        f"allowed     {A}  for Googlebot  [no line disallows it, group of *]\n"
        f"disallowed  {B}  for Googlebot  [robots.txt:2: Disallow: /b, group of *]\n"
    )


def test_robots_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    Path("robots.txt").write_text(ROBOTS)
    assert run(["robots", "robots.txt", "--agent", "bingbot", "--profile", "rfc", "--format", "json", B]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["allowed"], row["group"], row["line"], row["rule"]) == (True, "Bingbot", 5, "Allow: /")


def test_rules_lists_every_rule_and_explains_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules"]) == 0
    listed = [
        line.split()[0] for line in capsys.readouterr().out.splitlines()[1:] if line and ":" not in line.split()[0]
    ]
    assert listed == list(RULES)
    assert run(["rules", "sm-21"]) == 0
    assert {line.split()[0] for line in capsys.readouterr().out.splitlines() if line} >= {
        "SM-21",
        "passes",
        "fails",
        "source",
    }
    assert run(["rules", "--format", "json"]) == 0
    assert [row["id"] for row in json.loads(capsys.readouterr().out)] == list(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_the_page_of_a_rule(rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What must hold, why and for whom, both examples, what to do, how to accept it, and the source."""
    assert run(["rules", rule]) == 0
    page = capsys.readouterr().out
    one = RULES[rule]
    for text in (one.summary, one.passes, one.fails, one.tip, one.source, consequence(rule)):
        assert text.strip()
        assert text in page
    assert run(["rules", rule, "--format", "json"]) == 0
    (document,) = json.loads(capsys.readouterr().out)
    assert all(document.values())
    Path("config.yml").write_text(document["accept"])
    Path("sitemap.xml").write_text(urlset(A))
    assert run(["validate", "sitemap.xml", "--config", "config.yml"]) == 0  # what it says is a config


@pytest.mark.parametrize(("name", "guess"), [("SM-999", "SM-"), ("sm9", "SM-"), ("HTML-2", "HTML-2"), ("zzzz", "")])
def test_an_unknown_rule_suggests_the_nearest(name: str, guess: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", name]) == 2
    said = capsys.readouterr().err
    assert f"{name} is not a rule" in said
    assert (guess in said.partition("hint:")[2]) if guess else ("did you mean" not in said)


def test_a_dry_run_prints_the_steps_and_does_nothing(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("dist").mkdir()
    Path("dist/index.html").write_text("<title>Home</title>" + "words " * 60)
    command = [
        "write",
        "--path",
        "dist",
        "--site-url",
        "https://www.example.com/",
        "--sitemap",
        "sitemap.xml",
        "--dry-run",
    ]
    assert run(command) == 0
    assert "would write sitemap.xml (" in capsys.readouterr().err
    assert not Path("sitemap.xml").exists()


def test_the_site_url_is_derived_from_the_committed_sitemap_and_noted(capsys: pytest.CaptureFixture[str]) -> None:
    Path("dist").mkdir()
    Path("dist/index.html").write_text("<title>Home</title>" + "words " * 60)
    Path("sitemap.xml").write_text(urlset("https://www.example.com/docs/"))
    assert run(["check", "--path", "dist"]) == 0
    assert "site-url is not set; taken from sitemap.xml: https://www.example.com/docs/" in capsys.readouterr().out


@pytest.mark.parametrize("where", ["sitemap.xml", "the canonical of index.html"])
def test_the_placeholder_of_a_new_project_is_no_address_of_a_site(
    where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hugo builds below https://example.org/ until its baseURL is set, and a whole site is green."""
    canonical = '<link rel="canonical" href="https://example.org/">'
    Path("dist").mkdir()
    Path("dist/index.html").write_text(f"<title>Home</title>{canonical}{'words ' * 60}")
    if where == "sitemap.xml":
        Path(where).write_text(urlset("https://example.org/"))
    run(["check", "--path", "dist", "--sitemap", "sitemap.xml"])
    note = f"taken from {where}: https://example.org/, the placeholder of a new project"
    assert note in " ".join(capsys.readouterr().out.split())


def test_a_sitemap_that_was_submitted_may_list_what_lies_above_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SM-29 is waived by `sitemaps.search-console-submitted`, in check as in validate."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/index.html").write_text("<!doctype html><title>Home</title><p>" + "words of a page " * 40)
    urlset = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://x.com/</loc></url></urlset>'
    (tmp_path / "sitemap.xml").write_text(urlset)
    flags = ["--path", "dist", "--site-url", "https://x.com/", "--set", "sitemap-url=https://x.com/maps/sitemap.xml"]
    flags += ["--report", "json=r.json"]
    for more, severity in (
        ([], "warning"),
        (["--set", "checks.strict=true"], "error"),
        (["--set", "sitemaps.search-console-submitted=true"], "info"),
    ):
        assert run(["check", *flags, *more]) == (severity == "error")
        found = json.loads((tmp_path / "r.json").read_text())["findings"]
        assert {one["severity"] for one in found if one["rule"] == "SM-29"} == {severity}


def test_standard_input_is_read_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "-", "-"]) == 2
    assert "standard input can be read once" in capsys.readouterr().err


def test_diff_says_what_is_wrong_with_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where no URL is read, for which they are."""
    Path("a.xml").write_text(urlset(A))
    for option, problem in (("--config=missing.yml", "missing.yml: no such file"), ("--set=nonsense=1", "nonsense")):
        assert run(["diff", "a.xml", "a.xml", option]) == 2
        assert problem in capsys.readouterr().err


def test_robots_follows_a_redirect_to_a_private_host_that_is_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    """As its refusal says."""
    rules = Reply("User-agent: *\nDisallow: /a\n", type="text/plain")
    with serve({"/robots.txt": rules}) as other, serve({"/robots.txt": redirect(f"{other.url}robots.txt")}) as site:
        command = ["robots", f"{site.url}robots.txt", "--agent", "x", f"{site.url}a"]
        assert run(command) == 3
        assert "--allow-private-hosts" in capsys.readouterr().err
        assert run([*command, "--allow-private-hosts", "127.0.0.0/8"]) == 1
