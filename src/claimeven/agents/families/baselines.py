"""Agents that do not search: random, greedy, and a person at the terminal."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from claimeven.agents.base import Agent, AgentFault, Decision, Limit, one_hot
from claimeven.agents.options import AgentKind, Option
from claimeven.game import bitboard
from claimeven.game.errors import ClaimevenError
from claimeven.game.notation import column_choices, parse_column
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.game.position import Position, check_position
from claimeven.montecarlo.playouts.textbook import blocking_columns, winning_columns


class RandomAgent(Agent):
    """Plays any legal column with equal chance."""

    name = "random"

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        start = time.perf_counter()
        legal = _legal(position)
        column = legal[int(rng.integers(len(legal)))]
        policy = _even(legal, position.geometry.columns)
        return Decision(column, policy=policy, seconds=time.perf_counter() - start)


@dataclass(eq=False)
class GreedyAgent(Agent):
    """Plays the column after which its longest run through the new disc is longest.

    The leftmost of equal columns. With `win` a win at once comes first, with `block` then a block.
    """

    win: bool = False
    block: bool = False

    name = "greedy"

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        start = time.perf_counter()
        legal = _legal(position)
        runs = _longest_runs(position)
        column = runs.index(max(run for run in runs if run is not None))
        for wanted, columns_of in ((self.block, blocking_columns), (self.win, winning_columns)):
            wins = columns_of(position) if wanted else ()
            if wins:
                column = wins[0]
        return Decision(
            column,
            policy=one_hot(column, position.geometry.columns),
            depth=1,
            nodes=len(legal),
            seconds=time.perf_counter() - start,
            details={"values": runs, "values_are": "run"},
        )


class HumanAgent(Agent):
    """Asks for a column until one can be played. The board and the question go to stderr."""

    name = "human"
    timed = False

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Ask on the terminal. Raises `AgentFault` when the input ends."""
        start = time.perf_counter()
        print(position, file=sys.stderr)
        question = f"{PLAYER_NAMES[position.turn]}, column {column_choices(position.geometry)}: "
        while True:
            print(question, end="", file=sys.stderr, flush=True)
            line = sys.stdin.readline()
            if not line:
                raise AgentFault("did not get a column: end of input")
            try:
                column = parse_column(line, position.geometry)
                position.check_move(column)
            except ClaimevenError as error:
                print(error, file=sys.stderr)
                continue
            return Decision(column, seconds=time.perf_counter() - start)


def _legal(position: Position) -> tuple[int, ...]:
    """Return the columns that can be played. Raises `InvalidPosition` if the game is over."""
    check_position(position, ongoing=True)
    return position.legal_columns


@lru_cache(maxsize=1024)
def _even(legal: tuple[int, ...], columns: int) -> tuple[float, ...]:
    return tuple(1 / len(legal) if column in legal else 0.0 for column in range(columns))


def _longest_runs(position: Position) -> list[int | None]:
    """Return for each column the longest own run through the next disc there; None if full."""
    geometry = position.geometry
    cells = bitboard.playable_cells(position.mask, geometry)
    runs: list[int | None] = [None] * geometry.columns
    for column in position.legal_columns:
        runs[column] = 1
    longer = bitboard.runs_through(position.mine, cells, geometry)[1:]
    for length, through in enumerate(longer, start=2):
        for column, _ in geometry.cells_of(through):
            runs[column] = length
    return runs


HUMAN = AgentKind("human", "you, at the terminal", (), lambda options: HumanAgent())
KINDS = (
    AgentKind(
        "random", "plays any legal column with equal chance", (), lambda options: RandomAgent()
    ),
    AgentKind(
        "greedy",
        "plays for its longest run of discs, one move ahead",
        (
            Option("win", "flag", False, "take an immediate win first"),
            Option("block", "flag", False, "then block the opponent's immediate win"),
        ),
        lambda options: GreedyAgent(**options),
    ),
)
