"""Studies run here: each experiment in turn, and what it came to beside what was reported."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from claimeven.arena.errors import InvalidMatch
from claimeven.arena.studies import games
from claimeven.arena.studies.catalogue import study_of
from claimeven.arena.studies.study import (
    QUANTITIES,
    SERVER,
    Experiment,
    Figure,
    Findings,
    Found,
    Match,
    Study,
)
from claimeven.atomic_io import scratch_folder
from claimeven.errors import ClaimevenError

#: Seed of every study where nothing else is said.
SEED = 1
#: Is told how many games of a match there are, how many there will be, and whether it begins.
Watch = games.Watch


@dataclass(frozen=True)
class ExperimentResult:
    """What an experiment came to.

    `games` is how many were played, None of a measurement; `forfeits` how many of them ended by a
    fault of an agent, be it that it overran its time. `decided` is what decided it, as plain data.
    """

    experiment: Experiment
    findings: Findings
    seconds: float
    games: int | None = None
    forfeits: int = 0
    decided: Mapping[str, object] = field(default_factory=dict)

    def found(self, figure: Figure) -> Found | None:
        """What stands beside a figure; None where nothing was found, as of no games."""
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
            "games_then": None if match is None else match.games_then,
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
            "then": figure.then,
            "then_words": figure.words or None,
            "now": None if found is None else found.value,
            "interval_95": None if found is None or found.low is None else [found.low, found.high],
            "speed_up": None if found is None else figure.speed_up(found.value),
        }


@dataclass(frozen=True)
class StudyResult:
    """A study and the results of its experiments; fewer of them where it was ended early."""

    study: Study
    experiments: tuple[ExperimentResult, ...]

    @property
    def is_whole(self) -> bool:
        """Whether all its experiments were run."""
        return len(self.experiments) == len(self.study.experiments)

    @property
    def seconds(self) -> float:
        """What its experiments took."""
        return sum(each.seconds for each in self.experiments)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON."""
        study = self.study
        return {
            "study": study.name,
            "title": study.title,
            "source": study.source.name,
            "machine_then": study.source.machine,
            "differs": study.differs or None,
            "remark": study.remark or None,
            "experiments": [each.as_dict() for each in self.experiments],
            "seconds": self.seconds,
        }


@dataclass(frozen=True)
class Laboratory:
    """How studies are run.

    Attributes:
        folder: where the games are stored, a file a match; None keeps them nowhere.
        resume: whether files that are there are gone on with.
        jobs: processes that play games; those that tell of speed are played by one.
        games: games of each match, None for as many as the study has.
        seed: decides everything but the clock.
        seconds: the limit of what is limited by the clock, None for that of the study.
        swap: whether seats are swapped from game to game, None for as the study has it.
        server: the address of the server that a study plays.

    """

    folder: Path | None = None
    resume: bool | str = False
    jobs: int = 1
    games: int | None = None
    seed: int = SEED
    seconds: float | None = None
    swap: bool | None = None
    server: str | None = None

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise InvalidMatch(f"a match takes at least 1 job, not {self.jobs}")
        if self.games is not None and self.games < 1:
            raise InvalidMatch(f"a match has 1 game or more, not {self.games}")
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise InvalidMatch(f"seconds must be more than 0, not {self.seconds}")
        if self.resume and self.folder is None:
            raise ClaimevenError("to resume, name the folder that holds the games")

    @property
    def asked(self) -> dict[str, Any]:
        """What the studies were asked to change, None for what they have themselves."""
        return {name: getattr(self, name) for name in ("games", "seconds", "swap", "server")}

    def run(self, study: Study) -> StudyResult:
        """Run all experiments of a study."""
        results = [self.experiment(study, number) for number in range(len(study.experiments))]
        return StudyResult(study, tuple(results))

    def experiment(self, study: Study, number: int, watch: Watch | None = None) -> ExperimentResult:
        """Run one experiment of a study. Of a match `watch` is told how many games there are."""
        experiment = self.changed(study.experiments[number])
        if isinstance(experiment, Match):
            return self._match(experiment, f"{study.name}-{number + 1}.db", watch)
        begin = time.perf_counter()
        findings = experiment.measure(**experiment.arguments)
        seconds = time.perf_counter() - begin
        return ExperimentResult(experiment, findings, seconds, decided=experiment.as_dict())

    def changed(self, experiment: Experiment) -> Experiment:
        """Return an experiment with the games, seconds, seats and server of this run."""
        if isinstance(experiment, Match):
            timed = self.seconds if experiment.seconds else None
            first, second = (
                self.server if self.server and agent == SERVER else agent
                for agent in experiment.agents
            )
            return replace(
                experiment,
                agents=(first, second),
                games=self.games or experiment.games,
                seconds=timed or experiment.seconds,
                swap=experiment.swap if self.swap is None else self.swap,
            )
        if self.seconds and "seconds" in experiment.arguments:
            return replace(
                experiment,
                setting=f"{experiment.setting}, here {self.seconds:g} s",
                arguments={**experiment.arguments, "seconds": self.seconds},
            )
        return experiment

    def _match(self, match: Match, name: str, watch: Watch | None) -> ExperimentResult:
        plan = match.plan(self.seed)
        jobs = self.jobs if plan.is_portable and not match.measures_time else 1
        with scratch_folder() as scratch:
            if self.folder is not None:
                self.folder.mkdir(parents=True, exist_ok=True)
            path = (self.folder or scratch) / name
            with games.open_store(path, plan, self.resume) as store:
                games.play_into(store, plan, jobs, watch)
                stored, seconds = tuple(store.games()), store.meta["seconds"]
        forfeits = sum(game.fault is not None for game in stored)
        found = games.findings(stored, seconds)
        decided = plan.as_dict(game.opening for game in stored)
        return ExperimentResult(match, found, seconds, len(stored), forfeits, decided)


def run_study(
    study: str | Study,
    *,
    folder: str | Path | None = None,
    resume: bool | str = False,
    jobs: int = 1,
    games: int | None = None,
    seed: int = SEED,
    seconds: float | None = None,
    swap: bool | None = None,
    server: str | None = None,
) -> StudyResult:
    """Run a study, one of `STUDIES` by its name or one of your own, and return what it came to.

    `games`, `seconds`, `swap` and `server` are those of a `Laboratory`. With a `folder` the games
    are stored there, a file a match, and with `resume` only those are played that it does not hold
    yet. The same seed gives the same games, unless time is limited. Raises `InvalidStudy` for an
    unknown name, `InvalidMatch`, `InvalidStore`.

    >>> result = run_study("polito-alphabeta", games=2)
    >>> row = result.as_dict()["experiments"][0]["figures"][0]
    >>> row["label"], row["then"], row["now"]
    ('games won', 99.4, 100.0)
    """
    chosen = study_of(study) if isinstance(study, str) else study
    where = None if folder is None else Path(folder)
    return Laboratory(where, resume, jobs, games, seed, seconds, swap, server).run(chosen)
