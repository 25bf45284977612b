"""Whether search engines can reach the host of a deployment (ENV-08)."""

import asyncio
from urllib.parse import urlsplit

from sitemap_action.fetch.address_gate import address_kind


async def is_public(url: str) -> bool:
    """Whether every address of the URL's host is a public one; False where the name cannot be resolved."""
    host = urlsplit(url).hostname
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None)
    except (OSError, UnicodeError):  # a name that is not one
        return False
    return bool(found) and not any(address_kind(str(address)) for *_, (address, *_) in found)
