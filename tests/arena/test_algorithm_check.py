"""A search from a file is compared with the textbook: each planted mistake is named."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from claimeven import Geometry
from claimeven.agents import InvalidSpec, Sandbox
from claimeven.arena import InvalidMatch, check_algorithm
from claimeven.arena.algorithm_check import _PARTS, AlgorithmReport, known_mistakes

SEARCHES = Path(__file__).parent / "searches"
#: The shape of the board of each correct program; the others take a position.
SHAPES = {"alphabeta": "lists", "negamax": "moves", "flat": "rows"}
ALGORITHMS = ("minimax", "alphabeta", "negamax", "uct", "flat")
#: Positions of both sides, with full columns, wins and a draw ahead. Without any one of them some
#: mistake has no name.
MOVES = (
    "", "124777744774446613623666322225", "33713715537777222222444444",
    "6613336111116775772522277225555", "731155113337115553377772224226244444",
)  # fmt: skip


def check(algorithm: str, text: str, folder: Path, **more: Any) -> AlgorithmReport:
    file = folder / "my.py"
    file.write_text(text, encoding="utf-8")
    shape = more.pop("shape", SHAPES.get(algorithm))
    spec = f"{file}:{algorithm}" + f",shape={shape}" * bool(shape)
    more = {
        "moves": () if algorithm in ("uct", "flat") else MOVES,
        "sandbox": Sandbox(quiet=True),
        **more,
    }
    return check_algorithm(algorithm, spec, **more)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_correct_program_does_the_same(algorithm: str) -> None:
    shape = f":{algorithm},shape={SHAPES[algorithm]}" if algorithm in SHAPES else ""
    steps: list[tuple[int, int]] = []
    report = check_algorithm(
        algorithm,
        f"{SEARCHES / algorithm}.py{shape}",
        moves=MOVES if algorithm == "alphabeta" else (),  # its wins take long to find
        on_progress=lambda *step: steps.append(step),
    )
    assert report.is_fine, report.difference
    assert report.causes == ()
    assert steps[-1] == (report.positions, report.positions)
    assert report.visits > 100
    assert (report.cutoffs > 0) == (algorithm in ("alphabeta", "negamax"))
    assert report.as_dict()["ok"] is True


def test_another_correct_table_does_the_same() -> None:
    spec = f"{SEARCHES / 'narrowing'}.py"
    report = check_algorithm("negamax", spec, moves=MOVES)
    assert report.is_fine, report.difference
    assert report.cutoffs > 100


WINDOW = "search(depth - 1, alpha, beta, other, ply + 1)"
ENDED = "    if position.is_over:\n        return ended(position, root), None\n"
AT_REST = "    if depth == 0:\n        return evaluate(position, root.turn), None\n"
BONUS = "math.sqrt(math.log(self.parent.visits) / self.visits)"
PLAYOUT = "playout(after(board, column, player), player)"
ANSWER = "return highest(position, depth, evaluate, position)"
ANSWERS = f"value, column = yield from {ANSWER[7:]}\n    return "

#: A change of a correct program, and a part of its cause.
PLANTED = [
    ("minimax", "yield from lowest(", "yield from highest(", "both sides take the greatest"),
    ("minimax", "highest(position, depth, evaluate, position)",
     "lowest(position, depth, evaluate, position)", "the wrong side minimizes"),
    ("minimax", "evaluate(position, root.turn)", "evaluate(position)", "for the wrong side"),
    ("minimax", "position, root.turn", "position, 0", "evaluation is for the first player"),
    ("minimax", "if position.turn == root.turn", "if position.turn != root.turn",
     "a won game counts for the wrong side"),
    ("minimax", "depth == 0", "depth == 1", "one ply too early"),
    ("minimax", "depth - 1", "depth", "each call needs depth - 1"),
    ("minimax", "depth == 0", "depth < 0", "one ply too late"),
    ("minimax", ENDED + AT_REST, AT_REST + ENDED, "a win at the depth limit is not recognized"),
    ("minimax", "1000 - (position.ply - root.ply)", "1000", "the same at any distance"),
    ("minimax", "1000 - (position.ply - root.ply)", "1", "a win is worth too little"),
    ("minimax", AT_REST, "    if depth == 0:\n        return 5, None\n", "never calls evaluate"),
    ("minimax", "1000 - (position.ply", "1000 + (position.ply", "a later win is worth more"),
    ("minimax", "    if position.winner is None:\n        return 0\n", "", "a draw counts as"),
    ("minimax", "best, chosen = -(10**6)", "best, chosen = 0", "starts at 0"),
    ("minimax", "reversed(position.legal_columns)", "range(7)", "a full column is tried"),
    ("minimax", "reversed(position.legal_columns)",
     "[c for c in position.legal_columns if c < 6]", "the last column is never tried"),
    ("minimax", ANSWER, ANSWERS + "column, value", "the answer is in the wrong order"),
    ("minimax", ANSWER, ANSWERS + "value, column + 1", "columns count from 1 in the answer"),
    ("alphabeta", WINDOW, WINDOW.replace("alpha, beta", "-INFINITY, INFINITY"), "pass the window"),
    ("alphabeta", WINDOW, WINDOW.replace("alpha, beta", "beta, alpha"), "in the wrong order"),
    ("alphabeta", WINDOW, WINDOW.replace("alpha, beta",
     "*((alpha, beta) if ply else (-INFINITY, INFINITY))"), "the root does not pass on its window"),
    ("alphabeta", WINDOW, WINDOW.replace("alpha, beta",
     "*((alpha, INFINITY) if mover == player else (-INFINITY, beta))"), "only one bound is passed"),
    ("alphabeta", "if beta <= alpha", "if beta < alpha", "> instead of >="),
    ("alphabeta", "if beta <= alpha", "if mover == player and beta <= alpha", "only the side at"),
    ("alphabeta", "if value > best", "if value >= best", "only a bound"),
    ("alphabeta", "value if mover == player else -value", "value", "for the wrong side"),
    ("alphabeta", "            board[row][column] = 0\n", "", "each move is taken back"),
    ("negamax", "value = -search", "value = search", "the sign is not flipped"),
    ("negamax", "-beta, -alpha)[0]", "alpha, beta)[0]", "the window is not negated"),
    ("negamax", "-beta, -alpha)[0]", "-alpha, -beta)[0]", "not exchanged"),
    ("negamax", "-beta, -alpha)[0]", "-INFINITY, -alpha)[0]", "only one bound is passed on"),
    ("negamax", "stored_depth >= depth", "True", "used beyond its depth"),
    ("negamax", "LOWER, beta", "EXACT, beta", "a lower bound of the table counts as exact"),
    ("negamax", "kind, chosen = UPPER", "kind, chosen = EXACT", "an upper bound of the table"),
    ("negamax", "kind == EXACT:\n                    return value",
     "kind == EXACT:\n                    return -value", "credited to the wrong side"),
    ("negamax", "TABLE[game.key()] =", "TABLE[id(game)] =", "the table is never used"),
    ("uct", "result = 1 - result", "pass", "not flipped from node to node"),
    ("uct", "(1 - playout(", "(1 + playout(", "credited to the wrong side"),
    ("uct", "c / 2 *", "c *", "halve it"),
    ("uct", "self.parent.visits) / self.visits", "self.visits) / self.parent.visits", "exchanged"),
    ("uct", "math.log(self.parent.visits)", "2 * math.log(self.parent.visits)", "a factor 2"),
    ("uct", BONUS, BONUS.replace("math.sqrt", ""), "lacks the root"),
    ("uct", "c / 2 * " + BONUS, "0", "no exploration"),
    ("uct", "self.wins / self.visits", "self.wins / self.parent.visits", "visits of the parent"),
    ("uct", "not node.untried and node.children", "node.children", "before all children have"),
    ("uct", "lambda child: child.visits", "lambda child: child.wins / child.visits", "its value"),
    ("flat", PLAYOUT, "playout(after(board, column, player))", "wrong side"),
    ("flat", PLAYOUT, "playout(board, player)", "start from the position before the move"),
    ("flat", "/ playouts", "/ playouts / len(columns)", "over the playouts of all columns"),
    ("flat", "+= " + PLAYOUT, f"+= 1 if {PLAYOUT} > 0 else -1", "a draw counts as a loss"),
    ("flat", "range(playouts)", "range(playouts - 1)", "is missing"),
]  # fmt: skip


@pytest.mark.parametrize(("algorithm", "old", "new", "cause"), PLANTED)
def test_a_planted_mistake_is_named(
    algorithm: str, old: str, new: str, cause: str, tmp_path: Path
) -> None:
    text = (SEARCHES / f"{algorithm}.py").read_text(encoding="utf-8")
    assert old in text
    report = check(algorithm, text.replace(old, new), tmp_path)
    assert report.difference is not None
    assert len(report.causes) == 1, report.causes
    assert cause in report.causes[0]


MINIMAX = (SEARCHES / "minimax.py").read_text(encoding="utf-8")


def test_a_difference_is_shown_where_it_is() -> None:
    spec = f"{SEARCHES / 'minimax.py'}:lowest"  # its fourth argument is not one of the contract
    with pytest.raises(
        InvalidSpec, match=r"lowest must take a position first.*by these names; got root"
    ):
        check_algorithm("minimax", spec)


def test_visits_and_answers_are_compared(tmp_path: Path) -> None:
    text = MINIMAX.replace("    yield position\n", "    if depth:\n        yield position\n")
    differs = check("minimax", text, tmp_path, moves=["4"]).difference
    assert differs is not None
    assert (differs.moves, differs.effort, differs.visit) == ("4", 1, 2)
    assert (differs.textbook[7:], differs.program[7:]) == ("this position", "no more positions")
    assert str(differs.textbook_position) == str(differs.position.play(0))
    report = check("minimax", MINIMAX.replace("return best, chosen", "return best, 0"), tmp_path)
    assert report.difference is not None
    assert report.difference.visit is None
    assert re.fullmatch(r"returns column 1 with value -?\d", report.difference.program)
    assert report.causes == ()
    data = report.as_dict()["difference"]
    assert (data["moves"], data["position"]) == ("", "7/7/7/7/7/7 r 1")


PLAIN = """
def minimax(position, depth, evaluate):
    if position.is_over:
        return (0 if position.winner is None else -10_000 - depth), None
    if depth == 0:
        return evaluate(position), None
    columns = position.legal_columns
    return max((-minimax(position.play(c), depth - 1, evaluate)[0], c) for c in columns)
"""


def test_a_program_may_show_no_visits_or_call_back(tmp_path: Path) -> None:
    report = check("minimax", PLAIN, tmp_path)
    assert report.is_fine
    assert report.visits == 0
    plain = PLAIN.replace("evaluate)", "evaluate, visit)").replace(
        ":\n    if", ":\n    visit(position)\n    if", 1
    )
    assert check("minimax", plain, tmp_path).visits > 100
    wrong = check("minimax", PLAIN.replace("(-minimax", "(minimax"), tmp_path)
    assert wrong.causes
    assert "the sign is not flipped" in wrong.causes[0]
    wrong = check("minimax", PLAIN.replace("-10_000 - depth", "-10_000"), tmp_path)
    assert wrong.causes
    assert "the same at any distance" in wrong.causes[0]


@pytest.mark.parametrize(
    ("body", "program"),
    [
        ("while True:\n        yield position", "visited more than 5,000 positions"),
        ("while True:\n        pass", "did not answer within 0.2 s"),
        ("yield position\n    raise OSError('no')", "raised OSError: no"),
        ("yield position\n    import os\n    os._exit(3)", "ended its process: exit status 3"),
        ("yield position\n    return 'four'", "returned 'four' instead of (value, column)"),
        ("yield position\n    return float('nan'), 2", "returned (nan, 2) instead of"),
        ("yield 7", "showed no position: 7"),
        ("yield position\n    evaluate(position, 2)", "asked for the player 2, not one of (0, 1)"),
    ],
)
def test_a_broken_program_is_a_difference(body: str, program: str, tmp_path: Path) -> None:
    text = f"print('loud')\ndef minimax(position, depth, evaluate):\n    {body}\n"
    seconds = 0.2 if "pass" in body else 30
    differs = check("minimax", text, tmp_path, seconds=seconds).difference
    assert differs is not None
    assert program in differs.program or program[:7] == "visited"


@pytest.mark.parametrize(
    ("algorithm", "spec", "reason"),
    [
        ("minimax", "minimax.py:other", "does not define 'other': it has ended, highest, lowest"),
        ("uct", "minimax.py", "does not define 'uct'"),
        ("minimax", "minimax.py:minimax,shape=cube", "no shape 'cube'"),
        ("minimax", "nowhere.py", "there is no file"),
        ("minimax", "random", "must be in a file, my.py or my.py:minimax, got"),
    ],
)
def test_searches_that_cannot_be_loaded_are_rejected(
    algorithm: str, spec: str, reason: str
) -> None:
    spec = str(SEARCHES / spec) if ".py" in spec else spec
    with pytest.raises(InvalidSpec) as error:
        check_algorithm(algorithm, spec)
    assert reason in str(error.value)


def test_bad_arguments_are_rejected() -> None:
    spec = str(SEARCHES / "minimax.py")
    with pytest.raises(InvalidMatch, match="over after 1212121"):
        check_algorithm("minimax", spec, moves=["1212121"])
    with pytest.raises(InvalidMatch, match="algorithm"):
        check_algorithm("mtdf", spec)


def test_other_boards_have_positions_too() -> None:
    report = check_algorithm("minimax", str(SEARCHES / "minimax.py"), geometry=Geometry(4, 3, 3))
    assert report.is_fine
    assert report.visits > 100


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_each_mistake_changes_the_textbook(algorithm: str) -> None:
    source = "\n".join(map(inspect.getsource, _PARTS[algorithm]))
    source = source.replace("enter(path)", "enter(path, position)")
    source = source.replace("in node.children", "in guide(node.children)")
    for kind in ("mistake", "variant"):
        for changes, cause in known_mistakes(algorithm, kind).items():
            text = source
            for old, new in changes:
                text = text.replace(old, new)
            assert text != source, (cause, changes)
            assert cause[-1] not in ".:", cause
