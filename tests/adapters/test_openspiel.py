"""OpenSpiel, both ways: positions and states, our agents as its bots, its bots as our agents."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, InvalidPosition, Limit, Position
from claimeven.agents import InvalidSpec, make_agent
from claimeven.agents.external.openspiel import AGENTS
from claimeven.arena import play_match
from claimeven.game.encodings import to_characters
from claimeven.game.game_line import moves_to
from tests.agents.support import decided
from tests.positions import random_games

needs = pytest.mark.skipif(
    importlib.util.find_spec("pyspiel") is None, reason="OpenSpiel is not installed"
)
OTHER = Geometry(6, 5, 3)
BOARDS = [Geometry(), OTHER, Geometry(4, 7, 4)]


@pytest.fixture
def spiel() -> Any:
    return pytest.importorskip("pyspiel")


@needs
@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_positions_are_states_and_states_positions(geometry: Geometry) -> None:
    from claimeven.adapters import openspiel

    for columns in random_games(geometry, 60, seed=7):
        position = Position.from_moves(columns, geometry)
        state = openspiel.to_state(position)
        assert openspiel.to_position(state) == position
        assert state.history() == list(moves_to(position))
        assert state.is_terminal() == position.is_over
        drawn = ["".join(row).lower() for row in to_characters(position)]
        assert state.observation_string(0).split() == drawn
        if position.is_over:
            assert position.outcome is not None
            winner = position.outcome.winner
            assert state.returns() == [[1, -1], [-1, 1], [0, 0]][2 if winner is None else winner]
        else:
            assert state.current_player() == position.turn
            assert state.legal_actions() == list(position.legal_columns)


@needs
def test_states_of_other_games_are_refused(spiel: Any) -> None:
    from claimeven.adapters import openspiel

    with pytest.raises(InvalidSpec, match="connect_four is played here, not tic_tac_toe"):
        openspiel.to_position(spiel.load_game("tic_tac_toe").new_initial_state())
    with pytest.raises(InvalidSpec, match="the game is 7x6 connect 4, the position 6x5 connect 3"):
        openspiel.to_state(Position(OTHER), openspiel.to_game())
    stacked = Position.from_discs(Geometry(4, 4, 3), 0b11, 0b1100)
    with pytest.raises(InvalidPosition, match="no game leads to this board"):
        openspiel.to_state(stacked)
    views = spiel.load_game("connect_four", {"egocentric_obs_tensor": True})
    state = views.new_initial_state()
    for action in (3, 3, 2):
        state.apply_action(action)
    assert openspiel.to_position(state) == Position.from_moves("443")


@needs
@pytest.mark.parametrize("geometry", [Geometry(), OTHER], ids=str)
def test_their_runner_plays_our_agents(spiel: Any, geometry: Geometry) -> None:
    from claimeven.adapters import openspiel

    game = openspiel.to_game(geometry)
    ours = openspiel.bot("alphabeta:depth=3", seed=4)
    theirs = spiel.make_uniform_random_bot(1, 9)
    returns = [
        spiel.evaluate_bots(game.new_initial_state(), [ours, theirs], seed) for seed in range(6)
    ]
    assert sum(first for first, _ in returns) >= 4
    other = spiel.make_uniform_random_bot(0, 9)
    swapped = [
        spiel.evaluate_bots(game.new_initial_state(), [other, ours], seed) for seed in range(6)
    ]
    assert sum(second for _, second in swapped) >= 4


@needs
def test_their_evaluation_by_policies_takes_our_bots(spiel: Any) -> None:
    from open_spiel.python.algorithms.evaluate_bots import evaluate_bots

    from claimeven.adapters import openspiel

    game = openspiel.to_game(OTHER)
    bots = [openspiel.bot(spec, seed=2) for spec in ("random", "greedy:win=yes")]
    rng = np.random.RandomState(1)
    returns = [evaluate_bots(game.new_initial_state(), bots, rng) for _ in range(8)]
    assert all(sum(each) == 0 for each in returns)
    assert sum(each[1] for each in returns) > 0
    policy, action = bots[0].step_with_policy(game.new_initial_state())
    assert [chance for _, chance in policy] == pytest.approx([1 / 6] * 6)
    assert action in range(6)
    assert bots[1].provides_policy()
    assert sum(chance for _, chance in bots[1].get_policy(game.new_initial_state())) == 1


@needs
@pytest.mark.parametrize(
    ("spec", "geometry"),
    [
        ("openspiel:mcts,simulations=200", Geometry()),
        ("openspiel:mcts,simulations=200", OTHER),
        ("openspiel:alphabeta,depth=3", OTHER),
    ],
)
def test_their_algorithms_play_our_matches(spec: str, geometry: Geometry) -> None:
    result = play_match(spec, "random", games=4, seed=3, geometry=geometry)
    assert not any(result.forfeits)
    assert result.wins[0] >= 3


@needs
@pytest.mark.parametrize("spec", ["openspiel:random", "openspiel:bot,name=uniform_random"])
def test_the_seed_fixes_the_moves_of_their_bots(spec: str) -> None:
    games = [
        [g.all_moves for g in play_match(spec, "greedy", games=4, seed=seed).games]
        for seed in (5, 5, 6)
    ]
    assert games[0] == games[1] != games[2]


@needs
def test_limits_and_details_of_theirs() -> None:
    agent = make_agent("openspiel:mcts,simulations=1000000000")
    decision = decided(agent, "", Limit(seconds=0.2), seed=1)
    assert decision.seconds < 5
    assert decision.iterations is not None
    decision = decided(agent, "", Limit(iterations=50), seed=1)
    assert decision.iterations == 50
    assert sum(decision.details["visits"]) <= 50
    agent.close()
    fixed = make_agent("openspiel:bot")
    assert decided(fixed).column == 0
    fixed.close()
    with pytest.raises(InvalidSpec, match=r"no bot of OpenSpiel 'unifrm_random' \(did you mean"):
        make_agent("openspiel:bot,name=unifrm_random", Geometry())


def test_names_and_options_are_checked_before_the_start() -> None:
    names = ", ".join(kind.name for kind in AGENTS)
    for text, output in (
        ("mtcs", rf"there is no agent of openspiel 'mtcs' \(did you mean mcts\?\): .* {names}$"),
        ("mcts,sims=3", r"mcts has no option 'sims'"),
        ("mcts,simulations=0", "simulations=0 of mcts: simulations takes a whole number from 1"),
    ):
        with pytest.raises(InvalidSpec, match=output):
            make_agent(f"openspiel:{text}")


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from claimeven.adapters import openspiel

    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == "pyspiel" else found(name, *a)
    )
    monkeypatch.delitem(sys.modules, "pyspiel", raising=False)
    with pytest.raises(InvalidSpec, match=r"^openspiel: needs the extra 'openspiel': pip install"):
        make_agent("openspiel:random")
    with pytest.raises(
        InvalidSpec, match=r"^OpenSpiel is needed: pip install 'claimeven\[openspiel"
    ):
        openspiel.to_game()


@needs
@pytest.mark.parametrize("geometry", [Geometry(), OTHER], ids=str)
def test_an_evaluator_gives_the_values_and_priors_of_its_model(geometry: Geometry) -> None:
    from claimeven.adapters import openspiel
    from claimeven.networks.net import Net
    from tests.networks.net.support import drawn_net

    net: Net = drawn_net(geometry, knows_scores=True)
    evaluator = openspiel.evaluator(net)
    for columns in random_games(geometry, 20, seed=3, ongoing=True):
        position = Position.from_moves(columns, geometry)
        state = openspiel.to_state(position)
        values, priors = net.evaluate(
            *np.array([[position.mine], [position.mask]], dtype=np.uint64)
        )
        found = evaluator.evaluate(state)
        assert found[state.current_player()] == values[0] == -found[1 - state.current_player()]
        assert evaluator.prior(state) == [(c, priors[0, c]) for c in position.legal_columns]


@needs
def test_a_search_of_openspiel_with_the_bundled_net_plays_well(spiel: Any) -> None:
    from open_spiel.python.algorithms import mcts

    from claimeven.adapters import openspiel

    evaluator = openspiel.evaluator()
    for moves, best in (("4435", 4), ("112233", 3), ("44444", None)):
        state = openspiel.to_state(Position.from_moves(moves))
        made = mcts.MCTSBot(
            state.get_game(), 1.0, 60, evaluator, solve=True,
            random_state=np.random.RandomState(1), child_selection_fn=mcts.SearchNode.puct_value,
        )  # fmt: skip
        action = made.step(state)
        assert action in state.legal_actions()
        assert best is None or action == best
    with pytest.raises(InvalidSpec, match="the model knows 7x6 connect 4, not 6x5 connect 3"):
        evaluator.evaluate(openspiel.to_state(Position(OTHER)))
    with pytest.raises(InvalidSpec, match=r"none\.npz cannot be read"):
        openspiel.evaluator("none.npz")
