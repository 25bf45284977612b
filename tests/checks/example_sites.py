"""Sites that a rule of the sheet is about: for each id one that must pass and one that must be reported.

A rule over pages, robots.txt or a host has two builds here, which the whole program reads (`test_examples.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

SITE = "https://www.example.com"
ACCEPTED, KNOWN = ".github/sitemap-accepted.txt", "gone\t/old\t2026-11-24\tthere before the check\n"
WORDS = "<p>" + "Enough words of its own stand on this page, so that no rule takes it for an empty one. " * 5


@dataclass(frozen=True)
class Build:
    """`files` of the folder `dist`; `listed`: paths of the committed sitemap, every page without it."""

    files: Mapping[str, str]
    listed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()  # listed by the baseline, and not by the committed sitemap
    config: str = ""
    more: Mapping[str, str] = field(default_factory=dict)  # files of the work tree
    says: str = ""  # what the report must hold where no finding has the id of the rule


def page(head: str = "", body: str = WORDS, title: str = "A page") -> str:
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


def site(more: Mapping[str, str] = {}, **pages: str) -> dict[str, str]:
    """Pages by name, and a start page that links to all of them."""
    links = "".join(f'<a href="/{name}.html">{name}</a> ' for name in pages)
    return {"index.html": page(body=WORDS + links), **{f"{name}.html": text for name, text in pages.items()}, **more}


def canonical(*targets: str, more: str = "") -> str:
    return "".join(f'<link rel="canonical" href="{target}"{more}>' for target in targets)


def head(text: str, **others: str) -> Build:
    """A page with this head."""
    return Build(site(a=page(text), **others))


def robots(text: str) -> Build:
    return Build(site({"robots.txt": text}, a=page()))


A, B = f"{SITE}/a.html", f"{SITE}/b.html"
NOINDEX = '<meta name="robots" content="noindex">'
GOOD_ROBOTS = robots(f"User-agent: *\nDisallow: /admin/\nSitemap: {SITE}/sitemap.xml\n")
OWN = head(canonical(A))
NETLIFY = "source: {host: netlify}\n"
LEDGER = ".github/urls.txt"
WITH_LEDGER = f"source: {{host: netlify}}\npolicy: {{ledger: {LEDGER}}}\n"
RULES = "/old /a 301\n/older /old 301\n"


def versions(head: str) -> dict[str, str]:
    """A page of the current version, and one of an old one with this head."""
    links = '<a href="/stable/a.html">new</a> <a href="/v1/a.html">old</a>'
    return {"index.html": page(body=WORDS + links), "stable/a.html": page(), "v1/a.html": page(head)}


OLD_VERSION = Build(
    versions(canonical(f"{SITE}/stable/a.html")),
    listed=("/", "/stable/a.html"),
    config="versions: {current: /stable/, old: [/v*/]}\n",
)


TWIN = '<link rel="alternate" type="text/markdown" href="/a.md">'


def llms(link: str) -> Build:
    return Build(site({"llms.txt": f"# Example\n\n- [A]({link}): a page\n"}, a=page()))


def pair(passes: Build, fails: Build) -> tuple[Build, Build]:
    return passes, fails


def ruled(passes: str, fails: str) -> tuple[Build, Build]:
    """Two `_redirects` of a host where a file comes before a rule."""
    rows = [Build(site({"_redirects": f"{text}\n"}, a=page()), config=NETLIFY) for text in (passes, fails)]
    return pair(*rows)


EXAMPLES: dict[str, tuple[Build, Build]] = {
    "ENV-06": (OWN, head(canonical("http://localhost:3000/a.html"))),
    "HTML-06": (
        head('<meta name="robots" content="unavailable_after: 2099-01-31">'),
        head('<meta name="robots" content="unavailable_after: soon">'),
    ),
    "HTML-21": (OWN, Build(site(a=page('<img src="/p.png">' + canonical(A))))),
    "HTML-23": (OWN, head(canonical("/a.html"))),
    "HTML-25": (OWN, head(canonical(A, B), b=page())),
    "HTML-26": (head(canonical(B), b=page(canonical(B))), head(canonical(B), b=page(NOINDEX))),
    "HTML-27": (OWN, head(canonical("file:///usr/share/doc/a.html"))),
    "HTML-28": (OWN, head(canonical("http://www.example.com/a.html"))),
    "HTML-29": (head(NOINDEX), head(NOINDEX + canonical(B), b=page())),
    "HTML-31": (
        Build(site(**{f"p{number}": page() for number in range(5)})),
        Build(site(**{f"p{number}": page(canonical(f"{SITE}/")) for number in range(5)})),
    ),
    "HTML-45": (OWN, Build(site(a=page(title="Page not found", body="<p>Sorry.")))),
    "HTML-47": (OWN, Build(site(a=page("<script>location.href = '/b.html'</script>", ""), b=page()))),
    "HTML-49": (OWN, Build(site(a=page(body=WORDS + "x" * (2 * 2**20))))),
    "HTML-64": (
        Build(site(a=page(body=f'{WORDS}<a href="/">Home</a>'))),
        Build(site(a=page(body=f'{WORDS}<a href="#/products">Products</a>'))),
    ),
    "HTML-68": (OWN, Build(site({"alone.html": page()}, a=page()))),
    "HTML-70": (
        OWN,
        Build(site(a=page('<script src="/app.js"></script>', '<div id="root"></div>'))),
    ),
    "HTML-73": (OWN, Build(site(a=page(body=f'{WORDS}<a href="/nothing.html">Nothing</a>')))),
    "RB-17": (GOOD_ROBOTS, robots("User-agent: *\nDisallow: private\n")),
    "RB-18": (GOOD_ROBOTS, robots("User-agent: *\n#" + "x" * 512_000 + "\nDisallow: /x\n")),
    "RB-25": (GOOD_ROBOTS, robots("User-agent: *\nCrawl-delay: 10\n")),
    "RB-26": (GOOD_ROBOTS, robots("User-agent: *\nNoindex: /x\n")),
    "RB-27": (GOOD_ROBOTS, robots("<!doctype html><title>App</title>\n")),
    "RB-28": (GOOD_ROBOTS, robots("User-agent: *\nDissalow: /x\n")),
    "RB-34": (
        GOOD_ROBOTS,
        robots("User-agent: *\nDisallow: /admin/\n\nUser-agent: Googlebot\nDisallow: /b/\n"),
    ),
    "SM-68": (GOOD_ROBOTS, robots("User-agent: *\nSitemap: /sitemap.xml\n")),
    "URL-25": (OWN, Build(site({"A.html": page(), "a.html": page()}))),
    "AGT-01": (llms("/a.html"), llms("/gone.md")),
    "AGT-02": (head(TWIN, **{"a.md": "# A\n"}), head(TWIN)),
    "VER-01": (OLD_VERSION, replace(OLD_VERSION, listed=("/", "/stable/a.html", "/v1/a.html"))),
    "VER-02": (OLD_VERSION, replace(OLD_VERSION, files=versions(""))),
    "URL-28": (
        OWN,
        Build(site(a=page(body=WORDS + "".join(f'<a href="http://www.example.com/{n}">x</a>' for n in range(5))))),
    ),
    "HOST-03": (
        Build(site(a=page())),
        Build(site({"a/index.html": page()}, a=page())),
    ),
    "HOST-09": (
        Build(site(a=page()), config=NETLIFY),
        Build(site({"_redirects": "/* /index.html 200\n"}, a=page()), config=NETLIFY),
    ),
    "HOST-10": (
        Build(site(a=page()), ("/", "/a"), config=NETLIFY),
        Build(site({"_redirects": "/old / 301\n"}, a=page()), ("/", "/a", "/old"), config=NETLIFY),
    ),
    "RT-01": ruled("/old /a 301", "/old /gone 301"),
    "RT-02": ruled("/b /a 301\n/c /a 301", "/b /c 301\n/c /b 301"),
    "RT-03": ruled("/b /a 301\n/c /a 301", "/b /c 301\n/c /a 301"),
    "RT-04": ruled("/b /a 301", "/a / 301"),
    "POL-03": (
        Build(site(a=page()), config="checks: {SM-29: {severity: off, until: 2999-12-31}}\n"),
        Build(site(a=page()), config="checks: {SM-29: {severity: off, until: 2020-12-31}}\n"),
    ),
    "POL-04": (
        Build(site(a=page()), ("/", "/a", "/old"), more={ACCEPTED: KNOWN}),
        Build(site(a=page()), more={ACCEPTED: KNOWN}),
    ),
    "LED-01": (
        Build(
            site({"_redirects": RULES}, a=page()), config=WITH_LEDGER, more={LEDGER: "/a\n/old\n/b gone 2026-11-24 x\n"}
        ),
        Build(site(a=page()), config=WITH_LEDGER, more={LEDGER: "/a\n/old\n"}),
    ),
    "LED-02": (
        Build(site({"_redirects": RULES}, a=page()), config=WITH_LEDGER, more={LEDGER: "/old\n"}),
        Build(site({"_redirects": RULES}, a=page()), config=WITH_LEDGER, more={LEDGER: "/older\n"}),
    ),
    "LED-03": (
        Build(site(a=page()), config=WITH_LEDGER, more={LEDGER: "/b gone 2026-11-24 x\n/b\n"}),
        Build(site(a=page()), config=WITH_LEDGER, more={LEDGER: f"{SITE}/a\n"}),
    ),
    "LED-04": (
        Build(site(a=page()), config=WITH_LEDGER, more={LEDGER: "/b gone 2026-11-24 x\n"}),
        Build(site(a=page()), config=WITH_LEDGER, more={LEDGER: "/a gone 2026-11-24 x\n"}),
    ),
    "SM-69": (
        Build(site(a=page()), more={".github/workflows/a.yml": "run: curl https://api.indexnow.org/indexnow\n"}),
        Build(
            site(a=page()), more={".github/workflows/a.yml": f"run: curl www.google.com/ping?sitemap={SITE}/s.xml\n"}
        ),
    ),
    # Rules that are a class of a row.
    "DIFF-04": (
        Build(site(a=page()), config=NETLIFY),
        Build(site({"_redirects": "/old /a 301\n"}, a=page()), removed=("/old",), config=NETLIFY),
    ),
    "DIFF-05": (
        Build(site(a=page()), config=NETLIFY),
        Build(site({"_redirects": "/old /a 302\n"}, a=page()), removed=("/old",), config=NETLIFY),
    ),
    "DIFF-06": (Build(site(a=page())), Build(site(a=page()), removed=("/old.html",))),
    "DIFF-07": (Build(site(a=page())), Build(site(a=page(NOINDEX)), ("/",), removed=("/a.html",))),
    "DIFF-08": (
        Build(site({"alone.html": page()}), ("/", "/alone.html")),
        Build(site({"alone.html": page()}), ("/",), ("/alone.html",), "select: {orphans: drop}\n"),
    ),
    "HTML-10": (OWN, Build(site(a=page('<meta name="robots" content="none">')), ("/", "/a.html"))),
    "HTML-24": (OWN, Build(site(a=page(canonical(B)), b=page()), ("/", "/a.html", "/b.html"))),
    "HTML-32": (OWN, Build(site(a=page(canonical("https://other.example.org/a"))), ("/",))),
    "HTML-41": (
        Build(site(a=page()), ("/", "/a"), config=NETLIFY),
        Build(site({"_redirects": "/old /a 301\n"}, a=page()), ("/", "/a", "/old"), config=NETLIFY),
    ),
    "RB-30": (GOOD_ROBOTS, Build(site({"robots.txt": "User-agent: *\nDisallow: /a\n"}, a=page()), ("/", "/a.html"))),
    "URL-20": (OWN, Build(site(a=page()), ("/", "/a.html", "https://user:secret@www.example.com/b.html"))),
    "URL-30": (OWN, Build(site(a=page()), ("/", "/a.html", "/100%"))),
    # Rules that the report says in another place.
    "ENV-01": (OWN, Build(site(a=page()), ("/", "/a.html", "https://pr-7--x.netlify.app/a.html"), says='"extra": [\n')),
    "HTML-69": (OWN, Build(site(a=page()), ("/",), says=f'"missing": [\n      "{A}"')),
}
