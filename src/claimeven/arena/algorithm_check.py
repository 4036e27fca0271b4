"""Compare a search from a file with the textbook: the first difference, and its usual cause.

The search runs in a separate process on made-up values. The textbook then follows its visits, with
and without each mistake of `data/mistakes.toml` planted in its source: the mistake with which it
does the same is the cause. The contract of a search is in `agents.shapes`.
"""

from __future__ import annotations

import inspect
import math
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import chain, combinations
from operator import itemgetter
from types import CodeType
from typing import Any, Final, NamedTuple

from claimeven.agents import AgentFault, InvalidSpec, ProcessAgent, Sandbox
from claimeven.agents.codec import from_position
from claimeven.agents.files import split_file_spec
from claimeven.arena.algorithm_worker import ALGORITHMS, MAX_VISITED, C, MadeUpValues
from claimeven.arena.options import InvalidMatch
from claimeven.arena.probes import probes
from claimeven.evaluation.registry import get_evaluation
from claimeven.game import Position
from claimeven.game.encodings import to_fen
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import format_moves, parse_moves
from claimeven.game.validation import one_of
from claimeven.minimax import textbook
from claimeven.minimax.textbook import LimitReached, SearchContext
from claimeven.minimax.transpositions import TranspositionTable
from claimeven.minimax.types import PROVEN, WIN, Event, plies_to_end, run_trace
from claimeven.montecarlo.options import MonteCarloOptions
from claimeven.montecarlo.tree.textbook import TextbookTree, TreeNode

#: Seconds for the searches of a position, and the plies of the deepest one.
SECONDS, MAX_PLIES = 30.0, 6
#: The most positions of a tree without and with cutoffs; iterations, and playouts of a column.
MAX_TREE, MAX_PRUNED_TREE, _PLAYOUTS = 350, 2500, {"uct": (150,), "flat": (6,)}
#: Values of won games are above this; made-up values are below.
WON: Final = 100

Changes = tuple[tuple[str, str], ...]
#: The index of a position, the effort and the visit of a difference; and the place after all.
_Place = tuple[float, float, float]
_END: _Place = (math.inf, 0, 0)


class AlgorithmDifference(NamedTuple):
    """The different steps of the textbook and the program in a search with an `effort`.

    `visit` counts visited positions from 1; it is None if the answers differ.
    """

    moves: str
    position: Position
    effort: int
    visit: int | None
    textbook: str
    program: str
    textbook_position: Position | None
    program_position: Position | None
    traceback: str


@dataclass(frozen=True)
class AlgorithmReport:
    """The result of a check: the numbers of positions searched, of visits and of cutoffs.

    `causes` are the mistakes with which the textbook does the same as the program: in all positions
    if `is_sure`, else up to a later difference. `changes` is what the first one replaces.
    """

    algorithm: str
    spec: str
    positions: int
    visits: int
    cutoffs: int
    difference: AlgorithmDifference | None
    causes: tuple[str, ...] = ()
    changes: Changes = ()
    is_sure: bool = False

    @property
    def is_fine(self) -> bool:
        """Whether the program does the same as the textbook."""
        return self.difference is None

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, positions as FEN."""
        each = self.difference._asdict().items() if self.difference else ()
        plain = {name: to_fen(v) if isinstance(v, Position) else v for name, v in each}
        return {"ok": self.is_fine, **vars(self), "difference": plain or None}


def check_algorithm(
    algorithm: str,
    spec: str,
    *,
    moves: Sequence[str] = (),
    geometry: Geometry = STANDARD,
    seed: int = 0,
    seconds: float = SECONDS,
    sandbox: Sandbox | None = None,
    on_progress: Callable[[int, int], object] = lambda done, total: None,
) -> AlgorithmReport:
    """Compare the search of a file, `my.py` or `my.py:name`, with the textbook of an algorithm.

    `moves` are move strings of positions to search, by default some 15. Raises `InvalidSpec` if the
    search cannot be loaded, and `InvalidMatch` for a position that is over.
    """
    one_of(algorithm, "algorithm", tuple(ALGORITHMS), InvalidMatch)
    path, name = split_file_spec(spec) or (spec, "")
    if not path.endswith(".py"):
        raise InvalidSpec(f"a search must be in a file, my.py or my.py:{algorithm}, got {spec!r}")
    cases, answers = list(_cases(algorithm, geometry, moves, seed)), list[dict[str, Any]]()
    file = path, f"{name or algorithm},algorithm={algorithm}"
    with closing(_SearchProcess(spec, file, sandbox)) as search:
        search.make()
        for case in cases:
            answers.append(search.answer(case, seed, seconds))
            on_progress(len(answers), len(cases))
            if not answers[-1]["answers"]:
                break  # each of the other positions may take its time, too

    values = MadeUpValues(seed)

    def compare(
        changes: Changes, indexes: Sequence[int] = range(len(answers))
    ) -> tuple[_Place, AlgorithmDifference | None, int]:
        replay = _Replay(algorithm, changes, values)
        return *replay.compare(cases, answers, indexes), replay.counters.cutoffs

    variants = known_mistakes(algorithm, "variant")
    subsets = chain.from_iterable(combinations(variants, n) for n in range(len(variants) + 1))
    compared = []
    for changes in map(tuple, map(chain.from_iterable, subsets)):
        compared.append((*compare(changes), changes))
        if compared[-1][0] == _END:
            break
    compared.sort(key=itemgetter(0), reverse=True)
    place, first, cutoffs, as_correct = compared[0]
    visits = sum(map(len, chain(*(answer["visits"] for answer in answers))))
    report = AlgorithmReport(algorithm, spec, len(cases), visits, cutoffs, first)
    if first is None:
        return report
    fault = str(answers[int(place[0])]["fault"])
    causes: dict[str, Changes] = {}
    for *_, changes in compared:
        found: dict[_Place, dict[str, Changes]] = {}
        for mistake, cause in known_mistakes(algorithm).items():
            both = (*changes, *mistake)
            if compare(both, (int(place[0]),))[0] > place:  # few get past this position
                found.setdefault(compare(both)[0], {}).setdefault(cause, mistake)
        if found and max(found) > place:
            place, causes = max(found), found[max(found)]
        if place == _END:
            break
    for cause, read in _READINGS.items():
        meant = [{**each, "answers": [read(*pair) for pair in each["answers"]]} for each in answers]
        reached, _ = _Replay(algorithm, as_correct, values).compare(cases, meant, range(len(meant)))
        if reached[0] > place[0]:
            place, causes = reached, {cause: ()}
    faults = known_mistakes(algorithm, "fault").items()
    known = [cause for ((text, _),), cause in faults if text in fault and place != _END]
    changes = next(iter(causes.values())) if len(causes) == 1 and not known else ()
    return replace(report, causes=(*known, *causes), changes=changes, is_sure=place == _END)


#: Mistakes in the form of an answer, and the value and column that it means.
_READINGS: Final[dict[str, Callable[..., tuple[Any, Any]]]] = {
    "the answer is in the wrong order: return (value, column)": lambda v, c: (c, v or 0),
    "columns count from 1 in the answer: they must count from 0": lambda v, c: (v, c - 1),
}

#: A position to search, its columns, and the depth (or number of playouts) of each search.
_Case = tuple[Position, tuple[int, ...], tuple[int, ...]]


def _cases(algorithm: str, geometry: Geometry, moves: Sequence[str], seed: int) -> Iterator[_Case]:
    """Yield the positions of moves, or positions with few and many columns, wins and threats."""
    lines = [parse_moves(each, geometry) for each in moves]
    if not lines:
        tried = [*chain(*probes(geometry, seed))]
        lucky = [probe for probe in tried if len(probe.wins) > 1][:3]
        lucky += [probe for probe in tried if probe.blocks][:2]
        narrow = [probe for probe in tried if 1 < len(probe.position.legal_columns) < 4][:4]
        lines = [(), *(probe.columns for probe in (*tried[:4], *lucky, *narrow))]
    for columns in lines:
        position = Position.from_moves(columns, geometry)
        if position.is_over:
            raise InvalidMatch(f"the game is over after {format_moves(columns, geometry)}")
        size = MAX_TREE if algorithm == "minimax" else MAX_PRUNED_TREE
        plies = int(math.log(size, max(2, len(position.legal_columns))))
        efforts = range(1, 1 + min(plies, MAX_PLIES, geometry.cells - position.ply))
        yield position, columns, _PLAYOUTS.get(algorithm) or tuple(efforts)


@cache
def known_mistakes(algorithm: str, kind: str = "mistake") -> dict[Changes, str]:
    """Return the causes of known mistakes by their changes in the source of the textbook.

    A `variant` is another correct program, and a `fault` the text of a fault.
    """
    table = files("claimeven.arena").joinpath("data/mistakes.toml").read_text(encoding="utf-8")
    every = [each for each in tomllib.loads(table)[kind] if algorithm in each["of"]]
    return {tuple((old, new) for old, new in each["change"]): each["cause"] for each in every}


class _SearchProcess(ProcessAgent):
    """A search from a file in a separate process."""

    _module = "claimeven.arena.algorithm_worker"

    def answer(self, case: _Case, seed: int, seconds: float) -> dict[str, Any]:
        """Return the answer of `SearchWorker.search`."""
        position, moves, efforts = case
        given = {"board": from_position(position), "moves": moves, "efforts": efforts, "seed": seed}
        late = f"did not answer within {seconds:g} s"
        try:
            return self._ask("search", dict, seconds, late, **given)
        except AgentFault as error:
            failed = {"fault": str(error), "traceback": error.traceback}
            return {"visits": [[]], "answers": [], **failed}


class _Replay(SearchContext):
    """Runs of the textbook with changes, along the visits of a program."""

    def __init__(self, algorithm: str, changes: Changes, values: MadeUpValues) -> None:
        self.algorithm = algorithm
        self.is_changed = bool(changes)
        self.made_up = values
        #: The next visits of the program, the first one last; None if it does not show them.
        self.ahead: list[tuple[int, int]] | None = None
        super().__init__(get_evaluation(self.made_up.evaluate), ())
        own = {"_columns": self.columns, "guide": self.guide, "playout": self.playout}
        self.names = {**vars(sys.modules[_PARTS[algorithm][0].__module__]), **own}
        exec(_code(algorithm, changes), self.names)

    def compare(
        self, cases: Sequence[_Case], answers: Sequence[dict[str, Any]], indexes: Sequence[int]
    ) -> tuple[_Place, AlgorithmDifference | None]:
        """Return the first difference from answers of the program, and its place."""
        for index in indexes:
            (position, columns, efforts), answer = cases[index], answers[index]
            self.position: Position = position
            self.order = range(position.geometry.columns)
            self.made_up.counts.clear()
            self.table = TranspositionTable(1 << 28)
            results = [*answer["answers"], None]
            shows = self.algorithm in _PLAYOUTS or any(answer["visits"])
            for effort, seen, result in zip(efforts, answer["visits"], results, strict=False):
                self.ahead = [*map(tuple, reversed(seen))] if shows else None
                visit, ours, theirs = None, None, None
                self.most = self.counters.nodes + 4 * MAX_VISITED
                try:
                    best = self.best(effort)
                    if self.ahead:
                        raise LimitReached(None)
                    value, column = result or (None, -1)
                    if result and column in best and self.is_equal(value, best[column]):
                        continue
                    texts = ["returns " + " or ".join(_result(*each) for each in best.items())]
                    texts.append(f"returns {_result(column, value)}")
                except LimitReached as error:
                    visit, ours = len(seen) - len(self.ahead or ()) + 1, error.args[0]
                    if self.ahead:
                        theirs = Position.unchecked(position.geometry, *self.ahead[-1])
                    known = {True: "visits this position", False: "visits no more positions"}
                    texts = [known[each is not None] for each in (ours, theirs)]
                if result is None and theirs is None:
                    texts[1] = str(answer["fault"])
                moves, trace = format_moves(columns, position.geometry), answer["traceback"]
                both = texts[0], texts[1], ours, theirs, trace
                first = AlgorithmDifference(moves, position, effort, visit, *both)
                return (index, effort, visit or math.inf), first
        return _END, None

    def best(self, effort: int) -> dict[int, float]:
        """Run the textbook; return the best columns and their values. Raises `LimitReached`."""
        if self.algorithm == "flat":
            return dict(self.names["flat"](self.position, self.columns(self.position), effort))
        if self.algorithm == "uct":
            options = MonteCarloOptions(c=C, first_play="order")
            tree = self.names["TextbookTree"](self.position, options, 0)
            tree.simulate = lambda leaf: (-self.playout(leaf.position), [])
            tree.run(effort)
            return dict(self.names["final_choice"](tree.root))
        values: dict[int, float] = {}

        def note(event: Event) -> None:
            if event.kind == "return" and len(event.columns) == 1 and event.value is not None:
                values[event.columns[0]] = event.value

        found = run_trace(self.names[self.algorithm](self.position, effort, self), note)
        if self.algorithm == "minimax" and not self.is_changed:
            return {column: value for column, value in values.items() if value == found.value}
        return {found.line[0] if found.line else -1: found.value}  # others may have bounds

    def is_equal(self, value: float | None, ours: float) -> bool:
        """Whether a value of the program is the same as ours, on its scale of wins or results."""
        if value is None or self.algorithm in _PLAYOUTS:
            return value is None or min(abs(value - ours), abs(2 * value - 1 - ours)) < 1e-6
        return value == ours or (abs(ours) > PROVEN and math.copysign(value, ours * value) > WON)

    def enter(self, path: tuple[int, ...], position: Position | None = None) -> None:
        """Count a visit. Raises `LimitReached` if it is not the next one of the program."""
        super().enter(path)
        if self.counters.nodes > self.most:
            raise LimitReached(None)  # a mistake without an end, and no visits to compare
        if self.ahead is not None and position is not None:
            if self.ahead[-1:] != [(position.mine, position.mask)]:
                raise LimitReached(position)
            self.ahead.pop()

    def playout(self, position: Position) -> int:
        """Return the result of a playout, for the side to move."""
        self.enter((), position)
        return self.made_up.playout(position)

    def columns(self, position: Position, order: object = (), first: int = -1) -> list[int]:
        """Return the legal columns in the order in which the program visits them, then others."""
        legal = textbook._columns(position, self.order)
        after = {position.play_unchecked(column).mask: column for column in legal}
        tried, ply = list[int](), position.ply
        for _, mask in reversed(self.ahead or ()):
            if not after or mask.bit_count() <= ply:
                break
            tried += [after.pop(mask)] if mask in after else []
        return [*tried, *after.values()]

    def guide(self, children: Sequence[TreeNode], step: int = 1) -> list[TreeNode]:
        """Return children, the ones that lead to the next playout of the program first."""
        leaf = Position.unchecked(self.position.geometry, *(self.ahead or [(0, 0)])[-1])
        same, other = leaf.discs[::-1] if children[0].position.turn else leaf.discs

        def leads(child: TreeNode) -> bool:
            return not (child.position.theirs & ~other or child.position.mine & ~same)

        return sorted(children[::step], key=leads, reverse=True)


def flat(position: Position, columns: Sequence[int], playouts: int) -> dict[int, float]:
    """Return the columns with the best mean of playouts from the positions after them."""
    totals = dict.fromkeys(columns, 0)
    for _ in range(playouts):
        for column in columns:
            totals[column] -= playout(position.play(column))  # type: ignore[name-defined] # noqa: F821
    most = max(totals.values())
    return {column: total / playouts for column, total in totals.items() if total == most}


def final_choice(root: TreeNode) -> dict[int, float]:
    """Return the columns with the most visits and their means."""
    children = root.children or ()
    most = max(child.visits for child in children)
    return {child.column: child.total / most for child in children if child.visits == most}


#: The source of each textbook.
_PARTS: Final[dict[str, tuple[Any, ...]]] = {
    search.__name__: (search, textbook._value_at_rest, textbook._finished_value)
    for search in (textbook.minimax, textbook.alphabeta, textbook.negamax)
} | {"uct": (TextbookTree, final_choice), "flat": (flat,)}


@cache
def _source(algorithm: str) -> str:
    return "\n".join(map(inspect.getsource, _PARTS[algorithm]))


@cache
def _code(algorithm: str, changes: Changes) -> CodeType:
    """Return the code of a textbook after changes, and with the calls of a replay."""
    text = _source(algorithm)
    guided = ("in node.children:", "in guide(node.children):")
    for old, new in (("enter(path)", "enter(path, position)"), guided, *changes):
        text = text.replace(old, new)
    return compile(text, f"<{algorithm}>", "exec")


def _result(column: int, value: float | None) -> str:
    """Return a result of a search as text."""
    text = f"column {column + 1}" if column >= 0 else "no column"
    if value is None:
        return text
    plies = plies_to_end(value) if abs(value) < WIN else None
    won = f"a {'win' if value > 0 else 'loss'} in {plies}"
    return f"{text} with {f'value {value:,.6g}' if plies is None else won}"
