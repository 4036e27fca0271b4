"""Output and input of a conversation at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TextIO

from claimeven.cli.common.output import board_text, fitted, text_width, wrap
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_choices, column_names, parse_column
from claimeven.game.position import Position
from claimeven.suggestions import did_you_mean

UNDO, REDO, HINT, SHOW, NEW, QUIT, HELP = "undo", "redo", "hint", "show", "new", "quit", "help"
#: Short forms of words. A letter that names a column means the column.
_SHORT = {
    "u": UNDO, "r": REDO, "h": HINT, "s": SHOW, "n": NEW, "q": QUIT, "?": HELP,
    "rematch": NEW, "exit": QUIT,
}  # fmt: skip


class Prompt:
    """Writes to a stream and reads columns and words from stdin.

    `meanings` explains the words, and under "" a column. `geometry` is the board.
    """

    def __init__(self, talk: TextIO, meanings: Mapping[str, str], geometry: Geometry) -> None:
        self.talk, self.geometry = talk, geometry
        self._column, self._meanings = meanings[""], {w: m for w, m in meanings.items() if w}

    def print(self, text: str = "", indent: str = "") -> None:
        """Print a text in the width of the terminal; words and names are not split."""
        width = text_width(self.talk) - len(indent)
        self.print_lines(fitted(text, width).split("\n"), indent)

    def print_lines(self, lines: Iterable[str], indent: str = "") -> None:
        """Print unchanged lines, each immediately."""
        for text in lines:
            self.talk.write(f"{indent}{text}\n")
            self.talk.flush()

    def draw(self, position: Position, last: int | None = None) -> None:
        """Draw a board below an empty line, with its last move marked."""
        self.print_lines(["", board_text(position, self.talk, last)])

    def ask(self, question: str) -> int | str | None:
        """Return the typed 0-based column or word, None if the input was answered here."""
        text = self._read(question)
        try:
            typed = self.parse(text) if text else None
        except ClaimevenError as error:
            self.print(f"{error}.")
            return None
        if typed == HELP:
            self._help()
            return None
        return typed

    def ask_after(self, words: str) -> str | None:
        """Return the word typed after the game; `words` are the choices of the question."""
        text = self._read(f"{words}: " if sys.stdin.isatty() else "")
        return _SHORT.get(text, text) or None

    def _read(self, question: str) -> str:
        """Return a line of input in lower case; `quit` at the end of the input."""
        self.talk.write(question)
        self.talk.flush()
        text = sys.stdin.readline()
        if question and not (text and sys.stdin.isatty()):
            self.print_lines([""])
        return text.strip().lower() if text else QUIT

    def parse(self, typed: str) -> int | str:
        """Return a 0-based column or a word. Raises `ClaimevenError`."""
        word = _SHORT.get(typed, typed)
        if typed not in column_names(self.geometry.columns) and word in self._meanings:
            return word
        try:
            return parse_column(typed, self.geometry)
        except ClaimevenError as error:
            guess = did_you_mean(typed, self._meanings)
            raise ClaimevenError(f"{error}, or type help{guess}") from None

    def _help(self) -> None:
        """Print the columns and words, with their short forms unless these are columns."""
        taken = column_names(self.geometry.columns)
        rows = [(column_choices(self.geometry), self._column)]
        for word, meaning in self._meanings.items():
            short = next((s for s, whole in _SHORT.items() if whole == word and len(s) == 1), "")
            rows.append((f"{word}, {short}" if short and short not in taken else word, meaning))
        for name, meaning in rows:
            first, *rest = wrap(meaning, max(20, text_width(self.talk) - 13))
            self.print_lines([f"  {name:<10} {first}", *(" " * 13 + line for line in rest)])
