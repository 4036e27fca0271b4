"""Agents and evaluations from a user's file or module, in the process that loads them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from claimeven import Position
from claimeven.agents import (
    Agent,
    Decision,
    FunctionAgent,
    InvalidSpec,
    KaggleAgent,
    Limit,
    ProcessAgent,
    make_agent,
)
from claimeven.agents.digests import digest_of_files
from claimeven.agents.files import file_of, load_agent, load_evaluation, split_file_spec
from claimeven.arena import check_agent
from claimeven.evaluation import InvalidEvaluation

PLAIN = """
def agent(position):
    return position.legal_columns[-1]
"""

KAGGLE = """
def agent(obs, config):
    assert obs.board == obs["board"] and obs.mark == obs["mark"]
    assert (config.columns, config.rows, config.inarow) == (7, 6, 4)
    assert config["columns"] == config.columns
    assert len(obs.board) == config.columns * config.rows
    return [c for c in range(config.columns) if obs.board[c] == 0][0]
"""

CLASS = """
from claimeven.agents import Agent, Decision

class Last(Agent):
    def choose(self, position, limit, rng):
        return Decision(position.legal_columns[-1], depth=limit.depth)
"""


@pytest.fixture(autouse=True)
def _modules_as_before() -> Iterator[None]:
    """Forget what the tests import, and the folders they are imported from."""
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
    return loaded(spec).choose(position, limit or Limit(), np.random.default_rng(0))


def test_a_plain_function_is_an_agent(tmp_path: Path) -> None:
    spec = written(tmp_path, PLAIN) + ":agent"
    agent = loaded(spec)
    assert isinstance(agent, FunctionAgent)
    assert agent.name == spec
    assert choose(spec, "777777").column == 5


def test_a_kaggle_function_is_an_agent(tmp_path: Path) -> None:
    spec = written(tmp_path, KAGGLE) + ":agent"
    assert isinstance(loaded(spec), KaggleAgent)
    assert choose(spec, "111111").column == 1


def test_an_agent_from_a_file_has_a_process_of_its_own(tmp_path: Path) -> None:
    spec = written(tmp_path, PLAIN) + ":agent"
    agent = make_agent(spec)
    assert isinstance(agent, ProcessAgent)
    assert agent.name == spec
    decision = agent.choose(Position.from_moves("777777"), Limit(), np.random.default_rng(0))
    assert decision.column == 5
    agent.close()


def test_an_agent_class_and_an_agent_object(tmp_path: Path) -> None:
    spec = written(tmp_path, CLASS + "\nready = Last()\n")
    for name in ("Last", "ready"):
        agent = loaded(f"{spec}:{name}")
        assert isinstance(agent, Agent)
        assert agent.name == f"{spec}:{name}"
        assert choose(f"{spec}:{name}", limit=Limit(depth=3)).depth == 3


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


def test_files_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
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


def test_a_file_may_import_its_neighbours(tmp_path: Path) -> None:
    written(tmp_path, "BEST = 4\n", "users_neighbour.py")
    spec = written(tmp_path, "from users_neighbour import BEST\ndef agent(p):\n    return BEST\n")
    assert choose(spec).column == 4


def test_a_module_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    written(tmp_path, "", "users_package/__init__.py")
    written(tmp_path, "def play(p):\n    return 5\n", "users_package/players.py")
    assert file_of("users_package.players:play") == tmp_path / "users_package" / "players.py"
    assert "users_package" not in sys.modules
    assert choose("users_package.players:play").column == 5
    before = digest_of_files("users_package.players:play")
    written(tmp_path, "def play(p):\n    return 4\n", "users_package/players.py")
    assert before is not None and digest_of_files("users_package.players:play") != before
    written(tmp_path, "def agent(p):\n    return 5\n", "pong.py")  # not a misspelt pons:
    assert choose("pong:agent").column == 5
    written(tmp_path, "raise RuntimeError('x')\n", "boom.py")
    report = check_agent("boom:agent")
    assert report.failure is not None and "RuntimeError: x" in report.failure.traceback


def test_what_follows_a_file_is_a_name(tmp_path: Path) -> None:
    file = written(tmp_path, "def agent(p):\n    return 5\n")
    for rest in ("agent,x=1", "a b", "depth=3"):
        with pytest.raises(InvalidSpec, match="takes the name of a function or class of that file"):
            make_agent(f"{file}:{rest}")


@pytest.mark.parametrize(
    "text",
    [
        "def agent(p, depth=3):\n    return depth\n",
        "def agent(*, seed=0, **more):\n    return 3\n",
        "def agent():\n    return 3\n",
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
    ("text", "name", "told"),
    [
        (PLAIN, "player", "{file} has nothing called 'player': it has agent"),
        ("x = 3\n", "player", "{file} has nothing called 'player'"),
        ("x = 3\n", "", "{file} defines no function to play with"),
        ("agent = 3\n", "agent", "{file}:agent is not a function or an Agent"),
        ("agent = None\n", "", "{file} is not a function or an Agent"),
        (
            "def agent(a, b, c):\n    return 0\n",
            "agent",
            "{file}:agent takes 3 arguments: an agent takes a position, or (obs, config)",
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
        ("agent = max\n", "agent", "{file}:agent does not say which arguments it takes"),
    ],
)  # fmt: skip
def test_files_without_an_agent_are_told_in_one_sentence(
    tmp_path: Path, text: str, name: str, told: str
) -> None:
    file = written(tmp_path, text)
    with pytest.raises(InvalidSpec) as caught:
        loaded(f"{file}:{name}" if name else file)
    assert str(caught.value).startswith(told.format(file=file))
    assert "\n" not in str(caught.value)


def test_missing_files_and_modules_are_told() -> None:
    for spec in ("nowhere/mine.py:agent", "nowhere/mine.py"):
        with pytest.raises(InvalidSpec) as caught:
            make_agent(spec)
        assert str(caught.value) == "there is no file nowhere/mine.py"
    with pytest.raises(InvalidSpec, match=r"there is no agent 'no_such_module'"):
        make_agent("no_such_module:agent")
    with pytest.raises(InvalidSpec, match=r"string has nothing called 'agent'"):
        make_agent("string:agent")
    with pytest.raises(InvalidSpec, match="there is no agent 'aaa"):
        make_agent("a" * 300)  # too long for a file


def test_a_file_named_without_its_ending_is_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidSpec, match=r"there is no agent 'mine': for the file say mine\.py"):
        make_agent("mine")


def test_a_broken_package_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    written(tmp_path, "raise RuntimeError('out of order')\n", "users_broken/__init__.py")
    written(tmp_path, PLAIN, "users_broken/players.py")
    with pytest.raises(InvalidSpec) as caught:
        loaded("users_broken.players:agent")
    assert str(caught.value) == (
        "users_broken.players cannot be loaded: RuntimeError: out of order"
    )


def test_what_a_file_prints_goes_to_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
    decision = agent.choose(Position(), Limit(), np.random.default_rng(0))
    agent.close()
    assert decision.column == 6
    assert decision.details["backend"] == "python"
    alone = written(tmp_path, text.replace("number = 3\n", ""), "alone.py")
    assert load_evaluation(str(alone))(Position.from_moves("7")) == -1
    agent = make_agent(f"minimax:depth=1,eval={alone}")
    assert isinstance(agent, ProcessAgent)
    agent.close()
    for name, sentence in (
        ("leftmost", f"{file} has nothing called 'leftmost': it has rightmost"),
        ("number", f"{file}:number is not a function"),
    ):
        with pytest.raises(InvalidSpec) as caught:
            load_evaluation(f"{file}:{name}")
        assert str(caught.value) == sentence
    with pytest.raises(InvalidEvaluation, match="there is no evaluation 'nothing'"):
        load_evaluation("nothing")
