"""The computations of the report from Lund: its evaluation and its search of depth 5.

The report prints the search, the diagonals and the scores; the moves, the test for a win and the
horizontal and vertical sets of four, which it describes, are written here. The search is run as
printed and with the mend `turns`: in the branch of the opponent the listing drops a disc of the
player and stays in that branch ever after, but in the text the sides take turns.
"""

from __future__ import annotations

import ast
import copy
import math
import textwrap
from typing import Any

import numpy as np

from tests.originals.documents import Document, Namespace, beginning, run
from tests.originals.positions import columns_of

ROWS, COLUMNS = 6, 7
PLAYER, OPPONENT, EMPTY = 1, -1, 0
#: Positions searched to each depth.
SEARCHED = {1: 300, 2: 300, 3: 150, 4: 60, 5: 60}
#: The listings by their order in the report.
SEARCH, DIAGONALS, SCORES = 0, 2, 3


def turns(module: ast.Module) -> None:
    """Mend the branch of the opponent: in its calls `isMax` and `not isMax` change places."""
    (function,) = module.body
    branch = next(
        statement
        for statement in ast.walk(function)
        if isinstance(statement, ast.If)
        and isinstance(statement.test, ast.Name)
        and statement.test.id == "isMax"
    )
    changed = 0
    for part in branch.orelse:
        for call in ast.walk(part):
            if not isinstance(call, ast.Call) or not call.args:
                continue
            last = call.args[-1]
            if isinstance(last, ast.Name) and last.id == "isMax":
                call.args[-1] = ast.UnaryOp(ast.Not(), ast.Name("isMax", ast.Load()))
                changed += 1
            elif isinstance(last, ast.UnaryOp) and isinstance(last.op, ast.Not):
                call.args[-1] = ast.Name("isMax", ast.Load())
                changed += 1
    assert changed == 2, changed


class Code:
    """The code of the report, as printed or with the mend."""

    def __init__(self, document: Document, mended: bool) -> None:
        listings = document.listings()
        scores = "def score_of(ownSlots, opponentSlots, emptySlots):\n    score = 0\n"
        scores += textwrap.indent(textwrap.dedent(listings[SCORES].strip("\n")), "    ")
        self._score_of = run(ast.parse(scores), {})["score_of"]
        diagonals = "def diagonals(board, player, findInARow):\n    inARow = 0\n"
        diagonals += textwrap.indent(listings[DIAGONALS], "    ") + "\n    return inARow\n"
        self._diagonals = run(ast.parse(diagonals), {})["diagonals"]
        self.evaluations = 0
        given: Namespace = {
            "math": math, "copy": copy, "play": self._play, "get_valid_moves": self._moves,
            "isWinningMove": self._has_won, "evaluate": self._evaluated,
        }  # fmt: skip
        search = beginning(listings[SEARCH])
        self._search = run(search, given, *([turns] if mended else []))["minimax"]

    def evaluate(self, moves: str) -> int:
        """Evaluate for the side to move, which is the player of the report."""
        return int(self._evaluated(self._board(moves))[1])

    def search(self, moves: str, depth: int) -> list[int | None]:
        """Column chosen, then the value of every column, None for a full one."""
        board = self._board(moves)
        values: list[int | None] = [None] * COLUMNS
        for column in self._moves(board):
            after = board.copy()
            self._play(after, column, True)
            value = self._search(after, depth - 1, -math.inf, math.inf, False)[1]
            values[column] = None if math.isinf(value) else int(value)
        return [int(self._search(board, depth, -math.inf, math.inf, True)[0]), *values]

    @staticmethod
    def _board(moves: str) -> Any:
        board, side = np.zeros((ROWS, COLUMNS), dtype=int), (-1) ** len(moves)
        for column in columns_of(moves):
            row = max(r for r in range(ROWS) if board[r, column] == EMPTY)
            board[row, column] = side
            side = -side
        return board

    @staticmethod
    def _moves(board: Any) -> list[int]:
        return [column for column in range(COLUMNS) if board[0, column] == EMPTY]

    @staticmethod
    def _play(board: Any, column: int, is_player: bool) -> None:
        row = max(r for r in range(ROWS) if board[r, column] == EMPTY)
        board[row, column] = PLAYER if is_player else OPPONENT

    @staticmethod
    def _sets(board: Any) -> list[list[int]]:
        """Horizontal and vertical sets of four."""
        across = [list(board[r, c : c + 4]) for r in range(ROWS) for c in range(COLUMNS - 3)]
        return across + [list(board[r : r + 4, c]) for r in range(ROWS - 3) for c in range(COLUMNS)]

    def _has_won(self, board: Any, is_player: bool) -> bool:
        wanted = [PLAYER if is_player else OPPONENT] * 4
        found: list[list[int]] = self._sets(board)
        self._diagonals(board, PLAYER, lambda cells: found.append(list(cells)) or 0)
        return wanted in found

    def _evaluated(self, board: Any) -> list[int]:
        self.evaluations += 1
        total = sum(self._set_score(cells) for cells in self._sets(board))
        return [-1, total + self._diagonals(board, PLAYER, self._set_score)]

    def _set_score(self, cells: Any) -> int:
        cells = list(cells)
        return int(self._score_of(cells.count(PLAYER), cells.count(OPPONENT), cells.count(EMPTY)))


def record(document: Document, going_on: list[str], finished: list[str]) -> dict[str, Any]:
    """Run the report's code on positions; return its answers."""
    printed, text = Code(document, False), Code(document, True)
    return {
        "evaluation": [text.evaluate(moves) for moves in going_on + finished],
        **{
            name: {
                str(depth): [code.search(moves, depth) for moves in going_on[:count]]
                for depth, count in SEARCHED.items()
            }
            for name, code in (("printed", printed), ("text", text))
        },
    }
