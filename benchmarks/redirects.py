"""2,000 redirect rules against 10,000 pages: the time to judge them, beside that of an answer for each page.

    python benchmarks/redirects.py [--pages 10000] [--rounds 5]

No file is read: the host answers from the names. Target: under 0.1 seconds for all rules.
"""

import argparse
import time

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
    arguments = parser.parse_args()
    files = frozenset({"index.html", *(f"page-{number}/index.html" for number in range(arguments.pages))})
    urls = [f"{HOME}page-{number}/" for number in range(arguments.pages)]
    content = rules()
    for name in ("netlify", "cloudflare-pages"):
        served = choose_host(name)(BuildFiles(files, lambda path: content if path == "_redirects" else None))
        best = min(measure(served, urls) for _ in range(arguments.rounds))
        print(
            f"{name}: {len(served.rules):,} rules in {best[0]:.3f} s; {best[0] / best[1]:.1f}x of {len(urls):,} answers"
        )


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
