"""Every test starts from the same place: a bare environment, an empty home, no network beyond loopback.

With SITEMAP_ACTION_NO_SKIP=1, as in CI, a run in which a test is skipped fails.
"""

import asyncio
import importlib
import ipaddress
import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, settings

from examples import share
from memory import folder_in_memory
from tables import pytest_collection_modifyitems, pytest_configure

__all__ = ["pytest_collection_modifyitems", "pytest_configure"]  # hooks

if TYPE_CHECKING:
    from forge.hub import Hub
    from runners import Job
    from sitemap_action.config.schema import Config
    from sitemap_action.look.documents import FetchSitemap
    from sitemap_action.model.mask import Access
    from sitemap_action.store.inventory import Inventory

_KEPT = {"PATH", "PATHEXT", "SYSTEMROOT", "COMSPEC", "TMPDIR", "TEMP", "TMP", "PYTHONPATH"}
_KEPT_PREFIXES = ("SITEMAP_ACTION_", "PYTEST_", "COV_CORE_", "COVERAGE_")
_NO_SKIP = os.environ.get("SITEMAP_ACTION_NO_SKIP", "0") not in ("", "0")


if not {"TMPDIR", "TEMP", "TMP"} & os.environ.keys() and (_FOLDER := folder_in_memory()):
    os.environ["TMPDIR"] = tempfile.tempdir = _FOLDER
_HOME = tempfile.TemporaryDirectory(prefix="sitemap-action-home-")


def scrubbed(environment: Mapping[str, str], home: str) -> dict[str, str]:
    """What a test may see of the machine: no CI variables, proxies, tokens, colours, user settings of git."""
    kept = {
        name: value for name, value in environment.items() if name.upper() in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
    fixed = {
        "HOME": home,
        "USERPROFILE": home,
        "LC_ALL": "C.UTF-8",
        "SOURCE_DATE_EPOCH": "1767225600",  # the date of every report
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": "Test",
        "GIT_AUTHOR_EMAIL": "test@example.com",
        "GIT_COMMITTER_NAME": "Test",
        "GIT_COMMITTER_EMAIL": "test@example.com",
        # The program has a browser only where a test gives it one (`browser.program`).
        "SITEMAP_ACTION_BROWSER": "none",
        "SITEMAP_ACTION_TEST_BROWSER": environment.get("SITEMAP_ACTION_BROWSER", ""),
    }
    return kept | fixed


def loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def beyond(event: str, args: tuple[object, ...]) -> str:
    """The host outside this machine that a socket call is about to reach; "" for every other call."""
    match event, args:
        case "socket.connect" | "socket.bind" | "socket.sendto" | "socket.sendmsg", (_, (str(host), *_)):
            return "" if loopback(host) else host or "every interface"
        case "socket.getaddrinfo" | "socket.gethostbyname" | "socket.gethostbyaddr", (str() | bytes() as host, *_):
            name = host.decode("latin-1") if isinstance(host, bytes) else host
            return "" if loopback(name) or _is_address(name) else name
    return ""


def _is_address(host: str) -> bool:
    """An address is looked up without asking anybody."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return not host
    return True


def _guard(event: str, args: tuple[object, ...]) -> None:
    if event.startswith("socket.") and (host := beyond(event, args)):
        raise RuntimeError(f"{event} to {host}: tests reach no network beyond loopback")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Each reason is one line with a count in the summary (-ra), however many tests gave it."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if _NO_SKIP and reporter and (skipped := reporter.stats.get("skipped")):
        reporter.write_line(
            f"\n{len(skipped)} skipped, and SITEMAP_ACTION_NO_SKIP is set: provide what they need", red=True
        )
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Two workers more than cores: a test in ten waits for a server, a browser or a container."""
    return None if os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS") else (os.cpu_count() or 1) + 2


def pytest_runtest_setup() -> None:
    """Whatever a test before has said, sentences are for a command line; a fixture would keep rows from being a table."""
    from sitemap_action.model.wording import Audience, speak_to

    speak_to(Audience.COMMAND_LINE)


@pytest.fixture(scope="session", autouse=True)
def production_has_no_sitemap() -> Generator[None, None, None]:
    """A first run compares with the sitemap that production serves; only a test that has a server asks one."""
    from sitemap_action.look import web_sitemaps
    from sitemap_action.look.documents import Documents

    def guarded(config: "Config", access: "Access", inventory: "Inventory") -> "FetchSitemap":
        fetch = web_sitemaps.production(config, access, inventory)

        def answer(url: str, folder: Path, likely: Sequence[str] = ()) -> tuple[Documents, bytes | None]:
            return fetch(url, folder, likely) if loopback(urlsplit(url).hostname or "") else (Documents(), None)

        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sitemap_action.run.production", guarded)
        yield


@pytest.fixture(scope="session", autouse=True)
def names_stay_unknown() -> Generator[None, None, None]:
    """A run that asks why a name has no address hears what a machine without a network does."""
    find = asyncio.BaseEventLoop.getaddrinfo

    async def find_on_loopback(loop: asyncio.BaseEventLoop, host: str, *rest: Any, **options: Any) -> Any:
        if loopback(host or "") or _is_address(host or ""):
            return await find(loop, host, *rest, **options)
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.BaseEventLoop, "getaddrinfo", find_on_loopback)
        yield


@pytest.fixture(scope="session", autouse=True)
def remotes_are_files() -> Generator[None, None, None]:
    """Remotes of tests are folders of this machine, which a run never fetches from."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sitemap_action.repo.git_process.PROTOCOLS", "https:ssh:file")
        yield


@pytest.fixture(scope="session", autouse=True)
def no_forge_is_waited_for() -> Generator[None, None, None]:
    """What a server asks a client to wait is judged by tests that pass a pause of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sitemap_action.repo.github_api.SLEEP", lambda seconds: time.sleep(min(seconds, 0.01)))
        yield


@pytest.fixture(scope="session", autouse=True)
def no_site_is_waited_for() -> Generator[None, None, None]:
    """A run tries again after a hundredth of the time; how long a site is given is judged with a clock of its own."""
    from sitemap_action.fetch import policies
    from sitemap_action.walk import served_site

    class PromptRetry(policies.Retry):
        def __init__(self, inner: Any, retries: int, backoff: float, max_wait: float, clock: Any) -> None:
            super().__init__(inner, retries, backoff / 100, max_wait, clock)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(policies, "Retry", PromptRetry)
        patch.setattr(served_site, "PAUSE", served_site.PAUSE / 100)
        yield


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to run in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def hub() -> Iterator["Hub"]:
    """A GitHub of the test's own (tests/forge)."""
    from forge.github import github

    with github() as made:
        yield made


@pytest.fixture
def job(hub: "Hub", tmp_path: "Path", monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> "Job":
    """A job of a workflow: its repository has a sitemap of two pages, and their build."""
    from runners import Job, build, urlset

    monkeypatch.setattr("sitemap_action.repo.github_api.FIRST", 0.01)
    site = hub.repository("octo-org/site")
    site.commit({"public/sitemap.xml": urlset("", "a"), **build("a")})
    return Job(hub, site, tmp_path, monkeypatch, capfd)


def pytest_unconfigure() -> None:
    _HOME.cleanup()


@cache
def _grammars() -> Callable[[str, str], bool]:
    del sys.modules["rfc3987_syntax"]
    return importlib.import_module("rfc3987_syntax").is_valid_syntax


# jsonschema imports it, and it compiles 38 grammars: when it is first needed.
_iri = ModuleType("rfc3987_syntax")
_iri.is_valid_syntax = lambda term, value: _grammars()(term, value)  # type: ignore[attr-defined]  # noqa: PLW0108 - not before
sys.modules.setdefault(_iri.__name__, _iri)
settings.register_profile(
    "house",
    deadline=None,  # a busy machine is no failure
    suppress_health_check=[HealthCheck.too_slow],  # as above
    max_examples=share(100),
    derandomize=_NO_SKIP,  # CI gives the same verdict on the same commit
    database=None if _NO_SKIP else settings().database,
)
settings.load_profile("house")
_ENVIRONMENT = scrubbed(os.environ, _HOME.name)
os.environ.clear()
os.environ.update(_ENVIRONMENT)
sys.dont_write_bytecode = False  # hundreds of processes import the package: it is compiled once
sys.addaudithook(_guard)
