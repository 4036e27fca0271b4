"""Building a book: solve the last ply, back the scores up to the empty board; checking a book.

Only the positions of the last ply are searched. The score of an earlier position is the greatest of
minus its children's scores. The results of the search go to a **journal** next to the book, a text
file from which a later build resumes, even after a crash:

    claimeven book journal: 7x6 connect 4, ply 8
    <key> <score>
    ...

It is written every second. An unfinished last line is dropped; for any other invalid line the build
rejects the journal.
"""

from __future__ import annotations

import json
import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from claimeven import atomic_io, provenance
from claimeven.book.book import Book, InvalidBook, check_plies
from claimeven.book.enumerate import Keys, Layer, Scores, back_up_scores, layers
from claimeven.compiled.wide import words_of
from claimeven.game.batch import has_win, image_counts
from claimeven.game.geometry import Geometry
from claimeven.game.perft_kernel import discs_of_keys
from claimeven.messages import WorkProgress
from claimeven.parallel.executors import Part, check_complete, check_parts
from claimeven.parallel.jobs import Executor
from claimeven.solver.scores import score_range
from claimeven.solver.search import ExactSearch
from claimeven.solver.solver import Solver, scores_by
from claimeven.text_io import reading

#: Seconds of work that can be lost if the process is killed.
FLUSH_SECONDS = 1.0
#: With at least this many positions per thread, threads search separate positions.
WORTH_SHARING = 8

_NO_SCORE = -128
#: The first line of a part: its book, its number, the command as JSON.
_HEADING = re.compile(
    r"claimeven book journal: (?P<book>\d+x\d+ connect \d+, ply \d+)"
    r"(?:, part (?P<part>\S+) (?P<command>null|\{.*\}))?"
)


def journal_path(path: str | Path) -> Path:
    """Return the path of the journal for a book that is being built."""
    path = Path(path)
    return path.with_name(path.name + ".journal")


def build_book(
    path: str | Path,
    geometry: Geometry,
    plies: int,
    *,
    table_mb: float = 128,
    threads: int = 1,
    on_progress: Callable[[WorkProgress], None] | None = None,
    executor: Executor | None = None,
) -> Book:
    """Build the book of a board up to `plies` discs, write it to `path` and return it.

    It resumes from the journal of an earlier build of the same book, and removes the journal at the
    end. The file does not depend on interruptions. The workers of an `executor`, if given, solve
    the positions in place of this process, each with a table of `table_mb`.

    Raises `InvalidBook` for invalid plies or boards, and for a journal of another build, and
    `CannotWrite` if files cannot be written.
    """
    check_plies(geometry, plies)
    atomic_io.check_output(path)
    all_layers = list(layers(geometry, plies))
    journal = _solve_layer(
        all_layers[-1], journal_path(path), geometry, Part(1, 1), "",
        table_mb, threads, on_progress, executor,
    )  # fmt: skip
    book = _save(path, geometry, all_layers, journal.scores)
    journal.remove()
    return book


def _save(path: str | Path, geometry: Geometry, all_layers: list[Layer], scores: Scores) -> Book:
    """Write the book with the scores of its last layer, backed up to the others, and return it."""
    about = provenance.describe("book", board=geometry.as_dict())
    found = [scores]
    for layer, below in zip(all_layers[-2::-1], all_layers[:0:-1], strict=True):
        found.append(back_up_scores(layer.keys, below.keys, found[-1], geometry))
    keys = tuple(layer.keys for layer in all_layers)
    book = Book(geometry, keys, tuple(reversed(found)), about)
    book.save(path)
    return book


def build_part(
    path: str | Path, geometry: Geometry, plies: int, part: Part, **settings: Any
) -> int:
    """Solve a part of the last ply of a book, for `merge_book`; return how many positions.

    The results are in `part.path(path)`, from which the same call resumes. `settings` are keywords
    of `build_book`.
    """
    check_plies(geometry, plies)
    last = deque(layers(geometry, plies), 1)[0]
    about = f", part {part} {json.dumps(provenance.running_command())}"
    _solve_layer(last, part.path(path), geometry, part, about, **settings)
    return len(part.share(last.keys))


def merge_book(path: str | Path, paths: Sequence[str | Path]) -> Book:
    """Write the book whose parts are in some files to `path` and return it.

    Raises `InvalidBook` for a file that is not a part, and `InvalidParts` unless the files are all
    parts of one book, and complete.
    """
    atomic_io.check_output(path)
    headers = [_header_of(each) for each in paths]
    parts = check_parts(paths, headers)
    columns, rows, connect, plies = map(int, re.findall(r"\d+", headers[0]["book"]))
    geometry = Geometry(columns, rows, connect)
    all_layers = list(layers(geometry, plies))
    scores = np.full(len(all_layers[-1].keys), _NO_SCORE, dtype=np.int8)
    for part, each, header in zip(parts, paths, headers, strict=True):
        about = f", part {header['part']} {header['command']}"
        with closing(BuildJournal(Path(each), geometry, all_layers[-1], about)) as journal:
            found = part.share(journal.scores)
            part.share(scores)[:] = found
            check_complete(each, int((found != _NO_SCORE).sum()), len(found))
    with provenance.of_command(json.loads(headers[0]["command"])):
        return _save(path, geometry, all_layers, scores)


def _header_of(path: str | Path) -> dict[str, str]:
    """Return what the first line of a part names: its book, its part, its command."""
    with reading(path, InvalidBook), Path(path).open("rb") as stream:
        line = stream.readline(1 << 16).decode("ascii", "replace").strip()
    found = _HEADING.fullmatch(line)
    if found is None:
        raise InvalidBook(f"{path} is not a part of a book")
    return found.groupdict()


def _solve_layer(
    layer: Layer,
    path: Path,
    geometry: Geometry,
    part: Part,
    about: str,
    table_mb: float = 128,
    threads: int = 1,
    on_progress: Callable[[WorkProgress], None] | None = None,
    executor: Executor | None = None,
) -> BuildJournal:
    """Solve the positions of a part of a layer, in the order of keys; return their journal."""
    search = ExactSearch(geometry, table_mb, threads)
    journal = BuildJournal(path, geometry, layer, about)
    scores = part.share(journal.scores)
    keys = part.share(layer.keys)
    left = np.flatnonzero(scores == _NO_SCORE)
    total, resumed = len(keys), len(keys) - len(left)
    mines, masks = discs_of_keys(keys[left], geometry)
    start_time = last_flush = time.monotonic()
    done = nodes = 0

    def flush_journal() -> None:
        nonlocal last_flush
        journal.flush()
        last_flush = time.monotonic()
        if on_progress is not None:
            seconds = last_flush - start_time
            all_nodes = nodes + search.nodes
            on_progress(WorkProgress(resumed + done, total, resumed, seconds, all_nodes))

    def solved(number: int, score: int) -> None:
        nonlocal done
        done += 1
        scores[left[number]] = score
        journal.note(int(keys[left[number]]), score)
        if time.monotonic() - last_flush >= FLUSH_SECONDS:
            flush_journal()

    with closing(journal):
        flush_journal()
        if executor is None and len(left) >= WORTH_SHARING * len(search.workers):
            search.score_many(mines, masks, on_solved=solved)
        else:
            make = partial(Solver, geometry, table_mb, 1 if executor else threads, None)
            with closing(scores_by(executor, make, geometry, (mines, masks))) as answers:
                for number, answer in answers:
                    nodes += answer.nodes
                    solved(number, answer.value)
        flush_journal()
    return journal


class BuildJournal:
    """The results of the search of a layer, in a file that grows line by line."""

    def __init__(self, path: Path, geometry: Geometry, layer: Layer, part: str = "") -> None:
        """Read the journal at `path` into `scores`, or start a new one."""
        self.path = path
        heading = f"claimeven book journal: {geometry}, ply {layer.ply}{part}"
        self.heading: bytes = heading.encode()
        self.scores: Scores = np.full(len(layer.keys), _NO_SCORE, dtype=np.int8)
        self._lines: list[str] = []
        self._bits = geometry.bits
        atomic_io.check_output(path)

        def read(lines: list[bytes]) -> bool:
            self._read(lines, layer.keys, score_range(geometry, layer.ply))
            return True

        self._file = atomic_io.GrowingFile.of_lines(path, self.heading + b"\n", read)

    def note(self, key: int, score: int) -> None:
        """Add a result, which `flush` writes."""
        self._lines.append(f"{key} {score}\n")

    def flush(self) -> None:
        """Write the added results to disk, so that they survive a crash."""
        self._file.append("".join(self._lines).encode())
        self._lines.clear()
        self._file.sync()

    def close(self) -> None:
        """Write the added results and close the file."""
        try:
            self.flush()
        finally:
            self._file.close()

    def remove(self) -> None:
        self._file.remove()

    def _read(self, lines: list[bytes], keys: Keys, scores: tuple[int, int]) -> None:
        if lines[:1] != [self.heading]:
            raise InvalidBook(
                f"{self.path} is not the journal of this build: it must start with"
                f" {self.heading.decode()!r}"
            )
        for number, line in enumerate(lines[1:], start=2):
            try:
                key, score = (int(word) for word in line.split())
                place = int(np.searchsorted(keys, words_of([key], self._bits))[0])
                is_held = place < len(keys) and int(keys[place]) == key
                if not is_held or not scores[0] <= score <= scores[1]:
                    raise ValueError
            except (ValueError, OverflowError):
                raise InvalidBook(
                    f"line {number} of {self.path} is not a result of this build: fix or remove it"
                ) from None
            self.scores[place] = score


@dataclass(frozen=True)
class WrongEntry:
    """An incorrect entry of a book."""

    ply: int
    key: int
    score: int
    correct_score: int


@dataclass
class Verification:
    """The result of the check of a book.

    `missing` counts missing and extra positions in the first ply that has any; then the check ends.
    `backed` entries were compared with their children, and `solved` entries were solved again.
    `wrong` lists the entries with other scores.
    """

    entries: int
    missing: int = 0
    backed: int = 0
    solved: int = 0
    wrong: list[WrongEntry] = field(default_factory=list)

    @property
    def is_correct(self) -> bool:
        return not self.missing and not self.wrong


def verify_book(
    book: Book,
    *,
    sample: int | None = None,
    seed: int = 0,
    table_mb: float = 128,
    threads: int = 1,
    on_progress: Callable[[int, int], None] | None = None,
    executor: Executor | None = None,
) -> Verification:
    """Check that a book has all positions, with the correct scores.

    Every entry before the last ply is compared with the greatest of minus its children. Of the last
    ply `sample` entries, drawn with `seed`, are solved again without the book; None means all.
    `on_progress(done, total)` is called after each of these. The workers of an `executor`, if
    given, solve them in place of this process, each with a table of `table_mb`.
    """
    found = Verification(len(book))
    geometry = book.geometry
    for layer, keys in zip(layers(geometry, book.plies), book.keys, strict=True):
        found.missing = len(np.setxor1d(layer.keys, keys))
        if found.missing:
            return found
    for ply in range(book.plies):
        keys, scores = book.keys[ply], book.scores[ply]
        correct = back_up_scores(keys, book.keys[ply + 1], book.scores[ply + 1], geometry)
        found.backed += len(keys)
        found.wrong += (
            WrongEntry(ply, int(keys[place]), int(scores[place]), int(correct[place]))
            for place in np.flatnonzero(scores != correct)
        )
    make = partial(Solver, geometry, table_mb, threads, None)
    found.solved, wrong = solve_again(
        geometry, book.keys[-1], book.scores[-1], sample, seed, make, on_progress, executor
    )
    found.wrong += wrong
    return found


def solve_again(
    geometry: Geometry,
    keys: Keys,
    scores: Scores,
    sample: int | None,
    seed: int,
    make: Callable[[], Solver],
    on_progress: Callable[[int, int], None] | None = None,
    executor: Executor | None = None,
) -> tuple[int, list[WrongEntry]]:
    """Solve positions of a ply again; return how many, and the wrong scores in the order of keys.

    `make` makes a solver without a book. The other arguments are as for `verify_book`.
    """
    wrong, done = [], 0
    size = len(keys) if sample is None else min(sample, len(keys))
    places = np.sort(np.random.default_rng(seed).choice(len(keys), size, replace=False))
    discs = discs_of_keys(keys[places], geometry)
    with closing(scores_by(executor, make, geometry, discs)) as answers:
        for done, (number, answer) in enumerate(answers, 1):
            key, stored = int(keys[places[number]]), int(scores[places[number]])
            if answer.value != stored:
                ply = int(discs[1][number]).bit_count()
                wrong.append(WrongEntry(ply, key, stored, answer.value))
            if on_progress is not None:
                on_progress(done, size)
    return done, sorted(wrong, key=attrgetter("key"))


@dataclass(frozen=True)
class PlyCounts:
    """Positions of a ply by their outcome under best play, as (win, draw, loss).

    `positions` counts all distinct positions, with mirror images as two and including the `over`
    finished ones, by the outcome for the first player. `quiet` counts the unfinished positions in
    which neither side can complete a line with its next disc, with mirror images as one.
    """

    ply: int
    positions: tuple[int, ...]
    over: int
    quiet: tuple[int, ...]


def ply_counts(book: Book) -> Iterator[PlyCounts]:
    """Yield the counts of each ply of a book; finished games are enumerated.

    Raises `InvalidBook` at a ply with missing positions.
    """
    geometry = book.geometry
    for layer, keys, scores in zip(
        layers(geometry, book.plies), book.keys, book.scores, strict=True
    ):
        ply = layer.ply
        if not np.array_equal(layer.keys, keys):
            raise InvalidBook(f"the book does not have the positions of ply {ply}")
        for_first = np.sign(scores) if ply % 2 == 0 else -np.sign(scores)
        images = image_counts(keys, geometry)
        totals = [int(images[for_first == sign].sum()) for sign in (1, 0, -1)]
        # The last disc of a decided game was the first player's after an odd number of plies.
        totals[0 if ply % 2 else 2] += layer.decided
        totals[1] += layer.drawn
        mine, mask = discs_of_keys(keys, geometry)
        quiet = ~(has_win(mine, mask, geometry) | has_win(mine ^ mask, mask, geometry))
        of_quiet = tuple(int((quiet & (for_first == sign)).sum()) for sign in (1, 0, -1))
        yield PlyCounts(ply, tuple(totals), layer.decided + layer.drawn, of_quiet)
