"""The contract of the Lund course: forms in, the board as the player sees it out."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Query, Request

from claimeven.agents import codec
from claimeven.agents.base import Limit
from claimeven.errors import ClaimevenError
from claimeven.web.allowed_agents import allowed
from claimeven.web.errors import ClientGone
from claimeven.web.lund_games import (
    GOES_ON,
    ILLEGAL,
    LOST,
    NO_MOVE,
    SECONDS,
    WON,
    Player,
    refusal,
)
from claimeven.web.requests import MOST_SPEC
from claimeven.web.responses import LundAnswer, LundStats
from claimeven.web.routes.common import PROBLEMS
from claimeven.web.services import Services, Shared

router = APIRouter(prefix="/lund", tags=["lund"], responses=PROBLEMS)

#: Characters of the names of a player.
_MOST_NAME = 100
_FIELDS = {
    "stil_id": {"type": "string", "description": "Who plays; several times for a group."},
    "api_key": {"type": "string", "description": "Taken as it is: whoever may ask may play."},
}
_MOVE = {**_FIELDS, "move": {"type": "string", "description": "-1, or a column from 0."}}
Bot = Annotated[str | None, Query(max_length=MOST_SPEC, description="The bot to play against.")]


def _form(properties: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": ["stil_id"]}
    content = {"application/x-www-form-urlencoded": {"schema": schema}}
    return {"requestBody": {"content": content, "required": True}}


@router.post("/move", response_model=LundAnswer, openapi_extra=_form(_MOVE))
async def move(request: Request, services: Shared, agent: Bot = None) -> dict[str, Any]:
    """Begin a game (`move` -1) or play a column; the bot answers at once."""
    spec = allowed(agent or services.settings.bot, services.settings)
    fields = parse_qs((await request.body()).decode("utf-8", "replace"))
    name, asked = _name(fields), _number(fields)
    if not name:
        return refusal("stil_id is missing")
    if len(name) > _MOST_NAME:  # a part of it could be the name of somebody else
        return refusal(f"stil_id is longer than {_MOST_NAME} characters")
    if asked is None:
        return refusal("move is -1 to begin a game, or a column from 0 to 6")
    player = services.lund.player(name, spec)
    if player.is_busy:
        return refusal("the move before is still being answered")
    before = replace(player)
    player.is_busy = True
    try:
        return await _answer(request, services, player, spec, asked)
    except BaseException as error:
        # A bot that did not answer leaves the game as it was: the same move may be made again.
        player.become(before)
        if isinstance(error, Exception) and not isinstance(error, ClientGone):
            player.begin_clock()  # it was not the player who took the time
        raise
    finally:
        player.is_busy = False


@router.post("/stats", response_model=LundStats, openapi_extra=_form(_FIELDS))
async def stats(request: Request, services: Shared, agent: Bot = None) -> dict[str, Any]:
    """Tell how many games a player has won, drawn and lost."""
    spec = allowed(agent or services.settings.bot, services.settings)
    fields = parse_qs((await request.body()).decode("utf-8", "replace"))
    return services.lund.known(_name(fields), spec).stats()


async def _answer(
    request: Request, services: Services, player: Player, spec: str, move: int
) -> dict[str, Any]:
    if move == NO_MOVE:
        player.begin()
        if player.is_to_move:
            return player.answer("a new game: you begin")
        bot = await _bot_move(request, services, player, spec)
        player.play(bot)
        return player.answer("a new game: the bot has begun", GOES_ON, bot)
    if not player.playing:
        return refusal("no game is going on: begin one with move -1")
    if player.is_late:
        player.end(LOST)
        return player.answer(f"you took more than {SECONDS:g} s for a move: you lost", LOST)
    try:
        result = player.play(move)
    except ClaimevenError as error:
        player.end(ILLEGAL)
        return player.answer(f"an illegal move, you lost: {error}", ILLEGAL)
    if result != GOES_ON:
        return player.answer("you won" if result == WON else "a draw", result)
    bot = await _bot_move(request, services, player, spec)
    result = player.play(bot)
    said = "your turn" if result == GOES_ON else "you lost" if result == LOST else "a draw"
    return player.answer(said, result, bot)


async def _bot_move(request: Request, services: Services, player: Player, spec: str) -> int:
    """Return the bot's column, from 0."""
    settings = services.settings
    decision = await services.ask(
        request,
        "move",
        settings.seconds,
        position=codec.from_position(player.position),
        agent=spec,
        limit=codec.from_limit(Limit()),
        seed=services.seed(None),
        seconds=min(SECONDS, settings.seconds),
    )
    return int(decision["column"]) - 1


def _name(fields: dict[str, list[str]]) -> str:
    return "+".join(fields.get("stil_id", ()))


def _number(fields: dict[str, list[str]]) -> int | None:
    text = fields.get("move", [""])[0].strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= 4 else None
