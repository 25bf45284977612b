"""Pages that scripts build, from nginx on loopback: pages a second once the browser runs, and memory of all processes.

    python benchmarks/render.py [--pages 120] [--rounds 3] [--peers FOLDER]

Each page fetches JSON and makes 21 links of it. Warm is what pages after the first 20 take: a run over `--pages` less
one over 20. Memory is PSS, summed over the program and all processes below it. `--dump-dom` starts Chromium for each
page, as a script without a driver does. `--peers` is a virtual environment with Playwright, which opens as many pages
side by side, waits for the same idle network and reads each document once; the browser is the same for all.

Then a folder of 500 static pages is read in turn without a shell, with one, and with a page that looks like one and is
complete, as the search of a static generator does: medians of the seconds that
it costs more, one after another in each round.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from crawl import nginx
from folder import BASE, CHECK

FEW = 20
DUMPED = 10  # pages; each takes as long as the others
FASTEST_ALLOWED, MOST_ALLOWED = 5.0, 500.0  # pages a second, MiB
STATIC, ONE_ALLOWED = 500, 1.5  # pages; seconds that one of them may cost more
BROWSER = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium"))), "")
SHELL = """<!doctype html><html lang=en><head><meta charset=utf-8><title>App</title>
<link rel=icon href="data:,"><script type=module src=/app.js></script></head><body><div id=root></div></body></html>
"""
SCRIPT = """
const [, site, , number] = location.pathname.split('/')
const links = await (await fetch(`/${site}/links.json`)).json()
document.title = `Page ${number ?? 'one'}`
const root = document.getElementById('root')
root.append(Object.assign(document.createElement('h1'), {textContent: document.title}))
for (const step of links.steps) {
  const to = `/${site}/p/${(Number(number ?? 0) + step) % links.pages}/`
  root.append(Object.assign(document.createElement('a'), {href: to, textContent: to}), ' ')
}
"""
PLAYWRIGHT = """
import asyncio, sys
from playwright.async_api import async_playwright
async def main(browser, address, pages):
    queue = [f"{address}p/{number}/" for number in range(pages)]
    async def work(context):
        page = await context.new_page()
        while queue:
            await page.goto(queue.pop(), wait_until="networkidle")
            await page.wait_for_selector("a[href]")
            assert (await page.content()).count("<a ") == 21
    async with async_playwright() as driver:
        started = await driver.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        context = await started.new_context()
        await asyncio.gather(*(work(context) for _ in range(4)))
        await started.close()
asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


ODD = {
    "no shell": "<!doctype html><title>Odd</title><p>A page of its own.</p>",
    "one shell": SHELL,
    "one like a shell": "<!doctype html><title>Search</title><div id=app></div><script src=/search.js></script>",
}
FILES = {
    "links.json": json.dumps({"pages": 3, "steps": [0]}),
    "app.js": SCRIPT.replace("`/${site}/links.json`", "'/links.json'")
    .replace("`/${site}/p/${", "`/page-${")
    .replace("}/`\n", "}.html`\n"),
    "search.js": "document.getElementById('app').innerHTML = '<input placeholder=Search>'",
}


class Cost(NamedTuple):
    seconds: float
    mebibytes: float  # PSS of all processes, at most


def measured(command: list[str], folder: str, *, codes: tuple[int, ...] = (0,)) -> Cost:
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    sizes = [0.0]
    ended = threading.Event()

    def sample() -> None:
        while not ended.wait(0.25):
            sizes.append(tree_pss(process.pid))

    sampler = threading.Thread(target=sample)
    sampler.start()
    assert process.stderr is not None
    said = process.stderr.read()
    code = process.wait()
    seconds = time.monotonic() - start
    ended.set()
    sampler.join()
    assert code in codes, said.decode()
    return Cost(seconds, max(sizes))


def tree_pss(root: int) -> float:
    parents = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found, size = {root}, 0.0
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    for pid in found:
        with suppress(OSError, StopIteration):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            size += next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    return size


def build(site: Path, pages: int) -> None:
    """The site of so many pages, which stays: nginx keeps files open."""
    root = site / str(pages)
    for path in (root, *(root / "p" / str(number) for number in range(pages))):
        path.mkdir(parents=True)
        (path / "index.html").write_text(SHELL)
    (root / "links.json").write_text(json.dumps({"pages": pages, "steps": list(range(1, 22))}))


def check(folder: str, url: str, pages: int) -> Cost:
    flags = ["--url", f"{url}{pages}/", "--site-url", BASE, "--report", "json=report.json", "--quiet"]
    found = measured([*CHECK, *flags], folder, codes=(0, 1))
    report = json.loads((Path(folder) / "report.json").read_text())
    assert report["counts"]["urls"] == pages + 1, report["counts"]
    return found


def playwright(folder: str, url: str, pages: int, peers: Path) -> Cost:
    return measured([str(peers / "bin/python"), "-c", PLAYWRIGHT, BROWSER, f"{url}{pages}/", str(pages)], folder)


def dump(folder: str, url: str) -> Cost:
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom"]
    script = f'for n in $(seq {DUMPED}); do "$0" "$@" {url}{FEW}/p/$n/ | grep -q "<a " || exit 1; done'
    return measured(["sh", "-c", script, BROWSER, *flags], folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=120)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", type=Path)
    arguments = parser.parse_args()
    if not BROWSER:
        print("no Chromium is installed (Debian: chromium-headless-shell)")
        return 1
    os.environ["SITEMAP_ACTION_BROWSER"] = BROWSER
    rates: dict[str, list[float]] = {}
    sizes: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for pages in (FEW, arguments.pages):
            build(Path(folder) / "site", pages)
        (Path(folder) / "site/app.js").write_text(SCRIPT)
        with nginx(Path(folder)) as url:
            for _ in range(arguments.rounds):
                few, many = check(folder, url, FEW), check(folder, url, arguments.pages)
                note(rates, sizes, "sitemap-action", (arguments.pages - FEW) / (many.seconds - few.seconds), many)
                if arguments.peers:
                    few, many = (playwright(folder, url, pages, arguments.peers) for pages in (FEW, arguments.pages))
                    note(rates, sizes, "playwright", (arguments.pages - FEW) / (many.seconds - few.seconds), many)
                dumped = dump(folder, url)
                note(rates, sizes, "--dump-dom", DUMPED / dumped.seconds, dumped)
        good = show_static(static_site(Path(folder), arguments.rounds))
    return show(rates, sizes) or int(not good)


def static_site(folder: Path, rounds: int) -> dict[str, list[float]]:
    """Seconds of each kind, one after another in each round."""
    words = "A page that a generator has written, with some words on it. " * 40
    found: dict[str, list[float]] = {name: [] for name in ODD}
    dist = folder / "dist"
    dist.mkdir()
    for name, content in FILES.items():
        (dist / name).write_text(content)
    for number in range(STATIC):
        links = "".join(f"<a href=/page-{(number + step) % STATIC}.html>{step}</a> " for step in range(1, 22))
        page = f"<!doctype html><title>Page {number}</title><p>{words}</p>{links}<a href=/odd.html>odd</a>"
        (dist / ("index.html" if not number else f"page-{number}.html")).write_text(page)
    for _ in range(rounds):
        for name, document in ODD.items():
            (dist / "odd.html").write_text(document)
            flags = ["--path", "dist", "--site-url", BASE, "--quiet", "--report", "json=report.json"]
            found[name].append(measured([*CHECK, *flags], str(folder), codes=(0, 1)).seconds)
            report = json.loads((folder / "report.json").read_text())
            rendered = report.get("rendering", {"pages": 0})["pages"]
            assert bool(rendered) == (name != "no shell"), report
    return found


def show_static(found: dict[str, list[float]]) -> bool:
    plain = found["no shell"]
    print(f"\n{STATIC} static pages: {statistics.median(plain):.2f} s")
    more = {name: statistics.median(b - a for a, b in zip(plain, times, strict=True)) for name, times in found.items()}
    for name in list(ODD)[1:]:
        print(f"{name:18}{more[name]:+.2f} s")
    good = max(more.values()) <= ONE_ALLOWED
    print(f"at most {ONE_ALLOWED:g} s more: {'reached' if good else 'not reached'}")
    return good


def note(rates: dict[str, list[float]], sizes: dict[str, list[float]], name: str, rate: float, cost: Cost) -> None:
    rates.setdefault(name, []).append(rate)
    sizes.setdefault(name, []).append(cost.mebibytes)


def show(rates: dict[str, list[float]], sizes: dict[str, list[float]]) -> int:
    """Medians of rates, the most of memory; a ratio is that of two programs in one round."""
    print(f"{'':16}{'pages/s warm':>14}{'peak MiB':>10}{'ours is faster':>16}")
    ours = rates["sitemap-action"]
    for name, found in rates.items():
        ratio = statistics.median(mine / other for mine, other in zip(ours, found, strict=True))
        print(f"{name:16}{statistics.median(found):14.1f}{max(sizes[name]):10.0f}{ratio:15.2f}x")
    good = statistics.median(ours) >= FASTEST_ALLOWED and max(sizes["sitemap-action"]) < MOST_ALLOWED
    print(f"at least {FASTEST_ALLOWED:g} pages/s within {MOST_ALLOWED:g} MiB: {'reached' if good else 'not reached'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
