"""Language versions of entries as the pages name them (`output.extensions`): sets that are valid, and no other.

A link counts when its target is listed and links back (HL-03), and a set when every version of it has the same one
(HL-04), so all pages are read before the first set is known.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from sitemap_action.model.page import Alternate
from sitemap_action.sitemap.extension_faults import normal_hreflang
from sitemap_action.web.urls import normal_form

_NAMED = 3  # faults of one page that its row names


class _Statement(Struct, frozen=True):
    """What one or more pages name; pages of a cluster share it in memory."""

    versions: Mapping[str, str]  # code → URL
    urls: frozenset[str]
    faults: tuple[str, ...] = ()


_NOTHING = _Statement({}, frozenset())


class PageVersions:
    """Statements are added, then completed, then asked for."""

    def __init__(self) -> None:
        self._stated: dict[str, _Statement] = {}
        self._fixed: set[str] = set()  # pages whose entry is not rewritten
        self._shared: dict[tuple[Alternate, ...], _Statement] = {}
        self._named_by: dict[str, set[str]] = {}  # URL that does not name itself → codes by which others name it
        self._sets: dict[str, Mapping[str, str]] = {}

    def add(self, url: str, alternates: tuple[Alternate, ...], *, fixed: bool = False) -> None:
        """What a listed page names; `fixed`: in an entry that is not rewritten."""
        if not alternates:
            return
        statement = self._shared.get(alternates)
        if statement is None:
            statement = self._shared[alternates] = _statement(alternates)
        self._stated[url] = statement
        if fixed:
            self._fixed.add(url)

    def complete(self) -> None:
        """After the last page."""
        for url, statement in self._stated.items():
            for code, other in statement.versions.items():
                if other != url and self._lacks_itself(other):
                    self._named_by.setdefault(other, set()).add(code)
        equal: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}
        for url in self._stated:
            versions = self._mutual(url)
            self._sets[url] = equal.setdefault(tuple(sorted(versions.items())), versions)

    def find_versions(self, url: str) -> tuple[Mapping[str, str], str]:
        """(code → URL of the set of a page, why that is not all it names)."""
        statement = self._stated.get(url)
        if statement is None:
            return {}, ""
        found = self._sets[url]
        faults = [*statement.faults, *self._one_way(url, statement)]
        others = sorted({other for other in found.values() if other != url})
        if not found or url not in found.values():
            faults += ["the page does not name itself"] if found else []
            return {}, _text(faults)
        if different := next((other for other in others if self._sets[other] is not found), None):
            return {}, _text([*faults, f"{different} does not name the same versions"])
        return (found if others else {}), _text(faults)

    def _lacks_itself(self, url: str) -> bool:
        return url in self._stated and url not in self._fixed and url not in self._stated[url].urls

    def _mutual(self, url: str) -> Mapping[str, str]:
        """The versions of a page that link back, and the page itself."""
        statement = self._stated[url]
        if url in self._fixed:
            return statement.versions
        found = {code: other for code, other in statement.versions.items() if self._links_back(url, other)}
        if url not in statement.urls:
            codes = self._named_by.get(url, set()) - statement.versions.keys()
            found |= dict.fromkeys(sorted(codes), url)
        return found

    def _links_back(self, url: str, other: str) -> bool:
        return other == url or url in self._stated.get(other, _NOTHING).urls

    def _one_way(self, url: str, statement: _Statement) -> Iterable[str]:
        for code, other in statement.versions.items():
            if not self._links_back(url, other):
                what = "does not link back" if other in self._stated else "is not listed, or names no version"
                yield f"{code}: {other} {what}"


def _statement(alternates: Iterable[Alternate]) -> _Statement:
    """A code that two URLs have is in no set (HL-06), nor is one that search engines do not know (HL-05)."""
    versions: dict[str, str] = {}
    spelled: dict[str, str] = {}  # code in lower case → as it is written
    faults: dict[str, None] = {}
    twice: set[str] = set()
    for one in alternates:
        code, url = normal_hreflang(one.hreflang), normal_form(one.url)
        if not code or not url:
            faults[f"{one.hreflang.strip()} is no code of a language" if not code else f"{code}: no URL"] = None
            continue
        code = spelled.setdefault(code.lower(), code)
        if versions.setdefault(code, url) != url:
            faults[f"{code} is {versions[code]} and {url}"] = None
            twice.add(code)
    for code in twice:
        del versions[code]
    return _Statement(versions, frozenset(versions.values()), tuple(faults))


def _text(faults: list[str]) -> str:
    more = len(faults) - _NAMED
    return "; ".join([*faults[:_NAMED], f"and {more} more"] if more > 0 else faults)
