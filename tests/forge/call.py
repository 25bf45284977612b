"""One request to the REST API, as its handlers see it, and how they refuse."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from forge.hub import Hub, RefUpdate
from forge.repository import NOTHING, Protection, Repository
from forge.server import Answer, Request
from forge.tokens import Token

DOCS = "https://docs.github.com/rest"
MOST_PER_PAGE = 100


class RefusalError(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, message: str, errors: Iterable[Mapping[str, str]] = (), docs: str = DOCS) -> None:
        super().__init__(message)
        listed = list(errors)
        self.headers: dict[str, str] = {}
        self.status = status
        self.body = {"message": message, **({"errors": listed} if listed else {}), "documentation_url": docs, "status": str(status)}  # fmt: skip

    def answer(self) -> Answer:
        return Answer(self.status, self.body, self.headers)


def not_found() -> RefusalError:
    return RefusalError(404, "Not Found")


def invalid(resource: str, **error: str) -> RefusalError:
    return RefusalError(422, "Validation Failed", [{"resource": resource, **error}])


@dataclass
class Call:
    hub: Hub
    token: Token | None
    request: Request
    parameters: Mapping[str, str]
    found: Repository | None

    @property
    def repository(self) -> Repository:
        assert self.found, "this operation has no repository"
        return self.found

    @property
    def speaker(self) -> Token:
        assert self.token, "a request that changes something is authenticated"
        return self.token

    @cached_property
    def body(self) -> Any:
        return self.request.json()

    @property
    def url(self) -> str:
        return f"{self.hub.api_url}/repos/{self.repository.full_name}"

    def accepts(self, word: str) -> bool:
        return word in self.request.header("accept")

    def page(self, rows: list[Any]) -> Answer:
        """Those of the page, with links to the other pages, in which GitHub writes the repository as a number."""
        query = self.request.query
        size = min(int(query.get("per_page") or 30), MOST_PER_PAGE)
        page, last = max(int(query.get("page") or 1), 1), max(-(-len(rows) // size), 1)
        path = self.request.path
        if self.found:
            path = path.replace(f"/repos/{self.found.full_name}", f"/repositories/{numbered(self.hub, self.found)}")
        near = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
        wanted = ["prev", "first"] * (page > 1) + ["next", "last"] * (page < last)
        links = [f'<{self.hub.api_url}{path}?{_query(query, near[name])}>; rel="{name}"' for name in wanted]
        return Answer(200, rows[(page - 1) * size : page * size], {"Link": ", ".join(links)} if links else {})


def numbered(hub: Hub, repository: Repository) -> int:
    """The number of a repository."""
    return 9000 + list(hub.repositories.values()).index(repository)


def _query(query: Mapping[str, str], page: int) -> str:
    from urllib.parse import urlencode

    return urlencode({**query, "page": page})


def guard(call: Call, ref: str, new: str, *, force: bool = False, created: bool = False) -> None:
    """Moves a reference, or refuses in GitHub's words; `before_ref_update` may push in between."""
    repository, hub = call.repository, call.hub
    hub.before_ref_update(RefUpdate(repository, ref, repository.ref(ref), new))
    with hub.lock:
        old = repository.ref(ref)
        if created and old:
            raise RefusalError(422, "Reference already exists")
        if not created and not old:
            raise RefusalError(422, "Reference does not exist")
        rule = hub.protection(repository, ref.removeprefix("refs/heads/"), call.speaker)
        if rule:
            raise RefusalError(422, "Reference update failed" if created else rest_words(rule))
        if old and new != NOTHING and not force and not repository.is_ancestor(old, new):
            raise RefusalError(422, "Update is not a fast forward")
        repository.move(ref, new, old or NOTHING)


def rest_words(rule: Protection) -> str:
    return f"Repository rule violations found\n\n{rule.message}\n\n" if rule.ruleset else rule.message
