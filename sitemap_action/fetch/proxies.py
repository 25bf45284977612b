"""Which proxy the environment names for a URL (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY; NET-12)."""

from collections.abc import Mapping
from urllib.parse import urlsplit


class Proxies:
    """Read once. Names in lower case win, as in other programs; http_proxy has no upper-case form there (httpoxy)."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        def value(*names: str) -> str:
            return next((found for name in names if (found := environment.get(name, "").strip())), "")

        everything = value("all_proxy", "ALL_PROXY")
        self._by_scheme = {
            "http": value("http_proxy", "HTTP_PROXY") or everything,
            "https": value("https_proxy", "HTTPS_PROXY") or everything,
        }
        names = [name.strip().lower() for name in value("no_proxy", "NO_PROXY").split(",")]
        self._direct = tuple(name.removeprefix("*").removeprefix(".") for name in names if name)
        self._unused = "*" in names or not any(self._by_scheme.values())

    def of(self, url: str) -> str:
        """The proxy's address; "" for none."""
        if self._unused:
            return ""
        parts = urlsplit(url)
        host = parts.hostname or ""
        spellings = (host, f"{host}:{parts.port}")
        if any(name in spellings or host.endswith(f".{name}") for name in self._direct):
            return ""
        return self._by_scheme[parts.scheme]
