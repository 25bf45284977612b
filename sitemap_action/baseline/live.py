"""The documents of a live site, for whoever compares with them: one request at a time, with the address gate shut."""

from dataclasses import replace

from sitemap_action.baseline.served import Web
from sitemap_action.config.schema import Config
from sitemap_action.config.values import AUTO
from sitemap_action.errors import UnreachableError
from sitemap_action.fetch.base import Answer, Request, Skip, Want
from sitemap_action.model.access import Access

_GONE = frozenset({404, 410})
_TIMEOUT = 10.0  # seconds: a baseline that nobody asked for by name must not hold a run up


def web(config: Config, access: Access) -> Web:
    """Only the origin of source.url may be a private address, and it alone gets secrets."""

    def content(url: str) -> bytes | None:
        answer = _asked(url, config, access)
        if isinstance(answer, Skip):
            raise UnreachableError(f"{url}: {answer.reason}", hint="try again, or compare with a file (baseline)")
        if answer.status in _GONE:
            return None
        if answer.status != 200:
            raise UnreachableError(f"{url} answers {answer.status}", hint="compare with a file (baseline)")
        return answer.body

    return content


def _asked(url: str, config: Config, access: Access) -> Answer:
    import asyncio  # noqa: PLC0415 - few runs ask a live site, and the others start sooner

    from sitemap_action.fetch.build import open_web  # noqa: PLC0415
    from sitemap_action.fetch.http_options import http_options  # noqa: PLC0415

    given = "" if config.source.url == AUTO else config.source.url
    options = replace(http_options(config, access, given, preview=False), timeout=_TIMEOUT, retries=1)

    async def asked() -> Answer:
        async with open_web(options) as opened:
            return await opened.fetcher.fetch(Request(url, Want.SITEMAP))

    return asyncio.run(asked())
