"""Steps that read what is there and do what is missing, until nothing is: safe to repeat after any interruption."""

import random
import time
from collections.abc import Callable
from typing import TypeVar

from sitemap_action.errors import BaselineError, PublishError, UnreachableError
from sitemap_action.repo.refusals import TransientError

_T = TypeVar("_T")

TRIES = 6
_LONGEST = 60.0  # seconds of one pause: a rate limit that takes longer is left to the next run
FIRST = 1.0  # seconds of the first pause, about
Pause = Callable[[float], None]


def reconcile(attempt: Callable[[], _T], *, tries: int = TRIES, pause: Pause = time.sleep) -> _T:
    """What `attempt` returns, made again while the server asks for patience; raises PublishError."""
    for number in range(tries):
        try:
            return attempt()
        except TransientError as error:
            if number == tries - 1 or error.wait > _LONGEST:
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
