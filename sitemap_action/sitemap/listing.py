"""The body of a urlset or a sitemap index: entries, children and what is wrong with them, in one pass.

Children are matched by local name in the root's own namespace (SM-05). Most entries hold <loc> and <lastmod> alone;
that path is one branch per callback.
"""

from sitemap_action.model.page import Alternate
from sitemap_action.model.sitemap import ChildSitemap, DocumentKind, Entry, Fault
from sitemap_action.sitemap.fast import entries
from sitemap_action.sitemap.faults import clip, stop
from sitemap_action.sitemap.fragment import Fragments
from sitemap_action.sitemap.names import EXTENSIONS, IMAGE, NEWS, VIDEO, XHTML, XSI, is_sitemap
from sitemap_action.sitemap.parser import Parser

_FIELDS = ("loc", "lastmod", "changefreq", "priority")
_EMPTY = ("missing-loc", "empty-lastmod", "changefreq", "priority")
_TOPS = frozenset((f"{IMAGE} image", f"{VIDEO} video", f"{NEWS} news", f"{XHTML} link"))
_NOTHING: tuple[tuple[Alternate, ...], tuple[str, ...], tuple[str, ...]] = ((), (), ())
_WHITE = " \t\r\n"


class Listing:
    """Expat's callbacks below the root; depth 1 is an entry, depth 2 its fields."""

    def __init__(self, parser: Parser, namespace: str, kind: DocumentKind, *, default: bool) -> None:
        """`default`: elements without prefix are in the root's namespace."""
        self._parser = parser
        self._expat = parser.expat
        self._skipped = parser.skipped
        self._limit = parser.limits.entries
        self._longest = parser.limits.text
        self._events = parser.events
        self._text = parser.text
        self._item_name = "sitemap" if kind is DocumentKind.INDEX else "url"
        own = f"{namespace} " if namespace else ""
        self._own = own
        self._items = {f"{own}url": Entry, f"{own}sitemap": ChildSitemap}
        self._slots = {f"{own}{field}": slot for slot, field in enumerate(_FIELDS)}
        self._runs = default and kind is DocumentKind.URLSET
        self._fragments = Fragments(parser.prefixes)
        self._depth = self._count = 0
        self._item: type[Entry | ChildSitemap] = Entry
        self._slot = self._last = -1  # the open field, the furthest one
        self._line = 0
        self._values: list[str | None] = []
        self._mark = 0  # length of `text` where the open field began
        self._below = self._kept = 0  # of the element that is skipped: depth, and length of `text` before it
        self._resume()

    def _start(self, name: str, attributes: list[str]) -> None:
        self._depth = depth = self._depth + 1
        if attributes and name.startswith(self._own):
            self._attributes(attributes)
        if depth == 2:
            self._mark = len(self._text)
            slot = self._slots.get(name, -1)
            if slot > self._last:
                self._slot = self._last = slot
            else:
                self._odd_field(name, attributes, slot)
        elif depth == 1:
            self._open(name)
        else:
            self._parser.fault("unknown-element", name.rpartition(" ")[2])
            self._skip()

    def _end(self, _: str) -> None:
        self._depth = depth = self._depth - 1
        if depth == 1:
            text = self._text
            value = text.pop() if len(text) == self._mark + 1 else self._value()
            if 0 < len(value) <= self._longest and value[0] > " " < value[-1] and not self._values[self._slot]:
                self._values[self._slot] = value
            else:
                self._odd_value(value)
        elif depth == 0:
            self._close()
        else:
            self._stray()

    def _open(self, name: str) -> None:
        item = self._items.get(name)
        if item is None:
            self._odd_item(name)
            return
        self._item = item
        self._last = -1
        self._values = [None, None, None, None]
        self._line = self._expat.CurrentLineNumber + self._skipped
        if (item is ChildSitemap) is (self._item_name == "url"):
            self._parser.fault("mixed")

    def _odd_value(self, value: str) -> None:
        slot = self._slot
        if len(value) > self._longest:
            self._parser.fault("text-too-long", _FIELDS[slot])
            value = ""
        stripped = value.strip(_WHITE)
        if len(stripped) != len(value):
            if slot == 0:
                self._parser.fault("padded-loc", stripped)
            elif slot == 2:
                self._parser.fault("changefreq", f"white space round {stripped!r}")
        if not stripped:
            self._parser.fault(_EMPTY[slot])
        if not self._values[slot]:
            self._values[slot] = stripped

    def run(self, piece: bytes) -> int:
        """Take the plain entries that a piece begins with; returns their bytes, 0 where no entry may begin."""
        if self._depth or not self._runs:
            return 0
        if "".join(self._text).strip(_WHITE):
            return 0  # stray text, which belongs to the next entry
        self._text.clear()  # the line ends of what was taken so far, which would be looked through again and again
        before = len(self._events)
        taken = entries.take(piece, self._parser.line, self._events, self._limit - self._count)
        self._count += len(self._events) - before
        return taken

    def shorten(self) -> None:
        """Between two pieces of the document."""
        self._parser.shorten(self._mark if self._depth == 2 else 0)

    def _value(self) -> str:
        """Text that came in more or fewer than one piece."""
        value = "".join(self._text[self._mark :])
        del self._text[self._mark :]
        return value

    def _close(self) -> None:
        if not "".join(self._text).isspace():
            self._stray()
        self._text.clear()
        loc, lastmod, changefreq, priority = self._values
        self._count += 1
        if self._count > self._limit:
            stop("too-much", self._line, f"more than {self._limit:,} entries")
        if not loc:
            self._fragments.clear()
            if loc is None:
                self._events.append(Fault("missing-loc", self._line))
        elif self._item is ChildSitemap:
            self._events.append(ChildSitemap(loc, lastmod or "", self._line))
        else:
            found = self._fragments.take() if self._fragments.fragments else _NOTHING
            self._events.append(Entry(loc, lastmod or "", changefreq or "", priority or "", *found, self._line))

    def _stray(self) -> None:
        """Text where only elements may stand (SM-15)."""
        if text := "".join(self._text).strip(_WHITE):
            self._parser.fault("stray-text", clip(text, 60))

    def _attributes(self, attributes: list[str]) -> None:
        for name in self._parser.pairs(attributes):
            if not name.startswith(f"{XSI} "):
                self._parser.fault("attribute", name.rpartition(" ")[2])

    def _odd_item(self, name: str) -> None:
        """A child of the root that is no item of its namespace: another spelling of it, an extension, or unknown."""
        namespace, _, local = name.rpartition(" ")
        if local in {"url", "sitemap"} and is_sitemap(namespace):
            self._parser.fault("namespace", f"<{local}> in {namespace or 'no namespace'}")
            self._items[name] = Entry if local == "url" else ChildSitemap
            self._open(name)
        elif is_sitemap(namespace):
            self._parser.fault("unknown-element", local)
            self._skip()
        else:
            self._skip()

    def _odd_field(self, name: str, attributes: list[str], slot: int) -> None:
        """Everything below an entry that is not the next known field."""
        namespace, _, local = name.rpartition(" ")
        if slot >= 0:
            self._repeated(slot)
        elif not is_sitemap(namespace):
            self._extension(name, attributes)
        elif local in _FIELDS:
            self._parser.fault("namespace", f"<{local}> in {namespace or 'no namespace'}")
            self._slot = self._slots[name] = _FIELDS.index(local)
            self._last = max(self._last, self._slot)
        else:
            self._parser.fault("unknown-element", local)
            self._skip()

    def _repeated(self, slot: int) -> None:
        """A field after one that should follow it, or for the second time (SM-14, SM-20)."""
        self._slot = slot
        if self._values[slot] is None:
            self._parser.fault("order", _FIELDS[slot])
        else:
            self._parser.fault("duplicate-loc" if slot == 0 else "duplicate-child", _FIELDS[slot])

    def _skip(self) -> None:
        """Leave out the element that just began, whatever it holds."""
        self._kept = len(self._text)
        self._below = 0
        self._expat.StartElementHandler = self._skip_start
        self._expat.EndElementHandler = self._skip_end

    def _skip_start(self, _name: str, _attributes: list[str]) -> None:
        self._below += 1
        if self._below > self._parser.limits.depth:
            stop("too-much", self._parser.line, f"elements nested more than {self._parser.limits.depth} deep")

    def _skip_end(self, _: str) -> None:
        del self._text[self._kept :]
        self._below -= 1
        if self._below < 0:
            self._depth -= 1
            self._resume()

    def _resume(self) -> None:
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end

    def _extension(self, name: str, attributes: list[str]) -> None:
        if name not in _TOPS and name.rpartition(" ")[0] in EXTENSIONS.values():
            self._parser.fault("extension-element", name.rpartition(" ")[2])
        self._depth -= 1
        self._stray()
        self._text.clear()
        self._fragments.start(name, attributes, "", self._parser.line)
        self._expat.StartElementHandler = self._extension_start
        self._expat.EndElementHandler = self._extension_end

    def _extension_start(self, name: str, attributes: list[str]) -> None:
        self._fragments.start(name, attributes, self._parser.take(), self._parser.line)

    def _extension_end(self, name: str) -> None:
        if self._fragments.end(name, self._parser.take(), self._parser.line):
            self._resume()
