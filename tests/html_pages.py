"""What one document says, read as a response of a site, and what follows from it."""

from datetime import UTC, datetime

from sitemap_action.html import directives, extract
from sitemap_action.html.directives import canonical_targets
from sitemap_action.html.document import NO_OPTIONAL, HtmlDocument, RawDocument
from sitemap_action.model.page import Facts

NOW = datetime(2026, 11, 21, tzinfo=UTC)
AGENTS = ("Googlebot", "Bingbot")


def read(text: str | bytes, *headers: tuple[str, str], url: str = "https://x.com/dir/page") -> HtmlDocument:
    """A document with all facts; a text is sent as UTF-8."""
    return extract.read(text if isinstance(text, bytes) else text.encode(errors="surrogatepass"), headers, url)


def read_with(body: bytes, *requested: str, url: str = "https://x.com/dir/page") -> HtmlDocument:
    """A document with those of the optional facts that are requested."""
    optional = NO_OPTIONAL._replace(**dict.fromkeys(requested, True))
    (found,) = extract.read_all([RawDocument(body, (("content-type", "text/html"),), url, optional)])
    return found


def is_noindex(facts: Facts) -> bool:
    return directives.find_noindex(facts.head.directives, AGENTS, NOW) is not None


def canonical_urls(facts: Facts) -> tuple[str, ...]:
    return canonical_targets(facts.head.canonicals)
