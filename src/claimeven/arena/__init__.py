"""Agents against each other: schedule, games, matches and their totals."""

from claimeven.arena.errors import InvalidMatch
from claimeven.arena.executors import play_games
from claimeven.arena.game import Forfeit, Game, Measures, play_game
from claimeven.arena.match import MatchPlan, MatchResult, PlayedGame, wilson_interval
from claimeven.arena.play import play_match
from claimeven.arena.referee import Referee
from claimeven.arena.schedule import Opening, Schedule

__all__ = [
    "Forfeit",
    "Game",
    "InvalidMatch",
    "MatchPlan",
    "MatchResult",
    "Measures",
    "Opening",
    "PlayedGame",
    "Referee",
    "Schedule",
    "play_game",
    "play_games",
    "play_match",
    "wilson_interval",
]
