"""docs/policies.md: every wish is a story, played with its own config on a site before and after a change."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from documents import text
from runners import SITE, urlset
from sitemap_action.__main__ import run

TEXT = text("docs/policies.md").partition("\n## A site with old faults\n")[0]
CONFIGS = dict(re.findall(r"(?s)\n## ([^\n]+)\n(?:(?!\n## ).)*?```yaml\n(.*?)```", TEXT))


class Story(NamedTuple):
    """`after`: pages, or what a page has in its head. `listed`: by the sitemap, when that is not every page after."""

    wish: str
    before: tuple[str, ...]
    after: tuple[str | tuple[str, str], ...]
    code: int
    says: str
    listed: tuple[str, ...] | None = None
    files: dict[str, str] = {}  # of the build  # noqa: RUF012
    sitemap: str = ""


NOINDEX = '<meta name="robots" content="noindex">'
POSTS = tuple(f"blog/{number}" for number in range(8))
FAULTY = urlset("", "a").replace("</url>\n</urlset>", "<lastmod>yesterday</lastmod></url>\n</urlset>")
STORIES = (
    Story("No page vanishes", ("", "a", "b"), ("", "a", "b"), 0, "in-sync"),
    Story("No page vanishes", ("", "a", "b"), ("", "a"), 1, "1 page of the baseline is lost: 1 gone"),
    Story("Never deindex", ("", *POSTS), ("", *POSTS[:2]), 0, "no difference fails the check"),
    Story("Never deindex", ("", "a", "b"), ("", "a", ("b", NOINDEX)), 1, "1 page of the baseline is deindexed", ("", "a")),
    Story("A blog that loses posts, a shop that does not", ("", "shop/a", *POSTS), ("", "shop/a", *POSTS[:6]), 0, "no difference fails"),
    Story("A blog that loses posts, a shop that does not", ("", "shop/a", *POSTS), ("", "shop/a", *POSTS[:2]), 1, "/blog/**"),
    Story("A blog that loses posts, a shop that does not", ("", "shop/a", "shop/b", *POSTS), ("", "shop/a", *POSTS), 1, "/shop/**"),
    Story("These pages must stay", ("", "pricing", "docs/a"), ("", "pricing", "docs/b", "docs/a"), 0, "in-sync"),
    Story("These pages must stay", ("",), ("", "docs/a"), 1, "/pricing/"),
    Story("The sale is over", ("", "sale/shoes", "a"), ("", "a"), 0, "no difference fails"),
    Story("The sale is over", ("", "sale/shoes", "a"), ("", "sale/shoes"), 1, "lost: 1 gone"),
    Story("What is removed redirects", ("", "old"), ("", "new"), 0, "no difference fails", files={"_redirects": "/old/ /new/ 301\n"}),
    Story("What is removed redirects", ("", "old"), ("", "new"), 1, "lost: 1 gone"),
    Story("No flood of new pages", ("",), ("", "a", "b"), 0, "in-sync"),
    Story("No flood of new pages", ("",), ("", "a", "b", "c"), 1, "policy.max-added"),
    Story("Drafts stay out", ("", "a"), ("", "a", "drafts/x"), 0, "in-sync", ("", "a")),
    Story("Drafts stay out", ("", "a"), ("", "a", "drafts/x"), 1, "does not belong there", ("", "a", "drafts/x")),
    Story("Old faults do not block new work", ("", "a"), ("", "a"), 0, "in-sync", sitemap=FAULTY),
    Story("Old faults do not block new work", ("", "a"), ("", "a"), 1, "SM-40", sitemap=FAULTY.replace("yesterday", "2025-13-01")),
    Story("Every warning counts", ("", "a"), ("", "a"), 0, "in-sync"),
    Story("Every warning counts", ("", "a"), ("", ("a", "<link rel=canonical href=/a/>")), 1, "HTML-23"),
    Story("Report, never fail", ("", *POSTS), ("",), 0, "Listed in sitemap.xml, but gone", ("", *POSTS)),
    Story("Report, never fail", ("", "a"), (("", NOINDEX),), 1, "policy.min-urls"),
    Story("Report, never fail", ("", "a"), (), 3, "has no page"),
)  # fmt: skip


@pytest.mark.parametrize("story", STORIES, ids=lambda story: f"{story.wish}, {story.code}")
def test_the_policy_does_what_the_page_says(
    story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dist").mkdir()
    pages = dict(one if isinstance(one, tuple) else (one, "") for one in story.after)
    links = "".join(f'<a href="/{name}/">{name}</a>' for name in pages if name)
    for name, head in pages.items():
        content = f"<!doctype html><html lang=en><head><title>{name or 'home'}</title>{head}</head><body><h1>{name}</h1><p>{name} {'word ' * 60}</p>{links}<a href=/>Home</a>"
        place(f"dist/{name}/index.html".replace("//", "/"), content)
    for name, content in story.files.items():
        place(f"dist/{name}", content)
    for path in ("sitemap.xml", "dist/sitemap.xml"):  # committed, and copied by the generator
        place(path, story.sitemap or urlset(*(pages if story.listed is None else story.listed)))
    place("before.xml", FAULTY if story.sitemap else urlset(*story.before))
    place(".github/sitemap.yml", CONFIGS[story.wish])
    arguments = ["check", "--path", "dist", "--site-url", SITE, "--sitemap", "sitemap.xml", "--baseline", "before.xml"]
    code = run(arguments)
    printed = capsys.readouterr().out
    assert (code, story.says in printed) == (story.code, True), printed


def place(path: str, content: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(content)


def test_every_wish_is_played_both_ways_that_it_has() -> None:
    """A policy that never fails has the ways in which nothing can be said of the site."""
    played = {wish: {story.code for story in STORIES if story.wish == wish} for wish in CONFIGS}
    assert played == {wish: {0, 1, 3} if wish == "Report, never fail" else {0, 1} for wish in CONFIGS}
    assert len(CONFIGS) == TEXT.count("\n## ")
