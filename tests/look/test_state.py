"""Which state is good for a run: the same program, options and commit; secrets and policy are no part of that."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from crawls import HOME, at
from repositories import commit, create
from sitemap_action.config.schema import (
    Config,
    CrawlConfig,
    Limit,
    PolicyConfig,
    SelectConfig,
    SourceConfig,
)
from sitemap_action.look.state import inventory
from sitemap_action.model.context import Context, Mode
from sitemap_action.model.mask import Access
from sitemap_action.model.page import Page, PageKind
from sitemap_action.store.codec import Visit
from sitemap_action.store.frontier import Frontier, VisitBatch
from webs import NOW

CONFIG = Config(site_url=HOME, source=SourceConfig(url=HOME))
SECRET = Access((("Authorization", "Bearer s3cret"),))


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state.sqlite"


@pytest.fixture
def context(tmp_path: Path, state: Path) -> Context:
    """A checkout of one commit."""
    workspace = create(tmp_path / "workspace")
    commit(workspace, {"a": "1"}, branch="main")
    return Context(Mode.CHECK, NOW, workspace, state=state)


def fill(config: Config, context: Context, *, finished: bool = True) -> None:
    with inventory(config, context) as found:
        frontier = Frontier(found)
        frontier.add_starts([(HOME, "")])
        (row,) = frontier.level(0)
        frontier.store(VisitBatch([Visit(row.id, Page(HOME, PageKind.PAGE, 200), etag='"1"')]), 0)
        if finished:
            frontier.finish()


def known(config: Config, context: Context) -> str:
    """What is left of a state in another run."""
    with inventory(config, context) as found:
        if found.page(HOME) is not None:
            return "all"
        return "validators" if Frontier(found).previous_visit(HOME) is not None else "nothing"


def test_without_a_file_nothing_is_kept(context: Context) -> None:
    nowhere = replace(context, state=None)
    fill(CONFIG, nowhere)
    assert known(CONFIG, nowhere) == "nothing"


RUNS = [
    # id, another config, other access, what is left
    ("the same", CONFIG, Access(), "validators"),
    ("policy is judged again", replace(CONFIG, policy=PolicyConfig(max_removed=Limit(1)), strict=True), Access(), "validators"),
    ("what it is compared with may change", replace(CONFIG, baseline="committed"), Access(), "validators"),
    ("another site", replace(CONFIG, source=SourceConfig(url=at("/b/"))), Access(), "nothing"),
    ("another scope", replace(CONFIG, crawl=CrawlConfig(max_depth=1)), Access(), "nothing"),
    ("another selection", replace(CONFIG, select=SelectConfig(exclude=("/a",))), Access(), "nothing"),
    ("a header more may show more", CONFIG, SECRET, "nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("config", "access", "left"), [pytest.param(*row[1:], id=row[0]) for row in RUNS])
def test_options(context: Context, config: Config, access: Access, left: str) -> None:
    fill(CONFIG, context)
    assert known(config, replace(context, access=access)) == left


def test_a_run_that_was_killed_goes_on(context: Context) -> None:
    fill(CONFIG, context, finished=False)
    assert known(CONFIG, context) == "all"


def test_another_commit_asks_what_changed(context: Context) -> None:
    fill(CONFIG, context)
    commit(Path(context.workspace), {"a": "2"}, branch="main")
    assert known(CONFIG, context) == "validators"


def test_where_there_is_no_commit_a_whole_look_is_over(tmp_path: Path, context: Context) -> None:
    nowhere = replace(context, workspace=tmp_path)
    fill(CONFIG, nowhere)
    assert known(CONFIG, nowhere) == "validators"


@pytest.mark.attack("secrets")
def test_NET_12_the_value_of_a_secret_is_neither_in_the_file_nor_in_its_key(context: Context, state: Path) -> None:
    """So a new value of the same header is no other look."""
    fill(CONFIG, replace(context, access=SECRET))
    assert b"s3cret" not in state.read_bytes()
    assert "s3cret" not in repr(replace(context, access=SECRET))
    assert known(CONFIG, replace(context, access=Access((("authorization", "another"),)))) == "validators"
