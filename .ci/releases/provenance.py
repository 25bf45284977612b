"""SLSA provenance (v1) of what a workflow run has built, in the form of GitHub's own build type."""

import json
import re
from collections.abc import Mapping

from tree import RefusalError

# https://actions.github.io/buildtypes/workflow/v1
_NEEDED = {
    "GITHUB_SERVER_URL": r"https://[\w.-]+",
    "GITHUB_REPOSITORY": r"[\w.-]+/[\w.-]+",
    "GITHUB_WORKFLOW_REF": r"[\w.-]+/[\w.-]+/\.github/workflows/[\w.-]+@refs/\S+",
    "GITHUB_REF": r"refs/\S+",
    "GITHUB_SHA": r"[0-9a-f]{40}",
    "GITHUB_EVENT_NAME": r"\w+",
    "GITHUB_REPOSITORY_ID": r"\d+",
    "GITHUB_REPOSITORY_OWNER_ID": r"\d+",
    "GITHUB_RUN_ID": r"\d+",
    "GITHUB_RUN_ATTEMPT": r"\d+",
    "RUNNER_ENVIRONMENT": r"[\w-]+",
}


def predicate(environment: Mapping[str, str]) -> str:
    """Raises RefusalError outside of a workflow run: provenance states what has happened."""
    given = {name: environment.get(name, "") for name in _NEEDED}
    if wrong := [name for name, form in _NEEDED.items() if not re.fullmatch(form, given[name])]:
        raise RefusalError(f"not in a run of GitHub Actions: {', '.join(wrong)} is missing or has another form")
    repository = f"{given['GITHUB_SERVER_URL']}/{given['GITHUB_REPOSITORY']}"
    workflow, _, ref = given["GITHUB_WORKFLOW_REF"].removeprefix(f"{given['GITHUB_REPOSITORY']}/").partition("@")
    run = f"{repository}/actions/runs/{given['GITHUB_RUN_ID']}/attempts/{given['GITHUB_RUN_ATTEMPT']}"
    made = {
        "buildDefinition": {
            "buildType": "https://actions.github.io/buildtypes/workflow/v1",
            "externalParameters": {"workflow": {"ref": ref, "repository": repository, "path": workflow}},
            "internalParameters": {
                "github": {
                    "event_name": given["GITHUB_EVENT_NAME"],
                    "repository_id": given["GITHUB_REPOSITORY_ID"],
                    "repository_owner_id": given["GITHUB_REPOSITORY_OWNER_ID"],
                    "runner_environment": given["RUNNER_ENVIRONMENT"],
                }
            },
            "resolvedDependencies": [
                {"uri": f"git+{repository}@{given['GITHUB_REF']}", "digest": {"gitCommit": given["GITHUB_SHA"]}}
            ],
        },
        "runDetails": {
            "builder": {"id": f"{given['GITHUB_SERVER_URL']}/{given['GITHUB_WORKFLOW_REF']}"},
            "metadata": {"invocationId": run},
        },
    }
    return json.dumps(made, indent=2, sort_keys=True) + "\n"
