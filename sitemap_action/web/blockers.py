"""Recognises what blocks a crawler: a login, a bot challenge, a firewall (ENV-05; never a sign of absence)."""

import re
from collections.abc import Iterable

from sitemap_action.model.wording import option

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
_LOGIN = re.compile(r"\b(?:log-?in|sign-?in|sso|sso-api|auth|authori[sz]e|oauth2?|saml|access|accounts?|idp|adfs)\b")


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
    return next((text for parts, text in _HINTS if any(part in about for part in parts)), _general_hint())


def _general_hint() -> str:
    return f"send what the site requires with {option('headers')}, or allow the User-Agent of this run"


def is_login_page(media_type: str, body: bytes) -> bool:
    """Whether a document has a password field."""
    return media_type == "text/html" and b"password" in (page := body[:200_000].lower()) and _has_password_field(page)


def _has_password_field(page: bytes) -> bool:
    return any(mark in page for mark in (b'type="password"', b"type='password'", b"type=password"))
