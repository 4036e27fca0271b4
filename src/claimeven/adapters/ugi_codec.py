"""The words of UGI for an agent of ours: positions, limits, decisions and options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from claimeven.agents.base import Agent, Decision, Limit
from claimeven.agents.external.ugi_client import move_text
from claimeven.agents.options import FLAGS, AgentKind, InvalidSpec, Option, split_options
from claimeven.agents.registry import AGENTS, parse_spec
from claimeven.errors import ClaimevenError
from claimeven.game.encodings import from_fen
from claimeven.game.errors import IllegalMove, InvalidPosition
from claimeven.game.geometry import Geometry
from claimeven.game.notation import parse_column
from claimeven.game.position import Position
from claimeven.montecarlo.layout import MOST_VISITS
from claimeven.solver.scores import plies_to_end
from claimeven.suggestions import no_such

#: Words of `go` that a number follows, in milliseconds or of some quantity.
_TIMES = {"p1time": 0, "p2time": 1, "wtime": 0, "btime": 1}
_INCREMENTS = {"p1inc": 0, "p2inc": 1, "winc": 0, "binc": 1}
_QUANTITIES = ("depth", "nodes", "iterations")
_NUMBERED = ("movetime", *_TIMES, *_INCREMENTS, *_QUANTITIES)
#: Moves that the time left is shared among, and the part of an increment that is used.
_MOVES_LEFT, _PART = 15, 0.8
#: Seconds that the talk takes, taken off the time for a move; and the least time for one.
_TALK, _LEAST = 0.01, 0.001
#: The largest number of milliseconds or nodes that is taken.
_MAX_NUMBER = 10**12
#: Options of the board by name: the field of a `Geometry`, the least and the greatest.
BOARD = {"Columns": ("columns", 1, 16), "Rows": ("rows", 1, 16), "Connect": ("connect", 2, 8)}
#: How columns may be written: as the other side does, letters where it has not written any yet.
NOTATIONS = ("auto", "letters", "digits")
#: The greatest seed.
MAX_SEED = 2**31 - 1
#: The value of a text that is not set, as engines write it.
_EMPTY = "<empty>"


def read_position(words: Sequence[str], geometry: Geometry) -> tuple[Position, tuple[str, ...]]:
    """Read the words after `position`: return the position, and the moves as they were written.

    Raises a `ClaimevenError` for an invalid one.

    >>> position, moves = read_position("startpos moves d 4 c".split(), Geometry())
    >>> position == Position.from_moves("443"), moves
    (True, ('d', '4', 'c'))
    """
    begin = list(words).index("moves") if "moves" in words else len(words)
    start, moves = words[:begin], tuple(words[begin + 1 :])
    if list(start) == ["startpos"]:
        position = Position(geometry)
    elif start[:1] == ["fen"]:
        position = from_fen(" ".join(start[1:]), geometry)
    else:
        raise InvalidPosition("position takes startpos or fen FEN, then moves if there are any")
    for number, move in enumerate(moves, start=1):
        try:
            position = position.play(parse_column(move, geometry))
        except ClaimevenError as error:
            raise IllegalMove(f"move {number}: {error}") from None
    return position, moves


def limit_of(
    words: Sequence[str], agent: Agent, position: Position
) -> tuple[Limit, bool, tuple[str, ...]]:
    """Read the words after `go`: the limit, whether only `stop` ends the search, and notes.

    Limits that the agent does not know are left free; nodes are iterations to one that counts
    those. Of clocks a share of the time left is taken.
    """
    numbers = _numbers(words)
    given: dict[str, float | int] = {}
    notes = [
        f"no whole number follows {word}: it is left free"
        for word in _NUMBERED
        if word in words and word not in numbers
    ]
    if "movetime" in numbers:
        given["seconds"] = max(_LEAST, numbers["movetime"] / 1000 - _TALK)
    left = [n / 1000 for word, n in numbers.items() if _TIMES.get(word) == position.turn]
    if left and "seconds" not in given:
        more = [n / 1000 for w, n in numbers.items() if _INCREMENTS.get(w) == position.turn]
        share = left[0] / _MOVES_LEFT + _PART * sum(more)
        given["seconds"] = max(_LEAST, min(share, left[0] / 2) - _TALK)
    for name in _QUANTITIES:
        if name in numbers:
            given[name] = max(1, numbers[name])
    if "nodes" in given and "nodes" not in agent.limits and "iterations" in agent.limits:
        given["iterations"] = given.pop("nodes")
    if "iterations" in given:
        given["iterations"] = min(given["iterations"], MOST_VISITS)
    for name in [name for name in given if name not in agent.limits]:
        del given[name]
        notes.append(f"{agent.name} knows no limit of {name}: it is left free")
    limit = Limit(**given)  # type: ignore[arg-type]  # only seconds can be no whole number
    return limit, "infinite" in words, tuple(notes)


def info_of(decision: Decision, position: Position, seconds: float, letters: bool) -> str:
    """Return the info line of a decision."""
    words = ["info"]
    if decision.depth is not None:
        words.append(f"depth {decision.depth}")
    if decision.score is not None and decision.score != 0:
        plies = plies_to_end(position, decision.score)
        words.append(f"score mate {plies if decision.score > 0 else -plies}")
    elif decision.score is not None or decision.value is not None:
        words.append(f"score cp {round(100 * (decision.value or 0.0))}")
    nodes = (decision.iterations if decision.nodes is None else decision.nodes) or 0
    words.append(f"nodes {nodes} time {max(0, round(1000 * seconds))}")
    line = decision.details.get("line") or [decision.column]
    pv = " ".join(move_text(column, letters) for column in line)
    return " ".join([*words, f"nps {round(nodes / max(seconds, 1e-6))} pv {pv}"])


def notation_of(chosen: str, last_move: str) -> bool:
    """Whether columns are letters: as chosen, or as the last move that was read."""
    return not last_move.isdigit() if chosen == "auto" else chosen == "letters"


def result_of(position: Position) -> str:
    """Return how a game ended: p1win, p2win, draw, or none while it goes on.

    >>> result_of(Position.from_moves("1212121"))
    'p1win'
    """
    if position.outcome is None:
        return "none"
    winner = position.outcome.winner
    return "draw" if winner is None else f"p{winner + 1}win"


def _numbers(words: Sequence[str]) -> dict[str, int]:
    return {
        word: max(0, min(int(text[:15]), _MAX_NUMBER))
        for word, text in pairwise(words)
        if text.isascii() and text.removeprefix("-").isdigit()
    }


class UgiOptions:
    """The options of the board, the talk and the agent, and their present values.

    Raises `InvalidSpec` for a wrong spec of an agent by name.
    """

    def __init__(self, spec: str, geometry: Geometry, seed: int) -> None:
        self.geometry = geometry
        self.seed = seed
        self.notation = NOTATIONS[0]
        self._spec = spec.strip()
        self._kind: AgentKind | None = None
        self._given: dict[str, str] = {}
        name, _, rest = self._spec.partition(":")
        if name in AGENTS:
            self._kind, _ = parse_spec(self._spec)
            self._given = split_options(rest, self._spec)

    @property
    def spec(self) -> str:
        """The agent with its options as they are set now."""
        if self._kind is None or not self._given:
            return self._spec
        return f"{self._kind.name}:" + ",".join(f"{k}={v}" for k, v in self._given.items())

    def declared(self) -> Iterator[str]:
        """Yield a line for each option."""
        for name, (field, low, high) in BOARD.items():
            usual = getattr(self.geometry, field)
            yield f"option name {name} type spin default {usual} min {low} max {high}"
        yield f"option name Seed type spin default {self.seed} min 0 max {MAX_SEED}"
        words = " ".join(f"var {word}" for word in NOTATIONS)
        yield f"option name Notation type combo default {self.notation} {words}"
        for option in self._agent_options().values():
            yield f"option name {option.name} {_type_of(option, self._given)}"

    def set(self, name: str, value: str) -> bool:
        """Set an option; whether the agent or its board has changed. Raises a `ClaimevenError`.

        Names are taken in capitals and small letters alike.
        """
        word = name.lower()
        for board, (field, _, _) in BOARD.items():
            if word == board.lower():
                sizes = {f: getattr(self.geometry, f) for f, _, _ in BOARD.values()}
                self.geometry = Geometry(**{**sizes, field: _whole(name, value)})
                return True
        if word == "seed":
            self.seed = _whole(name, value)
            return False
        if word == "notation":
            if value not in NOTATIONS:
                raise InvalidSpec(no_such("notation", value, NOTATIONS))
            self.notation = value
            return False
        own = {option.lower(): known for option, known in self._agent_options().items()}
        if self._kind is None or word not in own:
            raise InvalidSpec(no_such("option", name, self.names()))
        option = own[word]
        given = dict(self._given)
        if value in ("", _EMPTY):
            given.pop(option.name, None)
        else:
            given[option.name] = value
        self._kind.parse(given)
        self._given = given
        return True

    def names(self) -> tuple[str, ...]:
        """Return the names of all options."""
        return (*BOARD, "Seed", "Notation", *self._agent_options())

    def _agent_options(self) -> Mapping[str, Option]:
        return {} if self._kind is None else {o.name: o for o in self._kind.options}


def _whole(name: str, value: str) -> int:
    if not (value.isascii() and value.isdigit()):
        raise InvalidSpec(f"{name} takes a whole number, not {value!r}")
    number = int(value[:12])
    if number > MAX_SEED:
        raise InvalidSpec(f"{name} takes a whole number up to {MAX_SEED}, not {value!r}")
    return number


def _type_of(option: Option, given: Mapping[str, str]) -> str:
    """Return type, default and bounds of an option in the words of UGI."""
    shown = given.get(option.name, option.shown_default if option.default is not None else _EMPTY)
    bounds = ""
    if option.kind == "flag":
        word = "true" if FLAGS.get(shown.lower()) else "false"
        return f"type check default {word}"
    if option.kind == "choice":
        return " ".join(["type combo default", shown, *(f"var {word}" for word in option.choices)])
    if option.kind == "int" and shown != _EMPTY and None not in (option.low, option.high):
        bounds = f" min {option.low:g} max {option.high:.0f}"
        return f"type spin default {shown}{bounds}"
    return f"type string default {shown}"
