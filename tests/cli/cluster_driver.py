"""A program that runs commands on a Ray cluster, and kills a machine of it during one of them.

Its environment must be set before it imports Ray. The arguments: a folder, a book, the address of
the cluster, the process of the machine to kill, and the names of `COMMANDS`; the machine is killed
during the second of them, after each worker has got jobs.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from claimeven.cli.main import main
from claimeven.parallel import ray_workers
from tests.cli.experiments import words_of


def kill(pid: int) -> None:
    """Kill a machine: `ray start` and all processes below it."""
    for child in [*descendants(pid), pid]:
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            continue


def descendants(pid: int) -> list[int]:
    """The processes below a process."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, path.read_text().split()):
            found += [child, *descendants(child)]
    return found


def run(words: list[str], output: Path) -> int:
    """Run a command with its output in a file; return its status."""
    before = os.dup(1)
    with output.open("wb") as stream:
        os.dup2(stream.fileno(), 1)
    try:
        main(words)
    except SystemExit as ended:
        sys.stdout.flush()
        return ended.code if isinstance(ended.code, int) else 1
    finally:
        os.dup2(before, 1)
    return 1


def drive(folder: Path, book: Path, address: str, machine: int, names: list[str]) -> None:
    """Run the commands, each in a folder of its name; print their statuses."""
    give = ray_workers._Actors.give
    given: set[Any] = set()
    is_killed = False

    def give_and_kill(self: Any, worker: Any, *jobs: Any) -> None:
        nonlocal is_killed
        if name == names[1] and not given:  # both workers are ready, so both get jobs
            actors = {worker, *self._calls.values()}
            self._ray.get([actor.__ray_ready__.remote() for actor in actors])
        give(self, worker, *jobs)
        given.add(worker)
        if name == names[1] and len(given) == 2 and not is_killed:
            is_killed = True
            kill(machine)

    ray_workers._Actors.give = give_and_kill  # type: ignore[method-assign]  # to see the jobs
    for name in names:
        given.clear()
        words = words_of(name, folder / name, book)
        words += ["--executor", "ray", "--address", address]
        print(name, run(words, folder / f"{name}.txt"), flush=True)
    print("killed", is_killed)


if __name__ == "__main__":
    at, a_book, to, pid = sys.argv[1:5]
    drive(Path(at), Path(a_book), to, int(pid), sys.argv[5:])
