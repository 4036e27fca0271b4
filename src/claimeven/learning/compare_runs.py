"""Comparison of runs of any kind by the same measurements: exact play and the ladder.

The stored models of runs (see `run_dir`) play as agents, with and without a search. All get the
same three figures. Training never uses these measurements.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from claimeven.agents.registry import make_agent
from claimeven.arena.accuracy.measure import measure_accuracy
from claimeven.arena.api import place_on_ladder
from claimeven.arena.tournaments.reference_pool import pool_ladder
from claimeven.atomic_io import make_folder, write_text
from claimeven.blocks import flat_rows
from claimeven.dataset.scored_sets import HARD, bundled_set
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.validation import whole_number
from claimeven.learning.curves import TIME, draw_line, names_of, read_run
from claimeven.learning.metrics import score_against_perfect
from claimeven.learning.run_dir import (
    CONFIG,
    CORES,
    LOG,
    MAX_SEED,
    MODELS,
    InvalidRun,
    check_settings,
    file_of,
    numeric,
)
from claimeven.parallel.executors import local_workers
from claimeven.parallel.jobs import Executor
from claimeven.plotting import LINES, MAX_LINES, SOFT, Chart, check_can_draw, write_pictures
from claimeven.text_io import text_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The file of the figures of a run in its folder, and the limit on its size.
SCORES: Final = "comparison.jsonl"
_MAX_BYTES: Final = 16 << 20
#: The agents that play the model of a run, by its method: without and with a search.
_AGENTS: Final = {
    "ntuple": ("ntuple", "ntuple-alphabeta:depth=6"),
    "distil": ("net", "puct:iterations=100"),
    "selfplay": ("net", "puct:iterations=100"),
}
#: The start of the logarithmic axis of core-hours: a second.
_MIN_HOURS: Final = 1 / 3600
#: The least distance in Elo between two named lines of the chart.
_MIN_DISTANCE: Final = 80.0
#: The figures that are drawn, and the labels of their axes.
_MEASURES: Final = {
    "hard": "right answers on the hard set, %",
    "against_perfect": "first player against perfect, %",
    "elo": "Elo on the ladder",
}
_FIGURES: Final = (*_MEASURES, "elo_interval", "place", "agents")


@dataclass(frozen=True)
class CompareConfig:
    """The size of the measurements: `positions` of the hard held-out set, `games` as first player
    against the perfect agent, `rounds` of games against the ladder's pool. Raises `InvalidRun`.
    """

    positions: int = numeric(1000, 1, 10**6, "Positions of the hard set.")
    games: int = numeric(50, 1, 100_000, "Games against perfect.")
    rounds: int = numeric(4, 1, 16, "Pairs of games with each agent of the pool.")
    seed: int = numeric(7, 0, MAX_SEED, "Seed of the games against perfect.")

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True)
class ModelScores:
    """The figures of an agent that plays a model of a run.

    `hard` is the share of its answers on the hard set that keep the exact score.
    `against_perfect` is its score as first player against the perfect agent. `elo` is its rating
    on the ladder, with the 95 % interval, and `place` its place among `agents`. A figure is None
    if the board has no such set, or no ladder.
    """

    run: str
    agent: str
    number: int
    seconds: float
    core_seconds: float | None
    hard: float | None
    against_perfect: float
    elo: float | None
    elo_interval: tuple[float, float] | None
    place: int | None
    agents: int | None

    @property
    def label(self) -> str:
        """The run and the agent."""
        return f"{self.run}: {self.agent}"

    @property
    def hours(self) -> float:
        """Core-hours of training; clock hours if the log has no CPU time."""
        return (self.seconds if self.core_seconds is None else self.core_seconds) / 3600

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    def rows(self) -> list[dict[str, Any]]:
        """Return the figures as one flat row."""
        return flat_rows([self.as_dict()])


#: Gets the number of a measurement, from 1, the total, and the agent.
OnProgress = Callable[[int, int, str], object]


def compare_runs(
    folders: Sequence[str | Path],
    config: CompareConfig | None = None,
    *,
    last_only: bool = False,
    jobs: int = 1,
    executor: Executor | None = None,
    on_progress: OnProgress | None = None,
) -> list[ModelScores]:
    """Measure the stored models of runs, or only the last models; run by run, agent by agent.

    Figures are stored in `comparison.jsonl` of a run's folder and not measured again. An `executor`
    measures, by default `jobs` processes. Raises `InvalidRun` for folders that cannot be measured,
    and `CannotWrite`.
    """
    config = config or CompareConfig()
    executor = executor or local_workers(whole_number(jobs, "jobs", InvalidRun, low=1))
    work = []
    for folder in dict.fromkeys(folders):
        board, specs = _players(Path(folder))
        models = _models(Path(folder))[-1 if last_only else 0 :]
        work += [(folder, board, spec, model) for spec in specs for model in models]
    names, found = names_of(folders), []
    for number, (folder, board, spec, model) in enumerate(work, start=1):
        name, path = names[str(folder)], model[0]
        if on_progress is not None:
            on_progress(number, len(work), f"{name}: {spec}, model {model[1]}")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        key, lines = {"agent": spec, "model": digest, "asked": asdict(config)}, _lines(Path(folder))
        figures = next((row["figures"] for row in lines if row["of"] == key), None)
        if figures is None:
            player = f"{spec}{',' if ':' in spec else ':'}model={path}"
            figures = _figures(player, board, config, executor)
            rows = [*lines, {"of": key, "figures": figures}]
            text = "".join(json.dumps(row) + "\n" for row in rows)
            write_text(file_of(Path(folder), SCORES), text)
        interval = figures["elo_interval"] and tuple(figures["elo_interval"])
        found.append(ModelScores(name, spec, *model[1:], **{**figures, "elo_interval": interval}))
    return found


def check_drawing(folders: Sequence[str | Path], out: str | Path) -> None:
    """Create the folder for the charts before the long measurements; see `draw_comparison`."""
    check_can_draw()
    _check_lines(sum(len(_players(Path(folder))[1]) for folder in dict.fromkeys(folders)))
    make_folder(out)


def draw_comparison(
    scores: Sequence[ModelScores],
    out: str | Path,
    on_message: Callable[[str], object] | None = None,
) -> tuple[Path, ...]:
    """Draw figures by core-hours, as PNG and SVG into a folder; return the files.

    Each figure has a panel, and each run and agent a line; horizontal lines are agents of the
    pool. `on_message` gets a sentence if letters of a name are missing. Raises `InvalidRun` for
    more lines than can be distinguished, `NoCharts` without Matplotlib, and `CannotWrite`.
    """
    check_can_draw()
    labels = list(dict.fromkeys(each.label for each in scores))
    _check_lines(len(labels))
    panels = [
        Chart(measure, title, partial(_draw, scores, labels, measure, title))
        for measure, title in _MEASURES.items()
        if any(getattr(each, measure) is not None for each in scores)
    ]
    return write_pictures(out, {"comparison": panels}, on_message)


def _check_lines(count: int) -> None:
    if count > MAX_LINES:
        raise InvalidRun(
            f"{count} agents of runs are too many for a chart, the limit is {MAX_LINES}: name fewer"
            " runs, or compare without a chart"
        )


def _draw(
    scores: Sequence[ModelScores], labels: Sequence[str], measure: str, title: str, axes: Axes
) -> None:
    from matplotlib.ticker import LogLocator  # noqa: PLC0415 - an extra, and slow

    scale = 1 if measure == "elo" else 100
    for place, label in enumerate(labels):
        points = [each for each in scores if each.label == label]
        points = [each for each in points if getattr(each, measure) is not None]
        hours = [max(each.hours, _MIN_HOURS) for each in points]
        draw_line(axes, place, label, hours, [scale * getattr(each, measure) for each in points])
        if measure == "elo":
            intervals = [each.elo_interval or (0.0, 0.0) for each in points]
            color = LINES[place][0]
            axes.vlines(hours, *zip(*intervals, strict=True), color=color, linewidth=0.8)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(lambda hours, _: f"{hours:g}")
    axes.xaxis.set_minor_formatter(lambda *_: "")
    axes.set_xlabel("core-hours")
    axes.set_ylabel(title)
    if measure == "elo":
        _draw_pool(axes)


def _draw_pool(axes: Axes) -> None:
    """Draw lines at the ratings of the pool, with names that do not overlap."""
    across = axes.get_yaxis_transform()
    above = math.inf
    for rating in pool_ladder().ratings:
        height = rating.elo.value
        axes.hlines(height, 0, 1, transform=across, color=SOFT, linewidth=0.6, zorder=0)
        if above - height >= _MIN_DISTANCE:
            axes.text(1.01, height, rating.agent, transform=across, va="center", fontsize=6)
            above = height


def _players(folder: Path) -> tuple[Geometry, tuple[str, ...]]:
    """Return the board of a run, and the agents that play its models."""
    if "," in str(folder):
        raise InvalidRun(f"{folder} must not have a comma in its name: rename it to compare it")
    path = file_of(folder, CONFIG)
    if not path.is_file():
        raise InvalidRun(f"{folder} is not the folder of a run: it has no {CONFIG}")
    try:
        config = json.loads(text_of(path, _MAX_BYTES, InvalidRun))
        return Geometry(**config["board"]), _AGENTS[config["method"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InvalidRun(f"{path} is corrupt: its models cannot be measured") from None


def _models(folder: Path) -> list[tuple[Path, int, float, float | None]]:
    """Return the models of a run, the present one last: file, number, seconds, core seconds."""
    rows = read_run(folder).log
    paths = {len(rows): folder / "model.npz"}
    for path in (folder / MODELS).glob("*.npz"):
        if path.stem.isdigit() and 1 <= int(path.stem) < len(rows):
            paths[int(path.stem)] = path
    if not paths[len(rows)].is_file():
        raise InvalidRun(f"{folder} contains no model yet")
    found = []
    for number, path in sorted(paths.items()):
        row = rows[number - 1]
        if TIME not in row:
            raise InvalidRun(f"{folder / LOG} is corrupt in line {number}: it has no {TIME}")
        found.append((path, number, row[TIME], row.get(CORES)))
    return found


def _figures(
    spec: str, board: Geometry, config: CompareConfig, executor: Executor | None
) -> dict[str, Any]:
    figures: dict[str, Any] = dict.fromkeys(_FIGURES)
    positions = bundled_set(board, HARD)
    if positions is not None:
        found = measure_accuracy(spec, positions, count=config.positions, executor=executor)
        figures["hard"] = found.accuracy.all.mean("perfect")
    with closing(make_agent(spec, board)) as agent:
        against = score_against_perfect(agent, board, config.games, config.seed)
    figures["against_perfect"] = against
    if board == STANDARD:
        placed = place_on_ladder(spec, rounds=config.rounds, executor=executor)
        assert placed.rating is not None
        elo = placed.rating.elo
        figures |= {
            "elo": round(elo.value, 1),
            "elo_interval": [round(elo.low, 1), round(elo.high, 1)],
            "place": placed.place,
            "agents": len(placed.ladder.ratings),
        }
    return figures


def _lines(folder: Path) -> list[dict[str, Any]]:
    path, found = file_of(folder, SCORES), []
    text = text_of(path, _MAX_BYTES, InvalidRun) if path.exists() else ""
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            row = json.loads(line)
            if set(row["figures"]) != set(_FIGURES) or "of" not in row:
                raise ValueError
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InvalidRun(f"{path} is corrupt in line {number}: delete it") from None
        found.append(row)
    return found
