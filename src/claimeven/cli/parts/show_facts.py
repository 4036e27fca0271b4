"""What `claimeven show` says of a board: discs, turn, wins and threats, runs, evaluations."""

from __future__ import annotations

from typing import Any

from claimeven.cli.shared.inputs import Given
from claimeven.evaluation import EVALUATIONS, count_by_length, sequence_list
from claimeven.game import encodings
from claimeven.game.drawing import describe
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_name
from claimeven.game.position import Position
from claimeven.game.tactics import playable_cells, winning_cells

_STEPS = {(0, 1): "up", (1, 0): "right", (1, 1): "right-up", (1, -1): "right-down"}


def position_of(given: Given) -> Position:
    """Return the position of a game, or the discs of a board in whatever numbers they are."""
    if given.record is not None or given.board is None:
        assert given.record is not None
        return given.record.position
    first, second = given.board.first, given.board.second
    mine = second if (first | second).bit_count() % 2 else first
    return Position.unchecked(given.board.geometry, mine, first | second)


def facts_of(given: Given, position: Position) -> dict[str, Any]:
    """Return the facts as JSON has them; columns and rows count from 1."""
    board = position.geometry
    is_game = given.record is not None
    views = _views(position)
    wins = [winning_cells(discs, position.mask, board) for discs in position.discs]
    playable = playable_cells(position.mask, board)
    return {
        **board.as_dict(),
        "moves": given.moves if is_game else None,
        "problem": None if is_game else given.error,
        "fen": encodings.to_fen(position),
        "discs": [discs.bit_count() for discs in position.discs],
        "turn": position.turn if is_game and not position.is_over else None,
        "outcome": str(position.outcome) if is_game and position.is_over else None,
        "legal_columns": [column + 1 for column, _ in board.cells_of(playable)]
        if not (is_game and position.is_over)
        else [],
        "winning_columns": [_columns(cells & playable, board) for cells in wins],
        "threats": [_cells(cells, board) for cells in wins],
        "counts": {
            str(length): [count_by_length(position, player, length) for player in (0, 1)]
            for length in range(1, board.connect + 1)
        },
        "sequences": [
            [
                {
                    "start": [s.start[0] + 1, s.start[1] + 1],
                    "step": list(s.step),
                    "length": s.length,
                }
                for s in sequence_list(position, player)
            ]
            for player in (0, 1)
        ],
        "evaluations": {
            name: [evaluation(view) for view in views] for name, evaluation in EVALUATIONS.items()
        },
    }


def _views(position: Position) -> tuple[Position, Position]:
    """Return a position as the first and as the second player would evaluate it."""
    own, other = position, position.swapped()
    return (other, own) if position.turn else (own, other)


def _columns(cells: int, board: Geometry) -> list[int]:
    return [column + 1 for column, _ in board.cells_of(cells)]


def _cells(cells: int, board: Geometry) -> list[str]:
    return [f"{column_name(column, board)}{row + 1}" for column, row in board.cells_of(cells)]


def facts_text(given: Given, position: Position, sequences: bool) -> str:
    """Return the facts as lines; `sequences` lists the runs too."""
    told = facts_of(given, position)
    board, (first, second) = position.geometry, told["discs"]
    names = [column_name(column - 1, board) for column in told["legal_columns"]]
    lines = [
        f"board        {board}",
        f"discs        first player (X) {first}, second player (O) {second}",
        f"turn         {describe(position)}",
        f"legal        {' '.join(names) or 'none'}",
    ]
    if told["problem"]:
        lines[2] = f"turn         none: {told['problem']}, so no game leads here"
    for player, name in enumerate(("first", "second")):
        at_once = [column_name(column - 1, board) for column in told["winning_columns"][player]]
        cells = " ".join(told["threats"][player]) or "none"
        wins = f", wins at once in {' '.join(at_once)}" * bool(at_once)
        lines.append(f"{'lines end in' if player == 0 else ' ' * 12} {name}: {cells}{wins}")
    rows = [("", "first", "second")]
    rows += [(f"runs of {length}", *each) for length, each in told["counts"].items()]
    rows += [(name, *each) for name, each in told["evaluations"].items()]
    lines += ["", *(f"{name:<18}{one!s:>10}{two!s:>10}" for name, one, two in rows)]
    if sequences:
        for player, name in enumerate(("first", "second")):
            lines += ["", f"runs of the {name} player: length, first cell, direction"]
            lines += [
                f"  {s.length}  {column_name(s.start[0], board)}{s.start[1] + 1}  {_STEPS[s.step]}"
                for s in sequence_list(position, player)
            ]
    return "\n".join(lines)
