"""The fields of requests, and their positions and limits."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from claimeven.agents.base import Limit
from claimeven.game.drawing import parse_drawing
from claimeven.game.errors import InvalidGeometry
from claimeven.game.game_line import GameLine
from claimeven.game.geometry import Geometry
from claimeven.game.notation import parse_moves
from claimeven.game.position import Position
from claimeven.puzzles.puzzle import MOTIFS
from claimeven.solver.errors import InvalidSolve
from claimeven.web.settings import ServerSettings

#: Maximum number of characters of moves, of a drawing and of a spec.
MAX_MOVES, MAX_DRAWING, MAX_SPEC = 400, 4_000, 300
#: Maximum number of characters of a file of games, and of bytes of its request.
MAX_RECORDS, RECORDS_BODY = 2_000_000, 1 << 22
#: Greatest seed, greatest number, and greatest depth in plies.
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
    Field(ge=0, le=MAX_SEED, description="Seed of the agent's randomness; random by default."),
]


class BoardFields(BaseModel):
    """A board."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", str_strip_whitespace=True)

    board: str = Field(
        default="7x6", max_length=5, description="Columns x rows, each 1 to 16.", examples=["7x6"]
    )
    connect: int = Field(default=4, ge=2, le=8, description="Discs in a line to win.")

    def geometry(self) -> Geometry:
        """Return the board. Raises `InvalidGeometry`."""
        parts = re.fullmatch(r"([0-9]{1,2})[xX]([0-9]{1,2})", self.board)
        if parts is None:
            raise InvalidGeometry(f"board must be columns x rows, such as 7x6, got {self.board!r}")
        return Geometry(int(parts[1]), int(parts[2]), self.connect)


class PositionFields(BoardFields):
    """A position: the moves to it, from the empty board or from a drawing."""

    moves: str = Field(
        default="",
        max_length=MAX_MOVES,
        description="Columns from 1, a character for each move; letters for over nine columns.",
        examples=["4455"],
    )
    position: str | None = Field(
        default=None,
        max_length=MAX_DRAWING,
        description="The board before the moves: rows from the top, with X (Yellow), O (Red) and"
        " dots, separated by newlines or `/`; the empty board by default.",
    )

    @cached_property
    def line(self) -> GameLine:
        """The start and the moves. Raises `ClaimevenError` if they are invalid."""
        geometry = self.geometry()
        start = Position(geometry)
        if self.position:
            start = parse_drawing(self.position.replace("/", "\n"), geometry)
        return GameLine(start, parse_moves(self.moves, geometry))

    def ongoing(self) -> Position:
        """Return the position after the moves. Raises `InvalidSolve` if the game is over."""
        position = self.line.position
        if position.is_over:
            raise InvalidSolve(f"the game is over here: {position.outcome}")
        return position

    def options(self) -> dict[str, Any]:
        return self.model_dump(exclude=set(PositionFields.model_fields))


class LimitFields(BaseModel):
    """The limits of a move; an omitted limit is the cap of the server."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    seconds: float | None = Field(default=None, gt=0, le=MAX_NUMBER, description="Wall-clock time.")
    iterations: int | None = Field(default=None, ge=1, le=MAX_NUMBER)
    depth: int | None = Field(default=None, ge=1, le=MAX_NUMBER, description="In plies.")
    nodes: int | None = Field(default=None, ge=1, le=MAX_NUMBER, description="Visited positions.")

    def limit(self, settings: ServerSettings) -> Limit:
        """Return the limit, at most the caps of the server."""
        caps = {**settings.caps, "depth": MAX_DEPTH}
        asked = self.model_dump(exclude_none=True)
        return Limit(**{name: min(value, caps[name]) for name, value in asked.items()})


class MoveRequest(PositionFields):
    """A request for a move of an agent."""

    agent: Spec = "alphabeta:depth=4"
    limit: LimitFields = LimitFields()
    seed: Seed = None
    tree_nodes: int = Field(default=0, ge=0, le=2_000, description="Nodes of the tree to return.")


class RecordsRequest(BoardFields):
    """The text of a file with games."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", str_strip_whitespace=False)

    text: str = Field(max_length=MAX_RECORDS, examples=["4455\n3344\n"])
    name: str = Field(default="", max_length=MAX_SPEC, description="Of the file: shows its format.")


class PlayRequest(PositionFields):
    """The request of an agent `http:URL`: the position, the limit, and facts about the position.

    `turn` and `legal` follow from the position; a server may ignore them.
    """

    limit: LimitFields = LimitFields()
    turn: int | None = Field(default=None, ge=1, le=2)
    legal: list[int] | None = Field(default=None, max_length=16)
    seed: Seed = None


class MinimaxQuery(PositionFields):
    """The steps of a minimax search."""

    agent: Spec = "alphabeta"
    depth: int | None = Field(default=None, ge=1, le=256, description="In plies; default: its own.")
    first_step: int = Field(default=0, ge=0, le=10_000_000, description="To return, from 0.")
    steps: int = Field(default=2_000, ge=0, le=20_000, description="Number of steps.")
    tree_depth: int = Field(default=4, ge=0, le=64)
    tree_nodes: int = Field(default=500, ge=1, le=10_000)


class MonteCarloQuery(PositionFields):
    """The steps of a Monte Carlo search."""

    agent: Spec = Field(default="uct", examples=["uct"])
    iterations: int | None = Field(
        default=None, ge=1, le=MAX_NUMBER, description="By default the agent's."
    )
    seed: int = Field(default=0, ge=0, le=MAX_SEED)
    first_step: int = Field(default=1, ge=1, le=10_000_000, description="To return, from 1.")
    steps: int = Field(default=200, ge=0, le=5_000, description="Number of iterations.")
    trees: bool = Field(default=False, description="Also return the tree after each.")
    tree_depth: int = Field(default=8, ge=0, le=64)
    tree_nodes: int = Field(default=200, ge=1, le=10_000)


class PuzzlesQuery(BaseModel):
    """The properties of a puzzle, or its number."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    difficulty: str | None = Field(
        default=None, max_length=20, description="beginner, easy, medium, hard or expert."
    )
    kind: str | None = Field(default=None, max_length=20, description="win or hold.")
    motif: str | None = Field(default=None, max_length=20, description=f"{', '.join(MOTIFS)}.")
    length: int | None = Field(default=None, ge=1, le=99, description="Moves to foresee.")
    rating: int | None = Field(default=None, ge=0, le=9999, description="Near this rating.")
    number: int | None = Field(default=None, ge=1, description="This puzzle.")
    seed: Seed = None
    exclude: str = Field(default="", max_length=2000, description="Numbers to skip, with commas.")
