"""The effects of a run as values, which a dry run prints instead.

Their codec is beside them: as frames of bytes they go from the process that decides to the one that may write.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Generic, TypeAlias, TypeVar, assert_never

from msgspec import MsgspecError, Struct, msgpack

from sitemap_action.model.publication import CommitFiles, SubmitUrls, SyncPullRequest, UpsertComment


class WriteFile(Struct, frozen=True):
    """Replace or create one file, whole: path relative to the workspace."""

    path: str
    content: bytes

    def __str__(self) -> str:
        return f"write {self.path} ({len(self.content):,} bytes)"


class DeleteFile(Struct, frozen=True):
    """Remove one stale shard of an earlier run (SM-08)."""

    path: str

    def __str__(self) -> str:
        return f"delete {self.path}"


Step: TypeAlias = WriteFile | DeleteFile | CommitFiles | SyncPullRequest | UpsertComment | SubmitUrls

_S = TypeVar("_S")
_LONGEST_PATH = 16_384  # bytes; no system has longer ones


def written_paths(steps: Iterable[Step]) -> Iterator[str]:
    """Of the files that the steps write, for events."""
    for step in steps:
        match step:
            case WriteFile(path=path):
                yield path
            case DeleteFile() | CommitFiles() | SyncPullRequest() | UpsertComment() | SubmitUrls():
                pass
            case _:
                assert_never(step)


class StepCodec(Struct, Generic[_S], frozen=True):
    """How the fields of one kind of step become frames, and the other way round."""

    type: type[_S]
    fields: int
    encode: Callable[[_S], Sequence[bytes]]
    decode: Callable[[Sequence[bytes]], _S]  # raises ValueError


def encode(steps: Iterable[Step]) -> Iterator[bytes]:
    """Of each step its kind, the number of its fields, and these."""
    for step in steps:
        kind, codec = _BY_TYPE[type(step)]
        fields = codec.encode(step)
        yield from (kind, b"%d" % len(fields), *fields)


def decode(frames: Iterable[bytes]) -> Iterator[Step]:
    """Raises ValueError on whatever `encode` does not give: frames may come from a hostile process."""
    rest = iter(frames)
    for kind in rest:
        codec = CODECS.get(kind)
        if codec is None:
            raise ValueError(f"unknown kind of step: {kind[:40]!r}")
        count = next(rest, b"")
        if count != b"%d" % codec.fields:
            raise ValueError(f"{count[:40]!r} fields of a step that has {codec.fields}")
        fields = list(islice(rest, codec.fields))
        if len(fields) != codec.fields:
            raise ValueError(f"{len(fields)} of {codec.fields} fields of a step")
        yield codec.decode(fields)


def _encode_write(step: WriteFile) -> Sequence[bytes]:
    return _encode_path(step.path), step.content


def _decode_write(fields: Sequence[bytes]) -> WriteFile:
    path, content = fields
    return WriteFile(_decode_path(path), content)


def _encode_delete(step: DeleteFile) -> Sequence[bytes]:
    return (_encode_path(step.path),)


def _decode_delete(fields: Sequence[bytes]) -> DeleteFile:
    (path,) = fields
    return DeleteFile(_decode_path(path))


def _encode_path(path: str) -> bytes:
    """A file name may not be UTF-8."""
    return path.encode(errors="surrogateescape")


def _decode_path(path: bytes) -> str:
    if len(path) > _LONGEST_PATH:
        raise ValueError(f"a path of {len(path):,} bytes")
    return path.decode(errors="surrogateescape")


def _packed(kind: type[_S]) -> StepCodec[_S]:
    """Of a record whose paths are those of a commit, and text: in one frame, with its types verified."""

    def decode_one(fields: Sequence[bytes]) -> _S:
        try:
            return msgpack.decode(fields[0], type=kind)
        except MsgspecError as error:
            raise ValueError(f"no {kind.__name__}: {error}") from None

    return StepCodec(kind, 1, lambda step: (msgpack.encode(step),), decode_one)


CODECS: Mapping[bytes, StepCodec[Any]] = {
    b"write-file": StepCodec(WriteFile, 2, _encode_write, _decode_write),
    b"delete-file": StepCodec(DeleteFile, 1, _encode_delete, _decode_delete),
    b"commit-files": _packed(CommitFiles),
    b"sync-pull-request": _packed(SyncPullRequest),
    b"upsert-comment": _packed(UpsertComment),
    b"submit-urls": _packed(SubmitUrls),
}
_BY_TYPE = {codec.type: (kind, codec) for kind, codec in CODECS.items()}
