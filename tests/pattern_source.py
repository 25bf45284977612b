"""Every pattern of the package, found in its source, and hostile strings that are made of a pattern's own syntax."""

import ast
import importlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from sources import nodes, parse

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "sitemap_action"
SEARCHING = ("search", "split", "findall", "finditer", "sub", "subn")
ANCHORED = ("match", "fullmatch")
LAZY = "lazy_re"  # what compiles at the first use; its own call of `re.compile` has no pattern
Texts = dict[str, str]  # by the name of the module
_MAY_HAVE = re.compile(rf"\b(?:re|{LAZY})\b")
_METHOD = re.compile(rf"(?<![\w.])(\w+)\.({'|'.join((*SEARCHING, *ANCHORED))})\b")
_ODD = ("\0", "!", " ", "x", "é", "7", "<", "\n", "/", '"')  # one of them is outside of a class


class _Word(str):
    """What stands for a value that is known when the program runs."""

    __slots__ = ()

    def __getattr__(self, name: str) -> "_Word":
        return self


_WORD = _Word("word")


@dataclass(frozen=True)
class Pattern:
    place: str  # file:line
    text: str | bytes
    flags: int
    methods: frozenset[str]

    @cached_property
    def compiled(self) -> re.Pattern[Any]:
        return re.compile(self.text, self.flags)  # type: ignore[arg-type]


def patterns(folder: Path = PACKAGE, package: str = "sitemap_action") -> Iterator[Pattern]:
    """Raises ValueError for one that cannot be told from the source: it would escape."""
    files = sorted(folder.rglob("*.py"))
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    public = _uses(texts.values())
    named = {_module_name(path, folder, package): text for path, text in texts.items()}
    for path, text in texts.items():
        if path.stem == LAZY or not _MAY_HAVE.search(text):
            continue
        used = public | {name: methods for name, methods in _uses([text]).items() if name.startswith("_")}
        yield from _of_module(_module_name(path, folder, package), f"{path.relative_to(folder.parent)}", named, used)


@cache
def _functions_around(tree: ast.Module) -> dict[ast.AST, list[ast.FunctionDef]]:
    """Node → the functions that it is in."""
    found: dict[ast.AST, list[ast.FunctionDef]] = {}
    for function in nodes(tree):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                found.setdefault(node, []).append(function)
    return found


def _module_name(path: Path, folder: Path, package: str) -> str:
    return ".".join([package, *path.relative_to(folder).with_suffix("").parts]).removesuffix(".__init__")


def _uses(texts: Iterable[str]) -> dict[str, set[str]]:
    """Name → methods that are asked of it; a name may be imported."""
    found: dict[str, set[str]] = {}
    for text in texts:
        for name, method in _METHOD.findall(text):
            found.setdefault(name, set()).add(method)
    return found


def _of_module(module: str, file: str, texts: Texts, used: dict[str, set[str]]) -> Iterator[Pattern]:
    tree = parse(texts[module])
    names, asked = {}, {}
    for node in nodes(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names[node.value] = node.targets[0].id
        if isinstance(node, ast.Attribute):
            asked[node.value] = node.attr
    for node in nodes(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "re":
            raise ValueError(f"{file}:{node.lineno}: write lazy_re or re.compile, so that the pattern is found")
        if not isinstance(node, ast.Call) or (name := _asked_of_re(node)) not in ("compile", *SEARCHING, *ANCHORED):
            continue
        methods = {name} if name != "compile" else {asked.get(node, "")} | used.get(names.get(node, ""), set())
        known = frozenset(methods) & {*SEARCHING, *ANCHORED} or frozenset({"search"})
        place = f"{file}:{node.lineno}"
        for where, given in _sources(node.args[0], node, module, texts):
            for text in _values(given, where, place):
                yield Pattern(place, text, _flags(node, module), known)


def _asked_of_re(call: ast.Call) -> str:
    if isinstance(call.func, ast.Name) and call.func.id == LAZY:
        return "compile"
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return call.func.attr if isinstance(owner, ast.Name) and owner.id == "re" else ""  # type: ignore[attr-defined]


class _Known(dict[str, Any]):
    def __init__(self, module: str) -> None:
        super().__init__()
        self.module = vars(importlib.import_module(module))

    def __missing__(self, name: str) -> Any:
        if name in self.module or name in __builtins__:  # type: ignore[operator]
            raise KeyError(name)
        return _WORD


def _sources(given: ast.expr, call: ast.Call, module: str, texts: Texts) -> Iterator[tuple[str, ast.expr]]:
    """Where a pattern is written: there, in the calls of the function that has it as a parameter, or in a table.

    A row of a table is written as the column of a comprehension or loop over it.
    """
    tree = parse(texts[module])
    inside = _functions_around(tree).get(call, [])
    parameters = {one.arg for node in inside for one in (*node.args.posonlyargs, *node.args.args)}
    known = isinstance(given, ast.Name) and hasattr(importlib.import_module(module), given.id)
    if not isinstance(given, ast.Name) or (known and given.id not in parameters):
        yield module, given
        return
    for node in nodes(tree):
        if isinstance(node, ast.FunctionDef) and node in inside:
            names = [one.arg for one in (*node.args.posonlyargs, *node.args.args) if one.arg != "self"]
            if given.id in names:
                for where, other in texts.items():
                    for one in nodes(parse(other)) if node.name in other else ():
                        if isinstance(one, ast.Call) and _called(one) == node.name:
                            yield from _sources(_argument(one, given.id, names.index(given.id)), one, where, texts)
        if isinstance(node, ast.comprehension | ast.For) and given.id in (names := _targets(node.target)):
            code = ast.unparse(node.iter)
            column = f"[row[{names.index(given.id)}] for row in {code}]" if len(names) > 1 else f"[*({code})]"
            for number in range(_length(code, module)):
                yield module, ast.parse(f"{column}[{number}]", mode="eval").body


def _length(code: str, module: str) -> int:
    try:
        found = eval(code, vars(importlib.import_module(module)))
    except (NameError, AttributeError, TypeError):
        return 0
    return 0 if isinstance(found, str) else len(tuple(found))


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _argument(call: ast.Call, name: str, place: int) -> ast.expr:
    named = [word.value for word in call.keywords if word.arg == name]
    return named[0] if named else call.args[place]


def _targets(node: ast.expr) -> list[str]:
    return [one.id for one in (node.elts if isinstance(node, ast.Tuple) else [node]) if isinstance(one, ast.Name)]


def _values(node: ast.expr, module: str, place: str) -> list[str | bytes]:
    known = _Known(module)
    table = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
    given = node.value if table else node  # of a table every row may be asked for
    try:
        found = eval(compile(ast.Expression(given), place, "eval"), known.module, known)
    except Exception as error:
        raise ValueError(f"{place}: the pattern cannot be told: {error}") from error
    if isinstance(found, re.Pattern):
        return []  # it is compiled elsewhere
    rows = [*found.values()] if isinstance(found, dict) and table else [found]
    if not all(isinstance(row, str | bytes) for row in rows) or (isinstance(node, ast.Name) and found is _WORD):
        raise ValueError(f"{place}: the pattern cannot be told from {ast.unparse(node)}")
    return rows


def _flags(call: ast.Call, module: str) -> int:
    methods = {"compile": 1, "match": 2, "fullmatch": 2, "search": 2, "findall": 2, "finditer": 2, "split": 3, "sub": 4}
    place = methods.get(_asked_of_re(call), 9)
    given = [word.value for word in call.keywords if word.arg == "flags"] + call.args[place : place + 1]
    known = _Known(module)
    return int(eval(compile(ast.Expression(given[0]), module, "eval"), known.module, known)) if given else 0


def hostile(pattern: Pattern, size: int) -> Iterator[Any]:
    """Strings of about this size: what may be repeated, after what comes before it, whole and nearly so."""
    tree = parser.parse(pattern.text, pattern.flags)
    seen = set()
    for prefix, unit, suffix in _attacks(tree):
        if unit and (prefix, unit, suffix) not in seen:
            seen.add((prefix, unit, suffix))
            text = prefix + unit * (size // len(unit)) + suffix
            yield text.encode("latin-1", "replace") if isinstance(pattern.text, bytes) else text


def _attacks(tree: Any) -> Iterator[tuple[str, str, str]]:
    whole = _example(tree)
    units = {whole, whole[:-1], whole[1:]}
    for prefix, body, after in _repeats(tree, "", ""):
        bodies = [text for text in dict.fromkeys((_example(body), *_letters(body))) if text][:5]
        for text in bodies:
            for end in ("\0", after[:1]):
                yield prefix, text, end
            yield "", text, "\0"
            units |= {prefix + text, prefix}
        for first, second in combinations(bodies[:3], 2):
            yield prefix, first + second, "\0"
    for unit in sorted(units):
        yield "", unit, "\0"
        yield "", f"{unit} ", ""
    for letter in _letters(tree)[:8]:
        yield whole[:-1], letter, "\0"


def _repeats(tree: Any, prefix: str, after: str) -> Iterator[tuple[str, Any, str]]:
    """(example of what comes before, what may be repeated, example of what follows), all the way down."""
    items = list(tree)
    for number, (code, given) in enumerate(items):
        here = prefix + "".join(map(_one, items[:number]))
        rest = "".join(map(_one, items[number + 1 :])) + after
        if code in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            if given[1] > 20:
                yield here, given[2], rest
            yield from _repeats(given[2], here, rest)
        elif code is sre.SUBPATTERN:
            yield from _repeats(given[3], here, rest)
        elif code in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _repeats(given[1], here, rest)
        elif code is sre.ATOMIC_GROUP:
            yield from _repeats(given, here, rest)
        elif code is sre.BRANCH:
            for branch in given[1]:
                yield from _repeats(branch, here, rest)


def _example(tree: Any) -> str:
    return "".join(map(_one, tree))


def _one(item: Any) -> str:
    """A short text that matches a part."""
    code, given = item
    if code in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        return _example(given[2]) * max(1, min(given[0], 30))
    if code is sre.SUBPATTERN:
        return _example(given[3])
    if code is sre.ATOMIC_GROUP:
        return _example(given)
    if code is sre.BRANCH:
        return _example(given[1][0])
    letters = _of_part(item)
    return letters[0] if letters else ""


def _letters(tree: Any) -> list[str]:
    """Representatives of every class, and every literal, below."""
    found: dict[str, None] = {}

    def walk(items: Any) -> None:
        for item in items:
            found.update(dict.fromkeys(_of_part(item)))
            for inner in item[1] if isinstance(item[1], tuple) else (item[1],):
                if isinstance(inner, parser.SubPattern):
                    walk(inner)
                elif isinstance(inner, list):
                    for one in inner:
                        if isinstance(one, parser.SubPattern):
                            walk(one)

    walk(tree)
    return list(found)


def _of_part(item: Any) -> list[str]:
    code, given = item
    if code is sre.LITERAL:
        return [chr(given)]
    if code is sre.NOT_LITERAL:
        return [next(odd for odd in _ODD[1:] if odd != chr(given))]
    if code is sre.ANY:
        return ["x", "/"]
    if code is sre.IN:
        return _of_class(given)
    return []


_CATEGORIES = {
    sre.CATEGORY_SPACE: " \n",
    sre.CATEGORY_WORD: "a",
    sre.CATEGORY_DIGIT: "7",
    sre.CATEGORY_NOT_SPACE: "x",
    sre.CATEGORY_NOT_WORD: "-",
    sre.CATEGORY_NOT_DIGIT: "x",
}


def _of_class(parts: Any) -> list[str]:
    if parts[0][0] is sre.NEGATE:
        inside = re.compile(f"[{''.join(map(_written, parts[1:]))}]")
        return [odd for odd in _ODD[1:] if not inside.match(odd)][:3]
    found = []
    for code, given in parts:
        if code is sre.LITERAL:
            found.append(chr(given))
        elif code is sre.RANGE:
            found.append(chr(given[0]))
        elif code is sre.CATEGORY:
            found += _CATEGORIES[given]
    return found


def _written(part: Any) -> str:
    code, given = part
    if code is sre.LITERAL:
        return re.escape(chr(given))
    if code is sre.RANGE:
        return f"{re.escape(chr(given[0]))}-{re.escape(chr(given[1]))}"
    return {
        sre.CATEGORY_SPACE: r"\s",
        sre.CATEGORY_WORD: r"\w",
        sre.CATEGORY_DIGIT: r"\d",
        sre.CATEGORY_NOT_SPACE: r"\S",
        sre.CATEGORY_NOT_WORD: r"\W",
        sre.CATEGORY_NOT_DIGIT: r"\D",
    }[given]
