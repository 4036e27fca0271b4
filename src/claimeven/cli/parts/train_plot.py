"""`claimeven train plot`: learning curves of runs, as pictures."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from claimeven.cli.common.json_lines import write_json
from claimeven.cli.common.options import FilePath, json_option
from claimeven.cli.common.output import fitted, table_lines, table_width, text_width
from claimeven.cli.common.progress import say


@click.command("plot")
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True, type=FilePath())
@click.option(
    "--out", type=FilePath(), help="Folder to draw into; usually plots in that of the one run."
)
@json_option
def command(folders: tuple[str, ...], out: str | None, as_json: bool) -> None:
    """Draw what runs have measured, against time and against games, as PNG and SVG.

    A picture has a panel a measure and a line a run, up to six. A run may still be going on. Needs
    Matplotlib: pip install 'claimeven[plot]'.

    \b
    Examples:
      claimeven train plot run1
      claimeven train plot run1 run2 --out curves
    """
    from claimeven.learning.curves import draw_curves  # noqa: PLC0415 - brings in the arena

    files = draw_curves(folders, out, say)
    if as_json:
        write_json({"runs": list(folders), "plots": [str(path) for path in files]}, sys.stdout)
        return
    names = ", ".join(path.name for path in files)
    text = f"{files[0].parent}: {names}"
    click.echo(fitted(text, text_width()))


def print_run(
    out: str, rows: list[Any], headings: Sequence[str], cells: list[list[str]], as_json: bool
) -> None:
    """Print what a run has measured, as a table or JSON, and where its model is."""
    if as_json:
        write_json({"out": out, "model": f"{out}/model.npz", "rows": rows}, sys.stdout)
        return
    print("\n".join(table_lines(headings, cells, table_width())))
    print(fitted(f"model: {out}/model.npz", text_width()))


plots_option = click.option(
    "--plots", is_flag=True, help="Draw its curves into FOLDER/plots in the end."
)


@contextmanager
def drawn_in_the_end(folder: str, plots: bool) -> Iterator[None]:
    """Draw the curves of a run after the block, if asked to; whether that can be is seen before."""
    if plots:
        from claimeven.arena.report.charts import check_can_draw  # noqa: PLC0415 - for a quick start

        check_can_draw()
    yield
    if plots:
        from claimeven.learning.curves import draw_curves  # noqa: PLC0415 - for a quick start

        draw_curves([folder], tell=say)
