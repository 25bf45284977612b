"""A build directory as a source: every file is a page or a reason, and other URLs are answered as the host would.

Theory of operation. Every file is read first, on all cores (`document_pool`). What then needs an answer is queued:
seeds, targets of canonicals and alternates, links to nothing. From there on a build is walked as a served site is,
level by level over the frontier: a redirect is stored as an edge, and its target is on the next level. A link that only
spells a page in another way counts for the page, and is no row.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.schema import CrawlConfig, RenderConfig, RenderWhen, SelectConfig
from sitemap_action.decide.redirects import RedirectTable
from sitemap_action.disk.folder import read_head
from sitemap_action.errors import UsageError
from sitemap_action.fetch.base import Request
from sitemap_action.fetch.page_from_answer import BlockedResources
from sitemap_action.hosts.base import BuildFiles, ControlFile, HostProfile, ReadFile, ServedBuild, why_unlisted
from sitemap_action.html.document import ALL_OPTIONAL, NO_OPTIONAL, OptionalFacts
from sitemap_action.html.soft404 import find_repeated
from sitemap_action.model.observer import NULL_OBSERVER, Observer
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.source import DeadReference, Hosting, SourceResult, StatedSpelling
from sitemap_action.model.wording import option
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.store.codec import Visit, decode_page
from sitemap_action.store.frontier import Frontier, VisitBatch
from sitemap_action.store.inventory import Inventory, shells
from sitemap_action.walk.agent_files import find_dead_in_build
from sitemap_action.walk.build import (
    Build,
    BuildRules,
    HostPages,
    find_moved,
    has_other_escapes,
    judge_redirects,
    link_places,
)
from sitemap_action.walk.document_pool import (
    PageBatch,
    ReadingObserver,
    build_reader,
    read_build,
    read_part,
    report_skipped,
)
from sitemap_action.walk.duplicates import mark_same_documents
from sitemap_action.walk.folders import FileTree, Repository, walk
from sitemap_action.walk.used_spelling import Undecided, believe, prefer_used_spelling, stated_spellings
from sitemap_action.web.media import has_type, media_type
from sitemap_action.web.patterns import Query
from sitemap_action.web.urls import origin

_MAX_CONTROL = 64 * 2**20  # bytes
_MAX_LEVELS = 52  # a verdict follows ten redirects, and each hop on the way has one of its own
_BATCH = 5_000  # visits that are stored together


class FolderSource(Struct, frozen=True):
    """A directory of files as a static host would serve them below `base`."""

    root: Path
    location: str  # the directory as the user wrote it
    base: str  # site-url
    host: HostProfile
    select: SelectConfig = SelectConfig()
    crawl: CrawlConfig = CrawlConfig()
    robots: bytes | None = None  # of the file that `crawl.robots` names, which counts instead of the build's
    render: RenderConfig = RenderConfig()
    workspace: Path | None = None  # whose files may configure the host
    promised: frozenset[str] = frozenset()  # URLs that the deployment adds to the build
    published: Sequence[str] = ()  # URLs of the ledger that the host is asked for
    observer: Observer = NULL_OBSERVER
    optional_facts: OptionalFacts = NO_OPTIONAL  # that the config asks for
    clicks: bool = False  # from the start page to each page are to be counted

    def gather(self, inventory: Inventory, seeds: Iterable[str]) -> SourceResult:
        tree = self._walk()
        result = self._gather(inventory, tree, dict.fromkeys(seeds, ""))
        report_skipped(self.observer, self._skipped_paths(tree))
        return result

    def _gather(self, inventory: Inventory, tree: FileTree, targets: dict[str, str]) -> SourceResult:
        paths = sorted(filter(self._is_page, tree.files))
        paths.sort(key="index.html".__ne__)  # of several pages with a link, the start page is named
        served, notes = self._serve_build(tree)
        result = self._describe(tree, notes, empty=not paths)
        if not paths:
            inventory.add_pages(Page(url, PageKind.UNDETERMINED, reason="the build has no page") for url in targets)
            return replace(
                result, hosting=_hosting(served, tree, paths, Hosting(declared=self._read_declared_sitemaps(tree)))
            )
        build, undecided = self._build(inventory, served, tree, targets, paths)
        if (inventory.shard or inventory.shards) and read_part(inventory, build, paths, tree, self.observer):
            return result
        moved = self._ask_published(build, targets)
        build, result, stubs = self._read(inventory, build, paths, targets, result)
        result = self._find_dead_references(build, served, tree, result)
        if self.render.when is RenderWhen.ALWAYS or shells(inventory):  # most builds have no shell
            from sitemap_action.walk.rendered import render_build  # noqa: PLC0415 - it needs asyncio

            result = render_build(
                inventory,
                build,
                targets,
                options=self.render,
                crawl=self.crawl,
                robots=self._robots_of_host(tree),
                result=result,
                screenshots=self.observer.screenshots,
            )
        found = result.hosting
        linked = judge_redirects(build, served, targets, tree.files, self.location, stubs)
        linked = replace(linked, stated=found.stated, places=found.places, undecided=undecided, moved=tuple(moved))
        linked = replace(linked, declared=self._read_declared_sitemaps(tree))
        return replace(result, hosting=_hosting(served, tree, paths, linked))

    def _build(
        self, inventory: Inventory, served: ServedBuild, tree: FileTree, seeds: Iterable[str], paths: list[str]
    ) -> tuple[Build, Undecided]:
        """The build with the spelling of pages that the site uses."""
        start = Build(root=str(self.root), base=self.base, host=served.host, optional_facts=NO_OPTIONAL)
        host, undecided = prefer_used_spelling(start, seeds, paths)
        blocked = BlockedResources(self._robots_of_host(tree) or b"", self.select.agents, f"{origin(self.base)}/")
        build = Build(
            root=start.root,
            base=self.base,
            host=host,
            optional_facts=_required_facts(inventory, self.optional_facts)._replace(resources=blocked.any),
            blocked_resources=blocked,
            spellings=self.select.spelling_rules,
            query=Query(self.select.query.allow, self.select.drop_params),
            clicks=self.clicks,
            known_host=served.known,
            unread=frozenset((*tree.skipped, *tree.unreadable)),
            promised=self.promised,
            thresholds=self.render.detect,
        )
        return build, undecided if served.known else ()

    def _ask_published(self, build: Build, targets: dict[str, str]) -> Sequence[Page]:
        """Addresses of the ledger that moved at once and for good; one that needs a row becomes a target (LED-01)."""
        fresh = [url for url in self.published if url.startswith(self.base) and url not in targets]
        moved: Sequence[Page] = ()
        if build.known_host and not self.select.asks_for_spelling:
            moved, fresh = find_moved(build, fresh, self._is_page)
        targets |= dict.fromkeys(fresh, "")
        return moved

    def find_unserved(
        self, edited: Mapping[str, bytes], copied: str, redirects: Mapping[str, str], *, built: bool = True
    ) -> Mapping[str, str] | None:
        """URL → why the host would not redirect it to where it should, were these files of the repository as `edited`.

        `copied`: folder whose files a generator copies into the build; `redirects`: URL → target. Not `built`: this is
        that folder itself, or nothing, and the targets are known to be pages. None where the host is not known. A URL
        that ends in `*` stands for all below it: there may be no file.
        """
        tree = self._walk() if built or copied else FileTree()
        names = {path: below_folder(path, folder) for path in edited for folder in (self.location, copied) if folder}
        build = {name: edited[path] for path, name in names.items() if name}
        pages = () if built else (_file_of(url.removeprefix(self.base)) for url in redirects.values())
        served, _ = self._serve_build(tree, edited, {**dict.fromkeys(pages, b""), **build})
        if not served.known:
            return None
        table, own = RedirectTable(served, self.base), Build(str(self.root), self.base, served.host, NO_OPTIONAL)
        fetcher = own.fetcher()
        answers = HostPages(own, fetcher)
        folders = {unquote(url[len(self.base) : -1]): url for url in redirects if url.endswith("*")}
        hidden = ((url, name) for start, url in folders.items() for name in tree.files if name.startswith(start))
        faults = {url: f"{name} is there" for url, name in hidden}
        for url, target in redirects.items():
            if not url.endswith("*") and (built or fetcher.resolve(target).file):  # else it has another address
                faults[url] = table.find_fault(url, target, fetcher.resolve(url), answers)
        return {url: why for url, why in faults.items() if why}

    def _serve_build(
        self, tree: FileTree, edited: Mapping[str, bytes] = {}, build: Mapping[str, bytes] = {}
    ) -> tuple[ServedBuild, tuple[str, ...]]:
        """The build on its host, and what the report says about that.

        `edited`, `build`: files in place of those of the repository, and of the build, by path.
        """

        def content(name: str) -> bytes | None:
            return build[name] if name in build else self._content(tree, name)

        own = partial(_of_build, content)
        found = BuildFiles(tree.files | build.keys(), content, own, site_url=self.base)
        if self.workspace is None:
            served = self.host(found)
            return served, served.notes
        repository = Repository(self.workspace, self.location, edited=edited)
        found = replace(
            found,
            find=lambda name: own(name) or repository.find(name),
            folder=repository.folder,
            workflows=repository.workflows,
        )
        served = self.host(found)
        return served, (*served.notes, *repository.unreadable)

    def _walk(self) -> FileTree:
        if (encoding := sys.getfilesystemencoding()) != "utf-8":
            hint = "set PYTHONUTF8=1, or a locale with UTF-8 (LC_ALL=C.UTF-8)"
            raise UsageError(f"names of files are read as {encoding} here, and those of pages are UTF-8", hint=hint)
        try:
            return walk(str(self.root))
        except FileNotFoundError:
            hint = f"build the site first, or correct source.path ({option('path')})"
            raise UsageError(f"the folder {self.location} does not exist", hint=hint) from None
        except OSError as error:
            hint = f"source.path ({option('path')}) names the folder that the build writes"
            raise UsageError(f"cannot read the folder {self.location}: {error.strerror}", hint=hint) from None

    def _is_page(self, path: str) -> bool:
        return has_type(path, media_type(path), self.select.types)

    def _read(
        self, inventory: Inventory, build: Build, paths: list[str], seeds: dict[str, str], result: SourceResult
    ) -> tuple[Build, SourceResult, Sequence[Page]]:
        """Read every file, then answer for every other URL that is a seed, a link or a target.

        Returns the build with the addresses that the site states, where its host is not known, and documents that
        redirect at once.
        """
        stated: tuple[StatedSpelling, ...] = ()
        begin = inventory.last_url()
        found, clicks = read_build(inventory, build, paths, ReadingObserver(self.observer, len(paths)))
        if not build.known_host:
            stated = stated_spellings(build, inventory.linked_urls(), found.canonicals, seeds, self.select)
            if (host := believe(build.host, stated)) is not build.host:
                build = replace(build, host=host)
                inventory.forget_urls(begin)
                found, clicks = read_build(inventory, build, paths, ReadingObserver(self.observer, len(paths)))
        found.targets |= seeds
        rules, frontier = BuildRules(build), Frontier(inventory)
        frontier.require(url for url in seeds if has_other_escapes(url.removeprefix(build.base)))
        queue_others(inventory, frontier, rules, found)
        answer_queued(frontier, build, rules)
        escaped = mark_escaped(inventory, frontier)
        depths = clicks.depths(self.base, lambda url: rules.counts_for(url, found.dead)) if build.clicks else ()
        inventory.set_depths((escaped.get(url, url), depth) for url, depth in depths)
        # What may be an error page: 404.html (HTML-45), and short documents that many files have (HTML-71).
        read = replace(
            result,
            probes=tuple(decode_page(record, 0) for record in found.error_pages),
            repeated=find_repeated(found.stubs),
            dead_references=tuple(DeadReference(url, page, twin=True) for url, page in found.twins.items()),
            hosting=Hosting(stated=stated, places=link_places(inventory, build, found.dead, self.location)),
        )
        return build, read, found.refreshes

    def _find_dead_references(
        self, build: Build, served: ServedBuild, tree: FileTree, result: SourceResult
    ) -> SourceResult:
        """Adds what llms.txt files and pages name, and the host does not serve (AGT-01, AGT-02)."""
        twins = {one.url: one.named_by for one in result.dead_references}
        read = partial(self._content, tree)
        dead = find_dead_in_build(build, tree.files, read, served.code, twins, self.location)
        return replace(result, dead_references=dead)

    def _describe(self, tree: FileTree, decisions: tuple[str, ...], *, empty: bool) -> SourceResult:
        """What is known of the build before its files are read."""
        incomplete = [f"cannot list {self.location}/{path}" for path in sorted(tree.unreadable)]
        if empty:
            incomplete.append(f"the folder {self.location} has no page")
        notes = [f"skipped {path}: {why}" for path, why in sorted(self._skipped_paths(tree).items())]
        return SourceResult(
            kind="folder",
            location=self.location,
            incomplete=tuple(incomplete),
            no_pages=empty,
            notes=(*decisions, *self._robots_note(tree), *notes),
            robots=self._robots(tree),
        )

    def _read_declared_sitemaps(self, tree: FileTree) -> tuple[str, ...]:
        lines = parse(self._content(tree, "robots.txt") or b"", Profile.GOOGLE).sitemaps
        return tuple(text for _, text in lines)

    def _skipped_paths(self, tree: FileTree) -> dict[str, str]:
        """Path → why it is not read, for folders and what would be pages."""
        return {path: why for path, why in tree.skipped.items() if path.endswith("/") or self._is_page(path)}

    def _robots_note(self, tree: FileTree) -> Iterator[str]:
        """HOST-13."""
        path = urlsplit(self.base).path
        if path != "/" and "robots.txt" in tree.files and self.robots is None:
            hint = "crawl.robots: file:PATH names the host's"
            yield f"robots.txt of the build is not used: it is for a whole host, and this site is below {path}; {hint}"

    def _robots(self, tree: FileTree) -> bytes | None:
        """robots.txt applies to a whole host: that of a site below a path is not in its build (RB-01, HOST-13)."""
        return self._content(tree, "robots.txt") if urlsplit(self.base).path == "/" else None

    def _robots_of_host(self, tree: FileTree) -> bytes | None:
        """That of the build, unless `crawl.robots` names another one."""
        return self._robots(tree) if self.robots is None else self.robots

    def _content(self, tree: FileTree, name: str) -> bytes | None:
        """The bytes of a control file; None for a name that the walk did not list, such as a link out of the folder."""
        if name not in tree.files:
            return None
        return read_head(self.root / name, _MAX_CONTROL)


def _file_of(path: str) -> str:
    """The usual file of a page, by its path below site-url."""
    name = unquote(path)
    if not name or name.endswith("/"):
        return f"{name}index.html"
    return name if "." in name.rpartition("/")[2] else f"{name}.html"


def below_folder(path: str, folder: str) -> str:
    """The path relative to a folder; "" where it is not in it."""
    prefix = f"{folder.strip('/')}/"
    return path[len(prefix) :] if path.startswith(prefix) else ""


def queue_others(inventory: Inventory, frontier: Frontier, rules: BuildRules, found: PageBatch) -> None:
    """Queue each URL without a file that needs an answer; a link to another spelling counts for the page (HTML-68)."""
    queued = {**found.targets, **found.dead}
    frontier.end_reading()
    frontier.add_starts(queued.items(), depth=1)
    alias_links: Counter[str] = Counter()  # links to redirects and other spellings
    read_too = []
    for url, inlinks in inventory.urls_without_page():
        if rules.escapes_address(url):
            read_too.append((url, ""))
            continue
        if url not in queued and rules.redirects_to_http(url):
            read_too.append((url, ""))
        if url not in found.targets or "?" not in url:
            alias_links[rules.counts_for(url, found.dead)] += inlinks
    frontier.add_starts(read_too, depth=1)
    inventory.add_indirect_links((url, count) for url, count in sorted(alias_links.items()) if url and count)


def mark_escaped(inventory: Inventory, frontier: Frontier) -> dict[str, str]:
    """URLs that are another one with other escapes → that one, for which their links count."""
    twins = [page for _, page in mark_same_documents(inventory, frontier, suffixes=())]
    links = ((page.twin, known.inlinks) for page in twins if (known := inventory.page(page.url)) is not None)
    inventory.add_indirect_links([(url, count) for url, count in links if count])
    return {page.url: page.twin for page in twins}


def answer_queued(frontier: Frontier, build: Build, rules: BuildRules) -> None:
    """Visits level by level, as a crawl does, without waiting: what a redirect names is the next level."""
    reader, fetcher = build_reader(build, rules), rules.fetcher
    depth = frontier.next_level(1)
    while depth is not None and depth <= _MAX_LEVELS:
        batch = VisitBatch()
        for queued in frontier.level(depth):
            # A page that links name was found on one; where a redirect ends was not.
            row = queued if depth == 1 else queued._replace(referrer="")
            page = rules.page_without_file(row.url)
            if page is not None:
                batch.add(Visit(row.id, page._replace(found_on=row.referrer)))
            else:
                answer = fetcher.answer(Request(row.url))
                (visit,) = reader.read(0, [(row, answer, build.optional_facts._replace(digest=True))])
                batch.add(visit._replace(links=()))  # of the same file under another URL
            if batch.size >= _BATCH:
                frontier.store(batch, depth)
                batch = VisitBatch()
        frontier.store(batch, depth)
        depth = frontier.next_level(depth + 1)


def _required_facts(inventory: Inventory, asked: OptionalFacts) -> OptionalFacts:
    """All that another run may ask a shard for; a fingerprint for the next run with a state (DIFF-31, DIFF-32); dates
    where entries have some to compare with (DIFF-33).
    """
    if inventory.shard or inventory.shards:
        return ALL_OPTIONAL
    dates = asked.dates or inventory.has_dated_entries()
    return asked._replace(dates=dates, fingerprint=asked.fingerprint or inventory.persistent)


def _hosting(served: ServedBuild, tree: FileTree, paths: list[str], linked: Hosting) -> Hosting:
    folders = ((path, f"{path.removesuffix('.html')}/index.html") for path in paths)
    doubled = {path: folder for path, folder in folders if folder in tree.files and not why_unlisted(path)}
    address = served.host.address
    hidden = frozenset(path for path, folder in doubled.items() if address(path) == address(folder))
    return replace(
        linked,
        known=served.known,
        fallback=served.fallback,
        partial=served.partial,
        doubled=tuple(doubled),
        hidden=hidden,
    )


def _of_build(read: ReadFile, name: str) -> ControlFile | None:
    content = read(name)
    return None if content is None else ControlFile(name, content)
