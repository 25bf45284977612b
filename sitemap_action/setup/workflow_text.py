"""The text of `.github/workflows/sitemap.yml`: it builds the site and checks it on each pull request.

Where the generator writes the sitemap, no commit has it: each push to the default branch keeps its build's sitemaps in
the cache, and a pull request is compared with the newest of these.
"""

import re
from collections.abc import Iterator

from sitemap_action import REPOSITORY, __version__
from sitemap_action.setup.config_text import comment, yaml_text
from sitemap_action.setup.setup_choice import SetupChoice

# Before 1.0 no tag of a major version exists.
_MAJOR = __version__.partition(".")[0]
ACTION = f"{REPOSITORY}@{'main' if _MAJOR == '0' else f'v{_MAJOR}'}"
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
        if: github.event_name == 'push'
        env:
          BUILD: FOLDER
        run: |
          mkdir -p "$GITHUB_WORKSPACE/BASELINE"
          cd "$BUILD"
          find . -type f -name '*sitemap*.xml' -exec cp --parents -t "$GITHUB_WORKSPACE/BASELINE" {} +
      - name: Keep them for pull requests
        if: github.event_name == 'push'
        uses: actions/cache/save@REFERENCE
        with:
          path: BASELINE
          key: sitemap-baseline-${{ github.sha }}
      - name: Get those of the default branch
        if: github.event_name == 'pull_request'
        uses: actions/cache/restore@REFERENCE
        with:
          path: BASELINE
          key: sitemap-baseline-${{ github.event.pull_request.base.sha }}
          restore-keys: sitemap-baseline-
      - name: Check the sitemap
        uses: ACTION
        with:
          # On a push, only whether the sitemap is true. On a pull request without a kept one, compared with production.
          baseline: ${{ github.event_name == 'push' && 'committed' || hashFiles('FILE') != '' && 'FILE' || 'auto' }}
"""


def workflow_text(choice: SetupChoice) -> str:
    head = f"# {comment(f'Written by sitemap-action init, for {choice.site.generator}.')}\n"
    events = _CHECK_AND_KEEP.replace("BRANCH", yaml_text(choice.branch.value)) if choice.keeps_baseline else _CHECK
    return head + events + _JOB.replace("CHECKOUT", CHECKOUT) + "".join(_steps(choice))


def _steps(choice: SetupChoice) -> Iterator[str]:
    if choice.submodules:
        yield "          submodules: recursive # .gitmodules\n"
    yield from _tools(choice)
    if choice.site.build.lines:
        yield "      - name: Build the site\n"
        if choice.folder:
            yield f"        working-directory: {yaml_text(choice.folder)}\n"
        yield "        run: |\n"
        yield from (f"          {line}\n" for line in choice.site.build.lines)
    if choice.keeps_baseline and choice.site.sitemap:
        setup = choice.workflows.setups.get("actions/cache")
        values = {
            "FOLDER": yaml_text(choice.site.output.value),
            "FILE": f"{BASELINE}/{choice.site.sitemap.name}",
            "BASELINE": BASELINE,
            "REFERENCE": setup.reference if setup else _CACHE,
            "ACTION": ACTION,
        }
        yield re.sub("|".join(values), lambda found: values[found[0]], _KEEP)
    else:
        yield f"      - name: Check the sitemap\n        uses: {ACTION}\n"


def _tools(choice: SetupChoice) -> Iterator[str]:
    """So that the site is built as elsewhere."""
    for step in choice.tools:
        yield f"      - uses: {step.uses}{f' # as in {comment(step.where)}' if step.where else ''}\n"
        if step.input:
            value = yaml_text(step.value) if step.input.endswith("-file") else f'"{step.value}"'  # 3.10 is no number
            yield f"        with:\n          {step.input}: {value}\n"
