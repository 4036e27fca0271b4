"""A deep book made of a database of scored positions of the package `bitbully-databases`.

A database holds, of every position after some even number of discs whose side to move cannot win
at once, one of each pair of mirror images. An entry is a code of the board and one signed byte:

- the code, big-endian, has for each disc two bits, `10` the first player's and `11` the second's,
  column by column from the left and each from the bottom, a bit `0` after each column, and zeros
  up to a whole byte: four bytes for twelve discs on 7x6;
- the byte is 0 for a draw, 100 - n where the first player, who is to move, wins in n plies, and
  n - 100 where he loses in n.

Nothing of that package is run: only its file is read. The scores of positions with a win at hand
follow from the rules, and the scores of all earlier plies from their children's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

import numpy as np
import numpy.typing as npt

from claimeven import atomic_io
from claimeven.book.book import Book
from claimeven.book.enumerate import Keys, Scores, back_up_scores, layers
from claimeven.book.errors import InvalidBook
from claimeven.book.locations import shipped_book
from claimeven.book.mmap_book import MappedBook, write_mapped
from claimeven.game.batch import canonical_keys, has_win
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.perft_kernel import discs_of_keys
from claimeven.solver.scores import win_score
from claimeven.solver.search import ExactSearch

#: The package, as pip and as Python call it, its file with distances, and what that file is of.
PACKAGE, MODULE, EXTRA = "bitbully-databases", "bitbully_databases", "deep-book"
FILE = Path("assets") / "book_12ply_distances.dat"
GEOMETRY, PLIES = STANDARD, 12

#: What a win in no plies would be called.
_NEAREST = 100
#: Entries that are read at a time, few enough to stay near the processor.
_PART = 1 << 14
_TOP = np.uint64(1 << 63)
_ONE, _TWO = np.uint64(1), np.uint64(2)


def database_path() -> Path:
    """Return where the database of the installed package lies.

    Raises `InvalidBook` naming the extra if the package is not installed.
    """
    try:
        found = util.find_spec(MODULE)
    except ValueError:  # kept from being imported
        found = None
    if found is None or not found.submodule_search_locations:
        raise InvalidBook(
            f"the package {PACKAGE} is not installed: pip install 'claimeven[{EXTRA}]'"
        )
    return Path(found.submodule_search_locations[0]) / FILE


def describe_source(path: Path) -> str:
    """Return the words about where scores from a file come from, for the book made of it."""
    try:
        version = f" {metadata.version(PACKAGE)}" if path == database_path() else ""
    except (InvalidBook, metadata.PackageNotFoundError):
        version = ""
    return f"{PACKAGE}{version} by Markus Thill (MIT licence), {path.name}"


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

    Raises `InvalidBook` naming the file: unreadable, or with entries that cannot be.
    """
    size = entry_bytes(geometry, plies)
    try:
        data = np.fromfile(path, dtype=np.uint8)
    except OSError as error:
        raise InvalidBook(f"{path} cannot be read: {error.strerror or error}") from None
    if len(data) == 0 or len(data) % size:
        raise InvalidBook(
            f"{path} is no database of {geometry} with {plies} discs: its {len(data):,} bytes are"
            f" not a number of entries of {size} bytes"
        )
    entries = data.reshape(-1, size)
    keys = np.empty(len(entries), dtype=np.uint64)
    scores = np.empty(len(entries), dtype=np.int8)
    for start in range(0, len(entries), _PART):
        part = slice(start, start + _PART)
        mine, mask, is_right = _boards(entries[part, :-1], geometry, plies)
        scores[part], can_be = _scores(entries[part, -1].view(np.int8), geometry, plies)
        is_right &= can_be
        if not is_right.all():
            wrong = start + int(np.argmin(is_right))
            raise InvalidBook(
                f"{path} is no database of {geometry} with {plies} discs, or is damaged:"
                f" entry {wrong + 1:,} cannot be"
            )
        keys[part] = canonical_keys(mine + mask, geometry)
    order = np.argsort(keys)
    keys, scores = keys[order], scores[order]
    if (keys[1:] == keys[:-1]).any():
        raise InvalidBook(f"{path} is damaged: it holds a position twice")
    return keys, scores


def _boards(
    codes: npt.NDArray[np.uint8], geometry: Geometry, plies: int
) -> tuple[Keys, Keys, npt.NDArray[np.bool_]]:
    """Return `mine` and `mask` for the first player to move, and which codes are right.

    Those are that have `plies` discs, half of them the first player's, and nothing left over.
    """
    count, octets = codes.shape
    left = np.zeros(count, dtype=np.uint64)
    for place in range(octets):
        left |= codes[:, place].astype(np.uint64) << np.uint64(56 - 8 * place)
    mine, mask = np.zeros((2, count), dtype=np.uint64)
    is_right = np.ones(count, dtype=bool)
    discs, own = np.zeros((2, count), dtype=np.int8)
    for column in range(geometry.columns):
        goes_on = np.ones(count, dtype=bool)
        for row in range(geometry.rows):
            cell = np.uint64(1 << geometry.bit(column, row))
            has_disc = goes_on & (left & _TOP != 0)
            is_first = has_disc & ((left << _ONE) & _TOP == 0)
            mask |= has_disc * cell
            mine |= is_first * cell
            discs += has_disc
            own += is_first
            left <<= np.where(has_disc, _TWO, goes_on.astype(np.uint64))
            goes_on = has_disc
        # A full column has its closing bit too.
        is_right &= ~(goes_on & (left & _TOP != 0))
        left <<= goes_on.astype(np.uint64)
    return mine, mask, is_right & (left == 0) & (discs == plies) & (own == plies // 2)


def _scores(
    told: npt.NDArray[np.int8], geometry: Geometry, plies: int
) -> tuple[Scores, npt.NDArray[np.bool_]]:
    """Return the scores for what entries tell, and which of them can be."""
    worth = told.astype(np.int64)
    to_end = _NEAREST - np.abs(worth)
    # Wins end on a disc of one's own, after an odd number of plies; losses on one of the other's.
    is_own = to_end % 2 == 1
    can_be = (worth == 0) | ((is_own == (worth > 0)) & (to_end > 0))
    can_be &= (worth == 0) | (plies + to_end <= geometry.cells)
    size = (geometry.cells + 2 - plies - to_end) // 2
    return np.where(worth == 0, 0, np.sign(worth) * size).astype(np.int8), can_be


#: Positions of the last ply that are solved anew where nothing else is asked for.
SAMPLE = 200

ReportStep = Callable[[str, int, int], None]


@dataclass(frozen=True)
class ImportResult:
    """A book made of a database, and how its scores were checked.

    `given` positions came from the database and `completed` were added to them; `compared` scores
    were held against those of the book of the package and `solved` against the solver.
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
    """Make a deep book of a database, write it to `out` and return it.

    `sample` positions of the last ply, drawn with `seed`, are solved again. Scores of earlier
    plies are compared with the book of the package, if it has one for the board.
    `on_progress(what, done, total)` is called at each step. The book is written after all checks.
    Raises `InvalidBook` for a database that is corrupt, incomplete, wrong or of another board,
    and `CannotWrite`.
    """
    report = on_progress or (lambda what, done, total: None)
    atomic_io.check_output(out)
    report("reading the database", 0, 1)
    known, worth = read_database(path, geometry, plies)
    all_keys = []
    for layer in layers(geometry, plies):
        report("positions of ply", layer.ply, plies)
        all_keys.append(layer.keys)
    last = add_wins(all_keys[-1], known, worth, geometry, path)
    all_scores = [last]
    for ply in range(plies - 1, -1, -1):
        report("scores of ply", plies - ply, plies)
        all_scores.append(
            back_up_scores(all_keys[ply], all_keys[ply + 1], all_scores[-1], geometry)
        )
    book = Book(geometry, tuple(all_keys), tuple(reversed(all_scores)))
    compared = _compare(book, path)
    solved = _solve(
        book, known, worth, path, sample, seed, ExactSearch(geometry, table_mb, threads), report
    )
    report("writing", 0, 1)
    write_mapped(out, book, describe_source(path))
    made = MappedBook(out)
    return ImportResult(made, len(known), len(all_keys[-1]) - len(known), compared, solved)


def add_wins(keys: Keys, known: Keys, worth: Scores, geometry: Geometry, path: Path) -> Scores:
    """Return the scores of positions of the last ply, with those that have a win at hand.

    `keys` are the positions wanted, `known` those of the database among them, both ascending.
    """
    mine, mask = discs_of_keys(keys, geometry)
    wins = has_win(mine, mask, geometry)
    wanted = keys[~wins]
    if not np.array_equal(wanted, known):
        missing = len(np.setdiff1d(wanted, known, assume_unique=True))
        extra = len(np.setdiff1d(known, wanted, assume_unique=True))
        raise InvalidBook(
            f"{path} is not whole: of the {len(wanted):,} positions that it should hold"
            f" {missing:,} are missing, and {extra:,} are others"
        )
    scores = np.full(len(keys), 0, dtype=np.int8)
    scores[~wins] = worth
    scores[wins] = win_score(geometry, int(mask[0]).bit_count())
    return scores


def _compare(book: Book, path: Path) -> int:
    """Hold what was backed up against the book of the package; return how many scores."""
    ours = shipped_book(book.geometry)
    if ours is None:
        return 0
    compared = 0
    for ply in range(min(ours.plies, book.plies) + 1):
        wrong = int((ours.scores[ply] != book.scores[ply]).sum())
        if wrong:
            raise InvalidBook(
                f"{path} is wrong: {wrong:,} scores of ply {ply} that follow from it are not those"
                " of the book of the package"
            )
        compared += len(ours.keys[ply])
    return compared


def _solve(
    book: Book,
    known: Keys,
    worth: Scores,
    path: Path,
    sample: int,
    seed: int,
    search: ExactSearch,
    report: ReportStep,
) -> int:
    """Hold a sample of what was given against the solver; return how many scores."""
    size = min(sample, len(known))
    places = np.sort(np.random.default_rng(seed).choice(len(known), size, replace=False))
    mines, masks = discs_of_keys(known[places], book.geometry)
    done = 0

    def solved(number: int, score: int) -> None:
        nonlocal done
        done += 1
        report("scores solved anew", done, size)
        given, key = worth[places[number]], known[places[number]]
        if score != given:
            raise InvalidBook(
                f"{path} is wrong: it says {given} of the position of key {key}, whose score is"
                f" {score}"
            )

    search.score_many(mines, masks, on_solved=solved)
    return size
