"""`init` on each generator: what it writes is valid, builds the site, and its first run is green or honestly red."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from configs import config_of, file_of
from repositories import create, git
from setup_repositories import REPOSITORIES, SITE, Repository, urlset
from sitemap_action.__main__ import run
from sitemap_action.config.schema import Config
from sitemap_action.setup.texts import action_reference

CONFIG, WORKFLOW = Path(".github/sitemap.yml"), Path(".github/workflows/sitemap.yml")
PLAIN = REPOSITORIES[-1]


@pytest.fixture(autouse=True)
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = create(tmp_path / "repository")
    monkeypatch.chdir(folder)
    return folder


def commit(repository: Repository, top: Path) -> None:
    repository.write(top)
    if repository is PLAIN:
        repository.make(top)
        (top / "sitemap.xml").write_text(urlset(*repository.urls()))
    git(top, "add", "--all")
    git(top, "commit", "-q", "-m", "site")


def config() -> Config:
    """As the project itself reads it: every problem is an error."""
    return config_of(file_of(CONFIG.read_text()))


def job() -> dict[str, Any]:
    found = yaml.safe_load(WORKFLOW.read_text())["jobs"]["sitemap"]
    assert isinstance(found, dict)
    return found


def commands() -> tuple[str, ...]:
    return tuple(
        line for step in job()["steps"] if step.get("name") == "Build the site" for line in step["run"].splitlines()
    )


@pytest.mark.parametrize("repository", REPOSITORIES, ids=lambda one: one.name)
def test_each_generator(repository: Repository, top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(repository, top)
    assert run(["init"]) == 0
    printed = capsys.readouterr().out
    assert f"generator  {repository.name}  (" in printed
    found = config()
    assert (found.site_url, found.source.path) == (repository.site_url, repository.output)
    assert found.sitemap == repository.config.get("sitemap", "")
    assert commands() == repository.build
    assert ("actions/cache" in WORKFLOW.read_text()) is bool(repository.own), (
        "a generator that writes a sitemap says so: by plugins of its row, or its function of generator_configs.py"
    )
    repository.make(top)
    assert run(["check", "--report", "json=report.json"]) == repository.code
    report = json.loads(Path("report.json").read_text())
    assert report["result"] == repository.result
    assert report["judged"] == ("built" if repository.own else "committed")
    if repository.code:
        assert report["first_run"]
        _repaired(repository, top, found.sitemap)


def _repaired(repository: Repository, top: Path, sitemap: str) -> None:
    """What the report of a red first run says to do makes the next one green."""
    assert run(["write"]) == 0
    git(top, "add", sitemap)
    (top / repository.output / Path(sitemap).name).write_bytes(
        (top / sitemap).read_bytes()
    )  # as the generator copies it
    assert run(["check"]) == 0


@pytest.mark.parametrize("repository", REPOSITORIES, ids=lambda one: one.name)
def test_every_assumption_names_a_line_that_says_so(
    repository: Repository, top: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(repository, top)
    run(["init"])
    printed = capsys.readouterr().out
    places = re.findall(r"([\w./-]+):(\d+)", printed.partition("Assumed")[2])
    assert places or repository is PLAIN
    for path, line in places:
        assert len((top / path).read_text().splitlines()) >= int(line)
    for path, line in re.findall(r"site-url +\S+  \(([\w./-]+):(\d+)", printed):
        stated = (top / path).read_text().splitlines()[int(line) - 1]
        assert urlsplit(SITE).netloc in stated or "hostname" in stated, stated


def tool(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


@pytest.fixture(scope="module")
def workflows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What `init` writes for each of them, side by side."""
    root = create(tmp_path_factory.mktemp("workflows") / "repository")
    (root / ".github/workflows").mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        for number, repository in enumerate(REPOSITORIES):
            here = tmp_path_factory.mktemp("site")
            patch.chdir(here)
            repository.write(here)
            assert run(["init"]) == 0
            (root / f".github/workflows/{number}.yml").write_text(WORKFLOW.read_text())
        several = create(tmp_path_factory.mktemp("several") / "repository")
        patch.chdir(several)
        commit_several(several)
        assert run(["init"]) == 0
        (root / f".github/workflows/{len(REPOSITORIES)}.yml").write_text(WORKFLOW.read_text())
        yield root


@pytest.mark.parametrize(
    "command",
    [
        ["actionlint", "-no-color"],
        ["zizmor", "--offline", "--pedantic", "--no-progress", "--color=never", "."],
        ["check-jsonschema", "--builtin-schema", "vendor.github-workflows", *(f".github/workflows/{n}.yml" for n in range(len(REPOSITORIES) + 1))],
    ],
    ids=lambda command: command[0],
)  # fmt: skip
def test_other_people_s_tools_find_nothing(command: list[str], workflows: Path) -> None:
    """Of this action and of actions/cache no commit is known here, so a branch and a tag stand for them."""
    policies = {"OWNER/*": "ref-pin", "actions/cache/*": "ref-pin", "*": "hash-pin"}
    no_lock = {"ignore": ["9.yml"]}  # Bun itself, for which the runner has no program
    rules = {"rules": {"unpinned-uses": {"config": {"policies": policies}}, "adhoc-packages": no_lock}}
    (workflows / ".github/zizmor.yml").write_text(json.dumps(rules))
    done = subprocess.run([tool(command[0]), *command[1:]], cwd=workflows, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("repository", REPOSITORIES, ids=lambda one: one.name)
def test_least_rights_and_no_secret(repository: Repository, top: Path) -> None:
    commit(repository, top)
    run(["init"])
    found = yaml.safe_load(WORKFLOW.read_text())
    assert found["permissions"] == {}
    assert found["concurrency"]["group"].startswith("sitemap-")
    assert (job()["permissions"], job()["timeout-minutes"]) == ({"contents": "read"}, 20)
    assert job()["steps"][0]["with"]["persist-credentials"] is False
    assert "secrets." not in WORKFLOW.read_text()
    assert "pull_request_target" not in WORKFLOW.read_text()


# --- running it again, and without git ---


def test_nothing_is_replaced(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(PLAIN, top)
    assert run(["init"]) == 0
    before = {path: path.read_bytes() for path in (CONFIG, WORKFLOW)}
    capsys.readouterr()
    assert run(["init"]) == 2
    assert "exist already; nothing was written" in capsys.readouterr().err
    assert run(["init", "--dry-run"]) == 0
    assert "sitemap.yml exists already, and stays as it is" in capsys.readouterr().out
    assert {path: path.read_bytes() for path in (CONFIG, WORKFLOW)} == before


@pytest.mark.parametrize(("there", "missing"), [(CONFIG, WORKFLOW), (WORKFLOW, CONFIG)])
def test_the_file_that_is_missing_is_added(
    there: Path, missing: Path, top: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(PLAIN, top)
    there.parent.mkdir(parents=True, exist_ok=True)
    there.write_text("# mine\n")
    assert run(["init"]) == 0
    printed = capsys.readouterr().out
    assert f"{there} exists already, and stays as it is" in printed
    assert f"wrote {missing}" in printed
    assert there.read_text() == "# mine\n"
    assert missing.exists()


@pytest.mark.parametrize(
    ("text", "folder", "says"),
    [
        ("source: {path: out/site}\n", "out/site", "folder     out/site  (.github/sitemap.yml)"),
        ("source: {url: https://www.example.net/}\n", "dist", "folder     dist"),
        ("sorce: {path: out}\n", "dist", "correct it: .github/sitemap.yml:1:1"),
    ],
)
def test_a_config_that_is_there_names_the_folder(
    text: str, folder: str, says: str, top: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(REPOSITORIES[4], top)
    CONFIG.parent.mkdir()
    CONFIG.write_text(text)
    assert run(["init"]) == 0
    assert says in capsys.readouterr().out
    (collect,) = [step for step in job()["steps"] if "BUILD" in step.get("env", {})]
    assert collect["env"]["BUILD"] == folder


def test_a_dry_run_prints_the_files_and_writes_nothing(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(PLAIN, top)
    assert run(["init", "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert "--- .github/sitemap.yml ---\n# Written by sitemap-action init" in printed
    assert "--- .github/workflows/sitemap.yml ---" in printed
    assert "would write .github/sitemap.yml" in printed
    assert not Path(".github").exists()
    assert git(top, "status", "--porcelain") == ""
    assert run(["init"]) == 0
    assert CONFIG.read_text() in printed
    assert WORKFLOW.read_text() in printed


def test_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path / "folder")
    PLAIN.write(Path())
    assert run(["init"]) == 0
    printed = capsys.readouterr().out
    assert "there is no git repository here" in printed
    assert CONFIG.exists()


def test_without_a_git_program(top: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    commit(PLAIN, top)
    monkeypatch.setenv("PATH", str(top.parent))
    assert run(["init"]) == 0
    assert "git is not installed" in capsys.readouterr().out


def test_a_repository_that_is_not_trusted(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(PLAIN, top)
    (top / ".git").rename(top.parent / "elsewhere")
    (top / ".git").symlink_to("../elsewhere")
    assert run(["init"]) == 0
    printed = capsys.readouterr().out
    assert "the git repository is not used: " in printed
    assert "is a symbolic link; this folder is taken for the top" in printed


def test_submodules_are_checked_out(top: Path) -> None:
    """As themes of Hugo are."""
    REPOSITORIES[6].write(top)
    (top / ".gitmodules").write_text('[submodule "theme"]\n\tpath = themes/a\n\turl = https://git.example.net/a\n')
    assert run(["init"]) == 0
    assert job()["steps"][0]["with"] == {"fetch-depth": 2, "persist-credentials": False, "submodules": "recursive"}


def test_in_a_folder_of_the_repository(
    top: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Workflows work at the top alone."""
    for path, text in REPOSITORIES[4].files.items():
        (top / "website" / path).parent.mkdir(parents=True, exist_ok=True)
        (top / "website" / path).write_text(text)
    git(top, "add", "--all")
    git(top, "commit", "-q", "-m", "site")
    monkeypatch.chdir(top / "website")
    assert run(["init"]) == 0
    monkeypatch.chdir(top)
    assert config().source.path == "website/dist"
    (build,) = [step for step in job()["steps"] if "working-directory" in step]
    assert build["working-directory"] == "website"
    printed = capsys.readouterr().out
    CONFIG.unlink()
    WORKFLOW.unlink()
    assert run(["init"]) == 0, "and from the top the folder is found"
    assert capsys.readouterr().out == printed
    CONFIG.unlink()
    WORKFLOW.unlink()
    assert run(["init", "--path", "website"]) == 0
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize("branch", ["develop", "8.10", "on"])  # neither a number nor a word of YAML
def test_the_default_branch_is_that_of_origin(
    branch: str, top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(REPOSITORIES[4], top)
    git(top, "branch", "-m", branch)
    git(tmp_path, "clone", "-q", str(top), "clone")
    monkeypatch.chdir(tmp_path / "clone")
    git(Path(), "checkout", "-q", "-b", "topic")
    assert run(["init"]) == 0
    assert yaml.safe_load(WORKFLOW.read_text())[True]["push"]["branches"] == [branch]


# --- what it cannot know ---

REFUSED: list[tuple[str, dict[str, str], str]] = [
    # id, files, what the error says
    ("a Next.js server", {"next.config.js": "module.exports = {}", "package.json": '{"dependencies": {"next": "15"}}'}, 'output: "export" is not set'),
    ("an Astro server", {"astro.config.mjs": "export default {output: 'server'}", "package.json": "{}"}, "output is server"),
    ("SvelteKit on a server", {"svelte.config.js": "", "package.json": '{"devDependencies": {"@sveltejs/kit": "2"}}'}, "adapter-static is not used"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "says"), [pytest.param(*row[1:], id=row[0]) for row in REFUSED])
def test_an_honest_refusal(files: dict[str, str], says: str, top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(Repository(name="", files=files, output="", build=()), top)
    assert run(["init"]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert "hint: " in error
    assert run(["init", "--dry-run"]) == 0
    assert "would write nothing: " in capsys.readouterr().out
    assert not Path(".github").exists()


UNKNOWN: list[tuple[str, dict[str, str], str, tuple[str, ...], str]] = [
    # id, files, source.path, commands, the file with the line that is marked
    ("nothing at all", {"README.md": "# A library\n"}, "dist", ("exit 1 # FILL IN: the command that builds the site into dist",), ".github/workflows/sitemap.yml"),
    ("a start page somewhere", {"tests/data/index.html": ""}, "dist", ("exit 1 # FILL IN: the command that builds the site into dist",), ".github/workflows/sitemap.yml"),
    ("a script of npm", {"package.json": '{"scripts": {"build": "node make.js"}}'}, "dist", ("npm install", "npm run build"), ".github/sitemap.yml"),
    ("a single-page application", {"index.html": "", "package.json": '{"scripts": {"build": "x"}}'}, "dist", ("npm install", "npm run build"), ".github/sitemap.yml"),
    ("a script, and its build", {"package.json": '{"scripts": {"build": "x"}}', ".gitignore": "out\n", "out/index.html": ""}, "out", ("npm install", "npm run build"), ""),
    ("a build alone", {"make.hs": "", ".gitignore": "out\n", "out/index.html": ""}, "out", ("exit 1 # FILL IN: the command that builds the site into out",), ".github/workflows/sitemap.yml"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "path", "lines", "marked"), [pytest.param(*row[1:], id=row[0]) for row in UNKNOWN])
def test_U_25_a_generator_that_is_not_known_gets_one_line_to_fill_in(
    files: dict[str, str],
    path: str,
    lines: tuple[str, ...],
    marked: str,
    top: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    commit(Repository(name="", files=files, output="", build=()), top)
    assert run(["init"]) == 0
    assert (config().source.path, commands()) == (path, lines)
    texts = {str(one): one.read_text() for one in (CONFIG, WORKFLOW)}
    assert [name for name, text in texts.items() if "FILL IN" in text] == ([marked] if marked else [])
    assert "".join(texts.values()).count("FILL IN") == bool(marked)
    assert (f"Fill in the line that is marked FILL IN in {marked}." in capsys.readouterr().out) is bool(marked)


def test_U_25_a_command_of_one_s_own(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(
        Repository(name="", files={"make.hs": "", "next.config.js": "", "package.json": "{}"}, output="", build=()), top
    )
    assert run(["init", "--build", "stack run", "--path", "out/site"]) == 0
    assert (config().source.path, commands()) == ("out/site", ("stack run",))
    for wrong in (["--build", "make"], ["--build", "a\nb", "--path", "x"], ["--build", "${{ a }}", "--path", "x"]):
        assert run(["init", *wrong]) == 2
    assert "--build" in capsys.readouterr().err


# --- several sites ---

SITES = ("sites/blog", "sites/docs", "handbook")


def commit_several(top: Path) -> None:
    texts = {f"{folder}/mkdocs.yml": f"site_url: https://{Path(folder).name}.example.net/\n" for folder in SITES}
    commit(Repository(name="", files={**texts, ".gitignore": "site/\n"}, output="", build=()), top)


def test_U_23_several_sites_have_a_config_each_and_one_workflow(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit_several(top)
    assert run(["init"]) == 0
    printed = capsys.readouterr().out
    assert "3 sites: handbook, sites/blog, sites/docs; `sitemap-action init --path DIR` sets up one of them" in printed
    assert sorted(path.name for path in Path(".github").iterdir()) == [
        "sitemap-blog.yml",
        "sitemap-docs.yml",
        "sitemap-handbook.yml",
        "workflows",
    ]
    found = job()
    rows = found["strategy"]["matrix"]["include"]
    assert [(row["site"], row["build"]) for row in rows] == [
        ("handbook", "handbook/site"),
        ("blog", "sites/blog/site"),
        ("docs", "sites/docs/site"),
    ]
    builds = [step for step in found["steps"] if step.get("name", "").startswith("Build ")]
    assert [(step["if"], step["working-directory"]) for step in builds] == [
        (f"matrix.site == '{row['site']}'", row["build"].removesuffix("/site")) for row in rows
    ]
    assert found["steps"][-1]["with"]["config"] == ".github/sitemap-${{ matrix.site }}.yml"
    assert config_of(file_of(Path(".github/sitemap-blog.yml").read_text())).site_url == "https://blog.example.net/"
    assert run(["init"]) == 2
    assert "exist already; nothing was written" in capsys.readouterr().err
    assert run(["init", "--dry-run"]) == 0


def test_U_23_one_site_of_several(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit_several(top)
    for folder, name in (("sites/blog", "blog"), ("handbook", "handbook")):
        assert run(["init", "--path", folder]) == 0
        text = Path(f".github/workflows/sitemap-{name}.yml").read_text()
        assert f"group: sitemap-{name}-" in text, "two workflows do not cancel each other"
        assert f"key: sitemap-baseline-{name}-$" in text
        check = yaml.safe_load(text)["jobs"]["sitemap"]["steps"][-1]
        assert check["with"]["config"] == f".github/sitemap-{name}.yml"
        assert config_of(file_of(Path(check["with"]["config"]).read_text())).source.path == f"{folder}/site"
    assert not CONFIG.exists()


def test_U_23_a_config_of_another_site_is_not_in_the_way(top: Path) -> None:
    commit(REPOSITORIES[0], top)
    assert run(["init"]) == 0
    assert run(["init", "--build", "make", "--path", "shop/out"]) == 0
    assert config_of(file_of(Path(".github/sitemap-out.yml").read_text())).source.path == "shop/out"
    assert Path(".github/workflows/sitemap-out.yml").exists()


def test_a_build_that_is_there_is_checked(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(REPOSITORIES[0], top)
    REPOSITORIES[0].make(top)
    assert run(["init"]) == 0
    printed = capsys.readouterr().out
    assert "The build in site, by `sitemap-action check --offline`:\n\nin-sync" in printed


def test_U_39_the_action_is_pinned_where_its_commit_is_known() -> None:
    commit = "1" * 40
    record = {"url": "https://github.com/a/b", "vcs_info": {"vcs": "git", "commit_id": commit}}
    assert action_reference(json.dumps(record)).endswith(f"/sitemap-action@{commit} # main")
    record["vcs_info"] = {"commit_id": commit, "requested_revision": "v1.2.0"}
    assert action_reference(json.dumps(record)).endswith(f"@{commit} # v1.2.0")
    for unknown in ("", "[]", "{}", '{"vcs_info": {"commit_id": 1}}', '{"vcs_info": {"commit_id": "x"}}'):
        assert action_reference(unknown) == ""


def test_several_generators(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(REPOSITORIES[0], top)
    commit(REPOSITORIES[4], top)
    assert run(["init"]) == 0
    printed = capsys.readouterr().out
    assert "generator  Astro" in printed
    assert "mkdocs.yml would mean MkDocs, and does not count beside astro.config.mjs: --generator" in printed
    CONFIG.unlink()
    WORKFLOW.unlink()
    assert run(["init", "--generator", "mkdocs"]) == 0
    assert "generator  MkDocs" in capsys.readouterr().out


UNKNOWN_ADDRESS: list[tuple[str, dict[str, str], str, str]] = [
    # id, files, what the report says of it, site-url in the end
    ("computed", {"astro.config.mjs": "export default {site: process.env.SITE}", "package.json": "{}"}, "astro.config.mjs:1: site is computed, and a config is not run", ""),
    ("a placeholder", {"_config.yml": "title: A\nurl: http://example.com\n"}, "_config.yml:2: example.com is the placeholder of a new project", ""),
    ("this machine", {"hugo.toml": 'baseURL = "http://localhost:1313/"\n'}, "hugo.toml:1: localhost is no public host", ""),
    ("no URL", {"hugo.toml": 'baseURL = "/"\n'}, "hugo.toml:1: ", ""),
    ("with a password", {"mkdocs.yml": "site_url: https://me:secret@docs.example.net/\n"}, "mkdocs.yml:1: ", ""),
    ("GitHub Pages without a domain", {"_config.yml": "title: A\n", ".github/workflows/x.yml": "jobs: {a: {steps: [\n  {uses: actions/deploy-pages@v4}]}}\n"}, "the address that GitHub Pages gives this repository", "https://someone.github.io/A-Site/"),
    ("a domain of GitHub Pages", {"_config.yml": "title: A\n", "CNAME": "docs.example.net"}, "(CNAME)", "https://docs.example.net/"),
    ("two that differ", {"mkdocs.yml": "site_url: https://docs.example.net/\n", "docs/CNAME": "other.example.net"}, "docs/CNAME states https://other.example.net/, and does not count beside mkdocs.yml:1", "https://docs.example.net/"),
    ("the default of a variable", {"mkdocs.yml": "site_url: !ENV [SITE_URL, 'https://docs.example.net']\n"}, "(mkdocs.yml:1)", "https://docs.example.net/"),
    ("a variable without default", {"mkdocs.yml": "site_url: !ENV SITE_URL\n"}, "mkdocs.yml:1: ", ""),
    ("robots.txt", {"astro.config.mjs": "export default {}", "package.json": '{"homepage": "https://github.com/a/b#readme"}', "public/robots.txt": "User-agent: *\nSitemap: https://www.example.net/docs/sitemap.xml\n"}, "(public/robots.txt:2)", "https://www.example.net/docs/"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "says", "site_url"), [pytest.param(*row[1:], id=row[0]) for row in UNKNOWN_ADDRESS])
def test_the_address_of_the_site(
    files: dict[str, str], says: str, site_url: str, top: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(top, "remote", "add", "origin", "git@github.com:Someone/A-Site.git")
    commit(Repository(name="", files=files, output="", build=()), top)
    assert run(["init"]) == 0
    printed = capsys.readouterr().out
    assert says in printed
    assert "secret" not in printed
    assert config().site_url == site_url
    if not site_url:
        assert "site-url: no file states" in printed
        assert "# site-url: https://www.example.com/ # " in CONFIG.read_text()


def test_a_build_that_is_here_shows_its_sitemap(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Such as one that a script of the repository writes."""
    commit(REPOSITORIES[10], top)
    (top / "build").mkdir()
    (top / "build/sitemap_index.xml").write_text(urlset(SITE))
    assert run(["init"]) == 0
    assert (
        "sitemap_index.xml of the build  (build/sitemap_index.xml of a build that is here)" in capsys.readouterr().out
    )
    assert config().sitemap == ""
    assert "hashFiles('.sitemap-baseline/sitemap_index.xml')" in WORKFLOW.read_text()


COMMITTED: list[tuple[str, dict[str, str], list[str], str, str]] = [
    # id, files beside those of Astro, those that git does not track, sitemap of the config, what is said of it
    ("a folder that the build gets", {"public/sitemap.xml": "x"}, [], "public/sitemap.xml", "tracked by git"),
    ("at the top", {"sitemap.xml": "x"}, [], "sitemap.xml", "tracked by git"),
    ("an index", {"public/sitemap-index.xml": "x"}, [], "public/sitemap-index.xml", "tracked by git"),
    ("a build that is committed", {"dist/sitemap.xml": "x", ".gitignore": ""}, [], "dist/sitemap.xml", "tracked by git"),
    ("not tracked, beside a generator's own", {"public/sitemap.xml": "x"}, ["public/sitemap.xml"], "", "@astrojs/sitemap"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("more", "untracked", "sitemap", "says"), [pytest.param(*row[1:], id=row[0]) for row in COMMITTED]
)
def test_a_sitemap_that_is_there(
    more: dict[str, str], untracked: list[str], sitemap: str, says: str, top: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = Repository(name="", files=REPOSITORIES[4].files | more, output="dist", build=())
    commit(repository, top)
    for path in untracked:
        git(top, "rm", "-q", "--cached", path)
    assert run(["init"]) == 0
    printed = capsys.readouterr().out
    assert says in printed
    assert config().sitemap == sitemap
    assert ("actions/cache" in WORKFLOW.read_text()) is (sitemap == "")
    if sitemap:
        assert "the build writes sitemap-index.xml too" in printed


def test_a_new_sitemap_that_is_not_tracked_yet(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(REPOSITORIES[10], top)
    (top / "static/sitemap.xml").write_text("")
    assert run(["init"]) == 0
    assert "static/sitemap.xml  (git does not track it yet: commit it too)" in capsys.readouterr().out
    assert config().sitemap == "static/sitemap.xml"


def test_versions_of_tools_are_those_of_the_repository_s_own_workflows(
    top: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = "jobs:\n  a:\n    steps:\n      - uses: actions/setup-node@v4 # x\n        with:\n          node-version: '20.11'\n      - uses: actions/cache@v4\n      - uses: someone/sitemap-action@v1\n"
    REPOSITORIES[4].write(top)
    (top / ".github/workflows").mkdir(parents=True)
    (top / ".github/workflows/ci.yml").write_text(own)
    assert run(["init"]) == 0
    setup, save = (
        next(step for step in job()["steps"] if name in step.get("uses", "")) for name in ("setup-node", "cache/save")
    )
    assert setup == {"uses": "actions/setup-node@v4", "with": {"node-version": "20.11"}}
    assert save["uses"] == "actions/cache/save@v4"
    assert ".github/workflows/ci.yml:8 runs sitemap-action already" in capsys.readouterr().out


def test_I_01_a_sitemap_that_states_another_base_is_told(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mkdocs = next(one for one in REPOSITORIES if one.name == "MkDocs")
    mkdocs.write(top)
    (top / "docs").mkdir(exist_ok=True)
    listed = [f"https://other.example.org/{name}" for name in ("", "a/", "b/", "c/")]
    (top / "docs/sitemap.xml").write_text(urlset(*listed))
    git(top, "add", "--all")
    assert run(["init", "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert f"site-url is {SITE}" in printed
    told = "4 of 4 addresses that the site states are below https://other.example.org/ (docs/sitemap.xml)"
    assert told in printed


ZENSICAL = {
    "zensical.toml": '[project]\nsite_name = "A"\n',
    "site/index.html": "<title>A</title>",
    "site/sitemap.xml": urlset(),
}
MARKED = (
    # what the repository has, and what init says
    ({"mkdocs.yml": "site_name: A\n"}, "sitemap: that of MkDocs has no URL, so the check is red: set site_url in mkdocs.yml, then"),
    ({"mkdocs.yml": "site_name: A\n"}, "→ Say where the pages will live: site-url in .github/sitemap.yml."),
    (ZENSICAL, "sitemap: that of Zensical has no URL, so the check is red: set project.site_url in zensical.toml, then"),
    ({"hugo.toml": 'baseURL = "https://example.org/"\n'}, "site-url in .github/sitemap.yml (hugo.toml:1: example.org is the placeholder"),
)  # fmt: skip


@pytest.mark.parametrize(("files", "said"), MARKED)
def test_init_says_what_its_first_check_needs(
    files: dict[str, str], said: str, top: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A generator that writes its own sitemap over a copied one is not told to keep one there."""
    for path, text in {**files, ".gitignore": "site/\n"}.items():
        (top / path).parent.mkdir(exist_ok=True)
        (top / path).write_text(text)
    git(top, "add", "--all")
    git(top, "commit", "-q", "-m", "sources")
    assert run(["init"]) == 0
    assert said in capsys.readouterr().out
    assert config().sitemap == ""
