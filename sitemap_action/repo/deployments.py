"""Which deployments of a commit GitHub knows, and where each of them is served.

https://docs.github.com/en/rest/deployments/deployments, https://docs.github.com/en/rest/deployments/statuses
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from sitemap_action.errors import UnreachableError, UsageError
from sitemap_action.repo.api import Answer, Api

_PERMISSION = "give the job `permissions: deployments: read`, and the action its token (the input token)"
_OFTEN = 100  # of one page, and the most that GitHub gives


@dataclass(frozen=True, slots=True)
class Deployed:
    """One deployment, and what its newest status says."""

    environment: str
    state: str  # "success", "pending", "failure", …; "" before there is a status
    url: str  # environment_url; "" where there is none


def deployments(api: Api, commit: str, environment: str = "") -> Iterator[Deployed]:
    """Newest first; each is asked for when it is looked at. Raises UsageError, UnreachableError."""
    wanted = {"sha": commit, **({"environment": environment} if environment else {}), "per_page": _OFTEN}
    answer = api.get(f"deployments?{urlencode(wanted)}")
    if answer.status in (401, 403, 404) and not answer.limited:
        why = "the token is not accepted" if answer.status == 401 else "the token may not read deployments"
        raise UsageError(f"{api.name} answers {answer.status}: {why}", hint=_PERMISSION)
    for row in _newest_first(api, answer):
        if row.get("sha") == commit and isinstance(number := row.get("id"), int):
            yield _deployed(api, number, _text(row, "environment"))


def _deployed(api: Api, number: int, environment: str) -> Deployed:
    """A later deployment to the same environment makes this one inactive, and takes nothing off the web."""
    answer = api.get(f"deployments/{number}/statuses?per_page={_OFTEN}")
    rows = [] if answer.status == 404 else _newest_first(api, answer)  # 404: it was deleted meanwhile
    said = next((row for row in rows if row.get("state") != "inactive"), {})
    return Deployed(environment, _text(said, "state"), _text(said, "environment_url"))


def _newest_first(api: Api, answer: Answer) -> list[Mapping[str, object]]:
    if answer.status != 200:
        raise UnreachableError(f"{api.name} answers {answer.status}", hint="try again")
    found = api.json(answer)
    rows = [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
    return sorted(rows, key=lambda row: _text(row, "created_at"), reverse=True)  # stable: as GitHub sorts them


def _text(row: Mapping[str, object], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""
