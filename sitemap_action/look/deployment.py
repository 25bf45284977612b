"""The address of a commit's deployment, for `source.url: auto`: GitHub is polled until there is one."""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from msgspec import Struct, structs
from msgspec.structs import replace

from sitemap_action.config.schema import AUTO, Config
from sitemap_action.errors import UnreachableError, UsageError
from sitemap_action.model.context import Context, Forge
from sitemap_action.model.wording import option
from sitemap_action.web.urls import BadUrl, normalize

if TYPE_CHECKING:
    from sitemap_action.repo.deployments import ListedDeployment

TIMEOUT = 600.0  # seconds, where crawl.wait.timeout says nothing
_PAUSE = 10.0  # seconds: a job's token may ask a thousand times an hour
_NOT_IN_HOSTS = "is not in hosts"  # a refusal that ends so is a mistake of the inputs


class ListDeployments(Protocol):
    def __call__(self, commit: str, environment: str) -> Iterable["ListedDeployment"]:
        """Newest first, of any environment where it is "". Raises UsageError, UnreachableError."""
        ...


class LocatedSource(Struct, frozen=True):
    """Config and context with an address in the place of `auto`."""

    config: Config
    context: Context
    notes: tuple[str, ...] = ()


class Timer(Struct, frozen=True):
    """Clock and sleep, so that a test can pass its own."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class _Wanted(Struct, frozen=True):
    """Which deployments may be used."""

    commit: str
    environment: str  # "" for any
    hosts: tuple[str, ...]  # globs; none for any

    def refusal(self, environment: str, url: str) -> str:
        """Why one may not be used, "" when it may."""
        if self.environment and environment.casefold() != self.environment.casefold():
            return f"its environment is {environment or 'unknown'}"
        try:
            host = urlsplit(normalize(url)).hostname or ""
        except BadUrl as error:
            return f"its address cannot be used: {error}"
        allowed = not self.hosts or any(_host_matches(host, name) for name in self.hosts)
        return "" if allowed else f"{host} {_NOT_IN_HOSTS}"


def locate_source(
    config: Config, context: Context, list_deployments: ListDeployments | None = None, timer: Timer | None = None
) -> LocatedSource:
    """Raises UsageError for a deployment that may not be used, UnreachableError after the timeout."""
    if config.source.url != AUTO:
        return LocatedSource(config, context)
    deployment, access = context.deployment, context.access
    if deployment is None:
        hint = "auto works in the GitHub Action, on pull_request, push and deployment_status; else give the address"
        raise UsageError("source.url is auto, and this event has no commit that may be deployed", hint=hint)
    wanted = _Wanted(deployment.commit, config.source.environment, access.hosts)
    if not deployment.url:
        seconds = TIMEOUT if config.crawl.wait.timeout is None else config.crawl.wait.timeout
        url = _wait_for_deployment(
            list_deployments or _deployments_of(context.forge), wanted, seconds, timer or Timer()
        )
    elif why := wanted.refusal(deployment.environment, deployment.url):
        hint = "start the job for the intended events only (if: …), or correct environment and hosts"
        raise UsageError(f"the deployment of this event may not be used: {why}", hint=hint)
    else:
        url = normalize(deployment.url.partition("?")[0])  # a query is that of one page, or a secret
    notes = [f"url is auto: the deployment of {deployment.commit[:12]} is served at {url}"]
    notes += _other_commit(context, deployment.commit)
    if access.headers and not deployment.trusted:
        access = structs.replace(access, headers=())
        notes.append("the secret headers are not sent: the deployment is from a fork")
    found = replace(config, source=replace(config.source, url=url))
    return LocatedSource(found, structs.replace(context, access=access), tuple(notes))


def _other_commit(context: Context, deployed: str) -> Iterator[str]:
    """A merge commit contains newer commits of the target branch, which may have changed the sitemap."""
    from sitemap_action.repo.git import checked_out  # noqa: PLC0415 - few runs start git, and the others start sooner

    here = checked_out(Path(context.workspace))
    if here and here != deployed:
        yield f"{here[:12]} is checked out, and another commit is deployed: give that commit to actions/checkout (ref)"


def _wait_for_deployment(list_deployments: ListDeployments, wanted: _Wanted, seconds: float, timer: Timer) -> str:
    """The address of the newest deployment that is done. A transient failure is retried like a missing deployment."""
    began = timer.clock()
    while True:
        try:
            url, others = _newest(list_deployments(wanted.commit, wanted.environment), wanted)
        except UnreachableError as error:
            url, others = "", [str(error)]
        if url:
            return url
        passed = timer.clock() - began
        if passed >= seconds:
            raise _timeout_error(wanted, passed, others)
        timer.sleep(min(_PAUSE, seconds - passed))


def _newest(found: Iterable["ListedDeployment"], wanted: _Wanted) -> tuple[str, list[str]]:
    """The address of the first that may be used, or why each of them may not."""
    others = []
    for one in found:
        if one.state != "success":
            others.append(f"{one.environment} is {one.state or 'not started'}")
        elif not one.url:  # a job's own environment is a deployment too
            others.append(f"{one.environment} has no address")
        elif why := wanted.refusal(one.environment, one.url):
            others.append(why)
        else:
            return normalize(one.url), []
    return "", others


def _timeout_error(wanted: _Wanted, passed: float, others: list[str]) -> UsageError | UnreachableError:
    """A host that is not named is a mistake of the inputs: neither a longer wait nor a retry helps."""
    reasons = "; ".join(dict.fromkeys(others)) or "GitHub lists none"
    what = f"no usable deployment of {wanted.commit[:12]} after {passed:.0f} seconds: {reasons}"
    if any(other.endswith(_NOT_IN_HOSTS) for other in others):
        return UsageError(what, hint=f"correct {option('hosts')}, or wait longer (crawl.wait.timeout)")
    hint = "report the deployment of each commit to GitHub (Netlify does not), give its address as url, or wait longer"
    return UnreachableError(what, hint=hint)


def _deployments_of(forge: Forge | None) -> ListDeployments:
    if forge is None:
        hint = f"give {option('token')} (in the action it is there by default)"
        raise UsageError("source.url is auto, and without a token GitHub lists no deployments", hint=hint)
    from sitemap_action.repo.deployments import deployments  # noqa: PLC0415
    from sitemap_action.repo.github_api import Api  # noqa: PLC0415 - few runs ask

    api = Api(forge)
    return lambda commit, environment: deployments(api, commit, environment)


def _host_matches(host: str, glob: str) -> bool:
    """`*` stands for anything but a dot, so that no other domain fits into it."""
    return re.fullmatch(re.escape(glob).replace(r"\*", "[^.]*"), host, re.IGNORECASE) is not None
