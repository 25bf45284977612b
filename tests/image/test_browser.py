"""The input `browser`: an image with Chromium renders an application that the plain one cannot see."""

import shutil

import pytest

from client_side import built, listed
from containers import Engine, Runner

SITE = "https://workshop.example.com"
ROWS = "".join(f"<url><loc>{SITE}{path}</loc></url>\n" for path in listed("react"))
SITEMAP = f'<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{ROWS}</urlset>\n'
INPUTS = {"path": "dist", "site_url": f"{SITE}/", "sitemap": "sitemap.xml"}


@pytest.fixture
def application(runner: Runner) -> Runner:
    """React with its router, in the workspace of a runner."""
    shutil.copytree(built("react"), runner.workspace / "dist")
    runner.put({"sitemap.xml": SITEMAP})
    runner.own()
    return runner


def test_an_application_is_rendered(application: Runner) -> None:
    """No image is named: the action builds one."""
    ran = application.run(browser="true", **INPUTS)
    assert ran.code == 0, ran.log
    assert (ran.outputs["result"], ran.outputs["complete"]) == ("in-sync", "true"), ran.log
    assert ran.outputs["url-count"] == str(len(listed("react")))
    assert "browser: true" not in ran.summary


def test_the_plain_image_names_the_input(application: Runner) -> None:
    ran = application.run(**INPUTS)
    assert (ran.code, ran.outputs["complete"]) == (3, "false"), ran.log
    assert "browser: true" in ran.summary


def test_the_plain_image_has_no_browser(engine: Engine) -> None:
    found = engine.call("run", "--rm", "--entrypoint", "sh", engine.image, "-c", "ls /usr/lib/chromium /usr/bin/chrom*")
    assert found.returncode != 0, found.stdout
