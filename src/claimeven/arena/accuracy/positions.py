"""Sets of scored positions: what agents' accuracy is measured on, so that figures compare.

A set is a file of any format of `claimeven.records`, plain or packed with gzip, usually text with
one position a line: `easy 1616477166174253 5 7 12 11 11 4 11` is a word for the difficulty, the
moves, and the exact score of each column for the side to move. The word may be left out. So may
the scores, which are then worked out; a single score is the score of the position, as in the
public test sets, and is checked. Data sets are sets as well (`claimeven.dataset`): a name that
ends as theirs do is read as one, its positions without bands.

Four sets of 7x6 come along. The usual one, and `tactics` with the wins at hand that it leaves out,
are made by `bench/make_accuracy_set.py`, where their bands are explained. `hard` and `easy` are for
agents that learn, who must never meet them in training: positions of games in which every second
move, or every tenth, is random and the others are perfect, one a game
(`bench/make_held_out_sets.py`).
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from claimeven.dataset.files import SUFFIXES
from claimeven.dataset.read import read_rows
from claimeven.dataset.rows import WORSE, Row
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.records import InvalidRecord, guess_by_lines, tried_records
from claimeven.records.move_strings import items
from claimeven.solver.solver import ILLEGAL, Solver
from claimeven.suggestions import no_such
from claimeven.text_io import text_of

#: The folder of the sets that come with the package, named by board and version: `7x6-v1`.
SHIPPED = Path(__file__).parents[1] / "data"
#: The version of the shipped sets; a set never changes under its name.
SHIPPED_VERSION = "v1"
#: What the shipped sets are called on the command line.
SETS = USUAL, HARD, EASY, TACTICS = ("usual", "hard", "easy", "tactics")
_ENDING = ".txt.gz"
#: Hexadecimal digits of a digest that are told.
DIGEST_SHOWN = 12
#: Bytes of a file that are read at most, unpacked: a hundred times what the shipped set takes.
MOST_BYTES = 32 << 20


class InvalidPositions(ClaimevenError):
    """A file of scored positions that cannot be used; the message names the line."""


@dataclass(frozen=True)
class ScoredPosition:
    """A position with the exact score of every column for its side to move, None where full.

    `moves` lead to it; `band` is a word for its difficulty, empty where none is given. `scores` are
    empty where they are not known yet.
    """

    moves: str
    position: Position
    scores: tuple[int | None, ...] = ()
    band: str = ""


@dataclass(frozen=True)
class ScoredSet:
    """Scored positions under a name; `digest` tells whether two people have the same ones."""

    name: str
    positions: tuple[ScoredPosition, ...]

    @property
    def digest(self) -> str:
        """The first digits of the SHA-256 digest of the positions, bands and scores."""
        text = "".join(f"{each.band} {each.moves} {each.scores}\n" for each in self.positions)
        return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_SHOWN]

    @property
    def bands(self) -> tuple[str, ...]:
        """The bands in the order they first appear."""
        return tuple(dict.fromkeys(each.band for each in self.positions))

    def first(self, count: int) -> ScoredSet:
        """Return a smaller set: so many positions, evenly from the whole.

        Raises `InvalidPositions` for less than one.
        """
        if count < 1:
            raise InvalidPositions(f"a set has 1 position or more, not {count}")
        size = len(self.positions)
        if count >= size:
            return self
        picked = tuple(self.positions[i * size // count] for i in range(count))
        return ScoredSet(f"{self.name}, {count} of {size}", picked)


@cache
def shipped_set(geometry: Geometry = STANDARD, which: str = USUAL) -> ScoredSet | None:
    """Return one of the `SETS` that come with the package for a board, None if there is none.

    Raises `InvalidPositions` for a set that is not among them.
    """
    if which not in SETS:
        raise InvalidPositions(no_such("set", which, SETS))
    path = SHIPPED / file_name(geometry, which)
    if geometry.connect != Geometry.connect or not path.is_file():
        return None
    return replace(read_set(path, geometry), name=path.name.removesuffix(_ENDING))


def file_name(geometry: Geometry, which: str) -> str:
    """Return the name of the file of a shipped set: the usual one has that of the board alone."""
    board = f"{geometry.columns}x{geometry.rows}-{SHIPPED_VERSION}{_ENDING}"
    return board if which == USUAL else f"{which}-{board}"


def read_set(path: str | Path, geometry: Geometry = STANDARD) -> ScoredSet:
    """Read a set for a board. Raises `InvalidPositions` naming the file and the line.

    Positions whose scores are not all in the file have one, their own, or none: see `completed`. A
    data set is read as well; raises `InvalidDatasetFile` for one that is damaged.
    """
    if Path(path).suffix in SUFFIXES:
        rows = read_rows(path, geometry)
        return ScoredSet(
            str(path), tuple(ScoredPosition(row.moves, row.position, _all_of(row)) for row in rows)
        )
    return ScoredSet(
        str(path),
        tuple(parse_set(text_of(path, MOST_BYTES, InvalidPositions), geometry, str(path))),
    )


def _all_of(row: Row) -> tuple[int | None, ...]:
    """Return the scores of a row, or that of its best columns where no others are known."""
    return (row.score,) if WORSE in row.scores else row.scores


def parse_set(text: str, geometry: Geometry, name: str) -> Iterable[ScoredPosition]:
    """Yield the positions of a text. Raises `InvalidPositions` naming the line."""
    count = 0
    line = 1
    try:
        form, lines = guess_by_lines(name.removesuffix(".gz"), io.StringIO(text))
        if form.name == "moves":
            form = replace(form, items=partial(items, is_set=True))
        for tried in tried_records(lines, form, geometry):
            line = tried.line
            record = tried.game()
            if record.geometry != geometry:
                raise InvalidRecord(f"its board is {record.geometry}, not {geometry}")
            if record.position.is_over:
                outcome = record.position.outcome
                raise InvalidRecord(f"the game is over after {record.moves}: {outcome}")
            yield ScoredPosition(record.moves, record.position, record.scores, record.band)
            count += 1
    except InvalidRecord as error:
        raise InvalidPositions(f"line {error.line or line} of {name}: {error.reason}") from None
    if not count:
        raise InvalidPositions(f"{name} holds no position")


def completed(given: ScoredSet, solver: Solver) -> ScoredSet:
    """Return the set with all scores, those that are missing worked out by a solver.

    Raises `InvalidPositions` for a position whose single score is wrong.
    """
    missing = [each for each in given.positions if len(each.scores) <= 1]
    if not missing:
        return given
    rows = iter(solver.scores_many([each.position for each in missing]))
    found = []
    for each in given.positions:
        if len(each.scores) > 1:
            found.append(each)
            continue
        scores = tuple(None if score == ILLEGAL else int(score) for score in next(rows))
        best = max(score for score in scores if score is not None)
        if each.scores and each.scores[0] != best:
            raise InvalidPositions(
                f"{given.name} gives {each.moves} the score {each.scores[0]}; it is {best}"
            )
        found.append(replace(each, scores=scores))
    return ScoredSet(given.name, tuple(found))
