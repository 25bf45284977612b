"""Names of branches as inputs state them, by the rules of `git check-ref-format`."""

from sitemap_action.errors import UsageError
from sitemap_action.web.printable import printable

_LONGEST = 244  # bytes: refs/heads/NAME.lock is a file on some servers
_FORBIDDEN = frozenset(" ~^:?*[\\\x7f")
_HINT = "name a branch as git does, without `refs/heads/`, such as main or sitemap-action/update"
_PREFIX = "refs/"


def branch_name(text: str, what: str) -> str:
    """The name itself; raises UsageError where no branch may have it. `what`: the input that states it."""
    if problem := _problem(text):
        raise UsageError(f"{what}: {printable(text)[:200]!r} is no name of a branch: {problem}", hint=_HINT)
    return text


def _problem(text: str) -> str:
    parts = text.split("/")
    checks = (
        (not text, "it is empty"),
        (len(text.encode(errors="replace")) > _LONGEST, f"it has more than {_LONGEST} bytes"),
        (text == "HEAD" or text.startswith(_PREFIX), "it is a reference, not a branch"),
        (text.startswith("-"), "it starts with `-`"),
        (not text.isprintable(), "it has a control or invisible character"),
        (bool(_FORBIDDEN & {*text}), "it has a space or one of ~ ^ : ? * [ \\"),
        (".." in text, "it has `..`"),
        ("@{" in text or text == "@", "it has `@{`, or is `@`"),
        ("" in parts, "a `/` is at its start or end, or follows another"),
        (any(part.startswith(".") for part in parts), "a part of it starts with `.`"),
        (any(part.lower().endswith(".lock") for part in parts), "a part of it ends in `.lock`"),
        (text.endswith("."), "it ends in `.`"),
    )
    return next((said for wrong, said in checks if wrong), "")
