"""The charts of a tournament: ratings, time against rating, accuracy by ply."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from claimeven.arena.accuracy.metrics import Tally
from claimeven.arena.report.context import ReportContext, reach
from claimeven.plotting import LINES, MAX_LINES, ON_DOT, SIZE, SOFT, Chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Characters of a name in a chart.
_MAX_NAME = 34
#: Plies that share a mean, and the fewest moves of which one is shown.
_PLIES, _MIN_MOVES = 4, 10
#: Agents up to which dots are large.
_FEW_DOTS = 12


def charts_of(contents: ReportContext) -> list[Chart]:
    """Return the charts that the games allow."""
    charts = []
    standings = contents.standings
    if standings.ladder is not None:
        height = max(SIZE[1] / 2, 0.9 + 0.3 * len(standings.agents))
        title = "Ratings with their intervals"
        charts.append(Chart("ratings", title, partial(_ratings, contents), height))
        timed = [r for r in standings.records.values() if r.mean("seconds")]
        if len(timed) > 1:
            title = "Time for a move against rating"
            charts.append(Chart("time-and-strength", title, partial(_time_and_strength, contents)))
    if len(_lines_by_ply(contents)) > 1:
        title = "Share of moves that keep the result, by discs on the board"
        charts.append(Chart("accuracy-by-ply", title, partial(_accuracy_by_ply, contents)))
    return charts


def _name(label: str) -> str:
    """Return the name of an agent in a chart; a leading _ would hide it from legends."""
    if len(label) > _MAX_NAME:
        label = label[: _MAX_NAME - 1] + "\N{HORIZONTAL ELLIPSIS}"
    return f" {label}" if label.startswith("_") else label


def _ratings(contents: ReportContext, axes: Axes) -> None:
    ladder = contents.standings.ladder
    assert ladder is not None
    rows = ladder.ratings
    for place, row in enumerate(rows):
        axes.plot([row.elo.low, row.elo.high], [place, place], color=SOFT, linewidth=1.5)
        axes.plot([row.elo.value], [place], color=LINES[0][0], marker="o", linestyle="")
    axes.set_yticks(range(len(rows)), [_name(contents.label_of[row.agent]) for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(*reach(row.elo.value for row in rows))
    axes.set_xlabel("Elo, with the 95 % interval")


def _time_and_strength(contents: ReportContext, axes: Axes) -> None:
    """Each agent by the mean time of a move and its rating; the numbers are places."""
    from matplotlib.ticker import LogLocator  # noqa: PLC0415 - an extra, and slow

    standings = contents.standings
    assert standings.ladder is not None
    by_label = {agent.label: agent.id for agent in standings.agents}
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(lambda milliseconds, _: f"{milliseconds:g}")
    axes.xaxis.set_minor_formatter(lambda *_: "")
    ratings = standings.ladder.ratings
    marker, font = (15, 8) if len(ratings) <= _FEW_DOTS else (11, 6.5)
    for place, row in enumerate(ratings, start=1):
        seconds = standings.records[by_label[row.agent]].mean("seconds")
        if not seconds:
            continue
        at, elo = 1000 * seconds, row.elo
        error = [[elo.value - elo.low], [elo.high - elo.value]]
        axes.errorbar([at], [elo.value], yerr=error, color=SOFT, capsize=2)
        axes.plot([at], [elo.value], color=LINES[0][0], marker="o", markersize=marker)
        axes.annotate(
            str(place), (at, elo.value), ha="center", va="center", color=ON_DOT, fontsize=font,
            fontweight="bold", zorder=5,
        )  # fmt: skip
    axes.set_ylim(*reach(row.elo.value for row in ratings))
    axes.set_xlabel("mean time for a move, milliseconds")
    axes.set_ylabel("Elo")


def _lines_by_ply(contents: ReportContext) -> list[tuple[str, Sequence[float], Sequence[float]]]:
    """Return the lines of accuracy by ply: name, plies, shares; the floor of all agents last."""
    if contents.accuracy is None:
        return []
    whole: dict[int, Tally] = {}
    lines: list[tuple[str, Sequence[float], Sequence[float]]] = []
    for agent in contents.ranking:
        tallies: dict[int, Tally] = {}
        for ply, tally in contents.accuracy[agent.label].by_ply.items():
            for found in (tallies, whole):
                found.setdefault(ply // _PLIES, Tally()).merge(tally)
        plies, shares = _line(tallies, "keeps_result")
        if len(plies) > 1 and len(lines) < MAX_LINES:
            lines.append((contents.label[agent.id], plies, shares))
    plies, shares = _line(whole, "random_keeps_result")
    return [*lines, ("random columns", plies, shares)] if plies else []


def _line(tallies: dict[int, Tally], name: str) -> tuple[list[float], list[float]]:
    means = {
        part: tally.mean(name) or 0.0
        for part, tally in sorted(tallies.items())
        if tally.moves >= _MIN_MOVES
    }
    middles = [part * _PLIES + (_PLIES - 1) / 2 for part in means]
    return middles, [100 * mean for mean in means.values()]


def _accuracy_by_ply(contents: ReportContext, axes: Axes) -> None:
    *agents, floor = _lines_by_ply(contents)
    for (name, plies, shares), (color, marker, dashes) in zip(agents, LINES, strict=False):
        axes.plot(
            plies, shares, color=color, marker=marker, linestyle=dashes, markersize=5,
            label=_name(name),
        )  # fmt: skip
    axes.plot(floor[1], floor[2], color=SOFT, linestyle=(0, (1, 3)), label=floor[0])
    axes.set_ylim(0, 104)
    axes.set_xlabel("discs on the board")
    axes.set_ylabel("moves that keep the result, %")
