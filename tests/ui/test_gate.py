"""Who may ask the screen: every other host name, page, token and path is refused, each tried over the wire."""

from collections.abc import Iterator

import httpx
import pytest

from screens import RunningScreen, screen

SCREEN_POLICY = "default-src 'none'; script-src 'self'"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningScreen]:
    place = tmp_path_factory.mktemp("screen")
    with screen(place / "root", place / "files") as found:
        yield found


def test_the_printed_address_opens_the_page_and_leaves_no_token(running: RunningScreen) -> None:
    with running.client(entered=False) as client:
        entered = client.get(running.address, headers={"Sec-Fetch-Site": "none"})
        assert (entered.status_code, entered.headers["location"]) == (303, running.gate.place)
        cookie = entered.headers["set-cookie"]
        assert {part.strip().lower() for part in cookie.split(";")} >= {"httponly", "samesite=strict", f"path={running.gate.place}"}  # fmt: skip
        assert "token" not in entered.headers["location"]
        assert running.address.partition("token=")[2] not in cookie
        page = client.get(f"{running.origin}{running.gate.place}")
        assert page.status_code == 200
        assert page.headers["content-security-policy"].startswith(SCREEN_POLICY)
        assert page.headers["referrer-policy"] == "no-referrer"
        assert page.headers["cache-control"] == "no-store"
        assert page.headers["x-content-type-options"] == "nosniff"
        assert not [name for name in page.headers if name.startswith("access-control-")]


@pytest.mark.attack("requests")
@pytest.mark.parametrize(
    "path", ["", "form", "events", "screen.js", "folders?in=", "runs/1/view", "runs/1/files/sitemap.yml"]
)
def test_without_the_cookie_nothing_is_answered(path: str, running: RunningScreen) -> None:
    with running.client(entered=False) as client:
        for cookie in ("", "session=", "session=x", "sessions=x; session=ä"):
            answer = client.get(path, headers={"Cookie": cookie.encode()})
            assert answer.status_code == 403, cookie
            assert "open the address" in answer.text


@pytest.mark.attack("requests")
@pytest.mark.parametrize("token", ["", "x", "ä", "%00", "a&token=b"])
def test_a_wrong_token_opens_nothing(token: str, running: RunningScreen) -> None:
    with running.client(entered=False) as client:
        answer = client.get(f"{running.origin}{running.gate.place}?token={token}")
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers


def test_the_address_that_a_browser_is_started_with_opens_once(running: RunningScreen) -> None:
    once = f"{running.origin}{running.gate.path_once()}"
    with running.client(entered=False) as client:
        assert client.get(once).status_code == 303
    with running.client(entered=False) as client:
        assert client.get(once).status_code == 403
        assert client.get(running.address).status_code == 303


HOSTS = ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost", "127.0.0.1.nip.io:{port}", "[::1]:{port}", "0.0.0.0:{port}", "", "127.0.0.1:{port}, evil.example"]  # fmt: skip


@pytest.mark.attack("requests")
@pytest.mark.parametrize("host", HOSTS)
def test_another_host_name_is_refused_even_with_the_cookie(host: str, running: RunningScreen) -> None:
    """DNS rebinding: the name of a foreign page that leads to loopback."""
    with running.client() as client:
        answer = client.get("form", headers={"Host": host.format(port=running.port)})
        assert answer.status_code in (400, 421)
        assert "groups" not in answer.text


ORIGINS = ["http://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "http://localhost:{port}", ""]  # fmt: skip


@pytest.mark.attack("requests")
@pytest.mark.parametrize("origin", ORIGINS)
def test_another_page_starts_and_reads_nothing(origin: str, running: RunningScreen) -> None:
    """`null` is what the report in its frame would send."""
    with running.client() as client:
        headers = {"Origin": origin.format(port=running.port)}
        for method, path in (("GET", "form"), ("GET", "events"), ("POST", "start"), ("POST", "stop")):
            answer = client.request(method, path, headers=headers, json={"values": {}} if method == "POST" else None)
            assert answer.status_code == 403, (method, path)
            assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.attack("requests")
def test_what_a_browser_says_of_another_page_is_believed(running: RunningScreen) -> None:
    """A form or picture of another page names no origin on GET; of a form on POST it always does."""
    with running.client() as client:
        del client.headers["origin"]
        for site in ("cross-site", "same-site"):
            assert client.get("form", headers={"Sec-Fetch-Site": site}).status_code == 403
        assert client.post("stop", json={}).status_code == 403, "no origin at all"
        assert client.get("form").status_code == 200


@pytest.mark.attack("requests")
def test_a_form_of_another_page_could_send_no_json(running: RunningScreen) -> None:
    with running.client() as client:
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            answer = client.post("start", content=b'{"values":{}}', headers={"Content-Type": kind})
            assert answer.json() == {"problems": {"": "the request is not JSON"}}


@pytest.mark.attack("requests")
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"values": 1}', b'{"values": {"a": 1}}', b'{"values":{},"more":1}', b"\xff", b'{"values":{"a":"' + b"x" * 70_000 + b'"}}'])  # fmt: skip
def test_a_request_that_is_none_is_a_problem(body: bytes, running: RunningScreen) -> None:
    with running.client() as client:
        answer = client.post("start", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 422
        assert answer.json()["problems"][""]


@pytest.mark.attack("requests")
@pytest.mark.parametrize("path", ["../form", "..%2fform", "runs/1/files/..%2f..%2fetc%2fpasswd", "runs/1/files//etc/passwd", "runs/1/files/report.txt", "runs/99/view", "%2e%2e/", "screen.py", "openapi.json"])  # fmt: skip
def test_a_file_that_no_run_lists_is_not_served(path: str, running: RunningScreen) -> None:
    with running.client() as client:
        url = httpx.URL(f"{running.origin}/").copy_with(raw_path=f"{running.gate.place}{path}".encode())
        assert client.get(url).status_code in (403, 404)


@pytest.mark.attack("paths")
@pytest.mark.parametrize("folder", ["..", "../", "/etc", "link", "link/inside", ".git", "a/../..", "file", "missing", "\0", "~"])  # fmt: skip
def test_a_folder_outside_is_neither_listed_nor_checked(folder: str, running: RunningScreen) -> None:
    root = running.session.root
    (root / ".git").mkdir(exist_ok=True)
    (root / "file").touch()
    if not (root / "link").is_symlink():
        (root.parent / "outside/inside").mkdir(parents=True)
        (root / "link").symlink_to(root.parent / "outside")
    with running.client() as client:
        listed = client.get("folders", params={"in": folder})
        assert listed.status_code == 404 or "inside" not in listed.text
        if folder != "/etc":  # a folder of that name below the root could be listed
            assert listed.status_code == 404
        answer = client.post("start", json={"values": {"source.path": folder, "site-url": "https://www.example.com/"}})
        assert answer.status_code == 422
        assert answer.json()["problems"]["source.path"]
    assert running.session.runs == []


def test_folders_are_listed_without_links_and_hidden_ones(running: RunningScreen) -> None:
    root = running.session.root
    for name in ("site/dist/a", "site/.cache", "docs"):
        (root / name).mkdir(parents=True, exist_ok=True)
    with running.client() as client:
        assert set(client.get("folders").json()) >= {"docs", "site"}
        assert "link" not in client.get("folders").json()
        assert client.get("folders", params={"in": "site"}).json() == ["site/dist"]


@pytest.mark.attack("requests")
def test_it_listens_on_loopback_alone(running: RunningScreen) -> None:
    assert running._server._listening.getsockname()[0] == "127.0.0.1"
