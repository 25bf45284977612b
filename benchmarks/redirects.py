"""2,000 redirect rules against 10,000 pages: the time to judge them, beside that of an answer for each page.

    python benchmarks/redirects.py [--pages 10000] [--rounds 5] [--lost 5000]

No file is read: the host answers from the names. Target: under 0.1 seconds for all rules. Before that thousands of lost
pages, a tenth and all of them: what a check and `redirects` cost, in a repository where each was renamed on its own, so
that no group and no rule for a folder helps. Target: ten times the pages cost at most twelve times the seconds.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sitemap_action.hosts.all import choose_host
from sitemap_action.hosts.base import BuildFiles, ServedBuild
from sitemap_action.html.document import NO_OPTIONAL
from sitemap_action.walk.build import Build, judge_redirects

HOME = "https://www.example.com/"
RULES = 2_000


def rules() -> bytes:
    """A fifth of them is a dead end, a loop, a chain or hidden by a file; a hundred have a placeholder."""
    lines = [f"/old/{number} /page-{number}/ 301" for number in range(RULES - 500)]
    lines += [f"/gone/{number} /none/{number} 301" for number in range(100)]
    lines += [f"/loop/{number} /loop/{number ^ 1} 301" for number in range(100)]
    lines += [f"/chain/{number} /old/{number} 301" for number in range(100)]
    lines += [f"/page-{number}/ / 301" for number in range(100)]
    lines += [f"/tree/{number}/* /page-{number}/ 301" for number in range(100)]
    return "\n".join(lines).encode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--lost", type=int, default=5_000)
    arguments = parser.parse_args()
    for count in (arguments.lost // 10, arguments.lost):
        measure_lost(count)
    files = frozenset({"index.html", *(f"page-{number}/index.html" for number in range(arguments.pages))})
    urls = [f"{HOME}page-{number}/" for number in range(arguments.pages)]
    content = rules()
    for name in ("netlify", "cloudflare-pages"):
        served = choose_host(name)(BuildFiles(files, lambda path: content if path == "_redirects" else None))
        best = min(measure(served, urls) for _ in range(arguments.rounds))
        print(
            f"{name}: {len(served.rules):,} rules in {best[0]:.3f} s; {best[0] / best[1]:.1f}x of {len(urls):,} answers"
        )


def measure_lost(count: int) -> None:
    """Processor seconds and memory of a check and of `redirects`, of pages that all have other names than before."""
    with tempfile.TemporaryDirectory() as name:
        site = Path(name)
        pages = {number: " ".join(f"w{number}x{word}" for word in range(60)) for number in range(count)}
        write_pages(site, "old", "a", pages)
        (site / "public/index.html").write_text("<!doctype html><title>x</title>")
        for command in ("init -q", "add -A", "-c user.name=x -c user.email=x@example.com commit -q -m x"):
            subprocess.run(["git", *command.split()], cwd=site, check=True)
        run(site, "write", "--quiet")
        for command in ("add -A", "-c user.name=x -c user.email=x@example.com commit -q -m x"):
            subprocess.run(["git", *command.split()], cwd=site, check=True)
        subprocess.run(["git", "rm", "-q", "-r", "public/old"], cwd=site, check=True)
        write_pages(site, "new", "b", pages)
        subprocess.run(["git", "add", "-A"], cwd=site, check=True)
        for command in ("check", "redirects"):
            seconds, memory, out = run(site, command, "--quiet", *(["--format", "json"] * (command == "redirects")))
            certain = out.count('"certain"')
            print(f"{count:,} lost, {command}: {seconds:.2f} s, {memory:.0f} MiB, {certain:,} certain")


def write_pages(site: Path, folder: str, letter: str, pages: dict[int, str]) -> None:
    for number, text in pages.items():
        page = site / f"public/{folder}/{letter}{number}/index.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"<!doctype html><title>{number}</title><main>{text}</main>")


def run(site: Path, command: str, *more: str) -> tuple[float, float, str]:
    where = ("--path", "public", "--site-url", HOME, "--host", "netlify", "--sitemap", "public/sitemap.xml")
    given = [sys.executable, "-m", "sitemap_action", command, *where, *more]
    environment = {name: value for name, value in os.environ.items() if not re.match("GITHUB_|INPUT_", name)}
    with subprocess.Popen(given, cwd=site, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        out = process.stdout.read()
        _, _, used = os.wait4(process.pid, 0)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, out


def measure(served: ServedBuild, urls: list[str]) -> tuple[float, float]:
    """Seconds for the rules, and for the answers of all pages."""
    build = Build("dist", HOME, served.host, NO_OPTIONAL)
    start = time.process_time()
    judge_redirects(build, served, urls, (), "dist")
    middle = time.process_time()
    for url in urls:
        served.host.answer(url[len(HOME) - 1 :])
    return middle - start, time.process_time() - middle


if __name__ == "__main__":
    main()
