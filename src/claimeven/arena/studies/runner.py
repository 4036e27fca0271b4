"""Studies run here: read from `catalogue.toml`, each experiment in turn, matches into stores."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from claimeven.arena.games.plan import Plan
from claimeven.arena.games.referee import Referee
from claimeven.arena.options import InvalidMatch
from claimeven.arena.store.store import Store
from claimeven.arena.studies import measurements
from claimeven.arena.studies.measurements import of_games
from claimeven.arena.studies.study import (
    QUANTITIES,
    SERVER,
    Experiment,
    Figure,
    Finding,
    Findings,
    Match,
    Measurement,
    Source,
    Study,
)
from claimeven.arena.tournaments.run import run, store_of
from claimeven.atomic_io import scratch_folder
from claimeven.blocks import Block, Sections, Table, flat_rows
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.validation import real_number, whole_number
from claimeven.markup import shown_by
from claimeven.parallel.executors import local_workers
from claimeven.parallel.jobs import Executor
from claimeven.suggestions import no_such

#: The default seed of a study.
SEED = 1
#: Is called with the games of a match that are done and planned, and whether the match starts.
Progress = Callable[[int, int, bool], object]
#: The prefix, in the file, of an agent that is a function of `measurements`.
_FUNCTION: Final = "measures."


class InvalidStudy(InvalidMatch):
    """A name that no study has."""


def study_of(name: str) -> Study:
    """Return the study of a name. Raises `InvalidStudy`."""
    found = {study.name: study for study in STUDIES}
    if name not in found:
        raise InvalidStudy(no_such("study", name, list(found)))
    return found[name]


def _experiment(data: dict[str, Any]) -> Experiment:
    figures = tuple(Figure(**each) for each in data.pop("figures"))
    if "agents" in data:
        first, second = (
            getattr(measurements, name.removeprefix(_FUNCTION)) if _FUNCTION in name else name
            for name in data.pop("agents")
        )
        return Match((first, second), figures=figures, **data)
    arguments = {name: _argument(name, each) for name, each in data.get("arguments", {}).items()}
    return Measurement(data["setting"], getattr(measurements, data["measure"]), figures, arguments)


def _argument(name: str, value: Any) -> Any:
    if name == "geometry":
        return Geometry(*map(int, value.split("x")))
    return tuple(value) if isinstance(value, list) else value


_DATA = tomllib.loads(Path(__file__).with_name("catalogue.toml").read_text(encoding="utf-8"))
_SOURCES = {name: Source(name, **each) for name, each in _DATA["source"].items()}
STUDIES: Final = tuple(
    Study(
        source=_SOURCES[each.pop("source")],
        experiments=tuple(map(_experiment, each.pop("experiment"))),
        **each,
    )
    for each in _DATA["study"]
)


@dataclass(frozen=True)
class ExperimentResult:
    """The findings of an experiment.

    `games` is the number of games played, None for a measurement; `forfeits` is the number lost by
    a fault, such as a late answer. `decided` is all that decided the findings, as plain data.
    """

    experiment: Experiment
    findings: Findings
    seconds: float
    games: int | None = None
    forfeits: int = 0
    decided: Mapping[str, object] = field(default_factory=dict)

    def found(self, figure: Figure) -> Finding | None:
        """The measured value of a figure, or None, as without games."""
        return self.findings.get((figure.quantity, figure.key))

    def as_dict(self) -> dict[str, Any]:
        """Return the setting and the figures as plain data for JSON."""
        experiment = self.experiment
        match = experiment if isinstance(experiment, Match) else None
        return {
            "setting": experiment.setting,
            **self.decided,
            "agents": None if match is None else list(match.names),
            "games": self.games,
            "games_planned": None if match is None else match.games,
            "reported_games": None if match is None else match.reported_games,
            "forfeits": self.forfeits,
            "seconds": self.seconds,
            "figures": [self._figure(figure) for figure in experiment.figures],
        }

    def _figure(self, figure: Figure) -> dict[str, Any]:
        found = self.found(figure)
        return {
            "label": figure.label,
            "quantity": figure.quantity,
            "unit": QUANTITIES[figure.quantity].unit or None,
            "reported": figure.reported,
            "reported_text": figure.words or None,
            "measured": None if found is None else found.value,
            "interval_95": None if found is None or found.low is None else [found.low, found.high],
            "speed_up": None if found is None else figure.speed_up(found.value),
        }


@dataclass(frozen=True)
class StudyResult:
    """A study and the results of its experiments, or of the first ones if it was interrupted."""

    study: Study
    experiments: tuple[ExperimentResult, ...]

    _repr_html_ = shown_by("claimeven.arena.studies.runner", "study_sections")

    @property
    def is_whole(self) -> bool:
        """Whether all its experiments were run."""
        return len(self.experiments) == len(self.study.experiments)

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each figure, with its study and the setting of its experiment."""
        return flat_rows(
            {"study": self.study.name, "setting": each["setting"], "games": each["games"], **figure}
            for each in (experiment.as_dict() for experiment in self.experiments)
            for figure in each["figures"]
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON."""
        study = self.study
        return {
            "study": study.name,
            "title": study.title,
            "source": study.source.name,
            "reported_machine": study.source.machine,
            "differs": study.differs or None,
            "remark": study.remark or None,
            "experiments": [each.as_dict() for each in self.experiments],
            "seconds": sum(each.seconds for each in self.experiments),
        }


@dataclass(frozen=True)
class StudyRunner:
    """How studies are run; None for `games`, `seconds` and `swap` is as in the study.

    The games are stored in a `folder`, a file a match, and `resume` continues such files. `jobs`
    processes or an `executor` play them; matches that measure speed are played by this process.
    `games` are of each match, `seconds` is the limit of experiments with one on the clock, `swap`
    swaps seats from game to game. `seed` decides everything but the clock. `server` is the address
    of the server that a study plays.
    """

    folder: Path | None = None
    resume: bool | str = False
    jobs: int = 1
    games: int | None = None
    seed: int = SEED
    seconds: float | None = None
    swap: bool | None = None
    server: str | None = None
    executor: Executor | None = None

    def __post_init__(self) -> None:
        whole_number(self.jobs, "jobs", InvalidMatch, low=1)
        if self.games is not None:
            whole_number(self.games, "games", InvalidMatch, low=1)
        if self.seconds is not None:
            real_number(self.seconds, "seconds", InvalidMatch, above=0)
        if self.resume and self.folder is None:
            raise ClaimevenError("to resume, name the folder that holds the games")

    @property
    def asked(self) -> dict[str, Any]:
        """The options that change the studies, None for unchanged ones."""
        return {name: getattr(self, name) for name in ("games", "seconds", "swap", "server")}

    def run(self, study: Study) -> StudyResult:
        """Run all experiments of a study."""
        results = [self.experiment(study, number) for number in range(len(study.experiments))]
        return StudyResult(study, tuple(results))

    def experiment(
        self, study: Study, number: int, on_progress: Progress | None = None
    ) -> ExperimentResult:
        """Run one experiment of a study."""
        experiment = self.changed(study.experiments[number])
        if isinstance(experiment, Match):
            return self._match(experiment, f"{study.name}-{number + 1}.db", on_progress)
        begin = time.perf_counter()
        findings = experiment.measure(**experiment.arguments)
        seconds = time.perf_counter() - begin
        return ExperimentResult(experiment, findings, seconds, decided=experiment.as_dict())

    def changed(self, experiment: Experiment) -> Experiment:
        """Return an experiment with the games, seconds, seats and server of this run."""
        if isinstance(experiment, Match):
            first, second = (
                self.server if self.server and agent == SERVER else agent
                for agent in experiment.agents
            )
            return replace(
                experiment,
                agents=(first, second),
                games=self.games or experiment.games,
                seconds=experiment.seconds and (self.seconds or experiment.seconds),
                swap=experiment.swap if self.swap is None else self.swap,
            )
        if self.seconds and "seconds" in experiment.arguments:
            return replace(
                experiment,
                setting=f"{experiment.setting}, here {self.seconds:g} s",
                arguments={**experiment.arguments, "seconds": self.seconds},
            )
        return experiment

    def _match(self, match: Match, name: str, on_progress: Progress | None) -> ExperimentResult:
        plan = match.plan(self.seed)
        executor = self.executor or local_workers(self.jobs)
        if match.measures_time or not plan.is_portable:
            executor = None
        with scratch_folder() as scratch:
            if self.folder is not None:
                self.folder.mkdir(parents=True, exist_ok=True)
            with store_of(plan, (self.folder or scratch) / name, self.resume) as store:
                _play_into(store, plan, executor, on_progress)
                stored, seconds = tuple(store.games()), store.meta["seconds"]
        forfeits = sum(game.fault is not None for game in stored)
        decided = plan.match_setting(game.opening for game in stored)
        findings = of_games(stored, seconds)
        return ExperimentResult(match, findings, seconds, len(stored), forfeits, decided)


def _play_into(
    store: Store, plan: Plan, executor: Executor | None, on_progress: Progress | None
) -> None:
    """Play and store the missing games of a match, with the seconds of play without loading."""
    Referee(plan).close()  # compiles the agents
    done, before, begin = len(store), store.meta.get("seconds", 0.0), time.perf_counter()
    if on_progress is not None:
        on_progress(done, plan.games, True)
    try:
        with closing(run(plan, executor, store)) as games:
            for played, _ in enumerate(games, done + 1):
                if on_progress is not None:
                    on_progress(played, plan.games, False)
    finally:
        store.set_meta("seconds", before + time.perf_counter() - begin)


def run_study(
    study: str | Study, *, folder: str | Path | None = None, **settings: Any
) -> StudyResult:
    """Run a study, one of `STUDIES` by its name or your own `Study`, and return its result.

    The other `settings` are fields of `StudyRunner` by name. With a `folder` the games are stored
    there, a file a match, and with `resume` only missing games are played. The same seed gives the
    same games, unless time is limited. Raises `InvalidStudy`, `InvalidMatch`, `InvalidStore`.

    >>> result = run_study("polito-alphabeta", games=2)
    >>> row = result.as_dict()["experiments"][0]["figures"][0]
    >>> row["label"], row["reported"], row["measured"]
    ('games won', 99.4, 100.0)
    """
    chosen = study_of(study) if isinstance(study, str) else study
    where = None if folder is None else Path(folder)
    return StudyRunner(where, **settings).run(chosen)


HEADINGS = ("", "original", "here", "95 % interval", "faster")


def study_sections(result: StudyResult) -> Sections:
    """Return a study with all its figures."""
    study, source = result.study, result.study.source
    head = [f"{study.name}: {study.title}", f"{source.name}, {source.title} ({source.machine})"]
    experiments: list[list[Block]] = [
        [each.experiment.setting + f"; {each.forfeits:,} forfeited" * bool(each.forfeits),
         _table(each)]
        for each in result.experiments
    ]  # fmt: skip
    notes = [
        f"{name}: {text}"
        for name, text in (("differs", study.differs), ("remark", study.remark))
        if text
    ]
    return Sections([head, *experiments, notes])


def _table(result: ExperimentResult) -> Table:
    rows = [(figure.label, *figure_texts(result, figure)) for figure in result.experiment.figures]
    # A column that is empty throughout is left out.
    shown = [place for place in range(len(HEADINGS)) if any(row[place] for row in rows)]
    return Table(
        [HEADINGS[place] for place in shown], [[row[place] for place in shown] for row in rows]
    )


def figure_texts(result: ExperimentResult, figure: Figure) -> tuple[str, str, str, str]:
    """Return a reported and a measured figure, its interval, and the speed-up."""
    found = result.found(figure)
    now = "-" if found is None else amount_text(found.value, figure.quantity)
    times = None if found is None else figure.speed_up(found.value)
    return reported_text(figure), now, interval_text(found, figure.quantity), speed_text(times)


def reported_text(figure: Figure) -> str:
    """Return the reported number with the words of the original, or a dash.

    >>> reported_text(Figure("games won", "wins", reported=99.4))
    '99.4 %'
    """
    number = "" if figure.reported is None else amount_text(figure.reported, figure.quantity)
    return " ".join(part for part in (number, figure.words) if part) or "-"


def interval_text(found: Finding | None, quantity: str) -> str:
    """Return an interval, with one unit if both bounds have the same; empty without an interval.

    >>> interval_text(Finding(0.002, 0.0, 0.004), "seconds_per_move")
    '0 to 4 ms'
    """
    if found is None or found.low is None or found.high is None:
        return ""
    if not found.low and QUANTITIES[quantity].unit == "s":
        return f"0 to {amount_text(found.high, quantity)}"
    low, high = (amount_text(bound, quantity) for bound in (found.low, found.high))
    unit = low.rpartition(" ")[2]
    if " " in low and high.endswith(f" {unit}"):
        low = low.removesuffix(f" {unit}")
    return f"{low} to {high}"


def speed_text(times: float | None) -> str:
    """Return a speed-up as text; empty for None.

    >>> speed_text(9013.2), speed_text(3.21), speed_text(None)
    ('9,000 x', '3.2 x', '')
    """
    if times is None:
        return ""
    return f"{float(f'{times:.2g}'):,.{0 if times >= 10 else 1}f} x"


def amount_text(amount: float, quantity: str) -> str:
    """Return a number with its unit, a time in the unit that suits it.

    >>> amount_text(0.00129, "seconds_per_game"), amount_text(128079, "stored")
    ('1.29 ms', '128,079')
    """
    unit = QUANTITIES[quantity].unit
    if unit == "s":
        for name, size in (("s", 1.0), ("ms", 1e-3)):
            if amount >= size:
                return f"{amount / size:.3g} {name}"
        return f"{amount * 1e6:.3g} us"
    if unit == "%":
        return f"{amount:.1f} %"
    if unit in ("us", "x"):
        return f"{amount:.3g} {unit}"
    return f"{amount:,.0f}" if amount == int(amount) or amount >= 100 else f"{amount:.2f}"
