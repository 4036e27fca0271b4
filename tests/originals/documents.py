"""The code inside the document of an original, run from there: no part of it is stored here.

A document is a notebook printed as text (cells start with a line such as `In [7]:`) or a report
with listings between fences. A cell runs on into its printed output, so the code of a cell is its
longest start that is Python.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

Namespace = dict[str, Any]
Mend = Callable[[ast.Module], None]

_CELL = re.compile(r"(?m)^In \[[ \d]*\]:[ \t]*$")
_FENCED = re.compile(r"(?ms)^```\n(.*?)^```$")
_NUMBERED_LINE = re.compile(r"(?m)^\d+ ?")
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef)

#: Syntax of Python 2 in the documents.
_OLD_PYTHON = (
    (re.compile(r"(?m)^(\s*(?:if .*:|else:)?\s*)print +(.*)$"), r"\1print(\2)"),
    (re.compile(r"\bxrange\b"), "range"),
    (re.compile(r"\bimport Queue\b"), "import queue as Queue"),
    (re.compile(r"([\w.]+)\.(keys|values)\(\)"), r"list(\1.\2())"),
)


class Document:
    """The text of an original and the code found in it."""

    def __init__(self, path: Path) -> None:
        self.text = path.read_text(encoding="utf-8")

    def cells(self) -> list[str]:
        """Cells of a notebook, each with its output."""
        return _CELL.split(self.text)[1:]

    def listings(self) -> list[str]:
        """Listings of a report, without the line numbers some of them have."""
        return [_NUMBERED_LINE.sub("", listing) for listing in _FENCED.findall(self.text)]

    def code(self, names: Iterable[str], old_python: bool = False) -> ast.Module:
        """Return the definitions of these functions, classes and constants, as one module.

        Of a name with two definitions the last one counts. Raises `LookupError` for a name
        that is nowhere defined.
        """
        wanted = set(names)
        found: dict[str, ast.stmt] = {}
        for cell in self.cells():
            for statement in beginning(modern(cell) if old_python else cell).body:
                for name in defined_names(statement):
                    if name in wanted:
                        found[name] = statement
        if missing := wanted - set(found):
            raise LookupError(f"the document does not define {', '.join(sorted(missing))}")
        statements = sorted(set(found.values()), key=list(found.values()).index)
        return ast.Module(list(statements), type_ignores=[])


def modern(source: str) -> str:
    """Write the Python 2 of a document as Python 3."""
    for old, new in _OLD_PYTHON:
        source = old.sub(new, source)
    return source


def beginning(source: str) -> ast.Module:
    """Return the longest start of a text, in whole lines, that is Python."""
    lines = source.splitlines()
    for end in range(len(lines), 0, -1):
        try:
            return ast.parse("\n".join(lines[:end]))
        except SyntaxError:
            continue
    return ast.Module([], type_ignores=[])


def defined_names(statement: ast.stmt) -> Iterator[str]:
    """Names that a statement defines."""
    if isinstance(statement, _DEFINITIONS):
        yield statement.name
    elif isinstance(statement, ast.Assign):
        yield from (target.id for target in statement.targets if isinstance(target, ast.Name))


def run(module: ast.Module, given: Namespace, *mends: Mend) -> Namespace:
    """Run code next to the names given, mended first; returns its names.

    Type hints are dropped, so that they need no names.
    """
    module = ast.parse(ast.unparse(module))  # a copy, which the mends may change
    for mend in mends:
        mend(module)
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
    namespace = dict(given)
    exec(compile(ast.fix_missing_locations(module), "<original>", "exec"), namespace)
    return namespace


# --- mending -------------------------------------------------------------------------------------


class _Replacer(ast.NodeTransformer):
    def __init__(self, change: Callable[[ast.AST], ast.AST | None]) -> None:
        self.change = change
        self.changes = 0

    def visit(self, node: ast.AST) -> Any:
        changed = self.change(node)
        if changed is None:
            return self.generic_visit(node)
        self.changes += 1
        return changed


def mend(where: str, change: Callable[[ast.AST], ast.AST | None], times: int = 1) -> Mend:
    """Return a mend of the function (`name`) or method (`Class.name`) called `where`.

    `change` returns the replacement of a node, None to leave it as it is. The mend raises
    `LookupError` unless it changes `times` nodes, so that it cannot miss unseen.
    """

    def apply(module: ast.Module) -> None:
        replacer = _Replacer(change)
        body = module.body
        for name in where.split("."):
            (node,) = (n for n in body if isinstance(n, _DEFINITIONS) and n.name == name)
            body = node.body
        replacer.generic_visit(node)
        if replacer.changes != times:
            raise LookupError(f"a mend of {where} found {replacer.changes} places, not {times}")

    return apply


def expression(source: str) -> ast.expr:
    """Return an expression for a mended place."""
    return ast.parse(source, mode="eval").body
