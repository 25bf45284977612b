"""Answer → page, the same for a build and a server; and what blocks a crawler: a login, a bot challenge, a firewall.

What is blocked is never a sign of absence (ENV-05).
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from sitemap_action.fetch.base import Answer, Failure, Response, Skip, describe_status
from sitemap_action.html import extract
from sitemap_action.html.document import (
    ALL_OPTIONAL,
    HtmlDocument,
    OptionalFacts,
    RawDocument,
    follow_script,
    join_documents,
    keep_served,
)
from sitemap_action.html.links import Resolver
from sitemap_action.html.tree import HtmlTree
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import DEFAULT_THRESHOLDS, Directive, Facts, Page, PageKind, ShellThresholds
from sitemap_action.model.wording import option
from sitemap_action.robots.groups import Profile, Robots, parse
from sitemap_action.web import media

_GONE = frozenset({204, 404, 410})
_TRANSIENT_FAILURES = frozenset(
    {Failure.DNS, Failure.NO_NAME, Failure.CONNECT, Failure.TIMEOUT, Failure.BROKEN, Failure.BUSY}
)
_TRANSIENT_STATUSES = frozenset({408, 425, 429})
_RENDERED_TYPE = ("content-type", "text/html; charset=utf-8")


def page_of(answer: Answer, resolver: Resolver | None = None) -> tuple[Page, HtmlDocument | None]:
    """The page, and its document when there is one to follow links from (HTML-40, HTML-41)."""
    (found,) = pages_of([(answer, answer.url, ALL_OPTIONAL)], resolver)
    return found


def pages_of(
    answers: Sequence[tuple[Answer, str, OptionalFacts]],
    resolver: Resolver | None = None,
    host_directives: frozenset[Directive] = frozenset(),
    thresholds: ShellThresholds = DEFAULT_THRESHOLDS,
) -> list[tuple[Page, HtmlDocument | None]]:
    """The pages of several answers, each with the base URL of its document and the facts to extract from it."""
    pages = [_page_without_document(answer) for answer, _, _ in answers]
    raw = [
        document
        for (answer, at, optional), page in zip(answers, pages, strict=True)
        if page is None and isinstance(answer, Response)
        for document in _raw_documents(answer, at, optional)
    ]
    documents: Iterator[HtmlDocument] = iter(())
    if raw:
        documents = extract.read_all(raw, thresholds=thresholds, resolver=resolver, host_directives=host_directives)
    return [
        (page, None) if page is not None else page_with_document(answer, _document(answer, documents))
        for (answer, _, _), page in zip(answers, pages, strict=True)
    ]


def _raw_documents(answer: Response, at: str, optional: OptionalFacts) -> Iterator[RawDocument]:
    """The served document and, where a browser was asked, the rendered one: their text is compared (HTML-46)."""
    rendered = answer.rendered
    if rendered is None:
        yield RawDocument(answer.body, answer.headers, at, optional)
        return
    optional = optional._replace(fingerprint=True)
    yield RawDocument(answer.body, answer.headers, at, optional)
    if rendered.html:
        headers = (*(header for header in answer.headers if header[0] != "content-type"), _RENDERED_TYPE)
        yield RawDocument(rendered.html, headers, at, optional, rendered=True)


def _document(answer: Answer, documents: Iterator[HtmlDocument]) -> HtmlDocument:
    served = next(documents)
    rendered = answer.rendered if isinstance(answer, Response) else None
    if rendered is None:
        return served
    if rendered.html:
        return join_documents(served, next(documents), rendered.milliseconds, rendered.refused, rendered.screenshot)
    if rendered.redirect:
        return follow_script(served, rendered.redirect, rendered.milliseconds)
    return keep_served(served, rendered.failure, rendered.milliseconds)


def _page_without_document(answer: Answer) -> Page | None:
    """The page of an answer without a document; None where there is one to parse."""
    if isinstance(answer, Skip):
        transient = answer.failure in _TRANSIENT_FAILURES
        return Page(answer.url, PageKind.UNDETERMINED, reason=answer.reason, path=answer.path, transient=transient)
    if service := bot_challenge(answer.headers):
        reason = f"answers {answer.status} with a bot challenge of {service}"
        return Page(answer.url, PageKind.UNDETERMINED, status=answer.status, reason=reason)
    if answer.status in _GONE:
        return Page(answer.url, PageKind.GONE, status=answer.status, evidence=answer.evidence)
    if answer.target:
        return Page(answer.url, PageKind.REDIRECT, status=answer.status, target=answer.target, evidence=answer.evidence)
    if answer.status != 200:
        transient = answer.status >= 500 or answer.status in _TRANSIENT_STATUSES
        reason = describe_status(answer)
        return Page(answer.url, PageKind.UNDETERMINED, status=answer.status, reason=reason, transient=transient)
    return _half_page(answer)


def _half_page(answer: Response) -> Page | None:
    """The page that a browser has not seen whole (G-01); None for any other."""
    if answer.rendered is None or not answer.rendered.unfinished:
        return None
    why = f"was not finished in the browser: {answer.rendered.unfinished}"
    return Page(answer.url, PageKind.UNDETERMINED, 200, reason=why, path=answer.path, transient=True)


def page_with_document(answer: Answer, document: HtmlDocument) -> tuple[Page, HtmlDocument]:
    kind = PageKind.PAGE if document.media_type in media.HTML_TYPES else PageKind.FILE
    page = Page(
        answer.url,
        kind,
        200,
        media_type=document.media_type,
        path=answer.path,
        facts=document.facts,
        evidence=answer.evidence if isinstance(answer, Response) else "",
    )
    return page, document


def targets(facts: Facts) -> list[str]:
    """URLs, other than links, whose answers the verdict on the page depends on: canonicals, alternates, a refresh."""
    found = [canonical.url for canonical in facts.head.canonicals if not canonical.ignored]
    found += [alternate.url for alternate in facts.head.alternates]
    return [*found, facts.refresh.url] if facts.refresh is not None else found


_MOST_BLOCKED = 20  # resources that are kept for one page: the rule is broken by the first


class BlockedResources(Struct, frozen=True):
    """Scripts and style sheets that a page needs and the robots.txt of its site disallows (RB-36)."""

    robots: bytes = b""  # none: nothing is read for this rule
    agents: tuple[str, ...] = ()
    origin: str = ""  # of the site, with a slash: the robots.txt of another host is not known

    @property
    def any(self) -> bool:
        return b"disallow" in self.robots.lower()

    def add_to_facts(self, facts: Facts, urls: Iterable[str]) -> Facts:
        """The facts of a page with those of its scripts and style sheets that one of the agents may not fetch."""
        own = (url for url in dict.fromkeys(urls) if url.startswith(self.origin))
        found = tuple(url for url in own if _is_blocked(self.robots, self.agents, url))[:_MOST_BLOCKED]
        return facts if facts.blocked_resources == found else facts._replace(blocked_resources=found)


@lru_cache(maxsize=1)
def _rules(robots: bytes) -> Robots:
    return parse(robots, Profile.GOOGLE)


@lru_cache(maxsize=10_000)
def _is_blocked(robots: bytes, agents: Sequence[str], url: str) -> bool:
    """Every page of a site needs the same few files."""
    return _rules(robots).block(agents, url) is not None


# --- what blocks a crawler ---

_CHALLENGES = {
    # header → value that marks a challenge, vendor
    "cf-mitigated": ("challenge", "Cloudflare"),
    "x-vercel-mitigated": ("challenge", "Vercel"),
}
_HINTS = (
    # parts of URLs, and names of headers → hint; a service in front of others comes first
    (("cf-mitigated",), "allow the User-Agent of this run in Cloudflare's firewall"),
    (
        (".cloudflareaccess.com/", "/cdn-cgi/access/", "cf-access-"),
        "send CF-Access-Client-Id and CF-Access-Client-Secret of a service token",
    ),
    (
        (".vercel.app/", "//vercel.com/", "server: vercel", "x-vercel-"),
        "send the header x-vercel-protection-bypass with the secret of Protection Bypass for Automation",
    ),
    (
        (".netlify.app/", "//app.netlify.com/", "server: netlify", "x-nf-"),
        "send an Authorization header, or open the deploy to this run; a site password has no header",
    ),
    (
        ("server: cloudflare", "cf-ray"),
        "allow the User-Agent of this run in the firewall, or send the headers of a service token",
    ),
)
_LOGIN = lazy_re(r"\b(?:log-?in|sign-?in|sso|sso-api|auth|authori[sz]e|oauth2?|saml|access|accounts?|idp|adfs)\b")


def bot_challenge(headers: Iterable[tuple[str, str]]) -> str:
    """The vendor of a bot challenge, "" when the response is none; any status may be one."""
    for name, value in headers:
        if name in _CHALLENGES:
            mark, vendor = _CHALLENGES[name]
            if value.strip().lower() == mark:
                return vendor
    return ""


def start_page_blocker(url: str, status: int, headers: Iterable[tuple[str, str]], elsewhere: str) -> tuple[str, str]:
    """Why the response for the start page is no page, and what gives the run access; ("", "") where nothing blocks.

    `elsewhere` is a redirect target off its origin, or "".
    """
    by_name = dict(headers)
    about = f"{url} {elsewhere} server: {by_name.get('server', '')} {' '.join(by_name)}"
    if vendor := bot_challenge(by_name.items()):
        return f"{url} answers with a bot challenge of {vendor}", access_hint(about)
    if status in (401, 403, 407, 511):
        return f"{url} answers {status}", access_hint(about)
    if elsewhere:
        return f"{url} redirects to {elsewhere}, which is another site", _redirect_hint(elsewhere, about)
    return "", ""


def _redirect_hint(target: str, about: str) -> str:
    """A redirect to a login asks for access; any other target is where the site is (U-04)."""
    if _LOGIN.search(target.lower().partition("?")[0]):
        return access_hint(about)
    return f"correct {option('url')} or {option('site-url')}: the site leads to {target}"


def access_hint(about: str) -> str:
    """What gives access; `about` holds every URL of the blocker, and the response headers."""
    about = about.lower()
    general = f"send what the site requires with {option('headers')}, or allow the User-Agent of this run"
    return next((text for parts, text in _HINTS if any(part in about for part in parts)), general)


def is_login_page(media_type: str, body: bytes) -> bool:
    """Whether a document has a password field: an element, no text of a script (G-03)."""
    if media_type != "text/html" or b"password" not in (start := body[:200_000].lower()):
        return False
    fields = HtmlTree(start.decode("latin-1")).all("input")
    return any((field.attr("type") or "").strip() == "password" for field in fields)
