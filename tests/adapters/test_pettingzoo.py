"""The PettingZoo environment, held to PettingZoo's own tests and to a board of lists."""

from __future__ import annotations

import contextlib
import io
import math
import random
from functools import partial
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

from claimeven import Geometry, IllegalMove, InvalidSolve, Position, Solver, encodings
from claimeven.adapters import pettingzoo
from claimeven.adapters.env_base import InvalidEnvironment, image
from claimeven.adapters.gymnasium import ConnectFourEnv
from claimeven.game.drawing import draw
from tests import naive

BOARDS = [(7, 6, 4), (5, 4, 3), (16, 5, 5)]

pytestmark = [
    # Warnings of PettingZoo's tests about every third-party environment with masks, and of our
    # environment about an option of the tests.
    pytest.mark.filterwarnings(f"ignore:.*{text}")
    for text in (
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be",
        "Observation numpy array is all zeros",
        "there is no reset option 'options'",
    )
]


@pytest.mark.parametrize("board", BOARDS)
def test_pettingzoo_accepts_it(board: tuple[int, int, int], capsys: Any) -> None:
    made = dict(zip(("columns", "rows", "connect"), board, strict=True))
    api_test(pettingzoo.env(**made), num_cycles=100)
    api_test(pettingzoo.env(**made, opening_plies=3), num_cycles=100)
    parallel_api_test(pettingzoo.parallel_env(**made), num_cycles=100)
    seed_test(partial(pettingzoo.env, **made, opening_plies=4), num_cycles=50)
    parallel_seed_test(partial(pettingzoo.parallel_env, **made, opening_plies=4), num_cycles=50)
    render_test(partial(pettingzoo.env, **made))
    assert "Yellow (" in capsys.readouterr().out


def _seen(game: naive.Game, player: int) -> np.ndarray[Any, Any]:
    """The observation, from the grid of the oracle."""
    planes = np.zeros((game.rows, game.columns, 2), dtype=np.int8)
    for column, cells in enumerate(game.grid):
        for row, owner in enumerate(cells):
            if owner is not naive.EMPTY:
                planes[game.rows - 1 - row, column, int(owner != player)] = 1
    return planes


@pytest.mark.parametrize("board", BOARDS)
def test_games_follow_the_rules(board: tuple[int, int, int]) -> None:
    rng = random.Random(5)
    env = pettingzoo.ConnectFour(*board)
    ends = set()
    for _ in range(12):
        env.reset()
        game = naive.Game(*board)
        while True:
            agent = env.agent_selection
            assert agent == pettingzoo.AGENTS[game.player]
            for player, name in enumerate(pettingzoo.AGENTS):
                seen = env.observe(name)
                assert np.array_equal(seen["observation"], _seen(game, player))
                playable = game.legal() if player == game.player else []
                assert np.flatnonzero(seen["action_mask"]).tolist() == playable
                assert np.array_equal(seen["action_mask"], env.infos[name]["action_mask"])
            if game.over():
                break
            assert not any(env.terminations.values())
            column = rng.choice(game.legal())
            game = game.play(column)
            env.step(column)
        winner = naive.winner(game)
        ends.add(winner)
        assert all(env.terminations.values()) and not any(env.truncations.values())
        assert [env.rewards[agent] for agent in pettingzoo.AGENTS] == [
            0 if winner is None else 1 if player == winner else -1 for player in (0, 1)
        ]
    assert len(ends) > 1


def test_a_full_column_loses() -> None:
    env = pettingzoo.env(start="444444")
    env.reset()
    env.step(3)
    assert env.rewards == {"player_0": -1.0, "player_1": 0.0}
    assert all(env.terminations.values()) and all(env.truncations.values())
    assert env.infos["player_0"]["illegal_action"] == 3
    assert not env.infos["player_1"]["action_mask"].any()
    for _ in range(2):
        env.step(None)
    assert env.agents == []


@pytest.mark.parametrize("action", [7, -1, None, 1.0, "3"])
def test_invalid_columns_are_refused(action: Any) -> None:
    env = pettingzoo.env()
    env.reset()
    with pytest.raises(IllegalMove, match="an action must be a column, 0 to 6, got"):
        env.step(action)
    env.step(np.int32(6))
    assert env.position == Position.from_moves("7")


def test_steps_outside_of_an_episode_are_refused() -> None:
    env = pettingzoo.ConnectFour(2, 1, 2)
    with pytest.raises(InvalidEnvironment, match=r"no episode has started: call reset\(\) first"):
        env.step(0)
    with pytest.raises(InvalidEnvironment, match=r"no episode has started: call reset\(\) first"):
        env.observe("player_0")
    env.reset()
    for action in (0, 1, None, None):
        env.step(action)
    with pytest.raises(InvalidEnvironment, match="no episode has started"):
        env.step(0)


@pytest.mark.parametrize(("start", "column"), [("112233", 3), ("444444", 3)])
def test_an_agent_that_has_left_sees_the_last_board(start: str, column: int) -> None:
    env = pettingzoo.env(start=start)
    env.reset()
    env.step(column)
    for left in range(3):
        assert len(env.agents) == 2 - left
        for player, agent in enumerate(pettingzoo.AGENTS):
            seen = env.observe(agent)
            board = encodings.to_pettingzoo(env.position, player)
            assert np.array_equal(seen["observation"], board)
            assert seen["action_mask"].tolist() == [0] * 7
        if env.agents:
            env.step(None)
    env.reset()
    assert env.observe("player_0")["action_mask"].any()


def test_openings_are_random_and_options_hold_once() -> None:
    env = pettingzoo.env(start="4", opening_plies=3)
    drawn = set()
    for seed in range(30):
        env.reset(seed=seed)
        drawn.add(env.position)
        assert env.position.ply == 4 and env.position.cell(3, 0) == 0
        env.reset(seed=seed)
        assert env.position in drawn
    assert len(drawn) > 15
    env.reset(options={"start": Position.from_moves("112"), "opening_plies": 0})
    assert env.position == Position.from_moves("112") and env.agent_selection == "player_1"
    env.reset(options={"start": "5"})
    assert env.position.ply == 4 and env.position.cell(4, 0) == 0
    env.reset()
    assert env.position.cell(3, 0) == 0
    with pytest.warns(UserWarning, match=r"no reset option 'starts' \(did you mean start\?\)"):
        env.reset(options={"starts": "4"})


def test_a_move_costs_its_loss_by_the_solver() -> None:
    env = pettingzoo.env(columns=5, rows=4, shaping=0.25)
    env.reset()
    solver, rng = Solver(Geometry(5, 4, 4)), random.Random(2)
    losses = []
    while not any(env.terminations.values()):
        agent, position = env.agent_selection, env.position
        column = rng.choice(position.legal_columns)
        after = position.play(column)
        loss = solver.score(position) + solver.score(after)
        env.step(column)
        assert env.infos[agent]["loss"] == loss
        won = after.outcome is not None and after.outcome.winner is not None
        assert env.rewards[agent] == won - 0.25 * loss
        losses.append(loss)
    assert max(losses) > 0 == min(losses)


def test_a_cost_counts_until_the_agent_moves_again() -> None:
    """A reward lasts over the other's move, and no longer."""
    env = pettingzoo.env(columns=5, rows=4, shaping=0.25)
    solver, rng = Solver(Geometry(5, 4, 4)), random.Random(2)
    env.reset()
    own = {"player_0": 0.0, "player_1": 0.0}
    for _ in range(8):
        agent, position = env.agent_selection, env.position
        assert env.last()[1] == own[agent]
        column = rng.choice([c for c in position.legal_columns if not position.play(c).is_over])
        own[agent] = -0.25 * (solver.score(position) + solver.score(position.play(column)))
        env.step(column)
    assert min(own.values()) < 0
    env.reset()
    assert env.last()[1] == 0


def test_a_seed_fixes_the_openings_after_it_too() -> None:
    env = pettingzoo.env(opening_plies=6)
    drawn = []
    for _ in range(2):
        for seed in (5, None, None):
            env.reset(seed=seed)
            drawn.append(env.position)
    assert drawn[:3] == drawn[3:] and len(set(drawn)) == 3


@pytest.mark.parametrize("made", [pettingzoo.env, partial(ConnectFourEnv, opponent=None)])
def test_a_board_is_shown_after_each_move_with_the_last_disc_marked(
    made: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    env = made(render_mode="human")
    env.reset()
    assert "Yellow (" in capsys.readouterr().out
    env.step(3)
    assert "Red (" in capsys.readouterr().out
    env = made(render_mode="ansi")
    env.reset()
    assert env.render() == draw(Position())
    env.step(3)
    assert env.render() == draw(env.position, last=3) != draw(env.position)
    env.reset(options={"start": "44"})
    assert env.render() == draw(env.position)


def test_masks_are_not_shared() -> None:
    env = pettingzoo.env(rows=1)
    env.reset()
    env.observe("player_0")["action_mask"][:] = 0
    output = env.infos["player_0"]["action_mask"]
    assert env.observe("player_0")["action_mask"].all() and output.all()
    env.step(3)
    assert output.all() and not env.infos["player_1"]["action_mask"].all()


def test_state_and_pictures() -> None:
    env = pettingzoo.env(render_mode="rgb_array", start="4455")
    env.reset()
    env.step(2)
    assert np.array_equal(env.state(), encodings.to_pettingzoo(env.position, 0))
    image = env.render()
    # Bottom row, from the left: an empty hole, then the ring of the third column's light disc.
    assert image.shape == (288, 336, 3)
    assert image[288 - 24, 24].tolist() == [0xE4, 0xEC, 0xF6]
    assert image[288 - 24, 24 + 2 * 48].tolist() == [0xFF, 0xD4, 0x47]
    assert image[288 - 72, 24 + 3 * 48].tolist() == [0xFF, 0xD9, 0xE0]
    before = image.copy()
    env.step(6)
    env.step(5)
    assert not np.array_equal(env.render()[-48:, 96:], before[-48:, 96:])


def test_a_picture_distinguishes_sides_and_the_line() -> None:
    """The mark of the first player is a ring, of the second a dot; a line has a light rim."""
    shown = image(Position.from_moves("1212121"), 60)
    first, second = shown[-60:, :60], shown[-60:, 60:120]
    # The middle of a ring is as the disc between it and the rim; the middle of a dot is not.
    assert np.array_equal(first[30, 30], first[30, 48])
    assert not np.array_equal(second[30, 30], second[30, 48])
    # The ring is 13 sixtieths from the middle, outside of the place of a dot.
    assert not np.array_equal(first[30, 43], first[30, 48])
    assert np.array_equal(second[30, 43], second[30, 48])
    # At 24 sixtieths from the middle runs the rim.
    before = image(Position.from_moves("121212"), 60)
    assert first[30, 54].astype(int).sum() > before[-60:, :60][30, 54].astype(int).sum()
    assert np.array_equal(second, before[-60:, 60:120])


class _Terminal(io.TextIOWrapper):
    """Standard output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
@pytest.mark.parametrize(
    ("kind", "no_color", "is_coloured"),
    [(_Terminal, "", True), (_Terminal, "1", False), (io.TextIOWrapper, "", False)],
)
def test_a_board_is_printed_as_the_terminal_takes_it(
    kind: type[io.TextIOWrapper],
    no_color: str,
    is_coloured: bool,
    encoding: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    env = pettingzoo.env(render_mode="human", start="44")
    octets = io.BytesIO()
    with contextlib.redirect_stdout(kind(octets, encoding=encoding)):
        env.reset()
        printed = octets.getvalue().decode(encoding)
    charset = "unicode" if encoding == "utf-8" else "ascii"
    drawn = draw(Position.from_moves("44"), charset=charset, color=is_coloured)
    assert printed.replace("\r\n", "\n") == drawn + "\n\n"
    assert printed.isascii() == (charset == "ascii") and ("\x1b" in printed) == is_coloured


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"render_mode": "text"}, "there is no render mode 'text'.*choose from ansi, rgb_array"),
        ({"opening_plies": 42}, "opening_plies after 0 discs must be 0 to 41, got 42"),
        ({"opening_plies": 40, "start": "44"}, "opening_plies after 2 discs must be 0 to 39"),
        ({"opening_plies": -1}, "opening_plies after 0 discs must be 0 to 41, got -1"),
        ({"opening_plies": 1.0}, "opening_plies after 0 discs must be a whole number"),
        ({"start": "1212121"}, "the game is over: Yellow wins"),
        ({"start": None}, "start must be a position, or the moves to it, got None"),
        ({"start": Position(Geometry(5, 4))}, "the board must be 7x6 connect 4, got 5x4"),
        ({"shaping": -1}, "shaping must be 0 or more, got -1"),
        ({"shaping": math.nan}, "shaping must be a number, got nan"),
        ({"shaping": math.inf}, "shaping must be finite, got inf"),
        ({"shaping": True}, "shaping must be a number, got True"),
        ({"columns": 17}, "columns must be 1 to 16"),
    ],
)
def test_bad_options_are_reported_in_a_sentence(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pettingzoo.env(**options)


def test_openings_that_end_every_game_are_reported() -> None:
    env = pettingzoo.env(columns=2, rows=2, connect=2, opening_plies=3)
    with pytest.raises(InvalidEnvironment, match="games of random moves are over before 3 plies"):
        env.reset()


def test_shaping_needs_a_board_of_two_words() -> None:
    with pytest.raises(InvalidSolve):
        pettingzoo.env(columns=12, rows=12, shaping=0.1)


def test_both_forms_are_in_the_registries_of_pettingzoo() -> None:
    import pettingzoo as library

    made = library.make("aec", "claimeven/connect_four_v0", columns=5, rows=4, connect=3)
    assert isinstance(made, pettingzoo.ConnectFour)
    assert made.geometry == Geometry(5, 4, 3)
    parallel = library.make("parallel", "claimeven/connect_four-v0")
    assert parallel.possible_agents == list(pettingzoo.AGENTS)
    assert library.spec("aec", "claimeven/connect_four").version == 0


def test_older_versions_without_registries_do(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    import pettingzoo as library

    monkeypatch.delattr(library, "register")
    monkeypatch.setattr(library, "aec_registry", {})
    assert importlib.reload(pettingzoo).env().possible_agents == list(pettingzoo.AGENTS)
    assert library.aec_registry == {}
