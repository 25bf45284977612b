"""A build whose state has what earlier runs have read: only files that changed, or are served otherwise, are read.

Every file is hashed. What follows from all files together is made anew from the rows of the state, which costs a few
microseconds a file.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from sitemap_action.folder.build_pages import BuildPages
from sitemap_action.folder.file_rows import UNSERVED, Digests, answer_digest, hashing, reader_digest
from sitemap_action.folder.host_inputs import HostInputs
from sitemap_action.folder.link_ends import DeadLinks
from sitemap_action.folder.observed import ReadingObserver
from sitemap_action.folder.reader import is_error_page, read_all
from sitemap_action.folder.served_build import Build
from sitemap_action.hosts.base import BuildFiles, Host, HostProfile
from sitemap_action.inventory.store import Inventory
from sitemap_action.inventory.stored_files import StoredFiles, stored_files
from sitemap_action.model.page import Page, PageKind

_PART = 4_000  # files whose digests are in memory


class KeptFiles:
    """Those of one build: what the host is told is noted before they are read."""

    def __init__(self, inventory: Inventory, files: StoredFiles) -> None:
        self._inventory = inventory
        self._files = files
        self._inputs = HostInputs()
        self._host = ""  # digest of all that decides how the files are served

    def noted(self, found: BuildFiles) -> BuildFiles:
        return self._inputs.noted(found)

    def serve(self, profile: HostProfile, files: Iterable[str], host: Host) -> None:
        self._host = self._inputs.digest(profile, files, host)

    def read(self, build: Build, paths: Sequence[str], observed: ReadingObserver) -> BuildPages:
        """Stores what has changed."""
        files = self._files
        served_alike = files.begin(reader_digest(build)) == self._host
        gone, changed = files.others(set(paths)), list[str]()
        with hashing(build.root, len(paths)) as digests:
            for part in _parts(paths):
                same = _unchanged(build, files, part, digests, served_alike=served_alike)
                changed += [path for path in part if path not in same]
                observed.unchanged(len(same))
                if observed.wants_events:
                    observed.report(files.records([path for path in part if path in same]))
        files.forget([*gone, *changed])
        for batch in read_all(build, changed):
            files.store(batch.files, batch.records, list(batch.links))
            observed.read(batch.records)
        files.end(self._host, None if files.counted else _links(files))
        return _together(self._inventory, files, build)

    def forget_unused(self) -> None:
        self._files.forget_unused()

    def forget_all(self) -> None:
        self._files.begin("")
        self._files.forget_unused()


def kept_files(inventory: Inventory) -> KeptFiles | None:
    files = stored_files(inventory)
    return None if files is None else KeptFiles(inventory, files)


def _parts(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """Each is sorted: the start page, which is read first, is one of its own."""
    yield paths[:1]
    yield from (paths[start : start + _PART] for start in range(1, len(paths), _PART))


def _unchanged(
    build: Build, files: StoredFiles, paths: Sequence[str], digests: Digests, *, served_alike: bool
) -> set[str]:
    known = files.digests(paths)
    kept = [path for path in paths if path in known]
    if not served_alike:
        answers, fetcher = files.answers(paths), build.fetcher()
        kept = [path for path in kept if answer_digest(build, fetcher, path) == answers[path]]
    served = [path for path in kept if known[path] != UNSERVED]
    same = {path for path, digest in zip(served, digests(served), strict=True) if digest and digest == known[path]}
    return same.union(path for path in kept if known[path] == UNSERVED)


def _together(inventory: Inventory, files: StoredFiles, build: Build) -> BuildPages:
    """What follows from all files."""
    found = BuildPages()
    for row in files.rows():
        for target, referrer in row.targets.items():
            found.targets.setdefault(target, referrer)
        if row.stub:
            found.stubs[row.stub] += 1
        if row.url and is_error_page(row.path) and (page := inventory.page(row.url)) is not None:
            found.error_pages.append(_as_error_page(page))
    linked = files.linked()
    _add_dead_links(found, files, build, linked)
    if build.clicks:
        urls = dict(linked)
        for url, links in files.links():
            if url:
                found.clicks.add(url, [urls[url_id] for url_id in links if url_id in urls])
    return found


def _links(files: StoredFiles) -> Counter[int]:
    """The number of links to each URL, by its id."""
    counts: Counter[int] = Counter()
    for _, links in files.links():
        counts.update(links)
    return counts


def _as_error_page(page: Page) -> Page:
    return page._replace(kind=PageKind.GONE, status=404, inlinks=0, depth=0)


def _add_dead_links(found: BuildPages, files: StoredFiles, build: Build, linked: Iterable[tuple[int, str]]) -> None:
    dead = DeadLinks(build).among(url for _, url in linked)
    ids = {url_id: url for url_id, url in linked if url in dead}
    if not ids:
        return
    for page, links in files.links():
        if not ids.keys().isdisjoint(links):
            for url_id in links:
                if url := ids.get(url_id):
                    found.dead.setdefault(url.partition("?")[0], page)
