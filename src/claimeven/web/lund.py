"""Games by the contract of the Lund course (EDAP01): the server keeps the board.

A player posts `move` -1 to begin a game, which loses a game in progress, and then a column from 0
for each move; the answer holds the result, the bot's own move and the board as the player sees it.
There are 5 s for a move. The seats alternate from game to game.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import Depends, Request

from claimeven.agents.base import Limit
from claimeven.arena.lund import COURSE_SECONDS, DRAWN, ILLEGAL, LOST, NO_MOVE, UNFINISHED, WON
from claimeven.errors import ClaimevenError
from claimeven.game.encodings import to_lund
from claimeven.game.position import Position
from claimeven.web import responses
from claimeven.web.allowed_agents import allowed
from claimeven.web.routes import Bot, new_router
from claimeven.web.services import Services, Shared

router = new_router(prefix="/lund", tags=["lund"])

#: Seconds that a request and its answer may take on their way.
GRACE = 0.5
#: Players that are remembered, and characters of a player's name.
MAX_PLAYERS, MAX_NAME = 1_000, 100
_COUNTED = ("games", "won", "drawn", "lost", "streak", "best_streak")
_FIELDS = {
    "stil_id": {"type": "string", "description": "Who plays; several times for a group."},
    "api_key": {"type": "string", "description": "Taken as it is: whoever may ask may play."},
}
_MOVE = {**_FIELDS, "move": {"type": "string", "description": "-1, or a column from 0."}}


@dataclass
class Player:
    """A player's game and the results so far."""

    position: Position = field(default_factory=Position)
    seat: int = 0
    playing: bool = False
    asked_at: float = 0.0
    games: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    streak: int = 0
    best_streak: int = 0

    @property
    def is_late(self) -> bool:
        """Whether the player has taken too long for a move."""
        return time.monotonic() - self.asked_at > COURSE_SECONDS + GRACE

    def begin(self) -> None:
        """Begin a game; a game in progress is lost. The seat is the other one than last time."""
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
        """Drop a disc; return the result and end the game if it is over."""
        self.position = self.position.play(column)
        outcome = self.position.outcome
        if outcome is None:
            return UNFINISHED
        result = DRAWN if outcome.winner is None else WON if outcome.winner == self.seat else LOST
        self.end(result)
        return result

    def answer(self, msg: str, result: float = UNFINISHED, bot: int = NO_MOVE) -> dict[str, Any]:
        """Return the answer to a move; the time for the next move runs from now."""
        self.asked_at = time.monotonic()
        state = to_lund(self.position, self.seat).tolist()
        return {"msg": msg, "status": True, "result": result, "botmove": bot, "state": state}


class LundGames:
    """The games in progress, by the player's name and the bot's spec."""

    def __init__(self) -> None:
        self.busy: set[tuple[str, str]] = set()
        self._players: OrderedDict[tuple[str, str], Player] = OrderedDict()

    def player(self, name: str, agent: str) -> Player:
        """Return what is known of a player against an agent; a new player if nothing is."""
        return self._players.get((name, agent)) or Player()

    def keep(self, name: str, agent: str, player: Player) -> None:
        """Remember a player, and forget the one who has not moved for longest."""
        self._players[name, agent] = player
        self._players.move_to_end((name, agent))
        if len(self._players) > MAX_PLAYERS:
            self._players.popitem(last=False)


async def games_of(request: Request) -> LundGames:
    """Return the games of the server that a request came to."""
    games: LundGames = request.app.state.lund
    return games


Games = Annotated[LundGames, Depends(games_of)]


def _form(properties: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": ["stil_id"]}
    content = {"application/x-www-form-urlencoded": {"schema": schema}}
    return {"requestBody": {"content": content, "required": True}}


@router.post("/move", response_model=responses.LundAnswer, openapi_extra=_form(_MOVE))
async def move(
    request: Request, services: Shared, games: Games, agent: Bot = None
) -> dict[str, Any]:
    """Begin a game (`move` -1) or play a column; the bot answers at once."""
    spec = allowed(agent or services.settings.bot, services.settings)
    name, asked = _name_and_move(await request.body())
    if not name:
        return _refusal("stil_id is missing")
    if len(name) > MAX_NAME:  # a part of it could be the name of another player
        return _refusal(f"stil_id is longer than {MAX_NAME} characters")
    if asked is None:
        return _refusal("move is -1 to begin a game, or a column from 0 to 6")
    if (name, spec) in games.busy:
        return _refusal("the move before is still being answered")
    # A bot that does not answer leaves the game as it was: the same move may be made again.
    player = replace(games.player(name, spec))
    games.busy.add((name, spec))
    try:
        answer = await _answer(services, player, spec, asked)
        games.keep(name, spec, player)
        return answer
    except Exception:
        games.player(name, spec).asked_at = time.monotonic()  # the player did not take the time
        raise
    finally:
        games.busy.discard((name, spec))


@router.post("/stats", response_model=responses.LundStats, openapi_extra=_form(_FIELDS))
async def stats(
    request: Request, services: Shared, games: Games, agent: Bot = None
) -> dict[str, Any]:
    """Tell how many games a player has won, drawn and lost."""
    spec = allowed(agent or services.settings.bot, services.settings)
    player = games.player(_name_and_move(await request.body())[0], spec)
    counts = {name: getattr(player, name) for name in _COUNTED}
    return {"msg": f"{player.won} of {player.games} games won", "status": True, **counts}


async def _answer(services: Services, player: Player, spec: str, move: int) -> dict[str, Any]:
    if move == NO_MOVE:
        player.begin()
        if player.position.turn == player.seat:
            return player.answer("a new game: you begin")
        bot = await _bot_move(services, player, spec)
        player.play(bot)
        return player.answer("a new game: the bot has begun", UNFINISHED, bot)
    if not player.playing:
        return _refusal("no game is going on: begin one with move -1")
    if player.is_late:
        player.end(LOST)
        return player.answer(f"you took more than {COURSE_SECONDS:g} s for a move: you lost", LOST)
    try:
        result = player.play(move)
    except ClaimevenError as error:
        player.end(ILLEGAL)
        return player.answer(f"an illegal move, you lost: {error}", ILLEGAL)
    if result != UNFINISHED:
        return player.answer("you won" if result == WON else "a draw", result)
    bot = await _bot_move(services, player, spec)
    result = player.play(bot)
    said = "your turn" if result == UNFINISHED else "you lost" if result == LOST else "a draw"
    return player.answer(said, result, bot)


async def _bot_move(services: Services, player: Player, spec: str) -> int:
    """Return the bot's column, from 0."""
    seconds = min(COURSE_SECONDS, services.settings.seconds)
    decision = await services.move(
        player.position, spec, Limit(), services.seed(None), seconds=seconds
    )
    return int(decision["column"]) - 1


def _refusal(msg: str) -> dict[str, Any]:
    """Return the answer to a request that breaks the contract."""
    return {**Player().answer(msg), "status": False}


def _name_and_move(body: bytes) -> tuple[str, int | None]:
    """Return the player of a form, and the move if it holds one."""
    fields = parse_qs(body.decode("utf-8", "replace"))
    text = fields.get("move", [""])[0].strip()
    digits = text.removeprefix("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= 4
    return "+".join(fields.get("stil_id", ())), int(text) if is_number else None
