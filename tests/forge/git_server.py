"""Git over smart HTTP: `git http-backend` behind the tokens of the hub, with GitHub's refusals.

    with git_server(hub): subprocess.run(["git", "push", f"{hub.server_url}/o/r.git", …])

Tokens come as `Authorization: basic base64(x-access-token:TOKEN)`. A push to a protected branch is refused by a real
hook in the bare repository.
"""

import base64
import binascii
import os
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from forge.hub import Hub, Logged, RefUpdate
from forge.repository import Repository
from forge.server import Answer, Request, listening
from forge.tokens import Token

_TEXT = {"Content-Type": "text/plain; charset=utf-8"}
_ASK = {"WWW-Authenticate": 'Basic realm="GitHub"', **_TEXT}


@contextmanager
def git_server(hub: Hub, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    with listening(lambda request: respond(hub, request), tls) as address:
        hub.server_url = address
        yield address


def respond(hub: Hub, request: Request) -> Answer:
    service = "push" if "git-receive-pack" in request.path + request.query_string else "fetch"
    names = (f"{request.method} {request.path}", service)
    token = hub.tokens.get(_password(request))
    status = 0
    try:
        hub.before_request(names)
        answer = _as_text(hub.play(names, lambda: _answer(hub, request, token, push=service == "push")))
        status = answer.status
    finally:
        hub.log.append(Logged(names[0], request, token, status, names))
    return answer


def _as_text(answer: Answer) -> Answer:
    """A refusal that is planned is in the API's shape: git shows no JSON."""
    body = answer.body
    return Answer(answer.status, f"{body['message']}\n".encode(), {**answer.headers, **_TEXT}) if isinstance(body, dict) else answer  # fmt: skip


def _answer(hub: Hub, request: Request, token: Token | None, *, push: bool) -> Answer:
    if len(request.authorizations) > 1:
        return Answer(400, b'Duplicate header: "Authorization"\n', _TEXT)
    if request.authorizations and token is None:
        return Answer(
            401, b"Invalid username or token. Password authentication is not supported for Git operations.\n", _ASK
        )
    found = _repository(hub, request.path)
    if refusal := _refusal(found, token, push=push):
        return refusal
    return (
        _push(hub, request, token, found)
        if found and push and request.method == "POST"
        else _backend(hub, request, token)
    )


def _refusal(found: Repository | None, token: Token | None, *, push: bool) -> Answer | None:
    if token is None and (push or found is None or found.private):
        return Answer(401, b"", _ASK)
    if found is None or (
        found.private and token and not (token.may("contents=read") and token.reaches(found.full_name))
    ):
        return Answer(404, b"Repository not found.\n", _TEXT)
    if push and token and not (token.may("contents=write") and token.reaches(found.full_name)):
        return Answer(403, f"Permission to {found.full_name}.git denied to {token.login}.\n".encode(), _TEXT)
    return None


def _push(hub: Hub, request: Request, token: Token | None, found: Repository) -> Answer:
    for ref, old, new in _commands(request.body):
        hub.before_ref_update(RefUpdate(found, ref, old, new))
    with hub.lock:
        before = found.refs("refs/")
        answer = _backend(hub, request, token)
        moved = found.refs("refs/") != before
    hub.settle(found)
    if moved:
        hub.changed("push", found.full_name)
    return Answer(answer.status, _reworded(answer.body, found), answer.headers)


def _commands(body: bytes) -> Iterator[tuple[str, str, str]]:
    """Reference, old and new object name of each line that a push begins with."""
    while (size := int(body[:4], 16)) > 4:
        line = body[4:size].partition(b"\0")[0].decode().strip()
        body = body[size:]
        if not line.startswith("shallow "):
            old, new, ref = line.split(" ", 2)
            yield ref, old, new


def _reworded(body: bytes, found: Repository) -> bytes:
    """With GitHub's reason, where git says only that a hook declined."""

    def reason(line: bytes) -> bytes:
        ref = line.split(b" ")[1].decode()
        rule = found.protected.get(ref.removeprefix("refs/heads/"))
        if rule is None:
            return line
        said = "push declined due to repository rule violations" if rule.ruleset else "protected branch hook declined"
        return f"ng {ref} {said}\n".encode()

    parts = []
    for part in _lines(body):
        report = part[:1] == b"\x01"
        rows = [reason(row) if row.endswith(b" hook declined\n") else row for row in _lines(part[1:])] if report else []
        parts.append(b"\x01" + b"".join(map(_line, rows)) if report else part)
    return b"".join(map(_line, parts))


def _lines(data: bytes) -> Iterator[bytes]:
    """The contents of pkt-lines; a flush packet is empty."""
    while data:
        size = max(int(data[:4], 16), 4)
        yield data[4:size]
        data = data[size:]


def _line(content: bytes) -> bytes:
    return b"%04x%s" % (len(content) + 4, content) if content else b"0000"


def _backend(hub: Hub, request: Request, token: Token | None) -> Answer:
    done = subprocess.run(
        ["git", "http-backend"],
        input=request.body,
        stdout=subprocess.PIPE,
        check=False,  # why it fails is in its answer
        env={
            **os.environ,
            "GIT_PROJECT_ROOT": str(hub.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": _with_suffix(request.path),
            "QUERY_STRING": request.query_string,
            "REQUEST_METHOD": request.method,
            "CONTENT_TYPE": request.header("content-type"),
            "CONTENT_LENGTH": str(len(request.body)),
            "GIT_PROTOCOL": request.header("git-protocol"),
            "REMOTE_USER": token.login if token else "",
            "REMOTE_ADDR": "127.0.0.1",
            "FORGE_LOGIN": token.login if token else "",
        },
    )
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
    return Answer(int(headers.pop("Status", "200").split()[0]), body, headers)


def _with_suffix(path: str) -> str:
    """GitHub serves /o/r and /o/r.git."""
    _, owner, name, rest = (*path.split("/", 3), "")[:4]
    return f"/{owner}/{name.removesuffix('.git')}.git/{rest}"


def _repository(hub: Hub, path: str) -> Repository | None:
    parts = path.split("/")
    return hub.repositories.get(f"{parts[1]}/{parts[2].removesuffix('.git')}") if len(parts) > 2 else None


def _password(request: Request) -> str:
    scheme, _, value = (request.authorizations or [""])[0].partition(" ")
    try:
        return base64.b64decode(value).decode().partition(":")[2] if scheme.lower() == "basic" else ""
    except (binascii.Error, UnicodeDecodeError):
        return ""
