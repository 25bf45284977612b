"""libcurl on a real server on loopback: what is sent, and what is returned for every kind of answer."""

import asyncio
import gzip
import zlib
from pathlib import Path

import pytest
from msgspec.structs import replace

from fetching import NO_RETRY, ask, web_of, with_access
from servers import (
    Answering,
    Reply,
    Route,
    bad_chunks,
    bad_gzip,
    bomb,
    closed,
    cookie,
    cut,
    cut_chunks,
    endless,
    flood,
    hang,
    head,
    hollow,
    http09,
    late,
    raw,
    redirect,
    reset,
    serve,
    slow,
    typed,
    zipped,
)
from sitemap_action.fetch.base import AGENT, Answer, Failure, HttpOptions, Request, RequestKind, Response, Skip

MIB = 1024 * 1024


@pytest.fixture
def options() -> HttpOptions:
    return NO_RETRY


def answer_of(options: HttpOptions, route: Route, kind: RequestKind = RequestKind.PAGE) -> Answer:
    """The answer of a site that has this one route."""
    with serve({"/x": route}) as site:
        [answer] = ask(replace(options, seed=site.origin), Request(f"{site.url}x", kind))
    return answer


def response(answer: Answer) -> Response:
    assert isinstance(answer, Response), answer
    return answer


BIG = b"0123456789abcdef" * 8192  # 128 KiB
_PACKER = zlib.compressobj(wbits=-15)
GZIP = gzip.compress(BIG)
RAW_DEFLATE = _PACKER.compress(BIG) + _PACKER.flush()


def encoded(coding: str, body: bytes) -> Reply:
    return Reply(body, headers={"Content-Encoding": coding})


@pytest.mark.parametrize(
    ("route", "status", "body"),
    [
        pytest.param("<h1>Käse</h1>", 200, "<h1>Käse</h1>".encode(), id="a page"),
        pytest.param(Reply(b"", 204), 204, b"", id="no content"),
        pytest.param(404, 404, b"<h1>404</h1>", id="an error page is read: it may be a soft 404's twin"),
        pytest.param(Reply(BIG), 200, BIG, id="in several pieces"),
        pytest.param(zipped(BIG), 200, BIG, id="NET-15 gzip"),
        pytest.param(zipped(BIG, "deflate"), 200, BIG, id="NET-15 deflate"),
        pytest.param(encoded("deflate", RAW_DEFLATE), 200, BIG, id="NET-15 deflate without its header, as some servers send it"),
        pytest.param(encoded("x-gzip", gzip.compress(BIG)), 200, BIG, id="NET-15 an old name of gzip"),
        pytest.param(encoded("GZIP", gzip.compress(BIG)), 200, BIG, id="NET-15 in capitals"),
        pytest.param(encoded("identity", BIG), 200, BIG, id="NET-15 a coding that is none"),
        pytest.param(encoded("gzip", b""), 200, b"", id="NET-15 gzip of no body at all"),
        pytest.param(raw(head("Connection: close") + b"to the end"), 200, b"to the end", id="no length"),
        pytest.param(raw(head("Content-Length: 4") + b"four and more"), 200, b"four", id="more than was promised"),
        pytest.param(raw(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + head("Content-Length: 2") + b"ok"), 200, b"ok", id="an interim answer first"),
        pytest.param(raw(b"HTTP/1.0 200 OK\r\n\r\nold"), 200, b"old", id="HTTP/1.0"),
        pytest.param(raw(head("Transfer-Encoding: chunked") + b"2\r\nok\r\n0\r\nX-Trailer: 1\r\n\r\n"), 200, b"ok", id="chunks and a trailer"),
        pytest.param(raw(b"HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok"), 999, b"ok", id="an unknown status"),
    ],
)  # fmt: skip
def test_answers(options: HttpOptions, route: Route, status: int, body: bytes) -> None:
    answer = response(answer_of(options, route))
    assert (answer.status, answer.body, answer.body_skipped, answer.hops) == (status, body, False, ())


LARGE = "the body is larger than 2,097,152 bytes"
LATE = "no complete answer in time"


@pytest.mark.parametrize(
    ("route", "failure", "sentence"),
    [
        pytest.param(reset(), Failure.BROKEN, "the connection broke", id="reset at once"),
        pytest.param(reset(head("Content-Length: 100") + b"some"), Failure.BROKEN, "the connection broke", id="reset in the body"),
        pytest.param(closed(), Failure.BROKEN, "the connection was closed without an answer", id="closed without an answer"),
        pytest.param(cut(), Failure.BROKEN, "the connection was closed before the body was complete", id="less than was promised"),
        pytest.param(bad_chunks(), Failure.BROKEN, "the connection broke", id="broken chunks"),
        pytest.param(cut_chunks(), Failure.BROKEN, "the connection was closed before the body was complete", id="chunks without an end"),
        pytest.param(bad_gzip(), Failure.BROKEN, "the compressed body is broken", id="gzip that is none"),
        pytest.param(encoded("gzip", gzip.compress(BIG)[:-8] + bytes(8)), Failure.BROKEN, "the compressed body is broken", id="gzip with a wrong checksum"),
        pytest.param(encoded("deflate", b"\xff\xff\xff\xff"), Failure.BROKEN, "the compressed body is broken", id="deflate that is none"),
        pytest.param(encoded("gzip, unknown", BIG), Failure.BROKEN, "the compressed body is broken", id="several codings"),
        pytest.param(encoded("gzip", GZIP[: len(GZIP) * 6 // 10]), Failure.BROKEN, "the compressed body is broken", id="V-17 gzip that ends early"),
        pytest.param(encoded("gzip", GZIP[:-4]), Failure.BROKEN, "the compressed body is broken", id="V-17 gzip without its length"),
        pytest.param(encoded("deflate", zlib.compress(BIG)[:-8]), Failure.BROKEN, "the compressed body is broken", id="V-17 deflate that ends early"),
        pytest.param(encoded("deflate", RAW_DEFLATE[:-1]), Failure.BROKEN, "the compressed body is broken", id="V-17 deflate without its header that ends early"),
        pytest.param(encoded("deflate", b"x"), Failure.BROKEN, "the compressed body is broken", id="V-17 one byte"),
        pytest.param(encoded("br", b"\x0b\x02\x80hello\x03"), Failure.BROKEN, "the compressed body is broken", id="V-17 brotli, which is not requested"),
        pytest.param(encoded("unknown", BIG), Failure.BROKEN, "the compressed body is broken", id="a coding that was not requested"),
        pytest.param(raw(b"\x16\x03\x01\x02\x00" * 20), Failure.BROKEN, "the answer is not HTTP/1 or later", id="binary"),
        pytest.param(flood(100), Failure.TOO_LARGE, "the headers are longer than 64 KiB", id="NET-11 100 KiB of headers"),
        pytest.param(endless(head()[:-2], b"X-Flood: " + b"y" * 1000 + b"\r\n"), Failure.TOO_LARGE, "the headers are longer than 64 KiB", id="NET-11 headers without end"),
        pytest.param(hang(), Failure.TIMEOUT, LATE, id="silence"),
        pytest.param(hang(head()), Failure.TIMEOUT, LATE, id="silence after the head"),
        pytest.param(slow(0.05), Failure.TIMEOUT, LATE, id="a byte now and then"),
        pytest.param(late(2), Failure.TIMEOUT, LATE, id="too late"),
        pytest.param(endless(), Failure.TOO_LARGE, LARGE, id="NET-11 a body without end"),
        pytest.param(Reply(BIG * 17), Failure.TOO_LARGE, LARGE, id="NET-11 a length beyond the cap"),
        pytest.param(bomb(8), Failure.TOO_LARGE, LARGE, id="NET-11 a gzip bomb"),
        pytest.param(hollow(), Failure.TOO_LARGE, LARGE, id="NET-11 gzip that holds nothing"),
    ],
)  # fmt: skip
def test_each_fault_has_one_sentence(options: HttpOptions, route: Route, failure: Failure, sentence: str) -> None:
    answer = answer_of(replace(options, max_body=2 * MIB, timeout=0.5 if failure is Failure.TIMEOUT else 20), route)
    assert isinstance(answer, Skip)
    assert (answer.failure, answer.reason.partition(": ")[0]) == (failure, sentence)
    assert len(answer.reason.splitlines()) == 1


@pytest.mark.parametrize(
    "route",
    [
        pytest.param(http09(), id="HTTP/0.9"),
        pytest.param(raw(b"SSH-2.0-OpenSSH_9.2\r\n"), id="another protocol"),
        pytest.param(encoded("gzip", gzip.compress(BIG) + b"garbage"), id="more than gzip"),
    ],
)
def test_faults_that_libcurl_words(options: HttpOptions, route: Route) -> None:
    answer = answer_of(options, route)
    assert isinstance(answer, Skip)
    assert answer.failure is Failure.BROKEN


def test_NET_11_a_bomb_costs_no_more_than_its_cap(options: HttpOptions) -> None:
    """Not even many at the same time: 32 of 256 MiB each."""
    resource = pytest.importorskip("resource", reason="peak memory is asked of POSIX")

    async def many(options: HttpOptions, url: str) -> list[Answer]:
        async with web_of(options) as web, asyncio.TaskGroup() as group:
            tasks = [group.create_task(web.fetcher.fetch(Request(url))) for _ in range(32)]
        return [task.result() for task in tasks]

    with serve({"/x": bomb(256)}) as site:
        options = replace(options, seed=site.origin, concurrency=32, max_body=MIB)
        ask(options, Request(f"{site.url}x"))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        answers = asyncio.run(many(options, f"{site.url}x"))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert all(isinstance(answer, Skip) and answer.failure is Failure.TOO_LARGE for answer in answers)
    assert grown < 150 * 1024  # KiB; one bomb alone is 256 MiB


@pytest.mark.parametrize("more", [b"more", b"m" * 500_000, b""])
def test_gzip_of_several_members(options: HttpOptions, more: bytes) -> None:
    """RFC 1952 §2.2"""
    body = gzip.compress(BIG) + gzip.compress(more) + gzip.compress(b"end")
    assert response(answer_of(options, encoded("gzip", body))).body == BIG + more + b"end"


def test_RB_18_a_long_robots_txt_is_truncated(options: HttpOptions) -> None:
    answer = response(answer_of(options, endless(head("Connection: close"), b"#" * 65536), RequestKind.ROBOTS))
    assert answer.body == b"#" * 512_001, "by one byte more than counts it is known to be longer"


def test_a_sitemap_has_caps_of_its_own(options: HttpOptions) -> None:
    options = replace(options, max_body=1000, max_sitemap=MIB, max_inflated=2 * MIB)
    assert len(response(answer_of(options, zipped(bytes(2 * MIB)), RequestKind.SITEMAP)).body) == 2 * MIB
    assert isinstance(answer_of(options, zipped(bytes(2 * MIB + 1)), RequestKind.SITEMAP), Skip)
    assert isinstance(answer_of(options, Reply(bytes(MIB + 1)), RequestKind.SITEMAP), Skip)


@pytest.mark.parametrize(
    ("route", "kind", "skipped"),
    [
        (typed("text/html"), RequestKind.PAGE, False),
        (typed("TEXT/HTML; charset=x"), RequestKind.PAGE, False),
        (typed("image/png"), RequestKind.PAGE, True),
        (typed("application/zip", BIG * 40), RequestKind.PAGE, True),  # never comes over the wire
        (typed("image/png"), RequestKind.SITEMAP, False),  # only pages have unwanted types
        (typed("image/png"), RequestKind.PROBE, False),
        (typed(""), RequestKind.PAGE, False),  # not stated
    ],
)
def test_HTML_48_an_unwanted_body_is_not_read(
    options: HttpOptions, route: Reply, kind: RequestKind, skipped: bool
) -> None:
    answer = response(answer_of(replace(options, wanted=frozenset({"text/html"}), max_body=MIB), route, kind))
    assert answer.body_skipped is skipped
    assert (answer.body == b"") is skipped
    assert answer.status == 200


def test_HTML_12_repeated_headers_are_kept_apart(options: HttpOptions) -> None:
    reply = Reply(headers=(("X-Robots-Tag", "noindex"), ("x-robots-tag", "googlebot: nofollow"), ("X-Name", "Käse")))
    headers = response(answer_of(options, reply)).headers
    assert [value for name, value in headers if name == "x-robots-tag"] == ["noindex", "googlebot: nofollow"]
    assert ("x-name", "Käse") in headers


def test_interim_heads_and_trailers_are_ignored(options: HttpOptions) -> None:
    route = raw(b"HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n" + head("Transfer-Encoding: chunked", "X-Late: 1") + b"0\r\nX-Trailer: 1\r\n\r\n")  # fmt: skip
    names = {name for name, _ in response(answer_of(options, route)).headers}
    assert "x-late" in names
    assert not names & {"x-early", "x-trailer"}


@pytest.mark.parametrize(
    ("status", "location", "target"),
    [
        (301, "/b", "{origin}/b"),
        (302, "b?q=1#part", "{origin}/a/b?q=1"),  # without its fragment
        (303, "../b", "{origin}/b"),
        (307, "//other.example/b", "http://other.example/b"),
        (308, " https://other.example:443/b ", "https://other.example/b"),
        (301, "https:/b", "https://b/"),  # as browsers read it
        (301, "/käse", "{origin}/k%C3%A4se"),
        (301, "\\b", "{origin}/b"),  # as browsers read it
        (301, "mailto:a@b", ""),
        (301, "http://[broken", ""),
        (301, "http://user@x.example/", ""),
        (301, "", ""),
        (304, "/b", ""),  # no redirect
        (300, "/b", ""),  # a choice, no redirect
        (200, "/b", ""),
    ],
)
def test_a_redirect_is_an_answer(options: HttpOptions, status: int, location: str, target: str) -> None:
    with serve({"/a/x": redirect(location, status)}) as site:
        [answer] = ask(replace(options, seed=site.origin), Request(f"{site.url}a/x"))
        assert response(answer).target == target.format(origin=site.origin)
        assert site.paths == ["/a/x"]


def test_two_locations_are_a_fault(options: HttpOptions) -> None:
    answer = answer_of(options, Reply(status=301, headers=(("Location", "http://a.example/"), ("Location", "/b"))))
    assert isinstance(answer, Skip)
    assert answer.failure is Failure.BROKEN


def test_NET_01_NET_03_what_is_sent(options: HttpOptions) -> None:
    with serve({"/": cookie("x"), "/b": cookie("y")}) as site:
        options = with_access(
            replace(options, seed=site.origin, accept_language="de"), headers=(("X-Bypass", "secret"),)
        )
        asked = [
            Request(site.url),
            Request(f"{site.url}b", etag='"1"', modified="Sat, 21 Nov 2026 07:00:00 GMT"),
            Request(f"{site.url}c"),
        ]
        ask(options, *asked)  # fmt: skip
        first, second, third = site.asked
    assert {first.method, second.method} == {"GET"}
    assert first.header("user-agent") == AGENT
    assert AGENT.startswith("sitemap-action/")
    assert first.header("accept-language") == "de"
    assert first.header("x-bypass") == "secret"
    assert first.header("host") == site.origin.removeprefix("http://")
    assert "gzip" in first.header("accept-encoding")
    assert (first.header("if-none-match"), first.header("if-modified-since")) == ("", "")
    assert second.header("if-none-match") == '"1"'
    assert second.header("if-modified-since") == "Sat, 21 Nov 2026 07:00:00 GMT"
    assert second.header("cookie") == ""  # NET-03
    assert third.header("if-none-match") == ""
    assert third.path == "/c"
    assert first.connection == second.connection  # one connection serves them all


@pytest.mark.parametrize("target", ["/a;b=1", "/a?", "/a?b;c=%7C&d=/../", "/a//b/", "/%C3%A4%2F"])
def test_a_URL_in_normal_form_is_sent_as_it_is(options: HttpOptions, target: str) -> None:
    with serve({"*": "x"}) as site:
        answers = ask(replace(options, seed=site.origin), Request(f"{site.origin}{target}"))
        assert site.paths == [target]
    assert [answer.url for answer in answers] == [f"{site.origin}{target}"]


def test_another_user_agent(options: HttpOptions) -> None:
    with serve({"/": "x"}) as site:
        ask(replace(options, seed=site.origin, user_agent="mine/1"), Request(site.url))
    assert site.asked[0].header("user-agent") == "mine/1"


def test_NET_04_concurrency_is_limited(options: HttpOptions) -> None:
    async def many(options: HttpOptions, url: str) -> None:
        async with web_of(options) as web, asyncio.TaskGroup() as group:
            for number in range(30):
                group.create_task(web.fetcher.fetch(Request(f"{url}{number}")))

    with serve({"*": late(0.01)}) as site:
        asyncio.run(many(replace(options, seed=site.origin, concurrency=5), site.url))
    assert 1 < site.most <= 5
    assert sorted(site.paths) == sorted(f"/{number}" for number in range(30))


def test_many_answers_at_once_all_arrive(options: HttpOptions) -> None:
    """More than one batch of finished transfers."""

    async def many(options: HttpOptions, url: str) -> list[Answer]:
        async with web_of(options) as web:
            return await asyncio.gather(*(web.fetcher.fetch(Request(f"{url}{number}")) for number in range(40)))

    with serve({"*": late(0.1)}) as site:
        answers = asyncio.run(many(replace(options, seed=site.origin, concurrency=40), site.url))
    assert [(answer.url, response(answer).status) for answer in answers] == [
        (f"{site.url}{number}", 200) for number in range(40)
    ]


def test_cancellation_closes_the_connection(options: HttpOptions) -> None:
    running = []

    async def watch(url: str) -> None:
        async with web_of(options) as web:
            task = asyncio.ensure_future(web.fetcher.fetch(Request(f"{url}endless")))
            await asyncio.sleep(0.2)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            answer = response(await web.fetcher.fetch(Request(url)))  # the engine goes on
            assert answer.body == b"fine"
            await asyncio.sleep(0.2)
            running.append(site.running)

    with serve({"/": "fine", "/endless": endless(head("Connection: close"), b"x", 0.01)}) as site:
        options = replace(options, seed=site.origin)
        asyncio.run(watch(site.url))
    assert running == [0]


def test_NET_12_a_secret_is_sent_to_the_seed_origin_alone(options: HttpOptions) -> None:
    secret = (("X-Bypass", "s3cret"), ("Authorization", "Bearer t0ken"))
    with (
        serve({"*": Answering(lambda asked: str(asked.headers))}) as other,
        serve({"/away": redirect(other.url), "/home": redirect("/back"), "/back": "x"}) as site,
    ):
        options = replace(options, seed=site.origin)
        options = with_access(options, headers=secret, allow_private_hosts=("127.0.0.1",))
        wants = [
            Request(f"{site.url}away", RequestKind.SITEMAP),
            Request(f"{site.url}home", RequestKind.ROBOTS),
            Request(other.url),
        ]
        answers = ask(options, *wants)
    assert [asked.header("x-bypass") for asked in site.asked] == ["s3cret"] * 3
    assert [asked.header("authorization") for asked in site.asked] == ["Bearer t0ken"] * 3
    assert len(other.asked) == 2
    assert not any(value in str(asked.headers) for asked in other.asked for value in ("s3cret", "t0ken"))
    assert "s3cret" not in repr(answers)
    assert "s3cret" not in repr(options)


def test_NET_13_private_addresses_that_a_site_names_are_refused(options: HttpOptions) -> None:
    with serve({"*": "inside"}) as inside, serve({"*": redirect(inside.url)}) as site:
        port = inside.url.rsplit(":", 1)[1]
        named = [f"http://localhost:{port}", f"http://[::1]:{port}", inside.url, "http://2130706433/", "http://169.254.169.254/latest"]  # fmt: skip
        requests = [Request(url) for url in named] + [Request(site.url, RequestKind.SITEMAP)]
        answers = ask(replace(options, seed=site.origin), *requests)
    assert [answer.failure for answer in answers if isinstance(answer, Skip)] == [Failure.REFUSED] * 6
    assert all("allow-private-hosts" in answer.reason for answer in answers if isinstance(answer, Skip))
    assert inside.asked == []


@pytest.mark.parametrize("allowed", ["localhost", "127.0.0.0/8", "127.0.0.1", "LOCALHOST."])
def test_NET_13_an_allowed_private_address_is_fetched(options: HttpOptions, allowed: str) -> None:
    with serve({"*": "inside"}) as inside:
        url = inside.url.replace("127.0.0.1", "localhost")
        [answer] = ask(
            with_access(replace(options, seed="https://x.example"), allow_private_hosts=(allowed,)), Request(url)
        )
    assert response(answer).body == b"inside"


@pytest.mark.parametrize(
    ("url", "failure"),
    [
        ("http://127.0.0.1:9/", Failure.REFUSED),  # a port of another protocol
        ("ftp://x.example/", Failure.REFUSED),
        ("file:///etc/passwd", Failure.REFUSED),
        ("http://user:secret@x.example/", Failure.REFUSED),
        ("http://[fe80::1%25eth0]/", Failure.REFUSED),
        (f"http://{'a' * 64}.example/", Failure.REFUSED),  # a label that DNS cannot have
    ],
)
def test_refused_URLs(options: HttpOptions, url: str, failure: Failure) -> None:
    [answer] = ask(replace(options, seed="https://y.example"), Request(url))
    assert isinstance(answer, Skip)
    assert answer.failure is failure, answer
    assert "secret" not in answer.reason


def test_a_name_without_an_address() -> None:
    """RFC 6761: .invalid exists nowhere, which a resolver says, or is not reached to say."""
    [answer] = ask(replace(NO_RETRY, seed="https://y.example"), Request("http://nowhere.invalid/"))
    assert isinstance(answer, Skip)
    assert answer.failure in {Failure.NO_NAME, Failure.DNS}


@pytest.mark.parametrize("path", ["a b", "a\r\nX-Injected: 1", "a\nb", "a\0b"])
def test_a_malformed_URL_cannot_inject_headers(options: HttpOptions, path: str) -> None:
    with serve({"*": "x"}) as site:
        ask(replace(options, seed=site.origin), Request(site.url + path))
    assert not any(asked.header("x-injected") or " " in asked.path for asked in site.asked)


def test_a_request_in_flight_ends_when_the_engine_closes(options: HttpOptions) -> None:
    async def leave() -> None:
        async with web_of(options) as web:
            task = asyncio.ensure_future(web.fetcher.fetch(Request(site.url)))
            await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with serve({"/": hang()}) as site:
        options = replace(options, seed=site.origin)
        asyncio.run(leave())
    assert len(site.asked) == 1


def test_no_server_on_the_port(options: HttpOptions) -> None:
    with serve({}) as site:
        origin = site.origin
    [answer] = ask(replace(options, seed=origin), Request(f"{origin}/"))
    assert isinstance(answer, Skip)
    assert answer.failure is Failure.CONNECT


@pytest.mark.parametrize(
    ("tls", "trusted", "verify", "failure"),
    [
        ("good", True, True, None),
        ("good", False, True, Failure.TLS),  # signed by an unknown authority
        ("good", False, False, None),
        ("expired", True, True, Failure.TLS),
        ("expired", True, False, None),
        ("other-host", True, True, Failure.TLS),
        ("other-host", True, False, None),
    ],
)
@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_NET_14_certificates(
    options: HttpOptions, tls: str, trusted: bool, verify: bool, failure: Failure | None, name: str, tmp_path: Path
) -> None:
    with serve({"/": "safe"}, tls=tls) as site:
        (tmp_path / "ca.pem").write_bytes(site.authority)
        environment = {name: str(tmp_path / "ca.pem")} if trusted else {}
        options = with_access(replace(options, seed=site.origin), tls_verify=verify)
        [answer] = ask(options, Request(site.url), environment=environment)
    if failure is None:
        assert response(answer).body == b"safe"
    else:
        assert isinstance(answer, Skip)
        assert answer.failure is failure
        assert "certificate" in answer.reason


def test_plain_HTTP_where_TLS_is_expected(options: HttpOptions) -> None:
    with serve({"/": "x"}) as site:
        origin = site.origin.replace("http:", "https:")
        [answer] = ask(replace(options, seed=origin), Request(f"{origin}/"))
    assert isinstance(answer, Skip)
    assert answer.failure in {Failure.NO_TLS, Failure.CONNECT}


def test_a_proxy_of_the_environment(options: HttpOptions) -> None:
    """The proxy resolves the names; a private address in a URL is still refused."""
    with serve({"*": Answering(lambda asked: asked.path)}) as proxy, serve({"*": "direct"}) as site:
        options = replace(options, seed=site.origin)
        urls = ["http://x.example/a?b", "http://169.254.169.254/", f"{site.url}c"]
        environment = {"http_proxy": proxy.origin, "no_proxy": "x.y, 127.0.0.1"}
        through, refused, direct = ask(options, *map(Request, urls), environment=environment)
    assert response(through).body == b"http://x.example/a?b"
    assert isinstance(refused, Skip)
    assert response(direct).body == b"direct"
    assert len(proxy.asked) == 1


def test_NET_12_a_proxy_receives_no_secret_of_a_TLS_site(options: HttpOptions) -> None:
    with serve({"*": 403}) as proxy:
        options = with_access(replace(options, seed="https://x.example"), headers=(("X-Bypass", "s3cret"),))
        [answer] = ask(options, Request("https://x.example/"), environment={"HTTPS_PROXY": proxy.origin})
    assert isinstance(answer, Skip)
    assert answer.failure is Failure.CONNECT, answer
    assert proxy.asked[0].method == "CONNECT"
    assert "s3cret" not in str(proxy.asked)
