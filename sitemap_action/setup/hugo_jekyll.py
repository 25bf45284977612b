"""Hugo and Jekyll."""

import re

from sitemap_action.setup.generated_site import BuildCommands, GeneratedSite, OwnSitemap, join_address, stated_values
from sitemap_action.setup.node_packages import NodePackages
from sitemap_action.setup.project import Project

_HUGO = tuple(
    f"{folder}{name}.{end}"
    for folder in ("", "config/_default/")
    for name in ("hugo", "config")
    for end in ("toml", "yaml", "yml", "json")
)
_FOLDERS = ("archetypes", "content", "layouts", "themes")
_VERSION = re.compile(r"""\bHUGO_VERSION\b["']?\s*[:=]\s*["']?v?(\d{1,3}\.\d{1,4}(?:\.\d{1,4})?)\b""")
_GEM = re.compile(r"""^[ \t]*gem[ \t]*\(?[ \t]*["'](jekyll|github-pages)["']""", re.MULTILINE)
_BUNDLER = ('bundle config set --local path "$RUNNER_TEMP/bundle"', "bundle install", "bundle exec jekyll build")
_GEMS = (
    "gem install --user-install --no-document github-pages",
    """"$(ruby -e 'puts Gem.user_dir')/bin/jekyll" build""",
)
_DEB = "https://github.com/gohugoio/hugo/releases/download/v{0}/hugo_extended_{0}_linux-amd64.deb"


def hugo(project: Project, packages: NodePackages | None) -> GeneratedSite | None:
    file = project.first(*_HUGO)
    if file is None:
        return None
    values = stated_values(project, file).in_any_case()
    named_hugo = file.path.rpartition("/")[2].startswith("hugo.")
    if not named_hugo and not (values.get("baseurl") or sum(map(project.has, _FOLDERS)) > 1):
        return None  # `config.toml` may be anything's
    install, where = _hugo_binary(project)
    modules = packages.install if packages else ()
    return GeneratedSite(
        generator="Hugo",
        where=file.path,
        output=project.output(values.get("publishdir"), "public"),
        build=BuildCommands((*install, *modules, "hugo"), where),
        addresses=join_address(values.get("baseurl"), None),
        sitemap=None
        if "sitemap" in {kind.lower() for kind in values.items.get("disablekinds", ())}
        else OwnSitemap("sitemap.xml", "Hugo writes one by default"),
        advice=f"take sitemap out of disableKinds in {file.path}",
        copied=project.at("static"),
    )


def _hugo_binary(project: Project) -> tuple[tuple[str, ...], str]:
    """The version that the repository states is installed, else the newest."""
    top = project.top()
    workflows = sorted(name for name in top.names(".github/workflows") if name.endswith((".yml", ".yaml")))
    for path in ("netlify.toml", *(f".github/workflows/{name}" for name in workflows[:100])):
        file = top.first(path)
        if file and (found := _VERSION.search(file.text)):
            package = '"$RUNNER_TEMP/hugo.deb"'
            lines = (
                f"curl --fail --silent --show-error --location --output {package} {_DEB.format(found[1])}",
                f"sudo dpkg --install {package}",
            )
            return lines, f"Hugo {found[1]}, {file.line(found.start())}"
    return ("sudo snap install hugo",), "no file states the version of Hugo: the newest"


def jekyll(project: Project, _packages: NodePackages | None) -> GeneratedSite | None:
    file = project.first("_config.yml", "_config.yaml")
    if file is None or project.has("_toc.yml") or (_packages and _packages.dependency("hexo")):
        return None
    values = stated_values(project, file)
    gems = project.first("Gemfile")
    plug_ins = (*values.items.get("plugins", ()), *values.items.get("gems", ()))
    if gems and _GEM.search(gems.text):
        build = BuildCommands(_BUNDLER, gems.path)
    else:
        build = BuildCommands(_GEMS, "no Gemfile names Jekyll: the version of GitHub Pages")
    output = project.output(values.get("destination"), "_site")
    return GeneratedSite(
        generator="Jekyll",
        where=file.path,
        output=output,
        build=build,
        addresses=join_address(values.get("url"), values.get("baseurl")),
        sitemap=OwnSitemap("sitemap.xml", f"jekyll-sitemap, {file.path}") if "jekyll-sitemap" in plug_ins else None,
        advice=f"add jekyll-sitemap to plugins in {file.path}",
        copied=project.folder,
    )
