"""A deep book made of a database of others: completed, backed up, checked, and told where from.

The database has the scores of the last ply but for positions with a win at hand; the scores of
those follow from the rules, and the scores of all earlier plies from their children's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from claimeven import atomic_io
from claimeven.book.bitbully import GEOMETRY, PLIES, read_database, source_of
from claimeven.book.book import Book
from claimeven.book.enumerate import Keys, Scores, backed_up, layers
from claimeven.book.errors import InvalidBook
from claimeven.book.locations import shipped
from claimeven.book.mmap_book import MappedBook, write_mapped
from claimeven.game.batch import has_win
from claimeven.game.geometry import Geometry
from claimeven.game.perft_kernel import discs_of_keys
from claimeven.solver.scores import win_score
from claimeven.solver.search import ExactSearch

#: Positions of the last ply that are solved anew where nothing else is asked for.
SAMPLE = 200

Report = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Imported:
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
    report: Report | None = None,
) -> Imported:
    """Make a deep book of a database, write it to `out` and return it.

    `sample` positions of the last ply drawn by `seed` are solved anew, and all scores of earlier
    plies are compared with the book of the package where there is one. `report(what, done, total)`
    is told of each step. Nothing is written before all is well. Raises `InvalidBook` for a
    database that is damaged, incomplete, of another board or wrong, and `CannotWrite`.
    """
    tell = report or (lambda what, done, total: None)
    atomic_io.check_output(out)
    tell("reading the database", 0, 1)
    known, worth = read_database(path, geometry, plies)
    all_keys = []
    for layer in layers(geometry, plies):
        tell("positions of ply", layer.ply, plies)
        all_keys.append(layer.keys)
    last = completed(all_keys[-1], known, worth, geometry, path)
    all_scores = [last]
    for ply in range(plies - 1, -1, -1):
        tell("scores of ply", plies - ply, plies)
        all_scores.append(backed_up(all_keys[ply], all_keys[ply + 1], all_scores[-1], geometry))
    book = Book(geometry, tuple(all_keys), tuple(reversed(all_scores)))
    compared = _compare(book, path)
    solved = _solve(
        book, known, worth, path, sample, seed, ExactSearch(geometry, table_mb, threads), tell
    )
    tell("writing", 0, 1)
    write_mapped(out, book, source_of(path))
    made = MappedBook(out)
    return Imported(made, len(known), len(all_keys[-1]) - len(known), compared, solved)


def completed(keys: Keys, known: Keys, worth: Scores, geometry: Geometry, path: Path) -> Scores:
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
    ours = shipped(book.geometry)
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
    tell: Report,
) -> int:
    """Hold a sample of what was given against the solver; return how many scores."""
    size = min(sample, len(known))
    places = np.sort(np.random.default_rng(seed).choice(len(known), size, replace=False))
    mines, masks = discs_of_keys(known[places], book.geometry)
    done = 0

    def solved(number: int, score: int) -> None:
        nonlocal done
        done += 1
        tell("scores solved anew", done, size)
        given, key = worth[places[number]], known[places[number]]
        if score != given:
            raise InvalidBook(
                f"{path} is wrong: it says {given} of the position of key {key}, whose score is"
                f" {score}"
            )

    search.score_many(mines, masks, solved=solved)
    return size
