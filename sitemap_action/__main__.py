"""The program and its commands, and the process: argv, environment and signals in, exit code out.

Theory of operation of the signals that end a run: SIGINT, SIGTERM, and SIGHUP where the terminal is gone. The first
one is an exception in the main thread, so that the run ends as one that failed: folders are removed, processes are
ended, and no file is half written. A terminal sends a signal to every process of a group, and `timeout` sends it twice,
so what comes within a second is the same wish, and is dropped: a second exception would end the clean-up of the first.
A later one ends the process at once, and so does a clean-up that takes too long.
"""

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[:1]  # `python -m` puts the current folder first, and a checkout may contain anything


import errno
import gc
import math
import os
import signal
import time
from importlib import import_module
from types import FrameType, ModuleType

import click

from sitemap_action import __version__
from sitemap_action.console.streams import Console, PrintableStream, flush_stdout, replace_stdout
from sitemap_action.errors import TOGETHER, PublishError, SitemapActionError, UnreachableError, UsageError, first_leaf
from sitemap_action.model.mask import Mask
from sitemap_action.model.wording import Audience, speak_to
from sitemap_action.runner.job_log import secrets

_COMMANDS = {  # name → module and attribute
    "check": ("check", "check"),
    "write": ("check", "write"),
    "commit": ("check", "commit"),
    "pull-request": ("check", "pull_request"),
    "accept": ("accept", "accept"),
    "ledger": ("ledger", "ledger"),
    "redirects": ("ledger", "redirects"),
    "merge": ("check", "merge"),
    "run": ("action", "run_action"),
    "diff": ("small_commands", "diff"),
    "validate": ("validate", "validate"),
    "read": ("read", "read"),
    "explain": ("explain", "explain"),
    "robots": ("small_commands", "robots"),
    "rules": ("small_commands", "rules"),
    "init": ("init", "init"),
    "ui": ("small_commands", "ui"),
}
_SUMMARIES = {  # each fits on one line of 80 columns; `run` is for containers
    "check": "Read the site, compare it with the sitemap, and report.",
    "write": "Check, then write the sitemap into the working tree.",
    "commit": "Write, then commit the sitemap to a branch on GitHub.",
    "pull-request": "Write, then open or update a pull request on GitHub.",
    "accept": "Put what fails today on the list of known faults.",
    "ledger": "List every address that was published, for policy.ledger.",
    "redirects": "Propose a redirect for each lost page.",
    "merge": "Join what all shards have seen, and give one verdict.",
    "diff": "Compare two sitemaps as sets of URLs.",
    "validate": "Check sitemaps by every rule that needs no site.",
    "read": "List the URLs of a sitemap, or of all that a site declares.",
    "explain": "Tell why one URL is, or is not, in the sitemap.",
    "robots": "Tell whether URLs are allowed, and by which line.",
    "rules": "List the rules, or those of a family; explain one of them.",
    "init": "Write a config and a workflow, or GitLab's pipeline.",
    "ui": "Check a site from a page in your browser.",
}
_OTHER_COMMANDS = {  # as other programs call it → here
    "help": "--help",
    "version": "--version",
    "lint": "validate",
    "generate": "write",
    "fix": "write",
    "setup": "init",
    **dict.fromkeys(("test", "scan", "crawl"), "check"),
}
_GC_THRESHOLD = 20_000  # new objects between two collections: hardly any value of a run lies in a cycle


class _Commands(click.Group):
    """Imports the requested command only: what `validate` needs does not slow the start of `check`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature is click's
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        if cmd_name not in _COMMANDS:
            return None
        name, attribute = _COMMANDS[cmd_name]
        module = sys.modules.get(f"sitemap_action.cli.{name}") or _import_uncollected(f"sitemap_action.cli.{name}")
        command: click.Command = getattr(module, attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in _COMMANDS and not name.startswith("-"):
            raise UsageError(f"there is no command {name[:200]}", hint=_near_miss(name))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands from the table, without importing any."""
        click.Group(commands=[click.Command(name, help=text) for name, text in _SUMMARIES.items()]).format_commands(
            ctx, formatter
        )


def _near_miss(name: str) -> str:
    """What may have been meant: a site or a build to check, or a command of a similar name."""
    if "://" in name or os.path.isdir(name):  # noqa: PTH112 - `Path.is_dir` raises for a long name
        return f"check it: `sitemap-action check {name[:200]}`"
    from difflib import get_close_matches  # noqa: PLC0415 - few command lines have a wrong name

    if name in _OTHER_COMMANDS:
        return f"did you mean `sitemap-action {_OTHER_COMMANDS[name]}`?"
    near = [one for one in get_close_matches(name.lower(), _COMMANDS, 1) if one in _SUMMARIES]
    return f"did you mean `sitemap-action {near[0]}`?" if near else "see `sitemap-action --help`"


def _import_uncollected(name: str) -> ModuleType:
    """Imports make no garbage, and what they load stays: collecting it is lost time."""
    gc.disable()
    try:
        return import_module(name)
    finally:
        gc.freeze()
        gc.set_threshold(_GC_THRESHOLD)
        gc.enable()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="sitemap-action")
def sitemap_action() -> None:
    """Know which pages of a site appear and which vanish, and why.

    Exit codes: 0 in sync, 1 the sitemap and the site differ or the sitemap is invalid, 2 usage or configuration,
    3 not enough was read for a verdict, 4 something could not be written or published, 70 a bug in this program.
    """


# --- the process ---

_BUG = 70
_REPORT_BUGS = "this is a bug in sitemap-action: please report it with the command and the lines below"
_MEMORY = (
    "the memory that this run may use is not enough",
    "give the job more memory, or divide the site between runners (check --shard)",
)
_FILES = ("this run may open no more files", "raise the limit (ulimit -n)")
_PROCESSES = ("this run may start no more processes or threads", "raise the limit (ulimit -u)")
_LIMITS = {
    errno.ENOMEM: _MEMORY,
    errno.EMFILE: _FILES,
    errno.ENFILE: _FILES,
    errno.EAGAIN: _PROCESSES,
}


def main() -> None:
    replace_stdout()
    os.environ["PYTHONSAFEPATH"] = "1"  # for the processes of a pool, where these are started and not forked
    if os.environ.get("GITHUB_ACTIONS") != "true":
        sys.exit(_flush_output(run(sys.argv[1:], patience=PATIENCE)))
    sys.stderr = printable_stream = PrintableStream(sys.stderr, Mask(secrets(os.environ, sys.argv)))
    try:
        sys.exit(_flush_output(run(sys.argv[1:], patience=PATIENCE)))
    finally:
        printable_stream.finish()


def _flush_output(code: int) -> int:
    """The exit code, where standard output may have failed: its last part is written here."""
    if code > 128:  # as shells have it: ended by a signal
        ignore_from_now_on()
    try:
        flush_stdout()
    except PublishError as error:
        Console(os.environ).log_error(error)
        return code or error.exit_code
    return code


def run(arguments: list[str], *, patience: float = math.inf) -> int:  # noqa: PLR0911 - one line for each way to end
    """The exit code of one command line. `patience`: seconds after a signal, after which the process is ended."""
    StopSignals(patience).install()
    console = Console(os.environ)
    speak_to(Audience.COMMAND_LINE)  # a script may have used the library before
    try:
        code = sitemap_action.main(arguments, prog_name="sitemap-action", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        console.log_error(_usage_error(error, [one for one in arguments[:1] if not one.startswith("-")]))
        return 2
    except SitemapActionError as error:
        console.log_error(error)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        console.log("interrupted: nothing was written after that")
        return 130
    except Terminated as ended:
        console.log("terminated: nothing was written after that")
        return int(str(ended.code))
    except BrokenPipeError:
        return 0  # the reader of the report closed its end
    except Exception as error:  # noqa: BLE001 - the last line of defence: a bug is no verdict
        return _report_bug(console, error, debug=console.debug or "--debug" in arguments)
    finally:
        speak_to(Audience.COMMAND_LINE)


def _report_bug(console: Console, error: Exception, *, debug: bool) -> int:
    """A limit of the machine, else a bug."""
    import traceback  # noqa: PLC0415 - a verdict needs none

    limit = _machine_limit(error)
    console.log_error(limit or SitemapActionError(f"{type(error).__name__}: {error}", hint=_REPORT_BUGS))
    if limit is None:
        where = traceback.extract_tb(error.__traceback__)[-1]
        console.log(f"sitemap-action {__version__}, Python {sys.version.split()[0]}, {where.name} line {where.lineno}")
    if debug:
        for line in "".join(traceback.format_exception(error)).splitlines():
            console.log(line)
    return _BUG if limit is None else limit.exit_code


def _machine_limit(error: Exception) -> SitemapActionError | None:
    """None for any other error, which is a bug."""
    if isinstance(error, ExceptionGroup):
        error = first_leaf(error)
    if isinstance(error, FileNotFoundError) and _folder_is_gone():
        hint = "change to a folder that is there"
        return UsageError("the current folder does not exist any more", hint=hint)
    limit = _limit(error)
    return UnreachableError(f"no verdict: {limit[0]}", hint=limit[1]) if limit else None


def _limit(error: Exception) -> tuple[str, str] | None:
    if isinstance(error, MemoryError):
        return _MEMORY
    if isinstance(error, RuntimeError) and _is_raised_by_start_of_thread(error):
        return _PROCESSES
    return _LIMITS.get(error.errno or 0) if isinstance(error, OSError) else None


def _is_raised_by_start_of_thread(error: RuntimeError) -> bool:
    """Python has no error of its own for a thread that the system does not start: the call that raises it tells."""
    from traceback import walk_tb  # noqa: PLC0415 - as in _report_bug

    calls = (frame for frame, _ in walk_tb(error.__traceback__))
    return any((one.f_globals.get("__name__"), one.f_code.co_name) == ("threading", "start") for one in calls)


def _folder_is_gone() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - it is only asked whether there is one
    except FileNotFoundError:
        return True
    return False


def _usage_error(error: click.ClickException, command: list[str]) -> UsageError:
    if isinstance(error, click.NoSuchOption) and (meant := _OTHER_OPTIONS.get(error.option_name)):
        return UsageError(error.message, hint=f"write {meant}")
    return UsageError(error.format_message(), hint=_usage_hint(error, command))


def _usage_hint(error: click.ClickException, command: list[str]) -> str:
    """An example, where something is missing; else where all options stand."""
    context = getattr(error, "ctx", None)
    if context is None:  # an option without its value: click does not say of which command
        return f"see `{' '.join(('sitemap-action', *command))} --help`"
    if isinstance(error, click.MissingParameter) and context.command.epilog:
        return f"as in `{context.command.epilog.removeprefix('Example: ')}`"
    if type(error) is click.UsageError and context.info_name in _EXTRA:  # what is left of the words of a command
        return _EXTRA[context.info_name]
    return f"see `{context.command_path} --help`"


_OTHER_OPTIONS = {  # as other programs call it → here
    **dict.fromkeys(("-v", "--version"), "`sitemap-action --version`, or --verbose behind a command"),
    **dict.fromkeys(("-q", "--silent"), "--quiet"),
    **{f"--{name}": f"--format {name}, or --report {name}=FILE" for name in ("json", "html", "sarif", "junit", "csv")},
    **dict.fromkeys(("-o", "--output", "--out"), "--report FORMAT=FILE, as in --report json=report.json"),
    **dict.fromkeys(("-n", "--dry"), "--dry-run"),
    **dict.fromkeys(
        ("-H", "--header", "--headers"), "SITEMAP_ACTION_HEADERS, a variable with one `Name: value` a line"
    ),
    **dict.fromkeys(("--exclude", "--ignore"), "--set 'select.exclude=[/drafts/**]'"),
    **dict.fromkeys(("--depth", "--max-depth"), "--set crawl.max-depth=N"),
    **dict.fromkeys(("--limit", "--max-pages"), "--set crawl.max-pages=N"),
    **dict.fromkeys(("--rate", "--delay"), "--set crawl.requests-per-second=N"),
    "--timeout": "--set crawl.timeout=SECONDS",
    "--user-agent": "--set http.user-agent=NAME",
}
_EXTRA = {
    **dict.fromkeys(
        ("check", "write", "accept", "ledger", "redirects"), "one site at a time: give each a run of its own"
    ),
    **dict.fromkeys(("commit", "pull-request"), "name the folder with --path, or the address with --url"),
}


PATIENCE = 5.0  # seconds that the clean-up may take
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_CODE = 128  # and the number of the signal: the exit code, as shells have it


class Terminated(SystemExit):
    """SIGTERM, or the terminal is gone. `code` is the exit code.

    A SystemExit, because an event loop passes on no other exception from the task that it is running.
    """


def ignore_from_now_on() -> None:
    """Once the clean-up is done: where Python ends, signals have their usual effect again, and its exit code."""
    for name in _NAMES:
        if (number := getattr(signal, name, None)) is not None:
            signal.signal(number, signal.SIG_IGN)


class StopSignals:
    """Handlers for the main thread, from `install` on."""

    def __init__(self, patience: float = math.inf) -> None:
        self._patience = patience
        self._first = -math.inf  # when the first signal came

    def install(self) -> None:
        """Where somebody wants the run to outlive a signal, as with nohup, it does."""
        for name in _NAMES:
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            if number is not None and (name == "SIGTERM" or signal.getsignal(number) is not signal.SIG_IGN):
                signal.signal(number, self._handle)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._first == -math.inf:
            self._first = now
            self._limit(number)
            raise KeyboardInterrupt if number == signal.SIGINT else Terminated(_CODE + number)
        if now - self._first > TOGETHER:
            os._exit(_CODE + number)

    def _limit(self, number: int) -> None:
        """End the clean-up by a timer of the system: a thread could not be started inside of a thread's start."""
        if self._patience < math.inf and hasattr(signal, "SIGALRM"):
            signal.signal(signal.SIGALRM, lambda *_: os._exit(_CODE + number))
            signal.setitimer(signal.ITIMER_REAL, self._patience)


if __name__ == "__main__":
    main()
