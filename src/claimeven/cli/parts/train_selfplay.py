"""`claimeven train selfplay`: a net from nothing but games against itself."""

from __future__ import annotations

from typing import Any

import click

from claimeven.arena.executors.work import Executor
from claimeven.cli.common.executor_options import players_options
from claimeven.cli.common.options import FilePath, geometry_options, json_option
from claimeven.cli.common.progress import count_text, kept_in, say_when_compiling, status_line
from claimeven.cli.common.settings_options import settings_options
from claimeven.cli.parts.train_plot import drawn_in_the_end, plots_option, print_run
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.learning import SelfPlayProgress, SelfPlayRecipe, train_selfplay

#: What a row of the log is told under, in the table that is printed.
_HEADINGS = ("iteration", "games", "core s", "policy", "value", "hard", "search", "easy", "perfect")
_SHARES = ("hard", "hard_search", "easy", "against_perfect")


@click.command("selfplay")
@click.option("--out", type=FilePath(), required=True, help="Folder of the run.")
@settings_options(SelfPlayRecipe)
@click.option("--patience", default=120.0, show_default=True, help="Seconds a silent worker has.")
@plots_option
@json_option
@players_options()
@geometry_options
def command(
    out: str,
    plots: bool,
    as_json: bool,
    players: Executor | None,
    patience: float,
    geometry: Geometry,
    **asked: Any,
) -> None:
    """Learn a net from nothing but games against itself, as AlphaZero does.

    Every iteration the net plays games, thinking by PUCT, learns from the last positions what its
    search preferred and what came of the games, and is measured: how many answers are right on the
    held-out sets, alone and with a search, and what it scores as first player against the perfect
    agent. None of this is learnt from. With a --gate a net takes over only if its share of the
    points against the best so far has a lower bound of at least --gate-least.

    Games are played by --jobs processes, or with --executor ray on a cluster; the net is the same.
    One that has said nothing for --patience seconds is ended, and another one plays its games.
    The same command takes up a run that was ended, and may ask for more iterations where the rate
    does not --fall. Needs JAX: pip install 'claimeven[learn]'.

    The model of the last iteration is in the folder in the end, before that the last that was
    measured or kept: play it as puct:model=FOLDER/model.npz, or without search as
    net:model=FOLDER/model.npz.

    \b
    Examples:
      claimeven train selfplay --out run1
      claimeven train selfplay --out quick --iterations 5 --games 500
      claimeven train selfplay --out s --columns 4 --rows 4 --connect 3 \\
        --iterations 5 --games 64 --task 32 --searches 24
    """
    if asked["gate_least"] != SelfPlayRecipe.gate_least and not asked["gate"]:
        raise ClaimevenError("--gate-least is what passes a --gate: give both")
    if asked["quick_searches"] != SelfPlayRecipe.quick_searches and asked["full_share"] == 1:
        raise ClaimevenError(
            "--quick-searches are for moves not learnt from: give a --full-share below 1 too"
        )
    for name in ("score_share", "score_scale"):
        if asked[name] != getattr(SelfPlayRecipe, name) and not asked["score_weight"]:
            option = name.replace("_", "-")
            raise ClaimevenError(f"--{option} is for scores learnt: give a --score-weight above 0")
    recipe = SelfPlayRecipe(**asked, geometry=geometry)
    say_when_compiling()
    with kept_in(out), drawn_in_the_end(out, plots), status_line() as line:
        rows = train_selfplay(
            out, recipe, lambda at: line.show(lambda: _progress_text(at)), players, patience
        )
    print_run(out, rows, _HEADINGS, [_cells(row) for row in rows], as_json)


def _progress_text(at: SelfPlayProgress) -> str:
    """Return the status line: what goes on, how far it is, what was measured last.

    >>> from claimeven.learning import SelfPlayProgress
    >>> row = {"policy_loss": 1.2345, "value_loss": 0.5, "hard": 0.5, "hard_search": 0.75}
    >>> _progress_text(SelfPlayProgress("playing", 2, 150, 1000, 100, 10.0, row))
    'iteration 2: 150 of 1,000 games, 5.0 a second, 3 min left; loss 1.23; hard 75.0%'
    """
    text = count_text(at.games, at.total, "games", at.seconds, at.resumed)
    text = f"iteration {at.iteration}: {text}"
    if at.doing != "playing":
        text = f"{text}; {at.doing}"
    if at.row is not None:
        text += f"; loss {at.row['policy_loss']:.2f}"
        best = at.row.get("hard") if at.row.get("hard_search") is None else at.row["hard_search"]
        text += "" if best is None else f"; hard {best:.1%}"
    return text


def _cells(row: Any) -> list[str]:
    """Return a row of the table, in the order of its headings.

    >>> spent = {"iteration": 2, "games": 2000, "seconds": 60.0, "core_seconds": 120.4}
    >>> shares = {"hard": 0.25, "hard_search": 0.5, "easy": 0.75, "against_perfect": None}
    >>> _cells({**spent, "policy_loss": 1.25, "value_loss": 0.5, **shares})
    ['2', '2,000', '120', '1.250', '0.500', '25.0%', '50.0%', '75.0%', '-']
    """
    return [
        str(row["iteration"]),
        f"{row['games']:,}",
        f"{row['core_seconds']:.0f}",
        f"{row['policy_loss']:.3f}",
        f"{row['value_loss']:.3f}",
        *("-" if row.get(name) is None else f"{row[name]:.1%}" for name in _SHARES),
    ]
