"""Debt is not drift: a site with old faults adopts the check today, and it fails on new ones only (POL-04)."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from known_faults import ACCEPT, CHECK, LIST, LISTED, PAGES, SITE, files, put, sitemap
from repositories import checkout, pull_request
from sitemap_action.__main__ import run
from sitemap_action.reports.all import FORMATS

JSON = ["--report", "json=out/report.json"]


@pytest.fixture
def old_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    put(tmp_path, files())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def report(*flags: str) -> tuple[int, dict[str, Any]]:
    code = run([*CHECK, *JSON, *flags])
    return code, json.loads(Path("out/report.json").read_text())


def lines() -> list[str]:
    return [line for line in Path(LIST).read_text().splitlines() if not line.startswith("#")]


def test_the_first_adoption_of_a_site_with_40_faults(old_site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(CHECK) == 1
    assert "`sitemap-action accept`" in capsys.readouterr().out, "the first red check offers it"
    assert run([*ACCEPT, "--dry-run"]) == 0
    assert not Path(LIST).exists()
    assert "40 lines would be added: 6 SM-40, 22 gone, 12 missing" in capsys.readouterr().out
    assert run(ACCEPT) == 0
    assert f"{LIST}: 40 lines added: 6 SM-40, 22 gone, 12 missing" in capsys.readouterr().out
    assert len(lines()) == 40
    assert lines() == sorted(lines())
    before = Path(LIST).read_bytes()
    code, found = report()
    assert (code, found["result"], found["counts"]["stale"], found["counts"]["errors"]) == (0, "in-sync", 0, 0)
    assert len(found["accepted"]) == 40
    assert found["accepted"][6]["acknowledged"] == "there before the check"
    capsys.readouterr()
    assert run(ACCEPT) == 0
    assert "nothing to add" in capsys.readouterr().out
    assert Path(LIST).read_bytes() == before


NEW = [
    ("a page that is gone", files(PAGES[1:]), {"gone /p00/"}),
    ("a page that is not listed", files((*PAGES, "new")), {"missing /new/"}),
    ("an entry for nothing", files(listed=(*LISTED, "never")), {"gone /never/"}),
    ("a bad date", files(bad=frozenset(PAGES[:7])), {"SM-40 /p06/"}),
    (
        "another fault of a known page",
        files() | {"sitemap.xml": sitemap().replace("/old01/</loc>", "/old01/</loc><priority>7</priority>")},
        {"SM-49 /old01/"},
    ),
]


@pytest.mark.parametrize(("change", "rows"), [row[1:] for row in NEW], ids=[row[0] for row in NEW])
def test_it_fails_on_what_is_new_and_names_that_alone(old_site: Path, change: dict[str, str], rows: set[str]) -> None:
    run(ACCEPT)
    (old_site / "dist/p00/index.html").unlink()
    put(old_site, change)
    code, found = report()
    named = {f"{row['class']} {row['url']}" for row in found["removed"]}
    named |= {f"gone {url}" for url in found["stale"]["extra"]}
    named |= {f"missing {url}" for url in found["stale"]["missing"]}
    named |= {f"{row['rule']} {row.get('url', '')}" for row in found["findings"] if row["severity"] == "error"}
    assert (code, {one.replace(SITE, "/") for one in named}) == (1, rows)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_counts_them_and_fails_nothing(
    old_site: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(ACCEPT)
    capsys.readouterr()
    assert run([*CHECK, "--format", form]) == 0
    shown = capsys.readouterr().out
    assert EXPECTED[form](shown), shown[:3_000]


def _sarif(text: str) -> bool:
    results = json.loads(text)["runs"][0]["results"]
    known = [one["suppressions"] for one in results if one["suppressions"]]
    every = all("suppressions" in one for one in results)
    return (
        every
        and known == [[{"kind": "external", "status": "accepted", "justification": known[0][0]["justification"]}]] * 40
    )


EXPECTED = {
    "text": lambda text: f"Accepted in {LIST} (40)\n  ↳ 6 SM-40, 22 gone, 12 missing" in text and "; 40 accepted (exit 0)" in text,
    "markdown": lambda text: f"<details><summary><b>Accepted in <code>{LIST}</code> (40)" in text and "40 accepted)" in text,
    "json": lambda text: len(json.loads(text)["accepted"]) == 40,
    "sarif": _sarif,
    "junit": lambda text: text.count("(accepted 20") == 40 * 3 and 'failures="0"' in text,
    "gitlab": lambda text: [one["severity"] for one in json.loads(text) if "(accepted 20" in one["description"]] == ["info"] * 40,
    "annotations": lambda text: f"::notice title=Accepted in {LIST} (40),file={LIST}::6 SM-40, 22 gone, 12 missing" in text,
    "csv": lambda text: text.count(",accepted,") == 34,
    "patch": lambda text: LIST not in text,
    "badge": lambda text: json.loads(text)["color"] == "green",
    "html": lambda text: f'"title":"Accepted in {LIST}"' in text and '"count":40' in text,
}  # fmt: skip


def test_what_was_mended_is_said_and_pruned(old_site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(ACCEPT)
    comment = b"# why these are there\r\n"
    Path(LIST).write_bytes(comment + Path(LIST).read_bytes() + b"gone\t/old00/\t2020-01-01\ttwice\n")
    before = Path(LIST).read_bytes()
    put(old_site, files(listed=LISTED[:-2], bad=frozenset(PAGES[:5])))
    code, found = report()
    outlived = [row for row in found["findings"] if row["rule"] == "POL-04"]
    assert (code, sorted(row["url"] for row in outlived)) == (
        0,
        [f"{SITE}{name}/" for name in ("old20", "old21", "p05")],
    )
    assert {(row["path"], row["severity"]) for row in outlived} == {(LIST, "info")}
    assert all(row["url"].encode() in before.splitlines()[row["line"] - 1] for row in outlived)
    assert run([*ACCEPT, "--prune", "--set", "checks.POL-04=off"]) == 0
    assert "3 lines removed: 1 SM-40, 2 gone" in capsys.readouterr().out
    gone = re.compile(rb"/(?:old20|old21|p05)/")
    assert Path(LIST).read_bytes() == b"".join(row for row in before.splitlines(keepends=True) if not gone.search(row))
    assert run([*ACCEPT, "--prune"]) == 0
    assert "nothing to remove" in capsys.readouterr().out


def test_lines_that_are_there_stay_byte_for_byte(old_site: Path) -> None:
    old = b"# ours\r\ngone\t/old03/\t2020-01-01\t by hand \r\n\r\n"
    put(old_site, {LIST: old.decode()})
    run([*ACCEPT, "--reason", "older than  the check"])
    now = Path(LIST).read_bytes()
    assert now.startswith(b"# ours\r\nSM-40\t")
    assert b"\r\ngone\t/old03/\t2020-01-01\t by hand \r\n" in now
    assert now.count(b"/old03/") == 1
    assert now.count(b"\tolder than the check\r\n") == 39
    assert b"\n" not in now.replace(b"\r\n", b"")


def test_a_writing_mode_repairs_them(old_site: Path) -> None:
    run(ACCEPT)
    assert run(["write", *CHECK[1:], "--set", "policy.max-removed=none"]) == 0
    text = Path("sitemap.xml").read_text()
    assert "old00" not in text
    assert "p59" in text
    assert run([*CHECK]) == 0


REFUSED = [
    ("there is no sitemap", ["--sitemap", "other.xml"], 2, "other.xml does not exist"),
    ("no reason", ["--reason", " "], 2, "--reason gives no text"),
    ("a reason of two columns", ["--reason", "a\x1bb"], 2, "--reason gives no text"),
    ("not enough was read", ["--set", "source.host=auto", "--path", "empty"], 3, "nothing was added"),
    ("a list outside", ["--set", "policy.accepted=../known.txt"], 2, "policy.accepted"),
    ("a list that git owns", ["--set", "policy.accepted=.git/known.txt"], 2, "policy.accepted"),
    ("a list of another suffix", ["--set", "policy.accepted=x.yml"], 2, "policy.accepted"),
]  # fmt: skip


@pytest.mark.parametrize(("flags", "code", "says"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_accepts_nothing(
    old_site: Path, flags: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty").mkdir()
    assert run([*ACCEPT, *flags]) == code
    printed = capsys.readouterr()
    assert says in printed.out + printed.err
    assert not [*Path().rglob("*accepted*"), *Path().parent.glob("known.txt")]


def test_a_guard_is_not_accepted(old_site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guard = ["--set", "policy.min-urls=1000"]
    assert run([*ACCEPT, *guard]) == 1
    assert "not accepted: " in capsys.readouterr().out
    assert run([*CHECK, *guard]) == 1


@pytest.mark.attack("paths")
def test_the_list_is_no_link(old_site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("elsewhere").mkdir()
    Path(".github").symlink_to("elsewhere")
    assert run(ACCEPT) in {2, 4}
    assert "symbolic link" in capsys.readouterr().err
    assert [*Path("elsewhere").iterdir()] == []


def test_a_broken_list_ends_the_check_with_its_place(old_site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(old_site, {LIST: "gone\t/a\t2026-11-24\told\n<<<<<<< HEAD\n"})
    for command in (CHECK, ACCEPT):
        assert run(command) == 2
        assert f"{LIST}:2: a merge conflict is not resolved" in capsys.readouterr().err


# --- pull requests ---

GONE = "gone\t/p00/\t2026-11-24\twe wanted that\n"
MISSING = "missing\t/p59/\t2026-11-24\twritten next week\n"
SMALL = ("p00", "p01", "p02", "p03", "p04", "p05", "p06", "p07", "p08", "p09", "p59")
HERE = {**files(SMALL, SMALL, frozenset()), ".github/sitemap.yml": f"site-url: {SITE}\nsitemap: sitemap.xml\n"}
DELETES = {**{name: text for name, text in HERE.items() if "p00" not in name}}
UNLISTED = HERE | {name: sitemap(SMALL[:-1], frozenset()) for name in ("sitemap.xml", "dist/sitemap.xml")}
STORIES = [
    # id, target branch, change, flags, exit code, added lines, accepted
    ("its own line for a page that it deletes", HERE, {**DELETES, LIST: GONE}, [], 1, ["gone /p00/"], 0),
    ("also where it corrects the sitemap", HERE, {**files(SMALL[1:], SMALL[1:], frozenset()), ".github/sitemap.yml": HERE[".github/sitemap.yml"], LIST: GONE}, [], 1, ["gone /p00/"], 0),
    ("the target branch knows it", {**HERE, LIST: GONE}, {**DELETES, LIST: GONE}, [], 0, [], 1),
    ("its own line for a page that is not listed", HERE, {**UNLISTED, LIST: MISSING}, [], 0, ["missing /p59/"], 1),
    ("and with the config of the target branch", HERE, {**UNLISTED, LIST: MISSING}, ["--config-from", "base"], 1, ["missing /p59/"], 0),
    ("a line that it takes away", {**HERE, LIST: GONE}, DELETES, [], 1, [], 0),
    ("a broken list, and the target branch's holds", {**HERE, LIST: GONE}, {**DELETES, LIST: "x\n"}, ["--config-from", "base"], 0, [f"{LIST}:1: a line has four columns with tabs between, and this one has 1: x"], 1),
    ("it mends a list that is broken there", {**HERE, LIST: "x\n"}, {**UNLISTED, LIST: MISSING}, [], 0, ["ID:LIST:1: a line", "missing /p59/"], 1),
]  # fmt: skip


@pytest.mark.attack("policy")
@pytest.mark.parametrize(
    ("base", "head", "flags", "code", "added", "accepted"),
    [row[1:] for row in STORIES],
    ids=[row[0] for row in STORIES],
)
def test_no_change_accepts_what_it_does(
    base: dict[str, str],
    head: dict[str, str],
    flags: list[str],
    code: int,
    added: list[str],
    accepted: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    origin = pull_request(tmp_path / "origin", base, head)
    monkeypatch.chdir(checkout(origin.directory, origin.merge, tmp_path / "clone"))
    event = {"number": 12, "pull_request": {side: {"ref": side, "sha": getattr(origin, name)} for side, name in (("base", "main"), ("head", "head"))}}  # fmt: skip
    (tmp_path / "event.json").write_text(json.dumps(event))
    for name, value in (("EVENT_NAME", "pull_request"), ("EVENT_PATH", str(tmp_path / "event.json")), ("SHA", origin.merge), ("BASE_REF", "main")):  # fmt: skip
        monkeypatch.setenv(f"GITHUB_{name}", value)
    got = run(["check", "--path", "dist", "--no-progress", *JSON, *flags])
    found = json.loads(Path("out/report.json").read_text())
    rows = [
        row["head"].replace(f"{origin.base[:12]}:{LIST}", "ID:LIST")[:85]
        for row in found["policy"]
        if row["key"] == LIST
    ]
    assert (got, len(found.get("accepted", []))) == (code, accepted)
    assert len(rows) == len(added)
    assert all(row.startswith(one[:85]) for row, one in zip(rows, added, strict=True)), rows
    assert [row["rule"] for row in found["findings"] if row["rule"] == "POL-01"] == ["POL-01"] * bool(added)


@pytest.mark.parametrize(
    ("baseline", "code", "says"),
    [
        ("committed", 0, "1 line added: 1 gone"),
        ("git:HEAD", 1, "1 lost page, such as https://www.example.com/p00/ (gone): git:HEAD lists it"),
    ],
)
def test_accept_does_not_write_what_another_sitemap_says_was_there(
    baseline: str,
    code: int,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    origin = pull_request(tmp_path / "origin", HERE, HERE)
    monkeypatch.chdir(checkout(origin.directory, origin.merge, tmp_path / "clone"))
    Path("dist/p00/index.html").unlink()
    assert run(["accept", "--path", "dist", "--no-progress", "--baseline", baseline]) == code
    assert says in capsys.readouterr().out
    assert Path(LIST).exists() is (code == 0)
