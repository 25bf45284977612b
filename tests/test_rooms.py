"""The drawing of the rooms in sitemap_action/README.md is what the code says; `python tests/test_rooms.py` draws it again."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from sources import ONE_PROCESS
from test_architecture import FIRST_EFFECTS, LAYERS, PACKAGE, House, house, ours, package, plant, room

PAGE = Path(__file__).parents[1] / "sitemap_action/README.md"
BEGIN, END = "<!-- rooms: drawn by tests/test_rooms.py -->\n", "<!-- end of rooms -->\n"
EVERYWHERE = frozenset({"model", "errors", "__init__", "__main__"})  # an arrow from every room says nothing
Edges = Mapping[str, frozenset[str]]


def imports(modules: House) -> Edges:
    """Room → rooms that it imports."""
    rooms = {module.room for module in modules.values()} - EVERYWHERE
    edges: dict[str, set[str]] = {name: set() for name in rooms}
    for module in modules.values():
        if module.room in rooms:
            found = {room(each.target) for each in module.imports if ours(each.target)}
            edges[module.room] |= (found & rooms) - {module.room}
    return {name: frozenset(targets) for name, targets in edges.items()}


def below(edges: Edges, name: str) -> frozenset[str]:
    """Every room that is reached from a room."""
    return edges[name].union(*(below(edges, target) for target in edges[name]))


def reduced(edges: Edges) -> Edges:
    """Without the arrows that a longer way makes superfluous: what is left is who stands directly on whom."""
    reached = {name: below(edges, name) for name in edges}
    return {
        name: frozenset(one for one in targets if not any(one in reached[other] for other in targets - {one}))
        for name, targets in edges.items()
    }


def drawing(modules: House) -> str:
    return "\n".join(["```mermaid", *_lines(reduced(imports(modules))), "```", ""])


def _lines(edges: Edges) -> Iterator[str]:
    yield "flowchart TB"
    halves = {"effects": "above the line: reads, writes, waits", "pure": "below the line: computes, and nothing else"}
    for half, title in halves.items():
        yield f'  subgraph {half}["{title}"]'
        inside = [name for name in edges if (LAYERS[name] >= FIRST_EFFECTS) is (half == "effects")]
        yield from (f"    {name}" for name in sorted(inside, key=lambda name: (-LAYERS[name], name)))
        yield "  end"
    for name in sorted(edges, key=lambda name: (-LAYERS[name], name)):
        yield from (f"  {name} --> {target}" for target in sorted(edges[name]))


def drawn() -> str:
    text = PAGE.read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1
    return text.partition(BEGIN)[2].partition(END)[0]


@ONE_PROCESS
def test_the_drawing_is_the_code() -> None:
    assert drawn() == drawing(package()), "draw it again: python tests/test_rooms.py"


def test_an_import_more_is_an_arrow_more() -> None:
    apart = house(plant("web/a.py", "") | plant("html/a.py", "") | plant("run.py", f"import {PACKAGE}.html.a"))
    joined = house(plant("web/a.py", "") | plant("html/a.py", f"import {PACKAGE}.web.a") | plant("run.py", f"import {PACKAGE}.html.a\nimport {PACKAGE}.web.a"))  # fmt: skip
    assert "html --> web" not in drawing(apart)
    assert "html --> web" in drawing(joined)
    assert "run --> web" not in drawing(joined), "it stands on web by way of html"


if __name__ == "__main__":
    old = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(old.replace(drawn(), drawing(package())), encoding="utf-8")
