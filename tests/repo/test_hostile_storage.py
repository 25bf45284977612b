"""S-13, S-14, S-17: `.git` is storage that an artifact, an earlier step or a neighbour may have written."""

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from repositories import Origin, checkout, commit, create, forge_from, forge_object, git, pull_request
from sitemap_action.__main__ import run
from sitemap_action.errors import BaselineError
from sitemap_action.repo.git import Git

pytestmark = pytest.mark.skipif(os.name != "posix", reason="symbolic links and pipes of POSIX")
SECRET = "s3cret-of-another-file"


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    base = {"sitemap.xml": "base", "public/deep/sitemap.xml": "deep"}
    return pull_request(tmp_path / "origin", base, {**base, "sitemap.xml": "change"}, main={**base, "other": "later"})


@pytest.fixture
def clone(origin: Origin, tmp_path: Path) -> Path:
    """A whole one, of loose objects."""
    place = checkout(origin.directory, origin.merge, tmp_path / "clone", depth=0)
    git(place, "pack-refs", "--all")
    return place


def everything(folder: Path, origin: Origin) -> str:
    """What our commands say and return, all of it."""
    found: list[str] = []
    asked: tuple[Callable[[Git], object], ...] = (
        lambda one: one.commit("HEAD"),
        lambda one: one.commit("origin/main"),
        lambda one: one.blob(origin.main, "sitemap.xml"),
        lambda one: one.list_files(["sitemap.xml"]),
        lambda one: one.shallow(),
        lambda one: one.regular_files(),
        lambda one: one.branches(),
    )
    for ask in asked:
        try:
            found.append(repr(ask(Git(folder))))
        except BaselineError as error:
            found.append(f"{error} {error.hint}")
    return "\n".join(found)


def _link(place: Path, target: Path) -> None:
    with suppress(FileNotFoundError):
        place.rename(place.with_name(f"{place.name}.old"))
    place.symlink_to(target)


REFUSED = (
    *("objects", "refs", "packed-refs", "shallow", "HEAD", "objects/pack", "refs/heads", "refs/heads/topic"),
    *("objects/LOOSE", "objects/LOOSE/FILE", "objects/pack/pack-1.pack"),
)


@pytest.mark.attack("storage")
@pytest.mark.parametrize("name", REFUSED)
def test_S_13_a_link_inside_the_storage_is_refused_and_named(
    name: str, clone: Path, origin: Origin, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    loose, rest = origin.main[:2], origin.main[2:]
    place = clone / ".git" / name.replace("LOOSE", loose).replace("FILE", rest)
    outside = tmp_path / "outside"
    if place.is_dir() or name == "objects/pack":
        outside.mkdir()
    else:
        outside.write_text(f"{SECRET}\n")
    _link(place, outside)
    said = everything(clone, origin)
    assert SECRET not in said
    assert "symbolic link" in said
    assert str(place.relative_to(clone)) in said
    monkeypatch.chdir(clone)
    (clone / "dist").mkdir()
    (clone / "dist/index.html").write_text("<title>x</title>")
    options = ("--path", "dist", "--site-url", "https://e.example/", "--baseline", "git:origin/main")
    assert run(["check", *options]) == 2
    shown = capsys.readouterr()
    assert str(place.relative_to(clone)) in shown.err
    assert SECRET not in shown.err + shown.out


@pytest.mark.attack("storage")
@pytest.mark.parametrize("name", ["logs", "index", "config", "FETCH_HEAD", "info", "hooks", "description", "ORIG_HEAD"])
def test_S_13_another_link_is_ignored(name: str, clone: Path, origin: Origin, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text(f'{SECRET}\n[remote "origin"]\n\turl = https://{SECRET}.example/\n')
    _link(clone / ".git" / name, outside)
    assert SECRET not in everything(clone, origin)
    found = Git(clone)
    assert found.blob(origin.main, "sitemap.xml") == b"base"
    assert found.origin() == ("" if name == "config" else origin.directory.as_uri())


@pytest.mark.attack("storage")
@pytest.mark.parametrize("name", ["refs/heads/pipe", "packed-refs", "HEAD", "shallow", "objects/pack/pack-1.idx"])
def test_S_13_a_pipe_is_refused_and_does_not_wait(name: str, clone: Path, origin: Origin) -> None:
    place = clone / ".git" / name
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    said = everything(clone, origin)
    assert f"{name} is no regular file" in said or name == "HEAD"  # without one it is no repository


@pytest.mark.attack("storage")
def test_S_13_what_git_says_is_bounded_masked_and_quoted(clone: Path, origin: Origin) -> None:
    (clone / ".git/packed-refs").write_text(
        f"# pack-refs\n{'x' * 3000}\x1b[31m https://me:{SECRET}@e.example/ ::error::x\n"
    )
    with pytest.raises(BaselineError) as caught:
        Git(clone).commit("origin/main")
    text = str(caught.value)
    assert 'git says: "' in text
    assert SECRET not in text
    assert "\x1b" not in text
    assert len(text) < 500 + len(str(clone))


FORGED = {"the commit": "", "the tree": "^{tree}", "a folder": ":public", "the file": ":public/deep/sitemap.xml"}


def _rewrite(clone: Path, mine: str, theirs: str, name: str) -> str:
    """The id of what one commit has by this name, under which there is what the other has."""
    mine, theirs = (git(clone, "rev-parse", f"{one}{name}") for one in (mine, theirs))
    forge_from(clone, mine, theirs)
    return mine


@pytest.mark.attack("storage")
@pytest.mark.parametrize("what", FORGED)
def test_S_14_an_object_that_was_rewritten_is_refused(what: str, clone: Path, origin: Origin) -> None:
    other = commit(clone, {"public/deep/sitemap.xml": "forged"})
    mine = _rewrite(clone, origin.main, other, FORGED[what])
    assert git(clone, "show", f"{origin.main}:public/deep/sitemap.xml") == "forged", "plain git falls into it"
    with pytest.raises(BaselineError, match=f"{mine[:12]} is not what its id says"):
        Git(clone).blob(origin.main, "public/deep/sitemap.xml")


@pytest.mark.attack("storage")
@pytest.mark.parametrize("what", ["the commit", "the tree"])
def test_S_14_nor_can_a_rewritten_tree_hide_a_file(what: str, clone: Path, origin: Origin) -> None:
    empty = commit(clone, {"nothing": ""})
    _rewrite(clone, origin.main, empty, FORGED[what])
    with pytest.raises(BaselineError, match="is not what its id says"):
        Git(clone).find_first(origin.main, ["sitemap.xml"])
    with pytest.raises(BaselineError, match="is not what its id says"):
        Git(clone).parents(origin.main) if what == "the commit" else Git(clone).blob(origin.main, "sitemap.xml")


@pytest.mark.attack("storage")
@pytest.mark.parametrize("way", ["replace", "grafts", "alternates"])
def test_S_14_no_other_object_takes_its_place(way: str, clone: Path, origin: Origin, tmp_path: Path) -> None:
    other = commit(clone, {"sitemap.xml": "forged"})
    mine = git(clone, "rev-parse", f"{origin.main}:sitemap.xml")
    if way == "replace":
        git(clone, "replace", "-f", mine, git(clone, "rev-parse", f"{other}:sitemap.xml"))
        assert git(clone, "show", f"{origin.main}:sitemap.xml") == "forged", "plain git falls into it"
    elif way == "grafts":
        (clone / ".git/info").mkdir(exist_ok=True)
        (clone / ".git/info/grafts").write_text(f"{origin.merge} {other}\n")
        assert git(clone, "rev-parse", f"{origin.merge}^") == other, "plain git falls into it"
    else:
        lender = create(tmp_path / "lender")
        forge_object(lender, mine, b"forged")
        (clone / ".git/objects/info/alternates").write_text(f"{lender}/.git/objects\n")
        (clone / ".git/objects" / mine[:2] / mine[2:]).unlink()
        assert git(clone, "show", f"{origin.main}:sitemap.xml") == "forged", "plain git falls into it"
        with pytest.raises(BaselineError):
            Git(clone).blob(origin.main, "sitemap.xml")
        return
    assert Git(clone).blob(origin.main, "sitemap.xml") == b"base"
    assert Git(clone).parents(origin.merge) == (origin.main, origin.head)


@pytest.mark.attack("storage")
@pytest.mark.parametrize("form", ["sha1", "sha256"])
@pytest.mark.parametrize("packed", [False, True])
def test_S_14_both_kinds_of_ids_are_verified_loose_and_packed(form: str, packed: bool, tmp_path: Path) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main", f"--object-format={form}")
    (folder / "a").mkdir()
    (folder / "a/sitemap.xml").write_text("here")
    git(folder, "add", ".")
    git(folder, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x")
    if packed:
        git(folder, "repack", "-qad")
    tip = git(folder, "rev-parse", "HEAD")
    assert Git(folder).blob(tip, "a/sitemap.xml") == b"here"
    assert Git(folder).blob(tip, "a/none.xml") is None
    blob = git(folder, "rev-parse", "HEAD:a/sitemap.xml")
    assert blob == hashlib.new(form, b"blob 4\0here").hexdigest()
    if packed:
        for kept in (folder / ".git/objects/pack").iterdir():
            kept.unlink()
        forge_object(folder, tip, b"", "commit")
    else:
        forge_object(folder, blob, b"lies")
    with pytest.raises(BaselineError, match="is not what its id says"):
        Git(folder).blob(tip, "a/sitemap.xml")


PRIVATE = ("https://10.0.0.1/x", "https://localhost/x", "ssh://git@127.0.0.1:22/x", "git@169.254.169.254:x", "ssh://[::1]/x", "git@[fd00::1]:x", "https://me@[::ffff:10.0.0.1]/x")  # fmt: skip
RUNNER = {"GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "example/site"}


@pytest.mark.attack("addresses")
@pytest.mark.parametrize("address", PRIVATE)
@pytest.mark.parametrize("runner", ["GITHUB_ACTIONS", "CI"])
def test_S_17_a_planted_origin_reaches_no_private_address(
    address: str, runner: str, clone: Path, tmp_path: Path
) -> None:
    git(clone, "config", "remote.origin.url", address)
    with pytest.raises(BaselineError, match="git's origin is not fetched from"):
        Git(clone, {**os.environ, runner: "true"}).fetch("0123456789" * 4)


@pytest.mark.attack("addresses")
@pytest.mark.parametrize("event", ["pull_request", "pull_request_target"])
def test_S_17_on_a_pull_request_the_event_says_where_origin_is(event: str, clone: Path) -> None:
    git(clone, "config", "remote.origin.url", "https://evil.example/x")
    network = _network(Git(clone, {**os.environ, **RUNNER, "GITHUB_EVENT_NAME": event}))
    assert network["remote.origin.url"] == "https://github.com/example/site.git"
    assert network["http.followRedirects"] == "false"


def test_S_17_a_forge_at_a_private_address_is_one_that_the_runner_names(clone: Path) -> None:
    git(clone, "config", "remote.origin.url", "https://localhost/example/site")
    asked = {**os.environ, **RUNNER, "GITHUB_SERVER_URL": "https://localhost", "GITHUB_EVENT_NAME": "push"}
    assert _network(Git(clone, asked))["remote.origin.url"] == "https://localhost/example/site"
    asked = {**os.environ, "CI": "true", "CI_SERVER_URL": "https://localhost"}
    assert _network(Git(clone, asked))["remote.origin.url"] == "https://localhost/example/site"
    assert _network(Git(clone, dict(os.environ)))["remote.origin.url"] == "https://localhost/example/site", (
        "a user's own"
    )


def test_S_17_git_connects_to_the_address_that_was_judged(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(2, 1, 6, "", ("93.184.216.34", 0)), (10, 1, 6, "", ("2606:2800::1", 0, 0, 0))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_arguments, **_named: found)
    git(clone, "config", "remote.origin.url", "https://me@git.example:8443/x")
    network = _network(Git(clone, {**os.environ, "CI": "true"}))
    assert network["http.curloptResolve"] == "git.example:8443:[2606:2800::1],93.184.216.34"


def _network(one: Git) -> dict[str, str]:
    assert one._git_directory is not None
    return dict(one._git_directory.network_settings())
