"""A rule with another severity in one corner: `checks: {ID: {severity, paths, reason, until}}`."""

import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from sitemap_action.__main__ import run
from sitemap_action.checks.all import SITE_RULES, check_set
from sitemap_action.checks.base import FileOptions
from sitemap_action.checks.severity import Corners, accepted_notes, adjust_severities, families, family
from sitemap_action.config.schema import RuleSetting
from sitemap_action.model.finding import Finding, Severity
from sitemap_action.model.sitemap import SitemapDocument

E, W, INFO, OFF = Severity.ERROR, Severity.WARNING, Severity.INFO, Severity.OFF
NOW = datetime(2026, 11, 20, tzinfo=UTC)
SITE = "https://www.example.com"
OLD = ("/old/**",)


def setting(severity: Severity, *paths: str, until: str = "", reason: str = "known") -> RuleSetting:
    return RuleSetting(
        severity=severity, paths=paths, reason=reason, until=date.fromisoformat(until) if until else None
    )


def urlset(*paths: str, more: str = "<lastmod>2026</lastmod>") -> str:
    rows = "".join(f"<url><loc>{SITE}{path}</loc>{more}</url>\n" for path in paths)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'


def found(
    settings: dict[str, Severity | RuleSetting], *paths: str, strict: bool = False, file: str = "public/sitemap.xml"
) -> tuple[list[tuple[Severity, int, str]], tuple[str, ...]]:
    """(severity, pages, accepted) of the findings of SM-41, which is a warning; and the notes."""
    options = FileOptions(NOW, corners=Corners(settings, NOW.date()))
    document = SitemapDocument(file, urlset(*paths).encode(), f"{SITE}/sitemap.xml")
    findings = check_set([document], options).findings
    kept = adjust_severities(findings, settings, strict=strict)
    rows = [(one.severity, one.count, one.accepted) for one in kept if one.rule.id == "SM-41"]
    return sorted(rows, key=str), accepted_notes(findings)


ROWS = [
    # id, settings, strict, pages, findings
    ("elsewhere it holds", {"SM-41": setting(OFF, *OLD)}, False, ["/new"], [(W, 1, "")]),
    ("off", {"SM-41": setting(OFF, *OLD)}, False, ["/old/a"], []),
    ("info", {"SM-41": setting(INFO, *OLD)}, False, ["/old/a"], [(INFO, 1, "known")]),
    ("error", {"SM-41": setting(E, *OLD)}, False, ["/old/a", "/new"], [(E, 1, "known"), (W, 1, "")]),
    ("on its last day", {"SM-41": setting(OFF, *OLD, until="2026-11-20")}, False, ["/old/a"], []),
    ("a day later", {"SM-41": setting(OFF, *OLD, until="2026-11-19")}, False, ["/old/a"], [(W, 1, "")]),
    ("until", {"SM-41": setting(INFO, *OLD, until="2026-12-31")}, False, ["/old/a"], [(INFO, 1, "known, until 2026-12-31")]),
    ("no reason", {"SM-41": setting(INFO, *OLD, reason="")}, False, ["/old/a"], [(INFO, 1, "checks.SM-41")]),
    ("everywhere, for a while", {"SM-41": setting(INFO)}, False, ["/new"], [(INFO, 1, "known")]),
    ("a family", {"SM": setting(INFO, *OLD)}, False, ["/old/a", "/new"], [(INFO, 1, "known"), (W, 1, "")]),
    ("the rule beats its family", {"SM": setting(OFF), "SM-41": setting(INFO, *OLD)}, False, ["/old/a"], [(INFO, 1, "known")]),
    ("the family outside of the rule's corner", {"SM": E, "SM-41": setting(INFO, *OLD)}, False, ["/old/a", "/new"], [(E, 1, ""), (INFO, 1, "known")]),
    ("a plain rule beats its family's corner", {"SM": setting(OFF, *OLD), "SM-41": E}, False, ["/old/a"], [(E, 1, "")]),
    ("the sitemap's path", {"SM-41": setting(OFF, "/public/*.xml")}, False, ["/new"], []),
    ("the path of another sitemap", {"SM-41": setting(OFF, "/old.xml")}, False, ["/new"], [(W, 1, "")]),
    ("strict", {"SM-41": setting(W, *OLD)}, True, ["/old/a"], [(E, 1, "known")]),
    ("strict: info stays", {"SM-41": setting(INFO, *OLD)}, True, ["/old/a"], [(INFO, 1, "known")]),
    ("grouping comes after it", {"SM-41": setting(INFO, *OLD)}, False, [*(f"/old/{n}" for n in range(7)), "/new"], [(INFO, 7, "known"), (W, 1, "")]),
    ("off hides nothing else", {"SM-41": setting(OFF, *OLD)}, False, [*(f"/old/{n}" for n in range(7)), *(f"/{n}" for n in range(6))], [(W, 6, "")]),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "strict", "paths", "rows"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_corner(
    settings: dict[str, Severity | RuleSetting], strict: bool, paths: list[str], rows: list[tuple[Severity, int, str]]
) -> None:
    assert found(settings, *paths, strict=strict)[0] == sorted(rows, key=str)


def test_what_is_off_is_counted() -> None:
    settings = {"SM-41": setting(OFF, *OLD, until="2027-01-31", reason="the archive keeps its dates")}
    _, notes = found(settings, *(f"/old/{number}" for number in range(7)), "/new")
    assert notes == ("SM-41: 7 findings accepted (the archive keeps its dates, until 2027-01-31)",)


def test_a_corner_of_a_sitemap_that_was_fetched() -> None:
    settings = {"SM-41": setting(OFF, "/archive/**")}
    assert found(settings, "/a", file=f"{SITE}/archive/s.xml")[0] == []


def test_what_is_no_url_is_in_no_corner() -> None:
    corners = Corners({"SM-21": setting(OFF, *OLD)}, NOW.date())
    assert corners.find("SM-21", "ftp://", "") is None
    assert corners.find("SM-21", "", "") is None
    assert Corners({"SM-21": setting(OFF)}, NOW.date()).find("SM-21", "", "") is not None, "without paths all are"


CONFIG = """\
site-url: https://www.example.com/
checks:
  {rule}:
    severity: {severity}
    paths: [/old/**]
    reason: the archive keeps its dates
    until: {until}
"""
UNTIL = "2999-12-31"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two pages in the corner and one outside of it, all with a date that SM-41 is about."""
    monkeypatch.chdir(tmp_path)
    for name in ("index.html", "old/a.html", "old/b.html"):
        (tmp_path / "dist" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "dist" / name).write_text('<title>x</title><a href="/old/a.html">a</a><a href="/old/b.html">b</a>')
    (tmp_path / "public").mkdir()
    (tmp_path / "public/sitemap.xml").write_text(urlset("/", "/old/a.html", "/old/b.html"))
    (tmp_path / ".github").mkdir()
    return tmp_path


def write_config(severity: str, until: str = UNTIL, rule: str = "SM-41") -> None:
    Path(".github/sitemap.yml").write_text(CONFIG.format(rule=rule, severity=severity, until=until))


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, list[dict[str, object]]]:
    run([*arguments, "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    found: dict[str, list[dict[str, object]]] = document[0] if isinstance(document, list) else document
    return found


def severities(document: dict[str, list[dict[str, object]]], rule: str = "SM-41") -> list[tuple[str, str]]:
    rows = [one for one in document["findings"] if one["rule"] == rule]
    return sorted((str(one["severity"]), str(one.get("url", ""))) for one in rows)


COMMANDS = [["check", "--path", "dist", "--baseline", "committed"], ["validate", "public/sitemap.xml"]]
ACCEPTED = "SM-41: 2 findings accepted (the archive keeps its dates, until 2999-12-31)"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_check_and_validate(site: Path, capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    elsewhere = ("warning", f"{SITE}/")
    old = [f"{SITE}/old/a.html", f"{SITE}/old/b.html"]
    assert severities(report(capsys, *command)) == [elsewhere, *(("warning", url) for url in old)]
    write_config("off")
    document = report(capsys, *command)
    assert severities(document) == [elsewhere]
    assert ACCEPTED in [*document.get("notes", ()), *document.get("accepted", ())]
    write_config("info")
    document = report(capsys, *command)
    assert severities(document) == [*(("info", url) for url in old), elsewhere]
    assert [one.get("accepted") or "" for one in document["findings"] if one["rule"] == "SM-41"].count(
        "the archive keeps its dates, until 2999-12-31"
    ) == 2
    write_config("off", "2020-01-31")
    document = report(capsys, *command)
    assert len(severities(document)) == 3
    assert severities(document, "POL-03") == [("warning", "")]


def test_write_carries_on_in_an_accepted_corner(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (site / "dist/old/b.html").unlink()
    dated = urlset("/", "/old/a.html", "/old/b.html", more="<lastmod>1970-01-01</lastmod>")
    (site / "public/sitemap.xml").write_text(dated)
    write_config("error", rule="SM-45")
    assert run(["write", "--path", "dist", "--baseline", "committed"]) == 1  # the generated file has an error
    assert "(accepted: the archive keeps its dates, until 2999-12-31)" in capsys.readouterr().out
    assert (site / "public/sitemap.xml").read_text() == dated
    write_config("off", rule="SM-45")
    assert run(["write", "--path", "dist", "--baseline", "committed"]) == 0
    assert "SM-45: 1 finding accepted (the archive keeps its dates, until 2999-12-31)" in capsys.readouterr().out
    assert "/old/b.html" not in (site / "public/sitemap.xml").read_text()


def test_validate_reads_the_file_that_is_named(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_config("off")
    (site / "other.yml").write_text("checks: {SM-41: error}\n")
    assert run(["validate", "public/sitemap.xml"]) == 0
    assert run(["validate", "public/sitemap.xml", "--config", "other.yml"]) == 1
    assert run(["validate", "public/sitemap.xml", "--set", "checks.SM-41=error"]) == 1
    (site / "other.yml").write_text("checks: {strict: true}\n")
    assert run(["validate", "public/sitemap.xml", "--config", "other.yml"]) == 1
    capsys.readouterr()


def test_validate_says_where_the_config_is_wrong(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path(".github/sitemap.yml").write_text("checks:\n  SM-41: {severity: of, path: [/a]}\n")
    assert run(["validate", "public/sitemap.xml"]) == 2
    said = capsys.readouterr().err
    assert '.github/sitemap.yml:2:21: checks.SM-41.severity: "of" is not one of error, warning, info, off' in said
    assert "checks.SM-41.path is not a known key; did you mean paths?" in said


SEVERITIES = [
    # id, rule, its severity, checks, strict, severity that results
    ("as it is", "HTML-68", INFO, {}, False, INFO),
    ("a rule", "HTML-68", INFO, {"HTML-68": E}, False, E),
    ("a family", "HTML-68", INFO, {"HTML": W}, False, W),
    ("the rule beats its family", "HTML-68", INFO, {"HTML": E, "HTML-68": W}, False, W),
    ("another family", "HTML-68", INFO, {"RB": E}, False, INFO),
    ("off", "HTML-68", INFO, {"HTML-68": OFF}, False, None),
    ("strict: a warning", "HTML-23", W, {}, True, E),
    ("strict: an info", "HTML-68", INFO, {}, True, INFO),
    ("strict: made a warning", "HTML-68", INFO, {"HTML-68": W}, True, E),
    ("strict: off stays off", "HTML-23", W, {"HTML": OFF}, True, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "severity", "checks", "strict", "after"), [pytest.param(*row[1:], id=row[0]) for row in SEVERITIES]
)
def test_severity(rule: str, severity: str, checks: dict[str, str], strict: bool, after: str | None) -> None:
    made = Finding(SITE_RULES[rule], severity, "x")
    assert [one.severity for one in adjust_severities([made], checks, strict=strict)] == (
        [] if after is None else [after]
    )


def test_families() -> None:
    assert family("SM-14") == "SM"
    assert families(["SM-14", "SM-01", "RB-30"]) == {"SM", "RB"}
