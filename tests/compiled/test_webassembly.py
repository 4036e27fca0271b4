"""The modules of the page give the results of the kernels here: bit for bit, in every array."""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from textwrap import dedent
from typing import Any

import doctools.webassembly
import numpy as np
import pytest

from claimeven.book.ranking import PositionRanking, number_all
from claimeven.compiled import webassembly
from claimeven.compiled.splitmix64 import Stream
from claimeven.evaluation.registry import EVALUATIONS, evaluate_position
from claimeven.game import Geometry, Position
from claimeven.game.bitboard_kernel import board_vector
from claimeven.minimax import MinimaxSearch
from claimeven.minimax import kernel as minimax
from claimeven.minimax.types import EVALUATED, FROM_TABLE, Event, run_trace
from claimeven.montecarlo import MonteCarloOptions, layout
from claimeven.montecarlo.dispatch import compiled_engine
from claimeven.montecarlo.flat.kernel import grow_breadth, grow_flat
from claimeven.montecarlo.layout import PLAYOUTS
from claimeven.montecarlo.playouts.kernel import count_results
from claimeven.montecarlo.playouts.textbook import (
    Replies,
    play_out,
    safe_columns,
    winning_columns,
)
from claimeven.montecarlo.tree import kernel as tree
from claimeven.solver import layout as solver_layout
from claimeven.solver.kernel import PAUSED, solve, solve_many
from claimeven.solver.search_thread import SearchThread
from claimeven.solver.transposition_table import new_entries, smallest_bucket_bits
from tests.compiled.modules import FOLDER, Module, open_page
from tests.minimax.support import ALGORITHMS
from tests.montecarlo.support import BOARDS, unfinished_position
from tests.positions import SEARCHED, random_positions
from tests.solver.positions import hard_positions

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page(browser: Any) -> Iterator[Any]:
    page = open_page(browser)
    yield page
    page.close()


@pytest.fixture(scope="module")
def solver(page: Any) -> Module:
    return Module(page, "solver.wasm")


@pytest.fixture(scope="module")
def searches(page: Any) -> Module:
    return Module(page, "searches.wasm")


# --- solver and book ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("geometry", "plies", "least"),
    [
        (Geometry(7, 6, 4), 20, 200),
        (Geometry(7, 6, 4), 15, 2000),
        (Geometry(4, 4, 3), 1, 10),
        (Geometry(5, 4, 4), 4, 300),
        (Geometry(6, 5, 5), 12, 200),
        (Geometry(8, 7, 4), 34, 30),
        (Geometry(9, 6, 4), 32, 30),
        (Geometry(16, 3, 4), 30, 30),
    ],
    ids=str,
)
def test_scores_nodes_and_table(solver: Module, geometry: Geometry, plies: int, least: int) -> None:
    rng, arrays = random.Random(str(geometry)), solver_arrays(geometry)
    found = list(hard_positions(geometry, plies, 5, rng, least, 20_000))
    easy = random_positions(geometry, 300, seed=2, ongoing=True)
    found += [(each.mine, each.mask) for each in easy if each.ply >= plies]
    arrays.control[solver_layout.BUDGET] = 1 << 60
    mines, masks = (np.array(words, dtype=np.uint64) for words in zip(*found, strict=True))
    scores, nodes = np.zeros((2, len(found)), dtype=np.int64)
    solver.agrees(solve_many, [(arrays, mines, masks, -99, 99, scores, nodes)])
    assert nodes.sum() > 4 * least
    assert arrays.entries.any()


def test_a_paused_solver_continues(solver: Module) -> None:
    (position,) = hard_positions(Geometry(), 13, 1, random.Random(1), 20_000, 60_000)
    arrays = solver_arrays(Geometry())
    arrays.shared[[solver_layout.LOW, solver_layout.HIGH]] = -99, 99
    score, slices = PAUSED, 0
    while score == PAUSED:
        arrays.control[solver_layout.BUDGET] += 5_000
        score = solver.agrees(solve, [(arrays, *position, -99, 99)])[0]
        slices += 1
    assert abs(score) < 20
    assert slices > 3


def solver_arrays(geometry: Geometry) -> solver_layout.Arrays:
    """The arrays of a solver with a small table."""
    bucket_bits = max(12, smallest_bucket_bits(geometry))
    return SearchThread(geometry, new_entries(bucket_bits), bucket_bits, 0).arrays


def test_numbers_of_positions_in_a_book(solver: Module) -> None:
    geometry = Geometry()
    ranking = PositionRanking(geometry, 6)
    found = random_positions(geometry, 1500, seed=3)
    keys = np.array([position.key for position in found], dtype=np.uint64)
    numbers = np.zeros(len(keys), dtype=np.int64)
    solver.agrees(number_all, [(keys, ranking._tables, numbers)])
    assert (numbers >= 0).sum() > 100


# --- evaluations and minimax ----------------------------------------------------------------------


@pytest.mark.parametrize("name", EVALUATIONS)
def test_evaluations(searches: Module, name: str) -> None:
    evaluation = EVALUATIONS[name]
    found = [position for each in SEARCHED for position in random_positions(each, 100, seed=4)]
    calls = [
        (
            evaluation.kernel,
            *(np.uint64(word) for word in (position.mine, position.mask)),
            board_vector(position.geometry).copy(),
            evaluation.kernel_weights(position.geometry),
        )
        for position in found
    ]
    assert len(set(searches.agrees(evaluate_position, calls))) > 10


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_minimax_searches(searches: Module, algorithm: str) -> None:
    rng, states = random.Random(algorithm), []
    for geometry, name in product(SEARCHED, EVALUATIONS):
        for position in random_positions(geometry, 3, seed=5, ongoing=True):
            one = MinimaxSearch(algorithm, name, view=rng.choice(("mover", "root")), table=256)
            states.append(one.compiled_state(position, rng.randint(1, 3)))
    calls = [(each.rows, each.rules, each.progress, each.table) for each in states]
    searches.agrees(minimax.search_slice, [(*call, 40) for call in calls])
    assert all(searches.agrees(minimax.search_slice, [(*call, 1 << 40) for call in calls]))
    assert sum(state.nodes for state in states) > 2_000


@pytest.mark.parametrize(("algorithm", "view"), [*product(ALGORITHMS, ("mover", "root"))])
def test_steps_are_the_events_of_the_textbook(searches: Module, algorithm: str, view: str) -> None:
    rng = random.Random(algorithm + view)
    for geometry, name in product(SEARCHED, ("windows", "sequences", "streaks")):
        order = rng.choice(("center", "left"))
        one = MinimaxSearch(algorithm, name, order, view=view, table=1024)
        for position in random_positions(geometry, 1, seed=6, ongoing=True):
            depth = rng.randint(1, 3)
            expected: list[Event] = []
            run_trace(one.trace(position, depth), expected.append)
            steps = recorded_steps(searches, one, position, depth, 3 * len(expected) + 9)
            assert steps == [plain(event, position) for event in expected]


def recorded_steps(
    searches: Module, one: MinimaxSearch, position: Position, depth: int, room: int
) -> list[tuple[Any, ...]]:
    """The steps of a search as tuples, for the side to move at each position."""
    one.reset()
    state = one.compiled_state(position, depth)
    counts = np.zeros(minimax.STEPS + 1 + room * minimax.STEP_SLOTS, dtype=np.int64)
    progress = state.progress._replace(counts=counts)
    searches.call("start_search", state.rows, state.rules, progress, state.table)
    while not searches.call(
        "search_slice", state.rows, state.rules, progress, state.table, 1 << 40
    ):
        pass
    first = minimax.STEPS + 1
    assert counts[minimax.STEPS] <= room
    rows = counts[first : first + counts[minimax.STEPS] * minimax.STEP_SLOTS]
    found, path = [], []
    for row in rows.reshape(-1, minimax.STEP_SLOTS).tolist():
        ply, kind = row[minimax.STEP_PLY], row[minimax.KIND]
        path[ply - 1 :] = [row[minimax.COLUMN]] if ply else []
        window = tuple(
            math.copysign(math.inf, x) if abs(x) == minimax.INFINITY else x
            for x in row[minimax.LOW : minimax.HIGH + 1]
        )
        is_entered = kind == minimax.ENTERED
        found.append(
            (
                ("enter", "return", "cut")[kind],
                tuple(path),
                *window,
                None if is_entered else row[minimax.VALUE],
                row[minimax.REASON],
                row[minimax.SKIPPED],
            )
        )
    return found


def plain(event: Event, root: Position) -> tuple[Any, ...]:
    """An event as `recorded_steps` has it."""
    sign = -1 if event.view == "root" and len(event.columns) % 2 else 1
    window = (event.alpha, event.beta) if sign > 0 else (-event.beta, -event.alpha)
    value = None if event.value is None else sign * event.value
    reason = {EVALUATED: minimax.BY_EVALUATION, FROM_TABLE: minimax.BY_TABLE}.get(event.reason)
    if event.kind == "enter":
        reason = 0
    elif reason is None:
        reason = minimax.BY_COLUMNS
        position = root
        for column in event.columns:
            position = position.play(column)
        if position.outcome is not None:
            reason = minimax.BY_DRAW if position.outcome.winner is None else minimax.BY_WIN
    return event.kind, event.columns, *window, value, reason, event.skipped


# --- Monte Carlo ----------------------------------------------------------------------------------


@pytest.mark.parametrize("playout", PLAYOUTS)
@pytest.mark.parametrize("ties", ["first", "random"])
def test_uct_grows_the_same_tree(searches: Module, playout: str, ties: str) -> None:
    rng = random.Random(playout + ties)
    engines = []
    for geometry in BOARDS:
        position = unfinished_position(rng, geometry)
        is_open = safe_columns(position) and not winning_columns(position)
        options = MonteCarloOptions(
            playout=playout,
            ties=ties,
            playout_cutoff=rng.choice((0, 0, 3)),
            solver=rng.random() < 0.5,
            first_play=rng.choice(("order", "random", "all")),
            decisive_moves="tree" if is_open else "off",
            min_wins=rng.choice((0, 2)),
            capacity=600,
        )
        engine = compiled_engine(geometry, options)
        engine.start(position, rng.getrandbits(60))
        engines.append(engine)
    searches.agrees(tree.grow_tree, [(e.records, e.work, e.setup, e.formula, 400) for e in engines])
    keep = [
        (e.records, np.zeros(e.used, np.int32), max(e.children(0)))
        for e in engines
        if e.children(0)
    ]
    searches.agrees(tree.keep_subtree, keep)


def test_uct_with_more_visits_than_its_tables_have(searches: Module) -> None:
    for seed, moves in enumerate(("", "4455")):
        engine = compiled_engine(Geometry(), MonteCarloOptions(capacity=50_000))
        engine.start(Position.from_moves(moves), seed)
        call = engine.records, engine.work, engine.setup, engine.formula, 20_000
        searches.agrees(tree.grow_tree, [call])


@pytest.mark.parametrize("playout", PLAYOUTS)
def test_flat_and_breadth_first_search(searches: Module, playout: str) -> None:
    rng = random.Random(playout)
    for kernel, method in ((grow_flat, "flat"), (grow_breadth, "breadth")):
        engines = []
        for geometry in BOARDS:
            options = MonteCarloOptions(method=method, playout=playout, capacity=200)
            engine = compiled_engine(geometry, options)
            engine.start(unfinished_position(rng, geometry), rng.getrandbits(60))
            engines.append(engine)
        searches.agrees(kernel, [(e.tree, e.work, e.setup, 300) for e in engines])


@pytest.mark.parametrize("playout", PLAYOUTS)
def test_playouts_and_their_moves(searches: Module, playout: str) -> None:
    """A longer board gets the moves of the latest playout, those of the textbook."""
    rng, replies = random.Random(playout), Replies()
    position = unfinished_position(rng, Geometry(7, 6, 4))
    engine = compiled_engine(position.geometry, MonteCarloOptions(method="flat", playout=playout))
    engine.start(position, 8)
    results = np.zeros(3, dtype=np.int64)
    call = position.mine, position.mask, engine.work, engine.setup
    searches.agrees(count_results, [(*call, 200, results)])
    engine.start(position, 9)
    board = np.append(engine.setup.board, np.zeros(1 + 64, dtype=np.uint64))
    assert len(board) == layout.RECORDING_SLOTS
    stream = Stream(9)
    for _ in range(30):
        setup = engine.setup._replace(board=board)
        searches.call("count_results", position.mine, position.mask, engine.work, setup, 1, results)
        cells = board[layout.MOVES :][: int(board[layout.MOVE_COUNT])].tolist()
        moves = [(cell.bit_length() - 1) // position.geometry.height for cell in cells]
        assert moves == play_out(position, playout, stream, 0, replies)[1]


def test_logarithms_of_whole_numbers(page: Any) -> None:
    counts = [*range(1, 9_000), *(2**k + d for k in range(13, 31) for d in (-1, 0, 1, 77))]
    there = page.evaluate(
        """async (counts) => {
            const { log } = await import("/local/logarithm.js");
            return counts.map(log);
        }""",
        counts,
    )
    assert there == [math.log(count) for count in counts]


# --- the files ------------------------------------------------------------------------------------


def test_modules_export_their_kernels_and_import_memory_and_logarithms(page: Any) -> None:
    for name, kernels in doctools.webassembly.MODULES.items():
        imports, exports = page.evaluate(
            """async (name) => {
                const bytes = await (await fetch(`/local/${name}`)).arrayBuffer();
                const module = await WebAssembly.compile(bytes);
                const names = (parts) => parts.map((part) => part.name);
                return [names(WebAssembly.Module.imports(module)),
                        names(WebAssembly.Module.exports(module))];
            }""",
            name,
        )
        assert set(imports) == {"memory"} | ({"log"} if name == "searches.wasm" else set())
        assert exports == [*(kernel.__name__ for kernel in kernels), "__heap_base"]


def test_constants_equal_python() -> None:
    text = (FOLDER / "slots.js").read_text(encoding="utf-8")
    assert text == doctools.webassembly.slots(doctools.webassembly.former_versions())


def test_a_build_elsewhere_has_the_same_bytes(tmp_path: Path) -> None:
    """With another hash seed and an empty cache; `.ci/run` builds all modules."""
    code = """
        from claimeven.compiled import webassembly
        from doctools.webassembly import MODULES
        import sys
        sys.stdout.buffer.write(webassembly.build(MODULES["solver.wasm"]))
    """
    environment = {**os.environ, "PYTHONHASHSEED": "7", "CLAIMEVEN_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", dedent(code)]
    built = subprocess.run(command, env=environment, capture_output=True, check=False)
    if b"BuildError" in built.stderr:
        pytest.skip(built.stderr.decode().splitlines()[-1])
    expected = (FOLDER / "solver.wasm").read_bytes()
    if doctools.webassembly.former_versions() != webassembly.versions():
        expected = built.stdout  # of another compiler
    assert built.stdout.startswith(b"\0asm"), built.stderr.decode()
    assert built.stdout == expected


def test_a_build_without_a_linker_names_its_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr(webassembly, "find_spec", lambda name: None)
    assert doctools.webassembly.main([]) == 2
    (sentence,) = capsys.readouterr().err.splitlines()
    assert "install the package lld (Debian, Ubuntu, Homebrew)" in sentence


def test_modules_of_another_compiler_are_not_compared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(webassembly, "versions", lambda: "Python 4.0")
    assert doctools.webassembly.main(["--check"]) == 0
    (sentence,) = capsys.readouterr().out.splitlines()
    assert sentence.startswith("modules built with Python 3.")
    assert sentence.endswith("cannot be compared with Python 4.0")
