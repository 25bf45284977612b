"""The action's own files: what `action.yml` says, and its variants; `python tests/test_action.py` writes these anew."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import indent
from typing import NamedTuple

import check_jsonschema
import pytest
import yaml

from documents import STEPS, WORKFLOWS
from sitemap_action.config.schema import INPUTS
from sitemap_action.model.context import Mode

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
# Inputs that are no option of the config file: what the run is for, secrets, and where its own files go.
OUTSIDE_CONFIG = {"mode", "config", "summary", "report-path", "headers", "tls-verify", "allow-private-hosts", "state", "shard", "merge", "token", "hosts", "config-from", "comment", "comment-id", "branch", "base", "pr-branch", "pr-labels", "commit-message", "commit-method", "index-now-key", "pr-title", "pr-draft", "pr-reviewers", "pr-assignees", "pr-auto-merge", "branch-token", "sign-off", "report-to"}  # fmt: skip
WITH_DEFAULT = {"mode", "config", "summary", "token", "comment"}


class Variant(NamedTuple):
    """A folder with the same action, started another way: no container action chooses a network or a target."""

    name: str
    title: str
    comment: str
    but: str  # what a runner does otherwise
    build: str = ""  # options of `docker build`
    run: str = ""  # options of `docker run`

    @property
    def path(self) -> Path:
        return ROOT / self.name / "action.yml"


VARIANTS = (
    Variant(
        "host",
        "host network",
        "The action on the network of its runner, for a server that an earlier step started on localhost.",
        "the network",
        run="--network host ",
    ),
    Variant(
        "browser",
        "with a browser",
        "The action on an image with Chromium, for sites with pages that only scripts build.",
        "the target",
        build="--target browser ",
    ),
)
each_variant = pytest.mark.parametrize("variant", VARIANTS, ids=[variant.name for variant in VARIANTS])

RUN = """\
        SITEMAP_ACTION_SOURCE: ${{ github.action_path }}/..
      # What a runner does for a container action, but for REASON. Names that are not set are not passed on.
      run: |
        if ! command -v docker >/dev/null; then
          echo "::error title=sitemap-action::there is no docker on this runner, which this variant starts: install it, or use the variant /python"
          exit 2
        fi
        image=$(docker build --quiet BUILD"$SITEMAP_ACTION_SOURCE")
        variables=()
        for name in "${!INPUT_@}" "${!GITHUB_@}" CI RUNNER_DEBUG \\
          HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy; do
          if [[ -v $name ]]; then variables+=(--env "$name"); fi
        done
        docker run --rm OPTIONS\\
          --volume "$GITHUB_WORKSPACE:/github/workspace" --workdir /github/workspace \\
          --volume "$GITHUB_EVENT_PATH:/github/workflow/event.json:ro" \\
          --volume "$GITHUB_OUTPUT:/github/file_commands/output" \\
          --volume "$GITHUB_STEP_SUMMARY:/github/file_commands/summary" \\
          "${variables[@]}" \\
          --env GITHUB_WORKSPACE=/github/workspace \\
          --env GITHUB_EVENT_PATH=/github/workflow/event.json \\
          --env GITHUB_OUTPUT=/github/file_commands/output \\
          --env GITHUB_STEP_SUMMARY=/github/file_commands/summary \\
          "$image"
"""


def written(variant: Variant) -> str:
    """The root action with a shell in place of the runner's own `docker build` and `docker run`."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    head, outputs = text[: text.index("outputs:")], text[text.index("outputs:") : text.index("runs:")]
    head = head.replace("name: Sitemap check\n", f"name: Sitemap check ({variant.title})\n")
    valued = re.sub(
        r"(?m)^  ([a-z-]+):\n    description: .*\n", r"\g<0>    value: ${{ steps.run.outputs.\1 }}\n", outputs
    )
    given = "".join(
        f"        INPUT_{name.upper().replace('-', '_')}: ${{{{ inputs.{name} }}}}\n" for name in ACTION["inputs"]
    )
    opening = f"# {variant.comment}\n# Made from action.yml: python tests/test_action.py\n"
    runs = "runs:\n  using: composite\n  steps:\n    - id: run\n      shell: bash\n      env:\n"
    script = RUN.replace("REASON", variant.but).replace("BUILD", variant.build).replace("OPTIONS", variant.run)
    if ACTION["runs"]["image"] != "Dockerfile":  # a release, which names images: python .ci/releases pin
        pinned = re.search(
            r"(?m)^ {8}image=ghcr\.io/\S+@sha256:[0-9a-f]{64}$", variant.path.read_text(encoding="utf-8")
        )
        assert pinned, f"{variant.name} names no image by digest, but the root action does"
        script = re.sub(r"(?m)^ {8}image=.*$", pinned[0], script)
    return f"{opening}{head}{valued}{runs}{given}{script}"


@each_variant
def test_the_variant_is_the_root_action(variant: Variant) -> None:
    assert variant.path.read_text(encoding="utf-8") == written(variant), "run: python tests/test_action.py"


@each_variant
def test_the_variant_differs_in_nothing_but_its_options(variant: Variant) -> None:
    there = yaml.safe_load(variant.path.read_text(encoding="utf-8"))
    (step,) = there["runs"]["steps"]
    same = ("description", "author", "branding", "inputs")
    assert {key: there[key] for key in same} == {key: ACTION[key] for key in same}
    outputs = {name: {"description": entry["description"]} for name, entry in there["outputs"].items()}
    assert outputs == ACTION["outputs"]
    assert {entry["value"] for entry in there["outputs"].values()} == {f"${{{{ steps.run.outputs.{name} }}}}" for name in outputs}  # fmt: skip
    given = {name.removeprefix("INPUT_").lower().replace("_", "-") for name in step["env"] if name.startswith("INPUT_")}
    assert given == set(ACTION["inputs"])
    build, _, run = step["run"].partition("docker run")
    # A runner gives a container action the other four, and a network of its own.
    flags = {"--rm", "--workdir", "--volume", "--env", *variant.run.split()[:1]}
    assert set(re.findall(r"(?<=\s)--[a-z-]+", run)) == flags
    assert re.findall(r"--network (\S+)", run) == variant.run.split()[1:]
    assert re.findall(r"--target (\S+)", build) == variant.build.split()[1:]


def test_the_target_of_the_browser_is_a_stage_and_the_default_another_one() -> None:
    lines = re.findall(r"(?m)^FROM (\S+)(?: AS (\S+))?$", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    assert ("system", "browser") in lines
    assert lines[-1] == ("system", "plain")
    built = re.findall(r"target=(\w+)", (ROOT / ".ci/images").read_text(encoding="utf-8"))
    assert set(built) == {"plain", "browser"}
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert text.count("chromium") == 1
    assert text.index("AS browser") < text.index("chromium") < text.rindex("FROM system")


def test_the_inputs_are_those_that_are_read() -> None:
    assert set(ACTION["inputs"]) == OUTSIDE_CONFIG | set(INPUTS)


def test_an_input_of_an_option_has_no_default_of_its_own() -> None:
    """The runner exports defaults always: one here would beat the config file."""
    assert {name for name, entry in ACTION["inputs"].items() if "default" in entry} == WITH_DEFAULT
    for name in set(ACTION["inputs"]) - WITH_DEFAULT:
        assert "Built-in default" in ACTION["inputs"][name]["description"], name


def test_defaults_are_strings_and_names_kebab_case() -> None:
    for name, entry in {**ACTION["inputs"], **ACTION["outputs"]}.items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
        assert isinstance(entry.get("default", ""), str), name


def test_the_modes_are_named() -> None:
    for mode in Mode:
        assert mode.value in ACTION["inputs"]["mode"]["description"]


@each_variant
def test_a_shell_never_sees_an_expression(variant: Variant) -> None:
    """What an expression gives is data: it comes as a variable, not as a part of the script."""
    (step,) = yaml.safe_load(variant.path.read_text(encoding="utf-8"))["runs"]["steps"]
    assert "${{" not in step["run"]


# --- what other people's tools say of everything that is shipped ---

# Steps alone stand in a job such as the documents have.
AROUND = """name: Example {number}
on:
  pull_request:
permissions: {{}}
concurrency:
  group: example-{number}
  cancel-in-progress: true
jobs:
  sitemap:
    name: Sitemap
    runs-on: ubuntu-latest
    timeout-minutes: 20
    permissions:
      contents: read # to check the repository out
    steps:
{steps}"""
EXAMPLES = [
    *WORKFLOWS,
    *(
        path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "examples/workflows").glob("[!.]*.yml"))
        if ".gitlab" not in path.name
    ),
    *(AROUND.format(number=number, steps=indent(steps, "      ")) for number, steps in enumerate(STEPS)),
]
ACTIONS = ["action.yml", *sorted(f"{path.parent.name}/action.yml" for path in ROOT.glob("*/action.yml"))]
SHIPPED = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our action, its workflows, and every workflow of the documents as a repository would hold them."""
    root = tmp_path_factory.mktemp("shipped")
    for name in (*ACTIONS, "Dockerfile", ".github/dependabot.yml"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    workflows = root / ".github/workflows"
    workflows.mkdir()
    for path in SHIPPED:
        shutil.copy(path, workflows)
    for number, text in enumerate(EXAMPLES):
        (workflows / f"example-{number}.yml").write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


def tool(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


def clean(*command: str, cwd: Path) -> None:
    done = subprocess.run([tool(command[0]), *command[1:]], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_is_something_to_look_at() -> None:
    assert SHIPPED
    assert len(WORKFLOWS) >= 13
    assert len(STEPS) >= 3
    assert len(EXAMPLES) == 21


@pytest.mark.parametrize(
    ("schema", "files"),
    [("github-actions", ACTIONS), ("github-workflows", [".github/workflows/*.yml"]), ("dependabot", [".github/dependabot.yml"])],
)  # fmt: skip
def test_files_meet_their_schema(schema: str, files: list[str], repository: Path) -> None:
    """In process: a start of its program compiles every grammar of RFC 3987."""
    found = [str(path) for pattern in files for path in repository.glob(pattern)]
    assert check_jsonschema.main(["--builtin-schema", f"vendor.{schema}", *found], standalone_mode=False) == 0


def test_actionlint_finds_nothing(repository: Path) -> None:
    clean("actionlint", "-no-color", cwd=repository)


def test_zizmor_finds_nothing(repository: Path) -> None:
    """Pedantic; of our own action no commit can be named before it is released, so a branch stands for it."""
    rules = {"rules": {"unpinned-uses": {"config": {"policies": {"OWNER/*": "ref-pin", "*": "hash-pin"}}}}}
    (repository / ".github/zizmor.yml").write_text(json.dumps(rules), encoding="utf-8")
    clean("zizmor", "--offline", "--pedantic", "--no-progress", "--color=never", ".", cwd=repository)


def test_the_linters_would_find_something(tmp_path: Path) -> None:
    """They are started rightly: what is wrong is not passed over."""
    (tmp_path / ".github/workflows").mkdir(parents=True)
    bad = "name: x\non: pull_request_target\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: 'echo ${{ github.head_ref }}'}]}}\n"
    (tmp_path / ".github/workflows/x.yml").write_text(bad, encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for command in (("zizmor", "--offline", "."), ("actionlint",)):
        with pytest.raises(AssertionError):
            clean(*command, cwd=tmp_path)


if __name__ == "__main__":
    for one in VARIANTS:
        one.path.parent.mkdir(exist_ok=True)
        one.path.write_text(written(one), encoding="utf-8")
