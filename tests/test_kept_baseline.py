"""examples/workflows/built-sitemap.yml, played: what a push keeps is what a pull request is compared with."""

import json
import os
import tempfile
from pathlib import Path

import pytest

from repositories import create, git
from sitemap_action.__main__ import run
from workflows import Runner, evaluate, package_manager

EXAMPLE = Path(__file__).parents[1] / "examples/workflows/built-sitemap.yml"
SITE = "https://observatory.example.net/"
PAGES = [f"note-{number}" for number in range(1, 9)]
SOURCES = {
    ".gitignore": "dist/\nnode_modules/\n",
    "astro.config.mjs": f'import sitemap from "@astrojs/sitemap";\nexport default {{ site: "{SITE}", integrations: [sitemap()] }};\n',
    "package.json": '{"scripts": {"build": "astro build"}, "devDependencies": {"astro": "^5", "@astrojs/sitemap": "^3"}}\n',
    "package-lock.json": "{}\n",
    # What Astro and its sitemap do with the pages: a folder for each, an index, and a first part.
    "build.sh": """
rm -rf dist && mkdir -p dist/_app/sitemap.xml # a folder of that name, as Next.js makes it
links=$(cd pages && for page in *; do echo "<a href=/$page/>$page</a>"; done)
rows="<url><loc>SITE</loc></url>"
echo "<!doctype html><title>Home</title><h1>Home</h1>$(cat words)$links" >dist/index.html
for page in pages/*; do
    name=${page#pages/}
    mkdir "dist/$name"
    echo "<!doctype html><title>$name</title><h1>$name</h1>$name $(cat words)" >"dist/$name/index.html"
    rows="$rows<url><loc>SITE$name/</loc></url>"
done
ns='xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
echo "<?xml version='1.0'?><urlset $ns>$rows</urlset>" >dist/sitemap-0.xml
echo "<?xml version='1.0'?><sitemapindex $ns><sitemap><loc>SITEsitemap-0.xml</loc></sitemap></sitemapindex>" >dist/sitemap-index.xml
""".replace("SITE", SITE),
    "words": "words that fill a page " * 30,
    **{f"pages/{name}": name for name in PAGES},
}  # fmt: skip


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    """The repository after `init`, all committed on main."""
    top = create(tmp_path / "repository")
    for path, text in SOURCES.items():
        (top / path).parent.mkdir(exist_ok=True)
        (top / path).write_text(text)
    monkeypatch.chdir(top)
    git(top, "add", "--all")
    git(top, "commit", "-q", "-m", "site")
    assert run(["init"]) == 0
    git(top, "add", "--all")
    git(top, "commit", "-q", "-m", "check")
    return Runner(top, tools=package_manager(tmp_path / "tools"))


def push(runner: Runner, *flags: str) -> list[int]:
    sha = git(runner.workspace, "rev-parse", "HEAD")
    codes = runner.play(EXAMPLE.read_text(), "push", {"github.sha": sha}, *flags)
    clean(runner)
    return codes


def pull_request(runner: Runner, monkeypatch: pytest.MonkeyPatch, *flags: str) -> list[int]:
    """From the merge commit that GitHub makes of `main` and the branch that is checked out."""
    base, head = (git(runner.workspace, "rev-parse", name) for name in ("main", "HEAD"))
    git(runner.workspace, "checkout", "-q", "--detach", "main")
    git(runner.workspace, "merge", "-q", "--no-ff", "-m", "merge", head)
    event = runner.workspace.parent / "event.json"
    event.write_text(json.dumps({"number": 7, "pull_request": {"base": {"ref": "main", "sha": base}, "head": {"sha": head}}}))  # fmt: skip
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    monkeypatch.setenv("GITHUB_SHA", git(runner.workspace, "rev-parse", "HEAD"))
    return runner.play(EXAMPLE.read_text(), "pull_request", {"github.event.pull_request.base.sha": base}, *flags)


def clean(runner: Runner) -> None:
    """Each job has a runner of its own."""
    git(runner.workspace, "clean", "-qfdx")


def change(runner: Runner, *arguments: str) -> None:
    git(runner.workspace, "checkout", "-q", "-b", "topic")
    git(runner.workspace, *arguments)
    git(runner.workspace, "commit", "-q", "--allow-empty", "-m", "change")


def test_the_example_is_what_init_writes(runner: Runner) -> None:
    assert EXAMPLE.read_text() == (runner.workspace / ".github/workflows/sitemap.yml").read_text()


def test_a_pull_request_that_deletes_pages_is_red_and_names_them(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert push(runner) == [0]
    (key,) = runner.cache
    assert sorted(path.name for path in runner.cache[key].iterdir()) == ["sitemap-0.xml", "sitemap-index.xml"]
    change(runner, "rm", "-q", *(f"pages/{name}" for name in PAGES[3:]))
    capsys.readouterr()
    assert pull_request(runner, monkeypatch, "--report", "json=../report.json") == [1]
    report = json.loads((runner.workspace.parent / "report.json").read_text())
    assert [row["url"] for row in report["removed"]] == [f"{SITE}{name}/" for name in PAGES[3:]]
    assert (report["judged"], report["baseline"]) == ("built", ".sitemap-baseline/sitemap-index.xml")
    assert f"- {SITE}note-8/" in capsys.readouterr().out
    assert [*runner.cache] == [key], "a pull request keeps nothing"


def test_a_pull_request_that_deletes_nothing_is_green(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    push(runner)
    change(runner, "mv", "words", "other-words")
    git(runner.workspace, "mv", "other-words", "words")
    assert pull_request(runner, monkeypatch) == [0]


def test_the_newest_of_the_default_branch_counts(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages that main has lost already are no loss of a later pull request."""
    push(runner)
    git(runner.workspace, "rm", "-q", "pages/note-8")
    git(runner.workspace, "commit", "-q", "-m", "fewer")
    assert push(runner) == [0], "on a push only the first question is asked"
    assert len(runner.cache) == 2
    change(runner, "commit", "-q", "--allow-empty", "-m", "nothing")
    assert pull_request(runner, monkeypatch) == [0]


def test_without_a_kept_sitemap_production_is_asked(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    change(runner, "rm", "-q", "pages/note-1")
    assert pull_request(runner, monkeypatch) == [0]
    assert "first deployment" in capsys.readouterr().out


def test_a_sitemap_that_is_not_true_is_red_on_a_push_and_kept_all_the_same(runner: Runner) -> None:
    """What a pull request removes does not depend on whether the sitemap of main was true."""
    script = runner.workspace / "build.sh"
    script.write_text(script.read_text() + "rm -r dist/note-1\n")
    git(runner.workspace, "commit", "-q", "-a", "-m", "broken")
    assert push(runner) == [1]
    assert len(runner.cache) == 1


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("'a'", "a"),
        ("event == 'push'", "true"),
        ("event != 'push' && 'x' || 'y'", "y"),
        ("event == 'push' && 'x' || 'y'", "x"),
        ("hashFiles('missing') != '' && 'file' || 'auto'", "auto"),
        ("event == 'pull_request' || event == 'push'", "true"),
    ],
)
def test_expressions_are_evaluated_as_by_the_runner(expression: str, expected: str, tmp_path: Path) -> None:
    assert evaluate(expression, {"event": "push"}, tmp_path) == expected


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in ("astro.config.mjs", "package.json", "package-lock.json"):
            Path(name).write_text(SOURCES[name])
        run(["init"])
        EXAMPLE.write_text(Path(".github/workflows/sitemap.yml").read_text())
        os.chdir(EXAMPLE.parent)
