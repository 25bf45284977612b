"""What `init` writes: `.github/sitemap.yml`, a workflow or pipeline, and a report of what it assumed."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from sitemap_action import REPOSITORY, __version__
from sitemap_action.hosts.literals import yaml_text
from sitemap_action.setup.generator_configs import GeneratedSite
from sitemap_action.setup.generators import MARK
from sitemap_action.setup.packages import ToolStep
from sitemap_action.setup.project import Fact, safe_branch
from sitemap_action.web.printable import printable

CONFIG = ".github/sitemap.yml"
WORKFLOW = ".github/workflows/sitemap.yml"
PIPELINE, INCLUDED = ".gitlab-ci.yml", ".gitlab/sitemap.yml"  # of GitLab, the second where the first is there already


class SetupChoice(Struct, frozen=True):
    site: GeneratedSite
    folder: str  # of the site's sources; "" is the top of the repository
    address: Fact  # an empty text where no file states a usable one
    branch: Fact  # the default one
    committed: Fact | None = None  # a sitemap that is tracked, and what tells
    host: Fact | None = None  # `where` is the evidence
    submodules: bool = False
    refused: tuple[str, ...] = ()  # sentences on addresses that do not count
    cache: str = ""  # commit or tag of actions/cache in the repository's own workflows
    checks: tuple[str, ...] = ()  # lines that run this action already
    tools: tuple[ToolStep, ...] = ()  # that the build needs in a version of its own
    workflow: str = WORKFLOW  # path of the file that runs the check
    name: str = ""  # of the site, where the repository has several (U-23)
    action: str = ""  # with the commit that this program was installed from; "" where that is not known

    @property
    def config(self) -> str:
        return config_path(self.name)

    @property
    def uses(self) -> str:
        return self.action or ACTION

    @property
    def keeps_baseline(self) -> bool:
        """The generator's own sitemap is in no commit: the default branch's is kept in GitHub's cache."""
        return not is_gitlab(self.workflow) and self.committed is None and self.site.sitemap is not None

    @property
    def states_address(self) -> str:
        """The sitemap that a run takes site-url from where the config has none; "" without one."""
        if self.committed:
            return self.committed.value
        return f"the {self.site.sitemap.value} of the build" if self.site.sitemap else ""

    @property
    def first_sitemap(self) -> str:
        """The place where a first `write` puts a sitemap; "" where there is one, or the place is not known."""
        if self.committed or self.site.sitemap or self.site.copied is None or self.site.overwrites:
            return ""
        return f"{self.site.copied}/sitemap.xml" if self.site.copied else "sitemap.xml"


def is_gitlab(workflow: str) -> bool:
    return workflow.startswith(".gitlab")


def config_path(name: str) -> str:
    """`name`: of the site, where the repository has several."""
    return CONFIG.replace(".yml", f"-{name}.yml") if name else CONFIG


FILL_IN = "https://www.example.com/"


def comment(text: str) -> str:
    """A comment at the end of a line of YAML, in which no expression of a workflow may stand either."""
    return printable(text).replace("${{", "$ {{")


def config_text(choice: SetupChoice) -> str:
    return "\n".join(_config_lines(choice)) + "\n"


def _config_lines(choice: SetupChoice) -> Iterator[str]:
    site, address = choice.site, choice.address
    yield f"# {comment(f'Written by sitemap-action init, for {site.generator} ({site.where}).')}"
    yield "version: 1"
    if address.value:
        yield f"site-url: {yaml_text(address.value)} # {comment(address.where)}"
    elif choice.states_address:
        yield f"# site-url: {FILL_IN} # not set: it is taken from {comment(choice.states_address)}"
    else:
        yield f"# site-url: {FILL_IN} # fill in where the pages will live: no file states it"
    if choice.committed:
        yield f"sitemap: {yaml_text(choice.committed.value)} # {comment(choice.committed.where)}"
    elif choice.first_sitemap:
        yield f"sitemap: {yaml_text(choice.first_sitemap)} # does not exist yet: `sitemap-action write` makes it"
    yield "source:"
    where = site.output.where or f"where {site.generator} builds by default"
    yield f"  path: {yaml_text(site.output.value)} # {comment(where)}"
    if site.select and choice.host is None:
        yield "select:"
        yield f"  {site.select.value} # {comment(site.select.where)}"


# Before 1.0 no tag of a major version exists.
_MAJOR = __version__.partition(".")[0]
ACTION = f"{REPOSITORY}@{'main' if _MAJOR == '0' else f'v{_MAJOR}'}"
UNRELEASED = " # no release yet: a commit of main pins it" if _MAJOR == "0" else ""


def action_reference(record: str) -> str:
    """The action at the commit that this program was installed from, with its tag or branch as a comment (U-39).

    `record`: of the installation, in JSON (PEP 610); "" where it names no commit.
    """
    try:
        found = json.loads(record)["vcs_info"]
        commit, named = found["commit_id"], found.get("requested_revision", "main")
    except (ValueError, KeyError, TypeError):
        return ""
    fits = isinstance(commit, str) and re.fullmatch(r"[0-9a-f]{40}", commit) and isinstance(named, str)
    return f"{REPOSITORY}@{commit} # {safe_branch(named) or 'main'}" if fits else ""


CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"
_CACHE = "55cc8345863c7cc4c66a329aec7e433d2d1c52a9 # v6.1.0"  # where the repository has no version of its own
BASELINE = ".sitemap-baseline"

_CHECK = """\
name: Sitemap
on:
  pull_request:
permissions: {}
concurrency:
  group: sitemap-${{ github.event.pull_request.number }}
  cancel-in-progress: true
"""
_CHECK_AND_KEEP = """\
name: Sitemap
on:
  pull_request:
  push:
    branches: [BRANCH] # keeps the sitemap of this branch, which pull requests are compared with
permissions: {}
concurrency:
  group: sitemap-${{ github.ref }}
  cancel-in-progress: ${{ github.event_name == 'pull_request' }}
"""
_JOB = """\
jobs:
  sitemap:
    name: Sitemap
    runs-on: ubuntu-latest
    timeout-minutes: 20
    permissions:
      contents: read # to check the repository out
    steps:
      - uses: CHECKOUT
        with:
          fetch-depth: 2 # the merge commit and its parents, one of which has the target branch's files
          persist-credentials: false
"""
_KEEP = """\
      - name: Collect the sitemaps of the build
        if: KEPTgithub.event_name == 'push'
        env:
          BUILD: FOLDER
        run: |
          mkdir -p "$GITHUB_WORKSPACE/BASELINE"
          cd "$BUILD"
          find . -type f -name '*sitemap*.xml' -exec cp --parents -t "$GITHUB_WORKSPACE/BASELINE" {} +
      - name: Keep them for pull requests
        if: KEPTgithub.event_name == 'push'
        uses: actions/cache/save@REFERENCE
        with:
          path: BASELINE
          key: sitemap-baseline-SITE${{ github.sha }}
      - name: Get those of the default branch
        if: KEPTgithub.event_name == 'pull_request'
        uses: actions/cache/restore@REFERENCE
        with:
          path: BASELINE
          key: sitemap-baseline-SITE${{ github.event.pull_request.base.sha }}
          restore-keys: sitemap-baseline-SITE
"""
_BASELINE = """\
          # On a push, only whether the sitemap is true. On a pull request without a kept one, compared with production.
          baseline: ${{ NOTgithub.event_name == 'push' && 'committed' || hashFiles(FILE) != '' && FILE || 'auto' }}
"""


# The images are official ones of Docker Hub; a build runs in its job as root, without sudo.
_IMAGES = ((r"\b(?:npm|npx|yarn|pnpm|bun)\b", "node:lts"), (r"\bbundle\b", "ruby:3"), (r"\bcargo\b", "rust:1"))
_PYTHON = "python:3"
_PACKAGED = {"snap install hugo": "apt-get update && apt-get install --yes hugo"}
_GITLAB_JOB = """\
NAME:
  stage: test
  image: IMAGE
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
"""
_GITLAB_CHECK = f"""\
  artifacts:
    when: always
    reports:
      codequality: gl-code-quality-report.json
      junit: sitemap-junit.xml
  script:
    - pip install --quiet git+https://github.com/{REPOSITORY}
    - sitemap-action check --report gitlab=gl-code-quality-report.json --report junit=sitemap-junit.xml
"""


def _pipeline_parts(choice: SetupChoice) -> Iterator[str]:
    """The lines of GitLab: a job that builds, in an image of its tools, and one that checks."""
    name = f"sitemap-{choice.name}" if choice.name else "sitemap"
    build = f"{name}-build"
    if lines := choice.site.build.lines:
        image = next((name for programs, name in _IMAGES if re.search(programs, "\n".join(lines))), _PYTHON)
        yield _GITLAB_JOB.replace("NAME", build).replace("IMAGE", f"{image} # with the tools of the build")
        yield "  variables:\n    RUNNER_TEMP: /tmp\n"
        yield "    GIT_SUBMODULE_STRATEGY: recursive # .gitmodules\n" if choice.submodules else ""
        yield f"  artifacts:\n    paths: [{yaml_text(choice.site.output.value)}]\n  script:\n"
        yield f"    - cd {yaml_text(choice.folder)}\n" if choice.folder else ""
        commands = [line.removeprefix("sudo ") for line in lines]
        yield from (f"    - {yaml_text(_PACKAGED.get(line, line))}\n" for line in commands)
    yield _GITLAB_JOB.replace("NAME", name).replace("IMAGE", _PYTHON)
    yield f"  needs: [{build}]\n" if lines else ""
    yield _GITLAB_CHECK.replace(" check ", f" check --config {choice.config} " if choice.name else " check ")


def workflow_text(*choices: SetupChoice) -> str:
    """One workflow or pipeline; that of several sites has a matrix (U-23)."""
    first = choices[0]
    generators = ", ".join(dict.fromkeys(choice.site.generator for choice in choices))
    head = f"# {comment(f'Written by sitemap-action init, for {generators}.')}\n"
    if is_gitlab(first.workflow):
        return head + "".join(part for choice in choices for part in _pipeline_parts(choice))
    keeps = any(choice.keeps_baseline for choice in choices)
    events = _CHECK_AND_KEEP.replace("BRANCH", yaml_text(first.branch.value)) if keeps else _CHECK
    job = _JOB.replace("CHECKOUT", CHECKOUT)
    if choices[1:]:
        job = job.replace("    name: Sitemap\n", _MATRIX + "".join(map(_matrix_row, choices)))
    elif first.name:
        events = events.replace("group: sitemap-", f"group: sitemap-{first.name}-")
        events = events.replace("name: Sitemap\n", f"name: Sitemap of {first.name}\n")
    return head + events + job + "".join(_workflow_steps(choices))


_MATRIX = """\
    name: Sitemap of ${{ matrix.site }}
    strategy:
      fail-fast: false
      matrix:
        include:
"""


def _matrix_row(choice: SetupChoice) -> str:
    kept = f", kept: {_kept_file(choice)}" if choice.keeps_baseline else ""
    return f"          - {{site: {yaml_text(choice.name)}, build: {yaml_text(choice.site.output.value)}{kept}}}\n"


def _kept_file(choice: SetupChoice) -> str:
    return f"{BASELINE}/{choice.site.sitemap.value}" if choice.site.sitemap else ""


def _workflow_steps(choices: Sequence[SetupChoice]) -> Iterator[str]:
    first, several = choices[0], bool(choices[1:])
    if first.submodules:
        yield "          submodules: recursive # .gitmodules\n"
    for choice in choices:
        only = f"        if: matrix.site == '{choice.name}'\n" if several else ""
        yield from _tool_lines(choice, only)
        if choice.site.build.lines:
            yield f"      - name: Build {choice.name if several else 'the site'}\n{only}"
            if choice.folder:
                yield f"        working-directory: {yaml_text(choice.folder)}\n"
            yield "        run: |\n"
            yield from (f"          {line}\n" for line in choice.site.build.lines)
    site = "${{ matrix.site }}" if several else first.name
    keeps = any(choice.keeps_baseline for choice in choices)
    values = {
        "FOLDER": "${{ matrix.build }}" if several else yaml_text(first.site.output.value),
        "FILE": "matrix.kept" if several else f"'{_kept_file(first)}'",
        "KEPT": "matrix.kept && " if several else "",
        "NOT": "!matrix.kept && 'auto' || " if several else "",
        "SITE": f"{site}-" if site else "",
        "BASELINE": BASELINE,
        "REFERENCE": first.cache or _CACHE,
    }
    given = [f"          config: .github/sitemap-{site}.yml\n"] if site else []
    given += [_fill(_BASELINE, values)] if keeps else []
    yield _fill(_KEEP, values) if keeps else ""
    yield f"      - name: Check the sitemap\n        uses: {first.uses}{UNRELEASED if first.uses == ACTION else ''}\n"
    yield "        with:\n" if given else ""
    yield from given


def _fill(template: str, values: Mapping[str, str]) -> str:
    return re.sub("|".join(values), lambda found: values[found[0]], template)


def _tool_lines(choice: SetupChoice, only: str) -> Iterator[str]:
    """Steps that set tools up, so that the site is built as in the repository's other workflows."""
    for step in choice.tools:
        yield f"      - uses: {step.uses}{f' # as in {comment(step.where)}' if step.where else ''}\n{only}"
        if step.input:
            value = yaml_text(step.value) if step.input.endswith("-file") else f'"{step.value}"'  # 3.10 is no number
            yield f"        with:\n          {step.input}: {value}\n"


def setup_report(
    choices: Sequence[SetupChoice], files: Iterable[str], others: Sequence[GeneratedSite], notes: Sequence[str]
) -> str:
    """`files`: sentences on each of the files."""
    several = bool(choices[1:])
    lines = [*files]
    if several:
        folders = ", ".join(choice.folder or "the top" for choice in choices)
        lines += ["", f"{len(choices)} sites: {folders}; `sitemap-action init --path DIR` sets up one of them"]
    for choice in choices:
        lines += ["", f"Assumed for {choice.name}" if several else "Assumed"]
        lines += [
            f"  {name:<10} {value}{f'  ({where})' if where else ''}" for name, value, where in _assumption_rows(choice)
        ]
        unknown = list(_unknown_lines(choice))
        lines += ["", "Not known", *(f"  {one}" for one in unknown)] if unknown else []
    remarks = dict.fromkeys((*(one for choice in choices for one in _note_lines(choice)), *_others(choices[0], others)))
    lines += ["", "Notes", *(f"  {one}" for one in (*remarks, *notes))] if remarks or notes else []
    lines += ["", *_next_lines(choices)]
    return "\n".join(printable(line) for line in lines) + "\n"


def _assumption_rows(choice: SetupChoice) -> Iterator[tuple[str, str, str]]:
    site = choice.site
    yield "generator", site.generator, site.where
    yield "folder", site.output.value, site.output.where or f"the default of {site.generator}"
    yield "build", "; ".join(site.build.lines) or "none", site.build.where
    yield from (
        ("version", step.value, f"{step.input} of {step.uses.partition('@')[0]}") for step in choice.tools if step.input
    )
    if choice.address.value:
        yield "site-url", choice.address.value, choice.address.where
    if choice.committed:
        yield "sitemap", choice.committed.value, choice.committed.where
    elif site.sitemap:
        yield "sitemap", f"{site.sitemap.value} of the build", site.sitemap.where
    if choice.host:
        yield "host", choice.host.value, choice.host.where
    yield "branch", choice.branch.value, choice.branch.where


def _unknown_lines(choice: SetupChoice) -> Iterator[str]:
    if not choice.address.value:
        if choice.states_address:
            yield f"site-url: no file states it; each run takes it from {choice.states_address}"
        else:
            where = f"set it in {choice.config}, or each run exits with 2"
            yield f"site-url: no file states where the pages will live; {where}"
        yield from (f"  {sentence}" for sentence in choice.refused)
    yield from choice.site.computed
    if choice.committed is None and choice.site.sitemap is None:
        yield from _no_sitemap_lines(choice)
    if choice.host is None:
        yield f"host: no file tells which static host serves the site; name it in source.host in {choice.config}"


def _no_sitemap_lines(choice: SetupChoice) -> Iterator[str]:
    name, advice, where = choice.site.generator, choice.site.advice, choice.first_sitemap
    again = "delete both files and run init again"
    if choice.site.overwrites:
        yield f"sitemap: that of {name} has no URL, so the check is red: {advice}, then {again}"
        return
    otherwise = f"one where sitemap in {choice.config} says: name a file that the build gets"
    yield f"sitemap: there is none, so the check is red until `sitemap-action write` makes {where or otherwise}"
    if advice:
        yield f"  or {advice}, so that {name} writes one, then {again}"


def _note_lines(choice: SetupChoice) -> Iterator[str]:
    site = choice.site
    yield from choice.refused if choice.address.value else ()
    if choice.committed and site.sitemap:
        yield f"the build writes {site.sitemap.value} too ({site.sitemap.where}); {choice.committed.value} is judged"
    yield from (f"{where} runs sitemap-action already" for where in choice.checks)
    if choice.uses.endswith("@main") and not is_gitlab(choice.workflow):
        yield f"{REPOSITORY} has no release yet, so the workflow uses its branch main: name a commit to pin it"


def _others(choice: SetupChoice, others: Sequence[GeneratedSite]) -> Iterator[str]:
    for other in others:
        why = f" ({other.refusal})" if other.refusal else ""
        yield (
            f"{other.where} would mean {other.generator}, and does not count beside {choice.site.where}{why}: "
            "--generator, or --path with its folder, chooses it"
        )


def _next_lines(choices: Sequence[SetupChoice]) -> Iterator[str]:
    first, last = choices[0], choices[-1]
    where = f" in {first.folder}" if first.folder and first is last else ""
    build = f"build the site{where}, then run " if any(choice.site.build.lines for choice in choices) else "run "
    if is_gitlab(first.workflow) and first.workflow != PIPELINE:
        yield f"→ Add to {PIPELINE}: include: [{{local: /{first.workflow}}}]"
    marked = [
        *(choice.workflow for choice in choices[:1] if any(MARK in line for line in choice.site.build.lines)),
        *(choice.config for choice in choices if MARK in choice.site.output.where),
    ]
    if marked:
        yield f"→ Fill in the line that is marked {MARK} in {' and '.join(marked)}."
    for choice in choices:
        if not choice.address.value and (choice.refused or not choice.states_address):
            why = f" ({choice.refused[0]})" if choice.refused else ""
            yield f"→ Say where the pages will live: site-url in {choice.config}{why}."
    config = f" --config {first.config}" if first.name else ""
    files = f"all {len(choices) + 1} files" if choices[1:] else "both files"
    yield f"→ Try it at the top of the repository: {build}`sitemap-action check{config}`. Then commit {files}."
    yield "→ Where it is red for faults of old, `sitemap-action accept` lists them, and only new ones fail."
