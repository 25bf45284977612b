"""A consumer has what a document lists when that is in, whatever the next one takes (R-38)."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

import forked
from servers import Fault, Site, serve, typed
from webs import index, urlset


def xml(text: str) -> bytes:
    body = text.encode()
    return f"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@contextmanager
def held() -> Iterator[tuple[Site, Callable[[], None]]]:
    """An index of two, of which the second is sent once that is allowed."""
    allowed = threading.Event()

    async def wait(writer: asyncio.StreamWriter) -> None:
        await asyncio.to_thread(allowed.wait)
        writer.write(xml(urlset("https://www.example.com/last")))
        await writer.drain()

    late: Fault = wait
    with serve({}) as site:
        site.routes["/i.xml"] = typed("application/xml", index(f"{site.url}1.xml", f"{site.url}2.xml"))
        site.routes["/1.xml"] = typed("application/xml", urlset("https://www.example.com/first"))
        site.routes["/2.xml"] = late
        try:
            yield site, allowed.set
        finally:
            allowed.set()


@pytest.mark.parametrize("form", ["text", "jsonl", "csv"])
def test_R_38_read_prints_a_document_when_it_is_in(form: str) -> None:
    with held() as (site, allow):
        reading, writing = os.pipe()
        with os.fdopen(reading) as printed:
            process = forked.start("read", f"{site.url}i.xml", "--format", form, "--quiet", stdout=writing)
            os.close(writing)
            lines = [printed.readline()]
            if form == "csv":
                lines.append(printed.readline())
            assert "/first" in lines[-1]
            assert not process.has_ended()
            allow()
            assert "/last" in printed.read()
        assert process.end()[0] == 0
