"""robots.txt against public conformance suites, when SITEMAP_ACTION_CONFORMANCE names a folder with robots.json.

Facts that all implementations agree on, or that RFC 9309 decides, are tests of the `rfc` profile. The other tiers are
only counted: `python tests/robots/test_conformance.py FOLDER` prints for each tier how many facts each profile meets.
"""

import base64
import json
import os
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from sitemap_action.robots.groups import Profile, parse

TESTED_TIERS = ("unanimous", "rfc9309")


@dataclass(frozen=True)
class Fact:
    name: str
    tier: str
    body: bytes
    agent: str
    url: str
    allowed: bool

    def holds(self, profile: Profile) -> bool:
        return parse(self.body, profile).verdict(self.agent, self.url).allowed is self.allowed


def facts(folder: str) -> list[Fact]:
    cases = json.loads(Path(folder, "robots.json").read_text(encoding="utf-8"))
    return [
        Fact(
            name=f"{number} {case['source'].partition('@')[0]} {case['test']}",
            tier=case["tier"],
            body=base64.b64decode(coded) if (coded := case.get("robots_txt_base64")) else case["robots_txt"].encode(),
            agent=case["user_agent"],
            url=case["url"],
            allowed=case["allowed"],
        )
        for number, case in enumerate(cases)
    ]


if folder := os.environ.get("SITEMAP_ACTION_CONFORMANCE"):
    TESTED = [fact for fact in facts(folder) if fact.tier in TESTED_TIERS]

    def test_there_are_facts() -> None:
        assert len(TESTED) > 1000

    @pytest.mark.parametrize("fact", [pytest.param(fact, id=fact.name) for fact in TESTED])
    def test_fact(fact: Fact) -> None:
        verdict = parse(fact.body, Profile.RFC).verdict(fact.agent, fact.url)
        assert verdict.allowed is fact.allowed, (fact, verdict)


def main(folder: str) -> None:
    found = facts(folder)
    for tier, count in Counter(fact.tier for fact in found).items():
        met = (f"{profile} {sum(fact.holds(profile) for fact in found if fact.tier == tier)}" for profile in Profile)
        sys.stdout.write(f"{tier:22}{count:5} facts; {'; '.join(met)}\n")


if __name__ == "__main__":
    main(sys.argv[1])
