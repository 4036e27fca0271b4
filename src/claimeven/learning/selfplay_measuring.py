"""How good a net of self-play is: against exact scores, and against the net before it.

What comes of the oracle goes into the log and the model's header, and nowhere else.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
import numpy.typing as npt

from claimeven.agents.base import Agent, Limit
from claimeven.agents.families.montecarlo import MonteCarloAgent
from claimeven.arena.api import play_match
from claimeven.dataset import Dataset
from claimeven.dataset.scored_sets import shipped_set
from claimeven.game.position import Position
from claimeven.learning.evaluation import score_against_perfect
from claimeven.learning.held_out import HELD_OUT, held_out, policy_accuracy, sign_accuracy
from claimeven.learning.run_dir import InvalidRun
from claimeven.learning.selfplay_config import MOST_GATE, SelfPlayRecipe
from claimeven.montecarlo.puct import PuctForest, PuctOptions, PuctSearch
from claimeven.montecarlo.puct.forest import MOST_NODES
from claimeven.montecarlo.puct.options import DEFAULT
from claimeven.montecarlo.puct.policy_value import PolicyValue
from claimeven.networks.net import Net
from claimeven.ratings.pentanomial import PairCounts

#: Random plies before the games of a gate.
_OPENING = 4


def measure_selfplay(net: Net, recipe: SelfPlayRecipe) -> dict[str, float | None]:
    """Return shares of right answers on the held-out sets and the score against the perfect agent.

    `hard` and `easy` are the net's alone, on the whole sets; `hard_search` and `easy_search` those
    of `recipe.searches` iterations of PUCT on `recipe.positions` of them; `hard_sign` is the share
    of won and lost positions of the hard set whose value has the right sign. `against_perfect` is
    the score of that search as first player. None where a board has no such sets, or nothing is
    asked.
    """
    found: dict[str, float | None] = {}
    for name in HELD_OUT:
        found[name] = found[f"{name}_search"] = None
        if shipped_set(recipe.geometry, name) is None:
            continue
        data = held_out(name, recipe.geometry)
        judged = net.judge(data.mines, data.masks)
        found[name] = policy_accuracy(data, judged.priors.argmax(axis=1)).share
        if name == HELD_OUT[0]:
            found["hard_sign"] = sign_accuracy(data, judged.values)
        if recipe.positions:
            every = np.linspace(0, len(data) - 1, min(recipe.positions, len(data)))
            part = data.picked(every.astype(np.int64))
            columns = searched_columns(net, part, recipe.searches, recipe.search)
            found[f"{name}_search"] = policy_accuracy(part, columns).share
    against = None
    if recipe.against:
        agent = agent_of(net, recipe.searches, recipe.search)
        against = score_against_perfect(agent, recipe.geometry, recipe.against, recipe.seed)
    found["against_perfect"] = against
    return found


def searched_columns(
    model: PolicyValue, data: Dataset, iterations: int, options: PuctOptions = DEFAULT
) -> npt.NDArray[np.intp]:
    """Return the column that PUCT prefers in each position, all searched side by side.

    Of equally good ones that of the greater prior is taken.
    """
    geometry = data.geometry
    nodes = 1 + geometry.columns * (iterations + 1)
    most = max(1, MOST_NODES // nodes)
    if len(data) > most:
        parts = np.split(np.arange(len(data)), range(most, len(data), most))
        return np.concatenate(
            [searched_columns(model, data.picked(part), iterations, options) for part in parts]
        )
    forest = PuctForest(geometry, len(data), nodes, options)
    for tree, (mine, mask) in enumerate(zip(data.mines, data.masks, strict=True)):
        mover, other = int(mine), int(mine) ^ int(mask)
        discs = (other, mover) if int(mask).bit_count() % 2 else (mover, other)
        forest.reset(tree, Position.from_discs(geometry, *discs))
    forest.run(model, iterations)
    columns: npt.NDArray[np.intp] = (forest.policies(0.0) + 1e-3 * forest.priors()).argmax(axis=1)
    return columns


def gate(new: Net, best: Net, recipe: SelfPlayRecipe, iteration: int) -> PairCounts:
    """Return what pairs of games gave the new net against the best so far, `recipe.gate` games."""
    limit = Limit(iterations=recipe.searches)
    seed = int(np.random.default_rng([recipe.seed, iteration, 1]).integers(1 << 31))
    result = play_match(
        agent_of(new, recipe.searches, recipe.search),
        agent_of(best, recipe.searches, recipe.search),
        games=recipe.gate,
        seed=seed,
        limit=limit,
        geometry=recipe.geometry,
        opening_plies=min(_OPENING, recipe.geometry.cells // 4),
        keep_decisions=False,
    )
    return result.pairs


def check_gate(recipe: SelfPlayRecipe) -> None:
    """Raise `InvalidRun` for a gate that not even a net which wins every game of it passes.

    All that such a run learns would be thrown away. It is no part of the recipe, which is not to
    know the arena.
    """
    if not recipe.gate or _lower_bound(recipe.gate // 2) >= recipe.gate_least:
        return
    most = MOST_GATE // 2
    pairs = bisect_left(range(most + 1), recipe.gate_least, key=_lower_bound)
    needed = (
        f"it takes {2 * pairs:,} games or more"
        if pairs <= most
        else f"nor would {MOST_GATE:,} games do"
    )
    raise InvalidRun(
        f"a gate of {recipe.gate} and a gate least of {recipe.gate_least} cannot be passed, not"
        f" even by a net that wins every game: {needed}"
    )


def _lower_bound(pairs: int) -> float:
    """Return the lower bound of the share of one that wins both games of so many pairs."""
    return PairCounts((0, 0, 0, 0, pairs)).share_interval[0]


def agent_of(net: PolicyValue, iterations: int, options: PuctOptions = DEFAULT) -> Agent:
    """Return the agent that plays by PUCT with a net, so many iterations a move."""
    own = Limit(iterations=iterations)
    search = PuctSearch(net, options)
    return MonteCarloAgent("puct", search, own, own, remembers=False)
