"""The computations of the notebook of Politecnico di Torino: counts, evaluations, searches,
drawings.

Its text is followed by mending, in the code that was pulled out of it:

`ahead`      the look beyond the open end of a run starts at the next cell, not one farther
`diagonals`  runs are looked for on every diagonal
`view`       values are the root's side's at every depth, not only at odd ones
`scale`      a win is worth more than any evaluation, one that expects a win included
`cut`        columns are skipped as soon as the bounds meet, not only once they cross
"""

from __future__ import annotations

import ast
import functools
import itertools
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.originals.documents import Document, Mend, Namespace, expression, mend, run
from tests.originals.positions import columns_of

BOARD_CODE = ("NUM_COLUMNS", "COLUMN_HEIGHT", "FOUR", "WIN", "valid_moves", "play", "take_back",
              "four_in_a_row", "count_by_length")  # fmt: skip
EVALUATION_CODE = (*BOARD_CODE, "build_fast_convolution_cache", "fast_convolution_dict",
                   "fast_convolve", "Sequence", "compute_sequences", "heuristic_eval")  # fmt: skip
SEARCH_CODE = (*BOARD_CODE, "vanilla_minimax", "alphabeta", "playout_policy")
GAME_CODE = (*SEARCH_CODE, "naive_player", "play_game")

GIVEN: Namespace = {
    "np": np, "math": math, "itertools": itertools, "functools": functools, "dataclass": dataclass,
    "List": list,
}  # fmt: skip
#: Winning lines are worth this in the mended searches, more than any evaluation.
GREAT = 10**12
#: Positions that the slower searches are run on.
FEWER = 300
#: Seed of the game that the notebook shows, and calls of the evaluation it took.
SHOWN_GAME = (1234, 906)


def all_diagonals(module: ast.Module) -> None:
    """Mend `diagonals`."""
    mend("count_by_length", _replace(_is_range, "range(-6, 6)"), 2)(module)
    if any(isinstance(s, ast.FunctionDef) and s.name == "compute_sequences" for s in module.body):
        mend("compute_sequences", _replace(_is_range, "range(-6, 6)"), 2)(module)


look_ahead = mend(
    "heuristic_eval",
    lambda node: expression("range(1, 4 - new_length + 1)") if _is_range(node) else None,
)


def root_view(module: ast.Module) -> None:
    """Mend `view`."""
    for function, flag in (("vanilla_minimax", "minimize"), ("alphabeta", "minimizer")):
        mend(function, functools.partial(_turned, flag=flag), 3)(module)


def cut_when_met(module: ast.Module) -> None:
    """Mend `cut`."""

    def change(node: ast.AST) -> ast.AST | None:
        if isinstance(node, ast.If) and isinstance(node.body[0], ast.Break):
            test = node.test
            assert isinstance(test, ast.Compare)
            wider = {ast.Lt: ast.LtE(), ast.Gt: ast.GtE()}
            return ast.If(ast.Compare(test.left, [wider[type(test.ops[0])]], test.comparators),
                          node.body, [])  # fmt: skip
        return None

    mend("alphabeta", change, 2)(module)


def _is_range(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and (node.func.id == "range")
    )


def _replace(matches: Callable[[ast.AST], bool], source: str) -> Callable[[ast.AST], Any]:
    return lambda node: expression(source) if matches(node) else None


def _turned(node: ast.AST, flag: str) -> ast.AST | None:
    """Turn the value that a search returns at rest to the view of the root's opponent."""
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
        column, value = node.value.elts
        if isinstance(column, ast.Constant) and column.value is None:
            turned = ast.IfExp(ast.Name(flag, ast.Load()), ast.UnaryOp(ast.USub(), value), value)
            return ast.Return(ast.Tuple([column, turned], ast.Load()))
    return None


class Counted:
    """A function that counts its calls."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.calls = 0

    def __call__(self, *arguments: Any) -> Any:
        self.calls += 1
        return self.function(*arguments)


class Code:
    """The code of the notebook, as printed or mended."""

    def __init__(self, document: Document, *mended: str) -> None:
        mends: dict[str, Mend] = {"ahead": look_ahead, "diagonals": all_diagonals}
        self.evaluation = run(
            document.code(EVALUATION_CODE),
            GIVEN,
            *(mends[name] for name in mended if name in mends),
        )
        mends = {"view": root_view, "cut": cut_when_met, "diagonals": all_diagonals}
        self.search = run(
            document.code(GAME_CODE), GIVEN, *(mends[name] for name in mended if name in mends)
        )
        if "scale" in mended:
            self.search["WIN"] = GREAT

    def board(self, moves: str) -> tuple[Any, int]:
        """Return the board of a game and the player to move, 1 or -1."""
        board, player = np.zeros((7, 6), dtype=np.byte), 1
        for column in columns_of(moves):
            self.search["play"](board, column, player)
            player = -player
        return board, player

    def evaluate(self, moves: str) -> int:
        """Evaluate for the side to move."""
        return int(self.evaluation["heuristic_eval"](*self.board(moves)))

    def counts(self, moves: str) -> list[int]:
        """Count the runs of 1 to 4 of the first player and then of the second."""
        board, _ = self.board(moves)
        count = self.evaluation["count_by_length"]
        return [int(count(board, player, length)) for player in (1, -1) for length in range(1, 5)]

    def choice(self, search: str, moves: str) -> list[int]:
        """Column, value and calls of the evaluation of a search of depth 3.

        The value is the root's opponent's, as the original has it.
        """
        score = Counted(self.evaluation["heuristic_eval"])
        column, value = self.search[search](*self.board(moves), depth=3, score_func=score)
        return [int(column), int(value), score.calls]

    def policy(self, moves: str) -> int:
        """Column of the playout policy, an alpha-beta search of depth 2."""
        return int(self.search["playout_policy"](*self.board(moves)))

    def shown_game(self) -> dict[str, Any]:
        """Play the game that the notebook shows: its winner, moves and evaluation calls."""
        score = Counted(self.evaluation["heuristic_eval"])
        moves: list[int] = []

        def noted(column: int) -> int:
            moves.append(int(column))
            return column

        np.random.seed(SHOWN_GAME[0])
        board, _ = self.board("")
        winner = self.search["play_game"](
            board,
            1,
            lambda board: noted(self.search["alphabeta"](board, 1, depth=3, score_func=score)[0]),
            lambda board: noted(self.search["naive_player"](board)),
        )
        return {"winner": winner, "moves": "".join(str(c + 1) for c in moves), "calls": score.calls}


def formula(document: Document) -> list[list[float]]:
    """Value of a node in the tree search for visits of its parent, its own, and its wins."""
    code = run(document.code(["MCTSNode"]), {**GIVEN, "Optional": {"MCTSNode": None}})
    rows = []
    for above, visits in ((1, 0), (5, 0), (1, 1), (7, 3), (50, 9), (100, 40), (1000, 999)):
        for wins in sorted({0, min(1, visits), visits // 2, visits}):
            parent = code["MCTSNode"](None, 1, 0)
            node = code["MCTSNode"](None, -1, 0, parent)
            parent.n_simulations, node.n_simulations, node.utility = above, visits, wins
            rows.append([above, visits, wins, float(node.UCT())])
    return rows


def drawings(document: Document) -> list[list[str]]:
    """The boards that the notebook shows, line by line."""
    shown = re.findall(r"(?ms)^P1: X.*?^ +0 +1 .*?$", document.text)
    return [drawing.splitlines() for drawing in shown]


def record(document: Document, going_on: list[str], finished: list[str]) -> dict[str, Any]:
    """Run the notebook's code on positions; return its answers."""
    printed = Code(document)
    text = Code(document, "ahead", "diagonals", "view", "scale", "cut")
    answers: dict[str, Any] = {}
    for name, code in (("printed", printed), ("text", text)):
        answers[name] = {
            "counts": [code.counts(moves) for moves in going_on],
            "evaluation": [code.evaluate(moves) for moves in going_on],
            "minimax": [code.choice("vanilla_minimax", m) for m in going_on[:FEWER]],
            "alphabeta": [code.choice("alphabeta", moves) for moves in going_on],
            "policy": [code.policy(moves) for moves in going_on],
            "shown_game": code.shown_game(),
            "four": [code.counts(moves)[3::4] for moves in finished],
        }
    for name in ("ahead", "diagonals"):
        code = Code(document, name)
        answers[name] = {"evaluation": [code.evaluate(moves) for moves in going_on]}
    for name in ("view", "scale", "cut"):
        code = Code(document, name)
        answers[name] = {"alphabeta": [code.choice("alphabeta", m) for m in going_on[:FEWER]]}
    assert answers["printed"]["shown_game"]["calls"] == SHOWN_GAME[1], answers["printed"]
    answers["formula"] = formula(document)
    answers["drawings"] = drawings(document)
    return answers
