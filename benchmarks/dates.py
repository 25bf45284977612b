"""Dates by git of 10,000 source files: one pass beside a process for each file, and a run with them beside one without.

    python benchmarks/dates.py [--pages 10000] [--rounds 3] [--sample 200]

The history has a commit for every ten files, one for every hundred of them again, and merges. A process for each file
is timed on a sample, for all of them take minutes. Sources are mapped by the config, and then by the layout of Hugo,
for which the front matter of each is read.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from folder import BASE, build, path

from sitemap_action.look.source_dates import git_dates
from sitemap_action.repo.git import Git

CHECK = [
    sys.executable,
    "-c",
    "from sitemap_action.__main__ import main; main()",
    "check",
    "--offline",
    "--format",
    "json",
]
TARGET_RUN, TARGET_PASS = 1.3, 20


def source(number: int) -> str:
    return f"docs/{path(number).removesuffix('.html')}.md"


def history(top: Path, pages: int) -> None:
    """By `git fast-import`, which writes thousands of commits in a second."""
    lines: list[str] = []
    count = 0

    def commit(numbers: range, text: str, *, merge: bool = False) -> None:
        nonlocal count
        count += 1
        when = 1_500_000_000 + count * 3600
        lines.append(f"commit refs/heads/{'side' if merge else 'main'}\nmark :{count}")
        lines.append(f"author A <a@example.com> {when} +0200\ncommitter A <a@example.com> {when} +0200\ndata 1\nx")
        if merge:
            lines.append(f"from :{count - 1}")
        for number in numbers:
            content = f"---\ntitle: {text}\n---\n{text} {number}"
            lines.append(f"M 100644 inline {source(number)}\ndata {len(content)}\n{content}")
        lines.append("")
        if merge:
            count += 1
            lines.append(f"commit refs/heads/main\nmark :{count}")
            lines.append(f"author A <a@example.com> {when} +0200\ncommitter A <a@example.com> {when} +0200\ndata 1\nm")
            lines.append(f"from :{count - 2}\nmerge :{count - 1}\n")

    for start in range(0, pages, 10):
        commit(range(start, min(start + 10, pages)), "first")
    for start in range(0, pages, 100):
        commit(range(start, min(start + 3, pages)), "second", merge=start % 300 == 0)
    subprocess.run(["git", "init", "-q", "-b", "main", str(top)], check=True)
    done = subprocess.run(["git", "fast-import", "--quiet"], cwd=top, input="\n".join(lines).encode(), check=True)
    assert done.returncode == 0
    subprocess.run(["git", "reset", "-q", "--hard"], cwd=top, check=True)
    (top / "hugo.toml").write_text('contentDir = "docs"\nbaseURL = "https://example.org/"\n')
    subprocess.run(["git", "add", "hugo.toml"], cwd=top, check=True)
    author = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    subprocess.run(["git", *author, "commit", "-q", "-m", "layout"], cwd=top, check=True)


def timed(command: list[str], folder: Path) -> float:
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()
    return time.perf_counter() - begun


def whole_runs(top: Path, rounds: int, mapped: str) -> None:
    """Paired: one after the other in every round."""
    config = f"site-url: {BASE}\nsitemap: sitemap.xml\nsource: {{path: site, host: generic}}\n"
    (top / ".github/sitemap.yml").write_text(config + mapped)
    settings = {
        "without": ["--set", "output.lastmod=keep"],
        "with": ["--set", "output.lastmod=git"],
    }
    times: dict[str, list[float]] = {name: [] for name in settings}
    for _ in range(rounds):
        for name, extra in settings.items():
            times[name].append(timed([*CHECK, *extra], top))
    ratio = statistics.median(one / other for one, other in zip(times["with"], times["without"], strict=True))
    print(f"sources mapped by {'the config' if mapped else 'the layout of Hugo'}:")
    for name, found in times.items():
        print(f"check {name} dates by git: {statistics.median(found):.2f} s")
    print(f"ratio: {ratio:.2f}x (target {TARGET_RUN}x)")


def one_pass(top: Path, rounds: int, sample: int) -> None:
    git = Git(top)
    files = [name for name in git.regular_files() if name.startswith("docs/")]
    begun = time.perf_counter()
    for name in files[:: max(1, len(files) // sample)][:sample]:
        subprocess.run(
            ["git", "log", "--follow", "-1", "--format=%aI", "--", name], cwd=top, capture_output=True, check=True
        )
    each = (time.perf_counter() - begun) / min(sample, len(files)) * len(files)
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        found = git_dates(git, files)
        times.append(time.perf_counter() - begun)
        assert len(found) == len(files)
    alone = statistics.median(times)
    print(f"{len(files):,} files: one pass {alone:.2f} s, a process for each {each:.0f} s (of {sample} measured)")
    print(f"ratio: {each / alone:.0f}x faster (target {TARGET_PASS}x)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sample", type=int, default=200)
    options = parser.parse_args()
    top = Path(tempfile.mkdtemp(prefix="sitemap-dates-"))
    try:
        history(top, options.pages)
        build(top / "site", options.pages)
        (top / ".github").mkdir()
        os.sync()
        one_pass(top, options.rounds, options.sample)
        whole_runs(top, options.rounds, "output: {lastmod-map: {docs/**.md: /**}}\n")
        whole_runs(top, options.rounds, "")
    finally:
        shutil.rmtree(top)


if __name__ == "__main__":
    main()
