"""The page that a canonical names: whether it leads back, and what is wrong with it (HTML-26)."""

from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Absent, CanonicalFault, DeindexedBy, Reason, Site
from sitemap_action.select.redirects import follow, hop

_GONE = frozenset({Reason.GONE, Reason.SOFT_404})


def leads_back(site: Site, target: Page, page: Page) -> bool:
    """Whether the redirects of a canonical's target end at the page that names it, as `/about` does at `/about/`."""
    end = follow(site, target)
    return end.page is not None and end.page.url == page.url


def canonical_fault(site: Site, target: Page, absent: Absent | None) -> CanonicalFault | None:
    """`absent`: the verdict on the target; None for a listed page."""
    if absent is None:
        return None
    if target.kind is PageKind.FOREIGN or absent.reason is Reason.UNDETERMINED:
        return None
    if hop(site, target) is not None:
        return CanonicalFault.REDIRECTS
    if absent.reason in _GONE:
        return CanonicalFault.GONE
    if absent.reason is not Reason.DEINDEXED:
        return None
    return CanonicalFault.CHAIN if absent.by is DeindexedBy.CANONICAL else CanonicalFault.NOT_INDEXABLE
