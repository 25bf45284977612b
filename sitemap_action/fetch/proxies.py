"""The proxy of a URL, from the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY; NET-12)."""

from collections.abc import Mapping
from urllib.parse import urlsplit


class Proxies:
    """Lower-case variables win, as in other programs. HTTP_PROXY counts as well: httpoxy concerns only CGI programs."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        def value(*names: str) -> str:
            return next((found for name in names if (found := environment.get(name, "").strip())), "")

        all_schemes = value("all_proxy", "ALL_PROXY")
        self._by_scheme = {
            "http": value("http_proxy", "HTTP_PROXY") or all_schemes,
            "https": value("https_proxy", "HTTPS_PROXY") or all_schemes,
        }
        names = [name.strip().lower() for name in value("no_proxy", "NO_PROXY").split(",")]
        self._direct = tuple(name.removeprefix("*").removeprefix(".") for name in names if name)
        self._unused = "*" in names or not any(self._by_scheme.values())

    def for_url(self, url: str) -> str:
        """The proxy's URL; "" for none."""
        if self._unused:
            return ""
        parts = urlsplit(url)
        host = parts.hostname or ""
        spellings = (host, f"{host}:{parts.port}")
        if any(name in spellings or host.endswith(f".{name}") for name in self._direct):
            return ""
        return self._by_scheme[parts.scheme]
