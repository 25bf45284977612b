"""The address of a commit's deployment, for `source.url: auto`: GitHub is polled until there is one."""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

from msgspec.structs import replace

from sitemap_action.config.schema import AUTO, Config
from sitemap_action.errors import UnreachableError, UsageError
from sitemap_action.model.context import Context, Forge
from sitemap_action.model.wording import option
from sitemap_action.repo.git import find_head
from sitemap_action.repo.github import ListedDeployment, deployments
from sitemap_action.repo.github_api import Api
from sitemap_action.web.urls import BadUrl, normalize

TIMEOUT = 600.0  # seconds, where crawl.wait.timeout says nothing
_PAUSE = 10.0  # seconds: a job's token may ask a thousand times an hour
_NOT_IN_HOSTS = "is not in hosts"  # a refusal that ends so is a mistake of the inputs


ListDeployments: TypeAlias = Callable[[str, str], Iterable[ListedDeployment]]
"""(commit, environment) → the newest first, of any environment where it is "". Raises UsageError, UnreachableError."""
Refusal: TypeAlias = Callable[[str, str], str]
"""(environment, address) of a deployment → why it may not be used, "" when it may."""


def _refusal(wanted: str, hosts: tuple[str, ...], environment: str, url: str) -> str:
    """`wanted`: an environment, "" for any; `hosts`: globs, none for any."""
    if wanted and environment.casefold() != wanted.casefold():
        return f"its environment is {environment or 'unknown'}"
    try:
        host = urlsplit(normalize(url)).hostname or ""
    except BadUrl as error:
        return f"its address cannot be used: {error}"
    allowed = not hosts or any(_host_matches(host, name) for name in hosts)
    return "" if allowed else f"{host} {_NOT_IN_HOSTS}"


def locate_source(
    config: Config,
    context: Context,
    list_deployments: ListDeployments | None = None,
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[Config, Context, tuple[str, ...]]:
    """Config and context with an address in the place of `auto`, and the notes about it.

    Raises UsageError for a deployment that may not be used, UnreachableError after the timeout.
    """
    if config.source.url != AUTO:
        return config, context, ()
    deployment, access = context.deployment, context.access
    if deployment is None:
        hint = "auto works in the GitHub Action, on pull_request, push and deployment_status; else give the address"
        raise UsageError("source.url is auto, and this event has no commit that may be deployed", hint=hint)
    refusal = partial(_refusal, config.source.environment, access.hosts)
    if not deployment.url:
        ask = partial(list_deployments or _deployments_of(context.forge), deployment.commit, config.source.environment)
        url = _wait_for_deployment(
            ask, refusal, deployment.commit, timeout=config.crawl.wait_timeout, clock=clock, sleep=sleep
        )
    elif why := refusal(deployment.environment, deployment.url):
        hint = "start the job for the intended events only (if: …), or correct environment and hosts"
        raise UsageError(f"the deployment of this event may not be used: {why}", hint=hint)
    else:
        url = normalize(deployment.url.partition("?")[0])  # a query is that of one page, or a secret
    notes = [f"url is auto: the deployment of {deployment.commit[:12]} is served at {url}"]
    notes += _other_commit(context, deployment.commit)
    if access.headers and not deployment.trusted:
        access = replace(access, headers=())
        notes.append("the secret headers are not sent: the deployment is from a fork")
    found = replace(config, source=replace(config.source, url=url))
    return found, replace(context, access=access), tuple(notes)


def _other_commit(context: Context, deployed: str) -> Iterator[str]:
    """A merge commit contains newer commits of the target branch, which may have changed the sitemap."""
    here = find_head(Path(context.workspace))
    if here and here != deployed:
        yield f"{here[:12]} is checked out, and another commit is deployed: give that commit to actions/checkout (ref)"


def _wait_for_deployment(  # noqa: PLR0913 - what is asked, what may be used, and how long it is waited for
    ask: Callable[[], Iterable[ListedDeployment]],
    refusal: Refusal,
    commit: str,
    *,
    timeout: float | None,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> str:
    """The address of the newest deployment that is done. A transient failure is retried like a missing deployment."""
    began, seconds = clock(), TIMEOUT if timeout is None else timeout
    while True:
        try:
            url, others = _newest(ask(), refusal)
        except UnreachableError as error:
            url, others = "", [str(error)]
        if url:
            return url
        passed = clock() - began
        if passed >= seconds:
            raise _timeout_error(commit, passed, others)
        sleep(min(_PAUSE, seconds - passed))


def _newest(found: Iterable[ListedDeployment], refusal: Refusal) -> tuple[str, list[str]]:
    """The address of the first that may be used, or why each of them may not."""
    others = []
    for one in found:
        if one.state != "success":
            others.append(f"{one.environment} is {one.state or 'not started'}")
        elif not one.url:  # a job's own environment is a deployment too
            others.append(f"{one.environment} has no address")
        elif why := refusal(one.environment, one.url):
            others.append(why)
        else:
            return normalize(one.url), []
    return "", others


def _timeout_error(commit: str, passed: float, others: list[str]) -> UsageError | UnreachableError:
    """A host that is not named is a mistake of the inputs: neither a longer wait nor a retry helps."""
    reasons = "; ".join(dict.fromkeys(others)) or "GitHub lists none"
    what = f"no usable deployment of {commit[:12]} after {passed:.0f} seconds: {reasons}"
    if any(other.endswith(_NOT_IN_HOSTS) for other in others):
        return UsageError(what, hint=f"correct {option('hosts')}, or wait longer (crawl.wait.timeout)")
    hint = "report the deployment of each commit to GitHub (Netlify does not), give its address as url, or wait longer"
    return UnreachableError(what, hint=hint)


def _deployments_of(forge: Forge | None) -> ListDeployments:
    if forge is None:
        hint = f"give {option('token')} (in the action it is there by default)"
        raise UsageError("source.url is auto, and without a token GitHub lists no deployments", hint=hint)
    api = Api(forge)
    return lambda commit, environment: deployments(api, commit, environment)


def _host_matches(host: str, glob: str) -> bool:
    """`*` stands for anything but a dot, so that no other domain fits into it."""
    return re.fullmatch(re.escape(glob).replace(r"\*", "[^.]*"), host, re.IGNORECASE) is not None
