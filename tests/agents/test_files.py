"""Agents and evaluations from a user's file or module, in the process that loads them."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from claimeven import Position, play_match
from claimeven.agents import (
    Agent,
    Decision,
    InvalidSpec,
    Limit,
    ProcessAgent,
    make_agent,
)
from claimeven.agents.base import FaultKind
from claimeven.agents.files import file_of, load_agent, load_evaluation, split_file_spec
from claimeven.agents.fingerprint import digest_of_files
from claimeven.arena import check_agent
from claimeven.arena.findings import advice_on_fault
from claimeven.evaluation import InvalidEvaluation
from tests.agents.support import decided

PLAIN = """
def agent(position):
    return position.legal_columns[-1]
"""


@pytest.fixture(autouse=True)
def _modules_as_before() -> Iterator[None]:
    """Forget the imports of the tests, and their folders."""
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if name.startswith(("claimeven_user_", "users_")):
            del sys.modules[name]


def written(folder: Path, text: str, name: str = "mine.py") -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def loaded(spec: str) -> Agent:
    """The agent of a file, in this process."""
    parts = split_file_spec(spec)
    assert parts is not None
    return load_agent(spec, *parts)


def choose(spec: str, moves: str = "", limit: Limit | None = None) -> Decision:
    position = Position.from_moves(moves)
    return decided(loaded(spec), position, limit or Limit())


def test_a_function_may_answer_with_a_decision(tmp_path: Path) -> None:
    spec = written(
        tmp_path,
        "from claimeven.agents import Decision\ndef agent(p):\n    return Decision(2, value=0.5)\n",
    )
    assert choose(spec) == Decision(2, value=0.5)


def test_without_a_name_agent_is_taken_and_else_the_last_callable(tmp_path: Path) -> None:
    several = "def one(p):\n    return 1\ndef {}(p):\n    return 2\ndef three(p):\n    return 3\n"
    assert choose(written(tmp_path, several.format("agent"))).column == 2
    assert choose(written(tmp_path, several.format("two"))).column == 3
    imported = "def mine(p):\n    return 1\nfrom os.path import join\n"
    assert choose(written(tmp_path, imported)).column == 1


def test_files_of_the_same_name_are_distinguished(tmp_path: Path) -> None:
    specs = [
        written(tmp_path, f"def agent(p):\n    return {n}\n", f"{n}/same.py") for n in (1, 2, 3)
    ]
    agents = [loaded(spec) for spec in specs]
    rng = np.random.default_rng(0)
    assert [a.choose(Position(), Limit(), rng).column for a in agents] == [1, 2, 3]


def test_its_own_neighbours_come_first_on_the_path(tmp_path: Path) -> None:
    for best, folder in ((1, "other"), (2, "own")):
        written(tmp_path, f"BEST = {best}\n", f"{folder}/users_twin.py")
    text = "import users_twin\ndef agent(p):\n    return users_twin.BEST\n"
    spec = written(tmp_path, text, "own/mine.py")
    sys.path.insert(0, str(tmp_path / "other"))
    sys.path.append(str((tmp_path / "own").resolve()))
    assert choose(spec).column == 2


def test_a_module_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    written(tmp_path, "", "users_package/__init__.py")
    written(tmp_path, "def play(p):\n    return 5\n", "users_package/players.py")
    assert file_of("users_package.players:play") == tmp_path / "users_package" / "players.py"
    assert "users_package" not in sys.modules
    assert choose("users_package.players:play").column == 5
    with closing(make_agent("users_package.players:play")) as agent:  # as a file has one
        assert isinstance(agent, ProcessAgent) and agent.process != os.getpid()
        assert "play(position), the one named, of users_package.players" in agent.plays
    before = digest_of_files("users_package.players:play")
    written(tmp_path, "def play(p):\n    return 4\n", "users_package/players.py")
    assert before is not None and digest_of_files("users_package.players:play") != before
    written(tmp_path, "def agent(p):\n    return 5\n", "pong.py")  # not a misspelt pons:
    assert choose("pong:agent").column == 5
    written(tmp_path, "raise RuntimeError('x')\n", "boom.py")
    report = check_agent("boom:agent")
    assert report.failure is not None and "RuntimeError: x" in report.failure.traceback


def test_a_name_follows_a_file(tmp_path: Path) -> None:
    file = written(tmp_path, "def agent(p):\n    return 5\n")
    for rest in ("agent,x=1", "a b", "depth=3"):
        with pytest.raises(InvalidSpec, match="takes the name of a function or class of that file"):
            make_agent(f"{file}:{rest}")


@pytest.mark.parametrize(
    "text",
    [
        "def agent(p, depth=3):\n    return depth\n",
        "def agent(obs, config=None):\n    return obs['mark'] + 2 + 0 * config.columns\n",
        "def agent(observation):\n    return observation.mark + 2\n",
        "class Player:\n    def __call__(self, p):\n        return 3\nagent = Player()\n",
        "from functools import partial\ndef play(c, p):\n    return c\nagent = partial(play, 3)\n",
        "def agent(obs, config):\n    return 3\n",
        "import numpy as np\ndef agent(p):\n    return np.int8(3)\n",
        "import numpy as np\ndef agent(p):\n    return np.array([0, 3, 1]).argmax() + 2\n",
    ],
)
def test_many_forms_of_functions(tmp_path: Path, text: str) -> None:
    assert choose(written(tmp_path, text) + ":agent").column == 3


@pytest.mark.parametrize(
    ("text", "name", "output"),
    [
        (PLAIN, "player", "{file} does not define 'player': it has agent"),
        ("x = 3\n", "player", "{file} does not define 'player'"),
        ("x = 3\n", "", "{file} defines no function to play with"),
        (
            "class Player:\n    def move(self, board):\n        return 3\n",
            "",
            "{file} defines no function to play with: to play Player, give {file}:Player",
        ),
        ("agent = 3\n", "agent", "{file}:agent is not a function or an Agent"),
        ("agent = None\n", "", "{file} is not a function or an Agent"),
        (
            "def agent(a, b, c):\n    return 0\n",
            "agent",
            "{file}:agent takes 3 arguments: an agent takes a position, or (obs, config)",
        ),
        (
            "def agent():\n    return 3\n",
            "",
            "{file}: agent takes no arguments: an agent takes a position, or (obs, config)",
        ),
        (
            "class Thing:\n    pass\n",
            "Thing",
            "{file}:Thing: the class Thing is not a claimeven Agent",
        ),
        (
            "from claimeven.agents import Agent\nclass Half(Agent):\n    pass\n",
            "Half",
            "{file}:Half: it cannot be made: TypeError: ",
        ),
        ("def agent(p:\n    return 0\n", "agent", "{file} cannot be loaded: SyntaxError: "),
        ("import nothing_of_that_name\n", "", "{file} cannot be loaded: ModuleNotFoundError: No"),
        ("1 / 0\n", "", "{file} cannot be loaded: ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(3)\n", "", "{file} cannot be loaded: SystemExit: 3"),
        ("agent = max\n", "agent", "{file}:agent has no signature that Python can read"),
    ],
)  # fmt: skip
def test_files_without_an_agent_are_reported_in_one_sentence(
    tmp_path: Path, text: str, name: str, output: str
) -> None:
    file = written(tmp_path, text)
    with pytest.raises(InvalidSpec) as caught:
        loaded(f"{file}:{name}" if name else file)
    assert str(caught.value).startswith(output.format(file=file))
    assert "\n" not in str(caught.value)


def test_missing_files_and_modules_are_reported() -> None:
    for spec in ("nowhere/mine.py:agent", "nowhere/mine.py"):
        with pytest.raises(InvalidSpec) as caught:
            make_agent(spec)
        assert str(caught.value) == "there is no file nowhere/mine.py"
    with pytest.raises(InvalidSpec, match=r"there is no agent 'no_such_module'"):
        make_agent("no_such_module:agent")
    with pytest.raises(InvalidSpec, match=r"string does not define 'agent'"):
        make_agent("string:agent")
    with pytest.raises(InvalidSpec, match="there is no agent 'aaa"):
        make_agent("a" * 300)  # too long for a file


def test_a_file_named_without_its_ending_is_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidSpec, match=r"there is no agent 'mine': for the file give mine\.py"):
        make_agent("mine")
    with pytest.raises(InvalidSpec, match=r"after that, mine\.py:NAME,option=value; got 'a=1'"):
        make_agent("mine.py,a=1")


def test_a_broken_package_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    written(tmp_path, "raise RuntimeError('out of order')\n", "users_broken/__init__.py")
    written(tmp_path, PLAIN, "users_broken/players.py")
    with pytest.raises(InvalidSpec) as caught:
        loaded("users_broken.players:agent")
    assert str(caught.value) == (
        "users_broken.players cannot be loaded: RuntimeError: out of order"
    )


def test_prints_of_a_file_go_to_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "print('loading')\ndef agent(p):\n    print('thinking')\n    return 0\n"
    choose(written(tmp_path, text))
    out, err = capsys.readouterr()
    assert (out, err) == ("", "loading\nthinking\n")


def test_an_evaluation_of_ones_own(tmp_path: Path) -> None:
    text = (
        "def rightmost(position):\n"
        "    own = position.geometry.column_mask(6) & position.theirs\n"
        "    return -own.bit_count()\n"
        "number = 3\n"
    )
    file = written(tmp_path, text)
    agent = make_agent(f"minimax:depth=1,eval={file}:rightmost")
    decision = decided(agent)
    agent.close()
    assert decision.column == 6
    assert decision.details["backend"] == "python"
    alone = written(tmp_path, text.replace("number = 3\n", ""), "alone.py")
    assert load_evaluation(str(alone))(Position.from_moves("7")) == -1
    agent = make_agent(f"minimax:depth=1,eval={alone}")
    assert isinstance(agent, ProcessAgent)
    agent.close()
    for name, sentence in (
        ("leftmost", f"{file} does not define 'leftmost': it has rightmost"),
        ("number", f"{file}:number is not a function"),
    ):
        with pytest.raises(InvalidSpec) as caught:
            load_evaluation(f"{file}:{name}")
        assert str(caught.value) == sentence
    with pytest.raises(InvalidEvaluation, match="there is no evaluation 'nothing'"):
        load_evaluation("nothing")


#: Names of modules of Python's own as names of files next to a bot.
SHADOWS = ("statistics", "heapq", "queue", "random", "json", "typing")


@pytest.mark.usefixtures("real_starts")
def test_neighbors_do_not_shadow_modules_of_python(tmp_path: Path) -> None:
    for name in SHADOWS:
        written(tmp_path, "def agent(p):\n    return p.legal_columns[0]\n", f"{name}.py")
    text = (
        "import heapq, json, queue, random, statistics\n"
        "def agent(p):\n"
        "    import typing, users_friend\n"
        "    assert queue.Queue and typing.Any and json.loads('1') == users_friend.ONE\n"
        "    return int(statistics.mean(heapq.nsmallest(3, p.legal_columns)))\n"
    )
    written(tmp_path, "ONE = 1\n", "users_friend.py")
    spec = written(tmp_path, text)
    with closing(make_agent(spec)) as agent:
        for _ in range(2):
            assert decided(agent).column == 1
    report = check_agent(str(tmp_path / "queue.py"))
    assert report.is_fine
    assert any("queue.py has the name of a module of Python" in note for note in report.notes)
    report = check_agent(spec)
    assert {note.partition(".py")[0] for note in report.notes} == set(SHADOWS)


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("from .helpers import BEST", {"bots/__init__.py": "", "bots/helpers.py": "BEST = 4\n"}),
        ("from bots.helpers import BEST", {"bots/__init__.py": "", "bots/helpers.py": "BEST = 4"}),
        ("from .helpers import BEST", {"bots/helpers.py": "BEST = 4\n"}),
        ("from bots.helpers import BEST", {"bots/helpers.py": "BEST = 4\n"}),
        ("from . import BEST", {"bots/__init__.py": "BEST = 4\n"}),
        ("from ..shared import BEST", {"__init__.py": "", "bots/__init__.py": "",
                                       "shared.py": "BEST = 4\n"}),
    ],
)  # fmt: skip
def test_a_file_in_a_package_plays(
    text: str, files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "users_course"
    for name, content in files.items():
        written(folder, content, name)
    spec = written(folder, f"{text}\ndef agent(position):\n    return BEST\n", "bots/mine.py")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for place in (elsewhere, folder):
        monkeypatch.chdir(place)
        with closing(make_agent(spec)) as agent:
            assert decided(agent).column == 4


NOTEBOOK = '{\n "cells": [{"cell_type": "code", "source": ["x = true"]}],\n "nbformat": 4}'


@pytest.mark.parametrize("name", ["odd.py", "odd.ipynb", "odd"])
@pytest.mark.parametrize(
    ("content", "output"),
    [
        (NOTEBOOK.encode(), "is a notebook: save the cell with the agent as a file, with %%"),
        (b"PK\x03\x04" + bytes(300), "is an archive: unpack it and name the agent's file"),
        (
            gzip.compress(b"x" * 900, mtime=0),
            "is an archive: unpack it and name the agent's file",
        ),
        (b"\n<!DOCTYPE html><html></html>", "is a web page: download the Python file itself"),
        (b"\x80\x04\x95\0\0\0", "must be a Python file, got binary data"),
        (None, "is a folder, not a file: name the file in it, "),
        ("fifo", "is a device or a pipe, not a file"),
        ("/dev/zero", "is a device or a pipe, not a file"),
        (65 << 20, "must have at most 64 MB, got 65"),
    ],
)
def test_files_that_are_not_python_text_are_reported(
    content: bytes | str | int | None, output: str, name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is None:
        written(path, PLAIN, "main.py")
        output += str(path / "main.py")
    elif content == "fifo":
        os.mkfifo(path)
    elif isinstance(content, str):
        path.symlink_to(content)
    else:
        with path.open("wb") as file:
            file.truncate(content)
    for prefix in ("", "kaggle:"):
        with pytest.raises(InvalidSpec) as caught:
            make_agent(f"{prefix}{path}")
        assert f"{path} {output}" in str(caught.value)


OPTIONS = """
import functools
from claimeven import Agent, Decision

class P(Agent):
    def __init__(self, column=3, sure=False, word="x", weight=0.5):
        assert isinstance(sure, bool) and isinstance(weight, float) and isinstance(word, str)
        self.column = column + sure + int(weight)
    def choose(self, position, limit, rng):
        return Decision(self.column)

def plays(position, column=3, *, more=0):
    return column + more

def kaggle(obs, config, column=3):
    return column + 0 * obs.mark * config.rows

def make(column=3):
    return P(column)

def deep(position, depth: int):
    return depth

def own(obs, depth=2):
    return depth + 0 * obs.mark

def decorator(function):
    @functools.wraps(function)
    def wrapper(*given):
        return function(*given)
    return wrapper

@decorator
def decorated(obs, config):
    return config.rows

def free(position, **options):
    return sum(options.values())
"""


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("P", 3),
        ("P,column=1", 1),
        ("P, column = 1 , sure=yes", 2),
        ("P,weight=2", 5),
        ("P,word=a b", 3),
        ("plays,column=4", 4),
        ("plays,column=4,more=2", 6),
        ("kaggle,column=2", 2),
        ("make,column=6", 6),
        ("deep,depth=4", 4),
        ("own,depth=5", 5),
        ("decorated", 6),
        ("free,a=1,b=2", 3),
    ],
)
def test_agents_of_ones_own_take_options(name: str, column: int, tmp_path: Path) -> None:
    file = written(tmp_path, OPTIONS)
    with closing(make_agent(f"{file}:{name}")) as agent:
        assert agent.name == f"{file}:{name}"
        assert decided(agent).column == column


@pytest.mark.parametrize(
    ("name", "output"),
    [
        (
            "P,colum=1",
            "P has no option 'colum' (did you mean column?): it takes column, sure, word",
        ),
        ("P,column=x", "column=x of P: column takes a whole number"),
        ("P,sure=3", "sure=3 of P: sure takes yes or no"),
        ("P,weight=x", "weight=x of P: weight takes a finite number"),
        ("P,weight=nan", "weight=nan of P: weight takes a finite number"),
        ("P,weight=-inf", "weight=-inf of P: weight takes a finite number"),
        ("plays,position=1", "plays has no option 'position': it takes column, more"),
        ("make,depth=1", "make has no option 'depth': it takes column"),
        ("P,column=9,sure", "takes the name of a function or class of that file, and its options"),
    ],
)
def test_options_that_do_not_fit_are_reported(name: str, output: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidSpec) as caught:
        make_agent(f"{written(tmp_path, OPTIONS)}:{name}")
    assert output in str(caught.value)


ANNOTATED = """
from __future__ import annotations
from typing import Literal, Optional
from claimeven import Agent, Decision

class P(Agent):
    def __init__(self, column: int, side: Literal["left", "right"] = "left",
                 more: int | None = None, word: str = "1", weight: float = 0,
                 quick: "bool" = False):
        assert (type(word), type(weight), type(quick)) in ((str, float, bool), (str, int, bool))
        self.column = column + (side == "right") + (more or 0) + int(weight) + quick
    def choose(self, position, limit, rng):
        return Decision(self.column)

def make(column: Optional[int] = None, row: Literal[1, 2] = 1) -> Agent:
    return P(column or row + 1)

def plays(position, *, column: int, odd: nothing_of_that_name = 2):
    return column + odd
"""


@pytest.mark.parametrize(
    ("name", "column", "plays"),
    [
        ("P,column=2", 2, ", with side=left, word=1, weight=0, quick=no, column=2"),
        ("P,column=2,side=right,more=1", 4, ", with side=right, word=1, weight=0, quick=no"),
        ("P,column=0,word=7,weight=1.5,quick=yes", 2, ", with side=left, word=7, weight=1.5,"),
        ("make", 2, ", with row=1"),
        ("make,row=2", 3, ", with row=2"),
        ("make,column=5", 5, ", with row=1, column=5"),
        ("plays,column=3", 5, ", with odd=2, column=3"),
    ],
)
def test_annotations_decide_how_options_are_read(
    name: str, column: int, plays: str, tmp_path: Path
) -> None:
    agent = loaded(f"{written(tmp_path, ANNOTATED)}:{name}")
    assert decided(agent).column == column
    assert plays in agent.plays


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("P", ":P: it cannot be made: P needs column: add ,column=VALUE after its name"),
        ("P,column=1.5", "column=1.5 of P: column takes a whole number"),
        ("P,column=1,side=rigt", "side=rigt of P (did you mean right?): side takes left, right"),
        ("P,column=1,quick=maybe", "quick=maybe of P: quick takes yes or no"),
        ("make,row=3", "row=3 of make: row takes 1, 2"),
        ("plays", "plays takes column by name, without a default: an agent takes a position, or"),
        ("plays,odd=1", "plays needs column: add ,column=VALUE after its name"),
    ],
)
def test_options_of_another_type_are_reported(name: str, output: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidSpec) as caught:
        loaded(f"{written(tmp_path, ANNOTATED)}:{name}")
    assert output in str(caught.value) and "\n" not in str(caught.value)


HELPER = "def score(board, player):\n    return 0\ndef helper(x):\n    return x\n"


@pytest.mark.parametrize(
    ("text", "plays"),
    [
        ("def my_bot(position):\n    return 1\ndef main():\n    return 0\n", "my_bot(position), "),
        ("def my_agent(obs, config):\n    return 1\n" + HELPER, "my_agent(observation, config"),
        ("def choose_move(board):\n    return 1\n" + HELPER, "choose_move(position), the best of"),
        ("def get_best_move(state):\n    return 1\ndef evaluate(board):\n    return 0\n"
         "def get_valid_moves(board):\n    return 0\ndef other_player(p):\n    return 0\n" + HELPER,
         "get_best_move(position), the best of the"),
        ("class P(Agent):\n    def choose(self, p, l, r):\n        return Decision(1)\n" + HELPER,
         "P.choose(position, limit, rng), the best of the"),
        ("class P(Agent):\n    def choose(self, p, l, r):\n        return Decision(1)\nbot = P()\n"
         + HELPER, "P.choose(position, limit, rng), the last of the"),
        ("def one(x):\n    return 0\ndef two(x):\n    return 1\n",
         "two(position), the last of the possible agents in mine.py; to play one, give"),
        ("def agent(observation):\n    return 1\n" + HELPER, "agent(observation), the one called"),
        ("agent = lambda p: 1\n" + HELPER, "<lambda>(position), the one called agent"),
    ],
)  # fmt: skip
def test_the_likeliest_agent_of_a_file_plays(text: str, plays: str, tmp_path: Path) -> None:
    spec = written(tmp_path, "from claimeven import Agent, Decision\n" + text)
    with closing(make_agent(spec)) as agent:
        assert agent.plays.startswith(plays)
        assert decided(agent).column == 1


def test_functions_without_a_position_never_play(tmp_path: Path) -> None:
    for text, output in (
        ("def main():\n    return 0\n", "defines no function to play with"),
        ("def run():\n    pass\n", "run takes no arguments: an agent takes a position, or"),
    ):
        with pytest.raises(InvalidSpec, match=output):
            make_agent(written(tmp_path, text))
    # Kaggle calls such a function without arguments, and so does this spec.
    spec = f"kaggle:{written(tmp_path, 'def agent():' + chr(10) + '    return 3')}"
    with closing(make_agent(spec)) as agent:
        assert decided(agent).column == 3
    spec = written(tmp_path, "def bot(board, piece):\n    return board[0]\n")
    with pytest.raises(InvalidSpec, match=r"bot takes \(board, piece\): an agent takes a position"):
        make_agent(spec)
    text = "def agent(obs, config):\n    pass\n"
    (fault,) = check_agent(written(tmp_path, text)).faults
    assert fault.reason == "returned None instead of a column number"
    assert "ends with a return" in fault.advice


def test_a_fault_names_a_guessed_agent(tmp_path: Path) -> None:
    text = "def one(x):\n    return 0\ndef two(x, y):\n    return x[0][y]\n"
    result = play_match(
        written(tmp_path, text.replace("return 0", "return x[0]")), "random", games=2
    )
    assert {reason for _, reason in result.faults[0]} == {
        "raised TypeError: 'Position' object is not subscriptable (it plays one(position), the best"
        f" of the possible agents in mine.py; to play two, give {tmp_path}/mine.py:NAME)"
    }
    text = "def agent(obs, config):\n    return 0\ndef helper(board):\n    return board[9]\n"
    result = play_match(f"kaggle:{written(tmp_path, text)}", "random", games=2)
    ((_, reason), *_) = result.faults[0]
    assert reason == (
        "raised KeyError: 9 (it plays helper(observation), the last callable of mine.py, as on"
        " Kaggle: agent above it does not play)"
    )
    assert advice_on_fault(FaultKind.CRASH, reason, "").startswith("move the function that should")


def test_the_first_fault_of_a_match_names_a_guessed_agent(tmp_path: Path) -> None:
    spec = written(tmp_path, "def my_bot(position):\n    return 9\n")
    for jobs in (1, 2):
        result = play_match(spec, "random", games=2, jobs=jobs)
        ((_, reason), *_) = result.faults[0]
        assert reason == (
            "returned column 9 (counted from 0), which is not on the board: legal were 0, 1, 2, 3,"
            " 4, 5, 6 (it plays my_bot(position), the only one in mine.py that can be an agent)"
        )
    ((_, reason), *_) = play_match(f"{spec}:my_bot", "random", games=2).faults[0]
    assert "it plays" not in reason
