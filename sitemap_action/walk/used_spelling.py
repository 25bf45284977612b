"""Which spelling of its pages a site uses, where its host serves several alike (URL-21), or is not known (HOST-01).

Before the files are read, the sitemap tells, or the first pages; relative links depend on it. Once they are read, and
the host is not known, all that the site states is counted: links, canonicals and entries of sitemaps, each address once
for each kind. What nine of ten have is what pages are listed as; the files are read again in the rare case that it is
another spelling than was used so far. Where the statements disagree, no address of these pages is known.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from sitemap_action.config.schema import HtmlExtension, SelectConfig, TrailingSlash
from sitemap_action.hosts.base import Host, why_unlisted
from sitemap_action.hosts.page_spellings import Spelling, StaticHost, encoded_path
from sitemap_action.model.source import CANONICALS, ENTRIES, LINKS, StatedSpelling
from sitemap_action.walk.build import Build, Form
from sitemap_action.walk.document_pool import read_all
from sitemap_action.web.patterns import page_key

_START = "index.html"
_FOLDER = "x/index.html"
_KINDS = (False, True)  # of pages: x.html, and the index of a folder, of which a sitemap may list one kind alone
_NEAR = 20  # pages that the start page links to, where it links to folders only

Undecided: TypeAlias = tuple[tuple[str, str], ...]
"""A listed URL and another of the same page, where nothing prefers one: of the first page x.html, the first folder."""


def prefer_used_spelling(build: Build, seeds: Iterable[str], files: Sequence[str]) -> tuple[Host, Undecided]:
    """The host, listing what the site uses. `seeds`: URLs of the sitemap; `files`: pages of the build."""
    host = build.host
    if host.preferring(()) is host:
        return host, ()
    used = _find_pages(build, (url for url in seeds if url.startswith(build.base) and "?" not in url))
    decided = _page_kinds(used)
    if len(decided) < len(_KINDS) and _START in files:
        used += [(path, file) for path, file in _first_links(build, files) if _is_folder(file) not in decided]
    return host.preferring([path for path, _ in used]), _undecided_pairs(build, _page_kinds(used), files)


def _find_pages(build: Build, urls: Iterable[str]) -> list[tuple[str, str]]:
    """Paths of the site, each with the file of its page; "" for the start page, which has one spelling, and for none.

    What redirects is a spelling of a page only where that page has the same name: what a rule moves is not.
    """
    return [(path, _find_file(build.host, path)) for path in _paths(build, urls)]


def _find_file(host: Host, path: str) -> str:
    found = host.answer(path)
    if found.location.startswith("/") and page_key(found.location) == page_key(path):
        found = host.answer(found.location)
    return found.file if found.status == 200 and found.file != _START else ""


def _first_links(build: Build, files: Sequence[str]) -> list[tuple[str, str]]:
    """What the start page links to, and where these are folders only, what they link to."""
    links = _links(build, [_START])
    shown = {file for _, file in links if file}
    if all(file.endswith("/" + _START) for file in shown):
        links += _links(build, sorted(shown & set(files))[:_NEAR])
    return links


def _page_kinds(pages: Iterable[tuple[str, str]]) -> set[bool]:
    """Whether these are folders, pages x.html, or both."""
    return {kind for _, file in pages if (kind := _is_folder(file)) is not None}


def _undecided_pairs(build: Build, told: Collection[bool], files: Iterable[str]) -> Undecided:
    pages = [file for file in files if file.endswith(".html") and file != _START and not why_unlisted(file)]
    first = [next((file for file in pages if _is_folder(file) is kind), "") for kind in _KINDS if kind not in told]
    found = ((build.host.address(file), _alternative(build.host, file)) for file in first if file)
    return tuple((build.base + one[1:], build.base + other[1:]) for one, other in found if other)


def _is_folder(file: str) -> bool | None:
    return file.endswith(f"/{_START}") if file.endswith(".html") else None


def _alternative(host: Host, file: str) -> str:
    """Another URL that would be listed if the site used it; "" where the host has one alone."""
    stem = encoded_path(file).removesuffix(".html").removesuffix("/index")
    urls = (stem, f"{stem}/", f"{stem}.html")
    return next((url for url in urls if url != host.address(file) and host.preferring([url]).address(file) == url), "")


def _links(build: Build, files: list[str]) -> list[tuple[str, str]]:
    return [page for batch in read_all(build, files) for page in _find_pages(build, batch.links)] if files else []


def _paths(build: Build, urls: Iterable[str]) -> list[str]:
    return [url[len(build.base) - 1 :].partition("?")[0] for url in urls]


def believe(host: Host, stated: Iterable[StatedSpelling]) -> Host:
    """The host, listing what the site agrees on; itself where it does, or nothing is agreed on."""
    assert isinstance(host, StaticHost)  # noqa: S101 - a host that is not known has no rules
    found = host
    for one in stated:
        if form := one.agreed:
            spelling = Spelling.FILE if form.endswith(".html") else Spelling(form)
            found = found.listing(spelling, folder=one.file == _FOLDER)
    return host if found.spellings == host.spellings else found


def stated_spellings(
    build: Build, links: Iterable[str], canonicals: Mapping[Form, int], entries: Iterable[str], select: SelectConfig
) -> tuple[StatedSpelling, ...]:
    """What the site states of pages x.html and of pages x/index.html; none of a kind that nothing names.

    `select` settles what the site disagrees on: what is written is then what the next run reads.
    """
    host = build.host
    assert isinstance(host, StaticHost)  # noqa: S101 - as above
    counts = {
        LINKS: _count_forms(host, build, links),
        CANONICALS: canonicals,
        ENTRIES: _count_forms(host, build, entries),
    }
    found = []
    for folder in _KINDS:
        file = _FOLDER if folder else "x.html"
        forms = {
            kind: {_form(folder, form): rows[folder, form] for form in Spelling if rows.get((folder, form))}
            for kind, rows in counts.items()
        }
        if stated := {kind: rows for kind, rows in forms.items() if rows}:
            found.append(StatedSpelling(file, stated, _asked_form(select, folder=folder)))
    return tuple(found)


def _asked_form(select: SelectConfig, *, folder: bool) -> str:
    """The form that the config asks for; "" where it leaves it to the host."""
    slash, extension = select.trailing_slash, select.html_extension
    if not folder and extension is not HtmlExtension.DROP:
        return "/x.html" if extension is HtmlExtension.KEEP else ""
    forms = {TrailingSlash.ADD: "/x/", TrailingSlash.REMOVE: "/x"}
    return forms.get(slash, "" if folder else "/x")


def _form(folder: bool, spelling: Spelling) -> str:
    return "/x/index.html" if folder and spelling is Spelling.FILE else spelling.value


def _count_forms(host: StaticHost, build: Build, urls: Iterable[str]) -> Counter[Form]:
    own = (url for url in urls if url.startswith(build.base) and "?" not in url)
    return Counter(form for path in _paths(build, own) if (form := host.spelling_of(path)))
