"""GitHub's REST API, read: files at a commit, where a branch began, its newest commit, and what changed a file.

https://docs.github.com/en/rest/repos/contents, https://docs.github.com/en/rest/commits/commits,
https://docs.github.com/en/rest/git/refs
"""

from collections.abc import Sequence
from urllib.parse import quote

from msgspec import Struct

from sitemap_action.errors import BaselineError, UnreachableError
from sitemap_action.model.wording import option
from sitemap_action.repo.api import JSON, Api, ApiAnswer
from sitemap_action.repo.remote import READ_HINT

_RAW = "application/vnd.github.raw+json"
_PAGE = 100  # the most commits that one answer has


class GitHub(Struct, frozen=True):
    """One repository, as Branches."""

    api: Api

    def has(self, commit: str) -> bool:
        """False too without permission: for a private repository the answer is 404 then."""
        try:
            return self._get(f"git/commits/{commit}", JSON).status == 200
        except BaselineError:
            return False

    def merge_base(self, base: str, head: str) -> str | None:
        answer = self._get(f"compare/{quote(base, safe='')}...{quote(head, safe='')}?per_page=1", JSON)
        if answer.status == 404:
            return None
        match self._json(answer):
            case {"merge_base_commit": {"sha": str(found)}}:
                return found
            case _:
                raise BaselineError(f"{self.api.name}: the answer has no merge base", hint=READ_HINT)

    def blob(self, commit: str, path: str) -> bytes | None:
        """The commit is known to be there: 404 means that the file is not."""
        answer = self._get(f"contents/{quote(path)}?ref={commit}", _RAW)
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise BaselineError(f"{self.api.name}: {path} at {commit[:12]}: answers {answer.status}", hint=READ_HINT)
        if answer.media_type == "application/json":
            raise BaselineError(f"{path} is a folder at {commit[:12]}", hint=f"name a file with {option('sitemap')}")
        return answer.body

    def head(self, branch: str) -> str | None:
        answer = self._get(f"git/ref/heads/{quote(branch)}", JSON)
        if answer.status == 404:
            return None
        match self._json(answer):
            case {"object": {"sha": str(found)}}:
                return found
            case _:
                raise BaselineError(f"{self.api.name}: the answer has no branch {branch}", hint=READ_HINT)

    def last_change(self, commit: str, path: str) -> tuple[str, str] | None:
        answer = self._get(f"commits?sha={commit}&path={quote(path, safe='')}&per_page=1", JSON)
        match self._json(answer):
            case [{"sha": str(found), "commit": {"message": str(message)}}, *_]:
                return found, message
            case _:
                return None

    def messages(self, base: str, head: str) -> Sequence[str] | None:
        answer = self._get(f"compare/{base}...{head}?per_page={_PAGE}", JSON)
        match self._json(answer):
            case {"total_commits": int(total), "commits": list(rows)} if total == len(rows):
                found = [row["commit"]["message"] for row in rows if isinstance(row, dict)]
                return [message for message in found if isinstance(message, str)]
            case _:
                return None

    def _json(self, answer: ApiAnswer) -> object:
        if answer.status != 200:
            raise BaselineError(f"{self.api.name} answers {answer.status}", hint=READ_HINT)
        try:
            return self.api.json(answer)
        except UnreachableError as error:
            raise BaselineError(str(error), hint=READ_HINT) from None

    def _get(self, path: str, accept: str) -> ApiAnswer:
        try:
            return self.api.get(path, accept)
        except UnreachableError as error:
            raise BaselineError(str(error), hint=READ_HINT) from None
