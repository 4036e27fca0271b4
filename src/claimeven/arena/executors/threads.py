"""Games played by several threads of this process.

For work whose time goes to what does not hold the interpreter: kernels, and a model on an
accelerator, which a process has to itself. What plays must be such that threads may share it.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Final

from claimeven.arena.executors.work import AnyWork, Play, Result

#: Seconds between two looks at threads that say nothing, so that Ctrl-C is heeded.
_LOOK: Final = 0.1


@dataclass(frozen=True)
class Threads:
    """So many threads of this process, each of which plays one number at a time.

    A thread cannot be ended from outside, so the patience of work is of no matter here.
    """

    jobs: int

    def play(self, work: AnyWork, numbers: Sequence[int]) -> Generator[Result, None, None]:
        """Yield the games as they end. Raises what playing raises; the others end at their next
        sign of life.
        """
        over = threading.Event()
        with work.begun() as play, ThreadPoolExecutor(self.jobs) as pool:
            left = {pool.submit(_played, play, number, over) for number in numbers}
            try:
                while left:
                    ended, left = wait(left, _LOOK, FIRST_COMPLETED)
                    for future in ended:
                        yield from future.result()
            finally:
                over.set()
                pool.shutdown(wait=False, cancel_futures=True)


def _played(play: Play, number: int, over: threading.Event) -> list[Result]:
    """Return what came of a number; it is given up when all is over."""
    results = []
    for result in play([number]):
        if over.is_set():
            break
        if result is not None:
            results.append(result)
    return results
