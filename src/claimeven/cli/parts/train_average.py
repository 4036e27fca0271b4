"""`claimeven train average`: nets that began alike made into one."""

from __future__ import annotations

import sys

import click

from claimeven.cli.common.json_lines import write_json
from claimeven.cli.common.options import FilePath, json_option
from claimeven.cli.common.output import fitted, text_width
from claimeven.cli.common.parsing import shares_of
from claimeven.cli.common.progress import status_line


@click.command("average")
@click.argument("models", metavar="MODEL...", nargs=-1, required=True, type=FilePath())
@click.option("--out", type=FilePath(), required=True, help="File of the mean, .npz.")
@click.option("--shares", help="How much each net counts: 1,2,... Default: alike.")
@click.option("--weight-steps", default=15, show_default=True, help="Steps a weight is kept in.")
@json_option
def command(
    models: tuple[str, ...], out: str, shares: str | None, weight_steps: int, as_json: bool
) -> None:
    """Average the weights of nets that went on from the same one, and measure the mean.

    Such nets err in different places, and their mean is often better than any of them, at no cost
    when it plays. Nets that were drawn from different seeds cannot be averaged to any use. Rounding
    the mean of medium nets takes some ten seconds.

    \b
    Examples:
      claimeven train average run1/model.npz run2/model.npz --out mean.npz
      claimeven train average run1/model.npz run2/model.npz \\
        --shares 2,1 --out mean.npz
      claimeven match net:model=mean.npz net --games 20 --opening-plies 4
    """
    from claimeven.learning import average_nets  # noqa: PLC0415 - brings in the arena

    counted = None if shares is None else shares_of(shares)
    with status_line() as line:

        def watch(done: int, total: int) -> None:
            line.show(lambda: f"rounding: {done} of {total} matrices")

        figures = average_nets(models, out, counted, weight_steps, watch)
    if as_json:
        write_json({"out": out, "models": list(models), "measured": figures}, sys.stdout)
        return
    told = ", ".join(
        f"{name} {value:.1%}"
        for name, value in figures.items()
        if value is not None and not name.endswith("_sign")
    )
    print(fitted(f"model: {out}" + (f"; {told}" if told else ""), text_width()))
