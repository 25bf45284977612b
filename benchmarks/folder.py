"""A static build of 10,000 pages: `check` as a process, compared with other programs that read every page.

    python benchmarks/folder.py [--pages 10000] [--rounds 3] [--peers]

`--peers` installs static-sitemap-cli into a temporary folder with npm. It reads the robots meta only; `check`
extracts links, canonicals, alternates and all else that its verdict needs, and compares the site with the sitemap that
lists it. Bytecode is warm, as it is where the program is installed.
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
CHECK = [sys.executable, "-c", "from sitemap_action.__main__ import main; main()", "check", "--format", "json"]
TEXT = """account archive article balance before between build carry change choose circle column common compare
    corner course detail direct double during enough errand figure follow forest garden gather ground handle harbour
    inside island kitchen ladder letter listen little manner market measure middle mirror moment narrow nature number
    object office orange paper pattern people picture planet pocket public quarter quiet reason record repeat river
    second signal silver simple sister solid stream string supper system table thread timber toward travel valley
    village weather window winter wonder yellow"""
WORDS = TEXT.split()


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one run of one program, with its child processes."""

    wall: float  # seconds
    cpu: float  # seconds
    peak: float  # MiB, of the largest process


def path(number: int) -> str:
    return "index.html" if number == 0 else f"section-{number % 97}/group-{number % 11}/page-{number}.html"


def page(number: int, pages: int) -> str:
    """About 32 KB and 52 links: a head, navigation that all pages share, paragraphs with links, images, a footer."""
    rng = random.Random(number)
    shared = [f'<li><a href="/{path(other)}">{WORDS[other % len(WORDS)]}</a></li>' for other in range(min(20, pages))]
    body = []
    for _ in range(32):
        text = " ".join(rng.choices(WORDS, k=125))
        body.append(f'<p class="prose lead">{text} <a href="/{path(rng.randrange(pages))}">{text[:20]}</a></p>')
    images = [
        f'<img src="/assets/{number}-{each}.jpg" alt="{WORDS[each]}" width="640" height="480">' for each in range(4)
    ]
    address = BASE + ("" if number == 0 else path(number))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Page {number}: {" ".join(rng.choices(WORDS, k=6))}</title>
<meta name="description" content="{" ".join(rng.choices(WORDS, k=20))}"><meta name="robots" content="index, follow">
<link rel="canonical" href="{address}"><link rel="stylesheet" href="/assets/site.css">
<meta property="article:modified_time" content="2026-05-{1 + number % 28:02}T10:00:00Z">
<style>{"".join(f".c{each}{{margin:{each}px;padding:0}}" for each in range(40))}</style></head>
<body><header><nav><ul>{"".join(shared)}</ul></nav></header>
<main><h1>Page {number}</h1>{"".join(body)}{"".join(images)}</main>
<footer><p>&copy; 2026 Example</p></footer><script>window.data = {{page: {number}}};</script></body></html>
"""


def build(root: Path, pages: int) -> int:
    """Bytes written."""
    size = 0
    for number in range(pages):
        file = root / path(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        size += file.write_bytes(page(number, pages).encode())
    return size


def cost(command: list[str], folder: str) -> Cost:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = f"{folder}/bytecode"
    with tempfile.TemporaryFile() as output:
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            raise SystemExit(output.read().decode(errors="replace")[-2000:])
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, used, usage.ru_maxrss / 1024)


def programs(folder: str, *, peers: bool) -> dict[str, list[str]]:
    options = ["--path", "dist", "--site-url", BASE, "--sitemap", "sitemap.xml"]
    cost([*CHECK[:3], "write", *options], folder)
    check = [*CHECK, *options]
    commands = {"check": check, "check --state": [*check, "--state", "state"]}
    if grep := shutil.which("grep"):
        commands["grep -o href"] = [grep, "-rohE", 'href="[^"]*"', "dist"]
    else:
        print("grep is not installed: skipped")
    if not peers:
        print("static-sitemap-cli is skipped: add --peers to include it")
    elif npm := shutil.which("npm"):
        subprocess.run([npm, "install", "--silent", "--prefix", folder, "static-sitemap-cli"], check=True)
        commands["static-sitemap-cli"] = [
            f"{folder}/node_modules/.bin/sscli",
            "--base",
            BASE,
            "--root",
            "dist",
            "--stdout",
        ]
    else:
        print("npm is not installed: static-sitemap-cli is skipped")
    return commands


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        size = build(Path(folder) / "dist", arguments.pages)
        print(f"{arguments.pages:,} pages of {size / arguments.pages / 1024:.1f} KB, {os.cpu_count()} cores")
        commands = programs(folder, peers=arguments.peers)
        rounds = [{name: cost(command, folder) for name, command in commands.items()} for _ in range(arguments.rounds)]
    for name in commands:
        runs = [one[name] for one in rounds]
        cpu_ratio = statistics.median(one[name].cpu / one["check"].cpu for one in rounds)
        wall, cpu = (statistics.median(getattr(run, of) for run in runs) for of in ("wall", "cpu"))
        ratio = statistics.median(one[name].wall / one["check"].wall for one in rounds)
        print(
            f"{name:<21} {arguments.pages / wall:6,.0f} pages/s  {cpu / arguments.pages * 1000:6.3f} ms CPU a page"
            f"  {max(run.peak for run in runs):5.0f} MiB  {ratio:5.2f}x check, {cpu_ratio:5.2f}x its CPU"
        )


if __name__ == "__main__":
    main()
