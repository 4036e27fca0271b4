"""Games that end early with their exact result: scores, stores, other files, other numbers."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from claimeven import Geometry
from claimeven.arena import (
    Game,
    GameFilter,
    InvalidMatch,
    InvalidStore,
    Standings,
    export_games,
    find_games,
    import_games,
    place_on_ladder,
    play_match,
    play_tournament,
    run_sprt,
    write_report,
)
from claimeven.arena.api import match_plan
from claimeven.arena.options import MatchOptions
from claimeven.arena.tournaments.run import open_store, run
from claimeven.solver.errors import InvalidSolve
from tests import naive
from tests.positions import oracle

BOARD = Geometry(5, 4, 4)
OPTIONS = MatchOptions(columns=5, rows=4, games=60, opening_plies=3, seed=2, adjudicate=8)


@pytest.fixture(scope="module")
def games() -> tuple[Game, ...]:
    return play_match("random", "greedy", OPTIONS).games


def moves_of(game: Game) -> tuple[object, ...]:
    return (game.number, game.all_moves, game.winner, game.adjudicated)


def test_the_result_equals_perfect_play(games: tuple[Game, ...]) -> None:
    known: dict[object, int] = {}
    ended = [game for game in games if game.adjudicated is not None]
    assert 5 < len(ended) < len(games)
    assert {game.winner for game in ended} == {0, 1, None}
    whole = play_match("random", "greedy", replace(OPTIONS, adjudicate=None)).games
    for game, other in zip(games, whole, strict=True):
        assert other.all_moves.startswith(game.all_moves)
        game.check()
        if game.adjudicated is None:
            assert moves_of(game) == moves_of(other)
            continue
        final = game.final
        assert BOARD.cells - final.ply == 8
        score = naive.score(oracle(final), known)
        assert game.adjudicated == score
        winner = None if score == 0 else final.turn if score > 0 else 1 - final.turn
        assert game.winner == winner


def test_a_store_holds_them_and_other_processes_play_the_same(
    games: tuple[Game, ...], tmp_path: Path
) -> None:
    path, plan = tmp_path / "a.db", match_plan("random", "greedy", OPTIONS)
    with open_store(path, plan) as store, closing(run(plan, None, store)) as some:
        assert len(list(islice(some, 11))) == 11
    options = replace(OPTIONS, out=path, resume=True, jobs=2)
    found = play_match("random", "greedy", options)
    assert list(map(moves_of, found.games)) == list(map(moves_of, games))
    assert list(map(moves_of, find_games(path).games)) == list(map(moves_of, games))
    count = sum(game.adjudicated is not None for game in games)
    data = found.as_dict()
    assert (data["adjudicate"], data["adjudicated"]) == (8, count)
    standings = Standings.read(path)
    assert standings.as_dict()["adjudicated"] == count
    sentence = f"{count} of 60 games ended early with the exact result."
    assert sentence in standings.remarks
    write_report(path, tmp_path / "a.html", judge=0)
    assert sentence in (tmp_path / "a.html").read_text(encoding="utf-8")
    for other in (None, 7):
        with pytest.raises(InvalidStore, match="its adjudicate differs"):
            play_match("random", "greedy", replace(options, adjudicate=other))


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_they_are_exported_and_imported(
    games: tuple[Game, ...], tmp_path: Path, ending: str
) -> None:
    play_match("random", "greedy", replace(OPTIONS, out=tmp_path / "a.db"))
    export_games(tmp_path / "a.db", tmp_path / f"a{ending}")
    import_games(tmp_path / "b.db", tmp_path / f"a{ending}", geometry=BOARD)
    assert list(map(moves_of, find_games(tmp_path / "b.db").games)) == list(map(moves_of, games))
    drawn = find_games(tmp_path / "b.db", GameFilter(result="draw"))
    assert any(row["adjudicated"] == 0 for row in drawn.rows())


def test_rows_that_cannot_be_are_corrupt(games: tuple[Game, ...]) -> None:
    game = next(game for game in games if (game.adjudicated or 0) > 0)
    for wrong in (-3, 0, None):
        with pytest.raises(ValueError, match="do not lead to its result"):
            replace(game, adjudicated=wrong).check()
    row = list(game.row)
    assert Game.of_row(tuple(row), game.root) == game
    for figures in ('{"adjudicated": [1, 2]}', '{"adjudicated": [0.5]}', '{"adjudicated": []}'):
        row[-1] = figures
        with pytest.raises(ValueError, match="adjudicated must be one score"):
            Game.of_row(tuple(row), game.root)
    over = next(game for game in games if game.adjudicated is None)
    with pytest.raises(ValueError, match="do not lead to its result"):
        replace(over, adjudicated=1 if over.winner == over.final.turn else -1).check()


def test_tournaments_tests_and_placements_too(tmp_path: Path) -> None:
    small = {"columns": 4, "rows": 4, "connect": 3, "adjudicate": 8, "seed": 1}
    agents = ["random", "greedy", "alphabeta:depth=1"]
    found = play_tournament(agents, rounds=3, **small).standings
    assert found.totals.adjudicated == sum(game.adjudicated is not None for game in found.games) > 0
    test = run_sprt("greedy", "random", max_games=10, **small).as_dict()
    assert isinstance(test["adjudicated"], int)
    placed = place_on_ladder("greedy:win=yes", rounds=1, adjudicate=26).as_dict()
    assert placed["adjudicate"] == 26 and placed["adjudicated"]


def test_invalid_adjudication_is_refused() -> None:
    with pytest.raises(InvalidMatch, match="adjudicate must be 1 or more"):
        play_match("random", "greedy", games=2, adjudicate=0)
    with pytest.raises(InvalidSolve, match="the solver"):
        play_match("random", "random", games=2, columns=16, rows=16, adjudicate=9)
