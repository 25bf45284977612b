"""The document with which a host answers paths without a file is no page of the site (HOST-04, HOST-09)."""

import json
from pathlib import Path

import pytest

from sitemap_action.__main__ import run

PAGE = (
    "<!doctype html><title>{0}</title><main><h1>{0}</h1><p>" + "words of a page " * 30 + '<a href="/">start</a></main>'
)
SHELLS = {  # as they are generated
    "Nuxt": '<!DOCTYPE html><html><head><script type="module" src="/_nuxt/a.js"></script></head><body><div id="__nuxt">'
    '</div><div id="teleports"></div><script>window.__NUXT__={}</script></body></html>',
    "SvelteKit": '<!doctype html><html><body data-sveltekit-preload-data="hover"><div style="display: contents">'
    '<script>import("/_app/start.js")</script></div></body></html>',
    "Vite": '<!doctype html><title>App</title><body><div id="root"></div><script type="module" src="/a.js"></script>',
}
RULES = {
    "netlify": ("_redirects", "/* /{0} 200\n"),
    "azure-swa": ("staticwebapp.config.json", '{{"navigationFallback": {{"rewrite": "/{0}"}}}}'),
    "firebase": ("firebase.json", '{{"hosting": {{"rewrites": [{{"source": "**", "destination": "/{0}"}}]}}}}'),
    "vercel": ("vercel.json", '{{"rewrites": [{{"source": "/(.*)", "destination": "/{0}"}}]}}'),
}
WHY = "document of an application for paths without a file"


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def build(**files: str) -> None:
    for name, text in ({"index.html": PAGE.format("Start")} | files).items():
        path = Path("dist", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def outcome(*options: str) -> tuple[set[str], dict[str, str]]:
    """Paths that would be listed, and why others are not."""
    common = ("--path", "dist", "--site-url", "https://e.example/", "--offline", "--quiet")
    run(["check", *common, "--set", "render.when=never", "--report", "json=report.json", *options])
    report = json.loads(Path("report.json").read_text())
    paths = {row["url"].removeprefix("https://e.example"): row["detail"] for row in report["skipped"]}
    return {row["url"].removeprefix("https://e.example") for row in report["added"]}, paths


@pytest.mark.parametrize("shell", SHELLS.values(), ids=SHELLS)
def test_HOST_04_the_document_of_an_application_by_its_name(shell: str) -> None:
    build(**{"200.html": shell, "about/index.html": PAGE.format("About")})
    assert outcome() == ({"/", "/about/"}, {"/200.html": WHY})


@pytest.mark.parametrize(
    ("name", "text"),
    [("200.html", PAGE.format("The 200th")), ("posts/200.html", SHELLS["Nuxt"]), ("1200.html", SHELLS["Nuxt"])],
    ids=["a page with text", "in a folder", "another name"],
)
def test_other_files_are_pages(name: str, text: str) -> None:
    build(**{name: text})
    assert outcome()[0] == {"/", f"/{name}"}


@pytest.mark.parametrize("host", RULES)
def test_HOST_09_the_document_of_an_application_by_a_rule(host: str) -> None:
    name, rule = RULES[host]
    build(**{"app.html": SHELLS["Vite"], name: rule.format("app.html"), "b/index.html": PAGE.format("B")})
    listed, others = outcome("--set", f"source.host={host}")
    assert {path.rstrip("/") for path in listed} == {"", "/b"}
    assert WHY in others.values()


@pytest.mark.parametrize("host", RULES)
def test_the_start_page_stays_a_page(host: str) -> None:
    name, rule = RULES[host]
    build(**{"index.html": SHELLS["Vite"], name: rule.format("index.html")})
    assert WHY not in outcome("--set", f"source.host={host}")[1].values()


def test_a_rule_that_comes_or_goes_counts_with_a_state_too() -> None:
    """Though neither the file nor its address has changed."""
    netlify = ("--set", "source.host=netlify", "--state", "state.db")
    build(**{"app.html": SHELLS["Vite"], "_redirects": ""})
    assert "/app" in outcome(*netlify)[0]
    Path("dist/_redirects").write_text("/* /app.html 200\n")
    assert outcome(*netlify) == outcome(*netlify[:2]) == ({"/"}, {"/app": WHY})
    Path("dist/_redirects").write_text("")
    assert "/app" in outcome(*netlify)[0]


@pytest.mark.parametrize("name", ["200.html", "404.html"])
def test_explain_asks_for_no_browser(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody renders a document that is no page."""
    build(**{name: SHELLS["Vite"]})
    run(["explain", f"/{name}", "--path", "dist", "--site-url", "https://e.example/", "--offline"])
    out = capsys.readouterr().out
    assert out.startswith("not listed (excluded): ")
    assert "rendered" not in out


KEY = "abcdef0123456789abcdef0123456789"


@pytest.mark.parametrize(("name", "text", "listed"), [(f"{KEY}.txt", f"{KEY}\n", False), (f"{KEY}.txt", "a text", True), ("notes-of-2026.txt", "notes", True)])  # fmt: skip
def test_HOST_04_the_key_file_of_IndexNow(name: str, text: str, listed: bool) -> None:
    build(**{name: text})
    paths, others = outcome("--set", "select.types=[html, txt]")
    assert (f"/{name}" in paths) is listed
    assert others == ({} if listed else {f"/{name}": "IndexNow key file"})
