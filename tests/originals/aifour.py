"""The computations of the AIFour notebook: its evaluation, negamax, and two Monte Carlo searches.

Its playouts are made to take the leftmost column, so that all it does is the same every time. Its
text is followed by mending, in the code that was pulled out of it:

`chains`    a chain ends at the other side's disc instead of running through it, and is measured
            both ways from a disc
`full`      a column is full by the board that is asked about, not by the board at the game's start
`signs`     in the tree each player uses its own results, not both the results of the root's side
`constant`  the exploration constant is taken as it is, not as its square root
`ends`      a finished game is not played on in the tree
`discs`     breadth-first search drops discs of the player whose turn it is

The column of negamax is the column of the node it returns, the last of its best line; the text has
the first, which is found by climbing from that node to the root.
"""

from __future__ import annotations

import ast
import math
import queue
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from tests.originals.documents import Document, Mend, expression, mend, run
from tests.originals.positions import columns_of

CODE = ("ConnectFour", "flatten", "MonteCarloNode", "negamax", "mcts", "mcts_uct")
ROWS, COLUMNS, CONNECT, DEPTH = 6, 7, 4, 4
#: Up, right, up right and up left, as (row, column).
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
SEARCHED, TREES, BUDGET, DRAWN = 300, 40, 200, 10


def _chains_end(node: ast.AST) -> ast.AST | None:
    if isinstance(node, ast.If) and isinstance(node.body[0], ast.Assign):
        target = node.body[0].targets[0]
        if isinstance(target, ast.Name) and target.id == "length":
            return ast.If(node.test, [ast.Return(expression("max_length"))], [])
    return None


def _asked_board(node: ast.AST) -> ast.AST | None:
    if isinstance(node, ast.Raise):
        return ast.Return(expression("False"))
    return expression("state") if _is_attribute(node, "self", "state") else None


def _is_attribute(node: ast.AST, of: str, name: str) -> bool:
    return isinstance(node, ast.Attribute) and ast.unparse(node) == f"{of}.{name}"


def _own_results(node: ast.AST) -> ast.AST | None:
    if isinstance(node, ast.AugAssign) and _is_attribute(node.target, "backupNode", "value"):
        return ast.AugAssign(node.target, node.op, expression("reward * side(backupNode)"))
    return None


def _is_call_of(node: ast.AST, source: str) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node) == source


MENDS: dict[str, tuple[Mend, ...]] = {
    "chains": (mend("ConnectFour.streak_eval", _chains_end),),
    "full": (mend("ConnectFour.legal", _asked_board, 3),),
    "signs": (mend("MonteCarloNode._backup", _own_results),),
    "constant": (
        mend(
            "MonteCarloNode._best_child",
            lambda n: expression("c") if _is_call_of(n, "sqrt(c)") else None,
        ),
    ),
    "ends": (
        mend(
            "MonteCarloNode._tree_policy",
            lambda n: expression("bestNode.state") if _is_attribute(n, "self", "state") else None,
        ),
        mend(
            "mcts",
            lambda n: (
                expression("() if game.terminal(current.state) else game.actions(current.state)")
                if _is_call_of(n, "game.actions(current.state)")
                else None
            ),
        ),
        mend(
            "mcts",
            lambda n: (
                expression("expQueue.empty()")
                if isinstance(n, ast.Compare) and "qsize" in ast.unparse(n)
                else None
            ),
        ),
    ),
    "discs": (
        mend(
            "mcts",
            lambda n: (
                expression("game.update_state(current.state, childAction, current.player)")
                if _is_call_of(n, "game.update_state(current.state, childAction, childPlayer)")
                else None
            ),
        ),
    ),
}


class Code:
    """The code of the notebook, as printed or with some mends.

    `choice` is the function by which its playouts choose a column.
    """

    def __init__(
        self,
        document: Document,
        *mended: str,
        choice: Callable[[list[int]], int] = lambda columns: columns[0],
    ) -> None:
        given = {
            "sqrt": math.sqrt,
            "log": math.log,
            "Queue": queue,
            "random": SimpleNamespace(choice=choice),
            "side": lambda node: 1 if node.player != self._root_player else -1,
        }
        mends = [one for name in mended for one in MENDS[name]]
        self._names = run(document.code(CODE, old_python=True), given, *mends)
        self._game = self._names["game"] = self._names["ConnectFour"]()
        self._game.state = [[] for _ in range(COLUMNS)]
        if "chains" in mended:
            self._game.evaluate = self._by_chains
        self._root_player = 0
        self._root: Any = None
        #: The search of each move of a game, by player: its steps, and its depth.
        self.output: dict[int, list[tuple[int, int]]] = {1: [], 2: []}

        class Noted(self._names["MonteCarloNode"]):  # type: ignore[misc, name-defined]  # made from text
            """A node; the root of the last search is stored."""

            def __init__(noted, *arguments: Any, **named: Any) -> None:  # noqa: N805
                super().__init__(*arguments, **named)
                if noted.parent is None:
                    self._root = noted

        self._names["MonteCarloNode"] = Noted

    def evaluate(self, moves: str) -> int:
        """Evaluate for the side to move."""
        return int(self._game.evaluate(*self._state(moves)))

    def outcome(self, moves: str) -> int:
        """Winner of a finished game: 1, 2, or 0 for a draw."""
        won = self._game.outcome(self._state(moves)[0], 1)
        return {1: 1, -1: 2, 0: 0}[won]

    def drawing(self, moves: str) -> list[str]:
        """The board as the notebook prints it, line by line."""
        return self._game.pretty_state(self._state(moves)[0]).splitlines()

    def negamax(self, moves: str) -> list[int]:
        """Column returned, first column of its line, value, steps."""
        self._game.evaluated.clear()
        node, value, steps, _ = self._names["negamax"](
            self._game, *self._state(moves), max_depth=DEPTH
        )
        first = node
        while first.parent is not None and first.parent.parent is not None:
            first = first.parent
        return [node.action, first.action, int(value), steps]

    def tree(self, search: Callable[..., Any] | str, moves: str) -> list[Any]:
        """Column chosen by a tree search, then visits and value of every column of the root."""
        state, player = self._state(moves)
        self._root_player = player
        answer = self._names[str(search)](self._game, state, player, BUDGET)
        column = answer[0] if isinstance(answer, tuple) else answer
        result: list[Any] = [column]
        for c in range(COLUMNS):
            child = self._root.children.get(c)
            result.append(None if child is None else [int(child.visit), int(child.value)])
        return result

    def play(self, first: int, plays_first_column: bool) -> int:
        """Play a game of negamax (1) and UCT (2) from the empty board; returns the winner, or 0.

        Negamax plays the column of the node it returns, or the first of its line.
        """
        state: list[list[int]] = [[] for _ in range(COLUMNS)]
        player = first
        while not self._game.terminal(state):
            self._game.evaluated.clear()  # it never finds anything, and would fill the memory
            if player == 1:
                node, _, *result = self._names["negamax"](
                    self._game, state, player, max_depth=DEPTH
                )
                while plays_first_column and node.parent.parent is not None:
                    node = node.parent
                column = node.action
            else:
                self._root_player = player
                column, *result = self._names["mcts_uct"](self._game, state, player, BUDGET)
            self.output[player].append((result[0], result[1]))
            if self._game.legal(state, column):
                state = self._game.update_state(state, column, player)
                player = self._game.next_player(player)
            else:
                return 3 - player  # as printed it would ask the same again for ever
        return {1: 1, -1: 2, 0: 0}[self._game.outcome(state, 1)]

    @staticmethod
    def _state(moves: str) -> tuple[list[list[int]], int]:
        state: list[list[int]] = [[] for _ in range(COLUMNS)]
        for ply, column in enumerate(columns_of(moves)):
            state[column].append(1 + ply % 2)
        return state, 1 + len(moves) % 2

    def _by_chains(self, state: list[list[int]], player: int) -> int:
        """The evaluation with chains measured both ways from every disc."""
        total, weights = 0, self._game.STREAK_WEIGHT
        for column, stack in enumerate(state):
            for row, disc in enumerate(stack):
                longest = max(
                    self._ray(state, disc, (row, column), (dr, dc))
                    + self._ray(state, disc, (row, column), (-dr, -dc))
                    - 1
                    for dr, dc in DIRECTIONS
                )
                worth = weights[min(longest, CONNECT) - 1]
                total += worth if disc == player else -worth
        return total

    def _ray(self, state: Any, disc: int, start: Any, step: Any) -> int:
        return int(self._game.streak_eval(state, disc, start, step))


def formula(document: Document) -> list[list[float]]:
    """Value of a node in selection, for the constant, its parent's visits, its own, its sum."""
    code = Code(document)
    rows = []
    for c in (1 / math.sqrt(2), 0.5, 2.0):
        for above, visits, total in ((2, 1, -1), (9, 4, 2), (200, 37, -5), (2000, 1500, 900)):
            node = code._names["MonteCarloNode"]([[], []], 0, 1)
            node.parent = SimpleNamespace(visit=float(above))
            node.visit, node.value = float(visits), float(total)
            rows.append([c, above, visits, total, node._search_weight(c)])
    return rows


def record(document: Document, going_on: list[str], finished: list[str]) -> dict[str, Any]:
    """Run the notebook's code on positions; return its answers."""
    printed = Code(document)
    text = Code(document, *MENDS)
    answers: dict[str, Any] = {"formula": formula(document)}
    answers["drawings"] = [printed.drawing(moves) for moves in finished[:DRAWN]]
    for name, code in (("printed", printed), ("text", text)):
        answers[name] = {
            "evaluation": [code.evaluate(moves) for moves in going_on],
            "outcome": [code.outcome(moves) for moves in finished],
            "negamax": [code.negamax(moves) for moves in going_on[:SEARCHED]],
        }
    # As printed the leftmost column is never full, so that such a playout has no end.
    answers["text"]["uct"] = [text.tree("mcts_uct", moves) for moves in going_on[:TREES]]
    code = Code(document, *(name for name in MENDS if name != "constant"))
    answers["text"]["uct-code"] = [code.tree("mcts_uct", moves) for moves in going_on[:TREES]]
    answers["text"]["breadth"] = [text.tree("mcts", moves) for moves in going_on[:TREES]]
    return answers


def record_match(document: Document, games: int = 50) -> dict[str, Any]:
    """Play the match that the notebook reports: wins of UCT, draws, wins of negamax.

    As printed; with the first column of negamax's line; and as the text describes it. `told` has
    the averages of its moves: steps and depth of negamax, and of UCT.
    """
    answers: dict[str, Any] = {}
    answers["told"] = {}
    for name, mends, first_column in (
        ("printed", (), False),
        ("first_column", (), True),
        ("text", tuple(MENDS), True),
    ):
        code = Code(document, *mends, choice=random.Random(1).choice)
        winners = [code.play(game % 2 + 1, first_column) for game in range(games, 0, -1)]
        answers[name] = [winners.count(2), winners.count(0), winners.count(1)]
        answers["told"][name] = [
            round(sum(numbers) / len(numbers), 2)
            for player in (1, 2)
            for numbers in zip(*code.output[player], strict=True)
        ]
        print(name, answers[name], answers["told"][name], flush=True)
    return answers
