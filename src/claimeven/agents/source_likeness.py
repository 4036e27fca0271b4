"""How alike the sources of agents are: as texts, as syntax trees without names, in passages.

The parts of a file are its functions, methods and other statements, without comments, docstrings,
imports and annotations. The names that the file defines are numbered in each part, so neither
renaming nor reordering changes a part. The code is parsed but not run.
"""

from __future__ import annotations

import ast
import warnings
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

#: Syntax nodes in a row that make a passage.
_PASSAGE = 8
#: Fields of nodes that do not change the play, and the fields with names.
_IGNORED = ("annotation", "returns", "ctx", "kind", "type_comment", "type_params", "simple")
_NAMES = ("id", "attr", "arg", "name")
#: A part: the labels of its nodes, and the numbers of the names that the file defines.
Part = tuple[tuple[str, ...], tuple[int, ...]]


@dataclass(frozen=True)
class SourceCode:
    """The lines of code with text, its parts, and all runs of `_PASSAGE` nodes in a part.

    Code that cannot be parsed has only lines.
    """

    lines: tuple[bytes, ...] = ()
    parts: frozenset[Part] = frozenset()
    passages: frozenset[tuple[str, ...]] = frozenset()

    @classmethod
    def read(cls, files: Iterable[bytes], given: SourceCode | None = None) -> SourceCode:
        """Read the contents of files as one, without the parts and passages of a template."""
        texts, given = [text.removeprefix(b"\xef\xbb\xbf") for text in files], given or cls()
        lines = tuple(line.rstrip() for text in texts for line in text.splitlines() if line.strip())
        try:
            with warnings.catch_warnings(action="ignore"):
                parts = {part for text in texts for part in _parts_of(ast.parse(text))}
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return cls(lines)
        passages = {
            labels[start : start + _PASSAGE]
            for labels, _ in parts
            for start in range(len(labels) - _PASSAGE + 1)
        }
        own = frozenset(parts - given.parts)
        return cls(lines if own else (), own, frozenset(passages - given.passages))


def group_equal(signs: Mapping[str, Hashable]) -> list[tuple[str, ...]]:
    """Return the names with equal signs, in groups of two or more; an empty sign equals no other.

    >>> group_equal({"ann": "5c1d", "bob": "07aa", "cem": "5c1d", "dee": None, "eli": None})
    [('ann', 'cem')]
    """
    groups: defaultdict[Hashable, list[str]] = defaultdict(list)
    for name, sign in signs.items():
        groups[sign].append(name)
    return [tuple(group) for sign, group in groups.items() if sign and len(group) > 1]


def _parts_of(tree: ast.Module) -> Iterator[Part]:
    own, imported = set[str | None](), dict[str, str]()
    for node in ast.walk(tree):
        is_stored = isinstance(getattr(node, "ctx", ast.Store()), ast.Store)
        if isinstance(node, ast.alias):
            imported[node.asname or node.name] = node.name
        elif is_stored and not isinstance(node, ast.keyword):
            own |= {getattr(node, name, None) for name in _NAMES}
    own -= {None, *imported}
    waiting: list[ast.stmt] = tree.body
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, ast.ClassDef):
            waiting += statement.body
            statement.body = []
        if not _is_silent(statement):
            yield _part_of(statement, own, imported)


def _part_of(part: ast.stmt, own: set[str | None], imported: Mapping[str, str]) -> Part:
    labels, numbers, known = list[str](), list[int](), dict[str, int]()
    waiting: list[ast.AST] = [part]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            node = ast.Assign([node.target], node.value)
        label, inner = [type(node).__name__], list[ast.AST]()
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                nodes = [each for each in value if not _is_silent(each)]
                label.append(str(len(nodes)))
                inner += nodes
            elif name in _NAMES and value in own:
                numbers.append(known.setdefault(value, len(known)))
            elif isinstance(value, ast.AST):
                inner += [value] * (name not in _IGNORED)
            elif name not in _IGNORED:
                label.append(repr(imported.get(value, value) if name in _NAMES else value))
        labels.append(" ".join(label))
        waiting += reversed(inner)
    return tuple(labels), tuple(numbers)


def _is_silent(node: object) -> bool:
    """Whether an entry of a list does nothing: a docstring, an import, a name."""
    if isinstance(node, (ast.Expr, ast.AnnAssign)):
        value = node.value
        return value is None or (isinstance(value, ast.Constant) and isinstance(value.value, str))
    return isinstance(node, (ast.Import, ast.ImportFrom, ast.Pass)) or not isinstance(node, ast.AST)
