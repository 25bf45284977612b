"""V-20: an index that lists an index hides no page and no removal, wherever the sitemap is kept and whatever reads it."""

import io
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from repositories import commit, create, git
from servers import Answering, Asked, Reply, Site, serve
from sitemap_action.__main__ import run
from sitemap_documents import index, urlset

SITE = "https://www.example.com/"
PAGES = [SITE, *(f"{SITE}page-{number}/" for number in range(40))]
LOST = PAGES[1:]


def nested(base: str) -> dict[str, str]:
    """Two indexes deep, and one that lists itself and the first."""
    return {
        "sitemap.xml": index(f"{base}pages.xml", f"{base}deep/index.xml"),
        "pages.xml": urlset(SITE),
        "deep/index.xml": index(f"{base}deep/pages.xml", f"{base}deep/index.xml", f"{base}sitemap.xml"),
        "deep/pages.xml": urlset(*LOST),
    }


@dataclass(frozen=True)
class Kept:
    """A nested sitemap in four places; the work tree's own sitemap lists the start page alone, as does the build."""

    workspace: Path
    site: Site

    def named(self, where: str, monkeypatch: pytest.MonkeyPatch) -> str:
        """What a command line says to mean it."""
        if where == "stdin":
            monkeypatch.chdir(self.workspace / "maps")  # children are beside it
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(nested(SITE)["sitemap.xml"].encode())))
        urls = {"file": "maps/sitemap.xml", "git": "git:old:maps/sitemap.xml", "url": f"{self.site.url}sitemap.xml"}
        return urls.get(where, "-")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kept]:
    workspace = create(tmp_path / "work")
    monkeypatch.chdir(workspace)
    files = {f"maps/{name}": content for name, content in nested(SITE).items()}
    commit(workspace, files, branch="old")
    for path, content in (files | {"sitemap.xml": urlset(SITE), "site/index.html": "<title>Home</title>"}).items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(content)
    git(workspace, "add", ".")
    with serve({"*": Answering(served)}) as site:
        yield Kept(workspace, site)


def served(asked: Asked) -> Reply | int:
    content = nested(f"http://{asked.header('host')}/").get(asked.path.removeprefix("/"))
    return 404 if content is None else Reply(content, type="application/xml")


def report() -> dict[str, object]:
    return json.loads(Path("report.json").read_text())  # type: ignore[no-any-return]


LOOK = ["--path", "site", "--site-url", SITE, "--allow-private-hosts", "127.0.0.1", "--report", "json=report.json"]


@pytest.mark.attack("policy")
@pytest.mark.parametrize("command", ["check", "write"])
@pytest.mark.parametrize("where", ["file", "git", "url"])
def test_no_removal_is_hidden_from_a_baseline(
    command: str, where: str, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run([command, *LOOK, "--baseline", kept.named(where, monkeypatch)]) == 1
    found = report()
    assert [row["url"] for row in found["removed"]] == sorted(LOST)  # type: ignore[attr-defined]
    assert [guard["key"] for guard in found["guards"]] == ["policy.max-removed"]  # type: ignore[attr-defined]
    assert Path("sitemap.xml").read_text() == urlset(SITE), "a tripped guard stops the write"


@pytest.mark.attack("policy")
@pytest.mark.parametrize("command", ["check", "write"])
@pytest.mark.parametrize("setting", ["committed", "auto", "git:old"])
def test_no_removal_is_hidden_from_the_committed_sitemap(command: str, setting: str, kept: Kept) -> None:
    """Of the work tree, and of the same path at a commit; that an index is nested is said (SM-61)."""
    assert run([command, *LOOK, "--sitemap", "maps/sitemap.xml", "--baseline", setting]) == 1
    found = report()
    assert found["result"] == ("invalid" if command == "check" else "drift"), "a write would repair it"
    rules = {finding["rule"] for finding in found["findings"]}  # type: ignore[attr-defined]
    assert ("SM-61" in rules) is (command == "check")
    assert [row["url"] for row in found["removed"]] == sorted(LOST)  # type: ignore[attr-defined]
    assert (kept.workspace / "maps/sitemap.xml").read_text() == nested(SITE)["sitemap.xml"]


@pytest.mark.attack("policy")
@pytest.mark.parametrize("command", ["check", "write"])
def test_no_removal_is_hidden_from_what_production_serves(
    command: str, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without any file, the sitemap that the site serves is the baseline."""
    (kept.workspace / "sitemap.xml").unlink()
    served_at = f"sitemap-url={kept.named('url', monkeypatch)}"
    assert run([command, *LOOK, "--sitemap", "new.xml", "--set", served_at]) == 1
    assert [row["url"] for row in report()["removed"]] == sorted(LOST)  # type: ignore[attr-defined]


@pytest.mark.parametrize("where", ["file", "git", "url", "stdin"])
def test_read(where: str, kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["read", kept.named(where, monkeypatch), "--quiet"]) == 0
    assert capsys.readouterr().out.splitlines() == PAGES


@pytest.mark.parametrize("where", ["file", "git", "url", "stdin"])
def test_diff(where: str, kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (kept.workspace / "new.xml").write_text(urlset(SITE))
    assert run(["diff", kept.named(where, monkeypatch), str(kept.workspace / "new.xml"), "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert ([row["url"] for row in found["removed"]], found["added"]) == (sorted(LOST), [])


@pytest.mark.parametrize("where", ["file", "git", "url"])
def test_validate(where: str, kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", kept.named(where, monkeypatch), "--format", "json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert "SM-61" in {finding["rule"] for finding in found["findings"]}
    assert sum(file["urls"] for file in found["files"]) == len(PAGES)


PLACES = {
    "json": '"line": 5,\n      "path": "maps/b.xml"',
    "text": "[maps/b.xml:5]",
    "markdown": "`maps/b.xml:5`",
    "annotations": "file=maps/b.xml,line=5",
    "gitlab": '"path": "maps/b.xml", "lines": {"begin": 5}',
    "sarif": '"uri": "maps/b.xml"',
    "junit": "maps/b.xml:5",
}


def test_a_removal_is_shown_on_its_line_of_the_child_that_lists_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line of the index with the same number is about something else."""
    files = {
        "maps/sitemap.xml": index(f"{SITE}a.xml", f"{SITE}b.xml"),
        "maps/a.xml": urlset(SITE),
        "maps/b.xml": urlset(f"{SITE}kept/", f"{SITE}lost/").replace("<url>", "\n<url>").replace("<loc>", "\n<loc>"),
        **{f"site/{name}index.html": f"<title>Page {name}</title><p>Words of {name}" for name in ("", "kept/")},
    }
    workspace = create(tmp_path / "work")
    monkeypatch.chdir(workspace)
    for path, content in files.items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(content)
    git(workspace, "add", ".")
    line = files["maps/b.xml"].partition(f"{SITE}lost/")[0].count("\n")
    formats = [part for name in PLACES for part in ("--report", f"{name}={name}")]
    given = ["--path", "site", "--site-url", SITE, "--sitemap", "maps/sitemap.xml", "--offline", "--quiet"]
    assert run(["check", *given, *formats]) == 1
    for name, place in PLACES.items():
        assert place.replace("5", str(line)) in Path(name).read_text(), name
