"""The folder of a training run: its recipe, its log, its last checkpoint, its model.

```text
recipe.json       what was asked for; a folder holds one run
log.jsonl         a JSON object a measurement, in order
checkpoint.npz    where training stood last, whole or not there: written beside and moved
model.npz         the model as it was measured last
models            models of the first measurements, of the 1st, 2nd, 4th, 8th and so on
```

A run that was ended in any way is taken up from its checkpoint. Lines of the log that came after it
are dropped, because training makes them again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from claimeven.errors import ClaimevenError
from claimeven.networks.errors import InvalidNetwork
from claimeven.networks.model_file import ModelFile, read_model, write_model
from claimeven.outputs import CannotWrite, GrowingFile, make_folder, write_bytes, write_text

Row = Mapping[str, Any]
#: Names of files in the folder.
RECIPE, LOG, MODELS = "recipe.json", "log.jsonl", "models"
#: What a row of the log is told under that says what the run has cost.
CORES = "core_seconds"


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
        self.recipe = dict(recipe)
        self.rows: list[Row] = []
        self._cores = cores_spent()
        self._log: GrowingFile | None = None

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

    @property
    def log_path(self) -> Path:
        """Where the measurements are."""
        return self.path / LOG

    def take_up(self, kind: str) -> ModelFile | None:
        """Return the last checkpoint, with the rows of the log up to it; None at the beginning."""
        path = self.path / "checkpoint.npz"
        checkpoint = None
        if path.exists():
            try:
                checkpoint = read_model(path, kind)
            except InvalidNetwork as error:
                raise InvalidRun(f"{error}: delete it to begin again") from None
        kept = 0 if checkpoint is None else int(checkpoint.facts["rows"])
        lines = self._lines()[:kept]
        if len(lines) < kept:
            raise InvalidRun(f"{self.log_path} has lost lines: delete {path} to begin again")
        self.rows = [json.loads(line) for line in lines]
        self._log = GrowingFile(self.log_path, sum(map(len, lines)))
        return checkpoint

    def note(self, row: Row, cores: float | None = None) -> None:
        """Add a measurement to the log, with the seconds of cores that the run has taken so far.

        Those since the measurement before are `cores`, or all that this process and its children
        have taken. A row that tells them itself is left as it is, and so are rows after one that
        does not, of a log from before they were counted.
        """
        assert self._log is not None, "a run is taken up before it goes on"
        before = self.rows[-1].get(CORES) if self.rows else 0.0
        if CORES not in row and before is not None:
            fresh = cores_spent() - self._cores if cores is None else cores
            row = {**row, CORES: round(before + fresh, 1)}
        self._cores = cores_spent()
        self._keep_model(len(self.rows) + 1)
        self._log.append(json.dumps(row).encode() + b"\n")
        self._log.sync()
        self.rows.append(row)

    def _keep_model(self, number: int) -> None:
        """Keep the model of this measurement, counted from 1, if it is one to look back at."""
        if number & (number - 1) or not self.model_path.exists():
            return
        make_folder(self.path / MODELS)
        write_bytes(self.path / MODELS / f"{number}.npz", self.model_path.read_bytes())

    def keep(self, checkpoint: ModelFile) -> None:
        """Replace the checkpoint by one at this place of the log. Raises `CannotWrite`."""
        facts = {**checkpoint.facts, "rows": len(self.rows)}
        board = checkpoint.geometry
        write_model(
            self.path / "checkpoint.npz",
            ModelFile(checkpoint.kind, board, checkpoint.arrays, facts),
            quick=True,
        )

    def _begin(self) -> None:
        path = self.path / RECIPE
        text = json.dumps(self.recipe, indent=2, sort_keys=True) + "\n"
        if path.exists():
            self._compare(path)
            return
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            others = sorted(each.name for each in self.path.iterdir())
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
        except (OSError, ValueError, AttributeError, TypeError):
            raise InvalidRun(f"{path} is damaged: name another folder") from None
        if differing:
            raise InvalidRun(
                f"{self.path} holds a run {_difference(differing[0], there, self.recipe)}: ask for"
                " the same, or name another folder"
            )

    def _lines(self) -> list[bytes]:
        if not self.log_path.exists():
            return []
        try:
            return self.log_path.read_bytes().splitlines(keepends=True)
        except OSError as error:
            raise InvalidRun(f"{self.log_path} cannot be read: {error.strerror}") from None


def _difference(name: str, there: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """Say what a run has of that name, and what was asked for."""
    if name not in there:
        return f"without {name}, not with {name} {asked[name]!r}"
    if name not in asked:
        return f"with {name} {there[name]!r}, not without"
    return f"with {name} {there[name]!r}, not {asked[name]!r}"
