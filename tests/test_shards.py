"""Shards that are merged give the report of one run, byte for byte: stories, random sites, a large documentation.

SITEMAP_ACTION_SHARDS=1000 sets how many random sites are looked at; 12 without it. Each of them, and each story, is
looked at with one of 1, 2, 3 and 8 shards, and with all of these where the variable is set. With each commit a fifth of
the stories is looked at as a build, another fifth as a server has it; all at night.
"""

import os
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples import PERCENT, share, some
from random_sites import SITE, folder, random_site, routes, sitemap
from shard_runs import COUNTS, PAUSES, look, merged, served_by, states, whole
from sitemap_action.fetch.base import Request, Response, Skip
from sitemap_action.hosts.all import choose_host
from sitemap_action.hosts.base import BuildFiles
from sitemap_action.walk.build import BuildFetcher
from sitemap_action.walk.folders import walk
from test_cases import CASES, NAMES, lay_out
from test_differential import SERVED, TableEngine
from test_stories_served import OTHERWISE, has_pages

EVERY = "SITEMAP_ACTION_SHARDS" in os.environ
SITES = int(os.environ.get("SITEMAP_ACTION_SHARDS") or share(12))
MIXED = (2, 3, 2, 1, 2, 8)  # without the variable, one for each
DOCUMENTATION = Path("/usr/share/doc/python3.11-doc/html")
CHECKED = [name for name in NAMES if (CASES / name / "command").read_text().split()[0] == "check"]


class FolderEngine:
    """Answers as a plain web server does that serves a folder."""

    def __init__(self, root: Path) -> None:
        files = walk(str(root)).files
        host = choose_host("generic")(BuildFiles(files, lambda _: None)).host
        self._folder = BuildFetcher(str(root), SERVED, host)

    async def fetch(self, request: Request) -> Response | Skip:
        answer = self._folder.answer(request)
        return answer._replace(path="", evidence="") if isinstance(answer, Response) else answer


def counts(turn: int) -> Iterator[int]:
    yield from COUNTS if EVERY else (MIXED[turn % len(MIXED)],)


def differs(of: int, expected: tuple[int, bytes], *options: str, asked: list[str] | None = None) -> list[str]:
    """Where the merged report is another one, and what the merge asks for although a shard has (`asked`)."""
    by_shards: set[str] = set()
    for number in range(1, of + 1):
        code, printed = look(number, of, *options)
        if code == 2:  # what no run can use is said by each
            return [] if expected[0] == 2 else [printed]
    if asked is not None:
        by_shards = {*asked}
        asked.clear()
    found = merged(states(of), *options)
    if asked is not None and (again := by_shards & {*asked}):
        return [f"{of} shards: asked again for {again}"]
    if found == expected:
        return []
    return [
        f"{of} shards: {found[0]} instead of {expected[0]}",
        f"a second run over everything is {'the same' if whole(*options) == expected else 'another one'}",
        f"a second merge is {'the same' if merged(states(of), *options) == found else 'another one'}",
        *_lines(found, expected),
    ]


def _lines(found: tuple[int, bytes], expected: tuple[int, bytes]) -> list[str]:
    one, other = found[1].decode().splitlines(), expected[1].decode().splitlines()
    return sorted({*one} ^ {*other})[:6]


def options_of(name: str) -> list[str]:
    arguments = shlex.split((CASES / name / "command").read_text())[1:]
    pairs = [*zip(["", *arguments], arguments, strict=False)]
    return [
        one for before, one in pairs if before not in {"--format", "--report"} and one not in {"--format", "--report"}
    ]


def test_stories_of_a_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done: Counter[int] = Counter()
    different = {}
    for turn, name in enumerate(CHECKED if EVERY else some(CHECKED)):
        (tmp_path / name).mkdir()
        lay_out(CASES / name, tmp_path / name)
        monkeypatch.chdir(tmp_path / name)
        options = options_of(name)
        expected = whole(*options)
        for of in counts(turn):
            done[of] += 1
            if found := differs(of, expected, *options):
                different[f"{name} in {of}"] = found
    _print(capsys, "stories of a build", done, len(different))
    assert different == {}


def test_stories_that_are_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a plain server has them: what a shard knows beforehand is in the committed sitemap and the site's own."""
    done: Counter[int] = Counter()
    different = {}
    stories = [name for name in CHECKED if has_pages(name) and name not in OTHERWISE]
    for turn, name in enumerate(stories if EVERY else some([*stories[1:], stories[0]])):
        (tmp_path / name).mkdir()
        lay_out(CASES / name, tmp_path / name)
        monkeypatch.chdir(tmp_path / name)
        options = [*_served(options_of(name)), *PAUSES]
        with served_by(FolderEngine(tmp_path / name / "site"), monkeypatch) as asked:
            expected = whole(*options)
            for of in counts(turn):
                done[of] += 1
                asked.clear()
                if found := differs(of, expected, *options, asked=asked):
                    different[f"{name} in {of}"] = found
    _print(capsys, "stories that are served", done, len(different))
    assert different == {}


def _served(options: list[str]) -> list[str]:
    pairs = [*zip(["", *options], options, strict=False)]
    return [one for before, one in pairs if "--path" not in {before, one}] + ["--url", SERVED]


def test_random_sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    done: Counter[int] = Counter()
    different = {}
    for seed in range(SITES):
        site = random_site(seed, static=seed % 3 == 0)
        (tmp_path / str(seed)).mkdir()
        monkeypatch.chdir(tmp_path / str(seed))
        Path("sitemap.xml").write_text(sitemap(site.committed))
        Path("baseline.xml").write_text(sitemap(site.baseline))
        options = ["--site-url", f"{SITE}/", "--baseline", "baseline.xml", "--set", "policy.max-removed=none", *PAUSES]
        if site.static:
            folder(site, Path("site"))
        for of in counts(seed):
            with served_by(TableEngine(routes(site)), monkeypatch) as asked:
                served = [*options, "--url", SERVED]
                expected = whole(*served)
                asked.clear()
                if found := differs(of, expected, *served, asked=asked):
                    different[f"{seed} in {of}"] = found
            if site.static:
                built = [*options, "--path", "site"]
                if found := differs(of, whole(*built), *built):
                    different[f"{seed} in {of}, as a build"] = found
            done[of] += 1
    _print(capsys, "random sites", done, len(different))
    assert different == {}


@pytest.mark.skipif(not DOCUMENTATION.is_dir(), reason="python3.11-doc is not installed")
def test_the_documentation_of_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    done: Counter[int] = Counter()
    build = tmp_path / "build"
    # With each commit two fifths of its pages, which have a third of its text: the largest folder is left out.
    shutil.copytree(DOCUMENTATION, build, ignore=shutil.ignore_patterns(*(() if PERCENT == 100 else ("library",))))
    site = ["--site-url", "https://docs.example.com/", "--offline", "--path", str(build)]
    expected = whole(*site)
    for of in COUNTS if EVERY else (3,):
        assert differs(of, expected, *site) == []
        done[of] += 1
    if EVERY:
        site = ["--site-url", "https://docs.example.com/", "--baseline", "committed", *PAUSES, "--url", SERVED]
        with served_by(FolderEngine(DOCUMENTATION), monkeypatch):
            expected = whole(*site)
            for of in COUNTS:
                assert differs(of, expected, *site) == []
                done[of] += 1
    _print(capsys, "looks at the documentation of Python", done, 0)


def _print(capsys: pytest.CaptureFixture[str], what: str, done: Counter[int], different: int) -> None:
    with capsys.disabled():
        parts = ", ".join(f"{number} in {of}" for of, number in sorted(done.items()))
        sys.stdout.write(f"\n{different} of {done.total()} {what} differ when merged from shards ({parts})\n")
