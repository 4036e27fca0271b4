"""`claimeven check`: plain words, and exit statuses that a script can use."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.agents.process.test_process import bot
from tests.cli.conftest import Run, bad_input


def written(folder: Path, text: str, name: str = "bot.py") -> str:
    """The path of a file with a text."""
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_a_sound_agent_gets_its_costs(run: Run) -> None:
    result = run("check", bot("first"))
    assert result.status == 0
    assert max(map(len, result.out.splitlines())) <= 80 + len(bot("first"))
    text = " ".join(result.out.split())
    assert " positions and 10 games on 7x6 connect 4 It plays agent(position), " in text
    assert "Median time of a move: " in text
    assert "MB of 2,048 MB allowed." in text
    assert text.endswith("No faults: it is ready for a tournament.")


GENEROUS = """
def agent(position):
    def gifts(column):
        after = position.play(column)
        if after.is_over:
            return -1
        return sum(after.play(answer).is_over for answer in after.legal_columns)
    return max(position.legal_columns, key=gifts)
"""


def test_one_that_loses_to_random_is_asked_whether_it_means_to(run: Run, tmp_path: Path) -> None:
    result = run("check", written(tmp_path, GENEROUS))
    assert result.status == 0
    text = " ".join(result.out.split())
    assert "No faults, but it lost to random more often than it won. Unless it plays" in text


def test_faults_are_reported_where_they_happened(run: Run) -> None:
    result = run("check", bot("full"), "--seed", "3")
    assert result.status == 1
    text = " ".join(result.out.split())
    assert "ILLEGAL, " in text
    assert "What to do: return one of the columns that can be played" in text
    moves = text.partition("claimeven think ")[2].split()[0]
    assert f"after {moves}:" in text
    again = run("think", moves, "--agent", bot("full"))
    assert "which is full" in bad_input(again)
    output = run("check", bot("raises"), "--columns", "5", "--rows", "4", "--connect", "3").out
    assert f'think "" --agent {bot("raises")} --columns 5 --rows 4 --connect 3\n' in output
    assert "It happened on the empty board:" in " ".join(output.split())


LATE = """
def a(n):
    if n:
        return b(n - 1)
    raise RuntimeError("deep")
def b(n):
    return a(n)
def agent(position):
    return a(20) if position.ply > 5 and position.turn else position.legal_columns[0]
"""


def test_a_fault_is_reported_as_it_is_in_json(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, LATE, "it's late.py")
    limits = ("--seconds", "3", "--time-bank", "60", "--memory-limit", "700", "--seed", "3")
    result = run("check", path, *limits)
    output = json.loads(run("check", path, *limits, "--json").out)
    text = " ".join(result.out.split())
    (fault,) = output["faults"]
    games, moves = fault["games"], fault["moves"]
    assert len(games) > 1
    wrong, asked = fault["positions"], output["positions"]
    times = f"{wrong} positions and {len(games)} games"
    assert f"CRASH, {times}: it raised RuntimeError: deep" in text
    assert text.endswith(f"It failed in {wrong} of {asked} positions and {len(games)} of 10 games.")
    assert f"It happened after {moves}:" in text
    lines = result.out.splitlines()
    dots = lines.index("    ...")  # of a traceback the end is shown
    assert lines[dots + 11] == "    RuntimeError: deep"
    assert "Traceback" not in result.out
    spec = shlex.quote(path)
    assert f"To repeat it: claimeven think {moves} --agent {spec} --seconds 3" in lines
    assert "limit: 3 s, and 60 s in the time bank. Maximum memory:" in text
    assert "of 700 MB allowed" in text
    assert re.search(r"maximum: [^;]*\((after \d+|on the empty board)\)", text) is not None
    other = json.loads(run("check", str(path), "--json").out)
    assert [game["opening"] for game in other["games"]] != [
        game["opening"] for game in output["games"]
    ]
    message = run("check", written(tmp_path, "import nothing_of_that_name\n"))
    assert message.status == 1
    assert "    ModuleNotFoundError: No module named 'nothing_of_that_name'" in message.out
    assert "What to do: " in message.out
    assert "seed must be 0 or more" in bad_input(run("check", "greedy", "--seed", "-1"))


def test_many_agents_end_with_those_that_have_faults(run: Run, tmp_path: Path) -> None:
    broken = written(tmp_path, "import nothing_of_that_name\n", "broken.py")
    result = run("check", "greedy", broken, bot("first"))
    assert result.status == 1
    assert "broken.py cannot be loaded: ModuleNotFoundError" in " ".join(result.out.split())
    assert result.out.endswith(f"2 of 3 agents have no faults\n  faults: {broken}\n")


def test_missing_files_are_reported_in_turn(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "folder.py"
    folder.mkdir()
    result = run("check", "nowhere.py", str(folder), bot("first"))
    assert result.status == 2
    assert "claimeven: there is no file nowhere.py\n" in result.err
    assert f"claimeven: {folder} is a folder, not a file\n" in result.err
    assert result.out.endswith(
        f"1 of 3 agents have no faults\n  no agent: nowhere.py\n  no agent: {folder}\n"
    )
    result = run("check", "nowhere.py", bot("raises"), "--json")
    assert result.status == 2
    assert [json.loads(line)["ok"] for line in result.out.splitlines()] == [False]


def test_use_of_the_grace_period_is_reported(run: Run, tmp_path: Path) -> None:
    slow = written(
        tmp_path,
        "import time\ndef agent(position):\n    time.sleep(0.05 * (position.ply == 0))\n    return"
        " position.legal_columns[0]\n",
    )
    output = " ".join(run("check", slow, "--seconds", "0.01").out.split())
    assert "limit: 0.01 s, and 0.25 s of grace. " in output
    again = run("check", bot("raises"), "--seconds", "2").out
    assert f'To repeat it: claimeven think "" --agent {bot("raises")} --seconds 2\n' in again


def test_time_is_reported_by_the_limit(run: Run) -> None:
    output = " ".join(run("check", "random", "--seconds", "2", "--time-bank", "60").out.split())
    assert "limit: 2 s, and 60 s in the time bank" in output


def test_bad_input_gets_one_sentence(run: Run) -> None:
    assert "there is no file nowhere.py" in bad_input(run("check", "nowhere.py"))
    assert "there is no agent 'gredy'" in bad_input(run("check", "gredy"))
    assert "cannot be checked" in bad_input(run("check", "human"))
    assert "memory_limit_mb must be 1" in bad_input(run("check", "greedy", "--memory-limit", "0"))
    assert "give the seconds for a move too" in bad_input(
        run("check", "greedy", "--time-bank", "60")
    )


def test_of_many_agents_a_table_comes_first_and_their_prints_are_left_out(
    run: Run, tmp_path: Path
) -> None:
    text = "def agent(p):\n    print('loud')\n    return p.legal_columns[0]\n"
    loud = written(tmp_path, text, "loud.py")
    piece = written(tmp_path, "def bot(board, piece):\n    return 0\n", "piece.py")
    result = run("check", loud, bot("raises"), piece, "nowhere.py")
    lines = result.out.splitlines()
    assert lines[0].split() == ["agent", "result", "a", "move", "first", "fault"]
    assert [line.split()[1] for line in lines[1:5]] == ["fine", "1", "not", "no"]
    assert max(map(len, lines[:5])) <= 80
    assert "crash: it raised Runtime" in lines[2]
    assert lines[5] == ""
    assert f"{loud}: loaded" not in result.out
    assert result.err == "claimeven: there is no file nowhere.py\n"
    assert "loud\n" in run("check", loud, "--verbose").err
    output = run("check", loud, bot("raises"), "--json").out.splitlines()
    assert [json.loads(line)["ok"] for line in output] == [True, False]


def test_the_line_of_the_author_is_shown_however_deep_the_error_is(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "deep.py"
    for text in ("json.loads('[' * 5000)", "np.loadtxt('missing.csv')"):
        path.write_text(
            f"import json\nimport numpy as np\ndef agent(p):\n    return {text}\n", encoding="utf-8"
        )
        assert f'deep.py", line 4, in agent\n        return {text}\n' in run("check", str(path)).out
        path.write_text(f"import json\nimport numpy as np\nx = {text}\n", encoding="utf-8")
        output = run("check", str(path)).out
        assert f'deep.py", line 3, in <module>\n        x = {text}\n' in output
    assert "What to do: open files next to your own file" in " ".join(output.split())


def test_a_file_for_kaggle_has_the_time_that_it_has_there(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    path.write_text(
        "import time\nready = []\ndef agent(obs, config):\n    if not ready:\n"
        "        time.sleep(config.actTimeout + 0.3)\n        ready.append(1)\n"
        "    return obs.board[:7].index(0)\n",
        encoding="utf-8",
    )
    result = run("check", f"kaggle:{path}")
    text = " ".join(result.out.split())
    assert result.status == 0
    assert "; limit: Kaggle's 2 s, and 60 s in the time bank. " in text
    assert "It plays agent(observation, configuration), the last callable of main.py, as on" in text
    output = json.loads(run("check", f"kaggle:{path}", "--json").out)
    assert output["seconds_max"] > 2.3
    assert output["slowest_move_after"] == "176767113"


def test_a_bot_may_be_called_as_a_module_of_python(tmp_path: Path) -> None:
    (tmp_path / "random.py").write_text("def agent(p):\n    return p.legal_columns[0]\n")
    words = [sys.executable, "-m", "claimeven", "match", "random.py", "greedy", "--games", "2"]
    result = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")  # the file does not shadow Python's own


def test_a_bot_that_needs_the_start_of_its_game_suits_kaggle(run: Run, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        "seen = None\ndef agent(obs, cfg):\n    global seen\n    if obs.step < 2:\n"
        "        seen = []\n    seen.append(obs.step)\n    return obs.board[:7].index(0)\n"
    )
    result = run("check", f"kaggle:{tmp_path / 'main.py'}")
    assert "ready for Kaggle, but not for games from an opening." in " ".join(result.out.split())
