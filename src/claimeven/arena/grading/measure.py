"""The measurements of a bot, made in a worker, each on a fresh copy of the bot's files.

The results are plain data without folders and without times, except the median time of a move.
"""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from claimeven.agents.base import Limit
from claimeven.agents.fingerprint import digests_of
from claimeven.agents.options import InvalidSpec
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.sanitize import without_address, without_folders
from claimeven.arena.accuracy.answers import SetPlan
from claimeven.arena.accuracy.measure import measure
from claimeven.arena.api import match_plan
from claimeven.arena.grading.bots import Bot
from claimeven.arena.grading.rubric import Rubric
from claimeven.arena.options import MatchOptions
from claimeven.arena.results import fault_texts
from claimeven.arena.tournaments.results import MatchResult
from claimeven.arena.tournaments.run import run
from claimeven.arena.validate import check_agent
from claimeven.atomic_io import make_folder, scratch_folder, write_text
from claimeven.dataset.scored_sets import bundled_tactics, load_set
from claimeven.game.geometry import STANDARD
from claimeven.provenance import version_here
from claimeven.solver.solver import Solver

#: Lines of a traceback that are stored, and plies of the openings of matches.
MAX_LINES, OPENING_PLIES = 8, 4
_FIGURES = re.compile(r"\d[\d.,e+-]*")

Result = dict[str, Any]


@dataclass(frozen=True)
class BotJob:
    """The measurements of a bot, each a file of JSON in a folder: so none is made twice."""

    rubric: Rubric
    bot: Bot
    folder: Path

    def place(self, work: Result) -> Path:
        """Return the file of a measurement; its name is a digest of all that decides it."""
        rubric, opponent = self.rubric, digests_of(work.get("against", "random"))
        settings = rubric.seed, rubric.seconds, rubric.memory_limit, version_here()
        name = hashlib.blake2b(
            repr((work, settings, opponent)).encode(), digest_size=12
        ).hexdigest()
        return self.folder / self.bot.label / self.bot.digest / f"{name}.json"

    def known(self, work: Result) -> Result:
        """Return a stored measurement, or an empty result."""
        with suppress(OSError, ValueError):
            return dict(json.loads(self.place(work).read_bytes()))
        return {}

    def add(self, work: Result, result: Result) -> None:
        """Store a measurement."""
        make_folder(self.place(work).parent)
        write_text(self.place(work), json.dumps(result))


def measure_bot(solver: Solver, job: BotJob) -> None:
    """Make the missing measurements of a bot; a bot that never answered plays no games."""
    for work in job.rubric.works:
        if not job.known(work):
            job.add(work, _measured(solver, job, work))
        if job.known(work).get("median", 0) is None:
            return


def _measured(solver: Solver, job: BotJob, work: Result) -> Result:
    call = {"check": _check, "match": _match, "accuracy": _accuracy}[work["test"]]
    with scratch_folder() as folder:
        for name, data in job.bot.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        try:
            return call(job.rubric, work, str(folder / job.bot.main), solver)
        except InvalidSpec as error:
            return {"failure": _stable(str(error)), "traceback": "", "median": None}


def _stable(text: str) -> str:
    """Return a text without folders and addresses, of a long one the end."""
    lines = without_address(without_folders(text)).splitlines()
    return "\n".join(lines if len(lines) <= MAX_LINES else ["...", *lines[1 - MAX_LINES :]])


def _check(rubric: Rubric, work: Result, spec: str, solver: Solver) -> Result:
    limit, memory = Limit(seconds=rubric.seconds), rubric.memory_limit
    found = check_agent(
        spec, limit=limit, memory_limit_mb=memory, seed=rubric.seed, is_timeless=True
    )
    faults = [
        {
            "kind": str(each.kind), "advice": each.advice, "traceback": _stable(each.traceback),
            # Figures of memory and of processes differ from run to run.
            "reason": _stable(each.reason if each.position else _FIGURES.sub("N", each.reason)),
            "moves": None if each.position is None else each.moves,
            "times": each.answers + len(each.games),
        }
        for each in found.faults
    ]  # fmt: skip
    error = found.failure
    return {
        "failure": "" if error is None else _stable(str(error)), "advice": found.advice,
        "traceback": "" if error is None else _stable(error.traceback),
        "plays": _stable(found.plays), "faults": faults, "notes": found.notes,
        "median": found.median,
    }  # fmt: skip


def _sandbox(rubric: Rubric) -> Sandbox:
    return Sandbox(memory_limit_mb=rubric.memory_limit, quiet=True)


def _match(rubric: Rubric, work: Result, spec: str, solver: Solver) -> Result:
    options = MatchOptions(
        games=work["games"], seed=rubric.seed, seconds=rubric.seconds, openings="balanced",
        opening_plies=OPENING_PLIES,
    )  # fmt: skip
    plan = replace(match_plan(spec, work["against"], options), sandbox=_sandbox(rubric))
    found = MatchResult(plan, tuple(run(plan)), 0.0)
    lost = [game.all_moves for game in found.games if game.points(0) == 0 and game.fault is None]
    forfeits = [_stable(text) for text in fault_texts(found.faults[0])]
    return {
        "score": found.scores[0], "wins": found.wins, "draws": found.draws, "forfeits": forfeits,
        "lost": lost[:1],
    }  # fmt: skip


def _accuracy(rubric: Rubric, work: Result, spec: str, solver: Solver) -> Result:
    count, limit = work["positions"], Limit(seconds=rubric.seconds)
    asked, tactics = load_set(None, STANDARD, count), bundled_tactics(STANDARD, count)
    plan = SetPlan((spec,), asked, rubric.seed, limit, _sandbox(rubric), tactics)
    found = measure(plan)[spec]
    accuracy, answered = found.accuracy, found.answered / plan.questions
    tallies = {"perfect": accuracy.all, "wins": accuracy.wins, "blocks": accuracy.blocks}
    means = {name: tally.mean("perfect") for name, tally in tallies.items()}
    means["keeps"] = accuracy.decisive.mean("keeps_result")
    worst = []
    for each in accuracy.blunders(1):
        move, texts = each.move, [why.text(each.move.position) for why in each.explained(solver)]
        worst.append({
            "moves": each.moves, "column": move.column, "scores": move.scores, "texts": texts
        })  # fmt: skip
    return {
        # A position without an answer counts as a wrong one.
        **{name: (mean or 0.0) * answered for name, mean in means.items()},
        "faults": [_stable(text) for text in fault_texts(found.failed)], "worst": worst,
    }  # fmt: skip
