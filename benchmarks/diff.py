"""`sitemap-action diff` of two indexes of 1,000,000 URLs, 1 % different, beside `sort` and `comm` on plain lists.

Where some have changed, each entry has a lastmod, and each line of the lists.

python benchmarks/diff.py [--urls 1000000] [--rounds 1] [--changed 0]
"""

import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

BASE = "https://www.example.com/"
FILE = 50_000  # URLs of a file, the most that the protocol allows
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
DIFF = [sys.executable, "-c", "from sitemap_action.__main__ import main; main()", "diff", "old/sitemap.xml"]
SORTED = "export LC_ALL=C; sort old.txt > old.sorted; sort new.txt > new.sorted; comm -3 old.sorted new.sorted"


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one run of one program, with the processes it started."""

    wall: float  # seconds
    cpu: float  # seconds
    peak: float  # MiB, of the largest process


def write(folder: Path, side: str, count: int, changed: int) -> None:
    """A plain list, and the same URLs as an index of files; of every hundred one is on this side alone.

    `changed`: how many have the date of their side.
    """
    names = [f"{number:07}-{side}" if number % 100 == 0 else f"{number:07}" for number in range(count)]
    random.Random(side).shuffle(names)
    urls = [f"{BASE}category-{int(name[:7]) % 500}/some-product-or-article/{name}.html" for name in names]
    dates = {"old": "2025-03-04", "new": "2025-03-05"}
    days = [dates[side if int(name[:7]) < changed else "old"] if changed else "" for name in names]
    lines = [f"{url} {day}\n" for url, day in zip(urls, days, strict=True)]
    (folder / f"{side}.txt").write_text("".join(lines))
    (folder / side).mkdir()
    children = []
    for start in range(0, count, FILE):
        children.append(f"sitemap-{start // FILE}.xml")
        part = slice(start, start + FILE)
        document("urlset", "url", urls[part], days[part], folder / side / children[-1])
    listed = [BASE + child for child in children]
    document("sitemapindex", "sitemap", listed, [""] * len(listed), folder / side / "sitemap.xml")


def document(root: str, element: str, urls: list[str], days: list[str], path: Path) -> None:
    fields = [
        f"<loc>{url}</loc>" + f"<lastmod>{day}</lastmod>" * bool(day) for url, day in zip(urls, days, strict=True)
    ]
    rows = "".join(f"<{element}>{text}</{element}>\n" for text in fields)
    path.write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{NAMESPACE}">\n{rows}</{root}>\n')


def cost(command: list[str], folder: str) -> Cost:
    with tempfile.TemporaryFile() as output:
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        _, status, own = os.wait4(process.pid, 0)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):  # 1: the sets differ
            output.seek(0)
            raise SystemExit(output.read().decode(errors="replace")[-2000:])
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, used, own.ru_maxrss / 1024)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--urls", type=int, default=1_000_000)
    arguments.add_argument("--changed", type=int, default=0)
    arguments.add_argument("--rounds", type=int, default=1)
    asked = arguments.parse_args()
    found = {"diff": [*DIFF, "new/sitemap.xml"], "sort + comm": ["sh", "-c", SORTED]}
    if not all(map(shutil.which, ("sh", "sort", "comm"))):
        raise SystemExit("sort and comm are needed to compare with")
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own: what starts a program lends it its peak of memory.
        for side in ("old", "new"):
            code = (
                f"import diff, pathlib; diff.write(pathlib.Path({folder!r}), {side!r}, {asked.urls}, {asked.changed})"
            )
            subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent, check=True)
        rounds = [{name: cost(command, folder) for name, command in found.items()} for _ in range(asked.rounds)]
    print(f"{asked.urls:,} against {asked.urls:,} URLs")
    for name in found:
        runs = [one[name] for one in rounds]
        wall, cpu = (statistics.median(getattr(run, of) for run in runs) for of in ("wall", "cpu"))
        ratio = statistics.median(one[name].cpu / one["sort + comm"].cpu for one in rounds)
        print(
            f"{name:<12} {wall:6.2f} s  CPU {cpu:6.2f} s  {max(run.peak for run in runs):5.0f} MiB"
            f"  {ratio:5.2f}x the CPU time of sort + comm"
        )


if __name__ == "__main__":
    main()
