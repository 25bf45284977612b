"""What `init` writes: `.github/sitemap.yml`, a workflow or pipeline, and a report of what it assumed."""

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlsplit

from msgspec import Struct

from sitemap_action import REPOSITORY, __version__
from sitemap_action.config.values import parse_site_url
from sitemap_action.setup.generators import GeneratedSite
from sitemap_action.setup.packages import NodePackages, ToolStep
from sitemap_action.setup.project import Fact, Project
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

    @property
    def keeps_baseline(self) -> bool:
        """The generator's own sitemap is in no commit: the default branch's is kept in GitHub's cache."""
        return self.workflow == WORKFLOW and self.committed is None and self.site.sitemap is not None

    @property
    def states_address(self) -> str:
        """The sitemap that a run takes site-url from where the config has none; "" without one."""
        if self.committed:
            return self.committed.value
        return f"the {self.site.sitemap.value} of the build" if self.site.sitemap else ""

    @property
    def first_sitemap(self) -> str:
        """The place where a first `write` puts a sitemap; "" where there is one, or the place is not known."""
        if self.committed or self.site.sitemap or self.site.copied is None:
            return ""
        return f"{self.site.copied}/sitemap.xml" if self.site.copied else "sitemap.xml"


_PLAIN = re.compile(r"[\w/.][\w/.:@%~+-]*(?<!:)", re.ASCII)
FILL_IN = "https://www.example.com/"


def yaml_text(text: str) -> str:
    """A scalar: plain where that is the same text, else in double quotes with escapes."""
    if _PLAIN.fullmatch(text) and "://" not in text.replace("://", "", 1):
        return text
    return '"' + "".join(map(_escape, text)) + '"'


def _escape(character: str) -> str:
    number = ord(character)
    if character in '"\\':
        return f"\\{character}"
    if 0x20 <= number < 0x7F:
        return character
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


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


# The images are official ones of Docker Hub; a build runs in its job as root, without sudo.
_IMAGES = ((r"\b(?:npm|npx|yarn|pnpm|bun)\b", "node:lts"), (r"\bbundle\b", "ruby:3"))
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
    if lines := choice.site.build.lines:
        image = next((name for programs, name in _IMAGES if re.search(programs, "\n".join(lines))), _PYTHON)
        yield _GITLAB_JOB.replace("NAME", "sitemap-build").replace("IMAGE", f"{image} # with the tools of the build")
        yield "  variables:\n    RUNNER_TEMP: /tmp\n"
        yield "    GIT_SUBMODULE_STRATEGY: recursive # .gitmodules\n" if choice.submodules else ""
        yield f"  artifacts:\n    paths: [{yaml_text(choice.site.output.value)}]\n  script:\n"
        yield f"    - cd {yaml_text(choice.folder)}\n" if choice.folder else ""
        commands = [line.removeprefix("sudo ") for line in lines]
        yield from (f"    - {yaml_text(_PACKAGED.get(line, line))}\n" for line in commands)
    yield _GITLAB_JOB.replace("NAME", "sitemap").replace("IMAGE", _PYTHON)
    yield "  needs: [sitemap-build]\n" if lines else ""
    yield _GITLAB_CHECK


def workflow_text(choice: SetupChoice) -> str:
    head = f"# {comment(f'Written by sitemap-action init, for {choice.site.generator}.')}\n"
    if choice.workflow != WORKFLOW:
        return head + "".join(_pipeline_parts(choice))
    events = _CHECK_AND_KEEP.replace("BRANCH", yaml_text(choice.branch.value)) if choice.keeps_baseline else _CHECK
    return head + events + _JOB.replace("CHECKOUT", CHECKOUT) + "".join(_workflow_steps(choice))


def _workflow_steps(choice: SetupChoice) -> Iterator[str]:
    if choice.submodules:
        yield "          submodules: recursive # .gitmodules\n"
    yield from _tool_lines(choice)
    if choice.site.build.lines:
        yield "      - name: Build the site\n"
        if choice.folder:
            yield f"        working-directory: {yaml_text(choice.folder)}\n"
        yield "        run: |\n"
        yield from (f"          {line}\n" for line in choice.site.build.lines)
    if choice.keeps_baseline and choice.site.sitemap:
        values = {
            "FOLDER": yaml_text(choice.site.output.value),
            "FILE": f"{BASELINE}/{choice.site.sitemap.value}",
            "BASELINE": BASELINE,
            "REFERENCE": choice.cache or _CACHE,
            "ACTION": ACTION,
        }
        yield re.sub("|".join(values), lambda found: values[found[0]], _KEEP)
    else:
        yield f"      - name: Check the sitemap\n        uses: {ACTION}\n"


def _tool_lines(choice: SetupChoice) -> Iterator[str]:
    """Steps that set tools up, so that the site is built as in the repository's other workflows."""
    for step in choice.tools:
        yield f"      - uses: {step.uses}{f' # as in {comment(step.where)}' if step.where else ''}\n"
        if step.input:
            value = yaml_text(step.value) if step.input.endswith("-file") else f'"{step.value}"'  # 3.10 is no number
            yield f"        with:\n          {step.input}: {value}\n"


def setup_report(
    choice: SetupChoice, files: Iterable[str], others: Sequence[GeneratedSite], notes: Sequence[str]
) -> str:
    """`files`: sentences on each of the two files."""
    lines = [*files, "", "Assumed"]
    lines += [
        f"  {name:<10} {value}{f'  ({where})' if where else ''}" for name, value, where in _assumption_rows(choice)
    ]
    unknown = list(_unknown_lines(choice))
    remarks = [*_note_lines(choice, others), *notes]
    lines += ["", "Not known", *(f"  {one}" for one in unknown)] if unknown else []
    lines += ["", "Notes", *(f"  {one}" for one in remarks)] if remarks else []
    lines += ["", *_next_lines(choice)]
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
            yield f"site-url: no file states where the pages will live; set it in {CONFIG}, or each run exits with 2"
        yield from (f"  {sentence}" for sentence in choice.refused)
    yield from choice.site.computed
    if choice.committed is None and choice.site.sitemap is None:
        where = choice.first_sitemap
        place = (
            f"makes {where}" if where else f"makes one where sitemap in {CONFIG} says: name a file that the build gets"
        )
        yield f"sitemap: there is none, so the check is red until `sitemap-action write` {place}"
        if choice.site.advice:
            yield f"  or {choice.site.advice}, so that {choice.site.generator} writes one, and run init again"
    if choice.host is None:
        yield f"host: no file tells which static host serves the site; name it in source.host in {CONFIG}"


def _note_lines(choice: SetupChoice, others: Sequence[GeneratedSite]) -> Iterator[str]:
    site = choice.site
    for other in others:
        yield (
            f"{other.where} would mean {other.generator}, and does not count beside {site.where}: "
            "--generator, or --path with its folder, chooses it"
        )
    yield from choice.refused if choice.address.value else ()
    if choice.committed and site.sitemap:
        yield f"the build writes {site.sitemap.value} too ({site.sitemap.where}); {choice.committed.value} is judged"
    yield from (f"{where} runs sitemap-action already" for where in choice.checks)


def _next_lines(choice: SetupChoice) -> Iterator[str]:
    where = f"in {choice.folder}" if choice.folder else ""
    build = f"build the site{' ' + where if where else ''}, then run " if choice.site.build.lines else "run "
    if choice.workflow == INCLUDED:
        yield f"→ Add to {PIPELINE}: include: [{{local: /{INCLUDED}}}]"
    yield f"→ Try it at the top of the repository: {build}`sitemap-action check`. Then commit both files."
    yield "→ Where it is red for faults of old, `sitemap-action accept` lists them, and only new ones fail."


# --- where a site is served, under the same rules as `site-url` ---

_PLACEHOLDERS = frozenset(
    {"example.com", "example.org", "example.net", "your-domain.com", "your-docusaurus-site.example.com"}
)
_LOCAL = (".localhost", ".local", ".test", ".invalid", ".internal")
_SOURCE_CODE = re.compile(r"https?://(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|npmjs\.com)\b")
_DOMAIN = re.compile(r"(?=.{4,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}", re.IGNORECASE)
_SITEMAP_LINE = re.compile(r"^[ \t]*sitemap[ \t]*:[ \t]*(https?://\S+)", re.MULTILINE | re.IGNORECASE)
_GITHUB = re.compile(
    r"(?:https://github\.com/|(?:ssh://)?git@github\.com[:/])([\w-]+)/([\w.-]+?)(?:\.git)?/?", re.ASCII
)


def public_address(
    project: Project, site: GeneratedSite, packages: NodePackages, *, remote: str = "", host: str = ""
) -> tuple[Fact, tuple[str, ...]]:
    """The first usable address, or an empty text, and sentences on addresses that do not count.

    `remote`: address of the repository; `host`: the static host, where it is known.
    """
    refused: list[str] = []
    found: Fact | None = None
    for candidate in _address_candidates(project, site, packages, remote, host):
        url, why = _check_address(candidate.value)
        if why:
            refused.append(f"{candidate.where}: {why}")
        elif found is None:
            found = Fact(url, candidate.where)
        elif urlsplit(found.value).hostname != urlsplit(url).hostname:
            refused.append(f"{candidate.where} states {url}, and does not count beside {found.where}")
    return found or Fact("", ""), tuple(refused)


def _address_candidates(
    project: Project, site: GeneratedSite, packages: NodePackages, remote: str, host: str
) -> Iterator[Fact]:
    """The best first."""
    yield from site.addresses
    domain = _find_cname(project, site)
    if domain:
        yield domain
    if (homepage := packages.values.get("homepage")) and not _SOURCE_CODE.match(homepage.value):
        yield homepage
    yield from _find_robots_sitemap(project, site)
    if host == "github-pages" and not domain and (found := _GITHUB.fullmatch(remote)):
        owner, name = found[1].lower(), found[2]
        where = "the address that GitHub Pages gives this repository, by its remote origin"
        yield Fact(f"https://{owner}.github.io/{'' if name.lower() == f'{owner}.github.io' else f'{name}/'}", where)


def _find_cname(project: Project, site: GeneratedSite) -> Fact | None:
    """The domain of GitHub Pages, in the folder of the site or in one that the build gets as it is."""
    for place in (project, project.top(), *([project.top().inside(site.copied)] if site.copied else [])):
        if file := place.first("CNAME"):
            domain = file.text.strip()
            if _DOMAIN.fullmatch(domain):
                return Fact(f"https://{domain}/", file.path)
            project.report(f"{file.path} is not used: it holds no domain name")
    return None


def _find_robots_sitemap(project: Project, site: GeneratedSite) -> Iterator[Fact]:
    """The directory of the sitemap that robots.txt names."""
    place = project.top().inside(site.copied) if site.copied is not None else project
    if (file := place.first("robots.txt")) and (found := _SITEMAP_LINE.search(file.text)):
        yield Fact(found[1].rpartition("/")[0] + "/", file.line(found.start(1)))


def _check_address(text: str) -> tuple[str, str]:
    """(site-url in normal form, ""), or ("", why this text is none)."""
    try:
        url = parse_site_url(text.strip())
    except ValueError as error:
        return "", str(error) or "the address there is no http or https URL of a site"
    host = urlsplit(url).hostname or ""
    if host in _PLACEHOLDERS:
        return "", f"{host} is the placeholder of a new project"
    if "." not in host or host.endswith(_LOCAL) or host.startswith("[") or host.replace(".", "").isdigit():
        return "", f"{host} is no public host"
    return url, ""
