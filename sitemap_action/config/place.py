"""Where the config says something: file and line, or the flag or input."""

from collections.abc import Iterable, Iterator, Sequence

from sitemap_action.config.layers import PRECEDENCE, Layer, read_layer
from sitemap_action.config.types import MappingNode, Node, ScalarNode, SequenceNode


def option_place(layers: Sequence[Layer], key: str, item: str = "") -> str:
    """The layer that decides a key, at `item` of its list; "" where no layer has the key."""
    for layer in sorted(layers, key=lambda layer: PRECEDENCE.index(layer.origin), reverse=True):
        node = read_layer(layer).root
        if node is not None and (found := _value(node, key.split("."))) is not None:
            mark = next((one.mark for one in _scalars(found) if one.text == item), found.mark)
            return f"{mark.name}:{mark.line}" if mark.line else mark.name
    return ""


def _value(node: Node, names: Iterable[str]) -> Node | None:
    for name in names:
        if not isinstance(node, MappingNode):
            return None
        found = next((entry.value for entry in node.entries if entry.key.text == name), None)
        if found is None:
            return None
        node = found
    return node


def _scalars(node: Node) -> Iterator[ScalarNode]:
    match node:
        case ScalarNode():
            yield node
        case SequenceNode():
            yield from (item for item in node.items if isinstance(item, ScalarNode))
        case MappingNode():
            return
