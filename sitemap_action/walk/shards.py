"""What is different in the crawl of one shard, and in the merge of all of them.

A shard asks for the URLs that it owns: those that sitemaps list, and those of its own pages' links. The first one also
asks for the start page and for random paths, and stores these answers, robots.txt and the site's sitemaps as they came.
A merge is the whole crawl, with what the shards have seen in the place of requests.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil
from typing import TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sitemap_action import __version__
from sitemap_action.config.schema import Config, RatePer
from sitemap_action.fetch.base import Answer, Fetcher, HttpOptions, Request, RequestKind, Response, Skip
from sitemap_action.fetch.page_from_answer import page_with_document, pages_of
from sitemap_action.html.document import HtmlDocument, OptionalFacts
from sitemap_action.html.links import Resolver
from sitemap_action.model.mask import Mask
from sitemap_action.model.page import DEFAULT_THRESHOLDS, Directive, Facts, Page, ShellThresholds
from sitemap_action.model.site import SiteShard
from sitemap_action.store.codec import Packed, PackedDocument, pack, unpack
from sitemap_action.store.frontier import Frontier
from sitemap_action.store.inventory import Inventory
from sitemap_action.store.shards import Shards, damage_error

Store: TypeAlias = Callable[[str, bytes], None]  # request, what was answered

_LARGEST = 256 * 2**20  # bytes of an answer, unpacked: a sitemap may have 200 MiB


_decoder = msgspec.msgpack.Decoder(tuple[Response | None, Skip | None])  # one of both


class RecordingFetcher:
    """Stores every answer, with `***` in the place of secrets."""

    def __init__(self, fetcher: Fetcher, store: Store, mask: Mask) -> None:
        self._fetcher = fetcher
        self._store = store
        self._mask = mask

    async def fetch(self, request: Request) -> Answer:
        """Drops validators: a merge has no earlier answer that could have stayed the same."""
        answer = await self._fetcher.fetch(replace(request, etag="", modified=""))
        if request.kind is not RequestKind.WAIT:
            self._store(stored_name(request), _pack_answer(self._mask.value(answer), self._mask))
        return answer


class ReplayingFetcher:
    """Answers what the first shard has asked, and requests everything else."""

    def __init__(self, fetcher: Fetcher, shards: Shards) -> None:
        self._fetcher = fetcher
        self._shards = shards

    async def fetch(self, request: Request) -> Answer:
        packed = self._shards.answer(stored_name(request)) if request.kind is not RequestKind.WAIT else None
        if packed is None:
            return await self._fetcher.fetch(request)
        if (answer := _unpack_answer(packed)) is None or answer.url[:4] != "http":
            why = f"its answer of {request.url} is not one that this program writes"
            raise damage_error(self._shards.paths[0], why)
        return answer


def shared_fetcher(fetcher: Fetcher, inventory: Inventory, mask: Mask) -> Fetcher:
    """The fetcher of what is requested before a crawl: the first shard stores the answers, and a merge has them."""
    state, shards = inventory.shard, inventory.shards
    if shards is not None:
        return ReplayingFetcher(fetcher, shards)
    return RecordingFetcher(fetcher, state.add_answer, mask) if state and state.shard.number == 1 else fetcher


def stored_name(request: Request) -> str:
    """Unlike the name of a page of a build."""
    return f"{request.kind} {request.url}"


def _pack_answer(answer: Answer, mask: Mask) -> bytes:
    if isinstance(answer, Skip):
        return pack((None, answer))
    return pack((answer._replace(body=mask.data(answer.body)), None))


def _unpack_answer(packed: bytes) -> Answer | None:
    response, skip = unpack(packed, _decoder, _LARGEST) or (None, None)
    return response or skip


_READER = repr((__version__, HtmlDocument.__struct_fields__, Facts._fields))
_documents = msgspec.msgpack.Decoder(HtmlDocument)


class ShardDocuments:
    """Documents that a shard has read: a file with the same bytes at the same URL is not parsed again by the merge.

    The digest is of the bytes, the URL, the headers, the facts that are asked for, and the version of the reader. What
    is packed is read as hostile: whatever does not decode to a document is read anew. `new` is what this run adds.
    """

    def __init__(self, known: Mapping[str, Packed]) -> None:
        self._known = known
        self.new: list[PackedDocument] = []

    def pages_of(
        self,
        answers: Sequence[tuple[Answer, str, OptionalFacts]],
        resolver: Resolver | None,
        *,
        host_directives: frozenset[Directive] = frozenset(),
        thresholds: ShellThresholds = DEFAULT_THRESHOLDS,
    ) -> list[tuple[Page, HtmlDocument | None]]:
        """Pages with their documents, as `fetch.page_from_answer.pages_of` reads them."""
        digests = [_digest(*one, thresholds) for one in answers]
        known = [self._document(answer, digest) for (answer, _, _), digest in zip(answers, digests, strict=True)]
        unread = [one for one, document in zip(answers, known, strict=True) if document is None]
        read = iter(pages_of(unread, resolver, host_directives, thresholds))
        found: list[tuple[Page, HtmlDocument | None]] = []
        for (answer, _, _), digest, document in zip(answers, digests, known, strict=True):
            if document is not None:
                found.append(page_with_document(answer, document))
                continue
            page, new = next(read)
            found.append((page, new))
            if new is not None and (packed := pack(new)):
                self.new.append((answer.url, digest, packed))
        return found

    def _document(self, answer: Answer, digest: bytes) -> HtmlDocument | None:
        before, packed = self._known.get(answer.url, (b"", b""))
        return unpack(packed, _documents) if digest and digest == before else None


def _digest(answer: Answer, base: str, optional: OptionalFacts, thresholds: ShellThresholds) -> bytes:
    """b"" for an answer that has no document."""
    if not isinstance(answer, Response) or answer.status != 200 or answer.target:
        return b""
    about = repr((_READER, answer.url, base, answer.headers, answer.path, optional, thresholds)).encode(
        errors="backslashreplace"
    )
    found = hashlib.sha256(about, usedforsecurity=False)
    found.update(len(about).to_bytes(8, "big"))
    found.update(answer.body)
    return found.digest()


_MOST_DIRECTORIES = 1_000
_SECONDS_EACH = (
    0.01  # more until the deadline of a merge, for each URL that it is given; a busy machine needs some 2 ms
)


class OwnedUrls:
    """Callable: whether the shard asks for a URL. Remembers a URL of each directory, also of those of others."""

    def __init__(self, shard: SiteShard, start: str, site: str) -> None:
        self._shard = shard
        self._start = start
        self._site = site
        self._directories: dict[str, str] = {}

    def __call__(self, url: str) -> bool:
        directory = url[: url.find("/", len(self._site)) + 1]
        if directory not in self._directories and len(self._directories) < _MOST_DIRECTORIES:
            self._directories[directory] = url
        return self._shard.number == 1 if url == self._start else self._shard.owns(url)

    def one_of_each_directory(self) -> Iterator[str]:
        return iter(self._directories.values())


class CrawlPart(Struct, frozen=True):
    """What one run crawls. Of a run that looks at everything itself, nothing is different."""

    inventory: Inventory
    config: Config
    frontier: Frontier
    owned: OwnedUrls | None  # None where that is everything

    @property
    def shard(self) -> SiteShard | None:
        state = self.inventory.shard
        return None if state is None else state.shard

    @property
    def is_first(self) -> bool:
        """Whether this run asks for what belongs to no page."""
        return self.shard is None or self.shard.number == 1

    def http_options(self, options: HttpOptions) -> HttpOptions:
        """The rate of the site, or the part of it that this runner may use."""
        if options.rate is None or self._runners == 1:
            return options
        return replace(options, rate=options.rate / self._runners)

    def delay(self, seconds: float) -> float:
        """Between two requests of this runner, where the site asks for a delay between any two."""
        return seconds * self._runners

    @property
    def _runners(self) -> int:
        """That share the rate."""
        return 1 if self.shard is None or self.config.http.rate_per is RatePer.RUNNER else self.shard.of

    @property
    def pages(self) -> int:
        return self.config.crawl.max_pages if self.shard is None else ceil(self.config.crawl.max_pages / self.shard.of)

    @property
    def deadline(self) -> float:
        """Seconds; to read what shards have seen takes time, in which nothing is asked."""
        shards = self.inventory.shards
        return self.config.crawl.deadline + (0 if shards is None else shards.urls * _SECONDS_EACH)


def crawl_part(inventory: Inventory, config: Config, start: str, site: str) -> CrawlPart:
    state = inventory.shard
    owned = None if state is None else OwnedUrls(state.shard, start, site)
    return CrawlPart(inventory, config, Frontier(inventory, owned), owned)
