"""The likeliest strengths of agents: Bradley-Terry with draws and an advantage of moving first.

With strengths r (natural logarithms), the advantage h of the first player and the draw term d,
a game of i, who moves first, against j ends

    won : drawn : lost  =  exp(x / 2) : exp(d) : exp(-x / 2),     x = r_i - r_j + h

so the odds of winning to losing are exp(x). Bradley and Terry, "Rank analysis of incomplete block
designs", Biometrika 39, 1952, pages 324-345; draws: Davidson, "On extending the Bradley-Terry model
to accommodate ties in paired comparison experiments", Journal of the American Statistical
Association 65, 1970, pages 317-328; both: Davidson and Beaver, "On extending the Bradley-Terry
model to incorporate within-pair order effects", Biometrics 33, 1977, pages 693-702.

The logarithm of the likelihood is concave in these n + 2 unknowns and linear in what was counted,
so Newton's method finds its one peak. Many tournaments of the same agents, as a bootstrap makes
them, are fitted at once: arrays have them (T) on their first axis, then the unknowns
(r_1 ... r_n, h, d) or who met whom.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

_STEPS = 200
_HALVINGS = 60
# Where the likelihood is nearly flat Newton's step would lead anywhere: it is kept this short, in
# natural units, and this much of its greatest is added to the bend, which rounding can make 0.
_LONGEST = 4.0
_RIDGE = 1e-14
# Newton's last step, in natural units; what it leaves is about its square.
_SETTLED = 1e-5


@dataclass(frozen=True)
class Tournaments:
    """What was counted in tournaments T of n agents; numbers need not be whole.

    `games` (T, n, n) were played by i, who moved first, and j. `counted` (T, n + 2) goes with the
    unknowns: half of (games won - games lost) by each agent, the same by all first players
    together, games drawn. `pro` and `contra` (T, n + 2) are the prior, games that nobody played:
    won and lost by each agent against an outsider of strength 0 (no draws, nobody first), won and
    lost by the first player between equals without draws, drawn and not drawn between equals with
    no first player.
    """

    games: Reals
    counted: Reals
    pro: Reals
    contra: Reals


@dataclass(frozen=True)
class _Shape:
    """The likelihood's logarithm at a point, its slope, and its bend (minus second derivative)."""

    height: Reals
    slope: Reals
    bend: Reals


def fit(tournaments: Tournaments, start: Reals | None = None) -> Reals:
    """Return the likeliest unknowns (T, n + 2), the prior's games counted with the others.

    There is one answer if the prior has a game for and against each unknown. `start` (n + 2) is
    where the search begins, all 0 unless told.
    """
    at = np.zeros_like(tournaments.counted)
    if start is not None:
        at += start
    ridge = _RIDGE * np.eye(at.shape[1])
    shape = _shape(tournaments, at)
    for _ in range(_STEPS):
        bend = shape.bend + ridge * shape.bend.max(axis=(1, 2), keepdims=True)
        step = np.linalg.solve(bend, shape.slope[:, :, None])[:, :, 0]
        step /= np.maximum(1, np.abs(step).max(axis=1, keepdims=True) / _LONGEST)
        slack = 1e-12 * (1 + np.abs(shape.height))
        for _ in range(_HALVINGS):
            there = _shape(tournaments, at + step)
            # A step that leads over the peak and down is halved.
            down = there.height < shape.height - slack
            if not down.any():
                break
            step[down] /= 2
        at, shape = at + step, there
        if np.abs(step).max(initial=0.0) < _SETTLED:
            break
    return at


def outcome_odds(advantage: Reals, draws: Reals) -> tuple[Reals, Reals, Reals, Reals]:
    """Return the chances of won, drawn and lost and the logarithm of the sum of the odds.

    `advantage` is the first player's x, `draws` the draw term d.
    """
    half = advantage / 2
    top = np.maximum(np.abs(half), draws)
    won, drawn, lost = np.exp(half - top), np.exp(draws - top), np.exp(-half - top)
    total = won + drawn + lost
    return won / total, drawn / total, lost / total, top + np.log(total)


def _shape(tournaments: Tournaments, at: Reals) -> _Shape:
    n = at.shape[1] - 2
    strengths, order, draws = at[:, :n], at[:, n, None, None], at[:, n + 1, None, None]
    games = tournaments.games
    # Step 1: the chances of i, moving first, and j.
    won, drawn, lost, log_odds = outcome_odds(
        strengths[:, :, None] - strengths[:, None, :] + order, draws
    )

    # Step 2: the prior, a logistic curve in each unknown. Draws and no draws between equals are
    # even at d = ln 2.
    leant = at.copy()
    leant[:, n + 1] -= math.log(2)
    pro, contra = tournaments.pro, tournaments.contra
    against = np.exp(-np.logaddexp(0, leant))
    log_prior = -pro * np.logaddexp(0, -leant) - contra * np.logaddexp(0, leant)

    # Step 3: height and slope. The slope is what was counted less what is expected.
    height = (tournaments.counted * at + log_prior).sum(axis=1) - (games * log_odds).sum(
        axis=(1, 2)
    )
    lead = games * (won - lost) / 2
    expected = np.empty_like(at)
    expected[:, :n] = lead.sum(axis=2) - lead.sum(axis=1)
    expected[:, n] = lead.sum(axis=(1, 2))
    expected[:, n + 1] = (games * drawn).sum(axis=(1, 2))
    slope = tournaments.counted - expected + pro * against - contra * (1 - against)

    # Step 4: the bend. x leans on i and j with opposite signs.
    spread = games * ((won + lost) - (won - lost) ** 2) / 4
    mixed = -lead * drawn
    bend = np.zeros((*at.shape, n + 2))
    bend[:, :n, :n] = -spread - spread.transpose(0, 2, 1)
    every = np.arange(n + 2)
    bend[:, every[:n], every[:n]] += spread.sum(axis=2) + spread.sum(axis=1)
    bend[:, :n, n] = bend[:, n, :n] = spread.sum(axis=2) - spread.sum(axis=1)
    bend[:, :n, n + 1] = bend[:, n + 1, :n] = mixed.sum(axis=2) - mixed.sum(axis=1)
    bend[:, n, n + 1] = bend[:, n + 1, n] = mixed.sum(axis=(1, 2))
    bend[:, n, n] = spread.sum(axis=(1, 2))
    bend[:, n + 1, n + 1] = (games * drawn * (1 - drawn)).sum(axis=(1, 2))
    bend[:, every, every] += (pro + contra) * against * (1 - against)
    return _Shape(height, slope, bend)
