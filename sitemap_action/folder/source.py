"""Every page of a build directory, read by all cores."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sitemap_action.errors import UsageError
from sitemap_action.folder.reader import Job, named, read_all
from sitemap_action.folder.walk import FileTree, walk
from sitemap_action.hosts.base import Host
from sitemap_action.html.extract import ALL_OPTIONAL, NO_OPTIONAL
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.source import SourceResult
from sitemap_action.web.media import has_type, media_type

_LINKS = 250_000  # URLs whose links are counted in memory: pages of a site link the same ones again and again


@dataclass(frozen=True, slots=True)
class FolderSource:
    """A directory of files as a static host would serve them below `base`."""

    root: Path
    location: str  # the directory as the user wrote it
    base: str  # site-url
    host: Host
    types: tuple[str, ...]  # of select.types: extensions or media types

    def gather(self, inventory: Inventory, seeds: Iterable[str]) -> SourceResult:
        tree = self._walk()
        paths = sorted(path for path in tree.files if self._listable(path))
        targets = dict.fromkeys(seeds, "")
        if paths:
            optional = ALL_OPTIONAL if inventory.lasting else NO_OPTIONAL  # a later run may ask
            self._read(inventory, Job(str(self.root), tree.files, self.base, self.host, optional), paths, targets)
        else:
            inventory.add_pages(Page(url, PageKind.UNDETERMINED, reason="the build holds no page") for url in targets)
        return self._gathered(tree, empty=not paths)

    def _walk(self) -> FileTree:
        try:
            return walk(str(self.root))
        except FileNotFoundError:
            hint = "build the site first, or correct source.path (--path)"
            raise UsageError(f"the folder {self.location} does not exist", hint=hint) from None
        except OSError as error:
            hint = "source.path (--path) names the folder that the build writes"
            raise UsageError(f"cannot read the folder {self.location}: {error.strerror}", hint=hint) from None

    def _listable(self, path: str) -> bool:
        return has_type(path, media_type(path), self.types)

    def _read(self, inventory: Inventory, job: Job, paths: list[str], targets: dict[str, str]) -> None:
        """Read every file, then answer for every URL that is named somewhere but is no file's own address.

        A link to another spelling of a page counts for the page (HTML-68).
        """
        links: Counter[str] = Counter()
        for batch in read_all(job, paths):
            inventory.add_records(batch.records)
            links.update(batch.links)
            if len(links) > _LINKS:
                inventory.add_links(sorted(links.items()))
                links.clear()
            for url, named_on in batch.targets.items():
                targets.setdefault(url, named_on)
        inventory.add_links(sorted(links.items()))
        inventory.add_links((url, 0) for url in targets)
        credited: Counter[str] = Counter()
        pages = []
        for url, inlinks in inventory.unanswered():
            page = named(job, url)
            credited[page.twin or page.target] += inlinks
            if url in targets:
                pages.append(page._replace(found_on=targets[url]))
        inventory.add_pages(pages)
        inventory.add_links((url, count) for url, count in sorted(credited.items()) if url and count)

    def _gathered(self, tree: FileTree, *, empty: bool) -> SourceResult:
        incomplete = [f"cannot list {self.location}/{path}" for path in sorted(tree.unreadable)]
        if empty:
            incomplete.append(f"the folder {self.location} holds no page")
        pages = {path: why for path, why in tree.left_out.items() if path.endswith("/") or self._listable(path)}
        notes = tuple(f"left out {path}: {why}" for path, why in sorted(pages.items()))
        return SourceResult("folder", self.location, tuple(incomplete), empty, notes, self._robots(tree))

    def _robots(self, tree: FileTree) -> bytes | None:
        """robots.txt speaks for a whole host: the one of a site below a path is not in its build (RB-01, HOST-13)."""
        if urlsplit(self.base).path != "/" or "robots.txt" not in tree.files:
            return None
        return (self.root / "robots.txt").read_bytes()
