"""Solvers with Pons's command line: games, scores, and wrong answers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from claimeven import Geometry, Limit, Position
from claimeven.agents import AgentFault, InvalidSpec, Sandbox, make_agent
from claimeven.agents.base import FaultKind
from claimeven.agents.external.pons import PonsSolver, solver_of
from claimeven.arena import play_match
from claimeven.solver import Solver
from tests.agents.support import decided
from tests.positions import random_games

resource = pytest.importorskip("resource", reason="Windows has no such limits")

SMALL = Geometry(5, 4)
#: Our own `solve` in the place of the other program, in each of the forms that are understood.
DROP_IN = f"{sys.executable} -m claimeven solve --pons --columns 5 --rows 4 --table-mb 1"
FORMS = ("", " --stats", " -a")
#: Programs that fail, as Python on one line.
ANSWERS = "import sys\nfor line in sys.stdin:\n    m = line.strip()\n    print({}, flush=True)\n"


@pytest.fixture(scope="module")
def exact() -> Iterator[Solver]:
    yield Solver(SMALL, table_mb=1)


@pytest.mark.parametrize("form", FORMS)
def test_scores_of_another_program_equal_the_solver(form: str, exact: Solver) -> None:
    other = solver_of(f"pons:{DROP_IN}{form}", SMALL)
    for columns in random_games(SMALL, 10, seed=3, ongoing=True):
        position = Position.from_moves(columns, SMALL)
        assert other.score(position) == exact.score(position)
        assert other.scores(position) == exact.scores(position)
    other.close()


def test_it_plays_perfectly() -> None:
    spec = f"pons:{DROP_IN} -a"
    result = play_match(spec, "perfect:table_mb=1", games=2, geometry=SMALL, limit=Limit(seconds=9))
    assert not any(result.forfeits)
    assert result.draws == 2  # with best play 5x4 is a draw


def failing(folder: Path, answer: str) -> str:
    file = folder / "solver.py"
    file.write_text(ANSWERS.format(answer), encoding="utf-8")
    return f"{sys.executable} {file}"


FAULTS = [
    ("m + ' x'", FaultKind.ILLEGAL, r"answered '12 x'"),
    ("m + ' 1 2'", FaultKind.ILLEGAL, r"answered '12 1 2': expected a score"),
    ("m + ' 999'", FaultKind.ILLEGAL, r"answered '12 999'"),
    ("m + ' -21'", FaultKind.ILLEGAL, r"answered '12 -21'"),  # of 20 cells
    ("'34 5'", FaultKind.ILLEGAL, r"answered '34 5' to '12'"),
    ("''", FaultKind.ILLEGAL, r"answered '' to '12'"),
    ("m + ' -1000' * 5", FaultKind.ILLEGAL, r"answered with scores that do not match"),
    ("exit(3)", FaultKind.CRASH, "ended its process: exit status 3"),
    ("__import__('time').sleep(600)", FaultKind.STALL, "did not answer in time"),
]


@pytest.mark.parametrize(
    ("answer", "kind", "output"), FAULTS, ids=[output for _, _, output in FAULTS]
)
def test_invalid_answers_are_faults(
    tmp_path: Path, answer: str, kind: FaultKind, output: str
) -> None:
    solver = PonsSolver(failing(tmp_path, answer), SMALL)
    with pytest.raises(AgentFault, match=output) as caught:
        solver.scores(Position.from_moves("12", SMALL), 1.0)
    assert caught.value.kind is kind
    solver.close()


def test_a_python_solver_that_does_not_flush_still_answers(tmp_path: Path) -> None:
    file = tmp_path / "solver.py"
    file.write_text(ANSWERS.format("m + ' 7'").replace(", flush=True", ""), encoding="utf-8")
    solver = PonsSolver(f"{sys.executable} {file}", SMALL)
    assert solver.score(Position.from_moves("12", SMALL), 30.0) == 7
    solver.close()


def test_all_questions_about_the_columns_of_a_position_share_its_time(tmp_path: Path) -> None:
    """It prints the score of the position immediately, and takes long for the next positions."""
    answer = "[__import__('time').sleep(4 if len(m) > 2 else 0), m + ' 0'][1]"
    solver = PonsSolver(failing(tmp_path, answer), SMALL)
    with pytest.raises(AgentFault, match="did not answer in time"):
        solver.scores(Position.from_moves("12", SMALL), 0.5)
    solver.close()


def test_a_board_of_three_columns_is_refused() -> None:
    """Three numbers could be the scores of its columns, or a score, nodes and time."""
    with pytest.raises(InvalidSpec, match="three columns: its answers are ambiguous"):
        solver_of("pons:cat", Geometry(3, 3, 3))


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="the system bounds other processes")
def test_the_memory_of_a_program_is_bounded(tmp_path: Path) -> None:
    answer = "m + ' ' + str(__import__('resource').getrlimit(2)[0] >> 24)"  # in 16 MB
    solver = PonsSolver(failing(tmp_path, answer), SMALL, memory_mb=208)
    assert solver.score(Position.from_moves("12", SMALL), 30.0) == 13
    solver.close()


def test_a_program_that_has_ended_is_started_again(tmp_path: Path) -> None:
    solver = PonsSolver(failing(tmp_path, "exit(3) if len(m) > 2 else m + ' 5'"), SMALL)
    assert solver.score(Position.from_moves("12", SMALL)) == 5
    with pytest.raises(AgentFault, match="exit status 3"):
        solver.score(Position.from_moves("123", SMALL))
    assert solver.score(Position.from_moves("12", SMALL)) == 5
    solver.close()


def test_one_that_does_not_answer_in_time_forfeits(tmp_path: Path) -> None:
    slow = "[__import__('time').sleep(9 if len(m) < 9 else 0), m + ' 0'][1]"
    spec = f"pons:{failing(tmp_path, slow)}"
    result = play_match(spec, "random", games=2, geometry=SMALL, limit=Limit(seconds=0.2))
    for played in result.games:
        forfeit = played.forfeit
        assert forfeit is not None
        assert forfeit.kind is FaultKind.STALL
        assert forfeit.reason == "took over 0.25 s more than the 0.2 s it had for a move"


@pytest.mark.parametrize(
    ("spec", "output"),
    [
        ("pons:./nowhere", "there is no program ./nowhere"),
        ("ugi:true", "another solver must be given as pons:COMMAND, got 'ugi:true'"),
        ("pons:", "pons: is incomplete: give pons:COMMAND"),
        ("pons:true", "does not answer as a solver: it ended its process: exit status 0"),
        ("pons:cat", "does not answer as a solver: it answered "),
    ],
)
def test_programs_that_are_not_solvers_are_refused(spec: str, output: str) -> None:
    with pytest.raises(InvalidSpec) as caught:
        solver_of(spec)
    assert output in str(caught.value)


def test_the_time_to_start_can_be_said() -> None:
    output = r"did not answer within 0\.4 s \(does it flush.* load_timeout gives it more time\)$"
    with pytest.raises(InvalidSpec, match=output):
        make_agent("pons:sleep 60", Geometry(), sandbox=Sandbox(load_timeout=0.4))


def test_a_program_for_another_board_is_refused() -> None:
    with pytest.raises(InvalidSpec, match="cannot play on 7x6 connect 4: it answered ''"):
        make_agent(f"pons:{DROP_IN}", Geometry())


def test_a_decision_holds_the_scores(exact: Solver) -> None:
    agent = make_agent(f"pons:{DROP_IN} -a", SMALL)
    position = Position.from_moves("1122", SMALL)
    decision = decided(agent, position)
    assert decision.details["values"] == list(exact.scores(position))
    assert decision.score == exact.score(position)
    assert decision.column in exact.best_columns(position)
    agent.close()
