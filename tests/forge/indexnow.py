"""A search engine's IndexNow endpoint, and the key file that proves who submits.

https://www.indexnow.org/documentation: POST /indexnow with {host, key, keyLocation, urlList}, at most 10,000 addresses;
200 received, 202 received and the key is still to be checked, 400, 403 the key is not proved, 422 addresses of another
host or place, 429. A request that the documentation does not allow fails the test, whatever is answered.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from forge.faults import Planned, Play
from forge.server import Answer, Request, listening

MOST = 10_000
_KEY = re.compile(r"[A-Za-z0-9-]{8,128}")
_FIELDS = {"host", "key", "keyLocation", "urlList"}


@dataclass(frozen=True)
class Batch:
    """What was submitted at once."""

    host: str
    key: str
    key_location: str
    urls: tuple[str, ...]
    status: int


@dataclass
class IndexNow:
    """`files`: what the site serves, by path; the key file belongs there. `fail` plans answers as `Hub.fail` does."""

    url: str = ""  # of the endpoint
    origin: str = ""  # of the server, which is the site as well
    files: dict[str, str] = field(default_factory=dict)
    batches: list[Batch] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)  # "GET /key.txt"
    violations: list[str] = field(default_factory=list)
    planned: list[Planned] = field(default_factory=list)
    pending: bool = False  # 202 instead of 200

    @property
    def submitted(self) -> list[str]:
        """Every address that was received, in order."""
        return [url for batch in self.batches if batch.status in (200, 202) for url in batch.urls]

    def fail(self, play: Play, *, on: str = "POST /indexnow", times: int = 1, skip: int = 0) -> None:
        self.planned.append(Planned(play, on, times, skip))

    def respond(self, request: Request) -> Answer:
        line = f"{request.method} {request.path}"
        self.asked.append(line)
        fault = next((one for one in self.planned if one.takes((line,))), None)
        return fault.play(lambda: self._answer(request)) if fault else self._answer(request)

    def _answer(self, request: Request) -> Answer:
        if request.path != "/indexnow":
            found = self.files.get(request.path)
            text = {"Content-Type": "text/plain; charset=utf-8"}
            return Answer(404, b"Not Found", text) if found is None else Answer(200, found.encode(), text)
        try:
            sent = self._read(request)
        except ValueError as error:
            self.violations.append(f"{request.method} /indexnow: {error}")
            return Answer(400, {"errorCode": "InvalidRequestParameters", "message": str(error)})
        status = self._judged(sent)
        location, urls = sent.get("keyLocation", ""), tuple(sent["urlList"])
        self.batches.append(Batch(sent["host"], sent["key"], location, urls, status))
        return Answer(status, {} if status < 300 else {"errorCode": "Refused", "message": f"{status}"})

    def _read(self, request: Request) -> dict[str, Any]:
        if request.method == "GET":
            query = dict(parse_qsl(request.query_string))
            sent: Any = {"host": urlsplit(query.get("url", "")).netloc, "key": query.get("key", "")}
            return sent | {"urlList": [query.get("url", "")], "keyLocation": query.get("keyLocation", "")}
        if request.header("content-type").replace(" ", "").lower() not in (
            "application/json;charset=utf-8",
            "application/json",
        ):
            raise ValueError(f"Content-Type is {request.header('content-type')}")
        sent = request.json()
        urls = sent.get("urlList") if isinstance(sent, dict) else None
        if not isinstance(urls, list) or not all(isinstance(url, str) for url in urls):
            raise ValueError("urlList is no list of addresses")
        if unknown := sent.keys() - _FIELDS:
            raise ValueError(f"{sorted(unknown)} is not described")
        if not 1 <= len(urls) <= MOST or len(set(urls)) != len(urls):
            raise ValueError(f"{len(urls)} addresses, {len(set(urls))} of them different; 1 to {MOST} may be sent")
        if not _KEY.fullmatch(str(sent.get("key", ""))):
            raise ValueError("the key is not 8 to 128 letters, digits and dashes")
        if wrong := [url for url in urls if not url.isascii() or urlsplit(url).scheme not in ("http", "https")]:
            raise ValueError(f"{wrong[0]} is no address as RFC 3986 writes it")
        return dict(sent)

    def _judged(self, sent: dict[str, Any]) -> int:
        location = urlsplit(sent.get("keyLocation") or f"{self.origin}/{sent['key']}.txt")
        if (self.files.get(location.path) or "").strip() != sent["key"]:
            return 403
        folder = location.path.rpartition("/")[0] + "/"
        places = [urlsplit(url) for url in sent["urlList"]]
        if any(place.netloc != sent["host"] or not (place.path or "/").startswith(folder) for place in places):
            return 422
        return 202 if self.pending else 200


@contextmanager
def indexnow(key: str = "0123456789abcdef") -> Iterator[IndexNow]:
    """An endpoint and the site's key file, at the root of the same server."""
    made = IndexNow(files={f"/{key}.txt": key})
    with listening(made.respond) as address:
        made.origin, made.url = address, f"{address}/indexnow"
        yield made
    assert not made.violations, "not as IndexNow is described:\n" + "\n".join(made.violations)
