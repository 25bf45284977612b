"""Control files of hosts: what each path is answered with, by which line, and what has no effect (HOST-05…09)."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress

import pytest

from host_builds import cell, served
from sitemap_action.errors import UsageError

Files = Mapping[str, str]


def redirects(text: str) -> Files:
    return {"_redirects": text}


# id, host, control files, path, answer, evidence
ANSWERS: tuple[tuple[str, str, Files, str, str, str], ...] = (
    ("HOST-05 301 by default", "netlify", redirects("# moved\n/old  /new"), "/old", "301 /new", "_redirects line 2"),
    ("HOST-05 with a final slash", "netlify", redirects("/old /new"), "/old/", "301 /new", "_redirects line 1"),
    ("HOST-05 without one", "netlify", redirects("/old/ /new"), "/old", "301 /new", "_redirects line 1"),
    ("HOST-05 302", "netlify", redirects("/old /new 302 # for now"), "/old", "302 /new", "_redirects line 1"),
    ("HOST-05 a file comes first", "netlify", redirects("/file /new"), "/file", "200 file.html", ""),
    ("HOST-05 unless forced", "netlify", redirects("/file /new 301!"), "/file", "301 /new", "_redirects line 1"),
    ("HOST-05 the first", "netlify", redirects("/a/* /b\n/a/x /c"), "/a/x", "301 /b", "_redirects line 1"),
    ("HOST-05 the first, static", "netlify", redirects("/a/x /c\n/a/* /b"), "/a/x", "301 /c", "_redirects line 1"),
    ("HOST-05 a splat", "netlify", redirects("/a/* /b/:splat"), "/a/x/y", "301 /b/x/y", "_redirects line 1"),
    ("HOST-05 a splat of nothing", "netlify", redirects("/a/* /b/:splat"), "/a", "301 /b/", "_redirects line 1"),
    ("HOST-05 a placeholder", "netlify", redirects("/a/:id /b?id=:id"), "/a/7", "301 /b?id=7", "_redirects line 1"),
    ("HOST-05 one segment", "netlify", redirects("/a/:id /b"), "/a/7/8", "404", ""),
    ("HOST-05 an address", "netlify", redirects("/a https://y.com/b"), "/a", "301 https://y.com/b", "_redirects line 1"),
    ("HOST-05 a rewrite", "netlify", redirects("/a /folder/ 200"), "/a", "200 folder/index.html", "_redirects line 1"),
    ("HOST-05 a proxy", "netlify", redirects("/a https://y.com/b 200"), "/a", "elsewhere https://y.com/b", "_redirects line 1"),
    ("HOST-05 gone", "netlify", redirects("/a /b 410"), "/a", "410", "_redirects line 1"),
    ("HOST-05 hidden", "netlify", redirects("/file /404.html 404!"), "/file", "404", "_redirects line 1"),
    ("HOST-05 no slash added", "netlify", redirects("/folder /folder/ 301!"), "/folder/", "200 folder/index.html", ""),
    ("HOST-05 not for everybody", "netlify", redirects("/a /b 302 Country=de"), "/a", "404", ""),
    ("HOST-05 for a query", "netlify", redirects("/a id=:id /b/:id"), "/a", "404", ""),
    ("HOST-05 escapes", "netlify", redirects("/ü /new"), "/%C3%BC", "301 /new", "_redirects line 1"),
    ("HOST-09 SPA", "netlify", redirects("/* /index.html 200"), "/none", "* index.html", "_redirects line 1"),
    ("HOST-09 a file", "netlify", redirects("/* /index.html 200"), "/file", "200 file.html", ""),
    ("HOST-08 netlify.toml", "netlify", {"netlify.toml": '[[redirects]]\nfrom = "/a"\nto = "/b"\n\n[[redirects]]\nfrom = "/old"\nto = "/new"\nstatus = 302\nforce = true'}, "/old", "302 /new", "netlify.toml line 5"),
    ("HOST-08 _redirects before it", "netlify", {"netlify.toml": '[[redirects]]\nfrom = "/a"\nto = "/b"', **redirects("/a /c")}, "/a", "301 /c", "_redirects line 1"),
    ("HOST-08 pretty_urls off", "netlify", {"netlify.toml": "[build.processing.html]\npretty_urls = false"}, "/file/", "200 file.html", ""),
    ("HOST-06 302 by default", "cloudflare-pages", redirects("/old /new"), "/old", "302 /new", "_redirects line 1"),
    ("HOST-06 the slash counts", "cloudflare-pages", redirects("/old /new"), "/old/", "404", ""),
    ("HOST-06 before a file", "cloudflare-pages", redirects("/file /new 301"), "/file", "301 /new", "_redirects line 1"),
    ("HOST-06 308", "cloudflare-pages", redirects("/old /new 308"), "/old", "308 /new", "_redirects line 1"),
    ("HOST-06 no force", "cloudflare-pages", redirects("/file /new 301!"), "/file", "200 file.html", ""),
    ("HOST-06 no 404", "cloudflare-pages", redirects("/file /404 404"), "/file", "200 file.html", ""),
    ("HOST-06 a splat in the middle", "cloudflare-pages", redirects("/a/*/z /b/:splat"), "/a/x/y/z", "302 /b/x/y", "_redirects line 1"),
    ("HOST-06 two splats", "cloudflare-pages", redirects("/a/*/b/* /c"), "/a/x/b/y", "404", ""),
    ("HOST-06 a proxy on the site", "cloudflare-pages", redirects("/a /folder/ 200"), "/a", "200 folder/index.html", "_redirects line 1"),
    ("HOST-06 a proxy elsewhere", "cloudflare-pages", redirects("/a https://y.com 200"), "/a", "404", ""),
    ("HOST-06 without end", "cloudflare-pages", redirects("/* /index.html 200"), "/none", "404", ""),
    ("HOST-06 four words", "cloudflare-pages", redirects("/a /b 301 x"), "/a", "404", ""),
    ("HOST-06 the first of one path", "cloudflare-pages", redirects("/a /b\n/a /c"), "/a", "302 /b", "_redirects line 1"),
    ("HOST-06 workers", "cloudflare-workers", redirects("/old /new"), "/old", "302 /new", "_redirects line 1"),
    ("wrangler.toml", "cloudflare-workers", {"wrangler.toml": '[assets]\nhtml_handling = "drop-trailing-slash"'}, "/folder/", "307 /folder", ""),
    ("wrangler.jsonc", "cloudflare-workers", {"wrangler.jsonc": '{// c\n"assets": {"html_handling": "none",},}'}, "/file", "404", ""),
    ("not_found_handling", "cloudflare-workers", {"wrangler.json": '{"assets": {"not_found_handling": "single-page-application"}}'}, "/none", "* index.html", "wrangler.json has not_found_handling"),
    ("HOST-08 308 by default", "vercel", {"vercel.json": '{"redirects": [\n{"source": "/old", "destination": "/new"}]}'}, "/old", "308 /new", "vercel.json line 2"),
    ("HOST-08 not permanent", "vercel", {"vercel.json": '{"redirects": [{"source": "/old", "destination": "/new", "permanent": false}]}'}, "/old", "307 /new", "vercel.json line 1"),
    ("HOST-08 a status", "vercel", {"vercel.json": '{"redirects": [{"source": "/old", "destination": "/new", "statusCode": 301}]}'}, "/old", "301 /new", "vercel.json line 1"),
    ("HOST-08 before a file", "vercel", {"vercel.json": '{"redirects": [{"source": "/file.html", "destination": "/new"}]}'}, "/file.html", "308 /new", "vercel.json line 1"),
    ("HOST-08 a name", "vercel", {"vercel.json": '{"redirects": [{"source": "/a/:id(\\\\d+)", "destination": "/b/:id"}]}'}, "/a/7", "308 /b/7", "vercel.json line 1"),
    ("HOST-08 another value", "vercel", {"vercel.json": '{"redirects": [{"source": "/a/:id(\\\\d+)", "destination": "/b/:id"}]}'}, "/a/x", "404", ""),
    ("HOST-08 the rest", "vercel", {"vercel.json": '{"redirects": [{"source": "/a/:path*", "destination": "/b/:path*"}]}'}, "/a/x/y", "308 /b/x/y", "vercel.json line 1"),
    ("HOST-08 no rest", "vercel", {"vercel.json": '{"redirects": [{"source": "/a/:path*", "destination": "/b"}]}'}, "/a", "308 /b", "vercel.json line 1"),
    ("HOST-08 a group", "vercel", {"vercel.json": '{"redirects": [{"source": "/a/(.*)", "destination": "/b/$1"}]}'}, "/a/x/y", "308 /b/x/y", "vercel.json line 1"),
    ("HOST-08 look-ahead", "vercel", {"vercel.json": '{"redirects": [{"source": "/((?!b).*)", "destination": "/b/$1"}]}'}, "/a", "308 /b/a", "vercel.json line 1"),
    ("HOST-08 what it refuses", "vercel", {"vercel.json": '{"redirects": [{"source": "/((?!b).*)", "destination": "/b/$1"}]}'}, "/b/a", "404", ""),
    ("HOST-08 a condition", "vercel", {"vercel.json": '{"redirects": [{"source": "/a", "destination": "/b", "has": [{"type": "cookie", "key": "x"}]}]}'}, "/a", "404", ""),
    ("HOST-08 a rewrite", "vercel", {"vercel.json": '{"rewrites": [{"source": "/a", "destination": "/file.html"}]}'}, "/a", "200 file.html", "vercel.json line 1"),
    ("HOST-08 after files", "vercel", {"vercel.json": '{"rewrites": [{"source": "/file.html", "destination": "/"}]}'}, "/file.html", "200 file.html", ""),
    ("HOST-09 vercel", "vercel", {"vercel.json": '{"rewrites": [{"source": "/(.*)", "destination": "/index.html"}]}'}, "/none", "* index.html", "vercel.json line 1"),
    ("HOST-08 cleanUrls", "vercel", {"vercel.json": '{"cleanUrls": true}'}, "/file.html", "308 /file", ""),
    ("HOST-08 cleanUrls of no file", "vercel", {"vercel.json": '{"cleanUrls": true, "redirects": [{"source": "/old", "destination": "/new"}]}'}, "/old.html", "308 /old", ""),
    ("HOST-08 trailingSlash", "vercel", {"vercel.json": '{"trailingSlash": true}'}, "/none", "308 /none/", ""),
    ("firebase redirect", "firebase", {"firebase.json": '{"hosting": {"redirects": [{"source": "/old{,/**}", "destination": "/new", "type": 301}]}}'}, "/old", "301 /new", "firebase.json line 1"),
    ("firebase capture", "firebase", {"firebase.json": '{"hosting": {"redirects": [{"source": "/a/:id/:rest*", "destination": "/b/:id/:rest", "type": 302}]}}'}, "/a/1/2/3", "302 /b/1/2/3", "firebase.json line 1"),
    ("firebase regex", "firebase", {"firebase.json": '{"hosting": [{"redirects": [{"regex": "^/a/(?P<x>\\\\d+)$", "destination": "/b/:x", "type": 301}]}]}'}, "/a/7", "301 /b/7", "firebase.json line 1"),
    ("firebase rewrite", "firebase", {"firebase.json": '{"hosting": {"rewrites": [{"source": "**", "destination": "/index.html"}]}}'}, "/none", "* index.html", "firebase.json line 1"),
    ("firebase function", "firebase", {"firebase.json": '{"hosting": {"rewrites": [{"source": "/api/**", "function": "api"}]}}'}, "/api/x", "elsewhere function:", "firebase.json line 1"),
    ("firebase cleanUrls", "firebase", {"firebase.json": '{"hosting": {"cleanUrls": true, "trailingSlash": false}}'}, "/folder/", "301 /folder", ""),
    ("azure redirect", "azure-swa", {"staticwebapp.config.json": '{"routes": [\n{"route": "/old*", "redirect": "/new"}]}'}, "/old/x", "302 /new", "staticwebapp.config.json line 2"),
    ("azure 301", "azure-swa", {"staticwebapp.config.json": '{"routes": [{"route": "/old", "redirect": "/new", "statusCode": 301}]}'}, "/old", "301 /new", "staticwebapp.config.json line 1"),
    ("azure gone", "azure-swa", {"staticwebapp.config.json": '{"routes": [{"route": "/file", "statusCode": 410}]}'}, "/file", "410", "staticwebapp.config.json line 1"),
    ("azure login", "azure-swa", {"staticwebapp.config.json": '{"routes": [{"route": "/file", "allowedRoles": ["authenticated"]}]}'}, "/file", "401", "staticwebapp.config.json line 1"),
    ("azure open", "azure-swa", {"staticwebapp.config.json": '{"routes": [{"route": "/file", "allowedRoles": ["anonymous"]}]}'}, "/file", "200 file.html", ""),
    ("azure fallback", "azure-swa", {"staticwebapp.config.json": '{"navigationFallback": {"rewrite": "/index.html", "exclude": ["/img/*.{png,gif}"]}}'}, "/none", "* index.html", "staticwebapp.config.json has navigationFallback"),
    ("azure a route with 404", "azure-swa", {"staticwebapp.config.json": '{"routes": [{"route": "/none", "statusCode": 404}], "navigationFallback": {"rewrite": "/index.html"}}'}, "/none", "404", "staticwebapp.config.json line 1"),
    ("azure excluded", "azure-swa", {"staticwebapp.config.json": '{"navigationFallback": {"rewrite": "/index.html", "exclude": ["/img/*.{png,gif}"]}}'}, "/img/a.gif", "404", ""),
    ("azure trailingSlash", "azure-swa", {"staticwebapp.config.json": '{"trailingSlash": "always"}'}, "/file", "301 /file/", ""),
)  # fmt: skip


@pytest.mark.parametrize(("host", "files", "path", "answer", "evidence"), [pytest.param(*row[1:], id=row[0]) for row in ANSWERS])  # fmt: skip
def test_HOST_05_06_08_answer(host: str, files: Files, path: str, answer: str, evidence: str) -> None:
    response = served(host, files).host.answer(path)
    assert (cell(response), response.evidence) == (answer, evidence)


# id, host, control files, path, headers, evidence
HEADERS: tuple[tuple[str, str, Files, str, dict[str, str], str], ...] = (
    ("HOST-07 a directory", "netlify", {"_headers": "/file\n  X-Robots-Tag: noindex"}, "/file", {"x-robots-tag": "noindex"}, "_headers line 1"),
    ("HOST-07 all", "netlify", {"_headers": "# x\n/*\n  X-Robots-Tag: noindex"}, "/", {"x-robots-tag": "noindex"}, "_headers line 2"),
    ("HOST-07 below", "netlify", {"_headers": "/folder/*\n  X-Robots-Tag: noindex"}, "/folder/", {"x-robots-tag": "noindex"}, "_headers line 1"),
    ("H-03 beside, as in Netlify's matcher", "netlify", {"_headers": "/fold/*\n  X-Robots-Tag: noindex"}, "/folder/", {"x-robots-tag": "noindex"}, "_headers line 1"),
    ("H-03 with a final slash", "netlify", {"_headers": "/file/\n  X-Robots-Tag: noindex"}, "/file", {"x-robots-tag": "noindex"}, "_headers line 1"),
    ("H-03 in another case", "netlify", {"_headers": "/FOLDER\n  X-Robots-Tag: noindex"}, "/folder/", {"x-robots-tag": "noindex"}, "_headers line 1"),
    ("H-03 a placeholder and a slash", "netlify", {"_headers": "/:x/\n  X-Robots-Tag: noindex"}, "/folder/", {"x-robots-tag": "noindex"}, "_headers line 1"),
    ("H-03 every path", "netlify", {"netlify.toml": '[[headers]]\nfor = "*"\n[headers.values]\nX-Robots-Tag = "noindex"'}, "/folder/", {"x-robots-tag": "noindex"}, "netlify.toml line 1"),
    ("HOST-07 joined", "netlify", {"_headers": "/*\n  X-Robots-Tag: noindex\n/file\n  x-robots-tag: nofollow"}, "/file", {"x-robots-tag": "noindex, nofollow"}, "_headers line 3"),
    ("HOST-07 no removal", "netlify", {"_headers": "/*\n  X-Robots-Tag: noindex\n/file\n  ! X-Robots-Tag"}, "/file", {"x-robots-tag": "noindex"}, "_headers line 1"),
    ("HOST-07 removal", "cloudflare-pages", {"_headers": "/*\n  X-Robots-Tag: noindex\n/file\n  ! X-Robots-Tag"}, "/file", {}, ""),
    ("H-03 the last block of a path", "cloudflare-pages", {"_headers": "/file\n  X-Robots-Tag: noindex\n/file\n  Cache-Control: no-store"}, "/file", {}, ""),
    ("H-03 two slashes behind a host", "cloudflare-pages", {"_headers": "https://:h//*\n  X-Robots-Tag: noindex"}, "/file", {"x-robots-tag": "noindex"}, "_headers line 1"),
    ("HOST-07 absolute", "cloudflare-pages", {"_headers": "https://x.com/file\n  X-Robots-Tag: noindex"}, "/file", {"x-robots-tag": "noindex"}, "_headers line 1"),
    ("HOST-07 the slash counts", "cloudflare-pages", {"_headers": "/folder\n  X-Robots-Tag: noindex"}, "/folder/", {}, ""),
    ("HOST-07 canonical", "cloudflare-pages", {"_headers": '/file\n  Link: </x>; rel="canonical"'}, "/file", {"link": '</x>; rel="canonical"'}, "_headers line 1"),
    ("HOST-07 others do not matter", "cloudflare-pages", {"_headers": "/*\n  X-Frame-Options: DENY"}, "/file", {}, ""),
    ("HOST-07 not of a redirect", "cloudflare-pages", {"_headers": "/*\n  X-Robots-Tag: noindex", "_redirects": "/file /a"}, "/file", {}, "_redirects line 1"),
    ("HOST-08 netlify.toml", "netlify", {"netlify.toml": '[[headers]]\nfor = "/file"\n[headers.values]\nX-Robots-Tag = ["noindex", "nofollow"]'}, "/file", {"x-robots-tag": "noindex, nofollow"}, "netlify.toml line 1"),
    ("HOST-08 vercel.json", "vercel", {"vercel.json": '{"headers": [\n{"source": "/(.*)", "headers": [{"key": "X-Robots-Tag", "value": "noindex"}]}]}'}, "/file.html", {"x-robots-tag": "noindex"}, "vercel.json line 2"),
    ("firebase.json", "firebase", {"firebase.json": '{"hosting": {"headers": [{"source": "**/*.html", "headers": [{"key": "X-Robots-Tag", "value": "noindex"}]}]}}'}, "/file.html", {"x-robots-tag": "noindex"}, "firebase.json line 1"),
    ("azure global", "azure-swa", {"staticwebapp.config.json": '{"globalHeaders": {"X-Robots-Tag": "noindex"}}'}, "/file", {"x-robots-tag": "noindex"}, "staticwebapp.config.json line 1"),
    ("azure of a route", "azure-swa", {"staticwebapp.config.json": '{"globalHeaders": {"X-Robots-Tag": "noindex"},\n"routes": [{"route": "/file", "headers": {"X-Robots-Tag": "all"}}]}'}, "/file", {"x-robots-tag": "all"}, "staticwebapp.config.json line 2"),
)  # fmt: skip


@pytest.mark.parametrize(("host", "files", "path", "headers", "evidence"), [pytest.param(*row[1:], id=row[0]) for row in HEADERS])  # fmt: skip
def test_HOST_07_headers(host: str, files: Files, path: str, headers: dict[str, str], evidence: str) -> None:
    response = served(host, files).host.answer(path)
    assert (dict(response.headers), response.evidence) == (headers, evidence)


# id, host, control files, note
NOTES: tuple[tuple[str, str, Files, str], ...] = (
    ("too long", "netlify", redirects("/" + "a" * 3_000 + " /b"), "_redirects line 1 does not count here: it has more than 2,000 characters"),
    ("H-03 a block that is replaced", "cloudflare-workers", {"_headers": "/a\n X-Robots-Tag: noindex\n/a\n Link: </b>; rel=canonical\n"}, "_headers line 1 does not count here: a block below it has the same path"),
    ("HOST-07 many headers", "cloudflare-pages", {"_headers": "".join(f"/a{n}\n X-Robots-Tag: noindex\n" for n in range(101))}, "_headers line 201 does not count here: the host takes 100 rules"),
    ("look-behind", "vercel", {"vercel.json": '{"redirects": [{"source": "/(?<!x)y", "destination": "/"}]}'}, "vercel.json line 1 does not count here: its source is no pattern"),
    ("vercel.toml", "vercel", {"vercel.toml": "x"}, "vercel.toml is not read: what it configures is not known here"),
    ("vercel.ts", "vercel", {"vercel.ts": "x"}, "it is code, which is never run"),
    ("_worker.js", "cloudflare-pages", {"_worker.js": "x"}, "_worker.js is code that answers in the place of files"),
    ("run_worker_first", "cloudflare-workers", {"wrangler.toml": "[assets]\nrun_worker_first = true"}, "wrangler.toml has run_worker_first"),
)  # fmt: skip


def test_HOST_07_headers_of_another_host_do_not_count() -> None:
    """What Cloudflare's documentation advises, so that previews are not indexed."""
    text = "https://:project.pages.dev/*\n  X-Robots-Tag: noindex\nhttps://x.com/file\n  X-Robots-Tag: nofollow"
    build = served("cloudflare-pages", {"_headers": text}, site_url="https://x.com/")
    assert build.host.answer("/").headers == ()
    assert build.host.answer("/file").headers == (("x-robots-tag", "nofollow"),)
    assert build.notes == ()
    build = served("cloudflare-pages", {"_headers": text}, site_url="https://site.pages.dev/")
    assert build.host.answer("/").headers == (("x-robots-tag", "noindex"),)


@pytest.mark.parametrize(("host", "files", "note"), [pytest.param(*row[1:], id=row[0]) for row in NOTES])
def test_what_has_no_effect_is_said(host: str, files: Files, note: str) -> None:
    assert note in " | ".join(served(host, files).notes)


# id, host, file, text, sentence
BROKEN: tuple[tuple[str, str, str, str, str], ...] = (
    ("not JSON", "vercel", "vercel.json", '{\n"cleanUrls" true\n}', "vercel.json:2:13: this is not JSON"),
    ("another type", "vercel", "vercel.json", '{"cleanUrls": "yes"}', "vercel.json line 1: cleanUrls is not true or false"),
    ("a list", "vercel", "vercel.json", "[]", "vercel.json:1: this is not a JSON object"),
    ("an element", "vercel", "vercel.json", '{"redirects": [\n1]}', "vercel.json line 1: redirects is not a list of objects"),
    ("deep", "vercel", "vercel.json", '{"a": ' + "[" * 100_000, "vercel.json: this is not JSON that a host reads: it nests too deep"),
    ("a number", "vercel", "vercel.json", f'{{"a": {"1" * 10_000}}}', "vercel.json: this is not JSON that a host reads"),
    ("bytes", "vercel", "vercel.json", "\udcff", "vercel.json is not UTF-8"),
    ("not TOML", "netlify", "netlify.toml", "a = [", "netlify.toml: this is not TOML: Invalid value (at end of document)"),
    ("TOML, deep", "netlify", "netlify.toml", "a = " + "[" * 100_000, "netlify.toml: this is not TOML: it nests too deep"),
    ("TOML, a key of many parts", "netlify", "netlify.toml", "a." * 100_000 + "b = 1", "netlify.toml: this is not TOML that a host reads: a key has more than 50 parts"),
    ("TOML, another type", "netlify", "netlify.toml", "redirects = 1", "netlify.toml: redirects is not a list of objects"),
    ("html_handling", "cloudflare-workers", "wrangler.toml", '[assets]\nhtml_handling = "x"', "html_handling is not one of auto-trailing-slash"),
    ("wrangler.jsonc", "cloudflare-workers", "wrangler.jsonc", "{ /* ", "wrangler.jsonc:1:6: this is not JSON"),
    ("firebase.json", "firebase", "firebase.json", '{"hosting": 1}', "firebase.json line 1: hosting is not an object"),
    ("trailingSlash", "azure-swa", "staticwebapp.config.json", '{"trailingSlash": "x"}', "trailingSlash is not always, never or auto"),
    ("large", "vercel", "vercel.json", " " * (4 << 20) + "{}", "vercel.json is larger than 4 MiB"),
)  # fmt: skip


@pytest.mark.parametrize(("host", "name", "text", "sentence"), [pytest.param(*row[1:], id=row[0]) for row in BROKEN])
def test_a_broken_control_file_is_a_sentence(host: str, name: str, text: str, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        served(host, {name: text})
    assert sentence in str(caught.value)
    assert "source.host" in caught.value.hint


# id, host, control files, pages, evidence
FALLBACKS: tuple[tuple[str, str, Files, tuple[str, ...], str], ...] = (
    ("netlify", "netlify", redirects("/* /index.html 200"), ("index.html",), "_redirects line 1"),
    ("netlify, a splat that is used", "netlify", redirects("/* /a/:splat 200"), ("index.html",), ""),
    ("pages without 404.html", "cloudflare-pages", {}, ("index.html",), "the build has no 404.html"),
    ("pages with it", "cloudflare-pages", {}, ("index.html", "404.html"), ""),
    ("vercel with slashes", "vercel", {"vercel.json": '{"trailingSlash": true, "rewrites": [{"source": "/(.*)", "destination": "/index.html"}]}'}, ("index.html",), "vercel.json line 1"),
    ("azure", "azure-swa", {"staticwebapp.config.json": '{"navigationFallback": {"rewrite": "index.html"}}'}, ("index.html",), "staticwebapp.config.json has navigationFallback"),
    ("nginx", "nginx", {}, ("index.html",), ""),
)  # fmt: skip


@pytest.mark.parametrize(("host", "files", "pages", "evidence"), [pytest.param(*row[1:], id=row[0]) for row in FALLBACKS])  # fmt: skip
def test_HOST_09_a_fallback_is_known(host: str, files: Files, pages: tuple[str, ...], evidence: str) -> None:
    assert served(host, files, pages).fallback == evidence


# id, host, control files, its paths with the rules
PARTIAL: tuple[tuple[str, str, Files, list[tuple[str, str]]], ...] = (
    ("netlify", "netlify", redirects("/app/* /app/index.html 200"), [("/app/*", "_redirects line 1")]),
    ("netlify, two", "netlify", redirects("/app/* /app/index.html 200\n/:lang/shop/* /index.html 200"), [("/app/*", "_redirects line 1"), ("/*/shop/*", "_redirects line 2")]),
    ("netlify, of all paths the first", "netlify", redirects("/app/* /app/index.html 200\n/* /index.html 200"), []),
    ("netlify, behind another rule", "netlify", redirects("/app/* /none 301\n/app/* /app/index.html 200"), []),
    ("netlify, a redirect, a splat, another host, no file", "netlify", redirects("/a/* /app/index.html\n/b/* /app/:splat 200\n/c/* https://a.example/ 200\n/d/* /none 200"), []),
    ("one path", "netlify", redirects("/app /app/index.html 200"), []),
    ("netlify.toml", "netlify", {"netlify.toml": '[[redirects]]\nfrom = "/app/*"\nto = "/app/index.html"\nstatus = 200'}, [("/app/*", "netlify.toml line 1")]),
    ("cloudflare", "cloudflare-pages", redirects("/shop/* /app/ 200"), [("/shop/*", "_redirects line 1")]),
    ("vercel", "vercel", {"vercel.json": '{"rewrites": [{"source": "/app/:path*", "destination": "/app/index.html"}]}'}, [("/app/*", "vercel.json line 1")]),
    ("vercel, numbers", "vercel", {"vercel.json": '{"rewrites": [{"source": "/app/:id(\\\\d+)", "destination": "/app/index.html"}]}'}, [("/app/0", "vercel.json line 1")]),
    ("vercel with slashes", "vercel", {"vercel.json": '{"trailingSlash": true, "rewrites": [{"source": "/app/(.*)", "destination": "/app/index.html"}]}'}, [("/app/*", "vercel.json line 1")]),
    ("firebase", "firebase", {"firebase.json": '{"hosting": {"rewrites": [{"source": "/app/**", "destination": "/app/index.html"}, {"source": "/{a,b}/**", "destination": "/index.html"}, {"source": "/api/**", "function": "api"}]}}'}, [("/app/*", "firebase.json line 1"), ("/a/*", "firebase.json line 1")]),
    ("azure", "azure-swa", {"staticwebapp.config.json": '{"routes": [{"route": "/app/*", "rewrite": "/app/index.html"}]}'}, [("/app/*", "staticwebapp.config.json line 1")]),
)  # fmt: skip


@pytest.mark.parametrize(("host", "files", "partial"), [pytest.param(*row[1:], id=row[0]) for row in PARTIAL])
def test_HOST_09_a_fallback_of_some_paths_is_known(host: str, files: Files, partial: list[tuple[str, str]]) -> None:
    pages = ("index.html", "404.html", "app/index.html")
    assert list(served(host, files, pages).partial) == partial


def test_20_000_rules_are_read_and_the_first_of_all_decides() -> None:
    rules = [f"/s{number} /t{number}\n/d{number}/* /t{number}/:splat\n" for number in range(10_000)]
    host = served("netlify", redirects("".join(rules) + "/s9999 /late 301!\n/* /all")).host
    assert cell(host.answer("/s9999")) == "301 /t9999"
    assert cell(host.answer("/d9999/x")) == "301 /t9999/x"
    assert cell(host.answer("/x")) == "301 /all"


def test_hostile_patterns_take_linear_time() -> None:
    rules = "".join(f"/*{'a' * number}b /x\n" for number in range(90))
    host = served("cloudflare-pages", redirects(rules)).host
    assert cell(host.answer("/" + "a" * 20_000)) == "404"


HOSTILE = (
    # host, control file, its content of so many parts: those of S-15, with what was quadratic
    ("auto", "wrangler.toml", lambda n: "\n" * n),
    ("auto", "wrangler.toml", lambda n: "assets" + "\n" * n),
    ("auto", "wrangler.jsonc", lambda n: "\n" * n + '{"assets": 1}'),
    ("auto", "wrangler.jsonc", lambda n: '{"a": "assets"' + "," + "\n" * n + "}"),
    ("auto", "render.yaml", lambda n: "\n" * n),
    ("auto", "render.yaml", lambda n: "env:" + " " * n),
    ("cloudflare-pages", "_redirects", lambda n: "/a" + " " * n + "/b"),
    ("cloudflare-pages", "_redirects", lambda n: "/a /b" + "\t" * n),
    ("cloudflare-workers", "_headers", lambda n: "/a\n" + " " * n + "X-Robots-Tag" + " " * n + ":x"),
    ("netlify", "_redirects", lambda n: "/a" + "\u00a0" * n + "/b"),
    ("netlify", "netlify.toml", lambda n: "[[headers]]" + " " * n + "\nfor='/*'"),
    ("firebase", "firebase.json", lambda n: '{"hosting": {}' + " " * n + "," + "\n" * n + "}"),
    ("vercel", "vercel.json", lambda n: " " * n + "{}"),
    ("azure-swa", "staticwebapp.config.json", lambda n: "\n" * n + '{"routes": []}' + " " * n),
)


@pytest.mark.parametrize(
    ("host", "name", "make"), [pytest.param(*row, id=f"{row[1]} {at}") for at, row in enumerate(HOSTILE)]
)
def test_S_15_control_files_take_linear_time(host: str, name: str, make: Callable[[int], str]) -> None:
    """A tenth of a second for what took four to twelve; calls cannot show it, for all of it was in one expression."""
    text = make(50_000)
    start = time.process_time()
    with suppress(UsageError):
        served(host, {name: text})
    assert time.process_time() - start < 1
