"""Pages that were fetched before the crawl, which are not requested twice."""

from typing import NamedTuple

from sitemap_action.fetch.base import Answer, Fetcher, PendingAnswer, Request
from sitemap_action.model.page import Directive


class Starts(NamedTuple):
    """Pages that were fetched before the crawl, and directives of the host that do not stop it."""

    answers: dict[str, Answer]
    robots: bytes | None  # that decides what may be listed
    host_directives: frozenset[Directive] = frozenset()


class PrefetchedStart:
    """Returns the answer that the start page already has for the first request, and fetches everything else."""

    def __init__(self, fetcher: Fetcher, answers: dict[str, Answer]) -> None:
        self._fetcher = fetcher
        self._answers = answers

    def fetch(self, request: Request) -> PendingAnswer:
        answer = self._answers.pop(request.url, None)
        return self._fetcher.fetch(request) if answer is None else _completed(answer)


async def _completed(answer: Answer) -> Answer:
    return answer
