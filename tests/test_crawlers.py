"""The examples for Scrapy and Crawlee, with these from PyPI: fed by a loader, killed (-9), and resumed."""

import json
import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers import Site, serve, typed
from webs import index, urlset

ROOT = Path(__file__).parents[1]
CRAWLERS = ROOT / "build/crawlers"
PAGES = 120
KILLED_AFTER = (15, 60)  # lines of output


def crawlers() -> str:
    """The Python that has the crawlers; a test without it is skipped."""
    if not (CRAWLERS / ".lock").exists():
        pytest.skip("Scrapy and Crawlee are not installed: run `make crawlers`")
    return str(CRAWLERS / "bin/python")


@pytest.fixture
def site() -> Iterator[Site]:
    with serve({}) as found:
        url = found.url
        found.routes["/sitemap.xml"] = typed("application/xml", index(*(f"{url}{n}.xml" for n in range(4))))
        for n in range(4):
            pages = [f"{url}page/{m}" for m in range(n, PAGES, 4)]
            found.routes[f"/{n}.xml"] = typed("application/xml", urlset(*pages, f"{url}page/0"))
        found.routes |= {f"/page/{n}": f"<title>Page {n}</title>" for n in range(PAGES)}
        yield found


def commands(site: Site) -> dict[str, list[str]]:
    python, folder = crawlers(), ROOT / "examples/crawlers"
    spider = [python, "-m", "scrapy", "runspider", "--nolog", str(folder / "spider.py")]
    spider += ["-a", f"site={site.url}", "-a", "state=state", "-a", "output=pages.jsonl"]
    return {"scrapy": spider, "crawlee": [python, str(folder / "crawler.py"), site.url, "state", "pages.jsonl"]}


def lines(output: Path) -> list[str]:
    """The URLs of whole lines."""
    text = output.read_text() if output.exists() else ""
    return [json.loads(line)["url"] for line in text.splitlines(keepends=True) if line.endswith("\n")]


@pytest.mark.parametrize("name", ["scrapy", "crawlee"])
def test_a_crawler_that_is_killed_goes_on(site: Site, tmp_path: Path, name: str) -> None:
    command, output = commands(site)[name], tmp_path / "pages.jsonl"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "CRAWLEE_STORAGE_DIR": str(tmp_path / "storage")}
    for wanted in KILLED_AFTER:
        with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=-3, stderr=-3) as process:
            deadline = time.monotonic() + 60
            while len(lines(output)) < wanted and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.001)
            process.kill()
        assert len(lines(output)) >= wanted
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert f"{PAGES} of {PAGES} URLs are handled, unavailable: ()" in done.stdout
    found = Counter(lines(output))
    assert set(found) == {f"{site.url}page/{n}" for n in range(PAGES)}
    twice = [url for url, number in found.items() if number > 1]
    assert len(twice) <= len(KILLED_AFTER), (
        "a page is written and acknowledged at once: one of a kill at most comes again"
    )
    documents = Counter(path for path in site.paths if path.endswith(".xml"))
    assert max(documents.values()) <= 1 + len(KILLED_AFTER)
