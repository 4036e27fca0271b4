"""Games by the contract of the Lund course (EDAP01): the server keeps the board.

A player posts `move` -1 to begin a game, a game that was going on being lost by that, and then a
column from 0 for each move; the answer tells the result, the bot's own move and the board as the
player sees it. There are 5 s for a move. The seats alternate from game to game.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field, fields
from typing import Any

from claimeven.game.encodings import to_lund
from claimeven.game.position import Position

#: What begins a game, and what stands for "no move".
NO_MOVE = -1
#: Results as the player sees them.
GOES_ON, WON, DRAWN, LOST, ILLEGAL = 0, 1, 0.5, -1, -10
#: Seconds that a player has for a move, and what the way there and back may take.
SECONDS, GRACE = 5.0, 0.5
#: Players that are remembered.
MOST_PLAYERS = 1_000


@dataclass
class Player:
    """A player's game and the results so far."""

    position: Position = field(default_factory=Position)
    seat: int = 0
    playing: bool = False
    is_busy: bool = False
    asked_at: float = 0.0
    games: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    streak: int = 0
    best_streak: int = 0

    @property
    def is_to_move(self) -> bool:
        """Whether it is the player's turn."""
        return self.position.turn == self.seat

    @property
    def is_late(self) -> bool:
        """Whether the player has taken too long for a move."""
        return time.monotonic() - self.asked_at > SECONDS + GRACE

    def become(self, before: Player) -> None:
        """Be as this player was before."""
        for each in fields(self):
            setattr(self, each.name, getattr(before, each.name))

    def begin_clock(self) -> None:
        """Let the time for a move run from now."""
        self.asked_at = time.monotonic()

    def begin(self) -> None:
        """Begin a game; one that goes on is lost. The seat is the other one than last time."""
        if self.playing:
            self.end(LOST)
        self.seat = self.games % 2
        self.position, self.playing = Position(), True

    def end(self, result: float) -> None:
        """Count the result of the game."""
        self.playing = False
        self.games += 1
        self.won += result == WON
        self.drawn += result == DRAWN
        self.lost += result in (LOST, ILLEGAL)
        self.streak = self.streak + 1 if result == WON else 0
        self.best_streak = max(self.best_streak, self.streak)

    def play(self, column: int) -> float:
        """Put a disc; return the result and end the game if it is over."""
        self.position = self.position.play(column)
        outcome = self.position.outcome
        if outcome is None:
            return GOES_ON
        result = DRAWN if outcome.winner is None else WON if outcome.winner == self.seat else LOST
        self.end(result)
        return result

    def answer(self, msg: str, result: float = GOES_ON, bot: int = NO_MOVE) -> dict[str, Any]:
        """Return what the player is told; the time for the next move runs from now."""
        self.begin_clock()
        return {
            "msg": msg,
            "status": True,
            "result": result,
            "botmove": bot,
            "state": to_lund(self.position, self.seat).tolist(),
        }

    def stats(self) -> dict[str, Any]:
        """Return the results so far."""
        return {
            "msg": f"{self.won} of {self.games} games won",
            "status": True,
            **{
                name: getattr(self, name)
                for name in ("games", "won", "drawn", "lost", "streak", "best_streak")
            },
        }


def refusal(msg: str) -> dict[str, Any]:
    """Return the answer to a request that is not as the contract says."""
    empty = to_lund(Position(), 0).tolist()
    return {"msg": msg, "status": False, "result": GOES_ON, "botmove": NO_MOVE, "state": empty}


class LundGames:
    """The games going on, by who plays them and against which agent."""

    def __init__(self) -> None:
        self._players: OrderedDict[tuple[str, str], Player] = OrderedDict()

    def player(self, name: str, agent: str) -> Player:
        """Return what is known of a player against an agent; a new one if nothing is."""
        player = self._players.setdefault((name, agent), Player())
        self._players.move_to_end((name, agent))
        if len(self._players) > MOST_PLAYERS:
            self._players.popitem(last=False)
        return player

    def known(self, name: str, agent: str) -> Player:
        """Return what is known of a player against an agent, without remembering a new one."""
        return self._players.get((name, agent), Player())
