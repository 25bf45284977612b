"""What GitHub's refusals mean, and what to do about each.

https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
"""

import random
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

from sitemap_action.errors import BaselineError, PublishError, UnreachableError
from sitemap_action.repo.github_api import Api, ApiAnswer
from sitemap_action.web.printable import printable

_LONGEST_WORDS = 300  # characters of GitHub's own words
_MINUTE = 60.0  # seconds, of a secondary limit that names no time

_REMEDIES = (  # words of the answer in lower case → what to do
    (
        ("not permitted to create or approve pull requests",),
        (
            "allow it in the settings of the repository and of its organization, where the stricter one holds: "
            "Actions, General, Workflow permissions, `Allow GitHub Actions to create and approve pull "
            "requests`; or give the token of a GitHub App"
        ),
    ),
    (
        ("gh006", "protected branch"),
        "use mode pull-request, or give the token of a GitHub App that the protection of the branch lets push",
    ),
    (
        ("gh013", "repository rule violations", "ruleset", "changes must be made through a pull request"),
        "use mode pull-request, or give the token of a GitHub App that the ruleset lets bypass it",
    ),
    (
        ("resource not accessible", "must have push access", "not authorized", "write access", "permission"),
        (
            "give the job `permissions:` `contents: write`, for pull requests and comments `pull-requests: write` "
            "too; on a fork's pull request the token can only read"
        ),
    ),
    (("archived", "read-only"), "the repository takes no changes"),
    (
        ("hook declined",),
        "a rule of the server refuses the push: follow it, or use mode pull-request",
    ),
)
BY_STATUS = {
    401: "give the action a token that is accepted",
    403: _REMEDIES[3][1],
    404: "correct the branch; a token that may not see the repository gets the same answer",
}


_STALE = ("expected branch to point to", "but expected", "stale")


class TransientError(PublishError):
    """No answer, or one that asks for patience: the request may be made again, and may have been carried out."""

    def __init__(self, message: str, *, wait: float = 0) -> None:
        super().__init__(message, hint="run the job again: what is already done is not done twice")
        self.wait = wait


class StaleBranchError(TransientError):
    """The branch is not where it was read."""

    def __init__(self, branch: str) -> None:
        super().__init__(f"{branch} moved meanwhile")


def require_done(api: Api, answer: ApiAnswer, what: str) -> None:
    """Raises TransientError, or PublishError with the remedy, unless the request was carried out."""
    if 200 <= answer.status < 300:
        return
    secondary = answer.status == 403 and "secondary rate limit" in answer.message().lower()
    if answer.limited or secondary or answer.status >= 500:
        why = f"an outage ({answer.status})" if answer.status >= 500 else "a rate limit"
        raise TransientError(f"{api.name}: {what}: {why}", wait=answer.wait or (_MINUTE if secondary else 0))
    raise refusal(api, f"answers {answer.status}", answer.message(), what, BY_STATUS.get(answer.status, ""))


def require_data(api: Api, answer: ApiAnswer, what: str) -> Mapping[str, object]:
    """The data of a GraphQL answer, which states errors in a 200. Raises as `require_done`, and StaleBranchError.

    https://docs.github.com/en/graphql/overview/rate-limits-and-node-limits-for-the-graphql-api
    """
    require_done(api, answer, what)
    match answer.parsed():
        case {"errors": [{"message": str(said), **details}, *_]}:
            kind = str(details.get("type", ""))
            words = f"{kind} {said}".lower()
            if any(needle in words for needle in _STALE):
                raise StaleBranchError(what)
            if kind == "RATE_LIMITED" or "something went wrong" in words:
                raise TransientError(f"{api.name}: {what}: {said}", wait=answer.wait)
            raise refusal(api, "is refused", said, what)
        case {"data": dict(data)}:
            return data
        case _:
            raise TransientError(f"{api.name}: {what}: the answer cannot be read")


def refusal(api: Api, answered: str, message: str, what: str, remedy: str = "") -> PublishError:
    return explained(f"{api.name}: {what}: {answered}", message, remedy)


def explained(what: str, message: str, remedy: str = "") -> PublishError:
    """`message`: the server's own words, by which the remedy is found."""
    words = message.lower()
    known = next((hint for needles, hint in _REMEDIES if any(needle in words for needle in needles)), "")
    said = f": {printable(' '.join(message.split()))[:_LONGEST_WORDS].rstrip('.')}" if message else ""
    return PublishError(f"{what}{said}", hint=known or remedy or "see the answer above")


_T = TypeVar("_T")

TRIES = 6
_LONGEST_PAUSE = 60.0  # seconds of one pause: a rate limit that takes longer is left to the next run
FIRST = 1.0  # seconds of the first pause, about
Pause = Callable[[float], None]


def reconcile(attempt: Callable[[], _T], *, tries: int = TRIES, pause: Pause = time.sleep) -> _T:
    """What `attempt` returns, made again while the server asks for patience; raises PublishError."""
    for number in range(tries):
        try:
            return attempt()
        except TransientError as error:
            if number == tries - 1 or error.wait > _LONGEST_PAUSE:
                raise
            pause(error.wait or backoff(number))
        except BaselineError as error:  # of what is read; another try reads the same
            raise PublishError(str(error), hint=error.hint) from None
        except UnreachableError as error:
            if number == tries - 1:
                raise PublishError(str(error), hint=error.hint) from None
            pause(backoff(number))
    raise AssertionError


def backoff(number: int) -> float:
    """Seconds before the next try: doubling, with jitter, so that two runs do not meet again."""
    return random.uniform(0.5, 1.0) * FIRST * float(min(2**number, 8))  # noqa: S311 - no secret
