"""Nodes as the text of a config file, and one tree laid over another: what a person chose becomes a file."""

import re
from collections.abc import Collection, Iterator

from sitemap_action.config.yaml import KeyValue, MappingNode, Node, ScalarNode, SequenceNode, find_node

_PLAIN = re.compile(r"(?!\.\.\.)[\w./+](?:[\w./%+*@=&~-]|:(?=[\w./%*]))*", re.ASCII)


def node_text(node: Node) -> str:
    """In block style; read again it is the same tree, but for quotes round a text that needs them."""
    match node:
        case MappingNode(entries=entries) if entries:
            return "".join(_lines(node, ""))
        case _:
            return f"{_flow(node)}\n"


def merged(lower: MappingNode, upper: MappingNode) -> MappingNode:
    """Every key of both; where both have one, that of `upper`, and mappings key by key."""
    over = {entry.key.text: entry for entry in upper.entries}
    entries = [_merged_entry(entry, over.pop(entry.key.text, entry)) for entry in lower.entries]
    return MappingNode(lower.mark, (*entries, *over.values()))


def _merged_entry(lower: KeyValue, upper: KeyValue) -> KeyValue:
    if isinstance(lower.value, MappingNode) and isinstance(upper.value, MappingNode):
        return KeyValue(upper.key, merged(lower.value, upper.value))
    return upper


def without(node: MappingNode, keys: Collection[str], prefix: str = "") -> MappingNode:
    """The tree with none of the dotted keys, and without a section that this leaves empty."""
    entries = []
    for entry in node.entries:
        key, value = f"{prefix}{entry.key.text}", entry.value
        if key in keys:
            continue
        if isinstance(value, MappingNode) and any(one.startswith(f"{key}.") for one in keys):
            value = without(value, keys, f"{key}.")
            if not value.entries:
                continue
        entries.append(KeyValue(entry.key, value))
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
    for entry in node.entries:
        key, value = _flow(entry.key), entry.value
        if isinstance(value, ScalarNode) and value.empty:
            yield f"{indent}{key}:\n"
        elif isinstance(value, ScalarNode) or not _inside(value):
            yield f"{indent}{key}: {_flow(value)}\n"
        else:
            yield f"{indent}{key}:\n"
            yield from _lines(value, f"{indent}  ")


def _inside(node: MappingNode | SequenceNode) -> tuple[object, ...]:
    return node.entries if isinstance(node, MappingNode) else node.items


def _flow(node: Node) -> str:
    match node:
        case ScalarNode(text=text, plain=plain):
            return text if plain and _PLAIN.fullmatch(text) else _quoted(text)
        case SequenceNode(items=items):
            return f"[{', '.join(map(_flow, items))}]"
        case MappingNode(entries=entries):
            return f"{{{', '.join(f'{_flow(entry.key)}: {_flow(entry.value)}' for entry in entries)}}}"


def _quoted(text: str) -> str:
    """In double quotes, with an escape for each character that YAML may not hold as it is."""
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable():
        return character
    return f"\\U{ord(character):08X}"
