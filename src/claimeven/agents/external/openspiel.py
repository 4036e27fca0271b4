"""`openspiel:mcts,simulations=1000`: bots and algorithms of OpenSpiel as agents.

They play in a separate process, since they run inside it and know of no Ctrl-C. The package is
the extra `openspiel`. Its games and states of `connect_four` are turned into ours and back.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from typing import Any

import numpy as np

from claimeven.agents.base import LIMITS, Agent, Decision, Limit
from claimeven.agents.external.line_process import ForeignKind
from claimeven.agents.options import AgentKind, InvalidSpec, Option
from claimeven.agents.process.sandbox import Sandbox
from claimeven.game.encodings import from_openspiel
from claimeven.game.game_line import moves_to
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.suggestions import no_such

Answer = tuple[int, dict[str, Any]]
Act = Callable[[Mapping[str, Any], Any, Limit, int], Answer]

#: The extra, and its module.
EXTRA, PACKAGE = "openspiel", "pyspiel"
#: OpenSpiel's name of the game, and its parameters in our words.
NAME = "connect_four"
_PARAMETERS = {"columns": "columns", "rows": "rows", "connect": "x_in_row"}


def pyspiel() -> Any:
    """Return the module of OpenSpiel. Raises `InvalidSpec` naming the extra if it is missing."""
    if importlib.util.find_spec(PACKAGE) is None:
        raise InvalidSpec(f"OpenSpiel is needed: pip install 'claimeven[{EXTRA}]'")
    return importlib.import_module(PACKAGE)


def to_game(geometry: Geometry = STANDARD) -> Any:
    """Return OpenSpiel's game of a board."""
    sizes = {theirs: getattr(geometry, ours) for ours, theirs in _PARAMETERS.items()}
    return pyspiel().load_game(NAME, sizes)


def to_geometry(game: Any) -> Geometry:
    """Return the board of a game. Raises `InvalidSpec` for another game than Connect Four."""
    if game.get_type().short_name != NAME:
        raise InvalidSpec(f"OpenSpiel's {NAME} is played here, not {game.get_type().short_name}")
    sizes = game.get_parameters()
    return Geometry(**{ours: int(sizes[theirs]) for ours, theirs in _PARAMETERS.items()})


def to_state(position: Position, game: Any = None) -> Any:
    """Return a state of an OpenSpiel game, by default of the same board, with these discs.

    Its history leads to the position, but may differ from the game. Raises `InvalidPosition` for a
    board that no game reaches, `InvalidSpec` for a game on another board.
    """
    game = to_game(position.geometry) if game is None else game
    if to_geometry(game) != position.geometry:
        raise InvalidSpec(f"the game is {to_geometry(game)}, the position {position.geometry}")
    state = game.new_initial_state()
    for column in moves_to(position):
        state.apply_action(column)
    return state


def to_position(state: Any) -> Position:
    """Return the discs of a state. Raises `InvalidSpec` for one of another game."""
    game = state.get_game()
    geometry = to_geometry(game)
    observer = 0 if game.get_parameters().get("egocentric_obs_tensor") else None
    tensor = np.array(state.observation_tensor(0))
    return from_openspiel(tensor, geometry, observer)


@lru_cache(maxsize=8)
def _game_of(geometry: Geometry) -> Any:
    spiel = pyspiel()
    try:
        return to_game(geometry)
    except spiel.SpielError as error:
        raise InvalidSpec(f"OpenSpiel says: {error}") from None


class OpenSpielAgent(Agent):
    """An algorithm or bot of OpenSpiel. `act` returns an action, and fields of the decision."""

    def __init__(self, act: Act, limits: Iterable[str], options: Mapping[str, Any]) -> None:
        self.act, self.limits, self.options = act, frozenset(limits), options

    def check_board(self, geometry: Geometry) -> None:
        """Raise `InvalidSpec` for a board that OpenSpiel does not take, or an unknown bot."""
        game = _game_of(geometry)
        if self.act is _registered:
            known = pyspiel().bots_that_can_play_game(game)
            if self.options["name"] not in known:
                raise InvalidSpec(no_such("bot of OpenSpiel", self.options["name"], known))

    def load(self, geometry: Geometry) -> None:
        _game_of(geometry)

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        begin = time.perf_counter()
        state = to_state(position, _game_of(position.geometry))
        column, facts = self.act(self.options, state, limit, int(rng.integers(2**31 - 1)))
        return Decision(int(column), seconds=time.perf_counter() - begin, **facts)


def _mcts(options: Mapping[str, Any], state: Any, limit: Limit, seed: int) -> Answer:
    spiel = pyspiel()
    bot = spiel.MCTSBot(
        state.get_game(),
        spiel.RandomRolloutEvaluator(options["rollouts"], seed),
        options["c"],
        min(options["simulations"], limit.iterations or options["simulations"]),
        options["memory_mb"],
        options["solve"],
        seed,
        False,
        spiel.ChildSelectionPolicy.UCT,
        -1.0 if limit.seconds is None else 0.9 * limit.seconds,
    )
    root = bot.mcts_search(state)
    columns = len(state.legal_actions_mask(state.current_player()))
    visits, values = [0] * columns, [None] * columns
    for child in root.children:
        visits[child.action] = int(child.explore_count)
        if child.explore_count:
            values[child.action] = child.total_reward / child.explore_count
    details = {"visits": visits, "values": values, "values_are": "mean"}
    return root.best_child().action, {"iterations": int(root.explore_count), "details": details}


def _alpha_beta(options: Mapping[str, Any], state: Any, limit: Limit, seed: int) -> Answer:
    """Run `alpha_beta_search` to a depth; a position that is not over has the value 0."""
    minimax = importlib.import_module("open_spiel.python.algorithms.minimax")
    depth = min(options["depth"], limit.depth or options["depth"])
    value, action = minimax.alpha_beta_search(
        state.get_game(), state, lambda _: 0.0, depth, state.current_player()
    )
    return action, {"value": float(value), "depth": depth}


def _random(options: Mapping[str, Any], state: Any, limit: Limit, seed: int) -> Answer:
    player = state.current_player()
    return pyspiel().make_uniform_random_bot(player, seed).step(state), {}


def _registered(options: Mapping[str, Any], state: Any, limit: Limit, seed: int) -> Answer:
    game, player = state.get_game(), state.current_player()
    return pyspiel().load_bot(options["name"], game, player, {"seed": seed}).step(state), {}


def _kind(name: str, summary: str, act: Act, limits: Iterable[str], *options: Option) -> AgentKind:
    return AgentKind(name, summary, options, partial(OpenSpielAgent, act, limits))


AGENTS = (
    _kind(
        "mcts", "Monte Carlo tree search with random rollouts", _mcts, ("seconds", "iterations"),
        Option("simulations", "int", 1000, "iterations for a move", 1, 10**9),
        Option("rollouts", "int", 1, "random games from a leaf", 1, 10**6),
        Option("c", "float", 2.0, "constant of exploration", 0.0),
        Option("solve", "flag", True, "back proven results up"),
        Option("memory_mb", "int", 1000, "memory for the tree in MB", 1, 1 << 20),
    ),
    _kind(
        "alphabeta", "alpha-beta to a depth, without an evaluation", _alpha_beta,
        ("seconds", "depth"), Option("depth", "int", 4, "plies to look ahead", 1, 64),
    ),
    _kind("random", "plays any legal column with equal chance", _random, LIMITS),
    _kind(
        "bot", "a bot that OpenSpiel has registered", _registered, ("seconds",),
        Option("name", "text", "fixed_action_preference", "its name there"),
    ),
)  # fmt: skip


def _build(text: str, spec: str, sandbox: Sandbox) -> Agent:
    kind, options = KIND.parse(text)
    agent = kind.build(options)
    agent.name = spec
    return agent


def _check(text: str) -> None:
    KIND.parse(text)
    KIND.need_extra()


KIND = ForeignKind(
    prefix="openspiel",
    form="openspiel:ALGORITHM",
    summary="bots and algorithms of OpenSpiel",
    build=_build,
    examples=("openspiel:mcts,simulations=1000", "openspiel:random"),
    own_process=True,
    check=_check,
    agents=AGENTS,
    extra=(EXTRA, PACKAGE),
)
