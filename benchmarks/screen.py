"""What the page of `ui` costs a browser while a run reads 1,000, 10,000 and 50,000 pages, 10,000 a second at most."""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser import Browser, browser
from screens import RunningScreen, Synthetic, play, screen, until

_WATCH = """(() => {
  let before = performance.now();
  window.longest = 0;
  requestAnimationFrame(function look(now) {
    window.longest = Math.max(window.longest, now - before);
    before = now;
    requestAnimationFrame(look);
  });
})()"""
_ELEMENTS = "document.querySelectorAll('*').length"


def busy_seconds(tab: Browser) -> float:
    metrics = {one["name"]: one["value"] for one in tab.send("Performance.getMetrics")["metrics"]}
    return float(metrics["TaskDuration"])


def report(tab: Browser, running: RunningScreen, count: int) -> None:
    tab.run(_WATCH)
    before, start = busy_seconds(tab), time.perf_counter()
    play(running, Synthetic(count, lambda number: f"https://www.example.com/part-{number % 40}/{number}/", wait=0.025))
    until(tab, f"document.getElementById('count-read')?.textContent === '{count:,}'")
    seconds, busy = time.perf_counter() - start, busy_seconds(tab) - before
    sys.stdout.write(
        f"{count:>7,} pages in {seconds:4.1f} s: busy {busy:5.2f} s ({busy / seconds:4.0%}), longest time between two "
        f"frames {tab.run('longest'):4.0f} ms, {tab.run(_ELEMENTS):,} elements\n"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as name, browser() as tab:
        place = Path(name)
        with screen(place / "root", place / "files") as running:
            tab.open(running.address)
            tab.send("Performance.enable")
            until(tab, "document.getElementById('field-source.url') !== null")
            for count in (1_000, 10_000, 50_000):
                report(tab, running, count)


if __name__ == "__main__":
    main()
