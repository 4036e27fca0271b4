"""The arguments of a board in a notebook."""

from __future__ import annotations

from collections.abc import Iterable

from claimeven.agents.base import Agent, Limit
from claimeven.agents.registry import AgentLike, make_agents
from claimeven.errors import ClaimevenError
from claimeven.game.game_line import GameLine
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.game.validation import seed_number, whole_number
from claimeven.records import read_text
from claimeven.solver import Solver


def check_arguments(
    geometry: Geometry, seat: object, limit: object, seed: object, solver: object
) -> None:
    """Raise `ClaimevenError` for arguments of a board that cannot be."""
    if whole_number(seat, "a seat") not in (0, 1):
        raise ClaimevenError(f"a seat must be 0 (moves first) or 1, got {seat}")
    if not isinstance(limit, Limit | None):
        raise ClaimevenError(f"a limit is a Limit, as Limit(seconds=1), not {limit!r}")
    seed_number(seed)
    if not isinstance(solver, Solver | None):
        raise ClaimevenError(f"a solver is a Solver, not {solver!r}")
    if solver is not None and solver.geometry != geometry:
        raise ClaimevenError(f"the solver is for {solver.geometry}, and the board is {geometry}")


def game_line(game: object, geometry: Geometry | None) -> GameLine:
    """Return the line that a board starts with."""
    if not isinstance(geometry, Geometry | None):
        raise ClaimevenError(f"a board is a Geometry, as Geometry(9, 7), not {geometry!r}")
    if isinstance(game, Position | GameLine):
        line = GameLine(game) if isinstance(game, Position) else GameLine(game.start, game.columns)
        if geometry not in (None, line.start.geometry):
            raise ClaimevenError(f"the game is on {line.start.geometry}, not on {geometry}")
        return line
    if not isinstance(game, Iterable):
        raise ClaimevenError(f"a game is moves, a GameLine or a Position, not {game!r}")
    board = geometry or STANDARD
    if isinstance(game, str):
        record = read_text(game, board)
        return GameLine(Position(record.geometry), record.columns)
    return GameLine(Position(board), game)


def make_opponent(agent: AgentLike, geometry: Geometry, limit: Limit) -> Agent:
    """Return an agent that is ready to play on a board."""
    [made] = make_agents([agent], geometry, limit)
    if not made.timed:
        raise ClaimevenError("human plays by clicks: leave the agent out")
    return made
