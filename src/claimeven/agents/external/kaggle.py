"""`kaggle:main.py`, a submission to Kaggle ConnectX, and `kaggle:negamax`, a player of its package.

A file is loaded as on Kaggle. The players of the package `kaggle-environments` are loaded from
their module: an import of the whole package loads every game.
"""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from types import ModuleType

import numpy as np

from claimeven.agents.base import Agent, Decision, Limit
from claimeven.agents.external.base import ForeignKind
from claimeven.agents.kaggle_agent import KaggleAgent, load_submission
from claimeven.agents.options import AgentKind, InvalidSpec
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.source_snapshot import exists, refusal_of
from claimeven.game.position import Position
from claimeven.suggestions import no_such

PACKAGE, EXTRA = "kaggle_environments", "kaggle"
#: The path of the module of ConnectX in the package.
MODULE = ("envs", "connectx", "connectx.py")


class PackagePlayer(KaggleAgent):
    """A player of the package. A number from the game's generator seeds each move."""

    def __init__(self, name: str) -> None:
        self.module: ModuleType = _connectx()
        super().__init__(f"kaggle:{name}", self.module.agents[name])

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Call the player. Raises `AgentFault` for an answer that Kaggle rejects."""
        vars(self.module)["choice"] = random.Random(int(rng.integers(1 << 62))).choice
        return super().choose(position, limit, rng)


def _player(name: str, summary: str) -> AgentKind:
    return AgentKind(name, f"the package's own: {summary}", (), lambda options: PackagePlayer(name))


PLAYERS = {
    kind.name: kind
    for kind in (
        _player("negamax", "four plies ahead, equals at random"),
        _player("random", "any column that is not full"),
    )
}


def _connectx() -> ModuleType:
    """Load only the module of ConnectX from the package. Raises `InvalidSpec`."""
    package = importlib.util.find_spec(PACKAGE)
    places = None if package is None else package.submodule_search_locations
    for place in places or ():
        path = Path(place).joinpath(*MODULE)
        if path.is_file():
            spec = importlib.util.spec_from_file_location("kaggle_connectx", path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise InvalidSpec(
        f"{' and '.join(f'kaggle:{name}' for name in PLAYERS)} need the extra {EXTRA!r}:"
        f" pip install 'claimeven[{EXTRA}]'"
    )


def _check(text: str) -> None:
    if text in PLAYERS:
        _connectx()
    elif exists(text) and (refusal := refusal_of(text)) is not None:
        raise InvalidSpec(refusal)
    elif not text.endswith(".py") and not exists(text):
        raise InvalidSpec(
            f"{no_such('player of Kaggle', text, PLAYERS)}, or a file such as kaggle:main.py"
        )


def _build(text: str, spec: str, sandbox: Sandbox) -> Agent:
    return PackagePlayer(text) if text in PLAYERS else load_submission(spec, text)


KIND = ForeignKind(
    prefix="kaggle",
    form="kaggle:FILE.py",
    summary="a submission to Kaggle ConnectX, run as Kaggle does: its last callable plays",
    build=_build,
    examples=("kaggle:main.py", "kaggle:negamax"),
    notes=(
        "without --seconds it has Kaggle's time: 2 s a move, and a time bank of 60 s",
        f"a name is a player of Kaggle's package: pip install 'claimeven[{EXTRA}]'",
    ),
    own_process=True,
    check=_check,
    files=lambda text: () if text in PLAYERS else (Path(text),),
    brief=lambda text: f"kaggle:{text}" if text in PLAYERS else Path(text).stem,
    agents=tuple(PLAYERS.values()),
)
