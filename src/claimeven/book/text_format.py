"""Books as text: a line `moves score` for each position, for other programs.

```text
    # claimeven book: 7x6 connect 4, plies 8
     1
    1 -2
    ...
```

The moves are a game that leads to the position, or to its mirror image.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from claimeven.book.book import Book, InvalidBook, check_plies
from claimeven.book.enumerate import Keys, Layer, Scores, layers
from claimeven.compiled.wide import words_of
from claimeven.game.batch import canonical_keys, moves
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.notation import format_moves, parse_moves
from claimeven.game.perft_kernel import discs_of_keys
from claimeven.game.validation import whole_number
from claimeven.solver.protocols import MISSING
from claimeven.solver.scores import score_range

_HEADING = re.compile(r"# claimeven book: (\d{1,4})x(\d{1,4}) connect (\d{1,4}), plies (\d{1,4})")


def to_text(book: Book) -> Iterator[str]:
    """Yield the lines of a book: a heading, then every entry, ply by ply in the order of keys.

    Raises `InvalidBook` for a book with a position that no game reaches.
    """
    geometry = book.geometry
    yield f"# claimeven book: {geometry}, plies {book.plies}"
    paths: dict[int, tuple[int, ...]] = {int(book.keys[0][0]): ()}
    for ply, (keys, scores) in enumerate(zip(book.keys, book.scores, strict=True)):
        if ply:
            paths = _next_paths(paths, book.keys[ply - 1], geometry)
        for key, score in zip(keys.tolist(), scores.tolist(), strict=True):
            if key not in paths:
                raise InvalidBook(f"the book has a position of ply {ply} that no game reaches")
            yield f"{format_moves(paths[key], geometry)} {score}"


def from_text(lines: Iterable[str], name: str = "the text") -> Book:
    """Return the book of a text in the format of `to_text`.

    The entries may be in any order. After the first line, blank lines and lines that start with #
    are ignored. Raises `InvalidBook` with the invalid line, or the number of missing positions.
    """
    source = iter(lines)
    geometry, plies = _read_heading(next(source, ""), name)
    entries: list[list[tuple[int, int, int]]] = [[] for _ in range(plies + 1)]
    for number, line in enumerate(source, start=2):
        if line.strip() and not line.startswith("#"):
            ply, key, score = _read_entry(line, number, geometry, plies, name)
            entries[ply].append((number, key, score))
    keys, scores = [], []
    # Ply by ply, so that a short text that claims many plies is rejected early.
    for layer in layers(geometry, plies):
        keys.append(layer.keys)
        scores.append(_scores_of(layer, entries[layer.ply], geometry, name))
    return Book(geometry, tuple(keys), tuple(scores))


def _scores_of(
    layer: Layer, entries: list[tuple[int, int, int]], geometry: Geometry, name: str
) -> Scores:
    """Return the scores of a layer from its entries (number of the line, key, score)."""
    scores = np.full(len(layer.keys), MISSING, dtype=np.int8)
    canonical = canonical_keys(words_of([key for _, key, _ in entries], geometry.bits), geometry)
    places = np.searchsorted(layer.keys, canonical)
    for (number, _, score), key, place in zip(entries, canonical, places.tolist(), strict=True):
        if place == len(scores) or layer.keys[place] != key:
            raise InvalidBook(f"line {number} of {name}: the game is over by then")
        if scores[place] != MISSING:
            raise InvalidBook(f"line {number} of {name}: its position is in an earlier line")
        scores[place] = score
    missing = int((scores == MISSING).sum())
    if missing:
        raise InvalidBook(
            f"{missing} of the {len(scores)} positions of ply {layer.ply} are missing in {name}"
        )
    return scores


def _next_paths(
    paths: dict[int, tuple[int, ...]], keys: Keys, geometry: Geometry
) -> dict[int, tuple[int, ...]]:
    """Return columns that lead to each position of the next ply, by its canonical key."""
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
                path = tuple(geometry.columns - 1 - column for column in path)
            after[image] = min(path, after.get(image, path))
    return after


def _read_heading(line: str, name: str) -> tuple[Geometry, int]:
    heading = _HEADING.fullmatch(line.removeprefix("\ufeff").strip())
    if heading is None:
        raise InvalidBook(
            f"{name} is not a book: it must start with a line such as"
            f" '# claimeven book: {Geometry()}, plies 8'"
        )
    columns, rows, connect, plies = (int(number) for number in heading.groups())
    geometry = Geometry(columns, rows, connect)
    check_plies(geometry, plies)
    return geometry, plies


def _read_entry(
    line: str, number: int, geometry: Geometry, plies: int, name: str
) -> tuple[int, int, int]:
    """Return (ply, key, score) of a line, with moves checked only for the edges of the board."""
    moves_text, _, text = line.rstrip().rpartition(" ")
    try:
        columns = parse_moves(moves_text, geometry)
        score = int(text)
    except (ClaimevenError, ValueError) as error:
        reason = error if isinstance(error, ClaimevenError) else f"{text!r} is not a score"
        raise InvalidBook(f"line {number} of {name}: {reason}") from None
    if len(columns) > plies:
        raise InvalidBook(f"line {number} of {name}: more than {plies} moves")
    lowest, highest = score_range(geometry, len(columns))
    of_line = f"line {number} of {name}: the score after {len(columns)} moves"
    whole_number(score, of_line, InvalidBook, low=lowest, high=highest)
    mine = mask = 0
    for column in columns:
        cell = (mask + (1 << geometry.bit(column, 0))) & geometry.column_mask(column)
        if not cell:
            raise InvalidBook(f"line {number} of {name}: a move is in a full column")
        mine ^= mask
        mask |= cell
    return len(columns), mine + mask, score
