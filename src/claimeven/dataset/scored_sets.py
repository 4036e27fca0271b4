"""Sets of scored positions, on which accuracy is measured.

A set is a file of any format of `claimeven.records`, plain or with gzip, usually text with one
position per line: `easy 1616477166174253 5 7 12 11 11 4 11` is a word for the difficulty, the
moves, and the exact score of each column for the side to move. The word is optional. Missing scores
are solved; a single score is the score of the position, as in the public test sets, and is checked.
Data sets are sets as well, without difficulties; their suffix marks them.

Four sets of 7x6 are bundled. `bench/make_accuracy_set.py` makes the default set, and `tactics` with
the wins at hand that it omits, and explains their bands. `hard` and `easy` are held out from
training: one position from each of many games in which half of the moves, or a tenth, are random
and the others are perfect (`bench/make_held_out_sets.py`).
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from claimeven.compiled.wide import words_of
from claimeven.dataset.dataset import WORSE, Dataset
from claimeven.dataset.files import SUFFIXES
from claimeven.dataset.read import read_rows
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.game.validation import whole_number
from claimeven.records import GameRecord, InvalidRecord, guess_by_lines
from claimeven.records.formats import made_of_records
from claimeven.records.move_strings import items
from claimeven.solver.solver import ILLEGAL, Solver
from claimeven.suggestions import no_such
from claimeven.text_io import text_of

#: The folder of the bundled sets, named by board and version: `7x6-v1`.
BUNDLED = Path(__file__).parent / "data"
#: The version of the bundled sets; a set never changes under its name.
VERSION = "v1"
#: Names of the bundled sets on the command line.
SETS = DEFAULT, HARD, EASY, TACTICS = ("default", "hard", "easy", "tactics")
#: The sets that no bundled agent was trained on.
HELD_OUT = (HARD, EASY)
_ENDING = ".txt.gz"
#: Hexadecimal digits of a digest that are shown.
_DIGITS = 12
#: The limit on the unpacked bytes of a file, a hundred times the default set.
MAX_BYTES = 32 << 20


class InvalidPositions(ClaimevenError):
    """A file of scored positions that cannot be used."""


@dataclass(frozen=True)
class ScoredPosition:
    """A position with the exact score of every column for its side to move, None if full.

    `moves` lead to it; `band` is a word for its difficulty, possibly empty. `scores` are empty if
    they are not known yet.
    """

    moves: str
    position: Position
    scores: tuple[int | None, ...] = ()
    band: str = ""


@dataclass(frozen=True)
class ScoredSet:
    """Scored positions under a name; sets with the same `digest` are the same."""

    name: str
    positions: tuple[ScoredPosition, ...]

    @property
    def digest(self) -> str:
        """The first digits of the SHA-256 digest of the positions, bands and scores."""
        text = "".join(f"{each.band} {each.moves} {each.scores}\n" for each in self.positions)
        return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]

    @property
    def bands(self) -> tuple[str, ...]:
        """The bands in the order of their first positions."""
        return tuple(dict.fromkeys(each.band for each in self.positions))

    def first(self, count: int) -> ScoredSet:
        """Return a smaller set: `count` positions, evenly from the whole.

        Raises `InvalidPositions` for less than one.
        """
        count = whole_number(count, "count", InvalidPositions, low=1)
        size = len(self.positions)
        if count >= size:
            return self
        part = tuple(self.positions[i * size // count] for i in range(count))
        return ScoredSet(f"{self.name}, {count} of {size}", part)

    def completed(self, solver: Callable[[], Solver]) -> ScoredSet:
        """Return the set with all scores; the solver computes missing scores.

        Raises `InvalidPositions` for a position whose single score is wrong.
        """
        missing = [each for each in self.positions if len(each.scores) <= 1]
        if not missing:
            return self
        rows = iter(solver().scores_many([each.position for each in missing]))
        found = []
        for each in self.positions:
            if len(each.scores) <= 1:
                scores = tuple(None if score == ILLEGAL else int(score) for score in next(rows))
                best = max(score for score in scores if score is not None)
                if each.scores and each.scores[0] != best:
                    raise InvalidPositions(
                        f"{self.name} gives {each.moves} the score {each.scores[0]}; it is {best}"
                    )
                each = replace(each, scores=scores)  # noqa: PLW2901 - the same position
            found.append(each)
        return ScoredSet(self.name, tuple(found))


@cache
def bundled_set(geometry: Geometry = STANDARD, which: str = DEFAULT) -> ScoredSet | None:
    """Return one of the bundled `SETS`, None if the board has no such set.

    Raises `InvalidPositions` for an unknown set.
    """
    if which not in SETS:
        raise InvalidPositions(no_such("set", which, SETS))
    path = BUNDLED / file_name(geometry, which)
    if geometry.connect != Geometry.connect or not path.is_file():
        return None
    return replace(read_set(path, geometry), name=path.name.removesuffix(_ENDING))


def file_name(geometry: Geometry, which: str) -> str:
    """Return the name of the file of a bundled set: the default one has the name of the board."""
    board = f"{geometry.columns}x{geometry.rows}-{VERSION}{_ENDING}"
    return board if which == DEFAULT else f"{which}-{board}"


def bundled_tactics(geometry: Geometry, count: int | None = None) -> ScoredSet | None:
    """Return at most `count` positions with a win to take or to block, None for most boards."""
    found = bundled_set(geometry, TACTICS)
    return found if found is None or count is None else found.first(count)


@cache
def held_out(name: str, geometry: Geometry = STANDARD) -> Dataset:
    """Return the positions of a held-out set, "hard" or "easy", with their scores.

    Take training data `without` them. Raises `InvalidPositions` for another name, and for a board
    without such a set.

    >>> held_out("hard").scores.shape
    (3000, 7)
    """
    if name not in HELD_OUT:
        raise InvalidPositions(no_such("held-out set", name, HELD_OUT))
    found = bundled_set(geometry, name)
    if found is None:
        raise InvalidPositions(f"no held-out set of positions of {geometry} is bundled")
    scores = [[ILLEGAL if s is None else s for s in each.scores] for each in found.positions]
    return Dataset(
        geometry,
        words_of([each.position.mine for each in found.positions], geometry.bits),
        words_of([each.position.mask for each in found.positions], geometry.bits),
        np.array(scores, dtype=np.int8),
        np.arange(len(found.positions)),
    )


def held_out_sets(geometry: Geometry) -> dict[str, Dataset]:
    """Return the held-out sets of a board by name; most boards have no sets."""
    names = [name for name in HELD_OUT if bundled_set(geometry, name) is not None]
    return {name: held_out(name, geometry) for name in names}


def load_set(
    positions: ScoredSet | str | Path | None,
    geometry: Geometry = STANDARD,
    count: int | None = None,
    solver: Callable[[], Solver] | None = None,
    which: str = DEFAULT,
) -> ScoredSet:
    """Return a set, a file of one, or a bundled one, with all its scores, evenly cut to `count`.

    `solver` makes the solver for scores that are missing. Raises `InvalidPositions`.
    """
    if positions is None:
        found = bundled_set(geometry, which)
        if found is None:
            raise InvalidPositions(
                f"no set of positions of {geometry} is bundled: give a file, for example from"
                " claimeven dataset"
            )
    else:
        found = positions if isinstance(positions, ScoredSet) else read_set(positions, geometry)
    if count is not None:
        found = found.first(count)
    return found.completed(solver or partial(Solver, geometry))


def read_set(path: str | Path, geometry: Geometry = STANDARD) -> ScoredSet:
    """Read a set for a board. Raises `InvalidPositions` naming the file and the line.

    Positions with missing scores have one score or no scores: see `completed`. Raises
    `InvalidDatasetFile` for a corrupt data set.
    """
    if Path(path).suffix in SUFFIXES:
        rows = read_rows(path, geometry)
        found = (
            # A row may have only the score of its best columns.
            ScoredPosition(r.moves, r.position, (r.score,) if WORSE in r.scores else r.scores)
            for r in rows
        )
        return ScoredSet(str(path), tuple(found))
    text = text_of(path, MAX_BYTES, InvalidPositions)
    return ScoredSet(str(path), tuple(parse_set(text, geometry, str(path))))


def parse_set(text: str, geometry: Geometry, name: str) -> Iterator[ScoredPosition]:
    """Yield the positions of a text. Raises `InvalidPositions` naming the line."""
    count = 0
    try:
        form, lines = guess_by_lines(name.removesuffix(".gz"), io.StringIO(text))
        if form.name == "moves":
            form = replace(form, items=partial(items, is_set=True))
        for found in made_of_records(lines, form, name, geometry, _scored_position):
            count += 1
            yield found
    except InvalidRecord as error:
        raise InvalidPositions(f"line {error.line or 1} of {name}: {error.reason}") from None
    if not count:
        raise InvalidPositions(f"{name} contains no positions")


def _scored_position(record: GameRecord) -> ScoredPosition:
    if record.position.is_over:
        raise InvalidRecord(f"the game is over after {record.moves}: {record.position.outcome}")
    return ScoredPosition(record.moves, record.position, record.scores, record.band)
