"""Agents against each other, and how well they play.

- `play_match`, `play_tournament`, `run_sprt` and `place_on_ladder` play a match, a tournament, a
  sequential test, or the games that place an agent on the ladder. Their options are `MatchOptions`,
  `TournamentOptions`, `SprtOptions` and `LadderOptions`.
- `measure_accuracy` and `accuracy_of` compare moves with perfect play; `check_agent` tests a file.
- `run_study` repeats a classic study; `write_report` makes a page of stored games.
- `find_games`, `export_games` and `import_games` list, write and read stored games.
- Their parts are `Plan`, `Game`, `RayWorkers`, `Store`, `Standings`, and the statistics of pairs
  (`PairCounts`, `SequentialTest`, `rate`).

Names are imported when they are first used.
"""

from typing import TYPE_CHECKING

from claimeven import lazy

if TYPE_CHECKING:
    from claimeven.arena.accuracy.measure import (
        AgentAccuracy,
        SetAccuracy,
        compare_accuracy,
        measure_accuracy,
    )
    from claimeven.arena.accuracy.metrics import Accuracy, Blunder, Comparison, Tally
    from claimeven.arena.accuracy.stored_games import GamesAccuracy, accuracy_of
    from claimeven.arena.api import (
        place_on_ladder,
        play_match,
        play_tournament,
        read_plan,
        run_sprt,
    )
    from claimeven.arena.check_report import CheckReport
    from claimeven.arena.errors import InvalidMatch
    from claimeven.arena.games.game import Forfeit, Game
    from claimeven.arena.games.openings import make_openings
    from claimeven.arena.games.plan import Opening, Plan
    from claimeven.arena.options import LadderOptions, MatchOptions, SprtOptions, TournamentOptions
    from claimeven.arena.report import write_report
    from claimeven.arena.store.database import InvalidStore
    from claimeven.arena.store.import_games import ImportSummary, InvalidGames, import_games
    from claimeven.arena.store.query import GameFilter, GameList, export_games, find_games
    from claimeven.arena.store.store import Store, StoredAgent
    from claimeven.arena.studies import run_study
    from claimeven.arena.tournaments.reference_pool import pool_ladder
    from claimeven.arena.tournaments.results import (
        MatchResult,
        Placement,
        SequentialResult,
        TournamentResult,
    )
    from claimeven.arena.tournaments.standings import Standings
    from claimeven.arena.validate import check_agent
    from claimeven.parallel.ray_workers import RayWorkers
    from claimeven.ratings.ladder import Ladder, Rating, rate
    from claimeven.ratings.pair_counts import RatedGame
    from claimeven.ratings.pentanomial import PairCounts, wilson_interval
    from claimeven.ratings.sprt import SequentialRun, SequentialTest, SprtVerdict

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
    "ImportSummary",
    "InvalidGames",
    "InvalidMatch",
    "InvalidStore",
    "Ladder",
    "LadderOptions",
    "MatchOptions",
    "MatchResult",
    "Opening",
    "PairCounts",
    "Placement",
    "Plan",
    "RatedGame",
    "Rating",
    "RayWorkers",
    "SequentialResult",
    "SequentialRun",
    "SequentialTest",
    "SetAccuracy",
    "SprtOptions",
    "SprtVerdict",
    "Standings",
    "Store",
    "StoredAgent",
    "Tally",
    "TournamentOptions",
    "TournamentResult",
    "accuracy_of",
    "check_agent",
    "compare_accuracy",
    "export_games",
    "find_games",
    "import_games",
    "make_openings",
    "measure_accuracy",
    "place_on_ladder",
    "play_match",
    "play_tournament",
    "pool_ladder",
    "rate",
    "read_plan",
    "run_sprt",
    "run_study",
    "wilson_interval",
    "write_report",
]

#: The module of each name.
_HOMES = {
    "accuracy.measure": "AgentAccuracy SetAccuracy compare_accuracy measure_accuracy",
    "accuracy.metrics": "Accuracy Blunder Comparison Tally",
    "accuracy.stored_games": "GamesAccuracy accuracy_of",
    "api": "place_on_ladder play_match play_tournament read_plan run_sprt",
    "check_report": "CheckReport",
    "claimeven.parallel.ray_workers": "RayWorkers",
    "claimeven.ratings.ladder": "Ladder Rating rate",
    "claimeven.ratings.pair_counts": "RatedGame",
    "claimeven.ratings.pentanomial": "PairCounts wilson_interval",
    "claimeven.ratings.sprt": "SequentialRun SequentialTest SprtVerdict",
    "errors": "InvalidMatch",
    "games.game": "Forfeit Game",
    "games.openings": "make_openings",
    "games.plan": "Opening Plan",
    "options": "LadderOptions MatchOptions SprtOptions TournamentOptions",
    "report": "write_report",
    "store.database": "InvalidStore",
    "store.import_games": "ImportSummary InvalidGames import_games",
    "store.query": "GameFilter GameList export_games find_games",
    "store.store": "Store StoredAgent",
    "studies": "run_study",
    "tournaments.reference_pool": "pool_ladder",
    "tournaments.results": "MatchResult Placement SequentialResult TournamentResult",
    "tournaments.standings": "Standings",
    "validate": "check_agent",
}
__getattr__, __dir__ = lazy.offer(__name__, _HOMES)
