"""Puts a submission to Kaggle ConnectX together: one file, from the modules in `template`.

Kaggle's loader wants imports first, and the agent as the last callable.
"""

from __future__ import annotations

import ast
import base64
import shlex
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from claimeven import __version__
from claimeven.adapters.kaggle import template
from claimeven.adapters.kaggle.builders import NET_PARTS, Recipe, recipe_of
from claimeven.agents.sanitize import printable
from claimeven.atomic_io import write_text
from claimeven.networks import net

#: Characters of a line of the file.
WIDTH: Final = 100
#: Characters of packed bytes on a line.
PACKED: Final = WIDTH - 6
#: The import of NumPy, as a pair of `Section.imports`.
_NUMPY: Final = ("numpy", "")
#: The most characters that one is escaped with.
_ESCAPE: Final = len("\\U0010ffff")


@dataclass(frozen=True)
class Section:
    """A module as a part of a file: its docstring, its imports, and the rest.

    `imports` are pairs of a module and a name, "" for a module imported whole.
    """

    words: str
    imports: frozenset[tuple[str, str]]
    body: str


def export_submission(spec: str, path: str | Path, seed: int = 0) -> int:
    """Write the submission of a spec to a file; return the bytes written.

    Raises `InvalidSpec` for an agent that cannot be exported, `CannotWrite` for the file.
    """
    text = submission(spec, seed)
    write_text(path, text)
    return len(text.encode())


def submission(spec: str, seed: int = 0) -> str:
    """Return the text of the submission of a spec: a Python file that does not import claimeven.

    The same spec and seed give the same text. Raises `InvalidSpec` for other agents.

    >>> submission("alphabeta:depth=4").splitlines()[0]
    '\"\"\"A submission to Kaggle ConnectX: alphabeta:depth=4'
    """
    spec = spec.strip()
    recipe = recipe_of(spec, seed)
    sections = [read_section(name) for name in recipe.parts]
    asked = shlex.quote(spec) if not seed else f"{shlex.quote(spec)} --seed {seed}"
    needs_numpy = any(_NUMPY in section.imports for section in sections)
    needed = "Python 3.10 and NumPy" if needs_numpy else "Python 3.10"
    pieces = [
        f'"""A submission to Kaggle ConnectX: {_in_docstring(spec)}\n\n'
        f"Made by claimeven {__version__}:\n\n"
        f"    claimeven export {_in_docstring(asked)} -o main.py\n\n"
        f"It needs only {needed} and plays on any board. MIT license.\n"
        '"""\n',
        "from __future__ import annotations\n",
        _imports(sections, recipe),
        *(
            f"{_heading(name, section)}\n\n{section.body}\n"
            for name, section in zip(recipe.parts, sections, strict=True)
        ),
        _ending(recipe),
    ]
    return "\n".join(pieces)


def _in_docstring(text: str) -> str:
    """Return any text as it is written between three quotes, in one line."""
    # A path need not be UTF-8, as the file is; however long it is, it is shown whole.
    shown = printable(text, _ESCAPE * len(text))
    return shown.replace("\\", "\\\\").replace('"', '\\"')


@cache
def read_section(name: str) -> Section:
    """Return a module of `template`, or of nets, as a section without imports of other parts."""
    home = net if name in NET_PARTS else template
    source = resources.files(home).joinpath(f"{name}.py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    nodes = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    imports = {
        (node.module or "", alias.name) if isinstance(node, ast.ImportFrom) else (alias.name, "")
        for node in nodes
        for alias in node.names
    }
    others = ("__future__", template.__name__, net.__name__)
    own = {pair for pair in imports if not pair[0].startswith(others)}
    body = "\n".join(source.splitlines()[nodes[-1].end_lineno :]).strip("\n")
    return Section(ast.get_docstring(tree) or "", frozenset(own), body)


def _imports(sections: list[Section], recipe: Recipe) -> str:
    pairs = {pair for section in sections for pair in section.imports}
    pairs |= {("base64", "")} if recipe.packed else set()
    needs_numpy = _NUMPY in pairs
    lines = [f"import {m}" for m, name in sorted(pairs - {_NUMPY}) if not name]
    for module in sorted({module for module, name in pairs if name}):
        names = ", ".join(sorted(name for m, name in pairs if m == module and name))
        lines.append(f"from {module} import {names}")
    if needs_numpy:
        lines += [
            "",
            "try:",
            "    import numpy as np",
            "except ImportError:",
            '    raise ImportError("this submission needs NumPy, which Kaggle has:'
            ' pip install numpy") from None',
        ]
    return "\n".join(lines) + "\n"


def _heading(name: str, section: Section) -> str:
    rule = f"# -- {name} "
    words = [f"# {line}".rstrip() for line in section.words.splitlines()]
    return "\n".join(["", rule + "-" * (WIDTH - len(rule)), "#", *words])


def _ending(recipe: Recipe) -> str:
    """Return the end of the file: packed bytes, the making of a player, and the agent."""
    rule = "# -- the agent "
    lines = ["", rule + "-" * (WIDTH - len(rule)), ""]
    if recipe.packed is not None:
        name, words, content = recipe.packed
        text = base64.b64encode(content).decode("ascii")
        lines += [
            f"#: The {words}, packed (see above).",
            f"{name} = base64.b64decode(",
            *(f'    "{text[i : i + PACKED]}"' for i in range(0, len(text), PACKED)),
            ")",
            "",
        ]
    return (
        "\n".join(lines)
        + f'''

def make_player(board):
    """Return what chooses the columns on a board; its options can be changed here."""
    return {recipe.maker}


SUBMISSION = Submission(make_player)


def agent(observation, configuration):
    """Return the column to play, as Kaggle asks for it."""
    return SUBMISSION.answer(observation, configuration)
'''
    )
