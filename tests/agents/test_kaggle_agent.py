"""Kaggle agents: called as kaggle-environments 1.33 calls them, recorded from it."""

from __future__ import annotations

import math
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.agents import AgentFault, InvalidSpec, KaggleAgent, Limit, Sandbox
from claimeven.agents.base import FaultKind
from claimeven.agents.external import split_foreign
from claimeven.agents.external.kaggle import kaggle_arguments
from claimeven.agents.files import load_agent, split_file_spec
from claimeven.arena.games.safe_call import timed_decision
from tests.agents.support import decided

#: The observation of the first player after the moves 1 and 6, by `make("connectx").run(...)`.
OBSERVATION = {
    "remainingOverageTime": 60,
    "step": 2,
    "board": [0] * 35 + [1, 0, 0, 0, 0, 2, 0],
    "mark": 1,
}
CONFIGURATION = {
    "episodeSteps": 1000,
    "actTimeout": 2,
    "runTimeout": 1200,
    "columns": 7,
    "rows": 6,
    "inarow": 4,
    "agentTimeout": 60,
    "timeout": 2,
}


def choose(function: Any, moves: str = "", limit: Limit | None = None) -> Any:
    agent = KaggleAgent("mine", function)
    return timed_decision(
        agent, Position.from_moves(moves), limit or Limit(), np.random.default_rng(0)
    )[0]


def test_the_arguments_equal_kaggles() -> None:
    observation, configuration = kaggle_arguments(Position.from_moves("16"), Limit())
    assert observation == OBSERVATION
    assert configuration == CONFIGURATION
    assert list(configuration) == list(CONFIGURATION)
    assert type(observation.board) is list
    assert {type(cell) for cell in observation.board} == {int}
    assert observation.mark == observation["mark"]
    observation.note = 1
    assert observation["note"] == 1
    with pytest.raises(AttributeError):
        _ = observation.nothing


def test_other_boards_and_limits() -> None:
    position = Position.from_moves("112", Geometry(3, 2, 3))
    observation, configuration = kaggle_arguments(position, Limit(seconds=0.5), bank=0)
    assert observation.board == [2, 0, 0, 1, 1, 0]
    assert (observation.mark, observation.step, observation.remainingOverageTime) == (2, 3, 0)
    assert (configuration.columns, configuration.rows, configuration.inarow) == (3, 2, 3)
    assert configuration.actTimeout == configuration.timeout == 0.5


@pytest.mark.parametrize(
    "function",
    [
        lambda: 3,
        lambda obs: obs.mark + 2,
        lambda obs, config: config.inarow - 1,
        lambda obs, config=None: config["inarow"] - 1,
        lambda obs, config, x=3: x,
        lambda obs, config, *, k=3: k,
        lambda *arguments: 3 + len(arguments),
    ],
)
def test_a_function_gets_an_argument_for_each_parameter(function: Any) -> None:
    assert choose(function).column == 3


@pytest.mark.parametrize("answer", [True, "3", 3.5, [3], np.int64(3), np.bool_(1), math.nan])
def test_answers_that_kaggle_calls_invalid_are_reported(answer: Any) -> None:
    with pytest.raises(AgentFault) as caught:
        choose(lambda obs: answer)
    assert str(caught.value) == (
        f"returned {answer!r}, which Kaggle calls INVALID: it takes a plain int"
    )


def test_other_answers_kaggle_does_not_take() -> None:
    with pytest.raises(AgentFault, match=r"returned 3\.0, which breaks Kaggle's runner"):
        choose(lambda obs: 3.0)
    for column in (7, -1):
        with pytest.raises(AgentFault, match=f"returned column {column} .*not on the board"):
            choose(partial(lambda column, obs, config: column, column))
    decision = choose(lambda obs: None)
    assert decision.column == 0
    assert decision.details["note"] == "it returned None, which Kaggle reads as column 0"


def test_the_bank_counts_down(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    seen: list[float] = []

    def takes_25_seconds(obs: Any) -> int:
        seen.append(obs.remainingOverageTime)
        now[0] += 25
        return 0

    agent = KaggleAgent("mine", takes_25_seconds)
    position, rng = Position(), np.random.default_rng(0)
    for _ in range(2):
        agent.reset()
        for bank in (37, 14):
            assert agent.choose(position, Limit(), rng).details["time_bank"] == bank
        with pytest.raises(
            AgentFault, match=r"used up its time bank of 60 s, .* TIMEOUT"
        ) as caught:
            agent.choose(position, Limit(), rng)
        assert caught.value.kind is FaultKind.TIME
    assert seen == [60, 37, 14] * 2
    agent.reset()
    agent.choose(position, Limit(seconds=30), rng)
    assert seen[-1] == 0
    agent.choose(position, Limit(seconds=30, time_bank=7), rng)
    assert seen[-1] == 7


def test_a_bank_may_be_emptied_to_the_last_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kaggle ends the game if the bank is below 0."""
    now, takes = [0.0], iter((62, 2, 3))
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def thinks(obs: Any) -> int:
        now[0] += next(takes)
        return 0

    agent, rng = KaggleAgent("mine", thinks), np.random.default_rng(0)
    for _ in range(2):
        assert agent.choose(Position(), Limit(), rng).details["time_bank"] == 0
    with pytest.raises(AgentFault, match="used up its time bank"):
        agent.choose(Position(), Limit(), rng)


def loaded(spec: str) -> KaggleAgent:
    parts, foreign = split_file_spec(spec), split_foreign(spec)
    if foreign is not None:
        agent = foreign[0].build(foreign[1], spec, Sandbox())
    else:
        assert parts is not None
        agent = load_agent(spec, *parts)
    assert isinstance(agent, KaggleAgent)
    return agent


def written(folder: Path, text: str) -> str:
    path = folder / "main.py"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_submission_is_loaded_as_kaggle_does(tmp_path: Path) -> None:
    (tmp_path / "users_columns.py").write_text("BEST = 4\n", encoding="utf-8")
    spec = written(
        tmp_path,
        "from users_columns import BEST\n"
        "assert '__file__' not in globals()\n"
        "def agent(obs, config):\n    return 0\n"
        "def helper(board):\n    return BEST + 0 * board.mark\n",
    )
    agent = loaded(f"kaggle:{spec}")
    assert agent.name == f"kaggle:{spec}"
    assert decided(agent).column == 4


def test_a_submission_finds_the_files_next_to_it(tmp_path: Path) -> None:
    (tmp_path / "weights.txt").write_text("5", encoding="utf-8")
    spec = written(
        tmp_path,
        "from pathlib import Path\n"
        "def agent(obs, config):\n"
        "    return int(Path(config.__raw_path__).with_name('weights.txt').read_text())\n",
    )
    agent = loaded(f"kaggle:{spec}")
    assert decided(agent).column == 5


def test_a_file_without_a_name_plays_agent_and_warns_if_kaggle_would_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "def agent(obs, config):\n    return 0\n"
    spec = written(tmp_path, text + "def better(obs):\n    return 1\n")
    assert loaded(spec).function.__name__ == "agent"
    assert capsys.readouterr().err == (
        f"{spec}: on Kaggle the last callable (better) would be the agent, as it is for"
        f" kaggle:{spec}\n"
    )
    assert loaded(f"kaggle:{spec}").function.__name__ == "better"
    assert loaded(f"{spec}:agent").function.__name__ == "agent"
    spec = written(tmp_path, "def helper(a, b):\n    return 1\n" + text)
    assert loaded(spec).function.__name__ == "agent"
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("x = 3\n", "must define a callable: on Kaggle the last one is the agent"),
        ("1 / 0\n", "cannot be loaded: ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(3)\n", "cannot be loaded: SystemExit: 3"),
        ("def agent(:\n", "cannot be loaded: SyntaxError: "),
    ],
)
def test_submissions_that_cannot_be_loaded_are_reported(
    tmp_path: Path, text: str, output: str
) -> None:
    file, before = written(tmp_path, text), list(sys.path)
    with pytest.raises(InvalidSpec) as caught:
        loaded(f"kaggle:{file}")
    assert sys.path == before
    assert str(caught.value).startswith(f"{file} {output}")
    with pytest.raises(InvalidSpec, match=r"there is no file .*nowhere\.py"):
        loaded("kaggle:nowhere.py")


FUNCTIONS: dict[str, Any] = {
    "first free": lambda obs, config: next(c for c in range(config.columns) if not obs.board[c]),
    "fourth": lambda obs: 3,
    "none": lambda: None,
    "no number": lambda obs, config=None: "3",
    "true": lambda obs: True,
    "numpy": lambda obs: np.int64(3),
    "half": lambda obs: 3.5,
    "off": lambda obs: 7,
    "three": lambda a, b, c: 3,
}


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_against_kaggles_own_runner(name: str) -> None:
    kaggle = pytest.importorskip("kaggle_environments")
    function = FUNCTIONS[name]
    environment = kaggle.make("connectx")
    environment.run([function, "random"])
    output = environment.steps[1][0]
    if output.status == "INACTIVE":
        assert choose(function).column == environment.steps[1][0].action
    else:
        with pytest.raises(AgentFault):
            choose(function)
