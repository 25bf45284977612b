"""What stands between a crawler and a site: a login, a bot challenge, a firewall (ENV-05; never a sign of absence)."""

from collections.abc import Iterable
from dataclasses import dataclass

_CHALLENGES = {
    # header, the value that says so → whose
    "cf-mitigated": ("challenge", "Cloudflare"),
    "x-vercel-mitigated": ("challenge", "Vercel"),
}
_HINTS = (
    # parts of the addresses, and names of headers → what lets a run in; whoever answers before the others comes first
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
_GENERAL = "send what the site asks for with the input headers, or allow the User-Agent of this run"


@dataclass(frozen=True, slots=True)
class Wall:
    """Why a page could not be seen, and what lets a run in."""

    reason: str
    hint: str


def challenged(headers: Iterable[tuple[str, str]]) -> str:
    """Whose bot challenge an answer is, "" when it is none; an answer of any status may be one."""
    for name, value in headers:
        if name in _CHALLENGES:
            mark, whose = _CHALLENGES[name]
            if value.strip().lower() == mark:
                return whose
    return ""


def at_start(url: str, status: int, headers: Iterable[tuple[str, str]], elsewhere: str) -> Wall | None:
    """Whether the answer for the start page is a wall; `elsewhere` is where it redirects off its origin, or ""."""
    named = dict(headers)
    about = f"{url} {elsewhere} server: {named.get('server', '')} {' '.join(named)}"
    if whose := challenged(named.items()):
        return Wall(f"{url} answers with a bot challenge of {whose}", hint(about))
    if status in (401, 403, 407, 511):
        return Wall(f"{url} answers {status}", hint(about))
    if elsewhere:
        return Wall(f"{url} redirects to {elsewhere}, which is another site", hint(about))
    return None


def hint(about: str) -> str:
    """`about`: every address of the wall, and the headers of the answer."""
    about = about.lower()
    return next((text for parts, text in _HINTS if any(part in about for part in parts)), _GENERAL)


def is_login(media_type: str, body: bytes) -> bool:
    """A document that asks for a password."""
    return media_type == "text/html" and b"password" in (page := body[:200_000].lower()) and _password(page)


def _password(page: bytes) -> bool:
    return any(mark in page for mark in (b'type="password"', b"type='password'", b"type=password"))
