"""A host with rules: some before its files, some for paths without a file, and headers for what it serves."""

from collections.abc import Iterable
from copy import copy

from sitemap_action.hosts.base import Host, HostResponse
from sitemap_action.hosts.header_rules import HeaderTable
from sitemap_action.hosts.routes import RouteMatch, RouteTable, location, redirect

_NOWHERE = ("/.sitemap-action/none", "/.sitemap-action/none/")  # in the spelling with which the host serves pages
_NO_ROUTES = RouteTable(())


class RuledHost:
    """Implements `Host`."""

    code: tuple[str, ...] = ()  # paths below which code answers, which is not run here

    def __init__(
        self, static: Host, before: RouteTable, headers: HeaderTable, *, after: RouteTable = _NO_ROUTES
    ) -> None:
        self.static = static
        self.before = before
        self.after = after
        self.headers = headers

    def address(self, path: str, /) -> str:
        return self.static.address(path)

    def preferring(self, url_paths: Iterable[str], /) -> "RuledHost":
        static = self.static.preferring(url_paths)
        if static is self.static:
            return self
        host = copy(self)
        host.static = static
        return host

    def answer(self, url_path: str, /) -> HostResponse:
        found = self.before.first(url_path) if self.before else None
        response = self.routed(found) if found else self.file(url_path)
        if response.status == 404 and not found and self.after and (found := self.after.first(url_path)):
            response = self.routed(found)
        return self.headers.add_to(response, url_path) if response.file else response

    def file(self, url_path: str) -> HostResponse:
        """What the host answers for a path that no rule takes."""
        return self.static.answer(url_path)

    def routed(self, found: RouteMatch) -> HostResponse:
        """What a rule answers with: a redirect, a status, the file of another path, or an address elsewhere."""
        route, target = found.route, found.target
        if 300 <= route.status < 400:
            return redirect(found)
        if route.status != 200:
            return HostResponse(route.status, evidence=route.evidence)
        if not target.startswith("/") or target.startswith(self.code):
            return HostResponse(200, proxied=target, evidence=route.evidence)
        response = self.served(location(target).partition("?")[0])
        constant = bool(route.pattern.expression) and target == route.target
        return response._replace(evidence=route.evidence, fallback=constant and bool(response.file))

    def served(self, path: str) -> HostResponse:
        """The file that a rewrite leads to, whichever spelling of its path the rule has."""
        response = self.static.answer(path)
        return self.static.answer(response.location) if response.location else response

    def fallback(self) -> str:
        """The rule that answers every path without a file with one document; "" where there is none (HOST-09)."""
        answers = [self.answer(path) for path in _NOWHERE]
        return next((answer.evidence for answer in answers if answer.fallback), "")
