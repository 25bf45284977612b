"""Which states may be merged: all shards of one run, each once, of this commit, site, options and program."""

import os
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path

import msgspec

from sitemap_action.errors import UnreachableError
from sitemap_action.model.context import SiteShard, parse_shard
from sitemap_action.store.shards import MANIFEST, OpenShard, ShardManifest, Shards, damage_error
from sitemap_action.store.state import (
    LAYOUT,
    SIDES,
    DamagedStateError,
    StateLayout,
    connect_read_only,
    has_header,
    require_sound,
)

_FRESH = timedelta(days=1)  # a served site may be another one by then (U-11)
_ALL = "merge the states of all shards of one run"
_ONE_VERSION = "run every shard and the merge with one version"


@contextmanager
def open_shards(paths: Sequence[Path], expected: ShardManifest, now: datetime) -> Iterator[Shards]:
    """`expected`: of this run. Raises UnreachableError: a verdict needs every shard, and no other one."""
    with ExitStack() as stack:
        opened = [stack.enter_context(_open(path)) for path in paths]
        for one in opened:
            _require_same(one, expected, now)
        yield Shards(_complete(opened))


@contextmanager
def _open(path: Path) -> Iterator[OpenShard]:
    _require_file(path)
    with _as_damage(path):
        database = connect_read_only(path)
    with closing(database):
        with _as_damage(path):
            require_sound(database)
            row = database.execute("SELECT value FROM metadata WHERE name = ?", (MANIFEST,)).fetchone()
        if row is None:
            hint = "give the states that check --shard K/N wrote"
            raise UnreachableError(f"{path} is the state of a whole run, and not of a shard", hint=hint)
        try:
            manifest = msgspec.json.decode(row[0], type=ShardManifest)
        except (msgspec.MsgspecError, TypeError) as error:
            raise damage_error(path, "what it is a part of cannot be read") from error
        yield OpenShard(path, manifest, database)


@contextmanager
def _as_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, DamagedStateError, OSError, ValueError) as error:
        raise damage_error(path, str(error)) from error


def _require_file(path: Path, layout: StateLayout = LAYOUT) -> None:
    """A regular file that this version of the program has written."""
    try:
        regular = stat.S_ISREG(path.stat().st_mode)  # before it is opened, which waits at a pipe
        with (path if regular else Path(os.devnull)).open("rb") as file:
            head = file.read(100)
    except OSError as error:
        raise UnreachableError(f"there is no shard at {path}: {error.strerror}", hint=_ALL) from None
    version = int.from_bytes(head[60:64], "big")
    if not has_header(head, layout):
        raise UnreachableError(f"{path} is not a state of sitemap-action", hint=_ALL)
    for side in SIDES:
        if os.path.lexists(path.with_name(path.name + side)):
            raise _kill_error(path)
    if version != layout.version:
        raise UnreachableError(f"the shard {path} was written by another version of sitemap-action", hint=_ONE_VERSION)


def _kill_error(path: Path) -> UnreachableError:
    hint = "run its job again with the same state: it goes on where it stopped"
    return UnreachableError(f"the shard {path} was killed before it ended", hint=hint)


def _require_same(one: OpenShard, expected: ShardManifest, now: datetime) -> None:
    path, found = one.path, one.manifest
    if not found.ended:
        raise _kill_error(path)
    same = "give every shard and the merge the same options"
    differences = (
        ("version", f"was written by sitemap-action {found.version}, and this is {expected.version}", _ONE_VERSION),
        (
            "commit",
            f"is of the commit {found.commit[:12] or 'none'}, and this is {expected.commit[:12] or 'none'}",
            "check out one commit in the jobs of all shards and of the merge",
        ),
        ("site", f"is of another site: {found.site}, and this is {expected.site}", same),
        ("options", "was looked at with other options than these", same),
    )
    for name, why, hint in differences:
        if getattr(found, name) != getattr(expected, name):
            raise UnreachableError(f"the shard {path} {why}", hint=hint)
    if not found.build and not timedelta(0) <= now - _time(path, found.begun) + timedelta(
        hours=1
    ) <= _FRESH + timedelta(hours=1):
        raise UnreachableError(f"the shard {path} was begun at {found.begun}, more than a day ago", hint=_ALL)


def _time(path: Path, text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise damage_error(path, "it does not say when it was begun")
    return found


def _complete(opened: Sequence[OpenShard]) -> list[OpenShard]:
    """The shards in the order of their numbers. Raises UnreachableError where one is missing, or there twice."""
    numbered = sorted(((_shard(one), one) for one in opened), key=lambda pair: (pair[0].number, str(pair[1].path)))
    counts = {shard.of: one.path for shard, one in numbered}
    if len(counts) > 1:
        (one, first), (other, second), *_ = sorted(counts.items())
        raise UnreachableError(f"{first} is one of {one} shards, and {second} one of {other}", hint=_ALL)
    for number, group in groupby(numbered, key=lambda pair: pair[0].number):
        same = [one.path for _, one in group]
        if len(same) > 1:
            raise UnreachableError(f"shard {number} is there twice: {same[0]} and {same[1]}", hint=_ALL)
    (of,) = counts
    missing = sorted({*range(1, of + 1)} - {shard.number for shard, _ in numbered})
    if missing:
        names = ", ".join(map(str, missing[:10])) + (f" and {len(missing) - 10} more" if len(missing) > 10 else "")
        what = f"shard {names} of {of} is" if len(missing) == 1 else f"shards {names} of {of} are"
        raise UnreachableError(f"{what} missing, so that there is no verdict", hint=_ALL)
    builds = {one.manifest.build: one.path for one in opened}
    if len(builds) > 1:
        first, second, *_ = sorted(builds.values())
        hint = "build once, and give every shard that build"
        raise UnreachableError(f"{first} and {second} are of two builds, with other files", hint=hint)
    return [one for _, one in numbered]


def _shard(one: OpenShard) -> SiteShard:
    if (found := parse_shard(one.manifest.shard)) is None:
        raise damage_error(one.path, "it does not say which shard it is")
    return found
