"""The ledger against brute force: random histories of a site, judged after each commit by a walker of its own."""

import json
import os
import random
from pathlib import Path

import pytest

from examples import few
from known_faults import GIVEN, SITE, html, sitemap
from sitemap_action.__main__ import run

LIST = ".github/urls.txt"
COMMITS = 50
HISTORIES = int(os.environ.get("SITEMAP_ACTION_HISTORIES", "0")) or few(10)
HOSTS = ("netlify", "vercel", "github-pages")


class Site:
    """What a commit has. Each page that was ever there is an address of the ledger."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.pages = {"p0", "p1", "p2"}
        self.redirects: dict[str, tuple[str, int]] = {}
        self.host = "netlify"
        self.gone: set[str] = set()
        self.ever = set(self.pages)
        self.before = [(set(self.pages), {}, "netlify")]

    def commit(self) -> None:
        """One random change; nothing where the site has nothing for it."""
        page, fresh = self.chance.choice(sorted(self.pages)), f"p{self.chance.randrange(40)}"
        self.chance.choice((self._add, self._rename, self._delete, self._revert, self._redirect, self._rot, self._move, self._switch, self._declare))(page, fresh)  # fmt: skip
        self.ever |= self.pages
        self.before.append((set(self.pages), dict(self.redirects), self.host))

    def _add(self, _page: str, fresh: str) -> None:
        self.pages.add(fresh)

    def _rename(self, page: str, fresh: str) -> None:
        self._remove(page)
        self.pages.add(fresh)
        if self.chance.random() < 0.6:
            self.redirects[page] = (fresh, 301)

    def _delete(self, page: str, _fresh: str) -> None:
        self._remove(page)

    def _revert(self, _page: str, _fresh: str) -> None:
        pages, redirects, self.host = self.chance.choice(self.before)
        self.pages, self.redirects = set(pages), dict(redirects)

    def _redirect(self, page: str, _fresh: str) -> None:
        """Later than the page vanished."""
        if lost := sorted(self.ever - self.pages):
            self.redirects[self.chance.choice(lost)] = (page, self.chance.choice((301, 301, 302)))

    def _rot(self, _page: str, fresh: str) -> None:
        if self.redirects:
            name = self.chance.choice(sorted(self.redirects))
            del self.redirects[name]
            if self.chance.random() < 0.5:
                self.redirects[name] = (fresh, 301)

    def _move(self, _page: str, fresh: str) -> None:
        """What a redirect leads to."""
        targets = sorted({to for to, _ in self.redirects.values()} & self.pages)
        if targets:
            self._rename(self.chance.choice(targets), fresh)

    def _switch(self, _page: str, _fresh: str) -> None:
        self.host = self.chance.choice(HOSTS)

    def _declare(self, _page: str, _fresh: str) -> None:
        if lost := sorted(self.ever - self.pages):
            self.gone.add(self.chance.choice(lost))

    def _remove(self, page: str) -> None:
        if len(self.pages) > 1:
            self.pages.discard(page)

    def served(self, name: str) -> tuple[str, int] | None:
        """The redirect that the host answers with. On Netlify a file comes first, on Vercel a redirect."""
        if self.host == "github-pages" or (self.host == "netlify" and name in self.pages):
            return None
        found = self.redirects.get(name)
        return None if found and found[0] == name and self.host == "netlify" else found  # which ignores such a rule

    def dead(self) -> dict[str, bool]:
        """Each address that leads nowhere, with whether it is redirected."""
        found = {}
        for name in self.ever - self.gone:
            at, permanent, hops = name, True, 0
            while (step := self.served(at)) and hops <= 10:
                at, permanent, hops = step[0], permanent and step[1] == 301, hops + 1
            if hops > 10 or at not in self.pages or not permanent:
                found[name] = hops > 0
        return found

    def put(self) -> None:
        listed = tuple(sorted(name for name in self.pages if not self.served(name)))
        for file in Path("dist").glob("*/index.html"):
            if file.parent.name not in self.pages:
                file.unlink()
        files = {f"dist/{name}/index.html": html(name) for name in self.pages}
        files["dist/index.html"] = html("", tuple(sorted(self.pages)))
        files["dist/sitemap.xml"] = files["sitemap.xml"] = sitemap(listed, frozenset())
        rules = [(f"/{name}/", f"/{to}/", status) for name, (to, status) in sorted(self.redirects.items())]
        files["dist/_redirects"] = "".join(f"{one} {to} {status}\n" for one, to, status in rules)
        vercel = [{"source": one, "destination": to, "statusCode": status} for one, to, status in rules]
        files["dist/vercel.json"] = json.dumps({"redirects": vercel, "trailingSlash": True})
        lines = [f"/{name}/{' gone 2026-01-01 over' if name in self.gone else ''}" for name in sorted(self.ever)]
        self.chance.shuffle(lines)
        files[LIST] = "\n".join(lines)
        for path, text in files.items():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(text)


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_the_ledger_is_what_a_walk_by_hand_finds(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    site = Site(random.Random(seed))
    alarms = 0
    for number in range(COMMITS):
        site.commit()
        site.put()
        run(
            [
                "check",
                *GIVEN,
                "--host",
                site.host,
                "--set",
                f"policy.ledger={LIST}",
                "--fail-on",
                "none",
                "--format",
                "json",
            ]
        )
        found = json.loads(capsys.readouterr().out)
        dead = {row["url"].removeprefix(SITE).strip("/"): row["class"] != "gone" for row in found["ledger"]["dead"]}
        assert dead == site.dead(), f"after commit {number} on {site.host}: {site.redirects}"
        assert found["result"] == ("drift" if dead else "in-sync"), found["causes"]
        returned = {row["url"] for row in found["findings"] if row["rule"] == "LED-04"}
        if len(returned) == 1:
            assert returned <= {f"{SITE}{name}/" for name in site.gone & site.pages}
        alarms += len(dead)
    assert alarms > 0
