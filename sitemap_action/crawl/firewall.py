"""Tells a firewall from a site: pages of the baseline that answer 403 one after the other (HTML-40, ENV-05)."""

_MOST = 3


class FirewallDetector:
    """Answers count in the order in which they were asked for, whatever their latencies (NET-16)."""

    def __init__(self) -> None:
        self._statuses: dict[str, int | None] = {}  # of what is under way, and of what was asked for after that
        self._last: list[str] = []

    def asked(self, url: str) -> None:
        self._statuses[url] = None

    def answered(self, url: str, status: int) -> str:
        """Why to give up, "" when there is no reason to."""
        self._statuses[url] = status
        for first in list(self._statuses):
            if (status_of := self._statuses[first]) is None:
                break
            del self._statuses[first]
            self._last = [*self._last, first] if status_of == 403 else []
            if len(self._last) == _MOST:
                return f"{_MOST} pages that the sitemap lists answered 403 one after the other, the last {first}"
        return ""
