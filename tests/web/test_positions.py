"""Positions, scores and explanations over HTTP, against the rules and the solver."""

from __future__ import annotations

import random

import pytest

from claimeven import Geometry, Position, Solver, explain
from claimeven.solver import score_in_words
from claimeven.web.jobs import book_scores, new_columns, scores_json
from tests.naive import Game, winner
from tests.web.conftest import Server, drawn

#: A position of four discs, as it is drawn.
DRAWN = "/".join([*["......."] * 4, "...OO..", "...XX.."])
#: A position that is in no book and is solved immediately.
LATE = "4444413226712"


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(table_mb=8)


@pytest.mark.parametrize(
    ("columns", "rows", "connect"), [(7, 6, 4), (4, 5, 3), (12, 3, 4), (2, 2, 2), (16, 16, 8)]
)
def test_positions_follow_the_rules(server: Server, columns: int, rows: int, connect: int) -> None:
    rng = random.Random(columns)
    game, moves = Game(columns, rows, connect), ""
    asked = {"board": f"{columns}x{rows}", "connect": connect}
    while not game.over():
        column = rng.choice(game.legal())
        game = game.play(column)
        moves += "abcdefghijklmnop"[column] if columns > 9 else str(column + 1)
        output = server.get("/api/position", moves=moves, **asked).json
        assert output["legal"] == [c + 1 for c in game.legal()]
        assert (output["over"], output["ply"], output["turn"]) == (
            game.over(), len(moves), len(moves) % 2 + 1,
        )  # fmt: skip
        assert output["rows"] == [
            "".join({None: ".", 0: "X", 1: "O"}[game.grid[c][row]] for c in range(columns))
            for row in reversed(range(rows))
        ]
        assert output["heights"] == [
            sum(disc is not None for disc in game.grid[c]) for c in range(columns)
        ]
        assert (output["board"], output["connect"], output["start"]) == (*asked.values(), None)
        assert output["moves"] == moves and output["move_columns"][-1] == column + 1
    who = winner(game)
    assert output["outcome"]["winner"] == (None if who is None else who + 1)


def test_the_end_of_a_game_is_reported(server: Server) -> None:
    output = server.get("/api/position", moves="12 13 14 1").json
    position = Position.from_moves("1213141")
    assert output["outcome"] == {
        "winner": 1, "cells": [[1, 1], [1, 2], [1, 3], [1, 4]], "text": "Yellow wins",
    }  # fmt: skip
    assert (output["moves"], output["move_columns"]) == ("1213141", [1, 2, 1, 3, 1, 4, 1])
    assert (output["legal"], output["drawing"]) == ([], str(position))
    full = "547125662261271266215743771576315353334444"
    output = server.get("/api/position", moves=full).json
    assert output["outcome"] == {"winner": None, "cells": [], "text": "draw"}


def test_a_position_may_be_drawn_and_played_on(server: Server) -> None:
    rows = [".......", ".......", ".......", ".......", "...OO..", "...XX.."]
    output = server.ask("GET", f"/api/position?position={drawn(*rows)}&moves=3").json
    assert (output["ply"], output["turn"], output["moves"]) == (5, 2, "3")
    assert output["start"] == "/".join(rows)
    assert output["rows"][-1] == "..XXX.."


@pytest.mark.parametrize("moves", ["", "4455", "12345671", LATE, LATE + "5"])
def test_scores_are_the_solvers(server: Server, solver: Solver, moves: str) -> None:
    output = server.get("/api/scores", moves=moves).json
    position = Position.from_moves(moves)
    if position.ply > 8:
        assert output["scores"] == list(solver.scores(position))
    else:  # the book's own test compares it with searches
        assert output["scores"] == [
            -solver.score(position.play(column)) for column in position.legal_columns
        ]
    assert output["score"] == max(output["scores"])
    assert [column - 1 for column in output["best"]] == list(solver.best_columns(position))
    assert output["from_book"] == (position.ply <= 8)
    assert output["complete"] is True
    moves = (output["plies_to_end"] + 1) // 2
    words = f"Yellow wins in {moves} moves" if output["score"] else "draw"
    assert score_in_words(position, output["score"]) == words


def test_full_columns_have_no_score(server: Server) -> None:
    output = server.get("/api/scores", moves="111111", board="4x6", connect=4).json
    assert output["scores"][0] is output["words"][0] is None
    assert None not in output["scores"][1:]


def test_other_boards_are_solved(server: Server) -> None:
    output = server.get("/api/scores", board="4x4", connect=3).json
    assert output["scores"] == list(Solver(Geometry(4, 4, 3), table_mb=4).scores(
        Position(Geometry(4, 4, 3))
    ))  # fmt: skip


@pytest.mark.parametrize("moves", ["44", LATE])
def test_columns_come_as_they_are_solved(server: Server, moves: str) -> None:
    events = server.events("/api/scores/events", moves=moves)
    name, whole = events[-1]
    assert name == "done"
    assert whole == {**server.get("/api/scores", moves=moves).json, "seconds": whole["seconds"]}
    output = [data for kind, data in events if kind == "column"]
    assert len({data["column"] for data in output}) == len(output)
    assert all(
        whole["scores"][data["column"] - 1] == data["score"]
        and whole["words"][data["column"] - 1] == data["words"]
        for data in output
    )
    assert output or whole["seconds"] < 1


def test_solve_answers_as_other_pages_do(server: Server) -> None:
    assert server.get("/solve", pos="475").json == {
        "pos": "475",
        "score": [-18, -2, -2, -18, -18, -2, -18],
    }
    assert server.get("/solve", pos="111111223").json["score"][0] == 100
    assert server.get("/solve", pos="1212121").error.startswith("the game is over here: ")


def test_partial_scores_are_reported_exactly() -> None:
    position, some = Position.from_moves("121212"), (18, None, 0, None, None, None, -18)
    output = scores_json(position, some, complete=False, nodes=7, seconds=0.5)
    assert output == {
        "score": None, "best": [], "outcome": None, "plies_to_end": None,
        "scores": list(some), "complete": False, "from_book": False, "nodes": 7, "seconds": 0.5,
        "words": [
            "wins immediately", None, "draws", None, None, None, "loses to the next move",
        ],
    }  # fmt: skip
    output = scores_json(position, (18, -3, *[-18] * 5))
    assert (output["score"], output["best"], output["outcome"], output["plies_to_end"]) == (
        18, [1], "win", 1,
    )  # fmt: skip
    seen: set[int] = set()
    first = list(new_columns(position, (None, None, 0, *[None] * 4), seen))
    assert first == [{"column": 3, "score": 0, "words": "draws"}]
    assert [column["column"] for column in new_columns(position, some, seen)] == [1, 7]
    assert book_scores(position) == [18, -3, *[-18] * 5]
    assert book_scores(position.play(0)) == [None] * 7  # a game that is over has no columns


def test_an_explanation_equals_the_package(server: Server, solver: Solver) -> None:
    output = server.get("/api/explanation", moves=LATE).json
    assert output["claims"] and output == explain(LATE, solver).as_dict()


def test_the_book_is_looked_up_without_a_search(server: Server, solver: Solver) -> None:
    done = server.status()["jobs_done"]
    output = server.get("/api/book", moves="44").json
    assert output["in_book"] is True
    assert output["score"] == max(output["scores"]) == 1
    assert output["best"] == [4]
    unknown = server.get("/api/book", moves=LATE).json
    assert (unknown["in_book"], unknown["scores"]) == (False, [None] * 7)
    assert unknown["score"] is None and unknown["best"] == [] and unknown["words"] == [None] * 7
    other = server.get("/api/book", board="5x5").json
    assert (other["book_plies"], other["in_book"], other["scores"]) == (None, False, [None] * 5)
    # Scores by the rules are known too, for columns that end the game and for a game that is over.
    won = server.get("/api/book", moves="12 12 12").json
    assert (won["moves"], won["score"], won["scores"][0], won["best"]) == ("121212", 18, 18, [1])
    assert won["words"][0] == "wins immediately" and won["words"][2] == "loses to the next move"
    over = server.get("/api/book", moves="1212121").json
    assert (over["in_book"], over["score"], over["scores"]) == (True, -18, [None] * 7)
    assert server.status()["jobs_done"] == done
