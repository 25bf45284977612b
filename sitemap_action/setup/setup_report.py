"""What `init` says: what it wrote, what it assumed and by which file, and what is left to fill in."""

from collections.abc import Iterable, Iterator, Sequence

from sitemap_action.setup.generated_site import GeneratedSite
from sitemap_action.setup.setup_choice import CONFIG, SetupChoice
from sitemap_action.web.printable import printable


def setup_report(
    choice: SetupChoice, files: Iterable[str], others: Sequence[GeneratedSite], notes: Sequence[str]
) -> str:
    """`files`: sentences on each of the two files."""
    lines = [*files, "", "Assumed"]
    lines += [f"  {name:<10} {value}{f'  ({where})' if where else ''}" for name, value, where in _assumed(choice)]
    unknown = list(_unknown(choice))
    remarks = [*_remarks(choice, others), *notes]
    lines += ["", "Not known", *(f"  {one}" for one in unknown)] if unknown else []
    lines += ["", "Notes", *(f"  {one}" for one in remarks)] if remarks else []
    lines += ["", *_next(choice)]
    return "\n".join(printable(line) for line in lines) + "\n"


def _assumed(choice: SetupChoice) -> Iterator[tuple[str, str, str]]:
    site = choice.site
    yield "generator", site.generator, site.where
    yield "folder", site.output.value, site.output.where or f"the default of {site.generator}"
    yield "build", "; ".join(site.build.lines) or "none", site.build.where
    yield from (
        ("version", step.value, f"{step.input} of {step.uses.partition('@')[0]}") for step in choice.tools if step.input
    )
    if choice.address.url:
        yield "site-url", choice.address.url, choice.address.where
    if choice.committed:
        yield "sitemap", choice.committed.value, choice.committed.where
    elif site.sitemap:
        yield "sitemap", f"{site.sitemap.name} of the build", site.sitemap.where
    if choice.host:
        yield "host", choice.host.value, choice.host.where
    yield "branch", choice.branch.value, choice.branch.where


def _unknown(choice: SetupChoice) -> Iterator[str]:
    if not choice.address.url:
        if choice.states_address:
            yield f"site-url: no file states it; each run takes it from {choice.states_address}"
        else:
            yield f"site-url: no file states where the pages will live; set it in {CONFIG}, or each run exits with 2"
        yield from (f"  {sentence}" for sentence in choice.address.refused)
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


def _remarks(choice: SetupChoice, others: Sequence[GeneratedSite]) -> Iterator[str]:
    site = choice.site
    for other in others:
        yield (
            f"{other.where} would mean {other.generator}, and does not count beside {site.where}: "
            "--generator, or --path with its folder, chooses it"
        )
    yield from choice.address.refused if choice.address.url else ()
    if choice.committed and site.sitemap:
        yield f"the build writes {site.sitemap.name} too ({site.sitemap.where}); {choice.committed.value} is judged"
    yield from (f"{where} runs sitemap-action already" for where in choice.workflows.checks)


def _next(choice: SetupChoice) -> Iterator[str]:
    where = f"in {choice.folder}" if choice.folder else ""
    build = f"build the site{' ' + where if where else ''}, then run " if choice.site.build.lines else "run "
    yield f"→ Try it at the top of the repository: {build}`sitemap-action check`. Then commit both files."
