"""Replays of Kaggle's ConnectX: the JSON that `env.toJSON()` returns and the site hands out.

A replay names its board; each step has the
action of the player whose turn it was and the board after it, which must be that of the moves. A
game ended by an answer of status INVALID, TIMEOUT or ERROR is lost by a fault.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from claimeven.game.encodings import to_kaggle
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.records.record import GameRecord, InvalidRecord, as_name

_NAME = "connectx"
#: The version of the environment whose replays are written, and its settings besides the board.
_VERSION, _SCHEMA = "1.0.1", 1
_SETTINGS = {
    "episodeSteps": 1000,
    "actTimeout": 2,
    "runTimeout": 1200,
    "agentTimeout": 60,
    "timeout": 2,
}
_BANK = 60
_BOARD = {"columns": "columns", "rows": "rows", "inarow": "connect"}
_FAULT_OF = {"INVALID": "illegal", "TIMEOUT": "time", "ERROR": "crash"}
_STATUS_OF = {"illegal": "INVALID", "time": "TIMEOUT", "stall": "TIMEOUT"}
_OTHER_FAULT = "ERROR"


def read(item: object, geometry: Geometry) -> GameRecord:
    """Return the game of a replay; `geometry` stands for what its configuration leaves out."""
    replay = mapping(item, "a replay")
    if replay.get("name", _NAME) != _NAME:
        raise InvalidRecord(f"it is a replay of {str(replay['name'])[:40]!r}, not of {_NAME!r}")
    steps = replay.get("steps")
    if not isinstance(steps, list) or not steps:
        raise InvalidRecord("it is no replay: it has no steps")
    board = _geometry(replay.get("configuration"), geometry)
    position, columns, fault, fault_seat = Position(board), [], None, None
    for seat in range(2):
        _player(steps[0], seat, 0)
    _check_board(position, steps[0], 0)
    for number, (before, step) in enumerate(itertools.pairwise(steps), start=1):
        seat = position.turn
        acting = _player(step, seat, number)
        if _player(before, seat, number - 1).get("status") != "ACTIVE":
            raise InvalidRecord(f"step {number}: the player whose turn it is was not asked")
        fault, fault_seat = _fault_of(step, seat, number)
        if fault is not None:
            break
        position = _moved(position, acting.get("action"), number)
        columns.append(acting["action"])
        _check_board(position, step, number)
    first, second = names_of(replay)
    record = GameRecord(
        tuple(columns),
        board,
        first,
        second,
        fault=fault,
        fault_seat=fault_seat,
    )
    if fault is None:
        check_end(replay, record)
    return record


def write(stream: TextIO, records: Iterable[GameRecord]) -> None:
    """Write a replay a line."""
    for record in records:
        stream.write(json.dumps(replay_of(record), ensure_ascii=False) + "\n")


def replay_of(record: GameRecord) -> dict[str, Any]:
    """Return a game as the replay that the environment would have made of it.

    Times are not known, so the bank stands at its full seconds throughout.

    >>> replay_of(GameRecord((3, 3)))["steps"][2][1]["action"]
    3
    """
    board = record.geometry
    position = Position(board)
    steps = [_step(position, None, 0, ("ACTIVE", "INACTIVE"), (0, 0))]
    for number, column in enumerate(record.columns, start=1):
        seat, position = position.turn, position.play(column)
        statuses, rewards = _standing(position)
        steps.append(_step(position, (seat, column), number, statuses, rewards))
    if record.fault is not None and record.fault_seat is not None:
        statuses, rewards = _forfeited(record.fault, record.fault_seat)
        steps.append(_step(position, (record.fault_seat, None), len(steps), statuses, rewards))
    names = [record.first, record.second]
    return {
        "name": _NAME,
        "title": "ConnectX",
        "version": _VERSION,
        "configuration": {
            **_SETTINGS,
            "columns": board.columns,
            "rows": board.rows,
            "inarow": board.connect,
        },
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
    """Return both players' parts of a step; only the first one's shows the board."""
    players = []
    for seat in range(2):
        seen: dict[str, Any] = {"remainingOverageTime": _BANK, "mark": seat + 1}
        if not seat:
            seen |= {"step": number, "board": to_kaggle(position)}
        action = played[1] if played is not None and played[0] == seat else 0
        players.append(
            {
                "action": action,
                "reward": rewards[seat],
                "info": {},
                "observation": seen,
                "status": statuses[seat],
            }
        )
    return players


def _forfeited(fault: str, seat: int) -> tuple[tuple[str, str], tuple[int | None, int | None]]:
    """Return statuses and rewards of both after a fault of the player in a seat."""
    status = _STATUS_OF.get(fault, _OTHER_FAULT)
    return (("DONE", status), (0, None)) if seat else ((status, "DONE"), (None, 0))


def _standing(position: Position) -> tuple[tuple[str, str], tuple[int | None, int | None]]:
    """Return statuses and rewards of both after a move."""
    outcome = position.outcome
    if outcome is None:
        return (("INACTIVE", "ACTIVE") if position.turn else ("ACTIVE", "INACTIVE")), (0, 0)
    rewards = (0, 0) if outcome.winner is None else (1, -1) if outcome.winner == 0 else (-1, 1)
    return ("DONE", "DONE"), rewards


def _geometry(told: object, usual: Geometry) -> Geometry:
    settings = {} if told is None else mapping(told, "a configuration")
    sizes = usual.as_dict()
    for name, ours in _BOARD.items():
        value = settings.get(name, sizes[ours])
        if type(value) is not int:
            raise InvalidRecord(f"its {name} is {str(value)[:20]!r}, which is no whole number")
        sizes[ours] = value
    return Geometry(**sizes)


def _fault_of(step: object, turn: int, number: int) -> tuple[str | None, int | None]:
    """Return the fault that a step tells, and whose; of two that of the player whose turn it is."""
    for seat in (turn, 1 - turn):
        fault = _FAULT_OF.get(str(_player(step, seat, number).get("status")))
        if fault is not None:
            return fault, seat
    return None, None


def _player(step: object, seat: int, number: int) -> Mapping[str, Any]:
    if not isinstance(step, list) or len(step) != 2:
        raise InvalidRecord(f"step {number}: it has not the parts of two players")
    return mapping(step[seat], f"step {number}: the part of a player")


def _moved(position: Position, action: object, number: int) -> Position:
    if type(action) is not int:
        raise InvalidRecord(f"step {number}: {str(action)[:20]!r} is not a column")
    try:
        return position.play(action)
    except ValueError as error:
        raise InvalidRecord(f"step {number}: {error}") from None


def _check_board(position: Position, step: list[Any], number: int) -> None:
    """Raise if the board that a step shows is not the one its moves lead to."""
    for player in step:
        seen = player.get("observation") if isinstance(player, Mapping) else None
        board = seen.get("board") if isinstance(seen, Mapping) else None
        if board is not None and board != to_kaggle(position):
            raise InvalidRecord(f"step {number}: its board is not the one its moves lead to")


def check_end(replay: Mapping[str, Any], record: GameRecord) -> None:
    """Raise if what a replay says of its end is not what its moves say of theirs."""
    if replay.get("statuses") != ["DONE", "DONE"]:
        return
    if not record.is_finished:
        raise InvalidRecord("it came to an end, but by its moves it is open")
    rewards = replay.get("rewards")
    if rewards is not None and winner_of(replay) != record.winner:
        raise InvalidRecord(f"its rewards are {rewards}, but by its moves it is {record.result}")


def winner_of(replay: Mapping[str, Any]) -> int | None:
    """Return the seat with the greater reward, None if both are equal or there are none."""
    rewards = replay.get("rewards")
    if rewards is None:
        return None
    if not (
        isinstance(rewards, list)
        and len(rewards) == 2
        and all(isinstance(each, int | float) for each in rewards)
    ):
        raise InvalidRecord(f"its rewards are {rewards!r:.40}, not those of two players")
    return None if rewards[0] == rewards[1] else rewards.index(max(rewards))


def names_of(replay: Mapping[str, Any]) -> tuple[str, str]:
    """Return the names of both players, empty where there are none."""
    info = replay.get("info")
    names = info.get("TeamNames") if isinstance(info, Mapping) else None
    if not isinstance(names, list) or len(names) != 2:
        return "", ""
    return as_name(str(names[0] or "")), as_name(str(names[1] or ""))


def mapping(item: object, what: str) -> Mapping[str, Any]:
    """Return a JSON object. Raises `InvalidRecord` for anything else."""
    if not isinstance(item, Mapping):
        raise InvalidRecord(f"{what} is a JSON object, not {str(item)[:20]!r}")
    return item
