"""`check` on a site of 10 pages, with warm bytecode, beside importing httpx and lxml: what starting costs."""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 25
PROGRAM = [sys.executable, "-c", "from sitemap_action.__main__ import main; main()"]  # as the installed script does
CHECK = [*PROGRAM, "check"]
OPTIONS = ["--path", "dist", "--site-url", "https://example.com/"]
IMPORT = [sys.executable, "-c", "import httpx, lxml.etree"]


def site(root: Path) -> None:
    for number in range(10):
        links = "".join(f'<a href="page-{other}.html">Page {other}</a> ' for other in range(10))
        name = "index.html" if number == 0 else f"page-{number}.html"
        (root / name).write_text(f"<!doctype html><title>Page {number}</title><p>{links}", encoding="utf-8")


def cost(command: list[str], environment: dict[str, str], folder: str) -> tuple[float, float]:
    """Seconds of CPU and of wall time of one process."""
    start = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, check=False)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(done.stderr.decode())
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, wall


def main() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        dist = Path(folder) / "dist"
        dist.mkdir()
        site(dist)
        (Path(folder) / "sitemap.yml").write_text("site-url: https://example.com/\nsource: {path: dist}\n")
        environment["PYTHONPYCACHEPREFIX"] = f"{folder}/bytecode"  # warm, and the installation stays as it is
        cost(
            [*PROGRAM, "write", *OPTIONS, "--sitemap", "sitemap.xml"], environment, folder
        )  # without it, the live site is asked for its sitemap
        for name, options in (("flags", OPTIONS), ("config file", ["--config", "sitemap.yml"])):
            report(name, [*CHECK, *options], environment, folder)


def report(name: str, check: list[str], environment: dict[str, str], folder: str) -> None:
    for command in (check, IMPORT):
        cost(command, environment, folder)
    pairs = [(cost(check, environment, folder), cost(IMPORT, environment, folder)) for _ in range(ROUNDS)]
    for kind, which in (("CPU", 0), ("wall", 1)):
        ours, imports = (statistics.median(pair[side][which] for pair in pairs) * 1000 for side in (0, 1))
        ratio = statistics.median(pair[0][which] / pair[1][which] for pair in pairs)
        print(f"{name:<12} {kind:<5} check {ours:4.0f} ms   import httpx, lxml.etree {imports:4.0f} ms   {ratio:.2f}x")


if __name__ == "__main__":
    main()
