"""The computations of the lab from the IT University of Copenhagen: greedy play, minimax, Monte
Carlo.

Its playouts are made to take the leftmost column and its children to be tried from the left, so
that its results are the same every time; its clock goes one unit further each time it is read. Its
text is followed by mending, in the code that was pulled out of it:

`diagonals`  lines are looked for on every diagonal, as printed only on five columns of them
`wins`       minimax ends at a line of four, not only at a full board
`signs`      in the tree each player uses its own results, not both the results of the searcher
"""

from __future__ import annotations

import ast
import itertools
import random
from collections.abc import Iterator
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests import naive
from tests.originals.documents import Document, Mend, expression, mend, run
from tests.originals.positions import columns_of, written

CODE = ("opponentName", "State", "diags_pos", "diags_neg", "utility", "Agent", "Game", "Gekko",
        "MinMax", "Node", "MCTS", "MCTS_UCT")  # fmt: skip
COLUMNS, ROWS = 7, 6
TREES, BUDGET, FLATS, DRAWN = 40, 200, 300, 10
#: The board, the discs on it and the number of positions for minimax to the end.
SMALL_BOARD, SMALL_DISCS, SMALL = (4, 4, 4), 9, 100


def _whole_board(node: ast.AST) -> ast.AST | None:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        # The helpers call the number of rows `n_cols` and the number of columns `n_rows`.
        size = {"n_cols": "len(board)", "n_rows": "len(board[0])"}.get(node.targets[0].id)
        return ast.Assign(node.targets, expression(size)) if size else None
    return None


def _ends_at_lines(module: ast.Module) -> None:
    """Make minimax return the value of a line of four before anything else."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name == "minimax":
            node.body.insert(0, *ast.parse("if ended(self, state): return value(self, state)").body)


def _own_results(node: ast.AST) -> ast.AST | None:
    if isinstance(node, ast.AugAssign) and ast.unparse(node.target) == "node.q":
        return ast.AugAssign(node.target, node.op, expression("evaluation * side(node)"))
    return None


MENDS: dict[str, Mend] = {
    "diagonals": mend("utility", _whole_board, 2),
    "wins": _ends_at_lines,
    "signs": mend("Node.backup", _own_results),
}


class Clock:
    """A clock that goes one unit further each time it is read."""

    def __init__(self) -> None:
        self._ticks: Iterator[int] = itertools.count()

    def time(self) -> int:
        return next(self._ticks)


class Code:
    """The code of the lab, as printed or with some mends.

    `chance` is its generator of random numbers, by default one without chance.
    """

    def __init__(self, document: Document, *mended: str, chance: Any = None) -> None:
        stub = SimpleNamespace(choice=lambda moves: moves[0], shuffle=list.reverse)
        given = {
            "random": chance or stub,
            "time": Clock(), "deepcopy": deepcopy, "np": np, "ln": np.log,
            "List": list, "Tuple": tuple,
            "ended": lambda agent, state: state.is_over() or self.utility_of(state) != 0,
            "value": lambda agent, state: self.utility_of(state) * (-1 if agent.name == "O" else 1),
            "side": lambda node: 1 if node.state.nextPlayer != self._searcher else -1,
        }  # fmt: skip
        self._names = run(document.code(CODE), given, *(MENDS[name] for name in mended))
        self.utility_of = self._names["utility"]
        self._searcher = ""
        self._root: Any = None

        class Noted(self._names["Node"]):  # type: ignore[misc, name-defined]  # made from text
            """A node; the root of the last search is stored."""

            def __init__(noted, *arguments: Any, **named: Any) -> None:  # noqa: N805
                super().__init__(*arguments, **named)
                if noted.parent is None:
                    self._root = noted

        self._names["Node"] = Noted

    def state(self, moves: str, board: tuple[int, int, int] = (COLUMNS, ROWS, 4)) -> Any:
        """The state after a game; O moves first."""
        state = self._names["State"]("O", *board)
        for column in columns_of(moves):
            state.put_action(column)
        return state

    def outcome(self, moves: str) -> int:
        """Winner of a game: 1, 2, or 0 if it sees no line."""
        return {-1: 1, 1: 2, 0: 0}[self.utility_of(self.state(moves))]

    def drawing(self, moves: str) -> list[str]:
        """The board as the lab prints it, line by line."""
        return str(self.state(moves)).splitlines()

    def greedy(self, moves: str) -> int:
        """Column of the greedy player."""
        state = self.state(moves)
        return int(self._names["Gekko"](state.nextPlayer).get_action(state))

    def minimax(self, moves: str) -> int:
        """Column of minimax to the end on the small board."""
        state = self.state(moves, SMALL_BOARD)
        return int(self._names["MinMax"](state.nextPlayer).get_action(state))

    def flat(self, moves: str) -> int:
        """Column of flat Monte Carlo, every leaf with playouts enough."""
        state = self.state(moves)
        return int(self._names["MCTS"](state.nextPlayer, 100).get_action(state))

    def uct(self, moves: str) -> list[Any]:
        """Column of UCT after `BUDGET` playouts, then visits and sum of every column."""
        state = self.state(moves)
        self._searcher = state.nextPlayer
        column = self._names["MCTS_UCT"](state.nextPlayer, BUDGET + 1).get_action(state)
        result: list[Any] = [int(column), *([None] * COLUMNS)]
        for child in self._root.children:
            result[child.action + 1] = [child.visits, int(child.q)]
        return result

    def play(self, flat_first: bool, playouts: int) -> str:
        """Play a game of flat Monte Carlo and UCT, `playouts` a move; returns the winner.

        Flat search gets its playouts for the 49 leaves of an open board.
        """
        kinds = ("MCTS", "MCTS_UCT") if flat_first else ("MCTS_UCT", "MCTS")
        # The clock ticks once more for each leaf, and once more for the one search.
        units = {"MCTS": 40 * (playouts / 49 + 1), "MCTS_UCT": playouts + 1}
        agents = [
            self._names[kind](name, units[kind]) for kind, name in zip(kinds, "OX", strict=True)
        ]
        state = self._names["State"]("O")
        while self.utility_of(state) == 0 and not state.is_over():
            agent = agents[state.num_moves % 2]
            self._searcher = agent.name
            state.put_action(agent.get_action(state))
        won = self.utility_of(state)
        return kinds[0 if won < 0 else 1] if won else ""

    def playouts(self, moves: str, units: int) -> list[int]:
        """Leaves of flat Monte Carlo and their playouts in `units` of time."""
        made = {"leaves": 0, "playouts": 0}
        node = self._names["Node"]
        search, playout = self._names["MCTS"].mcts_search, node.rnd_evaluate
        self._names["MCTS"].mcts_search = _counted(search, made, "leaves")
        node.rnd_evaluate = _counted(playout, made, "playouts")
        state = self.state(moves)
        self._names["MCTS"](state.nextPlayer, units).get_action(state)
        self._names["MCTS"].mcts_search, node.rnd_evaluate = search, playout
        return [made["leaves"], made["playouts"]]

    def discs_at_cut(self) -> int:
        """Discs that a playout drops on a board too large for it to end."""
        state = self._names["State"]("O", 20, 20)
        board = self._names["Node"](state)
        agents = tuple(self._names["Agent"](name) for name in "OX")
        game = self._names["Game"](agents, board.state)
        game.play(moves=board.rnd_evaluate.__defaults__[0])
        return int(game.state.num_moves)


def _counted(function: Any, made: dict[str, int], what: str) -> Any:
    def counting(*arguments: Any, **named: Any) -> Any:
        made[what] += 1
        return function(*arguments, **named)

    return counting


def formula(document: Document) -> list[list[float]]:
    """Value of a node in selection for its parent's visits, its own and their sum."""
    code = Code(document)
    rows = []
    for above, visits, total in ((1, 1, 1), (2, 1, -1), (9, 4, 2), (200, 37, -5), (2000, 1500, 9)):
        node = code._names["Node"](code.state(""), SimpleNamespace(visits=above))
        node.visits, node.q = visits, total
        rows.append([above, visits, total, float(node.uct())])
    return rows


def small_games(seed: int) -> list[str]:
    """Games on the small board, cut when minimax can search to the end."""
    rng, found = random.Random(seed), []
    while len(found) < SMALL:
        game, moves = naive.random_moves(rng, *SMALL_BOARD, SMALL_DISCS)
        if not game.over():
            found.append(written(moves))
    return found


def record(document: Document, going_on: list[str], finished: list[str]) -> dict[str, Any]:
    """Run the lab's code on positions; return its answers."""
    printed, text = Code(document), Code(document, *MENDS)
    small = small_games(1)
    answers: dict[str, Any] = {
        "formula": formula(document),
        "discs_at_cut": text.discs_at_cut(),
        "playouts": [
            [moves, units, *text.playouts(moves, units)]
            for moves in ("", "111111", "111111222222")
            for units in (400, 800)
        ],
        "small_games": small,
        "drawings": [printed.drawing(moves) for moves in finished[:DRAWN]],
    }
    for name, code in (("printed", printed), ("text", text)):
        answers[name] = {
            "outcome": [code.outcome(moves) for moves in finished],
            "greedy": [code.greedy(moves) for moves in going_on],
            "minimax": [code.minimax(moves) for moves in small],
            "flat": [code.flat(moves) for moves in going_on[:FLATS]],
            "uct": [code.uct(moves) for moves in going_on[:TREES]],
        }
    return answers


def record_match(document: Document, games: int = 10, playouts: int = 196) -> dict[str, Any]:
    """Play flat Monte Carlo against UCT: wins of flat, draws, wins of UCT.

    As printed; with all diagonals seen; and as the text describes it all.
    """
    answers: dict[str, Any] = {"games": games, "playouts": playouts}
    for name, mends in (("printed", ()), ("diagonals", ("diagonals",)), ("text", tuple(MENDS))):
        code = Code(document, *mends, chance=random.Random(1))
        winners = [code.play(game % 2 == 0, playouts) for game in range(games)]
        answers[name] = [winners.count("MCTS"), winners.count(""), winners.count("MCTS_UCT")]
        print(name, answers[name], flush=True)
    return answers
