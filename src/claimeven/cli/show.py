"""`claimeven show`: draw, evaluate and encode boards."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from claimeven.cli.common.move_inputs import Input, Inputs, source_option
from claimeven.cli.common.options import WordChoice, geometry_options, json_option
from claimeven.cli.common.output import board_text, show
from claimeven.cli.common.streams import json_data, one_line, write_json
from claimeven.errors import ClaimevenError
from claimeven.evaluation import EVALUATIONS, Sequence, count_by_length, sequence_list
from claimeven.game import encodings
from claimeven.game.bitboard import playable_cells, winning_cells
from claimeven.game.drawing import CHARSETS, STYLES, describe, draw
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_name
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.game.position import Position
from claimeven.game.svg import draw_svg

#: The choices of --as: drawings by style and charset, encodings, other texts.
_DRAWINGS = {f"{style}-{charset}": (style, charset) for style in STYLES for charset in CHARSETS}
_ENCODINGS = (
    "polito", "lund", "stacks", "characters", "kaggle", "pettingzoo", "pgx", "openspiel", "uci",
    "theaigames", "fen",
)  # fmt: skip
_TEXTS: dict[str, Callable[[Position], str]] = {"svg": draw_svg, "python": repr}
FORMS = (*_DRAWINGS, *_ENCODINGS, "moves", *_TEXTS)

YELLOW, RED = PLAYER_NAMES
_STEPS = {(0, 1): "up", (1, 0): "right", (1, 1): "right-up", (1, -1): "right-down"}


@click.command("show")
@click.argument("positions", metavar="POSITION...", nargs=-1, required=True)
@click.option(
    "--as",
    "form",
    type=WordChoice(*FORMS),
    metavar="FORM",
    help=f"Print only the board, in this notation: {', '.join(FORMS)}.",
)
@click.option("--sequences", is_flag=True, help="Also list every straight run of each player.")
@source_option
@json_option
@geometry_options
@click.pass_context
def command(
    ctx: click.Context,
    positions: tuple[str, ...],
    form: str | None,
    sequences: bool,
    source: str | None,
    as_json: bool,
    geometry: Geometry,
) -> None:
    """Draw the board of each POSITION, count its runs and evaluate it for both players.

    POSITION is moves, a file, the text of a board, or - for stdin, in any format that `convert`
    reads: drawings, arrays as printed by Python, NumPy and JSON, FEN, replays, histories. Boards
    that no game reaches, such as four discs against two, are accepted too; other commands reject
    them.

    A run of length L is a straight window of L cells that a player fills: a run of 4 contains two
    of length 3, and a single disc counts in four directions. Evaluations are for each player.
    Columns are numbered from 1.

    --as prints only the board: a drawing or an encoding (see the guide "Boards in other forms").

    \b
    Examples:
      claimeven show 4455
      claimeven show board.txt
      claimeven show 4455 --as box-ascii
      claimeven show "[[0,0,0,0],[0,0,0,0],[0,1,0,0],[0,1,2,0]]" --connect 3
      claimeven show replay.json --as kaggle
      claimeven show 7/7/7/7/7/3r3 --sequences --json
    """
    inputs = Inputs(positions, geometry, source=source, takes_boards=True)
    for given in inputs:
        if given.record is None and given.board is None:
            print("null" if as_json else "")
        else:
            _show(given, form, sequences, as_json, inputs.are_many)
        sys.stdout.flush()
    if inputs.failed:
        ctx.exit(1)


def _show(
    given: Input, form: str | None, sequences: bool, as_json: bool, is_one_of_many: bool
) -> None:
    position = _position_of(given)
    board = None if form is None else _encoded(given, position, form)
    if as_json:
        facts = _facts_of(given, position)
        write_json(facts if form is None else facts | {"board": board}, sys.stdout)
    elif form is not None:
        print(board if isinstance(board, str) else json_data(board))
    else:
        if is_one_of_many and given.record is not None:
            print(f"position {one_line(given.moves) or '(the empty board)'}")
        print(board_text(position, sys.stdout, result=given.record is not None))
        show(f"\n{_facts_text(given, position, sequences)}" + "\n" * is_one_of_many)


def _encoded(given: Input, position: Position, form: str) -> Any:
    if form in _DRAWINGS:
        style, charset = _DRAWINGS[form]
        return draw(position, style=style, charset=charset, result=given.record is not None)
    if form == "moves":
        if given.record is None:
            raise ClaimevenError(f"no moves lead to this board: {given.error}")
        return given.moves
    if form in _TEXTS:
        return str(_TEXTS[form](position))
    return getattr(encodings, f"to_{form}")(position)


def _position_of(given: Input) -> Position:
    """Return the position of a game, or the discs of a board in any number."""
    if given.record is not None:
        return given.record.position
    board = given.board
    assert board is not None  # one of both is set
    mine = board.second if (board.first | board.second).bit_count() % 2 else board.first
    return Position.unchecked(board.geometry, mine, board.first | board.second)


def _facts_of(given: Input, position: Position) -> dict[str, Any]:
    board, is_game = position.geometry, given.record is not None
    is_over = is_game and position.is_over
    wins = [winning_cells(discs, position.mask, board) for discs in position.discs]
    playable = playable_cells(position.mask, board)
    views = (position, position.with_sides_swapped())[:: -1 if position.turn else 1]
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


def _facts_text(given: Input, position: Position, sequences: bool) -> str:
    """Return the facts as lines; `sequences` also lists the runs."""
    facts, board = _facts_of(given, position), position.geometry

    def names(columns: list[int]) -> str:
        return " ".join(column_name(column - 1, board) for column in columns) or "none"

    first, second = facts["discs"]
    problem = f"invalid: {facts['problem']}, so no game reaches this board"
    lines = [
        f"board        {board}",
        f"discs        {YELLOW} (X) {first}, {RED} (O) {second}",
        f"turn         {problem if facts['problem'] else describe(position)}",
        f"legal        {names(facts['legal_columns'])}",
    ]
    if given.board is not None and given.board.is_swapped:
        lines.append("symbols      O (2, -1) moves first in the input and is X here")
    tables = []
    for player, name in enumerate(PLAYER_NAMES):
        columns = facts["winning_columns"][player]
        wins = f", wins immediately in {names(columns)}" * bool(columns)
        cells = " ".join(facts["threats"][player]) or "none"
        lines.append(f"{'' if player else 'winning cells':<13}{name}: {cells}{wins}")
        tables += ["", f"runs of {name}: length, first cell, direction"]
        tables += [
            f"  {run.length}  {_cell(*run.start, board)}  {_STEPS[run.step]}"
            for run in sequence_list(position, player)
        ]
    rows = [("", [YELLOW, RED])]
    rows += [(f"runs of {length}", each) for length, each in facts["counts"].items()]
    lines += [""] + [
        f"{name:<18}{one!s:>10}{two!s:>10}"
        for name, (one, two) in [*rows, *facts["evaluations"].items()]
    ]
    return "\n".join(lines + tables * sequences)
