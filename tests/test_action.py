"""The action's own file, and what linters say of everything that is shipped."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import indent

import check_jsonschema
import pytest
import yaml

from documents import STEPS, WORKFLOWS
from sitemap_action.config.schema import INPUTS
from sitemap_action.model.context import Mode

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
# Inputs that are no option of the config file: what the run is for, secrets, and where its own files go.
OUTSIDE_CONFIG = {"mode", "config", "summary", "report-path", "headers", "tls-verify", "allow-private-hosts", "state", "shard", "merge", "token", "hosts", "config-from", "comment", "comment-id", "branch", "base", "pr-branch", "pr-labels", "commit-message", "commit-method", "index-now-key", "pr-title", "pr-draft", "pr-reviewers", "pr-assignees", "pr-auto-merge", "branch-token", "sign-off", "report-to", "runtime", "browser", "network"}  # fmt: skip
WITH_DEFAULT = {"mode", "config", "summary", "token", "comment", "runtime", "browser", "network"}

(STEP,) = ACTION["runs"]["steps"]


def test_the_one_step_takes_every_input_and_gives_every_output() -> None:
    images = {"IMAGE", "IMAGE_BROWSER"}
    inputs = {f"INPUT_{name.upper().replace('-', '_')}": f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}
    assert {name: value for name, value in STEP["env"].items() if name not in images} == inputs
    assert images <= set(STEP["env"])
    assert {name: entry["value"] for name, entry in ACTION["outputs"].items()} == {name: f"${{{{ steps.run.outputs.{name} }}}}" for name in ACTION["outputs"]}  # fmt: skip


def test_a_shell_never_sees_an_expression() -> None:
    """What an expression gives is data: it comes as a variable, not as a part of the script."""
    assert STEP["run"] == 'exec bash "$GITHUB_ACTION_PATH/action/start.sh"'


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
    assert set(ACTION["inputs"]) == OUTSIDE_CONFIG | set(INPUTS), "an input is in action.yml, and in INPUTS or here"


def test_an_input_of_an_option_has_no_default_of_its_own() -> None:
    """The runner exports defaults always: one here would beat the config file."""
    assert {name for name, entry in ACTION["inputs"].items() if "default" in entry} == WITH_DEFAULT
    for name in set(ACTION["inputs"]) - WITH_DEFAULT:
        assert "Built-in default" in ACTION["inputs"][name]["description"], name


def test_defaults_are_strings_and_names_kebab_case() -> None:
    for name, entry in {**ACTION["inputs"], **ACTION["outputs"]}.items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
        assert isinstance(entry.get("default", ""), str), name
    assert ACTION["inputs"]["token"]["default"] == "${{ github.token }}"


def test_the_modes_are_named() -> None:
    for mode in Mode:
        assert mode.value in ACTION["inputs"]["mode"]["description"]


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
SHIPPED = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our action, its workflows, and every workflow of the documents as a repository would hold them."""
    root = tmp_path_factory.mktemp("shipped")
    for name in ("action.yml", "Dockerfile", ".github/dependabot.yml"):
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


# The documented inputs and outputs of create-pull-request 8.1.1 and git-auto-commit-action 7.2.0.
PEERS = {
    "CPR": "token branch-token path add-paths commit-message committer author signoff branch delete-branch branch-suffix base push-to-fork sign-commits title body body-path labels assignees reviewers team-reviewers milestone draft maintainer-can-modify pull-request-number pull-request-url pull-request-operation pull-request-head-sha pull-request-branch pull-request-commits-verified",
    "GAC": "commit_message branch commit_options add_options status_options file_pattern repository commit_user_name commit_user_email commit_author tag_name tagging_message push_options skip_dirty_check skip_fetch skip_checkout skip_push disable_globbing create_branch create_git_tag_only before_add_hook after_add_hook before_commit_hook after_commit_hook before_tag_hook after_tag_hook before_push_hook after_push_hook disable_pull_request_target_trigger_warning internal_git_binary changes_detected commit_hash",
}  # fmt: skip


def test_the_options_of_peers_are_all_in_the_table_and_ours_are_real() -> None:
    text = (ROOT / "tests/peers.md").read_text(encoding="utf-8").partition("# Beside other actions")[2]
    rows = re.findall(r"(?m)^\| (.*?) ?\| (.*?) ?\| (same|better|not|neither)\b.* \|$", text.partition("\n## ")[0])
    there = {peer: {name for row in rows for part in re.findall(rf"{peer} [^A-Z]*", row[0]) for name in re.findall("`([^`]+)`", part)} for peer in PEERS}  # fmt: skip
    assert there == {peer: set(names.split()) for peer, names in PEERS.items()}
    assert len(rows) == text.partition("\n## ")[0].count("\n| ") - 1, "a row says neither same, better nor why not"
    for peers, ours, verdict in rows:
        names = re.findall("`([^`]+)`", ours)
        assert {*names} <= ACTION["inputs"].keys() | ACTION["outputs"].keys(), peers
        assert names or verdict == "not", peers


def test_there_is_something_to_look_at() -> None:
    assert SHIPPED
    assert WORKFLOWS
    assert STEPS
    assert len(EXAMPLES) >= 18


@pytest.mark.parametrize(
    ("schema", "files"),
    [("github-actions", ["action.yml"]), ("github-workflows", [".github/workflows/*.yml"]), ("dependabot", [".github/dependabot.yml"])],
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
