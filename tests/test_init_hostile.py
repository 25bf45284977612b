"""`init` in a repository that is broken, or made to misuse it: said, never a crash, and nothing written elsewhere."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from repositories import create, git
from setup_repositories import REPOSITORIES, package
from sitemap_action.__main__ import run
from sitemap_action.cli.options import KNOWN
from sitemap_action.config.layers import ConfigReader

CONFIG, WORKFLOW = Path(".github/sitemap.yml"), Path(".github/workflows/sitemap.yml")
ASTRO = {
    "astro.config.mjs": "export default { site: 'https://www.example.net/' }",
    "package.json": package("", "astro"),
}
ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.fixture(autouse=True)
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = create(tmp_path / "repository")
    monkeypatch.chdir(folder)
    return folder


def write(files: dict[str, str | bytes]) -> None:
    for path, text in files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(text if isinstance(text, bytes) else text.encode())


def valid() -> tuple[ConfigReader, str]:
    """The config as the project reads it, and the workflow's commands."""
    reader = ConfigReader(str(CONFIG), (), KNOWN)
    reader.config(CONFIG.read_bytes())
    steps = yaml.safe_load(WORKFLOW.read_text())["jobs"]["sitemap"]["steps"]
    return reader, "\n".join(step.get("run", "") for step in steps)


BROKEN: list[tuple[str, dict[str, str | bytes], int, str]] = [
    # id, files, exit code, what is said
    ("broken YAML", {"mkdocs.yml": "a: b: c\n"}, 0, "not read: mkdocs.yml:1:5: not valid YAML"),
    ("aliases that grow", {"mkdocs.yml": ALIASES}, 0, "aliases such as *"),
    ("YAML that is no mapping", {"mkdocs.yml": "- a\n"}, 0, "generator  MkDocs"),
    ("a tag that runs code", {"mkdocs.yml": "site_url: !!python/object/apply:os.system ['touch ran']\n"}, 0, "site_url is computed, and a config is not run"),
    ("broken TOML", {"hugo.toml": "baseURL = \n"}, 0, "hugo.toml: this is not TOML"),
    ("a TOML key of 100,000 parts", {"hugo.toml": "a." * 100_000 + "b = 1"}, 0, "a key has more than 50 parts"),
    ("broken package.json", {"package.json": "{", "index.html": ""}, 0, "package.json:1:2: this is not JSON"),
    ("package.json that nests deep", {"package.json": '{"a":' * 40_000, "index.html": ""}, 0, "it nests too deep"),
    ("types of package.json", {"package.json": '{"scripts": [], "dependencies": "x", "packageManager": 7}', "index.html": ""}, 0, "plain HTML"),
    ("a config that is too large", {"_config.yml": "#" * 300_000}, 0, "_config.yml is not read: it holds more than 256 KiB"),
    ("a config that is not UTF-8", {"mkdocs.yml": b"site_name: \xff\xfe\nsite_url: https://www.example.net/\n"}, 0, "site-url   https://www.example.net/"),
    ("a config with NUL", {"mkdocs.yml": b"site_name: \x00\n"}, 0, "not valid YAML: the character U+0000 is not allowed"),
    ("brackets", {**ASTRO, "astro.config.mjs": "{[(" * 80_000}, 0, "generator  Astro"),
    ("an empty config", {**ASTRO, "astro.config.mjs": ""}, 0, "site-url: no file states"),
    ("a broken _config.yml with a Gemfile", {"_config.yml": "\t", "Gemfile": "gem 'jekyll'"}, 0, "generator  Jekyll"),
    ("a conf.py with code", {"docs/conf.py": "project = 'x'\nimport os\nos.mkdir('ran')\nhtml_baseurl = os.getcwd()\n"}, 0, "docs/conf.py:4: html_baseurl is computed"),
    ("a config with code", {**ASTRO, "astro.config.mjs": "require('fs').writeFileSync('ran', ''); export default { site: 'https://www.example.net' }"}, 0, "site-url   https://www.example.net/"),
    ("a CNAME that is no domain", {"index.html": "", "CNAME": "a b\nc"}, 0, "CNAME is not used: it holds no domain name"),
    ("a broken workflow", {"index.html": "", ".github/workflows/x.yml": "\t: [ uses: actions/cache@v4\n" * 3}, 0, "plain HTML"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "code", "says"), [pytest.param(*row[1:], id=row[0]) for row in BROKEN])
def test_a_broken_file_is_said(
    files: dict[str, str | bytes], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(files)
    assert run(["init"]) == code
    printed = capsys.readouterr()
    assert says in printed.out + printed.err
    assert not list(Path().rglob("ran"))
    valid()


EVIL = "x'; touch ran; echo '"
INJECTED: list[tuple[str, dict[str, str | bytes]]] = [
    ("an output folder with a command", {**ASTRO, "astro.config.mjs": "export default { outDir: './$(touch ran)' }"}),
    ("an output folder with an expression", {**ASTRO, "astro.config.mjs": "export default { outDir: '${{ github.token }}' }"}),
    ("an output folder that breaks YAML", {"mkdocs.yml": 'site_dir: "x\\n    run: touch ran"\n'}),
    ("an output folder outside", {"mkdocs.yml": "site_dir: ../../etc\n"}),
    ("an absolute output folder", {"mkdocs.yml": "site_dir: /etc\n"}),
    ("git's own folder", {"mkdocs.yml": "site_dir: .git\n"}),
    ("an output folder like an option", {"hugo.toml": 'publishDir = "-rf"\n'}),
    ("a script's name", {**ASTRO, "package.json": '{"scripts": {"a; touch ran": "astro build"}}'}),
    ("a script's option", {**ASTRO, "package.json": '{"scripts": {"build": "astro build --outDir $(touch${IFS}ran)"}}'}),
    ("a package manager", {**ASTRO, "package.json": '{"packageManager": "npm@1.0; touch ran"}'}),
    ("a package manager's version", {**ASTRO, "package.json": '{"packageManager": "bun@1.0.0+$(touch ran)"}'}),
    ("a folder of VitePress", {"x/.vitepress/config.js": "", "package.json": '{"scripts": {"build": "vitepress build $(touch ran)"}}', "index.html": ""}),
    ("a Hugo version", {"hugo.toml": "", "netlify.toml": 'HUGO_VERSION = "0.1.2$(touch ran)"\n'}),
    ("an extra of pyproject.toml", {"mkdocs.yml": "", "pyproject.toml": f'[project.optional-dependencies]\n"{EVIL}" = ["mkdocs"]\n'}),
    ("a version in a workflow", {**ASTRO, ".github/workflows/a.yml": "- uses: actions/setup-node@v4\n  with:\n    node-version: '20; touch ran'\n"}),
    ("an action's reference", {**ASTRO, ".github/workflows/a.yml": "- uses: actions/setup-node@v4${{ github.token }}\n"}),
    ("a workflow's name", {**ASTRO, ".github/workflows/a ${{ github.token }}\n      - run: touch ran #.yml": "- uses: actions/setup-node@v4\n"}),
    ("an address with an expression", {"mkdocs.yml": "site_url: https://www.example.net/${{github.token}}/\n"}),
    ("an address that breaks YAML", {"mkdocs.yml": 'site_url: "https://www.example.net/\\n\\nsource: {path: /etc}\\n"\n'}),
    ("an address with a comment", {"mkdocs.yml": "site_url: 'https://www.example.net/#x'\n"}),
    ("a workflow command", {"mkdocs.yml": "site_url: '::error::x'\nsite_dir: '##[error]x'\n"}),
]  # fmt: skip


@pytest.mark.attack("injection")
@pytest.mark.parametrize("files", [pytest.param(row[1], id=row[0]) for row in INJECTED])
def test_nothing_of_a_repository_becomes_a_command(
    files: dict[str, str | bytes], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(files)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    code = run(["init"])
    printed = capsys.readouterr().out
    assert not [
        line for line in printed.splitlines() if line.lstrip().startswith("::") and "title=sitemap-action" not in line
    ]
    if code:
        assert code == 2
        return
    reader, commands = valid()
    for word in ("touch", "$(t", "${{", "/etc", "../", "-rf"):
        assert word not in commands
    text = WORKFLOW.read_text()
    assert "github.token" not in "".join(line.partition(" # ")[0] for line in text.splitlines())
    assert "run: touch" not in text.replace(r"\x0a      - run: touch ran", "")
    config = reader.config(CONFIG.read_bytes())
    assert not config.source.path.startswith(("/", "-", ".git/", ".."))
    assert config.source.path != ".git"


@pytest.mark.attack("injection")
@pytest.mark.parametrize("name", ["a;touch ran", "${{ github.token }}", "a b", "-rf", "a'b", 'a"b', "a\nb"])
def test_a_folder_whose_name_cannot_stand_in_a_workflow(
    name: str, top: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write({f"{name}/{path}": text for path, text in ASTRO.items()})
    monkeypatch.chdir(top / name)
    assert run(["init"]) == 2
    assert "has a name that cannot stand in a workflow" in capsys.readouterr().err
    assert not (top / ".github").exists()
    monkeypatch.chdir(top)
    assert run(["init"]) == 0
    assert "unknown generator" in capsys.readouterr().out
    assert name not in "".join(path.read_text() for path in (top / ".github").rglob("*.yml"))


@pytest.mark.attack("injection")
@pytest.mark.parametrize("name", ["a*", "x;touch", "!main", "a'b", "a$(touch)b", "main#x"])
def test_a_branch_that_would_need_quotes(name: str, top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    REPOSITORIES[4].write(top)
    git(top, "add", "--all")
    git(top, "commit", "-q", "-m", "site")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(top), "clone")
    (clone / ".git/refs/remotes/origin/HEAD").write_text(f"ref: refs/remotes/origin/{name}\n")
    monkeypatch.chdir(clone)
    assert run(["init"]) == 0
    assert yaml.safe_load(WORKFLOW.read_text())[True]["push"]["branches"] == ["main"]


def link(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


PLACES: list[tuple[str, str, Callable[[Path], None], str]] = [
    # id, what is in the way, how it is made, what is said
    ("a linked .github", ".github", link("../elsewhere"), "it goes through a symbolic link"),
    ("a linked folder of workflows", ".github/workflows", link("../../elsewhere"), "it goes through a symbolic link"),
    (".github is a file", ".github", Path.touch, "Not a directory"),
    ("workflows is a file", ".github/workflows", Path.touch, "Not a directory"),
]


@pytest.mark.attack("paths")
@pytest.mark.parametrize(("place", "make", "says"), [pytest.param(*row[1:], id=row[0]) for row in PLACES])
def test_a_place_that_is_none(
    place: str, make: Callable[[Path], None], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both files or none, and nothing through a link."""
    (tmp_path / "elsewhere").mkdir()
    write({"index.html": ""})
    Path(place).parent.mkdir(exist_ok=True)
    make(Path(place))
    assert run(["init"]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert "nothing was written" in error
    assert not list((tmp_path / "elsewhere").iterdir())
    assert not [path for path in Path(".github").rglob("*") if path.is_file() and path.name != "workflows"]


@pytest.mark.attack("paths")
@pytest.mark.parametrize("target", ["/etc/passwd", "nowhere", "../secret"])
def test_a_linked_file_is_one_that_exists(target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "secret").write_text("x")
    write({"index.html": ""})
    CONFIG.parent.mkdir()
    CONFIG.symlink_to(target)
    assert run(["init"]) == 0
    assert ".github/sitemap.yml exists already, and stays as it is" in capsys.readouterr().out
    assert str(CONFIG.readlink()) == target
    assert (tmp_path / "secret").read_text() == "x"


@pytest.mark.attack("paths")
@pytest.mark.parametrize("name", ["mkdocs.yml", "package.json", "CNAME"])
def test_configs_are_read_through_no_link(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "secret").write_text("site_url: https://secret.example.net/\n")
    write({"index.html": "", "mkdocs.yaml": ""} if name == "mkdocs.yml" else {"index.html": ""})
    Path(name).symlink_to("../secret")
    assert run(["init"]) == 0
    printed = capsys.readouterr().out
    assert f"{name} is not read: it goes through a symbolic link" in printed
    assert "secret.example.net" not in printed


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_does_not_hold_it_up(capsys: pytest.CaptureFixture[str]) -> None:
    write({"index.html": ""})
    os.mkfifo("package.json")
    os.mkfifo("mkdocs.yml")
    assert run(["init"]) == 0
    assert "package.json is not read: it is no regular file" in capsys.readouterr().out
