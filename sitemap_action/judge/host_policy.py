"""What a preview host says of every page alike: the host's doing, and nothing the site means (ENV-03)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sitemap_action.html import directives
from sitemap_action.model.page import Directive, Page, PageKind

_SHARE = 95  # percent of the pages
_READ = frozenset({PageKind.PAGE, PageKind.FILE})


@dataclass(frozen=True, slots=True)
class Blanket:
    """Directives that count as the host's; empty when there are none."""

    directives: frozenset[Directive] = frozenset()
    note: str = ""  # for the report


def blanket(pages: Iterable[Page], start: str, probed: Sequence[Directive], agents: Sequence[str]) -> Blanket:
    """Directives against indexing that an address which does not exist, the start page and 95 % of all pages share.

    `probed`: what came with the answer to a random path, whatever its status. On some pages alone such a directive is
    the site's own, and counts.
    """
    suspects = frozenset(one for one in probed if directives.decide((one,), agents).noindex)
    if not suspects:
        return Blanket()
    found: Counter[Directive] = Counter()
    count = 0
    said_at_start: frozenset[Directive] = frozenset()
    for page in pages:
        if page.kind in _READ and page.facts is not None and not page.twin:
            said = suspects.intersection(page.facts.directives)
            found.update(said)
            count += 1
            if page.url == start:
                said_at_start = said
    hosts = frozenset(one for one in said_at_start if found[one] * 100 >= count * _SHARE)
    return Blanket(hosts, _note(hosts, found, count) if hosts else "")


def _note(hosts: frozenset[Directive], found: Counter[Directive], count: int) -> str:
    named = ", ".join(sorted(map(directives.source_text, hosts)))
    least = min(found[one] for one in hosts)
    where = f"every one of {count:,} pages" if least == count else f"{least:,} of {count:,} pages"
    return f"{named} is on {where} and on an address that does not exist: taken for the preview host's doing (ENV-03)"
