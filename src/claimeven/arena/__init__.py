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
    from claimeven.arena.accuracy.comparing import Comparison
    from claimeven.arena.accuracy.measure import (
        AgentAccuracy,
        SetAccuracy,
        compare_accuracy,
        measure_accuracy,
    )
    from claimeven.arena.accuracy.metrics import Accuracy, Blunder, Tally
    from claimeven.arena.accuracy.stored_games import GamesAccuracy, accuracy_of
    from claimeven.arena.api import play_match, play_tournament
    from claimeven.arena.check_report import CheckReport
    from claimeven.arena.errors import InvalidMatch
    from claimeven.arena.executors import RayWorkers, play_games
    from claimeven.arena.games.game import Forfeit, Game, Measures, play_game
    from claimeven.arena.games.match import MatchPlan, MatchResult, PlayedGame
    from claimeven.arena.games.openings import make_openings
    from claimeven.arena.games.referee import Referee
    from claimeven.arena.games.schedule import Opening, Schedule
    from claimeven.arena.report import write_report
    from claimeven.arena.store.database import InvalidStore
    from claimeven.arena.store.export import export_games
    from claimeven.arena.store.import_games import Imported, InvalidGames, import_games
    from claimeven.arena.store.models import StoredAgent, StoredGame
    from claimeven.arena.store.query import GameFilter, GameList, find_games
    from claimeven.arena.store.store import Store
    from claimeven.arena.studies import run_study
    from claimeven.arena.tournaments.config import read_plan
    from claimeven.arena.tournaments.placement import Placement, place_on_ladder
    from claimeven.arena.tournaments.reference_pool import pool_ladder
    from claimeven.arena.tournaments.sequential import SequentialResult, run_sprt
    from claimeven.arena.tournaments.standings import Standings
    from claimeven.arena.tournaments.tournament import (
        TournamentPlan,
        TournamentResult,
        open_store,
        run_tournament,
    )
    from claimeven.arena.validate import check_agent
    from claimeven.ratings.ladder import Ladder, Rating, rate
    from claimeven.ratings.pair_counts import RatedGame
    from claimeven.ratings.pentanomial import PairCounts, wilson_interval
    from claimeven.ratings.sprt import SequentialRun, SequentialTest, Verdict

__all__ = [
    "Accuracy",
    "AgentAccuracy",
    "Blunder",
    "CheckReport",
    "Comparison",
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
    "SetAccuracy",
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
    "compare_accuracy",
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
    "accuracy.metrics": "Accuracy Blunder Tally",
    "accuracy.comparing": "Comparison",
    "accuracy.stored_games": "GamesAccuracy accuracy_of",
    "accuracy.measure": "AgentAccuracy SetAccuracy compare_accuracy measure_accuracy",
    "validate": "check_agent",
    "check_report": "CheckReport",
    "errors": "InvalidMatch",
    "executors": "RayWorkers play_games",
    "games.game": "Forfeit Game Measures play_game",
    "games.match": "MatchPlan MatchResult PlayedGame",
    "games.openings": "make_openings",
    "games.referee": "Referee",
    "games.schedule": "Opening Schedule",
    "api": "play_match play_tournament",
    "report": "write_report",
    "claimeven.ratings.pair_counts": "RatedGame",
    "claimeven.ratings.pentanomial": "PairCounts wilson_interval",
    "claimeven.ratings.ladder": "Ladder Rating rate",
    "claimeven.ratings.sprt": "SequentialRun SequentialTest Verdict",
    "store.export": "export_games",
    "store.import_games": "Imported InvalidGames import_games",
    "store.query": "GameFilter GameList find_games",
    "store.database": "InvalidStore",
    "store.store": "Store",
    "store.models": "StoredAgent StoredGame",
    "studies": "run_study",
    "tournaments.placement": "Placement place_on_ladder",
    "tournaments.reference_pool": "pool_ladder",
    "tournaments.sequential": "SequentialResult run_sprt",
    "tournaments.standings": "Standings",
    "tournaments.tournament": "TournamentPlan TournamentResult open_store run_tournament",
    "tournaments.config": "read_plan",
}
__getattr__, __dir__ = lazy.offer(__name__, _HOMES)
