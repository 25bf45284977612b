"""Every answer of IndexNow has its cause, and a request that it does not allow fails the test."""

from typing import Any

import httpx
import pytest

from forge import faults
from forge.indexnow import MOST, IndexNow, indexnow

KEY = "0123456789abcdef"
HOST = "www.example.com"


def submit(endpoint: IndexNow, *paths: str, **changes: Any) -> httpx.Response:
    sent = {
        "host": HOST,
        "key": KEY,
        "keyLocation": f"https://{HOST}/{KEY}.txt",
        "urlList": [f"https://{HOST}{path}" for path in paths],
    }
    return httpx.post(endpoint.url, json={**sent, **changes})


def test_batches_are_kept() -> None:
    with indexnow(KEY) as endpoint:
        assert httpx.get(f"{endpoint.origin}/{KEY}.txt").text == KEY
        assert submit(endpoint, "/a", "/b").status_code == 200
        endpoint.pending = True
        assert submit(endpoint, *(f"/{number}" for number in range(MOST))).status_code == 202
        assert [len(batch.urls) for batch in endpoint.batches] == [2, MOST]
        assert endpoint.submitted[:2] == [f"https://{HOST}/a", f"https://{HOST}/b"]
        assert endpoint.asked == [f"GET /{KEY}.txt", "POST /indexnow", "POST /indexnow"]


@pytest.mark.parametrize(
    ("files", "changes", "status"),
    [
        ({}, {}, 403),  # no key file
        ({f"/{KEY}.txt": "other-key"}, {}, 403),
        ({"/elsewhere.txt": KEY}, {}, 403),
        ({"/elsewhere.txt": KEY}, {"keyLocation": f"https://{HOST}/elsewhere.txt"}, 200),
        ({f"/docs/{KEY}.txt": KEY}, {"keyLocation": f"https://{HOST}/docs/{KEY}.txt"}, 422),  # speaks for /docs/ alone
        ({f"/{KEY}.txt": f"{KEY}\n"}, {"urlList": ["https://other.example/"]}, 422),
    ],
)
def test_the_key_speaks_for_its_place(files: dict[str, str], changes: dict[str, Any], status: int) -> None:
    with indexnow(KEY) as endpoint:
        endpoint.files = files
        assert submit(endpoint, "/a", **changes).status_code == status
        assert len(endpoint.submitted) == (status == 200)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"urlList": []}, "0 addresses"),
        ({"urlList": [f"https://{HOST}/{number}" for number in range(MOST + 1)]}, "10001 addresses"),
        ({"urlList": [f"https://{HOST}/"] * 2}, "2 addresses, 1 of them different"),
        ({"urlList": [f"https://{HOST}/ü"]}, "no address as RFC 3986"),
        ({"urlList": ["/a"]}, "no address as RFC 3986"),
        ({"urlList": "https://www.example.com/"}, "urlList is no list"),
        ({"key": "short"}, "8 to 128 letters"),
        ({"urls": []}, "is not described"),
    ],
)
def test_a_wrong_request_is_caught(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(AssertionError, match=words), indexnow(KEY) as endpoint:
        assert submit(endpoint, "/a", **changes).status_code == 400


def test_planned_answers() -> None:
    with indexnow(KEY) as endpoint:
        endpoint.fail(faults.answers(429, "Too Many Requests", headers={"retry-after": "1"}))
        endpoint.fail(faults.outage(503), on=f"GET /{KEY}.txt")
        assert (submit(endpoint, "/a").status_code, submit(endpoint, "/a").status_code) == (429, 200)
        assert httpx.get(f"{endpoint.origin}/{KEY}.txt").status_code == 503
        assert httpx.get(f"{endpoint.url}?url=https://{HOST}/b&key={KEY}").status_code == 200
        assert [batch.urls for batch in endpoint.batches] == [(f"https://{HOST}/a",), (f"https://{HOST}/b",)]
