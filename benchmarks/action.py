"""From `uses:` to the verdict, beside the program's own time on the same site: what the containers cost.

    SITEMAP_ACTION_ENGINE=podman python benchmarks/action.py IMAGE

IMAGE is at hand, such as localhost/sitemap-action:test of `make image`. The site has ten pages.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "benchmarks")]

from startup import site  # noqa: E402

from containers import Runner  # noqa: E402 - of the tests, which know how a runner plays a step

ROUNDS = 7
INPUTS = {"path": "dist", "site_url": "https://example.com/", "sitemap": "sitemap.xml", "baseline": "committed"}


def seconds(work: Callable[[], object]) -> float:
    """The middle of several."""
    found = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        runner = Runner.make(Path(name) / "github", sys.argv[1])
        (runner.workspace / "dist").mkdir()
        site(runner.workspace / "dist")
        runner.own()
        program = [sys.executable, "-m", "sitemap_action", "run"]
        environment = runner.environment(**INPUTS)
        subprocess.run(program, cwd=runner.workspace, env=environment, capture_output=True, check=False)
        alone = seconds(lambda: runner.start(program, environment))
        whole = seconds(lambda: runner.run(network="bridge", **INPUTS))
    print(f"the program alone  {alone:5.2f} s\nthe action         {whole:5.2f} s, {whole - alone:.2f} s more")


if __name__ == "__main__":
    main()
