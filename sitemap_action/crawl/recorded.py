"""Answers to the first requests of a crawl, stored by its first shard and read by the merge; as hostile as a site's."""

import zlib
from collections.abc import Callable
from typing import TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.fetch.base import Answer, Fetcher, Request, RequestKind, Response, Skip
from sitemap_action.model.mask import Mask
from sitemap_action.store.shards import Shards, damaged

Store: TypeAlias = Callable[[str, bytes], None]  # request, what was answered

_LARGEST = 256 * 2**20  # bytes of an answer, unpacked: a sitemap may have 200 MiB


class _Recorded(Struct, frozen=True, array_like=True):
    """One of both."""

    response: Response | None = None
    skip: Skip | None = None


_decoder = msgspec.msgpack.Decoder(_Recorded)
_encoder = msgspec.msgpack.Encoder()


class RecordingFetcher:
    """Stores every answer, with `***` in the place of secrets."""

    def __init__(self, fetcher: Fetcher, store: Store, mask: Mask) -> None:
        self._fetcher = fetcher
        self._store = store
        self._mask = mask

    async def fetch(self, request: Request) -> Answer:
        """Without validators: a merge has no earlier answer that could have stayed the same."""
        answer = await self._fetcher.fetch(replace(request, etag="", modified=""))
        if request.kind is not RequestKind.WAIT:
            self._store(_name(request), _packed(self._mask.value(answer), self._mask))
        return answer


class ReplayingFetcher:
    """Answers what the first shard has asked, and requests everything else."""

    def __init__(self, fetcher: Fetcher, shards: Shards) -> None:
        self._fetcher = fetcher
        self._shards = shards

    async def fetch(self, request: Request) -> Answer:
        packed = self._shards.answer(_name(request)) if request.kind is not RequestKind.WAIT else None
        if packed is None:
            return await self._fetcher.fetch(request)
        if (answer := _unpacked(packed)) is None or answer.url[:4] != "http":
            raise damaged(self._shards.paths[0], f"its answer of {request.url} is not one that this program writes")
        return answer


def _name(request: Request) -> str:
    return f"{request.kind} {request.url}"


def _packed(answer: Answer, mask: Mask) -> bytes:
    if isinstance(answer, Skip):
        return zlib.compress(_encoder.encode(_Recorded(skip=answer)))
    return zlib.compress(_encoder.encode(_Recorded(response=answer._replace(body=mask.data(answer.body)))), 1)


def _unpacked(packed: bytes) -> Answer | None:
    inflater = zlib.decompressobj()
    try:
        found = inflater.decompress(packed, _LARGEST)
        recorded = _decoder.decode(found) if inflater.eof else _Recorded()
    except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return recorded.response or recorded.skip
