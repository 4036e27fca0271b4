"""The Gymnasium environment, held to Gymnasium's own checker and to our matches."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from claimeven import (
    Decision,
    Geometry,
    InvalidSpec,
    Limit,
    Position,
    Solver,
    encodings,
    make_agent,
)
from claimeven.adapters.env_base import InvalidEnvironment
from claimeven.adapters.gymnasium import ID, ConnectFourEnv, spec_of
from claimeven.agents import Agent, AgentFault
from tests import naive
from tests.agents.process.test_process import bot

WITH_MODULE = f"claimeven.adapters.gymnasium:{ID}"


@pytest.mark.parametrize("board", [(7, 6, 4), (5, 4, 3), (16, 16, 5)])
@pytest.mark.parametrize("opponent", ["random", "greedy", None])
@pytest.mark.filterwarnings("error")
def test_gymnasium_accepts_it(board: tuple[int, int, int], opponent: str | None) -> None:
    made = dict(zip(("columns", "rows", "connect"), board, strict=True))
    env = gymnasium.make(WITH_MODULE, **made, opponent=opponent, opening_plies=2)
    assert isinstance(env.unwrapped, ConnectFourEnv)
    check_env(env.unwrapped)
    env.close()


def test_the_id_is_there_once_the_module_is_imported() -> None:
    for code in (
        f"import claimeven.adapters.gymnasium; made = gymnasium.make('{ID}')",
        f"made = gymnasium.make('{WITH_MODULE}')",
    ):
        whole = f"import gymnasium; {code}; print(made.reset(seed=1)[1]['action_mask'].sum())"
        done = subprocess.run(
            [sys.executable, "-c", whole], capture_output=True, text=True, check=True, timeout=60
        )
        assert done.stdout == "7\n"


def _ended(env: Any, seed: int) -> tuple[list[int], float, int]:
    """Play an episode of random actions; return the columns played, the reward and the seat."""
    rng = random.Random(seed)
    _, info = env.reset(seed=seed)
    before, columns = env.unwrapped.position, []
    total, over = 0.0, False
    while not over:
        column = rng.choice(np.flatnonzero(info["action_mask"]).tolist())
        _, reward, over, truncated, info = env.step(column)
        assert not truncated
        total += reward
        after = env.unwrapped.position
        assert after.height_of(column) > before.height_of(column)
        columns.append(column)
        before = after
    assert not info["action_mask"].any()
    return columns, total, info["seat"]


@pytest.mark.parametrize("seat", ["first", "second", "random"])
def test_rewards_are_from_the_learners_view(seat: str) -> None:
    env = gymnasium.make(WITH_MODULE, opponent="random", seat=seat)
    seats, totals = set(), set()
    for seed in range(40):
        _, total, learner = _ended(env, seed)
        outcome = env.unwrapped.position.outcome
        assert total == (0 if outcome.winner is None else 1 if outcome.winner == learner else -1)
        seats.add(learner)
        totals.add(total)
    assert seats == {"first": {0}, "second": {1}, "random": {0, 1}}[seat]
    assert totals >= {1.0, -1.0}


def test_observations_equal_the_encoding() -> None:
    env = gymnasium.make(WITH_MODULE, opponent="greedy", seat="second", start="4", columns=6)
    observation, info = env.reset(seed=3)
    assert env.unwrapped.position == Position.from_moves("4", Geometry(6)) and info["seat"] == 1
    while True:
        position = env.unwrapped.position
        assert np.array_equal(observation["observation"], encodings.to_pettingzoo(position, 1))
        assert np.flatnonzero(observation["action_mask"]).tolist() == list(position.legal_columns)
        if position.is_over:
            break
        observation, _, _, _, info = env.step(position.legal_columns[0])


def test_the_opponent_is_the_agent_of_the_spec() -> None:
    env = gymnasium.make(WITH_MODULE, opponent="alphabeta:depth=3", seat="first")
    env.reset(seed=0)
    agent, rng = make_agent("alphabeta:depth=3"), np.random.default_rng(0)
    for column in (3, 3, 2):
        position = env.unwrapped.position.play(column)
        env.step(column)
        answer = agent.choose(position, env.unwrapped._limit, rng).column
        assert env.unwrapped.position == position.play(answer)


def test_self_play_is_seen_by_the_side_to_move() -> None:
    env = gymnasium.make(WITH_MODULE, opponent=None, columns=5, rows=4, connect=3)
    rng = random.Random(1)
    winners = set()
    for _ in range(20):
        observation, info = env.reset()
        game, over = naive.Game(5, 4, 3), False
        while not over:
            assert info["seat"] == game.player
            assert np.array_equal(
                observation["observation"], encodings.to_pettingzoo(env.unwrapped.position)
            )
            column = rng.choice(game.legal())
            game = game.play(column)
            observation, reward, over, _, info = env.step(column)
            assert over == game.over()
            assert reward == (naive.winner(game) is not None)
        winners.add(naive.winner(game))
    assert winners >= {0, 1}


def test_a_level_is_an_opponent() -> None:
    assert spec_of(10) == spec_of("perfect").replace("perfect", "perfect:level=10,pick=random")
    assert spec_of("newcomer") == spec_of(0) == "perfect:level=0,pick=random"
    env = gymnasium.make(WITH_MODULE, columns=5, rows=4, opponent=10, seat="first", start="1")
    solver = Solver(Geometry(5, 4))
    env.reset(seed=1)
    # A perfect opponent keeps its score: the learner gets at best the score of the position.
    bound = solver.score(env.unwrapped.position)
    over, reward = False, 0.0
    while not over:
        _, reward, over, _, _ = env.step(env.unwrapped.position.legal_columns[-1])
    assert reward <= np.sign(bound)


def test_options_of_a_reset_hold_once() -> None:
    env = gymnasium.make(WITH_MODULE, opponent="random", seat="first")
    _, info = env.reset(seed=1, options={"seat": "second", "opponent": "greedy", "start": "44"})
    assert info["seat"] == 1 and env.unwrapped.position.ply == 3
    greedy = env.unwrapped._opponent
    _, info = env.reset()
    assert info["seat"] == 0 and env.unwrapped.position == Position()
    assert env.unwrapped._opponent is not greedy
    env.reset(options={"opponent": "greedy"})
    assert env.unwrapped._opponent is greedy
    with pytest.warns(UserWarning, match=r"no reset option 'level'"):
        env.reset(options={"level": 3})


def test_a_full_column_loses() -> None:
    env = gymnasium.make(WITH_MODULE, opponent=None, start="444444")
    env.reset()
    _, reward, terminated, truncated, info = env.step(3)
    assert (reward, terminated, truncated, info["illegal_action"]) == (-1.0, True, False, 3)
    assert not info["action_mask"].any()
    with pytest.raises(InvalidEnvironment, match="no episode has started"):
        env.unwrapped.step(0)


def test_shaping_subtracts_the_loss_of_a_move() -> None:
    env = ConnectFourEnv(5, 4, opponent="greedy", seat="first", shaping=0.5)
    solver = Solver(Geometry(5, 4))
    env.reset(seed=0)
    losses = set()
    for column in (0, 4, 0):
        position = env.position
        _, reward, over, _, info = env.step(column)
        assert info["loss"] == solver.score(position) + solver.score(position.play(column))
        assert not over and reward == -0.5 * info["loss"]
        losses.add(info["loss"])
    assert max(losses) > 0


def test_a_failure_of_the_opponent_ends_the_episode(tmp_path: Path) -> None:
    """Only the opponent plays its discs, and its fault does not win the game."""
    file = tmp_path / "broken.py"
    file.write_text("def agent(position):\n    raise RuntimeError('out of ideas')\n")

    def interrupted(position: Position) -> int:
        raise KeyboardInterrupt

    for opponent, start, error, output in (
        (str(file), "", AgentFault, "out of ideas"),
        (lambda position: 3, "444444", AgentFault, "column 3"),
        (interrupted, "", KeyboardInterrupt, None),
    ):
        env = ConnectFourEnv(opponent=opponent, start=start, seat="first")
        env.reset(seed=1)
        for act in (partial(env.step, 0), partial(env.reset, options={"seat": "second"})):
            with pytest.raises(error, match=output):
                act()
            with pytest.raises(InvalidEnvironment, match="no episode has started"):
                env.step(0)
        env.close()
        env.close()


def test_an_opponent_gets_the_limit_and_is_closed_once() -> None:
    heard: list[Any] = []

    class Leftmost(Agent):
        def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
            heard.append(limit)
            return Decision(position.legal_columns[0])

        def close(self) -> None:
            heard.append("closed")

    env = ConnectFourEnv(opponent=Leftmost(), limit=Limit(iterations=7), seat="second")
    env.reset(seed=1)
    env.step(6)
    env.close()
    env.close()
    assert heard == [Limit(iterations=7)] * 2 + ["closed"]


@dataclass
class Columned(Agent):
    """Equal to all others of its column, and without a hash: dataclasses have none."""

    column: int
    heard: list[str] = field(default_factory=list, compare=False)

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        self.heard.append("choose")
        return Decision(self.column)

    def close(self) -> None:
        self.heard.append("close")


@pytest.mark.parametrize("copied", [lambda env: env, copy.deepcopy])
def test_an_opponent_needs_no_hash_and_is_itself(copied: Callable[[Any], Any]) -> None:
    default, equal = Columned(2), Columned(2)
    env = copied(ConnectFourEnv(opponent=default, seat="second"))
    env.reset(seed=1)
    assert env.position == Position.from_moves("3")
    default = env._opponent
    for opponent in (equal, equal, default):
        env.reset(options={"opponent": opponent})
        assert env._opponent is opponent
    env.close()
    assert default.heard == ["choose"] * 2 + ["close"]
    assert equal.heard == ["choose"] * 2 + ["close"]


def test_opponents_of_single_episodes_are_given_back() -> None:
    made: list[Agent] = []
    closed: list[Agent] = []

    class Made(Agent):
        def __init__(self) -> None:
            made.append(self)

        def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
            return Decision(position.legal_columns[0])

        def close(self) -> None:
            closed.append(self)

    kinds: list[Any] = [type("Kind", (Made,), {}) for _ in range(6)]
    default, lent = kinds[0], Columned(3)
    env = ConnectFourEnv(opponent=default, seat="second")
    for _ in range(3):
        for opponent in (default, *kinds[1:4]):  # they take turns, and each is made once
            env.reset(options={"opponent": opponent})
    assert [type(agent) for agent in made] == kinds[:4] and not closed
    env.reset(options={"opponent": lent})
    for opponent in kinds[4:]:
        env.reset(options={"opponent": opponent})
        assert type(env._opponent) is opponent and env._opponent not in closed
    assert [type(agent) for agent in closed] == kinds[1:4]
    env.reset(options={"opponent": kinds[1]})
    assert lent.heard == ["choose"], "an agent of the caller stays open"
    env.reset()
    assert env._opponent is made[0] and made[0] not in closed
    env.close()
    assert len(closed) == len(made) == 7 and len({id(agent) for agent in closed}) == 7


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for as Linux has them")
def test_processes_of_opponents_end_with_their_use(tmp_path: Path) -> None:
    env = ConnectFourEnv(seat="second")
    numbers: list[int] = []
    for place in range(6):
        file, output = tmp_path / f"bot{place}.py", tmp_path / f"number{place}"
        file.write_text(
            "import os, pathlib\n"
            "def agent(position):\n"
            f"    pathlib.Path({str(output)!r}).write_text(str(os.getpid()))\n"
            "    return position.legal_columns[0]\n"
        )
        env.reset(seed=1, options={"opponent": str(file)})
        numbers.append(int(output.read_text()))
    running = [Path(f"/proc/{number}").exists() for number in numbers]
    assert running == [False] * 3 + [True] * 3
    env.close()
    assert not any(Path(f"/proc/{number}").exists() for number in numbers)


def test_a_failed_reset_leaves_no_episode() -> None:
    env = ConnectFourEnv(seat="first")
    env.reset(seed=1)
    with pytest.raises(InvalidSpec):
        env.reset(options={"opponent": "alphabet"})
    with pytest.raises(InvalidEnvironment, match="no episode has started"):
        env.step(3)


def test_earlier_observations_do_not_change() -> None:
    env = ConnectFourEnv(opponent=None, rows=1, connect=7)
    kept = [env.reset()]
    for column in range(3):
        observation, _, _, _, info = env.step(column)
        kept.append((observation, info))
    for ply, (observation, info) in enumerate(kept):
        assert observation["observation"].sum() == ply
        playable = [0] * ply + [1] * (7 - ply)
        assert observation["action_mask"].tolist() == info["action_mask"].tolist() == playable


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize(
    "opponent",
    [None, "random", "alphabeta:depth=3", "puct:iterations=10", "ntuple-alphabeta:depth=2", 3],
)
def test_a_copy_continues_independently(opponent: Any, copied: Callable[[Any], Any]) -> None:
    env = ConnectFourEnv(opponent=opponent, seat="first")
    env.reset(seed=1)
    env.step(3)
    others = [copied(env), copied(env)]
    for each in others:
        shown, reward, *_ = each.step(2)
        assert shown["observation"].sum() == each.position.ply == 2 + 2 * (opponent is not None)
        assert np.array_equal(
            shown["observation"], encodings.to_pettingzoo(each.position, each.position.turn)
        )
        assert reward == 0
    assert others[0].position == others[1].position
    before, *_ = env.step(2)
    assert env.position == others[0].position
    others[0].step(0)
    assert before["observation"].sum() == env.position.ply
    for each in (env, *others):
        each.close()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_has_a_separate_process(copied: Callable[[Any], Any], tmp_path: Path) -> None:
    (tmp_path / "left.py").write_text(
        "def agent(position):\n    return position.legal_columns[0]\n"
    )
    ours = "ugi:" + " ".join([sys.executable, "-m", "claimeven", "ugi", "greedy:win=yes"])
    made = make_agent(str(tmp_path / "left.py"))
    for opponent in (str(tmp_path / "left.py"), ours, made, bot("shuffles")):
        env = ConnectFourEnv(opponent=opponent, seat="first")
        env.reset(seed=1)
        env.step(3)
        other = copied(env)
        shown, *_ = other.step(2)
        env.close()
        again, *_ = other.step(2)
        assert shown["observation"].sum() == 4 and again["observation"].sum() == 6
        other.close()


def test_a_seed_fixes_the_draws_of_a_class_at_the_start_of_a_game() -> None:
    env = ConnectFourEnv(opponent=bot("shuffles"), seat="first")
    games = []
    for _ in range(3):
        env.reset(seed=5)
        for column in (3, 3, 2):
            env.step(column)
        games.append(env.position)
    env.close()
    assert games[0] == games[1] == games[2]


def test_a_seat_drawn_is_one_that_has_a_game() -> None:
    env = ConnectFourEnv(7, 7, 2, opponent="greedy", opening_plies=2)
    for seed in range(20):
        _, output = env.reset(seed=seed)
        assert not env.position.is_over and output["action_mask"].any()


def test_numbers_of_numpy_are_numbers() -> None:
    env = ConnectFourEnv(4, 4, 3, shaping=np.float32(0.5), opponent=np.int64(3))
    env.reset(seed=1, options={"opponent": np.int64(2)})
    env.close()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"opponent": "alphabet"}, InvalidSpec, "no agent 'alphabet'"),
        ({"opponent": 11}, InvalidEnvironment, "a level must be 0 to 10, got 11"),
        ({"opponent": True}, InvalidSpec, "True"),
        ({"opponent": -1}, InvalidEnvironment, "a level must be 0 to 10, got -1"),
        ({"seat": "third"}, InvalidEnvironment, "no seat 'third'.*first, second, random"),
        ({"opponent": ["random"]}, InvalidSpec, r"\['random'\] is not a function or an Agent"),
        (
            {"limit": 0.1},
            InvalidEnvironment,
            r"a limit must be a Limit such as Limit\(seconds=1\), got 0.1",
        ),
    ],
)
def test_bad_options_are_reported_in_a_sentence(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ConnectFourEnv(**options)


def test_a_game_that_ends_before_the_learner_moves_is_reported() -> None:
    env = ConnectFourEnv(start="121212", opponent="perfect", seat="second")
    with pytest.raises(InvalidEnvironment, match="over before the learner moves"):
        env.reset(seed=1)


def test_where_the_package_is_missing_one_sentence_names_the_extra() -> None:
    for module, package in (("gymnasium", "Gymnasium"), ("pettingzoo", "PettingZoo")):
        code = (
            f"import sys; sys.modules['{module}'] = None\n"
            f"try:\n    import claimeven.adapters.{module}\n"
            "except ImportError as error:\n    print(error)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
        )
        expected = f"claimeven.adapters.{module} needs {package}: pip install 'claimeven[rl]'\n"
        assert done.stdout == expected
