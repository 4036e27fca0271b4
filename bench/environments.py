"""Speed of the environments and their peers: `python -m bench.environments [PART ...]`.

Parts: pettingzoo, gymnasium, vector, pgx, openspiel (default: all). The peers of the extra `bench`
run in the same process, in loops that do the same: random legal moves, with every observation and
mask. Each part asserts its games: both PettingZoo environments play the same games, and random play
ends with the known frequencies. Times of one thread are CPU times, the others clock times.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from bench.timing import machine
from claimeven.adapters import pettingzoo
from claimeven.adapters.gymnasium import ConnectFourEnv
from claimeven.adapters.vector import VectorConnectFour

#: Random play on 7x6: plies of a game, shares of games won by the first player, and drawn.
PLIES, FIRST_WINS, DRAWS = 21.3, 0.556, 0.0026
GAMES = 16_384
#: Steps of the vector in one measurement, and measurements.
STEPS, VECTOR_RUNS = 40, 40
#: Measurements of the others, and of pgx, whose loop is short too.
RUNS, PGX_RUNS = 4, 16
SINGLE_GAMES = 200
#: Games whose states are compared with pgx, and the fields of a state.
STATES_GAMES = 4096
STATE_FIELDS = (
    "current_player", "observation", "rewards", "terminated", "truncated", "legal_action_mask",
    "_step_count",
)  # fmt: skip


def check_random_play(lengths: list[int] | np.ndarray[Any, Any], firsts: int, draws: int) -> None:
    """Assert the frequencies of random play, within four standard errors."""
    games = len(lengths)
    assert abs(np.mean(lengths) - PLIES) < 4 * np.std(lengths) / games**0.5 + 0.05
    for found, share in ((firsts, FIRST_WINS), (draws, DRAWS)):
        assert abs(found / games - share) < 4 * (share * (1 - share) / games) ** 0.5 + 0.001


# --- one environment ------------------------------------------------------------------------------


def choose(mask: np.ndarray[Any, Any], rng: random.Random) -> int:
    """Choose a random legal column."""
    open_columns = np.flatnonzero(mask)
    return int(open_columns[int(rng.random() * len(open_columns))])


def play_turns(env: Any, games: int) -> tuple[float, list[tuple[int, float]]]:
    """Play games of a PettingZoo environment; return the CPU seconds, and the length and the first
    player's reward of each game.

    """
    rng, played, start = random.Random(1), [], time.process_time()
    for _ in range(games):
        env.reset()
        moves, reward = 0, 0.0
        while env.agents:
            agent = env.agent_selection
            seen, gained, over, cut, _ = env.last()
            if agent == "player_0":
                reward += gained
            if over or cut:
                env.step(None)
            else:
                env.step(choose(seen["action_mask"], rng))
                moves += 1
        played.append((moves, reward))
    return time.process_time() - start, played


def time_choices(moves: int) -> float:
    """Return the CPU seconds of the choices of some moves, without an environment."""
    rng, mask, start = random.Random(1), np.ones(7, np.int8), time.process_time()
    for _ in range(moves):
        choose(mask, rng)
    return time.process_time() - start


def bench_pettingzoo() -> None:
    if find_spec("pygame") is None:
        print("pettingzoo: its connect_four_v3 needs pygame: pip install 'claimeven[bench]'")
        return
    from pettingzoo.classic import connect_four_v3  # noqa: PLC0415 - an extra

    kinds = {
        "PettingZoo connect_four_v3": connect_four_v3.env(),
        "the same without its wrappers": connect_four_v3.raw_env(),
        "ours": pettingzoo.env(),
    }
    best, games = dict.fromkeys(kinds, 9e9), {}
    for _ in range(RUNS):
        for name, env in kinds.items():
            seconds, games[name] = play_turns(env, SINGLE_GAMES)
            best[name] = min(best[name], seconds)
    first, *others = games.values()
    assert all(other == first for other in others), "the same moves led to other games"
    moves = sum(length for length, _ in first)
    choices = min(time_choices(moves) for _ in range(RUNS))
    for name, seconds in best.items():
        print(
            f"{name}: {moves / seconds:,.0f} moves/s in a loop of random play,"
            f" {1e6 * (seconds - choices) / moves:.2f} us a move without its choice"
        )
    theirs, *_ = best.values()
    print(
        f"ratio: {(theirs - choices) / (best['ours'] - choices):.1f} of the environments,"
        f" {theirs / best['ours']:.1f} of the loops"
    )


def bench_gymnasium() -> None:
    rng = random.Random(1)
    for opponent in (None, "random"):
        env, steps, lengths = ConnectFourEnv(opponent=opponent, seat="first"), 0, []
        firsts = draws = 0
        start = time.process_time()
        for game in range(2 * SINGLE_GAMES):
            _, info = env.reset(seed=1 if game == 0 else None)
            over = False
            while not over:
                _, _, over, _, info = env.step(choose(info["action_mask"], rng))
                steps += 1
            outcome = env.position.outcome
            assert outcome is not None
            lengths.append(env.position.ply)
            firsts += outcome.winner == 0
            draws += outcome.winner is None
        seconds = time.process_time() - start
        check_random_play(lengths, firsts, draws)
        against = "self-play" if opponent is None else f"against {opponent}"
        print(f"gymnasium, {against}: {steps / seconds:,.0f} steps/s")


# --- many -----------------------------------------------------------------------------------------


def check_vector(games: int) -> None:
    """Play each game of a vector once, and assert the results."""
    envs = VectorConnectFour(games, opponent=None, autoreset_mode="Disabled")
    _, infos = envs.reset(seed=1)
    going, lengths, firsts, draws, ply = np.ones(games, bool), np.zeros(games), 0, 0, 0
    while going.any():
        seats = infos["seat"]
        _, rewards, ended, _, infos = envs.step(envs.sample_actions())
        ply += 1
        new = ended & going
        lengths[new] = ply
        firsts += int((rewards[new & (seats == 0)] == 1).sum())
        draws += int((rewards[new] == 0).sum())
        going &= ~ended
        _, infos = envs.reset(options={"reset_mask": ended}) if ended.any() else (None, infos)
    envs.close()
    check_random_play(lengths, firsts, draws)


def time_vector(opponent: str | None, mode: str, threads: int, written: str) -> float:
    """Return the seconds of a step of one game, without the choice of its action.

    With one thread they are CPU seconds.

    """
    clock = time.process_time if threads == 1 else time.perf_counter
    envs = VectorConnectFour(GAMES, opponent=opponent, autoreset_mode=mode, threads=threads)
    geometry = envs.geometry
    out: dict[str, Any] = {
        "observation": np.empty((GAMES, geometry.rows, geometry.columns, 2), np.int8),
        "action_mask": np.empty((GAMES, geometry.columns), np.int8),
        "reward": np.empty(GAMES, np.float32),
        "terminated": np.empty(GAMES, np.bool_),
        "final_observation": None,
    }
    if written != "all":
        out["observation"] = None
    if written == "nothing":
        out["action_mask"] = None
    envs.reset(seed=1, out={name: out[name] for name in ("observation", "action_mask")})
    actions, best = np.empty(GAMES, np.int64), 9e9
    for _ in range(VECTOR_RUNS):
        spent = 0.0
        for _ in range(STEPS):
            envs.sample_actions(actions)
            start = clock()
            envs.step(actions, out=out)
            spent += clock() - start
        best = min(best, spent)
    envs.close()
    return best / STEPS / GAMES


def bench_vector() -> None:
    check_vector(100_000)
    print(f"vector of {GAMES:,} games, ns a step (and steps/s), without the choice of actions")
    for opponent, mode in (
        (None, "SameStep"),
        (None, "NextStep"),
        ("random", "SameStep"),
        ("wins-and-blocks", "SameStep"),
    ):
        for threads in (1, 2):
            times = []
            for written in ("all", "mask", "nothing"):
                seconds = time_vector(opponent, mode, threads, written)
                times.append(f"{1e9 * seconds:.1f} ({1 / seconds / 1e6:.0f} M/s)")
            print(
                f"  {opponent or 'self-play'}, {mode}, threads {threads}: observations and"
                f" masks {times[0]}, masks {times[1]}, neither {times[2]}",
                flush=True,
            )


def whole_loop() -> float:
    """Return steps/s of self-play, choosing random actions, everything in new arrays."""
    envs = VectorConnectFour(GAMES, opponent=None, autoreset_mode="SameStep")
    envs.reset(seed=1)
    best = 9e9
    for _ in range(VECTOR_RUNS):
        start = time.perf_counter()
        for _ in range(STEPS):
            envs.step(envs.sample_actions(), out={"final_observation": None})
        best = min(best, time.perf_counter() - start)
    envs.close()
    return GAMES * STEPS / best


def bench_pgx() -> None:
    if find_spec("pgx") is None:
        print("pgx is not installed: pip install 'claimeven[bench]'")
        return
    import jax  # noqa: PLC0415 - an extra
    import pgx  # noqa: PLC0415 - an extra

    from claimeven.adapters.jax import JaxConnectFour  # noqa: PLC0415 - as above

    check_same_states(JaxConnectFour(), pgx.make("connect_four"))
    theirs, ours = time_states(pgx.make("connect_four")), time_states(JaxConnectFour())
    platform, vector = jax.devices()[0].platform, whole_loop()
    print(f"pgx on {platform}, compiled as one loop: {theirs / 1e6:.2f} M steps/s")
    print(f"ours for JAX, the same loop: {ours / 1e6:.2f} M steps/s, ratio {ours / theirs:.1f}")
    print(f"ours in NumPy's arrays: {vector / 1e6:.1f} M steps/s, ratio {vector / theirs:.0f}")


def check_same_states(ours: Any, theirs: Any) -> None:
    """Assert that all fields of the states of random games are equal, from the same keys."""
    import jax  # noqa: PLC0415 - an extra

    keys, rng = jax.random.split(jax.random.key(1), STATES_GAMES), np.random.default_rng(1)
    states = [jax.jit(jax.vmap(env.init))(keys) for env in (ours, theirs)]
    steps = [jax.jit(jax.vmap(env.step)) for env in (ours, theirs)]
    while True:
        one, other = states
        for name in STATE_FIELDS:
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
        if np.asarray(one.terminated).all():
            break
        legal = np.asarray(one.legal_action_mask)
        actions = (legal * rng.random(legal.shape)).argmax(axis=1)
        states = [step(state, actions) for step, state in zip(steps, states, strict=True)]
    print(f"the states of {STATES_GAMES:,} random games are equal, field by field")


def time_states(env: Any) -> float:
    """Return steps/s of random moves in an environment of pgx's interface."""
    import jax  # noqa: PLC0415 - an extra

    begin_all, step_all = jax.vmap(env.init), jax.vmap(env.step)

    def step(carry: Any, key: Any) -> tuple[Any, Any]:
        """A random move in each game, and a new game in place of a finished one."""
        state, first = carry
        keys = jax.random.split(key, state.terminated.shape[0])
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
        state = step_all(state, jax.vmap(jax.random.categorical)(keys, logits))
        ended = state.terminated
        seen = state.observation.sum()

        def fresh(new: Any, old: Any) -> Any:
            return jax.numpy.where(ended.reshape(-1, *[1] * (old.ndim - 1)), new, old)

        return (jax.tree.map(fresh, first, state), first), (ended.sum(), seen)

    games, steps = 4096, 50
    run = jax.jit(lambda state, keys: jax.lax.scan(step, (state, state), keys))
    state = begin_all(jax.random.split(jax.random.PRNGKey(0), games))
    best = 9e9
    for each in range(PGX_RUNS):
        keys = jax.random.split(jax.random.PRNGKey(each), steps)
        start = time.perf_counter()
        _, (ends, _) = jax.tree.map(lambda array: array.block_until_ready(), run(state, keys))
        best = min(best, time.perf_counter() - start)
    # From new games: two in a game's length are over, without the unfinished ones.
    assert 1.6 < ends.sum() / games < 2.4
    return games * steps / best


def bench_openspiel() -> None:
    if find_spec("open_spiel") is None:
        print("OpenSpiel is not installed: pip install 'claimeven[bench]'")
        return
    from open_spiel.python import rl_environment, vector_env  # noqa: PLC0415 - an extra
    from open_spiel.python.rl_agent import StepOutput  # noqa: PLC0415 - an extra

    rng = random.Random(1)
    count = 64
    envs = vector_env.SyncVectorEnv(
        [rl_environment.Environment("connect_four") for _ in range(count)]
    )
    best = 9e9
    for _ in range(RUNS):
        lengths: list[int] = []
        start, shown = time.process_time(), envs.reset()
        steps, running = 0, [0] * count
        while len(lengths) < 600:
            actions = []
            for each in shown:
                player = each.observations["current_player"]
                legal = each.observations["legal_actions"][player]
                actions.append(StepOutput(action=legal[int(rng.random() * len(legal))], probs=None))
            shown, _, done, _ = envs.step(actions, reset_if_done=True)
            steps += count
            for game, ended in enumerate(done):
                running[game] += 1
                if ended:
                    lengths.append(running[game])
                    running[game] = 0
        best = min(best, (time.process_time() - start) / steps)
        assert abs(np.mean(lengths) - PLIES) < 2
    theirs, ours = 1 / best, whole_loop()
    print(f"OpenSpiel's SyncVectorEnv: {theirs:,.0f} steps/s")
    print(
        f"ours, random actions chosen too: {ours / 1e6:.1f} M steps/s, ratio {ours / theirs:,.0f}"
    )


PARTS: dict[str, Callable[[], None]] = {
    "pettingzoo": bench_pettingzoo,
    "gymnasium": bench_gymnasium,
    "vector": bench_vector,
    "pgx": bench_pgx,
    "openspiel": bench_openspiel,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    chosen = parser.parse_args().parts or list(PARTS)
    for part in chosen:
        if part not in PARTS:
            parser.error(f"PART must be one of {', '.join(PARTS)}, got {part!r}")
    print(machine())
    for part in chosen:
        PARTS[part]()


if __name__ == "__main__":
    main()
