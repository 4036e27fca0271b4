"""The likeliest strengths of agents: Bradley-Terry with draws and an advantage of moving first.

With strengths r (natural logarithms), the advantage h of the first player and the draw term d,
a game of i, moving first, against j is

    won : drawn : lost  =  exp(x / 2) : exp(d) : exp(-x / 2),     x = r_i - r_j + h

so the odds of winning to losing are exp(x). Bradley and Terry, "Rank analysis of incomplete block
designs", Biometrika 39, 1952, pages 324-345; draws: Davidson, "On extending the Bradley-Terry model
to accommodate ties in paired comparison experiments", Journal of the American Statistical
Association 65, 1970, pages 317-328; both: Davidson and Beaver, "On extending the Bradley-Terry
model to incorporate within-pair order effects", Biometrics 33, 1977, pages 693-702.

The log-likelihood is concave in these n + 2 unknowns and linear in the counts, so Newton's method
finds its one peak. Many tournaments of the same agents, as a bootstrap makes them, are fitted
together: the first axis of arrays is the tournament (T), the others are the unknowns
(r_1 ... r_n, h, d) or the pairs of agents.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

_STEPS = 200
_HALVINGS = 60
# If the likelihood is nearly flat, Newton's step can be arbitrarily long. Its length is limited to
# `_LONGEST` natural units, and `_RIDGE` times the greatest bend is added to the bend, which
# rounding can make 0.
_LONGEST = 4.0
_RIDGE = 1e-14
# Newton's last step, in natural units; the remaining error is about its square.
_SETTLED = 1e-5


@dataclass(frozen=True)
class Tournaments:
    """The counts of tournaments T of n agents; numbers need not be whole.

    `games` (T, n, n) were played by i, moving first, and j. `counted` (T, n + 2) belongs to the
    unknowns: half of (games won - games lost) by each agent, the same by all first players
    together, games drawn. `pro` and `contra` (T, n + 2) are the prior, imagined games: won and lost
    by each agent against an outsider of strength 0 (without draws and first player), won and lost
    by the first player between equals without draws, drawn and not drawn between equals without a
    first player.
    """

    games: Reals
    counted: Reals
    pro: Reals
    contra: Reals


@dataclass(frozen=True)
class _Shape:
    """The log-likelihood at a point, its gradient, and its bend (minus second derivative)."""

    height: Reals
    gradient: Reals
    bend: Reals


def fit(tournaments: Tournaments, start: Reals | None = None) -> Reals:
    """Return the likeliest unknowns (T, n + 2), the prior's games counted with the others.

    There is one answer if the prior has a game for and against each unknown. `start` (n + 2) is
    the start of the search, all 0 by default.
    """
    at = np.zeros_like(tournaments.counted)
    if start is not None:
        at += start
    ridge = _RIDGE * np.eye(at.shape[1])
    likelihood = _Likelihood(tournaments)
    shape = likelihood.shape(at)
    for _ in range(_STEPS):
        bend = shape.bend + ridge * shape.bend.max(axis=(1, 2), keepdims=True)
        step = np.linalg.solve(bend, shape.gradient[:, :, None])[:, :, 0]
        if np.abs(step).max(initial=0.0) < _SETTLED:
            return at + step  # too short to lead far over any peak
        step /= np.maximum(1, np.abs(step).max(axis=1, keepdims=True) / _LONGEST)
        slack = 1e-12 * (1 + np.abs(shape.height))
        for _ in range(_HALVINGS):
            there = likelihood.shape(at + step)
            # A step that leads over the peak and down is halved.
            down = there.height < shape.height - slack
            if not down.any():
                break
            step[down] /= 2
        at, shape = at + step, there
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


class _Likelihood:
    """The likelihood's logarithm of tournaments, as a function of the unknowns.

    Only the P ordered pairs of agents that met in any tournament count. Arrays have them first and
    the tournaments last, (P, T), so that a sum over pairs is a product of matrices.
    """

    def __init__(self, tournaments: Tournaments) -> None:
        games = tournaments.games
        self._tournaments = tournaments
        self._first, self._second = np.nonzero(games.any(axis=0))
        self._played = np.ascontiguousarray(games[:, self._first, self._second].T)
        met = np.arange(len(self._first))
        # x of the pairs that met is the transpose of this, times r_1 ... r_n and h: it leans on the
        # strengths of i and j with opposite signs, and on h.
        self._leans = np.zeros((games.shape[1] + 1, len(met)))
        self._leans[self._first, met] = 1
        self._leans[self._second, met] = -1
        self._leans[-1] = 1

    def shape(self, at: Reals) -> _Shape:
        """Return height, gradient and bend at the unknowns (T, n + 2)."""
        played, leans, n = self._played, self._leans, at.shape[1] - 2
        counted = self._tournaments.counted
        # Step 1: the chances of i, moving first, and j.
        won, drawn, lost, log_odds = outcome_odds(leans.T @ at.T[: n + 1], at.T[n + 1])
        lead, draws = played * (won - lost) / 2, played * drawn

        # Step 2: height and gradient. The gradient is the counts less their expectation.
        log_prior, pull, stiffness = self._prior(at)
        height = (counted * at + log_prior).sum(axis=1) - (played * log_odds).sum(axis=0)
        gradient = counted + pull
        gradient[:, : n + 1] -= (leans @ lead).T
        gradient[:, n + 1] -= draws.sum(axis=0)

        # Step 3: the bend.
        spread = played * ((won + lost) - (won - lost) ** 2) / 4
        mixed = (leans @ (lead * drawn)).T
        bend = np.zeros((*at.shape, n + 2))
        bend[:, self._first, self._second] = -spread.T
        bend += bend.transpose(0, 2, 1)
        every = np.arange(n + 2)
        bend[:, every[:n], every[:n]] += (np.abs(leans[:n]) @ spread).T
        bend[:, :n, n] = bend[:, n, :n] = (leans[:n] @ spread).T
        bend[:, n, n] = spread.sum(axis=0)
        bend[:, : n + 1, n + 1] = bend[:, n + 1, : n + 1] = -mixed
        bend[:, n + 1, n + 1] = (draws * (1 - drawn)).sum(axis=0)
        bend[:, every, every] += stiffness
        return _Shape(height, gradient, bend)

    def _prior(self, at: Reals) -> tuple[Reals, Reals, Reals]:
        """Return the prior's part of height, gradient and bend: a logistic curve an unknown."""
        pro, contra = self._tournaments.pro, self._tournaments.contra
        leant = at.copy()
        leant[:, -1] -= math.log(2)  # draws and no draws between equals are even at d = ln 2
        log_against = -np.logaddexp(0, leant)
        against = np.exp(log_against)
        return (
            pro * (leant + log_against) + contra * log_against,
            pro * against - contra * (1 - against),
            (pro + contra) * against * (1 - against),
        )
