"""The table of flows and faults; `make faults` plays every row and writes tests/faults.md anew, in about twenty minutes."""

import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from forge.github import github
from forge.indexnow import indexnow as engines
from publishing_flows import COMBINATIONS, FAULTS, FLOWS, KEY, play
from sitemap_action.repo import git_process, github_api

FILE = Path(__file__).parents[1] / "tests/faults.md"
_HEAD = """# Faults on the way

What a run that publishes does when GitHub, or what is between, fails. Each flow is played against a GitHub on loopback that
holds every request to GitHub's published descriptions; beside what is ours there are a branch, a pull request, a comment and
an issue of somebody else. Each of its requests, reads and writes, meets each fault once:

- `502` and a connection that is dropped, both *before* the request was carried out and *after* it, and the limits (403 with
  `Retry-After`, and 429) pass: the same run ends well, or says what a search engine has not taken.
- `403`, `409` and `422` are refusals: the run ends with the reason, and the next one repairs what is left.

A row is held where at the end the state is right, nothing is doubled, nothing of somebody else has changed, no branch is left
over, and outputs and steps say what happened. [Commits, pull requests, comments](../docs/publishing.md) says how.

"""


class Row(NamedTuple):
    """A flow by somebody: how many requests it makes, and which (fault, request) did not hold, with what was wrong."""

    flow: str
    who: str
    requests: int
    wrong: dict[tuple[str, int], str]

    def cell(self, fault: str) -> str:
        held = sum((fault, skip) not in self.wrong for skip in range(self.requests))
        return f"{held}/{self.requests}"


def row(combination: tuple[str, str]) -> Row:
    """Play every fault at every request of it."""
    github_api.FIRST, git_process.PROTOCOLS = 0.001, "https:ssh:http"
    github_api.SLEEP = lambda seconds: time.sleep(min(seconds, 0.01))
    with engines(KEY) as engine, github() as hub:
        first = play(hub, engine, *combination)
        wrong = {("none", 0): first.wrong} if first.wrong else {}
        for fault in FAULTS:
            for skip in range(first.requests):
                if found := play(hub, engine, *combination, fault, skip).wrong:
                    wrong[fault, skip] = found
    return Row(*combination, first.requests, wrong)


def described(flow: str, who: str, requests: int) -> str:
    return f"| {FLOWS[flow].says} | {who} | {requests} |"


def table(rows: list[Row]) -> str:
    of = sum(one.requests for one in rows) * len(FAULTS)
    held = of - sum(len(one.wrong) for one in rows)
    lines = [
        f"**{of:,} rows of {len(FLOWS)} flows and {len(FAULTS)} faults, {held:,} held.**",
        "",
        f"| flow | by | requests | {' | '.join(FAULTS)} |",
        f"|---|---|--:|{'--:|' * len(FAULTS)}",
        *(f"{described(*one[:3])} {' | '.join(map(one.cell, FAULTS))} |" for one in rows),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    wanted = [
        one for one in COMBINATIONS if len(sys.argv) < 2 or one[0] in sys.argv[1:] or "/".join(one) in sys.argv[1:]
    ]
    with ProcessPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        found = []
        for one in pool.map(row, wanted):
            sys.stdout.write(f"{one.flow} {one.who}: {one.requests} requests, {one.wrong or 'held'}\n")
            sys.stdout.flush()
            found.append(one)
    if len(sys.argv) < 2:
        FILE.write_text(_HEAD + table(found), encoding="utf-8")
    sys.exit(any(one.wrong for one in found))
