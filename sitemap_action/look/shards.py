"""Numbered files that an earlier run left beside the sitemap."""

from pathlib import Path

from sitemap_action.sitemap.split import Layout, is_ours, is_shard


def existing(workspace: Path, sitemap: str) -> tuple[str, ...]:
    """Paths of files that are ours by name and by comment; only such files may ever be deleted (SM-08)."""
    folder = (workspace / sitemap).parent
    layout = Layout(sitemap, "")
    found = [
        path for path in folder.glob("*") if is_shard(path.name, layout) and path.is_file() and not path.is_symlink()
    ]
    return tuple(sorted(path.relative_to(workspace).as_posix() for path in found if is_ours(path.read_bytes()[:4096])))
