"""Each tip, done literally, turns the check green (U-22): for every class of removal, every guard and every headline.

A row breaks a build in one way; its check fails and says the tip; what the tip says is done, and the check passes.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from servers import Reply, Site, serve
from sitemap_action.__main__ import run
from sitemap_action.model.site import Reason
from sitemap_action.reports.advice import ADVICE
from sitemap_documents import urlset as sitemap
from test_stated_base import TEXT, build, urlset

SITE = "https://acme.io/"
KEPT = ("", *(f"page-{number}/" for number in range(12)))
GOING = ("v1/", "v2/", "v3/")
CHECK = ["check", "--path", "dist", "--host", "netlify", "--site-url", SITE, "--offline"]
ERROR_PAGE = "<!doctype html><title>Page not found</title><h1>404</h1><p>Sorry, this page does not exist.</p>"
Act = Callable[[], object]


def pages() -> None:
    build(Path("dist"), (*KEPT, *GOING))
    Path("dist/404.html").write_text(ERROR_PAGE)


def remove() -> None:
    for name in GOING:
        Path("dist", name, "index.html").unlink()


def redirects(*targets: str, status: int) -> Act:
    def act() -> None:
        rules = (f"/{name} {target} {status}!\n" for name, target in zip(GOING, targets * 3, strict=False))
        Path("dist/_redirects").write_text("".join(rules))

    return act


def restore() -> None:
    """The pages as they were, without what was in their way."""
    for name in ("_redirects", "_headers"):
        Path("dist", name).unlink(missing_ok=True)
    pages()


def head(text: str) -> Act:
    def act() -> None:
        for name in GOING:
            page = Path("dist", name, "index.html")
            page.write_text(page.read_text().replace("<title>", f"{text}<title>"))

    return act


def configure(**settings: object) -> Act:
    """The config of the repository, which is YAML as all JSON is; a section a name."""

    def act() -> None:
        Path(".github").mkdir(exist_ok=True)
        Path(".github/sitemap.yml").write_text(json.dumps(settings))

    return act


def all_of(*acts: Act) -> Act:
    return lambda: [act() for act in acts]


def error_pages() -> None:
    for name in GOING:
        Path("dist", name, "index.html").write_text(ERROR_PAGE)


def unlink_pages() -> None:
    start = Path("dist/index.html")
    start.write_text(re.sub(r'<a href="v\d/">to</a>', "", start.read_text()))


def succeed() -> None:
    """A permanent redirect of each page to a successor of its own."""
    redirects("/page-0/", "/page-1/", "/page-2/", status=301)()


def write() -> None:
    assert run(["write", *CHECK[1:]]) == 0


def announce(reason: Reason) -> Act:
    return configure(
        policy={"expected-removals": [{"url": "/v*/", "class": reason.value, "reason": "meant", "until": "2099-12-31"}]}
    )


gone = redirects("/", status=410)
no_config = configure()

# class: what breaks the build; what the tip says, each alternative with what is done
REMOVALS: dict[Reason, tuple[Act, dict[str, Act]]] = {
    Reason.MOVED: (all_of(remove, succeed), {"Visitors and search engines are redirected": lambda: None}),
    Reason.MOVED_HOME: (all_of(remove, redirects("/", status=301)), {"redirect each page to its successor": succeed, "or answer 410": gone}),
    Reason.MOVED_TEMPORARY: (all_of(remove, redirects("/page-0/", "/page-1/", "/page-2/", status=302)), {"make it permanent (301 or 308)": succeed}),
    Reason.MOVED_OFFSITE: (all_of(remove, redirects("https://other.io/a", status=301)), {"announce it in policy.expected-removals": announce(Reason.MOVED_OFFSITE)}),
    Reason.REDIRECT_BROKEN: (all_of(remove, redirects("/nothing/", status=301)), {"point it at one": succeed}),
    Reason.GONE: (remove, {"restore the page": restore, "redirect it": succeed, "answer 410": gone, "announce it in policy.expected-removals": announce(Reason.GONE)}),
    Reason.DEINDEXED: (head('<meta name="robots" content="noindex">'), {"undo that": restore, "announce it in policy.expected-removals": announce(Reason.DEINDEXED)}),
    Reason.DROPPED: (all_of(unlink_pages, configure(select={"orphans": "drop"})), {"link it": restore, "set select.orphans to keep": configure(select={"orphans": "keep"})}),
    Reason.EXCLUDED: (configure(select={"exclude": ["/v*/"]}), {"its row names the key of the config, or the file of the host, to change": no_config}),
    Reason.OTHER_TYPE: (lambda: Path("dist/_headers").write_text("/v*\n  Content-Type: application/pdf\n"), {"correct its Content-Type": lambda: Path("dist/_headers").unlink(), "add the type to select.types": configure(select={"types": ["html", "pdf"]})}),
    Reason.MERGED: (lambda: None, {"The same page is listed under another URL": lambda: None}),
    Reason.SOFT_404: (error_pages, {"restore the page": restore, "redirect it": succeed, "answer 410": gone, "answer 404 and announce it in policy.expected-removals": all_of(remove, announce(Reason.GONE))}),
}  # fmt: skip
SEEN_ELSEWHERE = {Reason.UNDETERMINED: "no answer is no removal: an existing entry is kept"}
CASES = [(reason, told) for reason, (_, alternatives) in REMOVALS.items() for told in alternatives]


def advice_of(printed: str) -> str:
    """What the whole report says is to be done now."""
    (found,) = (line for line in printed.splitlines() if line.startswith("→ "))
    return found[2:]


def red(capsys: pytest.CaptureFixture[str], *given: str) -> str:
    capsys.readouterr()
    assert run([*CHECK, *given]) == 1
    return capsys.readouterr().out


def test_every_class_has_a_row() -> None:
    assert {*REMOVALS, *SEEN_ELSEWHERE} == {*Reason}
    for reason, (_, alternatives) in REMOVALS.items():
        assert all(told in ADVICE[reason] for told in alternatives)


@pytest.mark.parametrize(("reason", "told"), CASES)
def test_what_is_done_with_a_page_that_the_sitemap_lists(
    reason: Reason, told: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages()
    extra = [f"{name}index.html" for name in GOING] if reason is Reason.MERGED else []
    urlset(Path("sitemap.xml"), SITE, [*KEPT, *GOING, *extra])
    breaks, alternatives = REMOVALS[reason]
    breaks()
    text = red(capsys)
    assert f"Listed in sitemap.xml, but {reason}" in text
    assert f"{ADVICE[reason]} Then run `sitemap-action write`." in text.replace("\n", " ")
    alternatives[told]()
    write()
    assert run(CHECK) == 0, capsys.readouterr().out


LOST = [(reason, told) for reason, told in CASES if reason not in {Reason.MOVED, Reason.MERGED, Reason.EXCLUDED}]


@pytest.mark.parametrize(("reason", "told"), LOST)
@pytest.mark.parametrize("listed", [True, False], ids=["listed", "not listed"])
def test_what_is_done_with_a_page_that_a_change_removes(
    listed: bool, reason: Reason, told: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages()
    urlset(Path("before.xml"), SITE, [*KEPT, *GOING])
    urlset(Path("sitemap.xml"), SITE, [*KEPT, *(GOING if listed else ())])
    breaks, alternatives = REMOVALS[reason]
    breaks()
    text = red(capsys, "--baseline", "before.xml")
    assert ADVICE[reason] in text.replace("\n", " ")
    assert advice_of(text).startswith("Restore the lost pages, redirect each to its successor")
    alternatives[told]()
    write()
    assert run([*CHECK, "--baseline", "before.xml"]) == 0, capsys.readouterr().out


REDIRECT = "Redirect each old URL to its new one with 301 or 308"


def test_what_is_done_with_pages_that_changed_their_address(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = ([f"{folder}/{name}" for name in KEPT[1:]] for folder in ("old", "new"))
    build(Path("dist"), ("", *new))
    urlset(Path("sitemap.xml"), SITE, ["", *old])
    text = red(capsys, "--set", "policy.max-removed=none")
    assert "Under another URL than in sitemap.xml" in text
    assert REDIRECT in text
    assert "Then run `sitemap-action write`." in text
    Path("dist/_redirects").write_text("/old/* /new/:splat 301\n")
    write()
    assert run(CHECK) == 0, capsys.readouterr().out


# guard: what the config has; pages of the baseline; what the advice says, and what is done
MORE = tuple(f"w{number}/" for number in range(30))
MEANT = "announce them in policy.expected-removals"
CHANGE = "change the policy in the same pull request"
ANNOUNCED = [{"url": "/w*/", "class": "gone", "reason": "meant", "until": "2099-12-31"}]
GUARDS: dict[str, tuple[dict[str, object], tuple[str, ...], dict[str, Act]]] = {
    "policy.max-removed": ({}, (*KEPT, *MORE), {"restore the lost pages|restore the pages": lambda: build(Path("dist"), (*KEPT, *MORE)), MEANT: configure(policy={"expected-removals": ANNOUNCED})}),
    "policy.sections": ({"sections": {"/w*/": {"max-removed": 5}}, "max-removed": "none"}, (*KEPT, *MORE), {"restore the lost pages|restore the pages": lambda: build(Path("dist"), (*KEPT, *MORE)), MEANT: configure(policy={"sections": {"/w*/": {"max-removed": 5}}, "expected-removals": ANNOUNCED})}),
    "policy.max-added": ({"max-added": 2}, KEPT[:5], {"take out the pages that should not be there": lambda: [Path("dist", name, "index.html").unlink() for name in KEPT[5:]], CHANGE: configure(policy={"max-added": 50})}),
    "policy.min-urls": ({"min-urls": 40}, KEPT, {"restore the pages": lambda: build(Path("dist"), (*KEPT, *MORE)), CHANGE: configure(policy={"min-urls": 13})}),
    "policy.required": ({"required": ["/w1/"]}, KEPT, {"restore the pages": lambda: build(Path("dist"), (*KEPT, "w1/")), CHANGE: no_config}),
}  # fmt: skip


@pytest.mark.parametrize(("guard", "told"), [(guard, told) for guard, row in GUARDS.items() for told in row[2]])
@pytest.mark.parametrize("stale", [True, False], ids=["stale", "current"])
def test_what_is_done_about_a_guard(
    stale: bool, guard: str, told: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy, before, alternatives = GUARDS[guard]
    build(Path("dist"), KEPT)
    if policy:
        configure(policy=policy)()
    for path in ("before.xml", *(["sitemap.xml"] if stale else [])):
        urlset(Path(path), SITE, before)
    if not stale:
        urlset(Path("sitemap.xml"), SITE, KEPT)
    given = ("--baseline", "before.xml")
    text = red(capsys, *given)
    assert guard in text
    assert re.search(told, advice_of(text), re.IGNORECASE)
    alternatives[told]()
    assert run(["write", *CHECK[1:], *given, "--fail-on", "none"]) == 0
    assert run([*CHECK, *given]) == 0, capsys.readouterr().out


def sitemap_of(*names: str) -> Act:
    return lambda: urlset(Path("sitemap.xml"), SITE, names)


def ledger(*lines: str) -> Act:
    return lambda: Path("urls.txt").write_text("".join(f"{line}\n" for line in lines))


ALL = ("/", *(f"/{name}" for name in KEPT[1:]))
KNOWN = configure(policy={"ledger": "urls.txt"})
OTHER = "https://www.acme.io/"
stated = all_of(lambda: build(Path("dist"), KEPT, canonical=OTHER), lambda: urlset(Path("sitemap.xml"), OTHER, KEPT))
# case: what breaks the build; exit code; the advice in its alternatives, each with what is done (None: a flag is given)
HEADLINES: dict[str, tuple[Act, int, dict[str, tuple[Act, list[str]]]]] = {
    "missing": (sitemap_of(*KEPT[:-1]), 1, {"^Run `sitemap-action write` and commit sitemap.xml.$": (write, [])}),
    "no sitemap": (lambda: None, 1, {"^Run `sitemap-action write` after each build: it writes dist/sitemap.xml.$": (write, [])}),
    "invalid": (lambda: Path("sitemap.xml").write_text(urlset(Path("x.xml"), SITE, KEPT).decode().replace("</loc>", "</loc><lastmod>soon</lastmod>", 1)), 1, {"^Run `sitemap-action write` and commit sitemap.xml.$": (write, [])}),
    "noindex everywhere": (all_of(lambda: build(Path("dist"), KEPT, head='<meta name="robots" content="noindex">'), sitemap_of(*KEPT)), 1, {"^Look (at|for)": (lambda: build(Path("dist"), KEPT), [])}),
    "many": (sitemap_of(*(f"{name}old/" for name in KEPT[1:]), ""), 1, {"`sitemap-action accept` lists them, and only new ones fail": (lambda: run(["accept", *CHECK[1:]]), [])}),
    "ledger": (all_of(sitemap_of(*KEPT), ledger(*sorted((*ALL, "/v1/"))), KNOWN), 1, {
        "^Redirect each dead address permanently to its successor": (succeed, []),
        "answer 410": (gone, []),
        "declare it: write ` gone DAY REASON` behind it in the ledger": (ledger(*sorted((*ALL, "/v1/ gone 2026-01-31 nobody reads it"))), [])}),
    "other base": (stated, 3, {
        f"^Name the address that the site states: --site-url {OTHER}": (lambda: None, ["--site-url", OTHER])}),
}  # fmt: skip


@pytest.mark.parametrize(("name", "told"), [(name, told) for name, row in HEADLINES.items() for told in row[2]])
def test_what_the_whole_report_says(name: str, told: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    breaks, code, alternatives = HEADLINES[name]
    build(Path("dist"), KEPT)
    breaks()
    assert run(CHECK) == code
    assert re.search(told, advice_of(capsys.readouterr().out))
    act, flags = alternatives[told]
    act()
    if flags:
        urlset(Path("sitemap.xml"), flags[1], KEPT)
    assert run([*CHECK, *flags]) == 0, capsys.readouterr().out


def page(title: str, *links: str) -> str:
    return (
        f"<!doctype html><title>{title}</title><p>{TEXT} {title}{''.join(f'<a href={link}>to</a>' for link in links)}"
    )


def upload(site: Site) -> None:
    """What `sitemap-action write` makes, in the place of what is served."""
    assert run(["write", site.url, "--sitemap", "sitemap.xml"]) == 0
    site.routes["/sitemap.xml"] = Reply(Path("sitemap.xml").read_bytes(), type="application/xml")


def correct(site: Site) -> None:
    site.routes["/sitemap.xml"] = Reply(
        sitemap(*(f"{site.url}{path}" for path in ("", "a/", "b/"))), type="application/xml"
    )


def allow(site: Site) -> None:
    site.routes["/robots.txt"] = Reply("User-agent: sitemap-action\nAllow: /\n", type="text/plain")


ROBOTS = "User-agent: sitemap-action\nDisallow: /a/\nDisallow: /b/\n"
CORRECT = "^Correct what writes \\S+sitemap.xml"
# case: robots.txt; what the sitemap lists besides; exit code; alternatives: what is said, flags, and what is done
SERVED: dict[str, tuple[str, list[str], int, dict[str, tuple[list[str], Callable[[Site], None] | None]]]] = {
    "a page is gone": ("", ["gone/"], 1, {CORRECT: ([], correct), "upload the whole file in its place: `sitemap-action write \\S+ --sitemap sitemap.xml` makes it": ([], upload)}),
    "closed to this program": (ROBOTS, [], 3, {"Allow it in robots.txt with a group for sitemap-action": ([], allow), "or set crawl.robots: ignore for a site of your own": (["--set", "crawl.robots=ignore"], None)}),
}  # fmt: skip


@pytest.mark.parametrize(("name", "told"), [(name, told) for name, row in SERVED.items() for told in row[3]])
def test_what_is_done_about_a_served_site(name: str, told: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    robots, extra, code, alternatives = SERVED[name]
    routes = {
        "/": Reply(page("home", "/a/", "/b/")),
        "/a/": Reply(page("first", "/")),
        "/b/": Reply(page("second", "/")),
    }
    with serve(routes) as site:
        site.routes["/robots.txt"] = Reply(robots, type="text/plain")
        listed = (f"{site.url}{path}" for path in ("", "a/", "b/", *extra))
        site.routes["/sitemap.xml"] = Reply(sitemap(*listed), type="application/xml")
        assert run(["check", site.url]) == code, capsys.readouterr().out
        assert re.search(told, capsys.readouterr().out.replace("→ ", "\n"), re.MULTILINE)
        flags, act = alternatives[told]
        if act:
            act(site)
        assert run(["check", site.url, *flags]) == 0, capsys.readouterr().out
