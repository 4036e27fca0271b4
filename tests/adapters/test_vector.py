"""The vector environment, held to Gymnasium's own vector of our single one and to the rules."""

from __future__ import annotations

import concurrent.futures
import copy
import itertools
import pickle
import subprocess
import sys
import threading
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from claimeven import Geometry, Position, encodings
from claimeven.adapters import vector
from claimeven.adapters.env_base import InvalidEnvironment
from claimeven.adapters.gymnasium import ID, ConnectFourEnv
from claimeven.adapters.vector import OUT, VectorConnectFour
from claimeven.compiled.decorators import PLAIN
from claimeven.parallel import interrupts
from tests.cli.conftest import environment
from tests.pressing import pressed_as_python_looks, pressed_as_usual

#: The last one takes 72 bits.
BOARDS = [(7, 6, 4), (5, 4, 3), (8, 7, 4), (3, 9, 3), (9, 7, 4)][: 4 if PLAIN else 5]
MODES = list(AutoresetMode)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("mode", MODES)
def test_self_play_equals_single_environments(
    board: tuple[int, int, int], mode: AutoresetMode
) -> None:
    """The same actions, illegal ones among them, in Gymnasium's vector of environments and ours."""
    games, rng, start = 20, np.random.default_rng(3), "1" * board[1]  # a column is full
    singles = SyncVectorEnv(
        [lambda: ConnectFourEnv(*board, opponent=None, start=start)] * games, autoreset_mode=mode
    )
    ours = VectorConnectFour(games, *board, opponent=None, start=start, autoreset_mode=mode)
    assert ours.single_observation_space == singles.single_observation_space
    assert ours.single_action_space == singles.single_action_space
    assert ours.metadata["autoreset_mode"] is singles.metadata["autoreset_mode"]
    expected, output = singles.reset(seed=1)
    observed, infos = ours.reset(seed=1)
    ends: set[float] = set()
    for _ in range(90):
        assert observed in ours.observation_space
        assert data_equivalence(observed, expected)
        assert np.array_equal(infos["seat"], output["seat"])
        assert np.array_equal(infos["action_mask"], output["action_mask"])
        actions = ours.sample_actions()
        actions[rng.random(games) < 0.02] = 0
        expected, *results, output = singles.step(actions)
        observed, *ours_results, infos = ours.step(actions)
        for ours_result, result in zip(ours_results, results, strict=True):
            assert np.array_equal(ours_result, result)
        reward, ended = results[:2]
        ends.update(reward[ended].tolist())
        if mode is AutoresetMode.SAME_STEP and ended.any():
            assert np.array_equal(infos["_final_obs"], output["_final_obs"])
            for game in np.flatnonzero(ended):
                row = {name: array[game] for name, array in infos["final_obs"].items()}
                assert data_equivalence(row, output["final_obs"][game])
        elif mode is AutoresetMode.DISABLED and ended.any():
            expected, output = singles.reset(options={"reset_mask": ended})
            observed, infos = ours.reset(options={"reset_mask": ended})
            output = {"seat": infos["seat"], "action_mask": infos["action_mask"]}
    assert ends >= {1.0, -1.0}


@pytest.mark.parametrize("opponent", ["random", "wins-and-blocks"])
@pytest.mark.parametrize("board", [*BOARDS[:3], *BOARDS[4:]])
def test_opponents_play_by_the_rules(opponent: str, board: tuple[int, int, int]) -> None:
    games, geometry = 60, Geometry(*board)
    envs = VectorConnectFour(games, *board, opponent=opponent, opening_plies=3, seat="random")
    observed, infos = envs.reset(seed=5)
    over = np.zeros(games, bool)
    results, seats = [], set(infos["seat"].tolist())
    for _ in range(40):
        before = [envs.position(game) for game in range(games)]
        actions = envs.sample_actions()
        observed, rewards, ended, _, infos = envs.step(actions)
        for game, position in enumerate(before):
            after, seat = envs.position(game), int(infos["seat"][game])
            seen = encodings.to_pettingzoo(after, seat)
            assert np.array_equal(observed["observation"][game], seen)
            if over[game]:
                assert after.ply in (3, 4) and after.turn == seat and not ended[game]
                assert rewards[game] == 0
                continue
            assert position.turn == seat
            mine = position.play(int(actions[game]))
            answers = mine.legal_columns
            assert after in ([mine.play(column) for column in answers] or [mine])
            assert ended[game] == after.is_over
            if opponent == "wins-and-blocks" and answers:
                _check_forced(mine, after)
            playable = () if after.is_over else after.legal_columns
            assert tuple(np.flatnonzero(observed["action_mask"][game])) == playable
            if after.outcome is not None:
                winner = after.outcome.winner
                assert rewards[game] == (0 if winner is None else 1 if winner == seat else -1)
                results.append(float(rewards[game]))
        over = ended
    assert seats == {0, 1} and set(results) >= {1.0, -1.0}
    assert geometry == envs.geometry


def _check_forced(before: Position, after: Position) -> None:
    """An answer takes a win, else blocks one, if possible."""
    wins = [c for c in before.legal_columns if before.play(c).is_over and _won(before.play(c))]
    other = before.with_sides_swapped()
    blocks = [c for c in before.legal_columns if _won(other.play_unchecked(c))]
    played = [c for c in before.legal_columns if before.play(c) == after]
    assert set(played) <= set(wins or blocks or before.legal_columns)


def _won(position: Position) -> bool:
    return position.outcome is not None and position.outcome.winner is not None


def test_random_play_is_what_random_play_is_known_to_be() -> None:
    envs = VectorConnectFour(20_000, opponent=None, autoreset_mode="Disabled", threads=2)
    envs.reset(seed=1)
    lengths, firsts, draws = np.zeros(20_000), 0, 0
    going = np.ones(20_000, bool)
    ply = 0
    while going.any():
        seats = envs._seats.copy()
        _, rewards, ended, *_ = envs.step(envs.sample_actions())
        ply += 1
        new = ended & going
        lengths[new] = ply
        firsts += int((rewards[new & (seats == 0)] == 1).sum())
        draws += int((rewards[new] == 0).sum())
        going &= ~ended
        envs.reset(options={"reset_mask": ended})
    # Published of uniformly random play: 21.3 plies, 55.6 % and 0.3 %.
    assert abs(lengths.mean() - 21.3) < 0.3
    assert abs(firsts / 20_000 - 0.556) < 0.015 and abs(draws / 20_000 - 0.0026) < 0.0015
    envs.close()


def _played(steps: int, **options: Any) -> list[Any]:
    envs = VectorConnectFour(9000, opponent="random", opening_plies=2, **options)
    taken = [envs.reset(seed=11)]
    for _ in range(steps):
        taken.append(envs.step(envs.sample_actions()))
    envs.close()
    return taken


def test_a_seed_fixes_the_games_with_any_number_of_threads() -> None:
    assert VectorConnectFour(9000, threads=2).threads == 2
    assert VectorConnectFour(8191, threads=2).threads == 1
    one, two = _played(15, threads=1), _played(15, threads=2)
    assert data_equivalence(one, two, exact=True)
    assert not np.array_equal(one[5][0]["observation"][0], one[5][0]["observation"][1])


def test_a_reset_without_a_seed_goes_on_where_the_draws_were() -> None:
    envs = VectorConnectFour(64, opening_plies=6)
    drawn = []
    for _ in range(2):
        for seed in (5, None, None):
            drawn.append(envs.reset(seed=seed)[0]["observation"])
    assert data_equivalence(drawn[:3], drawn[3:], exact=True)
    assert not np.array_equal(drawn[0], drawn[1]) and not np.array_equal(drawn[1], drawn[2])


def test_a_seed_of_some_games_leaves_the_others_as_they_are() -> None:
    one, other = VectorConnectFour(64), VectorConnectFour(64)
    some = np.arange(64) % 2 == 0
    for envs in (one, other):
        envs.reset(seed=1)
    one.reset(seed=2, options={"reset_mask": some})
    for _ in range(2):
        actions = one.sample_actions()
        assert np.array_equal(actions[~some], other.sample_actions()[~some])
        seen, expected = (envs.step(actions)[0]["observation"] for envs in (one, other))
        assert np.array_equal(seen[~some], expected[~some])
        assert not np.array_equal(seen[some], expected[some])


def test_a_sample_changes_no_game() -> None:
    one, other = VectorConnectFour(64), VectorConnectFour(64)
    for envs in (one, other):
        envs.reset(seed=1)
    one.sample_actions()
    left = np.zeros(64, np.int64)
    assert data_equivalence(one.step(left)[0], other.step(left)[0], exact=True)


def test_a_sample_is_written_only_into_integers() -> None:
    envs = VectorConnectFour(3)
    envs.reset(seed=1)
    for out in (np.zeros(3, np.int32), np.zeros(2, np.int64)):
        with pytest.raises(InvalidEnvironment, match="out must be an array of int64 of shape"):
            envs.sample_actions(out)


def test_a_game_that_waits_shows_no_moves_while_others_are_reset() -> None:
    envs = VectorConnectFour(2, opponent=None, start="121212")
    envs.reset()
    _, _, ended, *_ = envs.step([0, 3])
    assert ended.tolist() == [True, False]
    observed, _ = envs.reset(options={"reset_mask": ~ended})
    assert observed["action_mask"].any(axis=1).tolist() == [False, True]


def test_unfinished_games_have_no_final_position() -> None:
    envs = VectorConnectFour(32, opponent=None, autoreset_mode="SameStep")
    envs.reset(seed=1)
    *_, infos = envs.step(np.zeros(32, np.int64))
    assert not infos["_final_obs"].any() and not infos["final_obs"]["observation"].any()


def test_seats_and_ends_that_are_written_into_change_no_game() -> None:
    envs = VectorConnectFour(4, opponent=None, autoreset_mode="SameStep", start="121212")
    _, infos = envs.reset()
    infos["seat"][:] = 1
    assert envs.position(0) == Position.from_moves("121212")
    _, _, ended, _, infos = envs.step([0, 1, 2, 3])
    ended[:] = False
    assert infos["_final_obs"].tolist() == [True, False, False, False]


def test_returned_arrays_are_not_overwritten() -> None:
    envs = VectorConnectFour(50)
    kept = [envs.reset(seed=1)[0]["observation"]]
    copies = [kept[0].copy()]
    for _ in range(5):
        kept.append(envs.step(envs.sample_actions())[0]["observation"])
        copies.append(kept[-1].copy())
    assert all(np.array_equal(one, two) for one, two in zip(kept, copies, strict=True))


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_arrays_of_the_caller_are_written(mode: str) -> None:
    """A buffer of whole rollouts, filled row by row."""
    games, steps = 300, 12
    buffer = {
        "observation": np.full((steps, games, 6, 7, 2), 9, np.int8),
        "action_mask": np.full((steps, games, 7), True),
        "reward": np.full((steps, games), 9, np.float32),
        "terminated": np.full((steps, games), 9, np.uint8),
    }
    one = VectorConnectFour(games, autoreset_mode=mode)
    other = VectorConnectFour(games, autoreset_mode=mode)
    one.reset(seed=2)
    other.reset(seed=2)
    for step in range(steps):
        actions = one.sample_actions()
        assert np.array_equal(other.sample_actions(), actions)
        observed, rewards, ended, _, infos = one.step(actions)
        out = {name: array[step] for name, array in buffer.items()}
        mine = other.step(actions, out=out)
        assert mine[0]["observation"].base is buffer["observation"]
        assert np.shares_memory(mine[4]["action_mask"], buffer["action_mask"][step])
        assert np.array_equal(out["observation"], observed["observation"])
        assert np.array_equal(out["action_mask"], observed["action_mask"])
        assert np.array_equal(out["reward"], rewards)
        assert np.array_equal(out["terminated"], ended)
        if mode == "SameStep":
            assert data_equivalence(infos["final_obs"], mine[4]["final_obs"])


def test_unwanted_outputs_are_left_out() -> None:
    envs = VectorConnectFour(100, autoreset_mode="SameStep")
    out = {"observation": None, "final_observation": None}
    observed, _ = envs.reset(seed=1, out=out)
    assert set(observed) == {"action_mask"}
    observed, *_, infos = envs.step(envs.sample_actions(), out=out)
    assert set(observed) == {"action_mask"} and "final_obs" not in infos
    observed, *_, infos = envs.step(envs.sample_actions(), out={"action_mask": None})
    assert set(observed) == {"observation"} and "action_mask" not in infos


def test_other_libraries_share_the_memory() -> None:
    """By DLPack, the protocol that PyTorch and JAX take arrays by, and by the array interface."""

    class Tensor:
        """An array of another library: its memory behind the protocols, and no NumPy in sight."""

        def __init__(self, array: np.ndarray[Any, Any]) -> None:
            self._array = array
            self.__array_interface__ = array.__array_interface__

        def __dlpack__(self, **options: Any) -> Any:
            return self._array.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return self._array.__dlpack_device__()

    envs = VectorConnectFour(64)
    memory = np.zeros((64, 6, 7, 2), np.int8)
    envs.reset(seed=3, out={"observation": Tensor(memory)})
    envs.step(np.zeros(64, np.int64), out={"observation": Tensor(memory)})
    assert memory.any(axis=(1, 2, 3)).all()
    observed, rewards, *_ = envs.step(Tensor(np.ones(64, np.int64)))
    for array in (observed["observation"], observed["action_mask"], rewards):
        taken = np.from_dlpack(array)
        assert np.shares_memory(taken, array)
        assert taken.ctypes.data % 64 == 0  # else JAX copies


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ({"observations": None}, "no array to write 'observations'.*did you mean observation"),
        ({"observation": [[0]]}, "of a kind whose memory cannot be shared"),
        ({"observation": np.zeros((3, 6, 7, 2))}, "and is float64 of shape"),
        ({"action_mask": np.zeros((4, 7), np.int8)}, r"shape \(3, 7\) that can be written, and"),
        ({"action_mask": np.broadcast_to(np.int8(0), (3, 7))}, "and is read-only"),
        ({"action_mask": np.zeros((7, 3), np.int8).T}, "and is not contiguous"),
        ({"observation": np.zeros(253, np.int8)[1:].reshape(3, 6, 7, 2)}, "not aligned"),
        ({"reward": None}, "cannot be shared"),
    ],
)
def test_arrays_that_cannot_be_written_are_refused(out: dict[str, Any], message: str) -> None:
    envs = VectorConnectFour(3)
    envs.reset(seed=1)
    before = [envs.position(game) for game in range(3)]
    with pytest.raises(InvalidEnvironment, match=message):
        envs.step(np.zeros(3, np.int64), out=out)
    assert [envs.position(game) for game in range(3)] == before
    assert set(out) <= {*OUT, "observations"}


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 1, 7], r"a column, 0 to 6, got 7 \(game 2\)"),
        (np.array([0, 2**63, 1], np.uint64), r"got 9223372036854775808 \(game 1\)"),
        ([0, -1, 6], r"got -1 \(game 1\)"),
        ([0, 1], r"of shape \(3,\), got int64 of shape \(2,\)"),
        ([0.0, 1.0, 2.0], "whole numbers of shape"),
    ],
)
def test_arrays_that_are_not_columns_are_refused(actions: list[Any], message: str) -> None:
    envs = VectorConnectFour(3, opponent=None)
    envs.reset()
    with pytest.raises(InvalidEnvironment, match=message):
        envs.step(actions)
    assert envs.position(0) == Position()


def test_finished_games_that_do_not_reset_are_reported() -> None:
    envs = VectorConnectFour(2, 2, 1, 2, opponent=None, autoreset_mode="Disabled")
    with pytest.raises(InvalidEnvironment, match=r"call reset\(\) first"):
        envs.step([0, 0])
    with pytest.raises(InvalidEnvironment, match="reset them first"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.reset()
    envs.step([0, 0])
    _, _, ended, *_ = envs.step([1, 1])
    assert ended.all()
    with pytest.raises(InvalidEnvironment, match="game 0 is over: reset it first"):
        envs.step([0, 0])
    with pytest.raises(InvalidEnvironment, match="reset_mask must be bool of shape"):
        envs.reset(options={"reset_mask": [1, 0]})
    # The opponent fills the board; three discs in two columns of two always hold a line of two.
    for made in (
        VectorConnectFour(2, 2, 1, 2, opponent="random", seat="first", start="1"),
        VectorConnectFour(2, 2, 2, 2, opponent="random", seat="second", opening_plies=3),
    ):
        with pytest.raises(InvalidEnvironment, match="over before the learner moves"):
            made.reset()
        with pytest.raises(InvalidEnvironment, match=r"call reset\(\) first"):
            made.step([0, 0])
    for threads in (1, 2):
        envs = VectorConnectFour(4, threads=threads)
        envs.reset()
        envs.close()
        for go_on in (envs.reset, envs.sample_actions, lambda closed=envs: closed.step([0] * 4)):
            with pytest.raises(InvalidEnvironment, match="the environment is closed"):
                go_on()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs must be 1 or more"),
        ({"opponent": "uct"}, "no opponent of many games at once 'uct'.*None, random, wins-and"),
        ({"columns": 13, "rows": 9}, "the vectorised environment supports boards of columns"),
        ({"autoreset_mode": "Never"}, "no autoreset mode 'Never'.*NextStep, SameStep, Disabled"),
        ({"seat": "left"}, "there is no seat 'left'"),
        ({"threads": 0}, "threads must be 1 or more"),
        ({"opponent": []}, r"no opponent of many games at once '\[\]'"),
        ({"start": 4}, "start must be a position, or the moves to it, got 4"),
    ],
)
def test_bad_options_are_reported_in_a_sentence(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidEnvironment, match=message):
        VectorConnectFour(**options)


def test_gymnasium_makes_it_and_its_wrappers_take_it() -> None:
    made = gymnasium.make_vec(
        f"claimeven.adapters.gymnasium:{ID}", num_envs=100,
        vectorization_mode="vector_entry_point", columns=6, opponent="wins-and-blocks",
    )  # fmt: skip
    assert isinstance(made.unwrapped, VectorConnectFour)
    counted = RecordEpisodeStatistics(made)
    counted.reset(seed=1)
    lengths: list[int] = []
    for _ in range(60):
        *_, infos = counted.step(made.unwrapped.sample_actions())
        if "episode" in infos:
            lengths.extend(infos["episode"]["l"][infos["_episode"]].tolist())
    assert len(lengths) > 100 and min(lengths) >= 3 and max(lengths) <= 18
    listed = DictInfoToList(made)
    *_, info = listed.step(made.unwrapped.sample_actions())
    assert len(info) == 100 and all(each["seat"] in (0, 1) for each in info)
    listed.close()


def test_pictures_of_all_games() -> None:
    envs = VectorConnectFour(3, render_mode="ansi", opponent=None)
    envs.reset()
    envs.step([0, 3, 6])
    frames = envs.render()
    assert frames is not None and len(frames) == 3 and len(set(frames)) == 3
    assert "Red" in frames[0]


def test_ctrl_c_at_any_step_leaves_games_that_can_be_stepped() -> None:
    """The locks of third-party code are released, and threads stop stepping games."""
    games = VectorConnectFour(16384, threads=2)
    assert games.threads == 2
    left = np.zeros(games.num_envs, np.int64)
    modules = (vector, interrupts, concurrent.futures.thread, concurrent.futures._base, threading)
    for step in itertools.count(1):
        games.reset(seed=1)
        with pressed_as_usual():
            pressed = pressed_as_python_looks(step, lambda: games.step(left), *modules)
        again = threading.Thread(target=games.step, args=(left,), daemon=True)
        again.start()
        again.join(60)
        assert not again.is_alive(), step
        if pressed.is_past_the_end:
            break
        assert isinstance(pressed.raised, KeyboardInterrupt), step
    games.close()
    assert step > 20


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_continues_independently_for_any_threads(copied: Any) -> None:
    env = VectorConnectFour(8192, threads=2)
    assert env.threads == 2
    env.reset(seed=1)
    other = copied(env)
    actions = env.sample_actions()
    assert np.array_equal(actions, other.sample_actions())
    for one, two in zip(env.step(actions)[:4], other.step(actions)[:4], strict=True):
        if isinstance(one, dict):
            assert all(np.array_equal(one[name], two[name]) for name in one)
        else:
            assert np.array_equal(one, two)
    env.close()
    other.step(other.sample_actions())
    other.close()
    copied(other).close()


#: A program by itself: other packages in the process of the tests mind being forked.
_FORKING = """
import multiprocessing, sys
from claimeven.adapters.vector import VectorConnectFour

def go_on(envs, told):
    if sys.argv[1] == "step":
        observed, *_ = envs.step(envs.sample_actions())
        told.send(observed["observation"].tobytes())
    envs.close()
    told.send("closed")

envs = VectorConnectFour(8192, threads=2)
envs.reset(seed=1)
envs.step(envs.sample_actions())
forks = multiprocessing.get_context("fork")
heard, told = forks.Pipe(duplex=False)
child = forks.Process(target=go_on, args=(envs, told))
child.start()
try:
    expected, *_ = envs.step(envs.sample_actions())
    if sys.argv[1] == "step":
        assert heard.poll(60), "the step in the forked process does not return"
        assert heard.recv() == expected["observation"].tobytes()
    assert heard.poll(60) and heard.recv() == "closed"
    child.join(60)
    assert child.exitcode == 0
finally:
    child.kill()
envs.step(envs.sample_actions())
envs.close()
print(envs.threads)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no process is forked there")
@pytest.mark.parametrize("does", ["step", "close"])
def test_a_forked_process_has_its_threads(does: str) -> None:
    words = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", _FORKING, does]
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, timeout=240, env=environment()
    )
    assert (done.stdout, done.stderr) == ("2\n", "")


def test_wide_words_change_no_game(request: pytest.FixtureRequest) -> None:
    narrow = _played(12, columns=5, rows=4, connect=3)
    request.getfixturevalue("wide_words")
    for one, other in zip(narrow, _played(12, columns=5, rows=4, connect=3), strict=True):
        np.testing.assert_equal(one, other)
