"""The fields of requests, and the positions and limits that they name."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from claimeven.agents.base import Limit
from claimeven.game.drawing import parse_drawing
from claimeven.game.errors import IllegalMove, InvalidGeometry
from claimeven.game.game_line import GameLine
from claimeven.game.geometry import Geometry
from claimeven.game.notation import parse_moves
from claimeven.game.position import Position
from claimeven.solver.errors import InvalidSolve
from claimeven.web.settings import ServerSettings

#: Characters of moves, of a drawing and of a spec that are read.
MAX_MOVES, MAX_DRAWING, MAX_SPEC = 400, 4_000, 300
#: Characters of a file of games, and bytes of the request that holds it.
MAX_RECORDS, RECORDS_BODY = 2_000_000, 1 << 22
#: Greatest seed, greatest number that is read at all, and plies that a limit may name.
MAX_SEED, MAX_NUMBER, MAX_DEPTH = 2**53 - 1, 10**12, 256

Spec = Annotated[
    str,
    Field(
        max_length=MAX_SPEC,
        description="An agent: `uct`, `alphabeta:depth=5`; /api/agents lists them.",
        examples=["alphabeta:depth=4"],
    ),
]
Seed = Annotated[
    int | None,
    Field(ge=0, le=MAX_SEED, description="Seed of the agent's randomness; drawn if not given."),
]


class BoardFields(BaseModel):
    """A board."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    board: str = Field(
        default="7x6", max_length=5, description="Columns x rows, each 1 to 16.", examples=["7x6"]
    )
    connect: int = Field(default=4, ge=2, le=8, description="Discs in a line that win.")

    def geometry(self) -> Geometry:
        """Return the board. Raises `InvalidGeometry`."""
        parts = re.fullmatch(r"([0-9]{1,2})[xX]([0-9]{1,2})", self.board)
        if parts is None:
            raise InvalidGeometry(f"board is columns x rows, such as 7x6, not {self.board!r}")
        return Geometry(int(parts[1]), int(parts[2]), self.connect)


class PositionFields(BoardFields):
    """A position: the moves that lead to it, from the empty board or from a drawing."""

    moves: str = Field(
        default="",
        max_length=MAX_MOVES,
        description="Columns from 1, one character a move; letters on more than nine columns.",
        examples=["4455"],
    )
    position: str | None = Field(
        default=None,
        max_length=MAX_DRAWING,
        description="The board before the moves: rows from the top, X (first player), O and dots,"
        " one a line or divided by `/`; the empty board if not given.",
    )

    @cached_property
    def line(self) -> GameLine:
        """The start and the moves. Raises `ClaimevenError` naming what is wrong with them."""
        geometry = self.geometry()
        start = Position(geometry)
        if self.position:
            start = parse_drawing(self.position.replace("/", "\n"), geometry)
        line = GameLine(start)
        for number, column in enumerate(parse_moves(self.moves, geometry), start=1):
            try:
                line.play(column)
            except IllegalMove as error:
                raise IllegalMove(f"move {number}: {error}") from None
        return line

    def ongoing(self) -> Position:
        """Return the position after the moves. Raises `InvalidSolve` if the game is over."""
        position = self.line.position
        if position.is_over:
            raise InvalidSolve(f"the game is over here: {position.outcome}")
        return position

    def options(self) -> dict[str, Any]:
        """Return the fields that say nothing of the position."""
        return self.model_dump(exclude=set(PositionFields.model_fields))


class LimitFields(BaseModel):
    """How much an agent may do for a move; what is left out is free up to the server's own cap."""

    model_config = ConfigDict(extra="forbid")

    seconds: float | None = Field(default=None, gt=0, le=MAX_NUMBER, description="Wall-clock time.")
    iterations: int | None = Field(default=None, ge=1, le=MAX_NUMBER)
    depth: int | None = Field(default=None, ge=1, le=MAX_NUMBER, description="Plies ahead.")
    nodes: int | None = Field(default=None, ge=1, le=MAX_NUMBER, description="Positions looked at.")

    def limit(self, settings: ServerSettings) -> Limit:
        """Return the limit, no greater than the server's caps."""
        caps = {**settings.caps, "depth": MAX_DEPTH}
        asked = self.model_dump(exclude_none=True)
        return Limit(**{name: min(value, caps[name]) for name, value in asked.items()})


class MoveRequest(PositionFields):
    """An agent is asked for a move."""

    agent: Spec = "alphabeta:depth=4"
    limit: LimitFields = LimitFields()
    seed: Seed = None
    tree: int = Field(default=0, ge=0, le=2_000, description="Nodes of the search tree to tell.")


class RecordsRequest(BoardFields):
    """The text of a file with games."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=False)

    text: str = Field(max_length=MAX_RECORDS, examples=["4455\n3344\n"])
    name: str = Field(
        default="", max_length=MAX_SPEC, description="Of the file: its ending tells the format."
    )


class PlayRequest(PositionFields):
    """What an agent `http:URL` sends: the board, how long there is, and what helps a short server.

    `turn` and `legal` follow from the position; a server may use or pass over them.
    """

    limit: LimitFields = LimitFields()
    turn: int | None = Field(default=None, ge=1, le=2)
    legal: list[int] | None = Field(default=None, max_length=16)
    seed: Seed = None


class MinimaxQuery(PositionFields):
    """The search of a minimax agent, to be watched."""

    agent: Spec = "alphabeta"
    depth: int | None = Field(
        default=None, ge=1, le=256, description="Plies; else those of the agent."
    )
    first: int = Field(default=0, ge=0, le=10_000_000, description="First step to tell, from 0.")
    steps: int = Field(default=2_000, ge=0, le=20_000, description="Steps to tell.")
    tree_depth: int = Field(default=4, ge=0, le=64)
    tree_nodes: int = Field(default=500, ge=1, le=10_000)


class MonteCarloQuery(PositionFields):
    """The search of a Monte Carlo agent, to be watched."""

    agent: Spec = Field(default="uct", examples=["uct"])
    iterations: int | None = Field(
        default=None, ge=1, le=MAX_NUMBER, description="Else the agent's."
    )
    seed: int = Field(default=0, ge=0, le=MAX_SEED)
    first: int = Field(
        default=1, ge=1, le=10_000_000, description="First iteration to tell, from 1."
    )
    steps: int = Field(default=200, ge=0, le=5_000, description="Iterations to tell.")
    trees: bool = Field(default=False, description="Tell the tree after each of them too.")
    tree_depth: int = Field(default=8, ge=0, le=64)
    tree_nodes: int = Field(default=200, ge=1, le=10_000)
