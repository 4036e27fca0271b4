"""Agents against each other: schedule, games, matches and their totals; how well they play."""

from claimeven.arena.accuracy import Accuracy, Blunder, Tally
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.executors import play_games
from claimeven.arena.export import export_games
from claimeven.arena.game import Forfeit, Game, Measures, play_game
from claimeven.arena.importing import Imported, InvalidGames, import_games
from claimeven.arena.judging import GamesAccuracy, accuracy_of
from claimeven.arena.listing import GameFilter, GameList, find_games
from claimeven.arena.match import MatchPlan, MatchResult, PlayedGame
from claimeven.arena.measuring import AgentAccuracy, measure_accuracy
from claimeven.arena.pairs import wilson_interval
from claimeven.arena.play import play_match
from claimeven.arena.referee import Referee
from claimeven.arena.schedule import Opening, Schedule

__all__ = [
    "Accuracy",
    "AgentAccuracy",
    "Blunder",
    "Forfeit",
    "Game",
    "GameFilter",
    "GameList",
    "GamesAccuracy",
    "Imported",
    "InvalidGames",
    "InvalidMatch",
    "MatchPlan",
    "MatchResult",
    "Measures",
    "Opening",
    "PlayedGame",
    "Referee",
    "Schedule",
    "Tally",
    "accuracy_of",
    "export_games",
    "find_games",
    "import_games",
    "measure_accuracy",
    "play_game",
    "play_games",
    "play_match",
    "wilson_interval",
]
