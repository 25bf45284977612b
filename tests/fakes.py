"""A site as a dict, and short ways to say what is on it; meets the `Site` protocol."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from sitemap_action.checks.base import SiteOptions
from sitemap_action.config.schema import Config, Noindex, PolicyConfig, SelectConfig
from sitemap_action.model.outcome import (
    BaselineInfo,
    Cause,
    CauseKind,
    Diff,
    PolicyChange,
    RunInfo,
    StatedBase,
    UrlCounts,
)
from sitemap_action.model.page import (
    Canonical,
    Directive,
    Facts,
    Head,
    LinkCounts,
    Page,
    PageKind,
    PageMedia,
    Refresh,
    Shell,
    ShellKind,
)
from sitemap_action.model.site import Content, Role
from sitemap_action.model.sitemap import Entry
from sitemap_action.model.source import HostPolicy, SourceResult
from sitemap_action.robots.groups import Robots

HOME = "https://www.example.com/"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def at(path: str) -> str:
    """`/a` on the site; anything with a scheme, and what is no URL, stays as it is."""
    return HOME + path[1:] if path.startswith("/") else path


class FakeSite:
    """Pages, and the two sitemaps by path or URL; an entry without a page of its own gets none."""

    def __init__(
        self,
        pages: Iterable[Page],
        *,
        committed: Iterable[str | Entry] = (),
        baseline: Iterable[str | Entry] = (),
        contents: Mapping[str, Content] = {},
    ) -> None:
        self._contents = dict(contents)
        self._pages = {page.url: page for page in pages}
        self._entries = {Role.COMMITTED: _entries(committed), Role.BASELINE: _entries(baseline)}

    def pages(self) -> Iterator[Page]:
        return (self._pages[url] for url in sorted(self._pages))

    def page(self, url: str) -> Page | None:
        return self._pages.get(url)

    def contents(self) -> Iterator[tuple[str, Content]]:
        return iter(sorted(self._contents.items()))

    def entries(self, role: Role) -> Iterator[tuple[str, Entry]]:
        return iter(sorted(self._entries[role].items()))


def _entries(listed: Iterable[str | Entry]) -> Mapping[str, Entry]:
    lines = range(3, 3_000_000, 3)
    entries = (one if isinstance(one, Entry) else Entry(at(one)) for one in listed)
    return {entry.loc: entry._replace(line=entry.line or line) for entry, line in zip(entries, lines, strict=False)}


def page(path: str, **given: object) -> Page:
    """A document with facts; keywords are those of Page (kind, twin, unlisted, inlinks …), of Facts and its parts."""
    rest = {"title": "A page", **given}
    if "shell" in rest:
        rest["shell"] = Shell(ShellKind.STRUCTURE, str(rest["shell"]))
    of_page, head, media, links = (_pop(rest, kind._fields) for kind in (Page, Head, PageMedia, LinkCounts))
    facts = Facts(head=Head(**head), media=PageMedia(**media), links=LinkCounts(**links), **rest)
    return Page(at(path), PageKind.PAGE, status=200, inlinks=1, facts=facts)._replace(**of_page)


def _pop(given: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: given.pop(name) for name in names if name in given}


def noindex(path: str) -> Page:
    return page(path, directives=(Directive("", "noindex", "", "meta"),))


def canonical(path: str, *targets: str) -> Page:
    return page(path, canonicals=tuple(Canonical(at(target), at(target), "link", "") for target in targets))


def refresh(path: str, target: str, seconds: int = 0, **given: object) -> Page:
    return page(path, refresh=Refresh(seconds, at(target)), **given)


def gone(path: str, status: int = 404) -> Page:
    return Page(at(path), PageKind.GONE, status=status)


def redirect(path: str, target: str, status: int = 301) -> Page:
    return Page(at(path), PageKind.REDIRECT, status=status, target=at(target))


def twin(path: str, of: str) -> Page:
    """Another URL of the file that `of` lists."""
    return Page(at(path), PageKind.PAGE, status=200, twin=at(of))


def foreign(url: str, target: str = "", reason: str = "") -> Page:
    return Page(url, PageKind.FOREIGN, target=at(target), reason=reason)


def undetermined(path: str, reason: str = "timed out") -> Page:
    return Page(at(path), PageKind.UNDETERMINED, reason=reason)


def gaps(*sentences: str) -> tuple[Cause, ...]:
    """Why pages may be missing."""
    return tuple(Cause(CauseKind.INCOMPLETE, one) for one in sentences)


def caused(*sentences: str, kind: CauseKind = CauseKind.LOST) -> tuple[Cause, ...]:
    return tuple(Cause(kind, one) for one in sentences)


def run_info(**changes: object) -> RunInfo:
    source = SourceResult("folder", "site")
    baseline = BaselineInfo("the committed sitemap.xml", same=True)
    source = replace(
        source,
        **{
            name: changes.pop(name)
            for name in ("kind", "location", "state", "rendering", "interrupted")
            if name in changes
        },
    )
    named = {"baseline": "description", "same_baseline": "same", "baseline_name": "name", "no_baseline": "missing"}
    baseline = replace(baseline, **{field: changes.pop(name) for name, field in named.items() if name in changes})
    run = RunInfo(HOME, source, "sitemap.xml", baseline, first_run=False)
    changes.setdefault("absent", changes.get("first_run", False))
    changes["incomplete"] = gaps(*changes.get("incomplete", ()))  # type: ignore[misc]
    return replace(run, **changes)


def site_options(
    site_url: str = HOME,
    robots: Robots | None = None,
    agents: tuple[str, ...] = (),
    policy: tuple[PolicyChange, ...] = (),
    **given: object,
) -> SiteOptions:
    """Options of the rules over a site; keywords are those of the options, of the host policy or of what was found."""
    select = given.pop("select", SelectConfig())
    noindex = Noindex.AUTO if given.pop("noindex_counts", True) else Noindex.IGNORE
    select = replace(select, agents=agents, noindex=noindex)
    removals = PolicyConfig(redirect_required=bool(given.pop("redirect_required", False)))
    removals = replace(removals, fail_on=given.pop("fail_on", frozenset()))
    config = Config(select=select, policy=removals)
    host = {name: given.pop(key) for key, name in _HOST.items() if key in given}
    found = {name: given.pop(name) for name in SourceResult.__struct_fields__ if name in given and name != "robots"}
    if "found_robots" in given:  # of the build, as bytes
        found["robots"] = given.pop("found_robots")
    return SiteOptions(
        config=config,
        run=replace(run_info(), site_url=site_url, policy=policy, stated=given.pop("stated", StatedBase())),
        found=replace(SourceResult("folder", "site"), **found),
        robots=robots,
        host=replace(HostPolicy(), **host),
        **given,  # type: ignore[arg-type]
    )


_HOST = {"exposed": "exposed", "host_policy": "note", "host_directives": "directives"}


def make_diff(**given: object) -> Diff:
    """Keywords are those of a diff or of its counts."""
    counts = {name: given.pop(name) for name in UrlCounts.__struct_fields__ if name in given}
    return Diff(**given, counts=UrlCounts(**counts))  # type: ignore[arg-type]
