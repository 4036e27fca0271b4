"""A process of a Ray cluster that plays games of a plan: what `ray_executor` starts.

Ray is not imported here: it makes an actor of the class `Player`.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import claimeven
from claimeven.agents.fingerprint import digests_of
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.executors.work import AnyWork, Play, Result
from claimeven.arena.executors.worker import SIGN
from claimeven.errors import ClaimevenError


@dataclass(frozen=True)
class Surroundings:
    """What must be alike where games are played: the program, the folder, the agents' files."""

    version: str
    folder: str
    digests: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, work: AnyWork) -> Surroundings:
        """Return what some work finds in this process."""
        specs = [spec for spec in work.agents if isinstance(spec, str)]
        digests = {spec: digests_of(spec) for spec in specs}
        return cls(claimeven.__version__, str(Path.cwd()), digests)

    def find(self) -> None:
        """Enter the folder, and look at all the rest. Raises `InvalidMatch` for what differs."""
        here = socket.gethostname()
        if claimeven.__version__ != self.version:
            raise InvalidMatch(
                f"{here} has claimeven {claimeven.__version__}, and this is {self.version}:"
                " install the same one on all machines"
            )
        with suppress(OSError):  # without it, agents by name play all the same
            os.chdir(self.folder)
        for spec, digests in self.digests.items():
            found = digests_of(spec)
            for name in digests:
                if found.get(name) == digests[name]:
                    continue
                what = "has another file" if name in found else "lacks the file"
                raise InvalidMatch(
                    f"{here} {what} of {spec}: agents from files need a folder that all machines"
                    " share"
                )


class Portion(NamedTuple):
    """Games that have been played of those asked for, and whether they are the last of them."""

    results: list[Result]
    is_last: bool


class Player:
    """Plays games as they are asked for."""

    def __init__(self) -> None:
        self._play: Play | None = None
        self._running: Iterator[Result | None] = iter(())
        self._open = ExitStack()

    def prepare(self, work: AnyWork, surroundings: Surroundings) -> ClaimevenError | None:
        """Take the work up; return an error that ends the match in place of raising it."""
        try:
            surroundings.find()
            self._play = self._open.enter_context(work.begun())
        except ClaimevenError as error:
            return error
        return None

    def play(self, numbers: Sequence[int]) -> Portion | ClaimevenError:
        """Begin to play some games: see `go_on`."""
        assert self._play is not None
        self._running = iter(self._play(numbers))
        return self.go_on()

    def go_on(self) -> Portion | ClaimevenError:
        """Play for a while; return the games that have ended, or an error that ends the match.

        So it is heard of every `SIGN` seconds, or when a game ends that takes longer and gives no
        sign of life.
        """
        results: list[Result] = []
        begin = time.monotonic()
        try:
            for result in self._running:
                if result is not None:
                    results.append(result)
                if time.monotonic() - begin > SIGN:
                    return Portion(results, is_last=False)
        except ClaimevenError as error:
            return error
        return Portion(results, is_last=True)
