"""The look phase over a build: which sitemap it compares with, a live site's included, and what it says of that."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from fakes import HOME, NOW, at
from sitemap_action.config.layers import ConfigReader
from sitemap_action.config.schema import Config, SourceConfig
from sitemap_action.look.documents import FetchSitemap, ServedSitemap
from sitemap_action.look.phase import LookResult, look
from sitemap_action.look.web_sitemaps import served_sitemap
from sitemap_action.model.context import Context, Mode
from sitemap_action.model.observer import NullObserver
from sitemap_action.model.site import Role
from sitemap_action.store.inventory import temporary
from webs import Web

ADDRESS = at("/sitemap.xml")
URLSET = (
    f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{HOME}old/</loc></url></urlset>'.encode()
)
CONFIG = Config(site_url=HOME, source=SourceConfig(path="site"))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/index.html").write_text("<!doctype html><title>Home</title><p>words")
    return tmp_path


def production(web: Web) -> FetchSitemap:
    def fetch(url: str, folder: Path, likely: Sequence[str] = ()) -> ServedSitemap:
        return asyncio.run(served_sitemap(web, url, folder, robots=True, likely=likely))

    return fetch


def looked(workspace: Path, config: Config, web: Web | None) -> tuple[LookResult, dict[Role, list[str]], set[str]]:
    """What was seen; the URLs of both sitemaps; every URL that has an answer."""
    with temporary() as inventory:
        seen = look(
            config,
            Context(Mode.CHECK, NOW, workspace),
            inventory,
            ConfigReader("", (), frozenset()),
            NullObserver(),
            production=None if web is None else production(web),
        )
        listed = {role: [key for key, _ in inventory.entries(role)] for role in Role}
        return seen, listed, {page.url for page in inventory.pages()}


def test_without_any_file_the_live_sitemap_is_the_baseline_and_its_urls_are_seeds(workspace: Path) -> None:
    seen, listed, asked = looked(workspace, CONFIG, Web({ADDRESS: URLSET}))
    assert listed == {Role.COMMITTED: [], Role.BASELINE: [at("/old/")]}
    assert asked == {HOME, at("/old/")}
    assert (seen.run.first_run, seen.run.baseline.missing, seen.run.baseline.same) == (True, True, False)
    assert seen.run.baseline.description == f"the sitemap that {ADDRESS} serves"
    assert any(f"compared with the one that {ADDRESS} serves" in note for note in seen.run.notes)
    assert seen.base_robots == b""


@pytest.mark.parametrize("web", [None, Web({})])
def test_without_a_live_one_either_it_is_a_first_run(web: Web | None, workspace: Path) -> None:
    seen, listed, asked = looked(workspace, CONFIG, web)
    assert (listed[Role.BASELINE], asked, seen.run.first_run) == ([], {HOME}, True)
    assert [note for note in seen.run.notes if not note.startswith(("host unknown", "there is no sitemap yet"))] == []


def test_a_committed_file_is_asked_before_the_site(workspace: Path) -> None:
    (workspace / "sitemap.xml").write_bytes(URLSET)
    web = Web({})
    seen, listed, _ = looked(workspace, CONFIG, web)
    assert not web.asked
    assert (listed[Role.COMMITTED], seen.run.baseline.same, seen.base_robots) == ([at("/old/")], True, None)


def test_a_url_may_be_asked_for(workspace: Path) -> None:
    (workspace / "sitemap.xml").write_bytes(URLSET.replace(b"old", b"new"))
    web = Web({at("/live.xml"): URLSET, at("/robots.txt"): b"# then"})
    seen, listed, asked = looked(workspace, replace(CONFIG, baseline=at("/live.xml")), web)
    assert listed == {Role.COMMITTED: [at("/new/")], Role.BASELINE: [at("/old/")]}
    assert asked == {HOME, at("/new/"), at("/old/")}
    assert (seen.run.first_run, seen.run.baseline.description, seen.base_robots) == (False, at("/live.xml"), b"# then")
