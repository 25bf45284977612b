"""Detection of the empty shells of client-rendered pages (HTML-70)."""

import pytest

from sitemap_action.html import extract
from sitemap_action.html.extract import needs_rendering
from sitemap_action.model.page import DEFAULT_THRESHOLDS, ShellThresholds

PADDING = f"<meta name=description content='{'x' * 3000}'>"
SCRIPT = "<script src=/app.js></script>"
WORDS = "word " * 60
EMPTY = "no word, link or image in the children of <body>"

ROWS = [
    # under 200 characters of HTML
    ("HTML-70 almost nothing", f"<title>x</title><body>{SCRIPT}</body>", "under 200 characters of HTML"),
    ("HTML-70 nothing at all: no script builds it", "", ""),
    ("V-08 a root comes before the length", "<!doctype html><title>App</title><div id=root></div><script type=module src=/a.js></script>", "<div id=root> and fewer than 5 children of <body>"),
    ("V-08 a loading notice comes before the length", f"<p>Loading…</p>{SCRIPT}", "shows only 'loading'"),
    ("V-08 a redirect stub", f"<meta http-equiv=refresh content='0; url=/b'>{SCRIPT}", ""),
    ("V-08 a redirect by script", "<script>location.href = '/b'</script>", ""),
    ("HTML-70 a short static page", "<title>x</title><p>Moved house.", ""),
    ("HTML-70 a short page with a link", f"<a href=/a>x</a>{SCRIPT}", ""),
    # a framework root and few children of <body>
    ("HTML-70 React", f"{PADDING}<div id=root></div>{SCRIPT}", "<div id=root> and fewer than 5 children of <body>"),
    ("HTML-70 Next.js", f"{PADDING}<div id=__next></div>{SCRIPT}", "<div id=__next> and fewer than 5 children of <body>"),
    ("HTML-70 Vue", f"{PADDING}<div class=x><div id=app></div></div>{SCRIPT}", "<div id=app> and fewer than 5 children of <body>"),
    ("HTML-70 scripts are no children", f"{PADDING}<div id=root></div>{SCRIPT * 6}", "<div id=root> and fewer than 5 children of <body>"),
    ("HTML-70 an advice to those without scripts", f"{PADDING}<noscript>{WORDS}</noscript><div id=root></div>{SCRIPT}",
     "<div id=root> and fewer than 5 children of <body>"),
    ("HTML-70 a root that holds a link: server-rendered", f"{PADDING}<div id=__next><a href=/a>x</a></div>{SCRIPT}", ""),
    ("HTML-70 a root that holds 50 words: server-rendered", f"{PADDING}<div id=root>{WORDS}</div>{SCRIPT}", ""),
    ("HTML-70 an empty root beside navigation", f"{PADDING}<nav><a href=/a>x</a></nav><div id=root></div>{SCRIPT}",
     "<div id=root> and fewer than 5 children of <body>"),
    ("HTML-70 an anchor without href is no link", f"{PADDING}<div id=root><a>x</a></div>{SCRIPT}",
     "<div id=root> and fewer than 5 children of <body>"),
    ("HTML-70 a root where no script runs", f"{PADDING}<div id=app><p>Just a name.</p></div>", ""),
    ("HTML-70 five children", f"{PADDING}<div id=root></div><p>a<p>b<p>c<p>d{SCRIPT}", ""),
    # few children and many scripts
    ("HTML-70 eleven scripts", f"{PADDING * 5}<div></div>{SCRIPT * 11}", "fewer than 5 children of <body> and more than 10 scripts"),
    ("HTML-70 ten scripts", f"{PADDING * 5}<div>x</div>{SCRIPT * 10}", ""),
    ("HTML-70 eleven blocks of data", f"{PADDING * 5}<div>x</div>" + "<script type=application/json>{}</script>" * 11 + SCRIPT, ""),
    ("HTML-70 eleven scripts round a real page", f"{PADDING * 5}<div>{WORDS}</div>{SCRIPT * 11}", ""),
    # a framework root and little HTML for each script
    ("HTML-70 little HTML per script", f"{PADDING}<div id=root></div><p>a<p>b<p>c<p>d{SCRIPT * 4}", "<div id=root> and under 1000 characters per script"),
    ("HTML-70 little HTML per script, no root", f"{PADDING}<div></div><p>a<p>b<p>c<p>d{SCRIPT * 4}", ""),
    # what is seen
    ("HTML-70 loading", f"{PADDING}<div>Loading…</div>{SCRIPT}", "shows only 'loading'"),
    ("HTML-70 loading in a sentence", f"{PADDING}<p>Please wait, the page is loading.</p>{SCRIPT}", "shows only 'loading'"),
    ("HTML-70 a spinner without words", f"{PADDING}<div class='ui spinner'></div>{SCRIPT}", "shows only 'spinner'"),
    ("HTML-70 loading among other words", f"{PADDING}<p>How loading a ship works, in {WORDS}</p>{SCRIPT}", ""),
    ("HTML-70 another word", f"{PADDING}<p>Unloading</p>{SCRIPT}", ""),
    # nothing at all in <body>, and a script
    ("HTML-70 Svelte takes <body>", f"<head>{PADDING}<script type=module src=/a.js></script></head><body></body>", EMPTY),
    ("HTML-70 SvelteKit", f"{PADDING}<body><div style='display: contents'><script>import('/a.js')</script></div>", EMPTY),
    ("HTML-70 Angular", f"{PADDING}<app-root></app-root>{SCRIPT}", EMPTY),
    ("HTML-70 Nuxt", f"{PADDING}<div id=__nuxt></div>{SCRIPT}", EMPTY),
    ("HTML-70 an advice alone", f"{PADDING}<noscript>{WORDS}</noscript>{SCRIPT}", EMPTY),
    ("HTML-70 an image", f"{PADDING}<img src=/a.png>{SCRIPT}", ""),
    ("HTML-70 a form", f"{PADDING}<form action=/search></form>{SCRIPT}", ""),
    ("HTML-70 one word", f"{PADDING}<p>Hello</p>{SCRIPT}", ""),
    ("HTML-70 nothing, and no script", f"{PADDING}<body></body>", ""),
    ("HTML-70 nothing, and data", f"{PADDING}<script type=application/json>{{}}</script>", ""),
    ("V-08 a long redirect stub", f"{PADDING}<meta http-equiv=refresh content='0; url=/b'>{SCRIPT}", ""),
    ("V-08 a long redirect by script", f"{PADDING}<script>location.href = '/b'</script>", ""),
    # a plain page
    ("HTML-70 a static page", f"{PADDING}<h1>x</h1><p>{WORDS}</p><a href=/>home</a>", ""),
    ("HTML-70 a frameset", "<frameset><frame src=/a></frameset>", ""),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_shell_clause(markup: str, expected: str) -> None:
    assert shell(markup) == expected


def shell(markup: str, **thresholds: object) -> str:
    found = extract.read(markup.encode(), (), "https://x.com/", thresholds=ShellThresholds(**thresholds)).facts.shell  # type: ignore[arg-type]
    return found.clause if found else ""


def test_thresholds_are_those_given() -> None:
    page = f"{PADDING}<div id=mount>x</div>{SCRIPT}"
    assert shell(page) == ""
    assert shell(page, roots=("#mount",)) == "<div id=mount> and fewer than 5 children of <body>"
    assert shell(page, roots=("#mount",), child_nodes=1) == ""
    assert shell(page, roots=()) == ""
    assert shell(f"{PADDING}<div id=mount></div>{SCRIPT}", content_length=10_000) == "under 10000 characters of HTML"
    assert shell(f"{PADDING}<p>Wird geladen</p>{SCRIPT}", loading=("wird geladen",)) == "shows only 'wird geladen'"
    assert shell(f"{PADDING}<div id=root>one two</div>{SCRIPT}", words=2) == ""


def test_defaults_are_those_of_render_detect() -> None:
    assert ShellThresholds() == ShellThresholds(
        content_length=200,
        child_nodes=5,
        script_count=10,
        content_per_script=1000,
        roots=("#root", "#__next", "#app"),
        loading=("loading", "spinner"),
        words=50,
    )


REFRESH = "<meta http-equiv=refresh content='0; url={}'>"
LEAVES = "<script>location.replace('/b')</script>"


@pytest.mark.parametrize(
    ("markup", "headers", "expected"),
    [
        (f"{PADDING}{SCRIPT}", (), True),
        (f"{PADDING}{REFRESH.format('/b')}{SCRIPT}", (), False),
        (f"{PADDING}{SCRIPT}", (("refresh", "0; url=/b"),), False),
        (f"{PADDING}<noscript>{REFRESH.format('/b')}</noscript>{SCRIPT}", (), True),  # for those without scripts
        (f"{PADDING}{REFRESH.format('/a')}{SCRIPT}", (), True),  # to itself
        (f"{PADDING}{LEAVES}", (), False),
        (f"{PADDING}{LEAVES}{SCRIPT}", (), True),  # it may leave only old browsers
        (f"{PADDING}<script>if (old) location = '/b'; import('/app.js')</script>", (), True),
        (f"{PADDING}<div id=root></div>{LEAVES}", (), True),  # an application, which may leave for a login alone
    ],
)
def test_HTML_70_a_document_that_says_where_it_goes_is_not_rendered(
    markup: str, headers: tuple[tuple[str, str], ...], expected: bool
) -> None:
    assert needs_rendering(markup.encode(), headers, "https://x.com/a", DEFAULT_THRESHOLDS) is expected
