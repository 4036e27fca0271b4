"""Merging the parts of a data set: the result is the data set of one run, row for row."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from claimeven import provenance
from claimeven.dataset.config import DatasetPlan, InvalidDatasetFile
from claimeven.dataset.dataset import discs_in, field_names
from claimeven.dataset.exhaustive import SOLVED, keys_by_ply
from claimeven.dataset.files import DatasetResult, check_target
from claimeven.dataset.generate import make_dataset, rows_of_part
from claimeven.dataset.journal import Cells, DatasetJournal, journal_path
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.parallel.parts import Part, check_parts, unfinished
from claimeven.solver.solver import Solver
from claimeven.text_io import reading


def merge_datasets(path: str | Path, paths: Sequence[str | Path]) -> DatasetResult:
    """Write the rows of parts to a new data set; return how many rows it has.

    Parts of games end at different games, so there may be fewer rows than `plan.positions`: all
    of the first games, as a run for this number of positions writes. Raises `InvalidDatasetFile`
    for a file that exists or is not a part, and `InvalidParts` unless the files are all parts of
    one data set, and complete.
    """
    path = Path(path)
    check_target(path)
    if journal_path(path).exists():
        raise InvalidDatasetFile(f"{journal_path(path)} is in the way: finish it or remove it")
    headers = [_header_of(each) for each in paths]
    parts = check_parts(
        [
            (each, header.get("part"), {**header, "part": None})
            for each, header in zip(paths, headers, strict=True)
        ]
    )
    first = headers[0]
    plan = DatasetPlan.of_header(first)
    is_all = plan.source == "all"
    fields: Sequence[str] = SOLVED if is_all else field_names(plan.geometry, plan.optimal_only)
    with ExitStack() as stack:
        journals = [
            stack.enter_context(closing(DatasetJournal(path, header, fields, Path(each))))
            for each, header in zip(paths, headers, strict=True)
        ]
        ends = [
            _check_complete(plan, part, journal)
            for part, journal in zip(parts, journals, strict=True)
        ]
        found: Iterator[tuple[int, Cells]] = heapq.merge(
            *(each.numbered_rows() for each in journals), key=itemgetter(0)
        )
        if not is_all and plan.source != "random":
            found = _first_rows(found, min(ends), plan.geometry)
        with closing(DatasetJournal(path, plan.header(), fields)) as merged:
            rows = islice(found, plan.positions)
            merged.append(enumerate(map(itemgetter(1), rows)) if is_all else rows)
            if plan.positions is not None:
                plan = replace(plan, positions=merged.count)
    command = first.get("command")
    with provenance.of_command(command):
        return make_dataset(path, plan, Solver(plan.geometry, 1, 1, None), split=first.get("split"))


def _header_of(path: str | Path) -> dict[str, Any]:
    """Return the first line of the file of a part."""
    with reading(path, InvalidDatasetFile), Path(path).open("rb") as stream:
        line = stream.readline(1 << 20)
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise InvalidDatasetFile(f"{path} is not a part of a data set")
    return header


def _check_complete(plan: DatasetPlan, part: Part, journal: DatasetJournal) -> int:
    """Return the number of the last game. Raises `InvalidParts` if rows are missing."""
    count, last = 0, -1
    for numbers, _ in journal.lines():
        count, last = count + len(numbers), int(numbers[-1])
    if plan.source == "all":
        total = len(part.share(range(len(keys_by_ply(plan)[-1]))))
    else:
        total = rows_of_part(plan, part)
    if count < total:
        raise unfinished(journal.path, count, total)
    return last


def _first_rows(
    rows: Iterator[tuple[int, Cells]], last: int, geometry: Geometry
) -> Iterator[tuple[int, Cells]]:
    """Yield the new rows of the games up to the last one that all parts have reached."""
    seen: set[int] = set()
    for number, cells in rows:
        if number > last:
            return
        key = Position(geometry, *discs_in(cells, geometry)).canonical_key
        if key not in seen:
            seen.add(key)
            yield number, cells
