"""Arguments of a wrong kind: each is one sentence that names the argument and the given value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from claimeven import (
    GameLine,
    Geometry,
    Limit,
    Position,
    Solver,
    draw,
    draw_svg,
    encodings,
    format_moves,
    make_agent,
    parse_drawing,
    parse_moves,
    perft,
    play_match,
    play_tournament,
)  # fmt: skip
from claimeven.agents import make_agents
from claimeven.arena import Store, read_rubric
from claimeven.book import MappedBook, load_book
from claimeven.dataset import DatasetPlan, join_datasets, read_dataset
from claimeven.errors import ClaimevenError
from claimeven.evaluation import sequences, streaks, triples, windows
from claimeven.minimax import MinimaxSearch
from claimeven.montecarlo import MonteCarloOptions, MonteCarloSearch
from claimeven.networks import (
    NTupleNetwork,
    NTuplePolicyValue,
    NTuples,
    PuctForest,
    PuctOptions,
    UniformPolicyValue,
    read_model,
    write_network,
)  # fmt: skip
from claimeven.networks.net import NetShape
from claimeven.puzzles import read_puzzles
from claimeven.records import GameRecord, open_records, read_records, read_text, write_text

WRITERS = [getattr(encodings, name) for name in dir(encodings) if name.startswith("to_")]
TUPLES = NTuples.random_walks(2, 2)
MINIMAX, UCT = MinimaxSearch(), MonteCarloSearch(MonteCarloOptions(capacity=1000))
RNG = np.random.default_rng(0)
POSITIONS: list[Callable[[Any], object]] = [
    draw, draw_svg, *WRITERS, sequences, streaks, triples, windows, lambda p: perft(p, 1),
    lambda p: MINIMAX.search(p, 1), lambda p: MINIMAX.trace(p, 1), TUPLES.indices,
    lambda p: UCT.search(p, RNG, 1), lambda p: UCT.trace(p, RNG, 1),
    lambda p: UCT.follow(p, RNG, 1), NTupleNetwork(TUPLES).value, Solver(table_mb=1).score,
    lambda p: make_agent("greedy").choose(p, Limit(), RNG),
    lambda p: make_agent("alphabeta:depth=1").choose(p, Limit(), RNG),
]  # fmt: skip
BOARDS: list[Callable[[Any], object]] = [
    lambda g: Position.from_moves("44", g), lambda g: parse_moves("44", g),
    lambda g: format_moves([3], g), lambda g: parse_drawing("X", g), Solver,
    lambda g: NTuples.random_walks(geometry=g),
    MINIMAX.load, MINIMAX.backend_for, UCT.backend_for, lambda g: DatasetPlan(5, 4, 8, geometry=g),
    lambda g: read_dataset("x.csv", g), lambda g: list(read_records(["44"], "moves", g)),
    NetShape(4, 1, 2, 1).arrays, PuctForest, UniformPolicyValue, lambda g: read_text("44", g),
    lambda g: GameRecord((), g), lambda g: encodings.from_kaggle([0] * 42, g),
]  # fmt: skip
PATHS: list[Callable[[Any], object]] = [
    lambda path: write_network(path, NTupleNetwork(TUPLES)), read_dataset, read_model,
    open_records, Store.read, Store.extend, load_book,
    MappedBook, read_puzzles, read_rubric,
]  # fmt: skip


@pytest.mark.parametrize("call", POSITIONS)
@pytest.mark.parametrize("value", ["44", None, [3, 3], Geometry()])
def test_a_position_is_not_another_object(call: Callable[[Any], object], value: object) -> None:
    with pytest.raises(ClaimevenError, match=r"^position must be a Position, got "):
        call(value)


@pytest.mark.parametrize("call", BOARDS)
@pytest.mark.parametrize("value", ["7x6", (7, 6, 4), Position()])
def test_a_board_is_not_another_object(call: Callable[[Any], object], value: object) -> None:
    with pytest.raises(ClaimevenError, match=r"(a board must be|takes) a Geometry.*, got "):
        call(value)


@pytest.mark.parametrize("call", PATHS)
@pytest.mark.parametrize("value", [3, None, b"x", ["x"], "a\0b"])
def test_a_path_is_text_or_a_path(call: Callable[[Any], object], value: object) -> None:
    message = "a path must be text or a Path, got|a path must not contain a null character"
    with pytest.raises(ClaimevenError, match=message):
        call(value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: format_moves("44"), "columns must be a sequence such as a list, got '44'"),
        (lambda: format_moves(3), "columns must be a sequence such as a list, got 3"),
        (lambda: GameLine(None, 3), "columns must be a sequence such as a list, got 3"),
        (lambda: GameRecord("44"), "columns must be a sequence such as a list, got '44'"),
        (lambda: write_text([], 3), "format '3'"),
        (lambda: UCT.search(Position(), 7, 1), "rng must be a generator such as .*, got 7"),
        (lambda: Limit().min_with(1), "a limit must be a Limit such as Limit.seconds=1., got 1"),
        (lambda: play_match("random", "random", isolate="no"), "isolate must be true or false"),
        (lambda: play_match("random", "random", swap="no"), "swap must be true or false, got 'no'"),
        (lambda: play_match("random", "random", resume="yes"), "resume must be True, False or"),
        (lambda: play_match("random", "random", on_row=3), "on_row must be a function, got 3"),
        (lambda: play_match("random", "random", {"games": 1}), "options must be MatchOptions, got"),
        (lambda: play_match("random", "random", executor=3), "executor must be local or ray, got"),
        (lambda: play_match("random", "random", openings=3), "openings must be a sequence such as"),
        (lambda: play_match("random", "random", geometry="7x6"), "a board must be a Geometry such"),
        (lambda: play_tournament("random"), "agents must be a sequence .*, got 'random'"),
        (lambda: make_agents("random"), "specs must be a sequence .*, got 'random'"),
        (lambda: PuctOptions(solver="no"), "solver must be true or false, got 'no'"),
        (lambda: Geometry(10**5000), "columns must be 1 to 16, got a whole number of 16,610 bits"),
        (lambda: perft(Position(), -(10**5000)), "depth must be 0 or more, got a whole number of"),
        (lambda: NTuples.random_walks("x"), "count must be a whole number, got 'x'"),
        (lambda: NTuples.random_walks(3, 2.5), "must be a whole number, got 2.5"),
        (lambda: NTuples.random_walks(seed=True), "seed must be a whole number, got True"),
        (lambda: NTupleNetwork("x"), "tuples must be an? NTuples, got 'x'"),
        (lambda: join_datasets(["x"]), "a part must be a Dataset, got 'x'"),
        (lambda: read_text(44), "a text of games must be a str, got 44"),
        (lambda: MINIMAX.search(Position(), seconds="x"), "seconds must be a number, got 'x'"),
        (lambda: NTuplePolicyValue("x"), "network must be a NTupleNetwork, got 'x'"),
        (lambda: NTupleNetwork(TUPLES).value(Position(Geometry(5, 5))), "the board must be 7x6"),
    ],
)
def test_a_wrong_value_is_reported_in_a_sentence(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ClaimevenError, match=message):
        call()


def test_numbers_and_booleans_of_numpy_are_taken() -> None:
    options = MonteCarloOptions(solver=np.True_, capacity=np.int64(2000))  # type: ignore[arg-type]
    assert options.solver is True and type(options.capacity) is int
    settings: dict[str, Any] = {"games": np.int32(2), "seed": np.uint8(1), "jobs": np.int64(1)}
    result = play_match("random", "random", swap=np.True_, **settings)
    assert len(result.games) == 2
