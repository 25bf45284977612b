"""What to do where a host gives no answer at all, by the kind of failure (U-03)."""

from sitemap_action.fetch.base import Failure
from sitemap_action.model.page import Page
from sitemap_action.model.source import RenderUse
from sitemap_action.model.wording import option

_REACHED = "check that the server is up, and that the address is correct"
_REMEDIES = {
    Failure.REFUSED: "",  # its reason says what to do
    Failure.DNS: "correct the address, or wait until its name is known",
    Failure.CONNECT: _REACHED,
    Failure.TIMEOUT: "try again, or raise crawl.timeout",
    Failure.BROKEN: "try again; if it stays so, see the log of the server",
    Failure.TOO_LARGE: "raise crawl.max-body",
    Failure.BUSY: "wait as long as the server says, or lower crawl.requests-per-second",
}
OF_HOST = frozenset({Failure.DNS, Failure.CONNECT, Failure.TLS, Failure.REFUSED})
"""Failures of every request to a host: no file of it is to blame."""

BROWSER = (
    "install Chromium (Debian: chromium-headless-shell), use the variant browser/ of the action, "
    "or name the program in SITEMAP_ACTION_BROWSER"
)


def remedy(failure: Failure) -> str:
    """One sentence for a failed request, "" where its reason is enough."""
    if failure is Failure.TLS:
        return f"correct the certificate; for a server of your own, {option('tls-verify', 'false')} accepts any"
    return _REMEDIES.get(failure, _REACHED)


def not_run(page: Page | None, use: RenderUse | None) -> str:
    """Why the scripts of a page were not run, as text."""
    if use is None or use.failure:
        why = f" ({use.failure})" if use is not None else ""
        return f"which are not run here{why}: {BROWSER}"
    rendering = page.facts.rendering if page is not None and page.facts is not None else None
    return f"which could not be run ({rendering.failure})" if rendering is not None else "which were not run"
