"""Our own workflow as a runner plays it: `uses: ./` builds the image, which two containers run, and the next step asserts the outputs."""

from pathlib import Path

from acts import act, action_repository
from containers import Engine


def test_the_next_step_sees_the_outputs(tmp_path: Path, engine: Engine) -> None:
    assert engine.image
    cases = ("tests/cases/in-sync", "tests/cases/three-accidents")
    repository = action_repository(tmp_path / "repository", ".github/workflows", *cases)
    done = act(repository, "push", "--job", "action")
    assert done.returncode == 0, done.stdout
    assert "runtime python" not in done.stdout
    assert "Job succeeded" in done.stdout
    assert "said: in-sync false 0, drift true" in done.stdout
