"""Builds in memory, with the control files of a host."""

import pickle
from collections.abc import Mapping

from sitemap_action.hosts.all import choose_host
from sitemap_action.hosts.base import BuildFiles, ControlFile, HostResponse, ServedBuild

PAGES = ("index.html", "file.html", "folder/index.html", "404.html")


def found(controls: Mapping[str, str], pages: tuple[str, ...] = PAGES, **more: object) -> BuildFiles:
    """`controls`: those of the build and of the repository alike."""
    files = {name: text.encode(errors="surrogateescape") for name, text in controls.items()}

    def find(name: str) -> ControlFile | None:
        return ControlFile(name, files[name]) if name in files else None

    in_build = frozenset({*pages, *(name for name in files if name.startswith(("_", "CNAME")))})
    return BuildFiles(in_build, files.get, find, **more)  # type: ignore[arg-type]


def served(host: str, controls: Mapping[str, str], pages: tuple[str, ...] = PAGES, **more: object) -> ServedBuild:
    """As a worker process has it."""
    build = choose_host(host)(found(controls, pages, **more))
    return build._replace(host=pickle.loads(pickle.dumps(build.host)))


def cell(response: HostResponse) -> str:
    """A response as the tables write it: `301 /new`, `200 file.html`, `410`, `elsewhere https://x`, `* index.html`."""
    if response.proxied:
        return f"elsewhere {response.proxied}"
    if response.fallback:
        return f"* {response.file}"
    return f"{response.status} {response.location or response.file}".rstrip()
