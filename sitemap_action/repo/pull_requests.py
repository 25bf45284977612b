"""Pull requests by GitHub's API.

https://docs.github.com/en/rest/pulls/pulls, https://docs.github.com/en/rest/issues/labels
"""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from msgspec import Struct

from sitemap_action.repo.api import Api, ApiAnswer
from sitemap_action.repo.refusals import TransientError, require_done


class OpenRequest(Struct, frozen=True):
    """An open pull request."""

    number: int
    url: str  # of its page
    title: str
    body: str
    labels: frozenset[str]


class PullRequests(Struct, frozen=True):
    """Of one repository; raises TransientError and PublishError."""

    api: Api

    def find(self, branch: str, base: str) -> OpenRequest | None:
        """The open one from a branch of this repository; GitHub allows one for each base."""
        owner = self.api.forge.repository.partition("/")[0]
        wanted = urlencode({"state": "open", "head": f"{owner}:{branch}", "base": base})
        answer = self.api.get(f"pulls?{wanted}")
        require_done(self.api, answer, "the list of pull requests")
        rows = answer.parsed()
        if not isinstance(rows, list):
            raise TransientError(f"{self.api.name}: the list of pull requests cannot be read")
        return next((self._request(row) for row in rows if _heads(row) == branch), None)

    def create(self, branch: str, base: str, title: str, body: str) -> OpenRequest:
        answer = self.api.send("POST", "pulls", {"title": title, "head": branch, "base": base, "body": body})
        if answer.status == 422 and "already exists" in answer.message().lower():
            raise TransientError(f"{self.api.name}: another run opens this pull request")
        return self._done(answer, "a new pull request")

    def update(self, found: OpenRequest, title: str, body: str) -> OpenRequest:
        answer = self.api.send("PATCH", f"pulls/{found.number}", {"title": title, "body": body})
        return self._done(answer, f"pull request {found.number}")

    def label(self, found: OpenRequest, labels: Sequence[str]) -> None:
        """Adds those that it lacks."""
        if missing := [label for label in labels if label.casefold() not in found.labels]:
            answer = self.api.send("POST", f"issues/{found.number}/labels", {"labels": missing})
            require_done(self.api, answer, f"labels of pull request {found.number}")

    def close(self, found: OpenRequest, word: str) -> None:
        """Closed first: a run that ends between both leaves no second comment."""
        answer = self.api.send("PATCH", f"pulls/{found.number}", {"state": "closed"})
        require_done(self.api, answer, f"pull request {found.number}")
        self.api.send("POST", f"issues/{found.number}/comments", {"body": word})

    def _done(self, answer: ApiAnswer, what: str) -> OpenRequest:
        require_done(self.api, answer, what)
        return self._request(answer.parsed())

    def _request(self, row: object) -> OpenRequest:
        match row:
            case {"number": int(number), "html_url": str(url), "title": str(title), **others}:
                body = others.get("body")
                text = body.replace("\r\n", "\n") if isinstance(body, str) else ""
                return OpenRequest(number, url, title, text, _names(others.get("labels")))
            case _:
                raise TransientError(f"{self.api.name}: a pull request cannot be read")


def _heads(row: object) -> str:
    match row:
        case {"head": {"ref": str(branch)}}:
            return branch
        case _:
            return ""


def _names(labels: object) -> frozenset[str]:
    found = [one.get("name") for one in labels if isinstance(one, Mapping)] if isinstance(labels, list) else []
    return frozenset(name.casefold() for name in found if isinstance(name, str))
