"""Games, states and positions: OpenSpiel's `connect_four` and ours, either way, on any board."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import numpy as np

from claimeven.agents.options import InvalidSpec
from claimeven.game.encodings import from_openspiel
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.move_order import moves_to
from claimeven.game.position import Position

#: The extra, and what it brings.
EXTRA, PACKAGE = "openspiel", "pyspiel"
#: OpenSpiel's name of the game, and its parameters in our words.
NAME = "connect_four"
_PARAMETERS = {"columns": "columns", "rows": "rows", "connect": "x_in_row"}


def pyspiel() -> Any:
    """Return the module of OpenSpiel. Raises `InvalidSpec` naming the extra where it is missing."""
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
    told = game.get_parameters()
    return Geometry(**{ours: int(told[theirs]) for ours, theirs in _PARAMETERS.items()})


def to_state(position: Position, game: Any = None) -> Any:
    """Return a state of a game, OpenSpiel's of the board where none is given, with these discs.

    Its history is one that leads there, not necessarily that of the game. Raises `InvalidPosition`
    for a board that no game reaches, `InvalidSpec` for a game on another board.
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
