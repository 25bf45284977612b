"""GitHub's REST API as its documentation shows it, answered by a dict."""

import json
from collections.abc import Callable, Mapping

import httpx
import pytest

from sitemap_action.errors import BaselineError
from sitemap_action.model.context import Forge
from sitemap_action.repo.github import GitHub
from sitemap_action.repo.github_api import Api

COMMIT, OTHER = "a" * 40, "b" * 40
REPOSITORY = "/repos/octo-org/octo-repo"
RAW = {"content-type": "application/vnd.github.raw+json; charset=utf-8"}
JSON = {"content-type": "application/json; charset=utf-8"}
NOT_FOUND = json.dumps({"message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404"})
FILE = b"<urlset/>"
COMPARED = {"url": "…", "status": "diverged", "merge_base_commit": {"sha": OTHER, "commit": {}}, "files": []}


def github(answers: Mapping[str, httpx.Response | Exception], asked: list[httpx.Request] | None = None) -> GitHub:
    def answer(request: httpx.Request) -> httpx.Response:
        if asked is not None:
            asked.append(request)
        found = answers.get(request.url.raw_path.decode(), httpx.Response(404, headers=JSON, text=NOT_FOUND))
        if isinstance(found, Exception):
            raise found
        return found

    forge = Forge("https://api.github.example", "octo-org/octo-repo", "s3cret")
    return GitHub(Api(forge, httpx.MockTransport(answer)))


def contents(path: str, answer: httpx.Response | Exception) -> GitHub:
    return github({f"{REPOSITORY}/contents/{path}?ref={COMMIT}": answer})


BLOBS = [
    # id, path, path as asked for, answer, content
    ("a file", "public/sitemap.xml", "public/sitemap.xml", httpx.Response(200, headers=RAW, content=FILE), FILE),
    ("an empty file", "a.xml", "a.xml", httpx.Response(200, headers=RAW), b""),
    ("a name with odd letters", "ü a/#?.xml", "%C3%BC%20a/%23%3F.xml", httpx.Response(200, headers=RAW, content=FILE), FILE),
    ("no such file", "gone.xml", "gone.xml", httpx.Response(404, headers=JSON, text=NOT_FOUND), None),
]  # fmt: skip


@pytest.mark.parametrize(("path", "url", "answer", "content"), [pytest.param(*row[1:], id=row[0]) for row in BLOBS])
def test_blob(path: str, url: str, answer: httpx.Response, content: bytes | None) -> None:
    assert contents(url, answer).blob(COMMIT, path) == content


FAILED = [
    # id, answer, words
    ("a folder is a list", httpx.Response(200, headers=JSON, text="[]"), "a.xml is a folder at aaaaaaaaaaaa"),
    ("not allowed", httpx.Response(403, headers=JSON, text='{"message": "Resource not accessible"}'), "answers 403"),
    ("a wrong token", httpx.Response(401, headers=JSON), "answers 401"),
    ("too many requests", httpx.Response(429), "answers 429"),
    ("a renamed repository", httpx.Response(301, headers={"location": "https://api.github.example/repositories/1"}), "answers 301"),
    ("a broken server", httpx.Response(502), "answers 502"),
    ("no connection", httpx.ConnectError("refused"), "cannot be reached: ConnectError"),
    ("no answer in time", httpx.ReadTimeout("slow"), "cannot be reached: ReadTimeout"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "words"), [pytest.param(*row[1:], id=row[0]) for row in FAILED])
def test_a_failure_is_no_absence(answer: httpx.Response | Exception, words: str) -> None:
    """Taken for absence, it would hide every removal."""
    with pytest.raises(BaselineError, match=words) as raised:
        contents("a.xml", answer).blob(COMMIT, "a.xml")
    assert raised.value.hint
    assert "s3cret" not in str(raised.value) + raised.value.hint


def test_what_is_too_large_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitemap_action.repo.github_api._MOST", 10)
    with pytest.raises(BaselineError, match="more than 10 bytes"):
        contents("a.xml", httpx.Response(200, headers=RAW, content=b"x" * 11)).blob(COMMIT, "a.xml")


HAS = [
    ("there", httpx.Response(200, headers=JSON, text="{}"), True),
    ("not there, or not allowed to know", httpx.Response(404, headers=JSON, text=NOT_FOUND), False),
    ("no object id", httpx.Response(422, headers=JSON), False),
    ("no connection", httpx.ConnectError("refused"), False),
]


@pytest.mark.parametrize(("answer", "there"), [pytest.param(*row[1:], id=row[0]) for row in HAS])
def test_has(answer: httpx.Response | Exception, there: bool) -> None:
    assert github({f"{REPOSITORY}/git/commits/{COMMIT}": answer}).has(COMMIT) is there


COMPARE = f"{REPOSITORY}/compare/release%2F1.x...{COMMIT}?per_page=1"
BASES: list[tuple[str, httpx.Response, str | None]] = [
    ("found", httpx.Response(200, headers=JSON, json=COMPARED), OTHER),
    ("nothing shared", httpx.Response(404, headers=JSON, text=NOT_FOUND), None),
]


@pytest.mark.parametrize(("answer", "found"), [pytest.param(*row[1:], id=row[0]) for row in BASES])
def test_merge_base(answer: httpx.Response, found: str | None) -> None:
    assert github({COMPARE: answer}).merge_base("release/1.x", COMMIT) == found


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (httpx.Response(200, text="{"), "does not answer with JSON"),
        (httpx.Response(200, text="[" * 100_000), "does not answer with JSON"),
        (httpx.Response(200, json={"merge_base_commit": None}), "has no merge base"),
        (httpx.Response(500), "answers 500"),
    ],
)
def test_a_merge_base_that_is_not_given(answer: httpx.Response, words: str) -> None:
    with pytest.raises(BaselineError, match=words):
        github({COMPARE: answer}).merge_base("release/1.x", COMMIT)


def test_what_is_sent() -> None:
    asked: list[httpx.Request] = []
    github({}, asked).blob(COMMIT, "a.xml")
    (request,) = asked
    sent: Callable[[str], str | None] = request.headers.get
    assert (request.method, request.url.host) == ("GET", "api.github.example")
    assert sent("authorization") == "Bearer s3cret"
    assert sent("accept") == "application/vnd.github.raw+json"
    assert sent("x-github-api-version") == "2022-11-28"
