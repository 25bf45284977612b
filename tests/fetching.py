"""Requests of ours to a server on loopback, by the engine and the policies that a run has."""

import asyncio
from contextlib import AbstractAsyncContextManager

from msgspec.structs import replace

from sitemap_action.fetch.base import Answer, HttpOptions, Request
from sitemap_action.fetch.policies import Web, open_web
from sitemap_action.model.mask import Access

NO_RETRY = HttpOptions("", retries=0, timeout=20)


def web_of(options: HttpOptions, environment: dict[str, str] | None = None) -> AbstractAsyncContextManager[Web]:
    """With no variable of this machine."""
    return open_web(options, environment or {})


def ask(options: HttpOptions, *requests: Request, environment: dict[str, str] | None = None) -> list[Answer]:
    """The answers, one after the other."""

    async def one_after_another() -> list[Answer]:
        async with web_of(options, environment) as web:
            return [await web.fetcher.fetch(request) for request in requests]

    return asyncio.run(one_after_another())


def with_access(options: HttpOptions, **access: object) -> HttpOptions:
    return replace(options, access=Access(**access))  # type: ignore[arg-type]
