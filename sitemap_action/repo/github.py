"""GitHub's REST API, as far as a shallow clone needs it: a file at a commit, and where a branch began.

https://docs.github.com/en/rest/repos/contents, https://docs.github.com/en/rest/commits/commits
"""

from urllib.parse import quote

from msgspec import Struct

from sitemap_action.errors import BaselineError, UnreachableError
from sitemap_action.repo.api import JSON, Api, ApiAnswer

_RAW = "application/vnd.github.raw+json"
_HINT = (
    "check out with fetch-depth: 0, give the token `contents: read`, or set baseline to git:REF, a path or committed"
)


class GitHub(Struct, frozen=True):
    """One repository, as a Remote."""

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
                raise BaselineError(f"{self.api.name}: the answer has no merge base", hint=_HINT)

    def blob(self, commit: str, path: str) -> bytes | None:
        """The commit is known to be there: 404 means that the file is not."""
        answer = self._get(f"contents/{quote(path)}?ref={commit}", _RAW)
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise BaselineError(f"{self.api.name}: {path} at {commit[:12]}: answers {answer.status}", hint=_HINT)
        if answer.media_type == "application/json":
            raise BaselineError(f"{path} is a folder at {commit[:12]}", hint="name a file: --sitemap, or sitemap")
        return answer.body

    def _json(self, answer: ApiAnswer) -> object:
        if answer.status != 200:
            raise BaselineError(f"{self.api.name} answers {answer.status}", hint=_HINT)
        try:
            return self.api.json(answer)
        except UnreachableError as error:
            raise BaselineError(str(error), hint=_HINT) from None

    def _get(self, path: str, accept: str) -> ApiAnswer:
        try:
            return self.api.get(path, accept)
        except UnreachableError as error:
            raise BaselineError(str(error), hint=_HINT) from None
