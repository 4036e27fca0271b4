"""`kaggle:main.py`: a submission to Kaggle ConnectX, loaded from its file as Kaggle does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from claimeven.agents.foreign.kind import ForeignKind

if TYPE_CHECKING:
    from claimeven.agents.contract import Agent
    from claimeven.agents.process import Isolation


def _build(text: str, spec: str, isolation: Isolation) -> Agent:
    from claimeven.agents.kaggle import load_submission  # noqa: PLC0415 - where it is played

    return load_submission(spec, text)


KIND = ForeignKind(
    prefix="kaggle",
    form="kaggle:FILE.py",
    summary="a submission to Kaggle ConnectX, run as Kaggle does: its last callable plays",
    build=_build,
    examples=("kaggle:main.py",),
    notes=("without --seconds it has Kaggle's time: 2 s a move, 60 s in a bank",),
    own_process=True,
    files=lambda text: (Path(text),),
    brief=lambda text: Path(text).stem,
)
