"""`claimeven solve --pons`: reading, writing and refusing just as Pons's connect4 solver does."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from claimeven.cli.parts.solve_sources import ScoreSource, effort_words
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.notation import parse_column
from claimeven.game.position import Position
from claimeven.records import open_records

#: What stands for the score of a full column.
_FULL = -1000


def answer_like_pons(
    arguments: tuple[str, ...],
    source: ScoreSource,
    geometry: Geometry,
    every: bool,
    weak: bool,
    effort: bool,
) -> None:
    """Answer lines: the moves, the score, and nodes and microseconds where they are asked for.

    A line with a move that cannot be played, or with one that ends the game by a line, is told on
    stderr with the number of the line and of the move, and answered by an empty one.
    """
    try:
        for number, line in enumerate(_lines(arguments), start=1):
            moves = line.rstrip("\r\n")
            position, wrong = _played(moves, geometry)
            if wrong:
                print(f'Line {number}: Invalid move {wrong} "{moves}"', file=sys.stderr)
                print(flush=True)
                continue
            nodes, seconds = source.nodes, source.seconds
            scores = _scores(source, position, moves, every, weak)
            words = [moves, *map(str, scores)]
            if effort:
                words += effort_words(source, nodes, seconds)
            print(" ".join(words), flush=True)
    finally:
        source.close()


def _lines(arguments: tuple[str, ...]) -> Iterable[str]:
    """Yield the lines of stdin, or of the files and move strings given."""
    for argument in arguments or ("-",):
        if argument == "-":
            yield from sys.stdin
        elif any(character in argument for character in "./\\"):
            with open_records(argument) as lines:
                yield from lines
        else:
            yield argument


def _played(moves: str, geometry: Geometry) -> tuple[Position, int]:
    """Return the position after some moves, and the number of the first that is invalid, 0 if none
    is.
    """
    position = Position(geometry)
    for number, move in enumerate(moves, start=1):
        try:
            position = position.play(parse_column(move, geometry) if move.strip() else -1)
        except ClaimevenError:
            return position, number
        if position.outcome is not None and position.outcome.winner is not None:
            return position, number
    return position, 0


def _scores(
    source: ScoreSource, position: Position, moves: str, every: bool, weak: bool
) -> Iterable[int]:
    if every:
        told = () if position.is_over else source.scores(position, moves)
        told = told or (None,) * position.geometry.columns
        return [_FULL if score is None else score for score in told]
    if position.is_over:
        return [0]
    return [source.outcome(position, moves) if weak else source.score(position, moves)]
