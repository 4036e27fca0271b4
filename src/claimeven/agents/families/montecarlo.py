"""The Monte Carlo searches as agents: flat, breadth-first, UCT and the published variants."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from claimeven.agents.base import Agent, AgentFault, Decision, Limit, TreeView
from claimeven.agents.files import load_function, split_file_spec
from claimeven.agents.options import BACKEND, SECONDS, AgentKind, InvalidSpec, Option, limit_in
from claimeven.agents.validation import checked_column
from claimeven.compiled.splitmix64 import Stream
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_name, format_moves
from claimeven.game.position import Position
from claimeven.montecarlo import options as known
from claimeven.montecarlo.inspection import PROOF_NAMES, Branch, Forest
from claimeven.montecarlo.layout import PLAYOUTS, PROOF_RESULTS, PROVEN_WIN
from claimeven.montecarlo.options import PRESETS, InvalidOptions, MonteCarloOptions
from claimeven.montecarlo.playouts.textbook import Rule, blocking_columns, pick_of, winning_columns
from claimeven.montecarlo.puct import PuctSearch
from claimeven.montecarlo.puct.policy_value import InvalidNetwork
from claimeven.montecarlo.search import MonteCarloResult, MonteCarloSearch, Replay
from claimeven.montecarlo.textbook import Step
from claimeven.montecarlo.tree_text import legend, tree_json, tree_lines, tree_svg, tree_text
from claimeven.networks.loading import BUNDLED_NTUPLE
from claimeven.networks.ntuple import read_network
from claimeven.review.claims import join_words

#: Iterations of a trace by default.
TRACE_ITERATIONS = 20


class MonteCarloAgent(Agent):
    """An agent around a `MonteCarloSearch`, or one with priors; threads may share it.

    `own` is the budget in its spec; `default` is the budget of its kind if neither the spec nor the
    limit has one. A `stateful` agent keeps its table between games.
    """

    limits: frozenset[str] = frozenset(("seconds", "iterations"))

    def __init__(
        self,
        name: str,
        search: MonteCarloSearch | PuctSearch,
        own: Limit,
        default: Limit,
        stateful: bool,
    ) -> None:
        self.name, self.search, self.stateful = name, search, stateful
        self.own, self.default = own, default
        self._last: tuple[Position, MonteCarloResult] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_last": None}

    def load(self, geometry: Geometry) -> None:
        self.search.load(geometry)

    def check_board(self, geometry: Geometry) -> None:
        """Raise `InvalidOptions` if its backend, model or capacity does not fit the board."""
        self.search.backend_for(geometry)
        least = 1 + geometry.columns
        if self.search.options.capacity < least:
            raise InvalidOptions(
                f"capacity must be at least {least} on {geometry}, for a position and each of its"
                f" moves, got {self.search.options.capacity}"
            )

    def reset(self) -> None:
        with self.search.busy:
            self._last = None
            if not self.stateful:
                self.search.reset()

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        budget = self.budget(limit)
        with self.search.busy:
            self._last = None  # this search replaces the trees of the last one
            result = self.search.search(position, rng, budget.iterations, budget.seconds)
            self._last = (position, result)
        by_column = {child.column: child for child in result.root.children}
        children = [by_column.get(column) for column in range(position.geometry.columns)]
        return Decision(
            result.column,
            result.value,
            result.policy,
            depth=result.depth,
            iterations=result.iterations,
            seconds=result.seconds,
            details={
                "values": [_value(child, self.search.options.width) for child in children],
                "values_are": "mean",
                "value_words": [_words(child) for child in children],
                "visits": [0 if child is None else child.visits for child in children],
                **_priors(children),
                "reused_visits": result.reused_visits,
                "stored": result.stored,
                "full": result.full,
                "line": list(result.line),
                "proof": PROOF_NAMES[result.root.proof],
                "branching": result.branching,
                "backend": result.backend,
            },
        )

    def tree(self, depth: int, nodes: int) -> TreeView | None:
        with self.search.busy:
            if self._last is None:
                return None
            position, result = self._last
            branch = result.forest.branch(depth, nodes)
        return TreeView(
            tree_text(branch, position), tree_json(branch, position), tree_svg(branch, position)
        )

    def trace(self, position: Position, limit: Limit, rng: np.random.Generator) -> Iterator[str]:
        """Return the phases of every iteration of the next decision and the tree after each.

        The textbook makes them from the current tree. A position that is decided without a search
        has the reason instead. Their number is set by the spec or the limit, or else
        `TRACE_ITERATIONS`; after the decision it is at most the number made. `puct` searches from
        scratch here, one leaf at a time.
        """
        limited = min(self.own.min_with(limit).iterations or TRACE_ITERATIONS, known.MAX_ITERATIONS)
        if isinstance(self.search, PuctSearch):
            return _puct_lines(self.search, position, limited, rng)
        replay = self.search.replay(position, rng, self.budget(limit).seconds)
        return self._lines(self.search, replay, position, limited)

    def _lines(
        self, search: MonteCarloSearch, replay: Replay, position: Position, limit: int
    ) -> Iterator[str]:
        if replay.engine is None:
            yield _immediate_line(replay.forest.branch(1), position)
            return
        made = search.iterations_of(replay)
        total = limit if made is None else sum(made)
        count = min(total, limit)
        title = f"the search that decides, {count:,} of its {total:,} iterations"
        if made is None:
            title = f"the search that decides, its first {count:,} iterations at most"
        if search.options.threads > 1:
            title += f" in the first of {search.options.threads} trees"
        if visits := replay.forest.root_visits():
            title += f", from a reused tree of {visits:,} visits"
        yield f"{title}; +1: the side to move here wins"
        steps = islice(replay.steps(made or (total,)), count)
        yield from _step_lines(steps, replay.forest, position)

    def budget(self, limit: Limit) -> Limit:
        """Return the smaller of the agent's budget and a limit, or the default one."""
        budget = self.own.min_with(limit)
        free = budget.iterations is None and budget.seconds is None
        return self.default if free else budget


def _puct_lines(
    search: PuctSearch, position: Position, most: int, rng: np.random.Generator
) -> Iterator[str]:
    steps, forest = search.follow(position, rng, most)
    yield (
        f"a search from scratch, one leaf at a time, of {most:,} iterations at most;"
        " +1: the side to move here wins"
    )
    yield from _step_lines(steps, forest, position)


def _step_lines(steps: Iterable[Step], forest: Forest, position: Position) -> Iterator[str]:
    for number, step in enumerate(steps):
        if not number:
            yield from legend(forest.branch(1))
        yield step_line(step, position)
        # An iteration adds at most two nodes. In a graph many paths lead to a node: the limit keeps
        # the tree small.
        yield from tree_lines(forest.branch(None, 1 + 2 * step.iteration), position)


def step_line(step: Step, position: Position) -> str:
    """Return one iteration as a line: path, expansion, playout, result for the root's side."""
    geometry = position.geometry
    parts = [f"{step.iteration:>3} select {format_moves(step.path, geometry) or 'root'}"]
    if step.expanded:
        parts.append(f"expand {format_moves(step.expanded, geometry)}")
    if step.simulated:
        parts.append(f"simulate {format_moves(step.simulated, geometry)}")
    # The result is for the player of the last selected move.
    result = step.result if len(step.path) % 2 else -step.result
    is_mean = step.is_evaluated or (step.is_catch_up and result % 1)
    shown = f"{result:+.3f}" if is_mean else f"{result:+g}" if result else "0"
    phase = "catch up" if step.is_catch_up else "back up"
    return ", ".join([*parts, f"{phase} {shown}" + ", proven" * bool(step.proofs)])


def _immediate_line(root: Branch, position: Position) -> str:
    geometry = position.geometry
    wins = [column_name(c.column, geometry) for c in root.children if c.proof == PROVEN_WIN]
    if not wins:
        return "every column loses immediately: no search"
    words = "column {} wins" if len(wins) == 1 else "columns {} win"
    return f"{words.format(join_words(wins))} immediately: no search"


def _priors(children: Sequence[Branch | None]) -> dict[str, list[float]]:
    """Return the priors of the columns as a detail; empty without a model."""
    priors = [0.0 if child is None else child.prior or 0.0 for child in children]
    return {"priors": priors} if any(priors) else {}


def _value(child: Branch | None, width: float) -> float | None:
    """Return the proven result of a column on a scale of a width, or its mean."""
    if child is None:
        return None
    if child.proof:
        result = float(PROOF_RESULTS[child.proof])
        return result if width == 1.0 else (result + 1.0) / width
    return child.mean if child.visits else None


def _words(child: Branch | None) -> str:
    """Return the mean of a column on -1..1 as a text, or its proven result."""
    if child is None:
        return "."
    proof = PROOF_NAMES[child.proof]
    if proof is not None:
        return proof
    return f"{child.mean:.3f}" if child.visits else "-"


def _build(name: str, options: Mapping[str, Any]) -> Agent:
    preset = PRESETS[name]
    given = {n: value for n, value in options.items() if n != "backend"}
    given |= {"playout": load_playout(given["playout"]), "seconds": None, "iterations": None}
    chosen = preset.with_changes(**given)
    return MonteCarloAgent(
        name,
        MonteCarloSearch(chosen, options["backend"]),
        limit_in(options),
        Limit(preset.seconds, preset.iterations),
        stateful=chosen.transpositions != "off" and chosen.reuse and name == "uct-itu-table",
    )


def load_playout(text: str) -> str | Rule:
    """Return a playout rule: a name, or a rule made of a function or a network.

    A user's function is written `my_file.py:function`. It takes a position, or a position and the
    `Stream` of random numbers, and returns a 0-based column. `ntuple` or `ntuple-FILE` plays the
    favorite column of the n-tuple network. Raises `InvalidSpec` for another function.
    """
    kind, _, model = text.partition("-")
    if kind == "ntuple":
        return _learned_rule(model)
    parts = None if text in PLAYOUTS or ":" not in text else split_file_spec(text)
    if parts is None:
        return text
    function = load_function(*parts)
    count = _arguments_of(function)
    if not count:
        raise InvalidSpec(f"{text} must take a position, or a position and a random stream")

    def rule(position: Position, stream: Stream) -> int:
        answer = function(position) if count == 1 else function(position, stream)
        try:
            return checked_column(answer, position)
        except AgentFault as fault:
            raise AgentFault(f"has a playout that {fault}") from None

    return rule


def _learned_rule(model: str) -> Rule:
    """Return the rule that wins, blocks, or plays the favorite column of a network."""
    try:
        network = read_network(model or BUNDLED_NTUPLE)
    except InvalidNetwork as error:
        raise InvalidSpec(str(error)) from None

    def rule(position: Position, stream: Stream) -> int:
        urgent = winning_columns(position) or blocking_columns(position)
        if urgent:
            return urgent[0]
        values = network.column_values(position)
        best = max(value for value in values if value is not None)
        return pick_of([c for c, value in enumerate(values) if value == best], stream)

    return rule


def _arguments_of(function: Callable[..., Any]) -> int:
    """Return whether a function can be called with two arguments or one; 0 for neither."""
    for count in (2, 1):
        with suppress(TypeError, ValueError):
            inspect.signature(function).bind(*[None] * count)
            return count
    return 0


def _choice(name: str, text: str) -> Option:
    return Option(name, "choice", None, text, choices=known.CHOICES[name])


_OPTIONS: tuple[Option, ...] = (
    Option("iterations", "int", None, "iterations for a move", 1, known.MAX_ITERATIONS),
    SECONDS,
    _choice("formula", "bonus c * sqrt(2 ln N / n) or c * sqrt(ln N / n)"),
    Option("c", "float", None, "constant of the bonus", 0, 1000),
    _choice("first_play", "order of the first visits of children"),
    _choice("ties", "which of equal children is selected"),
    Option(
        "playout", "text", None,
        f"rule of the playouts: {', '.join(PLAYOUTS)}, ntuple (trained), or"
        " my_file.py:function",
    ),
    Option("playout_cutoff", "int", None, "moves before a playout is drawn; 0: any", 0, 1000),
    _choice("scale", "scale of the results"),
    Option("min_wins", "int", None, "least number of wins of a visited child", 0, 1000),
    _choice("final_choice", "criterion of the column to play"),
    Option("solver", "flag", None, "back up proven wins and losses"),
    _choice("decisive_moves", "nodes that play immediate wins"),
    _choice("transpositions", "positions that share a node"),
    Option("reuse", "flag", None, "keep the tree for the next move"),
    Option("capacity", "int", None, "nodes or positions it can store", 1, known.MAX_CAPACITY),
    Option("threads", "int", None, "trees grown in parallel", 1, known.MAX_THREADS),
    BACKEND,
)  # fmt: skip
#: Options that a search without selection and proofs does not have, and its fewer choices.
_OF_UCT = ("formula", "c", "first_play", "ties", "min_wins", "solver", "transpositions", "reuse")
_FEWER = {"final_choice": ("visits", "mean"), "decisive_moves": ("off", "root")}

_SUMMARIES = {
    "uct": "upper confidence trees with our best settings",
    "flat": "flat Monte Carlo of the ITU lab: every reply gets the same share",
    "breadth": "flat search of the notebook's code: breadth first, a playout a node",
    "uct-polito": "UCT of Politecnico di Torino, 2021",
    "uct-menary": "UCT of S. Menary, 2023",
    "uct-aifour": "UCT of the AIFour notebook",
    "uct-aifour-code": "the same as printed: columns left to right, square root of the constant",
    "uct-aifour-greedy": "the AIFour notebook's simple tree search: the best mean, ties at random",
    "uct-itu": "UCT of the ITU lab",
    "uct-itu-table": "UCT of the ITU lab with a table that lasts from game to game",
}


def _kind(name: str, preset: MonteCarloOptions) -> AgentKind:
    """Return the kind of a preset: its options are defaults, its budget is in the summary."""
    budget = f"{preset.iterations} iterations" if preset.iterations else f"{preset.seconds:g} s"
    options = _OPTIONS
    if preset.method != "uct":
        options = tuple(
            replace(option, choices=_FEWER.get(option.name, option.choices))
            for option in _OPTIONS
            if option.name not in _OF_UCT
        )
    defaults = {**vars(preset), "iterations": None, "seconds": None}
    summary = f"{_SUMMARIES[name]}; {budget} a move by default"
    kind = AgentKind(name, "", options, partial(_build, name)).preset(name, summary, **defaults)
    return replace(kind, is_preset=name.startswith("uct-"))


KINDS = tuple(_kind(name, preset) for name, preset in PRESETS.items())
