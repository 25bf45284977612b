"""Random mutants of some folders of the package, and which of them tests notice.

    .venv/bin/python benchmarks/mutants.py --count 60 --seed 1 sitemap_action/decide sitemap_action/walk -- \
        tests/test_cases.py tests/decide tests/walk tests/test_net.py

Each mutant changes one place of one file in a copy of the tree: a comparison, `and` or `or`, a number, a condition, a
statement that goes, a `return` of None. Tests are asked in the order they are given, each in a run of its own, until
one fails or takes too long: cheap ones first. `--tree` names another checkout, whose `.venv` is used: two versions
are compared with one seed.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

SWAPS = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add,
}  # fmt: skip
NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "node_modules")


class Mutation(NamedTuple):
    line: int
    kind: str
    apply: Callable[[], None]  # to the tree that it was found in


class Mutant(NamedTuple):
    file: str
    number: int  # of the file's mutations


def find_mutations(tree: ast.Module) -> list[Mutation]:
    return [found for node in walk_code(tree) for found in (*change_expression(node), *drop_statements(node))]


def walk_code(node: ast.AST) -> Iterator[ast.AST]:
    """Every node but annotations, decorators, and options of a class."""
    yield node
    for name, value in ast.iter_fields(node):
        if name not in {"annotation", "returns", "decorator_list", "keywords" * isinstance(node, ast.ClassDef)}:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from walk_code(child)


def change_expression(node: ast.AST) -> Iterator[Mutation]:
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in SWAPS:
            yield change(node, "comparison", "ops", [SWAPS[type(operator)]()])
        case ast.BoolOp(op=operator) | ast.BinOp(op=operator) if type(operator) in SWAPS:
            yield change(node, "operator", "op", SWAPS[type(operator)]())
        case ast.Constant(value=bool(value)):
            yield change(node, "constant", "value", not value)
        case ast.Constant(value=int(value)):
            yield change(node, "constant +1", "value", value + 1)
            yield change(node, "constant -1", "value", value - 1)
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            yield change(node, "condition negated", "test", ast.UnaryOp(ast.Not(), test))
        case ast.comprehension(ifs=[_, *_]):
            yield Mutation(node.ifs[0].lineno, "condition dropped", node.ifs.clear)
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield change(node, "return None", "value", None)


def drop_statements(node: ast.AST) -> Iterator[Mutation]:
    for body in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
        for index, statement in enumerate(body if isinstance(body, list) else ()):
            match statement:
                case ast.Expr(value=ast.Call() | ast.Await()) | ast.AugAssign() | ast.Continue() | ast.Break():
                    drop = partial(body.__setitem__, index, ast.Pass())
                    yield Mutation(statement.lineno, "statement dropped", drop)


def change(node: ast.AST, kind: str, field: str, value: object) -> Mutation:
    return Mutation(node.lineno, kind, lambda: setattr(node, field, value))  # type: ignore[attr-defined]


def choose(tree: Path, folders: list[str], count: int, seed: int) -> list[Mutant]:
    files = sorted(path for folder in folders for path in (tree / folder).rglob("*.py"))
    found = [(path, len(find_mutations(ast.parse(path.read_text(encoding="utf-8"))))) for path in files]
    every = [Mutant(path.relative_to(tree).as_posix(), number) for path, many in found for number in range(many)]
    return sorted(random.Random(seed).sample(every, min(count, len(every))))


class Bench:
    """Copies of the tree, one for each mutant that is looked at."""

    def __init__(self, tree: Path, tests: list[str], timeout: float) -> None:
        self.tree, self.tests, self.timeout = tree, tests, timeout
        self.copies: SimpleQueue[Path] = SimpleQueue()

    def judge(self, mutant: Mutant | None) -> tuple[str, str, str]:
        """Where, what, and which tests noticed: "" for none."""
        copy = self.copies.get()
        try:
            if mutant is None:
                return "", "unchanged", self.noticed(copy)
            return self.judge_in(copy, mutant)
        finally:
            self.copies.put(copy)

    def judge_in(self, copy: Path, mutant: Mutant) -> tuple[str, str, str]:
        file, original = copy / mutant.file, (self.tree / mutant.file).read_text(encoding="utf-8")
        tree = ast.parse(original)
        mutation = find_mutations(tree)[mutant.number]
        line = original.splitlines()[mutation.line - 1].strip()
        mutation.apply()
        try:
            self.write(file, ast.unparse(ast.fix_missing_locations(tree)))
            noticed = self.noticed(copy)
        finally:
            self.write(file, original)
        return f"{mutant.file}:{mutation.line}", f"{mutation.kind}: {line[:70]}", noticed

    def write(self, file: Path, text: str) -> None:
        """With a time that no version before had: bytecode goes by seconds."""
        later = file.stat().st_mtime + 10
        file.write_text(text, encoding="utf-8")
        os.utime(file, (later, later))

    def noticed(self, copy: Path) -> str:
        python = self.tree / ".venv/bin/python"
        for test in self.tests:
            command = [str(python), "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *test.split()]
            environment = os.environ | {"PYTHONPATH": str(copy)}
            run = partial(subprocess.run, cwd=copy, env=environment, capture_output=True, check=False)
            try:
                done = run(command, timeout=self.timeout)
            except subprocess.TimeoutExpired:
                return f"{test} (time)"
            if done.returncode:
                return test
        return ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tree", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=300, help="seconds of one run of tests")
    parser.add_argument("folders", nargs="+")
    own, tests = sys.argv[1:], ["tests/test_cases.py"]
    if "--" in own:
        own, tests = own[: own.index("--")], own[own.index("--") + 1 :]
    asked = parser.parse_args(own)
    bench = Bench(asked.tree.resolve(), tests, asked.timeout)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.jobs) as pool:
        for number in range(asked.jobs):
            bench.copies.put(shutil.copytree(bench.tree, Path(folder, str(number)), ignore=NOT_COPIED, symlinks=True))
        if failed := bench.judge(None)[2]:
            sys.exit(f"without a mutant {failed} fails")
        killed = 0
        mutants = choose(bench.tree, asked.folders, asked.count, asked.seed)
        for where, what, noticed in pool.map(bench.judge, mutants):
            killed += bool(noticed)
            print(f"{'killed  ' if noticed else 'SURVIVED'}  {where:50}  {what:95}  {noticed}", flush=True)
    print(f"{killed} of {len(mutants)} killed ({killed / len(mutants):.0%})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
