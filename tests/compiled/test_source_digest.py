"""An edit of what a kernel is made of recompiles it, and no other edit does."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import claimeven
from claimeven.compiled.source_digest import imported_by, sources

ROOT = Path(claimeven.__file__).parent
MODULES = {
    ".".join(["claimeven", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(
        ".__init__"
    ): path
    for path in sorted(ROOT.rglob("*.py"))
}


@pytest.mark.parametrize("module", MODULES)
def test_imports_are_read_as_python_reads_them(module: str) -> None:
    text = MODULES[module].read_text("utf-8")
    found = imported_by(text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
            assert names & MODULES.keys() <= found
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "relative imports are not read"
            if node.module not in MODULES:
                continue
            parts = {f"{node.module}.{alias.name}" for alias in node.names}
            assert parts & MODULES.keys() <= found
            assert parts <= MODULES.keys() or node.module in found


def test_sources_go_all_the_way_down() -> None:
    found = sources("claimeven.solver.kernel")
    assert {
        "claimeven.solver.kernel",
        "claimeven.game.bitboard_kernel",
        "claimeven.game.geometry",
        "claimeven.compiled",
        "claimeven.compiled.decorators",
    } <= found.keys()
    assert found.keys().isdisjoint(
        {"claimeven", "claimeven.game.drawing", "claimeven.montecarlo", "claimeven.cli"}
    )


def test_a_package_may_give_the_name_of_a_module_to_something_else() -> None:
    assert imported_by("from claimeven.game import bitboard") == {"claimeven.game.bitboard"}
    spoken_of = imported_by("from claimeven.game import position")
    assert spoken_of == {"claimeven.game", "claimeven.game.position"}


PARTS = {
    "game/deepest.py": "NUMBER = 10\n",
    "game/helper.py": (
        "from claimeven.compiled import inlined\n"
        "from claimeven.game import deepest\n"
        "@inlined\n"
        "def more(number):\n"
        "    return number + deepest.NUMBER\n"
    ),
    "game/calling_kernel.py": (
        "from claimeven.compiled import kernel, when_compiling\n"
        "from claimeven.game.helper import more\n"
        "@kernel('int64(int64)')\n"
        "def twice(number):\n"
        "    return 2 * more(number)\n"
        "if __name__ == 'claimeven.game.calling_kernel':\n"
        "    when_compiling(lambda: print('compiling'))\n"
        "    print(twice(1))\n"
    ),
    "game/other.py": "NUMBER = 3\n",
}


def test_no_edit_runs_stale_code(tmp_path: Path) -> None:
    package = tmp_path / "claimeven"
    shutil.copytree(ROOT, package, ignore=shutil.ignore_patterns("__pycache__", "data"))
    for name, text in PARTS.items():
        (package / name).write_text(text, "utf-8")

    def said() -> list[str]:
        return subprocess.run(
            [sys.executable, "-c", "import claimeven.game.calling_kernel"],
            capture_output=True, text=True, check=True, cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path), "CLAIMEVEN_CACHE_DIR": str(tmp_path)},
        ).stdout.split()  # fmt: skip

    assert said() == ["compiling", "22"]
    (package / "game" / "other.py").write_text("NUMBER = 4\n", "utf-8")
    (package / "montecarlo" / "formula.py").write_text("NUMBER = 4\n", "utf-8")
    assert said() == ["22"]
    (package / "game" / "deepest.py").write_text("NUMBER = 20\n", "utf-8")
    assert said() == ["compiling", "42"]
    (package / "game" / "deepest.py").write_text("NUMBER = 10\n", "utf-8")
    assert said() == ["22"]
