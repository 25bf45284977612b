"""What one sitemap document is: format, sizes, encoding, and the first thing that is wrong with it."""

from datetime import datetime

from sitemap_action.checks.all import check_set
from sitemap_action.checks.base import FileOptions
from sitemap_action.model.finding import Finding, Severity
from sitemap_action.model.sitemap import ChildSitemap, DocumentStart, Fault, SitemapDocument
from sitemap_action.model.sitemap_answer import Naming, SitemapContent
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.sitemap.decode import inflate
from sitemap_action.sitemap.faults import FATAL, StopReading
from sitemap_action.sitemap.read import read
from sitemap_action.web.urls import BadUrl, normalize, resolve


def sitemap_content(
    name: str, content: bytes, now: datetime, *, address: str = "", named: bool = True
) -> SitemapContent:
    """`address`: its URL; `named`: the suffix of the name must fit (no Content-Encoding was decoded)."""
    start = next(read(content))
    assert isinstance(start, DocumentStart)  # noqa: S101 - the first event of every document
    result = check_set([SitemapDocument(name, content, address, named)], FileOptions(now, named=True))
    errors = [one for one in result.findings if one.severity is Severity.ERROR]
    warnings = [one for one in result.findings if one.severity is Severity.WARNING]
    (file,) = result.files
    return SitemapContent(
        kind=start.kind,
        entries=file.entries + file.children,
        encoding=start.encoding,
        compressed=start.compressed,
        bytes=len(content),
        inflated=_inflated(content),
        damage="" if file.complete else _damage(content),
        errors=len(errors),
        warnings=len(warnings),
        first=_first(errors or warnings),
    )


def _inflated(content: bytes) -> int:
    size = 0
    try:
        for chunk in inflate(content, lambda _fault: None).chunks:
            size += len(chunk)
    except StopReading:
        pass
    return size


def _damage(content: bytes) -> str:
    fault = next((one for one in read(content) if isinstance(one, Fault) and one.fatal), None)
    if fault is None:
        return "it cannot be read to its end"
    where = f"line {fault.line}: " if fault.line else ""
    return f"{where}{FATAL.get(fault.code, fault.code)}{f': {fault.detail}' if fault.detail else ''}"


def _first(findings: list[Finding]) -> str:
    if not findings:
        return ""
    one = min(findings, key=lambda finding: (finding.line or 10**9, finding.rule.id))
    return f"{one.rule.id}{f', line {one.line}' if one.line else ''}: {one.message}"


def named_by_robots(robots_url: str, body: bytes, address: str) -> tuple[Naming, ...]:
    """Lines of a robots.txt that name a sitemap."""
    lines = parse(body, Profile.GOOGLE).sitemaps
    return tuple(Naming(robots_url, line) for line, text in lines if resolve(robots_url, text) == address)


def named_by_index(name: str, content: bytes, address: str) -> tuple[Naming, ...]:
    """The first line of an index that names a sitemap."""
    children = (one for one in read(content) if isinstance(one, ChildSitemap) and _normal(one.loc) == address)
    return tuple(Naming(name, child.line) for child in [next(children, None)] if child is not None)


def _normal(url: str) -> str:
    try:
        return normalize(url)
    except BadUrl:
        return url
