"""Games by the protocol of the Lund course (EDAP01): the server stores the board.

A player posts `move` -1 to start a game, which loses a game in progress, and then a column from 0
for each move. The response has the result, the bot's move and the board from the player's view. A
move may take 5 s. The seats alternate between games.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs

from fastapi import Request

from claimeven.agents.base import Limit
from claimeven.arena.lund import COURSE_SECONDS, DRAWN, ILLEGAL, LOST, NO_MOVE, UNFINISHED, WON
from claimeven.errors import ClaimevenError
from claimeven.game.encodings import to_lund
from claimeven.game.position import Position
from claimeven.web import responses
from claimeven.web.routes import Bot, new_router
from claimeven.web.services import Services, Shared
from claimeven.web.settings import check_allowed

router = new_router(prefix="/lund", tags=["lund"])

#: Seconds allowed for the transfer of a request and its response.
GRACE_SECONDS = 0.5
#: Maximum number of stored players, and of characters in a name.
MAX_PLAYERS, MAX_NAME = 1_000, 100
_STATISTICS = ("games", "won", "drawn", "lost", "streak", "best_streak")
_FIELDS = {
    "stil_id": {"type": "string", "description": "The player; repeated for a group."},
    "api_key": {"type": "string", "description": "Ignored."},
}
_MOVE = {
    **_FIELDS,
    "move": {"type": "string", "description": "-1 for a new game, or a column from 0."},
}


@dataclass
class LundPlayer:
    """A player's game and the results so far."""

    position: Position = field(default_factory=Position)
    seat: int = 0
    playing: bool = False
    last_move_at: float = 0.0
    games: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    streak: int = 0
    best_streak: int = 0

    @property
    def is_late(self) -> bool:
        """Whether the player has taken too long for a move."""
        return time.monotonic() - self.last_move_at > COURSE_SECONDS + GRACE_SECONDS

    def start_game(self) -> None:
        """Start a game on the other seat; a game in progress is lost."""
        if self.playing:
            self.end_game(LOST)
        self.seat = self.games % 2
        self.position, self.playing = Position(), True

    def end_game(self, result: float) -> None:
        self.playing = False
        self.games += 1
        self.won += result == WON
        self.drawn += result == DRAWN
        self.lost += result in (LOST, ILLEGAL)
        self.streak = self.streak + 1 if result == WON else 0
        self.best_streak = max(self.best_streak, self.streak)

    def play(self, column: int) -> float:
        self.position = self.position.play(column)
        outcome = self.position.outcome
        if outcome is None:
            return UNFINISHED
        result = DRAWN if outcome.winner is None else WON if outcome.winner == self.seat else LOST
        self.end_game(result)
        return result

    def answer(self, msg: str, result: float = UNFINISHED, bot: int = NO_MOVE) -> dict[str, Any]:
        """Return the response to a move, and start the time for the next one."""
        self.last_move_at = time.monotonic()
        state = to_lund(self.position, self.seat).tolist()
        return {"msg": msg, "status": True, "result": result, "botmove": bot, "state": state}


class LundGames:
    """The games in progress, by the player's name and the bot's spec."""

    def __init__(self) -> None:
        self.busy: set[tuple[str, str]] = set()
        self._players: OrderedDict[tuple[str, str], LundPlayer] = OrderedDict()

    def player(self, name: str, agent: str) -> LundPlayer:
        """Return the player against an agent, a new one if it is unknown."""
        return self._players.get((name, agent)) or LundPlayer()

    def store(self, name: str, agent: str, player: LundPlayer) -> None:
        """Store a player, and remove the least recent one if there are too many."""
        self._players[name, agent] = player
        self._players.move_to_end((name, agent))
        if len(self._players) > MAX_PLAYERS:
            self._players.popitem(last=False)


def _form(properties: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": ["stil_id"]}
    content = {"application/x-www-form-urlencoded": {"schema": schema}}
    return {"requestBody": {"content": content, "required": True}}


@router.post("/move", response_model=responses.LundAnswer, openapi_extra=_form(_MOVE))
async def move(request: Request, services: Shared, agent: Bot = None) -> dict[str, Any]:
    """Start a game (`move` -1) or play a column; the response has the bot's move."""
    games: LundGames = request.app.state.lund
    spec = check_allowed(agent or services.settings.bot, services.settings)
    name, asked = _name_and_move(await request.body())
    if not name:
        return _refusal("stil_id is missing")
    if len(name) > MAX_NAME:  # a truncated name could belong to another player
        return _refusal(f"stil_id is longer than {MAX_NAME} characters")
    if asked is None:
        return _refusal("move must be -1 for a new game, or a column from 0 to 6")
    if (name, spec) in games.busy:
        return _refusal("the bot is still answering the previous move")
    # If the bot fails the game stays unchanged, and the move can be repeated.
    player = replace(games.player(name, spec))
    games.busy.add((name, spec))
    try:
        answer = await _answer(services, player, spec, asked)
        games.store(name, spec, player)
        return answer
    except Exception:
        games.player(name, spec).last_move_at = time.monotonic()  # the player is not late
        raise
    finally:
        games.busy.discard((name, spec))


@router.post("/stats", response_model=responses.LundStats, openapi_extra=_form(_FIELDS))
async def stats(request: Request, services: Shared, agent: Bot = None) -> dict[str, Any]:
    """Return the number of games a player has won, drawn and lost."""
    spec = check_allowed(agent or services.settings.bot, services.settings)
    player = request.app.state.lund.player(_name_and_move(await request.body())[0], spec)
    counts = {name: getattr(player, name) for name in _STATISTICS}
    return {"msg": f"{player.won} of {player.games} games won", "status": True, **counts}


async def _answer(services: Services, player: LundPlayer, spec: str, move: int) -> dict[str, Any]:
    if move == NO_MOVE:
        player.start_game()
        if player.position.turn == player.seat:
            return player.answer("a new game: you start")
        bot = await _bot_move(services, player, spec)
        player.play(bot)
        return player.answer("a new game: the bot has started", UNFINISHED, bot)
    if not player.playing:
        return _refusal("no game is in progress: start one with move -1")
    if player.is_late:
        player.end_game(LOST)
        return player.answer(f"your move took more than {COURSE_SECONDS:g} s: you lost", LOST)
    try:
        result = player.play(move)
    except ClaimevenError as error:
        player.end_game(ILLEGAL)
        return player.answer(f"an illegal move, you lost: {error}", ILLEGAL)
    if result != UNFINISHED:
        return player.answer("you won" if result == WON else "a draw", result)
    bot = await _bot_move(services, player, spec)
    result = player.play(bot)
    text = "your turn" if result == UNFINISHED else "you lost" if result == LOST else "a draw"
    return player.answer(text, result, bot)


async def _bot_move(services: Services, player: LundPlayer, spec: str) -> int:
    seconds = min(COURSE_SECONDS, services.settings.seconds)
    more = {"agent": spec, "limit": Limit(), "seed": services.seed(None)}
    decision = await services.ask("move", seconds, position=player.position, **more)
    return int(decision["column"]) - 1


def _refusal(msg: str) -> dict[str, Any]:
    """Return the response to a request that violates the protocol."""
    return {**LundPlayer().answer(msg), "status": False}


def _name_and_move(body: bytes) -> tuple[str, int | None]:
    """Return the player and the move of a form, None for an invalid move."""
    fields = parse_qs(body.decode("utf-8", "replace"))
    text = fields.get("move", [""])[0].strip()
    digits = text.removeprefix("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= 4
    return "+".join(fields.get("stil_id", ())), int(text) if is_number else None
