"""Learning curves: the measurements of training runs by time and by games.

Each axis (time, games, ...) has a chart, with a panel for each measurement and a line for each run.
Matplotlib (the extra `plot`) draws them; the same logs give the same files.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from claimeven.blocks import flat_rows
from claimeven.learning.run_dir import CONFIG, CORES, LOG, InvalidRun, current_row, file_of
from claimeven.plotting import LINES, MAX_LINES, Chart, check_can_draw, write_pictures
from claimeven.text_io import text_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The folder of charts in the folder of a run.
PLOTS: Final = "plots"
#: The limit on the size of a log.
_MAX_BYTES: Final = 64 << 20
#: Keys of a log that are an axis, and its label.
TIME: Final = "seconds"
_INPUTS: Final = {
    "games": "games",
    "positions": "positions",
    "seen": "positions seen, with repetitions",
    "iteration": "iterations",
    "steps": "steps",
}
#: Keys that count seconds, and the name of the picture with this axis.
_CLOCKS: Final = {TIME: "by-time", CORES: "by-cores"}
#: Sets of positions, and measurements that are shares, drawn in percent, and their labels.
_SETS: Final = {"held_out": "held-out games", "hard": "the hard set", "easy": "the easy set"}
_SHARES: Final = {
    "perfect": "answers that keep the exact score, %",
    "keeping": "answers that keep win, draw or loss, %",
    "against_perfect": "score as first player against perfect, %",
    "first_wins": "games won by the first player, %",
    "draws": "games drawn, %",
    "gate": "points against the best net so far, %",
    "gate_low": "lower bound of these points, %",
    **{name: f"right answers on {where}, %" for name, where in _SETS.items()},
    **{f"{name}_search": f"right answers on {w} with a search, %" for name, w in _SETS.items()},
    **{f"{name}_sign": f"right signs of values on {where}, %" for name, where in _SETS.items()},
}
_WORDS: Final = {
    "plies": "discs in a game",
    "policy_loss": "loss of the policy",
    "value_loss": "loss of the value",
    "play_seconds": "seconds of play in an iteration",
    "evaluated": "positions evaluated in an iteration",
    "promoted": "1 if the net took over",
}
#: Units of time, their seconds, and the greatest number shown in each.
_UNITS: Final = (("seconds", 1, 600), ("minutes", 60, 300), ("hours", 3600, None))


@dataclass(frozen=True)
class Run:
    """A run to draw: its name, and its log with nested objects as `outer.inner`."""

    name: str
    log: tuple[Mapping[str, float], ...]

    def rows(self) -> list[dict[str, Any]]:
        """Return the log as flat rows, a row for each measurement."""
        rows = ({name.replace(".", "_"): n for name, n in row.items()} for row in self.log)
        return flat_rows({"run": self.name, **row} for row in rows)

    def points(self, across: str, up: str) -> tuple[list[float], list[float]]:
        """Return the numbers of two keys, of the rows that have both."""
        found = [(row[across], row[up]) for row in self.log if across in row and up in row]
        return [x for x, _ in found], [y for _, y in found]


def read_run(folder: str | Path) -> Run:
    """Read the log of a run's folder; the run may be unfinished.

    Raises `InvalidRun` for a folder of something else, and for a log that is corrupt or empty.
    """
    folder = Path(folder)
    if not file_of(folder, CONFIG).is_file():
        raise InvalidRun(f"{folder} is not the folder of a run: it has no {CONFIG}")
    path = folder / LOG
    # While the last line is being written it has no end.
    *lines, _ = (text_of(path, _MAX_BYTES, InvalidRun) if path.exists() else "").split("\n")
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            row = current_row(json.loads(line))
            rows.append(dict(_numbers_of(row.items())))
        except (ValueError, AttributeError, OverflowError, RecursionError):
            raise InvalidRun(f"{path} is corrupt in line {number}") from None
    if not rows:
        raise InvalidRun(f"{folder} contains no measurement yet: wait for the first")
    return Run(_last_name(folder) or str(folder), tuple(rows))


def draw_curves(
    folders: Sequence[str | Path],
    out: str | Path | None = None,
    on_message: Callable[[str], object] | None = None,
) -> tuple[Path, ...]:
    """Draw the runs of some folders, as PNG and SVG into a folder; return the files.

    The default folder is `plots` in the folder of a single run. `on_message` gets a sentence if
    letters of a name are missing. Raises `InvalidRun` for folders that cannot be drawn, `NoCharts`
    without Matplotlib, and `CannotWrite`.
    """
    check_can_draw()
    if not 1 <= len(folders) <= MAX_LINES:
        raise InvalidRun(f"a chart must have 1 to {MAX_LINES} runs, got {len(folders)}")
    out = folder_for(folders, out)
    names = names_of(folders)
    runs = [replace(read_run(folder), name=names[str(folder)]) for folder in folders]
    pictures = curves_of(runs)
    if not pictures:
        raise InvalidRun(f"{folders[0]} has no measurements to draw")
    return write_pictures(out, pictures, on_message)


def names_of(folders: Sequence[str | Path]) -> dict[str, str]:
    """Return the names of runs by their folders: the last part of its path, or the whole path if
    several have the same.

    >>> names_of(["a/run1", "b/run1", "b/run2"])
    {'a/run1': 'a/run1', 'b/run1': 'b/run1', 'b/run2': 'run2'}
    """
    lasts = {str(folder): _last_name(folder) for folder in folders}
    unique = [name for name, count in Counter(lasts.values()).items() if name and count == 1]
    return {folder: name if name in unique else folder for folder, name in lasts.items()}


def _last_name(folder: str | Path) -> str:
    return Path(os.path.realpath(folder)).name


def folder_for(folders: Sequence[str | Path], out: str | Path | None) -> Path:
    """Return the folder to draw runs into. Raises `InvalidRun` for several without `out`."""
    if out is not None:
        return Path(out)
    if len(folders) != 1:
        raise InvalidRun("a chart of several runs needs a folder: give one")
    return Path(folders[0]) / PLOTS


def curves_of(runs: Sequence[Run]) -> dict[str, list[Chart]]:
    """Return the panels of each chart: a chart for each axis, a panel for each measurement."""
    keys = dict.fromkeys(key for run in runs for row in run.log for key in row)
    inputs = [key for key in keys if key in _CLOCKS or key in _INPUTS]
    pictures: dict[str, list[Chart]] = {}
    for across in inputs:
        for up in keys:
            drawn = [run for run in runs if run.points(across, up)[0]]
            if up not in inputs and drawn:
                places = [runs.index(run) for run in drawn]
                panel = Chart(up, _words(up), partial(_draw, drawn, places, across, up))
                pictures.setdefault(_CLOCKS.get(across, f"by-{across}"), []).append(panel)
    return pictures


def _draw(runs: Sequence[Run], places: Sequence[int], across: str, up: str, axes: Axes) -> None:
    unit, size = _INPUTS.get(across, across), 1
    if across == TIME:
        longest = max(max(run.points(across, up)[0]) for run in runs)
        unit, size = next((u, s) for u, s, most in _UNITS if most is None or longest <= most * s)
    elif across == CORES:
        unit, size = "core-hours", 3600
    scale = 100 if up in _SHARES or up.split(".", maxsplit=1)[0] in _SHARES else 1
    for run, place in zip(runs, places, strict=True):
        xs, ys = run.points(across, up)
        draw_line(axes, place, run.name, [x / size for x in xs], [scale * y for y in ys])
    axes.set_xlim(left=0)
    axes.locator_params(axis="x", nbins=5)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.10g}")
    axes.set_xlabel(unit)
    axes.set_ylabel(_words(up))


def draw_line(axes: Axes, place: int, name: str, xs: Sequence[float], ys: Sequence[float]) -> None:
    """Draw line number `place`, from 0, with a mark at each point."""
    color, marker, dashes = LINES[place]
    (line,) = axes.plot(xs, ys, color=color, marker=marker, linestyle=dashes, markersize=4)
    line.set_label(f" {name}")


def _words(key: str) -> str:
    return _SHARES.get(key) or _WORDS.get(key) or key.replace("_", " ")


def _numbers_of(items: Any, prefix: str = "") -> Iterator[tuple[str, float]]:
    """Yield the numbers of a row and of objects in it; lists are left out."""
    for key, value in items:
        if isinstance(value, dict):
            yield from _numbers_of(value.items(), f"{prefix}{key}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            if not math.isfinite(value):
                raise ValueError
            yield f"{prefix}{key}", value
