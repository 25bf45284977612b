"""The files of a build that one shard reads (`--shard`); a merge hashes every file, and parses what no shard has."""

import hashlib
from collections.abc import Sequence

from sitemap_action.errors import UnreachableError
from sitemap_action.folder.observed import ReadingObserver
from sitemap_action.folder.reader import read_all
from sitemap_action.folder.served_build import Build
from sitemap_action.folder.walk import FileTree
from sitemap_action.model.observer import Observer
from sitemap_action.store.document_cache import stored_documents
from sitemap_action.store.inventory import Inventory


def read_part(inventory: Inventory, build: Build, paths: Sequence[str], tree: FileTree, observer: Observer) -> bool:
    """Store what is read of each file of a shard: nothing follows from it before all files are known.

    False where this run is no shard: what a merge is given has to be of the same build.
    """
    state = inventory.shard
    if state is None:
        _require_same_build(inventory, tree)
        return False
    state.set_build(_digest(tree))
    documents = stored_documents(inventory)
    own = [path for path in paths if state.shard.owns(path)]
    observed = ReadingObserver(observer, len(own))
    for batch in read_all(build, own, None if documents is None else documents.of):
        observed.read(batch.records)
        if documents is not None:
            documents.store(batch.documents)
    return True


def _require_same_build(inventory: Inventory, tree: FileTree) -> None:
    """Raises UnreachableError where the shards have read another build; what a file has is compared when it is read."""
    if inventory.shards is None:
        return
    first, path = inventory.shards.manifests[0], inventory.shards.paths[0]
    if first.build != _digest(tree):
        hint = "build once, and give that build to every shard and to the merge"
        raise UnreachableError(f"the shard {path} is of another build, with other files", hint=hint)


def _digest(tree: FileTree) -> str:
    """Of the names of all files."""
    return hashlib.sha256("\0".join(sorted(tree.files)).encode()).hexdigest()
