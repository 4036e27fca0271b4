"""Who plays the games of a plan: no more processes at a time than are to be kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimeven.agents import ProcessAgent
from claimeven.arena.games import referee
from claimeven.arena.games.referee import Referee
from claimeven.arena.tournaments.tournament import TournamentPlan

AGENTS, KEPT = 9, 5
BOT = """
def agent(position):
    return position.legal_columns[{} % len(position.legal_columns)]
"""


def test_of_many_agents_those_needed_last_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in range(AGENTS):
        (tmp_path / f"bot_{place}.py").write_text(BOT.format(place), encoding="utf-8")
    plan = TournamentPlan(tuple(str(path) for path in sorted(tmp_path.glob("*.py"))))
    with Referee(plan) as together:
        games = [together.play(number).game.columns for number in range(plan.games)]

    started = []

    def start(agent: ProcessAgent) -> None:
        started.append(agent.name)
        begin(agent)

    begin = ProcessAgent._start
    monkeypatch.setattr(ProcessAgent, "_start", start)
    monkeypatch.setattr(referee, "MAX_PROCESSES", KEPT)
    with Referee(plan) as few:
        for number in range(plan.games):
            assert few.play(number).game.columns == games[number]
            # The two that play may have been started since others were sent to rest.
            there = [isinstance(a, ProcessAgent) and a.process is not None for a in few.agents]
            assert sum(there) <= KEPT + 2
    # Nine to begin with. Where those rest who have not played for longest, there are more of them
    # than the 36 pairs.
    assert AGENTS < len(started) < 30
