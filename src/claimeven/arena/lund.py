"""Games against a server of the Lund course (EDAP01), which has the board and picks who is first.

The player posts a form: `stil_id`, `api_key`, and `move`, -1 to start a game (which loses an
unfinished game) or a column from 0. The answer is a JSON object: `status` false with a `msg` if
something is wrong, else the `result` (0 unfinished, 1 won, 0.5 drawn, -1 lost, -10 illegal), the
server's own `botmove` (-1: no move) and the `state`, rows from the top with 1 for the player's
discs and -1 for the server's. There are 5 s for a move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from types import NoneType
from typing import Any
from urllib.parse import urlencode

import numpy as np

from claimeven.agents.base import Agent, AgentFault, Limit
from claimeven.agents.http_agent import CallFailed, CallLate, Endpoint
from claimeven.agents.sanitize import printable, shown
from claimeven.arena.games.safe_call import begin_game, timed_decision
from claimeven.errors import ClaimevenError
from claimeven.game.encodings import to_lund
from claimeven.game.errors import IllegalMove
from claimeven.game.game_line import GameLine
from claimeven.ratings.pentanomial import wilson_interval

#: The move that starts a game; it also means "no move".
NO_MOVE = -1
UNFINISHED, WON, DRAWN, LOST, ILLEGAL = RESULTS = (0, 1, 0.5, -1, -10)
#: Seconds for a move by the rules of the course, and the seconds that an agent gets.
COURSE_SECONDS, DEFAULT_SECONDS = 5.0, 4.5
#: Seconds for the server to answer.
ANSWER_SECONDS = 60.0


class ChallengeFailed(ClaimevenError):
    """A server that violates the interface, or cannot be reached."""


#: The types that JSON may give for each type of a field.
_TYPES: dict[object, tuple[type, ...]] = {
    "int": (int,), "bool": (bool,), "str": (str,), "float": (int, float),
    "str | None": (str, NoneType),
}  # fmt: skip


@dataclass(frozen=True)
class ChallengeGame:
    """A game against a server.

    `moved_first` says whether the player moved first; `moves` is the game, `result` the player's.
    `own_moves` took `seconds` together, the slowest of them `slowest`. `fault` is the agent's.
    """

    number: int
    moved_first: bool
    moves: str
    result: float
    own_moves: int
    seconds: float
    slowest: float
    fault: str | None = None

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ChallengeGame:
        """Read a game as plain data, of 0.2 too. Raises `ValueError` for other data."""
        data = {{"began": "moved_first"}.get(name, name): value for name, value in data.items()}
        types = {field.name: _TYPES[field.type] for field in fields(cls)}
        is_whole = set(data) == set(types) and all(type(data[n]) in types[n] for n in types)
        if not is_whole or data["result"] not in RESULTS:
            raise ValueError("not a game of a challenge")
        return cls(**data)


@dataclass(frozen=True)
class ChallengeResult:
    """The games played against a server. All totals are derived from them."""

    games: tuple[ChallengeGame, ...]

    def count(self, *results: float, moved_first: bool | None = None) -> int:
        """Return the number of games with these results; `moved_first` restricts it to one seat."""
        return sum(g.result in results and moved_first in (None, g.moved_first) for g in self.games)

    @property
    def score(self) -> float | None:
        """Share of the points, 0 to 1; a draw is half a point. None of no games."""
        points = self.count(WON) + self.count(DRAWN) / 2
        return points / len(self.games) if self.games else None

    @property
    def best_streak(self) -> int:
        """Games won in a row, at most."""
        best = now = 0
        for game in self.games:
            now = now + 1 if game.result == WON else 0
            best = max(best, now)
        return best

    @property
    def seconds_per_move(self) -> float | None:
        """Mean time of the player's moves; None without any."""
        moves = sum(game.own_moves for game in self.games)
        return sum(game.seconds for game in self.games) / moves if moves else None

    @property
    def slowest(self) -> float:
        """Time of the player's slowest move."""
        return max((game.slowest for game in self.games), default=0.0)

    def as_dict(self) -> dict[str, Any]:
        """Return the totals and the games as plain data for JSON."""
        score = self.score
        interval = wilson_interval(score or 0.0, len(self.games))
        return {
            "games": len(self.games),
            **self._counts(None),
            "score": score,
            "score_interval_95": list(interval),
            "best_streak": self.best_streak,
            "as_first": self._counts(True),
            "as_second": self._counts(False),
            "seconds_per_move": self.seconds_per_move,
            "slowest_move": self.slowest,
            "played": list(map(asdict, self.games)),
        }

    def _counts(self, moved_first: bool | None) -> dict[str, int]:
        return {
            "won": self.count(WON, moved_first=moved_first),
            "drawn": self.count(DRAWN, moved_first=moved_first),
            "lost": self.count(LOST, ILLEGAL, moved_first=moved_first),
        }


class LundServer:
    """A server with this interface, and its player. Raises `InvalidSpec` for a bad address."""

    def __init__(self, url: str, stil_id: Sequence[str], api_key: str) -> None:
        self.url = url
        self._form = {"stil_id": list(stil_id), "api_key": api_key}
        self._endpoint = Endpoint(url).below("move")

    def move(self, move: int) -> dict[str, Any]:
        """Post a move; return the answer, checked. Raises `ChallengeFailed`."""
        body = urlencode({**self._form, "move": move}, doseq=True).encode()
        try:
            reply = self._endpoint.post(body, "application/x-www-form-urlencoded", ANSWER_SECONDS)
            answer = reply.data()
        except (CallFailed, CallLate) as error:
            raise ChallengeFailed(f"{self.url} {error}") from None
        if answer.get("status") is not True:
            raise ChallengeFailed(f"{self.url} refuses: {printable(str(answer.get('msg')))}")
        result, bot_move = answer.get("result"), answer.get("botmove")
        if result not in RESULTS or isinstance(result, bool):
            raise ChallengeFailed(f"{self.url} answers with result {shown(result)}")
        if type(bot_move) is not int or bot_move < NO_MOVE:
            raise ChallengeFailed(f"{self.url} answers with botmove {shown(bot_move)}")
        return answer


def play_challenge(
    server: LundServer, agent: Agent, numbers: Sequence[int], seed: int, limit: Limit
) -> Iterator[ChallengeGame]:
    """Play games against a server, one after the other; yield each finished game.

    The agent draws from a generator made of `seed` and the game's number. Raises `ChallengeFailed`.
    """
    for number in numbers:
        yield _play(server, agent, number, np.random.default_rng([seed, number]), limit)


def _play(
    server: LundServer, agent: Agent, number: int, rng: np.random.Generator, limit: Limit
) -> ChallengeGame:
    answer = server.move(NO_MOVE)
    board = _Board(server.url, seat=0 if answer["botmove"] == NO_MOVE else 1)
    board.follow(answer)
    clock: list[float] = []
    fault = None
    try:
        begin_game(agent, rng)
        while answer["result"] == UNFINISHED:
            decision, seconds = timed_decision(agent, board.line.position, limit, rng)
            clock.append(seconds)
            board.put(decision.column)
            answer = server.move(decision.column)
            board.follow(answer)
    except AgentFault as error:
        # The game continues at the server; it is lost when the next one starts.
        fault = str(error)
    moves, slowest = board.line.moves, max(clock, default=0.0)
    result = answer["result"] if fault is None else LOST
    return ChallengeGame(
        number, board.seat == 0, moves, result, len(clock), sum(clock), slowest, fault
    )


class _Board:
    """The board of a game, compared with the server's after each of its answers."""

    def __init__(self, url: str, seat: int) -> None:
        self.url, self.seat = url, seat
        self.line = GameLine()

    def put(self, column: int) -> None:
        """Make a move of either side."""
        try:
            self.line.play(column)
        except IllegalMove as error:
            raise ChallengeFailed(f"{self.url} plays an illegal move: {error}") from None

    def follow(self, answer: dict[str, Any]) -> None:
        """Make the server's move, and check that both have the same board."""
        if answer["botmove"] != NO_MOVE:
            self.put(answer["botmove"])
        moves, position = self.line.moves, self.line.position
        if answer.get("state") != to_lund(position, self.seat).tolist():
            raise ChallengeFailed(
                f"{self.url} shows another board than that after {moves or 'no move'}"
            )
        if answer["result"] == UNFINISHED and (position.is_over or position.turn != self.seat):
            raise ChallengeFailed(f"{self.url} says that the game is not over after {moves}")
