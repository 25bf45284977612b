"""Which URLs may be fetched, and which receive the secret headers: a Fetcher around a Fetcher (NET-12, NET-13)."""

from urllib.parse import urlsplit

from msgspec.structs import replace

from sitemap_action.fetch.address_gate import AddressGate
from sitemap_action.fetch.base import (
    Answer,
    Failure,
    Fetcher,
    Headers,
    PendingAnswer,
    Request,
    RequestKind,
    Response,
    Skip,
)
from sitemap_action.model.mask import NO_MASK, SECRET_URL, Mask
from sitemap_action.web.urls import BadUrl, origin

_KEPT = frozenset({"content-type", "content-encoding", "content-length", "transfer-encoding"})  # of no text

# Ports of other protocols, to which a request could smuggle a command (Fetch standard, "bad port").
_BAD_PORTS = frozenset(
    """
    0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123
    135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993
    995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6379 6566 6665 6666 6667 6668 6669 6679 6697 10080
    """.split()  # noqa: SIM905 - as text it can be compared with the standard
)


class Guard:
    """Refuses URLs that are not http(s) or name a private address; adds secret headers for the seed origin alone.

    A host name is judged by the engine, on each address that it resolves to.
    """

    def __init__(  # noqa: PLR0913 - what is asked, what answers, and what is kept secret
        self,
        inner: Fetcher,
        gate: AddressGate,
        seed: str,
        secrets: Headers,
        *,
        mask: Mask = NO_MASK,
        private_seed: bool = True,
    ) -> None:
        self._inner = inner
        self._gate = gate
        self._seed_prefix = f"{seed}/" if seed else ""
        self._secrets = secrets
        self._mask = mask
        self._refusals: dict[str, str] = {}  # by origin; "" where it may be fetched
        self._seed_refusal = self._refusal(f"{seed}/") if seed and not private_seed else ""

    def fetch(self, request: Request) -> PendingAnswer:
        url = request.url
        if " " in url or not (url.isascii() and url.isprintable()):
            return _refused(url, "not fetched: the URL is not in normal form")
        if self._secrets and self._mask.hides(url):
            return _refused(self._mask(url), f"not fetched: {SECRET_URL}")
        if self._seed_prefix and url.startswith(self._seed_prefix):
            if self._seed_refusal:
                return _refused(url, self._seed_refusal)
            if self._secrets:
                request = replace(request, headers=self._secrets)
        elif refusal := self._refusal(url):
            return _refused(url, refusal)
        return self._fetch_masked(request) if self._secrets else self._inner.fetch(request)

    async def _fetch_masked(self, request: Request) -> Answer:
        """Masks secrets that a server or an engine's error message repeats: nothing that is read from it has one."""
        answer = await self._inner.fetch(request)
        if isinstance(answer, Response):
            return self._masked_response(answer, request.kind)
        return self._masked(answer)

    def _masked_response(self, answer: Response, kind: RequestKind) -> Response:
        """In a rule of robots.txt the mark would be a wildcard; the rules that a report cites are masked there."""
        headers = tuple((name, value if name in _KEPT else self._mask(value)) for name, value in answer.headers)
        return answer._replace(
            headers=headers,
            body=answer.body if kind is RequestKind.ROBOTS else self._mask.data(answer.body),
            target=self._mask(answer.target),
            hops=tuple(map(self._mask, answer.hops)),
        )

    def _refusal(self, url: str) -> str:
        """Why the URL's origin may not be fetched; "" where it may."""
        try:
            site = origin(url)
        except BadUrl as error:
            return f"not fetched: {error}"
        if site not in self._refusals:
            self._refusals[site] = self._origin_refusal(site)
        return self._refusals[site]

    def _origin_refusal(self, site: str) -> str:
        port = urlsplit(site).port
        if str(port) in _BAD_PORTS:
            return f"not fetched: port {port} is used for something other than web pages"
        return self._gate.literal_refusal(f"{site}/")

    def _masked(self, skip: Skip) -> Skip:
        return skip._replace(reason=self._mask(skip.reason))


async def _refused(url: str, reason: str) -> Answer:
    return Skip(url, reason, failure=Failure.REFUSED)
