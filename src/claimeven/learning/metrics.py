"""Accuracy of models and agents on positions with exact scores and against perfect play.

An answer counts if some column is worse than another, and is right if it keeps the exact score.
`claimeven accuracy --set hard` reports the same figures for any agent. Training never uses them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from claimeven.agents.base import Agent, Limit
from claimeven.agents.families.montecarlo import MonteCarloAgent
from claimeven.agents.registry import make_agent
from claimeven.arena.accuracy.measure import measure_accuracy
from claimeven.arena.games.referee import play_game
from claimeven.dataset import Dataset
from claimeven.dataset.scored_sets import (
    HARD,
    HELD_OUT,
    InvalidPositions,
    bundled_set,
    held_out_sets,
)
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.game.validation import whole_number
from claimeven.learning.quantization import POSITIONS, OnProgress, packed_by_play
from claimeven.learning.run_dir import InvalidRun
from claimeven.learning.selfplay_config import SelfPlayConfig
from claimeven.montecarlo.puct import PuctForest, PuctOptions, PuctSearch
from claimeven.montecarlo.puct.forest import MAX_NODES
from claimeven.montecarlo.puct.options import DEFAULT
from claimeven.montecarlo.puct.policy_value import PolicyValue
from claimeven.networks.model_file import ModelFile, write_model
from claimeven.networks.net import Net
from claimeven.networks.net.file import unpack
from claimeven.solver.solver import ILLEGAL

#: The perfect opponent: it plays the quickest win, resists as long as possible, and chooses at
#: random among equally good columns.
PERFECT = "perfect:pick=random"


@dataclass(frozen=True)
class AnswerShare:
    """The number of right answers among the `positions` that count.

    `floor` is the expected share of right answers of random moves.
    """

    positions: int
    right: int
    floor: float

    @property
    def share(self) -> float | None:
        """The share of right answers, None without positions that count."""
        return self.right / self.positions if self.positions else None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"positions": self.positions, "share": self.share, "floor": self.floor}


@dataclass(frozen=True)
class PolicyAccuracy(AnswerShare):
    """Right answers of all positions, by discs on the board, and by the number of best columns."""

    by_ply: dict[int, AnswerShare] = field(default_factory=dict)
    by_best_columns: dict[int, AnswerShare] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        plies = [{"ply": n, **part.as_dict()} for n, part in self.by_ply.items()]
        best = [{"best_columns": n, **part.as_dict()} for n, part in self.by_best_columns.items()]
        return {**super().as_dict(), "by_ply": plies, "by_best_columns": best}


class Measured(TypedDict):
    """Measurements of an agent: shares from 0 to 1, None if they cannot be measured.

    `perfect` is the share of its answers on bundled positions that keep the exact score, and
    `keeping` the share that keep win, draw or loss; positions in which every column does are left
    out. `against_perfect` is its score as first player against `PERFECT`, a win 1, a draw 1/2.
    """

    perfect: float | None
    keeping: float | None
    against_perfect: float | None


def policy_accuracy(data: Dataset, columns: npt.ArrayLike) -> PolicyAccuracy:
    """Return the accuracy of columns (0-based), one for each position.

    A column that cannot be played, or does not exist, is wrong. Raises `InvalidPositions` for
    another number of columns.

    >>> from claimeven.learning import held_out
    >>> hard = held_out("hard")
    >>> best = policy_accuracy(hard, hard.scores.argmax(axis=1))
    >>> best.positions, best.share, round(best.floor, 3)
    (2876, 1.0, 0.26)
    """
    answers = _answers(columns, data)
    exists = (answers >= 0) & (answers < data.geometry.columns)
    playable = (data.scores != ILLEGAL).sum(axis=1)
    optimal = data.optimal.sum(axis=1)
    counts = optimal < playable
    right = data.optimal[np.arange(len(data)), np.where(exists, answers, 0)] & exists & counts
    floors = np.where(counts, optimal / playable, 0.0)

    def of(which: npt.NDArray[np.bool_]) -> AnswerShare:
        positions = int((which & counts).sum())
        floor = float(floors[which].sum() / max(positions, 1))
        return AnswerShare(positions, int(right[which].sum()), floor)

    def by(values: npt.NDArray[np.integer[Any]]) -> dict[int, AnswerShare]:
        return {int(value): of(values == value) for value in np.unique(values[counts])}

    whole = of(counts)
    return PolicyAccuracy(whole.positions, whole.right, whole.floor, by(data.plies), by(optimal))


def sign_accuracy(data: Dataset, values: npt.ArrayLike) -> float | None:
    """Return the share of won and lost positions whose value has the sign of their score.

    `values` are for the side to move, (n,). Drawn positions do not count, since values are almost
    never 0; None if all positions are drawn. Raises `InvalidPositions` for another number of them.

    >>> from claimeven.learning import held_out
    >>> hard = held_out("hard")
    >>> sign_accuracy(hard, hard.best / 10)
    1.0
    """
    found, decided = _answers(values, data), data.best != 0
    right = np.sign(found[decided]) == np.sign(data.best[decided])
    return float(right.mean()) if len(right) else None


def _answers(answers: npt.ArrayLike, data: Dataset) -> npt.NDArray[Any]:
    found = np.asarray(answers)
    if found.shape != (len(data),):
        raise InvalidPositions(f"{found.size} answers were given for {len(data)} positions")
    return found


def measure_learner(
    agent: Agent, geometry: Geometry, games: int, seed: int, count: int | None = None
) -> Measured:
    """Measure an agent on `count` of the bundled positions (default: all) and by some games."""
    perfect = keeping = None
    if bundled_set(geometry) is not None:
        found = measure_accuracy(agent, count=count, geometry=geometry, seed=seed).accuracy
        perfect, keeping = found.all.mean("perfect"), found.decisive.mean("keeps_result")
    against = score_against_perfect(agent, geometry, games, seed) if games else None
    return {"perfect": perfect, "keeping": keeping, "against_perfect": against}


def score_against_perfect(
    agent: Agent,
    geometry: Geometry,
    games: int,
    seed: int,
    on_game: Callable[[int], object] | None = None,
) -> float:
    """Return the score of an agent as first player against `PERFECT`, from 0 to 1.

    All games start on the empty board, and differ by the choices of the opponent, from the seed.
    `on_game` gets the number of finished games. Raises `InvalidRun` for less than one game.
    """
    games = whole_number(games, "games", InvalidRun, low=1)
    opponent, points = make_agent(PERFECT, geometry), 0.0
    try:
        for number in range(games):
            generators = [np.random.default_rng([seed, number, seat]) for seat in range(2)]
            winner = play_game([agent, opponent], Position(geometry), Limit(), generators).winner
            points += 0.5 if winner is None else float(winner == 0)
            if on_game is not None:
                on_game(number + 1)
    finally:
        opponent.close()
    return points / games


def net_accuracy(net: Net, data: Dataset) -> dict[str, Any]:
    """Return the accuracy of a net: see `policy_accuracy` and `sign_accuracy`."""
    found = net.predict(data.mines, data.masks)
    accuracy = policy_accuracy(data, found.priors.argmax(axis=1))
    return {
        "positions": accuracy.positions,
        "accuracy": accuracy.share,
        "floor": accuracy.floor,
        "sign": sign_accuracy(data, found.values),
    }


def write_measured(
    path: Path,
    net: Net,
    config: Mapping[str, Any],
    levels: int,
    held_out: Dataset | None = None,
    positions_each: int = POSITIONS,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Write a net with its configuration and its accuracy; return the accuracy.

    The net is rounded to `levels` on each side of 0 by `quantization.packed_by_play`, which also
    gets `positions_each` and `on_progress`. It is then measured on the positions `held_out` from
    its data, and on the held-out sets of its board. Figures are shares; None if no position
    counts. Raises `CannotWrite`.
    """
    model = packed_by_play(net, levels, positions_each, on_progress)
    written = unpack(model)
    data = held_out_sets(net.geometry)
    if held_out is not None and len(held_out):
        data = {"held_out": held_out, **data}
    found: dict[str, Any] = {}
    for name, positions in data.items():
        figures = net_accuracy(written, positions)
        found |= {name: figures["accuracy"], f"{name}_sign": figures["sign"]}
    write_with_facts(path, model, config, found)
    return rounded_shares(found)


def write_with_facts(
    path: Path, model: ModelFile, config: Mapping[str, Any], measured: Mapping[str, Any]
) -> None:
    """Write the model of a net with its configuration and measurements. Raises `CannotWrite`."""
    facts = {
        **model.facts,
        "config": dict(config),
        "measured": dict(measured),
        "parameters": unpack(model).parameters,
    }
    write_model(path, ModelFile(model.kind, model.geometry, model.arrays, facts))


def rounded_shares(shares: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return shares rounded as in logs."""
    return {name: None if value is None else round(value, 4) for name, value in shares.items()}


def measure_selfplay(net: Net, config: SelfPlayConfig) -> dict[str, float | None]:
    """Return shares of right answers on the held-out sets and the score against the perfect agent.

    `hard` and `easy` are the shares of the net without a search, on the whole sets. `hard_search`
    and `easy_search` are the shares of PUCT with `config.simulations`, on `config.eval_positions`
    of them. `hard_sign` is the share of won and lost positions of the hard set whose value has the
    right sign. `against_perfect` is the score of that search as first player. A figure is None if
    the board has no such sets, or if it is switched off.
    """
    found: dict[str, float | None] = {}
    sets = held_out_sets(config.geometry)
    for name in HELD_OUT:
        found[name] = found[f"{name}_search"] = None
        if name not in sets:
            continue
        data = sets[name]
        accuracy = net_accuracy(net, data)
        found[name] = accuracy["accuracy"]
        if name == HARD:
            found["hard_sign"] = accuracy["sign"]
        if config.eval_positions:
            every = np.linspace(0, len(data) - 1, min(config.eval_positions, len(data)))
            part = data.select(every.astype(np.int64))
            columns = searched_columns(net, part, config.simulations, config.search)
            found[f"{name}_search"] = policy_accuracy(part, columns).share
    found["against_perfect"] = None
    if config.eval_games:
        agent = puct_agent(net, config.simulations, config.search)
        found["against_perfect"] = score_against_perfect(
            agent, config.geometry, config.eval_games, config.seed
        )
    return found


def searched_columns(
    model: PolicyValue, data: Dataset, iterations: int, options: PuctOptions = DEFAULT
) -> npt.NDArray[np.intp]:
    """Return the columns that PUCT prefers; the greater prior decides between equal columns."""
    geometry = data.geometry
    nodes = 1 + geometry.columns * (iterations + 1)
    batch = max(1, MAX_NODES // nodes)
    if len(data) > batch:
        parts = np.split(np.arange(len(data)), range(batch, len(data), batch))
        return np.concatenate(
            [searched_columns(model, data.select(part), iterations, options) for part in parts]
        )
    forest = PuctForest(geometry, len(data), nodes, options)
    for tree, (mine, mask) in enumerate(zip(data.mines, data.masks, strict=True)):
        forest.reset(tree, Position(geometry, int(mine), int(mask)))
    forest.run(model, iterations)
    columns: npt.NDArray[np.intp] = (forest.policies(0.0) + 1e-3 * forest.priors()).argmax(axis=1)
    return columns


def puct_agent(net: PolicyValue, iterations: int, options: PuctOptions = DEFAULT) -> Agent:
    """Return the agent that searches by PUCT with a net, with this number of iterations."""
    own = Limit(iterations=iterations)
    return MonteCarloAgent("puct", PuctSearch(net, options), own, own, stateful=False)
