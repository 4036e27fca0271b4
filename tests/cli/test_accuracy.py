"""`claimeven accuracy`: games of a file and agents on a set, blunders, Ctrl-C, bad input."""

from __future__ import annotations

import csv
import json
import random
import re
import signal
import sqlite3
import sys
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

import pytest

from claimeven import Position
from claimeven.arena import accuracy_of
from claimeven.arena.accuracy.measure import MAX_FAULTS
from claimeven.arena.games.game import Game
from claimeven.arena.store.store import Store, StoredAgent
from claimeven.game.encodings import to_kaggle
from claimeven.messages import WorkProgress
from tests import naive
from tests.cli.common.test_progress import sent, shown, terminal
from tests.cli.conftest import Run, bad_input, interrupted

BOARD = {"columns": 5, "rows": 5, "connect": 4}
AGENTS = (StoredAgent(0, "ann", "bots/ann.py"), StoredAgent(1, "bob", "random"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of one game: bob does not see that ann is about to win."""
    with Store.create(tmp_path / "class.db", {"plan": BOARD}, AGENTS) as store:
        store.add([Game("a", 6, 3, 0, 1, "33", "2515242", None, finished=False)])
    return tmp_path / "class.db"


def test_the_worst_move_of_a_file_is_drawn_and_explained(run: Run, path: Path) -> None:
    result = run("accuracy", str(path), "--show-worst", "1")
    assert (result.status, result.err) == (0, "")
    lines = result.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("1 game on 5x5 connect 4, 7 moves in 7 different positions, ")
    heads = "agent moves perfect loss decisive keeps floor wins blocks"
    assert lines[2].split() == heads.split()
    (head,) = [place for place, line in enumerate(lines) if line.startswith("game 7, disc ")]
    assert lines[head].endswith("bob plays 5, a loss (-10); right is 4, a draw (0)")
    assert lines[head + 1] == "after 33251"
    message = [
        next(place for place, line in enumerate(lines) if line.startswith(words))
        for words in ("Column 5 gives the draw away", "Column 4 holds the draw")
    ]
    assert head < message[0] < message[1]
    (output,) = json.loads(run("accuracy", str(path), "--show-worst", "1", "--json").out)[
        "blunders"
    ]
    assert output["played_text"].startswith("Column 5 gives the draw away")
    assert output["right_text"].startswith("Column 4 holds the draw")


def test_a_first_move_may_be_the_worst(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "first.db"
    with Store.create(path, {"plan": {**BOARD, "rows": 4}}, AGENTS) as store:
        store.add([Game("a", 0, 0, 0, 1, "", "1", None, finished=False)])
    lines = run("accuracy", str(path), "--show-worst", "1").out.splitlines()
    head = lines.index("game 1, disc 1: ann plays 1, a loss (-1); right is 3 or 2 or 4, a draw (0)")
    assert lines[head + 1] == "after no move"


def test_one_agent_is_reported_by_ply_and_by_right_columns(run: Run, path: Path) -> None:
    result = run("accuracy", str(path), "--agent", "ann", "--show-worst", "0")
    assert [line.split()[:2] for line in result.out.splitlines() if line.strip().startswith("ply")]
    assert "right columns" in result.out
    assert "bob" not in result.out
    output = json.loads(run("accuracy", str(path), "--agent", "ann", "--json").out)
    assert [agent["label"] for agent in output["agents"]] == ["ann"]
    assert (
        sum(part["moves"] for part in output["agents"][0]["by_ply"]) == output["agents"][0]["moves"]
    )
    assert output["seconds"] > 0


def share(mean: float) -> str:
    return f"{mean:.1%}"


def between(interval: list[float]) -> str:
    return "-".join(f"{100 * end:.3g}" for end in interval)


def split_row(name: str, output: dict[str, float]) -> list[str]:
    """The line of a table of some moves, from their JSON."""
    shares = ("perfect", "random_perfect", "keeps_result", "random_keeps_result")
    losses = (f"{output[name]:.2f}" for name in ("score_loss", "random_score_loss"))
    return [*name.split(), str(output["moves"]), *(share(output[name]) for name in shares), *losses]


def test_tables_hold_the_figures_of_json(run: Run) -> None:
    words = ("accuracy", "greedy", "--count", "60", "--show-worst", "0", "--jobs", "1")
    lines = [line.split() for line in run(*words).out.splitlines()]
    (output,) = json.loads(run(*words, "--json").out)["agents"]
    decisive, wins, blocks = output["decisive"], output["wins"], output["blocks"]
    assert lines[4] == [
        "greedy", "60", share(output["perfect"]), f"{output['score_loss']:.2f}",
        str(decisive["moves"]), share(decisive["keeps_result"]),
        share(decisive["random_keeps_result"]),
        share(wins["perfect"]),
        share(blocks["perfect"]),
    ]  # fmt: skip
    shares = [between(part[name]) for part, name in (
        (output, "perfect_95"), (decisive, "keeps_result_95"), (wins, "perfect_95"),
        (blocks, "perfect_95"),
    )]  # fmt: skip
    low, high = output["score_loss_95"]
    assert lines[7][:-1] == ["greedy", shares[0], f"{low:.2f}-{high:.2f}", *shares[1:]]
    assert split_row("all", output) in lines
    bands = [split_row(part["band"], part) for part in output["by_band"]]
    right = [split_row(str(part["best_columns"]), part) for part in output["by_best_columns"]]
    phases = [split_row(part["phase"], part) for part in output["by_phase"]]
    assert [row[0] for row in phases] == ["opening", "middle", "end"]
    for heading, rows in (("band", bands), ("right", right), ("phase", phases)):
        at = next(place for place, line in enumerate(lines) if line[:1] == [heading])
        assert lines[at + 1 : at + 1 + len(rows)] == rows
    moves = Counter[str]()
    for part in output["by_ply"]:
        low = part["ply"] - part["ply"] % 4
        moves[f"{low}-{low + 3}"] += part["moves"]
    plies = [line for line in lines if line and re.fullmatch(r"\d+-\d+", line[0])]
    assert {line[0]: int(line[1]) for line in plies} == moves


def test_that_there_is_no_such_book_is_reported_before_agents_are_asked(run: Run) -> None:
    output = run("accuracy", "greedy", "--book", "missing.book", "--jobs", "1")
    assert (output.status, output.out) == (2, "")
    assert "missing.book" in output.err


def test_a_file_of_the_name_of_an_agent_is_no_file_of_games(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("greedy").write_text("notes")
    result = run("accuracy", "greedy", "--count", "9", "--jobs", "1", "--memory-limit", "900")
    assert result.status == 0
    assert (
        result.err == "--memory-limit applies to no agent here (to built-in ones with --isolate)\n"
    )


def test_agents_are_asked_on_the_shipped_set(run: Run) -> None:
    result = run(
        "accuracy", "random", "greedy", "--count", "90", "--jobs", "1", "--show-worst", "1"
    )
    lines = result.out.splitlines()
    assert lines[0].startswith("90 positions (7x6-v1, 90 of 4500), digest ")
    assert lines[1] == "and 90 for wins and blocks (tactics-7x6-v1, 90 of 400)"
    assert [line.split()[0] for line in lines[3:6]] == ["agent", "greedy", "random"]
    assert max(map(len, lines)) <= 80
    output = json.loads(
        run("accuracy", "greedy", "--count", "90", "--show-worst", "2", "--json").out
    )
    assert [blunder["agent"] for blunder in output["blunders"]] == ["greedy"] * 2
    assert all(blunder["played_text"].startswith("Column ") for blunder in output["blunders"])
    assert [part["band"] for part in output["agents"][0]["by_band"]] == ["easy", "medium", "hard"]


def test_answers_are_stored(run: Run, tmp_path: Path) -> None:
    table, lines = tmp_path / "answers.csv", tmp_path / "answers.jsonl"
    bot = tmp_path / "bot.py"
    bot.write_text("def agent(position):\n    return 9 if position.ply == 8 else 3\n")
    words = ("accuracy", str(bot), "greedy", "--count", "40", "--show-worst", "0", "--jobs", "1")
    output = json.loads(run(*words, "--json", "--answers", str(table)).out)
    assert run(*words, "--answers", str(lines)).status == 0
    with table.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    objects = [json.loads(line) for line in lines.read_text().splitlines()]
    assert len(rows) == len(objects) == 160
    for row, each in zip(rows, objects, strict=True):
        text = {name: "" if value is None else str(value) for name, value in each.items()}
        text["best"] = " ".join(map(str, each["best"]))
        text["scores"] = " ".join("." if n is None else str(n) for n in each["scores"])
        assert {**row, "seconds": ""} == {**text, "seconds": ""}
    agents = {agent["label"]: agent for agent in output["agents"]}
    for name, agent in agents.items():
        own = [row for row in rows if row["agent"] == name and row["band"] not in ("win", "block")]
        right = [row["column"] in row["best"].split() for row in own if row["column"]]
        assert agent["perfect"] == sum(right) / len(right)
    faults = [row["reason"] for row in rows if row["fault"]]
    assert len(faults) == sum(agents[str(bot)]["faults"].values()) > 0


def test_agents_are_compared_position_by_position(run: Run) -> None:
    words = ("accuracy", "greedy", "alphabeta:depth=2", "--count", "60", "--show-worst", "0")
    output = json.loads(run(*words, "--json", "--jobs", "1").out)
    measures = [each["measure"] for each in output["comparisons"]]
    assert measures == ["perfect", "keeps_result", "wins", "blocks"]
    text = " ".join(run(*words, "--jobs", "1").out.split())
    assert "Compared position by position (McNemar's exact test):" in text
    for each in output["comparisons"]:
        assert each["first"] == "alphabeta:depth=2"
        assert each["sentence"] in text
    blocks = output["comparisons"][3]
    assert (blocks["p_value"] < 1e-4) and "(p < 0.0001)" in blocks["sentence"]
    assert output["tactics"]["positions"] == 60
    alone = json.loads(run("accuracy", "greedy", "--set", "hard", "--count", "9", "--json").out)
    assert (alone["comparisons"], alone["tactics"]) == ([], None)


def test_positions_of_ones_own_are_asked_in_on_their_board(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("".join(f"{column}\n" for column in ("1", "2", "11", "12", "13", "112")))
    words = ("accuracy", "random", "--positions", str(path), "--columns", "5", "--rows", "4",
             "--show-worst", "0", "--table-mb", "1", "--json", "--seed")  # fmt: skip
    output = [json.loads(run(*words, seed).out) for seed in ("1", "1", "2")]
    assert [(each["positions"], each["rows"], each["seed"]) for each in output] == [
        (6, 4, 1), (6, 4, 1), (6, 4, 2)
    ]  # fmt: skip
    losses = [[part["score_loss"] for part in each["agents"][0]["by_ply"]] for each in output]
    assert losses[0] == losses[1] != losses[2]


def test_boards_with_move_scores_are_a_set(run: Run, tmp_path: Path) -> None:
    """The format of published sets; scores that are wrong are not explained."""
    path, stored = tmp_path / "published.json", tmp_path / "a.jsonl"
    shown = {"4455": (-4, -3, 18, 2, 2, 18, -3), "112": (-2, 0, 1, 2, 1, 0, 9)}
    path.write_text(
        "".join(
            json.dumps({"board": to_kaggle(Position.from_moves(moves)), "move score": scores})
            + "\n"
            for moves, scores in shown.items()
        )
    )
    words = ("accuracy", "random", "--positions", str(path), "--answers", str(stored))
    output = json.loads(run(*words, "--jobs", "1", "--json").out)
    assert output["positions"] == 2
    rows = [json.loads(line) for line in stored.read_text().splitlines()]
    assert [tuple(row["scores"]) for row in rows] == list(shown.values())
    assert [row["right"] for row in rows] == [row["column"] in row["best"] for row in rows]
    wrong = next(each for each in output["blunders"] if each["ply"] == 3)
    assert wrong["right_text"].startswith("The set gives other scores than the solver: ")


def test_long_names_are_not_cut(run: Run) -> None:
    name = "alphabeta:depth=1,eval=windows,order=left"
    result = run("accuracy", name, "random", "--count", "9", "--jobs", "1", "--show-worst", "0")
    assert name in result.out.splitlines()
    assert max(map(len, result.out.splitlines())) <= 80


def test_an_agent_that_fails_is_reported(run: Run, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def agent(position):\n    return 1 // (position.ply % 2)\n")
    result = run("accuracy", str(bot), "--count", "15", "--show-worst", "0", "--jobs", "1")
    assert result.status == 0
    text = " ".join(result.out.split())
    assert f"{bot} gave no answer: " in text
    assert " x crash: raised ZeroDivisionError: " in text
    assert "was asked no more" not in text
    bot.write_text("def agent(position):\n    return [][position.ply] if position.ply % 9 else 7\n")
    result = run("accuracy", str(bot), "--count", "300", "--show-worst", "0", "--jobs", "1")
    text = " ".join(result.out.split())
    first, second = re.findall(r"gave no answer: (\d+) x", text)
    assert int(first) > int(second)
    assert int(first) + int(second) == MAX_FAULTS
    assert f"After {MAX_FAULTS} faults {bot} was asked no more." in text


def test_faults_are_reported_by_kind_and_all_reasons_in_json(run: Run, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def agent(position):\n    return {}[position] if position.ply % 4 else None\n")
    words = ("accuracy", str(bot), "--count", "6", "--show-worst", "0", "--jobs", "1")
    output = " ".join(run(*words).out.split())
    assert len(re.findall(r"gave no answer: \d+ x crash: such as raised KeyError: ", output)) == 1
    assert len(re.findall(r"gave no answer: \d+ x illegal: returned None instead", output)) == 1
    (agent,) = json.loads(run(*words, "--json").out)["agents"]
    assert sum(agent["faults"].values()) == sum(agent["fault_reasons"].values()) == 12
    assert len(agent["fault_reasons"]) > 2


def test_ctrl_c_prints_the_result_so_far(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import pathlib, time\n"
        "asked = []\n"
        "def agent(position):\n"
        "    asked.append(position)\n"
        "    if len(asked) == 40:\n"
        "        pathlib.Path(__file__).with_name('asked').touch()\n"
        "    time.sleep(0.02)\n"
        "    return position.legal_columns[0]\n"
    )
    process = interrupted(
        "accuracy", str(bot), "--jobs", "1", "--json", "--answers", str(tmp_path / "a.csv"),
        when=(tmp_path / "asked").exists,
    )  # fmt: skip
    assert process.status == 130, process.err
    assert process.err.splitlines()[-1].startswith("interrupted after ")
    assert process.err.endswith("; run the same command to continue\n")
    assert len((tmp_path / "a.csv").read_text().splitlines()) >= 40
    assert (tmp_path / "a.csv.partial").exists()
    assert "Traceback" not in process.err
    output = json.loads(process.out)
    assert 0 < output["agents"][0]["answered"] < 4500
    assert output["blunders"] == []  # to explain them takes time


def test_answers_continue_after_a_kill(run: Run, tmp_path: Path) -> None:
    bot, mark, answers = tmp_path / "bot.py", tmp_path / "asked", tmp_path / "a.csv"
    bot.write_text(
        "import pathlib, time\n"
        "mark = pathlib.Path(__file__).with_name('as' + 'ked')  # not a file it depends on\n"
        "asked = []\n"
        "def agent(position):\n"
        "    asked.append(position)\n"
        "    if len(asked) == 30:\n"
        "        mark.touch()\n"
        "        time.sleep(0 if mark.with_name('ag' + 'ain').exists() else 999)\n"
        "    return position.legal_columns[0]\n"
    )
    words = ("accuracy", str(bot), "--count", "50", "--jobs", "1", "--show-worst", "0")
    killed = interrupted(*words, "--answers", str(answers), when=mark.exists, by=signal.SIGKILL)
    assert killed.status == -signal.SIGKILL
    assert not answers.exists()
    stored = (tmp_path / "a.csv.partial").read_text().splitlines()
    assert len(stored) == 30  # a line on the measurement, and the answers before the last question
    (tmp_path / "again").touch()
    assert run(*words, "--answers", str(answers)).status == 0
    assert not (tmp_path / "a.csv.partial").exists()
    assert run(*words, "--answers", str(tmp_path / "b.csv")).status == 0
    one, two = (
        [{**row, "seconds": ""} for row in csv.DictReader(path.read_text().splitlines())]
        for path in (answers, tmp_path / "b.csv")
    )
    assert one == two and len(one) == 100


def test_judging_continues_after_ctrl_c(tmp_path: Path) -> None:
    rng, path = random.Random(1), tmp_path / "many.db"
    games = []
    for number in range(200):
        game, moves = naive.Game(), ""
        while not game.over():
            column = rng.choice(game.legal())
            game, moves = game.play(column), moves + str(column + 1)
        games.append(Game(f"{number}", number, None, 0, 1, "", moves, naive.winner(game)))
    with Store.create(path, {"board": {"columns": 7}}, AGENTS) as store:
        store.add(games)
    words = ("accuracy", str(path), "--no-book", "--threads", "1")  # the empty board takes minutes
    process = interrupted(*words, when=lambda: _kept(path))
    assert (process.status, process.out) == (130, ""), process.err
    assert process.err.splitlines()[-1] == "interrupted; run the same command to continue"
    stored, reports = _kept(path), list[WorkProgress]()

    def interrupt(at: WorkProgress) -> None:
        reports.append(at)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        accuracy_of(path, on_progress=interrupt)
    assert reports[0].resumed == stored < reports[0].total


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
def test_scores_that_cannot_be_stored_are_reported_with_the_progress(
    run: Run, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE scores (of_another_kind)")
    words = ("accuracy", str(path), "--show-worst", "0")
    output = f"scores cannot be stored in {path}: "
    result = run(*words)
    assert (result.status, result.err.count("\n")) == (0, 1)
    assert result.err.startswith(output)
    assert output not in result.out
    with terminal(monkeypatch) as there:
        assert run(*words).status == 0
        lines = shown(sent(there))
    assert any(line.startswith("7 of 7 positions") for line in lines)
    assert any(line.startswith(output) for line in lines)  # in a separate line


def _kept(path: Path) -> int:
    """Scores that a store holds by now."""
    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.OperationalError):
        return int(connection.execute("SELECT COUNT(*) FROM scores").fetchone()[0])
    return 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gredy",), "there is no agent 'gredy' (did you mean greedy?)"),
        (("missing.db",), "missing.db cannot be read: there is no such file"),
        (("FILE", "greedy"), "is a file of games: give only this file, or only agents"),
        (("FILE", "--agent", "bop"), "there is no agent 'bop' (did you mean bob?)"),
        (("FILE", "--positions", "x"), "--positions is for agents, not for a file of games"),
        (("FILE", "--count", "3"), "--count is for agents, not for a file of games"),
        (("FILE", "--set", "easy"), "--set is for agents, not for a file of games"),
        (("FILE", "--seed", "3"), "--seed is for agents, not for a file of games"),
        (("FILE", "--isolate"), "--isolate is for agents, not for a file of games"),
        (("FILE", "--seconds", "3"), "--seconds is for agents, not for a file of games"),
        (
            ("FILE", "--memory-limit", "3"),
            "--memory-limit is for agents, not for a file of games",
        ),
        (("FILE", "--load-timeout", "3"), "--load-timeout is for agents, not for a file of"),
        (("FILE", "--columns", "8"), "have the board 5x5 connect 4, not 8x6 connect 4"),
        (("TEXT",), "move 3: '8' is not a column: choose from 1 to 7"),
        (("greedy", "--agent", "greedy"), "--agent is for a file of games"),
        (("greedy", "greedy"), "greedy takes part twice"),
        (("greedy", "--set", "hrd"), "there is no set 'hrd' (did you mean hard?)"),
        (("greedy", "--set", "hard", "--positions", "x"), "give --positions or --set, not both"),
        (("greedy", "--set", "hard", "--columns", "8"), "no set of positions of 8x6 connect 4"),
        (("greedy", "--answers", "a.txt"), "--answers must end in .csv or .jsonl, got a.txt"),
        (("greedy", "--answers", "no/a.csv"), "no/a.csv cannot be written"),
        (("FILE", "--answers", "a.csv"), "--answers is for agents, not for a file of games"),
        (("greedy", "--count", "0"), "count must be 1 or more, got 0"),
        (("greedy", "--show-worst", "-1"), "--show-worst must be 0 or more, got -1"),
        (("greedy", "--jobs", "0"), "jobs must be 1 or more, got 0"),
        (("random", "--show-worst", "0", "--threads", "0"), "threads must be 1 to 256, got 0"),
        (("random", "--show-worst", "0", "--threads", "257"), "threads must be 1 to 256, got 257"),
        (
            ("random", "--show-worst", "0", "--table-mb", "nan"),
            "the MB of a table must be a number, got nan",
        ),
        (("greedy", "--positions", "missing.txt"), "missing.txt cannot be read: No such file"),
        (("greedy", "--positions", "TEXT"), "line 2 of"),
        (("greedy", "--columns", "8"), "no set of positions of 8x6 connect 4 is bundled"),
        (("uct", "--depth", "3"), "uct cannot be limited by depth"),
        (("greedy", "--seed", "-1"), "seed must be 0 or more, got -1"),
    ],
)
def test_bad_input_gets_one_sentence(
    run: Run, path: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    text = tmp_path / "own.txt"
    text.write_text("44\n4489\n")
    files = {"FILE": str(path), "TEXT": str(text)}
    assert message in bad_input(run("accuracy", *(files.get(word, word) for word in arguments)))
    assert _kept(path) == 0  # it is refused before it is judged


def test_why_an_agent_with_a_game_behind_it_fails_everywhere(run: Run, tmp_path: Path) -> None:
    text = (
        "seen = []\n"
        "def agent(obs, config):\n"
        "    if obs.step < 2:\n"
        "        seen.clear()\n"
        "    seen.append(obs.step)\n"
        "    assert seen[-1] == 2 * len(seen) - 2 + seen[0] % 2\n"
        "    return obs.board[:7].index(0)\n"
    )
    (tmp_path / "bot.py").write_text(text, encoding="utf-8")
    output = " ".join(run("accuracy", str(tmp_path / "bot.py"), "--count", "30").out.split())
    assert "Each position is asked by itself, without the game before it: if it stores" in output
    assert "without the game" not in run("accuracy", "greedy", "--count", "3").out
