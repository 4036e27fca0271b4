"""Puzzles on the terminal: the board, what is typed, what is told."""

from __future__ import annotations

import sys
from textwrap import fill, indent
from typing import TextIO

from claimeven.cli.common.output import board_text, text_width
from claimeven.errors import ClaimevenError
from claimeven.game.notation import column_choices, column_name, column_names, parse_column
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.game.position import Position
from claimeven.practice.format import PuzzleSet
from claimeven.practice.hints import hints_for, position_at, verdict_on
from claimeven.practice.puzzle import WIN, Puzzle
from claimeven.practice.solutions import check_solution
from claimeven.solver.protocols import ExactSolver
from claimeven.suggestions import did_you_mean

HINT, SHOW, NEW, QUIT, HELP = WORDS = ("hint", "show", "new", "quit", "help")
_SHORT = {"h": HINT, "s": SHOW, "n": NEW, "q": QUIT, "exit": QUIT, "?": HELP}
_MEANINGS = {
    HINT: "the idea, then cells to look at, then the column",
    SHOW: "the solution",
    NEW: "another puzzle",
    QUIT: "leave",
    HELP: "this help",
}


class PuzzleSession:
    """Puzzles of a set solved by a person, one after the other; `solver` says why.

    A set that is somebody's own is checked: whether its solutions are ones.
    """

    def __init__(
        self, given: PuzzleSet, solver: ExactSolver, talk: TextIO, is_own: bool = False
    ) -> None:
        self.given = given
        self.solver = solver
        self.talk = talk
        self.is_own = is_own
        self.tried = 0
        self.solved = 0

    def solve(self, puzzle: Puzzle) -> bool:
        """Let a person solve a puzzle; return whether another one is wanted.

        One counts as solved if no column was wrong and no hint was asked for.
        """
        self.check(puzzle)
        self.show(puzzle)
        self.tried += 1
        found, hints, clean = 0, 0, True
        while True:
            typed = self._ask(puzzle)
            if typed in (NEW, QUIT):
                return typed == NEW
            if typed == HINT:
                clean = False
                told = hints_for(puzzle, found, self.solver)
                self.say(told[min(hints, len(told) - 1)].text)
                hints += 1
            elif typed == SHOW:
                self._show_solution(puzzle, found)
                return self._after()
            elif isinstance(typed, int):
                position = position_at(puzzle, found)
                try:
                    verdict = verdict_on(puzzle, found, typed, self.solver)
                except ClaimevenError as error:
                    self.say(f"{error}.")
                    continue
                if not verdict.right:
                    clean = False
                    self.say(f"No. {verdict.text}{self._refuted(position, typed, verdict.answer)}")
                    self.say("Try again.")
                    continue
                hints, found = 0, found + 1
                played = position.play(typed)
                if verdict.solved:
                    self.solved += clean
                    self._draw(played, typed)
                    self.say(f"Solved. {verdict.text}")
                    return self._after()
                assert verdict.answer is not None
                self._draw(played.play(verdict.answer), verdict.answer)
                reply = self._reply(played, verdict.answer)
                self.say(f"Right. {reply[:1].upper()}{reply[1:]}. Find the next column.")

    def check(self, puzzle: Puzzle) -> None:
        """Raise `InvalidPuzzles` for one of somebody's own whose solution is none."""
        if self.is_own:
            check_solution(puzzle, self.solver)

    def show(self, puzzle: Puzzle) -> None:
        """Draw a puzzle and say what is to be done."""
        self.say(
            f"puzzle {puzzle.number} of {self.given.name}: {puzzle.kind}, {puzzle.band},"
            f" rating {puzzle.rating}"
        )
        self._draw(puzzle.position, None)
        self.say(puzzle.task)

    def close(self) -> None:
        """Say how many were solved, if there were several."""
        if self.tried > 1:
            self.say(f"solved {self.solved} of {self.tried} at once")

    def say(self, text: str) -> None:
        """Say a text in lines as wide as the terminal at most."""
        self.talk.write(f"{fill(text, text_width(self.talk))}\n")
        self.talk.flush()

    def _draw(self, position: Position, last: int | None) -> None:
        self.talk.write(f"\n{board_text(position, self.talk, last)}\n\n")

    def _refuted(self, position: Position, column: int, answer: int | None) -> str:
        if answer is None or position.play(column).play(answer).outcome is not None:
            return ""
        return f" Then {self._reply(position.play(column), answer)}."

    def _reply(self, position: Position, column: int) -> str:
        who = PLAYER_NAMES[position.turn]
        return f"the {who} replies in column {column_name(column, position.geometry)}"

    def _show_solution(self, puzzle: Puzzle, found: int) -> None:
        position, line = position_at(puzzle, found), puzzle.solution[2 * found :]
        for column in line:
            position = position.play(column)
        self._draw(position, line[-1])
        names = " ".join(column_name(column, puzzle.geometry) for column in line)
        last = verdict_on(puzzle, puzzle.length - 1, puzzle.solution[-1], self.solver)
        self.say(f"The solution is {names}. {last.text}")

    def _after(self) -> bool:
        """Ask what comes after a puzzle; return whether another one is wanted."""
        while True:
            typed = self._word(self._read("new or quit: " if sys.stdin.isatty() else ""))
            if typed in (NEW, QUIT):
                return typed == NEW
            if typed:
                self.say("the puzzle is over: type new or quit.")

    def _ask(self, puzzle: Puzzle) -> int | str | None:
        """Return the 0-based column or the word a person types, None for what was answered here."""
        geometry = puzzle.geometry
        text = self._read(f"column {column_choices(geometry)}, or help: ")
        if text in column_names(geometry.columns):  # a letter that names a column is that column
            return parse_column(text, geometry)
        typed = self._word(text)
        if typed == HELP:
            what = "wins" if puzzle.kind == WIN else "holds the draw"
            rows = [(column_choices(geometry), f"the column that {what}"), *_MEANINGS.items()]
            for word, meaning in rows:
                told = fill(meaning, max(20, text_width(self.talk) - 11))
                self.talk.write(indent(told, " " * 11).replace(" " * 11, f"  {word:<8} ", 1) + "\n")
            return None
        if not typed or typed in WORDS:
            return typed or None
        try:
            return parse_column(typed, geometry)
        except ClaimevenError as error:
            self.say(f"{error}, or type help{did_you_mean(typed, WORDS)}.")
            return None

    def _read(self, question: str) -> str:
        """Return what is typed; `quit` at the end of what there is."""
        self.talk.write(question)
        self.talk.flush()
        text = sys.stdin.readline()
        if question and not (text and sys.stdin.isatty()):
            self.talk.write("\n")
        if not text:
            return QUIT
        return text.strip().lower()

    def _word(self, typed: str) -> str:
        """Return a word in full."""
        return _SHORT.get(typed, typed)
