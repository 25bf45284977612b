"""A GitHub on loopback: its API and its git, over the same bare repositories."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager

from forge import api, descriptions, hub
from forge.git_server import git_server
from forge.hub import Hub
from forge.server import listening


@contextmanager
def github(tls: ssl.SSLContext | None = None) -> Iterator[Hub]:
    """Fails at its end when a request, or an answer of the fake, was not as GitHub describes it."""
    descriptions.load()  # a test without them is skipped before anything is started
    folder = hub.new_folder()
    try:
        made = Hub(folder)
        with git_server(made, tls), listening(lambda request: api.respond(made, request), tls) as address:
            made.api_url = address
            yield made
    finally:
        hub.remove(folder)
    assert not made.violations, "not as GitHub describes it:\n" + "\n".join(made.violations)
