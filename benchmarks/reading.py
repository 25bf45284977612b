"""Reading sitemaps over loopback HTTP beside ultimate-sitemap-parser and advertools: time, ratio, peak memory.

"ours" is the library (`sitemaps.read`), beside it the command.
Every row is a process of its own; rows of a block are run in turn and the median counts. Times are CPU seconds, which a
busy machine does not stretch as it does the clock: of the reading alone, every URL gone through once, and of the whole
process with its imports, as a command or a CI step has it.
The peers are those of `make crawlers`; PEERS names the Python of another environment that has them.
"""

import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

# -P: beside this script stand others, named like modules of the standard library.
ROUNDS = 5  # odd
ROOT = Path(__file__).resolve().parents[1]
PEERS = os.environ.get("PEERS", str(ROOT / "build/crawlers/bin/python"))
UNIT = 1 if sys.platform == "darwin" else 1024  # bytes in one unit of ru_maxrss
NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
BLOCKS = {  # title → files, URLs in each; one file is read without an index
    "50,000 URLs in one file": (1, 50_000),
    "an index of 20 files with 5,000 each": (20, 5_000),
}
LARGE = {"500,000 URLs in 10 files": (10, 50_000), "1,000,000 URLs in 20 files": (20, 50_000)}


def urlset(file: int, urls: int) -> bytes:
    rows = "".join(
        f"<url><loc>https://www.example.com/section-{n % 97}/some-article-title-{file:03}-{n:07}/</loc>"
        f"<lastmod>20{n % 20 + 6:02}-{n % 12 + 1:02}-{n % 28 + 1:02}T{n % 24:02}:00:00+00:00</lastmod></url>\n"
        for n in range(urls)
    )
    return f'{HEAD}<urlset xmlns="{NS}">\n{rows}</urlset>\n'.encode()


@contextmanager
def served(files: int, urls: int) -> Iterator[str]:
    """The address of the sitemap; the server is a process of its own, so that nobody waits for its interpreter."""
    command = [sys.executable, "-P", __file__, "serve", str(files), str(urls)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def serve(files: int, urls: int) -> None:
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    bodies = {f"/{n}.xml": urlset(n, urls) for n in range(files)}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one piece: no client waits for a delayed acknowledgement
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            body = bodies.get(self.path, b"")
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "application/xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002 - the name is http.server's

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    base = f"http://127.0.0.1:{server.server_port}"
    children = "".join(f"<sitemap><loc>{base}/{n}.xml</loc></sitemap>" for n in range(files))
    bodies["/index.xml"] = f'{HEAD}<sitemapindex xmlns="{NS}">{children}</sitemapindex>'.encode()
    print(f"{base}/{'index' if files > 1 else '0'}.xml", flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    threading.Event().wait()


def ours(url: str) -> Callable[[], int]:
    from sitemap_action import sitemaps

    def run() -> int:
        begun, number = time.monotonic(), 0
        for number, _ in enumerate(sitemaps.read(url), 1):
            if number == 1:
                print(f"first: {time.monotonic() - begun}", file=sys.stderr)
        print(f"last: {time.monotonic() - begun}", file=sys.stderr)
        return number

    return run


def command(url: str) -> Callable[[], int]:
    from sitemap_action.__main__ import run

    return lambda: run(["read", url, "--quiet"])


def ultimate_sitemap_parser(url: str) -> Callable[[], int]:
    from usp.fetch_parse import SitemapFetcher
    from usp.web_client.requests_client import RequestsWebClient

    def run() -> int:
        fetcher = SitemapFetcher(url=url, recursion_level=0, web_client=RequestsWebClient())
        return sum(1 for _ in fetcher.sitemap().all_pages())

    return run


def advertools(url: str) -> Callable[[], int]:
    import advertools as adv

    return lambda: len(adv.sitemap_to_df(url)["loc"])


ROWS = {"ours": ours, "sitemap-action read": command}
OTHERS = {"ultimate-sitemap-parser": ultimate_sitemap_parser, "advertools": advertools}
MODULES = {"ultimate-sitemap-parser": "usp.fetch_parse", "advertools": "advertools"}


def measured(python: str, name: str, url: str) -> tuple[float, float, int, float]:
    """CPU seconds of the reading, of the process, its peak bytes, and the share of the time until the first URL."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed is compiled
    with subprocess.Popen(
        [python, "-P", __file__, name, url],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        said = process.stderr.read() if process.stderr else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{name} failed: {said}")
    times = {key: float(value) for key, _, value in (line.partition(": ") for line in said.splitlines()) if value}
    first = times["first"] / times["last"] if "first" in times else 1.0
    return times["seconds"], usage.ru_utime + usage.ru_stime, usage.ru_maxrss * UNIT, first


def peers() -> list[str]:
    found = []
    for name, module in MODULES.items():
        if subprocess.run([PEERS, "-c", f"import {module}"], capture_output=True, check=False).returncode:
            print(f"{name} is not installed: no row for it (PEERS names a Python that has it)")
        else:
            found.append(name)
    return found


def median(values: Iterable[float]) -> float:
    """Without the module of that name, whose import would be a part of every process."""
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


def block(title: str, url: str, names: dict[str, str]) -> None:
    found: dict[str, list[tuple[float, float, int, float]]] = {name: [] for name in names}
    for _ in range(ROUNDS):
        for name, python in names.items():
            found[name].append(measured(python, name, url))
    print(f"\n{title:40}{'reading':>10}{'process':>18}{'peak':>14}")
    own = [median(run[at] for run in found["ours"]) for at in (0, 1)]
    for name, runs in found.items():
        reading, whole = (median(run[at] for run in runs) for at in (0, 1))
        ratios = f"{reading / own[0]:6.1f} × {whole / own[1]:15.1f} ×" if name in OTHERS else ""
        peak = max(run[2] for run in runs) / 2**20
        first = median(run[3] for run in runs)
        ratios = ratios or (f"   first URL after {first:.0%} of the time" if first < 1 else "")
        print(f"  {name:30}{reading:10.3f} s{whole:14.3f} s{peak:12.0f} MiB  {ratios}")


def main() -> None:
    others = peers()
    python = PEERS if others else sys.executable  # one for all: an editable installation takes its time to start
    names = dict.fromkeys(ROWS, python) | dict.fromkeys(others, PEERS)
    for title, (files, urls) in BLOCKS.items():
        with served(files, urls) as url:
            block(title, url, names)
    for title, large in LARGE.items():
        with served(*large) as url:
            block(title, url, dict.fromkeys(ROWS, python))


def row(name: str, url: str) -> None:
    run = (ROWS | OTHERS)[name](url)
    gc.freeze()  # what is imported stays: looking through it again and again is nobody's reading
    begun = time.process_time()
    run()
    print(f"seconds: {time.process_time() - begun}", file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(int(sys.argv[2]), int(sys.argv[3]))
    elif len(sys.argv) == 3:
        row(sys.argv[1], sys.argv[2])
    else:
        main()
