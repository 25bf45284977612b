"""What is no shard of this run is refused with a sentence and exit code 3, and no file of it is changed (S-06)."""

import hashlib
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from shard_runs import look, merged, quiet, state, states, whole
from sitemap_action.model.context import ShardResult
from sitemap_action.model.site import SiteShard

SITE = ("--path", "site", "--site-url", "https://www.example.com/", "--offline")
PAGE = "<!doctype html><title>{0}</title><main>{0} <a href=/{1}.html>next</a> words of a page</main>"


@pytest.fixture(scope="module")
def looked_at(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a build, and the states of its three shards."""
    top = tmp_path_factory.mktemp("looked")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(top)
        Path("site").mkdir()
        for number in range(9):
            Path(f"site/{number}.html").write_text(PAGE.format(number, (number + 1) % 9))
        Path("site/index.html").write_text(PAGE.format("home", 0))
        git("init", "-q", "-b", "main")
        git("add", "site")
        git("commit", "-q", "-m", "The build")
        for number in (1, 2, 3):
            assert look(number, 3, *SITE)[0] == 0
    return top


@pytest.fixture
def repository(looked_at: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it."""
    place = tmp_path / "repository"
    shutil.copytree(looked_at, place)
    monkeypatch.chdir(place)
    return place


def git(*arguments: str) -> None:
    subprocess.run(["git", "-c", "user.name=Test", "-c", "user.email=t@example.com", *arguments], check=True)


def forge(path: str, *statements: str, parameters: tuple[object, ...] = ()) -> None:
    """As somebody does who may write to the file."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        for statement in statements:
            database.execute(statement, parameters if "?" in statement else ())


def digests() -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(Path("states").rglob("*"))
        if path.is_file()
    }


def refused(given: list[str], *options: str) -> str:
    """The sentence and the hint; no file is changed, and none is made."""
    before = digests()
    code, printed = merged(given, *(options or SITE))
    assert digests() == before
    assert code == 3, printed
    return printed.decode()


def test_the_states_are_read_and_never_changed(repository: Path) -> None:
    for path in Path("states").iterdir():
        path.chmod(0o444)
    before = digests()
    assert merged(states(3), *SITE) == whole(*SITE)
    assert merged(["states"], *SITE) == whole(*SITE)
    assert digests() == before
    assert sorted(path.name for path in repository.iterdir()) == [".git", "report.json", "site", "states"]


def _changed_page() -> None:
    Path("site/3.html").write_text(PAGE.format("changed", 0))


def _other_build() -> None:
    Path("site/more.html").write_text(PAGE.format("more", 0))


def _tracked() -> None:
    git("add", "-f", "states/2-of-3")
    git("commit", "-q", "-m", "A state")


def _linked() -> None:
    Path("states/2-of-3").rename("elsewhere")
    Path("states/2-of-3").symlink_to("../elsewhere")


def _hard_link() -> None:
    os.link("states/2-of-3", "elsewhere")


def _whole_run() -> None:
    Path("states/2-of-3").unlink()
    assert quiet("check", *SITE, "--state", "states/2-of-3")[0] == 1


def _of_four() -> None:
    assert look(2, 4, *SITE)[0] == 0
    Path("states/2-of-4").replace("states/2-of-3")


def _other_commit() -> None:
    git("commit", "-q", "--allow-empty", "-m", "Another")


def _with_log() -> None:
    Path("states/2-of-3-wal").write_bytes(b"")


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "missing": (Path("states/2-of-3").unlink, "there is no shard at states/2-of-3: No such file or directory"),
    "no file": (lambda: (Path("states/2-of-3").unlink(), Path("states/2-of-3").mkdir()), "there is no shard in the folder"),
    "another file": (lambda: Path("states/2-of-3").write_text("hello"), "states/2-of-3 is not a state of sitemap-action"),
    "empty": (lambda: Path("states/2-of-3").write_bytes(b""), "states/2-of-3 is not a state of sitemap-action"),
    "a database of others": (lambda: (Path("states/2-of-3").unlink(), sqlite3.connect("states/2-of-3").execute("CREATE TABLE t (x)")), "states/2-of-3 is not a state of sitemap-action"),
    "a whole run": (_whole_run, "states/2-of-3 is the state of a whole run, and not of a shard"),
    "of four": (_of_four, "is one of 3 shards, and states/2-of-3 one of 4"),
    "twice": (lambda: shutil.copy("states/1-of-3", "states/2-of-3"), "shard 1 is there twice: states/1-of-3 and states/2-of-3"),
    "of another commit": (_other_commit, "the shard states/1-of-3 is of the commit "),
    "of another build": (_other_build, "the shard states/1-of-3 is of another build, with other files"),
    "tracked by git": (_tracked, "states/2-of-3 is not used: states/2-of-3 is tracked by git"),
    "a link": (_linked, "states/2-of-3 is not used: states/2-of-3 is a symbolic link"),
    "a hard link": (_hard_link, "states/2-of-3 is not used: the file has another name, too (a hard link)"),
    "with a log": (_with_log, "the shard states/2-of-3 was killed before it ended"),
    "not ended": (lambda: forge("states/2-of-3", """UPDATE metadata SET value = replace(value, '"ended":true', '"ended":false')"""), "the shard states/2-of-3 was killed before it ended"),
    "of another version": (lambda: forge("states/2-of-3", """UPDATE metadata SET value = replace(value, '"version":"', '"version":"9.')"""), "the shard states/2-of-3 was written by sitemap-action 9."),
    "of another layout": (lambda: forge("states/2-of-3", "PRAGMA user_version = 7"), "the shard states/2-of-3 was written by another version of sitemap-action"),
}  # fmt: skip


HINTS = {
    "of another commit": "check out one commit in the jobs of all shards and of the merge",
    "of another version": "run every shard and the merge with one version",
    "of another layout": "run every shard and the merge with one version",
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.usefixtures("repository")
def test_a_shard_that_does_not_belong_is_refused(name: str) -> None:
    spoil, sentence = REFUSED[name]
    spoil()
    said = refused(states(3))
    assert sentence in said
    assert HINTS.get(name, "") in said


@pytest.mark.usefixtures("repository")
def test_every_shard_has_to_be_there() -> None:
    assert "shard 2 of 3 is missing, so that there is no verdict" in refused([state(1, 3), state(3, 3)])
    assert "shards 1, 3 of 3 are missing" in refused([state(2, 3)])
    assert "shard 1 is there twice" in refused([state(1, 3), *states(3)])
    assert "there is no shard at nowhere: " in refused(["nowhere"])


@pytest.mark.parametrize(
    ("count", "files", "said"),
    [(1, True, "1 file was read"), (2000, True, "2,000 files were read"), (0, True, "0 files were read"),
     (1, False, "1 URL was asked for"), (2, False, "2 URLs were asked for")],
)  # fmt: skip
def test_a_shard_says_what_it_has_looked_at(count: int, files: bool, said: str) -> None:
    found = ShardResult(SiteShard(2, 3), "state", count, files)
    assert found.text() == f"shard 2/3: {said}; merge gives the verdict, with state\n"


OTHER = {
    "another site": (("--path", "site", "--site-url", "https://other.example.com/", "--offline"), "is of another site"),
    "another option": ((*SITE, "--set", "select.exclude=/4.html"), "was looked at with other options than these"),
}


@pytest.mark.parametrize("name", OTHER)
@pytest.mark.usefixtures("repository")
def test_a_merge_has_the_options_of_its_shards(name: str) -> None:
    options, sentence = OTHER[name]
    assert sentence in refused(states(3), *options)


@pytest.mark.usefixtures("repository")
def test_a_file_that_changed_since_is_read_again() -> None:
    _changed_page()
    assert merged(states(3), *SITE) == whole(*SITE)
    shutil.rmtree("site")
    assert merged(states(3), *SITE)[0] == 2, "the merge needs the build too"


HOSTILE = {
    "a manifest that is none": "UPDATE metadata SET value = '[]' WHERE name = 'shard'",
    "a manifest of another type": """UPDATE metadata SET value = replace(value, '"ended":true', '"ended":1')""",
    "a shard of none": "UPDATE metadata SET value = replace(value, '2/3', '9/3')",
    "a shard of many": "UPDATE metadata SET value = replace(value, '2/3', '2/99999')",
    "a digest that is text": "UPDATE document SET digest = 'text'",
}


@pytest.mark.attack("state")
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.usefixtures("repository")
def test_a_hostile_shard_is_refused(name: str) -> None:
    forge(state(2, 3), HOSTILE[name])
    assert "the shard states/2-of-3 is damaged: " in refused(states(3))


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut in half": lambda data: data[: len(data) // 2],
    "a page of zeros": lambda data: data[:4_096] + bytes(4_096) + data[8_192:],
    "another magic": lambda data: b"x" + data[1:],
}


@pytest.mark.attack("state")
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.usefixtures("repository")
def test_a_damaged_shard_is_refused(damage: str) -> None:
    path = Path(state(2, 3))
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    sentence = refused(states(3))
    assert "states/2-of-3" in sentence
    assert any(why in sentence for why in ("is damaged", "is not a state", "was killed"))


@pytest.mark.attack("state")
@pytest.mark.usefixtures("repository")
def test_a_packed_document_that_is_none_is_read_anew() -> None:
    for text in ("zeroblob(10)", "randomblob(1000)"):
        forge(state(2, 3), f"UPDATE document SET packed = {text}")
        assert merged(states(3), *SITE) == whole(*SITE)


USAGE = {
    "--shard 0/3": "--shard 0/3: it names no shard",
    "--shard 4/3": "--shard 4/3: it names no shard",
    "--shard x": "--shard x: it names no shard",
    "--shard 1/257": "--shard 1/257: it names no shard",
    "--shard -1/3": "it names no shard",
    "--shard 1/3/3": "it names no shard",
    "--shard ٣/٣": "it names no shard",
    "--shard 1/3 --report json=r.json": "a part of a site has no report",
    "--shard 1/3 --format sarif": "a part of a site has no report",
}


@pytest.mark.parametrize("given", USAGE)
@pytest.mark.usefixtures("repository")
def test_usage_errors(given: str) -> None:
    code, printed = quiet("check", *SITE, "--state", "s", *given.split())
    assert (code, USAGE[given] in printed) == (2, True), printed
    assert not Path("s").exists()


@pytest.mark.usefixtures("repository")
def test_a_shard_needs_a_state_and_a_check() -> None:
    code, printed = quiet("check", *SITE, "--shard", "1/3")
    assert (code, "--shard is given without --state" in printed) == (2, True), printed
    code, printed = quiet("write", *SITE, "--shard", "1/3", "--state", "s")
    assert (code, "--shard is given, and write needs the whole site" in printed) == (2, True), printed
    code, printed = quiet("merge", *states(3), *SITE, "--state", state(3, 3))
    assert (code, "is a shard, and the state of the merge too" in printed) == (2, True), printed
    _tracked()
    code, printed = look(2, 3, *SITE)
    assert (code, "is tracked by git" in printed) == (2, True), printed
    assert quiet("merge", *SITE)[0] == 2
