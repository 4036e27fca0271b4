"""Books as text: one line `moves score` a position, which other programs can read and check.

```text
    # claimeven book: 7x6 connect 4, plies 8
     1
    1 -2
    ...
```

The moves are those of one of the games that lead to the position, or to its mirror image.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from claimeven.book.book import Book
from claimeven.book.enumerate import Keys, Layer, Scores, layers
from claimeven.book.errors import InvalidBook
from claimeven.book.format import check_plies
from claimeven.game.batch import canonical_keys, moves
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.notation import format_moves, parse_moves
from claimeven.game.perft_kernel import discs_of_keys
from claimeven.solver.protocols import MISSING
from claimeven.solver.scores import score_range

_HEADING = re.compile(r"# claimeven book: (\d{1,4})x(\d{1,4}) connect (\d{1,4}), plies (\d{1,4})")


def to_text(book: Book) -> Iterator[str]:
    """Yield the lines of a book: a heading, then every entry, ply by ply in the order of keys.

    Raises `InvalidBook` for a book with a position to which no game leads.
    """
    geometry = book.geometry
    yield f"# claimeven book: {geometry}, plies {book.plies}"
    paths: dict[int, tuple[int, ...]] = {int(book.keys[0][0]): ()}
    for ply, (keys, scores) in enumerate(zip(book.keys, book.scores, strict=True)):
        if ply:
            paths = _paths_on(paths, book.keys[ply - 1], geometry)
        for key, score in zip(keys.tolist(), scores.tolist(), strict=True):
            if key not in paths:
                raise InvalidBook(f"the book holds a position of ply {ply} that no game leads to")
            yield f"{format_moves(paths[key], geometry)} {score}"


def from_text(lines: Iterable[str], name: str = "the text") -> Book:
    """Return the book that text gives; `to_text` gives the same book again.

    The entries may come in any order; blank lines and those that begin with # are passed over,
    the first line excepted. Raises `InvalidBook` naming the line that is wrong, or saying how
    many positions of the book are missing.
    """
    source = iter(lines)
    geometry, plies = _read_heading(next(source, ""), name)
    entries: list[list[tuple[int, int, int]]] = [[] for _ in range(plies + 1)]
    for number, line in enumerate(source, start=2):
        if line.strip() and not line.startswith("#"):
            ply, key, score = _read_entry(line, number, geometry, plies, name)
            entries[ply].append((number, key, score))
    keys, scores = [], []
    # Ply by ply, so that few lines that promise many plies are found wanting at once.
    for layer in layers(geometry, plies):
        keys.append(layer.keys)
        scores.append(_scores_of(layer, entries[layer.ply], geometry, name))
    return Book(geometry, tuple(keys), tuple(scores))


def _scores_of(
    layer: Layer, entries: list[tuple[int, int, int]], geometry: Geometry, name: str
) -> Scores:
    """Return the scores of a layer from its entries (number of the line, key, score)."""
    scores = np.full(len(layer.keys), MISSING, dtype=np.int8)
    given = canonical_keys(np.array([key for _, key, _ in entries], dtype=np.uint64), geometry)
    places = np.searchsorted(layer.keys, given)
    for (number, _, score), key, place in zip(entries, given, places.tolist(), strict=True):
        if place == len(scores) or layer.keys[place] != key:
            raise InvalidBook(f"line {number} of {name}: the game is over by then")
        if scores[place] != MISSING:
            raise InvalidBook(f"line {number} of {name}: its position came before")
        scores[place] = score
    missing = int((scores == MISSING).sum())
    if missing:
        raise InvalidBook(
            f"{name} lacks {missing} of the {len(scores)} positions of ply {layer.ply}"
        )
    return scores


def _paths_on(
    paths: dict[int, tuple[int, ...]], keys: Keys, geometry: Geometry
) -> dict[int, tuple[int, ...]]:
    """Return columns played to each position one ply on, by its canonical key."""
    after: dict[int, tuple[int, ...]] = {}
    mine, mask = discs_of_keys(keys, geometry)
    for column, (can, theirs, mask_after) in enumerate(moves(mine, mask, geometry)):
        children = theirs + mask_after
        images = canonical_keys(children, geometry)
        for parent, child, image in zip(
            keys[can].tolist(), children.tolist(), images.tolist(), strict=True
        ):
            path = (*paths[parent], column)
            if child != image:
                path = tuple(geometry.columns - 1 - played for played in path)
            after[image] = min(path, after.get(image, path))
    return after


def _read_heading(line: str, name: str) -> tuple[Geometry, int]:
    heading = _HEADING.fullmatch(line.strip())
    if heading is None:
        raise InvalidBook(
            f"{name} is no book: it should begin with a line such as"
            f" '# claimeven book: {Geometry()}, plies 8'"
        )
    columns, rows, connect, plies = (int(number) for number in heading.groups())
    geometry = Geometry(columns, rows, connect)
    check_plies(geometry, plies)
    return geometry, plies


def _read_entry(
    line: str, number: int, geometry: Geometry, plies: int, name: str
) -> tuple[int, int, int]:
    """Return (ply, key, score) of a line. Moves are checked for the board's edges only."""
    played, _, text = line.rstrip().rpartition(" ")
    try:
        columns = parse_moves(played, geometry)
        score = int(text)
    except (ClaimevenError, ValueError) as error:
        reason = error if isinstance(error, ClaimevenError) else f"{text!r} is no score"
        raise InvalidBook(f"line {number} of {name}: {reason}") from None
    if len(columns) > plies:
        raise InvalidBook(f"line {number} of {name}: more than {plies} moves")
    lowest, highest = score_range(geometry, len(columns))
    if not lowest <= score <= highest:
        raise InvalidBook(
            f"line {number} of {name}: {score} is no score after {len(columns)} moves;"
            f" those are {lowest} to {highest}"
        )
    mine = mask = 0
    for column in columns:
        cell = (mask + (1 << geometry.bit(column, 0))) & geometry.column_mask(column)
        if not cell:
            raise InvalidBook(f"line {number} of {name}: a column is played that is full")
        mine ^= mask
        mask |= cell
    return len(columns), mine + mask, score
