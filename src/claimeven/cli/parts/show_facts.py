"""What `claimeven show` says of a board: discs, turn, wins and threats, runs, evaluations."""

from __future__ import annotations

from typing import Any

from claimeven.cli.common.move_inputs import Given
from claimeven.evaluation import EVALUATIONS, Sequence, count_by_length, sequence_list
from claimeven.game import encodings
from claimeven.game.bitboard import playable_cells, winning_cells
from claimeven.game.drawing import describe
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_name
from claimeven.game.position import Position

_STEPS = {(0, 1): "up", (1, 0): "right", (1, 1): "right-up", (1, -1): "right-down"}


def position_of(given: Given) -> Position:
    """Return the position of a game, or the discs of a board in whatever numbers they are."""
    if given.record is not None:
        return given.record.position
    board = given.board
    assert board is not None  # one of them is there
    mine = board.second if (board.first | board.second).bit_count() % 2 else board.first
    return Position.unchecked(board.geometry, mine, board.first | board.second)


def facts_of(given: Given, position: Position) -> dict[str, Any]:
    """Return the facts as JSON has them; columns and rows count from 1."""
    board, is_game = position.geometry, given.record is not None
    is_over = is_game and position.is_over
    wins = [winning_cells(discs, position.mask, board) for discs in position.discs]
    playable = playable_cells(position.mask, board)
    views = (position, position.swapped())[:: -1 if position.turn else 1]
    runs = [[_run_dict(run) for run in sequence_list(position, player)] for player in (0, 1)]
    return {
        **board.as_dict(),
        "moves": given.moves if is_game else None,
        "problem": None if is_game else given.error,
        "fen": encodings.to_fen(position),
        "discs": [discs.bit_count() for discs in position.discs],
        "turn": position.turn if is_game and not is_over else None,
        "outcome": str(position.outcome) if is_over else None,
        "legal_columns": [] if is_over else _columns(playable, board),
        "winning_columns": [_columns(cells & playable, board) for cells in wins],
        "threats": [[_cell(*cell, board) for cell in board.cells_of(cells)] for cells in wins],
        "counts": {
            str(length): [count_by_length(position, player, length) for player in (0, 1)]
            for length in range(1, board.connect + 1)
        },
        "sequences": runs,
        "evaluations": {name: [*map(each, views)] for name, each in EVALUATIONS.items()},
    }


def _run_dict(run: Sequence) -> dict[str, Any]:
    start = [run.start[0] + 1, run.start[1] + 1]
    return {"start": start, "step": list(run.step), "length": run.length}


def _columns(cells: int, board: Geometry) -> list[int]:
    return [column + 1 for column, _ in board.cells_of(cells)]


def _cell(column: int, row: int, board: Geometry) -> str:
    return f"{column_name(column, board)}{row + 1}"


def facts_text(given: Given, position: Position, sequences: bool) -> str:
    """Return the facts as lines; `sequences` lists the runs too."""
    told, board = facts_of(given, position), position.geometry

    def names(columns: list[int]) -> str:
        return " ".join(column_name(column - 1, board) for column in columns) or "none"

    first, second = told["discs"]
    problem = f"none: {told['problem']}, so no game leads here"
    lines = [
        f"board        {board}",
        f"discs        first player (X) {first}, second player (O) {second}",
        f"turn         {problem if told['problem'] else describe(position)}",
        f"legal        {names(told['legal_columns'])}",
    ]
    if given.board is not None and given.board.is_swapped:
        lines.append("symbols      O (2, -1) moved first in the text and is X here")
    tables = []
    for player, name in enumerate(("first", "second")):
        columns = told["winning_columns"][player]
        wins = f", wins at once in {names(columns)}" * bool(columns)
        cells = " ".join(told["threats"][player]) or "none"
        lines.append(f"{'' if player else 'lines end in':<12} {name}: {cells}{wins}")
        tables += ["", f"runs of the {name} player: length, first cell, direction"]
        tables += [
            f"  {run.length}  {_cell(*run.start, board)}  {_STEPS[run.step]}"
            for run in sequence_list(position, player)
        ]
    rows = [("", ["first", "second"])]
    rows += [(f"runs of {length}", each) for length, each in told["counts"].items()]
    lines += [""] + [
        f"{name:<18}{one!s:>10}{two!s:>10}"
        for name, (one, two) in [*rows, *told["evaluations"].items()]
    ]
    return "\n".join(lines + tables * sequences)
