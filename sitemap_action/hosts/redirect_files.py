"""The file that a site's redirects are written in, found as hosts and generators are, and the redirects added to it.

What an edit makes of a host's file is judged by the profile of the host: a redirect that it would not serve is refused,
and so is one that would put another rule beyond a limit.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sitemap_action.errors import UsageError
from sitemap_action.hosts.all import HOSTS
from sitemap_action.hosts.base import BuildFiles, ControlFile, ServedBuild
from sitemap_action.hosts.redirect_edits import (
    Format,
    Redirect,
    RedirectEdits,
    RedirectFormat,
    RedirectLines,
    RedirectPlace,
    SourceFiles,
    edit_text,
)
from sitemap_action.hosts.routes import location

_BY_NAME = {"_redirects": RedirectFormat.REDIRECTS}
_FIRST = {RedirectFormat.REDIRECTS: "netlify"}  # the host whose rules hold, where none is known
_NAMED = {"_redirects": ("netlify", "netlify-plain", "cloudflare-pages", "cloudflare-workers")}


class SiteSetup(NamedTuple):
    """What is known of a site: its host by a name of `hosts.all`, its generator by the name that people know."""

    host: str = ""
    generator: str = ""
    config: str = ""  # of the generator, in the repository
    copied: str | None = None  # a folder that is copied into the build as it is
    output: str = ""  # the folder of the build, in the repository
    base: str = "/"


def find_redirect_place(repository: SourceFiles, setup: SiteSetup, wanted: str = "") -> RedirectPlace:
    """Where redirects of this site are written; `wanted`: a file that the config names."""
    if wanted:
        form = _BY_NAME.get(wanted.rpartition("/")[2], RedirectFormat.CSV)
        return RedirectPlace(form, wanted, f"output.redirects names {wanted}", setup.base, setup.host)
    if setup.host in _NAMED["_redirects"]:
        folders = [folder for folder in (setup.copied, setup.output, "") if folder is not None]
        paths = [f"{folder}/_redirects".lstrip("/") for folder in folders]
        path = next((path for path in paths if repository.read(path) is not None), paths[0])
        why = f"{setup.host} reads redirects in _redirects"
        return RedirectPlace(RedirectFormat.REDIRECTS, path, why, setup.base, setup.host)
    return RedirectPlace(RedirectFormat.CSV, "", "no file for redirects is known", setup.base, setup.host)


def add_redirects(place: RedirectPlace, redirects: Sequence[Redirect], repository: SourceFiles) -> RedirectEdits:
    """The files that change, and what becomes of each redirect; a second time everything is there already."""
    form = _format(place)
    if form is None:
        return RedirectEdits(refused=tuple((one, place.why) for one in redirects))
    content = repository.read(place.path)
    try:
        text = (content or b"").decode()
    except UnicodeDecodeError:
        return RedirectEdits(refused=tuple((one, f"{place.path} is not UTF-8") for one in redirects))
    asked, refused = list(redirects), list[tuple[Redirect, str]]()
    while True:
        edited, edits = edit_text(form, place.path, text, asked)
        unserved = _find_unserved(place, text, edited, edits.added) if edits.added else {}
        if not unserved:
            files = {place.path: edited.encode()} if edits.added else {}
            return edits._replace(files=files, refused=(*edits.refused, *refused))
        refused += [(one, unserved[one.source]) for one in asked if one.source in unserved]
        asked = [one for one in asked if one.source not in unserved]


def _format(place: RedirectPlace) -> Format | None:
    match place.format:
        case RedirectFormat.REDIRECTS:
            return RedirectLines(place.host)
        case _:
            return None


def _find_unserved(place: RedirectPlace, before: str, after: str, added: Sequence[Redirect]) -> dict[str, str]:
    """Sources that the host would not serve, with the reason; all of them where another rule would suffer."""
    name = place.host if place.host in HOSTS else _FIRST.get(place.format, "")
    if not name:
        return {}
    try:
        old, new = (_serve(name, place, text) for text in (before, after))
    except UsageError as error:
        return dict.fromkeys((one.source for one in added), str(error))
    lost = {rule.source for rule in old.rules if not rule.unserved} & {
        rule.source for rule in new.rules if rule.unserved
    }
    if lost:
        return dict.fromkeys((one.source for one in added), f"the host would not serve {min(lost)} any more")
    return {one.source: why for one in added if (why := _why_unserved(new, one))}


def _why_unserved(served: ServedBuild, redirect: Redirect) -> str:
    """Why a redirect would not be served, as text."""
    more = "sitemap-action/x" if redirect.below else ""
    answer = served.host.answer(redirect.source + more)
    if 300 <= answer.status < 400 and location(answer.location) == location(redirect.target + more):
        return ""
    rules = (rule for rule in served.rules if rule.unserved and rule.source.rstrip("*") == redirect.source)
    return next((rule.unserved for rule in rules), "the host would not serve it")


def _serve(name: str, place: RedirectPlace, text: str) -> ServedBuild:
    files = {place.path.rpartition("/")[2]: text.encode()}

    def find(file: str) -> ControlFile | None:
        return ControlFile(file, files[file]) if file in files else None

    return HOSTS[name](BuildFiles(frozenset(files), files.get, find))
