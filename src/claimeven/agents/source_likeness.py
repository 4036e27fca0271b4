"""How alike the sources of agents are: as texts, as syntax trees without names, in passages.

The parts of a file are its functions, methods and other statements. Comments, docstrings, imports
and annotations are left out. The names that the file defines are numbered in each part, so neither
renaming nor reordering changes a part. The code is parsed but not run.
"""

from __future__ import annotations

import ast
import warnings
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

#: Syntax nodes in a row that make a passage.
_PASSAGE = 8
#: Fields of nodes without a meaning for the play, and the fields with names.
_IGNORED = ("annotation", "returns", "ctx", "kind", "type_comment", "type_params", "simple")
_NAMES = ("id", "attr", "arg", "name")
#: A part: the labels of its nodes, and the numbers of the names that the file defines.
Part = tuple[tuple[str, ...], tuple[int, ...]]


@dataclass(frozen=True)
class SourceCode:
    """Python code: text without line ends, parts, and all runs of `_PASSAGE` nodes in a part.

    Code that cannot be parsed has only a text.
    """

    text: bytes
    parts: Counter[Part]
    passages: frozenset[tuple[str, ...]]

    @classmethod
    def read(cls, files: Iterable[bytes], given: SourceCode | None = None) -> SourceCode:
        """Read the contents of files as one, without the parts and passages of a template."""
        texts = [content.removeprefix(b"\xef\xbb\xbf") for content in files]
        lines = (line.rstrip() for text in texts for line in text.splitlines())
        text, parts = b"\n".join(filter(None, lines)), Counter[Part]()
        try:
            with warnings.catch_warnings(action="ignore"):
                parts.update(part for each in texts for part in _parts_of(ast.parse(each)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            parts.clear()
        passages = frozenset(
            labels[start : start + _PASSAGE]
            for labels, _ in parts
            for start in range(len(labels) - _PASSAGE + 1)
        )
        if given is None:
            return cls(text, parts, passages)
        own = Counter({part: count for part, count in parts.items() if part not in given.parts})
        return cls(text if own or not parts else b"", own, passages - given.passages)

    @property
    def nodes(self) -> int:
        """Number of syntax nodes."""
        return sum(len(labels) * count for (labels, _), count in self.parts.items())


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
        if isinstance(node, ast.alias):
            imported[node.asname or node.name] = node.name
        elif isinstance(getattr(node, "ctx", ast.Store()), ast.Store) and not isinstance(
            node, ast.keyword
        ):
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
            if name in _IGNORED:
                continue
            if isinstance(value, list):
                nodes = [each for each in value if not _is_silent(each)]
                label.append(str(len(nodes)))
                inner += nodes
            elif isinstance(value, ast.AST):
                inner.append(value)
            elif name in _NAMES and value in own:
                numbers.append(known.setdefault(value, len(known)))
            else:
                label.append(str(imported.get(value, value)) if name in _NAMES else repr(value))
        labels.append(" ".join(label))
        waiting += reversed(inner)
    return tuple(labels), tuple(numbers)


def _is_silent(node: object) -> bool:
    """Whether an entry of a list does nothing: a docstring, an import, a name."""
    if isinstance(node, (ast.Expr, ast.AnnAssign)):
        value = node.value
        return value is None or (isinstance(value, ast.Constant) and isinstance(value.value, str))
    return isinstance(node, (ast.Import, ast.ImportFrom, ast.Pass)) or not isinstance(node, ast.AST)
