"""The source that a run reads pages from: the one that the config names; for `explain`, one that answers a URL more.

For `source.url: auto` it is the deployment of a commit: GitHub is polled until there is one.
"""

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Protocol, TypeAlias
from urllib.parse import urlsplit

from msgspec.structs import replace

from sitemap_action.config.schema import AUTO, DEPTH, Config, RenderWhen
from sitemap_action.decide.policy import required_facts
from sitemap_action.disk.folder import Workspace, read_head
from sitemap_action.errors import UnreachableError, UsageError
from sitemap_action.fetch.base import BROWSER
from sitemap_action.hosts.all import choose_host
from sitemap_action.html.document import summaries
from sitemap_action.html.head import canonical_line, noindex_line
from sitemap_action.look.committed_sitemap import foreign
from sitemap_action.model.answers import PageRendering, SeenAround
from sitemap_action.model.context import Context, Forge
from sitemap_action.model.observer import NULL_OBSERVER, Observer
from sitemap_action.model.page import Facts, Page, PageKind, Shell
from sitemap_action.model.source import RenderUse, SourceResult
from sitemap_action.model.wording import option
from sitemap_action.repo.git import find_head
from sitemap_action.repo.github import ListedDeployment, deployments
from sitemap_action.repo.github_api import Api
from sitemap_action.robots.groups import MAX_BYTES
from sitemap_action.store.inventory import Inventory
from sitemap_action.walk.build import first_link
from sitemap_action.walk.built_site import FolderSource
from sitemap_action.walk.declared import LoadedSitemaps
from sitemap_action.walk.result import stored_result
from sitemap_action.walk.start import TIMEOUT
from sitemap_action.web import urls
from sitemap_action.web.spellings import as_directory
from sitemap_action.web.urls import BadUrl, normalize


class Source(Protocol):
    def gather(self, inventory: Inventory, seeds: Iterable[str]) -> SourceResult:
        """Store every page of the site and an answer for every seed (a URL in normal form, below site-url)."""
        ...


def choose_source(  # noqa: PLR0913, PLR0917 - what is read, and what is known of it
    config: Config,
    context: Context,
    site_url: str,
    observer: Observer,
    sitemap_url: str,
    loaded: LoadedSitemaps | None,
    published: Sequence[str] = (),
) -> Source:
    """`sitemap_url`: where the sitemap will be served; `loaded`: the sitemaps that the served site declares.

    `published`: URLs of the ledger; those of a served site are seeds.
    """
    path, rules = config.source.path, verdict_robots(config, context, None)
    if config.source.url:
        from sitemap_action.walk.served_site import DeployedSource  # noqa: PLC0415 - a folder needs no HTTP

        source = replace(config.source, url=as_directory(config.source.url, site_url))
        config = replace(config, source=source)
        return DeployedSource(config, site_url, context.access, observer, context.now, rules, loaded)
    if not path:
        folder, address = option("path", "dist"), option("url")
        hint = f"name the folder that the build writes ({folder}), or the address of the site ({address})"
        raise UsageError("no site is given", hint=hint)
    return FolderSource(
        root=_build_folder(path, context),
        location=path,
        base=site_url,
        host=choose_host(config.source.host),
        select=config.select,
        crawl=config.crawl,
        robots=rules,
        workspace=Path(context.workspace),
        promised=frozenset([sitemap_url]),
        published=published,
        observer=observer,
        optional_facts=required_facts(config),
        render=config.render,
        clicks=DEPTH in config.output.priority.values(),
    )


def find_unserved(  # noqa: PLR0913, PLR0917 - where the build is, and what is edited
    config: Config,
    context: Context,
    site_url: str,
    edited: Mapping[str, bytes],
    copied: str,
    redirects: Mapping[str, str],
) -> Mapping[str, str] | None:
    """What the host would not redirect, as `FolderSource` says it; of a served site by what the repository has."""
    workspace, host = Path(context.workspace), choose_host(config.source.host)
    if config.source.url:
        root = workspace / copied
        source = FolderSource(root=root, location=copied or ".", base=site_url, host=host, workspace=workspace)
        return source.find_unserved(edited, copied, redirects, built=False)
    built = choose_source(config, context, site_url, NULL_OBSERVER, "", None)
    return built.find_unserved(edited, copied, redirects) if isinstance(built, FolderSource) else None


def _build_folder(path: str, context: Context) -> Path:
    workspace = Path(context.workspace)
    if context.names("source.path"):
        return workspace / path
    try:
        return Workspace(workspace).folder_path(path)
    except (FileNotFoundError, NotADirectoryError):
        return workspace / path  # the reader of the folder says so
    except OSError as error:
        hint = f"name a folder of the workspace, without a symbolic link, in source.path ({option('path')})"
        raise UsageError(f"cannot read the folder {path}: {error.strerror}", hint=hint) from None


def verdict_robots(config: Config, context: Context, found: bytes | None) -> bytes | None:
    """The robots.txt that decides what may be listed: the site's own, whether or not the crawl obeys it, or a file."""
    setting = config.crawl.robots
    if setting.startswith("file:"):
        path = setting.removeprefix("file:")
        workspace, size = Path(context.workspace), MAX_BYTES + 1  # RB-18 says that there is more
        try:
            if context.names("crawl.robots"):
                return read_head(workspace / path, size)
            return Workspace(workspace).read_head(path, size)
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror}", hint="correct crawl.robots") from None
    return found


_MAX_READ = 2**19  # bytes of the page


class ExplainedUrl:
    """A URL to explain, and the source that answers it; a look that reads it sets `page` and `seen`."""

    def __init__(self, text: str, state: str = "") -> None:
        """`text`: an absolute URL, or a path below site-url; `state`: file that has the pages of a served site."""
        self.text = text
        self.state = state  # "" to request them
        self.url = ""
        self.page: Page | None = None  # None where nothing is known about it
        self.seen = SeenAround()

    def choose(self, choose: Callable[[], Source], config: Config, site_url: str) -> Source:
        """The source that answers the URL too; `choose` gives that of a run."""
        self.url = explained_url(self.text, site_url)
        self._source = None if self.state else choose()
        self._site_url, self._config = site_url, config
        return self

    def gather(self, inventory: Inventory, seeds: Iterable[str]) -> SourceResult:
        found = self._gather(inventory, seeds)
        facts = self.page.facts if self.page is not None and not self.page.unlisted else None
        when = self._config.render.when
        rendering = facts and _rendering(facts, found.rendering, when, of_state=bool(self.state))
        self.seen = replace(self.seen, rendering=rendering)
        return found

    def _gather(self, inventory: Inventory, seeds: Iterable[str]) -> SourceResult:
        url, source, robots = self.url, self._source, self._config.crawl.robots
        other = None if url.startswith(self._site_url) else foreign(url, self._site_url)
        if other and not urls.is_host_of(url, self._site_url, self._config.source.url):
            other = other._replace(target="")  # it is no page of the site under another address (I-07)
        inside = url if other is None else other.target
        if isinstance(source, FolderSource):
            found = source.gather(inventory, chain(seeds, [inside] if inside else []))
            self.page = inventory.page(url) or other
            self.seen = _seen_in_build(source, inventory, self.page, found, robots)
            return found
        for _ in seeds:  # those of another site are stored on the way
            pass
        if source is None:
            unknown = Page(url, PageKind.UNDETERMINED, reason="the state does not have it")
            found = stored_result(inventory, self._config.source.url)
            self.page = inventory.page(url) or other or unknown
            self.seen = _seen_in_state(self.state, found, robots)
        else:
            from sitemap_action.walk.one_url import gather_one_url  # noqa: PLC0415 - a folder needs no HTTP

            found, self.seen = gather_one_url(source, inside, inventory)  # type: ignore[arg-type]  # the other kind
            self.page = inventory.page(url) or other
        return found


def _rendering(facts: Facts, use: RenderUse | None, when: RenderWhen, *, of_state: bool) -> PageRendering | None:
    """HTML-70: what scripts build is judged as a browser sees it, or the answer says why it is not."""
    if (found := facts.rendering) is not None:
        browser = use.browser if use is not None and not found.failure else ""
        shown = "" if of_state else found.screenshot
        return PageRendering(_clause(found.shell), not found.failure, browser, found.failure, summaries(found), shown)
    if not facts.needs_scripts:
        return None
    if of_state:
        why = "the run that wrote the state did not render it"
    elif when is RenderWhen.NEVER:
        why = "render.when is never"
    else:
        why = f"no browser is found here: {BROWSER}" if use is None else "a limit of the crawl came first"
    return PageRendering(_clause(facts.shell), rendered=False, reason=why)


def _clause(shell: Shell | None) -> str:
    return shell.clause if shell is not None else ""


def _seen_in_state(state: str, found: SourceResult, robots: str) -> SeenAround:
    named = robots.startswith("file:")
    name = robots.removeprefix("file:") if named else f"{urls.origin(found.location)}/robots.txt"
    return SeenAround(
        robots=name,
        no_robots="" if named or found.robots is not None else "the state has none",
        not_read=(f"the site: this is what the state {state} has of it", *found.incomplete),
    )


def _seen_in_build(
    source: FolderSource, inventory: Inventory, page: Page | None, found: SourceResult, robots: str
) -> SeenAround:
    name = robots.removeprefix("file:") if source.robots is not None else f"{source.location.rstrip('/')}/robots.txt"
    missing = f"there is no {name}"
    if source.base != f"{urls.origin(source.base)}/":
        missing = "that of the host is not part of the build; crawl.robots: file:PATH names a copy"
    if found.robots is not None or source.robots is not None:
        missing = ""
    if page is None:
        return SeenAround(robots=name, no_robots=missing)
    path = page.path
    body = _head(source.root / path) if path and not page.twin else b""
    referrer, place = first_link(inventory, source.root, source.location, page.url)
    return SeenAround(
        file=f"{source.location.rstrip('/')}/{path}" if path else "",
        directive_line=noindex_line(body),
        canonical_line=canonical_line(body),
        referrer=referrer,
        place=place,
        robots=name,
        no_robots=missing,
    )


def _head(path: Path) -> bytes:
    try:
        return read_head(path, _MAX_READ)
    except OSError:
        return b""


def explained_url(text: str, site_url: str) -> str:
    """The URL in normal form; a path counts from site-url. Raises UsageError."""
    try:
        return _absolute(text, site_url)
    except urls.BadUrl as error:
        hint = f"give an address such as {site_url}about/, or a path such as /about/"
        raise UsageError(f"there is nothing to explain about this URL: {error}", hint=hint) from None


def _absolute(text: str, site_url: str) -> str:
    if "://" in text or text.lower().startswith(("http:", "https:")):
        return urls.normalize(text)
    if text.partition("/")[0].lower() == site_url.split("/")[2]:
        return urls.normalize(f"{site_url.partition('://')[0]}://{text}")
    urls.normalize(site_url + text.lstrip("/"))  # says what is wrong with it
    if (found := urls.resolve(site_url, text)) is not None:
        return found
    raise urls.BadUrl("it is neither a path nor an http or https URL")


_PAUSE = 10.0  # seconds: a job's token may ask a thousand times an hour
_NOT_IN_HOSTS = "is not in hosts"  # a refusal that ends so is a mistake of the inputs


ListDeployments: TypeAlias = Callable[[str, str], Iterable[ListedDeployment]]
"""(commit, environment) → the newest first, of any environment where it is "". Raises UsageError, UnreachableError."""


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
    wanted = _WantedDeployment(config, access.hosts, deployment.commit)
    if not deployment.url:
        url = wanted.wait(list_deployments or _deployments_of(context.forge), clock, sleep)
    elif why := wanted.refusal(deployment.environment, deployment.url):
        hint = "start the job for the intended events only (if: …), or correct environment and hosts"
        raise UsageError(f"the deployment of this event may not be used: {why}", hint=hint)
    else:
        url = normalize(deployment.url.partition("?")[0])  # a query is that of one page, or a secret
    notes = [f"url is auto: the deployment of {deployment.commit[:12]} is served at {url}"]
    here = find_head(Path(context.workspace))
    if here and here != deployment.commit:  # such as a merge commit, with newer commits of the target branch
        other = "another commit is deployed: give that commit to actions/checkout (ref)"
        notes.append(f"{here[:12]} is checked out, and {other}")
    if access.headers and not deployment.trusted:
        access = replace(access, headers=())
        notes.append("the secret headers are not sent: the deployment is from a fork")
    found = replace(config, source=replace(config.source, url=url))
    return found, replace(context, access=access), tuple(notes)


class _WantedDeployment:
    """The deployment of a commit, of which the environment and the globs of hosts may be given."""

    def __init__(self, config: Config, hosts: tuple[str, ...], commit: str) -> None:
        self._environment, self._hosts, self._commit = config.source.environment, hosts, commit
        self._timeout = TIMEOUT if config.crawl.wait_timeout is None else config.crawl.wait_timeout

    def refusal(self, environment: str, url: str) -> str:
        """Why a deployment may not be used; "" when it may."""
        if self._environment and environment.casefold() != self._environment.casefold():
            return f"its environment is {environment or 'unknown'}"
        try:
            host = urlsplit(normalize(url)).hostname or ""
        except BadUrl as error:
            return f"its address cannot be used: {error}"
        # `*` stands for anything but a dot, so that no other domain fits into it.
        globs = (re.escape(name).replace(r"\*", "[^.]*") for name in self._hosts)
        allowed = not self._hosts or any(re.fullmatch(glob, host, re.IGNORECASE) for glob in globs)
        return "" if allowed else f"{host} {_NOT_IN_HOSTS}"

    def wait(self, ask: ListDeployments, clock: Callable[[], float], sleep: Callable[[float], None]) -> str:
        """The address of the newest one that is done. A transient failure is retried like a missing deployment."""
        began = clock()
        while True:
            others: list[str] = []
            try:
                for one in ask(self._commit, self._environment):
                    if not (why := self._why_unusable(one)):
                        return normalize(one.url)
                    others.append(why)
            except UnreachableError as error:
                others = [str(error)]
            passed = clock() - began
            if passed >= self._timeout:
                raise self._timeout_error(passed, others)
            sleep(min(_PAUSE, self._timeout - passed))

    def _why_unusable(self, one: ListedDeployment) -> str:
        if one.state != "success":
            return f"{one.environment} is {one.state or 'not started'}"
        if not one.url:  # a job's own environment is a deployment too
            return f"{one.environment} has no address"
        return self.refusal(one.environment, one.url)

    def _timeout_error(self, passed: float, others: list[str]) -> UsageError | UnreachableError:
        """A host that is not named is a mistake of the inputs: neither a longer wait nor a retry helps."""
        reasons = "; ".join(dict.fromkeys(others)) or "GitHub lists none"
        what = f"no usable deployment of {self._commit[:12]} after {passed:.0f} seconds: {reasons}"
        if any(other.endswith(_NOT_IN_HOSTS) for other in others):
            return UsageError(what, hint=f"correct {option('hosts')}, or wait longer (crawl.wait.timeout)")
        hint = (
            "report the deployment of each commit to GitHub (Netlify does not), give its address as url, or wait longer"
        )
        return UnreachableError(what, hint=hint)


def _deployments_of(forge: Forge | None) -> ListDeployments:
    if forge is None:
        hint = f"give {option('token')} (in the action it is there by default)"
        raise UsageError("source.url is auto, and without a token GitHub lists no deployments", hint=hint)
    api = Api(forge)
    return lambda commit, environment: deployments(api, commit, environment)
