"""A record of a game, from a file of any format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import format_moves
from claimeven.game.outcome import winner_by_score
from claimeven.game.position import Position, positions_along
from claimeven.game.validation import items_of, one_of, whole_number

#: The end of a game in a word: the seat that won, or another end.
RESULTS = ("first", "second", "draw", "unfinished")
#: The result of a position under perfect play, for the first player, in the UCI data set.
LABELS = ("win", "draw", "loss")
#: How formats with a game a line write a game without a move.
NO_MOVE = "-"
#: Characters of a player's name, and of the reason of a fault.
_MAX_NAME, _MAX_REASON = 200, 10_000
T = TypeVar("T")


class InvalidRecord(ClaimevenError):
    """A record of a game that cannot be read: the `reason`, and the `line` of its file, if known.

    >>> str(InvalidRecord("not a replay", line=3))
    'line 3: not a replay'
    """

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason if line is None else f"line {line}: {reason}")
        self.reason = reason
        self.line = line


@dataclass(frozen=True)
class GameRecord:
    """A game, or the start of one: the columns played, and the other facts of its file.

    `columns` are 0-based, from the empty board of `geometry`; the first `opening` of them were not
    the players' own. `first` and `second` name the players, "" if unknown. A game that its moves
    leave open may have been lost by a fault: `fault` is a word for it such as "illegal",
    `fault_seat` (0 or 1) the seat that lost by it, `reason` a sentence.

    `label` is what perfect play gives the first player in the position reached: one of `LABELS`, or
    None if unknown. `is_ordered` is false if the file has only a position: the order of its discs
    is then one possible order. `scores` are the exact scores that the file gives for the side to
    move in the position reached: (), the score of the position, or a score for each column, None
    for a full one; `band` is its word for how hard the position is. `adjudicated` is the exact
    score of the position reached by which a game was ended, None for other games. Raises
    `InvalidRecord` for a game that cannot be, naming the move.

    >>> game = GameRecord((3, 3, 4, 4, 5, 5, 6), first="ann")
    >>> game.moves, game.result, game.winner
    ('4455667', 'first', 0)
    """

    columns: tuple[int, ...]
    geometry: Geometry = STANDARD
    first: str = ""
    second: str = ""
    opening: int = 0
    fault: str | None = None
    fault_seat: int | None = None
    reason: str | None = None
    label: str | None = None
    is_ordered: bool = True
    scores: tuple[int | None, ...] = ()
    band: str = ""
    adjudicated: int | None = None
    position: Position = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        columns = items_of(self.columns, "columns", InvalidRecord)
        for text, what, most, fits in (
            (self.first, "name of a player", _MAX_NAME, str.isprintable),
            (self.second, "name of a player", _MAX_NAME, str.isprintable),
            (self.fault or "", "word for a fault", _MAX_NAME, str.isprintable),
            (self.reason or "", "sentence that says why a game was lost", _MAX_REASON, _is_text),
        ):
            is_text = isinstance(text, str)
            if not is_text or len(text) > most or not fits(text):
                raise InvalidRecord(f"{(text[:40] if is_text else text)!r} is no {what}")
        if not 0 <= whole_number(self.opening, "opening", InvalidRecord) <= len(columns):
            raise InvalidRecord(f"an opening of {self.opening} moves is longer than its game")
        if self.label is not None:
            one_of(self.label, "label", LABELS, InvalidRecord)
        object.__setattr__(self, "position", played(columns, self.geometry))
        object.__setattr__(self, "columns", tuple(map(int, columns)))
        if (self.fault is None) != (self.fault_seat is None) or self.fault_seat not in (None, 0, 1):
            raise InvalidRecord("a game is lost by a fault of one of two players")
        if self.fault is not None and self.position.is_over:
            raise InvalidRecord("a game that its moves decide is not lost by a fault")
        if self.adjudicated is not None and (self.fault is not None or self.position.is_over):
            raise InvalidRecord("a game that its moves or a fault decide is not adjudicated")

    @property
    def score(self) -> int | None:
        """The exact score of the position reached that the file gives, or None."""
        return max((score for score in self.scores if score is not None), default=None)

    @property
    def moves(self) -> str:
        """The move string of the game, its opening included."""
        return format_moves(self.columns, self.geometry)

    @property
    def opening_moves(self) -> str:
        return format_moves(self.columns[: self.opening], self.geometry)

    @property
    def is_finished(self) -> bool:
        """Whether the game came to an end, by its moves, by a fault or by its exact score."""
        return self.position.is_over or (self.fault, self.adjudicated) != (None, None)

    @property
    def winner(self) -> int | None:
        """The seat (0 or 1) that won, None for a draw and while the game is open."""
        if self.fault_seat is not None:
            return 1 - self.fault_seat
        if self.adjudicated is not None:
            return winner_by_score(self.adjudicated, self.position.turn)
        outcome = self.position.outcome
        return None if outcome is None else outcome.winner

    @property
    def result(self) -> str:
        """The end of the game: one of `RESULTS`."""
        return result_name(self.winner, self.is_finished)


def as_name(text: str) -> str:
    """Return a name of elsewhere as one of a player: what cannot be printed left out, and short.

    >>> as_name("Ann\\u00a0B\\u200b")
    'Ann B'
    """
    spaced = "".join(" " if character.isspace() else character for character in text)
    return "".join(filter(str.isprintable, spaced)).strip()[:_MAX_NAME].strip()


def _is_text(text: str) -> bool:
    """Whether every format can hold a text: no lone surrogates, no ends of lines."""
    return not any("\ud800" <= character <= "\udfff" or character in "\r\0" for character in text)


def result_name(winner: int | None, finished: bool) -> str:
    """Return the word of `RESULTS` for a game.

    >>> result_name(1, finished=True)
    'second'
    """
    if not finished:
        return RESULTS[3]
    return RESULTS[2] if winner is None else RESULTS[winner]


def played(columns: Sequence[int], geometry: Geometry) -> Position:
    """Return the position after these moves from the empty board.

    Raises `InvalidRecord` naming the move, counted from 1, that cannot be played.
    """
    try:
        return positions_along(Position(geometry), columns)[-1]
    except ClaimevenError as error:
        raise InvalidRecord(str(error)) from None


def text_lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers, without their ends and a byte order mark."""
    for number, line in enumerate(lines, start=1):
        yield number, line.removeprefix("\ufeff").rstrip("\r\n")


def written_lines(lines: Iterable[str], geometry: Geometry) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, with their numbers."""
    return ((number, line) for number, line in text_lines(lines) if line.strip())


def surveyed(lines: Any, survey: Callable[[Iterable[str]], T]) -> T | None:
    """Return the result of `survey` for lines that can be read twice, as in a file, or None."""
    if not getattr(lines, "seekable", bool)():
        return None
    start = lines.tell()
    found = survey(lines)
    lines.seek(start)
    return found
