"""`source.url: auto`: which deployment is looked at, how long it is waited for, and where secrets do not go."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePath

import pytest
from msgspec.structs import replace

from sitemap_action.config.schema import Config, CrawlConfig, SourceConfig
from sitemap_action.errors import SitemapActionError, UnreachableError, UsageError
from sitemap_action.look.source import locate_source
from sitemap_action.model.context import Context, Deployment, Mode
from sitemap_action.model.mask import Access
from sitemap_action.repo.github import ListedDeployment

COMMIT = "a" * 40
APP, OTHER = "https://shop-git-topic-team.vercel.app/", "https://storybook-abc.vercel.app/"
DONE = ListedDeployment("Preview", "success", APP)
PENDING = ListedDeployment("Preview", "in_progress", "")
OURS = ("shop-*.vercel.app",)
SECRET = (("x-vercel-protection-bypass", "s3cret"),)
PULL_REQUEST = Deployment(COMMIT)
NOW = datetime(2026, 11, 20, tzinfo=UTC)


@dataclass
class GitHub:
    """Each question gets the next answer; the last one stays. Its clock goes on when somebody sleeps."""

    answers: list[list[ListedDeployment] | Exception]
    asked: list[tuple[str, str]] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)

    def __call__(self, commit: str, environment: str) -> Iterable[ListedDeployment]:
        answer = self.answers[min(len(self.asked), len(self.answers) - 1)]
        self.asked.append((commit, environment))
        if isinstance(answer, Exception):
            raise answer
        return answer

    def clock(self) -> float:
        return 5.0 + sum(self.slept)


def config(environment: str = "", timeout: float | None = None) -> Config:
    return Config(source=SourceConfig(url="auto", environment=environment), crawl=CrawlConfig(wait_timeout=timeout))


def context(*hosts: str, deployment: Deployment | None = PULL_REQUEST, headers: bool = False) -> Context:
    access = Access(SECRET if headers else (), hosts=hosts)
    return Context(Mode.CHECK, NOW, PurePath("/w"), access=access, deployment=deployment)


FOUND: list[tuple[str, str, tuple[str, ...], list[list[ListedDeployment] | Exception], str, int]] = [
    # id, environment, hosts, what GitHub says each time, address, how often it is asked
    ("there already", "", (), [[DONE]], APP, 1),
    ("the newest of several", "", (), [[DONE, ListedDeployment("Preview", "success", OTHER)]], APP, 1),
    ("one that is done before a newer one is", "", (), [[PENDING, DONE]], APP, 1),
    ("b2 a job's own environment has no address", "", (), [[ListedDeployment("ci", "success", ""), DONE]], APP, 1),
    ("not there yet", "", (), [[], [], [DONE]], APP, 3),
    ("not done yet", "", (), [[PENDING], [DONE]], APP, 2),
    ("after a failure another one", "", (), [[ListedDeployment("Preview", "failure", "")], [DONE]], APP, 2),
    ("by its environment", "Preview", (), [[ListedDeployment("Production", "success", OTHER), DONE]], APP, 1),
    ("environments have no case", "preview", (), [[DONE]], APP, 1),
    ("by its host", "", OURS, [[ListedDeployment("Storybook", "success", OTHER), DONE]], APP, 1),
    ("by one of several hosts", "", ("x.org", "*.vercel.app"), [[DONE]], APP, 1),
    ("hosts have no case", "", ("SHOP-*.Vercel.app",), [[DONE]], APP, 1),
    ("an address as it is identified", "", OURS, [[ListedDeployment("", "success", "HTTPS://Shop-1.vercel.app")]], "https://shop-1.vercel.app/", 1),
    ("below a path", "", (), [[ListedDeployment("", "success", "https://x.org/pr/7/")]], "https://x.org/pr/7/", 1),
    ("an address that is none", "", (), [[ListedDeployment("", "success", "javascript:alert(1)"), DONE]], APP, 1),
    ("a password in it", "", (), [[ListedDeployment("", "success", "https://a:b@x.org/"), DONE]], APP, 1),
    ("a failure that passes", "", (), [UnreachableError("answers 502"), [DONE]], APP, 2),
]  # fmt: skip


@pytest.mark.parametrize(
    ("environment", "hosts", "answers", "url", "times"), [pytest.param(*row[1:], id=row[0]) for row in FOUND]
)
def test_found(
    environment: str, hosts: tuple[str, ...], answers: list[list[ListedDeployment] | Exception], url: str, times: int
) -> None:
    github = GitHub(answers)
    located, _, notes = locate_source(
        config(environment), context(*hosts), github, clock=github.clock, sleep=github.slept.append
    )
    assert located == replace(config(environment), source=SourceConfig(url=url, environment=environment))
    assert notes == (f"url is auto: the deployment of aaaaaaaaaaaa is served at {url}",)
    assert github.asked == [(COMMIT, environment)] * times
    assert github.slept == [10.0] * (times - 1)


STRANGERS = [
    # a host that a glob must not let in
    "https://shop-x.vercel.app.evil.example/",
    "https://evil.example/shop-x.vercel.app",
    "https://shop-x.evil.example.vercel.app/",
    "https://evilshop-x.vercel.app/",
    "https://shop-xxvercel.app/",
    "https://shop-x.vercel.app@evil.example/",
    "https://evil.example#shop-x.vercel.app/",
    "https://evil.example\\shop-x.vercel.app/",
]


@pytest.mark.attack("secrets")
@pytest.mark.parametrize("url", STRANGERS)
@pytest.mark.parametrize("told", [True, False], ids=["told by the event", "found"])
def test_no_secret_goes_to_a_host_that_is_not_named(url: str, told: bool) -> None:
    github = GitHub([[ListedDeployment("Preview", "success", url)]])
    deployment = Deployment(COMMIT, url if told else "", "Preview")
    with pytest.raises(SitemapActionError) as raised:
        locate_source(
            config(),
            context(*OURS, deployment=deployment, headers=True),
            github,
            clock=github.clock,
            sleep=github.slept.append,
        )
    usable = "@" not in url  # else there is no host to speak of, and another deployment is waited for
    assert raised.value.exit_code == (2 if told or usable else 3)
    assert raised.value.hint
    assert "s3cret" not in f"{raised.value} {raised.value.hint}"


GIVEN_UP: list[tuple[str, list[ListedDeployment] | Exception, type[SitemapActionError], str]] = [
    # id, what GitHub says, error, words
    ("nothing is deployed", [], UnreachableError, "no usable deployment of aaaaaaaaaaaa after 600 seconds: GitHub lists none"),
    ("not done", [PENDING], UnreachableError, "600 seconds: Preview is in_progress$"),
    ("not begun", [ListedDeployment("Preview", "", "")], UnreachableError, "Preview is not started$"),
    ("several, each once", [PENDING, PENDING, ListedDeployment("ci", "success", "")], UnreachableError, "Preview is in_progress; ci has no address$"),
    ("no address that can be used", [ListedDeployment("", "success", "ftp://x.org/")], UnreachableError, "its address cannot be used: "),
    ("another host: the input is wrong", [ListedDeployment("", "success", OTHER)], UsageError, "storybook-abc.vercel.app is not in hosts"),
    ("no answer at all", UnreachableError("cannot be reached: ConnectError"), UnreachableError, "cannot be reached: ConnectError"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "error", "words"), [pytest.param(*row[1:], id=row[0]) for row in GIVEN_UP])
def test_given_up(answer: list[ListedDeployment] | Exception, error: type[SitemapActionError], words: str) -> None:
    github = GitHub([answer])
    with pytest.raises(error, match=words) as raised:
        locate_source(config(), context(*OURS), github, clock=github.clock, sleep=github.slept.append)
    assert raised.type is error
    assert raised.value.hint
    assert sum(github.slept) == 600


@pytest.mark.parametrize(("timeout", "slept"), [(0, []), (25, [10, 10, 5])])
def test_the_time_is_what_crawl_wait_timeout_says(timeout: float, slept: list[float]) -> None:
    github = GitHub([[]])
    with pytest.raises(UnreachableError):
        locate_source(config(timeout=timeout), context(), github, clock=github.clock, sleep=github.slept.append)
    assert github.slept == slept


def test_what_no_waiting_mends_is_said_at_once() -> None:
    github = GitHub([UsageError("the token may not read deployments")])
    with pytest.raises(UsageError, match="may not read"):
        locate_source(config(), context(), github, clock=github.clock, sleep=github.slept.append)
    assert github.slept == []


def test_an_event_that_tells_the_address_needs_nobody() -> None:
    located, seen, _ = locate_source(
        config("Preview"), context(*OURS, deployment=Deployment(COMMIT, APP, "preview"), headers=True)
    )
    assert located.source.url == APP
    assert seen.access.headers == SECRET


@pytest.mark.parametrize(
    ("environment", "url", "words"),
    [("Production", APP, "its environment is Production"), ("", APP, "its environment is unknown"), ("Preview", OTHER, "storybook-abc.vercel.app is not in hosts")],
)  # fmt: skip
def test_an_event_about_another_deployment(environment: str, url: str, words: str) -> None:
    with pytest.raises(UsageError, match=f"the deployment of this event may not be used: {words}"):
        locate_source(config("Preview"), context(*OURS, deployment=Deployment(COMMIT, url, environment)))


@pytest.mark.attack("secrets")
def test_a_fork_s_deployment_gets_no_secret() -> None:
    github = GitHub([[DONE]])
    _, seen, notes = locate_source(
        config(), context(*OURS, deployment=Deployment(COMMIT, trusted=False), headers=True), github
    )
    assert seen.access == Access(hosts=OURS)
    assert notes[1:] == ("the secret headers are not sent: the deployment is from a fork",)


def test_without_a_commit_there_is_no_deployment() -> None:
    with pytest.raises(UsageError, match="has no commit that may be deployed") as raised:
        locate_source(config(), context(deployment=None))
    assert "give the address" in raised.value.hint


def test_without_a_token_nobody_tells() -> None:
    with pytest.raises(UsageError, match="without a token") as raised:
        locate_source(config(), context())
    assert "the variable GITHUB_TOKEN" in raised.value.hint


def test_an_address_that_is_given_stays() -> None:
    given = Config(source=SourceConfig(url=APP))
    located, seen, notes = locate_source(given, context(*OURS, headers=True))
    assert (located, seen.access.headers, notes) == (given, SECRET, ())
