"""A small application without a framework: a shell, its router and its data, as routes of a server or as files."""

from collections.abc import Mapping
from pathlib import Path

from servers import Reply, Route

SHELL = '<!doctype html><title>App</title><div id="root"></div><script type="module" src="/app.js"></script>'
ROUTER = """
const views = {
  "/": ["Home", ["/a", "/b", "/missing"]],
  "/a": ["Page A", ["/", "/b", "/old"]],
  "/b": ["Page B", ["/"]],
  "/old": "/b",
};
const view = views[location.pathname];
const root = document.getElementById("root");
const text = await (await fetch("/data.json")).json();
if (!view) {
  document.title = "App";
  root.innerHTML = '<h1>Nothing is here</h1><a href="/">Home</a>';
} else if (typeof view === "string") {
  history.replaceState({}, "", view);
} else {
  document.title = view[0];
  const links = view[1].map((to) => `<a href="${to}">${to}</a>`).join(" ");
  root.innerHTML = `<h1>${view[0]}</h1><p>${`${text} of ${view[0]} `.repeat(20)}</p>${links}`;
}
"""
FILES = {"index.html": SHELL, "app.js": ROUTER, "data.json": '"words"'}


def routes(router: str = ROUTER, **more: Route) -> Mapping[str, Route]:
    """Every other path has the shell."""
    return {
        "/app.js": Reply(router, type="text/javascript"),
        "/data.json": Reply('"words"', type="application/json"),
        "/robots.txt": 404,
        "/sitemap.xml": 404,
        "*": SHELL,
        **more,
    }


def build(folder: Path) -> None:
    """With a fallback, as Netlify has it."""
    folder.mkdir()
    for name, content in (FILES | {"_redirects": "/* /index.html 200\n"}).items():
        (folder / name).write_text(content)
