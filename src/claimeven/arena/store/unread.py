"""The games of a store that were not read before, for those who read while it grows."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from claimeven.arena.store.models import StoredGame
from claimeven.arena.store.store import Store

#: Games after which those read are forgotten again as far as their numbers follow each other.
_OFTEN = 10_000


class UnreadGames:
    """Yields each game of a store once, over any number of calls; `count` is how many it has read.

    Games are stored nearly in the order of their numbers, so it keeps the number up to which it has
    read all, and which it has read beyond. Games that are damaged count as read.
    """

    def __init__(self) -> None:
        self.count = 0
        self._next = 0
        self._beyond: set[tuple[int, str]] = set()
        self._damaged: set[tuple[Any, Any]] = set()

    def read(self, store: Store) -> Iterator[StoredGame]:
        """Yield the games that were not read before. Raises what `Store.games` raises."""
        for game in store.games(self._next, frozenset(self._beyond | self._damaged)):
            self._beyond.add((game.number, game.job))
            self.count += 1
            yield game
            if not self.count % _OFTEN:
                self._forget()
        self._damaged.update(store.damaged)
        self.count += len(store.damaged)
        self._forget()

    def has_all_of(self, least: int, most: int) -> bool:
        """Whether it has read the games of a store that held `least` of them before it read, and
        `most` after; if not, games were removed, or stored under numbers that it had passed.
        """
        return least <= self.count <= most

    def _forget(self) -> None:
        """Move on to the first number that is missing."""
        damaged = {each for each in self._damaged if isinstance(each[0], int)}
        for number, job in sorted(self._beyond | damaged, key=itemgetter(0)):
            if number > self._next:
                break
            self._next = max(self._next, number + 1)
            self._beyond.discard((number, job))
