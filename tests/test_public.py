"""The names of `import claimeven`: all of them, without heavy imports before a use."""

from __future__ import annotations

import ast
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import claimeven
from claimeven import agents, arena, dataset, learning, networks, notebook, puzzles, records, solver
from claimeven.arena import report, studies
from claimeven.networks import net


def imported(code: str) -> set[str]:
    """Modules that a new process has after running some code."""
    ended = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(ended.stdout.split())


def test_the_import_loads_no_heavy_modules() -> None:
    modules = imported("import claimeven")
    heavy = {"numpy", "numba", "llvmlite", "rich", "click", "platformdirs", "typing_extensions"}
    assert modules & heavy == set()
    ours = {name for name in modules if name.startswith("claimeven")}
    assert ours == {
        "claimeven", "claimeven.lazy", "claimeven.solver", "claimeven.solver.protocols",
        "claimeven.starting",
    }  # fmt: skip


def test_the_rules_do_without_numpy() -> None:
    modules = imported(
        "import claimeven\n"
        "position = claimeven.Position.from_moves('4455')\n"
        "print(position, claimeven.draw(position), claimeven.draw_svg(position))\n"
        "claimeven.parse_moves('44'), claimeven.perft(position, 2, 'python')\n"
        "claimeven.explain, claimeven.analyze, claimeven.InvalidSolve"
    )
    assert modules & {"numpy", "numba"} == set()


def test_no_module_brings_in_numba_before_something_is_to_be_compiled() -> None:
    compilers = ("compiler", "fallback", "intrinsics_llvm", "webassembly", "wide_llvm")
    late = {f"claimeven.compiled.{name}" for name in compilers}
    every = {module.name for module in pkgutil.walk_packages(claimeven.__path__, "claimeven.")}
    every.remove(f"claimeven.parallel.{'posix' if sys.platform == 'win32' else 'windows'}")
    names = sorted(every - late)
    assert late < every and "claimeven.solver.kernel" in names
    modules = imported(f"import {', '.join(names)}")
    assert every & modules == set(names)
    assert modules & {"numba", "llvmlite"} == set()


@pytest.mark.parametrize("name", claimeven.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(claimeven, name) is not None
    assert name in dir(claimeven)


@pytest.mark.parametrize("name", arena.__all__)
def test_every_name_of_the_arena_is_there(name: str) -> None:
    assert getattr(arena, name) is not None


@pytest.mark.parametrize("name", puzzles.__all__)
def test_every_name_of_puzzles_is_there(name: str) -> None:
    assert getattr(puzzles, name) is not None


LAZY = (
    claimeven, agents, arena, dataset, learning, net, networks, notebook, puzzles, records, report,
    solver, studies,
)  # fmt: skip


@pytest.mark.parametrize("package", LAZY, ids=lambda package: package.__name__)
def test_type_checkers_see_the_same_names(package: ModuleType) -> None:
    assert package.__file__ is not None
    tree = ast.parse(Path(package.__file__).with_suffix(".pyi").read_text("utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    named = [alias.name for node in imports for alias in node.names]
    # Only a name that is repeated after `as` is offered to type checkers.
    assert named == [alias.asname for node in imports for alias in node.names]
    assert sorted(named) == sorted(set(package.__all__) - {"__version__"})


def test_every_error_of_the_package_is_a_claimeven_error() -> None:
    for name in claimeven.__all__:
        value = getattr(claimeven, name)
        if isinstance(value, type) and issubclass(value, Exception) and name != "SearchStopped":
            assert issubclass(value, claimeven.ClaimevenError)
            assert issubclass(value, ValueError)


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="module 'claimeven' has no attribute 'nothing'"):
        claimeven.nothing  # noqa: B018


def test_modules_can_be_used_without_being_imported() -> None:
    code = "import claimeven; claimeven.networks.net.Net, claimeven.records.formats"
    assert {"claimeven.networks.net.net", "claimeven.records.formats"} <= imported(code)


def test_encodings_are_a_module_of_converters() -> None:
    position = claimeven.Position.from_moves("4455")
    board = claimeven.encodings.to_kaggle(position)
    assert claimeven.encodings.from_kaggle(board) == position
