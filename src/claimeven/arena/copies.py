"""Agents that may be copies: equal files, equal code, shared code, equal choices.

Code is parsed but not run. Its parts are functions, methods and other statements, without comments,
docstrings, imports and annotations. The names that the file defines are numbered in each part, so
neither renaming nor reordering changes a part.

Choices are compared in quiet positions: two columns or more, no win and no block at hand. Chance is
the share of pairs of independent agents that agree as often, if their agreement has a beta-binomial
distribution. Its mean is the mean agreement of both agents with all that play unlike them, bundled
ones and the class; its width is fitted to the pairs of these.
"""

from __future__ import annotations

import ast
import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import exp, lgamma
from pathlib import Path

import numpy as np
import numpy.typing as npt

from claimeven.agents.files import file_of, split_file_spec
from claimeven.agents.fingerprint import paths_of
from claimeven.agents.registry import find_broken_agents, make_agents
from claimeven.agents.source_snapshot import content_of, source_of
from claimeven.arena.accuracy.answers import SetPlan
from claimeven.arena.accuracy.measure import ask
from claimeven.arena.options import CopyOptions, InvalidMatch
from claimeven.arena.probes import random_probes
from claimeven.arena.tournaments.standings import group_equal
from claimeven.dataset.scored_sets import ScoredPosition, ScoredSet
from claimeven.game.position import Position
from claimeven.parallel.jobs import Executor

#: Bundled agents, and rules by the number that a column minimizes: programs that play like the same
#: one agree without copying.
_REFERENCES = (
    *("random", "greedy", "greedy:win=yes,block=yes", "flat:iterations=200"),
    *(
        f"alphabeta:depth={depth}{heuristic}{order}"
        for depth in range(1, 7)
        for heuristic in ("", ",eval=sequences", ",eval=streaks", ",eval=triples")
        for order in ("", ",order=left")
    ),
)
_RULES: dict[str, Callable[[Position, int], float]] = {
    "the leftmost column": lambda position, column: column,
    "the rightmost column": lambda position, column: -column,
    "the emptiest column": lambda position, column: position.height_of(column),
    "the fullest column": lambda position, column: -position.height_of(column),
    "the middle column": lambda position, column: abs(2 * column + 1 - position.geometry.columns),
}
#: Kinds of findings.
FILES, CODE, SHARED, CHOICES = "equal files", "equal code", "shared code", "equal choices"
#: Share of the passages of the shorter code, and its least passages. Of 2,061 pairs of independent
#: files none shares more than 0.27; copies with other loops and numbers share 0.43 and more.
MIN_SHARED, MIN_PASSAGES = 0.35, 60
#: Share of positions in which two agents agree, and in which both agree with a reference.
MIN_AGREEMENT, MIN_LIKE = 0.95, 0.9
#: Maximum chance of equal choices, times the pairs compared.
MAX_CHANCE = 0.01

#: Syntax nodes in a row that make a passage.
_PASSAGE = 8
#: Fields of nodes that do not change the play, and the fields with names.
_IGNORED = ("annotation", "returns", "ctx", "kind", "type_comment", "type_params", "simple")
_NAMES = ("id", "attr", "arg", "name")
#: A part: the labels of its nodes, and the numbers of the names that the file defines.
Part = tuple[tuple[str, ...], tuple[int, ...]]

Columns = dict[str, npt.NDArray[np.int64]]


@dataclass(frozen=True)
class CopyFinding:
    """Agents that are alike in a `share` of the `total` lines, passages or positions.

    Only choices have a `chance`, or are `like` a reference that all of the agents play like.
    """

    kind: str
    agents: tuple[str, ...]
    share: float
    total: int
    chance: float | None = None
    like: str | None = None


@dataclass(frozen=True)
class CopyReport:
    """The findings, the number of positions, and why some agents' choices are not compared."""

    agents: tuple[str, ...]
    findings: tuple[CopyFinding, ...]
    positions: int
    left_out: dict[str, str]


def find_copies(
    agents: Sequence[str],
    options: CopyOptions | None = None,
    templates: Sequence[str | Path] = (),
    on_progress: Callable[[int, int], object] | None = None,
) -> CopyReport:
    """Return what agents have in common, in source or choices, that is hardly chance.

    Code of `templates` does not count. Agents that cannot be loaded or fail are compared only by
    source. `on_progress` gets the number of answers, and of all. Raises `InvalidMatch`, and
    `InvalidSpec` for an agent without a file.

    >>> [each.like for each in find_copies(["alphabeta:depth=3", "minimax:depth=3"]).findings]
    ['alphabeta:depth=3']
    """
    options, specs = options or CopyOptions(), tuple(dict.fromkeys(agents))
    if len(specs) < 2 or options.positions < 0:
        needs = "needs 2 agents or more (bots/*.py) and 0 positions or more"
        raise InvalidMatch(f"copies {needs}, got {len(specs)} and {options.positions}")
    if not options.positions:  # without questions the agents are not loaded
        for spec, agent in zip(specs, make_agents(specs, lazy_start=True), strict=True):
            agent.close()
            place = (split_file_spec(spec) or ("",))[0]
            if place.endswith(".py") and file_of(spec) is None:
                source_of(place)  # raises the reason
    findings, faults = list(_by_source(specs, templates)), dict[str, str]()
    equal = [set(each.agents) for each in findings if each.kind != SHARED]
    probes = random_probes(options.geometry, random.Random(options.seed), 9 * options.positions)
    quiet = {
        probe.position.canonical_key: ScoredPosition(probe.moves, probe.position)
        for probe in probes
        if not probe.wins + probe.blocks and probe.only is None
    }
    asked = ScoredSet("quiet", tuple(quiet.values())[: options.positions])
    if quiet:
        sandbox = replace(options.sandbox, quiet=True)
        broken = find_broken_agents(specs, options.geometry, options.limit, sandbox)
        if missing := [spec for spec in broken if file_of(spec) is None]:
            raise broken[missing[0]]
        faults = {spec: str(error) for spec, error in broken.items()}
        able = tuple(spec for spec in specs if spec not in broken)
        plan = SetPlan(able, asked, options.seed, options.limit, sandbox, own_chance=True)
        columns = _columns(plan, faults, options.workers(None), on_progress)
        known = _REFERENCES if options.geometry.fits_word else _REFERENCES[:12]
        references = _columns(SetPlan(known, asked, options.seed, own_chance=True), {})
        positions = [each.position for each in asked.positions]
        for name, rule in _RULES.items():
            best = [min(p.legal_columns, key=partial(rule, p)) for p in positions]
            references[name] = np.array(best)
        findings += _by_choices(columns, references, equal)
    return CopyReport(specs, tuple(findings), len(asked.positions), faults)


def _by_source(specs: Sequence[str], templates: Sequence[str | Path]) -> Iterator[CopyFinding]:
    paths = {spec: [p for p in paths_of(spec).values() if p.suffix == ".py"] for spec in specs}
    uses = Counter(path for found in paths.values() for path in found)
    given = SourceCode.read(source_of(str(path)) for path in templates)
    codes = {}
    for spec, found in paths.items():
        own = [path for path in found if uses[path] == 1] or found[:1]
        codes[spec] = SourceCode.read((content_of(str(path)) or b"" for path in own), given)
    equal: list[tuple[str, ...]] = []
    for kind, signs in (
        (FILES, {spec: code.lines for spec, code in codes.items()}),
        (CODE, {spec: code.parts for spec, code in codes.items()}),
    ):
        for group in group_equal(signs):
            if group not in equal:
                yield CopyFinding(kind, group, 1.0, len(codes[group[0]].lines))
                equal.append(group)
    for pair in combinations(specs, 2):
        one, other = (codes[spec].passages for spec in pair)
        share = len(one & other) / max(min(len(one), len(other)), MIN_PASSAGES)
        if share >= MIN_SHARED and not any(set(pair) <= set(group) for group in equal):
            yield CopyFinding(SHARED, pair, share, min(len(one), len(other)))


@dataclass(frozen=True)
class SourceCode:
    """The lines of code with text, its parts, and all runs of `_PASSAGE` nodes in a part.

    Code that cannot be parsed has only lines.
    """

    lines: tuple[bytes, ...] = ()
    parts: frozenset[Part] = frozenset()
    passages: frozenset[tuple[str, ...]] = frozenset()

    @classmethod
    def read(cls, files: Iterable[bytes], given: SourceCode | None = None) -> SourceCode:
        """Read the contents of files as one, without the parts and passages of a template."""
        texts, given = [text.removeprefix(b"\xef\xbb\xbf") for text in files], given or cls()
        lines = tuple(line.rstrip() for text in texts for line in text.splitlines() if line.strip())
        try:
            with warnings.catch_warnings(action="ignore"):
                parts = {part for text in texts for part in _parts_of(ast.parse(text))}
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return cls(lines)
        passages = {
            labels[start : start + _PASSAGE]
            for labels, _ in parts
            for start in range(len(labels) - _PASSAGE + 1)
        }
        own = frozenset(parts - given.parts)
        return cls(lines if own else (), own, frozenset(passages - given.passages))


def _parts_of(tree: ast.Module) -> Iterator[Part]:
    own, imported = set[str | None](), dict[str, str]()
    for node in ast.walk(tree):
        is_stored = isinstance(getattr(node, "ctx", ast.Store()), ast.Store)
        if isinstance(node, ast.alias):
            imported[node.asname or node.name] = node.name
        elif is_stored and not isinstance(node, ast.keyword):
            own |= {getattr(node, name, None) for name in _NAMES}
    own -= {None, *imported}
    waiting: list[ast.stmt] = tree.body
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, ast.ClassDef):
            waiting += statement.body
            statement.body = []
        if not _is_silent(statement):
            yield _part_of(statement, own, imported)


def _part_of(part: ast.stmt, own: set[str | None], imported: Mapping[str, str]) -> Part:
    labels, numbers, known = list[str](), list[int](), dict[str, int]()
    waiting: list[ast.AST] = [part]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            node = ast.Assign([node.target], node.value)
        label, inner = [type(node).__name__], list[ast.AST]()
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                nodes = [each for each in value if not _is_silent(each)]
                label.append(str(len(nodes)))
                inner += nodes
            elif name in _NAMES and value in own:
                numbers.append(known.setdefault(value, len(known)))
            elif isinstance(value, ast.AST):
                inner += [value] * (name not in _IGNORED)
            elif name not in _IGNORED:
                label.append(repr(imported.get(value, value) if name in _NAMES else value))
        labels.append(" ".join(label))
        waiting += reversed(inner)
    return tuple(labels), tuple(numbers)


def _is_silent(node: object) -> bool:
    """Whether an entry of a list does nothing: a docstring, an import, a name."""
    if isinstance(node, (ast.Expr, ast.AnnAssign)):
        value = node.value
        return value is None or (isinstance(value, ast.Constant) and isinstance(value.value, str))
    return isinstance(node, (ast.Import, ast.ImportFrom, ast.Pass)) or not isinstance(node, ast.AST)


def _columns(
    plan: SetPlan,
    faults: dict[str, str],
    executor: Executor | None = None,
    on_progress: Callable[[int, int], object] | None = None,
) -> Columns:
    """Return the columns of the agents that answer always; add the faults of the others."""
    found = {name: np.full(len(plan.asked), -1) for name in plan.names}
    with closing(ask(plan, executor, max_faults=1)) as answers:
        for done, answer in enumerate(answers, start=1):
            name = plan.names[answer.agent]
            if answer.column is None:
                faults[name] = answer.reason
            else:
                found[name][answer.position] = answer.column
            if on_progress is not None:
                on_progress(done, plan.questions)
    return {name: row for name, row in found.items() if name not in faults}


def _by_choices(
    columns: Columns, references: Columns, equal: Sequence[set[str]]
) -> Iterator[CopyFinding]:
    """Yield pairs that agree by more than chance, and groups that play like a reference."""
    alike: dict[str, dict[str, float]] = {}
    known = np.array(list(references.values()))
    pairs = list(combinations(columns, 2))
    for pair in pairs:
        both = np.array([columns[name] for name in pair])
        share = float((both[0] == both[1]).mean())
        if share < MIN_AGREEMENT or any(group.issuperset(pair) for group in equal):
            continue
        agreements = (known[:, None] == both).mean(axis=2).min(axis=1)
        like = list(references)[int(agreements.argmax())]
        if agreements.max() >= MIN_LIKE:
            alike.setdefault(like, {}).update(dict.fromkeys(pair, share))
            continue
        chance = _chance(both, np.array([*known, *columns.values()]))
        if chance * len(pairs) <= MAX_CHANCE:
            yield CopyFinding(CHOICES, pair, share, both.shape[1], chance)
    for like, shares in alike.items():
        total = len(references[like])
        yield CopyFinding(CHOICES, tuple(shares), min(shares.values()), total, like=like)


def _chance(both: npt.NDArray[np.int64], others: npt.NDArray[np.int64]) -> float:
    """Return the chance of independent agents to agree at least as often as these two."""
    pool = list(both)
    for row in others:
        if (row == pool).mean(axis=1).max() < MIN_AGREEMENT:
            pool.append(row)
    rows, count = np.array(pool[2:]), both.shape[1]
    rates = (rows[:, None] == rows).mean(axis=2)
    np.fill_diagonal(rates, np.nan)
    means = np.nanmean(rates, axis=1)
    expected = (means[:, None] + means) / 2
    excess = np.nanmean((rates - expected) ** 2 / (expected * (1 - expected)))
    width = max((count * excess - 1) / max(count - 1, 1), 0.01)
    mean = (rows[:, None] == both).mean()
    a, b = (share * (1 / width - 1) for share in (mean, 1 - mean))
    logs = (
        lgamma(count + 1) - lgamma(n + 1) - lgamma(count - n + 1) + lgamma(a + b) - lgamma(a)
        - lgamma(b) + lgamma(a + n) + lgamma(b + count - n) - lgamma(a + b + count)
        for n in range(int((both[0] == both[1]).sum()), count + 1)
    )  # fmt: skip
    return float(sum(map(exp, logs)))
