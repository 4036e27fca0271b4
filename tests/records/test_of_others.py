"""Replays and histories as the programs themselves write and read them."""

from __future__ import annotations

import contextlib
import io
import json
import random
from collections.abc import Callable

import pytest

from claimeven import Geometry
from claimeven.records import GameRecord, read_records, write_text
from claimeven.records.replays import replay_of
from tests import naive

#: The fault of each status that ends a game.
FAULTS = {"illegal": "x", "crash": ValueError("no")}


def random_columns(rng: random.Random, board: Geometry) -> list[int]:
    game, columns = naive.Game(board.columns, board.rows, board.connect), []
    while not game.over():
        columns.append(rng.choice(game.legal()))
        game = game.play(columns[-1])
    return columns


def replaying(answers: list[object]) -> Callable[..., object]:
    """A Kaggle agent that answers with these, one after the other."""
    left = iter(answers)

    def agent(observation: object, configuration: object) -> object:
        answer = next(left)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return agent


@pytest.mark.parametrize("board", [Geometry(), Geometry(5, 7, 3)])
def test_kaggles_own_replays(board: Geometry) -> None:
    kaggle = pytest.importorskip("kaggle_environments")
    rng = random.Random(11)
    sizes = {"columns": board.columns, "rows": board.rows, "inarow": board.connect}
    for number in range(12):
        columns: list[object] = list(random_columns(rng, board))
        fault = [None, None, *FAULTS][number % 4]
        if fault is not None:
            columns = [*columns[: rng.randrange(len(columns))], FAULTS[fault]]
        environment = kaggle.make("connectx", configuration=sizes)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            environment.run([replaying(columns[0::2]), replaying(columns[1::2])])
        real = environment.toJSON()
        (record,) = read_records(json.dumps(real, indent=2), "kaggle")
        assert list(record.columns) == [c for c in columns if type(c) is int]
        assert (record.geometry, record.fault) == (board, fault)
        ours = replay_of(record)
        for name in ("name", "configuration", "rewards", "statuses", "version", "schema_version"):
            assert ours[name] == real[name]
        for step, theirs in zip(ours["steps"], real["steps"], strict=True):
            for player in theirs:
                player["observation"]["remainingOverageTime"] = 60
            assert step == theirs
        again = kaggle.make("connectx", configuration=sizes, steps=ours["steps"])
        assert again.done
        assert again.state[0].observation.board == real["steps"][-1][0]["observation"]["board"]


@pytest.mark.parametrize("board", [Geometry(), Geometry(6, 5, 3)])
def test_openspiels_own_histories(board: Geometry) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game(
        f"connect_four(rows={board.rows},columns={board.columns},x_in_row={board.connect})"
    )
    rng = random.Random(2)
    lines, documents, games = [], [], []
    for _ in range(40):
        columns = random_columns(rng, board)
        state = game.new_initial_state()
        for column in columns:
            state.apply_action(column)
        record = GameRecord(tuple(columns), board)
        assert state.is_terminal()
        assert (state.returns()[0] > 0) == (record.winner == 0)
        lines.append(state.history_str())
        documents.append(pyspiel.serialize_game_and_state(game, state))
        games.append(record)
        (ours,) = [write_text([record], "openspiel")]
        if board != Geometry():
            _, theirs = pyspiel.deserialize_game_and_state(ours)
            assert theirs.history() == columns
    assert list(read_records("\n".join(lines), "openspiel", board)) == games
    assert list(read_records("".join(documents), "openspiel")) == games
