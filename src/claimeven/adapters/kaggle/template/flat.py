"""Flat Monte Carlo: every leaf of a tree of two plies gets the same number of playouts."""

from __future__ import annotations

from claimeven.adapters.kaggle.template.board import bits_of
from claimeven.adapters.kaggle.template.uct import Uct, UctNode


class Flat(Uct):
    """The search, with the options of `Uct` that do not select."""

    def iterate(self, root: UctNode) -> None:
        """Play out from the next leaf; each round visits all leaves."""
        if not root.visits:
            self.waiting: list[list[UctNode]] = []
            self.paths = [[root]]
            for path in self.paths:  # the list grows in the loop
                moves = [*bits_of(self.board.playable(path[-1].mask))]
                fits = len(self.paths) + len(moves) <= self.capacity
                if len(path) <= 2 and path[-1].proof is None and fits:
                    self.paths += [[*path, self.add_child(path[-1], move)] for move in moves]
        self.waiting = self.waiting or [path for path in self.paths if not path[-1].children]
        path = self.waiting.pop(0)
        self.back_up(path, self.play_out(path[-1]) if path[-1].proof is None else path[-1].proof)
