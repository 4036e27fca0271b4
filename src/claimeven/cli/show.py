"""`claimeven show`: boards in any form, drawn and written in any form, with counts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from claimeven.cli.common.json_lines import plain, write_json
from claimeven.cli.common.move_inputs import Given, Inputs, source_option
from claimeven.cli.common.options import WordChoice, geometry_options, json_option
from claimeven.cli.common.output import board_text, fitted, text_width
from claimeven.cli.common.streams import printable
from claimeven.cli.parts.show_facts import facts_of, facts_text, position_of
from claimeven.errors import ClaimevenError
from claimeven.game import encodings
from claimeven.game.drawing import CHARSETS, STYLES, draw
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.game.svg import draw_svg

#: What --as takes: drawings by style and charset, then the encodings, then other texts.
_DRAWINGS = {f"{style}-{charset}": (style, charset) for style in STYLES for charset in CHARSETS}
_ENCODINGS = (
    "polito", "lund", "stacks", "characters", "kaggle", "pettingzoo", "pgx", "openspiel", "uci",
    "theaigames", "fen",
)  # fmt: skip
_TEXTS: dict[str, Callable[[Position], str]] = {"svg": draw_svg, "python": repr}
FORMS = (*_DRAWINGS, *_ENCODINGS, "moves", *_TEXTS)


@click.command("show")
@click.argument("positions", metavar="POSITION...", nargs=-1, required=True)
@click.option(
    "--as",
    "form",
    type=WordChoice(*FORMS),
    metavar="FORM",
    help=f"Print only the board, in one of these forms: {', '.join(FORMS)}.",
)
@click.option("--sequences", is_flag=True, help="List every straight run of each player too.")
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

    POSITION is moves, a file, the text of a board, or - for stdin, in any form that `convert`
    reads: drawings, arrays as Python, NumPy and JSON print them, FEN, replays, histories. A board
    that no game reaches, as with four discs against two, is shown as well; other commands refuse
    it.

    A run of length L is a straight window of L cells that a player fills, so a run of 4 holds two
    of length 3, and a disc is in four of length 1. Evaluations are from the view of each player.
    Columns count from 1.

    --as prints only the board: a drawing, or an encoding of the documents, "Boards in other forms".

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
    given: Given, form: str | None, sequences: bool, as_json: bool, is_one_of_many: bool
) -> None:
    position = position_of(given)
    board = None if form is None else _encoded(given, position, form)
    if as_json:
        told = facts_of(given, position)
        write_json(told if form is None else told | {"board": board}, sys.stdout)
    elif form is not None:
        print(board if isinstance(board, str) else plain(board))
    else:
        if is_one_of_many and given.record is not None:
            print(f"position {printable(given.moves) or '(the empty board)'}")
        print(board_text(position, sys.stdout, result=given.record is not None))
        facts = fitted(facts_text(given, position, sequences), text_width())
        print("\n" + facts + "\n" * is_one_of_many)


def _encoded(given: Given, position: Position, form: str) -> Any:
    """Return a board in a form of `FORMS`."""
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
