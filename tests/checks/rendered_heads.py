"""The head of a page before and after its scripts (HTML-72): rows of `test_site_rules.py`, one for each difference."""

from fakes import at, page
from sitemap_action.html import directives
from sitemap_action.html.directives import classify_canonical
from sitemap_action.model.finding import Severity
from sitemap_action.model.page import Alternate, Directive, Head, Page, Rendering, Shell, ShellKind

W = Severity.WARNING
NOINDEX = Directive("", "noindex", "", "meta")
HOST_NOINDEX = frozenset({NOINDEX})
PLAIN = Head("A page")
SHELL = "<div id=root> and fewer than 5 children of <body>"


def head(robots: str = "", canonical: str = "", versions: str = "", title: str = "A page") -> Head:
    """`versions`: languages, each with a page of its own."""
    return Head(
        title,
        directives.parse_meta("robots", robots) if robots else (),
        (classify_canonical(canonical, at(canonical), "link"),) if canonical else (),
        tuple(Alternate(language, at(f"/{language.lower()}/")) for language in versions.split()),
    )


def seen(served: Head, rendered: Head | None, shell: str = "", **more: object) -> list[Page]:
    """One page, with the facts of both documents."""
    both = (*served.directives, *(rendered.directives if rendered else ()))
    return [
        page(
            "/a",
            directives=both,
            rendering=Rendering(served, rendered, Shell(ShellKind.STRUCTURE, shell) if shell else None),
            **more,
        )
    ]


HEADS = [
    # as GIVEN: rule, id, options, pages, severity, message; no severity: no finding
    ("HTML-72", "both say the same", {}, seen(head("noindex, nofollow", "/a", "de en"), head("nofollow,noindex", "/a", "en DE")), None, ""),
    ("HTML-72", "served noindex, removed by a script", {}, seen(head("noindex"), PLAIN), W, "the page is served with noindex, which holds, although a script removes it"),
    ("HTML-72", "no browser was asked", {}, [page("/a")], None, ""),
    ("HTML-72", "no rendered document", {}, seen(head("noindex", "/b"), None), None, ""),
    ("HTML-72", "an error page of the host", {}, seen(head("noindex"), PLAIN, unlisted="error page"), None, ""),
    ("HTML-72", "another title", {}, seen(PLAIN, head(title="Another")), W, "a script changes the title of the page: served A page, rendered Another"),
    ("HTML-72", "a title from a script alone", {}, seen(head(title=""), PLAIN), W, "served without, rendered A page"),
    ("HTML-72", "a title that a script removes", {}, seen(PLAIN, head(title="")), W, "served A page, rendered without"),
    ("HTML-72", "another canonical", {}, seen(head(canonical="/a"), head(canonical="/b")), W, f"a script changes the canonical of the page: served {at('/a')}, rendered {at('/b')}"),
    ("HTML-72", "a canonical from a script alone", {}, seen(PLAIN, head(canonical="/b")), W, f"served without, rendered {at('/b')}"),
    ("HTML-72", "a canonical that does not count", {}, seen(PLAIN, Head("A page", canonicals=(classify_canonical("", None, "link"),))), None, ""),
    ("HTML-72", "a script adds noindex", {}, seen(PLAIN, head("noindex")), W, "a script adds noindex to a page that is served without it: served without, rendered noindex"),
    ("HTML-72", "a script adds nofollow", {}, seen(PLAIN, head("nofollow")), W, "a script changes the robots directives of the page: served without, rendered nofollow"),
    ("HTML-72", "another value", {}, seen(head("max-snippet: 10"), head("max-snippet: 20")), W, "served max-snippet: 10, rendered max-snippet: 20"),
    ("HTML-72", "the same from another place", {}, seen(head("noindex"), Head("A page", (Directive("", "noindex", "", "header"),))), None, ""),
    ("HTML-72", "one version more", {}, seen(head(versions="de"), head(versions="de fr")), W, f"a script changes the language versions of the page: served de {at('/de/')}, rendered fr {at('/fr/')}"),
    ("HTML-72", "many versions more", {}, seen(PLAIN, head(versions="de en es fr")), W, f"rendered de {at('/de/')} and en {at('/en/')} and 2 more"),
    ("HTML-72", "the noindex of a preview (ENV-03)", {"host_directives": HOST_NOINDEX}, seen(head("noindex"), PLAIN), None, ""),
    ("HTML-72", "select.noindex: ignore", {"noindex_counts": False}, seen(head("noindex"), PLAIN), None, ""),
    # Of a shell only what its served head states.
    ("HTML-72", "a shell: all from its scripts", {}, seen(PLAIN, head("noindex", "/b", "de", "Another"), SHELL), None, ""),
    ("HTML-72", "a shell: served noindex", {}, seen(head("noindex"), PLAIN, SHELL), W, "the page is served with noindex, which holds"),
    ("HTML-72", "a shell: another canonical", {}, seen(head(canonical="/"), head(canonical="/b"), SHELL), W, f"served {at('/')}, rendered {at('/b')}"),
    ("HTML-72", "a shell: a canonical that a script removes", {}, seen(head(canonical="/"), PLAIN, SHELL), W, f"served {at('/')}, rendered without"),
    ("HTML-72", "a shell: index served, noindex rendered", {}, seen(head("index"), head("noindex"), SHELL), W, "a script adds noindex to a page that is served without it: served without, rendered noindex"),
    ("HTML-72", "a shell: other versions", {}, seen(head(versions="de"), head(versions="en"), SHELL), W, "language versions"),
]  # fmt: skip
