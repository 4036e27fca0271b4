"""Files of games over HTTP: every format, errors, maximum lengths."""

from __future__ import annotations

import json
from typing import Any

import pytest

from claimeven import Geometry
from claimeven.records import FORMATS, GameRecord, InvalidRecord, write_text
from claimeven.web.requests import MAX_RECORDS
from claimeven.web.tasks import MAX_GAMES, games_json
from tests.web.conftest import Server

GAMES = [
    GameRecord((0, 1, 0, 1, 0, 1, 0), first="ann", second="bob"),
    GameRecord((3, 3, 2), label="win"),
]


def of(text: str, name: str = "", geometry: Geometry | None = None) -> dict[str, Any]:
    return games_json(None, text, name, geometry or Geometry())


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_read(server: Server, form: str) -> None:
    name = f"games{FORMATS[form].endings[0]}"
    answer = server.post("/api/records", {"text": write_text(GAMES, form), "name": name})
    assert answer.status == 200
    output = answer.json
    assert output["format"] == form
    assert (output["unreadable"], output["first_error"], output["truncated"]) == (0, None, False)
    first, second = output["games"]
    assert first["result"] == "first"
    assert second["result"] == "unfinished"
    assert first["has_move_order"] == (form not in ("uci", "board"))
    assert sorted(first["moves"]) == sorted("1212121")
    assert second["moves"] == "443" or not second["has_move_order"]
    assert first["first"] == ("ann" if form in ("csv", "jsonl", "kaggle") else "")


@pytest.mark.parametrize("form", FORMATS)
def test_a_single_game_is_reported_as_among_others(form: str) -> None:
    lost = GameRecord((3, 3), first="ann", second="bob", fault="crash", fault_seat=1, label="draw")
    name = f"games{FORMATS[form].endings[0]}"
    (alone,) = of(write_text([lost], form), name)["games"]
    assert of(write_text([lost, lost], form), name)["games"] == [alone, alone]
    if form in ("csv", "jsonl", "kaggle"):
        assert (alone["first"], alone["second"]) == ("ann", "bob")
        assert (alone["result"], alone["fault"]) == ("first", "crash")


def test_boards_are_from_the_file_or_the_request() -> None:
    small = Geometry(5, 4, 3)
    (game,) = of(write_text([GameRecord((4,), small)], "kaggle"))["games"]
    assert (game["board"], game["connect"], game["moves"]) == ("5x4", 3, "5")
    (game,) = of("5", "a.txt", small)["games"]
    assert (game["board"], game["connect"]) == ("5x4", 3)
    analyzed = {"moves": "5", "columns": 5, "rows": 4, "connect": 3, "score": 1}
    for before in ("", " \r\n", "\ufeff"):
        (game,) = of(before + json.dumps(analyzed, indent=2), "game.json")["games"]
        assert (game["board"], game["moves"]) == ("5x4", "5")
    (game,) = of('{"moves": "5", "columns": 5}')["games"]  # it says too little of its board
    assert (game["board"], game["moves"]) == ("7x6", "5")
    replay = {"moves": "1", **json.loads(write_text([GameRecord((4,), small)], "kaggle"))}
    (game,) = of(json.dumps(replay))["games"]
    assert (game["board"], game["moves"]) == ("5x4", "5")


def test_unreadable_games_are_counted_and_the_first_is_named() -> None:
    output = of("44\n4x\n1111111\n12\n")
    assert [game["moves"] for game in output["games"]] == ["44", "12"]
    assert output["unreadable"] == 2
    assert output["first_error"].startswith("line 2: move 2: 'x' is not a column")
    output = of("1\n" * (MAX_GAMES + 1))
    assert output["truncated"] and len(output["games"]) == MAX_GAMES
    assert not of("1\n" * MAX_GAMES)["truncated"]
    output = of("x\n" + "1\n" * MAX_GAMES)  # what cannot be read is looked at too
    assert output["truncated"] and len(output["games"]) == MAX_GAMES - 1


def test_games_before_a_break_in_a_file_are_reported() -> None:
    document = write_text([GameRecord((4,), Geometry(5, 4, 3))] * 2, "openspiel")
    cut = document.rpartition("[")[0]
    output = of(cut)
    assert [game["moves"] for game in output["games"]] == ["5"]
    assert (
        output["unreadable"] == 1
        and "the document that starts here has no [" in output["first_error"]
    )
    output = of(document.replace("\n4\n", "\n9\n", 1) + cut)
    assert [game["moves"] for game in output["games"]] == ["5", "5"]
    assert output["unreadable"] == 2 and "'9' is not an action" in output["first_error"]


def test_a_text_may_speak_of_files_of_tournaments() -> None:
    (game,) = of("44 # from an SQLite format 3 file\n")["games"]
    assert game["moves"] == "44"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the file contains no games"),
        ("44x", "line 1: move 3: 'x' is not a column: choose from 1 to 7"),
        ("SQLite format 3\0\2", "claimeven convert FILE -o games.csv"),
        ("[" * 100_000, "line 1: not a board: its lists are nested too deep"),
        ('{"steps": ' + "1" * 5000 + "}", "line 1: not a replay"),
        ('{"moves": "44", "columns": 99, "rows": 1, "connect": 4}', "columns must be 1 to 16"),
        ("x,o", "line 1: it has 2 cells"),
    ],
)
def test_files_without_games_are_refused_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$") as refused:
        of(text)
    assert sentence in str(refused.value)


def test_a_long_line_of_spaces_is_read_quickly() -> None:
    with pytest.raises(InvalidRecord, match="is not a column"):
        of(" " * 1_000_000 + "x")


def test_a_file_may_be_so_long_and_other_bodies_may_not(server: Server) -> None:
    line = "4455\n"
    long = line * (MAX_RECORDS // len(line))
    assert server.post("/api/records", {"text": long}).json["truncated"]
    answer = server.post("/api/records", {"text": long + line})
    assert answer.status == 422
    assert "at most 2000000 characters" in answer.json["error"]
    answer = server.post("/api/records", {"text": long * 3})
    assert (answer.status, answer.json["error"][:18]) == (413, "the body must be a")
    assert server.post("/api/move", {"moves": long}).status == 413
    assert server.post("/api/records", {"text": "\n\n4x"}).error.startswith("line 3: move 2: ")
    small = {"text": "5", "board": "5x4", "connect": 3, "name": "a.txt"}
    (game,) = server.post("/api/records", small).json["games"]
    assert (game["board"], game["connect"]) == ("5x4", 3)
    assert server.post("/api/records", {**small, "name": "a.csv"}).status == 422
    for wrong in ({"name": "a"}, {"text": "4", "board": "99x1"}, {"text": "4", "other": 1}):
        assert server.post("/api/records", wrong).status == 422
