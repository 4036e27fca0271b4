"""Agents against each other: schedule, games, matches and their totals."""

from claimeven.arena.errors import InvalidMatch
from claimeven.arena.executors import play_games
from claimeven.arena.game import Forfeit, Game, Measures, play_game
from claimeven.arena.match import MatchPlan, MatchResult, PlayedGame, Player, wilson_interval
from claimeven.arena.schedule import Schedule

__all__ = [
    "Forfeit",
    "Game",
    "InvalidMatch",
    "MatchPlan",
    "MatchResult",
    "Measures",
    "PlayedGame",
    "Player",
    "Schedule",
    "play_game",
    "play_games",
    "wilson_interval",
]
