"""The redirect author: where lost pages are now, and the file that redirects them there (DIFF-06, DIFF-11).

Theory of operation. What git, the state and the groups of the difference tell of lost pages becomes a proposal for each
of them (`decide/changes.py`). Host and generator are found as a build and `init` find them. Redirects that are
certain are added to their file in memory, the build is served by its host with that file, and each lost URL is asked
for: one that would not lead to its page permanently and at once is taken out again, with the reason. Nothing is written
here.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

from msgspec.structs import replace

from sitemap_action.config.lists import read_ledger
from sitemap_action.config.schema import AUTO, Config
from sitemap_action.decide.changes import TargetEvidence, find_moved_folders, needs_redirect, propose_targets
from sitemap_action.decide.compare import is_start
from sitemap_action.disk.folder import Workspace
from sitemap_action.errors import BaselineError
from sitemap_action.hosts.all import host_evidence
from sitemap_action.hosts.base import BuildFiles
from sitemap_action.hosts.redirect_edits import Redirect, RedirectEdits, RedirectFormat, RedirectPlace, SourceFiles
from sitemap_action.hosts.redirect_files import (
    FOLDER_FORMATS,
    HOST_FILES,
    SiteSetup,
    add_redirects,
    find_redirect_place,
    has_whole_paths,
    is_redirect_edit,
    may_redirect_folder,
)
from sitemap_action.look.branch import BranchTip
from sitemap_action.look.judged_sitemap import build_folder
from sitemap_action.look.places import list_names, path_inside, repository
from sitemap_action.look.source import find_unserved
from sitemap_action.look.source_dates import page_sources, recognise_generator
from sitemap_action.model.context import Context, Detail
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.outcome import Outcome, Removed
from sitemap_action.model.site import ProposalKind, ProposedRedirect, Role, Site
from sitemap_action.model.sitemap import REDIRECTS, FileVersions, SitemapFile
from sitemap_action.repo.git import FileDiff, Git
from sitemap_action.reports.sitemap_files import Change, find_changes, split_lines
from sitemap_action.setup.project import MAX_FILE, Project
from sitemap_action.walk.folders import Repository, Store, WorkTree
from sitemap_action.web.patterns import page_key
from sitemap_action.web.urls import origin

_README = "readme."
_GUARDED = "on this event the checkout is not asked what its sources were"

FindPage: TypeAlias = Callable[[str, Callable[[str], bytes]], str]
"""Path of a source, and what reads it → the key of its page, "" for none."""
FindListed: TypeAlias = Callable[[Collection[str]], Mapping[str, str]]
"""Keys of pages → those that are listed, with their URLs."""
OFF = "off"
_TOKEN = lazy_re(r"[^\s\"'<>,()\[\]{}=]+")
_NOT_TRIED = "redirects: that the host serves them could not be tried: it is not known (source.host)"


FindKnown: TypeAlias = Callable[[], Iterable[str]]


_MovedFolder: TypeAlias = tuple[Redirect, Sequence[str]]
"""A rule for every path below a folder, and the lost URLs that it is for."""


class RedirectEditor:
    """Adds redirects to the file of one site; `store` has the files that may be edited.

    Once they are edited, `files` has those with the redirects that are certain, `notes` what a report says of it, and
    `text` what is to be pasted where no file is edited.
    """

    def __init__(self, config: Config, context: Context, site_url: str, store: Store) -> None:
        self._config, self._context, self._site_url, self._store = config, context, site_url, store
        self.files: tuple[FileVersions, ...] = ()
        self.notes: tuple[str, ...] = ()
        self.text = ""
        self._workspace = Path(context.workspace)
        self._files = SourceFiles(self._store, partial(list_names, Workspace(self._workspace)))
        self._copied = self._cut = ""  # `_cut`: what a host's file leaves out of each path
        self._tried = True
        self._folders: dict[str, _MovedFolder] = {}  # by a name that is no URL

    def edit(
        self, proposals: Sequence[ProposedRedirect], sources: Mapping[str, tuple[str, str]], find_known: FindKnown
    ) -> Sequence[ProposedRedirect]:
        """Each proposal with its line.

        `sources`: lost URL → paths of its source, and of that after a rename; `find_known`: all URLs, also dead.
        """
        if all(one.kind is ProposalKind.NONE for one in proposals):
            return proposals
        try:
            return self._edit(proposals, sources, find_known)
        except BaselineError as error:
            self.notes = (f"redirects: no file is edited: {error}",)
            return proposals

    def _edit(
        self, proposals: Sequence[ProposedRedirect], sources: Mapping[str, tuple[str, str]], find_known: FindKnown
    ) -> Sequence[ProposedRedirect]:
        place = self._find_place()
        asked = {one.url: one for one in proposals if one.kind is not ProposalKind.NONE}
        made = {url: _as_redirect(one, sources.get(url, ("", "")), self._cut) for url, one in asked.items()}
        certain = {url: made[url] for url, one in asked.items() if one.kind is ProposalKind.CERTAIN}
        if place.format in FOLDER_FORMATS and not self._config.source.url:
            targets = {url: asked[url].target for url in certain}
            self._folders = dict(self._find_folders(place, find_moved_folders(targets, find_known())))
        edits, refused = self._add(place, certain)
        versions = self._versions(edits)
        others = add_redirects(place, [one for url, one in made.items() if url not in certain], self._files)
        lines = _find_lines(self._versions(others), made)
        lines |= _find_lines(versions, {**made, **{key: rule for key, (rule, _) in self._folders.items()}})
        lines |= {url: lines[key] for key, (_, urls) in self._folders.items() if key in lines for url in urls}
        present = {one.source for one in edits.present}
        found = []
        for one in proposals:
            why = refused.get(one.url, "")
            if one.url in made and made[one.url].source in present:
                why = f"{place.path} has its redirect: build again"
            if why:
                found.append(ProposedRedirect(one.url, why=why))
            else:
                new = lines.get(one.url) or ProposedRedirect(one.url, file=place.path)
                added = replace(one, file=new.file, line=new.line, text=new.text, above=new.above)
                found.append(added if one.target else one)
        notes = [f"redirects: {place.why}", *([] if self._tried else [_NOT_TRIED])]
        notes += (
            f"{place.path}:{row.line}: {row.source} leads to {target} at once, in place of {row.target}"
            for row, target in edits.compacted
        )
        self.files, self.notes, self.text = versions, tuple(notes), edits.text
        return found

    def _find_folders(
        self, place: RedirectPlace, moved: Mapping[tuple[str, str], list[str]]
    ) -> Iterator[tuple[str, _MovedFolder]]:
        """Rules for whole folders, which are judged with the others."""
        for (old, new), urls in moved.items():
            source, target = (urlsplit(url).path.removeprefix(self._cut) for url in (old, new))
            inside = all(url.startswith(self._site_url) and url != self._site_url for url in (old, new))
            if inside and may_redirect_folder(place, source, self._files):
                yield f"{old}*", (Redirect(source, target, below=True), urls)

    def _add(self, place: RedirectPlace, certain: Mapping[str, Redirect]) -> tuple[RedirectEdits, dict[str, str]]:
        """The edits with all that would serve, and why the others would not, by URL."""
        refused: dict[str, str] = {}
        while True:
            covered = {url for _, urls in self._folders.values() for url in urls}
            rules = {url: one for url, one in certain.items() if url not in refused and url not in covered}
            rules |= {key: rule for key, (rule, _) in self._folders.items()}
            left = {one.source: url for url, one in rules.items()}
            edits = add_redirects(place, list(rules.values()), self._files)
            if failing := [left[one.source] for one, _ in edits.refused if one.below]:
                self._drop_folders(failing)
                continue
            if place.path and not edits.text:
                refused |= {left[one.source]: why for one, why in edits.refused}
            if place.format not in HOST_FILES or not edits.files:
                return edits, refused
            targets = {left[one.source]: one.target for one in edits.added}
            unserved = self._find_unserved(edits, targets | {url: certain[url].target for url in covered})
            self._tried = unserved is not None
            known = {*self._folders} if unserved is None else {*unserved}
            if failing := [key for key, (_, urls) in self._folders.items() if not known.isdisjoint((key, *urls))]:
                self._drop_folders(failing)
                continue
            if not unserved:
                return edits, refused
            refused |= unserved

    def _drop_folders(self, keys: Iterable[str]) -> None:
        """Their pages get a rule each."""
        for key in keys:
            del self._folders[key]

    def _find_unserved(self, edits: RedirectEdits, targets: Mapping[str, str]) -> Mapping[str, str] | None:
        start = origin(self._site_url) + self._cut
        pages = {url: start + target if target.startswith("/") else target for url, target in targets.items()}
        return find_unserved(self._config, self._context, self._site_url, edits.files, self._copied, pages)

    def _find_place(self) -> RedirectPlace:
        config = self._config
        output = "" if config.source.url else config.source.path
        project = Project("", self._read_start, self._files.names, lambda _: True)
        site = recognise_generator(project, output).site
        self._copied = (site.copied if site else "") or ""
        setup = SiteSetup(
            host=self._find_host(output) if config.source.host == AUTO else config.source.host,
            generator=site.generator if site else "",
            config=site.where.partition(":")[0] if site else "",
            copied=site.copied if site else None,
            output=output,
            base=urlsplit(self._site_url).path,
        )
        wanted = config.output.redirects
        place = find_redirect_place(self._files, setup, "" if wanted in {OFF, AUTO} else wanted)
        whole = place.format not in HOST_FILES or setup.base == "/" or has_whole_paths(place, setup, self._files)
        if whole is None:
            why = f"whether {place.path} has paths with {setup.base} or without is not known: add one row by hand"
            return place._replace(format=RedirectFormat.CSV, path="", why=why)
        self._cut = "" if whole else setup.base.rstrip("/")
        return place

    def _read_start(self, path: str) -> bytes | None:
        try:
            found = self._store(path)
        except BaselineError:
            return None
        return None if found is None else found[: MAX_FILE + 1]

    def _find_host(self, output: str) -> str:
        """The name of the host for which there is the best evidence; "" for none."""
        repository = Repository(self._workspace, output or ".")
        found = BuildFiles(
            self._files.names(output) if output else frozenset(),
            lambda _: None,
            find=repository.find,
            folder=repository.folder,
            workflows=repository.workflows,
            site_url=self._site_url,
        )
        return next((host for host, _ in host_evidence(found)), "")

    def _versions(self, edits: RedirectEdits) -> tuple[FileVersions, ...]:
        changed = sorted(edits.files.items())
        return tuple(FileVersions(path, self._store(path), after, redirects=True) for path, after in changed)


def _as_redirect(one: ProposedRedirect, sources: tuple[str, str], cut: str) -> Redirect:
    source, target = (urlsplit(url).path.removeprefix(cut) for url in (one.url, one.target))
    return Redirect(source, target, *sources)


def _find_lines(versions: Iterable[FileVersions], redirects: Mapping[str, Redirect]) -> dict[str, ProposedRedirect]:
    """URL → where its lines are added, as far as these can be told apart."""
    urls: dict[str, str] = {}
    for url, one in redirects.items():
        names = one.source_file.split("/")
        tails = ("/".join(names[start:]) for start in range(len(names)))
        whole = (f"{one.source}{rest}" for rest in ("*", ":path*", ":rest*"))
        for token in whole if one.below else (one.source, one.source.rstrip("/"), *tails):
            urls.setdefault(token, url)
    urls.pop("", None)
    found: dict[str, ProposedRedirect] = {}
    for version in versions:
        new = split_lines(version.after)
        for change in find_changes(split_lines(version.before), new):
            alone = version.before is not None and change.old_start == change.old_end
            above = change.old_start + 1 if alone else 0
            for url, start, end in _split_change(change, new, urls):
                text = "".join(new[start:end])
                added = ProposedRedirect(url, file=version.path, line=start + 1, text=text, above=above)
                found.setdefault(url, added)
    return found


def _split_change(change: Change, new: Sequence[str], urls: Mapping[str, str]) -> list[tuple[str, int, int]]:
    """(URL, first line, end) of each redirect of a change: equal parts, where each has one of them, else its line.

    The first lines of a change are old ones with another target.
    """
    first = min(change.new_start + change.old_end - change.old_start, change.new_end)
    places: dict[str, int] = {}
    for number in range(first, change.new_end):
        for token in _TOKEN.findall(new[number]):
            if token in urls:
                places.setdefault(urls[token], number)
    size, rest = divmod(change.new_end - first, len(places) or 1)
    parts = {(number - first) // size for number in places.values()} if size else set()
    if rest or len(parts) < len(places):
        return [(url, number, number + 1) for url, number in places.items()]
    starts = {url: number - (number - first) % size for url, number in places.items()}
    return [(url, start, start + size) for url, start in starts.items()]


def with_redirects(  # noqa: PLR0913, PLR0917 - what was decided, and the files that may be edited
    outcome: Outcome, config: Config, context: Context, site: Site, tip: BranchTip | None, shards: Sequence[str]
) -> Outcome:
    """The outcome with a proposal for each lost page at which nothing answers, and the files that may be written.

    Files of the branch that is committed to are edited, else those of the work tree. `shards`: of earlier runs, which a
    writing mode deletes where they are not needed any more.
    """
    store: Store = tip.tree if tip else WorkTree(Path(context.workspace))
    diff, home = outcome.diff, outcome.run.site_url
    rows = (*diff.removed, *diff.extra, *diff.ledger.dead)
    lost = list(dict.fromkeys(row.url for row in rows if needs_redirect(row) and row.url.startswith(home)))
    editor = RedirectEditor(config, context, home, store)
    if lost:
        known = _read_repository(outcome, config, context, site, lost)
        pairs = (pair for flip in (*diff.flips, *diff.stale_flips) for pair in flip.pages)
        known = known._replace(moved=dict(pairs), same=_same_contents(outcome, site, lost))
        found = list(propose_targets(lost, known, lambda url: not is_start(url, home)))
        proposals = editor.edit(found, known.sources, partial(_known_urls, outcome, config, site, store))
        outcome = _add_proposals(outcome, {one.url: one for one in proposals})
    shown = [*_sitemap_versions(outcome, store, shards)] if Detail.PATCH in context.details else None
    return _with_files(outcome, config, context, editor, shown)


def _known_urls(outcome: Outcome, config: Config, site: Site, store: Store) -> Iterator[str]:
    """Whatever is listed, was seen, or was ever published: a rule for a folder has to be right for all of it."""
    diff = outcome.diff
    for role in (Role.COMMITTED, Role.BASELINE):
        yield from (url for url, _ in site.entries(role))
    for rows in (diff.added, diff.removed, diff.extra, diff.skipped, diff.undetermined, diff.unanswered):
        yield from (row.url for row in rows)
    yield from diff.missing
    if path := config.policy.ledger:
        yield from read_ledger(path, store(path), outcome.run.site_url).lines


def _add_proposals(outcome: Outcome, found: Mapping[str, ProposedRedirect]) -> Outcome:
    def complete(rows: Iterable[Removed]) -> tuple[Removed, ...]:
        return tuple(replace(row, proposal=found.get(row.url)) for row in rows)

    diff = outcome.diff
    ledger = replace(diff.ledger, dead=complete(diff.ledger.dead))
    diff = replace(diff, removed=complete(diff.removed), extra=complete(diff.extra), ledger=ledger)
    return replace(outcome, diff=diff)


def _with_files(
    outcome: Outcome, config: Config, context: Context, editor: RedirectEditor, shown: list[FileVersions] | None
) -> Outcome:
    """The files of redirects where this mode writes them, and both versions of files where a report shows them.

    `shown`: what `write` would change of the sitemap; None where no report shows it.
    """
    refused = outcome.run.no_pages or outcome.exit_code not in {0, 1}  # by `redirects --write`
    notes, files = [*editor.notes], () if refused else editor.files
    confined = context.access.confined
    unsafe = [one.path for one in files if confined and not is_redirect_edit(one.path, one.before, one.after or b"")]
    writes = context.mode.writes and config.output.redirects != OFF and not outcome.blocked
    if writes and unsafe:
        remedy = "apply the patch of `sitemap-action redirects`, or set the input runtime to python"
        notes.append(f"{unsafe[0]} is not written from a container, for a row of it is not plain: {remedy}")
    written = [
        SitemapFile(one.path, one.after or b"", 0, REDIRECTS, copy=True) for one in files if writes and not unsafe
    ]
    paste = tuple(editor.text.splitlines())
    versions = (*files, *(shown or ())) if shown is not None or written else ()
    run = replace(outcome.run, notes=(*outcome.run.notes, *notes)) if writes and files else outcome.run
    return replace(
        outcome,
        run=run,
        files=(*written, *outcome.files),
        changed=outcome.changed or bool(written),
        details=replace(outcome.details, patch=versions, notes=editor.notes, paste=paste),
    )


def _sitemap_versions(outcome: Outcome, store: Store, shards: Sequence[str]) -> Iterator[FileVersions]:
    """What `write` would change; nothing where it would refuse to."""
    if outcome.blocked or outcome.run.judged == "served":
        return
    paths = {file.path for file in outcome.files}
    for file in outcome.files:
        if (before := store(file.path)) != file.content:
            yield FileVersions(file.path, before, file.content)
    for path in shards if outcome.changed or outcome.would_write else ():
        if path not in paths:
            yield FileVersions(path, store(path), None)


def _same_contents(outcome: Outcome, site: Site, lost: Iterable[str]) -> Mapping[str, str]:
    """Lost URL → the one new page that has the content which it had in an earlier run."""
    urls, contents = {*lost}, {}
    for url, content in site.contents():
        if url in urls and content.fingerprint:
            contents[url] = content.fingerprint
    pages: dict[str, list[str]] = {}
    for row in outcome.diff.added if contents else ():
        page = site.page(row.url)
        if page is not None and page.facts is not None:
            pages.setdefault(page.facts.fingerprint, []).append(row.url)
    return {url: found[0] for url, content in contents.items() if len(found := pages.get(content, [])) == 1}


def _read_repository(
    outcome: Outcome, config: Config, context: Context, site: Site, lost: Sequence[str]
) -> TargetEvidence:
    """What the sources tell; nothing, with the reason, where they are not known."""
    workspace, run = Path(context.workspace), outcome.run
    if context.pull_request is not None and context.pull_request.guarded:
        return TargetEvidence(unread=_GUARDED)
    build = build_folder(config, context).inside
    try:
        git = repository(workspace, f"{build}/index.html" if build else "", offline=context.access.offline)
        if (top := git.top()) is None:
            return TargetEvidence(unread=git.refusal() or "there is no git repository here")
        base = run.baseline.commit or _last_version(git, path_inside(top, workspace, run.sitemap))
        if not base or not (git.has(base) or git.fetch(base)):
            return TargetEvidence(unread="the commit before this change is not in this clone (fetch-depth: 0)")
        sources = page_sources(config, workspace, git.regular_files(), top, run.site_url)
        keys = {page_key(urlsplit(url).path): url for url in lost}
        return read_sources(git, base, sources.page, keys, lambda wanted: _find_listed(outcome, site, wanted))
    except BaselineError as error:
        return TargetEvidence(unread=f"git cannot tell what its source became: {error}")


def _last_version(git: Git, sitemap: str) -> str:
    """The commit of the newest version of the sitemap, else the one before HEAD; "" where that is not known."""
    newest = next(git.records("log", "-1", "--format=%H", "-z", "HEAD", "--", sitemap), b"") if sitemap else b""
    return newest.decode() or next(iter(git.parents("HEAD")), "")


def _find_listed(outcome: Outcome, site: Site, keys: Collection[str]) -> Mapping[str, str]:
    diff, run = outcome.diff, outcome.run
    absent = {row.url for row in (*diff.removed, *diff.extra)} | {row.url for row in diff.undetermined}
    entries = site.entries(Role.COMMITTED if run.baseline.same else Role.BASELINE)
    urls = [row.url for row in diff.added]
    urls += (url for url, _ in entries if url not in absent)
    return {key: url for url in urls if (key := page_key(urlsplit(url).path)) in keys}


def read_sources(
    git: Git, base: str, find_page: FindPage, lost: Mapping[str, str], find_listed: FindListed
) -> TargetEvidence:
    """What the sources tell that differ from those at `base`; `lost`: key → lost URL. Raises BaselineError."""
    changes = sorted(git.list_changes(base), key=lambda one: not one.old.rpartition("/")[2].lower().startswith(_README))
    contents = _Contents(git, changes)

    def find(path: str, blob: str) -> str:
        return find_page(path, lambda _: contents.read(blob))

    vanished = (one for one in changes if one.status in "DR")
    old = {lost[key]: one for one in vanished if (key := find(one.old, one.old_blob)) in lost}
    if not old:
        return TargetEvidence()
    made = {one.new: key for one in changes if one.new and (key := find(one.new, one.new_blob))}
    listed = find_listed({*made.values()})
    renamed = {url: listed[made[one.new]] for url, one in old.items() if made.get(one.new) in listed}
    texts = {url: one.old_blob for url, one in old.items() if url not in renamed}
    new = {listed[made[one.new]]: one.new_blob for one in changes if made.get(one.new) in listed} if texts else {}
    return TargetEvidence(
        renamed=renamed,
        old_texts={url: contents.read(blob).decode(errors="replace") for url, blob in texts.items()},
        new_texts={url: contents.read(blob).decode(errors="replace") for url, blob in new.items()},
        sources={url: (one.old, one.new if url in renamed else "") for url, one in old.items()},
    )


class _Contents:
    """The old and new contents of changed files, all read at once when the first of them is needed."""

    def __init__(self, git: Git, changes: Sequence[FileDiff]) -> None:
        self._git, self._changes = git, changes
        self._found: Mapping[str, bytes] | None = None

    def read(self, blob: str) -> bytes:
        """Empty where it is not here."""
        if self._found is None:
            blobs = (blob for one in self._changes for blob in (one.old_blob, one.new_blob) if blob.strip("0"))
            self._found = self._git.read_blobs(blobs)
        return self._found.get(blob, b"")
