"""Pull requests, from checkout to exit code: no hand edit hides a removal, and an honest change is green (DIFF-22)."""

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from repositories import Origin, checkout, commit, git, pull_request
from sitemap_action.__main__ import run

SITE = "https://www.example.com/"
REPORTS = ["--report", "json=out/report.json", "--report", "markdown=out/report.md"]
CHECK = ["check", "--path", "site"]
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
Check = Callable[..., tuple[int, dict[str, Any]]]


def pages(*names: str) -> dict[str, str]:
    """A build; its home page, which links to the others, is always there."""
    links = "".join(f'<a href="/{name}/">{name}</a>' for name in names)
    page = "<!doctype html><title>{0}</title><h1>{0}</h1><p>{1}</p>"
    return {f"site/{name}/index.html".replace("//", "/"): page.format(name, links) for name in ("", *names)}


def urls(*names: str) -> list[str]:
    return [f"{SITE}{name}/" if name else SITE for name in names]


def urlset(*names: str) -> str:
    rows = "".join(f"<url><loc>{url}</loc></url>\n" for url in urls("", *names))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACE}>\n{rows}</urlset>\n'


def tree(*names: str, listed: str | None = None, sitemap: str = "sitemap.xml", config: str = "", below: str = "") -> dict[str, str]:  # fmt: skip
    """A site whose sitemap lists its pages, or these: "a b"; "-" for no sitemap at all."""
    wanted = names if listed is None else listed.split()
    files = pages(*names)
    if listed != "-":
        files[sitemap] = files[f"site/{Path(sitemap).name}"] = urlset(*wanted)
    files[".github/sitemap.yml"] = f"site-url: {SITE}\n{config}"
    return {below + path: content for path, content in files.items()}


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Check:
    """Check a clone as a runner would: the event, the environment, the exit code and the report."""

    def go(workspace: Path, origin: Origin, *flags: str, event: Mapping[str, Any] | None = None, command: Sequence[str] = CHECK, **environment: str) -> tuple[int, dict[str, Any]]:  # fmt: skip
        file = tmp_path / "event.json"
        base, head = {"ref": "main", "sha": origin.main}, {"ref": "topic", "sha": origin.head, "repo": None}
        given = {"number": 12, "pull_request": {"base": base, "head": head}} if event is None else event
        file.write_text(json.dumps(given))
        usual = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(file), "GITHUB_SHA": origin.merge, "GITHUB_BASE_REF": "main"}  # fmt: skip
        for name, value in (usual | environment).items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(workspace)
        code = run([*command, *REPORTS, *flags])
        printed = capsys.readouterr()
        path = Path("out/report.json")
        report = json.loads(path.read_text()) if path.exists() else {}
        shown = {"stdout": printed.out, "stderr": printed.err}
        return code, report | shown

    return go


def merged(origin: Origin, tmp_path: Path) -> Path:
    return checkout(origin.directory, origin.merge, tmp_path / "clone")


def listed(report: dict[str, Any], key: str) -> list[str]:
    return [row["url"] for row in report[key]]


# id, target branch, pull request, exit code, added, removed, missing, extra
STORIES = [
    ("adds-a-page-and-commits-the-sitemap", tree("a"), tree("a", "b"), 0, "b", "", "", ""),
    ("adds-a-page-and-forgets-the-sitemap", tree("a"), tree("a", "b", listed="a"), 1, "b", "", "b", ""),
    ("removes-a-page-and-its-entry", tree("a", "b"), tree("a"), 1, "", "b", "", ""),  # the hand edit is no cover
    ("removes-a-page-and-leaves-its-entry", tree("a", "b"), tree("a", listed="a b"), 1, "", "b", "", "b"),
    ("removes-an-entry-of-a-page-that-lives", tree("a", "b"), tree("a", "b", listed="a"), 1, "", "", "b", ""),
    ("touches-no-page", tree("a"), tree("a") | {"notes.md": "text"}, 0, "", "", "", ""),
    ("deletes-the-sitemap", tree("a"), tree("a", listed="-"), 1, "", "", " a", ""),  # no first run
    ("deletes-the-sitemap-and-a-page", tree("a", "b"), tree("a", listed="-"), 1, "", "b", " a", ""),
    ("brings-the-first-sitemap", tree("a", listed="-"), tree("a"), 0, " a", "", "", ""),
    ("has-no-sitemap-on-either-side", tree("a", listed="-"), tree("a", listed="-"), 1, " a", "", " a", ""),
    ("moves-the-sitemap", tree("a", "b", sitemap="public/sitemap.xml"), tree("a", "b", sitemap="static/sitemap.xml"), 0, "", "", "", ""),
    ("moves-the-sitemap-and-removes-a-page", tree("a", "b", sitemap="public/sitemap.xml"), tree("a", sitemap="static/sitemap.xml"), 1, "", "b", "", ""),
    (
        "names-another-sitemap-and-removes-a-page",
        tree("a", "b", sitemap="x/sitemap.xml", config="sitemap: x/sitemap.xml\n"),
        tree("a", sitemap="y/sitemap.xml", config="sitemap: y/sitemap.xml\n"),
        1, "", "b", "", "",
    ),
    ("announces-the-removal", tree("a", "b"), tree("a", config="policy: {expected-removals: [{url: /b/, reason: sold, until: 9999-12-31}]}"), 0, "", "b", "", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("base", "head", "code", "added", "removed", "missing", "extra"), [row[1:] for row in STORIES], ids=[row[0] for row in STORIES]
)  # fmt: skip
def test_a_pull_request(
    base: dict[str, str], head: dict[str, str], code: int, added: str, removed: str, missing: str, extra: str,
    tmp_path: Path, check: Check,
) -> None:  # fmt: skip
    origin = pull_request(tmp_path / "origin", base, head)
    got, report = check(merged(origin, tmp_path), origin)
    assert got == code, report["stderr"]
    assert listed(report, "added") == urls(*added.split(" ")) if added else report["added"] == []
    assert listed(report, "removed") == urls(*removed.split(" ")) if removed else report["removed"] == []
    assert report["stale"]["missing"] == (urls(*missing.split(" ")) if missing else [])
    assert report["stale"]["extra"] == (urls(*extra.split(" ")) if extra else [])


def test_a_base_commit_with_neither_config_nor_sitemap(tmp_path: Path, check: Check) -> None:
    """What this pull request adds is new: every page is added, none is lost, and every key of the config is a change."""
    head = tree("a", config="policy: {max-removed: 3}\n")
    origin = pull_request(tmp_path / "origin", pages("a"), head)
    code, report = check(merged(origin, tmp_path), origin)
    assert (code, report["result"], report["removed"], report["counts"]["stale"]) == (0, "in-sync", [], 0)
    assert listed(report, "added") == urls("", "a")
    assert report["baseline"].startswith(f"no sitemap.xml at {origin.base[:12]}, ")
    assert [(row["key"], row["head"]) for row in report["policy"]] == [("site-url", SITE), ("policy.max-removed", "3")]
    assert not any("cannot be read" in note for note in report["notes"])


def test_the_baseline_is_told_in_words(tmp_path: Path, check: Check) -> None:
    origin = pull_request(tmp_path / "origin", tree("a"), tree("a", "b"))
    _, report = check(merged(origin, tmp_path), origin)
    assert report["baseline"] == f"sitemap.xml at {origin.main[:12]}, the first parent of the merge commit"
    assert f"change     request 12 into main, checked out as merge commit {origin.merge[:12]}" in report["stdout"]
    assert f"{report['baseline']} (2 URLs)" in report["stdout"]


def test_a_line_of_the_baseline_is_cited_as_git_names_it(tmp_path: Path, check: Check) -> None:
    origin = pull_request(tmp_path / "origin", tree("a", "b"), tree("a"))
    _, report = check(merged(origin, tmp_path), origin)
    assert f"[{origin.main[:12]}:sitemap.xml:5]" in report["stdout"]


def test_one_list_where_both_questions_have_one_right_hand_side(tmp_path: Path, check: Check) -> None:
    origin = pull_request(tmp_path / "origin", tree("a"), tree("a", "b", listed="a"))
    _, report = check(merged(origin, tmp_path), origin)
    assert "the first parent of the merge commit: the committed file has the same content" in report["stdout"]
    assert report["stdout"].count(f"{SITE}b/") == 1


@pytest.mark.attack("policy")
def test_a_deleted_sitemap_is_said_to_be_deleted(tmp_path: Path, check: Check) -> None:
    deleted = tree("a", sitemap="public/sitemap.xml"), tree("a", listed="-")
    origin = pull_request(tmp_path / "origin", *deleted)
    _, report = check(merged(origin, tmp_path), origin)
    assert not report["first_run"]
    assert report["sitemap"] == "public/sitemap.xml"
    assert any("this change deletes it" in note for note in report["notes"])


def test_percentages_do_not_hold_for_the_first_sitemap(tmp_path: Path, check: Check) -> None:
    many = tree(*(f"p{number}" for number in range(9)), config="policy: {max-added: 10%}")
    origin = pull_request(tmp_path / "origin", many | {"sitemap.xml": ""}, many)
    code, report = check(merged(origin, tmp_path), origin)
    assert (code, report["stderr"][:20]) == (2, "error: sitemap.xml: ")  # an empty file is no absence
    origin = pull_request(tmp_path / "other", {path: text for path, text in many.items() if "xml" not in path}, many)
    code, report = check(checkout(origin.directory, origin.merge, tmp_path / "second"), origin)
    assert (code, report["guards"], report["first_run"]) == (0, [], False)
    assert len(report["added"]) == 10


# how the clone came to be: name of the commit, depth
@pytest.mark.parametrize(("name", "depth"), [("merge", 1), ("merge", 2), ("merge", 0), ("head", 0)])
def test_what_main_gained_meanwhile_is_not_this_change_s_doing(
    name: str, depth: int, tmp_path: Path, check: Check
) -> None:
    origin = pull_request(
        tmp_path / "origin", tree("a"), tree("a", "b"), main=tree("a", "later"), merge=tree("a", "b", "later")
    )
    clone = checkout(origin.directory, getattr(origin, name), tmp_path / "clone", depth=depth)
    code, report = check(clone, origin)
    assert (code, listed(report, "added"), report["removed"]) == (0, urls("b"), [])


def test_a_shallow_head_ends_with_the_remedy(tmp_path: Path, check: Check) -> None:
    origin = pull_request(tmp_path / "origin", tree("a", "b"), tree("a"))
    clone = checkout(origin.directory, origin.head, tmp_path / "clone")
    code, report = check(clone, origin)
    assert (code, report["stdout"]) == (2, "")
    assert "the clone is shallow" in report["stderr"]
    assert "fetch-depth: 0" in report["stderr"]


@pytest.mark.parametrize(
    ("flags", "removed"),
    [
        (["--baseline", "git:origin/main"], ["b"]),
        (["--baseline", "git:origin/main:sitemap.xml"], ["b"]),
        (["--baseline", "committed"], []),  # asked for; POL-01 would show the key in a config
    ],
)
def test_another_baseline_needs_no_event(flags: list[str], removed: list[str], tmp_path: Path, check: Check) -> None:
    origin = pull_request(tmp_path / "origin", tree("a", "b"), tree("a"))
    clone = checkout(origin.directory, origin.head, tmp_path / "clone", depth=0)
    code, report = check(clone, origin, *flags, event={}, GITHUB_EVENT_NAME="push")
    assert (code, listed(report, "removed")) == (int(bool(removed)), urls(*removed))


def test_an_object_id_as_baseline_is_fetched(tmp_path: Path, check: Check) -> None:
    """A shallow checkout of the head, with the event's own id of the target branch."""
    origin = pull_request(tmp_path / "origin", tree("a", "b"), tree("a"))
    clone = checkout(origin.directory, origin.head, tmp_path / "clone")
    code, report = check(clone, origin, "--baseline", f"git:{origin.main}")
    assert (code, listed(report, "removed")) == (1, urls("b"))
    assert any("changes of policy are not shown" in note for note in report["notes"])


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("git:nowhere", "git cannot find nowhere"),
        ("git:-x", "--baseline"),  # refused by the grammar of the option
        ("git:HEAD:gone.xml", "there is no sitemap at git:HEAD:gone.xml"),
    ],
)
def test_a_baseline_that_does_not_exist(name: str, says: str, tmp_path: Path, check: Check) -> None:
    origin = pull_request(tmp_path / "origin", tree("a"), tree("a"))
    code, report = check(merged(origin, tmp_path), origin, "--baseline", name)
    assert code == 2
    assert says in report["stderr"]


@pytest.mark.parametrize("event", ["push", "schedule"])
def test_outside_of_pull_requests_auto_is_the_committed_file(event: str, tmp_path: Path, check: Check) -> None:
    origin = pull_request(tmp_path / "origin", tree("a", "b"), tree("a"))
    code, report = check(merged(origin, tmp_path), origin, GITHUB_EVENT_NAME=event)
    assert (code, report["baseline"], report["removed"]) == (0, "the committed sitemap.xml", [])


@pytest.mark.parametrize("content", [None, b"", b"{", b"[1]", b"\xff"])
def test_without_a_readable_event_the_merge_commit_tells(content: bytes | None, tmp_path: Path, check: Check) -> None:
    origin = pull_request(tmp_path / "origin", tree("a", "b"), tree("a"))
    path = tmp_path / "odd.json"
    if content is not None:
        path.write_bytes(content)
    code, report = check(merged(origin, tmp_path), origin, GITHUB_EVENT_PATH=str(path))
    assert (code, listed(report, "removed")) == (1, urls("b"))


def test_a_merge_group(tmp_path: Path, check: Check) -> None:
    origin = pull_request(tmp_path / "origin", tree("a", "b"), tree("a"))
    one = commit(origin.directory, tree("a"), origin.main)
    two = commit(origin.directory, tree("a"), one)  # rebased: two commits
    event = {"merge_group": {"base_sha": origin.main, "base_ref": "refs/heads/main", "head_sha": two}}
    clone = checkout(origin.directory, two, tmp_path / "clone")
    code, report = check(clone, origin, event=event, GITHUB_EVENT_NAME="merge_group", GITHUB_SHA=two)
    assert (code, listed(report, "removed")) == (1, urls("b"))
    assert report["baseline"].endswith("the base of the merge group")
    assert "merge group into main" in report["stdout"]


def test_under_pull_request_target_the_head_is_compared_all_the_same(tmp_path: Path, check: Check) -> None:
    origin = pull_request(tmp_path / "origin", tree("a", "b"), tree("a"))
    clone = merged(origin, tmp_path)
    code, report = check(clone, origin, GITHUB_EVENT_NAME="pull_request_target", GITHUB_SHA=origin.main)
    assert (code, listed(report, "removed")) == (1, urls("b"))


def test_a_workspace_that_is_a_part_of_the_repository(tmp_path: Path, check: Check) -> None:
    origin = pull_request(tmp_path / "origin", tree("a", "b", below="www/"), tree("a", below="www/"))
    code, report = check(merged(origin, tmp_path) / "www", origin)
    assert (code, listed(report, "removed")) == (1, urls("b"))


def test_a_workspace_that_holds_the_repository(tmp_path: Path, check: Check) -> None:
    """Several repositories checked out side by side; a container action starts above them."""
    origin = pull_request(tmp_path / "origin", tree("a", "b"), tree("a"))
    (tmp_path / "workspace").mkdir()
    checkout(origin.directory, origin.merge, tmp_path / "workspace/code")
    flags = ["--path", "code/site", "--sitemap", "code/sitemap.xml", "--config", "code/.github/sitemap.yml"]
    code, report = check(tmp_path / "workspace", origin, *flags)
    assert (code, listed(report, "removed")) == (1, urls("b"))


def test_no_checkout_names_the_remedy(tmp_path: Path, check: Check) -> None:
    origin = pull_request(tmp_path / "origin", tree("a"), tree("a"))
    clone = merged(origin, tmp_path)
    (clone / ".git").rename(tmp_path / "away")
    code, report = check(clone, origin)
    assert code == 2
    assert "is not a git checkout" in report["stderr"]
    code, _ = check(clone, origin, "--baseline", "committed")
    assert code == 0


def test_the_children_of_an_index_come_from_the_same_commit(tmp_path: Path, check: Check) -> None:
    def split(*names: str) -> dict[str, str]:
        rows = "".join(f"<sitemap><loc>{SITE}{part}.xml</loc></sitemap>" for part in ("one", "two"))
        index = f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex {NAMESPACE}>{rows}</sitemapindex>\n'
        two = urlset(*names[1:]).replace(f"<url><loc>{SITE}</loc></url>\n", "")
        return tree(*names, listed="-") | {"sitemap.xml": index, "one.xml": urlset(names[0]), "two.xml": two}

    origin = pull_request(tmp_path / "origin", split("a", "b", "c"), split("a", "b"))
    code, report = check(merged(origin, tmp_path), origin)
    assert (code, listed(report, "removed")) == (1, urls("c"))


def test_a_damaged_sitemap_on_the_target_branch_is_no_empty_one(tmp_path: Path, check: Check) -> None:
    origin = pull_request(tmp_path / "origin", tree("a") | {"sitemap.xml": "<urlset"}, tree("a"))
    code, report = check(merged(origin, tmp_path), origin)
    assert code == 2
    assert "sitemap.xml" in report["stderr"]


@pytest.mark.attack("policy")
def test_an_edit_of_the_file_does_not_move_the_site(tmp_path: Path, check: Check) -> None:
    """Without site-url the file says where the site is; a pull request that narrows the file narrows nothing."""
    base = tree("docs", "docs/a", "blog")
    head = {path: text for path, text in base.items() if path != "site/blog/index.html"}
    head["sitemap.xml"] = urlset("docs", "docs/a").replace(f"<url><loc>{SITE}</loc></url>\n", "")
    for files in (base, head):
        files[".github/sitemap.yml"] = ""
    origin = pull_request(tmp_path / "origin", base, head)
    code, report = check(merged(origin, tmp_path), origin)
    assert (code, report["site_url"], listed(report, "removed")) == (1, SITE, urls("blog"))


def test_a_changed_policy_opens_the_report(tmp_path: Path, check: Check) -> None:
    loose = "policy: {fail-on: stale, max-removed: none}\n"
    origin = pull_request(tmp_path / "origin", tree("a", "b"), tree("a", config=loose))
    clone = merged(origin, tmp_path)
    code, report = check(clone, origin)
    assert code == 0
    assert report["policy"] == [
        {"key": "policy.fail-on", "base": "[stale, lost, invalid]; [invalid] when writing", "head": "[stale]"},
        {"key": "policy.max-removed", "base": "20%", "head": "none"},
    ]
    told = [(row["rule"], row["severity"]) for row in report["findings"]]
    assert told == [("POL-01", "warning"), ("POL-02", "warning")]  # V-24: neither can fail this check
    for text in (report["stdout"], (clone / "out/report.md").read_text()):
        assert text.index("Policy that this change sets (2)") < text.index("Removed with this change")
        assert "20% → none" in text.replace("`", "")


def test_a_policy_that_both_sides_share_is_not_news(tmp_path: Path, check: Check) -> None:
    config = "policy: {max-removed: 5}\n"
    origin = pull_request(tmp_path / "origin", tree("a", config=config), tree("a", config=config))
    _, report = check(merged(origin, tmp_path), origin)
    assert (report["policy"], report["findings"]) == ([], [])


# id, what the pull request writes into the config, the keys that POL-01 names
DECIDING = [
    ("a-path", "source: {path: old}\n", ["source.path"]),
    ("a-path-and-a-host", "source: {path: old, host: generic}\n", ["source.path", "source.host"]),
    ("no-sitemaps", "sitemaps: {use: false}\n", ["sitemaps.use"]),
    ("an-agent", "http: {user-agent: x}\n", ["http.user-agent"]),
    ("what-is-written", "output: {lastmod: omit}\n", ["output.lastmod"]),
    ("a-baseline", "baseline: committed\n", ["baseline"]),
    ("nothing", "# a comment\n", []),
]


@pytest.mark.attack("policy")
@pytest.mark.parametrize(("config", "keys"), [row[1:] for row in DECIDING], ids=[row[0] for row in DECIDING])
def test_S_05_a_pull_request_that_changes_what_is_seen(config: str, keys: list[str], tmp_path: Path, check: Check) -> None:  # fmt: skip
    """The old build is still there, so that the removal would not be seen."""
    base, head = tree("a", "b"), tree("a", listed="a b", config=config)
    old = {path.replace("site/", "old/"): text for path, text in base.items() if path.startswith("site/")}
    origin = pull_request(tmp_path / "origin", base | old, head | old)
    clone = merged(origin, tmp_path)
    flags = [] if "path: old" in config else ["--path", "site"]
    code, report = check(clone, origin, *flags, command=["check"])
    assert [row["key"] for row in report["policy"]] == keys
    assert [row["rule"] for row in report["findings"]] == ["POL-01"] * bool(keys)
    assert code == (0 if flags == [] else 1)


def test_a_broken_config_on_the_target_branch_is_said_and_survived(tmp_path: Path, check: Check) -> None:
    origin = pull_request(tmp_path / "origin", tree("a", config="polcy: {}\n"), tree("a", "b"))
    code, report = check(merged(origin, tmp_path), origin)
    assert (code, report["policy"], listed(report, "added")) == (0, [], urls("b"))
    assert any("the target branch's config cannot be read: .github/sitemap.yml:2:1" in note for note in report["notes"])


def test_a_config_outside_of_the_repository_is_not_compared(tmp_path: Path, check: Check) -> None:
    (tmp_path / "own.yml").write_text(f"site-url: {SITE}\npolicy: {{max-removed: none}}\n")
    origin = pull_request(tmp_path / "origin", tree("a"), tree("a"))
    code, report = check(merged(origin, tmp_path), origin, "--config", str(tmp_path / "own.yml"))
    assert (code, report["policy"]) == (0, [])


def test_nothing_but_the_object_store_changes(tmp_path: Path, check: Check) -> None:
    origin = pull_request(tmp_path / "origin", tree("a"), tree("a", "b"))
    clone = merged(origin, tmp_path)
    before = git(clone, "for-each-ref"), git(clone, "status", "--porcelain"), git(clone, "config", "--list")
    assert check(clone, origin)[0] == 0
    after = (
        git(clone, "for-each-ref"),
        git(clone, "status", "--porcelain", "--", ":!out"),
        git(clone, "config", "--list"),
    )
    assert before == after


def test_a_branch_that_was_squashed_into_main_and_lives_on(tmp_path: Path, check: Check) -> None:
    """Its commits are not main's, their content is: what they removed is not removed a second time."""
    squashed, on_top = tree("a") | {"notes.md": "one commit"}, tree("a", "c")
    origin = pull_request(tmp_path / "origin", tree("a", "b"), tree("a"), main=squashed, merge=on_top)
    code, report = check(merged(origin, tmp_path), origin)
    assert (code, listed(report, "removed"), listed(report, "added")) == (0, [], urls("c"))


OPEN, SHUT = "User-agent: *\nDisallow: /admin/\n", "User-agent: *\nDisallow: /a\nDisallow: /admin/\n"


def robots(text: str, *names: str) -> dict[str, str]:
    """A robots.txt beside the sitemap, which the build copies."""
    return tree(*names) | {"robots.txt": text, "site/robots.txt": text}


def test_a_changed_robots_txt_is_judged_by_what_it_does(tmp_path: Path, check: Check) -> None:
    """RB-35: `/a` was meant for one page, and hits every path that begins with it."""
    origin = pull_request(tmp_path / "origin", robots(OPEN, "a", "about", "b"), robots(SHUT, "a", "about", "b"))
    code, report = check(merged(origin, tmp_path), origin, "--set", "policy.fail-on=errors")
    (finding,) = [row for row in report["findings"] if row["rule"] == "RB-35"]
    assert (code, finding["severity"], finding["line"]) == (1, "error", 2)
    assert f"Disallow: /a blocks Googlebot and Bingbot from 2 pages, such as {SITE}a/" in finding["message"]
    assert "RB-35" in report["stdout"]
    assert {row["class"] for row in report["removed"]} == {"deindexed"}


ROBOTS = [
    # id, target branch, pull request, findings of RB-35
    ("a comment", robots(OPEN, "a"), robots(f"# hello\n{OPEN}", "a"), []),
    ("the first robots.txt", tree("a"), robots(OPEN, "a"), []),
    ("opens what was shut", robots(SHUT, "a"), robots(OPEN, "a"), ["info"]),
    ("deletes it", robots(SHUT, "a"), tree("a"), ["info"]),
]  # fmt: skip


@pytest.mark.parametrize(("base", "head", "severities"), [pytest.param(*row[1:], id=row[0]) for row in ROBOTS])
def test_changes_of_robots_txt(
    base: dict[str, str], head: dict[str, str], severities: list[str], tmp_path: Path, check: Check
) -> None:
    origin = pull_request(tmp_path / "origin", base, head)
    _, report = check(merged(origin, tmp_path), origin)
    assert [row["severity"] for row in report["findings"] if row["rule"] == "RB-35"] == severities
    assert "RB-35" not in {row["rule"] for row in report["not_checked"]}


@pytest.mark.parametrize("path", ["", ":sitemap.xml"])
def test_RB_35_of_a_commit_that_is_named(path: str, tmp_path: Path, check: Check) -> None:
    origin = pull_request(tmp_path / "origin", robots(OPEN, "a", "b"), robots(SHUT, "a", "b"))
    _, report = check(merged(origin, tmp_path), origin, "--baseline", f"git:{origin.main}{path}")
    assert "RB-35" in {row["rule"] for row in report["findings"]}


def test_of_a_robots_txt_that_the_build_makes_nobody_knows_what_it_was(tmp_path: Path, check: Check) -> None:
    origin = pull_request(tmp_path / "origin", tree("a"), tree("a"))
    clone = merged(origin, tmp_path)
    (clone / "site/robots.txt").write_text(SHUT)
    _, report = check(clone, origin)
    assert "RB-35" not in {row["rule"] for row in report["findings"]}
    assert "RB-35" in {row["rule"] for row in report["not_checked"]}


def test_what_the_target_branch_had_wrong_may_be_left_alone(tmp_path: Path, check: Check) -> None:
    """DIFF-43: a date that nobody can read, from before this change."""
    bad = urlset("a").replace("</loc>", "</loc><lastmod>last week</lastmod>", 1)
    files = tree("a", "b", listed="a b") | {"sitemap.xml": bad, "site/sitemap.xml": bad}
    worse = bad.replace(f"<loc>{SITE}a/</loc>", f"<loc>{SITE}a/</loc><lastmod>soon</lastmod>")
    flags = ["--set", "policy.baseline-debt=ignore", "--set", "policy.fail-on=invalid"]
    old = pull_request(tmp_path / "origin", files, files | {"notes.md": "text"})
    assert check(merged(old, tmp_path), old)[0] == 1
    assert check(tmp_path / "clone", old, *flags)[0] == 0
    new = pull_request(tmp_path / "other", files, files | {"sitemap.xml": worse})
    code, report = check(checkout(new.directory, new.merge, tmp_path / "second"), new, *flags)
    assert (code, [row["message"] for row in report["findings"]]) == (1, ["lastmod is no W3C datetime: soon"])


def test_grace_runs_from_the_first_day(tmp_path: Path, check: Check) -> None:
    """DIFF-43: a page is gone, which is a warning for two weeks, and then an error."""
    origin = pull_request(tmp_path / "origin", tree("a", "b"), tree("a"))
    clone, state = merged(origin, tmp_path), tmp_path / "state.sqlite"
    flags = ["--set", "policy.grace={gone: 14}", "--state", str(state)]
    for _ in range(2):
        code, report = check(clone, origin, *flags)
        assert (code, listed(report, "removed")) == (0, urls("b"))
        assert f"a warning until {report['removed'][0]['grace']}: policy.grace" in report["stdout"]
    with closing(sqlite3.connect(state)) as database, database:
        database.execute("UPDATE first_seen SET day = '2020-01-01'")
    code, report = check(clone, origin, *flags)
    assert (code, "grace" in report["removed"][0]) == (1, False)
