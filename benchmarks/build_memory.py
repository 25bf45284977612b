"""Memory of `check` and `write` on a build of 100,000 small pages, with a state and without: to stay below 200 MB.

    python benchmarks/build_memory.py [--pages 100000] [--folder FOLDER]

The memory is that of all processes of the run together: the proportional set size (PSS) counts a page that several of
them share once. `--folder` keeps the build, and uses the one that is there. Linux only.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from folder import BASE, CHECK, WORDS, path

_EVERY = 0.05  # seconds between two looks
LIMIT = 200  # MB


def page(number: int, pages: int) -> str:
    """About 3 KB, with 20 links."""
    rng = random.Random(number)
    address = BASE + ("" if number == 0 else path(number))
    links = "".join(
        f'<p>{" ".join(rng.choices(WORDS, k=12))} <a href="/{path(rng.randrange(pages))}">{WORDS[each]}</a></p>'
        for each in range(20)
    )
    head = f'<meta charset="utf-8"><title>Page {number}</title><link rel="canonical" href="{address}">'
    return (
        f'<!doctype html><html lang="en"><head>{head}</head><body><main><h1>{number}</h1>{links}</main></body></html>'
    )


def build(root: Path, pages: int) -> None:
    for number in range(pages):
        file = root / path(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page(number, pages), encoding="utf-8")


def tree(process: int) -> Iterator[int]:
    """The process and those that it has started, directly or not."""
    yield process
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from tree(int(child))


def held(process: int) -> float:
    """MB of all processes."""
    total = 0
    for one in tree(process):
        with suppress(OSError, ValueError):
            rows = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
            total += next(int(row.split()[1]) for row in rows if row.startswith("Pss:"))
    return total * 1024 / 1e6


def peak(command: list[str], folder: Path) -> tuple[float, float]:
    """Largest memory in MB, and seconds."""
    start, most = time.perf_counter(), 0.0
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        while process.poll() is None:
            most = max(most, held(process.pid))
            time.sleep(_EVERY)
        assert process.stderr is not None
        if process.returncode not in (0, 1):
            raise SystemExit(process.stderr.read().decode(errors="replace")[-2000:])
    return most, time.perf_counter() - start


def measure(folder: Path, pages: int) -> None:
    if not (folder / "dist").exists():
        build(folder / "dist", pages)
    check = [*CHECK, "--path", "dist", "--site-url", BASE, "--sitemap", "sitemap.xml", "--quiet"]
    write = [word if word != "check" else "write" for word in check]
    for name in ("state", "written", "sitemap.xml"):
        (folder / name).unlink(missing_ok=True)
    rows = [
        ("write, first sitemap", write),
        ("check", check),
        ("check --state", [*check, "--state", "state"]),
        ("write --state", [*write, "--state", "written"]),
    ]
    for name, command in rows:
        most, seconds = peak(command, folder)
        mark = "" if most <= LIMIT else f"  over {LIMIT} MB"
        print(f"{pages:>9,} pages  {name:<21} {most:6.0f} MB  {seconds:6.1f} s{mark}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    if not sys.platform.startswith("linux"):
        raise SystemExit("this benchmark reads /proc")
    with tempfile.TemporaryDirectory() as temporary:
        measure(arguments.folder or Path(temporary), arguments.pages)


if __name__ == "__main__":
    main()
