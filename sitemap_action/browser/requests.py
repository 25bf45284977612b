"""What a page may load while it is rendered: every request of the browser is answered here, or refused.

The browser itself has no network. Scripts and data come from `fetcher`, with its guard, throttle and address gate, or
from a build; only GET, a bounded number of requests for a page and of bytes. Style sheets are empty, for a page may
wait for them, and nothing that is only looked at is loaded: images, fonts, media, frames.
"""

from collections.abc import Callable
from enum import Enum, auto
from typing import Any, NamedTuple

from msgspec import Struct, field

from sitemap_action.fetch.base import Answer, Fetcher, Headers, Request, RequestKind, Response, Skip
from sitemap_action.web import urls
from sitemap_action.web.headers import content_type
from sitemap_action.web.media import HTML_TYPES

MAX_REQUESTS = 300  # of one page
MAX_BYTES = 64 << 20  # of one page
_KEPT = 64 << 20  # bytes of answers that pages share
_LOADED = frozenset({"Script", "XHR", "Fetch", "Preflight", "Manifest", "Other"})
_USED = frozenset({"Script", "XHR", "Fetch"})
_PASSED = ("content-type", "location", "content-security-policy")


class Verdict(Enum):
    """What becomes of a request."""

    DOCUMENT = auto()  # the page itself
    LEAVES = auto()  # a script goes to another page
    EMPTY = auto()  # an empty style sheet
    LOAD = auto()
    REFUSE = auto()


class BrowserRequest(NamedTuple):
    """A request that the browser waits with."""

    id: str
    url: str
    method: str
    type: str
    frame: str
    headers: dict[str, str]
    redirected: bool

    @classmethod
    def from_event(cls, params: dict[str, Any]) -> "BrowserRequest":
        asked = params["request"]
        return cls(
            id=params["requestId"],
            url=asked["url"],
            method=asked["method"],
            type=params["resourceType"],
            frame=params["frameId"],
            headers=asked["headers"],
            redirected="redirectedRequestId" in params,
        )

    def verdict(self, main_frame: str, *, document_sent: bool) -> Verdict:
        if self.method != "GET":
            return Verdict.REFUSE
        if self.type == "Document":
            if self.frame != main_frame:
                return Verdict.REFUSE
            return Verdict.LEAVES if document_sent else Verdict.DOCUMENT
        if self.type == "Stylesheet":
            return Verdict.EMPTY
        return Verdict.LOAD if self.type in _LOADED else Verdict.REFUSE


class Resources(Struct):
    """Scripts and data of all pages of a run; one that several pages load is requested once."""

    fetcher: Fetcher
    allowed: Callable[[str], bool] = lambda _url: True  # by robots.txt, which a search engine obeys here too (RB-36)
    _answers: dict[tuple[str, Headers], Answer] = field(default_factory=dict)
    _bytes: int = 0

    async def load(self, url: str, origin: str = "") -> Answer:
        """`origin`: of the page, where its script asks another site, which may answer only those that it knows."""
        try:
            url = urls.normalize(url)
        except urls.BadUrl as error:
            return Skip(url, f"not loaded: {error}")
        if not self.allowed(url):
            return Skip(url, "not loaded: robots.txt disallows it")
        headers: Headers = (("Origin", origin),) if origin and not url.startswith(f"{origin}/") else ()
        if (url, headers) in self._answers:
            return self._answers[url, headers]
        answer = await self.fetcher.fetch(Request(url, RequestKind.RESOURCE, headers=headers))
        size = len(answer.body) if isinstance(answer, Response) else 0
        if self._bytes + size <= _KEPT:
            self._bytes += size
            self._answers[url, headers] = answer
        return answer


def unusable(kind: str, answer: Response) -> str:
    """Why scripts can not use an answer that they get, as text; "" where they can. `kind`: `BrowserRequest.type`."""
    if kind not in _USED or answer.target:
        return ""
    if answer.status >= 400:
        return f"answers {answer.status}"
    media_type, _ = content_type(answer.headers)
    return f"answers with {media_type}, which is no script" if kind == "Script" and media_type in HTML_TYPES else ""


def response_headers(answer: Response) -> list[dict[str, str]]:
    """The headers that decide how the browser reads the body; no cookie, and nothing that makes it ask for more."""
    found = [
        {"name": name, "value": value}
        for name, value in answer.headers
        if name in _PASSED or name.startswith("access-control-")
    ]
    if answer.target and not any(row["name"] == "location" for row in found):
        found.append({"name": "location", "value": answer.target})
    return found
