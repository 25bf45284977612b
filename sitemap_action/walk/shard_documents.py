"""Documents that a shard has read: a file with the same bytes at the same URL is not parsed again by the merge.

The digest is of the bytes, the URL, the headers, the facts that are asked for, and the version of the reader. What is
packed is read as hostile: whatever does not decode to a document is read anew.
"""

import hashlib
from collections.abc import Mapping, Sequence

import msgspec

from sitemap_action import __version__
from sitemap_action.fetch.base import Answer, Response
from sitemap_action.fetch.page_from_answer import page_with_document, pages_of
from sitemap_action.html.document import HtmlDocument, OptionalFacts
from sitemap_action.html.links import Resolver
from sitemap_action.html.shell import DEFAULT_THRESHOLDS, ShellThresholds
from sitemap_action.model.page import Directive, Facts, Page
from sitemap_action.store.codec import Packed, PackedDocument, pack, unpack

_READER = repr((__version__, HtmlDocument.__struct_fields__, Facts._fields))
_decoder = msgspec.msgpack.Decoder(HtmlDocument)


class ShardDocuments:
    """What is known of some files, and what this run adds."""

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
        """As that of `fetch.page_from_answer`."""
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
        return unpack(packed, _decoder) if digest and digest == before else None


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
