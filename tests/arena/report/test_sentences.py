"""The sentences of a report about the ladder: only facts of the games."""

from __future__ import annotations

from pathlib import Path

from claimeven.arena.games.game import Game
from claimeven.arena.report import context
from claimeven.arena.report.context import ReportContext
from claimeven.arena.store.store import Store, StoredAgent
from tests.arena.report.stores import PLAN, SECOND_WINS

#: A game that the first player wins.
_WON = "4455667"


def report_of(path: Path, wins: list[str]) -> ReportContext:
    """Contents of games of agents with names of a letter: "ab" is one that a won against b.

    The first named moves first; in "ab!" it lost.
    """
    names = sorted(set("".join(wins)) - {"!"})
    agents = tuple(StoredAgent(number, name, name) for number, name in enumerate(names))
    games = [
        Game(
            f"job{n}",
            n,
            None,
            names.index(pair[0]),
            names.index(pair[1]),
            "",
            SECOND_WINS if "!" in pair else _WON,
            int("!" in pair),
        )
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


def test_an_agent_with_a_point_from_above_is_not_listed_as_beaten(tmp_path: Path) -> None:
    # y beat x, and is below: it lost all to w, and x won all against z.
    contents = report_of(tmp_path / "t.db", [*["wy", "xz"] * 10, "yx"])
    ladder = contents.standings.ladder
    assert ladder is not None
    names = [row.agent for row in ladder.ratings]
    assert names.index("x") < names.index("y")
    assert beaten(contents) == ["z"]


def test_an_agent_beaten_by_all_above_is_reported(tmp_path: Path) -> None:
    contents = report_of(tmp_path / "t.db", ["ab", "ab", "bc", "cb", "ac"])
    assert beaten(contents) == ["c and b"]


#: Games that a won clearly, with either seat.
_CLEAR = ["ab", "ba!"] * 9


def test_agents_that_no_games_connect_are_not_compared(tmp_path: Path) -> None:
    games = [*_CLEAR, *(pair.translate(str.maketrans("ab", "cd")) for pair in _CLEAR)]
    contents = report_of(tmp_path / "t.db", games)
    lead = context.leader(contents)
    assert lead.startswith("No agent is first: 2 groups of agents never met. ")
    assert " a is first of a and b, " in lead and " c is first of c and d, " in lead
    assert lead.count(" above d. ") == lead.count(" above b. ") == 1
    assert any("2 groups that never met" in note for note in context.ladder_notes(contents))
    ladder = contents.standings.ladder
    assert ladder is not None
    ranks = {row.agent: row.rank for row in ladder.ratings}
    assert ranks == {"a": (1, 3), "b": (2, 4), "c": (1, 3), "d": (2, 4)}


def test_the_first_of_agents_that_games_connect_is_first(tmp_path: Path) -> None:
    lead = context.leader(report_of(tmp_path / "t.db", [*_CLEAR, *["ac", "ca!"] * 9, "cb", "bc"]))
    assert "never met" not in lead and lead.startswith("a is first, ")
    assert " above b. It is the stronger of the two with a likelihood of " in lead


def test_tied_agents_are_not_ranked(tmp_path: Path) -> None:
    for number, (wins, message) in enumerate(
        (
            (["ab", "ba"], "a and b share first place."),
            (["ab", "ba", "ac", "ca", "bc", "cb"], "a, b and c share first place."),
            (["ab", "ba", "ac", "bc", "ca!", "cb!"] * 20, "a and b share first place."),
            # The first player won every game: c never was, so it may be as strong.
            (["ab", "ba", "ac", "bc"] * 20, "a, b and c share first place."),
            (
                [*["ab", "ba"] * 5, "ab"],
                "a and b share first place. a is 16 Elo (95 % interval \N{MINUS SIGN}865 to +940)"
                " above b, which may be chance.",
            ),
        )
    ):
        assert context.leader(report_of(tmp_path / f"{number}.db", wins)) == message
    assert " is first, " in context.leader(report_of(tmp_path / "v.db", _CLEAR))


def found(contents: ReportContext) -> list[str]:
    """What the first screen says to look at."""
    return list(context.findings(contents))


def test_ties_odd_results_and_repeated_games_are_pointed_out(tmp_path: Path) -> None:
    contents = report_of(tmp_path / "t.db", ["ab", "ba"] * 4)
    ties, repeated = found(contents)
    assert ties.startswith("2 of 2 agents share a rank, such as 1\N{EN DASH}2: ")
    assert repeated.startswith("Only 2 of 8 games differ: ")
    # d lost all to a and b, won all against c, and c beats a once.
    clear = [f"{one}{two}" for one in "ab" for two in "cd" for _ in range(12)]
    games = [*clear, *(f"{pair[::-1]}!" for pair in clear), *["dc", "cd!"] * 12]
    games += ["ab", "ba"] * 6
    upset = ["xa", "ax!", "xc!", "cx", *["xd!", "dx"] * 9, *["cx", "xc!"] * 9]
    odd = [each for each in found(report_of(tmp_path / "u.db", games + upset)) if "ladder" in each]
    assert odd == ["Against the ladder: x took 2 of 2 points from a."]
