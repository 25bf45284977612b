"""Submits URLs to search engines by IndexNow, once the site is seen to serve the key (IN-01…05).

https://www.indexnow.org/documentation
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from msgspec import json
from msgspec.structs import replace

from sitemap_action.errors import PublishError
from sitemap_action.fetch.base import AGENT, Answer, HttpOptions, Request, Response, Skip
from sitemap_action.fetch.policies import open_web, retry_after
from sitemap_action.model.mask import Access, Mask
from sitemap_action.model.step import Published, StepResult, SubmitUrls
from sitemap_action.repo.github_api import Pause, TransientError, reconcile, wait
from sitemap_action.web.urls import BadUrl, normalize, origin

if TYPE_CHECKING:
    import httpx

ENDPOINT = "https://api.indexnow.org/indexnow"  # it passes URLs on to the other search engines
MOST = 10_000  # URLs of one request
_TIMEOUT = 30  # seconds
_TRIES = 4
_BACK_OFF = 600.0  # seconds that a 429 asks for where it names none (IN-05): longer than a run waits
_LARGEST_KEY_FILE = 4_096  # bytes
_MEANINGS = {
    400: ("the request is malformed", "report this as a defect of sitemap-action"),
    422: (
        "the key or a URL is not of the site's host",
        "correct site-url, so that it names the host that serves the pages",
    ),
}


def submit_urls(
    step: SubmitUrls, key: str, access: Access, *, endpoint: str = ENDPOINT, pause: Pause = wait
) -> Published:
    """The key first; without URLs it alone is judged, before anything is changed elsewhere (W-10).

    Where it is not served, or what is submitted is refused, the result has the error. What was not taken because of a
    limit or an outage, or of a key that search engines have not verified yet, is `pending`, for a later run.
    """
    import asyncio  # noqa: PLC0415 - few runs submit

    import httpx  # noqa: PLC0415 - as above

    try:
        directory = asyncio.run(_key_directory(_home(step), key, access))
        given = set(step.urls)
        found = list(_urls_below(directory, given))
        notes = []
        if left_out := len(given) - len(found):
            notes.append(f"IndexNow: {count_urls(left_out)} not submitted, not below {directory}, which the key is for")
        with httpx.Client(timeout=_TIMEOUT, headers={"User-Agent": AGENT}) as client:
            done = _submit_all(partial(_submit, client, endpoint, directory, key), sorted(set(found)), pause)
    except PublishError as error:
        failed = StepResult("index-now", done=False, detail=str(error))
        return Published(steps=(failed,), pending=step.urls, error=str(error), hint=error.hint)
    return replace(done, notes=(*notes, *done.notes))


def _home(step: SubmitUrls) -> str:
    try:
        return normalize(step.site_url)
    except BadUrl as error:
        raise PublishError(f"IndexNow: site-url: {error}", hint="correct site-url") from None


async def _key_directory(home: str, key: str, access: Access) -> str:
    """The directory whose URLs the served key may submit: that of the host, or only that of the site (IN-03).

    A private address is fetched only where it is the run's own target, or allowed by name (NET-13).
    """
    site = origin(home)
    without_secrets = Access(
        tls_verify=access.tls_verify,
        allow_private_hosts=access.allow_private_hosts,
        private_origin=access.private_origin or "",
    )
    options = HttpOptions(site, without_secrets, max_body=_LARGEST_KEY_FILE)
    faults = []
    async with open_web(options) as web:
        for directory in dict.fromkeys((f"{site}/", home[: home.partition("?")[0].rindex("/") + 1])):
            fault = _fault(await web.fetcher.fetch(Request(f"{directory}{key}.txt")), key)
            if not fault:
                return directory
            faults.append(f"{directory}KEY.txt {fault}")
    hint = "serve a text file that contains the key (index-now-key) and nothing else, named as the key with .txt"
    raise PublishError(f"IndexNow: the site does not serve the key file: {', '.join(faults)}", hint=hint)


def _fault(answer: Answer, key: str) -> str:
    """What is wrong with a key file; "" when it proves the key. Redirects are not followed."""
    if isinstance(answer, Skip):
        return f"cannot be fetched: {Mask([key])(answer.reason)}"
    if answer.status != 200:
        return f"answers {answer.status}"
    served = answer.body.decode("utf-8-sig", errors="replace").strip()
    return "" if served == key else "contains something else"


def _urls_below(directory: str, urls: Iterable[str]) -> Iterator[str]:
    """The URLs of the directory, by http or https (IN-04)."""
    _, _, place = directory.partition("://")
    for url in urls:
        with suppress(BadUrl):
            found = normalize(url)
            if found.partition("://")[2].startswith(place):
                yield found


def _submit(client: "httpx.Client", endpoint: str, directory: str, key: str, urls: Sequence[str]) -> bool:
    """Whether the key is still to be validated. Raises TransientError, PublishError."""
    body = {
        "host": directory.split("/")[2],
        "key": key,
        "keyLocation": f"{directory}{key}.txt",
        "urlList": urls,
    }
    headers = {"Content-Type": "application/json; charset=utf-8"}
    import httpx  # noqa: PLC0415 - as above

    try:
        with client.stream("POST", endpoint, content=json.encode(body), headers=headers) as answer:
            _require_taken(answer)
            return answer.status_code == 202
    except httpx.HTTPError as error:
        raise TransientError(f"cannot be reached: {type(error).__name__}") from None


def _require_taken(answer: "httpx.Response") -> None:
    status = answer.status_code
    if status in (200, 202):
        return
    if status == 403:  # their copy of the key lags behind: it was just seen served
        raise TransientError("answers 403, for it has not verified the key file yet", wait=_BACK_OFF)
    if status == 429 or status >= 500:
        fields = Response("", status, tuple((name.lower(), value) for name, value in answer.headers.items()))
        wait = retry_after(fields, datetime.now(UTC))
        raise TransientError(f"answers {status}", wait=wait or (_BACK_OFF if status == 429 else 0))
    meaning, hint = _MEANINGS.get(status, ("no answer of the protocol", "run the job again, or remove index-now-key"))
    raise PublishError(f"IndexNow answers {status}: {meaning}", hint=hint)


def _submit_all(submit: Callable[[Sequence[str]], bool], urls: Sequence[str], pause: Pause) -> Published:
    """What follows a request that is not taken is not sent either."""
    validated, taken, notes = True, 0, []
    for start in range(0, len(urls), MOST):
        some = urls[start : start + MOST]
        try:
            validated &= not reconcile(partial(submit, some), tries=_TRIES, pause=pause)
        except TransientError as error:
            notes.append(f"IndexNow {error}: {count_urls(len(urls) - start)} not submitted")
            break
        taken += len(some)
    if taken:
        notes.insert(0, f"{taken:,} URL{'' if taken == 1 else 's'} submitted to IndexNow")
    if not validated:
        notes.append("IndexNow: key validation pending; search engines fetch the key file and then the URLs")
    steps = (StepResult("index-now", done=taken == len(urls), detail="; ".join(notes)),) if urls else ()
    return Published(notes=tuple(notes), steps=steps, pending=tuple(urls[taken:]))


def count_urls(urls: int) -> str:
    return "1 URL is" if urls == 1 else f"{urls:,} URLs are"
