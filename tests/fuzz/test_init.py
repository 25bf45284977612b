"""Configs of generators, fuzzed: whatever they are, `init` writes a config that is valid and a workflow that it wrote alone."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mutations import documents, fuzz
from setup_repositories import REPOSITORIES
from sitemap_action.cli.options import KNOWN
from sitemap_action.config.layers import File, parse
from sitemap_action.setup.generators import public_address, recognise
from sitemap_action.setup.packages import own_workflows
from sitemap_action.setup.project import Fact, Project
from sitemap_action.setup.texts import SetupChoice, config_text, setup_report, workflow_text

FILES = [(one, path) for one in REPOSITORIES for path, text in one.files.items() if text and path != ".gitignore"]
TOKENS = (
    b"{", b"}", b"[", b"]", b"(", b")", b"'", b'"', b"`", b"${", b"${{ github.token }}", b"/*", b"*/", b"//", b"\\", b"#", b": ", b"- ", b"\n", b"\t", b"&a ",
    b"*a", b"!!python/name:x", b"=", b"=>", b"||", b"??", b"export default ", b"module.exports = ", b"const a = ", b"../", b"-rf", b"$(touch ran)", b"\x00", b"\xff",
    b"https://", b"http://localhost/", b"@", b"outDir: '", b"site: '", b"url = '", b"sitemap", b"HUGO_VERSION = 0.1",
)  # fmt: skip


def project(files: dict[str, bytes]) -> Project:
    def names(place: str) -> frozenset[str]:
        start = f"{place}/" if place else ""
        return frozenset(path[len(start) :].partition("/")[0] for path in files if path.startswith(start))

    return Project("", files.get, names, lambda _path: True)


@pytest.mark.attack("bytes")
@given(st.data())
@fuzz()
def test_a_config_of_a_generator(data: st.DataObject) -> None:
    repository, path = data.draw(st.sampled_from(FILES))
    content = data.draw(documents((repository.files[path].encode(),), TOKENS))
    here = project({name: text.encode() for name, text in repository.files.items()} | {path: content})
    found = recognise(here)
    if found.site is None or found.site.refusal:
        return
    address, refused = public_address(here, found.site, found.packages)
    choice = SetupChoice(found.site, "", address, Fact("main", ""), refused=refused, checks=own_workflows(here)[1])
    assert parse([File("c.yml", config_text(choice).encode())], KNOWN).site_url == address.value
    assert setup_report([choice], (), found.others, here.problems).isprintable() is False, "it has lines"
    workflow = yaml.safe_load(workflow_text(choice))
    steps = workflow["jobs"]["sitemap"]["steps"]
    assert {step.get("name", step.get("uses", "").partition("@")[0]) for step in steps} <= {
        "actions/checkout",
        "Build the site",
        "Collect the sitemaps of the build",
        "Keep them for pull requests",
        "Get those of the default branch",
        "Check the sitemap",
    }
    commands = "".join(step.get("run", "") for step in steps)
    assert not any(word in commands for word in ("${{", "touch", "../", "-rf"))
