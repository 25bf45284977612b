"""Every code block of the documents is run or read as what it claims to be; one that nothing checks fails here.

Commands run on a small site in a folder of its own; a server on loopback stands for every address that is asked.
"""

import ast
import re
import shlex
import shutil
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest
import yaml
from click.testing import CliRunner

from documents import BLOCKS, DOCUMENTS, ROOT, STEPS, WORKFLOWS, Block, text
from forge.hub import Hub
from repositories import create, git
from runners import urlset
from servers import Site, serve, typed
from sitemap_action.__main__ import run, sitemap_action
from sitemap_action.cli.options import KNOWN
from sitemap_action.config.layers import ConfigReader
from test_docs import SHOWN

# Blocks that another test holds to the code, and the file of that test, which names the document.
ELSEWHERE = {
    ("README.md", "text"): "tests/test_docs.py",
    ("docs/commands.md", "console"): "tests/cli/test_explain.py",
    ("docs/hosts.md", "nginx"): "tests/hosts/judges/test_plain_servers.py",
    ("docs/ledger.md", "text"): "tests/test_ledger.py",
    ("docs/other-ci.md", "groovy"): "tests/test_merge_requests.py",
    ("docs/other-ci.md", "yaml"): "tests/test_merge_requests.py",
    ("docs/policies.md", "text"): "tests/test_known_faults_page.py",
    ("docs/writing.md", "diff"): "tests/test_repair.py",
    ("sitemap_action/README.md", "mermaid"): "tests/test_rooms.py",
}
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
NAMES = ("", "blog", "blog/first", "pricing", "about", "drafts")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
SERVERS = {"ui"}  # run until somebody stops them; tests of their own start them
PLACE = "git+https://github.com/OWNER/sitemap-action"


class Place(NamedTuple):
    """A repository with a build, and the server that has its pages."""

    folder: Path
    site: Site


Lazy: TypeAlias = Callable[[], Place]  # made for the blocks that need it


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    pages = {f"/{name}/".replace("//", "/"): page(name) for name in NAMES}
    listing = typed("application/xml", urlset(*NAMES))
    with serve({**pages, "/sitemap.xml": listing, "/robots.txt": typed("text/plain", "")}) as served:
        yield served


@pytest.fixture
def place(tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> Place:
    top = create(tmp_path / "repository")
    files = {
        f"{folder}/{name}/index.html".replace("//", "/"): page(name)
        for name in NAMES
        for folder in ("dist", "public", "site")
    }
    files |= {
        path: urlset(*NAMES) for path in ("sitemap.xml", "dist/sitemap.xml", "public/sitemap.xml", "site/sitemap.xml")
    }
    files |= {"mkdocs.yml": "site_url: https://www.example.com/\n", "dist/robots.txt": "User-agent: *\nDisallow:\n"}
    for path, content in files.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(content)
    git(top, "add", "--force", "--all")
    git(top, "commit", "-q", "-m", "site")
    git(top, "update-ref", "refs/remotes/origin/main", "HEAD")
    monkeypatch.chdir(top)
    return Place(top, site)


def page(name: str) -> str:
    links = "".join(f'<a href="/{one}/">{one}</a>'.replace("//", "/") for one in NAMES)
    return f"<!doctype html><html lang=en><title>{name or 'home'}</title><h1>{name}</h1><p>{name} {'word ' * 60}</p>{links}"


# --- commands ---


def commands(script: str) -> list[list[str]]:
    """The words of each line, without comments; a backslash joins lines."""
    lines = script.replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def play(words: list[str], place: Place) -> None:
    match words:
        case ["sitemap-action", *arguments]:
            ours(arguments, place)
        case ["pipx", "run", "--spec", spec, "sitemap-action", *arguments]:
            assert spec == PLACE
            ours(arguments, place)
        case ["pipx" | "pip", "install", what]:
            extra = re.fullmatch(rf"sitemap-action\[(\w+)\] @ {re.escape(PLACE)}", what)
            assert what in (PLACE, ".") or (extra and extra[1] in EXTRAS), what
        case ["uvx", "--from", spec, "sitemap-action", *arguments]:
            assert spec in (PLACE, ".")
            ours(arguments, place)
        case ["docker", "run", "--rm", "-v", "$PWD:/site", "-w", "/site", image, *arguments]:
            assert image == f"$(docker build -q {PLACE.removeprefix('git+')}.git)"
            ours(arguments, place)
        case ["gh", "attestation", "verify", what, "--repo", repository]:
            # What is signed is what .github/workflows/release.yml names; gh itself asks GitHub.
            assert re.fullmatch(
                r"oci://ghcr\.io/OWNER/sitemap-action:v[\d.]+|sitemap_action-[\d.]+-py3-none-any\.whl", what
            )
            assert repository == "OWNER/sitemap-action"
        case ["mkdir", "-p", folder]:
            (place.folder / folder).mkdir(parents=True)
        case ["make", target, *variables]:
            assert re.search(rf"(?m)^{target}:", (ROOT / "Makefile").read_text()), target
            for name in variables:
                assert re.search(rf"(?m)^{name.partition('=')[0]} \?=", (ROOT / "Makefile").read_text()), name
        case _:
            pytest.fail(f"nothing checks the command {shlex.join(words)}")


def ours(arguments: list[str], place: Place) -> None:
    """Every address that would be asked is that of the server; 0 and 1 are verdicts, all else is a mistake here."""
    if arguments[0] == "init":  # each as in a repository of its own
        shutil.rmtree(place.folder / ".github", ignore_errors=True)
    if arguments[0] in SERVERS:
        assert run([*arguments, "--help"]) == 0
        return
    if arguments[0] == "merge" and not (place.folder / "shards").exists():
        play(["mkdir", "-p", "shards"], place)
        play(shlex.split("sitemap-action check --url https://www.example.com/ --shard 1/2 --state shards/1"), place)
    asked = [
        served(one, before, arguments[0], place.site) for one, before in zip(arguments, ["", *arguments], strict=False)
    ]
    for command in every_shard(asked):
        code = run(command)
        assert code in (0, 1), f"exit code {code} of {shlex.join(command)}"


def every_shard(arguments: list[str]) -> list[list[str]]:
    """The command of one shard stands for those of all; each keeps a state of its own."""
    if "--shard" not in arguments:
        return [arguments]
    first = arguments[arguments.index("--shard") + 1]
    assert first.startswith("1/")
    swapped = {
        number: {first: f"{number}/{first[2:]}", "shards/1": f"shards/{number}"}
        for number in range(1, int(first[2:]) + 1)
    }
    return [[found.get(one, one) for one in arguments] for found in swapped.values()]


def served(argument: str, option: str, command: str, site: Site) -> str:
    asks = (
        option == "--url"
        or option == command == "check"
        or (command in ("read", "validate", "diff", "robots") and not option.startswith("--"))
    )
    if argument.startswith("https://") and asks and (command != "robots" or option == "robots"):
        return re.sub(r"^https://[^/]+/", site.url, argument)
    return argument


def config(content: str, place: Lazy) -> None:
    ConfigReader("sitemap.yml", (), KNOWN).config(content.encode())


def read_yaml(content: str, place: Lazy) -> None:
    """A workflow and steps go through the linters in tests/test_action.py, too."""
    if content in WORKFLOWS or content in STEPS:
        found = yaml.safe_load(content)
        steps = found if isinstance(found, list) else [one for job in found["jobs"].values() for one in job["steps"]]
        ours_alone = [one for one in steps if one.get("uses", "").startswith("OWNER/sitemap-action")]
        assert ours_alone
        assert all({*one.get("with", {})} <= {*ACTION["inputs"]} for one in ours_alone)
        return
    found = yaml.safe_load(content)
    if "repos" in found:
        pre_commit(found)
    elif any(isinstance(one, dict) and "script" in one for one in found.values()):
        for line in (line for job in found.values() for line in job["script"]):
            for words in commands(line):
                play(words, place())
    else:
        config(content, place)


def pre_commit(found: dict[str, Any]) -> None:
    hooks = {one["id"] for one in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    for repository in found["repos"]:
        assert repository["repo"] == "https://github.com/OWNER/sitemap-action"
        assert {one["id"] for one in repository["hooks"]} <= hooks


def shell(content: str, place: Lazy) -> None:
    found = commands(content)
    assert found
    for words in found:
        play(words, place())


def drawing(content: str, place: Lazy) -> None:
    """Of a run: what stands on an arrow is a room of the package. Of a story: each name is one that a story has."""
    first, *rows = content.splitlines()
    if first != "tests/cases/NAME/":
        rooms = re.split(r"[,| ]+", " ".join(re.findall(r"──([a-z][a-z, |]*)──▶", content)))
        assert len(rooms) >= 8
        assert {room for room in rooms if room} <= {path.stem for path in (ROOT / "sitemap_action").iterdir()}
        return
    there = {path.name for folder in (ROOT / "tests/cases").iterdir() for path in folder.iterdir()}
    assert {row.split()[0].rstrip("/") for row in rows} <= there


CHECKS: dict[str, Callable[[str, Lazy], None]] = {
    "yaml": read_yaml,
    "sh": shell,
    "python": lambda content, place: assert_python(content),
    "": drawing,
}


def assert_python(content: str) -> None:
    assert ast.parse(content).body


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.place)
def test_a_code_block_is_true(block: Block, request: pytest.FixtureRequest) -> None:
    if other := ELSEWHERE.get((block.document, block.language)):
        named = (ROOT / other).read_text(encoding="utf-8")
        assert Path(block.document).name in named
        return
    assert block.language in CHECKS, f"{block.place}: nothing checks a block of {block.language or 'no language'}"
    CHECKS[block.language](block.text, lambda: request.getfixturevalue("place"))


def test_blocks_are_found() -> None:
    assert len(BLOCKS) == sum(text(document).count("```") // 2 for document in DOCUMENTS)
    assert len(BLOCKS) > 50


# --- help ---

PUBLISHING = ("commit", "pull-request")


@pytest.mark.parametrize("name", [name for name in SHOWN if name not in PUBLISHING])
def test_the_example_of_the_help_runs(name: str, place: Place) -> None:
    example = str(SHOWN[name].epilog).removeprefix("Example: ")
    play(commands(example)[0], place)


@pytest.mark.parametrize("name", PUBLISHING)
def test_the_example_of_a_command_that_publishes_runs(
    name: str, place: Place, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    branch = hub.repository()
    branch.commit({"sitemap.xml": urlset("", "blog"), "public/sitemap.xml": urlset("", "blog")})
    for key, value in hub.environment(hub.token(), branch).items():
        monkeypatch.setenv(key.replace("INPUT_TOKEN", "GITHUB_TOKEN"), value)
    (place.folder / ".github").mkdir()
    (place.folder / ".github/sitemap.yml").write_text("site-url: https://www.example.com/\nsitemap: sitemap.xml\n")
    example = str(SHOWN[name].epilog).removeprefix("Example: ")
    play(commands(example)[0], place)
    assert hub.carried_out()


@pytest.mark.parametrize("name", SHOWN)
def test_the_list_of_commands_cuts_no_sentence(name: str) -> None:
    program = CliRunner().invoke(sitemap_action, ["--help"], terminal_width=80).output
    (row,) = re.findall(rf"(?m)^  {name} +(.*)$", program)
    assert row.endswith(".")
    assert not row.endswith("...")
