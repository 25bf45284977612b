"""What stands between a run and a site, and what it says to do about it (ENV-05)."""

import pytest

from sitemap_action.web.walls import at_start, challenged, hint, is_login

URL = "https://pr-7.example.net/"

CHALLENGES = [
    # id, headers, whose
    ("none", [("content-type", "text/html")], ""),
    ("Cloudflare", [("server", "cloudflare"), ("cf-mitigated", "challenge")], "Cloudflare"),
    ("Vercel", [("x-vercel-mitigated", "challenge")], "Vercel"),
    ("case and space", [("cf-mitigated", " Challenge ")], "Cloudflare"),
    ("another value", [("x-vercel-mitigated", "allow")], ""),
    ("behind Cloudflare is no challenge", [("server", "cloudflare"), ("cf-ray", "8a")], ""),
    ("nothing at all", [], ""),
]


@pytest.mark.parametrize(("headers", "whose"), [pytest.param(*row[1:], id=row[0]) for row in CHALLENGES])
def test_challenges(headers: list[tuple[str, str]], whose: str) -> None:
    assert challenged(headers) == whose


BYPASS = "x-vercel-protection-bypass"
WALLS = [
    # id, status, headers, redirects to, reason, part of the hint
    ("ENV-05 401 of anybody", 401, [], "", f"{URL} answers 401", "headers"),
    ("ENV-05 403", 403, [], "", f"{URL} answers 403", "User-Agent"),
    ("a proxy that wants a password", 407, [], "", f"{URL} answers 407", "headers"),
    ("a hotel's login", 511, [], "", f"{URL} answers 511", "headers"),
    ("ENV-05 Vercel", 401, [("server", "Vercel")], "", f"{URL} answers 401", BYPASS),
    ("ENV-05 Vercel by a header's name", 401, [("x-vercel-id", "fra1")], "", f"{URL} answers 401", BYPASS),
    ("ENV-05 Cloudflare", 403, [("server", "cloudflare")], "", f"{URL} answers 403", "firewall"),
    ("ENV-05 Netlify", 401, [("server", "Netlify")], "", f"{URL} answers 401", "Authorization"),
    ("ENV-05 login of Vercel", 302, [], "https://vercel.com/sso-api?url=x", f"{URL} redirects to https://vercel.com/sso-api?url=x, which is another site", BYPASS),
    ("ENV-05 login of Cloudflare Access", 302, [], "https://team.cloudflareaccess.com/cdn-cgi/access/login/x", f"{URL} redirects to https://team.cloudflareaccess.com/cdn-cgi/access/login/x, which is another site", "CF-Access-Client-Id"),
    ("ENV-05 login of anybody", 302, [], "https://login.example.org/", f"{URL} redirects to https://login.example.org/, which is another site", "headers"),
    ("a challenge comes with any status", 200, [("cf-mitigated", "challenge")], "", f"{URL} answers with a bot challenge of Cloudflare", "firewall"),
    ("a challenge before its status", 403, [("x-vercel-mitigated", "challenge")], "", f"{URL} answers with a bot challenge of Vercel", BYPASS),
]  # fmt: skip


@pytest.mark.parametrize(
    ("status", "headers", "elsewhere", "reason", "part"), [pytest.param(*row[1:], id=row[0]) for row in WALLS]
)
def test_walls(status: int, headers: list[tuple[str, str]], elsewhere: str, reason: str, part: str) -> None:
    wall = at_start(URL, status, headers, elsewhere)
    assert wall is not None
    assert wall.reason == reason
    assert part in wall.hint


@pytest.mark.parametrize("status", [200, 204, 301, 404, 410, 429, 500, 503])
def test_no_wall(status: int) -> None:
    assert at_start(URL, status, [("server", "cloudflare")], "") is None


def test_a_hint_for_everybody() -> None:
    assert "headers" in hint("https://example.org/")


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
def test_logins(kind: str, body: bytes, login: bool) -> None:
    assert is_login(kind, body) is login
