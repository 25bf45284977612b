"""The one walk of a redirect chain: over pages that were stored, and over answers that are still to be fetched."""

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Generic, Protocol, TypeVar


class ChainEnd(StrEnum):
    """How a chain of redirects ends."""

    ARRIVED = "arrived"  # at an answer that is no redirect
    UNKNOWN = "unknown"  # at a URL without an answer: of another site, or not fetched
    REFUSED = "refused"  # at a redirect that may not be fetched, or is left out by choice
    LOOP = "loop"
    TOO_LONG = "too-long"


class _HasUrl(Protocol):
    @property
    def url(self) -> str: ...


class _HasTarget(Protocol):
    @property
    def target(self) -> str: ...


_Found = TypeVar("_Found", bound=_HasUrl)
_Hop = TypeVar("_Hop", bound=_HasTarget)


class RedirectWalk(Generic[_Found, _Hop]):
    """Yields each redirect that may be followed; its caller sets `found` to what is at the target, waiting or not.

    Afterwards `hops` are the redirects, `end` is how they end, and `found` what is there, None where it was not
    looked up.
    """

    def __init__(
        self,
        first: _Found,
        find_hop: Callable[[_Found], _Hop | None],
        limit: int,
        refuse: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """`find_hop`: the redirect of what was found, None for none; `refuse`: whether a URL may not be on the way."""
        self.found: _Found | None = first
        self.hops: list[_Hop] = []
        self.end = ChainEnd.ARRIVED
        self._find_hop, self._limit, self._refuse = find_hop, limit, refuse

    def __iter__(self) -> Iterator[_Hop]:
        seen: set[str] = set()
        while self.found is not None and (hop := self._find_hop(self.found)) is not None:
            url = self.found.url
            if self.hops and self._refuse(url):
                self.end = ChainEnd.REFUSED
                return
            if url in seen:  # under another spelling
                self.end = ChainEnd.LOOP
                return
            seen.add(url)
            self.hops.append(hop)
            self.found = None
            if hop.target in seen:
                self.end = ChainEnd.LOOP
                return
            if len(self.hops) > self._limit:
                self.end = ChainEnd.TOO_LONG
                return
            yield hop
        if self.found is None:
            self.end = ChainEnd.UNKNOWN
