"""Work whose worker is stopped in the midst of it, waits there alive, or cannot start."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from claimeven.parallel.jobs import PoolError, RunJobs


@dataclass(frozen=True)
class StoppedWork:
    """Squares of numbers; the first worker at number `at` stops there, or all do."""

    folder: str
    at: int = 2
    always: bool = False
    worker_timeout: float | None = 3.0
    unit = "square"

    def digests(self) -> dict[str, dict[str, str]]:
        return {}

    @contextmanager
    def runner(self) -> Iterator[RunJobs]:
        yield self.squares

    def squares(self, numbers: Iterable[int]) -> Iterator[tuple[int, int] | None]:
        for number in numbers:
            yield None
            mark = Path(self.folder) / "stopped"
            if number == self.at and (self.always or not mark.exists()):
                mark.write_text(str(os.getpid()), encoding="ascii")
                os.kill(os.getpid(), signal.SIGSTOP)
            yield number, number * number


@dataclass(frozen=True)
class WaitingWork(StoppedWork):
    """Squares of numbers, sent when a file exists; until then come signs of life."""

    def squares(self, numbers: Iterable[int]) -> Iterator[tuple[int, int] | None]:
        print("begun")
        for number in numbers:
            while not (Path(self.folder) / "go").exists():
                time.sleep(0.01)
                yield None
            yield number, number * number


@dataclass(frozen=True)
class FailingWork(StoppedWork):
    """Work that cannot start, or whose process ends as it starts."""

    leaves: bool = False

    @contextmanager
    def runner(self) -> Iterator[RunJobs]:
        if self.leaves:
            os._exit(5)
        raise PoolError("it will not start")
        yield self.squares
