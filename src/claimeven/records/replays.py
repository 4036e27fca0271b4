"""Replays of Kaggle: ConnectX, as `env.toJSON()` returns them, and the Game Arena's Connect Four.

A replay of ConnectX names its board; each step has the action of the player whose turn it was and
the board after it, which must be the board of the moves. A game that ends with the status
INVALID, TIMEOUT or ERROR is lost by a fault. In the Game Arena, whose games are OpenSpiel's, an
action is an object with the column as `submission`, -1 from the player that waits; every move must
be in the history and on the boards that the replay has, if it has them.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from operator import methodcaller
from typing import Any, TextIO

from claimeven.game.encodings import to_kaggle
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.records.line_formats import board_of
from claimeven.records.record import GameRecord, InvalidRecord, as_name, played

_CONNECTX, _ARENA = "connectx", "open_spiel_connect_four"
#: The version of the environment whose replays are written, and its settings other than the board.
_VERSION, _SCHEMA = "1.0.1", 1
_SETTINGS = {
    "episodeSteps": 1000, "actTimeout": 2, "runTimeout": 1200, "agentTimeout": 60, "timeout": 2,
}  # fmt: skip
_BANK = 60
_BOARD = {"columns": "columns", "rows": "rows", "inarow": "connect"}
_FAULT_OF = {"INVALID": "illegal", "TIMEOUT": "time", "ERROR": "crash"}
_STATUS_OF = {"illegal": "INVALID", "time": "TIMEOUT", "stall": "TIMEOUT"}
_SYMBOLS = {0: "x", 1: "o", None: "."}
#: Returns the board that a player of ConnectX sees.
_connectx_board = methodcaller("get", "board")


def is_arena(item: object) -> bool:
    """Whether an object is a replay of the Game Arena, of any game, or its steps."""
    if not isinstance(item, Mapping):
        return False
    if str(item.get("name", "")).startswith("open_spiel"):
        return True
    steps = item.get("steps")
    return "name" not in item and isinstance(steps, list) and any(map(_submissions, steps))


def read_arena(item: object, geometry: Geometry) -> GameRecord:
    """Return the game of a replay of the Game Arena. Raises `InvalidRecord`."""
    replay, steps = _opened(item, _ARENA)
    game = _part(replay, "configuration").get("openSpielGameString")
    if isinstance(game, str):
        geometry = board_of(game)
    columns: list[int] = []
    for number, step in enumerate(steps):
        moves = _submissions(step)
        columns += [column for seat, column in moves]
        if any(seat != (len(columns) - 1) % 2 for seat, _ in moves):
            raise InvalidRecord(f"step {number}: the player whose turn it is was not asked")
        position = played(columns, geometry)
        rows = [[_SYMBOLS[owner] for owner in row] for row in position.rows]
        _check_boards(step, number, _arena_board, (rows, rows[::-1]))  # either row may be the first
    history = _part(replay, "info").get("actionHistory")
    if isinstance(history, list) and [*map(str, columns)] != [*map(str, history)]:
        raise InvalidRecord("its history of actions is not the one of its steps")
    record = GameRecord(tuple(columns), geometry, *_names_of(replay))
    if record.position.is_over:
        _check_end(replay, record)
    winner = _winner_of(replay)
    if winner is None or record.position.is_over:
        return record
    return replace(record, fault="illegal", fault_seat=1 - winner)


def read(item: object, geometry: Geometry) -> GameRecord:
    """Return the game of a replay of ConnectX; `geometry` is the default of its board."""
    replay, steps = _opened(item, _CONNECTX)
    board = _geometry(replay.get("configuration"), geometry)
    position, columns, fault, fault_seat = Position(board), [], None, None
    for seat in range(2):
        _player(steps[0], seat, 0)
    _check_boards(steps[0], 0, _connectx_board, (to_kaggle(position),))
    for number, (before, step) in enumerate(itertools.pairwise(steps), start=1):
        seat = position.turn
        acting = _player(step, seat, number)
        if _player(before, seat, number - 1).get("status") != "ACTIVE":
            raise InvalidRecord(f"step {number}: the player whose turn it is was not asked")
        fault, fault_seat = _fault_of(step, seat, number)
        if fault is not None:
            break
        action = acting.get("action")
        if type(action) is not int:
            raise InvalidRecord(f"step {number}: {str(action)[:20]!r} is not a column")
        try:
            position = position.play(action)
        except ValueError as error:
            raise InvalidRecord(f"step {number}: {error}") from None
        columns.append(action)
        _check_boards(step, number, _connectx_board, (to_kaggle(position),))
    names = _names_of(replay)
    record = GameRecord(tuple(columns), board, *names, fault=fault, fault_seat=fault_seat)
    if fault is None:
        _check_end(replay, record)
    return record


def write(stream: TextIO, records: Iterable[GameRecord]) -> None:
    for record in records:
        stream.write(json.dumps(replay_of(record), ensure_ascii=False) + "\n")


def replay_of(record: GameRecord) -> dict[str, Any]:
    """Return a game as the replay that the environment would have made of it.

    Times are not known, so the bank stays at its full seconds throughout.

    >>> replay_of(GameRecord((3, 3)))["steps"][2][1]["action"]
    3
    """
    board = record.geometry
    position = Position(board)
    steps = [_step(position, None, 0, ("ACTIVE", "INACTIVE"), (0, 0))]
    for number, column in enumerate(record.columns, start=1):
        seat, position = position.turn, position.play(column)
        outcome = position.outcome
        statuses, rewards = ("DONE", "DONE"), (0, 0)
        if outcome is None:
            statuses = ("INACTIVE", "ACTIVE") if position.turn else ("ACTIVE", "INACTIVE")
        elif outcome.winner is not None:
            rewards = (1, -1) if outcome.winner == 0 else (-1, 1)
        steps.append(_step(position, (seat, column), number, statuses, rewards))
    if record.fault is not None and record.fault_seat is not None:
        loser = record.fault_seat
        both = [("DONE", 0), (_STATUS_OF.get(record.fault, "ERROR"), None)]
        (one, reward), (two, other) = both if loser else both[::-1]
        steps.append(_step(position, (loser, None), len(steps), (one, two), (reward, other)))
    names = [record.first, record.second]
    sizes = {name: getattr(board, ours) for name, ours in _BOARD.items()}
    return {
        "name": _CONNECTX,
        "title": "ConnectX",
        "version": _VERSION,
        "configuration": _SETTINGS | sizes,
        "steps": steps,
        "rewards": [player["reward"] for player in steps[-1]],
        "statuses": [player["status"] for player in steps[-1]],
        "schema_version": _SCHEMA,
        "info": {"TeamNames": names} if any(names) else {},
    }


def _step(
    position: Position,
    played: tuple[int, int | None] | None,
    number: int,
    statuses: tuple[str, str],
    rewards: tuple[int | None, int | None],
) -> list[dict[str, Any]]:
    shown: tuple[dict[str, Any], ...] = ({"step": number, "board": to_kaggle(position)}, {})
    return [
        {
            "action": played[1] if played is not None and played[0] == seat else 0,
            "reward": rewards[seat],
            "info": {},
            "observation": {"remainingOverageTime": _BANK, "mark": seat + 1, **shown[seat]},
            "status": statuses[seat],
        }
        for seat in range(2)
    ]


def _opened(item: object, name: str) -> tuple[Mapping[str, Any], list[Any]]:
    replay = _mapping(item, "a replay")
    if replay.get("name", name) != name:
        raise InvalidRecord(f"it is a replay of {str(replay['name'])[:40]!r}, not of {name!r}")
    steps = replay.get("steps")
    if not isinstance(steps, list) or not steps:
        raise InvalidRecord("not a replay: it has no steps")
    return replay, steps


def _part(item: object, name: str) -> Mapping[str, Any]:
    """Return an object within an object, {} if it is missing."""
    found = item.get(name) if isinstance(item, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _geometry(settings: object, default: Geometry) -> Geometry:
    given = {} if settings is None else _mapping(settings, "a configuration")
    sizes = default.as_dict()
    for name, ours in _BOARD.items():
        value = given.get(name, sizes[ours])
        if type(value) is not int:
            raise InvalidRecord(f"its {name} must be a whole number, got {str(value)[:20]!r}")
        sizes[ours] = value
    return Geometry(**sizes)


def _fault_of(step: object, turn: int, number: int) -> tuple[str | None, int | None]:
    """Return the fault of a step and its seat; of two, the fault of the player to move."""
    for seat in (turn, 1 - turn):
        fault = _FAULT_OF.get(str(_player(step, seat, number).get("status")))
        if fault is not None:
            return fault, seat
    return None, None


def _player(step: object, seat: int, number: int) -> Mapping[str, Any]:
    if not isinstance(step, list) or len(step) != 2:
        raise InvalidRecord(f"step {number}: it has not the parts of two players")
    return _mapping(step[seat], f"step {number}: the part of a player")


def _submissions(step: object) -> list[tuple[int, int]]:
    """Return the moves of a step with their seats: at most one in a replay of a whole game."""
    found = []
    for seat, player in enumerate(step if isinstance(step, list) else ()):
        column = _part(player, "action").get("submission")
        if type(column) is int and column >= 0:
            found.append((seat, column))
    return found


def _arena_board(seen: Mapping[str, Any]) -> Any:
    text = seen.get("observationString")
    try:
        shown = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None  # other versions show a drawing
    return shown.get("board") if isinstance(shown, Mapping) else None


def _check_boards(
    step: Any, number: int, board_in: Callable[[Mapping[str, Any]], Any], wanted: tuple[Any, ...]
) -> None:
    """Raise `InvalidRecord` if a board that a step shows is not the one its moves lead to."""
    for player in step if isinstance(step, list) else ():
        board = board_in(_part(player, "observation"))
        if board is not None and board not in wanted:
            raise InvalidRecord(f"step {number}: its board is not the one its moves lead to")


def _check_end(replay: Mapping[str, Any], record: GameRecord) -> None:
    """Raise `InvalidRecord` if the result of a replay is not the result of its moves."""
    if replay.get("statuses") != ["DONE", "DONE"]:
        return
    if not record.is_finished:
        raise InvalidRecord("it came to an end, but by its moves it is open")
    rewards = replay.get("rewards")
    if rewards is not None and _winner_of(replay) != record.winner:
        raise InvalidRecord(f"its rewards are {rewards}, but by its moves it is {record.result}")


def _winner_of(replay: Mapping[str, Any]) -> int | None:
    """Return the seat with the greater reward, or None if they are equal or missing."""
    rewards = replay.get("rewards")
    if rewards is None:
        return None
    is_pair = isinstance(rewards, list) and len(rewards) == 2
    if not is_pair or not all(isinstance(each, int | float) for each in rewards):
        raise InvalidRecord(f"its rewards must be two numbers, got {rewards!r:.40}")
    return None if rewards[0] == rewards[1] else rewards.index(max(rewards))


def _names_of(replay: Mapping[str, Any]) -> tuple[str, str]:
    names = _part(replay, "info").get("TeamNames")
    if not isinstance(names, list) or len(names) != 2:
        return "", ""
    return as_name(str(names[0] or "")), as_name(str(names[1] or ""))


def _mapping(item: object, what: str) -> Mapping[str, Any]:
    if not isinstance(item, Mapping):
        raise InvalidRecord(f"{what} must be a JSON object, got {str(item)[:20]!r}")
    return item
