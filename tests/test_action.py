"""The action's own files: what `action.yml` says, and its variant; `python tests/test_action.py` writes the variant anew."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from sitemap_action.cli.effects import OUTPUTS
from sitemap_action.config.schema import INPUTS
from sitemap_action.model.context import Mode

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOST = ROOT / "host/action.yml"
# Inputs that are no option of the config file: what the run is for, secrets, and where its own files go.
OUTSIDE_CONFIG = {"mode", "config", "summary", "report-path", "headers", "tls-verify", "allow-private-hosts", "state", "token", "hosts", "config-from", "comment", "comment-id", "branch", "base", "pr-branch", "pr-labels", "commit-message", "commit-method", "index-now-key"}  # fmt: skip
WITH_DEFAULT = {"mode", "config", "summary", "token", "comment"}

RUN = """\
        SITEMAP_ACTION_SOURCE: ${{ github.action_path }}/..
      # What a runner does for a container action, but for the network. Names that are not set are not passed on.
      run: |
        image=$(docker build --quiet "$SITEMAP_ACTION_SOURCE")
        variables=()
        for name in "${!INPUT_@}" "${!GITHUB_@}" CI RUNNER_DEBUG \\
          HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy; do
          if [[ -v $name ]]; then variables+=(--env "$name"); fi
        done
        docker run --rm --network host \\
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


def host() -> str:
    """The root action with a shell in place of the runner's own `docker run`."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    head, outputs = text[: text.index("outputs:")], text[text.index("outputs:") : text.index("runs:")]
    head = head.replace("name: Sitemap check\n", "name: Sitemap check (host network)\n")
    valued = re.sub(
        r"(?m)^  ([a-z-]+):\n    description: .*\n", r"\g<0>    value: ${{ steps.run.outputs.\1 }}\n", outputs
    )
    given = "".join(
        f"        INPUT_{name.upper().replace('-', '_')}: ${{{{ inputs.{name} }}}}\n" for name in ACTION["inputs"]
    )
    opening = "# The action on the network of its runner, for a server that an earlier step started on localhost.\n"
    opening += "# Made from action.yml: python tests/test_action.py\n"
    runs = "runs:\n  using: composite\n  steps:\n    - id: run\n      shell: bash\n      env:\n"
    return f"{opening}{head}{valued}{runs}{given}{RUN}"


def test_the_variant_is_the_root_action() -> None:
    assert HOST.read_text(encoding="utf-8") == host(), "run: python tests/test_action.py"


def test_the_variant_differs_in_nothing_but_the_network() -> None:
    there = yaml.safe_load(HOST.read_text(encoding="utf-8"))
    (step,) = there["runs"]["steps"]
    same = ("description", "author", "branding", "inputs")
    assert {key: there[key] for key in same} == {key: ACTION[key] for key in same}
    outputs = {name: {"description": entry["description"]} for name, entry in there["outputs"].items()}
    assert outputs == ACTION["outputs"]
    assert {entry["value"] for entry in there["outputs"].values()} == {f"${{{{ steps.run.outputs.{name} }}}}" for name in outputs}  # fmt: skip
    given = {name.removeprefix("INPUT_").lower().replace("_", "-") for name in step["env"] if name.startswith("INPUT_")}
    assert given == set(ACTION["inputs"])
    _, _, run = step["run"].partition("docker run")
    # A runner gives a container action the other four, and a network of its own.
    assert set(re.findall(r"(?<=\s)--[a-z-]+", run)) == {"--rm", "--workdir", "--volume", "--env", "--network"}
    assert re.findall(r"--network (\S+)", run) == ["host"]


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


def test_the_outputs_are_those_that_are_written() -> None:
    assert set(OUTPUTS) == set(ACTION["outputs"])


def test_a_shell_never_sees_an_expression() -> None:
    """What an expression gives is data: it comes as a variable, not as a part of the script."""
    (step,) = yaml.safe_load(HOST.read_text(encoding="utf-8"))["runs"]["steps"]
    assert "${{" not in step["run"]


# --- what other people's tools say of everything that is shipped ---

DOCUMENTS = ("docs/workflows.md", "docs/built-sitemap.md", "docs/state.md", "docs/dates.md")
TEXTS = "".join((ROOT / name).read_text(encoding="utf-8") for name in DOCUMENTS)
EXAMPLES = [text for text in re.findall(r"(?s)```yaml\n(.*?)```", TEXTS) if re.search(r"(?m)^jobs:", text)]
SHIPPED = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our action, its workflows, and every workflow of the documents as a repository would hold them."""
    root = tmp_path_factory.mktemp("shipped")
    for name in ("action.yml", "host/action.yml", "Dockerfile", ".github/dependabot.yml"):
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
    assert len(EXAMPLES) == 13


def test_actions_meet_their_schema(repository: Path) -> None:
    clean("check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml", "host/action.yml", cwd=repository)  # fmt: skip


def test_workflows_meet_their_schema(repository: Path) -> None:
    files = map(str, (repository / ".github/workflows").glob("*.yml"))
    clean("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *files, cwd=repository)


def test_dependabot_meets_its_schema(repository: Path) -> None:
    clean("check-jsonschema", "--builtin-schema", "vendor.dependabot", ".github/dependabot.yml", cwd=repository)


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
    HOST.write_text(host(), encoding="utf-8")
