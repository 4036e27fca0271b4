"""Strength at equal time: `python -m bench.strength [--games N] [--seconds S] [VARIANT ...]`.

The agent `uct` plays each published Monte Carlo player with the same time for a move, from random
openings with seats swapped. The script prints scores with 95 % intervals.
"""

from __future__ import annotations

import argparse

from bench.timing import machine
from claimeven import Limit, play_match

VARIANTS = (
    "flat",
    "breadth",
    "uct-polito",
    "uct-polito:playout=alphabeta2",
    "uct-menary:reuse=yes",
    "uct-aifour:first_play=order,ties=first",
    "uct-itu",
    "uct-itu-table",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variants", nargs="*", help="opponents (default: all)")
    parser.add_argument("--games", type=int, default=40, help="against each (default: %(default)s)")
    parser.add_argument(
        "--seconds", type=float, default=0.1, help="of a move (default: %(default)s)"
    )
    given = parser.parse_args()
    unknown = set(given.variants) - set(VARIANTS)
    if unknown:
        parser.error(
            f"VARIANT must be one of {', '.join(VARIANTS)}, got {', '.join(sorted(unknown))}"
        )
    print(machine())
    for variant in given.variants or VARIANTS:
        result = play_match(
            "uct",
            variant,
            games=given.games,
            seed=1,
            limit=Limit(seconds=given.seconds),
            opening_plies=4,
            keep_decisions=False,
        )
        assert len(result.games) == given.games
        assert not any(result.forfeits), result.forfeits
        low, high = result.interval
        print(
            f"uct against {variant}, {given.seconds:g} s a move, {given.games} games:"
            f" +{result.wins[0]} ={result.draws} -{result.wins[1]},"
            f" score {result.scores[0]:.1%} ({low:.1%} to {high:.1%})",
            flush=True,
        )


if __name__ == "__main__":
    main()
