"""Replays of Connect Four in Kaggle's Game Arena, whose games are those of OpenSpiel.

An action is an object with the column as `submission`, -1 from the player who waits. Every move
must be in the history and on the boards that the replay has, if it has them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.records.kaggle import check_end, mapping, names_of, winner_of
from claimeven.records.openspiel import board_of
from claimeven.records.record import GameRecord, InvalidRecord, played

_NAME = "open_spiel_connect_four"
_SYMBOLS = {0: "x", 1: "o", None: "."}


def is_replay(item: object) -> bool:
    """Whether an object is a replay of the Game Arena, of whatever game, or its steps."""
    if not isinstance(item, Mapping):
        return False
    if str(item.get("name", "")).startswith("open_spiel"):
        return True
    steps = item.get("steps")
    return "name" not in item and isinstance(steps, list) and any(map(_submissions, steps))


def read(item: object, geometry: Geometry) -> GameRecord:
    """Return the game of a replay. Raises `InvalidRecord`."""
    replay = mapping(item, "a replay")
    name = replay.get("name", _NAME)
    if name != _NAME:
        raise InvalidRecord(f"it is a replay of {str(name)[:40]!r}, not of {_NAME!r}")
    settings = replay.get("configuration")
    game = settings.get("openSpielGameString") if isinstance(settings, Mapping) else None
    if isinstance(game, str):
        geometry = board_of(game)
    steps = replay.get("steps")
    if not isinstance(steps, list) or not steps:
        raise InvalidRecord("it is no replay: it has no steps")
    columns: list[int] = []
    for number, step in enumerate(steps):
        columns += [column for seat, column in _submissions(step)]
        if any(seat != (len(columns) - 1) % 2 for seat, _ in _submissions(step)):
            raise InvalidRecord(f"step {number}: the player whose turn it is was not asked")
        _check_board(step, played(columns, geometry), number)
    info = replay.get("info")
    history = info.get("actionHistory") if isinstance(info, Mapping) else None
    if isinstance(history, list) and [*map(str, columns)] != [*map(str, history)]:
        raise InvalidRecord("its history of actions is not the one of its steps")
    record = GameRecord(tuple(columns), geometry, *names_of(replay))
    if record.position.is_over:
        check_end(replay, record)
    winner = winner_of(replay)
    if winner is None or record.position.is_over:
        return record
    return replace(record, fault="illegal", fault_seat=1 - winner)


def _submissions(step: object) -> list[tuple[int, int]]:
    """Return the moves of a step with their seats: at most one in a replay of a whole game."""
    found = []
    for seat, player in enumerate(step if isinstance(step, list) else ()):
        action = player.get("action") if isinstance(player, Mapping) else None
        column = action.get("submission") if isinstance(action, Mapping) else None
        if type(column) is int and column >= 0:
            found.append((seat, column))
    return found


def _check_board(step: Any, position: Position, number: int) -> None:
    """Raise `InvalidRecord` if a board that a step shows is not the one its moves lead to."""
    rows = [[_SYMBOLS[owner] for owner in row] for row in position.rows]
    for player in step if isinstance(step, list) else ():
        seen = player.get("observation") if isinstance(player, Mapping) else None
        text = seen.get("observationString") if isinstance(seen, Mapping) else None
        try:
            shown = json.loads(text) if isinstance(text, str) else None
        except (ValueError, RecursionError):
            continue  # other versions show a drawing
        board = shown.get("board") if isinstance(shown, Mapping) else None
        if board is not None and board not in (rows, rows[::-1]):  # either row may be the first
            raise InvalidRecord(f"step {number}: its board is not the one its moves lead to")
