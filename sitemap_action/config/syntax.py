"""What the YAML parser complains about, in words for whoever wrote the file."""

import yaml
from yaml.reader import ReaderError

_SENTENCES = (
    # a piece of the parser's own words, what to say instead
    ("'\\t' that cannot start", "a tab cannot indent; use spaces"),
    (
        "mapping values are not allowed",
        "a colon where no key can be; put the value in quotes, or end the line above in a colon",
    ),
    ("expected <block end>", "the indentation does not fit the lines above, or a value in quotes goes on after them"),
    ("expected '<document start>'", "the indentation does not fit the lines above"),
    ("unexpected end of stream", "a quote is never closed"),
    ("document separator", "a quote is never closed"),
    ("expected ',' or ']'", "a comma or the closing ] is missing"),
    ("expected ',' or '}'", "a comma or the closing } is missing"),
    ("could not find expected ':'", "a key has no colon and space after it"),
    ("expected alphabetic or numeric", "a value that starts with * or & has to stand in quotes"),
    ("that cannot start any token", "this character cannot start a value; put the value in quotes"),
    ("expected the node content", "a value is missing"),
)


def explain(error: yaml.MarkedYAMLError | ReaderError, text: str) -> tuple[int, int, str]:
    """Line and column, from 0, and what is wrong there."""
    if isinstance(error, ReaderError):
        before = text[: error.position].split("\n")
        return len(before) - 1, len(before[-1]), f"the character U+{error.character:04X} is not allowed"
    mark, problem = error.problem_mark, error.problem or ""
    what = next((sentence for piece, sentence in _SENTENCES if piece in problem), problem)
    return mark.line if mark else 0, mark.column if mark else 0, what
