"""Pages, committed file and baseline side by side, one row per known URL."""

from collections.abc import Iterator

from sitemap_action.model.site import KnownUrl, Role, Site
from sitemap_action.model.sitemap import Entry


def known(site: Site, *, same: bool) -> Iterator[KnownUrl]:
    """Merge pages, committed file and baseline by identity; all three arrive in its byte order, so memory stays flat.

    Every entry was a seed, so it has a page. `same`: the baseline is the committed file.
    """
    committed = _Cursor(site.entries(Role.COMMITTED))
    baseline = committed if same else _Cursor(site.entries(Role.BASELINE))
    for page in site.pages():
        entry = committed.at(page.url)
        yield KnownUrl(page, entry, entry if same else baseline.at(page.url))


class _Cursor:
    """The entry at a key, for keys asked in ascending order."""

    def __init__(self, entries: Iterator[tuple[str, Entry]]) -> None:
        self._entries = entries
        self._key = ""
        self._entry: Entry | None = None
        self._advance()

    def at(self, key: str) -> Entry | None:
        while self._entry is not None and self._key < key:
            self._advance()
        return self._entry if self._entry is not None and self._key == key else None

    def _advance(self) -> None:
        self._key, self._entry = next(self._entries, ("", None))
