"""What a built sitemap is compared with: it is no baseline for itself, so it is the one that the site serves (B-01)."""

from collections.abc import Sequence

from msgspec import Struct

from sitemap_action.baseline.committed import read_entries
from sitemap_action.baseline.production import ServedSitemap
from sitemap_action.baseline.resolve import Baseline, Choice
from sitemap_action.errors import BaselineError, UnreachableError
from sitemap_action.loader.documents import Documents, is_sitemap

_NOT_JUDGED = "a built sitemap is no baseline for itself: whether this change removes pages was not judged"


class BuiltBaseline(Struct, frozen=True):
    """The answer to what is compared, and what to say of it."""

    baseline: Baseline
    notes: tuple[str, ...] = ()
    unread: str = ""  # why there is no answer to what is removed; "" when there is
    alone: bool = False  # only the question whether the sitemap is true is asked


def only_itself(choice: Choice) -> BuiltBaseline:
    """Nobody wants to know what is removed, or nothing can be requested."""
    return BuiltBaseline(_itself(choice), (_NOT_JUDGED,), alone=True)


def built_baseline(addresses: Sequence[str], choice: Choice) -> BuiltBaseline:
    """`addresses`: of the sitemap on the site, then others that it may have had before."""
    if choice.production is None:
        return only_itself(choice)
    address = addresses[0]
    try:
        found, served = _first_served(addresses, choice)
    except (UnreachableError, BaselineError) as error:
        why = f"what this change removes is not known: the sitemap that {address} serves cannot be read: {error}"
        return BuiltBaseline(_itself(choice), unread=why, alone=True)
    if not served.documents:
        note = f"first deployment: {address} does not exist yet, so there is nothing that this change could remove"
        nothing = Baseline(f"none: {address} does not exist yet", address, Documents(), same=False)
        return BuiltBaseline(nothing, (note,))
    description = f"the sitemap that {found} serves"
    baseline = Baseline(description, found, served.documents, same=False, robots=served.robots)
    return BuiltBaseline(baseline, (f"the sitemap is built, and compared with the one that {found} serves",))


def _first_served(addresses: Sequence[str], choice: Choice) -> tuple[str, ServedSitemap]:
    """Raises UnreachableError, and BaselineError for what is no sitemap, or only a part of one."""
    assert choice.production is not None  # noqa: S101 - as the caller has seen
    served = ServedSitemap(Documents())
    for address in addresses:
        served = choice.production(address, choice.folder)
        if served.documents:
            _require_whole(address, served.documents, first=address == addresses[0])
            if is_sitemap(next(iter(served.documents)).content):
                return address, served
            served = ServedSitemap(Documents())
    return addresses[0], served


def _require_whole(address: str, documents: Documents, *, first: bool) -> None:
    if not is_sitemap(next(iter(documents)).content):
        if first:  # a host that answers every path with a page
            raise BaselineError(f"{address} is no sitemap", hint="name another baseline")
        return
    for document in documents:
        for _ in read_entries(document):
            pass


def _itself(choice: Choice) -> Baseline:
    return Baseline("none: removals were not judged", choice.sitemap, choice.committed, same=True)
