"""Build the WebAssembly modules of the page, and their constants: `python -m doctools.webassembly`.

With `--check`, compare the files with a new build. Other versions of the compiler make other bytes,
so then only the constants are compared; tests compare results in any case.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from claimeven.book.ranking import number_all
from claimeven.compiled import webassembly
from claimeven.evaluation.registry import EVALUATIONS, evaluate_position
from claimeven.minimax.kernel import search_slice, start_search
from claimeven.montecarlo.flat.kernel import grow_breadth, grow_flat, plant_two_plies
from claimeven.montecarlo.playouts.kernel import count_results
from claimeven.montecarlo.tree.kernel import grow_tree, keep_subtree
from claimeven.solver.kernel import solve, solve_many

FOLDER: Final = (
    Path(__file__).resolve().parent.parent / "src" / "claimeven" / "web" / "static" / "local"
)

#: The kernels of each module.
MODULES: Final[dict[str, tuple[Any, ...]]] = {
    "solver.wasm": (solve, solve_many, number_all),
    "searches.wasm": (
        *(start_search, search_slice),
        *(grow_tree, keep_subtree),
        *(grow_flat, grow_breadth, plant_two_plies),
        *(count_results, evaluate_position),
    ),
}

#: The Python modules whose constants JavaScript needs, by the name of their group.
GROUPS: Final = {
    "BOARD": ("game.geometry", "game.bitboard_kernel"),
    "SOLVER": ("solver.layout", "solver.kernel"),
    "SOLVER_TABLE": ("solver.transposition_table",),
    "RANKING": ("book.ranking",),
    "MINIMAX": ("minimax.types", "minimax.kernel"),
    "MINIMAX_TABLE": ("minimax.transpositions",),
    "MONTECARLO": ("montecarlo.layout", "montecarlo.formula"),
    "TREE": ("montecarlo.tree.kernel",),
    "FLAT": ("montecarlo.flat.kernel",),
    "STREAKS": ("evaluation.streaks",),
    "REVIEW": ("review.analysis",),
    "PERFECT": ("agents.families.perfect",),
}

#: Greater whole numbers are not exact in JavaScript, except as BigInt.
_MAX_NUMBER: Final = 2**53
_BUILT_WITH: Final = "The modules were built with "


def slots(versions: str) -> str:
    """Return the constants as a module of JavaScript."""
    lines = ["// Constants of the kernels; written by `python -m doctools.webassembly`."]
    lines.append(f"// {_BUILT_WITH}{versions}.")
    for name, modules in GROUPS.items():
        found = [_constants(importlib.import_module(f"claimeven.{each}")) for each in modules]
        constants = {key: value for each in found for key, value in each}
        texts = [f"{key}: {_javascript(value)}" for key, value in constants.items()]
        lines.append(f"export const {name} = {{ {', '.join(texts)} }};")
    evaluations = {
        each.name: {"kernel": each.kernel, "weights": each.weights, "scale": each.scale}
        for each in EVALUATIONS.values()
    }
    lines.append(f"export const EVALUATIONS = {json.dumps(evaluations)};")
    return "\n".join(lines) + "\n"


def _constants(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield the public numbers, texts, tuples and tables that a module defines."""
    for statement in ast.parse(inspect.getsource(module)).body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        for node in (node for target in targets for node in ast.walk(target)):
            if isinstance(node, ast.Name) and node.id.isupper() and node.id[0] != "_":
                value = getattr(module, node.id)
                items = tuple(value) if isinstance(value, tuple | dict) else (value,)
                if all(isinstance(item, int | float | str) for item in items):
                    yield node.id, value


def _javascript(value: Any) -> str:
    is_big = isinstance(value, int) and abs(value) > _MAX_NUMBER
    return f"{value}n" if is_big else json.dumps(value)


def former_versions() -> str:
    """Return the versions that the modules in the folder were built with."""
    found = re.search(f"{_BUILT_WITH}(.*)[.]\n", (FOLDER / "slots.js").read_text(encoding="utf-8"))
    return found[1] if found else ""


def main(arguments: list[str] | None = None) -> int:
    """Write the files, or with `--check` compare them; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m doctools.webassembly", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write no file; fail if one is stale")
    check = parser.parse_args(arguments).check
    former, versions = former_versions(), webassembly.versions()
    files = {}
    if check and former != versions:
        print(f"modules built with {former} cannot be compared with {versions}")
        versions = former
    else:
        try:
            files = {name: webassembly.build(kernels) for name, kernels in MODULES.items()}
        except webassembly.BuildError as error:
            print(error, file=sys.stderr)
            return 2
    stale = 0
    for name, content in {**files, "slots.js": slots(versions).encode()}.items():
        path = FOLDER / name
        if path.is_file() and path.read_bytes() == content:
            continue
        stale += 1
        print(name, "is stale" if check else f"written, {len(content):,} bytes")
        if not check:
            path.write_bytes(content)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
