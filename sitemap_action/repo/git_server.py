"""A repository on a server, for git: its address, the token by environment only, and what refusals mean."""

import base64
import re
from collections.abc import Iterator

from sitemap_action.errors import PublishError
from sitemap_action.model.context import Forge, SecretStruct
from sitemap_action.repo.failures import BY_STATUS, TransientError, explained
from sitemap_action.repo.git_process import GitAnswer

_SERVER = re.compile(r"(https?)://[A-Za-z0-9.-]+(?::[0-9]+)?(?:/[A-Za-z0-9._~-]+)*")
_REPOSITORY = re.compile(r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)+")
_STATUS = re.compile(r"(?:returned error:|HTTP) ([1-5][0-9][0-9])\b")
_REJECTED = re.compile(r"^!\t[^\t]*\t\[(remote rejected|rejected)\] \((.*)\)$", re.MULTILINE)
_REF_IN_USE = (
    "cannot lock ref",
    "failed to update ref",
    "incorrect old value",
    "failed to lock",
    "already exists",
    "shallow update",
)
_NOT_FOUND = re.compile(r"fatal: repository '.*' not found")
_NO_LOGIN = ("could not read username", "could not read password", "authentication failed")
_NO_ANSWER = (
    *("could not resolve", "failed to connect", "couldn't connect", "connection re", "timed out", "too slow"),
    *("empty reply", "hung up", "early eof", "unexpected disconnect", "rpc failed", "recv failure", "send failure"),
    *("transfer closed", "unable to rewind", "network is unreachable", "ssl_error_syscall", "expected flush"),
)
_REDIRECT = "the address of the repository has changed: no redirect is followed with a token"
_AUTHORITY = "give the certificate authority of the server: GIT_SSL_CAINFO or SSL_CERT_FILE"


class GitServer(SecretStruct, frozen=True):
    """One repository over smart HTTP."""

    forge: Forge

    @property
    def name(self) -> str:
        return f"{self.forge.server} ({self.forge.repository})"

    @property
    def address(self) -> str:
        """Raises PublishError where the server is no http address, or has a user's name in it."""
        if not _SERVER.fullmatch(self.forge.server) or not _REPOSITORY.fullmatch(self.forge.repository):
            hint = (
                "GITHUB_SERVER_URL and GITHUB_REPOSITORY name the repository, such as https://github.com and owner/name"
            )
            raise PublishError("the address of the repository cannot be used for git", hint=hint)
        return f"{self.forge.server}/{self.forge.repository}.git"

    @property
    def variables(self) -> dict[str, str]:
        """Of each command: the token goes to this server, by this server's protocol."""
        return {"GIT_ALLOW_PROTOCOL": self.forge.server.partition(":")[0]}

    def settings(self) -> Iterator[tuple[str, str]]:
        """Of a command that reaches the server."""
        yield f"http.{self.forge.server}/.extraheader", f"AUTHORIZATION: basic {self._basic()}"
        yield "http.followRedirects", "false"  # nor are another server's objects fetched
        yield "http.lowSpeedLimit", "1"
        yield "http.lowSpeedTime", "60"
        yield "protocol.version", "2"

    def failure(self, what: str, answer: GitAnswer) -> PublishError:
        """What a command that reached the server, or did not, comes to."""
        printed = self._masked(answer.errors)
        about = f"{self.name}: {what}"
        if answer.status == -1:
            return TransientError(f"{about}: no answer in time")
        if found := _REJECTED.search(self._masked(answer.output)):
            return _rejected(about, local=found[1] == "rejected", reason=found[2], printed=printed)
        if status := _status(printed):
            return _answered(about, status, printed)
        lower = printed.lower()
        if any(words in lower for words in _NO_ANSWER):
            return TransientError(f"{about}: no answer: {_last(printed)}")
        return explained(about, _of_the_server(printed) or _last(printed), _AUTHORITY if "certificate" in lower else "")

    def _basic(self) -> str:
        return base64.b64encode(f"x-access-token:{self.forge.token}".encode()).decode()

    def _masked(self, text: bytes) -> str:
        shown = text.decode(errors="replace")
        for secret in filter(None, (self._basic(), self.forge.token)):
            shown = shown.replace(secret, "***")
        return shown


def _status(printed: str) -> int:
    """Of the server's answer; 0 for none. Of two of them git says in words what they are."""
    lower = printed.lower()
    if any(words in lower for words in _NO_LOGIN):
        return 401
    if found := _STATUS.search(printed):
        return int(found[1])
    return 404 if _NOT_FOUND.search(lower) else 0


def _answered(about: str, status: int, printed: str) -> PublishError:
    if status >= 500 or status in {408, 429}:
        return TransientError(f"{about}: answers {status}")
    remedy = _REDIRECT if 300 <= status < 400 else BY_STATUS.get(status, "")
    return explained(f"{about}: answers {status}", _of_the_server(printed), remedy)


def _rejected(about: str, *, local: bool, reason: str, printed: str) -> PublishError:
    if local or any(words in reason for words in _REF_IN_USE):
        return TransientError(f"{about}: rejected ({reason})")
    said = "; ".join(filter(None, (_of_the_server(printed), reason)))
    return explained(f"{about}: rejected", said)


def _of_the_server(printed: str) -> str:
    """The lines that the server has sent, in its own words."""
    lines = (line.removeprefix("remote:").strip() for line in printed.splitlines() if line.startswith("remote:"))
    return " ".join(filter(None, lines))


def _last(printed: str) -> str:
    return (printed.strip().splitlines() or [""])[-1].strip()
