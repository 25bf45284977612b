"""`explain`: why one URL is, or is not, in the sitemap."""

import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from sitemap_action.cli.check import CommandLine, read_command_line
from sitemap_action.cli.network import is_url
from sitemap_action.cli.options import explain_options
from sitemap_action.config.layers import File, option_place
from sitemap_action.config.schema import Config, Orphans
from sitemap_action.console.streams import Console
from sitemap_action.decide.explain import answer_url
from sitemap_action.errors import UsageError
from sitemap_action.look.asked_url import AskedUrl
from sitemap_action.look.phase import LookResult, look
from sitemap_action.model.answers import ComparedNames, UrlAnswer
from sitemap_action.model.context import Context, Mode
from sitemap_action.model.observer import Observer
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Role
from sitemap_action.reports.url_answer import render_json, render_text
from sitemap_action.run import select_policy
from sitemap_action.store.inventory import Inventory, temporary
from sitemap_action.web.patterns import compile_patterns
from sitemap_action.web.urls import BadUrl, normalize, origin

_OTHER_STATE = "name the file that a run of check wrote, or leave the option out: then the URL is requested"


@click.command(epilog="Example: sitemap-action explain --path dist --site-url https://www.example.com/ /blog/old-post/")
@click.argument("address", metavar="URL")
@explain_options
def explain(address: str, **options: Any) -> int:
    """Tell why one URL is, or is not, in the sitemap.

    Of a sitemap's own address: why it cannot be fetched. A path counts from the site's address. A build is read
    whole; of a deployed site, the URL, its redirects, its canonical and robots.txt are requested. Exit 0 whatever
    the answer is, 2 when there is none.
    """
    console = Console(os.environ, quiet=options["quiet"])
    given = read_command_line(Mode.CHECK, options, console)
    console.log_unmasked(given.context.access.headers)
    if _is_sitemap_name(address):
        console.write_report(_sitemap(address, given, options["form"]))
        return 0
    with console.progress(options["events"], progress=not options["no_progress"]) as observer:
        answer = given.context.access.mask.value(_answer(address, given, observer))
    text = render_json(answer) if options["form"] == "json" else render_text(answer)
    console.write_report(text, prose=options["form"] == "text")
    return 0


def _is_sitemap_name(address: str) -> bool:
    """Whether an address or a path is by its name that of a sitemap."""
    name = address.partition("#")[0].partition("?")[0].rpartition("/")[2].lower().removesuffix(".gz")
    return name.endswith(".xml") or ("sitemap" in name and name.endswith(".txt"))


def _sitemap(address: str, given: CommandLine, form: str) -> str:
    from sitemap_action.cli.explain_sitemap import answer_sitemap  # noqa: PLC0415 - pages are asked about more often
    from sitemap_action.reports import sitemap_answer  # noqa: PLC0415

    found = given.context.access.mask.value(answer_sitemap(address, given))
    return sitemap_answer.render_json(found) if form == "json" else sitemap_answer.render_text(found)


def _answer(address: str, given: CommandLine, observer: Observer) -> UrlAnswer:
    from sitemap_action.look.baseline import production  # noqa: PLC0415 - as `run`

    config, context = _with_source(given.config, address), given.context
    state = str(context.state) if context.state and config.source.url else ""  # a build is read whole each time
    asked = AskedUrl(address, state)
    with _inventory(context, state) as found:
        silent = context.access.offline or state
        served = None if silent else production(config, context.access, found)
        seen = look(config, context, found, given.reading, observer, production=served, choose=asked.choose)
        page = asked.page or Page(asked.url, PageKind.UNDETERMINED, reason="nothing is known about it")
        policy = select_policy(_judging(config, asked), context, found, seen)
        answer = answer_url(found, policy, page, asked.seen, _compared(seen))
    key, pattern = _config_rule(given, answer)
    place = _place(given, key, pattern) if key else ""
    decides = answer.absent is not None and key == answer.absent.option
    rule = f"{key}{f' has {pattern}' if pattern else ''} ({place})" if key else ""
    return replace(answer, config=rule, place=place if key and decides else answer.place)


def _inventory(context: Context, state: str) -> AbstractContextManager[Inventory]:
    if not state:
        return temporary()
    from sitemap_action.look.state_place import state_refusal  # noqa: PLC0415
    from sitemap_action.store.state import stored_state  # noqa: PLC0415 - few runs have a state

    try:
        why = state_refusal(Path(state), Path(context.workspace))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot use the state {state[:200]}: {error.args[-1]}", hint=_OTHER_STATE) from None
    if why:
        raise UsageError(why, hint=_OTHER_STATE)
    return stored_state(Path(context.workspace) / state, context.access.mask)


def _with_source(config: Config, address: str) -> Config:
    """An absolute URL names its own site, where no other is given."""
    if config.source.path or config.source.url or not is_url(address):
        return config
    try:
        site = f"{origin(address)}/"
    except BadUrl:
        return config  # whoever reads the address says why
    return replace(config, site_url=config.site_url or site, source=replace(config.source, url=site))


def _judging(config: Config, asked: AskedUrl) -> Config:
    """Without the rule that needs the links of every page, where these were not read."""
    if asked.seen.links_known:
        return config
    return replace(config, select=replace(config.select, orphans=Orphans.KEEP))


def _compared(seen: LookResult) -> ComparedNames:
    names = {Role.COMMITTED: seen.run.sitemap if seen.committed.files else ""}
    if not seen.run.same_baseline:
        names[Role.BASELINE] = seen.run.baseline_name
    return ComparedNames(names, seen.committed.paths)


def _config_rule(given: CommandLine, answer: UrlAnswer) -> tuple[str, str]:
    """The option that names the URL, and its pattern; "" for none."""
    config, select = given.config, given.config.select
    if (pattern := _matching(config.output.keep, answer.page.url)) and answer.committed:
        return "output.keep", pattern
    if pattern := _matching(select.exclude, answer.page.url):
        return "select.exclude", pattern
    if select.include and (pattern := _matching(select.include, answer.page.url)):
        return "select.include", pattern
    option = answer.absent.option if answer.absent else ""
    return (option if option.startswith("select.") else ""), ""


def _matching(patterns: tuple[str, ...], url: str) -> str:
    try:
        return compile_patterns(patterns).match(normalize(url)) or ""
    except BadUrl:
        return ""


def _place(given: CommandLine, key: str, pattern: str) -> str:
    reading = given.reading
    file = () if given.content is None else (File(reading.path, given.content),)
    return option_place((*file, *reading.settings), key, pattern) or "the built-in default"
