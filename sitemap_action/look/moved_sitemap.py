"""The target branch's sitemap where a pull request moves, renames or repacks it, by name and content (I-10)."""

from pathlib import Path, PurePosixPath

from sitemap_action.errors import BaselineError
from sitemap_action.look.documents import Documents, find_documents, read_entries
from sitemap_action.look.judged_sitemap import NAMES, Judged
from sitemap_action.look.places import GitTree, is_sitemap
from sitemap_action.sitemap.protocol import url_key, without_suffix

_SUFFIXES = (".xml", ".xml.gz", ".txt", ".txt.gz")
_MOST = 100  # files that are read, the likeliest first
_USUAL = frozenset(without_suffix(name) for name in NAMES)


def find_moved_sitemap(tree: GitTree, judged: Judged, here: Documents, site_url: str, folder: Path) -> str:
    """Path of the sitemap that became the judged one, `here`; "" where the target branch has none of this site.

    A file that the change leaves in place is it only where most of what it lists is judged. Of several it is the one
    of the same name but for letter case and suffix, else the one that shares most URLs with the judged one.
    """
    listed = _urls(here)
    found = []
    for path in _likely_paths(tree, judged.path):
        stays = (tree.workspace / path).is_file()
        if judged.built and stays:
            continue
        documents, urls = _read_sitemap(tree, path, folder)
        shared, same_name = len(urls & listed), _name(path) == _name(judged.path)
        ours = bool(site_url) and all(url.startswith(site_url) for url in urls)
        if urls and (shared * 2 >= len(urls) if stays else same_name or ours or shared):
            found.append((same_name, shared, documents, path))
    return max(found)[-1] if found else ""


def _likely_paths(tree: GitTree, judged: str) -> list[str]:
    """Files that may be a sitemap by their names, those that are called as one is first."""
    paths = [path for path in tree.files() if path.endswith(_SUFFIXES)]
    return sorted(paths, key=lambda path: (_distance(path, judged), path.count("/"), path))[:_MOST]


def _distance(path: str, judged: str) -> int:
    name = PurePosixPath(_name(path)).name
    same = (
        _name(path) == _name(judged),
        name == PurePosixPath(_name(judged)).name or name in _USUAL,
        "sitemap" in name,
    )
    return next((number for number, holds in enumerate(same) if holds), len(same))


def _name(path: str) -> str:
    return without_suffix(path.casefold())


def _read_sitemap(tree: GitTree, path: str, folder: Path) -> tuple[int, set[str]]:
    """Documents and URLs; none where the file is no sitemap, or one that cannot be read whole: it is no baseline."""
    try:
        found = find_documents(tree, path, folder) if is_sitemap(tree(path) or b"") else Documents()
        return len(found), _urls(found)
    except BaselineError:
        return 0, set()


def _urls(documents: Documents) -> set[str]:
    return {url_key(entry.loc) for document in documents for entry in read_entries(document)}
