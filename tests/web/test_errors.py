"""Rejected requests: each with a status and one sentence with the reason."""

from __future__ import annotations

import pytest

from tests.web.conftest import Server

#: A position of four discs, as it is drawn.
DRAWN = "/".join([*["......."] * 4, "...OO..", "...XX.."])
ONE_PUZZLE = "number selects one puzzle: it cannot be combined with"


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/api/position?moves=48", "move 2: '8' is not a column: choose from 1 to 7"),
        ("/api/position?moves=4444444", "move 7: column 4 is full"),
        ("/api/position?board=40x40", "columns must be 1 to 16, got 40"),
        ("/api/position?board=seven", "board must be columns x rows, such as 7x6, got 'seven'"),
        ("/api/position?board=7x6x", "board must be columns x rows, such as 7x6, got '7x6x'"),
        ("/api/position?board=100x16", "board: string should have at most 5 characters"),
        ("/api/position?connect=1", "connect: should be greater than or equal to 2, got '1'"),
        ("/api/position?connect=9", "connect: should be less than or equal to 8, got '9'"),
        (f"/api/position?position={DRAWN}&moves=33333333", "move 7: column 3 is full"),
        ("/api/position?connect=four", "connect: should be a valid integer, got 'four'"),
        ("/api/position?bord=7x6", "unknown parameter 'bord': /api lists the parameters"),
        ("/api/position?moves=" + "4" * 500, "moves: string should have at most 400 characters"),
        ("/api/position?position=XX", "line 1 has 2 cells, and the board has 7 columns"),
        ("/api/scores?moves=1212121", "the game is over here: Yellow wins"),
        ("/api/scores?board=16x16", "the solver supports boards of"),
        ("/solve?pos=9", "move 1: '9' is not a column: choose from 1 to 7"),
        ("/api/search/minimax?agent=uct", "agent must be a minimax search"),
        ("/api/search/montecarlo?agent=alphabeta", "agent must be a Monte Carlo search"),
        ("/api/search/montecarlo?iterations=90000", "iterations must be at most 5,000"),
        ("/api/search/montecarlo?trees=yes&iterations=5000&steps=5000", "trees of 5,000"),
        ("/api/search/minimax?agent=f.py:g", "this server runs only bundled agents"),
        ("/api/search/minimax?steps=20001", "steps: should be less than or equal to 20000"),
        ("/api/search/minimax?tree_depth=65", "tree_depth: should be less than or equal to 64"),
        ("/api/search/minimax?tree_nodes=0", "tree_nodes: should be greater than or equal to 1"),
        ("/api/search/montecarlo?tree_nodes=0", "tree_nodes: should be greater than or equal to 1"),
        ("/api/search/montecarlo?first_step=0", "first_step: should be greater than or equal to 1"),
        ("/api/search/minimax?moves=1212121", "the game is over here: Yellow wins"),
        ("/api/search/montecarlo?agent=puct:model=f.npz", "a server loads no models"),
        ("/api/search/montecarlo?agent=puct&board=4x4", "puct cannot play on 4x4 connect 4"),
        ("/api/puzzles?difficulty=eazy", "there is no difficulty 'eazy' (did you mean easy?)"),
        ("/api/puzzles?number=99999", "the number of a puzzle must be 1 to"),
        ("/api/puzzles?number=1&difficulty=expert", f"{ONE_PUZZLE} difficulty"),
        ("/api/puzzles?number=1&seed=0", f"{ONE_PUZZLE} seed"),
        ("/api/puzzles?number=1&exclude=3", f"{ONE_PUZZLE} exclude"),
        ("/api/puzzles?number=1&kind=win", f"{ONE_PUZZLE} kind"),
        ("/api/puzzles?number=1&rating=0", f"{ONE_PUZZLE} rating"),
        ("/api/puzzles?kind=lose", "there is no kind 'lose'"),
        ("/api/puzzles?motif=blok", "there is no motif 'blok' (did you mean block?)"),
        ("/api/puzzles?length=0", "length: should be greater than or equal to 1"),
        ("/api/puzzles?motif=block&length=5", "the set has no such puzzle"),
        ("/api/puzzles?exclude=%D9%A3", "exclude must be numbers of puzzles like 3,17"),
        ("/api/puzzles?exclude=1,x", "exclude must be numbers of puzzles like 3,17, got '1,x'"),
        ("/api/puzzles/daily?date=soon", "a day must be a date such as 2026-01-31"),
        ("/api/puzzles/hints?number=1&columns_found=-1", "columns_found: should be greater than"),
        ("/api/puzzles/hints?number=1&columns_found=2", "puzzle 1 has 1 column to find"),
        ("/api/puzzles/attempt?number=1&column=9", "'9' is not a column"),
        ("/api/puzzles/attempt?number=1", "column is missing"),
    ],
)
def test_invalid_paths_are_refused_in_a_sentence(server: Server, path: str, sentence: str) -> None:
    answer = server.ask("GET", path)
    assert answer.status == 422
    assert answer.error.startswith(sentence)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"agent": "my_agent.py:agent"}, "this server runs only bundled agents"),
        ({"agent": "os:system"}, "this server runs only bundled agents"),
        ({"agent": "kaggle:main.py"}, "this server runs only bundled agents"),
        ({"agent": "kaggle"}, "this server runs only bundled agents"),
        ({"agent": "ugi:sh -c true"}, "this server runs only bundled agents"),
        ({"agent": "http://example.org/"}, "this server runs only bundled agents"),
        ({"agent": "ntuple:model=a.npz"}, "a server loads no models from files"),
        ({"agent": "/etc/passwd"}, "this server runs only bundled agents"),
        ({"agent": "alphabeta:eval=my.py:f"}, "a server runs no functions"),
        ({"agent": "uct:playout=os:system"}, "a server runs no functions"),
        ({"agent": "human"}, "human plays at a terminal"),
        ({"agent": "human:name=x"}, "human plays at a terminal"),
        ({"agent": "alphabet"}, "there is no agent 'alphabet' (did you mean alphabeta?)"),
        ({"agent": "alphabeta:deph=3"}, "alphabeta has no option 'deph' (did you mean depth?)"),
        ({"agent": "uct:capacity=90000000"}, "capacity of an agent must be at most 4,000,000"),
        ({"agent": "perfect:threads=200"}, "threads of an agent must be at most 1"),
        ({"agent": "negamax:table=28"}, "table of an agent must be at most 20"),
        ({"agent": "uct:seconds=9000"}, "seconds of an agent must be at most 60.0"),
        ({"agent": "perfect", "limit": {"depth": 3}}, "perfect cannot be limited by depth"),
        ({"agent": "perfect", "board": "13x9"}, "the solver supports boards of"),
        ({"agent": 7}, "agent: should be a valid string, got 7"),
        ({"agent": {}}, "agent: should be a valid string, got an object"),
        ({"agent": []}, "agent: should be a valid string, got a list"),
        ({"limit": {"seconds": -1}}, "limit.seconds: should be greater than 0, got -1"),
        ({"limit": {"seconds": 0}}, "limit.seconds: should be greater than 0, got 0"),
        ({"limit": {"iterations": 0}}, "limit.iterations: should be greater than or equal to 1"),
        ({"tree_nodes": -1}, "tree_nodes: should be greater than or equal to 0, got -1"),
        ({"tree_nodes": 2001}, "tree_nodes: should be less than or equal to 2000, got 2001"),
        ({"seed": -1}, "seed: should be greater than or equal to 0, got -1"),
        ({"seed": 2**53}, "seed: should be less than or equal to 9007199254740991"),
        ({"limit": {"seconds": "NaN"}}, "limit.seconds: "),
        ({"limit": {"minutes": 1}}, "unknown parameter 'limit.minutes'"),
        ({"limit": []}, "limit: should be a valid dictionary"),
        ({"seed": 2**80}, "seed: should be less than or equal to"),
        ({"moves": 4455}, "moves: should be a valid string, got 4455"),
        ({"moves": "12121211"}, "move 8: column 1 cannot be played: the game is over"),
        ([], "the body: should be a valid dictionary"),
    ],
)  # fmt: skip
def test_forbidden_requests_are_refused_in_a_sentence(
    server: Server, body: object, sentence: str
) -> None:
    answer = server.post("/api/move", body)
    assert answer.status == 422
    assert answer.error.startswith(sentence)


def test_broken_json_is_reported(server: Server) -> None:
    answer = server.ask("POST", "/api/move", b'{"moves": ', content_type="application/json")
    assert answer.status == 422
    assert answer.error.startswith("the body must be JSON: ")
    nothing = server.ask("POST", "/api/move", content_type="application/json")
    assert (nothing.status, nothing.error) == (422, "the body is missing")
    garbled = server.ask("POST", "/api/move", b'{"moves": "\xff"}', content_type="application/json")
    assert garbled.status == 400
    assert garbled.error.startswith("the body cannot be read: ")


def test_json_with_another_content_type_is_reported(server: Server) -> None:
    kind = "application/x-www-form-urlencoded"
    answer = server.ask("POST", "/api/move", b'{"moves": "44"}', content_type=kind)
    assert answer.status == 422
    assert answer.error.endswith("with the content-type application/json")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/play?agents=perfect"),
        ("POST", "/lund/move?agents=perfect"),
        ("POST", "/api/move?agents=perfect"),
        ("GET", "/solve?pos=4&agents=perfect"),
        ("GET", "/api/puzzles?agents=perfect"),
        ("GET", "/api/status?agents=perfect"),
    ],
)
def test_every_route_refuses_unknown_fields(server: Server, method: str, path: str) -> None:
    answer = server.ask(method, path, b"{}", content_type="application/json")
    assert answer.status == 422
    assert answer.error == "unknown parameter 'agents': /api lists the parameters"


def test_errors_of_a_stream_are_reported(server: Server) -> None:
    assert server.get("/api/scores/events", moves="x").status == 422
    (event,) = server.events("/api/scores/events", board="16x16")
    assert event[0] == "error"
    assert event[1]["status"] == 422
    assert event[1]["error"].startswith("the solver supports boards of")


def test_unknown_paths_and_methods_are_distinguished(server: Server) -> None:
    assert "/api lists the addresses" in server.get("/api/nothing").error
    answer = server.ask("DELETE", "/api/scores")
    assert (answer.status, answer.headers["allow"]) == (405, "GET")
    assert "does not accept DELETE" in answer.error
