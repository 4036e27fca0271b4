"""Records of games: every format written and read, formats distinguished, corrupt files refused."""

from __future__ import annotations

import io
import json
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimeven import Geometry, Position
from claimeven.errors import ClaimevenError
from claimeven.records import (
    FORMATS,
    GameRecord,
    InvalidRecord,
    format_of,
    guess_by_lines,
    guess_format,
    read_records,
    tried_records,
    write_text,
)
from claimeven.records.replays import replay_of
from tests.positions import BOARDS, boards

#: Games of each format that go there and back.
GAMES = 2_000
#: Replays hold a board a step: fewer of them.
REPLAYS = 300


#: Formats with the order of the moves, and those that need to be named.
IN_ORDER = [name for name in FORMATS if name not in ("uci", "board")]
NAMED = ("moves0", "turns")


def some_game(rng: random.Random, geometry: Geometry) -> GameRecord:
    """The start of a game of random moves, perhaps lost by a fault."""
    position, columns = Position(geometry), []
    for _ in range(rng.randint(0, geometry.cells)):
        if position.is_over:
            break
        columns.append(rng.choice(position.legal_columns))
        position = position.play(columns[-1])
    first, second = rng.choice([("ann", "bob, the second"), ("", ""), ('"x"', "Zoë")])
    record = GameRecord(tuple(columns), geometry, first, second)
    if not position.is_over and rng.random() < 0.3:
        fault = rng.choice(["illegal", "crash", "time"])
        record = replace(record, fault=fault, fault_seat=rng.randrange(2))
    return record


@pytest.fixture(scope="module")
def games() -> list[GameRecord]:
    rng = random.Random(7)
    small = [board for board in BOARDS if board.cells <= 42]
    return [some_game(rng, small[number % len(small)]) for number in range(GAMES)]


def kept(record: GameRecord, name: str) -> GameRecord:
    """The parts of a record that a format can store."""
    if name in ("csv", "jsonl"):
        return record
    bare = GameRecord(record.columns, record.geometry)
    if name == "kaggle":
        return replace(bare, first=record.first, second=record.second, fault=record.fault,
                       fault_seat=record.fault_seat)  # fmt: skip
    return bare


@pytest.mark.parametrize("name", IN_ORDER)
def test_games_go_there_and_back(games: list[GameRecord], name: str) -> None:
    chosen = games[:REPLAYS] if name == "kaggle" else games
    for board in {record.geometry for record in chosen}:
        mine = [record for record in chosen if record.geometry == board]
        text = write_text(mine, name)
        back = list(read_records(text, name, board))
        assert back == [kept(record, name) for record in mine]
        assert guess_format("-", text).name == name or name in NAMED


def test_positions_go_there_and_back(games: list[GameRecord]) -> None:
    rng = random.Random(3)
    output = [
        replace(kept(each, "uci"), label=rng.choice(["win", "draw", "loss"])) for each in games
    ]
    for board in {record.geometry for record in output}:
        mine = [record for record in output if record.geometry == board]
        text = write_text(mine, "uci")
        back = list(read_records(text, "uci", board))
        assert [record.position for record in back] == [record.position for record in mine]
        assert not any(record.is_ordered for record in back)
        assert write_text(back, "uci") == text
    words = {0: "win", 1: "loss", None: "draw"}
    over = [record for record in output if record.position.is_over]
    assert [line.rpartition(",")[2] for line in write_text(over, "uci").splitlines()] == [
        words[record.winner] for record in over
    ]


@given(boards, st.randoms(use_true_random=False), st.sampled_from(sorted(FORMATS)))
def test_any_board_goes_there_and_back(board: Geometry, rng: random.Random, name: str) -> None:
    columns = some_game(rng, board).columns[: 60 if name == "uci" else None]
    record = GameRecord(columns, board, label="draw" if name == "uci" else None)
    (back,) = read_records(write_text([record], name), name, board)
    assert (back.position, back.geometry) == (record.position, board)
    assert name not in IN_ORDER or back.columns == columns


@pytest.mark.parametrize(
    ("line", "moves"),
    [
        ("4455 18", "4455"), ("4455 -3", "4455"), ("44 55 3", "4455"), ("4 12", "4"),
        ("4 4 5 5", "4455"), ("4 5", "45"), ("d d e", "445"), ("4 -1", "4"),
        ("4455 667", "4455667"),
        ("44 55", "4455"), ("44 21", "44"), ("44 22", "4422"), ("44 -21", "44"),
        (" 1", ""), (" -2  ", ""), ("  1", "1"), ("1", "1"), (" 22", "22"), (" 4455", "4455"),
    ],
)  # fmt: skip
def test_a_score_after_moves_is_distinguished_from_a_move(line: str, moves: str) -> None:
    (game,) = read_records(line + "\n", "moves")
    assert game.moves == moves


def test_which_score_can_be_depends_on_the_board() -> None:
    """It is at most half the cells: 36 of 72, 8 of 16."""
    for line, board, moves in (
        ("44 36", Geometry(9, 8), "44"),
        ("44 37", Geometry(9, 8), "4437"),
        ("44 8", Geometry(4, 4), "44"),
    ):
        assert [game.moves for game in read_records(line, "moves", board)] == [moves]
    with pytest.raises(InvalidRecord, match="move 3: '9' is not a column"):
        list(read_records("44 9", "moves", Geometry(4, 4)))


@pytest.mark.parametrize("name", IN_ORDER)
def test_games_without_a_move_are_games(name: str) -> None:
    """As those are that a player loses by a fault before it has moved."""
    for columns in (((), (3, 3)), ((3, 2), (), ()), ((),)):
        games = [GameRecord(each) for each in columns]
        text = write_text(games, name)
        assert [game.columns for game in read_records(text, name)] == list(columns)
        assert guess_format("-", text).name == name or name in NAMED


def test_openings_stay_in_our_tables() -> None:
    record = GameRecord((3, 3, 2, 4), opening=2)
    for name in ("csv", "jsonl"):
        (back,) = read_records(write_text([record], name), name)
        assert (back.opening_moves, back.moves) == ("44", "4435")
        whole = replace(record, opening=4)
        assert list(read_records(write_text([whole], name), name)) == [whole]


def test_a_fault_counts_only_in_undecided_games() -> None:
    text = "moves,result,fault,reason\n1212121,first,crash,late\n44,second,crash,no\n44,,crash,no\n"
    over, lost, still_open = read_records(text, "csv")
    assert (over.fault, over.fault_seat, over.reason, over.result) == (None, None, None, "first")
    assert (lost.fault, lost.fault_seat, lost.reason, lost.result) == ("crash", 0, "no", "second")
    assert (still_open.fault, still_open.result) == (None, "unfinished")


def test_spaces_around_the_cells_of_a_table_do_not_count() -> None:
    (game,) = read_records("moves , first, result\n44 , ann , unfinished\n", "csv")
    assert (game.moves, game.first, game.result) == ("44", "ann", "unfinished")


def test_comments_and_irrelevant_settings_of_histories_are_ignored() -> None:
    output = "connect_four(rows=5,egocentric_obs_tensor=False)"
    text = f"# by hand\n[Game]\n{output}  # a board\n[State]\n3  # the middle\n"
    (game,) = read_records(text, "openspiel")
    assert (game.columns, game.geometry) == ((3,), Geometry(7, 5))
    assert [game.moves for game in read_records("3, 3  # two\n# none\n", "openspiel")] == ["44"]


def test_a_row_of_cells_ends_with_the_value_of_the_position() -> None:
    with pytest.raises(InvalidRecord, match=r"of 44 is unknown, and .*: win, draw, loss"):
        write_text([GameRecord((3, 3))], "uci")
    row = ",".join(["b"] * 42)
    (game,) = read_records(row, "uci")
    assert (game.columns, game.label) == ((), None)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("moves", "44\n48\n", "line 2: move 2: '8' is not a column: choose from 1 to 7"),
        ("moves", "44 x\n", "line 1: move 3: 'x' is not a column"),
        ("openspiel", "3, 3\n3, 7\n", "line 2: move 2: '7' is not an action: choose from 0 to 6"),
        ("openspiel", "3, -1\n", "line 1: move 2: '-1' is not an action"),
        ("openspiel", "3,,3\n", "line 1: move 2: '' is not an action"),
        ("openspiel", "0,1,0,1,0,1,0,1\n", "line 1: move 8: column 2 .* the game is over"),
        ("openspiel", "[Game]\ntic_tac_toe()\n[State]\n0\n", "'tic_tac_toe.*' is not a game of"),
        ("openspiel", "[Game]\nconnect_four(rows=x)\n[State]\n", "rows must be a number, got 'x'"),
        ("openspiel", "[Game]\nconnect_four(rows=99)\n[State]\n", "rows"),
        (
            "openspiel",
            "[Game]\nconnect_four(colums=6)\n[State]\n",
            r"line 1: there is no parameter of connect_four 'colums' \(did you mean columns\?\)",
        ),
        ("openspiel", "[Meta]\nGame]\n[State]\n1\n", r"line 3: expected \[Game\], got \[State\]"),
        ("openspiel", "\n[Game]\n[State]\n1\n", r"line 3: \[Game\] names no game"),
        ("openspiel", "\n[Game]\nconnect_four()\n", r"line 2: .* starts here has no \[State\]"),
        (
            "openspiel",
            "[Game]\nconnect_four()\n[Game]\nconnect_four()\n[State]\n",
            r"line 3: expected \[State\], got \[Game\]",
        ),
        (
            "openspiel",
            "[Game]\nconnect_four()\n[Stae]\n1\n",
            r"line 3: there is no section of a document '\[Stae\]' \(did you mean \[State\]\?\)",
        ),
        ("uci", "b,b\n", "line 1: it has 2 cells, and 7x6 connect 4 has 42"),
        ("uci", ",".join(["b"] * 41 + ["y", "win"]), "line 1: a cell holds 'y'"),
        ("uci", ",".join(["b", "x"] + ["b"] * 40 + ["win"]), "line 1: a disc floats"),
        ("uci", ",".join(["x"] + ["b"] * 41 + ["won"]), r"no label 'won' \(did you mean win\?\)"),
        ("kaggle", '{"steps": []}', "line 1: not a replay: it has no steps"),
        ("kaggle", '{"pos": "4455"}', "line 1: it is an object without moves, a board or steps"),
        ("kaggle", '{"name": "chess", "steps": [1]}', "is a replay of 'chess', not of 'connectx'"),
        ("kaggle", '\n{"steps":\n [,]}', "line 3: not JSON: "),
        ("kaggle", "[" * 100_000, "line 1: "),
        ("kaggle", "7", "line 1: a replay must be a JSON object, got '7'"),
        (
            "csv",
            "moves,mine,mask\n44,1,3\n",
            "line 2: its mine and mask are not of 7x6 connect 4: ",
        ),
        ("csv", "first\na\n", "line 1: a table of games must have a column named moves"),
        (
            "csv",
            "first;moves\na;44\n",
            "line 1: its cells are parted otherwise",
        ),
        (
            "csv",
            'moves,reason\n44,\n45,"x\n46,\n',
            "line 3: a quote that starts there does",
        ),
        ("jsonl", "{}\n", "line 1: expected a JSON object with moves"),
    ],
)
def test_errors_are_named(name: str, text: str, said: str) -> None:
    with pytest.raises(InvalidRecord, match=said):
        list(read_records(text, name))


_REPLAY = write_text([GameRecord((3, 3))], "kaggle")


@pytest.mark.parametrize(
    ("name", "text", "output"),
    [
        (
            "csv",
            f"moves,first\n44,a\n55\n4,{'x' * 200_000}\n\n4,{'x' * 200_000}\n33,b\n1",
            [
                "44",
                "line 3: it has",
                "line 4: field larger",
                "line 6: field",
                "33",
                "line 8: it has",
            ],
        ),
        ("jsonl", '{"moves": "44"}\n{"moves\n{"moves": "33"}\n', ["44", "line 2: expected", "33"]),
        (
            "kaggle",
            f"{_REPLAY}{_REPLAY[:50]}\n\n{_REPLAY}{'[' * 100_000}\n7",
            [
                "44",
                "line 2: not JSON: Unt",
                "44",
                "line 5: not a replay",
                "line 6: a replay",
            ],
        ),
    ],
)
def test_games_after_a_damaged_one_are_read(name: str, text: str, output: list[str]) -> None:
    found = list(tried_records(io.StringIO(text), name))
    for tried, expected in zip(found, output, strict=True):
        said = f"line {tried.line}: {tried.error}" if tried.record is None else tried.record.moves
        assert said.startswith(expected)


def test_replays_of_several_layouts_may_follow_each_other() -> None:
    pretty = json.dumps(json.loads(_REPLAY), indent=1)
    found = list(tried_records(io.StringIO(f"{_REPLAY}{pretty}\n"), "kaggle"))
    assert [tried.game().moves for tried in found] == ["44", "44"]
    several = f"{pretty}\n{pretty}\n".splitlines(keepends=True)
    cut = several[: len(several) // 2 - 30]
    for lines, wrong in ((cut, len(cut)), (several, len(several) // 2 + 1)):
        with pytest.raises(InvalidRecord, match=rf"^line {wrong}: not JSON: "):
            list(tried_records(lines, "kaggle"))
    spread = [line for each in several[:20] for line in (each, "\n")]
    with pytest.raises(InvalidRecord, match=r"^line 39: "):
        list(tried_records(spread, "kaggle"))
    first_cut = list(tried_records(io.StringIO(f"{_REPLAY[:60]}\n{_REPLAY}\n"), "kaggle"))
    assert [tried.line for tried in first_cut] == [1, 2]
    assert first_cut[0].error.startswith("not JSON") and first_cut[1].game().moves == "44"


def test_a_replay_has_a_fault_of_the_player_not_to_move() -> None:
    output = replay_of(GameRecord((3, 3), fault="time", fault_seat=1))
    assert (output["statuses"], output["rewards"]) == (["DONE", "TIMEOUT"], [0, None])
    # Of two faults in one step the fault of the player to move ended the game.
    output["steps"][-1][0]["status"] = "ERROR"
    (back,) = read_records(json.dumps(output), "kaggle")
    assert (back.fault, back.fault_seat) == ("crash", 0)


def test_a_replay_is_laid_out_as_the_environment_does() -> None:
    output = replay_of(GameRecord((3, 2), fault="stall", fault_seat=0))
    assert (output["statuses"], output["rewards"]) == (["TIMEOUT", "DONE"], [None, 0])
    for number, step in enumerate(output["steps"]):
        first, second = (player["observation"] for player in step)
        assert (first["mark"], second["mark"], first["step"]) == (1, 2, number)
        assert "board" not in second and sum(map(bool, first["board"])) == min(number, 2)
    asked = [[player["status"] for player in step] for step in output["steps"][:-1]]
    assert asked == [["ACTIVE", "INACTIVE"], ["INACTIVE", "ACTIVE"], ["ACTIVE", "INACTIVE"]]
    assert [[p["action"] for p in step] for step in output["steps"]] == [
        [0, 0], [3, 0], [0, 2], [None, 0]
    ]  # fmt: skip


def test_a_replay_needs_no_rewards_or_names() -> None:
    won = GameRecord((3, 3, 4, 4, 5, 5, 6))
    output = replay_of(won)
    del output["rewards"]
    assert list(read_records(json.dumps(output), "kaggle")) == [won]
    for names, expected in (
        ([None, "bob"], ("", "bob")),
        (["ann", None], ("ann", "")),
        (["ann"], ("", "")),
        (["ann", "bob", "carl"], ("", "")),
        ("ab", ("", "")),
    ):
        output["info"] = {"TeamNames": names}
        (game,) = read_records(json.dumps(output), "kaggle")
        assert (game.first, game.second) == expected


def test_a_corrupt_replay_is_refused_for_any_change() -> None:
    whole = replay_of(GameRecord((3, 3, 4, 4, 5, 5, 6)))
    steps = whole["steps"]
    for change, said in (
        (lambda r: r["steps"][3][0].update(action=6), "step 3: its board is not the one"),
        (lambda r: r["steps"][3][0].update(action="3"), "step 3: '3' is not a column"),
        (lambda r: r["steps"][3][0].update(action=True), "step 3: 'True' is not a column"),
        (lambda r: r["steps"][3][0].update(action=7), "step 3: column 7 .counted from 0. is not"),
        (lambda r: r["steps"].pop(2), "step 2: its board is not the one"),
        (
            lambda r: [s[0]["observation"].pop("board") for s in r["steps"]] and r["steps"].pop(2),
            "step 3: the player whose turn it is was not asked",
        ),
        (lambda r: r["steps"][5].pop(), "step 5: it has not the parts of two players"),
        (lambda r: r["steps"].append(r["steps"][-1]), "step 8: the player"),
        (lambda r: r["configuration"].update(rows=None), "rows must be a whole number, got 'None'"),
        (lambda r: r["configuration"].update(rows=900), "900"),
        (lambda r: r["configuration"].update(rows=5), "step 0: its board"),
        (lambda r: r.update(configuration=3), "a configuration must be a JSON object"),
        (lambda r: r["steps"].insert(1, None), "step 1: it has not the parts"),
        (lambda r: r["steps"][0][0]["observation"]["board"].__setitem__(3, 1), "step 0: its board"),
        (lambda r: r["steps"].pop(), "it came to an end, but by its moves it is open"),
        (lambda r: r["rewards"].clear(), r"its rewards must be two numbers, got \[\]"),
        (lambda r: r["rewards"].append(0), "must be two numbers"),
        (lambda r: r["rewards"].__setitem__(0, None), r"rewards must be two numbers, got \[None"),
        (lambda r: r["steps"].__setitem__(0, None), "step 0: it has not the parts of two"),
        (lambda r: r["rewards"].reverse(), r"its rewards are \[-1, 1\], but .* it is first"),
    ):
        corrupt = json.loads(json.dumps(whole))
        change(corrupt)
        with pytest.raises(InvalidRecord, match=f"line 1: .*{said}"):
            list(read_records(json.dumps(corrupt), "kaggle"))
    assert whole["steps"] is steps
    text = json.dumps(whole)
    for end in range(1, len(text), 97):
        with pytest.raises(InvalidRecord, match="line 1: "):
            list(read_records(text[:end], "kaggle"))


def test_no_game_of_a_damaged_document_of_openspiel_is_left_out_unsaid() -> None:
    games = [GameRecord(columns, Geometry(6, 5, 3)) for columns in ((3, 3, 2), (), (0, 5))]
    lines = write_text(games, "openspiel").splitlines(keepends=True)
    for gone, line in enumerate(lines):
        rest = lines[:gone] + lines[gone + 1 :]
        if line.startswith(("[", "connect_four")):
            with pytest.raises(InvalidRecord, match=r"^line [1-9]"):
                list(read_records(rest, "openspiel"))
        else:
            assert len(list(read_records(rest, "openspiel"))) == len(games)


def test_names_of_replays_are_made_fit_to_be_printed() -> None:
    output = json.loads(_REPLAY)
    output["info"] = {"TeamNames": ["\U0001f469\u200d\U0001f4bb\u00a0coders\u200f\n", "x" * 300]}
    (game,) = read_records(json.dumps(output), "kaggle")
    assert (game.first, game.second) == ("\U0001f469\U0001f4bb coders", "x" * 200)
    output["info"] = {"TeamNames": ["x" * 199 + " and others", ""]}
    (game,) = read_records(json.dumps(output), "kaggle")
    assert game.first == "x" * 199


def test_texts_in_another_encoding_are_reported() -> None:
    for encoding in ("utf-16-le", "utf-16-be"):
        text = "\ufeff4455\n".encode(encoding).decode(errors="surrogateescape")
        with pytest.raises(InvalidRecord, match="line 1: its text is in UTF-16: save it as UTF-8"):
            guess_by_lines("games.txt", [text])
        with pytest.raises(InvalidRecord, match="UTF-16"):  # without a byte order mark
            guess_by_lines("games.csv", ["moves,first\n".encode(encoding).decode()])
        # A mark and hardly a character of one byte.
        text = "\ufeff\u68cb\u8c31\u96c6\n".encode(encoding).decode(errors="surrogateescape")
        with pytest.raises(InvalidRecord, match="UTF-16"):
            guess_by_lines("games.txt", [text])


@pytest.mark.parametrize("text", ["b\n", "x\n", "draw\n", "4455\n"])
def test_a_single_word_is_a_move_string_not_a_row_of_cells(text: str) -> None:
    """The columns of wide boards are letters."""
    assert guess_format("-", beginning=text).name == "moves"


def test_no_more_lines_are_read_to_guess_than_it_takes() -> None:
    lines = iter(["\n", "4455\n", "44\n", "1\n"])
    form, every = guess_by_lines("-", lines)
    assert (form.name, next(lines)) == ("moves", "44\n")
    assert list(every) == ["\n", "4455\n", "1\n"]


def test_a_single_name_is_stored_in_a_replay() -> None:
    for first, second in (("ann", ""), ("", "bob")):
        game = GameRecord((3, 3), first=first, second=second)
        assert list(read_records(write_text([game], "kaggle"), "kaggle")) == [game]


def test_a_document_is_read_up_to_the_most(monkeypatch: pytest.MonkeyPatch) -> None:
    pretty = json.dumps(json.loads(_REPLAY), indent=1)
    size = sum(map(len, pretty.splitlines()))
    monkeypatch.setattr("claimeven.records.documents._MAX_CHARACTERS", size)
    assert list(read_records(pretty, "kaggle")) == [GameRecord((3, 3))]
    monkeypatch.setattr("claimeven.records.documents._MAX_CHARACTERS", size - 1)
    with pytest.raises(InvalidRecord, match="line 1: the document is longer than 64 MB"):
        list(read_records(pretty, "kaggle"))


def test_replays_may_lie_in_any_layout() -> None:
    games = [GameRecord((3, 3, 4)), GameRecord((0, 1, 0))]
    replays = [json.loads(line) for line in write_text(games, "kaggle").splitlines()]
    for text in (json.dumps(replays), json.dumps(replays, indent=2), f"\n\n{json.dumps(replays)}"):
        assert list(read_records(text, "kaggle")) == games
    bare = {"steps": replays[0]["steps"]}
    assert list(read_records(json.dumps(bare, indent=1), "kaggle")) == games[:1]


@given(st.text(max_size=200), st.sampled_from(sorted(FORMATS)))
def test_no_text_breaks_a_reader(text: str, name: str) -> None:
    try:
        for tried in tried_records(text.splitlines(keepends=True), name):
            assert (tried.record is None) == bool(tried.error)
    except InvalidRecord as error:
        assert error.line is not None
        assert str(error) == f"line {error.line}: {error.reason}"


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [
        ("a.json", "4455\n", "kaggle"),
        ("a.jsonl", '{"steps": []}\n', "kaggle"),
        ("a.jsonl", '{"moves": "4"}\n', "jsonl"),
        ("a.CSV", "", "csv"),
        ("a.data", "", "uci"),
        ("a.txt", "3, 3\n", "openspiel"),
        ("-", "\n \n[3, 3]\n", "openspiel"),
        ("-", "# Automatically generated by OpenSpiel SerializeGameAndState\n", "openspiel"),
        ("-", "{\n", "kaggle"),
        ("-", "[{\n", "kaggle"),
        ("-", "[\n", "kaggle"),
        ("-", "\ufeffmoves,first\n", "csv"),
        ("-", "first,moves\n", "csv"),
        ("-", "b,x,o\n", "uci"),
        ("-", "4455 3\n", "moves"),
        ("-", "", "moves"),
    ],
)
def test_formats_are_distinguished(name: str, text: str, form: str) -> None:
    assert guess_format(name, text).name == form


def test_formats_have_names() -> None:
    with pytest.raises(InvalidRecord, match=r"no format 'kagle' \(did you mean kaggle\?\)"):
        format_of("kagle")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"first": "a\nb"}, "is no name of a player"),
        ({"opening": 4}, "an opening of 4 moves is longer"),
        ({"label": "won"}, "no label 'won'"),
        ({"fault": "crash"}, "one of two players"),
        ({"fault": "crash", "fault_seat": 2}, "one of two players"),
        ({"columns": (0, 1) * 3 + (0,), "fault": "time", "fault_seat": 0}, "decide is not lost"),
        ({"fault": "\ud800", "fault_seat": 0}, "is no word for a fault"),
        ({"fault": "time\n", "fault_seat": 0}, "is no word for a fault"),
        ({"fault": "time", "fault_seat": 0, "reason": "\ud800"}, "why a game was lost"),
        ({"fault": 7, "fault_seat": 0}, "7 is no word for a fault"),
        ({"fault": "time", "fault_seat": 0, "reason": 7}, "7 is no sentence that says why"),
        ({"label": 7}, "no label '7'"),
        ({"fault": "time", "fault_seat": 0, "reason": "a\rb"}, "why a game was lost"),
        ({"fault": "time", "fault_seat": 0, "reason": "a\0b"}, "why a game was lost"),
        ({"fault": "time", "fault_seat": 0, "reason": "x" * 10_001}, "why a game was lost"),
        ({"fault": "time", "fault_seat": -1}, "one of two players"),
        ({"opening": -1}, "an opening of -1 moves"),
        ({"columns": (0,) * 7}, "move 7: column 1 is full"),
    ],
)
def test_games_that_cannot_be_are_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ClaimevenError, match=said):
        GameRecord(**{"columns": (3, 3), **arguments})


def test_a_record_of_maximum_size() -> None:
    record = GameRecord(
        (3, 3), first="x" * 200, opening=2, fault="time", fault_seat=1, reason="x" * 10_000
    )
    assert (record.opening_moves, record.result) == ("44", "first")
