"""Source files as trees, each parsed once in a process; a test that reads the whole package says `ONE_PROCESS`."""

import ast
import gc
from functools import cache

import pytest

ONE_PROCESS = pytest.mark.xdist_group("sources")
"""Tests with it run in one process."""


@cache
def parse(text: str) -> ast.Module:
    """The collector would look at all trees before, again and again: there is no cycle in them."""
    gc.disable()
    try:
        return ast.parse(text)
    finally:
        gc.enable()


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree))
