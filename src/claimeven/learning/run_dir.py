"""The folder of a training run: configuration, log, last checkpoint and model; its settings.

```text
config.json       the configuration
log.jsonl         a JSON object for each measurement, in order
checkpoint.npz    the state of training, complete or absent: written next to it and moved
model.npz         the last measured model
models            the models of the measurements 1, 2, 4, 8, ...
provenance.json   the description of the run: see `claimeven.provenance`
```

An interrupted run continues from its checkpoint; training repeats later lines of the log. Digests
in the checkpoint reject another configuration or a changed log. Runs of 0.2.0 resume.

Settings are fields of a dataclass with bounds and help texts. The checks of a configuration and its
command-line options follow from its fields; a field without a help text has no option.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
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
from claimeven.errors import ClaimevenError, path_of
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.validation import one_of, real_number, whole_number
from claimeven.messages import logger
from claimeven.montecarlo.puct.policy_value import InvalidNetwork
from claimeven.networks.model_file import MAX_CHECKPOINT_BYTES, ModelFile, read_model, write_model
from claimeven.option_fields import option, options_of
from claimeven.provenance import LEARNING, describe
from claimeven.text_io import reading

Row = Mapping[str, Any]
OnRow = Callable[[Row], object]
#: The number of differences between two configurations that a message lists.
_MAX_DIFFERENCES: Final = 6
#: Names of files in the folder.
CONFIG, LOG, MODELS, ABOUT = "config.json", "log.jsonl", "models", "provenance.json"

#: The key of a row for the CPU time of the run.
CORES = "core_seconds"
#: Digits of seconds in a row; with fewer digits, a sum over short rows would lose time.
SECONDS_DIGITS = 3


class InvalidRun(ClaimevenError):
    """A training run that cannot start or continue."""


@dataclass(frozen=True)
class TrainingProgress:
    """Progress of a run: `done` of `total` games or steps, `resumed` of them before this call.

    `seconds` is the whole time of training, and `row` the last measurement.
    """

    done: int
    total: int
    seconds: float
    resumed: int
    row: Row | None


def cores_spent() -> float:
    """Return the CPU time of this process and of its finished children, in seconds."""
    return sum(os.times()[:4])


class RunFolder:
    """An open folder of a run; see `opened`."""

    def __init__(self, path: Path, config: Mapping[str, Any], on_row: OnRow | None = None) -> None:
        self.path, self._on_row = path, on_row
        self.config: dict[str, Any] = json.loads(json.dumps(config))  # a tuple is read as a list
        self.rows: list[Row] = []
        self.log_path, self.model_path = path / LOG, path / "model.npz"
        self._checkpoint_path = path / "checkpoint.npz"
        self._digest = _digest_of(self.config)
        board, seed = self.config.get("board"), self.config.get("seed")
        self._about = describe("run", board=board, seed=seed, packages=LEARNING)
        self._cores = cores_spent()
        self._log: GrowingFile | None = None
        self._logged = hashlib.sha256()

    @classmethod
    @contextmanager
    def opened(
        cls, path: str | Path, config: Mapping[str, Any], on_row: OnRow | None = None
    ) -> Iterator[Self]:
        """Yield the folder of a run with this configuration, made if it does not exist.

        `on_row` gets each new measurement. Raises `InvalidRun` for a folder of another
        configuration, or with other files, and `CannotWrite`.
        """
        folder = cls(path_of(path, InvalidRun), config, on_row)
        folder._start()
        try:
            yield folder
        finally:
            if folder._log is not None:
                folder._log.close()

    @property
    def last_row(self) -> Row | None:
        """The last measurement."""
        return self.rows[-1] if self.rows else None

    @property
    def seconds(self) -> float:
        """Seconds of training up to the last measurement."""
        return float(self.rows[-1]["seconds"]) if self.rows else 0.0

    def measured(self) -> Row | None:
        """Return the measurements in the model's header, None if there is no complete model."""
        with suppress(InvalidNetwork):
            found = read_model(self.model_path).facts.get("measured")
            return found if isinstance(found, dict) else {}
        return None

    def open_checkpoint(
        self, kind: str, resume: Callable[[ModelFile], object] | None = None
    ) -> ModelFile | None:
        """Return the last checkpoint, None at the start, and load the rows of the log up to it.

        `resume` lets a learner continue from it. Raises `InvalidRun` if it is corrupt or of another
        run, or if the log has changed.
        """
        path = self._checkpoint_path
        checkpoint, lines = None, []
        if path.exists():
            checkpoint = self._checkpoint(kind)
            with reading(self.log_path, InvalidRun):
                log = self.log_path.read_bytes() if self.log_path.exists() else b""
            lines = log.splitlines(keepends=True)[: checkpoint.facts["rows"]]
            self._logged.update(b"".join(lines))
            if self._logged.hexdigest() != checkpoint.facts.get("log"):
                raise InvalidRun(
                    f"{self.log_path} has lost lines, or they were changed: delete {path} to start"
                    " again"
                )
        self.rows = [current_row(json.loads(line)) for line in lines]
        if checkpoint is not None and resume is not None:
            with self.reading_checkpoint():
                resume(checkpoint)
        self._log = GrowingFile(self.log_path, sum(map(len, lines)))
        for written in (file_of(self.path, CONFIG), path, self.model_path):
            remove_abandoned(written)
        return checkpoint

    @contextmanager
    def reading_checkpoint(self) -> Iterator[None]:
        """Report the checkpoint as corrupt if the block does not find its data."""
        try:
            yield
        except InvalidRun:
            raise
        except (LookupError, TypeError, ValueError):
            raise InvalidRun(
                f"{self._checkpoint_path} is corrupt: delete it to start again"
            ) from None

    def _checkpoint(self, kind: str) -> ModelFile:
        path = self._checkpoint_path
        try:
            checkpoint = read_model(path, kind, max_bytes=MAX_CHECKPOINT_BYTES)
        except InvalidNetwork as error:
            raise InvalidRun(f"{error}: delete it to start again") from None
        facts = checkpoint.facts
        digests = (self._digest, _digest_of(old_settings(self.config)))
        if facts.get("run") not in digests or not isinstance(facts.get("rows"), int):
            raise InvalidRun(
                f"{path} is a checkpoint of another run, or of another version of claimeven: delete"
                " it to start again"
            )
        return checkpoint

    def log(self, row: Row, cores: float | None = None) -> None:
        """Add a measurement to the log, with the CPU time of the run so far.

        `cores` is the CPU time since the last measurement, by default the CPU time of this process
        and its children. A row with CPU time is not changed.
        """
        assert self._log is not None, "open_checkpoint comes first"
        if CORES not in row:
            before = self.rows[-1][CORES] if self.rows else 0.0
            fresh = cores_spent() - self._cores if cores is None else cores
            row = {**row, CORES: round(before + fresh, SECONDS_DIGITS)}
        self._cores = cores_spent()
        if self.stores_next_model and self.model_path.exists():
            make_folder(self.path / MODELS)
            copy = self.path / MODELS / f"{len(self.rows) + 1}.npz"
            write_bytes(copy, self.model_path.read_bytes())
        line = json.dumps(row).encode() + b"\n"
        self._log.append(line)
        self._log.sync()
        self._logged.update(line)
        self.rows.append(row)
        logger.info("%s, row %d: %s", self.path, len(self.rows), row)
        if self._on_row is not None:
            self._on_row(row)

    @property
    def stores_next_model(self) -> bool:
        """Whether the model of the next row is stored in `models`."""
        number = len(self.rows) + 1
        return number & (number - 1) == 0

    def save(self, checkpoint: ModelFile) -> None:
        """Replace the checkpoint, at the present end of the log. Raises `CannotWrite`."""
        place = {"rows": len(self.rows), "run": self._digest, "log": self._logged.hexdigest()}
        facts = {**checkpoint.facts, **place, "provenance": self._about}
        placed = ModelFile(checkpoint.kind, checkpoint.geometry, checkpoint.arrays, facts)
        write_model(self._checkpoint_path, placed, quick=True, max_bytes=MAX_CHECKPOINT_BYTES)
        logger.info("%s written after %d rows", self._checkpoint_path, len(self.rows))

    def _start(self) -> None:
        path = file_of(self.path, CONFIG)
        if path.exists():
            self._compare(path)
            return
        make_folder(self.path)
        try:
            others = sorted(each.name for each in self.path.iterdir() if each.suffix != ".part")
        except OSError as error:
            raise CannotWrite(f"{self.path} cannot be created: {error.strerror or error}") from None
        if others:
            raise InvalidRun(
                f"{self.path} contains other files ({others[0]}): choose an empty or new folder"
            )
        for file, data in ((path, self.config), (self.path / ABOUT, self._about)):
            write_text(file, json.dumps(data, indent=2, sort_keys=True) + "\n")

    def _compare(self, path: Path) -> None:
        """Raise `InvalidRun` unless the run in the folder has this configuration."""
        try:
            there = current_settings(json.loads(path.read_text(encoding="utf-8")))
            given = self.config
            names = [name for name in {**there, **given} if there.get(name) != given.get(name)]
        except (OSError, ValueError, AttributeError, TypeError, RecursionError):
            raise InvalidRun(f"{path} is corrupt: choose another folder") from None
        if "method" in names:  # most other settings then differ too
            names = ["method"]
        if not names:
            return
        listed = "; ".join(_difference(name, there, given) for name in names[:_MAX_DIFFERENCES])
        more = len(names) - _MAX_DIFFERENCES
        listed += f" (and {more} more)" if more > 0 else ""
        raise InvalidRun(
            f"{self.path} contains a run {listed}: give the same settings, or choose another folder"
        )


def file_of(folder: Path, name: str) -> Path:
    """Return a file in the folder of a run, which has another name in runs of 0.2.0."""
    old = folder / OLD_FILES[name]
    return old if old.exists() else folder / name


def _digest_of(config: Mapping[str, Any]) -> str:
    plain = json.dumps(_whole(config), sort_keys=True)  # 20 and 20.0 are the same
    return hashlib.sha256(plain.encode()).hexdigest()


def _whole(data: Any) -> Any:
    """Return plain data, its whole floats as integers."""
    if isinstance(data, dict):
        return {name: _whole(value) for name, value in data.items()}
    if isinstance(data, list):
        return [_whole(value) for value in data]
    return int(data) if isinstance(data, float) and data.is_integer() else data


def _difference(name: str, there: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    if name not in there:
        return f"without {name}, not with {name} {given[name]!r}"
    if name not in given:
        return f"with {name} {there[name]!r}, not without"
    return f"with {name} {there[name]!r}, not {given[name]!r}"


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in text.split())


_EVALUATION: Final = "every:eval_every against:eval_games positions:eval_positions "
_OPTIMIZER: Final = "rate:lr decay:weight_decay weight_steps:quant_levels "
#: Settings by method: old name -> present name.
_SETTINGS: Final = {
    "ntuple": _pairs(
        _EVALUATION + "last_step_size:final_step_size steepness:step_decay trace:td_lambda"
        " exploring:epsilon"
    ),
    "distil": _pairs(
        _OPTIMIZER + "every:eval_every shares:dataset_weights ply_shares:ply_weights"
        " round_from:qat_start dropped:dropout ahead:aug_successors beside:aug_swaps"
    ),
    "selfplay": _pairs(
        _EVALUATION + _OPTIMIZER + "task:games_per_worker searches:simulations"
        " quick_searches:fast_simulations full_share:full_search_fraction"
        " noise:dirichlet_fraction concentration:dirichlet_alpha hot_plies:temperature_plies"
        " random_share:random_start_fraction fade:draw_length_penalty mix:search_value_weight"
        " fall:lr_schedule stays:ema_decay score_share:score_value_weight"
        " score_scale:score_value_scale gate:gate_games gate_least:gate_min_score"
    ),
}
#: Files in the folder of a run: present name -> old name.
OLD_FILES: Final = {"config.json": "recipe.json", "comparison.jsonl": "judged.jsonl"}
#: Measurements in a log: old name -> present name.
_ROW: Final = _pairs("playing:play_seconds judged:evaluated taken:promoted")


def current_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run under their present names."""
    return _renamed(config, _SETTINGS.get(config.get("method", ""), {}))


def old_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run under their names in 0.2.0."""
    names = _SETTINGS.get(config.get("method", ""), {})
    return _renamed(config, {new: old for old, new in names.items()})


def current_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the measurements of a row of a log under their present names."""
    return _renamed(row, _ROW)


def _renamed(data: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in data.items()}


#: The greatest seed of a generator.
MAX_SEED: Final = 2**63 - 1
#: Cells of the largest board on which perfect games take seconds without a book.
_MAX_CELLS: Final = 36


def numeric(
    default: float | None, low: float | None = None, high: float | None = None, help: str = ""
) -> Any:
    """Return the field of a number, an integer unless the default is a float."""
    kind = float if isinstance(default, float) else int
    return option(kind, default, help, low=low, high=high)


def choice(default: str, choices: Iterable[str], help: str) -> Any:
    """Return the field of a word."""
    return option(str, default, help, choices=tuple(choices))


def check_settings(config: Any) -> None:
    """Check the settings of a configuration. Raises `InvalidRun`.

    A default of None is allowed. Numbers of NumPy become numbers of Python.
    """
    for name, (default, setting) in options_of(type(config)).items():
        value, words = getattr(config, name), name.replace("_", " ")
        if value is None and default is None:
            continue
        if setting.choices:
            value = one_of(value, words, setting.choices, InvalidRun)
        elif isinstance(default, float):
            number = real_number(value, words, InvalidRun, low=setting.low, high=setting.high)
            value = value if isinstance(value, int | float) else number
        else:
            low, high = (None if end is None else int(end) for end in (setting.low, setting.high))
            value = whole_number(value, words, InvalidRun, low=low, high=high)
        object.__setattr__(config, name, value)


def checked_weights(weights: Iterable[Any], words: str) -> tuple[float, ...]:
    """Return weights as numbers of Python, greater than 0. Raises `InvalidRun`.

    >>> checked_weights([2, 0.5], "weights of plies")
    (2, 0.5)
    """
    found = tuple(weights)
    numbers = [real_number(each, f"each of the {words}", InvalidRun, above=0) for each in found]
    pairs = zip(found, numbers, strict=True)
    return tuple(each if isinstance(each, int | float) else number for each, number in pairs)


def default_games(geometry: Geometry, games: int) -> int:
    """Return the default number of test games against the perfect agent: `games`, or 0 on boards on
    which that agent would take hours.

    >>> default_games(Geometry(), 10), default_games(Geometry(8, 7), 10)
    (10, 0)
    """
    return games if geometry == STANDARD or geometry.cells <= _MAX_CELLS else 0
