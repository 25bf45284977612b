"""The redirect author's edits: what is added to a file, what is refused, and that everything else of the file stays."""

from time import process_time
from typing import NamedTuple

import pytest

from sitemap_action.hosts.redirect_edits import Redirect, RedirectEdits, RedirectFormat, RedirectPlace, SourceFiles
from sitemap_action.hosts.redirect_files import add_redirects


def repository(files: dict[str, bytes]) -> SourceFiles:
    def names(folder: str) -> frozenset[str]:
        inside = (path.removeprefix(f"{folder}/" if folder else "") for path in files if path.startswith(folder))
        return frozenset(path.partition("/")[0] for path in inside)

    return SourceFiles(files.get, names)


def place(form: RedirectFormat, path: str, host: str = "") -> RedirectPlace:
    return RedirectPlace(form, path, "a test names it", host=host)


def edit(where: RedirectPlace, text: str | None, *redirects: Redirect) -> tuple[str, RedirectEdits]:
    """The text afterwards, and the edits; a second run adds nothing."""
    files = {} if text is None else {where.path: text.encode()}
    edits = add_redirects(where, redirects, repository(files))
    after = files | edits.files
    again = add_redirects(where, redirects, repository(after))
    assert (again.files, again.added, again.compacted) == ({}, (), ())
    assert {one.source for one in again.present} == {one.source for one in (*edits.added, *edits.present)}
    assert {one for one, _ in again.refused} == {one for one, _ in edits.refused}
    return after.get(where.path, b"").decode(), edits


class Case(NamedTuple):
    """`+/a /b` in the order of what is added: source and target."""

    host: str
    before: str | None
    new: str
    after: str | None  # None: as before
    refused: tuple[str, ...] = ()


LINES = {
    "no file": Case("netlify", None, "/a /b", "/a /b 301\n"),
    "an empty file": Case("netlify", "", "/a /b", "/a /b 301\n"),
    "below the last rule": Case("netlify", "# ours\n/x /y 302\n", "/a /b", "# ours\n/x /y 302\n/a /b 301\n"),
    "no final line end": Case("netlify", "/x /y", "/a /b", "/x /y\n/a /b 301\n"),
    "line ends of Windows": Case("netlify", "/x /y\r\n", "/a /b, /c /d", "/x /y\r\n/a /b 301\r\n/c /d 301\r\n"),
    "a byte order mark": Case("netlify", "\ufeff/x /y\n", "/a /b", "\ufeff/x /y\n/a /b 301\n"),
    "a byte order mark alone": Case("netlify", "\ufeff", "/a /b", None, ("the host would not serve it",)),
    "above the first wildcard": Case(
        "cloudflare-pages", "/x /y\n\n# rest\n/* /z\n", "/a /b", "/x /y\n/a /b 301\n\n# rest\n/* /z\n"
    ),
    "above the comment of a wildcard": Case("netlify", "# rest\n/* /z\n", "/a /b", "/a /b 301\n# rest\n/* /z\n"),
    "in the columns of the file": Case(
        "cloudflare-pages", "/x/y/z   /y  301\n", "/a /b", "/x/y/z   /y  301\n/a       /b 301\n"
    ),
    "tabs": Case("netlify", "/x\t/y\t301\n", "/a /b", "/x\t/y\t301\n/a /b 301\n"),
    "it is there": Case("netlify", "/a /b\n", "/a /b", None),
    "with or without a slash, which Netlify does not distinguish": Case("netlify", "/a/ /b\n", "/a /b", None),
    "which Cloudflare does": Case("cloudflare-pages", "/a/ /b 301\n", "/a /b", "/a/ /b 301\n/a /b 301\n"),
    "another target": Case("netlify", "# x\n/a /c\n", "/a /b", None, ("line 2 has a redirect for /a already, to /c",)),
    "a chain becomes short": Case("netlify", "/x  /a  302 # x\n", "/a /b", "/x  /b  302 # x\n/a  /b 301\n"),
    "a rewrite stays": Case("netlify", "/x /a 200\n", "/a /b", "/x /a 200\n/a /b 301\n"),
    "a wildcard's chain, too": Case("netlify", "/x/* /a\n", "/a /b", "/a /b 301\n/x/* /b\n"),
    "chains among the new": Case("netlify", "", "/a /b, /b /c", "/a /c 301\n/b /c 301\n"),
    "a circle with a rule": Case(
        "netlify", "/b /a\n", "/a /b", None, ("with the redirects that are there it would lead in a circle",)
    ),
    "a circle among the new": Case(
        "netlify", "", "/a /b, /b /a", "/a /b 301\n", ("with the redirects that are there it would lead in a circle",)
    ),
    "to itself": Case("netlify", "", "/a /a/", None, ("it would lead to itself",)),
    "the start page": Case("netlify", "", "/ /a", None, ("the start page is not redirected",)),
    "a colon": Case(
        "cloudflare-pages", "", "/a:b /c", None, ("/a:b has * or :, which stand for any path in this file",)
    ),
    "a colon inside a name, on Netlify": Case("netlify", "", "/a:b /c", "/a:b /c 301\n"),
    "an asterisk": Case("netlify", "", "/a* /c", None, ("/a* has * or :, which stand for any path in this file",)),
    "another line's text": Case("netlify", "", "/a\n/x /c", None, ("it is not a percent-encoded path with a target",)),
    "a comment": Case("netlify", "", "/a#b /c", None, ("it is not a percent-encoded path with a target",)),
    "another site": Case("netlify", "", "/a https://x.example/", "/a https://x.example/ 301\n"),
    "no rule about functions": Case(
        "netlify", "", "/.netlify/a /b", None, ("no rule may be about /.netlify",)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LINES)
def test_lines(name: str) -> None:
    case = LINES[name]
    new = [Redirect(*one.rpartition(" ")[::2]) for one in case.new.split(", ")]
    after, edits = edit(place(RedirectFormat.REDIRECTS, "_redirects", case.host), case.before, *new)
    assert after == ((case.before or "") if case.after is None else case.after)
    assert tuple(why for _, why in edits.refused) == case.refused


def test_a_long_chain_of_new_ones_takes_linear_time() -> None:
    """Each is there already the second time."""
    new = [Redirect(f"/a{number}", f"/a{number + 1}") for number in range(2_000)]
    text, edits = edit(place(RedirectFormat.REDIRECTS, "_redirects", "netlify"), "", *new)
    assert text == "".join(f"/a{number} /a2000 301\n" for number in range(2_000))
    assert {one.target for one in edits.added} == {"/a2000"}


def test_thousands_of_tables_take_linear_time() -> None:
    """No line is looked for from the start of the file."""

    def seconds(count: int) -> float:
        tables = (f'[[redirects]]\n  from = "/x{number}"\n  to = "/y{number}"\n\n' for number in range(count))
        new = [Redirect(f"/a{number}", f"/b{number}") for number in range(count)]
        text, start = "".join(tables), process_time()
        added = add_redirects(
            place(RedirectFormat.NETLIFY, "netlify.toml", "netlify"), new, repository({"netlify.toml": text.encode()})
        ).added
        assert len(added) == count
        return process_time() - start

    assert min(seconds(1_000) for _ in range(2)) < 8 * min(seconds(250) for _ in range(2))


def test_folders() -> None:
    moved = Redirect("/old/", "/new/", below=True)
    where = place(RedirectFormat.REDIRECTS, "_redirects", "cloudflare-pages")
    text, edits = edit(where, "/x /old/a 301\n/y/* /old/:splat 301\n", moved, Redirect("/old/one", "/two"))
    assert text == "/x /new/a 301\n/old/one /two 301\n/old/* /new/:splat 301\n/y/* /new/:splat 301\n"
    assert [(row.line, row.target, target) for row, target in edits.compacted] == [
        (1, "/old/a", "/new/a"), (2, "/old/:splat", "/new/:splat"),
    ]  # fmt: skip


@pytest.mark.parametrize("count", [1_999, 2_000])
def test_never_beyond_the_limit_of_the_host(count: int) -> None:
    text = "".join(f"/s{number} /b 301\n" for number in range(count)) + "/* /z 302\n"
    where = place(RedirectFormat.REDIRECTS, "_redirects", "cloudflare-pages")
    after, edits = edit(where, text, Redirect("/a1", "/b"), Redirect("/a2", "/b"))
    assert len(edits.added) == 2_000 - count
    assert len(after.splitlines()) == 2_001
    assert all("2,000 static rules" in why for _, why in edits.refused)
