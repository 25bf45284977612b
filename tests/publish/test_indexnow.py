"""The site proves its key, then search engines are sent the URLs of its host, and every answer of theirs has a meaning."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

import pytest

from publications import submit
from servers import Reply, Route, redirect, serve, typed
from sitemap_action.errors import PublishError
from sitemap_action.publish.indexnow import ENDPOINT, MOST

KEY = "0f2cc05788808c666d21df981f1a0e2a"
FILE = f"/{KEY}.txt"
LOOPBACK = {"allow_private_hosts": ("127.0.0.1",)}
PROVED = {FILE: typed("text/plain", KEY)}


@dataclass
class Engine:
    """A search engine that takes what it is sent, after the answers that are planned; None ends the connection."""

    url: str = ""
    answers: list[int | tuple[int, str] | None] = field(default_factory=list)
    received: list[dict[str, Any]] = field(default_factory=list)
    media: list[str] = field(default_factory=list)

    @property
    def urls(self) -> list[str]:
        return [url for body in self.received for url in body["urlList"]]


@contextmanager
def engine(*answers: int | tuple[int, str] | None) -> Iterator[Engine]:
    made = Engine(answers=list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answer = made.answers.pop(0) if made.answers else 200
            if answer is None:
                return
            status, after = answer if isinstance(answer, tuple) else (answer, "")
            self.send_response(status)
            if status < 300:
                made.received.append(body)
                made.media.append(self.headers["content-type"])
            if after:
                self.send_header("Location" if status < 400 else "Retry-After", after)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_port}/indexnow"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass
class Played:
    engine: Engine
    origin: str
    paths: list[str]
    pauses: list[float]
    published: tuple[str, ...] | None = None  # the notes
    error: PublishError | None = None


def play(
    routes: dict[str, Route],
    *answers: int | tuple[int, str] | None,
    paths: tuple[str, ...] = ("/a",),
    home: str = "/",
    access: dict[str, Any] = LOOPBACK,
) -> Played:
    """What is left of submitting these paths, or URLs, of a site."""
    with serve(routes) as site, engine(*answers) as engines:
        played = Played(engines, site.origin, site.paths, [])
        urls = tuple(path if "://" in path else site.origin + path for path in paths)
        try:
            pause = played.pauses.append
            played.published = submit(site.origin + home, urls, KEY, endpoint=engines.url, pause=pause, **access)
        except PublishError as error:
            played.error = error
        played.paths = site.paths
    texts = [
        *(played.published or ()),
        str(played.error),
        played.error.hint if played.error else "",
    ]
    assert KEY not in "".join(texts)
    return played


def test_the_key_is_fetched_first_and_the_urls_are_sent_once() -> None:
    played = play(PROVED, paths=("/b", "/a?x=1&y=%20", "/b"))
    assert played.paths == [FILE]
    assert played.engine.received == [
        {
            "host": played.origin.removeprefix("http://"),
            "key": KEY,
            "keyLocation": played.origin + FILE,
            "urlList": [f"{played.origin}/a?x=1&y=%20", f"{played.origin}/b"],
        }
    ]
    assert played.engine.media == ["application/json; charset=utf-8"]
    assert played.published == ()


def test_it_goes_to_the_endpoint_of_the_protocol() -> None:
    assert ENDPOINT == "https://api.indexnow.org/indexnow"


def test_W_10_without_urls_the_key_alone_is_judged() -> None:
    played = play(PROVED, paths=())
    assert (played.paths, played.engine.received, played.published) == ([FILE], [], ())
    assert play({}, paths=()).error


def test_W_10_a_key_that_engines_have_not_verified_yet_is_a_warning() -> None:
    played = play(PROVED, 403)
    assert (played.error, played.pauses) == (None, [])
    assert played.published
    assert "has not verified the key file yet: 1 URL is not submitted" in played.published[0]


@pytest.mark.parametrize(("urls", "sizes"), [(MOST, [MOST]), (MOST + 1, [MOST, 1]), (25_000, [MOST, MOST, 5_000])])
def test_batches(urls: int, sizes: list[int]) -> None:
    played = play(PROVED, paths=tuple(f"/{number:05}" for number in range(urls)))
    assert [len(body["urlList"]) for body in played.engine.received] == sizes
    assert len(set(played.engine.urls)) == urls


def test_urls_of_other_hosts_are_left_out_and_counted() -> None:
    others = ("https://www.example.org/a", "http://127.0.0.1:1/a", "http://127.0.0.1.example.org/", "no://url", "x://")
    played = play(PROVED, paths=("/a", *others, "/c"))
    assert played.engine.urls == [f"{played.origin}/a", f"{played.origin}/c"]
    assert played.published is not None
    assert [note.partition(" is ")[0].partition(" are ")[0] for note in played.published] == ["IndexNow: 5 URLs"]


def test_both_schemes_of_the_host_are_submitted() -> None:
    """IN-04: http and https may mix."""
    with serve(PROVED) as site, engine() as engines:
        urls = (f"{site.origin}/a", f"{site.origin}/b".replace("http:", "https:"))
        assert submit(f"{site.origin}/", urls, KEY, endpoint=engines.url, **LOOPBACK) == ()
    assert len(engines.urls) == 2


# The key file

SERVED: list[tuple[str, Route]] = [
    ("as it is", typed("text/plain; charset=utf-8", KEY)),
    ("with a line end", typed("text/plain", f"{KEY}\n")),
    ("with a byte order mark and CRLF", typed("text/plain", b"\xef\xbb\xbf" + KEY.encode() + b"\r\n")),
    ("as a download", typed("application/octet-stream", KEY)),
]


@pytest.mark.parametrize("route", [pytest.param(row[1], id=row[0]) for row in SERVED])
def test_a_key_file_that_proves_the_key(route: Route) -> None:
    assert play({FILE: route}).published == ()


NOT_SERVED: list[tuple[str, Route, str]] = [
    ("missing", 404, "answers 404"),
    ("another key", typed("text/plain", KEY[::-1]), "contains something else"),
    ("two keys", typed("text/plain", f"{KEY}\n{KEY[::-1]}\n"), "contains something else"),
    ("the page of an app for every path", "<!doctype html><div id=root></div>", "contains something else"),
    ("a redirect", redirect("/key.txt"), "answers 301"),
    ("a login", 401, "answers 401"),
    ("too long", typed("text/plain", KEY + " " * 10_000), "larger than"),
    ("no text", typed("text/plain", bytes(range(256))), "contains something else"),
    ("empty", typed("text/plain", ""), "contains something else"),
]


@pytest.mark.parametrize(("route", "words"), [pytest.param(*row[1:], id=row[0]) for row in NOT_SERVED])
def test_without_the_key_file_nothing_is_submitted(route: Route, words: str) -> None:
    played = play({FILE: route, "/key.txt": typed("text/plain", KEY)})
    assert played.error
    assert words in str(played.error)
    assert "KEY.txt" in str(played.error)
    assert "index-now-key" in played.error.hint
    assert played.error.exit_code == 4
    assert played.engine.received == []
    assert "/key.txt" not in played.paths  # a redirect is not followed


def test_a_site_below_a_path_may_serve_the_key_there() -> None:
    """GitHub Pages of a project: its owner has no file at the root of the host (IN-03)."""
    below = f"/project{FILE}"
    played = play({below: typed("text/plain", KEY)}, home="/project/", paths=("/project/a", "/a", "/projects/"))
    assert played.paths == [FILE, below]
    assert played.engine.received[0]["keyLocation"] == played.origin + below
    assert played.engine.urls == [f"{played.origin}/project/a"]
    assert played.published is not None
    assert "2 URLs are not submitted" in played.published[0]


def test_the_key_of_the_host_is_for_a_site_below_a_path_too() -> None:
    played = play(PROVED, home="/project/", paths=("/project/a", "/b"))
    assert played.paths == [FILE]
    assert len(played.engine.urls) == 2


@pytest.mark.attack("addresses")
@pytest.mark.parametrize(
    "access",
    [
        {},
        {"private_origin": "http://127.0.0.1:1"},
        {"private_origin": ""},
        {"allow_private_hosts": ("10.0.0.0/8",)},
    ],
)
def test_a_private_address_is_not_fetched(access: dict[str, Any]) -> None:
    played = play(PROVED, access=access)
    assert played.paths == []
    assert "allow-private-hosts" in str(played.error)
    assert played.engine.received == []


def test_the_target_of_the_run_may_be_private() -> None:
    with serve(PROVED) as site, engine() as engines:
        home, urls = f"{site.origin}/", (f"{site.origin}/a",)
        assert submit(home, urls, KEY, endpoint=engines.url, private_origin=site.origin) == ()


@pytest.mark.attack("secrets")
def test_secret_headers_are_not_sent_for_the_key_file() -> None:
    with serve(PROVED) as site, engine() as engines:
        access = {"headers": (("X-Bypass", "s3cret"),), "private_origin": site.origin}
        submit(f"{site.origin}/", (f"{site.origin}/a",), KEY, endpoint=engines.url, **access)
        assert [asked.header("x-bypass") for asked in site.asked] == [""]


@pytest.mark.parametrize("home", ["", "www.example.com", "ftp://www.example.com/", "https:///", "https://a b/"])
def test_a_site_url_that_is_none(home: str) -> None:
    with pytest.raises(PublishError, match="site-url"):
        submit(home, ("https://www.example.com/",), KEY)


# What search engines answer (IN-05)


def test_accepted_with_the_key_still_to_be_validated() -> None:
    played = play(PROVED, 202)
    assert played.published is not None
    assert [note.partition(";")[0] for note in played.published] == ["IndexNow: key validation pending"]
    assert len(played.engine.received) == 1


REFUSED = [
    (400, "malformed"),
    (422, "not of the site's host"),
    (404, "no answer of the protocol"),
]


@pytest.mark.parametrize(("status", "words"), REFUSED)
def test_a_refusal_is_an_error_with_its_meaning(status: int, words: str) -> None:
    played = play(PROVED, status)
    assert played.error
    assert f"answers {status}" in str(played.error)
    assert words in str(played.error)
    assert played.error.hint
    assert played.pauses == []


@pytest.mark.attack("secrets")
def test_a_redirect_of_the_endpoint_is_not_followed() -> None:
    with engine() as elsewhere:
        played = play(PROVED, (307, elsewhere.url))
    assert "answers 307" in str(played.error)
    assert elsewhere.received == []


PASSES = [
    # id, answers, pauses
    ("an outage", (503,), [None]),
    ("an outage that says how long", ((503, "7"),), [7.0]),
    ("too many requests, and how long to wait", ((429, "9"),), [9.0]),
    ("the connection ends", (None, None), [None, None]),
]


@pytest.mark.parametrize(("answers", "pauses"), [pytest.param(*row[1:], id=row[0]) for row in PASSES])
def test_what_passes_is_tried_again(
    answers: tuple[int | tuple[int, str] | None, ...], pauses: list[float | None]
) -> None:
    played = play(PROVED, *answers)
    assert played.published == ()
    assert len(played.engine.received) == 1
    assert [wanted or took for wanted, took in zip(pauses, played.pauses, strict=True)] == played.pauses


LASTS = [
    # id, answers, words
    ("too many requests, with no time", (429,), "answers 429"),
    ("too many requests, for an hour", ((429, "3600"),), "answers 429"),
    ("an outage that lasts", (500,) * 9, "answers 500"),
    ("an outage until next week", ((503, "Fri, 01 Jan 2100 00:00:00 GMT"),), "answers 503"),
    ("no connection", (None,) * 9, "cannot be reached"),
]


@pytest.mark.parametrize(("answers", "words"), [pytest.param(*row[1:], id=row[0]) for row in LASTS])
def test_what_lasts_is_a_note_of_what_is_lost(answers: tuple[int | tuple[int, str] | None, ...], words: str) -> None:
    numbers = count()
    played = play(PROVED, 200, *answers, paths=tuple(f"/{next(numbers)}" for _ in range(MOST + 7)))
    assert played.published is not None
    (note,) = played.published
    assert words in note
    assert "7 URLs are not submitted" in note
    assert len(played.engine.urls) == MOST
    assert sum(played.pauses) < 60


def test_what_follows_a_limit_is_not_sent() -> None:
    played = play(PROVED, 202, 429, paths=tuple(f"/{number}" for number in range(3 * MOST)))
    assert played.published is not None
    assert ["20,000 URLs are not submitted" in note for note in played.published] == [True, False]
    assert len(played.engine.received) == 1


def test_an_endpoint_that_is_not_there() -> None:
    with serve(PROVED) as site:
        home, urls, nowhere = f"{site.origin}/", (f"{site.origin}/a",), "http://127.0.0.1:1/indexnow"
        done = submit(home, urls, KEY, endpoint=nowhere, pause=lambda _: None, **LOOPBACK)
    assert "1 URL is not submitted" in done[0]


@pytest.mark.attack("secrets")
def test_a_site_that_repeats_the_key_in_its_answer_does_not_print_it() -> None:
    assert play({FILE: Reply(f"no {KEY} here", 404, {"X-Key": KEY})}).error
