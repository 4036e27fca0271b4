"""A Numba whose private parts have changed: one warning, slower starts, the same results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

#: Changes a part of Numba, then solves or counts games; prints the results and the warnings.
SCRIPT = """
import json, sys, warnings
exec(sys.argv[1])
from claimeven import Geometry, Position, Solver, perft
board = Geometry(4, 4, 3)
positions = [Position.from_moves(moves, board) for moves in ("12", "1", "2323")]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    if sys.argv[2] == "solve":
        found = [Solver(board, table_mb=1, book=None).scores(each) for each in positions]
    else:
        found = [perft(each, 5) for each in positions]
said = [str(each.message) for each in caught if each.category is RuntimeWarning]
print(json.dumps([found, said]))
"""


def output(change: str, task: str, **variables: str) -> list[list[object]]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, change, task],
        capture_output=True, text=True, check=True, env={**os.environ, **variables},
    )  # fmt: skip
    found: list[list[object]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("change", "task"),
    [
        ("import numba.core.codegen as c; del c.JITCodeLibrary", "solve"),
        ("from numba.core import compiler as c; c.CompileResult._reduce = lambda: None", "count"),
    ],
    ids=["a class is gone", "a function takes less"],
)
def test_a_numba_that_is_not_known_compiles_all_the_same(
    change: str, task: str, tmp_path: Path
) -> None:
    found, warned = output(change, task, CLAIMEVEN_CACHE_DIR=str(tmp_path))
    assert [found, []] == output("", task)
    assert len(warned) == 1
    assert "claimeven does not support Numba" in str(warned[0])
    assert "results are the same" in str(warned[0])
    assert not list(tmp_path.glob("kernels/*.kernel"))
