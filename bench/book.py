"""The opening book and the time it saves: `python -m bench.book`.

    python -m bench.book               published counts, look-ups, scores of columns
    python -m bench.book --games N     every column at every ply of N random games (20)
    python -m bench.book --peer N      N entries of the last ply against `bitbully`

The script asserts that counts equal the published counts. The best score of the columns must equal
the score of the position, and entries must equal the scores of `bitbully` without a book.
It also asserts the sums of the scores of fixed positions, and the nodes of one thread in fixed
games.
"""

from __future__ import annotations

import argparse
import random
import time

import numpy as np

from bench.timing import best_of, machine
from claimeven import Geometry, Position
from claimeven.book import Book
from claimeven.book.build import ply_counts
from claimeven.book.locations import shipped_book
from claimeven.book.text_format import to_text
from claimeven.solver import Solver

#: Wins, draws, losses of the first player after 8 plies: all positions (Boeck 2025), and the quiet
#: ones, which are the data set "connect-4" of UCI.
PUBLISHED = (124624, 14676, 44975)
UCI = (44473, 6449, 16635)
PUBLISHED_9 = (197749, 42896, 317541)
#: The sum of the scores of the positions of `look_ups` and of all their columns, from seed 0.
LOOKED_UP = (1799, -12119)
#: The positions of `SIGNED_GAMES` random games from seed 0, the sum of the scores of their columns
#: and the nodes of one thread: a change of these is a change of behavior. Two positions of ply 9
#: take nearly all nodes, so the number says little about the speed.
SIGNED_GAMES = 3
SIGNATURE = (61, -1442, 1_982_896)
#: Plies in one line of `report`.
GROUP = 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--peer", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print(machine())
    book = shipped_book(Geometry())
    assert book is not None, "the package has no book"
    loading(book)
    look_ups(book, options.seed)
    signed_games(book)
    if options.games > 0:
        random_games(book, options.games, options.seed, options.threads)
    if options.peer:
        peer(book, options.peer, options.seed)


def loading(book: Book) -> None:
    data = book.to_bytes()
    seconds, _ = best_of(5, lambda: Book.from_bytes(data))
    counting, rows = best_of(1, lambda: list(ply_counts(book)))
    assert rows[8].positions == PUBLISHED
    assert rows[8].quiet == UCI
    assert rows[9].positions == PUBLISHED_9
    print(
        f"book of {len(book):,} positions, {len(data):,} bytes: read in {1e3 * seconds:.1f} ms;"
        f" published counts of plies 8 and 9, counted with all others in {counting:.2f} s"
    )


def look_ups(book: Book, seed: int) -> None:
    """Scores of positions up to the last ply of the book, and of all columns with entries."""
    rng = random.Random(seed)
    positions = [random_position(rng, ply) for ply in range(book.plies + 1) for _ in range(100)]
    solver = Solver(book=book)
    sums = []
    for name, group in (
        ("score", positions),
        ("scores", [position for position in positions if position.ply < book.plies]),
    ):
        times = []
        answers = []
        for position in group:
            start = time.perf_counter()
            answers.append(getattr(solver, name)(position))
            times.append(time.perf_counter() - start)
        sums.append(sum(total(answer) for answer in answers))
        print(f"{name} from the book: {spread(times)}")
    assert solver.statistics.nodes == 0
    assert seed != 0 or tuple(sums) == LOOKED_UP, sums


def total(answer: int | tuple[int | None, ...]) -> int:
    """Return the sum of a score or of the scores of columns."""
    scores = (answer,) if isinstance(answer, int) else answer
    return sum(score for score in scores if score is not None)


def signed_games(book: Book) -> None:
    """Every column at every ply of a few random games, by one thread: `SIGNATURE`."""
    rng = random.Random(0)
    solver = Solver(book=book)
    seen = scores = 0
    for _ in range(SIGNED_GAMES):
        position = Position()
        while not position.is_over:
            seen += 1
            scores += total(solver.scores(position))
            position = position.play(rng.choice(position.legal_columns))
    signature = seen, scores, solver.statistics.nodes
    assert signature == SIGNATURE, signature
    print("positions, sum of scores, nodes of fixed games by one thread:", *signature)


def random_games(book: Book, games: int, seed: int, threads: int) -> None:
    """Every column at every ply of random games, with a fresh table for each game."""
    rng = random.Random(seed)
    by_group: dict[int, list[float]] = {}
    for _ in range(games):
        solver = Solver(threads=threads, book=book)
        position = Position()
        while not position.is_over:
            start = time.perf_counter()
            scores = solver.scores(position)
            taken = time.perf_counter() - start
            assert max(s for s in scores if s is not None) == solver.score(position)
            by_group.setdefault(position.ply // GROUP, []).append(taken)
            position = position.play(rng.choice(position.legal_columns))
    for group, times in sorted(by_group.items()):
        print(f"scores at plies {group * GROUP}..{group * GROUP + GROUP - 1}: {spread(times)}")
    everything = [taken for times in by_group.values() for taken in times]
    print(f"scores at every ply of {games} random games, {threads} threads: {spread(everything)}")


def peer(book: Book, number: int, seed: int) -> None:
    from bitbully.bitbully_core import BitBullyCore, BoardCore  # noqa: PLC0415 - an extra

    last = [line.split() for line in to_text(book) if len(line.split()[0]) == book.plies]
    theirs = BitBullyCore()
    start = time.perf_counter()
    for moves, score in random.Random(seed).sample(last, number):
        board = BoardCore()
        assert all(board.play(int(character) - 1) for character in moves)
        assert theirs.nullWindow(board) == int(score), moves
    seconds = time.perf_counter() - start
    print(f"{number} entries of ply {book.plies} agree with bitbully, {seconds:.0f} s")


def random_position(rng: random.Random, plies: int) -> Position:
    while True:
        position = Position()
        while position.ply < plies and not position.is_over:
            position = position.play(rng.choice(position.legal_columns))
        if not position.is_over:
            return position


def spread(times: list[float]) -> str:
    middle, late = np.percentile(times, [50, 99])
    return (
        f"median {1e3 * middle:.3f} ms, 99th percentile {1e3 * late:.3f} ms"
        f" ({len(times)} positions)"
    )


if __name__ == "__main__":
    main()
