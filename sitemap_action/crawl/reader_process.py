"""A process that reads documents of a crawl, and what its parent holds of it.

Theory of operation. The process is a fork of the one that fetches, so nothing is imported and no option is sent. It
closes every file that it has inherited but its end of a socket, and it writes nothing: what a crash prints would pass
no mask. A message is a few documents in a ring of shared memory; the socket says where, and brings back the visits
with their pages encoded as the inventory stores them. Messages are read in order. It ends with its connection, and can
be killed at any moment: it changes nothing.
"""

import gc
import os
import signal
import socket
import struct
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress

import msgspec
from msgspec import Struct

from sitemap_action.crawl.late_rendering import may_be_shell
from sitemap_action.crawl.link_numbers import NumberedUrls, NumberedVisits, Numbers
from sitemap_action.crawl.shared_ring import SharedRing
from sitemap_action.crawl.visits import FetchedUrl, Reader, UnreadDocument, needs_scripts, stub_of
from sitemap_action.inventory.frontier import Visit, packed_links
from sitemap_action.inventory.store import Inventory

_ROOM = 4 * 2**20  # bytes of documents that wait for one process
_MOST = 64  # messages of one process; what says where they are fits into any socket
_PIECE = 2**16  # bytes that are received at a time; memory for more is taken from the system each time
_PLACE, _LENGTH = struct.Struct("=QQ"), struct.Struct("=Q")
_encoder = msgspec.msgpack.Encoder()
_documents = msgspec.msgpack.Decoder(tuple[int, list[UnreadDocument]])
_visits = msgspec.msgpack.Decoder(NumberedVisits)


class Message(Struct):
    """Documents that are read together, and all that is needed to read them once more."""

    depth: int
    fetched: list[FetchedUrl]  # without their bodies
    packed: bytes  # b"" while they are in the ring
    suspect: bool = False  # one document, which was among those that ended a process
    at: int = 0
    size: int = 0

    def unpacked(self) -> tuple[int, list[UnreadDocument]]:
        return _documents.decode(self.packed)

    def whole(self) -> list[FetchedUrl]:
        """With their bodies, where they are known."""
        if not self.packed:
            return self.fetched
        _, documents = self.unpacked()
        return [one._replace(answer=found.answer) for one, found in zip(self.fetched, documents, strict=True)]

    def split(self) -> "Iterator[Message]":
        """Each document alone."""
        depth, documents = self.unpacked()
        for one, document in zip(self.fetched, documents, strict=True):
            yield Message(depth, [one], pack(depth, [document]), suspect=True)


def pack(depth: int, documents: Sequence[UnreadDocument]) -> bytes:
    """Raises UnicodeEncodeError for a text that is no Unicode."""
    return _encoder.encode((depth, documents))


class ReaderProcess:
    """Raises OSError where no process can be started."""

    def __init__(self, reader: Reader, inventory: Inventory, largest: int) -> None:
        """`largest`: bytes of a document."""
        self.waiting: deque[Message] = deque()
        self.bytes_waiting = 0
        self._received = bytearray()
        self._urls = NumberedUrls()
        self._ring = SharedRing(_ROOM, _ROOM + largest)
        self.end, there = socket.socketpair()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads that resolve names hold nothing of ours
            try:
                self.pid = os.fork()
            except OSError:
                self.end.close()
                there.close()
                raise
        if self.pid == 0:
            _serve(reader, inventory, self._ring, there)
        there.close()
        self.end.setblocking(False)

    def takes(self, message: Message) -> bool:
        """Hand a message over; False while there is no room for it."""
        if len(self.waiting) >= _MOST or (start := self._ring.put(message.packed)) is None:
            return False
        message.at, message.size, message.packed = start, len(message.packed), b""
        self.waiting.append(message)
        self.bytes_waiting += message.size
        with suppress(OSError):  # it has ended, which its connection says too
            self.end.send(_PLACE.pack(message.at, message.size))
        return True

    def fits(self, message: Message) -> bool:
        return len(message.packed) <= len(self._ring)

    def receive(self, shared: dict[str, str]) -> Iterator[tuple[Message, Sequence[Visit] | None]]:
        """What has been read; None for documents that could not be handed back. Raises EOFError when it has ended.

        `shared`: URLs that are kept once, whichever process sends them.
        """
        with suppress(BlockingIOError):
            try:
                piece = self.end.recv(_PIECE)
            except ConnectionError:
                piece = b""
            if not piece:
                raise EOFError
            self._received += piece
        while len(self._received) >= _LENGTH.size:
            (size,) = _LENGTH.unpack_from(self._received)
            end = _LENGTH.size + size
            if len(self._received) < end:
                return
            packed = memoryview(self._received)[_LENGTH.size : end]
            visits = self._urls.unpacked(_visits.decode(packed), shared) if size else None
            packed.release()
            del self._received[:end]
            again = visits is None or any(visit.may_be_shell for visit in visits)
            yield self._taken_back(packed=again), visits

    def unread(self) -> list[Message]:
        """Of a process that has ended."""
        return [self._taken_back(packed=True) for _ in range(len(self.waiting))]

    def stop(self) -> str:
        """End the process, collect it, and say how it ended."""
        self.end.close()
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"

    def _taken_back(self, *, packed: bool) -> Message:
        message = self.waiting.popleft()
        if packed:
            message.packed = bytes(self._ring.message(message.at, message.size))
        self._ring.free_oldest()
        self.bytes_waiting -= message.size
        return message


def _serve(reader: Reader, inventory: Inventory, ring: SharedRing, end: socket.socket) -> None:
    """The whole life of the process; never returns."""
    try:
        _leave_parent(end.fileno())
        numbers = Numbers()
        while place := _exactly(end, _PLACE.size):
            start, size = _PLACE.unpack(place)
            answer = _read(reader, inventory, numbers, ring.message(start, size))
            end.sendall(_LENGTH.pack(len(answer)) + answer)
    finally:
        os._exit(0)


def _leave_parent(kept: int) -> None:
    """Signals are for the parent, and so is every open file: connections, the inventory, the streams of the run."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    os.closerange(3, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))
    gc.freeze()  # what the parent has made stays shared


def _read(reader: Reader, inventory: Inventory, numbers: Numbers, message: memoryview) -> bytes:
    """b"" where the documents cannot be read, or handed back: the parent does it, and says what is wrong."""
    try:
        depth, documents = _documents.decode(message)
        visits = [_encoded(visit, inventory) for visit in reader.read(depth, documents)]
        return _encoder.encode(numbers.packed(visits))
    except Exception:  # noqa: BLE001 - the same happens in the parent, which reports it
        numbers.clear()  # some of them were not sent
        return b""


def _encoded(visit: Visit, inventory: Inventory) -> Visit:
    """Without the facts, which only the inventory needs, and with what the crawl needs of them."""
    page = visit.page
    kept = inventory.persistent
    packed = packed_links(visit) if kept and (visit.etag or visit.modified) else b""
    return visit._replace(
        page=page._replace(facts=None),
        packed=packed,
        resources=visit.resources if kept and not packed else (),
        headers=visit.headers if kept and not packed else (),
        record=inventory.encoded(page),
        stub=stub_of(page),
        scripted=needs_scripts(page),
        may_be_shell=may_be_shell(page),
    )


def _exactly(end: socket.socket, size: int) -> bytes:
    """b"" when the parent has ended."""
    found = b""
    while len(found) < size:
        piece = end.recv(size - len(found))
        if not piece:
            return b""
        found += piece
    return found
