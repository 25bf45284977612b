"""What may be asked at all, and who hears the secrets: a Fetcher round a Fetcher (NET-12, NET-13)."""

from dataclasses import replace
from urllib.parse import urlsplit

from sitemap_action.fetch.address_gate import AddressGate
from sitemap_action.fetch.base import Answer, Asking, Failure, Fetcher, Headers, Request, Response, Skip
from sitemap_action.web.urls import BadUrl, origin

MASK = "***"

# Ports that speak something else, where a request could say a word in that language (Fetch standard, "bad port").
_BAD_PORTS = frozenset(
    """
    0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123
    135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993
    995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6379 6566 6665 6666 6667 6668 6669 6679 6697 10080
    """.split()  # noqa: SIM905 - as text it can be compared with the standard
)


class Guard:
    """Refuses what is no web address or leads to a private one; adds the secret headers for the seed origin alone.

    A name is judged once more by the engine, on each address that it resolves to.
    """

    def __init__(self, inner: Fetcher, gate: AddressGate, seed: str, secrets: Headers) -> None:
        self._inner = inner
        self._gate = gate
        self._home = f"{seed}/" if seed else ""
        self._secrets = secrets
        self._judged: dict[str, str] = {}

    def fetch(self, request: Request) -> Asking:
        url = request.url
        if " " in url or not (url.isascii() and url.isprintable()):
            return _refused(url, "not asked: the URL is in no normal form")
        if self._home and url.startswith(self._home):
            if self._secrets:
                request = replace(request, headers=self._secrets)
        elif refusal := self._refusal(url):
            return _refused(url, refusal)
        return self._kept(request) if self._secrets else self._inner.fetch(request)

    async def _kept(self, request: Request) -> Answer:
        """The answer, without a secret that an engine's own words may repeat."""
        answer = await self._inner.fetch(request)
        return answer if isinstance(answer, Response) else self._masked(answer)

    def _refusal(self, url: str) -> str:
        """What is wrong with the URL's origin, looked at once for each."""
        try:
            start = origin(url)
        except BadUrl as error:
            return f"not asked: {error}"
        if start not in self._judged:
            self._judged[start] = self._judge(start)
        return self._judged[start]

    def _judge(self, start: str) -> str:
        port = urlsplit(start).port
        if str(port) in _BAD_PORTS:
            return f"not asked: port {port} is used for something other than web pages"
        return self._gate.literal(f"{start}/")

    def _masked(self, skip: Skip) -> Skip:
        reason = skip.reason
        for _, value in self._secrets:
            reason = reason.replace(value, MASK) if value else reason
        return skip._replace(reason=reason)


async def _refused(url: str, reason: str) -> Answer:
    return Skip(url, reason, failure=Failure.REFUSED)
