"""Standard error where a runner reads it: what libraries and Python itself say there is fit for a log too."""

import io
from typing import TextIO

from sitemap_action.web.printable import printable


class SafeLines(io.TextIOBase):
    """Passes on whole lines, each made printable. Commands go to standard output, so that none can come from here."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._begun = ""

    def write(self, text: str) -> int:
        *lines, self._begun = (self._begun + text).replace("\r", "\n").split("\n")
        self._stream.writelines(f"{printable(line)}\n" for line in lines)
        return len(text)

    def flush(self) -> None:
        """A line that is not finished stays here: its end decides what it is."""
        self._stream.flush()

    def finish(self) -> None:
        if self._begun:
            self.write("\n")
        self.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()
