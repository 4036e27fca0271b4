"""Puzzles on the terminal."""

from __future__ import annotations

from textwrap import fill
from typing import TextIO

from claimeven.cli.common.output import board_text, text_width
from claimeven.cli.terminal.prompt import HELP, HINT, NEW, QUIT, SHOW, Prompt
from claimeven.errors import ClaimevenError
from claimeven.game.notation import column_choices, column_name
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.game.position import Position
from claimeven.puzzles.puzzle import WIN, Puzzle, PuzzleSet
from claimeven.puzzles.solutions import check_solution, hints_for, position_after, try_column
from claimeven.solver.protocols import ExactSolver

_MEANINGS = {
    HINT: "the idea, then cells to look at, then the column",
    SHOW: "the solution",
    NEW: "another puzzle",
    QUIT: "leave",
    HELP: "this help",
}


class PuzzleSession:
    """Consecutive puzzles of a set; `solver` explains answers, and checks a set that `is_own`."""

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
        """Let the user solve a puzzle; return whether to show another one.

        A puzzle is solved if no column was wrong and no hint was used.
        """
        self.check(puzzle)
        what = "wins" if puzzle.kind == WIN else "holds the draw"
        meanings = {"": f"the column that {what}", **_MEANINGS}
        self.prompt: Prompt = Prompt(self.talk, meanings, puzzle.geometry)
        self.show(puzzle)
        self.tried += 1
        found, hints, clean = 0, 0, True
        while True:
            typed = self.prompt.ask(f"column {column_choices(puzzle.geometry)}, or help: ")
            if typed in (NEW, QUIT):
                return typed == NEW
            if typed == HINT:
                clean = False
                texts = hints_for(puzzle, found, self.solver)
                self.print(texts[min(hints, len(texts) - 1)].text)
                hints += 1
            elif typed == SHOW:
                self._show_solution(puzzle, found)
                return self._after()
            elif isinstance(typed, int):
                position = position_after(puzzle, found)
                try:
                    attempt = try_column(puzzle, found, typed, self.solver)
                except ClaimevenError as error:
                    self.print(f"{error}.")
                    continue
                if not attempt.correct:
                    clean = False
                    self.print(f"No. {attempt.text}{self._refuted(position, typed, attempt.reply)}")
                    self.print("Try again.")
                    continue
                hints, found = 0, found + 1
                played = position.play(typed)
                if attempt.solved:
                    self.solved += clean
                    self._draw(played, typed)
                    self.print(f"Solved. {attempt.text}")
                    return self._after()
                assert attempt.reply is not None
                self._draw(played.play(attempt.reply), attempt.reply)
                reply = self._reply(played, attempt.reply)
                self.print(f"Right. {reply}. Find the next column.")

    def check(self, puzzle: Puzzle) -> None:
        """Raise `InvalidPuzzles` for a wrong solution in the user's own set."""
        if self.is_own:
            check_solution(puzzle, self.solver)

    def show(self, puzzle: Puzzle) -> None:
        self.print(
            f"puzzle {puzzle.number} of {self.given.name}: {puzzle.kind}, {puzzle.difficulty},"
            f" rating {puzzle.rating}"
        )
        self._draw(puzzle.position, None)
        self.print(puzzle.task)

    def close(self) -> None:
        """Print the number of solved puzzles, if there were several."""
        if self.tried > 1:
            self.print(f"solved {self.solved} of {self.tried} at the first try")

    def print(self, text: str) -> None:
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
        return f"{who} replies in column {column_name(column, position.geometry)}"

    def _show_solution(self, puzzle: Puzzle, found: int) -> None:
        position, line = position_after(puzzle, found), puzzle.solution[2 * found :]
        for column in line:
            position = position.play(column)
        self._draw(position, line[-1])
        names = " ".join(column_name(column, puzzle.geometry) for column in line)
        last = try_column(puzzle, puzzle.columns_to_find - 1, puzzle.solution[-1], self.solver)
        self.print(f"The solution is {names}. {last.text}")

    def _after(self) -> bool:
        """Ask for the next step after a puzzle; return whether to show another one."""
        while (typed := self.prompt.ask_after("new or quit")) not in (NEW, QUIT):
            if typed is not None:
                self.print("the puzzle is over: type new or quit.")
        return typed == NEW
