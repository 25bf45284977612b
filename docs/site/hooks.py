"""What the site has beside docs/: README as its start page, a page for each family of rules, links that hold."""

import html
import re
from collections.abc import Mapping
from itertools import cycle, groupby
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from sitemap_action.checks.severity import consequence, family
from sitemap_action.cli.options import RULES
from sitemap_action.cli.small_commands import FAMILIES, NEEDS, SEVERITIES
from sitemap_action.config.options import option_rows
from sitemap_action.model.finding import Rule

ROOT = Path(__file__).parents[2]
# Pages that are documents of the repository: page → file.
DOCUMENTS = {"index.md": "README.md", "contributing.md": "CONTRIBUTING.md"}
_LINK = re.compile(r"(\]\()(?!https?://|#|mailto:)([^)#\s]+)")
_TAKES = {key: takes for key, takes, _, _ in option_rows()}
_FENCE = re.compile(r"(?ms)(^```.*?^```$)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Pages that no file of docs/ has."""
    made = {page: (ROOT / path).read_text(encoding="utf-8") for page, path in DOCUMENTS.items()}
    families = groupby(RULES.values(), lambda one: family(one.id))
    made |= {f"rules/{name.lower()}.md": family_page(name, list(rows)) for name, rows in families}
    for uri, text in made.items():
        files.append(File.generated(config, uri, content=text))
    config.nav = navigation(config.nav or [], {file.src_uri for file in files.documentation_pages()})
    return files


def navigation(nav: list[object], pages: set[str]) -> list[object]:
    """The sections of mkdocs.yml; what they do not have is appended, so that no page is lost."""
    named: set[str] = set()
    sections: list[object] = []
    for section in nav:
        if not isinstance(section, dict):
            named.add(str(section))
            sections.append(section)
            continue
        ((title, listed),) = section.items()
        named.update(listed)
        sections.append({title: [page for page in listed if page in pages]})
    rules = sorted(page for page in pages - named if page.startswith("rules/"))
    more = sorted(pages - named - set(rules))
    sections += [{"Rules": rules}] if rules else []
    return sections + ([{"More": more}] if more else [])


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links as the site has them. A rule of the table leads to its section."""
    uri = page.file.src_uri
    if uri == "rules.md":
        markdown = re.sub(r"(?m)^\| ([A-Z]+)-(\d+) \|", _to_section, markdown)
    if uri == "configuration.md":
        markdown = re.sub(r"(?m)^\| `([\w.-]+)` \|(.*)\|$", _option, markdown)
    place = PurePosixPath(DOCUMENTS.get(uri, f"docs/{uri}")).parent
    known = {path: name for name, path in DOCUMENTS.items()}

    def linked(found: re.Match[str]) -> str:
        if (target := f"{place}/{found[2]}".removeprefix("./")) and uri.startswith("rules/"):
            return found[0]
        target = normpath(target)
        name = known.get(target) or target.removeprefix("docs/") * target.startswith("docs/")
        if name and (files.get_file_from_path(name) is not None):
            return found[1] + relpath(name, PurePosixPath(uri).parent.as_posix())
        if not (ROOT / target).exists():
            raise PluginError(f"{uri} links to {found[2]}, which is not there")
        return f"{found[1]}{config.repo_url.rstrip('/')}/blob/main/{target}"

    return "".join(piece if piece.startswith("```") else _LINK.sub(linked, piece) for piece in _FENCE.split(markdown))


def on_page_content(content: str, **_: object) -> str:
    """A wide table is scrolled in its own box; on a phone each cell stands alone, with the name of its column."""
    blocks = content.replace("<pre>", '<pre tabindex="0">')
    return re.sub(r"(?s)<table>.*?</table>", lambda found: _labelled(found[0]), blocks)


def _labelled(table: str) -> str:
    names = [re.sub(r"<[^>]+>", "", name).strip() for name in re.findall(r"(?s)<th[^>]*>(.*?)</th>", table)]
    table = table if any(names) else re.sub(r"(?s)<thead>.*?</thead>", "", table)
    columns = cycle(names)
    cells = re.sub(r"<td", lambda _: f'<td data-label="{next(columns)}"', table)
    return f'<div class="table" tabindex="0">{cells}</div>'


def _option(found: re.Match[str]) -> str:
    """A row with an anchor, and with what the key takes."""
    key, rest = found[1], found[2]
    return f'| <code id="{key}">{key}</code> |{rest}<br><small>Takes {_text(_TAKES[key])}.</small> |'


def _to_section(found: re.Match[str]) -> str:
    name, number = found[1], found[2]
    return f"| [{name}-{number}](rules/{name.lower()}.md#{name.lower()}-{number}) |"


def family_page(name: str, rows: list[Rule]) -> str:
    title = f"# {name}: {FAMILIES.get(name, 'other rules')}"
    about = "[What rules are, and how to accept a finding in one part of the site](../rules.md)."
    same = f"The same in a terminal: `sitemap-action rules {rows[0].id}`."
    return "\n\n".join([title, f"{about} {same}", *map(section, rows)]) + "\n"


def section(one: Rule) -> str:
    rows = {
        "passes": _text(one.passes),
        "fails": _text(one.fails),
        "to do": _text(one.tip),
        "source": _source(one.source),
    }
    severity = f"{one.severity.capitalize()}: {_text(SEVERITIES[one.severity])}."
    parts = [
        f"## {one.id} {{#{one.id.lower()}}}",
        f"**{_text(one.summary)}** {severity} Needs {_text(NEEDS[one.needs])}.",
        _text(consequence(one.id)),
        _table("", "", rows),
        _table("case", "severity", dict(one.cases)) if len(one.cases) > 1 else "",
    ]
    return "\n\n".join(filter(None, parts))


def _table(first: str, second: str, rows: Mapping[str, str]) -> str:
    return "\n".join([f"| {first} | {second} |", "|---|---|", *(f"| {name} | {cell} |" for name, cell in rows.items())])


def _source(text: str) -> str:
    """The addresses in it as links."""
    pieces = re.split(r"(https://[^\s,;)]+)", text)
    return "".join(f"<{piece}>" if piece.startswith("https://") else _text(piece, strip=False) for piece in pieces)


def _text(value: str, *, strip: bool = True) -> str:
    """Text of a cell as it is, with code where the rule has it."""
    pieces = re.split(r"(`[^`]*`)", " ".join(value.split()) if strip else value)
    return "".join(_code(piece) if piece.startswith("`") else _plain(piece) for piece in pieces)


def _code(piece: str) -> str:
    return f"<code>{html.escape(piece.strip('`'), quote=False)}</code>".replace("|", "&#124;").replace("*", "&#42;")


def _plain(piece: str) -> str:
    escaped = html.escape(piece, quote=False).replace("|", "&#124;")
    return re.sub(r"([\\*_\[\]{}#])", lambda found: f"&#{ord(found[1])};", escaped)
