"""The parts of a submission, by the family of its agent.

To export another family, write its player as a module in `template`, and a function here that
 turns the options of a spec into a `Recipe`; `RECIPES` lists these functions. The book of moves
(`bench/make_submission_book.py` makes its file) and the models are packed for the template.
"""

from __future__ import annotations

import json
import lzma
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from claimeven.agents.external import split_foreign
from claimeven.agents.families import classic, montecarlo, trained
from claimeven.agents.files import split_file_spec
from claimeven.agents.http_agent import is_address
from claimeven.agents.options import FULL, AgentKind, InvalidSpec, limit_in, split_limit
from claimeven.agents.registry import AGENTS, parse_spec
from claimeven.evaluation.windows import SYMMETRIC
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.montecarlo.options import PRESETS
from claimeven.networks import ntuple
from claimeven.networks.loading import BUNDLED_NET
from claimeven.networks.model_file import read_model
from claimeven.networks.net import file as net_file
from claimeven.networks.net.net import Net, search_defaults_of
from claimeven.networks.ntuple import NTupleNetwork
from claimeven.networks.own_models import ONNX
from claimeven.suggestions import no_such

#: The book of the usual board.
BOOK: Final = Path(__file__).parent / "data" / "7x6.moves"
#: Weights, 0 or not, of a network in a submission: four bytes each in memory.
MAX_WEIGHTS: Final = 1 << 26
#: Weights of a net in a submission: each takes a byte or less of the file.
MAX_NET_WEIGHTS: Final = 1 << 24
#: Weights repeat themselves little, so only short and near repetitions are looked for: a few
#: hundredths fewer bytes than the usual settings leave, in a seventh of the time.
_FILTER: Final = {
    "id": lzma.FILTER_LZMA2, "mode": lzma.MODE_NORMAL, "mf": lzma.MF_BT2, "nice_len": 16, "depth": 1
}  # fmt: skip


def packed_book(geometry: Geometry) -> bytes:
    """Return the packed book of a board, b"" if it has no book."""
    packed = BOOK.read_bytes()
    return packed if packed[:3] == _sizes(geometry) else b""


def _sizes(geometry: Geometry) -> bytes:
    return bytes((geometry.columns, geometry.rows, geometry.connect))


@lru_cache(maxsize=2)
def packed_network(network: NTupleNetwork) -> bytes:
    """Return a network in few bytes. Raises `InvalidSpec` for one that is too large."""
    if len(network.weights) > MAX_WEIGHTS:
        raise InvalidSpec(
            f"a network of {len(network.weights):,} weights cannot be exported: up to"
            f" {MAX_WEIGHTS:,} can be"
        )
    board = network.geometry
    arrays = ntuple.pack(network)
    head = bytearray(_sizes(board))
    head += struct.pack("<H", len(network.tuples.tuples))
    for cells in network.tuples.tuples:
        head += bytes((len(cells), *(column * board.rows + row for column, row in cells)))
    head += struct.pack("<f", arrays["unit"][0])
    numbers = arrays["places"].tobytes() + arrays["weights"].tobytes()
    # Two hundredths more bytes than level 9 leaves, in a tenth of the time.
    return bytes(head) + zlib.compress(numbers, 7)


def packed_net(path: str | Path) -> bytes:
    """Return the net of a file that was read before in few bytes.

    Raises `InvalidSpec` for one that is too large.
    """
    model = read_model(path, net_file.KIND)
    count = sum(array.size for array in model.arrays.values())
    if count > MAX_NET_WEIGHTS:
        raise InvalidSpec(
            f"a net of {count:,} weights cannot be exported: up to {MAX_NET_WEIGHTS:,} can be"
        )
    board, searching = model.geometry, search_defaults_of(model.facts.get("searching"))
    facts = {
        "shape": model.facts["shape"],
        "knows_scores": model.facts.get("knows_scores") is True,
        "score_share": searching.score_share,
        "score_scale": searching.score_scale / Net.SCORE_UNIT,
        "arrays": [[n, a.dtype.newbyteorder("<").str, a.shape] for n, a in model.arrays.items()],
    }
    content = json.dumps(facts).encode() + b"\n"
    for array in model.arrays.values():
        content += array.astype(array.dtype.newbyteorder("<")).tobytes()
    return _sizes(board) + _pressed(content)


@lru_cache(maxsize=2)
def _pressed(content: bytes) -> bytes:
    """Return bytes in fewer, which takes a quarter of a second for a net of the usual size."""
    return lzma.compress(content, filters=[_FILTER])


#: Weights of windows that miss 0, 1 and 2 discs, for either side, and of the center column.
_SYMMETRIC = (
    (SYMMETRIC.line, SYMMETRIC.three, SYMMETRIC.two),
    (SYMMETRIC.their_line, SYMMETRIC.their_three, SYMMETRIC.their_two),
    SYMMETRIC.center,
)
#: Evaluation -> its module in `template`, and the expression that makes it.
EVALUATION_PARTS: Final = {
    "sequences": ("sequences", "Sequences(board)"),
    "windows": ("windows", "Windows(board)"),
    "windows-symmetric": ("windows", f"Windows(board, {', '.join(map(repr, _SYMMETRIC))})"),
    "streaks": ("streaks", "Streaks(board)"),
    "triples": ("triples", "Triples(board)"),
}
#: The modules of `networks.net` that need only NumPy, as parts of a submission with a net.
NET_PARTS: Final = ("array_features", "forward")
#: Characters of a call that is written in one line.
LINE: Final = 80
#: Options of UCT that a submission has not all choices of: these, and why no others.
UCT_CHOICES: Final[dict[str, tuple[tuple[Any, ...], str]]] = {
    "method": (("uct", "flat"), "it has no tree"),
    "playout": (
        ("random", "wins-and-blocks", "careful", "greedy", "replies"),
        "too slow in plain Python, or no part of the file",
    ),
    "transpositions": (("off",), "the tree of a submission has a node for each path"),
    "threads": ((1,), "a submission has one core"),
}


@dataclass(frozen=True)
class Recipe:
    """The modules of a submission in order, and the expression for the player of a `board`.

    `packed` is a name in the submission, the words for its content, and the content.
    """

    parts: tuple[str, ...]
    maker: str
    packed: tuple[str, str, bytes] | None = None


def recipe_of(spec: str, seed: int = 0) -> Recipe:
    """Return the parts of a submission. Raises `InvalidSpec` for an agent that cannot be one."""
    if split_limit(spec)[1]:
        raise InvalidSpec(f"{spec}: a submission has Kaggle's limits: leave out the limit after @")
    name = spec.partition(":")[0].strip()
    if name in RECIPES:
        return RECIPES[name](*parse_spec(spec), seed)
    if name in AGENTS:
        raise InvalidSpec(f"{name} cannot be exported: choose from {', '.join(RECIPES)}")
    if is_address(spec) or split_foreign(spec) or split_file_spec(spec):
        raise InvalidSpec(
            f"only bundled agents can be exported, not {spec} (a Python file without dependencies"
            " can be submitted as it is): choose from"
            f" {', '.join(RECIPES)}"
        )
    raise InvalidSpec(no_such("agent to export", name, RECIPES))


def _alphabeta(kind: AgentKind, options: Mapping[str, Any], seed: int) -> Recipe:
    _refuse_changed(kind, options, ("backend", "table", "keep"))
    if options.get("plays", "first") != "first":
        raise InvalidSpec(f"plays={options['plays']} cannot be exported: choose plays=first")
    evaluation = options["eval"]
    if evaluation not in EVALUATION_PARTS:
        raise InvalidSpec(
            f"eval={evaluation} cannot be exported: choose from {', '.join(EVALUATION_PARTS)}"
        )
    part, evaluator = EVALUATION_PARTS[evaluation]
    given = {
        "depth": None if options["depth"] == FULL else options["depth"],
        "nodes": options["nodes"],
        "seconds": options["seconds"],
        "left_first": options["order"] == "left",
        "root_view": options["view"] == "root",
        "center_start": options["start"] == "center",
    }
    return Recipe(
        ("board", "kaggle_api", part, "alphabeta"),
        _call("AlphaBeta", "board", evaluator, **_said(given)),
    )


def _uct(kind: AgentKind, options: Mapping[str, Any], seed: int) -> Recipe:
    _refuse_changed(kind, options, ("backend",))
    limit, standard = limit_in(options), PRESETS[kind.name]
    _check_uct({name: options[name] for name in UCT_CHOICES if options.get(name) is not None})
    apart = ("iterations", "seconds", "capacity", "backend")
    chosen = standard.with_changes(**{n: v for n, v in options.items() if n not in apart})
    _check_uct({name: getattr(chosen, name) for name in UCT_CHOICES})
    free = limit.unlimited and standard.iterations is not None
    given = {
        "weight": round(chosen.weight, 6),
        **{name: getattr(chosen, name) for name in _UCT_OPTIONS},
        **({"capacity": options["capacity"]} if options["capacity"] else {}),
        "iterations": standard.iterations if free else limit.iterations,
        "seconds": limit.seconds,
        "seed": seed,
    }
    more, maker = (("flat",), "Flat") if chosen.method == "flat" else ((), "Uct")
    return Recipe(("board", "kaggle_api", "uct", *more), _call(maker, "board", **given))


def _random(kind: AgentKind, options: Mapping[str, Any], seed: int) -> Recipe:
    return Recipe(_BASELINES, _call("AnyColumn", "board", seed=seed))


def _greedy(kind: AgentKind, options: Mapping[str, Any], seed: int) -> Recipe:
    return Recipe(_BASELINES, _call("Greedy", "board", **_said(options)))


def _perfect(kind: AgentKind, options: Mapping[str, Any], seed: int) -> Recipe:
    _refuse_changed(kind, options, tuple(options))
    return Recipe(
        ("board", "kaggle_api", "windows", "alphabeta", "exact", "perfect"),
        _call("Perfect", "board", "Windows(board)", "BOOK"),
        ("BOOK", "book of moves", packed_book(STANDARD)),
    )


def _ntuple(kind: AgentKind, options: Mapping[str, Any], seed: int) -> Recipe:
    _refuse_changed(kind, options, ("backend",))
    limits = {name: options.get(name) for name in ("depth", "nodes", "seconds")}
    if kind.name == trained.ALONE:
        limits["depth"] = 1
    elif not any(limits.values()):
        limits["depth"] = trained.DEFAULT_DEPTH
    given = {**limits, "left_first": options["order"] == "left"}
    network = packed_network(trained.network_of(options["model"]))
    return Recipe(
        ("board", "kaggle_api", "windows", "ntuple", "alphabeta"),
        _call("AlphaBeta", "board", "learnt_or(board, NETWORK, Windows(board))", **_said(given)),
        ("NETWORK", "network", network),
    )


def _net(kind: AgentKind, options: Mapping[str, Any], seed: int) -> Recipe:
    _check_model(kind, options)
    trained.net_of(options["model"])  # raises the error of the file
    return _with_net((), "OneLook(Net(board, NET))", options["model"])


def _puct(kind: AgentKind, options: Mapping[str, Any], seed: int) -> Recipe:
    _refuse_changed(kind, options, ("backend",))
    _check_model(kind, options)
    model = trained.model_of(options["model"])
    if not isinstance(model, Net):
        raise InvalidSpec(
            f"model={options['model']} cannot be exported with puct: it holds an n-tuple network,"
            " and a net is wanted (ntuple-alphabeta takes an n-tuple network along)"
        )
    limits = {name: options[name] for name in ("iterations", "seconds")}
    given = {**vars(trained.search_of(model, options)), **_said(limits)}
    search = _call("Puct", "board", "Net(board, NET).judge", **given, seed=seed, indent=8)
    return _with_net(("puct",), search, options["model"])


def _check_model(kind: AgentKind, options: Mapping[str, Any]) -> None:
    """Raise `InvalidSpec` for a model of another author; its code does not run here."""
    model = options["model"]
    if kind.runs_user_code(options) or model.endswith(ONNX):
        raise InvalidSpec(f"model={model} cannot be exported: only a net of claimeven can, a .npz")


def _with_net(parts: tuple[str, ...], maker: str, model: str) -> Recipe:
    """Return the recipe of a player with a net, and of alpha-beta on boards it does not know."""
    path = BUNDLED_NET if model == trained.DEFAULT else model
    return Recipe(
        ("board", "kaggle_api", "windows", "alphabeta", *NET_PARTS, "net", *parts),
        f"(\n        {maker}\n        if board.owns(NET)\n"
        "        else AlphaBeta(board, Windows(board))\n    )",
        ("NET", "net", packed_net(path)),
    )


def _check_uct(options: Mapping[str, Any]) -> None:
    """Raise `InvalidSpec` naming an option that a search in plain Python does not have, and why."""
    for name, value in options.items():
        choices, reason = UCT_CHOICES[name]
        if value not in choices:
            raise InvalidSpec(
                f"{name}={value} cannot be exported ({reason}): choose from"
                f" {', '.join(map(str, choices))}"
            )


_BASELINES: Final = ("board", "kaggle_api", "baselines")
#: Options of UCT that a submission takes as they are.
_UCT_OPTIONS: Final = (
    "playout", "playout_cutoff", "final_choice", "solver", "decisive_moves", "reuse", "first_play",
    "ties", "min_wins"
)  # fmt: skip
#: Agent -> the function that makes its recipe.
RECIPES: Final[dict[str, Callable[[AgentKind, Mapping[str, Any], int], Recipe]]] = {
    **{kind.name: _alphabeta for kind in classic.KINDS if not kind.name.endswith("-code")},
    **{
        kind.name: _uct
        for kind in montecarlo.KINDS
        if all(getattr(PRESETS[kind.name], n) in known for n, (known, _) in UCT_CHOICES.items())
    },
    "perfect": _perfect,
    "ntuple": _ntuple,
    "ntuple-alphabeta": _ntuple,
    "net": _net,
    "puct": _puct,
    "random": _random,
    "greedy": _greedy,
}


def _refuse_changed(kind: AgentKind, options: Mapping[str, Any], names: tuple[str, ...]) -> None:
    """Raise `InvalidSpec` if an option without a meaning in a submission was set."""
    for option in kind.options:
        if option.name in names and options[option.name] != option.default:
            raise InvalidSpec(
                f"a submission has no {option.name}: {kind.name} is exported as it is with"
                f" {option.name}={option.shown_default}"
            )


def _said(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value not in (None, False)}


def _call(name: str, *arguments: str, indent: int = 4, **options: Any) -> str:
    """Return the text of a call within a function; a long one has a line for each argument."""
    given = [*arguments, *(f"{option}={value!r}" for option, value in options.items())]
    line = f"{name}({', '.join(given)})"
    if len(line) <= LINE:
        return line
    space = " " * indent
    return "\n".join([f"{name}(", *(f"{space}    {each}," for each in given), f"{space})"])
