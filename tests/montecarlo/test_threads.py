"""Threads that share a search, and results that outlive it."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from claimeven.compiled.splitmix64 import Stream
from claimeven.game import Geometry, Position
from claimeven.montecarlo import PRESETS, MonteCarloSearch, OutdatedForest, preset
from claimeven.montecarlo.puct import PuctSearch
from claimeven.montecarlo.puct.policy_value import UniformPolicyValue

#: Boards whose memory and keys differ, so that answers that mix show.
QUESTIONS = [
    (Position.from_moves("44", board), seed)
    for seed in range(4)
    for board in (Geometry(), Geometry(5, 4, 4))
]


def answer(search: MonteCarloSearch, position: Position, seed: int, iterations: int) -> Any:
    result = search.search(position, np.random.default_rng(seed), iterations=iterations)
    visits = [child.visits for child in result.root.children]
    return result.column, result.value, result.line, result.depth, result.stored, visits


@pytest.mark.parametrize("backend", ["compiled", "python"])
@pytest.mark.parametrize("name", PRESETS)
def test_threads_that_share_a_search_get_the_answers_of_one(name: str, backend: str) -> None:
    options = preset(name, reuse=False, capacity=5000)
    iterations = 5000 if backend == "compiled" else 20
    alone, shared = (MonteCarloSearch(options, backend) for _ in range(2))
    expected = [answer(alone, *question, iterations) for question in QUESTIONS]
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(answer, shared, *question, iterations) for question in QUESTIONS]
        assert [output.result() for output in asked] == expected


def test_trees_are_looked_into_until_the_next_search() -> None:
    search, rng = MonteCarloSearch(preset("uct")), np.random.default_rng(1)
    first = search.search(Position(), rng, iterations=50)
    search.reset()
    assert first.forest.branch(1) == first.root
    second = search.search(Position.from_moves("44"), rng, iterations=50)
    for look in (first.forest.branch, first.forest.root_visits, lambda: first.forest.line(3)):
        with pytest.raises(OutdatedForest, match="another search has replaced them"):
            look()
    assert second.forest.branch(1) == second.root
    assert second.forest.line(second.column) == second.line


def test_a_copy_of_a_search_starts_without_trees() -> None:
    search = MonteCarloSearch(preset("uct-itu-table"), "python")
    search.search(Position(), np.random.default_rng(1), iterations=50)
    for other in (copy.deepcopy(search), pickle.loads(pickle.dumps(search))):
        assert (other.options, other.backend) == (search.options, "python")
        assert other.search(Position(), np.random.default_rng(1), iterations=5).reused_visits == 0
    assert search.search(Position(), np.random.default_rng(1), iterations=5).reused_visits == 50


@pytest.mark.parametrize("make", [
    lambda: MonteCarloSearch(preset("uct")), lambda: PuctSearch(UniformPolicyValue()),
], ids=["uct", "puct"])  # fmt: skip
def test_a_copy_of_a_result_has_all_but_the_trees(make: Any) -> None:
    found = make().search(Position.from_moves("44"), np.random.default_rng(1), iterations=50)
    for other in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert replace(other, forest=found.forest) == found
        assert other.forest.position == found.forest.position
        with pytest.raises(OutdatedForest, match="a copy has no trees"):
            other.forest.branch(1)
    assert found.forest.branch(1) == found.root


def test_an_error_in_a_thread_ends_the_search() -> None:
    here = threading.get_ident()

    def fails_elsewhere(position: Position, draw: Stream) -> int:
        if threading.get_ident() != here:
            raise ValueError("not here")
        return position.legal_columns[0]

    search = MonteCarloSearch(preset("uct", threads=2, playout=fails_elsewhere))
    with pytest.raises(ValueError, match="not here"):
        search.search(Position(), np.random.default_rng(1), iterations=20)


@pytest.mark.skipif(sys.platform == "win32", reason="sends itself the signal of Ctrl-C")
def test_ctrl_c_while_another_thread_searches_ends_that_too() -> None:
    here = threading.get_ident()
    elsewhere: list[int] = []

    def slow_elsewhere(position: Position, draw: Stream) -> int:
        if threading.get_ident() != here:
            elsewhere.append(position.ply)
            if len(elsewhere) == 20:  # by then this thread has long done its half
                os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
        return position.legal_columns[0]

    search = MonteCarloSearch(preset("uct", threads=2, playout=slow_elsewhere))
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            search.search(Position(), np.random.default_rng(1), iterations=200)
    finally:
        signal.signal(signal.SIGINT, previous)
    made = len(elsewhere)
    assert made < 200
    time.sleep(0.05)
    assert len(elsewhere) == made
