"""Puts a submission to Kaggle ConnectX together: one file, from the modules in `parts`.

The order is what Kaggle's loader wants: imports first, and the agent as the last callable.
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
from claimeven.adapters.kaggle.builders import Recipe, recipe_of
from claimeven.agents.sanitize import printable
from claimeven.atomic_io import write_text

#: Characters of a line of the file.
WIDTH: Final = 100
#: Characters of packed bytes on a line.
PACKED: Final = WIDTH - 6
#: Packages that parts import, each under its usual name, and what they are called.
PACKAGES: Final = {"numpy": ("np", "NumPy")}
#: The most characters that one is escaped with.
_ESCAPE: Final = len("\\U0010ffff")


@dataclass(frozen=True)
class Section:
    """A module as it goes into a file: what it says of itself, what it imports, and the rest.

    `imports` hold a module for each name, "" for a module imported whole.
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
    """Return the text of the submission of a spec: a Python file that needs nothing of ours.

    The same spec and seed give the same text. Raises `InvalidSpec` for an agent that cannot be
    exported.

    >>> submission("alphabeta:depth=4").splitlines()[0]
    '\"\"\"A submission to Kaggle ConnectX: alphabeta:depth=4'
    """
    spec = spec.strip()
    recipe = recipe_of(spec, seed)
    sections = [read_section(name) for name in recipe.parts]
    asked = shlex.quote(spec) if not seed else f"{shlex.quote(spec)} --seed {seed}"
    needed = ["Python 3.10", *(words for _, words in _packages(sections).values())]
    pieces = [
        f'"""A submission to Kaggle ConnectX: {_in_docstring(spec)}\n\n'
        f"Made by claimeven {__version__}:\n\n"
        f"    claimeven export {_in_docstring(asked)} -o main.py\n\n"
        f"It needs nothing but {' and '.join(needed)} and plays on any board. MIT licence.\n"
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
    """Return a text as it stands within three quotes, in one line, whatever is in it."""
    # A path need not be UTF-8, as the file is; however long it is, it is told whole.
    shown = printable(text, _ESCAPE * len(text))
    return shown.replace("\\", "\\\\").replace('"', '\\"')


@cache
def read_section(name: str) -> Section:
    """Return a module of `parts` as a section; its imports of other parts fall away."""
    source = resources.files(template).joinpath(f"{name}.py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    imports, last = set(), tree.body[0]
    for node in tree.body:
        if isinstance(node, ast.Import):
            imports |= {(alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module != "__future__" and not module.startswith(template.__name__):
                imports |= {(module, alias.name) for alias in node.names}
        else:
            continue
        last = node
    body = "\n".join(source.splitlines()[last.end_lineno :]).strip("\n")
    return Section(ast.get_docstring(tree) or "", frozenset(imports), body)


def _imports(sections: list[Section], recipe: Recipe) -> str:
    names: dict[str, set[str]] = {"base64": {""}} if recipe.packed else {}
    for section in sections:
        for module, name in section.imports:
            names.setdefault(module, set()).add(name)
    packages = _packages(sections)
    whole = sorted(module for module in names if "" in names[module])
    lines = [f"import {module}" for module in whole if module not in packages]
    for module in sorted(names):
        taken = sorted(names[module] - {""})
        if taken:
            lines.append(f"from {module} import {', '.join(taken)}")
    for module, (usual, words) in packages.items():
        told = f"this submission needs {words}, which Kaggle has: pip install {module}"
        lines += [
            "",
            "try:",
            f"    import {module} as {usual}",
            "except ImportError:",
            f'    raise ImportError("{told}") from None',
        ]
    return "\n".join(lines) + "\n"


def _packages(sections: list[Section]) -> dict[str, tuple[str, str]]:
    """Return which of `PACKAGES` the sections import."""
    taken = {module for section in sections for module, _ in section.imports}
    return {module: known for module, known in PACKAGES.items() if module in taken}


def _heading(name: str, section: Section) -> str:
    rule = f"# -- {name} "
    words = [f"# {line}".rstrip() for line in section.words.splitlines()]
    return "\n".join(["", rule + "-" * (WIDTH - len(rule)), "#", *words])


def _ending(recipe: Recipe) -> str:
    """Return the end of the file: packed bytes, what makes a player, and the agent, last of all."""
    rule = "# -- the agent "
    lines = ["", rule + "-" * (WIDTH - len(rule)), ""]
    if recipe.packed is not None:
        text = base64.b64encode(recipe.packed.content).decode("ascii")
        lines += [
            f"#: {recipe.packed.words}",
            f"{recipe.packed.name} = base64.b64decode(",
            *(f'    "{text[i : i + PACKED]}"' for i in range(0, len(text), PACKED)),
            ")",
            "",
        ]
    lines += [
        "",
        "def make_player(board):",
        '    """Return what chooses the columns on a board; its options can be changed here."""',
        f"    return {recipe.maker}",
        "",
        "",
        "SUBMISSION = Submission(make_player)",
        "",
        "",
        "def agent(observation, configuration):",
        '    """Return the column to play, as Kaggle asks for it."""',
        "    return SUBMISSION.answer(observation, configuration)",
        "",
    ]
    return "\n".join(lines)
