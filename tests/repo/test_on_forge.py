"""What the package asks GitHub for, asked of a real repository; each request is held to GitHub's description."""

import pytest

from forge import faults
from forge.hub import Hub
from forge.repository import Repository
from forge.tokens import Token
from sitemap_action.errors import BaselineError, UnreachableError, UsageError
from sitemap_action.model.context import Forge
from sitemap_action.repo.github import GitHub, ListedDeployment, deployments
from sitemap_action.repo.github_api import Api

ODD = "öffentlich a/#?%.xml"


@pytest.fixture
def site(hub: Hub) -> Repository:
    made = hub.repository("octo-org/site")
    made.commit({"public/sitemap.xml": "<urlset/>", ODD: "odd", "large.xml": b"x" * 2_000_000})
    return made


def api(hub: Hub, site: Repository, token: Token | None = None) -> Api:
    return Api(Forge(hub.api_url, site.full_name, (token or hub.token()).value))


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("public/sitemap.xml", b"<urlset/>"),
        (ODD, b"odd"),
        ("large.xml", b"x" * 2_000_000),
        ("gone.xml", None),
        ("public/gone.xml", None),
    ],
)
def test_a_file_at_a_commit(hub: Hub, site: Repository, path: str, content: bytes | None) -> None:
    assert GitHub(api(hub, site)).blob(site.head(), path) == content


def test_a_folder_is_no_file(hub: Hub, site: Repository) -> None:
    with pytest.raises(BaselineError, match="public is a folder"):
        GitHub(api(hub, site)).blob(site.head(), "public")


def test_where_a_branch_began(hub: Hub, site: Repository) -> None:
    base = site.head()
    topic = site.commit({"a": "1"}, "release/1.x")
    site.commit({"b": "1"})
    remote = GitHub(api(hub, site))
    assert (remote.merge_base("main", topic), remote.merge_base("release/1.x", base)) == (base, base)
    assert remote.has(topic)
    assert not remote.has("a" * 40)
    assert remote.merge_base("main", site.make_commit(site.ask("rev-parse", "main^{tree}"), [], "unrelated")) is None


def test_a_private_repository_is_absent_without_permission(hub: Hub, site: Repository) -> None:
    site.private = True
    stranger = hub.token("stranger", contents="none")
    assert GitHub(api(hub, site)).has(site.head())
    assert not GitHub(api(hub, site, stranger)).has(site.head())


@pytest.mark.parametrize(
    "play",
    [
        faults.rate_limit(),
        faults.secondary_limit(),
        faults.outage(),
        faults.dropped(),
        faults.moved("http://127.0.0.1:9/"),
    ],
    ids=["rate limit", "secondary limit", "outage", "dropped", "moved"],
)
def test_a_failure_is_no_absence(hub: Hub, site: Repository, play: faults.Play) -> None:
    hub.fail(play, times=9)
    with pytest.raises(BaselineError) as raised:
        GitHub(api(hub, site)).blob(site.head(), "public/sitemap.xml")
    assert raised.value.hint
    assert "ghs_forge" not in f"{raised.value}{raised.value.hint}"


def test_deployments_of_a_commit(hub: Hub, site: Repository) -> None:
    head = site.head()
    hub.deployment(site, head, ("success", "https://old.example.com/"), environment="Production")
    hub.deployment(site, "a" * 40, ("success", "https://other.example.com/"))
    hub.deployment(site, head, ("pending", ""), ("success", "https://new.example.com/"), ("inactive", ""))
    found = list(deployments(api(hub, site), head))
    new = ListedDeployment("Preview", "success", "https://new.example.com/")
    assert found == [new, ListedDeployment("Production", "success", "https://old.example.com/")]
    assert list(deployments(api(hub, site), head, "Preview")) == [new]


def test_deployments_without_permission(hub: Hub, site: Repository) -> None:
    with pytest.raises(UsageError, match="may not read deployments"):
        list(deployments(api(hub, site, hub.token("blind", deployments="none")), site.head()))
    hub.fail(faults.secondary_limit())
    assert list(deployments(api(hub, site), site.head())) == [], "a limit that ends is waited for"
    hub.fail(faults.secondary_limit(), times=9)
    with pytest.raises(UnreachableError, match="a rate limit"):
        list(deployments(api(hub, site), site.head()))
