"""Where git fetches from, and whether it may: the address gate judges git's host as that of a page (S-17, NET-13)."""

import re
import socket
from collections.abc import Mapping
from urllib.parse import urlsplit

from sitemap_action.errors import BaselineError
from sitemap_action.runner.merge_requests import TABLE, repository_of_request
from sitemap_action.web.address_gate import address_kind
from sitemap_action.web.printable import printable

_SERVER = re.compile(r"(https?)://[A-Za-z0-9.-]+(?::[0-9]+)?(?:/[A-Za-z0-9._~-]+)*")
_REPOSITORY = re.compile(r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)+")
_SHORT = re.compile(r"(?:[^@/:]+@)?(\[[^\]/]*\]|[^\[/:]+):")  # user@host:path, as ssh has it
_PORTS = {"https": 443, "http": 80}
# What a CI says of its own server. GitHub's are not for the steps of a job to change.
_SERVERS = ("CI_SERVER_URL", *(row.repository for row in TABLE))
_ORIGIN, _NO_REDIRECTS = "remote.origin.url", {"http.followRedirects": "false"}
_PROXIES = ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")


def repository_address(server: str, repository: str) -> str:
    """The address of a repository on a forge, for git; "" where a part of it is none."""
    fits = _SERVER.fullmatch(server) and _REPOSITORY.fullmatch(repository)
    return f"{server}/{repository}.git" if fits else ""


def judge_origin(named: str, environment: Mapping[str, str]) -> Mapping[str, str]:
    """The settings by which git connects to the address that was judged, and to no other.

    `named`: by the checkout, which counts on no pull request. Raises BaselineError for a refused host or
    repository. On a machine of its own the user has named it; on a runner an artifact or an earlier step may have.
    """
    server, event = environment.get("GITHUB_SERVER_URL", "").rstrip("/"), environment.get("GITHUB_EVENT_NAME", "")
    own = repository_address(server, environment.get("GITHUB_REPOSITORY", ""))
    if own and event.startswith("pull_request"):
        return {_ORIGIN: own, **_NO_REDIRECTS}
    theirs = repository_of_request(environment)
    if theirs and _repository_at(named) != _repository_at(theirs):
        hint = "check out again, and fetch before anything of the change is run; or clone it whole"
        raise BaselineError(
            "git's origin is not fetched from: it is another repository than the CI has cloned", hint=hint
        )
    if not (environment.get("GITHUB_ACTIONS") or environment.get("CI")):
        return {_ORIGIN: named}
    names = ("GITHUB_SERVER_URL",) if environment.get("GITHUB_ACTIONS") else _SERVERS
    host = host_of(named)
    if not host or host in {host_of(environment.get(name, "")) for name in names}:
        return {_ORIGIN: named}
    addresses = [] if any(environment.get(name) for name in _PROXIES) and not _is_literal(host) else _resolve(host)
    for address in addresses:
        if kind := address_kind(address):
            hint = "check out with fetch-depth: 0, so that nothing has to be fetched"
            raise BaselineError(
                f"git's origin is not fetched from: {printable(host)[:253]} has a {kind} address, {address}", hint=hint
            )
    return {_ORIGIN: named, **_NO_REDIRECTS, **_pin(named, host, addresses)}


def host_of(address: str) -> str:
    """The host of an address as git reads it, in lower case; "" for a path or a file."""
    if "://" not in address:
        short = _SHORT.match(address)
        return short[1].strip("[]").lower() if short else ""
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""


def _repository_at(address: str) -> tuple[str, str]:
    """Host and path, the same for every spelling of one repository."""
    _, scheme, rest = address.partition("://")
    path = rest.partition("/")[2] if scheme else address.partition(":")[2] or address
    return host_of(address), path.strip("/").removesuffix(".git").lower()


def _is_literal(host: str) -> bool:
    return address_kind(host) != "unreadable"


def _resolve(host: str) -> list[str]:
    """None where the name is not known: then git does not reach it, or ssh has an alias of the user's."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return sorted({str(row[4][0]) for row in found})


def _pin(address: str, host: str, addresses: list[str]) -> Mapping[str, str]:
    """A name that has another address when git asks again would be another host."""
    scheme = address.partition("://")[0]
    if scheme not in _PORTS or not addresses or _is_literal(host):
        return {}
    port = urlsplit(address).port or _PORTS[scheme]
    shown = (f"[{address}]" if ":" in address else address for address in addresses)
    return {"http.curloptResolve": f"{host}:{port}:{','.join(shown)}"}
