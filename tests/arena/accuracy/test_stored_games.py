"""Games of a store judged: by a separate judge, stored scores, corruption, one agent."""

from __future__ import annotations

import sqlite3
import stat
from collections import defaultdict
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from claimeven import Geometry, Position
from claimeven.arena import accuracy_of
from claimeven.arena.accuracy.stored_games import ScoreCache
from claimeven.arena.games.game import Game
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.store import Store, StoredAgent
from claimeven.compiled.decorators import PLAIN
from claimeven.messages import WorkProgress
from claimeven.parallel.executors import local_workers
from claimeven.solver import Solver
from tests import naive
from tests.positions import random_positions

BOARD = {"columns": 4, "rows": 4, "connect": 3}
AGENTS = (StoredAgent(0, "ann", "bots/ann.py"), StoredAgent(1, "bob", "random"))
GAMES = (
    Game("a", 0, 0, 0, 1, "12", "131", 0),
    Game("b", 1, 0, 1, 0, "12", "3241443", None, finished=False),
    Game("c", 2, 1, 0, 1, "1", "2", 1, fault="crash", fault_seat=0, reason="it failed"),
    Game("d", 3, 1, 1, 0, "", "", 1, fault="time", fault_seat=0, reason="late"),
)


def small(geometry: Geometry) -> Solver:
    return Solver(geometry, table_mb=1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "s.db"
    with Store.create(found, {"plan": BOARD}, AGENTS) as store:
        store.add(GAMES)
    return found


def test_every_move_after_the_opening_is_judged_as_plain_minimax_would(path: Path) -> None:
    known: dict[object, int] = {}
    moves, perfect, loss = defaultdict[str, int](int), defaultdict[str, int](int), 0
    for game in GAMES:
        board = naive.Game(4, 4, 3)
        for number, letter in enumerate(game.all_moves):
            column = int(letter) - 1
            if number >= len(game.opening):
                who = AGENTS[game.agents[number % 2]].label
                scores = {c: -naive.score(board.play(c), known) for c in board.legal()}
                if len(set(scores.values())) > 1:
                    moves[who] += 1
                    perfect[who] += scores[column] == max(scores.values())
                    loss += max(scores.values()) - scores[column]
            board = board.play(column)
    found = accuracy_of(path, solver=small)
    assert {label: found[label].all.moves for label in ("ann", "bob")} == moves
    assert {label: found[label].all.perfect for label in ("ann", "bob")} == perfect
    assert sum(found[label].all.score_loss for label in ("ann", "bob")) == loss > 0
    assert (len(found.judged), found.total, found.moves) == (4, 4, 11)


def test_scores_are_worked_out_once_and_kept_in_the_store(path: Path) -> None:
    messages: list[WorkProgress] = []
    first = accuracy_of(path, solver=small, on_progress=messages.append)
    assert (messages[0].resumed, messages[-1].done) == (0, first.positions)
    before = path.read_bytes()

    def none(geometry: Geometry) -> Solver:
        raise AssertionError("every position is solved")

    again = accuracy_of(path, solver=none, on_progress=messages.append)
    assert again.as_dict() == first.as_dict()
    assert (messages[-1].resumed, messages[-1].done) == (first.positions, first.positions)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "board", [Geometry(4, 4, 3), Geometry(8, 7, 8), Geometry(9, 7, 8)], ids=str
)
def test_kept_scores_serve_mirror_images_and_keys_of_64_bits(path: Path, board: Geometry) -> None:
    """Numbers of SQLite have 63 bits and a sign; columns full on one side only distinguish
    images."""
    late = (each for each in random_positions(board, 5000, 1, True) if each.ply >= board.cells - 8)
    fitting = (
        each
        for each in late
        if each.key != each.canonical_key
        and each.heights != each.heights[::-1]
        and (board.cells < 56 or each.canonical_key >> 63)
    )
    chosen = list(islice(fitting, 2))
    assert len(chosen) == 2
    if PLAIN and not board.fits_word:
        pytest.skip("Python has no words of 128 bits")
    ScoreCache(path, board.bits).solve(chosen, lambda: small(board))

    def none() -> Solver:
        raise AssertionError("every position is solved")

    again = ScoreCache(path, board.bits)
    again.solve(chosen, none)
    assert [again[each] for each in chosen] == [small(board).scores(each) for each in chosen]


def test_kept_scores_that_cannot_be_are_worked_out_again(path: Path) -> None:
    first = accuracy_of(path, solver=small)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE scores SET columns = x'80' WHERE key % 2 = 0")
        connection.execute("UPDATE scores SET columns = x'80808080' WHERE key % 2 = 1")
    connection.close()
    assert accuracy_of(path, solver=small).as_dict() == first.as_dict()


def test_a_read_only_store_is_judged_too(path: Path) -> None:
    first = accuracy_of(path, solver=small)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE scores")
        connection.execute("CREATE TABLE scores (something_else)")
    connection.close()
    message: list[str] = []
    assert accuracy_of(path, solver=small, on_message=message.append).as_dict() == first.as_dict()
    assert len(message) == 1
    assert message[0].startswith(f"scores cannot be stored in {path}: ")
    assert stat.S_ISREG(path.stat().st_mode)


def test_one_agent_only(path: Path) -> None:
    whole, alone = accuracy_of(path, solver=small), accuracy_of(path, agent="bob", solver=small)
    assert alone["bob"].as_dict() == whole["bob"].as_dict()
    assert alone.ranking == ("bob",)
    with pytest.raises(
        InvalidStore, match=r"no agent 'bop' \(did you mean bob\?\): choose from ann"
    ):
        accuracy_of(path, agent="bop", solver=small)
    with pytest.raises(InvalidStore, match="no agent 'carl'"):
        whole["carl"]


@pytest.mark.parametrize(
    ("most", "jobs"), [(9, "abcd"), (4, "abcd"), (3, "ab"), (2, "ab"), (1, "a"), (0, "")]
)
def test_a_part_of_the_games_holds_whole_pairs_where_one_fits(
    path: Path, most: int, jobs: str
) -> None:
    found = accuracy_of(path, most=most, solver=small)
    assert "".join(game.job for game in found.judged) == jobs
    assert (found.total, found.as_dict()["games"]) == (4, len(jobs))


def test_the_scores_of_judged_positions_are_in_the_result(path: Path) -> None:
    found = accuracy_of(path, solver=small)
    start = Position.from_moves("12", Geometry(4, 4, 3))
    assert found.known[start] == small(start.geometry).scores(start)
    assert found.known[start.mirror()] == found.known[start][::-1]


def test_blunders_name_their_game(path: Path) -> None:
    found = accuracy_of(path, solver=small)
    for blunder in found.worst(5):
        assert blunder.game is not None
        game = GAMES[blunder.game]
        assert game.all_moves.startswith(blunder.moves)
        assert Position.from_moves(blunder.moves, Geometry(4, 4, 3)) == blunder.move.position
        assert AGENTS[game.agents[len(blunder.moves) % 2]].label == blunder.agent
        assert game.all_moves[len(blunder.moves)] == str(blunder.move.column + 1)


def test_moves_before_a_blunder_start_at_the_start_of_the_store(tmp_path: Path) -> None:
    start = Position.from_moves("12", Geometry(4, 4, 3))
    plan = {**BOARD, "start": [start.mine, start.mask]}
    found = tmp_path / "later.db"
    with Store.create(found, {"plan": plan}, AGENTS) as store:
        store.add([replace(GAMES[0], opening="", moves="131")])
    worst = accuracy_of(found, solver=small).worst(5)
    assert worst
    for blunder in worst:
        assert "131".startswith(blunder.moves)
        played = Position.from_moves(f"12{blunder.moves}", start.geometry)
        assert played == blunder.move.position


def test_moves_that_cannot_be_played_are_left_out(path: Path) -> None:
    before = accuracy_of(path, solver=small)
    with Store.extend(path) as store:
        store.add([replace(GAMES[0], job="x", number=9, moves="11111")])
    after = accuracy_of(path, solver=small)
    assert (after.moves, after.total) == (before.moves, before.total)


def test_workers_give_the_same_scores(path: Path) -> None:
    copy = path.with_name("copy.db")
    copy.write_bytes(path.read_bytes())
    messages: list[WorkProgress] = []
    found = accuracy_of(copy, solver=small, executor=local_workers(2), on_progress=messages.append)
    assert found.as_dict() == accuracy_of(path, solver=small).as_dict()
    assert (messages[-1].done, messages[-1].total) == (found.positions, found.positions)
    with closing(sqlite3.connect(path)) as one, closing(sqlite3.connect(copy)) as two:
        stored = [set(each.execute("SELECT key, columns FROM scores")) for each in (one, two)]
    assert stored[0] == stored[1] and len(stored[0]) == found.positions
