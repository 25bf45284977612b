"""Measures the shape of the package: sizes, imports, names, sentences, redirect walks, and how tests reach it.

    python benchmarks/measure.py               our figures beside the goals
    python benchmarks/measure.py --list NAME   what a figure counts, such as `late imports`
    python benchmarks/measure.py --peers       also scrapy, crawlee, pip-audit and check-jsonschema, kept in build/peers

Everything is read from the source with `ast`, but for the files that a check of five pages calls functions in. Lists
of words and shapes stand for a judgement here and there: `--list` shows each hit, to be judged by eye.
"""

import argparse
import ast
import io
import os
import re
import statistics
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "sitemap_action"
PEERS = ("scrapy", "crawlee", "pip-audit", "check-jsonschema")
PEER_FOLDER = ROOT / "build/peers"
SMALL, LONG, LONG_FUNCTION, MANY_FIELDS = 60, 500, 40, 16

GOALS: dict[str, float] = {
    "files": 250,
    "lines": 43_000,
    "files over 500 lines": 0,
    "longest function": 40,
    "most parameters": 8,
    "records": 260,
    "fields of the largest record": 16,
    "longest import chain": 15,
    "import cycles": 0,
    "upward imports": 0,
    "small modules with one importer": 12,
    "late imports of own modules": 5,
    "participles and prepositions as names": 12,
    "docstrings that begin as a fragment": 20,
    "comparisons with sentences": 2,
    "walks of a redirect chain": 1,
    "files that a check of five pages runs": 110,
    "share of tests that import 3 modules or more": 0.25,
}


def words(text: str) -> set[str]:
    return set(text.split())


RECORD_BASES = {"NamedTuple", "Struct", "TypedDict", "SecretStruct"}
PREPOSITIONS = words("""
    above after along as_ at before behind below beside between beyond by for_ from_ in into near of off on onto
    over per since than to under until via with_ within without
""")
IRREGULAR = words("""
    asked beaten begun born borne bought bound broken brought built chosen cut done drawn driven ending fallen fed
    felt forgotten found frozen given gone gotten grown heard held hidden kept known laid led left lent lost made
    meant met overwritten paid put read_ rewritten ridden risen said seen sent set_ shaken shown sold sorted_ sought
    spent split_ spoken stolen stood sung sunk swollen sworn taken taught thought thrown told torn understood
    unknown unread unseen untold unwritten withheld woken won worn woven written
""")
NO_PARTICIPLES = words("""
    bed bleed embed exceed feed heed need proceed red seed shed speed succeed
""")
# What a docstring begins with that needs the line above it.
PHRASES = {
    "the same",
    *words("also and as at beside but by for from in likewise of on or than those to too with without"),
}
SENTENCE_NAMES = {"message", "detail", "reason", "headline", "sentence", "hint", "note", "why", "tip", "summary"}


@dataclass
class Module:
    name: str
    path: str
    source: str
    tree: ast.Module = field(repr=False)

    @cached_property
    def lines(self) -> int:
        return self.source.count("\n")

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @cached_property
    def functions(self) -> list["Function"]:
        return [node for node in self.nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]

    @cached_property
    def classes(self) -> list[ast.ClassDef]:
        return [node for node in self.nodes if isinstance(node, ast.ClassDef)]


Function = ast.FunctionDef | ast.AsyncFunctionDef


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """All below a node: a tenth of its nodes, and every import and definition is one."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, name, ()):
            if isinstance(child, ast.stmt):
                yield child
            yield from statements(child)


@dataclass
class Tree:
    """The modules of one package, and what they import of each other."""

    package: str
    modules: dict[str, Module]

    @cached_property
    def imports(self) -> dict[str, set[str]]:
        return {name: set(self._imported(module, module.nodes)) - {name} for name, module in self.modules.items()}

    @cached_property
    def importers(self) -> dict[str, set[str]]:
        return {name: {other for other, targets in self.imports.items() if name in targets} for name in self.modules}

    def _imported(self, module: Module, within: Iterable[ast.AST]) -> Iterator[str]:
        for node in within:
            if isinstance(node, ast.Import):
                yield from (found for one in node.names if (found := self._module(one.name)))
            elif isinstance(node, ast.ImportFrom):
                yield from self._imported_from(module, node)

    def _imported_from(self, module: Module, node: ast.ImportFrom) -> Iterator[str]:
        start = node.module or ""
        if node.level:
            parts = module.name.split(".")
            keep = len(parts) - node.level + module.path.endswith("__init__.py")
            start = ".".join([*parts[:keep], *([start] if start else [])])
        for one in node.names:
            found = self._module(f"{start}.{one.name}", exact=True) or self._module(start)
            if found:
                yield found

    def _module(self, name: str, *, exact: bool = False) -> str:
        if name in self.modules:
            return name
        return "" if exact or "." not in name else self._module(name.rpartition(".")[0])

    def late(self) -> list[str]:
        """Imports of own modules inside a function, or for the type checker alone."""
        found = []
        for module in self.modules.values():
            places = [*module.functions, *(node for node in module.nodes if is_for_types(node))]
            nodes = {
                node: None
                for place in places
                for node in statements(place)
                if isinstance(node, ast.Import | ast.ImportFrom) and any(self._imported(module, [node]))
            }
            found += [f"{module.path}:{node.lineno} {ast.unparse(node)}" for node in nodes]
        return found

    def longest_chain(self) -> list[str]:
        """The longest way through imports, where the modules of a cycle count as one."""
        groups = components(self.imports)
        group_of = {name: group for group in groups for name in group}
        best: dict[frozenset[str], list[str]] = {}

        def chain(group: frozenset[str]) -> list[str]:
            if group not in best:
                targets = {group_of[target] for name in group for target in self.imports[name]} - {group}
                rest = max((chain(target) for target in targets), key=len, default=[])
                best[group] = [", ".join(sorted(group)), *rest]
            return best[group]

        return max((chain(group) for group in groups), key=len)


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def components(graph: dict[str, set[str]]) -> list[frozenset[str]]:
    """Sets of modules that import each other (Tarjan); of no cycle each module alone."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[frozenset[str]] = []

    def visit(name: str) -> None:
        number[name] = low[name] = len(number)
        stack.append(name)
        for target in graph[name]:
            if target not in number:
                visit(target)
                low[name] = min(low[name], low[target])
            elif target in stack:
                low[name] = min(low[name], number[target])
        if low[name] == number[name]:
            at = stack.index(name)
            found.append(frozenset(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10_000)
    for name in graph:
        if name not in number:
            visit(name)
    return found


@cache
def load(folder: Path) -> Tree:
    modules = {}
    for file in sorted(folder.rglob("*.py")):
        path = file.relative_to(folder.parent)
        name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        source = file.read_text(encoding="utf-8")
        with suppress(SyntaxError):  # a template, in other packages
            modules[name] = Module(name, str(path), source, ast.parse(source))
    return Tree(folder.name, modules)


# Sizes


def code_lines(module: Module) -> int:
    """Lines with a token that is neither a comment nor a docstring."""
    strings = {
        line
        for node in module.nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    empty = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(module.source).readline)
        if token.type not in empty
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(lines - strings)


def length(function: Function) -> int:
    """Lines of the function, without decorators."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def parameters(function: Function) -> int:
    arguments = function.args
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def is_record(node: ast.ClassDef) -> bool:
    bases = {ast.unparse(base).rpartition(".")[2].partition("[")[0] for base in node.bases}
    decorators = " ".join(ast.unparse(one) for one in node.decorator_list)
    return bool(bases & RECORD_BASES) or bool(re.search(r"\bdataclass\b|\battrs?\.(s|define|frozen)\b", decorators))


def fields(node: ast.ClassDef) -> int:
    return sum(isinstance(one, ast.AnnAssign) and "ClassVar" not in ast.unparse(one.annotation) for one in node.body)


# Names and sentences


def is_bare_name(function: Function) -> bool:
    """A participle or a preposition, alone. By its ending, and by lists for the rest."""
    name = function.name.strip("_")
    if "_" in name or (function.name.startswith("__") and function.name.endswith("__")):
        return False
    if any(ast.unparse(one) in ("override", "typing.override") for one in function.decorator_list):
        return False
    return name in PREPOSITIONS | IRREGULAR or (name.endswith("ed") and len(name) > 3 and name not in NO_PARTICIPLES)


def begins_as_fragment(function: Function) -> bool:
    words = (ast.get_docstring(function) or "").split()
    start = " ".join(words[:2]).lower().rstrip(",;:.")
    return bool(words) and (start in PHRASES or start.split(" ")[0].rstrip(",;:") in PHRASES)


def sentence_comparisons(module: Module) -> Iterator[ast.expr]:
    """`in`, `==`, `startswith` … that look for words in a text that is meant for people.

    One side is a constant with a space between letters, or the other side is called a message, detail, reason ….
    """
    for node in module.nodes:
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            if searches_sentence(node.comparators[0], node.left):
                yield node
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq):
            sides = node.left, node.comparators[0]
            if "expat.errors" in ast.unparse(node):
                continue
            if any(map(is_sentence, sides)) or (any(map(is_text_name, sides)) and not any(map(is_no_text, sides))):
                yield node
        elif is_search(node) and searches_sentence(node.func.value, node.args[0]):  # type: ignore[attr-defined]
            yield node  # type: ignore[misc] - a call is an expression


def is_search(node: ast.AST) -> bool:
    method = node.func if isinstance(node, ast.Call) and node.args else None
    return isinstance(method, ast.Attribute) and method.attr in ("startswith", "endswith")


def searches_sentence(searched: ast.expr, wanted: ast.expr) -> bool:
    if isinstance(searched, ast.Tuple | ast.List | ast.Set | ast.Dict):
        return any(map(is_sentence, ast.iter_child_nodes(searched)))
    if re.fullmatch(r"[A-Z_]+|self\.\w+", ast.unparse(searched)):
        return False  # a set of kinds; what has been said before
    return is_sentence(wanted) or is_text_name(wanted) or (is_text_name(searched) and not is_no_text(wanted))


def is_sentence(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and bool(re.search(r"[A-Za-z,;:] [A-Za-z]", str(node.value)))


def is_no_text(node: ast.AST) -> bool:
    """Whether there is a text may well be asked."""
    return isinstance(node, ast.Constant) and (node.value == "" or not isinstance(node.value, str))


def is_text_name(node: ast.AST) -> bool:
    return any(name in SENTENCE_NAMES for name in identifiers(node))


def walks_redirects(function: Function) -> bool:
    """A loop that ends after so many hops, or goes on to the target of what it has found."""
    for loop in statements(function):
        if isinstance(loop, ast.While) or (isinstance(loop, ast.For) and "range(" in ast.unparse(loop.iter)):
            limit = identifiers_below(loop.test if isinstance(loop, ast.While) else loop.iter)
            if any(re.search(r"(?i)(^|_)hops?($|_)", name) for name in limit) or goes_on(loop):
                return True
    return False


def goes_on(loop: ast.AST) -> bool:
    """`page = site.page(page.target)`: a name is given what the target of that name leads to."""
    for node in statements(loop):
        if isinstance(node, ast.Assign) and "target" in set(identifiers_below(node.value)):
            names = {name for target in node.targets for name in identifiers_below(target)}
            if names & set(identifiers_below(node.value)):
                return True
    return False


def identifiers(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr


def identifiers_below(node: ast.AST) -> Iterator[str]:
    return (name for one in ast.walk(node) for name in identifiers(one))


# What a run touches


_TRACED = """
import sys
files = set()
folder = sys.argv[1]
def note(frame, event, argument):
    if event == "call":
        name = frame.f_code.co_filename
        if name.startswith(folder) and frame.f_code.co_flags & 1:  # not the body of a module or a class
            files.add(name)
from sitemap_action.__main__ import run
files.clear()
sys.setprofile(note)
run(["check", "--path=dist", "--site-url=https://www.example.com/", "--offline", "--format=json"])
sys.setprofile(None)
print("\\n".join(sorted(files)), file=sys.stderr)
"""


def touched_files(folder: Path = PACKAGE) -> list[str]:
    """Files of the package that a check of a folder with five pages calls a function of; class bodies do not count."""
    with tempfile.TemporaryDirectory() as place:
        names = ("index", "a", "b", "c", "d")
        for name in names:
            page = f"<!doctype html><title>{name}</title><h1>{name}</h1>" + "".join(
                f'<a href="{one}.html">{one}</a>' for one in names
            )
            (Path(place) / "dist").mkdir(exist_ok=True)
            (Path(place) / f"dist/{name}.html").write_text(page)
        command = [sys.executable, "-c", _TRACED, f"{folder}{os.sep}"]
        environment = os.environ | {"PYTHONPATH": str(folder.parent)}
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, env=environment, check=True)
    return [line for line in done.stderr.splitlines() if line.startswith(str(folder))]


def nailed_tests(folder: Path) -> tuple[list[str], int]:
    """(Test functions in files that import more than two modules of ours, all test functions)."""
    nailed, count = [], 0
    for file in sorted(folder.rglob("test_*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        modules, names = set(), []
        for node in statements(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sitemap_action"):
                modules.add(node.module)
            elif isinstance(node, ast.Import):
                modules |= {one.name for one in node.names if one.name.startswith("sitemap_action")}
            elif isinstance(node, Function) and node.name.startswith("test_"):
                names.append(node.name)
        modules -= {"sitemap_action", "sitemap_action.__main__"}
        count += len(names)
        nailed += [f"{file.relative_to(folder)} {name} ({len(modules)})" for name in names if len(modules) > 2]
    return nailed, count


# The figures


Figure = tuple[float, list[str]]


def measure(tree: Tree, layers: dict[str, int] | None = None) -> dict[str, Figure]:
    """Each figure with what it counts, but for what has no goal and takes long."""
    figures = sizes(tree) | imports(tree) | sentences(tree)
    if layers is not None:
        figures["upward imports"] = some(upward(tree, layers))
    return figures


def sizes(tree: Tree) -> dict[str, Figure]:
    modules = list(tree.modules.values())
    functions = [(module, one) for module in modules for one in module.functions]
    classes = [(module, one) for module in modules for one in module.classes]
    records = [(module, one) for module, one in classes if is_record(one)]
    lines, lengths = [module.lines for module in modules], [length(one) for _, one in functions]
    return {
        "files": (len(modules), []),
        "lines": (sum(lines), []),
        "median file": (statistics.median(lines), []),
        "p90 file": (percentile(lines, 90), []),
        "longest file": top((module.lines, module.path) for module in modules),
        "files over 500 lines": some(module.path for module in modules if module.lines > LONG),
        "functions": (len(functions), []),
        "p90 function": (percentile(lengths, 90), []),
        "longest function": top((length(one), place(module, one)) for module, one in functions),
        "most parameters": top((parameters(one), place(module, one)) for module, one in functions),
        "classes": (len(classes), []),
        "records": some(place(module, one) for module, one in records),
        "fields of the largest record": top((fields(one), place(module, one)) for module, one in records),
    }


def imports(tree: Tree) -> dict[str, Figure]:
    chain = tree.longest_chain()
    small = [
        f"{module.path} ({module.lines}) ← {next(iter(tree.importers[name]))}"
        for name, module in tree.modules.items()
        if module.lines < SMALL and len(tree.importers[name]) == 1 and not module.path.endswith("__init__.py")
    ]
    return {
        "longest import chain": (len(chain), chain),
        "import cycles": some(", ".join(sorted(group)) for group in components(tree.imports) if len(group) > 1),
        "small modules with one importer": some(small),
        "late imports of own modules": some(tree.late()),
    }


def sentences(tree: Tree) -> dict[str, Figure]:
    modules = list(tree.modules.values())
    functions = [(module, one) for module in modules for one in module.functions]
    fragments = [
        f"{place(module, one)}: {(ast.get_docstring(one) or '').splitlines()[0]}"
        for module, one in functions
        if begins_as_fragment(one)
    ]
    compared = [
        f"{module.path}:{node.lineno} {ast.unparse(node)[:100]}"
        for module in modules
        for node in sentence_comparisons(module)
    ]
    return {
        "participles and prepositions as names": some(
            place(module, one) for module, one in functions if is_bare_name(one)
        ),
        "docstrings of functions": (sum(ast.get_docstring(one) is not None for _, one in functions), []),
        "docstrings that begin as a fragment": some(fragments),
        "comparisons with sentences": some(compared),
        "walks of a redirect chain": some(place(module, one) for module, one in functions if walks_redirects(one)),
    }


def upward(tree: Tree, layers: dict[str, int]) -> Iterator[str]:
    def layer(name: str) -> int:
        parts = name.split(".")
        return layers[parts[1] if len(parts) > 1 else "__init__"]

    for name, targets in tree.imports.items():
        for target in targets:
            if layer(target) > layer(name):
                yield f"{name} → {target}"


def place(module: Module, node: Function | ast.ClassDef) -> str:
    return f"{module.path}:{node.lineno} {node.name}"


def some(items: Iterator[str] | list[str]) -> Figure:
    found = list(items)
    return len(found), found


def top(items: Iterator[tuple[int, str]]) -> Figure:
    """The largest figure, and the ten that have the largest."""
    rows = sorted(items, reverse=True)[:10]
    return (rows[0][0] if rows else 0), [f"{size} {name}" for size, name in rows]


def percentile(values: list[int], share: int) -> float:
    return sorted(values)[min(len(values) - 1, len(values) * share // 100)]


def own_layers() -> dict[str, int]:
    """The table of tests/test_architecture.py."""
    for node in ast.parse((ROOT / "tests/test_architecture.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "LAYERS":
            return dict(eval(ast.unparse(node.value)))
    raise LookupError("LAYERS")


def own_figures(*, run: bool = True) -> dict[str, Figure]:
    figures = measure(load(PACKAGE), own_layers())
    nailed, count = nailed_tests(ROOT / "tests")
    figures["test functions"] = (count, [])
    figures["share of tests that import 3 modules or more"] = (round(len(nailed) / count, 3), nailed)
    if run:
        figures["pure code lines"] = (sum(map(code_lines, load(PACKAGE).modules.values())), [])
        figures["files that a check of five pages runs"] = some(touched_files())
    return figures


def install_peers() -> dict[str, Path]:
    for name in PEERS:
        if not (PEER_FOLDER / name).exists():
            command = [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-deps",
                "--target",
                str(PEER_FOLDER / name),
                name,
            ]
            subprocess.run(command, check=True)
    return {name: PEER_FOLDER / name / name.replace("-", "_") for name in PEERS}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the shape of the package.")
    parser.add_argument("--list", dest="listed", default="", help="show what this figure counts")
    parser.add_argument("--peers", action="store_true", help="install other packages and measure them, too")
    parser.add_argument("--folder", type=Path, help="another package, such as a checkout of an earlier commit")
    given = parser.parse_args()
    figures = measure(load(given.folder.resolve())) if given.folder else own_figures()
    if given.listed:
        print(*figures[given.listed][1], sep="\n")
        return
    columns = {"ours": figures}
    if given.peers:
        columns |= {name: measure(load(folder)) for name, folder in install_peers().items()}
    width = max(map(len, figures))
    print(f"{'':{width}}  {'goal':>8}", *(f"{name:>16}" for name in columns))
    for name in figures:
        cells = [f"{column[name][0]:>16,}" if name in column else " " * 16 for column in columns.values()]
        goal = f"{GOALS[name]:,}" if name in GOALS else ""
        late = " !" if name in GOALS and figures[name][0] > GOALS[name] else ""
        print(f"{name:{width}}  {goal:>8}", *cells, late)


if __name__ == "__main__":
    main()
