"""Who plays the games of a match: this process, or several."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from claimeven.arena.errors import InvalidMatch
from claimeven.arena.match import MatchPlan, PlayedGame, Player

#: Games handed to a worker at a time: enough to hide the hand-over, few enough for progress.
BATCH = 8

_player: Player | None = None


def play_games(plan: MatchPlan, jobs: int) -> Iterator[PlayedGame]:
    """Yield the games of a plan as they are finished, played by `jobs` processes.

    One job plays here, in order. What is played does not depend on the number of jobs. Raises
    `InvalidMatch` for less than one job, and when an agent ends the process it plays in.
    """
    if jobs < 1:
        raise InvalidMatch(f"a match takes at least 1 job, not {jobs}")
    player = Player(plan)  # made here in any case, so that a bad spec is told at once
    if jobs == 1:
        yield from player.play_all()
        return
    numbers = range(plan.schedule.games)
    batches = [numbers[i : i + BATCH] for i in range(0, len(numbers), BATCH)]
    pool = ProcessPoolExecutor(
        min(jobs, len(batches)), multiprocessing.get_context("spawn"), _begin, (plan,)
    )
    try:
        waiting: set[Future[list[PlayedGame]]] = {pool.submit(_play, batch) for batch in batches}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield from future.result()
    except BrokenProcessPool:
        raise InvalidMatch(
            "an agent ended the process it played in; the games before it count"
        ) from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list((getattr(pool, "_processes", None) or {}).values()):
            process.terminate()


def _begin(plan: MatchPlan) -> None:
    """Set a worker up: the main process alone answers Ctrl-C."""
    global _player  # noqa: PLW0603 - a worker process serves one match
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _player = Player(plan)


def _play(numbers: range) -> list[PlayedGame]:
    assert _player is not None
    return [_player.play(number) for number in numbers]
