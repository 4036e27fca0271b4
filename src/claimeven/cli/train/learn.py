"""`claimeven train ntuple`, `selfplay` and `distil`: training runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click

from claimeven import learning
from claimeven.cli.common import progress
from claimeven.cli.common.experiments import ExperimentCommand, write_run_file
from claimeven.cli.common.options import (
    Command,
    FilePath,
    geometry_options,
    json_option,
    parse_ply_range,
    players_options,
    weights_of,
    with_option,
)
from claimeven.cli.common.output import show, show_table
from claimeven.cli.common.streams import write_json
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.learning.jax_functions import jax_and_optax
from claimeven.option_fields import options_of
from claimeven.parallel.jobs import Executor
from claimeven.provenance import LEARNING, describe

#: The columns of a table of figures: heading, name in the log, format.
Columns = Sequence[tuple[str, str, str]]
#: Shows a line of progress.
Show = Callable[[Callable[[], str]], None]
_NTUPLE: Columns = (
    ("games", "games", ","), ("seconds", "seconds", ".0f"), ("plies", "plies", ".1f"),
    ("perfect", "perfect", ".1%"), ("keeps", "keeping", ".1%"),
    ("against perfect", "against_perfect", ".1%"),
)  # fmt: skip
_SELFPLAY: Columns = (
    ("iteration", "iteration", ""), ("games", "games", ","), ("core s", "core_seconds", ".0f"),
    ("policy", "policy_loss", ".3f"), ("value", "value_loss", ".3f"), ("hard", "hard", ".1%"),
    ("search", "hard_search", ".1%"), ("easy", "easy", ".1%"),
    ("perfect", "against_perfect", ".1%"),
)  # fmt: skip
_DISTIL: Columns = (
    ("steps", "steps", ","), ("seconds", "seconds", ".0f"), ("loss", "loss", ".3f"),
)  # fmt: skip
#: Shares of right answers; the table has only measured ones.
_SHARES = {"held_out": "held out", "held_out_sign": "sign", "hard": "hard", "easy": "easy"}

out_option = click.option("--out", type=FilePath(), required=True, help="Folder of the run.")
plots_option = click.option(
    "--plots", is_flag=True, help="Draw the learning curves into FOLDER/plots."
)


def settings_options(config: type) -> Callable[[Command], Command]:
    """Add an option for each setting of a configuration that has a help text, in its order."""

    def decorate(command: Command) -> Command:
        for name, (default, setting) in reversed(options_of(config).items()):
            if setting.help:
                command = with_option(command, name, default, setting)
        return command

    return decorate


@contextmanager
def _running(out: str, plots: bool) -> Iterator[Show]:
    """Show the progress of a run, and draw its curves after the block if `plots`."""
    if plots:
        from claimeven.plotting import check_can_draw  # noqa: PLC0415 - quick start

        check_can_draw()
    progress.announce_compilation()
    with progress.resumable_file(out), progress.status_line() as line:
        try:
            yield line.show
        except KeyboardInterrupt:
            write_run_file(out)
            raise
    write_run_file(out)
    if plots:
        from claimeven.learning.curves import draw_curves  # noqa: PLC0415 - for a quick start

        draw_curves([out], on_message=progress.notify)


def _print_run(
    out: str, rows: list[Any], columns: Columns, as_json: bool, figures: list[Any] | None = None
) -> None:
    """Print the rows of the log as JSON, or a table of its figures and the path of the model."""
    if as_json:
        about = describe("result", packages=LEARNING)
        found = {"out": out, "model": f"{out}/model.npz", "rows": rows, "provenance": about}
        write_json(found, sys.stdout)
        return
    cells = [cells_of(row, columns) for row in figures or rows]
    show_table([heading for heading, _, _ in columns], cells)
    show(f"model: {out}/model.npz")


def cells_of(row: Mapping[str, Any], columns: Columns) -> list[str]:
    """Return the cells of a row of figures, `-` for missing figures.

    >>> cells_of({"games": 20000, "perfect": 0.5}, _NTUPLE)
    ['20,000', '-', '-', '50.0%', '-', '-']
    """
    return [
        "-" if row.get(name) is None else format(row[name], style) for _, name, style in columns
    ]


@click.command("ntuple", cls=ExperimentCommand)
@out_option
@settings_options(learning.NTupleConfig)
@plots_option
@json_option
@geometry_options
def ntuple(out: str, plots: bool, as_json: bool, geometry: Geometry, **settings: Any) -> None:
    """Train an n-tuple network by self-play, without other data.

    Every --eval-every games the network is measured: by its perfect answers on bundled positions,
    by its answers that keep the win, draw or loss, and by its score as first player against the
    perfect agent. It never learns from these. Play the last measured model as
    ntuple:model=FOLDER/model.npz, or with a search as ntuple-alphabeta:model=FOLDER/model.npz.

    \b
    Examples:
      claimeven train ntuple --out run1
      claimeven train ntuple --out quick --games 20000 --eval-every 10000
      claimeven train ntuple --out s --columns 5 --rows 4 \\
        --games 50000 --tuples 20
    """
    config = learning.NTupleConfig(**settings, geometry=geometry)
    with _running(out, plots) as show_text:
        rows = learning.train_ntuple(out, config, lambda at: show_text(lambda: _ntuple_text(at)))
    _print_run(out, rows, _NTUPLE, as_json)


def _ntuple_text(at: learning.TrainingProgress) -> str:
    """Return the status line: progress, speed and the last measurement.

    >>> from claimeven.learning import TrainingProgress
    >>> _ntuple_text(TrainingProgress(200, 1000, 10.0, 0, {"perfect": 0.25}))
    '200 of 1,000 games, 20 a second, 40 s left; 25.0% perfect'
    >>> _ntuple_text(TrainingProgress(200, 1000, 10.0, 0, {"perfect": None}))
    '200 of 1,000 games, 20 a second, 40 s left'
    """
    text = progress.count_text(at.done, at.total, "games", at.seconds)
    if at.row is not None and at.row["perfect"] is not None:
        text += f"; {at.row['perfect']:.1%} perfect"
    return text


@click.command("selfplay", cls=ExperimentCommand)
@out_option
@settings_options(learning.SelfPlayConfig)
@click.option("--worker-timeout", default=120.0, help="Seconds until a silent worker ends.")
@plots_option
@json_option
@players_options
@geometry_options
def selfplay(
    out: str,
    plots: bool,
    as_json: bool,
    players: Executor | None,
    worker_timeout: float,
    geometry: Geometry,
    **settings: Any,
) -> None:
    """Train a neural net by self-play, without other data, as AlphaZero does.

    In each iteration the net plays games with a PUCT search and learns the choices of its search
    and the results of its games. With --gate-games a new net must first win a match against the
    best net so far. It is then measured on the held-out sets and as first player against the
    perfect agent. It never learns from these.

    --jobs processes play the games, or a cluster with --executor ray; the net is the same. A
    resumed run may have more iterations if --lr-schedule is none. Play the last measured or stored
    model as puct:model=FOLDER/model.npz, or without a search as net:model=FOLDER/model.npz. Needs
    JAX: pip install 'claimeven[learn]'.

    \b
    Examples:
      claimeven train selfplay --out run1
      claimeven train selfplay --out quick --iterations 5 --games 500
      claimeven train selfplay --out s --columns 4 --rows 4 --connect 3 \\
        --iterations 5 --games 64 --games-per-worker 32 --simulations 24
    """
    scores = ("--score-weight above 0", settings["score_weight"] > 0)
    for name, (needed, is_given) in {
        "gate_min_score": ("--gate-games above 0", settings["gate_games"] > 0),
        "fast_simulations": (
            "--full-search-fraction below 1",
            settings["full_search_fraction"] < 1,
        ),
        "score_value_weight": scores,
        "score_value_scale": scores,
    }.items():
        if settings[name] != getattr(learning.SelfPlayConfig, name) and not is_given:
            raise ClaimevenError(f"--{name.replace('_', '-')} needs a {needed}: add it")
    config = learning.SelfPlayConfig(**settings, geometry=geometry)
    with _running(out, plots) as show_text:
        rows = learning.train_selfplay(
            out, config, lambda at: show_text(lambda: _selfplay_text(at)), players, worker_timeout
        )
    _print_run(out, rows, _SELFPLAY, as_json)


def _selfplay_text(at: learning.SelfPlayProgress) -> str:
    """Return the status line: phase, progress and the last measurement.

    >>> from claimeven.learning import SelfPlayProgress
    >>> row = {"policy_loss": 1.2345, "value_loss": 0.5, "hard": 0.5, "hard_search": 0.75}
    >>> _selfplay_text(SelfPlayProgress("playing", 2, 150, 1000, 100, 10.0, row))
    'iteration 2: 150 of 1,000 games, 5.0 a second, 3 min left; loss 1.23; hard 75.0%'
    """
    text = progress.count_text(at.games, at.total, "games", at.seconds, at.resumed)
    text = f"iteration {at.iteration}: {text}"
    if at.phase != "playing":
        text = f"{text}; {at.phase}"
    if at.row is not None:
        text += f"; loss {at.row['policy_loss']:.2f}"
        best = at.row.get("hard") if at.row.get("hard_search") is None else at.row["hard_search"]
        text += "" if best is None else f"; hard {best:.1%}"
    return text


@click.command("distil", cls=ExperimentCommand, arguments="data")
@click.argument("data", metavar="DATA...", nargs=-1, required=True, type=FilePath())
@out_option
@settings_options(learning.DistilConfig)
@click.option(
    "--dataset-weights", help="How often each data set is used: 1,2,...  [default: by size]"
)
@click.option(
    "--ply-weights", help="How often plies are used: 4-11:1,12-41:2,...  [default: as in the data]"
)
@click.option(
    "--start", type=FilePath(), help="Net to start with, of this size or with fewer pairs."
)
@plots_option
@json_option
@geometry_options
def distil(
    data: tuple[str, ...],
    out: str,
    plots: bool,
    as_json: bool,
    geometry: Geometry,
    dataset_weights: str | None,
    ply_weights: str | None,
    **settings: Any,
) -> None:
    """Train a neural net on the data sets that `claimeven dataset` writes.

    The net learns which columns keep the exact score, the winner, and the score of each column. It
    is measured on one game in a hundred, which is held out, and on the bundled held-out sets. Play
    the last measured model as net:model=FOLDER/model.npz, or with a search as
    puct:model=FOLDER/model.npz. Needs JAX and optax: pip install 'claimeven[learn]'.

    \b
    Examples:
      claimeven dataset --positions 50000 --source mixed --plies 8-36 --out d.csv
      claimeven train distil d.csv --out run1 --size small --epochs 10
      claimeven accuracy net:model=run1/model.npz --set hard
      claimeven train distil a.csv b.csv --out run2 --start run1/model.npz
      claimeven train distil a.csv b.csv --out run3 --ply-weights 4-7:1,8-41:4
      claimeven train distil a.csv --out run4 --optimizer muon \\
        --batch 4096 --lr 4e-3
      claimeven train distil a.csv --out run5 --policy-target any
    """
    sets = None if dataset_weights is None else weights_of(dataset_weights, "--dataset-weights")
    plies = None if ply_weights is None else _ply_weights(ply_weights)
    config = learning.DistilConfig(
        **settings, dataset_weights=sets, ply_weights=plies, geometry=geometry
    )
    jax_and_optax()  # a missing package is reported before the data is read
    with _running(out, plots) as show_text:
        rows = learning.train_distil(
            out, data, config, lambda at: show_text(lambda: _distil_text(at, config))
        )
    measured = [
        (word, name, ".1%") for name, word in _SHARES.items() if any(name in row for row in rows)
    ]
    figures = [{**row, "loss": config.loss_of(row)} for row in rows]
    _print_run(out, rows, (*_DISTIL, *measured), as_json, figures)


def _ply_weights(text: str) -> tuple[learning.PlyWeight, ...]:
    found = []
    for part in text.split(","):
        plies, _, weight = part.partition(":")
        try:
            found.append(learning.PlyWeight(*parse_ply_range(plies), float(weight)))
        except (ClaimevenError, ValueError):
            raise click.UsageError(
                f"--ply-weights takes plies and numbers like 4-11:1,12-41:2, got {text!r}"
            ) from None
    return tuple(found)


def _distil_text(at: learning.TrainingProgress, config: learning.DistilConfig) -> str:
    """Return the status line: progress, speed and the last measurement.

    >>> from claimeven.learning import DistilConfig, TrainingProgress
    >>> row = {"policy_loss": 1.0, "value_loss": 0.5, "score_loss": 0.25, "held_out": 0.5}
    >>> _distil_text(TrainingProgress(200, 1000, 10.0, 0, row), DistilConfig())
    '200 of 1,000 steps, 20 a second, 40 s left; loss 1.375, 50.0% right'
    >>> _distil_text(TrainingProgress(200, 1000, 10.0, 0, {**row, "hard": 0.25}), DistilConfig())
    '200 of 1,000 steps, 20 a second, 40 s left; loss 1.375, 25.0% right'
    """
    text = progress.count_text(at.done, at.total, "steps", at.seconds)
    if at.row is not None:
        text += f"; loss {config.loss_of(at.row):.3f}"
        share = at.row.get("hard", at.row.get("held_out"))
        if share is not None:
            text += f", {share:.1%} right"
    return text
