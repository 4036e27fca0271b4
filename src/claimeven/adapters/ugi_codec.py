"""The words of UGI for positions, limits and decisions, read and written."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from claimeven.agents.base import Agent, Decision, Limit
from claimeven.errors import ClaimevenError
from claimeven.game.encodings import from_fen
from claimeven.game.errors import IllegalMove, InvalidPosition
from claimeven.game.geometry import Geometry
from claimeven.game.notation import parse_column
from claimeven.game.position import Position
from claimeven.montecarlo.layout import MOST_VISITS
from claimeven.solver.scores import plies_to_end

#: Words of `go` that a number follows, in milliseconds or of some quantity.
_TIMES = {"p1time": 0, "p2time": 1, "wtime": 0, "btime": 1}
_INCREMENTS = {"p1inc": 0, "p2inc": 1, "winc": 0, "binc": 1}
_QUANTITIES = ("depth", "nodes", "iterations")
_NUMBERED = ("movetime", *_TIMES, *_INCREMENTS, *_QUANTITIES)
#: Moves that the time left is shared among, and the part of an increment that is used.
_MOVES_LEFT, _PART = 15, 0.8
#: Seconds that the talk takes, taken off the time for a move; and the least time for one.
_TALK, _LEAST = 0.01, 0.001
#: The largest number of milliseconds or nodes that is taken.
_MOST = 10**12
_LETTERS = "abcdefghijklmnop"


def read_position(words: Sequence[str], geometry: Geometry) -> tuple[Position, tuple[str, ...]]:
    """Read what follows `position`: return the position, and the moves as they were written.

    Raises a `ClaimevenError` for what is none on this board.

    >>> position, moves = read_position("startpos moves d 4 c".split(), Geometry())
    >>> position == Position.from_moves("443"), moves
    (True, ('d', '4', 'c'))
    """
    begin = list(words).index("moves") if "moves" in words else len(words)
    start, moves = words[:begin], tuple(words[begin + 1 :])
    if list(start) == ["startpos"]:
        position = Position(geometry)
    elif start[:1] == ["fen"]:
        position = from_fen(" ".join(start[1:]), geometry)
    else:
        raise InvalidPosition("position takes startpos or fen FEN, then moves if there are any")
    for number, move in enumerate(moves, start=1):
        try:
            position = position.play(parse_column(move, geometry))
        except ClaimevenError as error:
            raise IllegalMove(f"move {number}: {error}") from None
    return position, moves


def limit_of(
    words: Sequence[str], agent: Agent, position: Position
) -> tuple[Limit, bool, tuple[str, ...]]:
    """Read what follows `go`: the limit, whether it has none but `stop`, and what is to be told.

    Limits that the agent does not know are left free; nodes are iterations to one that counts
    those. Of clocks a share of the time left is taken.
    """
    numbers = _numbers(words)
    given: dict[str, float | int] = {}
    notes = [
        f"no whole number follows {word}: it is left free"
        for word in _NUMBERED
        if word in words and word not in numbers
    ]
    if "movetime" in numbers:
        given["seconds"] = max(_LEAST, numbers["movetime"] / 1000 - _TALK)
    left = [n / 1000 for word, n in numbers.items() if _TIMES.get(word) == position.turn]
    if left and "seconds" not in given:
        more = [n / 1000 for w, n in numbers.items() if _INCREMENTS.get(w) == position.turn]
        share = left[0] / _MOVES_LEFT + _PART * sum(more)
        given["seconds"] = max(_LEAST, min(share, left[0] / 2) - _TALK)
    for name in _QUANTITIES:
        if name in numbers:
            given[name] = max(1, numbers[name])
    if "nodes" in given and "nodes" not in agent.limits and "iterations" in agent.limits:
        given["iterations"] = given.pop("nodes")
    if "iterations" in given:
        given["iterations"] = min(given["iterations"], MOST_VISITS)
    for name in [name for name in given if name not in agent.limits]:
        del given[name]
        notes.append(f"{agent.name} knows no limit of {name}: it is left free")
    limit = Limit(**given)  # type: ignore[arg-type]  # only seconds can be no whole number
    return limit, "infinite" in words, tuple(notes)


def info_of(decision: Decision, position: Position, seconds: float, letters: bool) -> str:
    """Return the info line that tells of a decision."""
    told = ["info"]
    if decision.depth is not None:
        told.append(f"depth {decision.depth}")
    if decision.score is not None and decision.score != 0:
        plies = plies_to_end(position, decision.score)
        told.append(f"score mate {plies if decision.score > 0 else -plies}")
    elif decision.score is not None or decision.value is not None:
        told.append(f"score cp {round(100 * (decision.value or 0.0))}")
    nodes = decision.nodes if decision.nodes is not None else decision.iterations
    milliseconds = max(0, round(1000 * seconds))
    told.append(f"nodes {nodes or 0} time {milliseconds}")
    told.append(f"nps {round((nodes or 0) / max(seconds, 1e-6))}")
    line = decision.details.get("line") or [decision.column]
    told.append("pv " + " ".join(bestmove_of(column, letters) for column in line))
    return " ".join(told)


def bestmove_of(column: int, letters: bool) -> str:
    """Return the word for a 0-based column.

    >>> bestmove_of(3, True), bestmove_of(3, False)
    ('d', '4')
    """
    return _LETTERS[column] if letters else str(column + 1)


def notation_of(chosen: str, last_move: str) -> bool:
    """Whether columns are letters: as chosen, or as the last move that was read."""
    return not last_move.isdigit() if chosen == "auto" else chosen == "letters"


def result_of(position: Position) -> str:
    """Return how a game ended: p1win, p2win, draw, or none while it goes on.

    >>> result_of(Position.from_moves("1212121"))
    'p1win'
    """
    if position.outcome is None:
        return "none"
    winner = position.outcome.winner
    return "draw" if winner is None else f"p{winner + 1}win"


def _numbers(words: Sequence[str]) -> dict[str, int]:
    """Return the numbers that follow words; those that are none are passed over."""
    found = {}
    for word, text in pairwise(words):
        if text.isascii() and text.removeprefix("-").isdigit():
            found[word] = max(0, min(int(text[:15]), _MOST))
    return found
