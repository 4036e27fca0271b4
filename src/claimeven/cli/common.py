"""What the verbs share: options, the start position, output that stays clean."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TextIO

import click

from claimeven.agents.contract import Agent, AgentFault, Limit
from claimeven.game.drawing import draw
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

#: Width of tables where the terminal does not tell one.
WIDTH = 80


def geometry_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --columns, --rows and --connect; the command gets them as one `geometry`."""

    @wraps(command)
    def with_geometry(columns: int, rows: int, connect: int, **others: Any) -> Any:
        return command(geometry=Geometry(columns, rows, connect), **others)

    decorated: Callable[..., Any] = with_geometry
    for name, usual, help_text in (
        ("--connect", 4, "Discs in a line that win, 2 to 8."),
        ("--rows", 6, "Rows of the board, 1 to 16."),
        ("--columns", 7, "Columns of the board, 1 to 16."),
    ):
        decorated = click.option(name, default=usual, show_default=True, help=help_text)(decorated)
    return decorated


def limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --seconds, --iterations, --depth and --nodes; the command gets them as one `limit`."""

    @wraps(command)
    def with_limit(
        seconds: float | None,
        iterations: int | None,
        depth: int | None,
        nodes: int | None,
        **others: Any,
    ) -> Any:
        return command(limit=Limit(seconds, iterations, depth, nodes), **others)

    decorated: Callable[..., Any] = with_limit
    for name, kind, help_text in (
        ("--nodes", int, "Positions an agent may look at for a move."),
        ("--depth", int, "Plies an agent may look ahead."),
        ("--iterations", int, "Monte Carlo iterations an agent may make for a move."),
        ("--seconds", float, "Wall-clock time an agent may take for a move."),
    ):
        decorated = click.option(name, type=kind, help=help_text)(decorated)
    return decorated


def say_when_compiling() -> None:
    """Let the first compilation be told on stderr."""
    from claimeven.compiled import when_compiling  # noqa: PLC0415 - imports Numba

    def tell() -> None:
        print("compiling the searches, once after an installation ...", file=sys.stderr)

    when_compiling(tell)


@contextmanager
def clean_stdout() -> Iterator[TextIO]:
    """Yield the real stdout, while whatever else writes to stdout is sent to stderr.

    Agents may print, and so may the libraries and processes they start; a result or a JSON
    object must stay whole all the same.
    """
    sys.stdout.flush()
    try:
        kept = os.dup(1)
    except OSError:
        yield sys.stdout
        return
    real = os.fdopen(kept, "w", encoding=sys.stdout.encoding, closefd=True)
    shown = sys.stdout
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield real
    finally:
        sys.stdout = shown
        for stream in (shown, sys.__stdout__):
            if stream is not None and not stream.closed:
                stream.flush()  # what was written past sys.stdout must not come out later
        real.flush()
        os.dup2(kept, 1)
        real.close()


@contextmanager
def blaming(agent: Agent) -> Iterator[None]:
    """Let a fault say whose it is."""
    try:
        yield
    except AgentFault as fault:
        raise AgentFault(f"{agent.name} {fault}") from fault


def write_json(value: Any, stream: TextIO) -> None:
    """Write one JSON object on a line of its own."""
    stream.write(json.dumps(value, default=_plain) + "\n")


def _plain(value: Any) -> Any:
    """Return what JSON can hold of a value from a user's agent: numbers of NumPy, or words."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def board_text(position: Position, stream: TextIO, last: int | None = None) -> str:
    """Draw a board as a stream can show it: ASCII where it must, colour on a colour terminal."""
    try:
        "┌●○".encode(stream.encoding or "ascii")
        charset = "unicode"
    except UnicodeEncodeError:
        charset = "ascii"
    colour = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return draw(position, charset=charset, last=last, colour=colour)


def table_width(stream: TextIO | None = None) -> int:
    """Characters a line of a stream (stdout) may take: the terminal's, 80 where there is none."""
    try:
        return os.get_terminal_size(1 if stream is None else stream.fileno()).columns or WIDTH
    except (OSError, ValueError):
        return WIDTH
