"""The findings of `check` about an agent: faults, time, memory, and files that do not load."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Limit, Position, make_agent
from claimeven.agents import InvalidLimit, InvalidSpec
from claimeven.agents.base import FaultKind
from claimeven.arena import validate
from claimeven.arena.findings import ENDED_ADVICE, advice_on_fault
from claimeven.arena.options import InvalidMatch
from claimeven.arena.probes import Fault
from claimeven.arena.validate import GAMES, CheckReport, check_agent
from tests.agents.process.test_process import bot


def test_an_agent_without_faults_is_fine() -> None:
    messages: list[tuple[int, int]] = []
    report = check_agent(bot("first"), on_progress=lambda *done: messages.append(done))
    assert report.is_fine
    total = report.positions + GAMES
    assert messages == [(done, total) for done in range(1, total + 1)]
    assert len(report.answers) == report.positions > 250
    assert report.plays == "agent(position), the one called agent, of first.py"
    assert [game.seat for game in report.games].count(0) == GAMES / 2
    for game in report.games:
        position = Position.from_moves(game.game.all_moves)
        assert position.is_over
        winner = position.outcome.winner if position.outcome else None
        assert (game.result == "won") == (winner == game.seat)
        assert (game.result == "drawn") == (winner is None)
        own = [len(moves) for _, moves in game.seconds]
        assert {ply % 2 for ply in own} == {game.seat}
        started = len(game.game.opening)
        assert own == [ply for ply in range(started, position.ply) if ply % 2 == game.seat]
    assert sum(report.count("random", result) for result in ("won", "drawn", "lost")) == 6
    assert report.slowest is not None
    assert report.median is not None
    assert report.slowest == max(report.seconds)
    assert not Position.from_moves(report.slowest[1]).is_over
    assert report.memory is not None
    assert 10 < report.memory < 1000
    # The situations: an empty board, some discs, half of the board.
    openings = {len(game.game.opening) for game in report.games}
    assert openings == {0, 6, 21}


def test_the_same_seed_gives_the_same_games() -> None:
    one, other = (check_agent(bot("draws"), seed=3) for _ in range(2))
    assert [g.game.all_moves for g in one.games] == [g.game.all_moves for g in other.games]


def report_on(text: str, folder: Path, prefix: str = "") -> CheckReport:
    """The report on a bot whose file has this text."""
    (folder / "bot.py").write_text(text, encoding="utf-8", errors="surrogateescape")
    return check_agent(f"{prefix}{folder / 'bot.py'}", seed=1)


def the_fault(report: CheckReport) -> Fault:
    assert not report.is_fine
    (fault,) = report.faults
    return fault


def test_faults_are_reported_with_position_and_advice() -> None:
    fault = the_fault(check_agent(bot("full")))
    assert fault.kind is FaultKind.ILLEGAL
    assert fault.answers > 100 and len(fault.games) > 1  # though the columns differ
    assert fault.position == Position.from_moves(fault.moves)
    assert len(fault.position.legal_columns) < 7
    assert "counted from 0" in fault.advice
    fault = the_fault(check_agent(bot("raises")))
    assert len(fault.games) == GAMES
    assert fault.answers > 250
    assert fault.traceback.splitlines()[1].endswith("line 5, in agent")
    fault = the_fault(check_agent(bot("exits")))
    assert fault.answers < 10  # each time a process has to be started
    assert (fault.traceback, fault.reason) == ("", "ended its process: exit status 3")
    assert fault.advice == ENDED_ADVICE


@pytest.mark.parametrize("prefix", ["", "kaggle:"])
def test_set_up_only_at_the_start_of_a_game_is_found(prefix: str, tmp_path: Path) -> None:
    text = (
        "seen = None\ndef agent(obs, cfg):\n    global seen\n    if obs.step < 2:\n"
        "        seen = []\n    seen.append(obs.step)\n    return obs.board[:7].index(0)\n"
    )
    report = report_on(text, tmp_path, prefix)
    assert (report.is_stateful, report.is_fine) == (True, bool(prefix))
    if report.faults:
        assert "fails if it has not seen the moves before" in report.faults[0].advice
    other = report_on(text.replace("obs.board[:7].index(0)", "3"), tmp_path, prefix)
    kinds = {fault.kind for fault in other.faults}
    assert FaultKind.ILLEGAL in kinds  # the other mistake is not excused


def test_a_move_into_a_full_column_is_reported_with_its_line(
    tmp_path: Path,
) -> None:
    text = "def agent(position):\n    while True:\n        position = position.play(0)\n"
    fault = report_on(text, tmp_path).faults[0]
    assert fault.kind is FaultKind.CRASH
    assert fault.reason == "raised IllegalMove: column 1 is full"
    assert fault.traceback.splitlines()[1].endswith('bot.py", line 3, in agent')
    assert "position.is_over" in fault.advice


@pytest.mark.parametrize(
    "body", ["return object()", "raise ValueError(object())", "return {}[position]"]
)
def test_one_mistake_is_one_fault_for_any_reasons(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validate, "SITUATIONS", (("random", 0.0), ("random", 0.3)))
    monkeypatch.setattr(validate, "GAMES", 4)
    fault = the_fault(report_on(f"def agent(position):\n    {body}\n", tmp_path))
    assert (fault.answers > 100, len(fault.games)) == (True, 4)


#: Mistakes of first programs, with the advice.
MISTAKES = [
    ("def student_move(state):\n    return state[0].index(0)", "has more"),
    (
        "def get_action(state):\n    return state.get_legal_actions()[0]",
        "not its own kind of board",
    ),
    ("def agent(p):\n    return open('missing.txt').read()", "next to your own file"),
    ("def agent(p):\n    import missing_module", "install the packages it imports"),
    ("def agent(position):\n    position.ply", "ends with a return"),
    ("async def agent(position):\n    return 3", "def instead of async def"),
    ("def agent(position):\n    yield 3", "return instead of yield"),
    ("def agent(position):\n    return 3.0", "as a whole number"),
    ("def agent(position):\n    return 3, 0.5", "return only the number"),
    ("def agent(observation):\n    return 3.0", "as a whole number"),
    ("def agent(position):\n    return 7", "counted from 0"),
    ("def agent(position):\n    return int(input())", "remove input()"),
    ("def agent(position):\n    exit()", "remove exit()"),
    ("def agent(position):\n    return agent(position)", "needs an end"),
    (
        "from claimeven import Agent\nclass A(Agent):\n    def choose(self, p, limit, rng):\n"
        "        return 3",
        "return Decision(column)",
    ),
    (
        "from claimeven import Agent\nclass A(Agent):\n    def choose(self, position):\n"
        "        return 3",
        "choose takes (self, position, limit, rng)",
    ),
    (
        "def timed(f):\n    return lambda *given: f(*given)\n@timed\ndef move(p): return 3",
        "name the function that plays, FILE:NAME",
    ),
    ("agent = len", "can be called like other agents"),
    # Here the line of the file says more.
    (
        "def deep(p, depth):\n    return 3\ndef agent(p):\n    return deep(p)",
        "names the line of your",
    ),
]


@pytest.mark.parametrize(("text", "advice"), MISTAKES)
def test_a_usual_mistake_has_its_own_advice(
    text: str, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validate, "SITUATIONS", (("random", 0.0),))
    monkeypatch.setattr(validate, "GAMES", 2)
    monkeypatch.setattr(validate, "MAX_ASKING", 0.0)  # no more positions than all are asked about
    assert advice in the_fault(report_on(text + "\n", tmp_path)).advice


#: Files that cannot be loaded, with the message and the advice.
NOT_LOADED = [
    ("class Agent:\n    pass", "is not a claimeven Agent", "derive the class"),
    ("def one(a, b, c):\n    return 0", "one takes 3 arguments", "FILE:NAME"),
    (
        "def agent(position, *, depth):\n    return 0",
        "agent takes depth by name, without a default: an agent takes a position, or",
        "other parameters have defaults",
    ),
    ("x = 3", "defines no function", "define a function"),
    ("import nothing_of_that_name", "No module named", "install the packages it imports"),
    ("from ..helper import x", "relative import", "import without a dot: from"),
    ("# caf\udce9", "encoding declaration", "save the file as UTF-8"),
    ("x = 1\n\n# caf\udce9", "is not UTF-8 text", "save the file as UTF-8"),
    ("name = input()", "EOFError", "remove input()"),
    ("import sys\nsys.exit()", "SystemExit", "remove exit()"),
    ("import argparse\nargparse.ArgumentParser().error('x')", "SystemExit: 2", "argparse below"),
    ("x = bytearray(10**13)", "MemoryError", "allow it more: --memory-limit MB"),
    ("def agent(position)", "SyntaxError", "run the file by itself first"),
    (
        "from claimeven import Agent\nclass A(Agent):\n    def __init__(self, x):\n        pass\n"
        "    def choose(self, position, limit, rng):\n        pass",
        "it cannot be made",
        "without arguments",
    ),
]


@pytest.mark.parametrize(("text", "reason", "advice"), NOT_LOADED)
def test_bots_that_cannot_be_loaded_get_advice_without_our_traceback(
    text: str, reason: str, advice: str, tmp_path: Path
) -> None:
    report = report_on(text + "\n", tmp_path)
    assert report.failure is not None
    assert reason in str(report.failure)
    assert advice in report.advice
    assert "claimeven/agents" not in report.failure.traceback
    assert report.as_dict()["advice"] == report.advice


@pytest.mark.parametrize(
    ("kind", "reason", "advice"),
    [
        ("illegal", "returned a Decision whose value is 7, out of range", "or leave it out"),
        (
            "illegal",
            "returned a Decision whose line in details is [9], not",
            "leave it out",
        ),
        ("illegal", "answered with column 0 (counted from 1), which is not", "counted from 1"),
        ("illegal", "answered with column 'x', which is not a number from 1", "counted from 1"),
        ("illegal", "answered bestmove 'z', which is not a column", "its letter, or its number"),
        ("crash", "wrote a line without end", "a newline"),
        ("crash", "wrote to the connection of its process", "did not open"),
    ],
)
def test_advice_fits_the_kind_of_agent(kind: str, reason: str, advice: str) -> None:
    assert advice in advice_on_fault(FaultKind(kind), reason, "")


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        (lambda position: 0, "cannot play in a separate one: give a spec"),
        (make_agent("random"), "cannot play in a separate one: give a spec"),
    ],
)
def test_agents_without_a_spec_cannot_be_checked(agent: Any, expected: str) -> None:
    with pytest.raises(InvalidSpec, match=expected):
        check_agent(agent)
    with pytest.raises(InvalidMatch, match="seed must be 0 or more, got -1"):
        check_agent("random", seed=-1)
    assert check_agent("random", memory_limit_mb=np.int64(2000)).is_fine  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "reason",
    [
        "answered with status 500",
        "answered with data that is not a JSON object",
        "cannot be reached: x",
    ],
)
def test_a_server_that_fails_has_its_own_advice(reason: str) -> None:
    assert "check the address" in advice_on_fault(FaultKind.CRASH, reason, "")
    of_its_own = advice_on_fault(
        FaultKind.CRASH, f"raised ValueError: {reason}", '  File "bot.py", line 3, in agent\n'
    )
    assert "the traceback, read from its end" in of_its_own


def test_one_that_never_answers_is_not_waited_for_ten_times() -> None:
    report = check_agent(bot("stalls"), limit=Limit(seconds=0.1))
    fault = the_fault(report)
    assert (fault.kind, fault.answers) == (FaultKind.STALL, 2)
    assert len(report.answers) < 10
    assert not report.games


def test_without_a_limit_a_check_waits_less_than_a_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validate, "MAX_WAITING", 0.2)
    report = check_agent(bot("stalls"))
    fault = the_fault(report)
    assert (fault.kind, fault.answers) == (FaultKind.STALL, 1)
    assert fault.reason == "did not answer within 0.2 s"
    assert not report.games


@pytest.mark.parametrize("board", [Geometry(1, 2, 2), Geometry(4, 3, 3), Geometry(9, 9, 5)])
def test_on_any_board(board: Geometry) -> None:
    report = check_agent("random", geometry=board)
    assert report.is_fine
    assert len(report.games) == GAMES


def test_broken_files_are_findings_and_missing_files_are_refused(tmp_path: Path) -> None:
    report = report_on("def agent(position:\n", tmp_path)
    assert not report.is_fine
    assert str(report.failure).startswith(f"{tmp_path / 'bot.py'} cannot be loaded: SyntaxError")
    assert report.failure is not None
    assert "importlib" not in report.failure.traceback
    for odd in ("nowhere.py", "gredy", "greedy:no=1", "human"):
        with pytest.raises(InvalidSpec):
            check_agent(odd)
    with pytest.raises(InvalidLimit):
        check_agent("uct", limit=Limit(depth=3))


def test_an_engine_of_another_program_is_checked_as_it_is() -> None:
    engine = Path(__file__).parents[1] / "agents" / "external" / "engines" / "small.py"
    limit = Limit(depth=1)
    assert check_agent(f"ugi:{sys.executable} {engine}", limit=limit).is_fine
    report = check_agent(f"ugi:{sys.executable} {engine} --fail die 12", limit=limit)
    assert report.memory is None
    assert [fault.reason for fault in report.faults] == ["ended its process: exit status 3"]
    assert report.faults[0].kind is FaultKind.CRASH


def test_the_advice_names_the_common_cause(tmp_path: Path) -> None:
    result = {fault.advice.partition(";")[0] for fault in report_on(
        "import random\ndef agent(p):\n    return random.choice(p.legal_columns) + 1\n", tmp_path
    ).faults}  # fmt: skip
    assert result == {"it never plays column 0: does it count from 1?"}
    text = "def agent(p):\n    return max(c for c in range(5) if c in (0, *p.legal_columns))\n"
    (fault,) = report_on(text, tmp_path).faults
    assert fault.advice.startswith("it never plays column 5, 6 (counted from 0); return one of")


def test_harmless_findings_are_notes(tmp_path: Path) -> None:
    text = "import secrets\ndef agent(p):\n    return secrets.choice(p.legal_columns)\n"
    report = report_on(text, tmp_path)
    assert report.is_fine
    assert [note[:50] for note in report.notes] == [
        "The same position and seed gave different columns:"
    ]
    assert report.as_dict()["notes"] == list(report.notes)
    assert not report_on("def agent(p):\n    return p.legal_columns[0]\n", tmp_path).notes


def test_a_slow_agent_is_asked_about_fewer_positions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validate, "MAX_ASKING", 0.0)
    monkeypatch.setattr(validate, "MAX_PLAYING", 0.0)
    report = report_on("def agent(p):\n    return p.legal_columns[0]\n", tmp_path)
    assert report.is_fine
    assert (len(report.answers), len(report.games)) == (21, 2)
    assert {answer.probe.only for answer in report.answers} == {None, *range(7)}
