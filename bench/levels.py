"""The sight of the levels of the agent `perfect`, and their distances: `python -m bench.levels`.

All levels are measured on the same positions. They come from GAMES games of each level against
level 10, from random openings with seats swapped: the positions in which the level was to move and
had more than one legal column. A level's share is computed, not sampled: the probability that its
policy gives to the perfect columns, averaged over the positions. Three further shares are the sight
of a level: how often it wins if it can in one move, how often it blocks one threat of the other
side, and how often it plays a win in two moves, which is a double threat. The script asserts that
level 10 is perfect, and that the shares rise from each level to the next. For the default number of
games it also asserts the number of positions and the sums of both shares; a change is a change of
behavior. `--steps GAMES` plays games between neighbors of the named levels instead, from openings
of 8 plies with a score of -2 to 2, and prints the distances in Elo.
"""

from __future__ import annotations

import argparse
from functools import cache
from itertools import pairwise

import numpy as np

from bench.timing import machine
from claimeven import Geometry, Position, Solver
from claimeven.agents import Limit
from claimeven.agents.families.perfect import (
    LEVELS,
    TOP_LEVEL,
    PerfectAgent,
    Scores,
    draw_column,
)
from claimeven.game.bitboard import playable_cells, winning_cells

OPENING_PLIES, BALANCED_PLIES = 12, 8
#: The default number of games, the number of positions, the sums over the levels of both shares.
GAMES = 60
SIGNATURE = (2741, 8.695635609054236, 10.390905554237602)

AGENTS = [PerfectAgent("random", True, level, table_mb=16) for level in range(TOP_LEVEL + 1)]
SOLVER = Solver(Geometry(), 64)


def opening(rng: np.random.Generator) -> Position:
    while True:
        position = Position()
        while not position.is_over and position.ply < OPENING_PLIES:
            position = position.play(int(rng.choice(position.legal_columns)))
        if not position.is_over:
            return position


def positions_met(level: int, games: int) -> dict[Position, Scores]:
    """Return the positions in which a level had a choice, with their scores."""
    rng = np.random.default_rng(level)
    openings = np.random.default_rng(99)
    positions: dict[Position, Scores] = {}
    for game in range(games):
        position, seat = opening(openings), game % 2
        while not position.is_over:
            is_evaluated = position.turn == seat
            agent = AGENTS[level if is_evaluated else TOP_LEVEL]
            decision = agent.choose(position, Limit(), rng)
            if is_evaluated and len(position.legal_columns) > 1:
                positions[position] = decision.details["values"]
            position = position.play(decision.column)
    return positions


def shares(level: int, positions: dict[Position, Scores]) -> tuple[float, float]:
    """Return how often a level plays a perfect column, and a column that keeps the outcome."""
    perfect = keeping = 0.0
    for position, scores in positions.items():
        best = max(score for score in scores if score is not None)
        policy = AGENTS[level].policy(scores, position.geometry)
        for chance, score in zip(policy, scores, strict=True):
            if score is not None:
                perfect += chance * (score == best)
                keeping += chance * (np.sign(score) == np.sign(best))
    return perfect / len(positions), keeping / len(positions)


def wins(position: Position, mine: int) -> int:
    """Return the cells where the discs `mine` win with the next disc."""
    cells = winning_cells(mine, position.mask, position.geometry)
    return cells & playable_cells(position.mask, position.geometry)


def sight(position: Position, scores: Scores) -> str | None:
    """Return the kind of a position: to see a win, a block or a double threat; None for others.

    A position in which no column stops the other side's win is none of them.
    """
    best = max(score for score in scores if score is not None)
    in_one = (position.geometry.cells + 1 - position.ply) // 2
    if wins(position, position.mine):
        return "win"
    threats = wins(position, position.mine ^ position.mask)
    if threats:
        lost = -((position.geometry.cells - position.ply) // 2)
        return "block" if best > lost and threats & (threats - 1) == 0 else None
    return "double threat" if best == in_one - 1 else None


def seen(level: int, positions: dict[Position, Scores]) -> dict[str, float]:
    """Return the probability that a level plays a best column, by the kind of position."""
    found: dict[str, list[float]] = {"win": [], "block": [], "double threat": []}
    for position, scores in positions.items():
        kind = sight(position, scores)
        if kind is None:
            continue
        policy = AGENTS[level].policy(scores, position.geometry)
        best = max(score for score in scores if score is not None)
        good = [column for column, score in enumerate(scores) if score == best]
        if kind == "block":
            cell = wins(position, position.mine ^ position.mask)
            good = [cell.bit_length() // (position.geometry.rows + 1)]
        found[kind].append(sum(policy[column] for column in good))
    return {kind: float(np.mean(chances)) for kind, chances in found.items()}


def balanced_opening(rng: np.random.Generator) -> Position:
    while True:
        position = Position()
        while not position.is_over and position.ply < BALANCED_PLIES:
            position = position.play(int(rng.choice(position.legal_columns)))
        if not position.is_over and abs(max(s for s in scores_of(position) if s is not None)) <= 2:
            return position


@cache
def scores_of(position: Position) -> Scores:
    return SOLVER.scores(position)


def steps(games: int) -> None:
    """Print the results of neighbors of the named levels, and the distances in Elo."""
    rng = np.random.default_rng(1)
    for (low, lower), (high, higher) in pairwise(LEVELS.items()):
        seats = [AGENTS[lower.level], AGENTS[higher.level]]
        counts = [0, 0, 0]  # wins of the lower level, of the higher one, draws
        for game in range(games):
            if game % 2 == 0:
                start = balanced_opening(rng)
            position = start
            while not position.is_over:
                agent = seats[position.turn ^ (game % 2)]
                policy = agent.policy(scores_of(position), position.geometry)
                position = position.play(draw_column(policy, rng))
            winner = position.winner
            counts[2 if winner is None else winner ^ (game % 2)] += 1
        share = (counts[1] + counts[2] / 2) / games
        distance = 400 * np.log10(share / (1 - share))
        print(
            f"{high} against {low}: {counts[1]} won, {counts[2]} drawn, {counts[0]} lost,"
            f" {share:.1%}, +{distance:.0f} Elo",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument(
        "games", type=int, nargs="?", default=GAMES, help=f"games of each level ({GAMES})"
    )
    parser.add_argument("--steps", type=int, help="games of each named level against the next")
    arguments = parser.parse_args()
    games = arguments.games
    print(machine())
    if arguments.steps:
        steps(arguments.steps)
        return
    positions: dict[Position, Scores] = {}
    for level in range(TOP_LEVEL + 1):
        positions |= positions_met(level, games)
    print(
        f"{len(positions)} positions of {games} games of each level against level {TOP_LEVEL}"
        f" after {OPENING_PLIES} random plies"
    )
    print("level  perfect  keep outcome     win   block  double threat")
    sights = [seen(level, positions) for level in range(TOP_LEVEL + 1)]
    by_level = [shares(level, positions) for level in range(TOP_LEVEL + 1)]
    for level, (perfect, keeping) in enumerate(by_level):
        shown = "  ".join(f"{share:>6.1%}" for share in sights[level].values())
        print(f"{level:>5}  {perfect:>7.1%}  {keeping:>12.1%}  {shown}")
    perfect, keeping = (float(sum(column)) for column in zip(*by_level, strict=True))
    if games == GAMES:
        assert np.allclose((len(positions), perfect, keeping), SIGNATURE), (
            len(positions),
            perfect,
            keeping,
        )
    assert np.allclose(by_level[TOP_LEVEL], 1)
    for lower, higher in pairwise(by_level):
        assert lower[0] < higher[0] and lower[1] < higher[1], (lower, higher)
    for low, high in pairwise(sights):
        assert all(low[kind] < high[kind] for kind in low), (low, high)


if __name__ == "__main__":
    main()
