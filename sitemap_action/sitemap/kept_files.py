"""The committed sitemap as the writer needs it: which file lists what, its comments, and the dates of its index."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.model.sitemap import NO_MARKUP, CommittedFile, DocumentKind, Markup
from sitemap_action.sitemap.dates import later_date, normal_date
from sitemap_action.sitemap.loc import url_key

_WRITTEN = (".xml", ".xml.gz")
_STYLE_SHEET = "<?xml-stylesheet "


def _never(_path: str, _content: bytes) -> bool:
    return False


class CommittedSitemap(Struct, frozen=True):
    """`unchanged` is whether the committed file at a path has these bytes."""

    files: tuple[CommittedFile, ...] = ()
    unchanged: Callable[[str, bytes], bool] = _never

    @property
    def is_index(self) -> bool:
        return bool(self.files) and self.files[0].kind is DocumentKind.INDEX

    def markup(self, path: str) -> Markup:
        return next((file.markup for file in self.files if file.path == path), NO_MARKUP)

    def comments(self) -> Mapping[str, tuple[str, ...]]:
        """Those before entries, whatever file the entry is in."""
        found: dict[str, tuple[str, ...]] = {}
        for file in self.files:
            if file.kind is DocumentKind.URLSET and not file.other:
                found.update(file.markup.before)
        return found

    def style_sheets(self) -> Markup:
        """Of a new file: those of the first file with entries."""
        of = next((file for file in self.files if file.kind is DocumentKind.URLSET and not file.other), None)
        return Markup(tuple(one for one in of.markup.prolog if one.startswith(_STYLE_SHEET))) if of else NO_MARKUP

    def kept(self, sitemap: str, address: str) -> Iterator[tuple[int, CommittedFile]]:
        """(number, file) of each that is written again at its place, with its URL on the site.

        The index lists it, it is XML, below the directory of the index (SM-62), and in no hidden folder: what the
        committed index names is not trusted with `.github`.
        """
        if not self.is_index or self.files[0].path != sitemap:
            return
        folder, directory = PurePosixPath(sitemap).parent, f"{address.rpartition('/')[0]}/"
        for number, file in enumerate(self.files):
            place = PurePosixPath(file.path)
            if not number or not file.loc or file.other or not place.is_relative_to(folder):
                continue
            if any(part.startswith(".") for part in place.relative_to(folder).parts):
                continue
            loc = url_key(file.loc)
            if not loc.startswith(directory) or "?" in loc:
                loc = f"{directory}{place.name}" if place.parent == folder and "?" not in loc else ""
            if loc and file.kind is DocumentKind.URLSET and file.path.endswith(_WRITTEN):
                yield number, replace(file, loc=loc)

    def last_number(self, stem: str) -> int:
        """The highest number of a file that has the name of a numbered one; 0 without any."""
        name = re.compile(rf"{re.escape(stem.rpartition('/')[2])}-([1-9][0-9]{{0,5}})\.(?:xml|txt)(?:\.gz)?")
        found = (name.fullmatch(file.path.rpartition("/")[2]) for file in self.files) if self.is_index else ()
        return max((int(match[1]) for match in found if match), default=0)


NOTHING_COMMITTED = CommittedSitemap()


def child_date(committed: CommittedFile | None, latest: str, *, unchanged: bool) -> str:
    """The <lastmod> of a file in its index (SM-51): it moves only with the bytes of the file.

    `latest`: of its entries. A date that was never set is not invented; one that was does not go back.
    """
    if committed is None:
        return latest
    if unchanged or not committed.lastmod:
        return committed.lastmod
    return later_date(latest, normal_date(committed.lastmod))
