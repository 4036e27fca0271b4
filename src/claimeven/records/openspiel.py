"""Histories of OpenSpiel: the actions of a game, 0-based columns.

A game is a line of actions with commas, as `state.history_str()` returns it, in brackets or not; or
the document that `pyspiel.serialize_game_and_state` returns, which also names the board.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from claimeven.game.geometry import STANDARD, Geometry
from claimeven.records.lines import text_lines
from claimeven.records.record import GameRecord, InvalidRecord
from claimeven.suggestions import no_such

_META, _GAME, _STATE = _SECTIONS = ("[Meta]", "[Game]", "[State]")
#: How OpenSpiel calls the game, and its parameters with what they are to us.
_NAME = "connect_four"
_PARAMETERS = {"columns": "columns", "rows": "rows", "x_in_row": "connect"}
#: What an action may show that is one too many.
_COUNTS_FROM_1 = "; if columns count from 1, read it with --from moves"
#: Its parameters that change nothing about a game.
_OTHERS = ("egocentric_obs_tensor",)


def items(lines: Iterable[str], geometry: Geometry) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield each game as the text of its board, empty where none is told, and that of its moves.

    Raises `InvalidRecord` for a document whose sections are not those of a game, and for a file
    that can be read twice if its columns count from 1.
    """
    if getattr(lines, "seekable", bool)():
        _refuse_from_1(lines, geometry)
    begin, board, actions, section = 0, "", [""], ""
    for number, line in text_lines(lines):
        text = line.partition("#")[0].strip()
        if text.startswith("[") and text[1:2].isalpha():
            if section == _STATE:
                yield begin, (board, ",".join(actions))
            _check_order(section, text, board, number)
            if text == _GAME:
                begin, board, actions = number, "", []
            section = text
        elif not text:
            continue
        elif section == _GAME:
            board = text
        elif section == _STATE and "=" not in text:
            actions.append(text)
        elif text.startswith("history="):  # of a state wrapped in Python: player:action
            actions.append(re.sub(r"\d+:", "", text.removeprefix("history=")))
        elif not section:
            yield number, ("", text)
    if section == _GAME:
        raise InvalidRecord(f"the document that begins here has no {_STATE}", begin)
    if section == _STATE:
        yield begin, (board, ",".join(actions))


def _refuse_from_1(lines: Any, geometry: Geometry) -> None:
    """Raise `InvalidRecord` if a file has an action one too great, and none that is 0."""
    start, wrong = lines.tell(), None
    for number, line in text_lines(lines):
        text = line.partition("#")[0].strip()
        actions = text.strip("[]").replace(" ", "").split(",")
        if "0" in actions or text.startswith(_SECTIONS):
            wrong = None
            break
        if wrong is None and str(geometry.columns) in actions:
            wrong = number, text
    lines.seek(start)
    if wrong is not None:
        try:
            read(("", wrong[1]), geometry)
        except InvalidRecord as error:
            raise InvalidRecord(error.reason, wrong[0]) from None


def _check_order(before: str, section: str, board: str, number: int) -> None:
    """Raise `InvalidRecord` for a section that cannot stand on a line after the one before it."""
    if section not in _SECTIONS:
        raise InvalidRecord(no_such("section of a document", section[:20], _SECTIONS), number)
    if (section == _STATE) != (before == _GAME):
        wanted = _STATE if before == _GAME else _GAME
        raise InvalidRecord(f"{section} stands where {wanted} is missing", number)
    if section == _STATE and not board:
        raise InvalidRecord(f"{_GAME} names no game", number)


def read(item: object, geometry: Geometry) -> GameRecord:
    """Return the game of a line or a document."""
    board, text = item if isinstance(item, tuple) else ("", str(item))
    if board:
        geometry = board_of(board)
    columns = []
    choices = set(map(str, range(geometry.columns)))
    words = [word.strip() for word in text.strip("[]()").split(",")]
    for number, word in enumerate(words if any(words) else (), start=1):
        if word not in choices:
            raise InvalidRecord(
                f"move {number}: {word[:20]!r} is not an action: choose from 0 to"
                f" {geometry.columns - 1}{_COUNTS_FROM_1 * (word == str(geometry.columns))}"
            )
        columns.append(int(word))
    return GameRecord(tuple(columns), geometry)


def write(stream: TextIO, records: Iterable[GameRecord]) -> None:
    """Write lines of actions; games on another board than the standard one as documents."""
    for record in records:
        if record.geometry == STANDARD:
            stream.write((", ".join(map(str, record.columns)) or "[]") + "\n")
        else:
            stream.write(_document(record))


def _document(record: GameRecord) -> str:
    board = record.geometry
    actions = "".join(f"{column}\n" for column in record.columns)
    return (
        "[Meta]\nVersion: 1\n\n"
        f"{_GAME}\n{_NAME}(columns={board.columns},rows={board.rows},x_in_row={board.connect})\n"
        f"{_STATE}\n{actions}\n\n"
    )


def board_of(text: str) -> Geometry:
    """Return the board of a game as OpenSpiel writes it. Raises `InvalidRecord`."""
    found = re.fullmatch(rf"{_NAME}(?:_proxy)?(?:\((.*)\))?", text.strip())
    if found is None:
        raise InvalidRecord(f"{text[:40]!r} is not a game of {_NAME}")
    told = {}
    for part in (found[1] or "").split(","):
        name, _, value = part.strip().partition("=")
        if name in _PARAMETERS and value.isascii() and value.isdigit():
            told[_PARAMETERS[name]] = int(value[:9])
        elif name in _PARAMETERS:
            raise InvalidRecord(f"{name} is {value[:20]!r}, which is no number")
        elif name and name not in _OTHERS:
            known = (*_PARAMETERS, *_OTHERS)
            raise InvalidRecord(no_such(f"parameter of {_NAME}", name[:20], known))
    return Geometry(**told)
