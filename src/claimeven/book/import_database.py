"""Making a deep book from a database of the package `bitbully-databases`.

A database has the positions after an even number of discs whose side to move cannot win with its
next disc, one of each pair of mirror images. An entry is a code of the board and a signed byte:

- the code, big-endian, has for each disc two bits, `10` the first player's and `11` the second's,
  column by column from the left and each from the bottom, a bit `0` after each column, and zeros
  up to a whole byte: four bytes for twelve discs on 7x6;
- the byte is 0 for a draw, 100 - n if the first player, who is to move, wins in n plies, and
  n - 100 if the first player loses in n plies.

Only the file of that package is read, its code is not run. The scores of positions with a win at
hand follow from the rules, and the scores of all earlier plies from their children.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import metadata, util
from pathlib import Path

import numpy as np
import numpy.typing as npt

from claimeven import atomic_io
from claimeven.book.book import Book, InvalidBook
from claimeven.book.build import solve_again
from claimeven.book.enumerate import Keys, Scores, back_up_scores, layers
from claimeven.book.locations import shipped_book
from claimeven.book.mmap_book import MappedBook, write_mapped
from claimeven.game.batch import canonical_keys, has_win
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.perft_kernel import discs_of_keys
from claimeven.solver.scores import win_score
from claimeven.solver.solver import Solver
from claimeven.text_io import reading

#: The package for pip and for Python, the extra of claimeven; the file, its board and its plies.
PACKAGE, MODULE, EXTRA = "bitbully-databases", "bitbully_databases", "deep-book"
FILE = Path("assets") / "book_12ply_distances.dat"
GEOMETRY, PLIES = STANDARD, 12

#: The byte of a win in 0 plies.
_WIN_NOW = 100
#: Entries that are read in one step, few enough for the processor cache.
_PART = 1 << 14
_TOP = np.uint64(1 << 63)
_ONE, _TWO = np.uint64(1), np.uint64(2)


def database_path() -> Path:
    """Return the path of the database of the installed package.

    Raises `InvalidBook` with the name of the extra if the package is not installed.
    """
    try:
        found = util.find_spec(MODULE)
    except ValueError:  # blocked in `sys.modules`
        found = None
    if found is None or not found.submodule_search_locations:
        raise InvalidBook(
            f"the package {PACKAGE} is not installed: pip install 'claimeven[{EXTRA}]'"
        )
    return Path(found.submodule_search_locations[0]) / FILE


def describe_source(path: Path) -> str:
    """Return the description of the source of a file, for the book made from it."""
    try:
        version = f" {metadata.version(PACKAGE)}" if path == database_path() else ""
    except (InvalidBook, metadata.PackageNotFoundError):
        version = ""
    return f"{PACKAGE}{version} by Markus Thill (MIT license), {path.name}"


def entry_bytes(geometry: Geometry, plies: int) -> int:
    """Return the bytes of an entry: the code of the board and the score.

    >>> entry_bytes(Geometry(), 12)
    5
    """
    return -(-(2 * plies + geometry.columns) // 8) + 1


def read_database(
    path: Path, geometry: Geometry = GEOMETRY, plies: int = PLIES
) -> tuple[Keys, Scores]:
    """Return the canonical keys of the positions of a database, ascending, and their scores.

    Raises `InvalidBook` with the path: unreadable, or with invalid entries.
    """
    size = entry_bytes(geometry, plies)
    with reading(path, InvalidBook):
        data = np.fromfile(path, dtype=np.uint8)
    if len(data) == 0 or len(data) % size:
        raise InvalidBook(
            f"{path} is not a database of {geometry} with {plies} discs: its {len(data):,} bytes"
            f" are not a multiple of {size} bytes, the size of an entry"
        )
    entries = data.reshape(-1, size)
    keys = np.empty(len(entries), dtype=np.uint64)
    scores = np.empty(len(entries), dtype=np.int8)
    for start in range(0, len(entries), _PART):
        part = slice(start, start + _PART)
        mine, mask, is_right = _boards(entries[part, :-1], geometry, plies)
        scores[part], is_possible = _scores(entries[part, -1].view(np.int8), geometry, plies)
        is_right &= is_possible
        if not is_right.all():
            wrong = start + int(np.argmin(is_right))
            raise InvalidBook(
                f"{path} is corrupt or not a database of {geometry} with {plies} discs:"
                f" entry {wrong + 1:,} is invalid"
            )
        keys[part] = canonical_keys(mine + mask, geometry)
    order = np.argsort(keys)
    keys, scores = keys[order], scores[order]
    if (keys[1:] == keys[:-1]).any():
        raise InvalidBook(f"{path} is corrupt: it has a position twice")
    return keys, scores


def _boards(
    codes: npt.NDArray[np.uint8], geometry: Geometry, plies: int
) -> tuple[Keys, Keys, npt.NDArray[np.bool_]]:
    """Return `mine` and `mask` with the first player to move, and which codes are valid."""
    count, octets = codes.shape
    left = np.zeros(count, dtype=np.uint64)
    for place in range(octets):
        left |= codes[:, place].astype(np.uint64) << np.uint64(56 - 8 * place)
    mine, mask = np.zeros((2, count), dtype=np.uint64)
    is_right = np.ones(count, dtype=bool)
    discs, own = np.zeros((2, count), dtype=np.int8)
    for column in range(geometry.columns):
        is_open = np.ones(count, dtype=bool)
        for row in range(geometry.rows):
            cell = np.uint64(1 << geometry.bit(column, row))
            has_disc = is_open & (left & _TOP != 0)
            is_first = has_disc & ((left << _ONE) & _TOP == 0)
            mask |= has_disc * cell
            mine |= is_first * cell
            discs += has_disc
            own += is_first
            left <<= np.where(has_disc, _TWO, is_open.astype(np.uint64))
            is_open = has_disc
        # A full column has a closing bit too.
        is_right &= ~(is_open & (left & _TOP != 0))
        left <<= is_open.astype(np.uint64)
    return mine, mask, is_right & (left == 0) & (discs == plies) & (own == plies // 2)


def _scores(
    distances: npt.NDArray[np.int8], geometry: Geometry, plies: int
) -> tuple[Scores, npt.NDArray[np.bool_]]:
    """Return the scores for the distances of entries, and which distances are possible."""
    worth = distances.astype(np.int64)
    to_end = _WIN_NOW - np.abs(worth)
    # Wins end on an own disc, after an odd number of plies; losses on a disc of the opponent.
    is_own = to_end % 2 == 1
    is_possible = (worth == 0) | ((is_own == (worth > 0)) & (to_end > 0))
    is_possible &= (worth == 0) | (plies + to_end <= geometry.cells)
    size = (geometry.cells + 2 - plies - to_end) // 2
    return np.where(worth == 0, 0, np.sign(worth) * size).astype(np.int8), is_possible


#: The default number of positions of the last ply that are solved again.
SAMPLE = 200

ReportStep = Callable[[str, int, int], None]


@dataclass(frozen=True)
class ImportResult:
    """A book made from a database, and the checks of its scores.

    `given` positions came from the database and `completed` were added. `compared` scores were
    checked with the book of the package, and `solved` scores with the solver.
    """

    book: MappedBook
    given: int
    completed: int
    compared: int
    solved: int


def import_database(
    path: Path,
    out: str | Path,
    *,
    geometry: Geometry = GEOMETRY,
    plies: int = PLIES,
    sample: int = SAMPLE,
    seed: int = 0,
    table_mb: float = 128,
    threads: int = 1,
    on_progress: ReportStep | None = None,
) -> ImportResult:
    """Make a deep book from a database, write it to `out` and return it.

    `sample` positions of the last ply, drawn with `seed`, are solved again. Scores of earlier
    plies are compared with the book of the package, if it has one for the board.
    `on_progress(what, done, total)` is called at each step. The book is written after all checks.
    Raises `InvalidBook` for a database that is corrupt, incomplete, wrong or of another board,
    and `CannotWrite`.
    """
    report = on_progress or (lambda what, done, total: None)
    atomic_io.check_output(out)
    report("reading the database", 0, 1)
    given_keys, worth = read_database(path, geometry, plies)
    all_keys = []
    for layer in layers(geometry, plies):
        report("positions of ply", layer.ply, plies)
        all_keys.append(layer.keys)
    last = add_wins(all_keys[-1], given_keys, worth, geometry, path)
    all_scores = [last]
    for ply in range(plies - 1, -1, -1):
        report("scores of ply", plies - ply, plies)
        scores = back_up_scores(all_keys[ply], all_keys[ply + 1], all_scores[-1], geometry)
        all_scores.append(scores)
    book = Book(geometry, tuple(all_keys), tuple(reversed(all_scores)))
    compared = _check_with_bundled(book, path)
    solved, wrong = solve_again(
        *(geometry, given_keys, worth, sample, seed),
        partial(Solver, geometry, table_mb, threads, None),
        partial(report, "scores solved again"),
    )
    if wrong:
        raise InvalidBook(
            f"{path} is wrong: its score of the position with key {wrong[0].key} is"
            f" {wrong[0].score}, but the solver finds {wrong[0].correct_score}"
        )
    report("writing", 0, 1)
    write_mapped(out, book, describe_source(path))
    completed = len(all_keys[-1]) - len(given_keys)
    return ImportResult(MappedBook(out), len(given_keys), completed, compared, solved)


def add_wins(keys: Keys, given_keys: Keys, worth: Scores, geometry: Geometry, path: Path) -> Scores:
    """Return the scores of all positions of the last ply, including those with a win at hand.

    `keys` are all positions, `given_keys` the positions of the database, both ascending.
    """
    mine, mask = discs_of_keys(keys, geometry)
    wins = has_win(mine, mask, geometry)
    expected = keys[~wins]
    if not np.array_equal(expected, given_keys):
        missing = len(np.setdiff1d(expected, given_keys, assume_unique=True))
        extra = len(np.setdiff1d(given_keys, expected, assume_unique=True))
        raise InvalidBook(
            f"{path} is incomplete: of {len(expected):,} expected positions {missing:,} are"
            f" missing, and {extra:,} others are in it"
        )
    scores = np.full(len(keys), 0, dtype=np.int8)
    scores[~wins] = worth
    scores[wins] = win_score(geometry, int(mask[0]).bit_count())
    return scores


def _check_with_bundled(book: Book, path: Path) -> int:
    """Compare backed-up scores with the book of the package; return the number of scores."""
    bundled = shipped_book(book.geometry)
    if bundled is None:
        return 0
    compared = 0
    for ply in range(min(bundled.plies, book.plies) + 1):
        wrong = int((bundled.scores[ply] != book.scores[ply]).sum())
        if wrong:
            raise InvalidBook(
                f"{path} is wrong: {wrong:,} scores of ply {ply} that follow from it differ from"
                " the book of the package"
            )
        compared += len(bundled.keys[ply])
    return compared
