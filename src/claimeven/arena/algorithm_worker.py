"""The process of a search that is checked, and the made-up values that it searches with."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from numbers import Integral
from typing import Any, Final

from claimeven.agents import Agent, FunctionAgent, InvalidSpec, codec, shapes
from claimeven.agents.files import load_function
from claimeven.agents.options import split_options
from claimeven.agents.sanitize import described, shown, traceback_of
from claimeven.agents.shapes import SHAPES, InvalidVisit
from claimeven.agents.worker import AgentWorker
from claimeven.agents.worker import main as answer_requests
from claimeven.game.position import Position
from claimeven.parallel.connection import Parent
from claimeven.suggestions import no_such

#: The arguments that each algorithm may take by name, after the board.
_TREE: Final = ("depth", "evaluate", "visit", "player", "alpha", "beta")
ALGORITHMS: Final = {
    "minimax": _TREE,
    "alphabeta": _TREE,
    "negamax": (*_TREE, "table"),
    "uct": ("iterations", "playout", "c", "visit", "player"),
    "flat": ("playouts", "playout", "visit", "player"),
}
#: The constant of exploration, and the most positions that a search may visit.
C, MAX_VISITED = 0.7, 5_000


class MadeUpValues:
    """Values and results of playouts for the side to move, from a seed; ties are frequent."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.counts: Counter[Position] = Counter()

    def evaluate(self, position: Position, number: int = 0) -> int:
        """Return a value from -9 to 9."""
        return _value(self.seed, *position.discs, number)

    def playout(self, position: Position) -> int:
        """Return the result of the next playout from a position: 1, 0 or -1."""
        self.counts[position] += 1
        if position.is_over:
            return 0 if position.winner is None else -1
        value = self.evaluate(position) + self.evaluate(position, self.counts[position])
        return (value > 0) - (value < 0)


@lru_cache(maxsize=1 << 16)
def _value(seed: int, first: int, second: int, number: int) -> int:
    return random.Random(f"{seed} {(first, second)} {number}").randint(-9, 9)


class SearchWorker(AgentWorker):
    """A search from a file, which is loaded again for each request, with empty tables."""

    def build(self, spec: str, file: list[str] | None) -> Agent:
        """Return the search as an agent; its options are its algorithm and its shape."""
        assert file is not None
        name, _, text = file[1].partition(",")
        options = {"shape": "position", **split_options(text, spec)}
        self.algorithm: str = options.pop("algorithm")
        self.shape: str = options.pop("shape")
        choices = ("position", "moves", *SHAPES)
        if options or self.shape not in choices:
            raise InvalidSpec(no_such("shape", next(iter(options), self.shape), choices))
        self.file: tuple[str, str] = (file[0], name)
        search = load_function(*self.file)
        shapes.arguments_of(search, dict.fromkeys((self.shape, *ALGORITHMS[self.algorithm])))
        return FunctionAgent(spec, search)

    def search(self, board: list[int], moves: list[int], efforts: list[int], seed: int) -> Any:
        """Search a position to each depth, or with each number of iterations or playouts.

        Returns the visited positions (of Monte Carlo the starts of playouts), the value and column
        of each search, and the fault that ended the last one.
        """
        position, values = codec.to_position(board), MadeUpValues(seed)
        make, players = SHAPES.get(self.shape, (lambda position: position, (0, 1)))
        is_sampled = "playout" in ALGORITHMS[self.algorithm]
        visits: list[list[tuple[int, int]]] = []
        answers: list[tuple[float | None, int]] = []
        asked_for = set[object]()

        def visit(item: Any) -> None:
            if len(visits[-1]) >= MAX_VISITED:
                raise InvalidVisit(f"visited more than {MAX_VISITED:,} positions")
            visited = shapes.read_visit(item, position.geometry, self.shape).position
            visits[-1].append((visited.mine, visited.mask))

        def ask(of: Callable[[Position], int], board: Any, player: Any = None) -> int:
            asked_for.add(of)
            if is_sampled:
                visit(board)
            if player is not None and player not in players:
                raise InvalidVisit(f"asked for the player {shown(player)}, not one of {players}")
            asked = shapes.read_board(board, position.geometry, self.shape)
            return of(asked) if player in (None, players[asked.turn]) else -of(asked)

        on_visit = (lambda item: None) if is_sampled else visit
        offered = {
            self.shape: moves if self.shape == "moves" else make(position), "visit": on_visit,
            "evaluate": partial(ask, values.evaluate), "playout": partial(ask, values.playout),
            "player": players[position.turn], "alpha": -math.inf, "beta": math.inf, "c": C,
            "table": {},
        }  # fmt: skip
        fault, traceback = None, ""
        try:
            search = load_function(*self.file)
            for effort in efforts:
                visits.append([])
                offered |= dict.fromkeys(("depth", "iterations", "playouts"), effort)
                answer = shapes.end_of(search(**shapes.arguments_of(search, offered)), on_visit)
                answers.append(_read_answer(answer, is_sampled))
        except InvalidVisit as error:
            fault = str(error)
        except BaseException as error:
            fault, traceback = f"raised {described(error)}", traceback_of(error)
        fault = fault or (None if asked_for else "asked for no value")
        return {"visits": visits, "answers": answers, "fault": fault, "traceback": traceback}


def _read_answer(answer: Any, is_sampled: bool) -> tuple[float | None, int]:
    """Return the value and the column of an answer. Raises `InvalidVisit`."""
    with suppress(TypeError, ValueError):
        pair: Any = (None, answer) if is_sampled and isinstance(answer, Integral) else answer
        value, column = pair
        number = None if is_sampled and value is None else float(value)
        if isinstance(column, Integral | None) and not math.isnan(number or 0):
            number = None if number is None else max(-1e15, min(1e15, number))  # JSON has no inf
            return number, -1 if column is None else int(column)
    wanted = "(value, column) or a column" if is_sampled else "(value, column)"
    raise InvalidVisit(f"returned {shown(answer)} instead of {wanted}, counted from 0")


def main(parent: Parent) -> None:
    """Answer the requests of the parent."""
    answer_requests(parent, SearchWorker())
