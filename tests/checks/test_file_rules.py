"""Every rule that needs nothing but files: what must pass, and what must be reported, case by case."""

import gzip
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from servers import bomb
from sitemap_action.checks.all import FAMILIES, check_set, fault_cases
from sitemap_action.checks.base import FileCheck, FileOptions
from sitemap_action.model.finding import Finding, Rule, Severity
from sitemap_action.model.sitemap import SitemapDocument
from sitemap_action.sitemap.faults import FATAL, GATE, TOLERATED

NOW = datetime(2026, 10, 1, 12, tzinfo=UTC)
NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'
IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
VIDEO = 'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'
NEWS = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
SITE = "https://www.x.com"
A, B = f"{SITE}/a", f"{SITE}/b"


def loc(url: str = A, more: str = "") -> str:
    return f"<url><loc>{url}</loc>{more}</url>"


def urlset(*urls: str, root: str = "") -> str:
    return f'{HEAD}<urlset xmlns="{NS}" {root}>{"".join(urls)}</urlset>'


def index(*children: tuple[str, str]) -> str:
    rows = "".join(
        f"<sitemap><loc>{url}</loc>{f'<lastmod>{date}</lastmod>' if date else ''}</sitemap>" for url, date in children
    )
    return f'{HEAD}<sitemapindex xmlns="{NS}">{rows}</sitemapindex>'


def file(content: str | bytes, name: str = "sitemap.xml", folder: str = "/", site: str = SITE) -> SitemapDocument:
    data = content if isinstance(content, bytes) else content.encode()
    return SitemapDocument(f"public{folder}{name}", data, site + folder + name)


Given = str | bytes | SitemapDocument | tuple[SitemapDocument, ...]
Files = Given | Callable[[], Given]  # what is large is made when it is read


def check(files: Files, options: FileOptions | None = None) -> tuple[Finding, ...]:
    if callable(files):
        files = files()
    if isinstance(files, str | bytes):
        files = file(files)
    loaded = files if isinstance(files, tuple) else (files,)
    return check_set(loaded, options or FileOptions(NOW)).findings


def dated(*dates: str) -> str:
    return urlset(*(loc(f"{SITE}/{n}", f"<lastmod>{date}</lastmod>" if date else "") for n, date in enumerate(dates)))


def image(inner: str, count: int = 1) -> str:
    return urlset(loc(A, f"<image:image>{inner}</image:image>" * count), root=IMAGE)


VIDEO_PARTS = {
    "thumbnail_loc": f"{SITE}/t.jpg",
    "title": "t",
    "description": "d",
    "content_loc": f"{SITE}/v.mp4",
}


def video(more: str = "", **parts: str) -> str:
    texts = {name: text for name, text in {**VIDEO_PARTS, **parts}.items() if text}
    inner = "".join(f"<video:{name}>{text}</video:{name}>" for name, text in texts.items())
    return urlset(loc(A, f"<video:video>{inner}{more}</video:video>"), root=VIDEO)


def news(count: int = 1, more: str = "", **parts: str) -> str:
    texts = {"name": "n", "language": "en", "publication_date": "2026-10-01", "title": "t", **parts}
    publication = "".join(f"<news:{name}>{texts[name]}</news:{name}>" for name in ("name", "language") if texts[name])
    rest = "".join(f"<news:{name}>{texts[name]}</news:{name}>" for name in ("publication_date", "title") if texts[name])
    one = f"<news:news><news:publication>{publication}</news:publication>{rest}</news:news>"
    return urlset(*(loc(f"{SITE}/{n}", one + more) for n in range(count)), root=NEWS)


def links(url: str, **versions: str) -> str:
    found = "".join(
        f'<xhtml:link rel="alternate" hreflang="{code.replace("_", "-")}" href="{href}"/>'
        for code, href in versions.items()
    )
    return loc(url, found)


def hreflang(*entries: str) -> str:
    return urlset(*entries, root=XHTML)


def rss(inner: str, version: str = "2.0") -> str:
    return f'<rss version="{version}"><channel><item><link>{A}</link>{inner}</item></channel></rss>'


EN, DE, FR = f"{SITE}/en", f"{SITE}/de", f"{SITE}/fr"
PAIR = {"en": EN, "de": DE}
DEFAULT = {**PAIR, "x_default": EN}


def many(count: int) -> str:
    return urlset(*(loc(f"{SITE}/{n}") for n in range(count)))


def sized(size: int) -> str:
    filler, empty = "<!-- " + " " * 9_990 + "-->", urlset(loc(), "{}")
    count, rest = divmod(size - len(empty) + 2, len(filler))
    return empty.replace("{}", filler * count + " " * rest)


def below(name: str, child: str, date: str = "", dates: tuple[str, ...] = ()) -> tuple[SitemapDocument, ...]:
    return file(index((f"{SITE}/{child}", date)), name), file(dated(*dates), child)


LEAKS = (
    *("http://localhost:3000/a", "https://127.0.0.1/a", "http://[::1]/a", "https://10.0.0.7/", "http://intranet/a"),
    *(
        "https://x.test/a",
        "https://x.vercel.app/a",
        "https://deploy-preview-1--x.netlify.app/",
        "https://staging.x.com/",
    ),
)

# rule, code that must be reported (None: no finding of that rule), files
ROWS: tuple[tuple[str, str | None, Files], ...] = (
    ("SM-01", None, urlset(loc(f"{SITE}/?a=1&amp;b=2"))),
    ("SM-01", "malformed", urlset(loc(f"{SITE}/?a=1&b=2"))),
    ("SM-01", "malformed", urlset(loc(f"{SITE}/&nbsp;"))),
    ("SM-01", "malformed", urlset(loc(f"{SITE}/\x0b"))),
    ("SM-01", "empty-document", b""),
    ("SM-01", "too-much", urlset(loc(), "<x>" * 1000)),
    ("SM-02", None, urlset(loc()).replace("UTF-8", "utf-8")),
    ("SM-02", None, urlset(loc()).removeprefix(HEAD)),
    ("SM-02", "encoding", urlset(loc()).replace("UTF-8", "ISO-8859-1")),
    ("SM-02", "encoding", urlset(loc()).replace("UTF-8", "UTF-16").encode("utf-16")),
    ("SM-02", "encoding-ascii", urlset(loc()).replace("UTF-8", "US-ASCII")),
    ("SM-02", "not-utf-8", urlset(loc(f"{SITE}/ü")).encode("latin-1")),
    ("SM-03", None, urlset(loc())),
    ("SM-03", "bom", b"\xef\xbb\xbf" + urlset(loc()).encode()),
    ("SM-04", None, urlset(loc())),
    ("SM-04", "leading-whitespace", "\n" + urlset(loc())),
    ("SM-05", None, urlset(loc())),
    ("SM-05", "namespace", urlset(loc()).replace("http:", "https:", 1)),
    ("SM-05", "namespace", urlset(loc()).replace("0.9", "0.84")),
    ("SM-05", "namespace", urlset(loc()).replace(f' xmlns="{NS}"', "")),
    ("SM-05", "unknown-root", "<!DOCTYPE html><title>404</title>"),
    ("SM-06", None, partial(many, 50_000)),
    ("SM-06", "too-many-urls", partial(many, 50_001)),
    ("SM-06", None, urlset(loc(A, "<image:image><image:loc>https://x.com/p</image:loc></image:image>" * 60_000), root=IMAGE)),
    ("SM-07", None, partial(sized, 52_428_800)),
    ("SM-07", "too-large", partial(sized, 52_428_801)),
    ("SM-07", "too-large", lambda: file(gzip.compress(sized(60_000_000).encode(), 1), "sitemap.xml.gz")),
    ("SM-07", "inflated", bomb(201).body),
    ("SM-09", None, urlset(root=NEWS)),
    ("SM-09", "empty", urlset()),
    ("SM-09", "empty", index()),
    ("SM-10", None, file(gzip.compress(urlset(loc()).encode()), "sitemap.xml.gz")),
    ("SM-10", None, gzip.compress(urlset(loc()).encode())),
    ("SM-10", "gzip-damaged", gzip.compress(urlset(loc()).encode())[:-9]),
    ("SM-10", "compression", b"PK\x03\x04" + bytes(30)),
    ("SM-10", "gzip-name", file(urlset(loc()), "sitemap.xml.gz")),
    ("SM-10", "gzip-nested", gzip.compress(gzip.compress(urlset(loc()).encode()))),
    ("SM-10", "gzip-trailing", gzip.compress(urlset(loc()).encode()) + b"x"),
    ("SM-12", None, image(f"<image:loc>{SITE}/p.jpg</image:loc>")),
    ("SM-12", None, urlset(loc(A, '<x:y xmlns:x="urn:x"/>'))),
    ("SM-12", "extension-element", urlset(loc(A, "<image:imag/>"), root=IMAGE)),
    ("SM-12", "image", image(f"<image:loc>{SITE}/p.jpg</image:loc><image:src/>")),
    ("SM-12", "video", video("<video:colour/>")),
    ("SM-12", "news", news().replace("</news:title>", "</news:title><news:x/>")),
    ("SM-12", "hreflang", hreflang(links(EN, en=EN).replace("/></url>", "><xhtml:b/></xhtml:link></url>"))),
    ("SM-12", "schema", urlset(loc()).replace("<url>", f'<url {XSI} xsi:nil="true">')),
    ("SM-13", None, urlset(loc())),
    ("SM-13", "doctype", urlset(loc()).replace("<urlset", "<!DOCTYPE urlset><urlset")),
    ("SM-14", None, urlset(loc(A, "<lastmod>2026-01-01</lastmod><priority>0.5</priority>"))),
    ("SM-14", "order", urlset(loc(A, "<priority>0.5</priority><lastmod>2026-01-01</lastmod>"))),
    ("SM-14", "order", urlset(f"<url><lastmod>2026-01-01</lastmod><loc>{A}</loc></url>")),
    ("SM-14", "duplicate-child", urlset(loc(A, "<lastmod>2026-01-01</lastmod>" * 2))),
    ("SM-15", None, urlset(loc())),
    ("SM-15", "attribute", urlset(loc()).replace("<url>", '<url id="1">')),
    ("SM-15", "unknown-element", urlset(loc(A, "<image><loc>x</loc></image>"))),
    ("SM-15", "stray-text", urlset(loc(A, "text"))),
    ("SM-16", None, urlset(loc(), root=f'{XSI} xsi:schemaLocation="{NS} {NS}/sitemap.xsd"')),
    ("SM-16", "schema-location", urlset(loc(), root=f'{XSI} xsi:schemaLocation="{NS}"')),
    ("SM-17", None, urlset(loc())),
    ("SM-17", "mixed", urlset(loc(), f"<sitemap><loc>{B}</loc></sitemap>")),
    ("SM-17", "mixed", index((A, "")).replace("</sitemapindex>", f"{loc(B)}</sitemapindex>")),
    ("EXT-01", None, image(f"<image:loc>{SITE}/p.jpg</image:loc>")),
    ("EXT-01", "extension-namespace", image(f"<image:loc>{SITE}/p.jpg</image:loc>").replace("http://www.google", "https://www.google")),
    ("EXT-01", "unbound-prefix", urlset(loc(A, "<image:image/>"))),
    # loc
    ("SM-20", None, urlset(loc())),
    ("SM-20", "missing-loc", urlset("<url/>")),
    ("SM-20", "missing-loc", urlset("<url><loc> </loc></url>")),
    ("SM-20", "duplicate-loc", urlset(f"<url><loc>{A}</loc><loc>{B}</loc></url>")),
    ("SM-21", None, urlset(loc())),
    *(("SM-21", "loc-relative", urlset(loc(url))) for url in ("/a", "//x.com/a", "www.x.com/a", "ftp://x.com/a")),
    ("SM-21", "loc-relative", index(("/sitemap-1.xml", ""))),
    ("SM-21", "loc-host", urlset(loc("https://x.com:99999/"))),
    ("SM-21", "loc-host", urlset(loc(f"https://{'a' * 64}.com/"))),  # S-16
    ("SM-21", "loc-host", urlset(loc(f"https://{'a.' * 127}com/"))),
    ("SM-21", "loc-host", urlset(loc(f"https://{chr(0x6F22) * 500}.com/"))),
    ("SM-22", None, urlset(loc(SITE + "/" + "a" * (2047 - 18)))),
    ("SM-22", "loc-long", urlset(loc(SITE + "/" + "a" * (2048 - 18)))),
    ("SM-22", "text-too-long", urlset(loc(SITE + "/" + "a" * 100_000))),
    ("SM-22", "loc-short", file(urlset(loc("http://a.b/")), site="http://a.b")),
    ("SM-23", None, urlset(loc(SITE + "/" + "a" * 900))),
    ("SM-23", None, urlset(loc(SITE + "/" + "a" * 3000))),  # SM-22 says it
    ("SM-23", "loc-yandex", urlset(loc(SITE + "/" + "a" * 1300))),
    ("SM-24", None, urlset(loc(f"{SITE}/?a=1&amp;b=2"))),
    ("SM-24", None, urlset(f"<url><loc><![CDATA[{SITE}/?a=1&b=2]]></loc></url>")),
    ("SM-24", "loc-double-escaped", urlset(loc(f"{SITE}/?a=1&amp;amp;b=2"))),
    ("SM-25", None, urlset(loc(f"{SITE}/%C3%BCmlat"))),
    ("SM-25", "loc-illegal", urlset(loc(f"{SITE}/a b"))),
    ("SM-25", "loc-non-ascii", urlset(loc(f"{SITE}/ümlat"))),
    ("SM-25", "loc-escape", urlset(loc(f"{SITE}/%zz"))),
    ("SM-26", None, urlset(loc(f"{SITE}/%C3%BC"))),
    ("SM-26", "loc-not-utf-8", urlset(loc(f"{SITE}/%FC"))),
    ("SM-27", None, file(urlset(loc("https://xn--exmple-cua.com/")), site="https://xn--exmple-cua.com")),
    ("SM-27", "loc-idn", file(urlset(loc("https://exämple.com/")), site="https://xn--exmple-cua.com")),
    ("SM-28", None, urlset(loc())),
    *(("SM-28", "loc-origin", urlset(loc(url))) for url in ("http://www.x.com/a", "https://x.com/a", "https://www.x.com:8443/a")),
    ("ENV-06", None, urlset(loc(), loc("https://x.com/"), loc("https://blog.x.com/"), loc("https://staging.y.com/"))),
    *(("ENV-06", "leaked-loc", urlset(loc(url))) for url in LEAKS),
    ("ENV-06", "leaked-loc", index(("http://localhost:3000/1.xml", ""))),
    *(("ENV-06", "leaked-loc", SitemapDocument("s.xml", urlset(loc(), loc(url), loc(B)).encode())) for url in LEAKS[:6]),
    ("ENV-06", None, SitemapDocument("s.xml", urlset(loc("https://x.netlify.app/")).encode())),  # may be production
    ("ENV-06", None, file(urlset(loc("https://x.netlify.app/a")), site="https://x.netlify.app")),
    ("ENV-06", "leaked-version", hreflang(links(EN, en=EN, de="http://localhost:3000/de"))),
    ("AGT-02", None, urlset(loc(f"{SITE}/a/"), loc(f"{SITE}/b.md"), loc(f"{SITE}/readme.md"))),
    *(
        ("AGT-02", "twin-listed", urlset(loc(f"{SITE}{twin}"), loc(f"{SITE}{of}")))
        for twin, of in (
            ("/a.md", "/a/"),
            ("/a.md", "/a"),
            ("/a.md", "/a.html"),
            ("/a/index.md", "/a/"),
            ("/a/index.html.md", "/a/"),
            ("/a.html.md", "/a.html"),
            ("/index.md", "/"),
        )
    ),
    ("SM-28", None, file(urlset(loc("HTTPS://WWW.X.COM:443/a")))),
    ("SM-29", None, file(urlset(loc(f"{SITE}/catalog/show?item=23")), folder="/catalog/")),
    *(("SM-29", "loc-scope", file(urlset(loc(url)), folder="/catalog/")) for url in (f"{SITE}/images/1", f"{SITE}/catalog")),
    ("SM-31", None, urlset(loc(A), loc(B))),
    ("SM-31", "loc-duplicate", urlset(loc(A), loc(A))),
    ("SM-31", "loc-duplicate", urlset(loc(f"{SITE}/A%2d"), loc(f"{SITE}/A-"))),
    ("SM-31", "loc-duplicate", (file(urlset(loc())), file(urlset(loc()), "2.xml"))),
    ("SM-32", None, urlset(loc())),
    *(("SM-32", "loc-fragment", urlset(loc(url))) for url in (f"{SITE}/p#top", f"{SITE}/#/route")),
    ("SM-33", None, urlset(loc())),
    ("SM-33", "padded-loc", urlset(loc(f"\n{A}\n"))),
    ("SM-34", None, urlset(loc(f"{SITE}/@a"))),
    ("SM-34", "loc-userinfo", urlset(loc("https://user:secret@www.x.com/"))),
    # lastmod
    ("SM-40", None, dated("2005-05-10T17:33:30+08:00")),
    *(("SM-40", "date", dated(date)) for date in ("2005-05-10T17:33:30+0800", "2005-05-10 17:33:30", "10/05/2005", "2005-02-30")),
    ("SM-40", "date", index((A, "yesterday"))),
    ("SM-40", "empty-lastmod", urlset(loc(A, "<lastmod/>"))),
    ("SM-41", None, dated("2005-05-10")),
    *(("SM-41", "date-short", dated(date)) for date in ("2005", "2005-05", "2005-05-10T17:33Z")),
    ("SM-42", None, dated("2005-05-10T17:33:30Z")),
    *(("SM-42", "date-zone", dated(date)) for date in ("2005-05-10T17:33:30", "2005-05-10Z", "-2005-05-10", "2005-05-10T24:00:00Z")),
    ("SM-44", None, dated("2026-10-01")),
    ("SM-44", "date-future", dated("2099-01-01")),
    ("SM-45", None, dated("2012-01-01")),
    ("SM-45", "date-old", dated("1970-01-01")),
    ("SM-46", None, dated(*["2026-10-01"] * 19)),
    ("SM-46", None, dated(*["2026-10-01"] * 18, "2026-01-01", "2026-01-02")),
    ("SM-46", None, dated(*["2026-09-30"] * 500)),
    ("SM-46", None, dated(*["2026-10-01"] * 500).replace("<urlset", f"<urlset {NEWS}")),
    ("SM-46", "date-stamped", dated(*["2026-10-01"] * 500)),
    ("SM-46", "date-stamped", dated(*["2026-10-01T08:00:00Z"] * 19, "2026-01-01")),
    # changefreq and priority
    ("SM-48", None, urlset(loc(A, "<changefreq>daily</changefreq>"))),
    *(("SM-48", "changefreq", urlset(loc(A, f"<changefreq>{text}</changefreq>"))) for text in ("Daily", " daily", "biweekly", "")),
    *(("SM-49", None, urlset(loc(A, f"<priority>{text}</priority>"))) for text in ("0.8", ".5", "+0.5", "1.00", "0", "1")),
    *(("SM-49", "priority", urlset(loc(A, f"<priority>{text}</priority>"))) for text in ("1.1", "-0.1", "0,5", "1e-1", "")),
    ("SM-50", None, urlset(loc())),
    ("SM-50", "hints", urlset(loc(A, "<priority>1.0</priority>"))),
    # index
    ("SM-51", None, below("i.xml", "s.xml", "2026-09-01", ("2026-09-01T20:00:00Z", "2025-01-01"))),
    ("SM-51", None, below("i.xml", "s.xml", "", ("2026-09-01",))),
    ("SM-51", "child-date-old", below("i.xml", "s.xml", "2026-08-01", ("2026-09-01",))),
    ("SM-51", "child-date-stamped", (file(index((A, "2026-10-01"), (B, "2026-10-01T11:00:00Z")), "i.xml"),
                                     file(dated("2026-01-01"), "a"), file(urlset(loc(f"{SITE}/c", "<lastmod>2026-01-01</lastmod>")), "b"))),
    ("SM-51", None, (file(index((A, "2026-10-01"), (B, "2026-10-01")), "i.xml"),
                     file(dated("2026-01-01"), "a"), file(urlset(loc(f"{SITE}/c", "<lastmod>2026-10-01</lastmod>")), "b"))),
    ("SM-60", None, index(*((f"{SITE}/{n}", "") for n in range(50_000)))),
    ("SM-60", "too-many-children", index(*((f"{SITE}/{n}", "") for n in range(50_001)))),
    ("SM-61", None, below("i.xml", "s.xml")),
    ("SM-61", "index-nested", (file(index((f"{SITE}/j.xml", "")), "i.xml"), file(index((A, "")), "j.xml"))),
    ("SM-61", "index-nested", (file(index((f"{SITE}/j.xml", "")), "i.xml"), file(index((f"{SITE}/s.xml", "")), "j.xml"), file(urlset(loc()), "s.xml"))),
    ("SM-62", None, file(index((f"{SITE}/public/a/s.xml", "")), "i.xml", "/public/")),
    ("SM-62", "child-scope", file(index((f"{SITE}/s.xml", "")), "i.xml", "/public/")),
    ("SM-62", "child-scope", index(("https://x.com/s.xml", ""))),
    ("SM-64", None, tuple(file(index((f"{SITE}/s{n}", "")), f"{n}.xml") for n in range(500))),
    ("SM-64", "too-many-indexes", tuple(file(index((f"{SITE}/s{n}", "")), f"{n}.xml") for n in range(501))),
    # text and feeds
    ("SM-65", None, file(f"{A}\n\n{B}\n", "urls.txt")),
    *(("SM-65", "text-line", file(f"{A}\n{line}\n", "urls.txt")) for line in ("URLs", "# comment", "/b")),
    ("SM-65", "text-name", file(f"{A}\n", "urls.xml")),
    ("SM-65", None, file("".join(f"{SITE}/{n}\n" for n in range(50_000)), "urls.txt")),
    ("SM-65", "text-too-many", file("".join(f"{SITE}/{n}\n" for n in range(50_001)), "urls.txt")),
    ("SM-67", None, rss("<pubDate>Tue, 10 May 2005 17:33:30 GMT</pubDate>")),
    ("SM-67", "feed-date", rss("<pubDate>2005-05-10</pubDate>")),
    ("SM-67", "feed-version", rss("", "0.91")),
    ("SM-67", "feed-link", rss("").replace(f"<link>{A}</link>", "")),
    # images
    ("IMG-01", None, image(f"<image:loc>{SITE}/p.jpg</image:loc>")),
    ("IMG-01", "image-loc", image("")),
    ("IMG-01", "image-loc", image("<image:loc>/p.jpg</image:loc>")),
    ("IMG-02", None, image(f"<image:loc>{SITE}/p.jpg</image:loc>", 1000)),
    ("IMG-02", "image-many", image(f"<image:loc>{SITE}/p.jpg</image:loc>", 1001)),
    ("IMG-03", None, image(f"<image:loc>{SITE}/p.jpg</image:loc>")),
    ("IMG-03", "image-deprecated", image(f"<image:loc>{SITE}/p.jpg</image:loc><image:title>p</image:title>")),
    # videos
    ("VID-01", None, video()),
    ("VID-01", None, video(content_loc="", player_loc="https://www.youtube.com/embed/1")),
    ("VID-01", "video-missing", video(content_loc="")),
    ("VID-01", "video-missing", video(title="")),
    ("VID-01", None, video(content_loc="ftp://www.x.com/v.mp4")),
    ("VID-01", None, video(content_loc="\n  https://www.x.com/v.mp4\n")),
    ("VID-01", "video-url", video(thumbnail_loc="/t.jpg")),
    ("VID-01", "video-url", video(content_loc="v.mp4")),
    ("VID-01", "video-url", video(player_loc="//player.example.com/1")),
    ("VID-02", None, video("<video:tag>t</video:tag>" * 32)),
    ("VID-02", "video-long", video("<video:tag>t</video:tag>" * 33)),
    ("VID-02", None, video(description="d" * 2048)),
    ("VID-02", "video-long", video(description="d" * 2049)),
    ("VID-02", "video-long", video(uploader="u" * 256)),
    ("VID-02", "video-repeated", video("<video:title>again</video:title>")),
    ("VID-03", None, video(content_loc=f"{SITE}/media/1.mp4")),
    ("VID-03", None, video(content_loc="v.mp4")),
    ("VID-03", "video-same-loc", video(content_loc=A)),
    *(("VID-04", None, video(**{name: text})) for name, text in (("duration", "28800"), ("rating", "5.0"), ("rating", "0"), ("live", "yes"))),
    *(("VID-04", "video-value", video(**{name: text})) for name, text in (
        ("duration", "0"), ("duration", "28801"), ("duration", "1.5"), ("rating", "5.1"), ("rating", "-1"), ("live", "true"))),
    ("VID-05", None, video('<video:restriction relationship="allow">IE GB</video:restriction>')),
    ("VID-05", None, video('<video:platform relationship="deny">web tv</video:platform>')),
    ("VID-05", "video-restriction", video("<video:restriction>IE GB</video:restriction>")),
    ("VID-05", "video-restriction", video('<video:restriction relationship="allow">UK</video:restriction>')),
    ("VID-05", "video-restriction", video('<video:platform relationship="allow">radio</video:platform>')),
    ("VID-06", None, video(publication_date="2021-11-05T19:20:30+08:00", expiration_date="2027-01-01")),
    ("VID-06", "video-date", video(publication_date="2021-11")),
    ("VID-06", "video-date", video(publication_date="2021-11-05T19:20+08:00")),
    ("VID-06", "video-expired", video(expiration_date="2026-01-01")),
    ("VID-06", "video-future", video(publication_date="2099-01-01")),
    ("VID-07", None, video(f'<video:uploader info="{SITE}/users/g">g</video:uploader>')),
    ("VID-07", None, video('<video:uploader info="https://users.x.com/g">g</video:uploader>')),
    ("VID-07", None, video('<video:uploader info="/users/g">g</video:uploader>')),
    ("VID-07", "video-uploader", video('<video:uploader info="https://y.com/g">g</video:uploader>')),
    ("VID-08", None, video()),
    ("VID-08", "video-deprecated", video(category="c")),
    ("VID-08", "video-deprecated", video(f'<video:player_loc autoplay="ap=1">{SITE}/p</video:player_loc>')),
    # news
    ("NEWS-01", None, news()),
    ("NEWS-01", "news-missing", news(language="")),
    ("NEWS-01", "news-missing", news(title="")),
    ("NEWS-01", "news-missing", news(publication_date="")),
    ("NEWS-01", "news-repeated", news(more="<news:news/>")),
    ("NEWS-02", None, news(1000)),
    ("NEWS-02", "news-many", news(1001)),
    ("NEWS-03", None, news(publication_date=(NOW - timedelta(hours=47)).isoformat())),
    ("NEWS-03", None, news(publication_date="2026-09-29")),  # a day says nothing about its hours
    ("NEWS-03", "news-old", news(publication_date=(NOW - timedelta(hours=49)).isoformat())),
    ("NEWS-03", "news-future", news(publication_date=(NOW + timedelta(hours=25)).isoformat())),
    ("NEWS-04", None, news(publication_date="2026-10-01T09:20+01:00")),
    *(("NEWS-04", "news-date", news(publication_date=date)) for date in ("2026-10-01T09:20", "2026-10", "today")),
    *(("NEWS-05", None, news(language=code)) for code in ("en", "fil", "zh-cn")),
    ("NEWS-05", "news-language", news(language="en-US")),
    # hreflang
    ("HL-01", None, hreflang(links(EN, en=EN))),
    *(("HL-01", "hreflang-link", hreflang(links(EN, en=EN, de=href))) for href in ("/de/", "//x.com/de")),
    ("HL-01", "hreflang-link", hreflang(links(EN, en=EN).replace(' rel="alternate"', ""))),
    ("HL-01", None, hreflang(links(EN, en=EN).replace(' hreflang="en"', ""))),
    ("HL-01", "link-rel", hreflang(links(EN, en=EN).replace('rel="alternate" hreflang="en"', 'rel="next"'))),
    ("HL-02", None, hreflang(links(EN, **DEFAULT), links(DE, **DEFAULT))),
    ("HL-02", "hreflang-self", hreflang(links(EN, de=DE), links(DE, en=EN))),
    ("HL-03", None, hreflang(links(EN, **PAIR), links(DE, **PAIR))),
    ("HL-03", None, (file(hreflang(links(EN, **PAIR)), "1.xml"), file(hreflang(links(DE, **PAIR)), "2.xml"))),
    ("HL-03", "hreflang-one-way", hreflang(links(EN, **PAIR), links(DE, de=DE))),
    ("HL-03", "hreflang-unverified", hreflang(links(EN, en=EN, de="https://y.de/"))),
    ("HL-04", None, hreflang(links(EN, **PAIR), links(DE, **dict(reversed(PAIR.items()))))),
    ("HL-04", "hreflang-partial", hreflang(links(EN, **PAIR, fr=FR), links(DE, **PAIR), links(FR, **PAIR, fr=FR))),
    *(("HL-05", None, hreflang(links(EN, **{code: EN}))) for code in ("zh_Hant_TW", "de_be", "x_default", "EN", "X_Default", "be")),
    *(("HL-05", "hreflang-code", hreflang(links(EN, **{code: EN}))) for code in ("en_UK", "es_419", "fil", "GB_", "zz", "en_Xxxx")),
    ("HL-05", "hreflang-code", hreflang(links(EN, en=EN).replace('"en"', '"en_US"'))),
    ("HL-06", None, hreflang(links(EN, en=EN, x_default=EN))),
    ("HL-06", "hreflang-repeated", hreflang(links(EN, en=EN, EN=DE))),
    ("HL-07", None, hreflang(links(EN, **DEFAULT), links(DE, **DEFAULT))),
    ("HL-07", None, hreflang(links(EN, en=EN, en_GB=DE))),
    ("HL-07", "hreflang-default", hreflang(links(EN, **PAIR), links(DE, **PAIR))),
)  # fmt: skip

# rule, code, files, options
WITH_OPTIONS: tuple[tuple[str, str | None, Files, FileOptions], ...] = (
    (
        "SM-29",
        "loc-scope-submitted",
        file(urlset(loc()), folder="/b/"),
        FileOptions(NOW, search_console_submitted=True),
    ),
    ("SM-30", None, file(urlset(loc(A)), site="https://s.x.com"), FileOptions(NOW, cross_submitted=frozenset({SITE}))),
    ("SM-28", None, file(urlset(loc(A)), site="https://s.x.com"), FileOptions(NOW, cross_submitted=frozenset({SITE}))),
    (
        "SM-28",
        "loc-origin",
        file(urlset(loc(A)), site="https://s.x.com"),
        FileOptions(NOW, cross_submitted=frozenset()),
    ),
    (
        "SM-30",
        "loc-cross-mixed",
        file(urlset(loc(A), loc("https://s.x.com/a")), site="https://s.x.com"),
        FileOptions(NOW, cross_submitted=frozenset({SITE})),
    ),
    ("URL-24", None, urlset(loc(f"{A};jsessionid=1")), FileOptions(NOW)),  # of a site its pages are judged
    ("URL-24", "session-id", urlset(loc(f"{A};jsessionid=1")), FileOptions(NOW, named=True)),
    ("URL-25", None, urlset(loc(f"{SITE}/A"), loc(f"{SITE}/A"), loc(B)), FileOptions(NOW, named=True)),
    ("URL-25", "case-twin", urlset(loc(f"{SITE}/A"), loc(A)), FileOptions(NOW, named=True)),
    ("URL-26", None, urlset(loc(f"{SITE}/a?b=//c")), FileOptions(NOW, named=True)),
    ("URL-26", "double-slash", urlset(loc(f"{SITE}/a//b")), FileOptions(NOW, named=True)),
    ("URL-29", None, urlset(loc(f"{SITE}/caf%C3%A9"), loc(f"{SITE}/cafe")), FileOptions(NOW, named=True)),
    (
        "URL-29",
        "composition-twin",
        urlset(loc(f"{SITE}/caf%C3%A9"), loc(f"{SITE}/cafe%CC%81")),
        FileOptions(NOW, named=True),
    ),
    ("ENV-06", None, file(urlset(loc())), FileOptions(NOW, named=True)),
    (
        "ENV-06",
        "private-address",
        file(urlset(loc("http://localhost:8000/")), site="http://localhost:8000"),
        FileOptions(NOW, named=True),
    ),
    ("ENV-06", None, file(urlset(loc("http://localhost:8000/")), site="http://localhost:8000"), FileOptions(NOW)),
    ("SM-07", "inflated", urlset(loc()), FileOptions(NOW, max_inflated=100)),
    ("SM-46", "date-stamped", dated(*["2026-09-30"] * 20), FileOptions(NOW, built=NOW.date() - timedelta(days=1))),
)
ALL = tuple((*row, FileOptions(NOW)) for row in ROWS) + WITH_OPTIONS
IDS = [f"{row[0]} {row[1] or 'passes'} {number}" for number, row in enumerate(ALL)]
FILE_RULES: dict[str, Rule] = {
    rule.id: rule for family in FAMILIES if issubclass(family, FileCheck) for rule in family.rules
}
CASES = fault_cases()


@pytest.mark.parametrize(("rule", "code", "files", "options"), ALL, ids=IDS)
def test_rule(rule: str, code: str | None, files: Files, options: FileOptions) -> None:
    found = [finding for finding in check(files, options) if finding.rule.id == rule]
    if code is None:
        assert found == []
    else:
        owner, case = CASES[code]
        assert owner.id == rule
        assert all(one.line for one in found if one.path), "no line"
        assert {one.severity for one in found if one.message.startswith(case.message)} == {case.severity}


def test_every_rule_has_a_row_that_passes_and_every_case_one_that_fails() -> None:
    assert {rule for rule, code, *_ in ALL if code is None} == FILE_RULES.keys()
    assert {code for _, code, *_ in ALL if code} == {code for rule in FILE_RULES.values() for code in rule.cases}


def test_every_fault_belongs_to_exactly_one_rule() -> None:
    codes = [code for rule in FILE_RULES.values() for code in rule.cases]
    assert len(codes) == len(set(codes))
    assert {*TOLERATED, *FATAL, *GATE} <= set(codes)


@pytest.mark.parametrize("rule", FILE_RULES.values(), ids=FILE_RULES.keys())
def test_every_rule_is_complete(rule: Rule) -> None:
    assert rule.summary.endswith(".")
    assert all((rule.source, rule.passes, rule.fails, rule.cases))
    order = [Severity.ERROR, Severity.WARNING, Severity.INFO]
    assert rule.severity is min((case.severity for case in rule.cases.values()), key=order.index)
