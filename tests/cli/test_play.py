"""Games on the terminal, typed on stdin and on a pseudo terminal."""

from __future__ import annotations

import json
import os
import signal
import sys

import pytest

from tests import forks, naive
from tests.cli.conftest import Bot, Run, command, environment, started

AGAINST = ("play", "--second", "alphabeta:depth=2")


def test_a_game_of_two_people_to_its_end(run: Run) -> None:
    result = run("play", "--second", "human", typed="1\n2\n1\n2\n1\n2\n1\n")
    assert (result.status, result.err) == (0, "")
    assert result.out.splitlines()[-1] == "Yellow wins, moves 1212121"
    assert "--seed" not in result.out  # no board was drawn


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("x", "'x' is not a column: choose from 1 to 7, or type help."),
        ("0", "'0' is not a column: choose from 1 to 7, or type help."),
        ("8", "'8' is not a column: choose from 1 to 7, or type help."),
        ("-1", "'-1' is not a column: choose from 1 to 7, or type help."),
        ("3.5", "'3.5' is not a column: choose from 1 to 7, or type help."),
        ("hnt", "'hnt' is not a column: choose from 1 to 7, or type help (did you mean hint?)."),
        ("u", "there is no move to take back."),
        ("undo", "there is no move to take back."),
        ("r", "there is no move to play again."),
    ],
)
def test_a_bad_column_asks_again(run: Run, typed: str, sentence: str) -> None:
    result = run(*AGAINST, typed=f"{typed}\nq\n")
    assert result.status == 0
    assert sentence in result.out.splitlines()
    assert result.out.count("column 1 to 7, or help: ") == 2


def test_a_full_column_asks_again(run: Run) -> None:
    result = run("play", "--second", "human", "--position", "444444", typed="4\n\n1\nq\n")
    assert "column 4 is full." in result.out.splitlines()
    assert result.out.splitlines()[-1] == "unfinished game: moves 4444441"
    assert result.out.count("Yellow (●) to move") == 1  # no board after the refusal


def test_undo_and_redo_go_back_to_the_turn_of_the_person(run: Run) -> None:
    result = run(*AGAINST, "--json", typed="4\nu\nu\nr\n4\nu\nu\n3\nq\n")
    output = json.loads(result.out)
    assert output["moves"].startswith("3")
    assert len(output["moves"]) == 2
    assert "there is no move to take back." in result.err.splitlines()
    redone = json.loads(run(*AGAINST, "--json", typed="4\n1\nu\nu\nr\nr\nq\n").out)
    straight = json.loads(run(*AGAINST, "--json", typed="4\n1\nq\n").out)
    assert redone["moves"] == straight["moves"]
    assert len(straight["moves"]) == 4


def test_the_second_player_takes_back_their_move(run: Run) -> None:
    arguments = ("play", "--first", "greedy", "--second", "human", "--json")
    output = json.loads(run(*arguments, typed="4\nu\nu\n5\nq\n").out)
    assert output["moves"][:2] == "15"
    assert len(output["moves"]) == 3
    first = ("play", "--first", "random", "--second", "human", "--seed", "3", "--json")
    result = run(*first, typed="undo\n" * 5 + "q\n")
    assert json.loads(result.out)["moves"] == json.loads(run(*first, typed="q\n").out)["moves"]
    assert result.err.splitlines().count("there is no move to take back.") == 5
    assert result.err.count(" to move\n") == 2  # and nothing has moved meanwhile


def test_the_move_that_ended_a_game_can_be_played_again(run: Run, bot: Bot) -> None:
    result = run("play", "--second", bot("return 1"), typed="1\n1\n1\n1\n\nundo\nredo\nq\n")
    lines = result.out.splitlines()
    assert lines.count("Yellow wins, moves 1212121") == 2
    assert not any("there is no move" in line or "the game is over" in line for line in lines)


@pytest.mark.parametrize("typed", ["?\nH\nQ\n", "help\nhint\nquit\n", "HELP\n Hint \nexit\n"])
def test_help_hint_and_quit(run: Run, typed: str) -> None:
    result = run(*AGAINST, "--hint", "greedy:win=yes", "--position", "112233", typed=typed)
    assert result.status == 0
    assert "  undo, u    take your last move back" in result.out.splitlines()
    assert "  greedy:win=yes would play column 4" in result.out.splitlines()
    assert result.out.splitlines()[-1] == "unfinished game: moves 112233"


def test_a_letter_that_is_a_column_is_no_word(run: Run) -> None:
    """On 16 columns h is the 8th column and n the 14th: the words still are there."""
    board = ("--columns", "16", "--rows", "4")
    words = "h\nn\nhint\nnew\nq\n"
    result = run("play", "--second", "human", "--hint", "greedy", *board, typed=words)
    assert result.status == 0
    lines = result.out.splitlines()
    assert "unfinished game: moves hn" in lines
    assert any("greedy would play column" in line for line in lines)
    letters = run("play", "--second", "human", *board, typed="help\nq\n").out.splitlines()
    assert "  hint       the best column" in letters
    assert "  undo, u    take your last move back" in letters


@pytest.mark.parametrize("moves", ["1122", "112", "12", "134", "1223", "2444", "22232"])
def test_a_hint_reports_the_result_of_each_column(run: Run, moves: str) -> None:
    """On 4x4 connect 3, with the same result by plain minimax."""
    board = ("--columns", "4", "--rows", "4", "--connect", "3")
    result = run("play", "--second", "human", "--position", moves, *board, typed="hint\nq\n")
    output = " ".join(result.out.split())
    game = naive.from_columns([int(move) - 1 for move in moves], 4, 4, 3)
    worth = {column: -naive.score(game.copy().play(column)) for column in game.legal()}
    best = max(worth.values())
    for column, score in worth.items():
        verdict = "draws"
        if score:
            before = game.ply() + (score < 0)  # discs when the winner moves for the first time
            count = next(m for m in range(1, 9) if (17 - before - 2 * (m - 1)) // 2 == abs(score))
            verdict = f"in {count} move{'s' * (count > 1)}"
            verdict = f"{'wins' if score > 0 else 'loses'} {verdict}"
        message = f"{column + 1} {verdict}"
        if best < 0 and message not in output:
            message = f"every column loses; column {column + 1} loses latest: {verdict[6:]}"
            assert score == best
        assert message in output
    assert output.count(" wins in ") == sum(score > 0 for score in worth.values())
    assert output.count(" draws") == sum(score == 0 for score in worth.values())


def test_a_hint_is_reproducible_and_has_no_effect(run: Run) -> None:
    game = ("play", "--second", "random", "--hint", "random", "--seed", "4", "--json")
    result = run(*game, typed="h\n" * 6 + "4\n" + "h\n" * 6 + "3\n2\nq\n")
    hints = [line for line in result.err.splitlines() if "random would play" in line]
    assert [len(hints), len(set(hints[:6])), len(set(hints[6:]))] == [12, 1, 1]
    assert result.out == run(*game, typed="4\n3\n2\nq\n").out


def test_a_hint_fits_a_narrow_terminal_and_is_not_limited_as_the_game(
    run: Run, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    spec = bot("return Decision(3, value=0.25 if limit.depth is None else 0.5)", reset="pass")
    result = run("play", "--second", "human", "--depth", "3", "--hint", spec, typed="h\nq\n")
    assert "at +0.25 (-1 lost, +1 won)" in " ".join(result.out.split())
    output = run(
        "play", "--second", "human", "--position", "44444", typed="h\nq\n"
    ).out.splitlines()
    assert max(map(len, output)) <= 40
    assert sum(len(line) > 34 for line in output) > 2


def test_a_hint_that_fails_is_no_end(run: Run, bot: Bot) -> None:
    spec = bot("raise ValueError('no idea')")
    result = run("play", "--second", "human", "--hint", spec, typed="h\n4\nq\n")
    assert result.status == 0
    assert f"{spec} raised ValueError: no idea." in " ".join(result.out.split())
    assert result.out.splitlines()[-1] == "unfinished game: moves 4"


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (None, "would play column 4 the time was too short to solve all columns"),
        (10**9, "1000000000 is not a score of a position with 0 of 42 discs."),
    ],
)
def test_a_hint_of_scores_that_cannot_be_is_no_end(
    run: Run, bot: Bot, score: int | None, message: str
) -> None:
    details = f"{{'values': [{score}] * 7, 'values_are': 'score'}}"
    spec = bot(f"return Decision(3, score=1, details={details})", reset="pass")
    result = run("play", "--second", "human", "--hint", spec, typed="h\n4\nq\n")
    assert (result.status, result.err) == (0, "")
    assert message in " ".join(result.out.split())
    assert result.out.splitlines()[-1] == "unfinished game: moves 4"


@pytest.mark.parametrize("typed", ["", "4\n", "4"])
def test_the_end_of_the_input_ends_the_game(run: Run, typed: str) -> None:
    result = run("play", "--second", "human", typed=typed)
    assert (result.status, result.err) == (0, "")
    assert (
        ("unfinished game: moves 4" in result.out)
        == ("unfinished game" in result.out)
        == bool(typed)
    )


def test_the_last_move_is_marked(run: Run) -> None:
    result = run("play", "--second", "human", typed="4\nq\n")
    assert result.out.count("[") == 1


def test_agents_play_each_other_and_think_aloud(run: Run) -> None:
    arguments = ("play", "--first", "alphabeta:depth=2", "--second", "greedy")
    mute, low, high = (run(*arguments, "--thinking", level) for level in ("mute", "low", "high"))
    assert mute.status == low.status == high.status == 0
    last = mute.out.splitlines()[-1]
    assert "wins, moves" in last or "draw, moves" in last
    assert low.out.splitlines()[-1] == high.out.splitlines()[-1] == last
    assert "positions evaluated" not in mute.out
    assert "positions evaluated" in low.out
    assert "root depth 2" not in low.out
    assert "root depth 2" in high.out
    assert [each.out.count("eval: heuristic value") for each in (mute, low, high)] == [0, 1, 1]
    trees = [
        sum("nodes looked" in w or "  root *" in w for w in e.out.splitlines()) for e in (low, high)
    ]
    assert trees[0] == 0 < trees[1]
    small = ("--columns", "4", "--rows", "4", "--connect", "3", "--seed", "1")
    arguments = ("play", "--first", "uct:iterations=20", "--second", "random", *small)
    quiet, loud = (run(*arguments, "--thinking", level) for level in ("mute", "high"))
    assert quiet.out.splitlines()[-1] == loud.out.splitlines()[-1]


@pytest.mark.parametrize("spec", ["uct-menary:iterations=9,reuse=yes", "uct-itu:seconds=0.01"])
def test_the_search_that_decides_is_the_one_shown(run: Run, spec: str) -> None:
    """The columns of the last tree of a trace are visited by the decision too."""
    small = ("--columns", "4", "--rows", "4", "--connect", "3", "--seed", "3")
    result = run("play", "--first", spec, "--second", "random", *small, "--thinking", "high")
    compared, seen = 0, set[str]()
    for line in result.out.splitlines():
        words = line.split()
        if line.startswith("root "):
            seen = set()
        elif line.startswith("    ") and words[0] in "1234" and len(words) == 5:
            seen.add(words[0])
        elif words[:1] == ["visits"]:
            visited = {str(c) for c, count in enumerate(words[1:], start=1) if count != "0"}
            assert visited == seen or not visited
            compared += bool(visited)
    assert result.out.count("the search that decides, ") == compared > 0


@pytest.mark.parametrize(
    ("method", "body", "message"),
    [
        (
            "trace",
            "yield 'one'; raise ValueError('two')",
            "... the trace ends: it raised ValueError: two",
        ),
        ("tree", "raise ValueError('no wood')", "  ... no tree: it raised ValueError: no wood"),
    ],
)
def test_a_tree_or_trace_that_fails_is_reported_in_a_line(
    run: Run, bot: Bot, method: str, body: str, message: str
) -> None:
    spec = bot("return Decision(position.legal_columns[0])", **{method: body})
    result = run("play", "--first", spec, "--second", "random", "--thinking", "high", "--seed", "1")
    assert result.status == 0
    assert message in result.out.splitlines()


def test_the_same_seed_plays_the_same_game(run: Run) -> None:
    arguments = ("play", "--first", "random", "--second", "random", "--json", "--seed")
    games = [json.loads(run(*arguments, seed).out) for seed in ("1", "1", "2")]
    assert games[0] == games[1]
    assert games[0]["moves"] != games[2]["moves"]
    assert games[0]["winner"] in (1, 2, None)
    assert games[0]["forfeit"] is None


def test_other_boards_and_letters(run: Run) -> None:
    board = ("--columns", "12", "--rows", "4", "--connect", "3")
    result = run("play", "--second", "human", *board, typed="a\nl\nb\nk\nc\n")
    assert result.out.splitlines()[-1] == "Yellow wins, moves albkc"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
def test_a_game_on_a_pseudo_terminal() -> None:
    import pty

    ours, theirs = pty.openpty()
    with forks.program(
        command(*AGAINST),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(TERM="xterm-256color"),
        start_new_session=True,
    ) as program:
        os.close(theirs)
        os.write(ours, b"9\n4\nu\n3\nq\n")
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        os.close(ours)
    text = shown.decode()
    assert program.returncode == 0
    assert "'9' is not a column: choose from 1 to 7, or type help." in text
    assert "unfinished game: moves 3" in text
    assert "Traceback" not in text
    assert "\x1b[1;33m" in text


def test_pipes_hold_no_escapes(run: Run) -> None:
    result = run("play", "--first", "random", "--second", "random")
    assert result.status == 0
    assert "\x1b" not in result.out + result.err


# --- how games end -------------------------------------------------------------------------------


def test_moves_are_reported_from_the_empty_board(run: Run) -> None:
    result = run(*AGAINST, "--position", "4444", typed="5\nq\n")
    assert result.out.splitlines()[-1].startswith("unfinished game: moves 44445")
    output = json.loads(run(*AGAINST, "--position", "4444", "--json", typed="5\nu\nu\nq\n").out)
    assert (output["position"], output["moves"]) == ("4444", "4444")


def test_a_rematch_swaps_the_seats(run: Run) -> None:
    typed = "1\n2\n1\n2\n1\n2\n1\n3\n\nnew\n4\nnew\nquit\n"
    result = run("play", "--second", "greedy", "--json", typed="4\nnew\n4\nrematch\nq\n")
    games = [json.loads(line) for line in result.out.splitlines()]
    assert [game["agents"][0] for game in games] == ["human", "greedy", "human"]
    assert [game["moves"][:2] for game in games] == ["41", "14", ""]
    assert [game["outcome"] for game in games] == [None, None, None]
    result = run("play", "--second", "human", typed=typed)
    lines = result.out.splitlines()
    assert "Yellow wins, moves 1212121" in lines
    assert lines.count("the game is over: type new, undo or quit.") == 1
    assert "unfinished game: moves 4" in lines


def test_the_last_move_of_a_lost_game_can_be_taken_back(run: Run) -> None:
    typed = "1\n2\n1\n2\n1\n2\n1\nundo\n3\nq\n"
    result = run("play", "--second", "human", "--json", typed=typed)
    output = json.loads(result.out)
    assert (output["moves"], output["outcome"], output["winner"]) == ("1212123", None, None)


def test_a_forfeit_is_a_win_of_the_other_side(run: Run, bot: Bot) -> None:
    file = bot("raise ValueError('no idea')")
    game = ("play", "--second", file, "--position", "4")
    output = json.loads(run(*game, "--json").out)
    assert (output["winner"], output["moves"]) == (1, "4")
    assert output["outcome"] == "Yellow wins by forfeit"
    forfeit = {"player": 2, "agent": file, "reason": "raised ValueError: no idea"}
    assert output["forfeit"] == forfeit
    result = run(*game)
    assert result.status == 0
    assert "Yellow wins by forfeit, moves 4" in result.out.splitlines()
    assert all(len(line) <= 80 or file in line for line in result.out.splitlines())
    after = run(*game, typed="undo\nquit\n").out.splitlines()
    assert "the game is over: type new or quit." in after
    message = " ".join(result.out.split())
    assert f"Red {file} forfeits: raised ValueError: no idea" in message
    alone = run("play", "--first", file, "--second", "random").out
    assert alone.endswith("Red wins by forfeit, no moves\n")


def test_after_a_forfeit_another_game_is_played(run: Run, bot: Bot) -> None:
    file = bot("return 0 if position.ply == 0 else 9")
    result = run("play", "--second", file, "--json", typed="4\nnew\nq\n")
    games = [json.loads(line) for line in result.out.splitlines()]
    assert [(game["moves"], game["winner"]) for game in games] == [("4", 1), ("1", None)]
    assert [game["forfeit"] is None for game in games] == [False, True]


def test_an_agent_that_cannot_start_is_named_and_plays_by_the_seed(run: Run, bot: Bot) -> None:
    spec = bot("return Decision(0)", reset="raise ValueError('not today')")
    result = run("play", "--second", spec)
    assert result.status == 2
    assert result.err.splitlines()[-1] == f"claimeven: {spec} raised ValueError: not today"
    spec = bot(
        "return Decision((set(self.drawn) & {*position.legal_columns} or {0}).pop())",
        reset="import random; self.drawn = random.sample(range(7), 1)",
    )
    game = ("play", "--first", spec, "--second", "greedy", "--json", "--seed")
    moves = [json.loads(run(*game, seed).out)["moves"] for seed in ("5", "5", "6")]
    assert moves[0] == moves[1] != moves[2]


@pytest.mark.skipif(sys.platform == "win32", reason="no Ctrl-C from another process")
def test_ctrl_c_shows_the_moves_as_ctrl_d_does() -> None:
    with started("play", "--second", "human", "--position", "44", "--json") as program:
        assert program.stdin is not None
        assert program.stderr is not None
        program.stdin.write("5\n")
        program.stdin.flush()
        message = ""
        for line in program.stderr:
            message += line
            if "●[●]" in line:  # the disc just played is marked
                break
        program.send_signal(signal.SIGINT)
        message += program.stderr.read()
        out, _ = program.communicate(timeout=60)
    assert program.returncode == 130
    assert "Traceback" not in message
    output = json.loads(out)
    assert (output["moves"], output["outcome"]) == ("445", None)
    assert message.splitlines()[-1] == "unfinished game: moves 445"


# --- players -------------------------------------------------------------------------------------


def test_a_level_is_an_opponent(run: Run) -> None:
    output = json.loads(run("play", "--level", "3", "--json", typed="4\nq\n").out)
    assert output["agents"] == ["human", "perfect:pick=random,level=3"]
    assert len(output["moves"]) == 2
    second = json.loads(run("play", "--level", "0", "--second", "human", "--json").out)
    assert second["agents"] == ["perfect:pick=random,level=0", "human"]
    for words in (("--second", "greedy"), ("--first", "human", "--second", "human")):
        result = run("play", "--level", "3", *words)
        assert (result.status, result.out) == (2, "")
        assert "--level 3 sets the opponent: leave --second" in result.err
    assert "0<=x<=10" in run("play", "--level", "11").err


def test_the_usual_opponent_varies_and_a_seed_repeats_it(run: Run) -> None:
    typed = "4\n4\n4\n1\n7\n2\nq\n"
    games = [json.loads(run("play", "--json", typed=typed).out) for _ in range(8)]
    assert len({game["seed"] for game in games}) > 1
    assert len({game["moves"] for game in games}) > 1
    words = run("play", typed=typed).out
    seed = words.partition("repeat with --seed ")[2].partition("\n")[0]
    again = run("play", "--seed", seed, typed=typed).out
    assert again == words.partition("\n")[2]


def test_a_limit_that_an_agent_does_not_know_is_rejected(run: Run) -> None:
    result = run("play", "--second", "uct", "--depth", "3")
    assert (result.status, result.out) == (2, "")
    assert (
        result.err == "claimeven: uct cannot be limited by depth: it supports seconds, iterations\n"
    )
