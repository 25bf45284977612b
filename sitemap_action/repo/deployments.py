"""The deployments of a commit that GitHub lists, and the address of each.

https://docs.github.com/en/rest/deployments/deployments, https://docs.github.com/en/rest/deployments/statuses
"""

from collections.abc import Iterator, Mapping
from urllib.parse import urlencode

from msgspec import Struct

from sitemap_action.errors import UnreachableError, UsageError
from sitemap_action.repo.github_api import Api, ApiAnswer

_PERMISSION = "give the job `permissions: deployments: read`, and the action its token"
_PAGE_SIZE = 100  # the most that GitHub allows


class ListedDeployment(Struct, frozen=True):
    """One deployment with its newest status."""

    environment: str
    state: str  # "success", "pending", "failure", …; "" before there is a status
    url: str  # environment_url; "" where there is none


def deployments(api: Api, commit: str, environment: str = "") -> Iterator[ListedDeployment]:
    """The newest first; the status of each is requested when it is iterated. Raises UsageError, UnreachableError."""
    wanted = {"sha": commit, **({"environment": environment} if environment else {}), "per_page": _PAGE_SIZE}
    answer = api.get(f"deployments?{urlencode(wanted)}")
    if answer.status in (401, 403, 404) and not answer.limited:
        why = "the token is not accepted" if answer.status == 401 else "the token may not read deployments"
        raise UsageError(f"{api.name} answers {answer.status}: {why}", hint=_PERMISSION)
    for row in _newest_first(api, answer):
        if row.get("sha") == commit and isinstance(number := row.get("id"), int):
            yield _read_newest_status(api, number, _text(row, "environment"))


def _read_newest_status(api: Api, number: int, environment: str) -> ListedDeployment:
    """The newest status that is not inactive: a later deployment sets that, and this one may still be served."""
    answer = api.get(f"deployments/{number}/statuses?per_page={_PAGE_SIZE}")
    rows = [] if answer.status == 404 else _newest_first(api, answer)  # 404: it was deleted meanwhile
    newest = next((row for row in rows if row.get("state") != "inactive"), {})
    return ListedDeployment(environment, _text(newest, "state"), _text(newest, "environment_url"))


def _newest_first(api: Api, answer: ApiAnswer) -> list[Mapping[str, object]]:
    if answer.status != 200:
        raise UnreachableError(f"{api.name} answers {answer.status}", hint="try again")
    found = api.json(answer)
    rows = [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
    return sorted(rows, key=lambda row: _text(row, "created_at"), reverse=True)  # stable: as GitHub sorts them


def _text(row: Mapping[str, object], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""
