"""The folder of a training run: its recipe, its log, its last checkpoint, its model.

```text
recipe.json       what was asked for; a folder holds one run
log.jsonl         a JSON object a measurement, in order
checkpoint.npz    where training stood last, whole or not there: written beside and moved
model.npz         the model as it was measured last
models            models of the first measurements, of the 1st, 2nd, 4th, 8th and so on
```

A run that was ended in any way is taken up from its checkpoint. Lines of the log that came after it
are dropped, because training makes them again. The checkpoint tells, as digests, which recipe it is
of and what the log held by then: one of another run, or a log that was changed, is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

from claimeven.atomic_io import (
    CannotWrite,
    GrowingFile,
    make_folder,
    remove_abandoned,
    write_bytes,
    write_text,
)
from claimeven.errors import ClaimevenError
from claimeven.montecarlo.puct.policy_value import InvalidNetwork
from claimeven.networks.model_file import MOST_OF_CHECKPOINT, ModelFile, read_model, write_model

Row = Mapping[str, Any]
#: Differences between two recipes that are told, at most.
_MOST_DIFFERENCES: Final = 6
#: Names of files in the folder.
RECIPE, LOG, MODELS = "recipe.json", "log.jsonl", "models"
#: What a row of the log is told under that says what the run has cost.
CORES = "core_seconds"
#: Digits of seconds in a row. Each goes on from the one before, so fewer would lose those of rows
#: that come quickly.
SECONDS_DIGITS = 3


class InvalidRun(ClaimevenError):
    """A training run that cannot begin or go on; the message says why."""


def cores_spent() -> float:
    """Return the seconds of cores that this process has taken, and its children that have ended.

    >>> cores_spent() > 0
    True
    """
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


class RunFolder:
    """An open folder of a run; see `opened`."""

    def __init__(self, path: Path, recipe: Mapping[str, Any]) -> None:
        self.path = path
        # As it is read again: there a tuple is a list.
        self.recipe: dict[str, Any] = json.loads(json.dumps(recipe))
        self.rows: list[Row] = []
        self._cores = cores_spent()
        self._log: GrowingFile | None = None
        self._logged = hashlib.sha256()

    @classmethod
    @contextmanager
    def opened(cls, path: str | Path, recipe: Mapping[str, Any]) -> Iterator[Self]:
        """Yield the folder of a run of this recipe, made if it is not there.

        Raises `InvalidRun` for a folder of another recipe, or of other files, and `CannotWrite`.
        """
        folder = cls(Path(path), recipe)
        folder._begin()
        try:
            yield folder
        finally:
            if folder._log is not None:
                folder._log.close()

    @property
    def model_path(self) -> Path:
        """Where the model is, or will be."""
        return self.path / "model.npz"

    def has_model(self) -> bool:
        """Whether the model is there, and whole."""
        try:
            read_model(self.model_path)
        except InvalidNetwork:
            return False
        return True

    def measured(self) -> Row:
        """Return the row that the model tells of itself, empty where it is not there or whole."""
        try:
            found = read_model(self.model_path).facts.get("measured")
        except InvalidNetwork:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def log_path(self) -> Path:
        """Where the measurements are."""
        return self.path / LOG

    def take_up(
        self, kind: str, go_on: Callable[[ModelFile], object] | None = None
    ) -> ModelFile | None:
        """Return the last checkpoint, with the rows of the log up to it; None at the beginning.

        A learner is to `go_on` from it. Raises `InvalidRun` where it is damaged or of another run,
        or where the log is not what it was.
        """
        path = self._checkpoint_path
        checkpoint, lines = None, []
        if path.exists():
            checkpoint = self._checkpoint(path, kind)
            lines = self._lines()[: checkpoint.facts["rows"]]
            self._logged.update(b"".join(lines))
            if self._logged.hexdigest() != checkpoint.facts.get("log"):
                raise InvalidRun(
                    f"{self.log_path} has lost lines, or they were changed: delete {path} to begin"
                    " again"
                )
        self.rows = [json.loads(line) for line in lines]
        if checkpoint is not None and go_on is not None:
            with self.reading_checkpoint():
                go_on(checkpoint)
        self._log = GrowingFile(self.log_path, sum(map(len, lines)))
        for written in (self.path / RECIPE, path, self.model_path):
            remove_abandoned(written)
        return checkpoint

    @contextmanager
    def reading_checkpoint(self) -> Iterator[None]:
        """Say that the checkpoint is damaged where it does not hold what is looked for in it."""
        try:
            yield
        except InvalidRun:
            raise
        except (LookupError, TypeError, ValueError):
            told = f"{self._checkpoint_path} is damaged: delete it to begin again"
            raise InvalidRun(told) from None

    @property
    def _checkpoint_path(self) -> Path:
        return self.path / "checkpoint.npz"

    def _checkpoint(self, path: Path, kind: str) -> ModelFile:
        """Read a checkpoint, if it is one of this run."""
        try:
            checkpoint = read_model(path, kind, most=MOST_OF_CHECKPOINT)
        except InvalidNetwork as error:
            raise InvalidRun(f"{error}: delete it to begin again") from None
        facts = checkpoint.facts
        if facts.get("run") != self._digest or not isinstance(facts.get("rows"), int):
            raise InvalidRun(
                f"{path} is the checkpoint of another run, or of another version of claimeven:"
                " delete it to begin again"
            )
        return checkpoint

    @property
    def _digest(self) -> str:
        """What tells this run from others; it is no matter whether 20 was asked for or 20.0."""
        told = json.dumps(_whole(self.recipe), sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()

    def note(self, row: Row, cores: float | None = None) -> None:
        """Add a measurement to the log, with the seconds of cores that the run has taken so far.

        Those since the measurement before are `cores`, or all that this process and its children
        have taken. A row that tells them itself is left as it is.
        """
        assert self._log is not None, "a run is taken up before it goes on"
        if CORES not in row:
            before = self.rows[-1][CORES] if self.rows else 0.0
            fresh = cores_spent() - self._cores if cores is None else cores
            row = {**row, CORES: round(before + fresh, SECONDS_DIGITS)}
        self._cores = cores_spent()
        if self.is_next_kept:
            self._keep_model(len(self.rows) + 1)
        line = json.dumps(row).encode() + b"\n"
        self._log.append(line)
        self._log.sync()
        self._logged.update(line)
        self.rows.append(row)

    @property
    def is_next_kept(self) -> bool:
        """Whether the model of the next row is one to look back at, and is kept."""
        number = len(self.rows) + 1
        return number & (number - 1) == 0

    def _keep_model(self, number: int) -> None:
        """Keep the model of this row, counted from 1."""
        if not self.model_path.exists():
            return
        make_folder(self.path / MODELS)
        write_bytes(self.path / MODELS / f"{number}.npz", self.model_path.read_bytes())

    def keep(self, checkpoint: ModelFile) -> None:
        """Replace the checkpoint by one at this place of the log. Raises `CannotWrite`."""
        facts = {
            **checkpoint.facts,
            "rows": len(self.rows),
            "run": self._digest,
            "log": self._logged.hexdigest(),
        }
        write_model(
            self._checkpoint_path,
            ModelFile(checkpoint.kind, checkpoint.geometry, checkpoint.arrays, facts),
            quick=True,
            most=MOST_OF_CHECKPOINT,
        )

    def _begin(self) -> None:
        path = self.path / RECIPE
        text = json.dumps(self.recipe, indent=2, sort_keys=True) + "\n"
        if path.exists():
            self._compare(path)
            return
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            others = sorted(each.name for each in self.path.iterdir() if each.suffix != ".part")
        except OSError as error:
            raise CannotWrite(f"{self.path} cannot be made: {error.strerror or error}") from None
        if others:
            raise InvalidRun(
                f"{self.path} holds other files ({others[0]}): name a folder of its own"
            )
        write_text(path, text)

    def _compare(self, path: Path) -> None:
        try:
            there = json.loads(path.read_text(encoding="utf-8"))
            differing = [
                name
                for name in {**there, **self.recipe}
                if there.get(name) != self.recipe.get(name)
            ]
        except (OSError, ValueError, AttributeError, TypeError, RecursionError):
            raise InvalidRun(f"{path} is damaged: name another folder") from None
        if differing:
            if "method" in differing:  # then nearly all else differs too
                differing = ["method"]
            told = "; ".join(
                _difference(name, there, self.recipe) for name in differing[:_MOST_DIFFERENCES]
            )
            more = len(differing) - _MOST_DIFFERENCES
            told += f" (and {more} more)" if more > 0 else ""
            raise InvalidRun(
                f"{self.path} holds a run {told}: ask for the same, or name another folder"
            )

    def _lines(self) -> list[bytes]:
        if not self.log_path.exists():
            return []
        try:
            return self.log_path.read_bytes().splitlines(keepends=True)
        except OSError as error:
            raise InvalidRun(f"{self.log_path} cannot be read: {error.strerror}") from None


def _whole(told: Any) -> Any:
    """Return plain data with whole numbers for floats that are whole."""
    if isinstance(told, dict):
        return {name: _whole(value) for name, value in told.items()}
    if isinstance(told, list):
        return [_whole(value) for value in told]
    return int(told) if isinstance(told, float) and told.is_integer() else told


def _difference(name: str, there: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """Say what a run has of that name, and what was asked for."""
    if name not in there:
        return f"without {name}, not with {name} {asked[name]!r}"
    if name not in asked:
        return f"with {name} {there[name]!r}, not without"
    return f"with {name} {there[name]!r}, not {asked[name]!r}"
