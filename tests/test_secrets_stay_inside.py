"""S-08: a server echoes the secret header wherever it can, and no output of the run shows it, in any spelling."""

import base64
import dataclasses
import gzip
import html
import json
import os
import urllib.parse
from pathlib import Path

import pytest

from servers import Reply, Route, Site, redirect, serve
from sitemap_action.__main__ import run

pytestmark = pytest.mark.attack("secrets")

SITE = "https://www.example.com/"
URLSET = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'

SECRETS = [
    # what it is, header, the part that is secret
    ("a key", "x-bypass: s3cr3t-t0k3n-of-the-preview", "s3cr3t-t0k3n-of-the-preview"),
    ("a bearer token", "Authorization: Bearer eyJhbGciOi.J9-0a1b2c3d.x_y", "eyJhbGciOi.J9-0a1b2c3d.x_y"),
    ("a key with odd characters", "x-key: k3y/with+odd&chars~1234", "k3y/with+odd&chars~1234"),
    ("basic credentials", f"Authorization: Basic {base64.b64encode(b'user:p4ss/w0rd').decode()}", "p4ss/w0rd"),
    ("a cookie", "Cookie: theme=dark; session=0a1b2c3d4e5f6789", "0a1b2c3d4e5f6789"),
    ("a key of eight", "x-key: k3y-5678", "k3y-5678"),
    ("the shortest", "x-key: k3y-56", "k3y-56"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "workspace"
    found.mkdir()
    monkeypatch.chdir(found)
    return found


def spellings(secret: str) -> set[str]:
    quoted = urllib.parse.quote(secret, safe="")
    many = {secret, quoted, quoted.lower(), urllib.parse.quote(secret), html.escape(secret), json.dumps(secret)[1:-1]}
    return many | ({base64.b64encode(secret.encode()).decode()} if len(secret) >= 8 else set())


def echo(secret: str) -> dict[str, Route]:
    """Everything that a report, an event, a state or a log repeats."""
    path = urllib.parse.quote(secret, safe="")
    code = base64.b64encode(secret.encode()).decode()
    text = html.escape(secret)
    words = "some words " * 60

    def page(*links: str, head: str = "") -> str:
        anchors = "".join(f'<a href="{link}">a</a> ' for link in links)
        return f"<!doctype html><html lang=en><title>A page {text}</title>{head}<main>{anchors}{words} {text}</main>"

    row = f"<url><loc>{SITE}listed?key={html.escape(path)}</loc><lastmod>{text}</lastmod></url>\n"
    return {
        "/": page("/a", f"/b?key={path}", f"/c/{path}/d", f"/e?code={code}", "/hop", "/away", "/broken", "/gone"),
        "/a": Reply(
            page(
                head=f'<link rel=canonical href="/canonical?key={path}"><meta name=robots content="unavailable_after: {text}">'
                f'<link rel=alternate hreflang="{text}" href="/alternate/{path}">'
                f'<meta http-equiv=refresh content="0; url=/refresh/{path}"><meta property=og:image content="/{path}.png">'
            ),
            headers={"ETag": f'"{secret}"', "Link": f'</link/{path}>; rel="canonical"', "X-Robots-Tag": f"{secret}: noindex"},
        ),
        "/hop": redirect(f"/to?key={path}"),
        "/away": redirect(f"https://other.example/{path}"),
        "/broken": Reply(page(), 200, headers={"Content-Encoding": f"br-{path}"}),
        "/gone": Reply(page(), 404),
        "/robots.txt": Reply(f"User-agent: *\nDisallow: /{path}\nDisallow: /b/{path}*\nSitemap: /maps/{path}.xml\nSitemap: SITE/packed.xml.gz\n", type="text/plain"),
        f"/maps/{path}.xml": 500,
        "/packed.xml.gz": Reply(gzip.compress(URLSET.format(rows=row).encode()), type="application/gzip"),
        "*": 404,
    }  # fmt: skip


def name_itself(site: Site) -> None:
    """A robots.txt has absolute URLs."""
    robots = site.routes["/robots.txt"]
    assert isinstance(robots, Reply)
    site.routes["/robots.txt"] = dataclasses.replace(robots, body=str(robots.body).replace("SITE", site.origin))


def leaks(folder: Path, secret: str, *streams: str) -> list[str]:
    """Where a spelling of the secret is found; `add-mask` is how a runner is told."""
    said = "\n".join(line for stream in streams for line in stream.splitlines() if not line.startswith("::add-mask::"))
    kept = {"the log": said.encode()}
    kept |= {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return [
        f"{where}: {spelling}"
        for where, data in kept.items()
        for spelling in spellings(secret)
        if spelling.lower().encode() in data.lower()
    ]


@pytest.mark.parametrize(("header", "secret"), [pytest.param(*row[1:], id=row[0]) for row in SECRETS])
def test_S_08_on_the_command_line(
    header: str, secret: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SITEMAP_ACTION_HEADERS", header)
    reports = [f"--report={form}={form}" for form in ("json", "markdown", "text", "annotations")]
    with serve(echo(secret)) as site:
        name_itself(site)
        flags = ["--url", site.url, "--site-url", SITE, "--state", "state", "--events", "events", "--debug", *reports]
        for command in ("check", "write"):
            assert run([command, *flags, "--set", "http.retries=0", "--set", "http.backoff=0.01"]) in {0, 1, 3}
        assert {"/a", "/hop", "/packed.xml.gz"} <= set(site.paths)
        assert any(secret in str(asked.headers) for asked in site.asked) or "Basic" in header
        assert not [asked.path for asked in site.asked if secret in urllib.parse.unquote(asked.path)]
    captured = capfd.readouterr()
    assert leaks(tmp_path, secret, captured.out, captured.err) == []
    assert "***" in Path("json").read_text()
    json.loads(Path("json").read_text())


@pytest.mark.parametrize(("header", "secret"), [pytest.param(*row[1:], id=row[0]) for row in SECRETS])
def test_S_08_in_the_action(
    header: str, secret: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "workspace/.github").mkdir()
    (tmp_path / "workspace/.github/sitemap.yml").write_text("http: {retries: 0, backoff: 0.01}\n")
    with serve(echo(secret)) as site:
        name_itself(site)
        for name, value in {
            "GITHUB_ACTIONS": "true",
            "RUNNER_DEBUG": "1",
            "GITHUB_EVENT_NAME": "push",
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
            "INPUT_URL": site.url,
            "INPUT_SITE-URL": SITE,
            "INPUT_HEADERS": header,
            "INPUT_STATE": "state",
            "INPUT_MODE": "write",
        }.items():
            monkeypatch.setenv(name, value)
        assert run(["run"]) in {0, 1, 3}
    captured = capfd.readouterr()
    assert leaks(tmp_path, secret, captured.out, captured.err) == []
    assert (tmp_path / "summary").read_text()


def test_S_08_the_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """It is sent to GitHub alone, and may stand in a page that a build step made."""
    token = "ghs_a1B2c3D4e5F6g7H8i9J0"
    (tmp_path / "workspace/dist").mkdir()
    for name in ("index", token):
        Path(f"dist/{name}.html").write_text(f"<title>{token}</title><a href=/{token}>x</a>" + "some words " * 60)
    for name, value in {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": "push",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "INPUT_PATH": "dist",
        "INPUT_SITE-URL": SITE,
        "INPUT_TOKEN": token,
        "INPUT_SITEMAP": "sitemap.xml",
        "INPUT_MODE": "write",
    }.items():
        monkeypatch.setenv(name, value)
    assert run(["run"]) == 0
    for path in Path("dist").iterdir():
        path.unlink()
    captured = capfd.readouterr()
    assert leaks(tmp_path, token, captured.out, captured.err) == []
    report = json.loads(Path(".sitemap-action/report.json").read_text())
    assert {"url": f"{SITE}***", "reason": "excluded", "detail": "the URL contains a secret of this run"} in [
        {key: row[key] for key in ("url", "reason", "detail")} for row in report["skipped"]
    ]
    assert f"<loc>{SITE}</loc>" in Path("sitemap.xml").read_text()


@pytest.mark.parametrize("entry", ["an image", "a committed URL"])
def test_S_08_a_sitemap_with_a_secret_is_not_written(entry: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    secret = "s3cr3t-t0k3n-of-the-preview"
    monkeypatch.setenv("SITEMAP_ACTION_HEADERS", f"x-bypass: {secret}")
    image = f"<image:image><image:loc>{SITE}{secret}.png</image:loc></image:image>"
    rows = f"<url><loc>{SITE}</loc>{image if entry == 'an image' else ''}</url>\n<url><loc>{SITE}old</loc></url>\n"
    rows += f"<url><loc>{SITE}{secret}</loc></url>\n" if entry == "a committed URL" else ""
    head = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    text = URLSET.format(rows=rows).replace('xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"', head)
    Path("sitemap.xml").write_text(text)
    home = "<!doctype html><html lang=en><title>A</title><a href=/new>a</a>" + "some words " * 60
    with serve({"/": home, "/new": home, f"/{secret}": home, "*": 404}) as site:
        code = run(["write", "--url", site.url, "--site-url", SITE, "--quiet", "--baseline", "committed"])
    said = "".join(capfd.readouterr())
    if entry == "an image":
        assert code == 4
        assert Path("sitemap.xml").read_text() == text
        assert "it would contain a secret of this run" in said
    else:
        assert secret not in Path("sitemap.xml").read_text()
        assert "the URL contains a secret of this run" in said
    assert secret not in said


def test_what_is_kept_of_a_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its titles, and not what its pages say; the log begins with the masks, and the temporary folder is empty at the end."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    Path("sitemap.xml").write_text(URLSET.format(rows=f"<url><loc>{SITE}</loc></url>\n"))
    body = f"<!doctype html><html lang=en><title>Unlikely-title</title><p>{'unlikely-word ' * 60}<a href=/gone>a</a>"
    with serve({"/": Reply(body, headers={"ETag": '"unlikely-tag"'}), "*": 404}) as site:
        given = {"URL": site.url, "SITE-URL": SITE, "SITEMAP": "sitemap.xml", "HEADERS": "x-key: s3cr3t-0f-m1ne", "TOKEN": "ghs_a1B2c3D4"}  # fmt: skip
        for name, value in (*given.items(), ("STATE", "state"), ("MODE", "check")):
            monkeypatch.setenv(f"INPUT_{name}", value)
        for name in ("OUTPUT", "STEP_SUMMARY"):
            monkeypatch.setenv(f"GITHUB_{name}", str(tmp_path / name))
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        assert run(["run"]) in {0, 1}
        assert site.asked[-1].header("x-key") == "s3cr3t-0f-m1ne"
    log = "".join(capfd.readouterr())
    masks = [line.startswith("::add-mask::") for line in log.splitlines()]
    assert masks.index(False) == sum(masks) >= 2, "nothing is printed before"
    assert [*(tmp_path / "temporary").iterdir()] == []
    kept = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert [name for name, data in kept.items() if b"unlikely-word" in data] == []
    assert "unlikely-word" not in log
    assert [name for name, data in kept.items() if b"unlikely-tag" in data] == ["state"]
    assert {"state", "report.html"} <= {name for name, data in kept.items() if b"Unlikely-title" in data}


CREDENTIALS = [
    ("--url", "https://user:p4ss-w0rd@preview.example/"),
    ("--site-url", "https://user:p4ss%2Dw0rd@www.example.com/"),
    ("--baseline", "https://user:p4ss-w0rd@www.example.com/sitemap.xml"),
]


@pytest.mark.parametrize(("flag", "url"), CREDENTIALS)
def test_S_08_credentials_in_a_url(flag: str, url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.setattr("sys.argv", ["sitemap-action", "check", flag, url])
    run(["check", "--path", ".", "--site-url", SITE, flag, url])
    said = "".join(capfd.readouterr())
    assert "p4ss" not in said
    assert base64.b64encode(b"user:p4ss-w0rd").decode() not in said


SHORT = [("x-key: abc", True), ("x-key: 12345", True), ("x-tenant: example", True), ("x-key: abc-123", False), ("accept: text/html", False)]  # fmt: skip


@pytest.mark.parametrize(("header", "said"), SHORT)
def test_S_08_a_value_that_cannot_be_masked_is_said(header: str, said: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """And the report stays readable."""
    monkeypatch.setenv("SITEMAP_ACTION_HEADERS", header)
    home = "<!doctype html><html lang=en><title>An example: abc 12345</title>" + "some words " * 60
    with serve({"/": home, "*": 404}) as site:
        run(["check", "--url", site.url, "--site-url", SITE, "--report", "json=report.json"])
    name = header.partition(":")[0]
    assert (f"the value of the header {name} is a word, or shorter than 6 characters" in capfd.readouterr().err) is said
    assert json.loads(Path("report.json").read_text())["stale"]["missing"] == [SITE]
    assert os.environ["SITEMAP_ACTION_HEADERS"] == header
