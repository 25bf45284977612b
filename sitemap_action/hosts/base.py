"""What a host profile offers: made for one build, it answers for a URL as the host's server would."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from msgspec import Struct

from sitemap_action.model.finding import Place
from sitemap_action.model.lazy_re import lazy_re

# A 404.html is that of its directory too; another number further down may be an article.
_ERROR_PAGE = lazy_re(r"(?:(?:.*/)?404|403|500)\.html?\Z")
_VERIFICATION = lazy_re(r"(?:google[0-9a-f]{16}|yandex_[0-9a-f]{16}|BingSiteAuth|pinterest-[0-9a-f]+)\.(?:html|xml)\Z")

_FRAGMENT = lazy_re(r"_(?:gatsby|next|nuxt|astro)/")  # as Gatsby's slices

NOWHERE = ("/.sitemap-action/none", "/.sitemap-action/none/")  # in the spelling with which a host serves pages
_KEY = lazy_re(r"([A-Za-z0-9-]{8,128})\.txt")
_APPLICATION = "200.html"  # Nuxt, SvelteKit and Surge have the document of an application there, beside its pages

ReadFile: TypeAlias = Callable[[str], bytes | None]
"""The content of a file of the build by its name relative to the build directory; None when there is no such file."""


class ControlFile(NamedTuple):
    """A file that a host is configured by."""

    path: str  # as messages name it: relative to the workspace, or to the build
    content: bytes
    distance: int = 0  # folders between it and the build

    def lines(self) -> Iterator[tuple[Place, str]]:
        for number, text in enumerate(self.content.decode(errors="replace").split("\n"), 1):
            yield Place(self.path, number), text


FindFile: TypeAlias = Callable[[str], ControlFile | None]
"""The control file of this name; None when there is none."""


def _none(_name: str) -> None:
    return None


def _no_files() -> Sequence[ControlFile]:
    return ()


class BuildFiles(Struct, frozen=True):
    """A build and the repository that it was made from, as far as the rules of a host depend on them."""

    files: Collection[str]  # paths of the build, relative to its directory
    read: ReadFile  # of the build
    find: FindFile = _none  # in the build, or in the nearest folder of the repository above it
    folder: Callable[[str], str | None] = _none  # path of a folder of this name, looked for in the same places
    workflows: Callable[[], Sequence[ControlFile]] = _no_files
    site_url: str = ""


class PathPattern(NamedTuple):
    """A literal path, or an RE2 expression that matches a whole path; both in percent-encoded form."""

    literal: str = ""
    expression: str = ""
    excluded: str = ""  # another one: what it matches, this pattern does not


class Route(NamedTuple):
    """One rule: what a path that matches is answered with."""

    pattern: PathPattern
    target: str = ""  # with placeholders; a path or an absolute URL
    status: int = 200  # 3xx redirects, 200 rewrites, 4xx answers; 0: the files answer, and no other rule
    place: Place = Place("")
    force: bool = False  # also where a file answers
    headers: tuple[tuple[str, str], ...] = ()  # of the file that is shown then; names in lower case, "" removes one
    source: str = ""  # as the file has it
    unserved: str = ""  # why the host never applies it, as text
    unclear: str = ""  # why it is not applied here, where the host may do so; as text

    @property
    def evidence(self) -> str:
        return str(self.place)


class HostResponse(NamedTuple):
    """A server's response for one URL path, the body still unread."""

    status: int
    file: str = ""  # whose content is the body: relative to the build directory, with `/`
    location: str = ""  # redirect target, percent-encoded: a path below the deployment, or an absolute URL
    # Names in lower case, repeated ones kept apart; a Content-Type only where it is not the one of the suffix.
    headers: tuple[tuple[str, str], ...] = ()
    evidence: str = ""  # file and line of the rule that decides: "_redirects line 12"
    fallback: bool = False  # the same document for every path without a file
    proxied: str = ""  # the address that answers in the place of this host


class Host(Protocol):
    """One host serving one build; can be pickled, for the worker processes that read pages.

    URL paths are percent-encoded, start with `/` and are relative to the deployment.
    """

    def address(self, path: str, /) -> str:
        """The URL path under which the file at this path is listed."""
        ...

    def answer(self, url_path: str, /) -> HostResponse: ...

    def preferring(self, url_paths: Iterable[str], /) -> "Host":
        """A host that lists, of spellings which it serves alike, the one that most of these paths have.

        The host itself where there is no such choice.
        """
        ...


class ServedBuild(NamedTuple):
    """A host with one build, and what a report says about it."""

    host: Host
    notes: tuple[str, ...] = ()
    fallback: str = ""  # how the host answers every path that has no file with 200, as text (HOST-09)
    # Where it does so for some paths only, in order of the rules: /app/*, and file and line of the rule.
    partial: tuple[tuple[str, str], ...] = ()
    known: bool = True  # else the host is assumed
    rules: tuple[Route, ...] = ()  # the redirect table: every rule of the control files, in their order
    key: Callable[[str], str] = str  # brings a path into the form that patterns of rules match
    elsewhere: str = ""  # what else may answer any path, as text
    code: tuple[str, ...] = ()  # paths below which code answers


HostProfile: TypeAlias = Callable[[BuildFiles], ServedBuild]
"""The rules of one static host. Control files are read before it returns; raises UsageError for an unreadable one."""


def why_unlisted(path: str) -> str:
    """The reason as text why no host lists the file at this path (relative, `/`); "" when it may be listed (HOST-04).

    A page that only looks similar stays: `404/index.html` and `google-fonts.html` are pages.
    """
    if _ERROR_PAGE.match(path):
        return "error page of the host"
    if _VERIFICATION.match(path):
        return "ownership verification file"
    if _FRAGMENT.match(path):
        return "a part that a framework puts into pages"
    return ""


def is_key_file(path: str, content: bytes) -> bool:
    """Whether a file is an IndexNow key, which holds its own name (HOST-04)."""
    key = _KEY.fullmatch(path.rpartition("/")[2])
    return key is not None and content.strip() == key[1].encode()


def fallback_documents(host: Host) -> tuple[str, ...]:
    """Files that are an application's document for paths without a file, where only scripts make a page of them.

    By convention, or as a rule of the host has it (HOST-09). The start page stays a page.
    """
    ruled = (answer.file for answer in map(host.answer, NOWHERE) if answer.fallback)
    return tuple(dict.fromkeys(file for file in (_APPLICATION, *ruled) if file != "index.html"))
