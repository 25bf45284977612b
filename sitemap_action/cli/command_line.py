"""The config and the context of a command that reads a site: what its options, the config file and the runner say."""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sitemap_action.cli.options import KNOWN, config_file, event_file, name_where
from sitemap_action.config.layers import ConfigReader, assignment, flag
from sitemap_action.config.schema import AUTO, DEFAULT_CONFIG, INPUTS, Config
from sitemap_action.console.streams import Console
from sitemap_action.disk.folder import closed_folder
from sitemap_action.errors import ConfigError, PublishError, UsageError
from sitemap_action.look.branch import target_tree
from sitemap_action.model.context import Context, Detail, Mode, split_list
from sitemap_action.model.mask import Access, SecretStruct
from sitemap_action.model.observer import Screenshots
from sitemap_action.model.outcome import Outcome
from sitemap_action.model.wording import option, plural
from sitemap_action.publish.files import WRITTEN, replace_bytes
from sitemap_action.runner.event import ConfigFrom, knows_event, read_identity, read_pull_request
from sitemap_action.runner.job_log import secret_headers


class CommandLine(SecretStruct, frozen=True):
    """What the options of a command that reads a site say, with the config file and the environment."""

    config: Config
    context: Context
    reading: ConfigReader
    content: bytes | None  # of the config file


def read_command_line(mode: Mode, options: Mapping[str, Any], console: Console) -> CommandLine:
    options = name_where(options)
    layers = (
        *(assignment(text) for text in options["settings"]),
        *(
            flag(name, value)
            for name in INPUTS
            if name != "path" and (value := options[name.replace("-", "_")]) is not None
        ),
    )
    # On the command line any folder may be named; a config file stays inside the workspace.
    reading = ConfigReader(options["config"] or DEFAULT_CONFIG, layers, KNOWN, folder=options["path"] or "")
    named = bool(options["config"])
    whose = ConfigFrom(options["config_from"])
    event, now = event_file(os.environ), datetime.now(UTC)
    context = Context(
        mode=mode,
        now=now,
        workspace=Path.cwd(),
        access=_access(options, console),
        pull_request=read_pull_request(os.environ, event, whose),
        state=Path(options["state"]) if options["state"] else None,
        command_line=frozenset(layer.key for layer in layers) | ({"source.path"} if options["path"] else set()),
        event=knows_event(os.environ),
        identity=read_identity(os.environ, event, now),
    )
    checkout = partial(config_file, reading.path, required=named, named=named)
    reading, content = config_of_change(reading, checkout, context, whose)
    config = reading.config(content)
    for warning in config.warnings:
        console.log_warning(warning)
    return CommandLine(config=config, context=context, reading=reading, content=content)


def run_for_list(  # noqa: PLR0913 - what is run, and what for
    run: Callable[..., tuple[Outcome, object]],
    console: Console,
    given: CommandLine,
    options: Mapping[str, Any],
    *,
    addresses: Sequence[str] | None = None,
    detail: Detail = Detail.FINDINGS,
) -> Outcome:
    """The check that a list is made from, by default with each finding alone; `run` is that of `sitemap_action.run`."""
    context = replace(given.context, details=frozenset({detail}))
    console.log_unmasked(context.access.headers)
    with console.progress(options["events"], progress=not options["no_progress"]) as observer:
        return run(given.config, context, given.reading, observer, addresses=addresses)[0]


def require_screenshots_folder(name: str, config: Config) -> None:
    """Raises UsageError for a folder that is part of the site, or of git, and for a file."""
    folder, build = Path(name).resolve(), config.source.path
    closed = closed_folder(folder.parts, WRITTEN)
    if build and folder.is_relative_to(Path(build).resolve()):
        why = f"is in the build {build}, which is published"
    elif closed or (folder.exists() and not folder.is_dir()):
        why = f"is in {closed}" if closed else "is no folder"
    else:
        return
    raise UsageError(f"--screenshots {name} {why}", hint="name a folder beside the site, as in --screenshots shots")


def write_screenshots(console: Console, found: Screenshots | None, folder: str) -> str:
    """The folder with what was collected; "" where nothing is in it. What cannot be written fails no run."""
    if found is None:
        return ""
    files = {name: content for name, content in sorted(found.files.items()) if content}
    try:
        for name, content in files.items():
            replace_bytes(Path(folder, name), content)
    except PublishError as error:
        console.log_warning(f"{error}; the report shows no screenshots")
        return ""
    more = f", of the first {found.most} pages and none of {found.omitted:,} more" if found.omitted else ""
    console.log(f"{plural(len(files), 'screenshot')} in {folder}{more}")
    return folder if files else ""


def _access(options: Mapping[str, Any], console: Console) -> Access:
    """Secrets come from the environment, where no process list shows them, for an address of the command line only."""
    headers = os.environ.get("SITEMAP_ACTION_HEADERS", "")
    if headers and options["url"] in (None, "", AUTO):
        hint = "give the address with --url: a config file never chooses where secrets are sent"
        raise UsageError("SITEMAP_ACTION_HEADERS is set, and --url gives no address", hint=hint)
    return Access(
        headers=secret_headers(headers),
        mask=console.mask,
        log=console.request_log(verbose=options["verbose"] or options["debug"]),
        tls_verify=options["tls_verify"],
        allow_private_hosts=split_list(options["allow_private_hosts"]),
        offline=options["offline"],
    )


def config_of_change(
    reading: ConfigReader, checkout: Callable[[], bytes | None], context: Context, whose: ConfigFrom
) -> tuple[ConfigReader, bytes | None]:
    """The content of the config that holds, and how to read it again; `checkout` reads that of the work tree."""
    if whose is ConfigFrom.HEAD or context.pull_request is None:
        return reading, checkout()
    tree = target_tree(context, context.pull_request, reading.path)
    content = require_config(reading.path, tree(reading.path), tree.commit)
    return replace(reading, checkout=checkout, holder=tree), content


def require_config(path: str, content: bytes | None, commit: str) -> bytes | None:
    """The content at a commit; the file that is read where none is named may be missing."""
    if content is None and path != DEFAULT_CONFIG:
        raise ConfigError(f"{path}: no such file at {commit[:12]}", hint=f"correct {option('config')}")
    return content
