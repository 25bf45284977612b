"""What stands between a crawler and a site: a login, a bot challenge, a firewall (ENV-05; never a sign of absence)."""

from collections.abc import Iterable
from dataclasses import dataclass

_CHALLENGES = {
    # header, the value that says so → whose
    "cf-mitigated": ("challenge", "Cloudflare"),
    "x-vercel-mitigated": ("challenge", "Vercel"),
}
_HINTS = {
    # part of a host's name or of a login's → what lets a run in
    "vercel": "send the header x-vercel-protection-bypass with the secret of Protection Bypass for Automation",
    "cloudflareaccess.com": "send CF-Access-Client-Id and CF-Access-Client-Secret of a service token",
    "cloudflare": "allow the User-Agent of this run in the firewall, or send the headers of a service token",
    "netlify": "send an Authorization header, or open the deploy to this run; a site password has no header",
}
_GENERAL = "send what the site asks for with the input headers, or allow the User-Agent of this run"


@dataclass(frozen=True, slots=True)
class Wall:
    """Why a page could not be seen, and what lets a run in."""

    reason: str
    hint: str


def challenged(headers: Iterable[tuple[str, str]]) -> str:
    """Whose bot challenge an answer is, "" when it is none; an answer of any status may be one."""
    for name, value in headers:
        mark, whose = _CHALLENGES.get(name, ("", ""))
        if mark and value.strip().lower() == mark:
            return whose
    return ""


def at_start(url: str, status: int, headers: Iterable[tuple[str, str]], elsewhere: str) -> Wall | None:
    """Whether the answer for the start page is a wall; `elsewhere` is where it redirects off its origin, or ""."""
    named = dict(headers)
    if whose := challenged(named.items()):
        return Wall(f"{url} answers with a bot challenge of {whose}", hint(whose.lower()))
    if status in (401, 403, 407, 511):
        return Wall(f"{url} answers {status}", hint(f"{url} {named.get('server', '')} {' '.join(named)}"))
    if elsewhere:
        return Wall(f"{url} redirects to {elsewhere}, which is another site", hint(f"{url} {elsewhere}"))
    return None


def hint(about: str) -> str:
    about = about.lower()
    return next((text for part, text in _HINTS.items() if part in about), _GENERAL)


def is_login(media_type: str, body: bytes) -> bool:
    """A document that asks for a password."""
    return media_type == "text/html" and b"password" in (page := body[:200_000].lower()) and _password(page)


def _password(page: bytes) -> bool:
    return any(mark in page for mark in (b'type="password"', b"type='password'", b"type=password"))
