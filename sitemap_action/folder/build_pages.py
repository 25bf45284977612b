"""What the files of a build say together."""

from collections import Counter

from msgspec import Struct, field

from sitemap_action.folder.clicks import Clicks
from sitemap_action.folder.observed import ReadingObserver
from sitemap_action.folder.reader import read_all
from sitemap_action.folder.served_build import Build
from sitemap_action.model.page import Page
from sitemap_action.store.codec import decode_page
from sitemap_action.store.inventory import Inventory

_LINKS = 250_000  # URLs with link counts in memory: pages of a site link to the same ones again and again


class BuildPages(Struct):
    """Beside the pages themselves, which are in the inventory."""

    targets: dict[str, str] = field(default_factory=dict)  # URL that needs an answer → the first page that has it
    dead: dict[str, str] = field(default_factory=dict)  # URL of a link that leads nowhere → the first page that has it
    stubs: Counter[str] = field(default_factory=Counter)  # keys of short documents (HTML-71)
    error_pages: list[Page] = field(default_factory=list)  # 404.html (HTML-45)
    clicks: Clicks = field(default_factory=Clicks)


def read_build(inventory: Inventory, build: Build, paths: list[str], observed: ReadingObserver) -> BuildPages:
    """Reads every file."""
    links: Counter[str] = Counter()
    found = BuildPages()
    for batch in read_all(build, paths, None if inventory.shards is None else inventory.shards.documents):
        observed.read(batch.records)
        for url, linked_urls in batch.linked:
            found.clicks.add(url, linked_urls)
        inventory.add_records(batch.records)
        links.update(batch.links)
        found.stubs.update(batch.stubs)
        found.error_pages += [decode_page(record, 0) for record in batch.error_pages]
        if len(links) > _LINKS:
            inventory.add_links(sorted(links.items()))
            links.clear()
        for url, referrer in batch.targets.items():
            found.targets.setdefault(url, referrer)
        for url, referrer in batch.dead.items():
            found.dead.setdefault(url, referrer)
    inventory.add_links(sorted(links.items()))
    return found
