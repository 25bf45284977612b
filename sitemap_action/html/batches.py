"""Documents that are read together, stage by stage."""

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

_MOST = 4  # as many as the processor's caches hold
_BYTES = 1 << 20


class _HasBody(Protocol):
    @property
    def body(self) -> bytes: ...


_Document = TypeVar("_Document", bound=_HasBody)


def batches(documents: Sequence[_Document]) -> Iterator[Sequence[_Document]]:
    """A few at a time; a large one alone, for its tree takes many times its size."""
    start = size = 0
    for at, document in enumerate(documents):
        if at > start and (at - start == _MOST or size + len(document.body) > _BYTES):
            yield documents[start:at]
            start, size = at, 0
        size += len(document.body)
    yield documents[start:]
