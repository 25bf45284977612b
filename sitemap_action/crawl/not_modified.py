"""What a 304 says beside "not modified": its headers take the place of stored ones (RFC 9111 §3.2, §4.3.4).

A new validator and a new date are taken over. A header that decides what the page says, and is not the one that was
read with it, makes the stored facts wrong: the page is requested once more, without a condition. Headers are stored as
digests, for a server may echo a secret in them. Content-Type is not looked at: where there is no content, many servers
send a default.
"""

import hashlib
from collections.abc import Iterator

from sitemap_action.fetch.base import Answer, Response
from sitemap_action.html.page_dates import LAST_MODIFIED, MAX_DATES, header_dates
from sitemap_action.inventory.previous_visits import PreviousVisit
from sitemap_action.model.page import Facts
from sitemap_action.web.headers import Headers, header_values

_DECISIVE = ("link", "refresh", "x-robots-tag")


def header_digests(headers: Headers) -> Iterator[str]:
    """A line for each decisive header that an answer has."""
    for name in _DECISIVE:
        if values := header_values(headers, name):
            yield f"{name} {hashlib.sha256(repr(values).encode(errors='replace')).hexdigest()[:32]}"


def contradicts(answer: Answer, previous: PreviousVisit) -> bool:
    """Whether a 304 has a decisive header that the stored page had not; one that is missing has not changed."""
    if not isinstance(answer, Response) or answer.status != 304:
        return False
    return not previous.headers.issuperset(header_digests(answer.headers))


def with_header_dates(facts: Facts, headers: Headers) -> Facts:
    """The facts of the stored page with the date that a 304 has sent."""
    dates = header_dates(headers)
    if not dates:
        return facts
    kept = [date for date in facts.dates if date.source != LAST_MODIFIED]
    return facts._replace(dates=tuple(dict.fromkeys((*kept, *dates)))[:MAX_DATES])
