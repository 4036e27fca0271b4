"""The Lund contract in both directions: our server, our client, and servers that break it."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest
from doctools.output import described_keys

from claimeven import Limit, Position, make_agent
from claimeven.arena.lund import (
    DRAWN,
    ILLEGAL,
    LOST,
    WON,
    ChallengeFailed,
    ChallengeGame,
    ChallengeResult,
    LundServer,
    play_challenge,
)
from claimeven.web import lund
from claimeven.web.app import create_app
from claimeven.web.pool import WorkerPool
from claimeven.web.services import Services
from claimeven.web.settings import ServerSettings
from claimeven.web.transport import WorkTooLong
from tests.agents.test_http_agent import saying, serving
from tests.cli.conftest import Run, bad_input, interrupted
from tests.cli.test_reading_output import keys_of
from tests.naive import Game
from tests.web.conftest import Answer, Server, eventually
from tests.web.test_app import asked

EMPTY = [[0] * 7 for _ in range(6)]


def board_of(moves: list[int], student: int) -> list[list[int]]:
    """The board after some columns as a student sees it, made by the oracle."""
    game = Game()
    for column in moves:
        game = game.play(column)
    signs = {None: 0, student: 1, 1 - student: -1}
    return [[signs[game.grid[c][row]] for c in range(7)] for row in reversed(range(6))]


def test_a_student_plays_by_the_contract(server: Server) -> None:
    bot = "/lund/{}?agent=greedy:win=yes,block=yes"
    who: dict[str, Any] = {"stil_id": ["ab1234cd-s", "ef5678gh-s"], "api_key": "nyckel"}
    results = []
    for number in range(4):
        shown = server.form(bot.format("move"), **who, move=-1).json
        student, moves = number % 2, [] if shown["botmove"] < 0 else [shown["botmove"]]
        assert (shown["status"], shown["result"], len(moves)) == (True, 0, student)
        assert shown["state"] == board_of(moves, student)
        while shown["result"] == 0:
            column = Position.from_moves(moves).legal_columns[0]
            moves.append(column)
            shown = server.form(bot.format("move"), **who, move=column).json
            moves += [] if shown["botmove"] < 0 else [shown["botmove"]]
            assert shown["state"] == board_of(moves, student)
        outcome = Position.from_moves(moves).outcome
        assert outcome is not None
        won = {None: 0.5, student: 1, 1 - student: -1}[outcome.winner]
        assert shown["result"] == won
        assert shown["msg"] == {1: "you won", -1: "you lost", 0.5: "a draw"}[won]
        results.append(won)
    stats = server.form(bot.format("stats"), **who).json
    assert (stats["games"], stats["won"], stats["lost"]) == (
        4, results.count(1), results.count(-1),
    )  # fmt: skip
    assert stats["msg"] == f"{stats['won']} of 4 games won" and stats["status"] is True
    for other in ({**who, "stil_id": who["stil_id"][:1]}, {"api_key": "nyckel"}):
        assert server.form(bot.format("stats"), **other).json["games"] == 0
    assert server.form("/lund/stats?agent=greedy", **who).json["games"] == 0


def test_violations_of_the_contract_are_reported(server: Server) -> None:
    who = {"stil_id": "breaker", "api_key": ""}
    assert server.form("/lund/move", **who, move=3).json == {
        "msg": "no game is in progress: start one with move -1",
        "status": False, "result": 0, "botmove": -1, "state": EMPTY,
    }  # fmt: skip
    assert server.form("/lund/move", move=-1).json["msg"] == "stil_id is missing"
    # Two names of which only the start was looked at would be one player.
    long = server.form("/lund/move", stil_id="n" * 101, move=-1).json
    assert (long["status"], long["msg"]) == (False, "stil_id is longer than 100 characters")
    for no_move in ({}, {"move": "x"}, {"move": "--1"}, {"move": "\u0663"}, {"move": "9" * 5_000}):
        assert server.form("/lund/move", **who, **no_move).json["msg"] == (
            "move must be -1 for a new game, or a column from 0 to 6"
        )
    for path in ("/lund/move", "/lund/stats"):
        assert server.ask("POST", path, b"stil_id=\xff&move=3").status == 200
    server.form("/lund/move", **who, move=-1)
    lost = server.form("/lund/move", **who, move=7).json
    assert (lost["status"], lost["result"]) == (True, -10)
    assert "column 7 (counted from 0) is not on the board" in lost["msg"]
    server.form("/lund/move", **who, move=-1)
    server.form("/lund/move", **who, move=-1)  # a running game is lost by that
    assert server.form("/lund/stats", **who).json["lost"] == 2
    assert server.form("/lund/move?agent=x.py:f", **who, move=-1).status == 422


def test_a_bot_that_does_not_answer_leaves_the_game_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same move may be made again; it is not taken for the bot's."""

    async def ask(self: Services, task: str, seconds: float, **arguments: Any) -> None:
        raise WorkTooLong("the request took more than 0.3 s")

    monkeypatch.setattr(Services, "ask", ask)
    app = create_app(ServerSettings(workers=1))

    def form(path: str, **fields: object) -> Answer:
        body = urlencode({"stil_id": "patient", **fields}).encode()
        return asyncio.run(asked(app, f"/lund/{path}?agent=greedy", body, method="POST"))

    started = form("move", move=-1).json
    assert (started["result"], started["botmove"], started["state"]) == (0, -1, EMPTY)
    for _ in range(2):
        answer = form("move", move=3)
        assert answer.status == 422 and "took more than" in answer.error
    assert form("stats").json["games"] == 0
    # A new game loses the one that continues, once, and the bot starts the next, or fails to.
    for games in (1, 1):
        assert form("move", move=-1).status == 422
        assert form("stats").json["games"] == games - 1


@pytest.mark.parametrize(("given", "taken"), [(0.5, 0.5), (60.0, 5.0)])
def test_a_bot_has_the_time_of_the_contract_or_less_where_the_server_gives_less(
    given: float, taken: float
) -> None:
    asked: list[Any] = []

    class Asked(Services):
        async def ask(self, task: str, seconds: float, **arguments: Any) -> dict[str, Any]:
            asked.append((task, seconds))
            return {"column": 4}

    services = Asked(ServerSettings(seconds=given), WorkerPool(1, 8, 1))
    bot = lund._bot_move(services, lund.LundPlayer(), "perfect")
    assert asyncio.run(bot) == 3
    assert asked == [("move", taken)]


def test_a_lost_client_may_repeat_its_move_but_not_two_together(server: Server) -> None:
    slow, who = "/lund/move?agent=alphabeta:depth=42", {"stil_id": "hasty"}
    eventually(lambda: server.status()["ready"])  # there are 5 s for a move
    assert server.form(slow, **who, move=-1).json["result"] == 0
    with server.waiting_for(slow, **who, move=3):
        eventually(lambda: server.status()["busy"] == 1)
        answer = server.form(slow, **who, move=2).json
        assert answer["msg"] == "the bot is still answering the previous move"
        assert (answer["status"], answer["result"]) == (False, 0)
    eventually(lambda: server.status()["busy"] == 0)
    illegal = server.form(slow, **who, move=7).json
    assert (illegal["result"], illegal["state"]) == (-10, EMPTY)


def test_a_move_that_comes_too_late_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(lund.time, "monotonic", lambda: now[0])
    player = lund.LundPlayer()
    player.start_game()
    player.answer("")
    now[0] += 5.5  # half a second for the way there and back
    assert not player.is_late
    now[0] += 0.1
    shown = asyncio.run(lund._answer(None, player, "", 3))  # type: ignore[arg-type]
    assert (shown["status"], shown["result"], shown["state"]) == (True, -1, EMPTY)
    assert shown["msg"] == "your move took more than 5 s: you lost"
    assert (player.games, player.lost, player.playing) == (1, 1, False)


def test_a_draw_is_half_a_point() -> None:
    drawn = Position.from_moves("54712566226127126621574377157631535333444")
    player = lund.LundPlayer(seat=1, position=drawn, playing=True)
    player.last_move_at = time.monotonic()
    shown = asyncio.run(lund._answer(None, player, "", 3))  # type: ignore[arg-type]
    assert (shown["msg"], shown["result"], player.drawn, player.playing) == (
        "a draw",
        0.5,
        1,
        False,
    )


def test_players_absent_for_long_are_forgotten() -> None:
    games = lund.LundGames()
    known = [lund.LundPlayer(games=n) for n in range(lund.MAX_PLAYERS)]
    for n, player in enumerate(known):
        games.store(str(n), "greedy", player)
    games.store("0", "greedy", known[0])
    games.store("0", "random", known[0])  # takes the place of 1
    assert games.player("0", "greedy") is games.player("0", "random") is known[0]
    assert games.player("1", "greedy") == lund.LundPlayer()
    for n in range(lund.MAX_PLAYERS):  # only asked about
        assert games.player(f"nobody {n}", "greedy") == lund.LundPlayer()
    assert games.player("3", "greedy") is known[3]


def test_time_streaks_and_players_are_counted() -> None:
    player = lund.LundPlayer()
    for result in (WON, WON, LOST, DRAWN, WON):
        player.start_game()
        player.end_game(result)
    assert (player.games, player.won, player.drawn, player.lost) == (5, 3, 1, 1)
    assert (player.streak, player.best_streak) == (1, 2)
    player.start_game()
    player.answer("")
    assert not player.is_late
    player.last_move_at -= 6
    assert player.is_late


def test_our_client_and_our_server_agree(server: Server) -> None:
    url = f"{server.url}/lund?agent=greedy:win=yes,block=yes"
    agent = make_agent("alphabeta:depth=3")
    games = list(play_challenge(LundServer(url, ["me"], "k"), agent, range(1, 5), 1, Limit()))
    stats = server.form("/lund/stats?agent=greedy:win=yes,block=yes", stil_id="me").json
    result = ChallengeResult(tuple(games))
    assert [game.moved_first for game in games] == [True, False, True, False]
    assert (stats["won"], stats["lost"]) == (result.count(WON), result.count(LOST))
    for game in games:
        final = Position.from_moves(game.moves)
        assert final.outcome is not None
        seat = 0 if game.moved_first else 1
        assert game.result == {None: DRAWN, seat: WON, 1 - seat: LOST}[final.outcome.winner]
        assert game.own_moves == (len(game.moves) + game.moved_first) // 2


def test_an_agent_that_fails_loses_its_game(server: Server) -> None:
    def broken(position: Position) -> int:
        raise ValueError("no idea")

    agent = make_agent(broken)
    (game,) = play_challenge(LundServer(f"{server.url}/lund", ["me2"], ""), agent, [1], 1, Limit())
    assert (game.result, game.moves) == (LOST, "")
    assert game.fault is not None
    assert "no idea" in game.fault


RIGHT = {"status": True, "msg": "", "result": 0, "botmove": -1, "state": EMPTY}


@pytest.mark.parametrize(
    ("shown", "reason"),
    [
        ({**RIGHT, "status": False, "msg": "wrong key"}, "refuses: wrong key"),
        ({**RIGHT, "result": 2}, "answers with result 2"),
        ({**RIGHT, "botmove": "3"}, "answers with botmove '3'"),
        (
            {**RIGHT, "botmove": 7},
            r"plays an illegal move: column 7 \(counted from 0\) is not on the board",
        ),
        ({**RIGHT, "botmove": 3}, "shows another board than that after 4"),
        ({"status": True}, "answers with result None"),
        ([], "answered with data that is not a JSON object"),
    ],
)
def test_servers_that_break_the_contract_are_named(shown: Any, reason: str) -> None:
    with serving(saying(shown)) as url, pytest.raises(ChallengeFailed, match=reason):
        list(play_challenge(LundServer(url, ["a"], ""), make_agent("random"), [1], 1, Limit()))


def test_a_server_that_continues_after_the_end_is_named() -> None:
    moves: list[int] = []

    def answer(handler: BaseHTTPRequestHandler, asked: bytes) -> None:
        column = int(parse_qs(asked.decode())["move"][0])
        bot = -1
        if column >= 0:
            bot = len(moves) // 2
            moves.extend([column, bot])
            if len(moves) == 8:
                moves.pop()
                bot = -1
        saying({**RIGHT, "botmove": bot, "state": board_of(moves, 0)})(handler, asked)

    with serving(answer) as url, pytest.raises(ChallengeFailed, match="the game is not over after"):
        agent = make_agent(lambda position: 6)
        list(play_challenge(LundServer(url, ["a"], ""), agent, [1], 1, Limit()))


def test_totals_follow_from_the_games() -> None:
    def game(number: int, moved_first: bool, result: float) -> ChallengeGame:
        return ChallengeGame(number, moved_first, "44", result, 2, 1.0, 0.75)

    results = (WON, WON, -10, WON, DRAWN)
    games = tuple(game(n, n % 2 == 0, result) for n, result in enumerate(results))
    shown = ChallengeResult(games).as_dict()
    assert (shown["games"], shown["won"], shown["drawn"], shown["lost"]) == (5, 3, 1, 1)
    assert shown["score"] == 0.7
    assert shown["best_streak"] == 2
    assert shown["as_first"] == {"won": 1, "drawn": 1, "lost": 1}
    assert (shown["seconds_per_move"], shown["slowest_move"]) == (0.5, 0.75)
    assert [ChallengeGame.from_dict(data) for data in shown["played"]] == list(games)
    for data, game in zip(shown["played"], games, strict=True):  # as 0.2.0 stored them
        old = {"moved_first": "began"}
        stored = {old.get(name, name): value for name, value in data.items()}
        assert ChallengeGame.from_dict(stored) == game
    for name, values in (
        ("number", ("x", True, None)), ("moved_first", (1, None)), ("moves", (5,)),
        ("result", (True, "x")),
        ("own_moves", ("x", 1.5)), ("seconds", (None, "x", False)), ("slowest", ("x",)),
        ("fault", (5, True)),
    ):  # fmt: skip
        for value in values:
            with pytest.raises(ValueError, match="not a game of a challenge"):
                ChallengeGame.from_dict({**shown["played"][0], name: value})


def test_a_challenge_is_kept_and_gone_on_with(server: Server, run: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "games.txt")
    url = f"{server.url}/lund?agent=greedy"
    asked = ("challenge", url, "--agent", "greedy:win=yes", "--out", out, "--stil-id", "kept")
    nobody = bad_input(run("challenge", f"{server.url}/nowhere", *asked[2:], "--games", "2"))
    assert "unknown address /nowhere/move" in nobody  # the part without a game is started again
    assert Path(out).exists()
    ran = run(*asked, "--games", "2")
    assert (ran.status, ran.err) == (0, "")
    assert "2 games of greedy:win=yes against" in ran.out
    assert all(len(line) <= 80 or " " not in line.strip() for line in ran.out.splitlines()[3:])
    assert bad_input(run(*asked)).endswith("exists already: --resume continues it")
    with Path(out).open("a") as cut_short:
        cut_short.write('{"number": 3')
    shown = json.loads(run(*asked, "--games", "4", "--resume", "--json").out)
    assert [game["number"] for game in shown["played"]] == [1, 2, 3, 4]
    assert set(keys_of(shown)) <= described_keys("challenge")
    assert len(Path(out).read_text().splitlines()) == 5
    other = bad_input(run(*asked[:3], "random", *asked[4:], "--resume"))
    assert "has games of another challenge" in other
    head, *_ = Path(out).read_text().splitlines(keepends=True)
    cut = tmp_path / "cut.txt"
    cut.write_text(head[:-5])  # as a kill may leave it
    assert run(*asked[:5], str(cut), *asked[6:], "--games", "1").status == 0
    assert cut.read_text().splitlines(keepends=True)[0] == head
    for text in ("[1]\n", "notes\n", "{}\n"):
        (tmp_path / "mine.txt").write_text(text)
        words = [*asked[:5], str(tmp_path / "mine.txt"), *asked[6:]]
        assert bad_input(run(*words)).endswith(
            "mine.txt must be a file of a challenge: name another file"
        )


def test_a_challenge_is_reported_game_by_game(server: Server, run: Run, tmp_path: Path) -> None:
    out = tmp_path / "games.txt"
    spec = "uct:iterations=9"
    asked = ("challenge", f"{server.url}/lund?agent={spec}", "--agent", spec, "--out", str(out),
             "--stil-id", "told", "--games", "7", "--seed", "2")  # fmt: skip
    ran = run(*asked)
    assert (ran.status, ran.err) == (0, "")
    shown = json.loads(run(*asked, "--resume", "--json").out)
    words = {WON: "won", DRAWN: "drawn", LOST: "lost"}
    lines = ran.out.splitlines()
    assert [line.split() for line in lines[:7]] == [
        ["game", str(game["number"]), ("second", "first")[game["moved_first"]],
         words[game["result"]],
         "slowest", f"{game['slowest']:.2f}", "s", game["moves"]]
        for game in shown["played"]
    ]  # fmt: skip
    low, high = shown["score_interval_95"]
    assert " ".join(" ".join(lines[7:]).split()).partition(" won ")[2] == (
        f"{shown['won']}, drawn {shown['drawn']}, lost {shown['lost']}; score {shown['score']:.1%},"
        f" 95 % interval {low:.1%} to {high:.1%}"
        f" as first player: won {shown['as_first']['won']} of 4"
        f" as second player: won {shown['as_second']['won']} of 3"
        f" won in a row: {shown['best_streak']}"
        f" a move took {shown['seconds_per_move']:.3f} s on average and"
        f" {shown['slowest_move']:.3f} s at most, of 5 s"
    )
    kept = out.read_bytes()
    assert run(*asked[:-4], "--games", "2", "--seed", "2", "--resume").status == 0
    assert out.read_bytes() == kept  # it has more games than requested: no game is played
    other = bad_input(run(*asked[:-1], "3", "--resume"))
    assert "has games of another challenge" in other and other.endswith("seed 2")


def test_a_challenge_that_breaks_off_is_reported(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "games.txt"
    started: list[int] = []

    def answer(handler: BaseHTTPRequestHandler, asked: bytes) -> None:
        column = int(parse_qs(asked.decode())["move"][0])
        started.append(column)
        if column == 7:
            return saying({**RIGHT, "result": ILLEGAL})(handler, asked)
        if started.count(-1) == 3:
            return saying({**RIGHT, "status": False, "msg": "closed"})(handler, asked)
        return saying(RIGHT)(handler, asked)

    bot = tmp_path / "bot.py"
    bot.write_text("def agent(position):\n    raise ValueError('no idea')\n")
    with serving(answer) as url:
        ran = run("challenge", url, "--agent", str(bot), "--games", "5", "--out", str(out))
    assert ran.status == 2
    assert "closed" in ran.err and ran.err.startswith("claimeven: ")
    lines = ran.out.splitlines()
    assert lines[0].split()[:4] == ["game", "1", "first", "lost"]
    assert lines[1].strip() == "raised ValueError: no idea"
    assert "won 0, drawn 0, lost 2; score 0.0%" in ran.out
    assert len(out.read_text().splitlines()) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="no process groups")
def test_ctrl_c_says_how_to_continue_a_challenge(server: Server, tmp_path: Path) -> None:
    out = tmp_path / "games.txt"
    words = ("challenge", f"{server.url}/lund?agent=random", "--agent", "random", "--games",
             "100000", "--stil-id", "ended", "--out", str(out), "--json")  # fmt: skip
    ended = interrupted(*words, when=lambda: out.exists() and out.read_bytes().count(b"\n") > 2)
    assert ended.status == 130, ended.err
    games = json.loads(ended.out)["games"]
    assert games == len(out.read_text().splitlines()) - 1
    said = f"interrupted after {games} of 100000 games; continue with: --out {out} --resume\n"
    assert ended.err.endswith(said)


def test_an_invalid_challenge_is_reported(server: Server, run: Run) -> None:
    assert "unknown address /nowhere/move" in bad_input(run("challenge", f"{server.url}/nowhere"))
    assert "is not the address" in bad_input(run("challenge", "lund.se"))
    assert "--games must be 1 or more, got 0" in bad_input(
        run("challenge", server.url, "--games", "0")
    )
    assert "--out" in bad_input(run("challenge", server.url, "--resume"))
    assert "seed must be 0 or more" in bad_input(run("challenge", server.url, "--seed", "-1"))


def test_an_agent_behind_our_server_plays_as_here(server: Server) -> None:
    position = Position.from_moves("4433")
    there = make_agent(f"{server.url}/play?agent=alphabeta:depth=3")
    here = make_agent("alphabeta:depth=3")
    rng = np.random.default_rng(1)
    assert there.choose(position, Limit(), rng).column == here.choose(position, Limit(), rng).column
    there.close()
