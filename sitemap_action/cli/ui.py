"""`ui`: a screen in the browser that starts `check`, shows pages as they arrive, and keeps what comes of them."""

import os
from importlib.util import find_spec

import click

from sitemap_action.console.streams import Console
from sitemap_action.errors import UsageError

_NEEDS = ("starlette", "uvicorn")


@click.command(epilog="Example: sitemap-action ui --port 8080")
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="Port on 127.0.0.1.  [default: a free one]")
@click.option("--no-open", is_flag=True, help="Print the address, and open no browser.")
@click.option("--tls-verify", type=bool, default=True, metavar="BOOL", help="Verify certificates.  [default: true]")
@click.option(
    "--allow-private-hosts", default="", metavar="LIST", help="Private hosts, addresses or ranges to connect to."
)
def ui(port: int, *, no_open: bool, tls_verify: bool, allow_private_hosts: str) -> int:
    """Check a site from a page in your browser.

    Start, watch, stop, and take the report and the sitemap. It listens on 127.0.0.1 alone, and checks addresses and
    folders below the current one. Needs sitemap-action[ui].
    """
    if missing := [name for name in _NEEDS if find_spec(name) is None]:
        hint = "pip install 'sitemap-action[ui]', or with pipx: pipx inject sitemap-action starlette uvicorn"
        raise UsageError(f"the screen needs {' and '.join(missing)}, which is not installed", hint=hint)
    from sitemap_action.cli.settings import KNOWN  # noqa: PLC0415 - reached with the extra alone
    from sitemap_action.ui.server import serve  # noqa: PLC0415 - as above

    console = Console(os.environ)
    flags = ("--tls-verify", str(tls_verify).lower(), "--allow-private-hosts", allow_private_hosts)
    try:
        serve(port, KNOWN, flags, console.log, browse=not no_open)
    except KeyboardInterrupt:
        console.log("ended")
    return 0
