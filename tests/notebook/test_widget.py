"""The Python side of the board in notebooks: which changes follow from which, and bad input."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from traitlets import TraitError

from claimeven import (
    ClaimevenError,
    Decision,
    GameLine,
    Geometry,
    IllegalMove,
    InvalidLimit,
    InvalidNotation,
    InvalidSpec,
    Limit,
    Position,
    Solver,
)  # fmt: skip
from claimeven.agents import Agent
from claimeven.agents.process.agent import ProcessAgent
from claimeven.game.svg import draw_svg
from claimeven.solver.scores import column_in_words
from tests.notebook.conftest import BoardWidget

SMALL = Geometry(4, 4)


class Waiting(Agent):
    """Answers when it is let go, with the first column."""

    def __init__(self) -> None:
        self.asked, self.may_go = threading.Semaphore(0), threading.Semaphore(0)
        self.games = 0

    def reset(self) -> None:
        self.games += 1

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        self.asked.release()
        assert self.may_go.acquire(timeout=60)
        return Decision(position.legal_columns[0])


@pytest.mark.parametrize(
    ("game", "moves"),
    [
        ("4455", "4455"),
        ([3, 3, 4, 4], "4455"),
        (GameLine(Position(), (3, 3, 4, 4)), "4455"),
        (GameLine(Position.from_moves("44"), (4, 4)), "55"),
        (Position.from_moves("4455"), ""),
    ],
)
def test_a_board_starts_at_the_given_position(game: Any, moves: str) -> None:
    board = BoardWidget(game, theme="dark", width=300)
    assert board.position == Position.from_moves("4455")
    assert board.line.position == board.position
    assert board.moves == moves
    assert (board.theme, board.width, board.agent_name) == ("dark", 300, "")
    assert (board.start == "") == (len(moves) == 4)


def test_each_trait_follows_from_the_others() -> None:
    board = BoardWidget()
    output: list[tuple[str, str]] = []
    board.observe(lambda change: output.append((change.new, str(board.position.ply))), "moves")
    board.moves = "4455"
    assert output == [("4455", "4")] and board.position == Position.from_moves("4455")
    board.undo().undo().play(6)
    assert board.moves == "447" and board.undone == ""
    board.undo().redo()
    assert board.moves == "447"
    board.moves = "4567"
    assert board.undo().undo().undone == "67" and board.redo().moves == "456"
    board.position = Position(Geometry(4, 4, 3))
    assert (board.size, board.connect, board.start) == ("4x4", 3, "")
    board.position = Position.from_moves("11", SMALL)
    assert (board.size, board.moves, board.start) == ("4x4", "", "..../..../O.../X...")
    assert board.play(3).new_game().position == Position.from_moves("11", SMALL)
    assert board.new_game(Position()).size == "7x6"


def test_illegal_moves_change_nothing() -> None:
    board = BoardWidget("44")
    with pytest.raises(TraitError, match="9"):
        board.moves = "49"
    with pytest.raises(IllegalMove, match=r"column 7 \(counted from 0\)"):
        board.play(7)
    sent: list[Any] = []
    board.send_state = sent.append
    board.set_state({"moves": "4444444"})  # from the page
    assert board.moves == "44" and sent[-1] == ["moves"]
    assert board.position == Position.from_moves("44")


def test_bad_arguments_are_refused_in_a_sentence() -> None:
    with pytest.raises(InvalidNotation):
        BoardWidget("49")
    with pytest.raises(IllegalMove):
        BoardWidget([3] * 7)
    with pytest.raises(InvalidSpec, match="greedi"):
        BoardWidget(agent="greedi")
    with pytest.raises(ClaimevenError, match=r"a seat must be .* got 2"):
        BoardWidget(agent="greedy", seat=2)
    with pytest.raises(ClaimevenError, match=r"a seat must be .* got -1"):
        BoardWidget(agent="greedy", seat=-1)
    with pytest.raises(InvalidSpec, match="13x9"):
        BoardWidget(agent="perfect", geometry=Geometry(13, 9))
    with pytest.raises(InvalidLimit, match="perfect cannot be limited by depth"):
        BoardWidget(agent="perfect", limit=Limit(depth=3))
    with pytest.raises(ClaimevenError, match="leave the agent out"):
        BoardWidget(agent="human")
    for arguments, said in (
        ({"limit": 3}, "a limit must be a Limit"),
        ({"seed": -1}, "seed must be 0 or more, got -1"),
        ({"seconds": "x"}, "seconds must be a number, got 'x'"),
        ({"seconds": True}, "seconds must be a number, got True"),
        ({"seconds": -1}, "seconds must be 0 or more, got -1"),
        ({"solver": 3, "show_scores": True}, "a solver must be a Solver, got 3"),
    ):
        with pytest.raises(ClaimevenError, match=said):
            BoardWidget(**arguments)  # type: ignore[arg-type]
    board = BoardWidget("4455")
    with pytest.raises(ClaimevenError, match="position must be a Position, got '44'"):
        board.new_game("44")  # type: ignore[arg-type]
    assert board.play(2).moves == "44553"


def test_the_agent_moves_first_where_it_has_the_first_seat() -> None:
    board = BoardWidget(agent="perfect", seat=0).wait()
    assert board.moves == "4" and board.decision is not None and board.decision.column == 3
    assert board.undo().wait().moves == "4"  # no move of yours to take back
    board.play(3).wait()
    assert board.undo().moves == "4" and len(board.undone) == 2
    assert board.agent_name == "perfect"


def test_whose_move_it_is_counts_from_where_the_board_began() -> None:
    board = BoardWidget(Position.from_moves("4"), agent="greedy", seat=0)
    assert board.wait().moves == ""
    assert len(board.play(3).wait().moves) == 2
    assert board.undo().moves == "" and len(board.redo().moves) == 2


def test_the_agent_keeps_to_its_limit() -> None:
    board = BoardWidget(agent="uct", limit=Limit(iterations=7)).play(3).wait()
    assert board.decision is not None and board.decision.iterations == 7


def test_finished_games_start_no_search() -> None:
    board = BoardWidget("1212121", agent="greedy", show_scores=True).wait()
    assert (board.decision, board.thinking, board.problem, board.known) == (None, False, "", {})


def test_a_move_of_the_agent_that_comes_too_late_does_not_count() -> None:
    agent = Waiting()
    board = BoardWidget(agent=agent).play(3)
    assert agent.asked.acquire(timeout=60)
    assert board.thinking and board.moves == "4"
    board.undo()
    assert not board.thinking
    agent.may_go.release()
    assert board.wait().moves == ""
    board.play(4)
    agent.may_go.release()
    assert board.wait().moves == "51" and agent.games == 1
    agent.may_go.release()
    assert board.new_game().play(0).wait().moves == "11" and agent.games == 2
    agent.may_go.release()
    board.undo().new_game(Position.from_moves("4455")).play(1).wait()  # no move is on the board
    assert board.moves == "21" and agent.games == 3
    board.close()


def test_waiting_has_an_end() -> None:
    agent = Waiting()
    board = BoardWidget(agent=agent).play(3)
    with pytest.raises(TimeoutError, match=r"the board is still busy after 0\.01 s"):
        board.wait(0.01)
    agent.may_go.release()
    assert board.wait().moves == "41"


def test_the_same_seed_gives_the_same_game() -> None:
    def game(seed: int) -> str:
        board = BoardWidget(agent="random", seed=seed)
        for _ in range(3):
            board.play(3).wait()
        return board.moves

    assert game(1) == game(1)
    assert len({game(seed) for seed in range(5)}) > 1


def test_scores_are_the_solvers_and_of_the_position_shown() -> None:
    solver = Solver(SMALL, table_mb=1)
    board = BoardWidget("12", SMALL, show_scores=True, solver=solver)
    assert board.wait().scores == solver.scores(board.position)
    board.play(0)
    assert board.wait().scores == solver.scores(Position.from_moves("121", SMALL))
    assert board.scores is not None
    assert board.known["words"] == [column_in_words(board.position, s) for s in board.scores]
    board.show_scores = False
    assert board.scores is None and board.known == {}
    board.show_scores = True
    other = Position(Geometry(3, 3, 3))  # each board gets its own solver
    assert board.new_game(other).wait().scores == Solver(other.geometry, table_mb=1).scores(other)
    assert board.new_game(Position(SMALL)).wait().scores == solver.scores(Position(SMALL))


def test_slow_scores_are_shown_as_far_as_known() -> None:
    board = BoardWidget(Position(Geometry(8, 7)), show_scores=True, seconds=0.05).wait()
    assert board.scores is None
    assert board.known["problem"] == "Not all columns could be solved in 0.05 s."
    board.new_game(Position(Geometry(13, 9))).wait()
    assert board.known["problem"].startswith("No scores: ")
    board = BoardWidget("121212", Geometry(8, 7), show_scores=True, seconds=0).wait()
    assert board.known["words"] == ["wins immediately", None, *["loses to the next move"] * 6]
    assert not board.known["done"] and board.scores is None


def test_a_search_for_scores_gives_way_to_the_next() -> None:
    board = BoardWidget(Position(Geometry(9, 6)), show_scores=True, seconds=600)
    board.new_game(Position.from_moves("11", SMALL))
    assert board.wait().scores is not None
    board.new_game(Position(Geometry(9, 6))).show_scores = False
    assert board.wait().known == {}


def test_notebooks_that_run_no_widgets_are_given_a_drawing() -> None:
    board = BoardWidget("44")
    output = board._repr_mimebundle_()
    data = output[0] if isinstance(output, tuple) else output
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["image/svg+xml"] == draw_svg(Position.from_moves("44"), 3)


def test_without_anywidget_one_sentence_names_the_extra() -> None:
    code = (
        # Neither of the two packages that the extra brings.
        "import sys; sys.modules['anywidget'] = sys.modules['traitlets'] = None\n"
        "import claimeven.notebook\n"
        "try:\n    from claimeven.notebook import BoardWidget\n"
        "except ImportError as error: print(error)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == (
        "the board in notebooks needs anywidget: pip install 'claimeven[notebook]'\n"
    )


def test_undone_moves_belong_to_their_line() -> None:
    board = BoardWidget("44").undo()
    board.moves = "1"
    assert board.undone == "" and board.redo().moves == "1"
    board = BoardWidget("4444441").undo().undo()
    board.moves = "444444"
    assert board.redo().moves == "444444"
    board = BoardWidget("4455").undo().undo()
    assert board.play(4).undone == "5" and board.redo().moves == "4455"
    board.undo().undo()
    board.set_state({"moves": "445", "undone": "5"})  # as the page takes steps
    assert board.undone == "5" and board.redo().moves == "4455"


def test_a_new_game_of_the_page_is_one_for_the_agent() -> None:
    agent = Waiting()
    for _ in range(4):
        agent.may_go.release()
    board = BoardWidget(agent=agent).play(3).wait()
    board.set_state({"moves": "", "undone": ""})
    board.play(4).wait()
    assert board.moves == "51" and agent.games == 2
    board.undo().redo().undo().play(2).wait()
    assert agent.games == 2
    board.close()


class Thinker(Waiting):
    """Counts how often it was closed."""

    closed = 0

    def close(self) -> None:
        self.closed += 1


def test_closing_a_board_ends_its_work_but_not_a_given_agent() -> None:
    agent = Thinker()
    board = BoardWidget(
        Position(Geometry(9, 6)), agent=agent, seat=0, show_scores=True, seconds=600
    )
    assert agent.asked.acquire(timeout=60)
    board.close()
    agent.may_go.release()
    assert board.wait().moves == "" and agent.closed == 0


def test_closing_a_board_waits_for_no_agent_and_ends_it(tmp_path: Path) -> None:
    asked, answered = tmp_path / "asked", tmp_path / "answered"
    (tmp_path / "slow.py").write_text(
        "import time\n"
        "from pathlib import Path\n"
        "def agent(position):\n"
        f"    Path({str(asked)!r}).touch()\n"
        f"    while not Path({str(answered)!r}).exists():\n"
        "        time.sleep(0.01)\n"
        "    return 0\n"
    )
    deadline = time.monotonic() + 60
    for is_busy in (True, False):
        board = BoardWidget(agent=f"{tmp_path / 'slow.py'}:agent").play(3)
        while not asked.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert isinstance(board.agent, ProcessAgent)
        if is_busy:
            board.close()
            assert board.agent.process is not None
            answered.touch()
            assert board.wait().moves == "4"
        else:
            assert board.wait().moves == "41"
            board.close()
        assert board.agent.process is None


def test_observers_cannot_wait_for_the_board() -> None:
    board = BoardWidget(geometry=SMALL, show_scores=True)
    output: list[str] = []

    def wait(change: Any) -> None:
        with pytest.raises(RuntimeError) as refused:
            board.wait()
        output.append(str(refused.value))

    board.observe(wait, "position")
    assert board.play(0).wait().scores is not None
    assert output == ["an observer cannot wait for the board, which waits for it"]


@pytest.mark.parametrize("name", ["decision", "thinking", "problem"])
def test_observers_that_raise_do_not_end_the_game(name: str) -> None:
    def fail(change: Any) -> None:
        raise ValueError("of the observer")

    board = BoardWidget(agent="greedy", seed=1)
    board.problem = "none yet"
    board.observe(fail, name)
    try:
        board.play(3)
    except ValueError:
        assert name != "decision"
    assert len(board.wait().moves) == 2 and not board.thinking


@pytest.mark.parametrize("name", ["undone", "moves", "size", "problem", "position"])
def test_observers_that_raise_leave_a_whole_board(name: str) -> None:
    def fail(change: Any) -> None:
        raise ValueError("of the observer")

    for act, expected in (
        (lambda board: board.undo(), ("445", "5")),
        (lambda board: board.undo().redo(), ("4455", "")),
        (lambda board: board.new_game(Position(SMALL)), ("", "")),
    ):
        board = BoardWidget("4455")
        board.observe(fail, name)
        with suppress(ValueError):
            act(board)
        if (board.moves, board.undone) != expected:  # undo raised before redo was called
            assert (board.moves, board.undone) == ("445", "5")
        assert board.line.position == board.position


def test_an_observer_may_start_another_game() -> None:
    for name in ("thinking", "decision"):
        agent = Waiting()
        board = BoardWidget(agent=agent).play(3)
        assert agent.asked.acquire(timeout=60)
        board.observe(lambda change, at=board: at.new_game(), name)
        agent.may_go.release()
        assert board.wait().moves == ""
        board.close()


class Failing(Agent):
    """Raises a given error, once."""

    def __init__(self, error: BaseException, at_reset: bool = False) -> None:
        self.error: BaseException | None = error
        self.at_reset, self.games = at_reset, 0

    def reset(self) -> None:
        if self.at_reset:
            self._fail()
        self.games += 1

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        self._fail()
        return Decision(position.legal_columns[0])

    def _fail(self) -> None:
        error, self.error = self.error, None
        if error is not None:
            raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), ValueError("no")])
@pytest.mark.parametrize("at_reset", [False, True])
def test_after_any_error_an_agent_may_be_asked_again(error: BaseException, at_reset: bool) -> None:
    agent = Failing(error, at_reset)
    board = BoardWidget(agent=agent).play(3).wait()
    assert board.moves == "4" and "cannot continue: " in board.problem
    assert type(error).__name__ in board.problem
    assert board.undo().problem == ""
    assert board.play(3).wait().moves == "41"
    assert board.problem == "" and agent.games == 1


def test_prints_of_functions_are_separate_from_prints_of_cells() -> None:
    stdout = sys.stdout
    may_go = [threading.Event(), threading.Event()]

    def slow(number: int) -> Any:
        def choose(position: Position) -> int:
            assert may_go[number].wait(60)
            return 0

        return choose

    boards = [BoardWidget(agent=slow(number)).play(3) for number in (0, 1)]
    for event, board in zip(may_go, boards, strict=True):
        event.set()
        board.wait()
    assert sys.stdout is stdout


def test_a_solver_handed_in_is_kept_for_its_board() -> None:
    solver = Solver(SMALL, table_mb=1)
    board = BoardWidget(geometry=SMALL, show_scores=True, solver=solver).wait()
    searched = solver.statistics.searched
    board.new_game(Position(Geometry(3, 3, 3))).wait()
    assert solver.statistics.searched == searched
    board.new_game(Position.from_moves("1234", SMALL)).wait()
    assert board.scores is not None and solver.statistics.searched > searched
    with pytest.raises(ClaimevenError, match=r"the solver is for 4x4 .*, and the board is 7x6"):
        BoardWidget(solver=solver)


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        ({"game": None}, "a game must be moves, a GameLine or a Position, got None"),
        ({"game": 44}, "a game must be moves, a GameLine or a Position, got 44"),
        ({"game": Position(), "geometry": SMALL}, "the game is on 7x6"),
        ({"game": Position(), "geometry": Geometry(7, 6, 5)}, "the game is on 7x6"),
        ({"geometry": "7x6"}, "a board must be a Geometry such as Geometry\\(9, 7\\), got '7x6'"),
        ({"agent": "greedy", "seat": np.array([0, 1])}, "a seat must be a whole number"),
        ({"seconds": float("nan")}, "seconds must be a number, got nan"),
    ],
)
def test_invalid_arguments(arguments: Any, output: str) -> None:
    with pytest.raises(ClaimevenError, match=output):
        BoardWidget(**arguments)
    for seconds in (0, Fraction(1, 2), float("inf")):
        assert BoardWidget(seconds=seconds).seconds == seconds
    assert BoardWidget(seconds=10**400).seconds == float("inf")
