"""The versions of a documentation on one site, by the folders that `versions` of the config names (VER-01, VER-02)."""

from collections.abc import Sequence

from sitemap_action.web.patterns import compile_patterns


class Versions:
    """`*` in a folder is any run of characters within one segment; everything below belongs to it."""

    def __init__(self, site_url: str, current: str = "", old: Sequence[str] = (), drafts: Sequence[str] = ()) -> None:
        """Folders below site-url, with a slash at both ends; `current`: "" for site-url itself."""
        self._site_url, self._current = site_url, site_url + current[1:]
        self._folders = {f"{site_url}{one[1:]}**": one for one in (*old, *drafts)}
        self._old = frozenset(old)
        self._patterns = compile_patterns(tuple(self._folders))

    def find_folder(self, url: str) -> str:
        """The folder of an old version or a draft that a page is in, as the config has it; "" for none."""
        if not self._folders or (self._current != self._site_url and url.startswith(self._current)):
            return ""
        return self._folders.get(self._patterns.match(url) or "", "")

    def find_current(self, url: str) -> str:
        """Where the current version has the page that is in an old one; "" for any other page."""
        folder = self.find_folder(url)
        if folder not in self._old:
            return ""
        return self._current + url[len(self._site_url) :].split("/", folder.count("/") - 1)[-1]
