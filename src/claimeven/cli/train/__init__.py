"""`claimeven train`: training runs in folders, which can be resumed."""

from __future__ import annotations

import click

from claimeven.cli.main import LazyGroup

SECTIONS = {
    "Commands": {
        "ntuple": "Train an n-tuple network by self-play, without other data.",
        "selfplay": "Train a neural net by self-play, without other data, as AlphaZero does.",
        "distil": "Train a neural net on the data sets that `claimeven dataset` writes.",
        "average": "Average the weights of several nets, and measure the mean.",
        "plot": "Draw the learning curves of runs as charts in a folder.",
        "compare": "Compare runs of any kind by exact play and the ladder.",
    }
}
MODULES = dict.fromkeys(("ntuple", "selfplay", "distil"), "learn")
MODULES |= dict.fromkeys(("average", "plot", "compare"), "models")


@click.group("train", cls=LazyGroup, package=__name__, sections=SECTIONS, modules=MODULES)
def command() -> None:
    """Train an agent, in a folder for its configuration, log, checkpoint and model.

    Run the same command again to resume an interrupted run.

    \b
    Examples:
      claimeven train ntuple --out run1
      claimeven train selfplay --out run2
      claimeven match ntuple:model=run1/model.npz uct:iterations=500
      claimeven train distil data.csv --out run3
      claimeven train average run3/model.npz run4/model.npz --out mean.npz
      claimeven train plot run1
      claimeven train compare run1 run2 run3 --out curves
    """
