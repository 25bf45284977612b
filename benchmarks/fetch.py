"""One page over HTTP, many times: the engine and the policies beside aiohttp, httpx and bare libcurl, from one nginx.

Needs nginx. aiohttp and httpx-aiohttp join in where they are installed. `python benchmarks/fetch.py [REQUESTS]`
"""

import asyncio
import importlib.util
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pycurl

from sitemap_action.fetch.base import HttpOptions, Request, Response
from sitemap_action.fetch.curl import CurlFetcher
from sitemap_action.fetch.policies import open_web
from sitemap_action.web.address_gate import AddressGate

ROUNDS = 3
CONFIG = """
worker_processes 1; daemon off; pid {folder}/pid; error_log {folder}/error;
events {{ worker_connections 1024; }}
http {{
  access_log off; sendfile on; keepalive_requests 1000000; default_type text/html;
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{ listen 127.0.0.1:{port}; root {folder}; location / {{ rewrite ^ /page.html break; }} }}
}}
"""
PAGE = "<!doctype html><title>Page</title>" + "".join(
    f'<p><a href="/page/{number}/">Link {number}</a> {"word " * 110}</p>' for number in range(52)
)


@contextmanager
def nginx() -> Iterator[str]:
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        Path(folder).chmod(0o755)
        Path(folder, "page.html").write_text(PAGE, encoding="utf-8")
        Path(folder, "conf").write_text(CONFIG.format(folder=folder, port=port), encoding="utf-8")
        server = subprocess.Popen([program, "-c", f"{folder}/conf"])
        try:
            for _ in range(50):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait()


Get = Callable[[str], Awaitable[int]]  # the bytes of a page


async def drive(get: Get, origin: str, count: int, concurrency: int) -> None:
    numbers = iter(range(count))

    async def worker() -> None:
        for number in numbers:
            assert await get(f"{origin}/page/{number}/") == len(PAGE)

    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(worker())


def bare(origin: str, count: int, concurrency: int) -> None:
    """libcurl without any engine of ours: bodies are joined and dropped."""
    multi, free, started, done = pycurl.CurlMulti(), [], 0, 0
    bodies: dict[pycurl.Curl, list[bytes]] = {}
    for _ in range(concurrency):
        curl = pycurl.Curl()
        curl.setopt(pycurl.WRITEFUNCTION, bodies.setdefault(curl, []).append)
        curl.setopt(pycurl.BUFFERSIZE, 128 * 1024)
        free.append(curl)
    while done < count:
        while free and started < count:
            curl = free.pop()
            curl.setopt(pycurl.URL, f"{origin}/page/{started}/")
            multi.add_handle(curl)
            started += 1
        multi.perform()
        _, fine, failed = multi.info_read()
        assert not failed
        for curl in fine:
            assert len(b"".join(bodies[curl])) == len(PAGE)
            bodies[curl].clear()
            multi.remove_handle(curl)
        free += fine
        done += len(fine)
        if not fine:
            multi.select(1)


async def ours(origin: str, count: int, concurrency: int) -> None:
    """libcurl under guard, retry and throttle, as a crawl asks it."""
    options = HttpOptions(origin, concurrency=concurrency, wanted=frozenset({"text/html"}))
    async with open_web(options, {}) as web:
        await drive(lambda url: _body(web.fetcher.fetch(Request(url))), origin, count, concurrency)


async def curl_alone(origin: str, count: int, concurrency: int) -> None:
    engine = CurlFetcher(HttpOptions(origin), AddressGate(origin), {})
    await drive(lambda url: _body(engine.fetch(Request(url))), origin, count, concurrency)
    await engine.close()


async def _body(answer: Awaitable[object]) -> int:
    match await answer:
        case Response(body=body):
            return len(body)
        case failed:
            raise AssertionError(failed)


async def httpx_client(origin: str, count: int, concurrency: int) -> None:
    async with httpx.AsyncClient() as client:

        async def get(url: str) -> int:
            return len((await client.get(url)).content)

        await drive(get, origin, count, concurrency)


async def httpx_aiohttp(origin: str, count: int, concurrency: int) -> None:
    module = importlib.import_module("httpx_aiohttp")
    async with module.HttpxAiohttpClient() as client:

        async def get(url: str) -> int:
            return len((await client.get(url)).content)

        await drive(get, origin, count, concurrency)


async def aiohttp(origin: str, count: int, concurrency: int) -> None:
    module = importlib.import_module("aiohttp")
    async with module.ClientSession(connector=module.TCPConnector(limit=concurrency)) as session:

        async def get(url: str) -> int:
            async with session.get(url) as response:
                return len(await response.read())

        await drive(get, origin, count, concurrency)


@dataclass(frozen=True)
class Client:
    name: str
    run: Callable[[str, int, int], object]
    share: int = 1  # of the requests; slow ones get fewer
    needs: str = "httpx"


CLIENTS = (
    Client("libcurl, bare loop", bare),
    Client("ours: libcurl + policies", ours),
    Client("ours: libcurl", curl_alone),
    Client("aiohttp", aiohttp, 2, "aiohttp"),
    Client("httpx over aiohttp", httpx_aiohttp, 4, "httpx_aiohttp"),
    Client("httpx", httpx_client, 16),
)


def measured(client: Client, origin: str, count: int, concurrency: int) -> tuple[float, float]:
    """Requests a second, and microseconds of CPU time a request."""
    wall, cpu = time.perf_counter(), time.process_time()
    work = client.run(origin, count, concurrency)
    if asyncio.iscoroutine(work):
        asyncio.run(work)
    return count / (time.perf_counter() - wall), (time.process_time() - cpu) / count * 1e6


def main(count: int) -> None:
    clients = [client for client in CLIENTS if importlib.util.find_spec(client.needs)]
    print(f"{len(PAGE):,} bytes a page, median of {ROUNDS} interleaved rounds; {pycurl.version}")
    with nginx() as origin:
        for concurrency in (8, 32, 100):
            found: dict[str, list[tuple[float, float]]] = {client.name: [] for client in clients}
            for _ in range(ROUNDS):
                for client in clients:
                    found[client.name].append(measured(client, origin, count // client.share, concurrency))
            print(f"\n{concurrency} in flight{'requests/s':>32}{'us CPU a request':>20}{'x ours':>10}")
            reference = statistics.median(cpu for _, cpu in found["ours: libcurl + policies"])
            for name, rows in found.items():
                rate, cpu = (statistics.median(column) for column in zip(*rows, strict=True))
                print(f"{name:28}{rate:14,.0f}{cpu:20.0f}{cpu / reference:10.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4000)
