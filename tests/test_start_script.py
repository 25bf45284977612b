"""`action/start.sh` with an engine that starts nothing: what each container is given, and which way a run goes."""

import os
import shutil
import signal
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from containers import ROOT, TOKEN, Ran, Runner
from examples import some

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="containers are started on Linux alone")
# What it was asked is kept, a file for each process; `name`, `info`, `missing` and `code-NAME` say how it answers.
DOCKER = """#!/bin/bash
cd "$(dirname "$0")"
[ "$(basename "$0")" = "$(cat name)" ] || exit 1
case $1 in
    --version) echo "$(cat name) version 5" ;;
    ps) ;;
    info) cat info ;;
    image) [ ! -e missing ] ;;
    build | pull) printf '%s ' "$@" >> built; echo an-image ;;
    run) as=${!#}; printf '%s\\0' "$@" > "asked-$as"; exit "$(cat "code-$as" 2>/dev/null || echo 0)" ;;
esac
"""
IMAGE = f"ghcr.io/owner/sitemap-action:v1.2.3@sha256:{'a' * 64}"


class Asked(NamedTuple):
    """The arguments of one `run`."""

    words: list[str]

    def given(self, option: str) -> list[str]:
        return [value for name, value in zip(self.words, self.words[1:], strict=False) if name == option]

    @property
    def mounts(self) -> list[str]:
        return self.given("--mount")


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    made = Runner.make(tmp_path / "github", IMAGE)
    for name in ("docker", "podman"):
        program(made, name, DOCKER)
    engine(made)
    return made


def program(runner: Runner, name: str, text: str) -> None:
    path = runner.folder / "bin" / name
    path.write_text(text)
    path.chmod(0o755)


def engine(runner: Runner, name: str = "docker", **answers: str) -> None:
    for file, text in {"name": name, "info": "[name=seccomp,profile=builtin]", **answers}.items():
        path = runner.folder / "bin" / file
        path.unlink(missing_ok=True)
        if text:
            path.write_text(text)


def asked(runner: Runner, part: str) -> Asked:
    return Asked((runner.folder / f"bin/asked-{part}").read_text().split("\0")[:-1])


def started(runner: Runner) -> list[str]:
    return sorted(path.name for path in (runner.folder / "bin").glob("asked-*"))


@pytest.mark.attack("root")
@pytest.mark.parametrize("part", ["reader", "publisher"])
def test_a_container_gets_nothing_that_it_does_not_need(runner: Runner, part: str) -> None:
    assert runner.run(network="bridge").code == 0
    found = asked(runner, part)
    assert found.words[0] == "run"
    assert {"--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--rm", "--interactive"} <= set(
        found.words
    )
    assert not [word for word in found.words if "docker.sock" in word or word.startswith(("--privileged", "--cap-add", "--device", "--pid", "--ipc"))]  # fmt: skip
    owner = runner.workspace.stat()
    assert found.given("--user") == [f"{owner.st_uid}:{owner.st_gid}"]
    assert (found.given("--network"), found.given("--log-driver"), found.given("--pull")) == (
        ["bridge"],
        ["none"],
        ["never"],
    )
    assert (found.given("--volume"), found.given("--workdir")) == (["/tmp"], [str(runner.workspace)])
    assert found.words[-4:] == [IMAGE, "run", "--as", part]


@pytest.mark.attack("secrets")
@pytest.mark.attack("root")
def test_S_02_the_reader_has_neither_token_nor_file_of_the_runner(runner: Runner) -> None:
    secrets = dict.fromkeys(("GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "NPM_TOKEN", "GITHUB_ENV", "GITHUB_PATH"), TOKEN)  # fmt: skip
    assert runner.run(environment=secrets, branch_token="another").code == 0
    found = asked(runner, "reader")
    withheld = {"INPUT_TOKEN", "INPUT_BRANCH_TOKEN", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", *secrets}
    names = set(found.given("--env")) - {"HOME=/tmp"}
    others = {name for name in names if not name.startswith(("INPUT_", "GITHUB_", "RUNNER_"))}
    assert others <= {"CI", "SOURCE_DATE_EPOCH"}
    assert {"INPUT_MODE", "INPUT_HEADERS", "GITHUB_WORKSPACE", "GITHUB_EVENT_PATH", "GITHUB_REPOSITORY", "CI"} <= names
    assert not names & withheld
    assert not [name for name in names if "=" in name], "a value is in no list of processes"
    event = runner.folder / "workflow/event.json"
    place = f"type=bind,source={runner.workspace},target={runner.workspace}"
    assert found.mounts == [f"type=bind,source={event},target={event},readonly", f"{place},readonly"]
    published = asked(runner, "publisher")
    files = [runner.folder / "file_commands" / name for name in ("set_output_1", "step_summary_1")]
    assert published.mounts == [
        found.mounts[0],
        *(f"type=bind,source={file},target={file}" for file in files),
        place,
    ]
    assert {"INPUT_TOKEN", "INPUT_BRANCH_TOKEN", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"} <= set(
        published.given("--env")
    )
    assert not set(published.given("--env")) & set(secrets)


def test_a_state_is_written_by_the_reader(runner: Runner) -> None:
    assert runner.run(state="shards/1").code == 0
    assert asked(runner, "reader").mounts[-1] == f"type=bind,source={runner.workspace},target={runner.workspace}"


def test_proxies_and_authorities_are_given(runner: Runner) -> None:
    authority = runner.folder / "workflow/authority.pem"
    authority.touch()
    runner.put({"ca.pem": ""})
    given = {"https_proxy": "http://proxy:3128", "NO_PROXY": "", "SSL_CERT_FILE": str(authority), "GIT_SSL_CAINFO": str(runner.workspace / "ca.pem")}  # fmt: skip
    assert runner.run(environment=given).code == 0
    for part in ("reader", "publisher"):
        found = asked(runner, part)
        assert set(given) <= set(found.given("--env"))
        assert "http_proxy" not in found.given("--env"), "what is not set is not passed on"
        assert [one for one in found.mounts if ".pem" in one] == [f"type=bind,source={authority},target={authority},readonly"]  # fmt: skip


USERS = [
    ("docker", "[name=seccomp,profile=builtin name=cgroupns]", 1001, ["--user", "OWNER"]),
    ("docker", "[name=seccomp,profile=builtin name=rootless]", 1001, ["--user", "0:0"]),
    ("podman", "", 0, ["--user", "OWNER"]),
    ("podman", "", 1001, ["--user", "OWNER", "--userns", "keep-id"]),
]


@pytest.mark.parametrize(("name", "info", "user", "wanted"), USERS, ids=["docker", "docker without root", "podman", "podman without root"])  # fmt: skip
def test_the_workspace_s_owner_is_the_user(name: str, info: str, user: int, wanted: list[str], runner: Runner) -> None:
    """Where an engine has no root, its user is the one of the machine that started it."""
    engine(runner, name, info=info)
    program(runner, "id", f"#!/bin/bash\necho {user}\n")
    os.chown(runner.workspace, *((1001, 127) if os.getuid() == 0 else (-1, -1)))
    owner = runner.workspace.stat()
    assert runner.run(runtime="auto").code == 0
    words = asked(runner, "reader").words
    start = words.index(wanted[0])
    assert words[start : words.index("--network")] == [word.replace("OWNER", f"{owner.st_uid}:{owner.st_gid}") for word in wanted]  # fmt: skip


@pytest.mark.parametrize(("browser", "image"), [("false", ""), ("true", ""), ("false", IMAGE), ("true", IMAGE)])
def test_which_image(browser: str, image: str, runner: Runner) -> None:
    """A release names both by digest; without, the folder of the action is built."""
    (runner.folder / "bin/missing").touch()
    kind = "browser" if browser == "true" else "plain"
    images = {"IMAGE": image, "IMAGE_BROWSER": image and image.replace("v1.2.3", "v1.2.3-browser")}
    assert runner.run(environment=images, browser=browser).code == 0
    wanted = images["IMAGE_BROWSER" if browser == "true" else "IMAGE"]
    assert asked(runner, "reader").words[-4] == asked(runner, "publisher").words[-4] == (wanted or "an-image")
    built = (runner.folder / "bin/built").read_text()
    assert built == (f"pull --quiet {wanted} " if wanted else f"build --quiet --target {kind} {ROOT} ")


def test_an_image_that_is_here_is_not_pulled(runner: Runner) -> None:
    assert runner.run().code == 0
    assert not (runner.folder / "bin/built").exists()


# How both ended, and how the step ends: what a reader says counts only where a result was published.
ENDS = [(0, 0, 0), (1, 0, 1), (3, 0, 3), (0, 70, 70), (2, 70, 2), (0, 2, 2), (137, 0, 137), (125, 125, 125)]


@pytest.mark.attack("root")
@pytest.mark.parametrize(("reader", "publisher", "code"), ENDS)
def test_S_10_a_run_without_a_result_is_no_success(reader: int, publisher: int, code: int, runner: Runner) -> None:
    engine(runner, **{"code-reader": str(reader), "code-publisher": str(publisher)})
    ran = runner.run()
    assert ran.code == code, ran.log
    assert ("the run ended without a result" in ran.log) is ((reader, publisher) == (0, 70))
    assert not list((runner.folder / "temp").iterdir()), "the pipes are gone"


@pytest.mark.parametrize(("name", "value"), [("runtime", "Docker"), ("runtime", ""), ("browser", "yes"), ("network", "none"), ("network", "x --privileged")])  # fmt: skip
def test_an_input_of_another_value_is_refused(name: str, value: str, runner: Runner) -> None:
    ran = runner.run(**{name: value})
    assert ran.code == 2, ran.log
    assert ran.log.startswith(f"::error title=sitemap-action::input {name} has to be ")
    assert started(runner) == []


@pytest.mark.attack("injection")
def test_no_value_is_a_part_of_a_command(runner: Runner) -> None:
    hostile = "$(touch taken); `touch taken` \"'\n--privileged\nGITHUB_TOKEN=x\n::error::x"
    given = dict.fromkeys(("path", "headers", "commit_message", "site_url", "comment_id"), hostile)
    ran = runner.run(environment={"GITHUB_HEAD_REF": hostile, "GITHUB_TOKEN": TOKEN}, **given)
    assert (ran.code, ran.log) == (0, "")
    for part in ("reader", "publisher"):
        assert "--privileged" not in asked(runner, part).words
        assert "GITHUB_TOKEN" not in asked(runner, part).given("--env")
    assert not list(runner.folder.rglob("taken"))


# --- a signal ends it at any moment, and leaves nothing ---

# Of an engine.
CLIENT = """#!/bin/bash
cd "$(dirname "$0")"
case $1 in
    --version) echo "docker version 5" ;;
    info) echo "[name=seccomp]" ;;
"""
# Leaves its container behind when it is killed, as a real one may before it has started it.
LEAVES = (
    CLIENT
    + """    run)
        while [ "$1" != --name ]; do shift; done
        touch "container-$2"
        case ${!#} in publisher) echo begin; cat >/dev/null ;; reader) read -r ;; esac
        rm "container-$2"
        ;;
    rm) shift 3; for name; do rm "container-$name" || exit 0; done ;;
esac
"""
)
# Before each command of the script, in its functions and subshells, too: the signal at one of them, once.
MOMENTS = """unset BASH_ENV
number=0
at() { if ((++number == MOMENT)) && mkdir "$SENT" 2>/dev/null; then kill "-$SIGNAL" $$; fi; if ((MOMENT == 0)); then echo $number >> "$COUNTED"; fi; }
set -T
trap at DEBUG
"""


def signalled(folder: Path, moment: int, name: str = "TERM") -> Ran:
    """On a runner of its own."""
    runner = Runner.make(folder, IMAGE)
    program(runner, "docker", LEAVES)
    (folder / "moments").write_text(MOMENTS)
    given = {"BASH_ENV": str(folder / "moments"), "MOMENT": str(moment), "SIGNAL": name, "SENT": str(folder / "sent"), "COUNTED": str(folder / "counted")}  # fmt: skip
    every = runner.environment(runtime="container")
    asked = {"INPUT_NETWORK", "INPUT_RUNTIME", "INPUT_BROWSER", "INPUT_TOKEN", "INPUT_STATE"}
    # Of the inputs that are passed on one by one, some: the commands are the same for each.
    environment = {name: text for name, text in every.items() if name in asked or not name.startswith("INPUT_")}
    environment |= given
    return runner.start(["env", "--default-signal=INT,TERM", "bash", str(ROOT / "action/start.sh")], environment)


@pytest.mark.parametrize("name", ["TERM", "INT"])
def test_a_signal_at_any_moment_leaves_no_container_and_no_folder(name: str, tmp_path: Path) -> None:
    """Several at once: each waits for most of its time."""
    assert signalled(tmp_path / "0", 0).code == 0
    moments = sorted({int(line) for line in (tmp_path / "0/counted").read_text().splitlines()})
    assert len(moments) > 100
    chosen = [*some(moments)]
    with ThreadPoolExecutor(4) as threads:
        every = list(threads.map(lambda moment: signalled(tmp_path / str(moment), moment, name), chosen))
    for moment, ran in zip(chosen, every, strict=True):
        assert (ran.folder / "sent").exists(), moment
        left = [*(ran.folder / "temp").iterdir(), *(ran.folder / "bin").glob("container-*")]
        assert not left, (moment, ran.code, ran.log)
        assert ran.code in {0, 128 + signal.SIGTERM, 128 + signal.SIGINT, -signal.Signals[f"SIG{name}"]}, (
            moment,
            ran.log,
        )
        assert "::error" not in ran.log, (moment, ran.log)


# Misses the first signal, as one that has no traps yet. That of the reader sends it to the script.
MISSES = (
    CLIENT
    + """    run)
        trap 'trap - TERM' TERM
        touch "up-${!#}"
        if [ "${!#}" = reader ]; then until [ -e up-publisher ]; do sleep 0.05; done; kill -TERM $PPID; fi
        sleep 10 >/dev/null 2>&1 &
        until wait $!; do :; done # a signal ends a wait at once
        ;;
esac
"""
)


def test_a_client_that_misses_a_signal_gets_another(runner: Runner) -> None:
    program(runner, "docker", MISSES)
    assert runner.run().code == 128 + signal.SIGTERM


# --- where there is no container ---


def without_engine(runner: Runner, **inputs: str) -> Ran:
    """Python is a program that says how it was started."""
    program(runner, "python3", '#!/bin/bash\n[ "$2" = -c ] && exit\necho "python $* ${SITEMAP_ACTION_BROWSER-any}"\n')
    return runner.run(**inputs)


def test_without_an_engine_the_log_says_which_wall_is_missing(runner: Runner) -> None:
    engine(runner, "none")
    ran = without_engine(runner, runtime="auto")
    assert ran.code == 0
    first, second = ran.log.splitlines()
    assert first == "runtime python (neither docker nor podman answers on this runner): no container keeps the process that reads the site from the token and the rights of this job"  # fmt: skip
    assert second == f"python -I {ROOT}/action/start.py none"
    assert without_engine(runner, runtime="auto", browser="true").log.endswith("start.py any\n")
    ran = without_engine(runner, runtime="container")
    assert (ran.code, ran.log) == (2, "::error title=sitemap-action::input runtime is container, and neither docker nor podman answers on this runner\n")  # fmt: skip


def test_python_is_asked_for(runner: Runner) -> None:
    ran = without_engine(runner, runtime="python")
    assert ran.log.startswith("runtime python (as the input says): no container ")
    assert started(runner) == []
    program(runner, "python3", '#!/bin/bash\n[ "$2" = -c ] && exit\necho "given $MINE, $INPUT_TOKEN"\n')
    ran = runner.run(runtime="python", environment={"MINE": "a variable of the job"})
    assert ran.log.endswith(f"given a variable of the job, {TOKEN}\n"), ran.log


def test_in_the_container_of_a_job_files_are_elsewhere_than_the_engine_sees(runner: Runner) -> None:
    program(runner, "python3", "#!/bin/bash\n")
    given = {"GITHUB_WORKSPACE": "/__w/site/site"}
    ran = runner.run(runtime="auto", environment=given)
    assert "this job is in a container, whose files an engine does not see" in ran.log
    assert runner.run(runtime="container", environment=given).code == 2
    assert started(runner) == []


def test_without_an_interpreter_the_step_says_what_to_add(runner: Runner) -> None:
    folder = runner.folder / "tools"
    folder.mkdir()
    for name in ("bash", "dirname", "uname"):
        found = shutil.which(name)
        assert found
        (folder / name).symlink_to(found)
    ran = runner.run(runtime="python", environment={"PATH": str(folder)})
    assert (ran.code, ran.log.splitlines()[1:]) == (2, ["::error title=sitemap-action::No Python 3.11 or newer is on PATH: run actions/setup-python in a step before"])  # fmt: skip


def test_the_script_is_short_and_strict() -> None:
    path = ROOT / "action/start.sh"
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 162
    assert "set -euo pipefail" in lines
    assert not path.stat().st_mode & stat.S_IWOTH
