"""Logins, bot challenges and firewalls in front of a site, with hints (ENV-05)."""

import pytest

from sitemap_action.fetch.page_from_answer import access_hint, bot_challenge, is_login_page, start_page_blocker

URL = "https://pr-7.example.net/"

CHALLENGES = [
    # id, headers, vendor
    ("none", [("content-type", "text/html")], ""),
    ("Cloudflare", [("server", "cloudflare"), ("cf-mitigated", "challenge")], "Cloudflare"),
    ("Vercel", [("x-vercel-mitigated", "challenge")], "Vercel"),
    ("case and space", [("cf-mitigated", " Challenge ")], "Cloudflare"),
    ("another value", [("x-vercel-mitigated", "allow")], ""),
    ("served by Cloudflare without a challenge", [("server", "cloudflare"), ("cf-ray", "8a")], ""),
    ("nothing at all", [], ""),
]


@pytest.mark.parametrize(("headers", "vendor"), [pytest.param(*row[1:], id=row[0]) for row in CHALLENGES])
def test_bot_challenge(headers: list[tuple[str, str]], vendor: str) -> None:
    assert bot_challenge(headers) == vendor


BYPASS = "x-vercel-protection-bypass"
BLOCKERS = [
    # id, status, headers, redirects to, reason, part of the hint
    ("ENV-05 401 of an unknown service", 401, [], "", f"{URL} answers 401", "HEADERS"),
    ("ENV-05 403", 403, [], "", f"{URL} answers 403", "User-Agent"),
    ("a proxy that requires a password", 407, [], "", f"{URL} answers 407", "HEADERS"),
    ("a captive portal", 511, [], "", f"{URL} answers 511", "HEADERS"),
    ("ENV-05 Vercel", 401, [("server", "Vercel")], "", f"{URL} answers 401", BYPASS),
    ("ENV-05 Vercel by a header's name", 401, [("x-vercel-id", "fra1")], "", f"{URL} answers 401", BYPASS),
    ("ENV-05 Cloudflare", 403, [("server", "cloudflare")], "", f"{URL} answers 403", "firewall"),
    ("ENV-05 Netlify", 401, [("server", "Netlify")], "", f"{URL} answers 401", "Authorization"),
    ("ENV-05 login of Vercel", 302, [], "https://vercel.com/sso-api?url=x", f"{URL} redirects to https://vercel.com/sso-api?url=x, which is another site", BYPASS),
    ("ENV-05 login of Cloudflare Access", 302, [], "https://team.cloudflareaccess.com/cdn-cgi/access/login/x", f"{URL} redirects to https://team.cloudflareaccess.com/cdn-cgi/access/login/x, which is another site", "CF-Access-Client-Id"),
    ("ENV-05 login of another site", 302, [], "https://login.example.org/", f"{URL} redirects to https://login.example.org/, which is another site", "HEADERS"),
    ("U-04 its own www.", 301, [("server", "Vercel")], "https://www.example.net/", f"{URL} redirects to https://www.example.net/, which is another site", "correct --url or --site-url: the site leads to https://www.example.net/"),
    ("a challenge comes with any status", 200, [("cf-mitigated", "challenge")], "", f"{URL} answers with a bot challenge of Cloudflare", "firewall"),
    ("a challenge before its status", 403, [("x-vercel-mitigated", "challenge")], "", f"{URL} answers with a bot challenge of Vercel", BYPASS),
]  # fmt: skip


@pytest.mark.parametrize(
    ("status", "headers", "elsewhere", "reason", "part"), [pytest.param(*row[1:], id=row[0]) for row in BLOCKERS]
)
def test_start_page_blocker(
    status: int, headers: list[tuple[str, str]], elsewhere: str, reason: str, part: str
) -> None:
    why, hint = start_page_blocker(URL, status, headers, elsewhere)
    assert why == reason
    assert part in hint


@pytest.mark.parametrize("status", [200, 204, 301, 404, 410, 429, 500, 503])
def test_other_statuses_are_no_blocker(status: int) -> None:
    assert start_page_blocker(URL, status, [("server", "cloudflare")], "") == ("", "")


def test_the_general_hint() -> None:
    assert "HEADERS" in access_hint("https://example.org/")


SERVICES: list[tuple[str, str, int, list[tuple[str, str]], str, str]] = [
    # id, start page, status, response headers, redirect target, service that the hint is for
    (
        "b2 Vercel Authentication on a preview", "https://shop-git-topic-team.vercel.app/", 401,
        [("cache-control", "no-store, max-age=0"), ("content-type", "text/html; charset=utf-8"), ("server", "Vercel"),
         ("set-cookie", "_vercel_sso_nonce=x; Secure; HttpOnly; SameSite=Lax"), ("x-frame-options", "DENY"),
         ("x-robots-tag", "noindex"), ("x-vercel-id", "fra1::abcde-1700000000000-0123456789ab")],
        "", "Vercel",
    ),
    (
        "b2 Vercel Authentication on a branch's own domain", "https://staging.example.com/", 302,
        [("location", "https://vercel.com/sso-api?url=https%3A%2F%2Fstaging.example.com%2F&nonce=x"), ("server", "Vercel"), ("x-vercel-id", "iad1::x")],
        "https://vercel.com/sso-api?url=https%3A%2F%2Fstaging.example.com%2F&nonce=x", "Vercel",
    ),
    ("b2 Vercel, not allowed", "https://staging.example.com/", 403, [("server", "Vercel"), ("x-vercel-error", "FORBIDDEN")], "", "Vercel"),
    ("b2 Vercel behind Cloudflare", "https://staging.example.com/", 401, [("server", "cloudflare"), ("cf-ray", "8a-FRA"), ("x-vercel-id", "fra1::x")], "", "Vercel"),
    ("b2 Vercel's challenge", "https://staging.example.com/", 429, [("server", "Vercel"), ("x-vercel-mitigated", "challenge")], "", "Vercel"),
    (
        "b2 Cloudflare Access", "https://abc123.docs.pages.dev/", 302,
        [("location", "https://team.cloudflareaccess.com/cdn-cgi/access/login/abc123.docs.pages.dev?kid=x&redirect_url=%2F"),
         ("server", "cloudflare"), ("cf-ray", "8a-FRA"), ("set-cookie", "CF_AppSession=x; Path=/; Secure; HttpOnly")],
        "https://team.cloudflareaccess.com/cdn-cgi/access/login/abc123.docs.pages.dev?kid=x&redirect_url=%2F", "Access",
    ),
    ("b2 Cloudflare Access, an unknown service token", "https://staging.example.com/", 403, [("server", "cloudflare"), ("cf-ray", "8a-FRA"), ("cf-access-aud", "x"), ("cf-access-domain", "staging.example.com")], "", "Access"),
    ("b2 Cloudflare Access before Vercel", "https://my-vercel.example.com/", 302, [("server", "cloudflare")], "https://team.cloudflareaccess.com/cdn-cgi/access/login/x", "Access"),
    ("b2 Cloudflare's challenge", "https://docs.example.com/", 403, [("server", "cloudflare"), ("cf-mitigated", "challenge"), ("cf-ray", "8a-FRA")], "", "Cloudflare"),
    ("b2 Cloudflare's challenge is not its host's", "https://shop.netlify.app/", 403, [("server", "cloudflare"), ("cf-mitigated", "challenge")], "", "Cloudflare"),
    ("b2 Cloudflare's firewall", "https://docs.example.com/", 403, [("server", "cloudflare"), ("cf-ray", "8a-FRA")], "", "Cloudflare"),
    ("b2 Netlify, a site password", "https://deploy-preview-7--shop.netlify.app/", 401, [("server", "Netlify"), ("x-nf-request-id", "01H"), ("content-type", "text/html")], "", "Netlify"),
    ("b2 Netlify, _headers", "https://staging.example.com/", 401, [("server", "Netlify"), ("www-authenticate", "Basic realm=x"), ("x-nf-request-id", "01H")], "", "Netlify"),
    ("b2 Netlify behind Cloudflare", "https://staging.example.com/", 401, [("server", "cloudflare"), ("x-nf-request-id", "01H")], "", "Netlify"),
    ("b2 Netlify, members of the team", "https://deploy-preview-7--shop.netlify.app/", 302, [("server", "Netlify")], "https://app.netlify.com/authorize?response_type=code", "Netlify"),
    ("a name is no service", "https://vercel-and-netlify.example.com/", 401, [("server", "nginx"), ("www-authenticate", "Basic realm=cloudflare")], "", "any"),
    ("nor is a path", "https://docs.example.com/vercel.com/", 403, [("server", "nginx")], "", "any"),
]  # fmt: skip
HINTS = {
    "x-vercel-protection-bypass": "Vercel",
    "CF-Access-Client-Id": "Access",
    "firewall": "Cloudflare",
    "Authorization": "Netlify",
    "the variable SITEMAP_ACTION_HEADERS": "any",
}


@pytest.mark.parametrize(
    ("start", "status", "headers", "elsewhere", "service"), [pytest.param(*row[1:], id=row[0]) for row in SERVICES]
)
def test_the_hint_is_for_the_service(
    start: str, status: int, headers: list[tuple[str, str]], elsewhere: str, service: str
) -> None:
    _, hint = start_page_blocker(start, status, headers, elsewhere)
    assert [name for part, name in HINTS.items() if part in hint] == [service]


def test_the_hint_for_a_login_on_the_site_itself() -> None:
    """Every path redirects to it, so only its URL identifies the service."""
    assert "CF-Access-Client-Id" in access_hint("https://docs.example.com/ redirects to https://docs.example.com/cdn-cgi/access/login/x, which asks")  # fmt: skip


LOGINS = [
    ("a password field", "text/html", b'<input type="password">', True),
    ("single quotes", "text/html", b"<INPUT TYPE='PASSWORD'>", True),
    ("no quotes", "text/html", b"<input name=p type=password>", True),
    ("text about passwords", "text/html", b"<p>Choose a good password</p>", False),
    ("no HTML", "application/json", b'{"type":"password"}', False),
    ("far down", "text/html", b" " * 300_000 + b'<input type="password">', False),
    ("nothing", "text/html", b"", False),
]


@pytest.mark.parametrize(("kind", "body", "login"), [pytest.param(*row[1:], id=row[0]) for row in LOGINS])
def test_is_login_page(kind: str, body: bytes, login: bool) -> None:
    assert is_login_page(kind, body) is login
