"""changefreq and priority as the config asks for them (`output.changefreq`, `output.priority`)."""

from sitemap_action.config.entry_hints import DEPTH, HOME
from sitemap_action.config.writing import OutputConfig
from sitemap_action.model.page import Page
from sitemap_action.web.patterns import compile_patterns


class AskedHints:
    """By pattern, of which the first that matches counts."""

    def __init__(self, output: OutputConfig, home: str) -> None:
        """`home`: URL of the start page."""
        self.any = bool(output.changefreq or output.priority)
        self._home = home
        self._changefreq, self._priority = output.changefreq, output.priority
        self._frequencies = compile_patterns(tuple(output.changefreq))
        self._priorities = compile_patterns(tuple(output.priority))

    def of(self, page: Page, committed: tuple[str, str]) -> tuple[str, str]:
        """(changefreq, priority); those that are committed where nothing else is asked for."""
        changefreq, priority = committed
        if (pattern := self._frequencies.match(page.url)) is not None:
            changefreq = self._changefreq[pattern]
        if (pattern := self._priorities.match(page.url)) is not None:
            priority = self._number(page, self._priority[pattern], priority)
        return changefreq, priority

    def _number(self, page: Page, asked: str, committed: str) -> str:
        is_home = page.url == self._home
        if asked == HOME:
            return "1.0" if is_home else "0.5"
        if asked != DEPTH:
            return asked
        if not is_home and not (page.depth and page.inlinks):
            return committed  # no link leads there
        return f"{max(1, 10 - (0 if is_home else page.depth)) / 10:.1f}"
