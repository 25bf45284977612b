"""Which documents of real builds are shells (HTML-70): those of client-side applications, and no page of a static generator."""

from pathlib import Path

import pytest

from client_side import built
from sitemap_action.html import extract
from sitemap_action.model.page import ShellKind

SITES = Path(__file__).parents[2] / "build/sites"
SHELLS = {
    "react": {"index.html", "withdrawn/index.html"},
    "vue": {"index.html", "withdrawn/index.html"},
    "svelte": {"index.html", "withdrawn/index.html"},
    "next-like": set(),
    "mixed": {"app/index.html"},
}


def shells(folder: Path) -> dict[str, ShellKind]:
    """Each document that is one, with the kind of clause that says so."""
    documents = {path: path.read_bytes() for path in sorted(folder.rglob("*.html")) if path.is_file()}
    assert documents
    found = {path: extract.read(body, (), "https://x.com/").facts.shell for path, body in documents.items()}
    return {path.relative_to(folder).as_posix(): shell.kind for path, shell in found.items() if shell}


@pytest.mark.parametrize("name", SHELLS)
def test_HTML_70_an_application(name: str) -> None:
    found = shells(built(name))
    assert set(found) == SHELLS[name]
    assert ShellKind.SHORT not in found.values()


def test_HTML_70_no_page_of_a_generator() -> None:
    """VitePress leaves the text of its error page to a script."""
    if not (SITES / ".sources").exists():
        pytest.skip("the sites of tests/generators are not built: run `make sites`, which needs npm")
    found = {f"{site.name}/{path}" for site in SITES.iterdir() if site.is_dir() for path in shells(site)}
    pages = {path for path in found if "/_gatsby/" not in path}  # a part that is put into pages
    assert pages == {"vitepress/404.html", "vitepress-clean/404.html", "vitepress-healthy/404.html"}
