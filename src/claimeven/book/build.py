"""Building a book: solve the last ply, back the scores up to the empty board.

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
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from claimeven import atomic_io, provenance
from claimeven.book.book import Book, InvalidBook, check_plies
from claimeven.book.enumerate import Keys, Layer, Scores, back_up_scores, layers
from claimeven.compiled.wide import words_of
from claimeven.game.geometry import Geometry
from claimeven.game.perft_kernel import discs_of_keys
from claimeven.messages import WorkProgress
from claimeven.parallel.jobs import Executor
from claimeven.parallel.parts import Part, check_parts, unfinished
from claimeven.solver.errors import check_table_mb, check_threads
from claimeven.solver.scores import score_range
from claimeven.solver.search import ExactSearch
from claimeven.solver.solver import Solver
from claimeven.solver.workers import scores_by
from claimeven.text_io import reading

#: Seconds of work that can be lost if the process is killed.
FLUSH_SECONDS = 1.0
#: With at least this many positions per thread, threads search separate positions.
WORTH_SHARING = 8

_NO_SCORE = -128
#: The first line of a part: its book, its number, the command as JSON.
_HEADING = re.compile(
    r"claimeven book journal: (\d+x\d+ connect \d+, ply \d+)(?:, part (\S+) (null|\{.*\}))?"
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
    check_table_mb(table_mb)
    check_threads(threads)
    all_layers = list(layers(geometry, plies))
    last = all_layers[-1]
    with closing(BuildJournal(journal_path(path), geometry, last)) as journal:
        places = np.arange(len(last.keys))
        scores = _solve_layer(
            last, journal, places, geometry, table_mb, threads, on_progress, executor
        )
    book = _save(path, geometry, all_layers, scores)
    journal.remove()
    return book


def _save(path: str | Path, geometry: Geometry, all_layers: list[Layer], scores: Scores) -> Book:
    about = provenance.describe("book", board=geometry.as_dict())
    book = replace(assemble_book(geometry, all_layers, scores), description=about)
    book.save(path)
    return book


def build_part(
    path: str | Path,
    geometry: Geometry,
    plies: int,
    part: Part,
    **how: Any,
) -> int:
    """Solve a part of the last ply of a book, for `merge_book`; return how many positions.

    The results are in `part.path(path)`, from which the same call resumes. `how` are the other
    arguments of `build_book`.
    """
    check_plies(geometry, plies)
    last = deque(layers(geometry, plies), 1)[0]
    about = f", part {part} {json.dumps(provenance.running_command())}"
    with closing(BuildJournal(part.path(path), geometry, last, about)) as journal:
        places = part.share(np.arange(len(last.keys)))
        _solve_layer(last, journal, places, geometry, **how)
    return len(places)


def merge_book(path: str | Path, paths: Sequence[str | Path]) -> Book:
    """Write the book whose parts are in some files to `path` and return it.

    Raises `InvalidBook` for a file that is not a part, and `InvalidParts` unless the files are all
    parts of one book, and complete.
    """
    atomic_io.check_output(path)
    headings = [_heading_of(each) for each in paths]
    parts = check_parts(
        [
            (each, found[2], {"book": found[1], "command": found[3]})
            for each, found in zip(paths, headings, strict=True)
        ]
    )
    columns, rows, connect, plies = map(int, re.findall(r"\d+", headings[0][1]))
    geometry = Geometry(columns, rows, connect)
    all_layers = list(layers(geometry, plies))
    last = all_layers[-1]
    scores = np.full(len(last.keys), _NO_SCORE, dtype=np.int8)
    for part, each, found in zip(parts, paths, headings, strict=True):
        about = f", part {found[2]} {found[3]}"
        with closing(BuildJournal(Path(each), geometry, last, about)) as journal:
            places = part.share(np.arange(len(scores)))
            scores[places] = journal.scores[places]
            done = int((scores[places] != _NO_SCORE).sum())
            if done < len(places):
                raise unfinished(each, done, len(places))
    with provenance.of_command(json.loads(headings[0][3])):
        return _save(path, geometry, all_layers, scores)


def _heading_of(path: str | Path) -> re.Match[str]:
    """Return the groups of the first line of a part: its book, its part, its command."""
    with reading(path, InvalidBook), Path(path).open("rb") as stream:
        line = stream.readline(1 << 16).decode("ascii", "replace").strip()
    found = _HEADING.fullmatch(line)
    if found is None:
        raise InvalidBook(f"{path} is not a part of a book")
    return found


def assemble_book(geometry: Geometry, all_layers: list[Layer], last_scores: Scores) -> Book:
    """Return the book from the scores of its last layer."""
    scores = [last_scores]
    for layer, below in zip(all_layers[-2::-1], all_layers[:0:-1], strict=True):
        scores.append(back_up_scores(layer.keys, below.keys, scores[-1], geometry))
    return Book(geometry, tuple(layer.keys for layer in all_layers), tuple(reversed(scores)))


def _solve_layer(
    layer: Layer,
    journal: BuildJournal,
    places: npt.NDArray[np.intp],
    geometry: Geometry,
    table_mb: float = 128,
    threads: int = 1,
    on_progress: Callable[[WorkProgress], None] | None = None,
    executor: Executor | None = None,
) -> Scores:
    """Solve the positions of some places that are not in the journal, in the order of keys."""
    search = ExactSearch(geometry, table_mb, threads)
    scores = journal.scores
    total = len(places)
    left = places[scores[places] == _NO_SCORE]
    resumed = total - len(left)
    mines, masks = discs_of_keys(layer.keys[left], geometry)
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
        journal.note(int(layer.keys[left[number]]), score)
        if time.monotonic() - last_flush >= FLUSH_SECONDS:
            flush_journal()

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
    return scores


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

        def read_existing() -> int:
            with reading(path, InvalidBook):
                data = path.read_bytes()
            whole = data[: data.rfind(b"\n") + 1]
            self._read(whole, layer.keys, score_range(geometry, layer.ply))
            return len(whole)

        self._file = atomic_io.GrowingFile(path, read_existing)
        if not path.stat().st_size:
            self._file.append(self.heading + b"\n")

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

    def _read(self, whole: bytes, keys: Keys, scores: tuple[int, int]) -> None:
        lines = whole.splitlines()
        if lines and lines[0] != self.heading:
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
