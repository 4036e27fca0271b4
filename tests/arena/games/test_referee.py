"""The agents of a plan: at most the allowed number of processes at a time."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from claimeven.agents import InvalidSpec, ProcessAgent
from claimeven.arena.games import referee
from claimeven.arena.games.plan import Plan
from claimeven.arena.games.referee import Referee

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
    plan = Plan(tuple(str(path) for path in sorted(tmp_path.glob("*.py"))))
    with closing(Referee(plan)) as together:
        games = [together.play(number).columns for number in range(plan.games)]

    started = []

    def start(agent: ProcessAgent) -> None:
        started.append(agent.name)
        begin(agent)

    begin = ProcessAgent._start
    monkeypatch.setattr(ProcessAgent, "_start", start)
    monkeypatch.setattr(referee, "MAX_PROCESSES", KEPT)
    with closing(Referee(plan)) as few:
        for number in range(plan.games):
            assert few.play(number).columns == games[number]
            # The two that play may have been started since others were sent to rest.
            there = [isinstance(a, ProcessAgent) and a.process is not None for a in few.agents]
            assert sum(there) <= KEPT + 2
    # Nine to start with. If the agents that have not played for longest rest, there are more of
    # them than the 36 pairs.
    assert AGENTS < len(started) < 30


def test_an_agent_that_cannot_be_made_again_forfeits_its_games(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text("1 / 0\n", encoding="utf-8")
    plan = Plan((str(file), "random", "greedy"), openings=((),))
    with pytest.raises(InvalidSpec, match="cannot be loaded"):
        Referee(plan)
    with closing(Referee(plan, forfeit_unloadable=True)) as left:
        games = [left.play(number) for number in range(plan.games)]
    for game in games:
        assert (game.forfeit is None) == (0 not in game.agents)
        if game.forfeit is not None:
            assert game.agents[game.forfeit.seat] == 0
            assert "bot.py cannot be loaded: ZeroDivisionError" in game.forfeit.reason
