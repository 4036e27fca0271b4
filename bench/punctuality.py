"""How punctual searches are: `python -m bench.punctuality [--moves N] [AGENT ...]`.

Each agent plays itself from random openings under a limit in time; what its moves took on a clock
outside the agent is set against the limit. Games go on from move to move, so a search that keeps
its tree has one to keep. Asserts that no move was late enough to lose a game.
"""

from __future__ import annotations

import argparse

from bench.timing import machine, percentiles
from claimeven import Limit, play_match
from claimeven.agents.contract import GRACE

AGENTS = ("uct", "alphabeta", "flat", "perfect")
#: Seconds of a move.
LIMITS = (0.01, 0.1)


def times(agent: str, seconds: float, moves: int) -> list[float]:
    """Return the seconds of so many moves."""
    found: list[float] = []
    seed = 0
    while len(found) < moves:
        result = play_match(
            agent, agent, games=2, seed=seed, limit=Limit(seconds=seconds), opening_plies=4
        )
        assert result.forfeits == ({}, {}), result.forfeits
        found += [spent for played in result.games for spent in played.game.seconds]
        seed += 1
    return found[:moves]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument("agents", nargs="*", default=AGENTS, help=f"{', '.join(AGENTS)} and others")
    parser.add_argument("--moves", type=int, default=100, help="of each (default: %(default)s)")
    given = parser.parse_args()
    print(machine())
    for seconds in LIMITS:
        for agent in given.agents:
            spent = times(agent, seconds, given.moves)
            assert max(spent) < seconds + GRACE, max(spent)
            over = [max(0.0, each - seconds) for each in spent]
            late = sum(each > 0 for each in over) / len(over)
            print(
                f"{agent}, {seconds * 1e3:g} ms a move: {late:.0%} of moves later,"
                f" by {percentiles(over)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
