"""Agents against each other, and how well they play.

- `play_match`, `play_tournament`, `run_sprt` and `place_on_ladder` play a match, a tournament, a
  sequential test, or the games that place an agent on the ladder. Their options are `MatchOptions`,
  `TournamentOptions`, `SprtOptions` and `LadderOptions`.
- `tune` finds the best options of an agent by play (`TuneOptions`).
- `measure_accuracy` and `accuracy_of` compare moves with perfect play; `check_agent` tests a file;
  `grade_agents` grades a class.
- `run_study` repeats a classic study; `write_report` makes a page of stored games.
- `find_games`, `export_games` and `import_games` list, write and read stored games.
- Their parts are `Plan`, `Game`, `RayWorkers`, `Store`, `Standings`, and the statistics of pairs
  (`PairCounts`, `SequentialTest`, `rate`).

Names are imported when they are first used.
"""

from claimeven import lazy

__getattr__, __dir__, __all__ = lazy.offer(__name__)
