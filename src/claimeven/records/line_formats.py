"""Formats with a game or position a line: UCI rows, turns such as `A_Red`, OpenSpiel's actions.

A row has the cells of a position as `game.encodings` writes `uci`, with commas, and last "win",
"draw" or "loss" for the first player. A row does not have the order of its discs: the record has
one possible order, and `is_ordered` is false.

Turns are a column and a color, `A_Red`, `B_Yellow`, one or more on a line.

A history of OpenSpiel has the actions of a game, 0-based columns: a line with commas, as
`state.history_str()` returns it, in brackets or not; or the document that
`pyspiel.serialize_game_and_state` returns, which also names the board.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TextIO

from claimeven.game.encodings import from_uci, to_uci
from claimeven.game.game_line import moves_to
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.records.record import (
    LABELS,
    NO_MOVE,
    GameRecord,
    InvalidRecord,
    surveyed,
    text_lines,
    written_lines,
)
from claimeven.suggestions import no_such

#: The label of a finished game, by its winner's seat.
_LABEL_OF_WINNER = {0: "win", None: "draw", 1: "loss"}
_LETTERS = "ABCDEFGHIJKLMNOP"
_COLORS = ("Red", "Yellow")
_TURN = re.compile(r"([A-P])_(red|yellow)", re.IGNORECASE)
#: How a line of turns starts.
FIRST_TURN = re.compile(r"[\[\s'\"]*[A-P]_(red|yellow)\b", re.IGNORECASE)
#: Characters between the turns of a line.
_BETWEEN = re.compile(r"[\s,;\[\]'\"]*")

_META, _GAME, _STATE = _SECTIONS = ("[Meta]", "[Game]", "[State]")
#: The name of the game in OpenSpiel, and its parameters with our names.
_NAME = "connect_four"
_PARAMETERS = {"columns": "columns", "rows": "rows", "x_in_row": "connect"}
#: Actions that are one too great, as counting from 1 writes them.
_COUNTS_FROM_1 = "; if columns count from 1, read it with --from moves"
#: Its parameters that do not change a game.
_OTHERS = ("egocentric_obs_tensor",)


def looks_like_row(line: str) -> bool:
    """Whether a line is one of the UCI data set."""
    words = [word.strip() for word in line.split(",")]
    return len(words) > 1 and all(word in ("x", "o", "b", *LABELS) for word in words)


def read_row(item: object, geometry: Geometry) -> GameRecord:
    """Return the position of a row, reached in some order of its discs."""
    words = [word.strip() for word in str(item).split(",")]
    label = words.pop() if len(words) == geometry.cells + 1 else None
    if len(words) != geometry.cells:
        raise InvalidRecord(f"it has {len(words)} cells, and {geometry} has {geometry.cells}")
    return GameRecord(moves_to(from_uci(words, geometry)), geometry, label=label, is_ordered=False)


def write_rows(stream: TextIO, records: Iterable[GameRecord]) -> None:
    """Write a row a position, its label last. Raises `InvalidRecord` if its label is unknown."""
    for record in records:
        label = label_of(record)
        if label is None:
            raise InvalidRecord(
                f"the perfect result of {record.moves or 'the empty board'} is unknown, and a row"
                f" of the UCI data set ends with it: {', '.join(LABELS)}"
            )
        stream.write(",".join((*to_uci(record.position), label)) + "\n")


def label_of(record: GameRecord) -> str | None:
    """Return the label of a record: by its outcome, or as its file has it."""
    outcome = record.position.outcome
    return record.label if outcome is None else _LABEL_OF_WINNER[outcome.winner]


def turn_items(lines: Iterable[str], geometry: Geometry) -> Iterator[tuple[int, str]]:
    """Yield a game a line, or one game if no line has more than one turn."""
    written = list(written_lines(lines, geometry))
    if written and all(len(_TURN.findall(line)) <= 1 for _, line in written):
        written = [(written[0][0], " ".join(line for _, line in written))]
    yield from written


def read_turns(item: object, geometry: Geometry) -> GameRecord:
    """Return the game of a text of turns. Raises `InvalidRecord` naming the move."""
    text = str(item)
    wrong = _BETWEEN.sub("", _TURN.sub("", text))
    if wrong and text.strip() != NO_MOVE:
        raise InvalidRecord(f"{wrong[:20]!r} is not a column and color such as A_Red")
    columns = []
    turns = _TURN.findall(text)
    for number, (letter, color) in enumerate(turns, start=1):
        if (color.lower() == turns[0][1].lower()) != bool(number % 2):
            raise InvalidRecord(f"move {number}: {color} moves twice in a row")
        columns.append(_LETTERS.index(letter.upper()))
    return GameRecord(tuple(columns), geometry)


def write_turns(stream: TextIO, records: Iterable[GameRecord]) -> None:
    for record in records:
        turns = (f"{_LETTERS[c]}_{_COLORS[i % 2]}" for i, c in enumerate(record.columns))
        stream.write((" ".join(turns) or NO_MOVE) + "\n")


def histories(lines: Iterable[str], geometry: Geometry) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield each game as the text of its board, "" if the file has no board, and of its moves.

    Raises `InvalidRecord` for a document with other sections than a game has. Raises it also for a
    file that can be read twice if its columns count from 1.
    """
    surveyed(lines, lambda lines: _refuse_from_1(lines, geometry))
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
        raise InvalidRecord(f"the document that starts here has no {_STATE}", begin)
    if section == _STATE:
        yield begin, (board, ",".join(actions))


def looks_like_history(line: str) -> bool:
    """Whether a line starts a document or is a list of actions rather than moves."""
    if line.startswith("["):
        return line[1:2].isdigit() or line == "[]" or line in _SECTIONS[:2]
    first, comma, _ = line.partition(",")
    is_listed = bool(comma) and len(first.strip()) < 3  # moves before a score are longer
    return is_listed or line.startswith("# Automatically generated by OpenSpiel")


def history_doubt(item: object, geometry: Geometry) -> str:
    """Say that columns count from 0, if an item shows neither that nor the contrary."""
    board, text = item if isinstance(item, tuple) else ("", str(item))
    actions = text.replace(" ", "").split(",")
    if board or text[:1] in "[(" or "0" in actions or len(actions) < 2:
        return ""
    return "OpenSpiel's actions, whose columns count from 0; --from moves counts from 1"


def _refuse_from_1(lines: Iterable[str], geometry: Geometry) -> None:
    """Raise `InvalidRecord` if a file has an action one too great, and no action 0."""
    wrong = None
    for number, line in text_lines(lines):
        text = line.partition("#")[0].strip()
        actions = text.strip("[]").replace(" ", "").split(",")
        if "0" in actions or text.startswith(_SECTIONS):
            return
        if wrong is None and str(geometry.columns) in actions:
            wrong = number, text
    if wrong is not None:
        try:
            read_history(("", wrong[1]), geometry)
        except InvalidRecord as error:
            raise InvalidRecord(error.reason, wrong[0]) from None


def _check_order(before: str, section: str, board: str, number: int) -> None:
    if section not in _SECTIONS:
        raise InvalidRecord(no_such("section of a document", section[:20], _SECTIONS), number)
    if (section == _STATE) != (before == _GAME):
        wanted = _STATE if before == _GAME else _GAME
        raise InvalidRecord(f"expected {wanted}, got {section}", number)
    if section == _STATE and not board:
        raise InvalidRecord(f"{_GAME} names no game", number)


def read_history(item: object, geometry: Geometry) -> GameRecord:
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


def write_histories(stream: TextIO, records: Iterable[GameRecord]) -> None:
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
    sizes = {}
    for part in (found[1] or "").split(","):
        name, _, value = part.strip().partition("=")
        if name in _PARAMETERS and value.isascii() and value.isdigit():
            sizes[_PARAMETERS[name]] = int(value[:9])
        elif name in _PARAMETERS:
            raise InvalidRecord(f"{name} must be a number, got {value[:20]!r}")
        elif name and name not in _OTHERS:
            known = (*_PARAMETERS, *_OTHERS)
            raise InvalidRecord(no_such(f"parameter of {_NAME}", name[:20], known))
    return Geometry(**sizes)
