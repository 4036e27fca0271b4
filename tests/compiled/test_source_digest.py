"""An edit of a kernel's sources recompiles it, and no other edit does."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

import claimeven
from claimeven.compiled import source_digest
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
        "from claimeven.game import deepest as number\n"
        "@inlined\n"
        "def more(number):\n"
        "    return number + number.NUMBER\n"
    ),
    "game/calling_kernel.py": (
        "from claimeven.compiled import kernel\n"
        "from claimeven.game.helper import more\n"
        "@kernel('int64(int64)')\n"
        "def twice(number):\n"
        "    return 2 * more(number)\n"
    ),
    "game/other.py": "NUMBER = 3\n",
}


def forget() -> None:
    for cached in (source_digest.sources_digest, source_digest._is_module, source_digest._read):
        cached.cache_clear()


def test_no_edit_runs_stale_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest, which names a kernel's file, changes with all that the kernel is made of."""
    package = tmp_path / "claimeven"
    for room in ("compiled", "game"):
        shutil.copytree(ROOT / room, package / room, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(source_digest, "_ROOT", package)

    def digest_after(**edits: str) -> bytes:
        for name, text in edits.items():
            (package / "game" / f"{name}.py").write_text(text, "utf-8")
        forget()
        return source_digest.sources_digest("claimeven.game.calling_kernel")

    try:
        first = digest_after(**{Path(name).stem: text for name, text in PARTS.items()})
        assert digest_after(other="NUMBER = 4\n", drawing="NUMBER = 4\n") == first
        assert digest_after(deepest="NUMBER = 20\n") != first
        assert digest_after(deepest="NUMBER = 10\n") == first
    finally:
        forget()
