"""ENV-03: directives that a preview host sends with every page are not the site's."""

import pytest

from fakes import HOME, gone, page, twin
from sitemap_action.decide.policy import find_host_policy, indexable
from sitemap_action.model.page import Directive, Page

HEADER = Directive("", "noindex", "", "header")
META = Directive("", "noindex", "", "meta")
NONE = Directive("", "none", "", "header")
META_FOLLOW = Directive("", "nofollow", "", "meta")
FOLLOW = Directive("", "nofollow", "", "header")
OTHER = Directive("otherbot", "noindex", "", "header")
AGENTS = ("Googlebot", "Bingbot")


def site(count: int, *found: Directive, without: int = 0, start: tuple[Directive, ...] | None = None) -> list[Page]:
    """The start page and others, the last `without` of which have no directive."""
    pages = [page(f"/{number:03}", directives=found if number < count - without else ()) for number in range(1, count)]
    return [page("/", directives=found if start is None else start), *pages]


def start_of(pages: list[Page]) -> Page:
    return next((one for one in pages if one.url == HOME), page("/"))


def probes(found: list[Directive] | None) -> list[Page]:
    return [gone("/x") if found is None else page("/x", directives=tuple(found))]


ROWS = [
    # id, pages, directives of a random path (None: an error answer without them), directives of the host
    ("every page and the probe", site(20, HEADER), [HEADER], {HEADER}),
    ("not on the probe", site(20, HEADER), [], set()),
    ("V-10 an error answer without it is neutral", site(20, HEADER), None, {HEADER}),
    ("V-10 every directive of the header", site(20, NONE, FOLLOW), None, {NONE, FOLLOW}),
    ("V-10 nofollow in a meta of its own", site(20, HEADER, META_FOLLOW), None, {HEADER}),
    ("another one on the probe", site(20, HEADER), [NONE], set()),
    ("not on the start page", site(20, HEADER, start=()), [HEADER], set()),
    ("95 % of the pages", site(20, HEADER, without=1), [HEADER], {HEADER}),
    ("less than 95 %", site(20, HEADER, without=2), [HEADER], set()),
    ("the start page alone", [page("/", directives=(HEADER,))], [HEADER], {HEADER}),
    ("one of a single page is the site's", [*site(20, HEADER), page("/thanks", directives=(HEADER, META))], [HEADER], {HEADER}),
    ("in the document of an application for every path", site(20, META), [META], {META}),
    ("header and document", site(20, HEADER, META), [HEADER, META], {HEADER, META}),
    ("nofollow does not matter", site(20, FOLLOW), [FOLLOW], set()),
    ("another user agent", site(20, OTHER), [OTHER], set()),
    ("pages that are gone do not count", [*site(20, HEADER), *(gone(f"/x{n}") for n in range(20))], [HEADER], {HEADER}),
    ("nor do twins", [*site(20, HEADER), *(twin(f"/x{n}", "/") for n in range(20))], [HEADER], {HEADER}),
    ("no page", [], [HEADER], set()),
]  # fmt: skip


@pytest.mark.parametrize(("pages", "probed", "hosts"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_host_policy(pages: list[Page], probed: list[Directive] | None, hosts: set[Directive]) -> None:
    found = find_host_policy(pages, start_of(pages), probes(probed), AGENTS)
    assert found.directives == hosts
    assert bool(found.note) is bool(hosts)


def test_the_note_has_directive_and_count() -> None:
    pages = site(20, HEADER, without=1)
    note = "X-Robots-Tag: noindex on 19 of 20 pages"
    assert find_host_policy(pages, pages[0], probes([HEADER]), AGENTS).note == note
    pages = site(3, HEADER)
    assert "on every one of 3 pages" in find_host_policy(pages, pages[0], probes(None), AGENTS).note


def test_ENV_08_a_start_page_without_noindex_is_indexable() -> None:
    assert indexable(page("/"), AGENTS)
    assert indexable(page("/", directives=(OTHER,)), AGENTS)
    assert not indexable(page("/", directives=(HEADER,)), AGENTS)
    assert not indexable(page("/", directives=(NONE,)), AGENTS)
    assert not indexable(gone("/"), AGENTS)
