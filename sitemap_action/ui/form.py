"""The form of the screen: its fields with the help of the options, and what was filled in, as a config file."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sitemap_action.config.layers import File, Origin, Setting, parse, read_layer
from sitemap_action.config.options import json_schema, option_rows
from sitemap_action.config.schema import AUTO, DEFAULT_CONFIG
from sitemap_action.config.types import RuleNames
from sitemap_action.config.yaml import MappingNode, Mark, Node, ScalarNode, SequenceNode, find_node
from sitemap_action.errors import ConfigError
from sitemap_action.hosts.literals import quote_yaml
from sitemap_action.model.lazy_re import lazy_re

_LOOPBACK = lazy_re(r"(?:localhost|127(?:\.[0-9]+){3}|\[::1\])(?![\w.-])", re.IGNORECASE)
_PLAIN = lazy_re(r"(?!\.\.\.)[\w./+](?:[\w./%+*@=&~-]|:(?=[\w./%*]))*", re.ASCII)


def node_text(node: Node) -> str:
    """The tree as YAML in block style; read again it is the same tree, but for quotes round a text that needs them."""
    match node:
        case MappingNode(entries=entries) if entries:
            return "".join(_lines(node, ""))
        case _:
            return f"{_flow(node)}\n"


def merge_trees(lower: MappingNode, upper: MappingNode) -> MappingNode:
    """Every key of both; where both have one, that of `upper`, and mappings key by key."""
    entries = {key.text: (key, value) for key, value in lower.entries}
    for key, value in upper.entries:
        below = lower.find(key.text)
        if isinstance(below, MappingNode) and isinstance(value, MappingNode):
            entries[key.text] = key, merge_trees(below, value)
        else:
            entries[key.text] = key, value
    return MappingNode(lower.mark, tuple(entries.values()))


def remove_keys(node: MappingNode, keys: Collection[str], prefix: str = "") -> MappingNode:
    """The tree with none of the dotted keys, and without a section that this leaves empty."""
    entries = []
    for name, value in node.entries:
        key = f"{prefix}{name.text}"
        if key in keys:
            continue
        if not isinstance(value, MappingNode) or not any(one.startswith(f"{key}.") for one in keys):
            entries.append((name, value))
        elif (rest := remove_keys(value, keys, f"{key}.")).entries:
            entries.append((name, rest))
    return MappingNode(node.mark, tuple(entries))


def value_text(node: MappingNode, key: str) -> str | None:
    """What a dotted key is set to, as a flag would give it, a list with one item a line; None where it is not set."""
    match find_node(node, key):
        case ScalarNode(text=text):
            return text
        case SequenceNode(items=items):
            return "\n".join(item.text if isinstance(item, ScalarNode) else _flow(item) for item in items)
        case MappingNode() as found:
            return _flow(found)
    return None


def _lines(node: MappingNode | SequenceNode, indent: str) -> Iterator[str]:
    if isinstance(node, SequenceNode):
        yield from (f"{indent}- {_flow(item)}\n" for item in node.items)
        return
    for name, value in node.entries:
        key = _flow(name)
        if isinstance(value, ScalarNode) and value.empty:
            yield f"{indent}{key}:\n"
        elif isinstance(value, ScalarNode) or not (value.entries if isinstance(value, MappingNode) else value.items):
            yield f"{indent}{key}: {_flow(value)}\n"
        else:
            yield f"{indent}{key}:\n"
            yield from _lines(value, f"{indent}  ")


def _flow(node: Node) -> str:
    match node:
        case ScalarNode(text=text, plain=plain):
            return text if plain and _PLAIN.fullmatch(text) else quote_yaml(text)
        case SequenceNode(items=items):
            return f"[{', '.join(map(_flow, items))}]"
        case MappingNode(entries=entries):
            return f"{{{', '.join(f'{_flow(key)}: {_flow(value)}' for key, value in entries)}}}"


ADDRESS, FOLDER = "source.url", "source.path"

_GROUPS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("", ((ADDRESS, "Address"), (FOLDER, "Build folder"), ("site-url", "Where the pages will live"))),
    (
        "Limits and politeness",
        (
            ("crawl.max-pages", "Most pages"),
            ("crawl.max-depth", "Most clicks from the start page"),
            ("crawl.requests-per-second", "Requests a second"),
            ("crawl.concurrency", "Requests at one time"),
            ("crawl.timeout", "Seconds for one request"),
            ("crawl.deadline", "Seconds for the whole crawl"),
            ("http.retries", "Retries"),
            ("crawl.robots", "robots.txt"),
            ("crawl.scope", "Scope"),
        ),
    ),
    (
        "Pages and comparison",
        (
            ("select.exclude", "Leave out"),
            ("select.include", "Only these"),
            ("sitemap", "Sitemap that is judged"),
            ("baseline", "Compare with"),
            ("source.host", "Static host of the build"),
            ("policy.max-removed", "Most pages that may be lost"),
        ),
    ),
)
_OWN_HELP = {  # where that of the config file speaks of a workflow
    ADDRESS: "Where the site is served now: production, a preview, or a server on this machine.",
    FOLDER: "Below the folder that is named at the top of this page.",
    "site-url": "Every listed URL is below it. Empty: the address, or what the sitemap of the build says; a preview, a "
    "server on this machine and a build without a sitemap need it.",
}
KEYS = tuple(key for _, fields in _GROUPS for key, _ in fields)


def form(base: MappingNode | None = None) -> list[dict[str, Any]]:
    """Groups of fields as the page gets them; every value is text, as on a command line.

    `base`: the config file that the fields are filled in from.
    """
    rows = {key: (default, text) for key, _, default, text in option_rows()}
    schema = json_schema()
    groups = []
    for title, fields in _GROUPS:
        made = []
        for key, label in fields:
            (default, text), described = rows[key], _schema(schema, key)
            made.append(
                {
                    "key": key,
                    "label": label,
                    "help": _OWN_HELP.get(key, text),
                    "default": "" if key in _OWN_HELP else default,  # empty: the help says it
                    "choices": described.get("enum", ()),  # empty: any text
                    "lines": any(one.get("type") == "array" for one in described.get("anyOf", ())),  # one item a line
                    "numeric": described.get("type") == "integer",
                    "value": (base and value_text(base, key)) or "",
                }
            )
        groups.append({"title": title, "fields": made})
    return groups


def _schema(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """What the JSON Schema of the config says about a dotted key."""
    for name in key.split("."):
        schema = schema["properties"][name]
    return schema


_EMPTY = MappingNode(Mark(""), ())


class FormProblem(Exception):  # noqa: N818 - about what was filled in; the program did not fail
    """Key of a field → what is wrong there; "" is the key of what no field shows."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(problems)
        self.problems = problems


def read_base(data: bytes, rules: RuleNames) -> MappingNode:
    """The config file of the folder, which the form can start from. Raises ConfigError."""
    parse((File(DEFAULT_CONFIG, data),), rules)
    root, _ = read_layer(File(DEFAULT_CONFIG, data))
    return root if isinstance(root, MappingNode) else _EMPTY


def chosen_config(values: Mapping[str, str], rules: RuleNames, base: MappingNode | None) -> tuple[str, str, str]:
    """The text of the config file, and the address or the folder that is read; "" for the other one.

    The keys of the filled-in form count as text, others are as in `base`. Raises FormProblem.
    """
    given = {key: values[key].strip() for key in KEYS if values.get(key, "").strip()}
    given |= {key: _with_scheme(given[key]) for key in (ADDRESS, "site-url") if given.get(key, AUTO) != AUTO}
    problems = {key: why for key, text in given.items() if (why := _problem(key, text, rules))}
    address, folder = given.get(ADDRESS, ""), given.get(FOLDER, "")
    if not address and not folder:
        problems[ADDRESS] = "give an address, or choose a folder"
    elif address and folder:
        problems[ADDRESS] = "give an address or a folder, not both"
    elif address == AUTO:
        problems[ADDRESS] = "auto is for a workflow; give the address"
    if problems:
        raise FormProblem(problems)
    tree = remove_keys(base, KEYS) if base else _EMPTY
    for key, text in given.items():
        root, _ = read_layer(_setting(key, text))
        tree = merge_trees(tree, root) if isinstance(root, MappingNode) else tree
    text = node_text(tree)
    try:
        parse((File("sitemap.yml", text.encode()),), rules)
    except ConfigError as error:
        raise FormProblem({"": str(error)}) from None
    return text, address, folder


def _with_scheme(address: str) -> str:
    """The address as a browser completes what is typed: http for this machine, else https (U-35)."""
    if "://" in address:
        return address
    return f"{'http' if _LOOPBACK.match(address) else 'https'}://{address}"


def _setting(key: str, text: str) -> Setting:
    return Setting(Origin.COMMAND_LINE, key, key, text)


def _problem(key: str, text: str, rules: RuleNames) -> str:
    """What is wrong with one value; "" for nothing."""
    try:
        text.encode()
        parse((_setting(key, text),), rules)
    except UnicodeEncodeError:
        return "half a surrogate pair is not a character"
    except ConfigError as error:
        return str(error).replace(f"{key}: ", "")
    return ""
