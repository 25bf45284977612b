"""What a 304 says beside "not modified": its headers take the place of stored ones (RFC 9111 §3.2, §4.3.4).

A new validator and a new date are taken over. Where a header that decides what the page says is another one than was
read with it, or is missing, the page is requested once more, without a condition: many servers send fewer headers with
a 304, and none tells a directive that was taken back from one that was left out. Headers are stored as digests, for a
server may echo a secret in them. Content-Type is not looked at: where there is no content, many servers send a default.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping

from sitemap_action.fetch.base import Answer, Response
from sitemap_action.html.structured_data import LAST_MODIFIED, MAX_DATES, header_dates
from sitemap_action.model.page import Facts
from sitemap_action.store.codec import Visit
from sitemap_action.web.headers import Headers, header_values

_DECISIVE: Mapping[str, Callable[[str], object]] = {  # header → whether a value of it does
    "link": re.compile(r"canonical|alternate", re.IGNORECASE).search,  # most only preload
    "refresh": bool,
    "x-robots-tag": re.compile(r"(?!(?:(?:all|index|follow)[\s,]*)*\Z)", re.IGNORECASE).match,
}


def header_digests(headers: Headers) -> Iterator[str]:
    """A line for each decisive header that an answer has."""
    for name, decides in _DECISIVE.items():
        values = header_values(headers, name)
        if any(map(decides, values)):
            yield f"{name} {hashlib.sha256(repr(values).encode(errors='replace')).hexdigest()[:32]}"


def contradicts(answer: Answer, previous: Visit) -> bool:
    """Whether a 304 has other decisive headers than the stored page."""
    if not isinstance(answer, Response) or answer.status != 304:
        return False
    return set(previous.headers) != set(header_digests(answer.headers))


def with_header_dates(facts: Facts, headers: Headers) -> Facts:
    """The facts of the stored page with the date that a 304 has sent."""
    dates = header_dates(headers)
    if not dates:
        return facts
    kept = [date for date in facts.dates if date.source != LAST_MODIFIED]
    return facts._replace(dates=tuple(dict.fromkeys((*kept, *dates)))[:MAX_DATES])
