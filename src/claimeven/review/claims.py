"""Claims: single facts about a position and its columns, each a sentence that search can check.

A `Claim` holds the fact as data; `sentence` says it and `checks.holds` proves or refutes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from claimeven.game.notation import column_name, format_moves
from claimeven.game.position import PLAYER_NAMES, Position
from claimeven.review.threats import Cell, forced_below
from claimeven.solver.scores import last_disc, plies_to_end

#: Moves of a line that are read out; the claim itself holds all of them.
SPOKEN_MOVES = 8


@dataclass(frozen=True)
class Claim:
    """One fact about a position.

    `kind` is a key of `KINDS`. `player` is whom the fact serves (0 or 1). `column` is the column
    it is about, None where it is about the position. `columns` and `cells` (column, row) are what
    it names, from 0. `line` are the moves from the position to where the fact holds; `start` is
    after how many of them it begins (a row of forced blocks, a threat that decides in the end).
    `before` is the score of the position and `after` that of the column, both from the side to
    move in the position.
    """

    kind: str
    player: int
    column: int | None = None
    columns: tuple[int, ...] = ()
    cells: tuple[Cell, ...] = ()
    line: tuple[int, ...] = ()
    start: int = 0
    before: int | None = None
    after: int | None = None

    def sentence(self, position: Position) -> str:
        """Say the claim about a position in one plain sentence."""
        return SENTENCES[self.kind](self, _Words(position))

    def as_dict(self, position: Position) -> dict[str, Any]:
        """Return the claim as plain data; columns and rows count from 1, the line is text."""
        return {
            "kind": self.kind,
            "text": self.sentence(position),
            "player": self.player + 1,
            "column": None if self.column is None else self.column + 1,
            "columns": [column + 1 for column in self.columns],
            "cells": [[column + 1, row + 1] for column, row in self.cells],
            "line": format_moves(self.line, position.geometry),
            "start": self.start,
            "before": self.before,
            "after": self.after,
        }


@dataclass(frozen=True)
class _Words:
    """The names of things in sentences about one position."""

    position: Position

    def player(self, player: int) -> str:
        return f"the {PLAYER_NAMES[player]}"

    def column(self, column: int) -> str:
        return f"column {column_name(column, self.position.geometry)}"

    def columns(self, columns: Iterable[int]) -> str:
        names = [column_name(column, self.position.geometry) for column in columns]
        return f"column{'s' * (len(names) > 1)} {listed(names)}"

    def cell(self, cell: Cell) -> str:
        return f"row {cell[1] + 1} of {self.column(cell[0])}"

    def moves(self, line: Iterable[int]) -> str:
        return listed([column_name(column, self.position.geometry) for column in line])

    def end(self, score: int) -> str:
        """Say who wins with which disc; the score is from the side to move, not 0."""
        winner = self.position.turn if score > 0 else 1 - self.position.turn
        return f"{self.player(winner)} wins with disc {last_disc(self.position, score)}"

    def plies(self, score: int) -> str:
        plies = plies_to_end(self.position, score)
        return "at once" if plies == 1 else f"in {plies} plies"


def listed(names: Iterable[str], word: str = "and") -> str:
    """Join names as they are read out, with a word before the last.

    >>> listed(["1", "2", "3"]), listed(["4"])
    ('1, 2 and 3', '4')
    """
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _standing(claim: Claim, words: _Words) -> str:
    assert claim.after is not None
    if claim.after == 0:
        return "With best play the game is a draw."
    if words.plies(claim.after) == "at once":
        return _capital(f"{words.player(claim.player)} wins at once.")
    return _capital(f"{words.end(claim.after)}, {words.plies(claim.after)}.")


def _best(claim: Claim, words: _Words) -> str:
    if len(claim.columns) == 1:
        return _capital(f"{words.columns(claim.columns)} is best.")
    return _capital(f"{words.columns(claim.columns)} are equally good.")


def _verdict(claim: Claim, words: _Words) -> str:
    before, after, column = claim.before, claim.after, claim.column
    assert before is not None and after is not None and column is not None
    name = _capital(words.column(column))
    if after == before:
        if after == 0:
            return f"{name} holds the draw."
        if after < 0:
            return f"{name} loses, but no column holds out longer."
        if words.plies(after) == "at once":
            return f"{name} wins at once."
        disc = last_disc(words.position, after)
        return f"{name} wins with disc {disc}, {words.plies(after)}."
    if after > 0:
        late, soon = (last_disc(words.position, score) for score in (after, before))
        return f"{name} still wins, but with disc {late} instead of disc {soon}."
    if after == 0:
        return f"{name} gives the win away: best play now ends in a draw."
    if before < 0:
        soon, late = (last_disc(words.position, score) for score in (after, before))
        return f"{name} loses sooner, to disc {soon} instead of disc {late}."
    what = "turns the win into a loss" if before > 0 else "gives the draw away"
    return f"{name} {what}: {words.end(after)}, {words.plies(after)}."


def _only(claim: Claim, words: _Words) -> str:
    assert claim.before is not None
    return "No other column wins." if claim.before > 0 else "Every other column loses."


def _wins(claim: Claim, words: _Words) -> str:
    return f"It completes a line of {words.position.geometry.connect}."


def _blocks(claim: Claim, words: _Words) -> str:
    return f"It blocks {words.player(1 - claim.player)}, who would win there at once."


def _ignores(claim: Claim, words: _Words) -> str:
    where = words.columns(column for column, _ in claim.cells)
    return f"It leaves {words.player(claim.player)} a win at once in {where}."


def _opens(claim: Claim, words: _Words) -> str:
    row = claim.cells[0][1] + 1
    return _capital(f"{words.player(claim.player)} then wins on top of it, in row {row}.")


def _misses(claim: Claim, words: _Words) -> str:
    return f"It misses the win at once in {words.columns(column for column, _ in claim.cells)}."


def _denies(claim: Claim, words: _Words) -> str:
    there = words.columns(column for column, _ in claim.cells)
    disc = "It" if len(claim.line) == 1 else f"The answer in {words.column(claim.line[-1])}"
    return (
        f"{disc} takes the cell from which {words.player(1 - claim.player)} would threaten"
        f" {there} at once."
    )


def _actor(claim: Claim, words: _Words) -> str:
    """Say who does something at the end of the line: the disc, the answer to it, or a later one."""
    if not claim.line:
        return _capital(words.player(claim.player))
    if len(claim.line) == 1:
        return "It"
    where = words.column(claim.line[-1])
    if len(claim.line) > 2:
        return f"Disc {words.position.ply + len(claim.line)}, in {where},"
    return _capital(f"{words.player(claim.player)} answers in {where} and")


def _double(claim: Claim, words: _Words) -> str:
    where = words.columns(column for column, _ in claim.cells)
    return f"{_actor(claim, words)} threatens {where} at once: only one can be blocked."


def _stack(claim: Claim, words: _Words) -> str:
    lower, upper = claim.cells[0], claim.cells[1]
    return (
        f"{_actor(claim, words)} threatens {words.cell(lower)} and row {upper[1] + 1} above it:"
        " blocking one opens the other."
    )


def _forces(claim: Claim, words: _Words) -> str:
    loser = words.player(1 - claim.player)
    if claim.start > 1:
        first = words.position.ply + claim.start + 1
        return (
            f"From disc {first} on {words.player(claim.player)} makes threat after threat:"
            f" {loser} can only block."
        )
    return (
        f"Threat after threat leads to the win: {words.moves(claim.line[claim.start :])};"
        f" {loser} can only block."
    )


def _makes(claim: Claim, words: _Words) -> str:
    places = [words.cell(cell) for cell in claim.cells]
    return f"It makes {'a threat' if len(places) == 1 else 'threats'} in {listed(places)}."


def _zugzwang(claim: Claim, words: _Words) -> str:
    cell, *others = claim.cells
    where, winner = words.cell(cell), words.player(claim.player)
    if forced_below(words.position.geometry, cell) != claim.player:
        where += ", an odd row" if cell[1] % 2 == 0 else ", an even row"
    if claim.start == 0:
        holds = f"{winner} holds a threat in {where}"
    elif claim.start == 1:
        holds = f"it makes a threat in {where}"
    elif claim.start == 2:
        answer = words.column(claim.line[1])
        holds = f"{winner} answers in {answer}, with a threat in {where}"
    else:
        disc = words.position.ply + claim.start
        holds = f"disc {disc} gives {winner} a threat in {where}"
    below = listed(["below it", *(f"below {words.cell(other)}" for other in others)], "or")
    when = "in the end" if len(claim.line) > 3 else "now"
    return _capital(f"{holds}: {when} {words.player(1 - claim.player)} must play {below}.")


def _closed(claim: Claim, words: _Words) -> str:
    column, row = claim.cells[0]
    return _capital(
        f"{words.player(1 - claim.player)} may not play {words.column(column)}:"
        f" {words.player(claim.player)} would win on top of it, in row {row + 1}."
    )


def _spoils(claim: Claim, words: _Words) -> str:
    row = claim.cells[0][1] + 1
    return (
        f"It spoils a threat of {words.player(claim.player)}, who needs row {row} above it:"
        f" {words.player(1 - claim.player)} can now fill that."
    )


def _follow_up(claim: Claim, words: _Words) -> str:
    assert claim.after is not None
    what = "draws" if claim.after == 0 else "wins"
    start = "From there"
    if len(claim.line) > 1:
        start = f"After the answer in {words.column(claim.line[-1])}"
    return (
        f"{start} {words.player(claim.player)} {what} by answering each disc in its own column;"
        " wins and blocks come first."
    )


def _reply(claim: Claim, words: _Words) -> str:
    what = "holds the draw" if claim.after == 0 else "wins"
    return f"Only the answer in {words.column(claim.line[-1])} {what}."


def _line(claim: Claim, words: _Words) -> str:
    assert claim.after is not None
    rest = claim.line[1:]
    names = [column_name(column, words.position.geometry) for column in rest[:SPOKEN_MOVES]]
    if len(rest) <= SPOKEN_MOVES:
        return f"Best play goes on {listed(names)}."
    if claim.after == 0:
        return f"Best play goes on {', '.join(names)} and so on until the board is full."
    disc = words.position.ply + len(claim.line)
    return f"Best play goes on {', '.join(names)} and so on to disc {disc}."


def _stops(claim: Claim, words: _Words) -> str:
    ply, holder = words.position.ply, words.player(1 - claim.player)
    since = f"has had a threat since disc {ply + claim.start}" if claim.start else "holds a threat"
    return (
        f"Disc {ply + len(claim.line)} fills {words.cell(claim.cells[0])}, where {holder} {since}."
    )


#: How each kind of claim is said.
SENTENCES: dict[str, Callable[[Claim, _Words], str]] = {
    "standing": _standing,
    "best": _best,
    "verdict": _verdict,
    "only": _only,
    "wins": _wins,
    "blocks": _blocks,
    "ignores": _ignores,
    "opens": _opens,
    "misses": _misses,
    "denies": _denies,
    "double": _double,
    "stack": _stack,
    "forces": _forces,
    "makes": _makes,
    "zugzwang": _zugzwang,
    "closed": _closed,
    "spoils": _spoils,
    "follow_up": _follow_up,
    "reply": _reply,
    "line": _line,
    "stops": _stops,
}
