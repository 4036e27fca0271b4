"""The matches of studies: played into a store, and what their stored games come to."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from claimeven.arena.executors.executors import play_games
from claimeven.arena.games.match import MatchPlan
from claimeven.arena.games.referee import Referee
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.models import StoredAgent, StoredGame
from claimeven.arena.store.runs import check_runs, first_run
from claimeven.arena.store.store import Store, holds_no_game
from claimeven.arena.store.writer import HeldRows, stored_game
from claimeven.arena.studies.study import Findings, Found
from claimeven.ratings.pentanomial import NORMAL_95, PairCounts, wilson_interval

#: Is told how many games of a match there are, how many there will be, and whether it begins.
Watch = Callable[[int, int, bool], object]


def play_into(store: Store, plan: MatchPlan, jobs: int, watch: Watch | None = None) -> None:
    """Play the games of a match that a store does not hold yet, and store them as they end.

    The store adds up the seconds this takes, without those of loading the agents.
    """
    with Referee(plan):
        pass  # whatever is to be compiled is now
    ids = [job(plan, number) for number in range(plan.schedule.games)]
    there = store.jobs()
    missing = [number for number, each in enumerate(ids) if each not in there]
    done = len(ids) - len(missing)
    before, begin = store.meta["seconds"], time.perf_counter()
    if watch is not None:
        watch(done, len(ids), True)

    def note(stored: int) -> None:
        store.set_meta("seconds", before + time.perf_counter() - begin)
        if watch is not None:
            watch(stored, len(ids), False)

    games = play_games(plan, jobs, True, None, missing, in_order=False)
    with closing(HeldRows(store, done, note)) as held, closing(games):
        for played in games:
            held.add(stored_game(played, ids[played.number]).row)


def open_store(path: Path, plan: MatchPlan, resume: bool | str) -> Store:
    """Return the store of a match: a new file, or with `resume` the one that is there.

    Raises `InvalidStore` for a file that holds other games, and unless `resume` is "changed" for
    one that another version of claimeven has begun.
    """
    if not (resume and path.exists()) or holds_no_game(path):
        agents = [StoredAgent(place, name, name) for place, name in enumerate(plan.names)]
        run = first_run(plan.look_at_files())
        meta = {"plan": told(plan), "begun": time.time(), "seconds": 0.0, **run}
        return Store.create(path, meta, agents)
    store = Store.extend(path)
    try:
        if store.meta.get("plan") != told(plan):
            raise InvalidStore(f"{path} holds games of another match: name another folder")
        check_runs(store, plan.look_at_files(), plan.names, resume)
    except BaseException:
        store.close()
        raise
    return store


def told(plan: MatchPlan) -> dict[str, Any]:
    """Return what decides each game of a match, as plain data: the number of games does not."""
    schedule, geometry = plan.schedule, plan.schedule.geometry
    return {
        "agents": list(plan.names),
        "kind": "match",
        "seed": schedule.seed,
        "start": [schedule.opening.root.mine, schedule.opening.root.mask],
        "opening": schedule.opening.moves,
        "opening_plies": schedule.opening_plies,
        "swap": schedule.swap,
        **geometry.as_dict(),
        "limit": {name: value for name, value in vars(plan.limit).items() if value is not None},
    }


def job(plan: MatchPlan, number: int) -> str:
    """Return the id of a game in a store."""
    words = json.dumps([told(plan), number], sort_keys=True)
    return hashlib.blake2b(words.encode(), digest_size=12).hexdigest()


def findings(games: Sequence[StoredGame], seconds: float) -> Findings:
    """Return what the games of two agents come to, by quantity and agent ("0" or "1").

    Shares are in per cent. Games that are equal move for move count once for the width of an
    interval. Of no games nothing is found.
    """
    if not games:
        return {}
    found: dict[tuple[str, str], Found] = {("seconds_per_game", "0"): Found(seconds / len(games))}
    different = len({(game.first, game.all_moves) for game in games})
    draws = sum(game.winner is None for game in games)
    for agent in (0, 1):
        key = str(agent)
        wins = sum(game.winning_agent == agent for game in games)
        counts = {"wins": wins, "draws": draws, "losses": len(games) - wins - draws}
        for quantity, count in counts.items():
            found[quantity, key] = share_of(count / len(games), different)
        found["score", key] = _score(games, agent, different)
        evaluations = [sum(each) for game in games if (each := own(game, agent, "evaluations"))]
        if evaluations:
            found["evaluations_per_game", key] = mean_of(evaluations)
        steps = "iterations" if any(own(game, agent, "iterations") for game in games) else "nodes"
        for quantity, name in (
            ("seconds_per_move", "seconds"),
            ("steps_per_move", steps),
            ("depth", "depth"),
            ("branching", "branching"),
        ):
            # Moves of one game lean on each other: the mean of a game is one observation.
            means = [fmean(each) for game in games if (each := own(game, agent, name))]
            if means:
                found[quantity, key] = mean_of(means)
        paths = [fmean(each) + 2 for game in games if (each := own(game, agent, "depth"))]
        inner = [fmean(each) for game in games if (each := _expanded(game, agent))]
        for quantity, means in (("depth_from_one", paths), ("inner", inner)):
            if means:
                found[quantity, key] = mean_of(means)
        for first in range(0, len(games) - 9, 10):
            won = sum(game.winning_agent == agent for game in games[first : first + 10])
            found["wins_in_ten", f"{key}:{first + 1}"] = Found(won)
        stored = [most for game in games for most in own(game, agent, "stored")]
        if stored:
            found["stored", key] = Found(max(stored))
    return found


def own(game: StoredGame, agent: int, quantity: str) -> list[float]:
    """Return what an agent told of a quantity, one number for each of its moves that has one."""
    seat = game.agents.index(agent)
    moves = (game.told.get(quantity) or ())[(len(game.opening) + seat) % 2 :: 2]
    return [amount for amount in moves if amount is not None]


def _expanded(game: StoredGame, agent: int) -> list[float]:
    """Return how many positions an agent expanded, one number for each move that has one."""
    pairs = zip(own(game, agent, "nodes"), own(game, agent, "branching"), strict=False)
    return [(nodes - 1) / branching for nodes, branching in pairs if branching]


def _score(games: Sequence[StoredGame], agent: int, different: int) -> Found:
    """The share of the points; where seats were swapped, its interval goes by pairs of games."""
    share = fmean(game.points(agent) for game in games)
    by_pair: dict[int | None, list[StoredGame]] = {}
    for game in games:
        by_pair.setdefault(game.pair, []).append(game)
    pairs = [pair for pair in by_pair.values() if len({game.first for game in pair}) == 2]
    if 2 * len(pairs) < len(games):
        return share_of(share, different)
    unique = len({tuple((game.first, game.all_moves) for game in pair) for pair in pairs})
    counts = PairCounts.of(sum(game.points(agent) for game in pair) for pair in pairs)
    low, high = counts.interval_of(unique)
    return Found(100 * share, 100 * low, 100 * high)


def share_of(share: float, different: int) -> Found:
    """A share in per cent with its 95 % interval, of so many different games."""
    low, high = wilson_interval(share, different)
    return Found(100 * share, 100 * low, 100 * high)


def mean_of(numbers: Iterable[float], least: float = 0.0) -> Found:
    """The mean with its 95 % interval by the normal distribution; none of numbers all alike.

    None of the numbers can be less than `least`, nor what the interval begins with.
    """
    each = list(numbers)
    if len(set(each)) < 2:
        return Found(each[0])
    half = NORMAL_95 * stdev(each) / math.sqrt(len(each))
    mean = fmean(each)
    return Found(mean, max(least, mean - half), mean + half)
