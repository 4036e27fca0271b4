"""Who plays the games of a match: this process, or several."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from claimeven import interrupts
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.match import MatchPlan, PlayedGame, Player

#: Most games handed to a worker at a time: enough to hide the hand-over, few enough for progress.
BATCH = 8
#: Batches a worker gets at the least, where there are so many games.
BATCHES_EACH = 8

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
    size = max(1, min(BATCH, len(numbers) // (jobs * BATCHES_EACH)))
    batches = [numbers[i : i + size] for i in range(0, len(numbers), size)]
    pool = ProcessPoolExecutor(
        min(jobs, len(batches)), multiprocessing.get_context("spawn"), _begin, (plan,)
    )
    finished = False
    try:
        # A terminal sends Ctrl-C to the workers too, which may still be importing.
        with interrupts.held_back():
            futures = [pool.submit(_play, batch) for batch in batches]
        for future in as_completed(futures):
            yield from future.result()
        finished = True
    except BrokenProcessPool:
        raise InvalidMatch(
            "an agent ended the process it played in; the games before it count"
        ) from None
    finally:
        # Looked up first, as the pool forgets its processes when it shuts down.
        workers = list((getattr(pool, "_processes", None) or {}).values())
        pool.shutdown(wait=finished, cancel_futures=True)
        for worker in () if finished else workers:
            worker.terminate()


def _begin(plan: MatchPlan) -> None:
    """Set a worker up: the main process alone answers Ctrl-C."""
    global _player  # noqa: PLW0603 - a worker process serves one match
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _player = Player(plan)


def _play(numbers: range) -> list[PlayedGame]:
    assert _player is not None
    return [_player.play(number) for number in numbers]
