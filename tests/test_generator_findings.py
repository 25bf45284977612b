"""Sitemaps as generators write them, judged by `validate` and by `check --path`: each finding is listed with the reason
why it is right, and any other one fails. The table is shown in docs/built-sitemap.md.

The builds are those of `.ci/sites` and of `examples/docs`.
"""

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sitemap_action.__main__ import run
from test_deployed_folder import mkdocs
from test_generated_sites import built

__all__ = ["mkdocs"]

NOINDEX = "The page says noindex, and the generator lists it all the same."
HINTS = "Google and Bing ignore changefreq and priority, which the generator writes."
NO_DEFAULT = "The generator names each language and no x-default."
OBSOLETE = "Google has not read these elements since 2022; the package writes what it is given."
UNLINKED = "A crawler that follows links does not find it."


class Right(NamedTuple):
    """A finding, how often it is reported, and why it is right."""

    rule: str
    severity: str
    count: int
    reason: str

    @property
    def in_check(self) -> "Right":
        """What the generator's own code does in each build is a hint to the author of a site (U-28)."""
        return self._replace(severity="info") if self.rule in {"SM-29", "SM-51"} else self


class Generator(NamedTuple):
    """A build with what is found in its sitemap; `extra`: path → why `check` says that it does not belong there."""

    name: str
    build: str
    origin: str
    urls: int
    sitemap: str = "sitemap.xml"
    findings: tuple[Right, ...] = ()
    of_site: tuple[Right, ...] = ()  # that only `check` can know
    extra: Mapping[str, str] = {}

    @property
    def invalid(self) -> bool:
        return any(one.severity == "error" for one in self.findings)


GENERATORS = (
    Generator("MkDocs", "mkdocs", "https://docs.example.com/", 12, extra={"project/writing/": NOINDEX}),
    Generator(
        "Sphinx, sphinx-sitemap",
        "sphinx-html",
        "https://lighthouse.example.com/",
        7,
        of_site=(
            Right("HTML-68", "info", 1, f'Pages name the index of terms in `<link rel="index">` alone. {UNLINKED}'),
        ),
        extra={"rota.html": NOINDEX, "search.html": NOINDEX},
    ),
    Generator("VitePress", "vitepress", "https://orchard.example.com/", 6, extra={"drafts.html": NOINDEX}),
    Generator("Eleventy, a template", "eleventy", "https://bakery.example.com/", 8),
    Generator(
        "Hugo, two languages",
        "hugo",
        "https://harbourmaster.example.com/",
        16,
        findings=(
            Right("HL-07", "info", 12, NO_DEFAULT),
            Right(
                "SM-29",
                "warning",
                9,
                "The pages of the default language are at `/`, and their sitemap is in `/en/`: by the protocol it may list "
                "URLs below `/en/` alone.",
            ),
            Right("SM-50", "info", 2, HINTS),
            Right(
                "SM-51",
                "error",
                2,
                "Hugo dates a language by its newest page in a section. A page beside the home page is newer here, so "
                "the index says that a file did not change after the date of one of its own entries.",
            ),
        ),
        extra={"crew/": NOINDEX},
    ),
    Generator(
        "Jekyll, jekyll-sitemap",
        "jekyll",
        "https://hut.example.com/",
        8,
        extra={
            "bookings.html": NOINDEX,
            "map.pdf": "jekyll-sitemap lists PDF files; `select.types: [html, pdf]` lists them here too.",
        },
    ),
    Generator(
        "Django, three languages",
        "django",
        "https://library.example.com/",
        9,
        findings=(Right("SM-50", "info", 2, HINTS),),
    ),
    Generator(
        "npm sitemap 9",
        "npm-sitemap",
        "https://theatre.example.com/",
        7,
        findings=(
            Right("HL-07", "info", 2, NO_DEFAULT),
            Right("IMG-03", "warning", 1, OBSOLETE),
            Right("NEWS-03", "warning", 1, "The article is of 2025; Google News reads two days."),
            Right(
                "SM-15",
                "error",
                1,
                "`expires` is written in the namespace of the protocol, whose schema does not have it.",
            ),
            Right("SM-50", "info", 1, HINTS),
            Right("VID-08", "warning", 1, OBSOLETE),
        ),
    ),
    Generator(
        "npm sitemap 1",
        "npm-sitemap-1",
        "https://cinema.example.com/",
        3,
        findings=(Right("IMG-03", "warning", 1, OBSOLETE), Right("SM-50", "info", 1, HINTS)),
    ),
    Generator(
        "next-sitemap",
        "next-sitemap",
        "https://planetarium.example.com/",
        7,
        findings=(
            Right(
                "HL-02",
                "error",
                7,
                "Each entry names the sites of `alternateRefs` and not itself: search engines ignore such a set. "
                "List the own site in `alternateRefs` too.",
            ),
            Right(
                "HL-03",
                "info",
                7,
                "The other language is on a host of its own, whose sitemap was not given: nothing is said of it.",
            ),
            Right("SM-50", "info", 1, HINTS),
        ),
        extra={"404/": NOINDEX, "staff/": NOINDEX},
    ),
    Generator("@astrojs/sitemap", "astro", "https://observatory.example.com/", 6, "sitemap-index.xml"),
    Generator(
        "Docusaurus",
        "docusaurus-true",
        "https://harbour.example.com/",
        26,
        findings=(Right("SM-50", "info", 1, HINTS),),
        of_site=(Right("HTML-68", "info", 1, f"No page links to the archive of the blog. {UNLINKED}"),),
    ),
)


def findings_table() -> str:
    """The table of docs/built-sitemap.md."""
    lines = ["| generator | found | severity | times | why it is right |", "|---|---|---|---|---|"]
    for one in GENERATORS:
        rows = [(f"{row.rule}", row.severity, row.count, row.reason) for row in one.findings]
        rows += [(f"{row.rule} (`check`)", row.severity, row.count, row.reason) for row in one.of_site]
        rows += [(f"`{path}` does not belong there (`check`)", "drift", 1, why) for path, why in one.extra.items()]
        for found, severity, count, reason in rows or [("nothing", "", "", "The sitemap is valid, and true.")]:
            lines.append(f"| {one.name} | {found} | {severity} | {count} | {reason} |")
    return "\n".join(lines)


@pytest.fixture(params=GENERATORS, ids=lambda one: one.name)
def generator(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator:
    """The generator, with a copy of its build in `dist`."""
    one: Generator = request.param
    folder = request.getfixturevalue("mkdocs") if one.build == "mkdocs" else built(one.build)
    shutil.copytree(folder, tmp_path / "dist")
    monkeypatch.chdir(tmp_path)
    return one


def counted(findings: list[dict[str, Any]]) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for row in findings:
        found[row["rule"], row["severity"]] += row.get("count", 1)
    return found


def listed(*rows: Right) -> dict[tuple[str, str], int]:
    return {(row.rule, row.severity): row.count for row in rows}


def test_validate_finds_what_is_listed(generator: Generator, capsys: pytest.CaptureFixture[str]) -> None:
    sitemap = f"dist/{generator.sitemap}"
    code = run(["validate", sitemap, "--site-url", generator.origin, "--format", "json"])
    (result,) = json.loads(capsys.readouterr().out)
    assert counted(result["findings"]) == listed(*generator.findings)
    assert code == (1 if generator.invalid else 0)
    assert sum(file["urls"] for file in result["files"]) == generator.urls
    assert all(file["complete"] for file in result["files"])


def test_check_finds_what_is_listed(generator: Generator) -> None:
    flags = ["--path", "dist", "--host", "generic", "--site-url", generator.origin, "--baseline", "committed"]
    code = run(["check", *flags, "--quiet", "--report", "json=report.json"])
    report = json.loads(Path("report.json").read_text())
    found = [one.in_check for one in generator.findings]
    assert counted(report["findings"]) == listed(*found, *generator.of_site)
    stale = report["stale"]
    assert {url.removeprefix(generator.origin) for url in stale["extra"]} == generator.extra.keys()
    assert stale["missing"] == []
    result = "invalid" if any(one.severity == "error" for one in found) else "drift" if generator.extra else "in-sync"
    assert (code, report["result"]) == (0 if result == "in-sync" else 1, result)


UNKNOWN = (
    # a build whose pages have the addresses of certain hosts
    Generator(
        "VitePress with cleanUrls", "vitepress-clean", "https://orchard.example.com/", 6, extra={"drafts": NOINDEX}
    ),
    Generator("Docusaurus by default", "docusaurus-default", "https://harbour.example.com/", 26),
    Generator("Docusaurus without slash", "docusaurus-false", "https://harbour.example.com/", 26),
)
_FALSE = {"gone", "moved", "merged", "redirect-broken", "soft-404", "undetermined"}


@pytest.mark.parametrize("one", [*GENERATORS, *UNKNOWN], ids=lambda one: one.name)
def test_I_03_a_build_under_an_unknown_host_is_true_by_its_site_url_alone(
    one: Generator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """As the generator wrote it, but for what is listed above; and in sync once that is repaired."""
    folder = request.getfixturevalue("mkdocs") if one.build == "mkdocs" else built(one.build)
    shutil.copytree(folder, tmp_path / "dist")
    monkeypatch.chdir(tmp_path)
    flags = [
        "--path",
        "dist",
        "--site-url",
        one.origin,
        "--baseline",
        "committed",
        "--quiet",
        "--report",
        "json=r.json",
    ]
    run(["check", *flags])
    report = json.loads(Path("r.json").read_text())
    extra = {url.removeprefix(one.origin) for url in report["stale"]["extra"]}
    assert (report["stale"]["missing"], extra) == ([], one.extra.keys())
    assert not {row["class"] for row in report["removed"]} & _FALSE
    assert (report["complete"], report["undetermined"]) == (True, [])
    assert [row["severity"] for row in report["findings"] if row["rule"] == "HOST-01"] == ["info"] * (one in UNKNOWN)
    assert run(["write", *flags]) == 0
    assert (run(["check", *flags]), json.loads(Path("r.json").read_text())["result"]) == (0, "in-sync")


HEALTHY = [one for one in GENERATORS if all(found.severity == "info" for found in (*one.findings, *one.of_site))]


@pytest.mark.parametrize("one", HEALTHY, ids=lambda one: one.name)
def test_U_28_a_healthy_site_has_no_warning_and_one_note_at_most(
    one: Generator,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    folder = request.getfixturevalue("mkdocs") if one.build == "mkdocs" else built(one.build)
    shutil.copytree(folder, tmp_path / "dist")
    monkeypatch.chdir(tmp_path)
    flags = ["--path", "dist", "--site-url", one.origin, "--offline"]
    assert run(["write", *flags, "--quiet"]) == 0
    capsys.readouterr()
    assert run(["check", *flags]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "in-sync: the sitemap matches the site (exit 0)"
    assert sum(line.startswith("  note ") for line in printed) <= 1
    assert not [line for line in printed if line.startswith(("Warnings", "Notes", "Not checked"))]
