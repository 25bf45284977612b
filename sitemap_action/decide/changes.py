"""What differs between entries, sitemaps and the URLs of pages (flips), what search engines fetch again, and where lost
pages are to be redirected to.
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice, starmap
from operator import itemgetter
from typing import NamedTuple, TypeAlias
from zlib import crc32

from sitemap_action.model.finding import Finding
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.outcome import Added, Changed, Diff, Flip, Outcome, Removed
from sitemap_action.model.site import ProposalKind, ProposedRedirect, Reason
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.protocol import parse_date

_NAMES = {"xhtml": "alternates", "image": "images", "video": "videos", "news": "news"}
_COMPARED = slice(Entry._fields.index("lastmod"), Entry._fields.index("priority") + 1)
_PREFIX = lazy_re(r"<([a-z]+):")
_DECLARATION = lazy_re(r' xmlns(?::[^\s=]*)?="[^"]*"')


Difference: TypeAlias = Added | Entry | Changed
"""An entry is one that only the old sitemap has."""


def differences(rows: Iterable[tuple[int, str, Entry]]) -> Iterator[Difference]:
    """`rows`: (0 of the old sitemap or 1 of the new one, identity, entry) in order of identity; so is the answer.

    Of several entries of one identity the first counts (SM-31); the identity is what the answer has as its URL.
    """
    for key, found in groupby(rows, itemgetter(1)):
        entries: dict[int, Entry] = {}
        for side, _, entry in found:
            entries.setdefault(side, entry)
        was, now = entries.get(0), entries.get(1)
        if was is None:
            yield Added(key)
        elif now is None:
            yield was._replace(loc=key)
        elif fields := changed_fields(was, now):
            yield Changed(key, fields)


def changed_fields(old: Entry, new: Entry, *, hints: bool = False) -> tuple[tuple[str, str, str], ...]:
    """(field, old, new) for each field whose meaning differs (DIFF-13).

    The spelling of `loc` is not compared (DIFF-12). Without `hints`, a changefreq or priority that goes is no change
    (SM-50).
    """
    if old[_COMPARED] == new[_COMPARED] and old.extensions == new.extensions:
        return ()
    pairs = [
        ("lastmod", old.lastmod, old.lastmod if _same_moment(old.lastmod, new.lastmod) else new.lastmod),
        ("changefreq", old.changefreq if hints or new.changefreq else "", new.changefreq),
        ("priority", old.priority if hints or new.priority else "", new.priority),
    ]
    if old.extensions != new.extensions:
        before, after = _extensions(old), _extensions(new)
        pairs += [(name, before.get(name, ""), after.get(name, "")) for name in (*_NAMES.values(), "extensions")]
    return tuple((name, was, now) for name, was, now in pairs if was != now)


def describe_fields(row: Changed) -> str:
    return "; ".join(f"{name}: {old or 'none'} → {new or 'none'}" for name, old, new in row.fields)


def _same_moment(was: str, now: str) -> bool:
    """Whether two times are one moment, as 12:00:00.000Z and 12:00:00+00:00; a day is less than a time in it."""
    before, after = parse_date(was), parse_date(now)
    return bool(before and after and before.timed and after.timed and before.instant == after.instant)


def _extensions(entry: Entry) -> dict[str, str]:
    """Field → its elements in sorted order, without namespace declarations."""
    found: dict[str, list[str]] = {}
    for element in sorted(entry.extensions):
        prefix = _PREFIX.match(element)
        name = _NAMES.get(prefix[1], "extensions") if prefix else "extensions"
        found.setdefault(name, []).append(_DECLARATION.sub("", element))
    return {name: " ".join(elements) for name, elements in found.items()}


_HINTS = frozenset({"changefreq", "priority"})  # fields that say nothing about the page
_GONE_OR_REDIRECTED = frozenset(
    {
        Reason.GONE,
        Reason.MOVED,
        Reason.MOVED_HOME,
        Reason.MOVED_TEMPORARY,
        Reason.MOVED_OFFSITE,
        Reason.REDIRECT_BROKEN,
    }
)


def changed_urls(outcome: Outcome) -> tuple[str, ...]:
    """Added, changed in content, removed and redirected, sorted, each once.

    None of a run that is not complete, or has no baseline: it knows no change, and IndexNow is not for whole sites.
    A page that only left the sitemap, because it is excluded, not indexable or listed under its twin's URL, is none.
    """
    if not outcome.complete or outcome.run.baseline.missing:
        return ()
    diff = outcome.diff
    found = {row.url for row in diff.added}
    found |= {row.url for row in diff.changed if any(name not in _HINTS for name, *_ in row.fields)}
    found |= {row.url for row in diff.removed if row.reason in _GONE_OR_REDIRECTED}
    return tuple(sorted(found))


_MIN_PAGES = 2  # of a group; a single page has its row in the diff
_MIN_MOVED = 3  # pages of a group that changes its folder
_MAX_MOVES = 20  # pairs of folders that are tried on pages without redirect
_END = lazy_re(r"(?:(?P<extension>\.html?)|(?<!/)(?P<slash>/++)(?P<index>index\.(?:html?|php))?)?\Z", re.IGNORECASE)

_Change: TypeAlias = tuple[str, ...]


_Pairs: TypeAlias = Mapping[_Change, Sequence[tuple[Removed, str]]]
"""Removed rows with the new URL of the same page, by kind of change."""


def _drop_small(groups: _Pairs, minimum: int) -> _Pairs:
    return {change: pairs for change, pairs in groups.items() if change and len(pairs) >= minimum}


def _make_flips(groups: _Pairs, home: str) -> list[Flip]:
    """The largest first."""
    found = []
    for change, pairs in groups.items():
        uncovered = tuple(row for row, url in pairs if row.redirect_to != url or not _is_covered(row, home))
        found.append(
            Flip(
                change=change,
                pages=tuple((row.url, url) for row, url in pairs),
                covered=len(pairs) - len(uncovered),
                uncovered=uncovered,
                moves_site=not pairs[0][0].url.startswith(home),
            )
        )
    return sorted(found, key=lambda flip: (-len(flip.pages), flip.change))


def _is_covered(row: Removed, home: str) -> bool:
    """Whether an answer was seen: of a URL that is not below site-url, the same path there proves no redirect."""
    return row.reason is Reason.MOVED or (row.reason is Reason.MERGED and row.url.startswith(home))


def find_flips(removed: Sequence[Removed], added: Iterable[str], home: str) -> tuple[Flip, ...]:
    """Pair removed with added URLs: by redirect target, else by spelling, else by folder. `home`: site-url.

    Each old URL is in one group at most; linear in the number of URLs.
    """
    new = list(added)
    if len(removed) < _MIN_PAGES or not new:
        return ()
    respelled = _pair_spellings(removed, new)
    pairs = [pair for group in respelled.values() for pair in group]
    old, paired = {row.url for row, _ in pairs}, {url for _, url in pairs}
    moved = _pair_folders([row for row in removed if row.url not in old], [url for url in new if url not in paired])
    return (*_make_flips(moved, home), *_make_flips(respelled, home))


def _pair_spellings(removed: Sequence[Removed], new: Sequence[str]) -> _Pairs:
    """Pairs that differ in spelling alone."""
    by_key: dict[str, list[str]] = defaultdict(list)
    for url in new:
        by_key[_spelling(url)[0]].append(url)
    groups: dict[_Change, list[tuple[Removed, str]]] = defaultdict(list)
    for row in removed:
        key, parts = _spelling(row.url)
        candidates = by_key.get(key, [])
        if row.redirect_to:
            candidates = [url for url in candidates if url == row.redirect_to]
        if candidates:
            groups[_change(parts, _spelling(candidates[0])[1])].append((row, candidates[0]))
    return _drop_small(groups, _MIN_PAGES)


def _spelling(url: str) -> tuple[str, Mapping[str, str]]:
    """What all spellings of one URL share, and the parts in which this one may differ, with what is left of it."""
    address, question, query = url.partition("?")
    scheme, _, place = address.rpartition("://")
    host, slash, path = place.partition("/")
    end = next(_END.finditer(slash + path))
    rest = (slash + path)[: end.start()] + question + query
    return rest.lower(), end.groupdict("") | {"scheme": scheme, "host": host, "rest": rest}


def _change(old: Mapping[str, str], new: Mapping[str, str]) -> _Change:
    """What changes, as text: one item for each part that is spelled differently."""
    found = [f"{old[part]} → {new[part]}" for part in ("scheme", "host") if old[part] != new[part]]
    found += [_exchange(old[part], new[part]) for part in ("index", "extension") if old[part] != new[part]]
    if bool(old["slash"]) != bool(new["slash"]) and not old["index"] and not new["index"]:
        found.append(f"final slash {'added' if new['slash'] else 'dropped'}")
    if old["rest"] != new["rest"]:
        found.append("letter case")
    return tuple(found)


def _exchange(old: str, new: str) -> str:
    if old and new:
        return f"{old} → {new}"
    return f"{old} dropped" if old else f"{new} added"


def _pair_folders(removed: Sequence[Removed], new: Sequence[str]) -> _Pairs:
    """Pairs with the same name in another folder, on this site or from another one."""
    known = set(new)
    votes: Counter[tuple[str, str]] = Counter()
    for old, url in _candidates(removed, new, known):
        if folders := _folders(old, url):
            votes[folders] += 1
    moves = [folders for folders, count in votes.most_common(_MAX_MOVES) if count >= _MIN_MOVED]
    groups: dict[_Change, list[tuple[Removed, str]]] = defaultdict(list)
    for row in removed:
        for old, to in moves:
            url = to + row.url[len(old) :]
            if row.url.startswith(old) and url in known and row.redirect_to in ("", url):
                groups[(f"{old} → {to}",)].append((row, url))
                known.discard(url)
                break
    return _drop_small(groups, _MIN_MOVED)


def _candidates(removed: Sequence[Removed], new: Sequence[str], known: set[str]) -> Iterable[tuple[str, str]]:
    """(old, new): a removed URL with its redirect target; without redirect, with the only new page of the same name."""
    by_name: Mapping[str, list[str]] = defaultdict(list)
    for url in new:
        by_name[_name(url)].append(url)
    for row in removed:
        if row.redirect_to in known:
            yield row.url, row.redirect_to
        elif not row.redirect_to and len(found := by_name.get(_name(row.url), [])) == 1:
            yield row.url, found[0]


def _name(url: str) -> str:
    return url.rstrip("/").rpartition("/")[2]


def _folders(old: str, new: str) -> tuple[str, str] | None:
    """Both URLs without their common last segments; None when these differ."""
    before, after = old.split("/"), new.split("/")
    common = 0
    while common < min(len(before), len(after)) and before[-1 - common] == after[-1 - common]:
        common += 1
    length = sum(len(part) for part in before[len(before) - common :]) + max(common - 1, 0)
    return (old[: len(old) - length], new[: len(new) - length]) if length else None


# --- the targets of redirects, surest first (DIFF-06) ---
#
# Three sources are certain: a group of URLs that changed in one way, git's rename of the page's source, and the same
# content at a new URL. Else the text decides: the share of the old page's runs of five words that a page has which the
# change adds or edits. It is only a candidate, and a person chooses. Runs are kept as checksums in one index; of long
# texts a fixed part of all checksums counts, so that memory has a limit and no two pages are compared.

_RUN = 5  # words
_LEAST = 0.4  # of the runs of the old page
_SECOND = 0.8  # of the share of the first; two pages that are nearer to each other than this are not told apart
_MOST = 3  # candidates
_FEWEST_RUNS = 10  # of an old page: fewer are a heading
_COMMON = 100  # pages that share a run: it is boilerplate
_MOST_RUNS = 1_000_000  # in the index
_WORD = lazy_re(r"\w+")
_LOST = frozenset({Reason.GONE, Reason.SOFT_404})


class TargetEvidence(NamedTuple):
    """What tells where pages are now: lost URL → URL, and text by URL."""

    moved: Mapping[str, str] = {}  # by a group of URLs that changed in one way (DIFF-11)
    renamed: Mapping[str, str] = {}  # by git, of the source
    same: Mapping[str, str] = {}  # content under another URL
    old_texts: Mapping[str, str] = {}
    new_texts: Mapping[str, str] = {}
    sources: Mapping[str, tuple[str, str]] = {}  # lost URL → paths of its source, and of that after a rename
    unread: str = ""  # why the sources are not known, as text


def needs_redirect(row: Removed) -> bool:
    """Whether nothing answers at a lost URL; what redirects already, or is there, is changed by hand alone."""
    return row.is_lost and row.reason in _LOST


def propose_targets(
    lost: Sequence[str], known: TargetEvidence, may_lead_to: Callable[[str], bool]
) -> Iterator[ProposedRedirect]:
    """A proposal for each URL, in their order; `may_lead_to`: whether a URL is a listed page, and no start page."""
    certain = {url: found for url in lost if (found := _find_certain(url, known, may_lead_to))}
    texts = {url: known.old_texts[url] for url in lost if url not in certain and known.old_texts.get(url)}
    new = {url: text for url, text in known.new_texts.items() if may_lead_to(url)} if texts else {}
    index = TextIndex(new, sum(map(len, texts.values())))
    for url in lost:
        yield certain.get(url) or _choose(url, index.find(texts[url]) if url in texts else [], known.unread)


def _find_certain(url: str, known: TargetEvidence, may_lead_to: Callable[[str], bool]) -> ProposedRedirect | None:
    sources = (
        ("pages changed their addresses together", known.moved),
        ("git has its source as renamed", known.renamed),
        ("the same content has a new address", known.same),
    )
    for why, targets in sources:
        target = targets.get(url, "")
        if target and target != url and may_lead_to(target):
            return ProposedRedirect(url, target, ProposalKind.CERTAIN, 1.0, why=why)
    return None


def _choose(url: str, found: list[tuple[str, float]], unread: str) -> ProposedRedirect:
    if not found or found[0][1] < _LEAST:
        return ProposedRedirect(url, why=unread or "no page of this change has its text")
    (target, share), *others = found
    others = [(other, part) for other, part in others[: _MOST - 1] if part * 2 >= share]
    if others and others[0][1] > share * _SECOND:
        pages = " and ".join(f"{page} ({part:.0%})" for page, part in found[:2])
        return ProposedRedirect(url, why=f"several pages have its text: {pages}")
    why = f"{share:.0%} of its text is there"
    return ProposedRedirect(url, target, ProposalKind.CHOOSE, share, why=why, others=tuple(others))


class TextIndex:
    """Pages by the runs of words that they have."""

    def __init__(self, texts: Mapping[str, str], asked: int = 0) -> None:
        """`asked`: characters of all texts that will be looked for."""
        words = (sum(map(len, texts.values())) + asked) // 6
        self._every = 1 + words // _MOST_RUNS
        self._urls = list(texts)
        self._pages: dict[int, list[int]] = defaultdict(list)
        for number, text in enumerate(texts.values()):
            for run in self._runs(text):
                if len(found := self._pages[run]) <= _COMMON:
                    found.append(number)

    def find(self, text: str) -> list[tuple[str, float]]:
        """(URL, share of the text's runs that the page has), the best first."""
        runs = {run for run in self._runs(text) if len(self._pages.get(run, ())) <= _COMMON}
        if not self._urls or len(runs) * self._every < _FEWEST_RUNS:
            return []
        counts = Counter(number for run in runs for number in self._pages.get(run, ()))
        best = sorted(counts.items(), key=lambda one: (-one[1], self._urls[one[0]]))[:_MOST]
        return [(self._urls[number], count / len(runs)) for number, count in best]

    def _runs(self, text: str) -> set[int]:
        words = _WORD.findall(text.lower())
        starts: Iterable[Sequence[str]] = (islice(words, start, None) for start in range(_RUN))  # type: ignore[misc]
        runs = (crc32(" ".join(run).encode(errors="replace")) for run in zip(*starts, strict=False))
        return {run for run in runs if run % self._every == 0}


def find_moved_folders(targets: Mapping[str, str], known: Iterable[str]) -> dict[tuple[str, str], list[str]]:
    """Folders of which every known URL is redirected to the same rest below another one: (old, new) → its URLs.

    `known`: every URL that is there, was there, or was published. A folder within one that moved is part of that.
    """
    votes = Counter(filter(None, starmap(_folders, targets.items())))
    places, found = sorted({*known, *targets}), dict[tuple[str, str], list[str]]()
    for (old, new), count in sorted(votes.most_common(_MAX_MOVES), key=lambda one: (len(one[0][0]), one[0])):
        if count < _MIN_MOVED or new.startswith(old) or any(old.startswith(other) for other, _ in found):
            continue
        below = places[bisect_left(places, old) : bisect_left(places, f"{old}\U0010ffff")]
        if all(targets.get(url) == new + url.removeprefix(old) for url in below):
            found[old, new] = below
    return found


FLIPS_RULE = "DIFF-11"


def proposed_rows(diff: Diff) -> Mapping[str, Removed]:
    """Each URL for which a redirect is proposed, with its row."""
    rows = (*diff.ledger.dead, *diff.extra, *diff.removed)
    return {row.url: row for row in rows if row.proposal is not None and row.proposal.target}


def find_rows(diff: Diff) -> Callable[[Finding], tuple[Removed, ...]]:
    """What finds the rows with a proposal of the pages that a finding is about: of a group all, else those it names."""
    known = proposed_rows(diff)
    groups = {flip.pages[0][0]: [url for url, _ in flip.pages] for flip in diff.flips} if known else {}

    def find(found: Finding) -> tuple[Removed, ...]:
        named = groups.get(found.url, ()) if found.rule.id == FLIPS_RULE else (found.url, *found.examples)
        return tuple(known[url] for url in dict.fromkeys(named) if url in known) if known else ()

    return find
