"""What runs have learnt, judged alike whatever they are: against the oracle, and on the ladder.

A run measures itself while it goes on, each kind in its own way. Here the models that it has kept
(see `run_folder`) play as agents, alone and with a search, and all are judged by the same three
measures. Nothing of that is learnt from.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from claimeven.dataset.scored_sets import HARD, shipped_set
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.learning.curves import TIME, names_of, read_run
from claimeven.learning.metrics import score_against_perfect
from claimeven.learning.run_dir import CORES, LOG, MODELS, RECIPE, InvalidRun
from claimeven.learning.settings import MAX_SEED, check_settings, numeric
from claimeven.plotting import LINES, MAX_LINES, Chart, check_can_draw, write_pictures
from claimeven.text_io import text_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Where the figures of a run are kept in its folder, and bytes of a file that are read at most.
JUDGED: Final = "judged.jsonl"
_MOST_BYTES: Final = 16 << 20
#: Who plays by the model of a run, by its method: alone, and with a search.
_AGENTS: Final = {
    "ntuple": ("ntuple", "ntuple-alphabeta:depth=6"),
    "distil": ("net", "puct:iterations=100"),
    "selfplay": ("net", "puct:iterations=100"),
}

#: Where the axis of core-hours may begin, which is one of logarithms: at a second.
_LEAST_HOURS: Final = 1 / 3600
#: Elo between two agents of the pool that are both named, and the colour of their lines.
_APART: Final = 80.0
_SOFT: Final = "#536072"
#: What is drawn of each model, and what stands beside it.
_MEASURES: Final = {
    "hard": "right answers on the hard set, %",
    "against_perfect": "first player against perfect, %",
    "elo": "Elo on the ladder",
}


@dataclass(frozen=True)
class Judging:
    """How much is asked: `positions` of the hard held-out set, `games` as first player against the
    perfect agent, `rounds` of games against the pool of the ladder. Raises `InvalidRun`.
    """

    positions: int = numeric(1000, 1, 10**6, "Of the hard set.")
    games: int = numeric(50, 1, 100_000, "As first player against perfect.")
    rounds: int = numeric(4, 1, 16, "Pairs with each of the pool.")
    seed: int = numeric(7, 0, MAX_SEED, "Seed of the games against perfect.")

    def __post_init__(self) -> None:
        """Check every number."""
        check_settings(self)


@dataclass(frozen=True)
class Kept:
    """A model of a run: its file, the number of its measurement from 1, and what had been spent.

    `cores` are seconds of all cores; None where the log does not tell them.
    """

    path: Path
    number: int
    seconds: float
    cores: float | None


@dataclass(frozen=True)
class Judged:
    """What an agent that plays by a model of a run is worth.

    `hard` is the share of its answers on the hard set that keep the exact score, `against_perfect`
    its score as first player against the perfect agent, `elo` its rating on the ladder with the
    95 % interval, `place` of `agents` there. None where a board has no such set, or no ladder.
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
        """The run and who plays by it."""
        return f"{self.run}: {self.agent}"

    @property
    def hours(self) -> float:
        """Core-hours that had been spent; hours by the clock where the log tells no others."""
        return (self.seconds if self.core_seconds is None else self.core_seconds) / 3600

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


#: Is told which judgement is being made, from 1, of how many, and of whom.
Watch = Callable[[int, int, str], object]


def judge_runs(
    folders: Sequence[str | Path],
    asked: Judging | None = None,
    *,
    last_only: bool = False,
    jobs: int = 1,
    watch: Watch | None = None,
) -> list[Judged]:
    """Judge the models that runs have kept, or their last ones only; run by run, agent by agent.

    What has been judged is kept in `judged.jsonl` of a run's folder and not judged again. Raises
    `InvalidRun` for folders that cannot be judged, and `CannotWrite`.
    """
    asked = asked or Judging()
    if jobs < 1:
        raise InvalidRun(f"at least 1 job is needed, not {jobs}")
    work = [
        (folder, spec, kept, board)
        for folder in dict.fromkeys(folders)
        for board, specs in [_players(Path(folder))]
        for spec in specs
        for kept in _kept(Path(folder))[-1 if last_only else 0 :]
    ]
    names, found = names_of(folders), []
    for number, (folder, spec, kept, board) in enumerate(work, start=1):
        name = names[str(folder)]
        if watch is not None:
            watch(number, len(work), f"{name}: {spec}, model {kept.number}")
        figures = _remembered(Path(folder), spec, kept, asked)
        if figures is None:
            player = f"{spec}{',' if ':' in spec else ':'}model={kept.path}"
            figures = _figures(player, board, asked, jobs)
            _remember(Path(folder), spec, kept, asked, figures)
        found.append(Judged(name, spec, kept.number, kept.seconds, kept.cores, **_plain(figures)))
    return found


def check_drawing(folders: Sequence[str | Path], out: str | Path) -> None:
    """Make the folder to draw into, before runs are judged, which takes long.

    Raises what `draw_judged` would.
    """
    check_can_draw()
    count = sum(len(_players(Path(folder))[1]) for folder in dict.fromkeys(folders))
    _check_lines(count)
    make_folder(out)


def draw_judged(
    judged: Sequence[Judged], out: str | Path, tell: Callable[[str], object] | None = None
) -> tuple[Path, ...]:
    """Draw what was judged by what it cost, as PNG and SVG into a folder; return the files.

    A panel a measure, a line a run and agent; on the ladder the agents of the pool are lines of
    their own. Seconds by the clock stand for those of cores where a log does not tell them.
    `tell` gets a sentence where letters of a name are missing. Raises `InvalidRun` for more lines
    than can be told apart, `NoCharts` without Matplotlib, and `CannotWrite`.
    """
    check_can_draw()
    labels = list(dict.fromkeys(each.label for each in judged))
    _check_lines(len(labels))
    panels = [
        Chart(measure, title, partial(_draw, judged, labels, measure, title))
        for measure, title in _MEASURES.items()
        if any(getattr(each, measure) is not None for each in judged)
    ]
    return write_pictures(out, {"judged": panels}, tell)


def _check_lines(count: int) -> None:
    """Raise `InvalidRun` for more lines than can be told apart."""
    if count > MAX_LINES:
        raise InvalidRun(
            f"{count} agents of runs cannot be drawn together, {MAX_LINES} can: name fewer runs,"
            " or judge without drawing"
        )


def _draw(
    judged: Sequence[Judged], labels: Sequence[str], measure: str, title: str, axes: Axes
) -> None:
    """A line a run and agent, by the logarithm of what had been spent."""
    from matplotlib.ticker import LogLocator  # noqa: PLC0415 - an extra, and slow

    scale = 1 if measure == "elo" else 100
    for label, (colour, marker, dashes) in zip(labels, LINES, strict=False):
        points = [each for each in judged if each.label == label]
        points = [each for each in points if getattr(each, measure) is not None]
        hours = [max(each.hours, _LEAST_HOURS) for each in points]
        heights = [scale * getattr(each, measure) for each in points]
        axes.plot(
            hours, heights, color=colour, marker=marker, linestyle=dashes, markersize=4,
            label=f" {label}",
        )  # fmt: skip
        if measure == "elo":
            intervals = [each.elo_interval or (0.0, 0.0) for each in points]
            axes.vlines(hours, *zip(*intervals, strict=True), color=colour, linewidth=0.8)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(lambda hours, _: f"{hours:g}")
    axes.xaxis.set_minor_formatter(lambda *_: "")
    axes.set_xlabel("core-hours")
    axes.set_ylabel(title)
    if measure == "elo":
        _draw_pool(axes)


def _draw_pool(axes: Axes) -> None:
    """Lines at the ratings of the pool, named at the side where their names do not collide."""
    across = axes.get_yaxis_transform()
    above = math.inf
    for rating in pool_ladder().ratings:
        height = rating.elo.value
        axes.hlines(height, 0, 1, transform=across, color=_SOFT, linewidth=0.6, zorder=0)
        if above - height >= _APART:
            axes.text(1.01, height, rating.agent, transform=across, va="center", fontsize=6)
            above = height


def _plain(figures: Mapping[str, Any]) -> dict[str, Any]:
    interval = figures["elo_interval"]
    return {**figures, "elo_interval": None if interval is None else tuple(interval)}


def _players(folder: Path) -> tuple[Geometry, tuple[str, ...]]:
    """Return the board of a run, and who plays by its models."""
    if "," in str(folder):
        raise InvalidRun(f"{folder} cannot be judged: an agent's file has no comma in its name")
    path = folder / RECIPE
    if not path.is_file():
        raise InvalidRun(f"{folder} is no folder of a run: it has no {RECIPE}")
    try:
        recipe = json.loads(text_of(path, _MOST_BYTES, InvalidRun))
        board = Geometry(**recipe["board"])
        agents = _AGENTS[recipe["method"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InvalidRun(f"{path} is damaged: no model can be judged") from None
    return board, agents


def _kept(folder: Path) -> list[Kept]:
    """Return the models of a run, in order, the last one as it is now."""
    rows = read_run(folder).rows
    paths = {len(rows): folder / "model.npz"}
    for path in (folder / MODELS).glob("*.npz"):
        if path.stem.isdigit() and 1 <= int(path.stem) < len(rows):
            paths[int(path.stem)] = path
    if not paths[len(rows)].is_file():
        raise InvalidRun(f"{folder} holds no model yet")
    for number in paths:
        if TIME not in rows[number - 1]:
            raise InvalidRun(f"{folder / LOG} is damaged in line {number}: it tells no {TIME}")
    return [
        Kept(paths[number], number, rows[number - 1][TIME], rows[number - 1].get(CORES))
        for number in sorted(paths)
    ]


def _figures(spec: str, board: Geometry, asked: Judging, jobs: int) -> dict[str, Any]:
    """Judge an agent by everything."""
    hard = None
    positions = shipped_set(board, HARD)
    if positions is not None:
        accuracy = measure_accuracy(spec, positions, count=asked.positions, jobs=jobs).accuracy
        hard = accuracy.all.mean("perfect")
    with closing(make_agent(spec, board)) as agent:
        against = score_against_perfect(agent, board, asked.games, asked.seed)
    figures: dict[str, Any] = {"hard": hard, "against_perfect": against}
    figures |= dict.fromkeys(("elo", "elo_interval", "place", "agents"))
    if board == STANDARD:
        placed = place_on_ladder(spec, rounds=asked.rounds, jobs=jobs)
        assert placed.rating is not None
        elo = placed.rating.elo
        figures |= {
            "elo": round(elo.value, 1),
            "elo_interval": [round(elo.low, 1), round(elo.high, 1)],
            "place": placed.place,
            "agents": len(placed.ladder.ratings),
        }
    return figures


def _key(spec: str, kept: Kept, asked: Judging) -> dict[str, Any]:
    """Return what decides the figures of a model."""
    digest = hashlib.sha256(kept.path.read_bytes()).hexdigest()
    return {"agent": spec, "model": digest, "asked": asdict(asked)}


def _remembered(folder: Path, spec: str, kept: Kept, asked: Judging) -> dict[str, Any] | None:
    """Return figures that are in the folder, if they are."""
    key = _key(spec, kept, asked)
    for row in _lines(folder):
        if row["of"] == key:
            figures: dict[str, Any] = row["figures"]
            return figures
    return None


def _remember(
    folder: Path, spec: str, kept: Kept, asked: Judging, figures: Mapping[str, Any]
) -> None:
    rows = [*_lines(folder), {"of": _key(spec, kept, asked), "figures": figures}]
    write_text(folder / JUDGED, "".join(json.dumps(row) + "\n" for row in rows))


def _lines(folder: Path) -> Iterator[dict[str, Any]]:
    path = folder / JUDGED
    if not path.exists():
        return
    names = {"hard", "against_perfect", "elo", "elo_interval", "place", "agents"}
    for number, line in enumerate(text_of(path, _MOST_BYTES, InvalidRun).splitlines(), start=1):
        try:
            row = json.loads(line)
            if set(row["figures"]) != names or "of" not in row:
                raise ValueError
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InvalidRun(f"{path} is damaged in line {number}: delete it") from None
        yield row
