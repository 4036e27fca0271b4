"""The words of UGI for an agent: positions, limits, decisions and options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from claimeven.agents.base import Agent, Decision, Limit
from claimeven.agents.external.ugi import move_text
from claimeven.agents.options import FLAGS, AgentKind, InvalidSpec, Option
from claimeven.agents.registry import AGENTS, options_in, parse_spec
from claimeven.errors import ClaimevenError
from claimeven.game.encodings import from_fen
from claimeven.game.errors import IllegalMove, InvalidPosition
from claimeven.game.geometry import Geometry
from claimeven.game.notation import parse_column
from claimeven.game.position import Position
from claimeven.montecarlo.layout import MAX_VISITS
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
#: The names of the sizes of a board, and the greatest seed.
_BOARD, _MAX_SEED = ("columns", "rows", "connect"), 2**31 - 1
#: Options of every engine: the board, the seed, and how columns are written. With `auto` that is as
#: the other side does, letters if it has not written any yet.
_OWN = {
    option.name.lower(): option
    for option in (
        Option("Columns", "int", 7, "", 1, 16),
        Option("Rows", "int", 6, "", 1, 16),
        Option("Connect", "int", 4, "", 2, 8),
        Option("Seed", "int", 0, "", 0, _MAX_SEED),
        Option("Notation", "choice", "auto", "", choices=("auto", "letters", "digits")),
    )
}
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
    numbers = {
        word: max(0, min(int(text[:15]), _MAX_NUMBER))
        for word, text in pairwise(words)
        if text.isascii() and text.removeprefix("-").isdigit()
    }
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
        given["iterations"] = min(given["iterations"], MAX_VISITS)
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
    """Return the result of a game: p1win, p2win, draw, or "none" before its end.

    >>> result_of(Position.from_moves("1212121"))
    'p1win'
    """
    if position.outcome is None:
        return "none"
    winner = position.outcome.winner
    return "draw" if winner is None else f"p{winner + 1}win"


class UgiOptions:
    """The options of the board, the talk and the agent, and their present values.

    Raises `InvalidSpec` for a wrong spec of an agent by name.
    """

    def __init__(self, spec: str, geometry: Geometry, seed: int) -> None:
        self.geometry = geometry
        self.seed = seed
        self.notation: str = "auto"
        self._spec = spec.strip()
        self._kind: AgentKind | None = None
        self._given: dict[str, str] = {}
        if self._spec.partition(":")[0] in AGENTS:
            parse_spec(self._spec)
            self._kind, self._given = options_in(self._spec)

    @property
    def spec(self) -> str:
        """The agent with its options as they are set now."""
        if self._kind is None or not self._given:
            return self._spec
        return f"{self._kind.name}:" + ",".join(f"{k}={v}" for k, v in self._given.items())

    def declared(self) -> Iterator[str]:
        """Yield a line for each option."""
        own = {name: str(getattr(self.geometry, name)) for name in _BOARD}
        own |= {"seed": str(self.seed), "notation": self.notation}
        for name, option in _OWN.items():
            yield _declaration(option, own[name])
        for option in self._agent_options():
            shown = _EMPTY if option.default is None else option.shown_default
            yield _declaration(option, self._given.get(option.name, shown))

    def set(self, name: str, value: str) -> bool:
        """Set an option; return whether the agent or its board has changed.

        Names are taken in capitals and small letters alike. Raises a `ClaimevenError` for an
        invalid name or value.
        """
        word = name.lower()
        if word in _OWN:
            parsed = _OWN[word].parse(value, "the engine")
            if word not in _BOARD:
                setattr(self, word, parsed)
                return False
            sizes = {size: getattr(self.geometry, size) for size in _BOARD}
            self.geometry = Geometry(**{**sizes, word: parsed})
            return True
        option = next((o for o in self._agent_options() if o.name.lower() == word), None)
        if self._kind is None or option is None:
            known = [option.name for option in (*_OWN.values(), *self._agent_options())]
            raise InvalidSpec(no_such("option", name, known))
        given = {**self._given, option.name: value}
        if value in ("", _EMPTY):
            del given[option.name]
        self._kind.parse(given)
        self._given = given
        return True

    def _agent_options(self) -> tuple[Option, ...]:
        return () if self._kind is None else self._kind.options


def _declaration(option: Option, shown: str) -> str:
    """Return an option and its present value in the words of UGI."""
    words = f"string default {shown}"
    if option.kind == "flag":
        words = f"check default {'true' if FLAGS.get(shown.lower()) else 'false'}"
    elif option.kind == "choice":
        words = " ".join(["combo default", shown, *(f"var {word}" for word in option.choices)])
    elif option.kind == "int" and shown != _EMPTY and None not in (option.low, option.high):
        words = f"spin default {shown} min {option.low:g} max {option.high:.0f}"
    return f"option name {option.name} type {words}"
