"""What agents print, passed on in bounds, without what a terminal obeys."""

from __future__ import annotations

import sys

from claimeven.agents.sanitize import printable, printable_lines

#: Characters of what an agent prints that are passed on, for each game.
MOST_PRINTED = 20_000


class Printed:
    """Passes on what an agent prints, so many characters a game."""

    def __init__(self, name: str, most: int) -> None:
        self.name = name
        self.most = most
        #: Characters printed in all games.
        self.seen = 0
        self.begin()

    def begin(self) -> None:
        """Begin a game."""
        self.left = self.most

    def __call__(self, text: str) -> None:
        self.seen += len(text)
        if self.left <= 0:
            return
        text = text[: self.left]
        sys.stderr.write(printable_lines(text, 10 * len(text)))
        self.left -= len(text)
        if self.left <= 0:
            sys.stderr.write(
                f"\n{printable(self.name)} has printed {self.most:,} characters in this game:"
                " the rest is left out\n"
            )
        sys.stderr.flush()
