"""Agents against each other, and how well they play.

- a match, a tournament, a sequential test, in one call each: `play_match`, `play_tournament`,
  `run_sprt`; a place on the ladder of the standing pool: `place_on_ladder`, `pool_ladder`;
- how good an agent's moves are: `measure_accuracy`, `accuracy_of`; whether a file holds an agent
  that can play: `check_agent`; the classic studies: `run_study`; a page on stored games:
  `write_report`; games listed, written and read in other forms: `find_games`, `export_games`,
  `import_games`;
- what they are made of: plans (`MatchPlan`, `TournamentPlan`, `Schedule`), `run_tournament`,
  `RayWorkers`, `Store`, `Standings`, statistics of pairs (`PairCounts`, `SequentialTest`, `rate`).

Names are imported when they are first used.
"""

from typing import TYPE_CHECKING

from claimeven import lazy

if TYPE_CHECKING:
    from claimeven.arena.accuracy import Accuracy, Blunder, Tally
    from claimeven.arena.check import CheckReport, check_agent
    from claimeven.arena.errors import InvalidMatch
    from claimeven.arena.evidence import RatedGame
    from claimeven.arena.executors import play_games
    from claimeven.arena.export import export_games
    from claimeven.arena.game import Forfeit, Game, Measures, play_game
    from claimeven.arena.importing import Imported, InvalidGames, import_games
    from claimeven.arena.judging import GamesAccuracy, accuracy_of
    from claimeven.arena.listing import GameFilter, GameList, find_games
    from claimeven.arena.match import MatchPlan, MatchResult, PlayedGame
    from claimeven.arena.measuring import AgentAccuracy, measure_accuracy
    from claimeven.arena.openings import make_openings
    from claimeven.arena.pairs import PairCounts, wilson_interval
    from claimeven.arena.placement import Placement, place_on_ladder
    from claimeven.arena.play import play_match, play_tournament
    from claimeven.arena.pool import pool_ladder
    from claimeven.arena.ratings import Ladder, Rating, rate
    from claimeven.arena.ray_executor import RayWorkers
    from claimeven.arena.referee import Referee
    from claimeven.arena.report import write_report
    from claimeven.arena.schedule import Opening, Schedule
    from claimeven.arena.sequential import SequentialResult, run_sprt
    from claimeven.arena.sprt import SequentialRun, SequentialTest, Verdict
    from claimeven.arena.standings import Standings
    from claimeven.arena.store import InvalidStore, Store, StoredAgent, StoredGame
    from claimeven.arena.studies import run_study
    from claimeven.arena.tournament import (
        TournamentPlan,
        TournamentResult,
        open_store,
        run_tournament,
    )
    from claimeven.arena.tournament_file import read_plan

__all__ = [
    "Accuracy",
    "AgentAccuracy",
    "Blunder",
    "CheckReport",
    "Forfeit",
    "Game",
    "GameFilter",
    "GameList",
    "GamesAccuracy",
    "Imported",
    "InvalidGames",
    "InvalidMatch",
    "InvalidStore",
    "Ladder",
    "MatchPlan",
    "MatchResult",
    "Measures",
    "Opening",
    "PairCounts",
    "Placement",
    "PlayedGame",
    "RatedGame",
    "Rating",
    "RayWorkers",
    "Referee",
    "Schedule",
    "SequentialResult",
    "SequentialRun",
    "SequentialTest",
    "Standings",
    "Store",
    "StoredAgent",
    "StoredGame",
    "Tally",
    "TournamentPlan",
    "TournamentResult",
    "Verdict",
    "accuracy_of",
    "check_agent",
    "export_games",
    "find_games",
    "import_games",
    "make_openings",
    "measure_accuracy",
    "open_store",
    "place_on_ladder",
    "play_game",
    "play_games",
    "play_match",
    "play_tournament",
    "pool_ladder",
    "rate",
    "read_plan",
    "run_sprt",
    "run_study",
    "run_tournament",
    "wilson_interval",
    "write_report",
]

#: Where each name comes from.
_HOMES = {
    "accuracy": ("Accuracy", "Blunder", "Tally"),
    "check": ("CheckReport", "check_agent"),
    "errors": ("InvalidMatch",),
    "evidence": ("RatedGame",),
    "executors": ("play_games",),
    "export": ("export_games",),
    "game": ("Forfeit", "Game", "Measures", "play_game"),
    "importing": ("Imported", "InvalidGames", "import_games"),
    "judging": ("GamesAccuracy", "accuracy_of"),
    "listing": ("GameFilter", "GameList", "find_games"),
    "match": ("MatchPlan", "MatchResult", "PlayedGame"),
    "measuring": ("AgentAccuracy", "measure_accuracy"),
    "openings": ("make_openings",),
    "pairs": ("PairCounts", "wilson_interval"),
    "placement": ("Placement", "place_on_ladder"),
    "play": ("play_match", "play_tournament"),
    "pool": ("pool_ladder",),
    "ratings": ("Ladder", "Rating", "rate"),
    "ray_executor": ("RayWorkers",),
    "referee": ("Referee",),
    "report": ("write_report",),
    "schedule": ("Opening", "Schedule"),
    "sequential": ("SequentialResult", "run_sprt"),
    "sprt": ("SequentialRun", "SequentialTest", "Verdict"),
    "standings": ("Standings",),
    "store": ("InvalidStore", "Store", "StoredAgent", "StoredGame"),
    "studies": ("run_study",),
    "tournament": ("TournamentPlan", "TournamentResult", "open_store", "run_tournament"),
    "tournament_file": ("read_plan",),
}
__getattr__, __dir__ = lazy.offer(
    __name__, {name: f"{__name__}.{home}" for home, names in _HOMES.items() for name in names}
)
