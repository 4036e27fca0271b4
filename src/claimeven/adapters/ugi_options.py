"""The options of an engine by UGI: those of the board, of the talk, and of the agent that plays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from claimeven.agents.options import FLAGS, AgentKind, InvalidSpec, Option
from claimeven.agents.registry import AGENTS, parse_spec
from claimeven.game.geometry import Geometry
from claimeven.suggestions import no_such

#: Options of the board by name: the field of a `Geometry`, the least and the greatest.
BOARD = {"Columns": ("columns", 1, 16), "Rows": ("rows", 1, 16), "Connect": ("connect", 2, 8)}
#: How columns may be written: as the other side does, letters where it has not written any yet.
NOTATIONS = ("auto", "letters", "digits")
#: The greatest seed.
MOST_SEED = 2**31 - 1
#: What a text is where nothing is set, as engines write it.
_EMPTY = "<empty>"


class UgiOptions:
    """What can be set, and what is: the board, the seed, the notation, the spec of the agent.

    Raises `InvalidSpec` for a spec of a name that is none.
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
            for part in rest.split(",") if rest else ():
                option, _, value = part.partition("=")
                self._given[option.strip()] = value.strip()

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
        yield f"option name Seed type spin default {self.seed} min 0 max {MOST_SEED}"
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
    if number > MOST_SEED:
        raise InvalidSpec(f"{name} takes a whole number up to {MOST_SEED}, not {value!r}")
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
