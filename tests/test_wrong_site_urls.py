"""Every wrong site-url of ten kinds, over random sites: no run writes, none accuses a page, each names the right base.

A stable sample runs here; `SITEMAP_ACTION_STATED_SITES=500` runs all, five thousand command lines and more.
"""

import os
from itertools import product
from pathlib import Path

import pytest

from sitemap_action.__main__ import run
from sitemap_action.web.urls import normalize
from wrong_site_urls import WRONG, lay_out, random_stated_site

SITES = int(os.environ.get("SITEMAP_ACTION_STATED_SITES", "5"))


def contents(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


# In 429 an entry names another page below the wrong base, in a spelling that no link has.
@pytest.mark.parametrize(("seed", "kind"), [*product(range(SITES), WRONG), (429, "sub-path less")])
def test_I_01_a_wrong_site_url(seed: int, kind: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = random_stated_site(seed, kind)
    lay_out(site, here)
    wrong = normalize(WRONG[kind](site.base, site.names))
    assert wrong != normalize(site.base)
    before, given = contents(here), ["--path", "dist", "--offline", "--site-url"]
    code = run(["write", *given, wrong])
    printed = capsys.readouterr().out
    assert code == 3, (site, wrong, printed)
    assert printed.splitlines()[0].endswith(f" are below {normalize(site.base)} (exit 3)"), (site, wrong, printed)
    assert not {"gone", "redirects", "redirect"} & set(printed.replace(":", " ").split()), (site, wrong, printed)
    assert contents(here) == before
    run(["check", *given, site.base])
    right = capsys.readouterr().out
    run(["check", *given, site.base, "--set", "checks.URL-35=off"])
    assert capsys.readouterr().out == right
    assert "URL-35" not in right
    assert "the site states" not in right
