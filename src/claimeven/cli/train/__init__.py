"""`claimeven train`: agents that learn, in folders that can be taken up again."""

from __future__ import annotations

import click

from claimeven.cli.common.groups import LazyGroup

SECTIONS = {
    "Commands": {
        "ntuple": "Learn an n-tuple network by self-play against nothing but itself.",
        "selfplay": "Learn a net from nothing but games against itself, as AlphaZero does.",
        "distil": "Learn a neural net from the data sets that `claimeven dataset` writes.",
        "average": "Write the net whose weights are the mean of those of several.",
        "plot": "Draw the learning curves of runs, as pictures in a folder.",
        "judge": "Judge what runs of any kind have learnt, by the same measures.",
    }
}
MODULES = dict.fromkeys(("ntuple", "selfplay", "distil"), "learn")
MODULES |= dict.fromkeys(("average", "plot", "judge"), "models")


@click.group("train", cls=LazyGroup, package=__name__, sections=SECTIONS, modules=MODULES)
def command() -> None:
    """Train an agent, in a folder that keeps its recipe, log, checkpoint and model.

    A run that was ended in any way goes on where it was: run the same command again.

    \b
    Examples:
      claimeven train ntuple --out run1
      claimeven train selfplay --out run2
      claimeven match ntuple:model=run1/model.npz uct:iterations=500
      claimeven train distil data.csv --out run3
      claimeven train average run3/model.npz run4/model.npz --out mean.npz
      claimeven train plot run1
      claimeven train judge run1 run2 run3 --out curves
    """
