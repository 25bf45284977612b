"""Reading, validating and writing sitemaps beside xmllint and lxml.etree.xmlfile: time, ratio, peak memory.

Every row is a process of its own, so that its peak is its own (this process is the floor). Rows of a block are run in
turn; the median counts.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import chain, repeat
from pathlib import Path
from typing import Any, TypeVar

ROUNDS = 3
READ, WRITE = 50_000, 1_000_000
XSD = Path(__file__).parents[1] / "sitemap_action/sitemap/xsd/sitemap.xsd"
UNIT = 1 if sys.platform == "darwin" else 1024  # bytes in one unit of ru_maxrss


def pages(count: int, dates: int = 3000) -> Iterator[tuple[str, str]]:
    """URLs of about 62 characters, with as many dates as a large site has days of work."""
    for n in range(count):
        day = n % dates
        date = f"{2018 + day // 366}-{day % 12 + 1:02}-{day % 28 + 1:02}T{day % 24:02}:{day % 60:02}:00+00:00"
        yield f"https://www.example.com/section-{n % 97}/some-article-title-{n:07}/", date


def entries(count: int, dates: int = 3000) -> Iterator[Any]:
    from sitemap_action.model.sitemap import Entry

    return (Entry(loc, lastmod) for loc, lastmod in pages(count, dates))


def read(path: Path) -> Callable[[], object]:
    from sitemap_action.sitemap.read import read as events

    data = path.read_bytes()
    return lambda: sum(1 for _ in events(data))


def gate(path: Path) -> Callable[[], object]:
    from sitemap_action.sitemap.schema import schema_faults

    data = path.read_bytes()
    return lambda: schema_faults(data)


def rules(path: Path) -> Callable[[], object]:
    from sitemap_action.checks.all import check_set
    from sitemap_action.checks.base import FileOptions
    from sitemap_action.model.sitemap import SitemapDocument

    files = [SitemapDocument("sitemap.xml", path.read_bytes(), "https://www.example.com/sitemap.xml")]
    return lambda: check_set(files, FileOptions(datetime.now(UTC)))


def iterparse(path: Path) -> Callable[[], object]:
    from lxml import etree

    def run() -> int:
        count = 0
        for _, element in etree.iterparse(str(path), tag="{*}url"):
            count += sum(len(child.text or "") > 0 for child in element)
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
        return count

    return run


def write(path: Path, dates: int = 3000) -> Callable[[], object]:
    from sitemap_action.sitemap.split import Layout, Splitter

    sample = list(entries(READ, dates))

    def run() -> None:
        splitter = Splitter(Layout("sitemap.xml", "https://www.example.com/sitemap.xml"))
        for entry in often(sample):
            splitter.add(entry)
        for file in splitter.finish():
            (path.parent / file.path).write_bytes(file.content)

    return run


def write_distinct(path: Path) -> Callable[[], object]:
    return write(path, READ)


def xmlfile(path: Path) -> Callable[[], object]:
    from lxml import etree

    sample = list(pages(READ))

    def run() -> None:
        with path.open("wb") as file, etree.xmlfile(file, encoding="utf-8") as xml:
            xml.write_declaration()
            with xml.element("urlset", nsmap={None: "http://www.sitemaps.org/schemas/sitemap/0.9"}):
                for loc, lastmod in often(sample):
                    with xml.element("url"):
                        with xml.element("loc"):
                            xml.write(loc)
                        with xml.element("lastmod"):
                            xml.write(lastmod)

    return run


T = TypeVar("T")


def often(sample: list[T]) -> Iterator[T]:
    """A million of them without a million in memory."""
    return chain.from_iterable(repeat(sample, WRITE // len(sample)))


def make(path: Path) -> Callable[[], object]:
    from sitemap_action.sitemap.split import Layout, Splitter

    def run() -> None:
        splitter = Splitter(Layout(path.name, f"https://www.example.com/{path.name}"))
        for entry in entries(READ):
            splitter.add(entry)
        path.write_bytes(splitter.finish()[0].content)

    return run


READERS = {"read": read, "gate": gate, "whole rule set": rules, "lxml.etree.iterparse": iterparse}
WRITERS = {
    "write": write,
    "write, no date twice": write_distinct,
    "lxml.etree.xmlfile": xmlfile,
}


def child(command: list[str]) -> tuple[float, int]:
    """Seconds and peak bytes; a row of ours prints its own seconds, without start-up."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        printed = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    whole = time.perf_counter() - start
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    return float(printed or whole), usage.ru_maxrss * UNIT


def block(title: str, commands: dict[str, list[str]], yardstick: str) -> None:
    found: dict[str, list[tuple[float, int]]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            found[name].append(child(command))
    medians = {name: statistics.median(seconds for seconds, _ in runs) for name, runs in found.items()}
    print(f"\n{title}")
    for name, runs in found.items():
        peak = max(size for _, size in runs) / 2**20
        ratio = f"{medians[name] / medians[yardstick]:6.2f} × {yardstick}" if yardstick in medians else ""
        print(f"  {name:28}{medians[name]:8.3f} s {peak:7.0f} MiB  {ratio}")


def main() -> None:
    here = [sys.executable, __file__]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sitemap.xml"
        child([*here, "make", str(path)])
        commands = {name: [*here, name, str(path)] for name in READERS}
        if xmllint := shutil.which("xmllint"):
            commands["xmllint"] = [xmllint, "--stream", "--noout", "--schema", str(XSD), str(path)]
        else:
            print("xmllint is not installed (Debian: libxml2-utils): no yardstick for reading and validating")
        block(f"{READ:,} URLs, {path.stat().st_size:,} bytes", commands, "xmllint")
        commands = {name: [*here, name, str(Path(folder) / "out.xml")] for name in WRITERS}
        block(f"{WRITE:,} URLs written", commands, "lxml.etree.xmlfile")


def row(name: str, path: Path) -> float:
    """Seconds of one row, without its imports and its data."""
    run = ({"make": make} | READERS | WRITERS)[name](path)
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(row(sys.argv[1], Path(sys.argv[2])))
    else:
        main()
