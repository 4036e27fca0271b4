"""The sentences of a report about the ladder: only facts of the games."""

from __future__ import annotations

from pathlib import Path

from claimeven.arena.games.game import Game
from claimeven.arena.report import context
from claimeven.arena.report.context import ReportContext
from claimeven.arena.store.store import Store, StoredAgent
from tests.arena.report.stores import PLAN

#: A game that the first player wins.
_WON = "4455667"


def report_of(path: Path, wins: list[str]) -> ReportContext:
    """Contents of games of agents with names of a letter: "ab" is one that a won against b."""
    names = sorted(set("".join(wins)))
    agents = tuple(StoredAgent(number, name, name) for number, name in enumerate(names))
    games = [
        Game(f"job{n}", n, None, *(names.index(name) for name in pair), "", _WON, 0)
        for n, pair in enumerate(wins)
    ]
    with Store.create(path, {"plan": PLAN}, agents) as store:
        store.add(games)
        return ReportContext.of(store)


def beaten(contents: ReportContext) -> list[str]:
    """The agents without a point against a higher one, by the notes on the ladder."""
    end = " took no point from any agent above"
    notes = context.ladder_notes(contents)
    return [note.partition(end)[0] for note in notes if end in note]


def test_who_took_a_point_from_above_is_not_said_to_have_taken_none(tmp_path: Path) -> None:
    # y beat x, and is below: it lost all to w, and x won all against z.
    contents = report_of(tmp_path / "t.db", [*["wy", "xz"] * 10, "yx"])
    ladder = contents.standings.ladder
    assert ladder is not None
    names = [row.agent for row in ladder.ratings]
    assert names.index("x") < names.index("y")
    assert beaten(contents) == ["z"]


def test_who_lost_all_against_those_above_is_told(tmp_path: Path) -> None:
    contents = report_of(tmp_path / "t.db", ["ab", "ab", "bc", "cb", "ac"])
    assert beaten(contents) == ["c and b"]


def test_agents_that_no_games_connect_are_not_compared(tmp_path: Path) -> None:
    contents = report_of(tmp_path / "t.db", ["ab", "ba", "ab", "cd"])
    lead = context.leader(contents)
    assert lead.startswith(
        "No agent is first of all: 2 groups of agents never met. c is first of c"
    )
    assert " a is first of a and b, " in lead
    assert lead.count(" above d. ") == lead.count(" above b. ") == 1
    assert any("2 groups that never met" in note for note in context.ladder_notes(contents))


def test_the_first_of_agents_that_games_connect_is_first(tmp_path: Path) -> None:
    lead = context.leader(report_of(tmp_path / "t.db", ["ab", "ba", "ab", "cb"]))
    assert "never met" not in lead and " is first, " in lead


def test_agents_that_are_level_are_not_told_apart(tmp_path: Path) -> None:
    for number, (wins, message) in enumerate(
        (
            (["ab", "ba"], "a and b are first, equally strong."),
            (["ab", "ba", "ac", "ca", "bc", "cb"], "a, b and c are first, equally strong."),
            (["ab", "ba", "ac", "bc"] * 20, "a and b are first, equally strong."),
        )
    ):
        assert context.leader(report_of(tmp_path / f"{number}.db", wins)) == message
    assert " is first, " in context.leader(report_of(tmp_path / "v.db", ["ab"] * 9))
