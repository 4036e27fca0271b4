"""A guide changes where the solver searches first, and no score."""

from __future__ import annotations

import itertools
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bench.sets import OWN_POSITIONS, SIGNATURES

from claimeven import Geometry, Position
from claimeven.compiled.decorators import PLAIN
from claimeven.networks import InvalidNetwork, NetGuide
from claimeven.networks.net import SHAPES, Net, write_net
from claimeven.solver import ExactSearch, InvalidSolve, SearchStopped, Solver, session
from claimeven.solver.call_kernel import SHORT
from tests.solver.plain import as_arrays
from tests.solver.test_wide import WIDE, late_positions, oracle_score


def scored(name: str, count: int | None = None) -> tuple[list[Position], list[int]]:
    """Return the first positions of a set, and their scores."""
    lines = (OWN_POSITIONS / f"{name}.txt").read_text().splitlines()[:count]
    moves, scores = zip(*map(str.split, lines), strict=True)
    return [*map(Position.from_moves, moves)], [*map(int, scores)]


POSITIONS, SCORES = scored("middle-medium")
#: It takes a moment longer.
HARD = scored("begin-medium", 1)[0][0]


class Liar:
    """A guide with the answers of a function."""

    def __init__(self, answer: Callable[[], Any], geometry: Geometry | None = None) -> None:
        self.geometry = geometry or Geometry()
        self.answer = answer
        self.asked: list[Position] = []

    def load(self) -> None:
        pass

    def guess(self, position: Position) -> Any:
        self.asked.append(position)
        return self.answer()


def answers(name: str) -> Callable[[], Any]:
    rng, turns = random.Random(name), itertools.cycle((-(10**30), 99, -1, 0, 1, None))
    return {
        "random": lambda: rng.randint(-60, 60),
        "near": lambda: rng.choice((-2, -1, 0, 1, 2, None)),
        "greatest": lambda: 10**30,
        "least": lambda: np.int8(-128),
        "none": lambda: None,
        "in turn": lambda: next(turns),
    }[name]


LIARS = ("random", "near", "greatest", "least", "none", "in turn")


@pytest.fixture
def curious(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask guides early, and for every position."""
    monkeypatch.setattr(session, "SHORT", 40)
    monkeypatch.setattr(session, "GUIDED_EMPTY", 0)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", LIARS)
def test_scores_are_exact_with_any_guide(name: str, threads: int, curious: None) -> None:
    guide = Liar(answers(name))
    solver = Solver(table_mb=1, threads=threads, book=None, guide=guide)
    part = slice(None, None, 4 if threads == 1 and name != "none" else 20)
    positions, scores = POSITIONS[part], SCORES[part]
    assert solver.score_many(positions).tolist() == scores
    asked = len(guide.asked)
    assert asked > len(positions) / 2
    assert all(not position.is_over for position in guide.asked)
    solver.clear()
    for position, score in zip(positions[::5], scores[::5], strict=True):
        assert solver.score(position) == score
        assert max(s for s in solver.scores(position) if s is not None) == score
        best = solver.best(position)
        assert best.score == score
        assert -solver.score(position.play(best.columns[-1])) == score
        assert solver.outcome(position) == np.sign(score)
        assert solver.principal_variation(position)[0] == best.columns[0]
    assert len(guide.asked) > asked


def test_every_fifth_position_of_a_small_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "SHORT", 2)
    monkeypatch.setattr(session, "GUIDED_EMPTY", 0)
    mines, masks, expected = (part[::5] for part in as_arrays(4, 4, 4))
    guide = Liar(answers("random"), Geometry(4, 4))
    search = ExactSearch(Geometry(4, 4), table_mb=1, guide=guide)
    scores, nodes = search.score_many(mines, masks)
    np.testing.assert_array_equal(scores, expected)
    assert nodes.sum() == search.nodes
    assert len(guide.asked) > 500


@pytest.mark.skipif(PLAIN, reason="Python has no words of 128 bits")
@pytest.mark.parametrize("size", WIDE, ids=str)
def test_wide_boards(size: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "SHORT", 1)
    monkeypatch.setattr(session, "GUIDED_EMPTY", 0)
    guide = Liar(answers("random"), Geometry(*size))
    solver = Solver(Geometry(*size), table_mb=1, book=None, guide=guide)
    late = late_positions(solver.geometry, 7, 6)
    assert [solver.score(position) for position in late] == [*map(oracle_score, late)]
    plain = Solver(Geometry(*size), table_mb=1, book=None)
    empty, count = 28 if size[1] > 6 > size[2] + 1 else 22, 30 if size == (16, 7, 5) else 100
    positions = late_positions(solver.geometry, empty, count)
    assert solver.score_many(positions).tolist() == [plain.score(each) for each in positions]
    assert len(guide.asked) > 5
    hard = guide.asked[:10]
    assert [solver.scores(each) for each in hard] == [plain.scores(each) for each in hard]


@pytest.mark.parametrize("threads", [1, 2])
def test_searches_with_limits_are_guided_and_exact(threads: int, curious: None) -> None:
    guide = Liar(answers("random"))
    search = ExactSearch(Geometry(), table_mb=4, threads=threads, guide=guide)
    pauses = 0
    for position, score in zip(POSITIONS[:60], SCORES[:60], strict=True):
        found = None
        for nodes in itertools.count(100, 700):
            try:
                found = search.score(position.mine, position.mask, nodes=nodes)
                break
            except SearchStopped as stopped:
                assert stopped.low <= score <= stopped.high
                pauses += 1
        assert found == score
    assert pauses > 30
    asked = len(guide.asked)
    solver = Solver(table_mb=4, threads=threads, book=None, guide=guide)
    assert solver.score(POSITIONS[1], seconds=60) == SCORES[1]
    assert len(guide.asked) == asked + 1
    with suppress(SearchStopped):
        solver.score(Position(), seconds=0.01)
    assert solver.score(POSITIONS[2]) == SCORES[2]


def test_pauses_do_not_change_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = []
    for slices in (session.SLICE_NODES, 501):
        monkeypatch.setattr(session, "SLICE_NODES", slices)
        monkeypatch.setattr(session, "SOLO_NODES", min(session.SOLO_NODES, slices))
        guide = Liar(answers("random"))
        search = ExactSearch(Geometry(), table_mb=4, guide=guide)
        search.score(HARD.mine, HARD.mask)
        assert guide.asked == [HARD]
        nodes.append(search.nodes)
    assert nodes[0] == nodes[1] > 2 * SHORT


def test_nodes_follow_from_the_positions() -> None:
    one, other, many = (
        ExactSearch(Geometry(), table_mb=8, guide=Liar(answers("random"))) for _ in range(3)
    )
    positions, scores = scored("begin-medium", 6)
    mines, masks = np.array([[p.mine, p.mask] for p in positions], dtype=np.uint64).T
    for mine, mask, score in zip(mines.tolist(), masks.tolist(), scores, strict=True):
        assert one.score(mine, mask) == other.score(mine, mask) == score
    assert many.score_many(mines, masks)[0].tolist() == scores
    assert one.nodes == other.nodes == many.nodes


def test_a_guide_is_asked_once_and_only_for_long_searches() -> None:
    guide = Liar(lambda: 0)
    solver = Solver(table_mb=64, book=None, guide=guide)
    search = ExactSearch(Geometry(), table_mb=64)
    assert [solver.score(position) for position in POSITIONS] == SCORES
    assert guide.asked == []  # all have fewer empty cells than `GUIDED_EMPTY`
    assert solver.statistics.nodes == SIGNATURES["middle-medium"]
    for name in ("begin-easy", "begin-medium"):
        for position, score in zip(*scored(name, 12), strict=True):
            guide.asked.clear()
            before = search.nodes
            assert solver.score(position) == search.score(position.mine, position.mask)
            assert solver.score(position) == score
            is_long = search.nodes - before > SHORT
            is_guided = 42 - position.ply >= session.GUIDED_EMPTY
            assert guide.asked == [position] * (is_long and is_guided)


@pytest.mark.parametrize("answer", ["3", 1.5, True, float("nan"), (1,)])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_answer_that_is_not_a_number_is_an_error(answer: Any, threads: int) -> None:
    guide = Liar(lambda: answer)
    solver = Solver(table_mb=8, threads=threads, book=None, guide=guide)
    for call in (solver.score, solver.scores, solver.best):
        with pytest.raises(InvalidSolve, match="the guess of a guide must be a whole number, got"):
            call(HARD)
    guide.answer = lambda: None
    assert solver.score(HARD) == Solver(table_mb=8, book=None).score(HARD)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_guide_that_raises_ends_the_call_only(threads: int) -> None:
    def fail() -> int:
        raise LookupError("no idea")

    guide = Liar(fail)
    solver = Solver(table_mb=8, threads=threads, book=None, guide=guide)
    for call in (solver.score, solver.scores, lambda position: solver.score_many([position])):
        with pytest.raises(LookupError, match="no idea"):
            call(HARD)
    guide.answer = lambda: 1
    assert solver.score(HARD) == Solver(table_mb=8, book=None).score(HARD)


def test_a_guide_that_asks_its_solver_is_refused() -> None:
    guide = Liar(lambda: solver.score(HARD))
    solver = Solver(table_mb=8, book=None, guide=guide)
    with pytest.raises(ValueError, match="in the middle of a call"):
        solver.score(HARD)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("guides")
    shape, board = SHAPES["small"], Geometry(4, 4, 3)
    write_net(folder / "small.npz", Net.zeros(shape, board))
    zeros = {name: np.zeros(s, np.float32) for name, s in shape.arrays(board).items()}
    write_net(folder / "scores.npz", Net(shape, zeros, board, knows_scores=True))
    yield folder


def test_guides_of_other_boards_and_files_are_refused(files: Path) -> None:
    board = Geometry(4, 4, 3)
    for guide, message in (
        (NetGuide(), "the guide is for 7x6 connect 4, the solver for 4x4 connect 3"),
        (7, "a guide must be a `Guide`, a path or None, got 7"),
    ):
        with pytest.raises(InvalidSolve, match=message):
            Solver(board, table_mb=1, guide=guide)  # type: ignore[arg-type]
    for name, message in (
        ("net", "no bundled model is for 4x4 connect 3"),
        ("nowhere", "nowhere cannot be read"),
        (str(files / "small.npz"), "a net without scores: a guide needs them"),
    ):
        with pytest.raises(InvalidNetwork, match=message):
            Solver(board, table_mb=1, guide=name)
    with pytest.raises(InvalidNetwork, match="knows 4x4 connect 3, not 7x6 connect 4"):
        Solver(guide=files / "scores.npz")
    solver = Solver(board, table_mb=1, book=None, guide=files / "scores.npz")
    solver.load()
    assert isinstance(solver.guide, NetGuide) and solver.guide.guess(Position(board)) == 0
    assert solver.score(Position(board)) == 4


def test_the_bundled_net_saves_nodes() -> None:
    positions, scores = scored("begin-medium", 8)
    plain, guided = (Solver(table_mb=16, book=None, guide=guide) for guide in (None, "net"))
    for position, score in zip(positions, scores, strict=True):
        assert plain.score(position) == guided.score(position) == score
    assert guided.statistics.nodes < 0.95 * plain.statistics.nodes
    copy = pickle.loads(pickle.dumps(guided))
    assert [copy.score(position) for position in positions] == scores
    assert copy.statistics.nodes == guided.statistics.nodes


LATE = """
import sys
from claimeven import Position, Solver
solver = Solver(table_mb=8, guide="net")
assert max(solver.scores(Position.from_moves("4455"))) == 18
assert solver.score(Position.from_moves("624127753272672516254677565461")) == 6
assert "claimeven.networks.guide" in sys.modules
assert not {"claimeven.montecarlo", "claimeven.networks.net"} & {*sys.modules}
solver.load()
assert "claimeven.networks.loading" in sys.modules
"""


def test_the_net_is_read_at_the_first_guess() -> None:
    subprocess.run([sys.executable, "-c", LATE], check=True, timeout=120)
