"""A crawl of 10,000 pages of 32 KB from nginx on loopback, compared with other programs that follow every link.

    python benchmarks/crawl.py [--pages 10000] [--rounds 3] [--peers FOLDER]

`wget -r` extracts links only, over one connection, and writes the pages to disk. `check` extracts the facts that its
verdict needs from every page, stores them, and compares the site with the committed sitemap; with `--state` it extracts
and stores all facts for the next run. No rate limit. `--small` makes pages of 2 KB. `--peers` is a virtual environment
with Scrapy or Crawlee; each crawls a tenth of the site, because all of it would take minutes.
"""

import argparse
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from folder import BASE, CHECK, WORDS, Cost, build, cost, path

SCRAPY = """
import scrapy, sys
seen = []
from scrapy.crawler import CrawlerProcess
class Pages(scrapy.Spider):
    name, start_urls, allowed_domains = "pages", [sys.argv[1]], ["127.0.0.1"]
    def parse(self, response):
        if not hasattr(response, "css"):
            return
        seen.append(response.url)
        yield {"url": response.url, "title": response.css("title::text").get(),
               "robots": response.css("meta[name=robots]::attr(content)").get(),
               "canonical": response.css("link[rel=canonical]::attr(href)").get()}
        yield from response.follow_all(css="a[href]", callback=self.parse)
process = CrawlerProcess({"LOG_LEVEL": "ERROR", "CONCURRENT_REQUESTS": 32, "CONCURRENT_REQUESTS_PER_DOMAIN": 32,
    "ROBOTSTXT_OBEY": False, "DEPTH_PRIORITY": 1, "TELEMETRY_ENABLED": False, "CLOSESPIDER_ITEMCOUNT": int(sys.argv[2]),
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue"})
process.crawl(Pages)
process.start()
open("seen", "w").write(str(len(seen)))
"""
CRAWLEE = """
import asyncio, sys
seen = []
from crawlee import ConcurrencySettings
from crawlee.crawlers import ParselCrawler
from crawlee.storage_clients import MemoryStorageClient
async def main():
    crawler = ParselCrawler(max_requests_per_crawl=int(sys.argv[2]), storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(min_concurrency=32, max_concurrency=32, desired_concurrency=32),
        configure_logging=False)
    @crawler.router.default_handler
    async def page(context):
        seen.append(context.request.url)
        await context.push_data({"url": context.request.url, "title": context.selector.css("title::text").get(),
            "robots": context.selector.css("meta[name=robots]::attr(content)").get(),
            "canonical": context.selector.css("link[rel=canonical]::attr(href)").get()})
        await context.enqueue_links()
    await crawler.run([sys.argv[1]])
asyncio.run(main())
open("seen", "w").write(str(len(seen)))
"""
NGINX = """
user root; worker_processes 1; pid {root}/pid; error_log {root}/error.log;
events {{ worker_connections 512; }}
http {{
  access_log off; sendfile on; keepalive_requests 1000000; types {{ text/html html; text/javascript js; }}
  client_body_temp_path {root}/t; proxy_temp_path {root}/t; fastcgi_temp_path {root}/t; uwsgi_temp_path {root}/t;
  scgi_temp_path {root}/t;
  server {{ listen 127.0.0.1:{port}; root {root}/site; open_file_cache max=20000; }}
}}
"""


@contextmanager
def nginx(root: Path) -> Iterator[str]:
    """The URL where `root/site` is served."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (root / "nginx.conf").write_text(NGINX.format(root=root, port=port))
    server = subprocess.Popen(
        [shutil.which("nginx") or "/usr/sbin/nginx", "-c", f"{root}/nginx.conf", "-g", "daemon off;"]
    )
    try:
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.wait()


def check_command(url: str) -> list[str]:
    flags = ["--url", url, "--site-url", BASE, "--quiet", "--set", "crawl.max-pages=1000000"]
    return [*CHECK, *flags, "--set", "crawl.concurrency=32", "--set", "crawl.deadline=3600"]


def write_command() -> list[str]:
    """Writes the sitemap to compare with: without one, that of the live site would be requested."""
    return [*CHECK[:-3], "write", "--path", "site", "--site-url", BASE, "--sitemap", "sitemap.xml", "--quiet"]


def peer_commands(folder: Path, url: str, pages: int, peers: Path | None) -> dict[str, tuple[list[str], int]]:
    """Name → command, number of pages to crawl."""
    # wget would request images and styles too; it exits with 8 when one is missing.
    mirror = 'wget -q -r -l inf -nH -P mirror -R jpg,css,js "$0" || test $? = 8'
    commands = {"wget -r": (["sh", "-c", mirror, url], pages)}
    if peers:
        python, fewer = str(peers / "bin/python"), max(1, pages // 10)
        for name, code in (("scrapy", SCRAPY), ("crawlee", CRAWLEE)):
            if subprocess.run([python, "-c", f"import {name}"], capture_output=True, check=False).returncode == 0:
                (folder / f"{name}_pages.py").write_text(code)  # Scrapy reads its source file
                commands[name] = ([python, f"{name}_pages.py", url, str(fewer)], fewer)
            else:
                print(f"{name}: not in {peers}, left out")
    return commands


def build_small(root: Path, pages: int) -> int:
    """Pages of 2 KB with ten links."""
    size = 0
    for number in range(pages):
        file = root / path(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        links = "".join(f'<li><a href="/{path((number * 7 + each) % pages)}">{each}</a></li>' for each in range(10))
        text = " ".join(WORDS[(number + each) % len(WORDS)] for each in range(150))
        head = (
            f'<!doctype html><html lang="en"><title>Page {number}</title><meta name="description" content="{number}">'
        )
        size += file.write_text(f"{head}<ul>{links}</ul><main><h1>Page {number}</h1><p>{text}</p></main>\n")
    return size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--small", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, nginx(Path(folder)) as url:
        size = (build_small if arguments.small else build)(Path(folder) / "site", arguments.pages)
        print(f"{arguments.pages:,} pages, {size / arguments.pages / 1000:.1f} KB each")
        subprocess.run(write_command(), cwd=folder, check=True, capture_output=True)
        commands = {
            "sitemap-action": (check_command(url), arguments.pages),
            "with --state": ([*check_command(url), "--state", "state"], arguments.pages),
        }
        commands |= peer_commands(Path(folder), url, arguments.pages, arguments.peers)
        costs: dict[str, list[Cost]] = {name: [] for name in commands}
        for _ in range(arguments.rounds):
            for name, (command, pages) in commands.items():
                shutil.rmtree(Path(folder) / "mirror", ignore_errors=True)
                (Path(folder) / "state").unlink(missing_ok=True)
                (Path(folder) / "seen").write_text(str(pages))
                costs[name].append(cost(command, folder))
                if (seen := int((Path(folder) / "seen").read_text())) < pages:
                    print(f"{name} crawled {seen} pages of {pages}: its row is not comparable")
        show(costs, {name: count for name, (_, count) in commands.items()})


def show(costs: dict[str, list[Cost]], pages: dict[str, int]) -> None:
    """Medians; a ratio is that of two commands in one round, per page."""
    print(f"{'':16}{'pages/s':>9}{'CPU ms/page':>13}{'peak MiB':>10}{'ours is faster':>16}")
    for name, runs in costs.items():
        wall = statistics.median(run.wall for run in runs) / pages[name]
        cpu = statistics.median(run.cpu for run in runs) / pages[name]
        peak = max(run.peak for run in runs)
        pairs = zip(costs["sitemap-action"], runs, strict=True)
        ratio = statistics.median(
            (peer.wall / pages[name]) / (check.wall / pages["sitemap-action"]) for check, peer in pairs
        )
        print(f"{name:16}{1 / wall:9,.0f}{cpu * 1000:13.3f}{peak:10.0f}{ratio:15.2f}x")


if __name__ == "__main__":
    sys.exit(main())
