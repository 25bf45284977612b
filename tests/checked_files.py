"""Files of a sitemap as they are served, and the findings of every rule over them."""

from collections.abc import Iterable
from datetime import UTC, datetime

from sitemap_action.checks.all import SetResult, check_set
from sitemap_action.checks.base import FileOptions
from sitemap_action.model.finding import Finding
from sitemap_action.model.sitemap import ChildSitemap, Entry, SitemapDocument

SITE = "https://www.x.com"
OPTIONS = FileOptions(datetime(2026, 10, 1, tzinfo=UTC))


def document(content: str | bytes, address: str = f"{SITE}/sitemap.xml", path: str = "sitemap.xml") -> SitemapDocument:
    return SitemapDocument(path, content if isinstance(content, bytes) else content.encode(), address)


def check_documents(*files: SitemapDocument) -> SetResult:
    return check_set(files, OPTIONS)


def pass_on(*files: SitemapDocument) -> list[tuple[str, str, int]]:
    """(path, URL, line) of every entry and child, as it is passed on."""
    received: list[tuple[str, str, int]] = []

    def sink(file: SitemapDocument, item: Entry | ChildSitemap) -> None:
        received.append((file.path, item.loc, item.line))

    check_set(files, OPTIONS, sink)
    return received


def check_content(content: str | bytes, address: str = f"{SITE}/sitemap.xml") -> list[Finding]:
    return list(check_documents(document(content, address)).findings)


def ids(findings: Iterable[Finding]) -> list[str]:
    return [finding.rule.id for finding in findings]
