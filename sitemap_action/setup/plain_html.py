"""Plain HTML: a folder of the repository that is served as it is."""

from sitemap_action.setup.generated_site import BuildCommands, GeneratedSite
from sitemap_action.setup.node_packages import NodePackages
from sitemap_action.setup.project import Project, Stated

PLAIN = "plain HTML"
_FOLDERS = (".", "public", "site", "www", "html", "htdocs", "web", "src", "docs", "dist", "_site")


def plain_html(project: Project, packages: NodePackages | None) -> GeneratedSite | None:
    """A start page that git tracks; where scripts build the site, it is a source of theirs."""
    place = next(
        (
            one
            for one in _FOLDERS
            if project.has(f"{one}/index.html") and project.tracked(project.at(one, "index.html"))
        ),
        "",
    )
    if not place:
        return None
    built = packages.script(r"^$") if packages else None
    folder = project.at(place)
    return GeneratedSite(
        generator=PLAIN,
        where=project.at(place, "index.html"),
        output=Stated(folder or ".", project.at(place, "index.html")),
        build=BuildCommands((), "no generator: the files are served as they are"),
        copied=folder,
        refusal=f"{built.where}: a script builds the site with a tool that is not known here" if built else "",
    )
