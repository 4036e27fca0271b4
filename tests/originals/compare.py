"""Compare the published players with ones rebuilt from their texts, on random positions.

python -m tests.originals.compare [NAME...] [--positions 1000] [--iterations 100]

Of tree searches every node is compared; of minimax, alpha-beta and negamax the column, the value
and (except with a table) the number of evaluations; of the others all results.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np

from claimeven import Position, make_agent
from claimeven.agents import Limit
from claimeven.agents.families.classic import SearchAgent
from claimeven.evaluation import sequence_list
from claimeven.evaluation.counting import COUNTERS
from claimeven.evaluation.registry import EVALUATIONS
from claimeven.game import encodings
from claimeven.game.drawing import parse_drawing
from claimeven.montecarlo import Branch, MonteCarloSearch, preset
from tests.originals import rebuilt_boards as boards
from tests.originals.positions import columns_of, load
from tests.originals.rebuilt import SEARCHES, Node
from tests.originals.rebuilt_minimax import PLAYERS

GOING_ON = load("positions")["going_on"]
#: Whether claimeven and the rebuilt code have the same answer for a position, given as moves.
Comparison = Callable[[str], bool]


def trees(name: str, backend: str, iterations: int) -> Comparison:
    """Compare the trees that a Monte Carlo search grows, node for node."""
    # The lab looks for a win immediately after its search, ours does not search then.
    search = MonteCarloSearch(preset(name, capacity=10_000, decisive_moves="off"), backend)

    def compare(moves: str) -> bool:
        seed = int(np.random.default_rng(1).integers(0, 2**64, dtype=np.uint64))
        rebuilt = SEARCHES[name].grow(columns_of(moves), seed, iterations)
        rng = np.random.default_rng(1)
        ours = search.search(Position.from_moves(moves), rng, iterations).forest.branch(None)
        return alike(ours, rebuilt, is_root=True)

    return compare


def alike(ours: Branch, rebuilt: Node, is_root: bool = False) -> bool:
    """Whether two trees hold the same visits and results at every node."""
    # The root is for the side to move.
    total = -rebuilt.total if is_root else rebuilt.total
    if (ours.visits, ours.total) != (rebuilt.visits, total):
        return False
    children = sorted(rebuilt.children, key=lambda child: child.column)
    return [child.column for child in ours.children] == [
        child.column for child in children
    ] and all(map(alike, ours.children, children))


def lines(spec: str, backend: str = "auto") -> Comparison:
    """Compare column, value and number of evaluations of a search to a depth."""
    agent = make_agent(f"{spec}{',' if ':' in spec else ':'}backend={backend}")
    rebuilt = PLAYERS[spec]
    assert isinstance(agent, SearchAgent)

    def compare(moves: str) -> bool:
        agent.search.reset()  # entries of an earlier search could be deeper
        position = Position.from_moves(moves)
        decision = agent.choose(position, Limit(), np.random.default_rng(1))
        line, value, evaluations = rebuilt.choose(columns_of(moves))
        column = line[-1] if agent.plays == "last" and position.is_legal(line[-1]) else line[0]
        same = (decision.column, decision.details.get("evaluation")) == (column, value)
        has_table = spec == "negamax-aifour"
        return same and (has_table or decision.details.get("evaluations", 0) == evaluations)

    return compare


def greedy() -> Comparison:
    """Compare the column of greedy play."""
    agent = make_agent("greedy")

    def compare(moves: str) -> bool:
        decision = agent.choose(Position.from_moves(moves), Limit(), np.random.default_rng(1))
        return decision.column == boards.greedy(*board_and_player(moves))

    return compare


def board_and_player(moves: str) -> tuple[boards.Cells, int]:
    """Return the rebuilt board, and the player to move, 1 or 2."""
    return boards.board_of(columns_of(moves)), 1 + len(moves) % 2


def evaluation(name: str, rebuilt: Callable[[boards.Cells, int], int]) -> Comparison:
    """Compare the values of an evaluation, for the side to move and for the other one."""

    def compare(moves: str) -> bool:
        position, (cells, player) = Position.from_moves(moves), board_and_player(moves)
        both = [EVALUATIONS[name](each) for each in (position, position.with_sides_swapped())]
        return both == [rebuilt(cells, player), rebuilt(cells, 3 - player)]

    return compare


def counts(moves: str) -> bool:
    """Compare the counts of runs of 1 to 4 of both players, counted in every way there is."""
    position, (cells, _) = Position.from_moves(moves), board_and_player(moves)
    return all(
        count(position.discs[player], position.geometry, length)
        == boards.count_by_length(cells, player + 1, length)
        for count in COUNTERS.values()
        for player in (0, 1)
        for length in range(1, 5)
    )


def sequence_lists(moves: str) -> bool:
    """Compare the lists of runs, start, direction and length, of both players, in any order."""
    position, (cells, _) = Position.from_moves(moves), board_and_player(moves)
    return all(
        sorted(map(tuple, sequence_list(position, player)))
        == sorted(boards.sequence_list(cells, player + 1))
        for player in (0, 1)
    )


def drawing(draw: Callable[[boards.Cells], str], first: str = "X") -> Comparison:
    """Read a drawing of a notebook, and compare the position."""

    def compare(moves: str) -> bool:
        text = draw(board_and_player(moves)[0])
        return parse_drawing(text, first=first) == Position.from_moves(moves)

    return compare


def polito_array(moves: str) -> bool:
    """Compare the array of the Polito notebook, written and read."""
    position, board = Position.from_moves(moves), boards.polito_array(board_and_player(moves)[0])
    written = encodings.to_polito(position).tolist()
    return written == board and encodings.from_polito(board) == position


def lund_array(moves: str) -> bool:
    """Compare the array of the Lund report, written and read."""
    position, board = Position.from_moves(moves), boards.lund_array(*board_and_player(moves))
    return encodings.to_lund(position).tolist() == board and encodings.from_lund(board) == position


def aifour_stacks(moves: str) -> bool:
    """Compare the columns of the AIFour notebook, written and read."""
    position, board = Position.from_moves(moves), boards.aifour_stacks(board_and_player(moves)[0])
    return encodings.to_stacks(position) == board and encodings.from_stacks(board) == position


def itu_rows(moves: str) -> bool:
    """Compare the rows of characters of the ITU lab, written and read."""
    position, board = Position.from_moves(moves), boards.itu_rows(board_and_player(moves)[0])
    written = encodings.to_characters(position, first="O")
    return written == board and encodings.from_characters(board, first="O") == position


#: Made again for each run, by name, since it may load and store data.
PLAYER_COMPARISONS: dict[str, Callable[[], Comparison]] = {
    "greedy": greedy,
    **{spec: partial(lines, spec) for spec in PLAYERS},
}
BOARD_COMPARISONS: dict[str, Comparison] = {
    "sequences": evaluation("sequences", boards.sequences),
    "windows": evaluation("windows", boards.windows),
    "windows-symmetric": evaluation("windows-symmetric", boards.windows_symmetric),
    "streaks": evaluation("streaks", boards.streaks),
    "triples": evaluation("triples", boards.triples),
    "counts of runs": counts,
    "lists of runs": sequence_lists,
    "drawings of Polito": drawing(boards.polito_drawing),
    "drawings of Menary": drawing(boards.menary_drawing),
    "drawings of AIFour": drawing(boards.aifour_drawing),
    "drawings of ITU": drawing(boards.itu_drawing, first="O"),
    "arrays of Polito": polito_array,
    "arrays of Lund": lund_array,
    "stacks of AIFour": aifour_stacks,
    "rows of ITU": itu_rows,
}


def disagreements(compare: Comparison, positions: Iterable[str]) -> list[str]:
    """Return the positions, as moves, that are not answered alike."""
    return [moves for moves in positions if not compare(moves)]


def comparisons(iterations: int) -> Iterator[tuple[str, Callable[[], Comparison]]]:
    """Yield everything that is compared, by name."""
    for name in SEARCHES:
        for backend in ("compiled", "python"):
            yield f"{name}, {backend}", partial(trees, name, backend, iterations)
    yield from PLAYER_COMPARISONS.items()
    for name, compare in BOARD_COMPARISONS.items():
        yield name, partial(lambda same: same, compare)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="the start of a line; default all")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--iterations", type=int, default=100)
    given = parser.parse_args()
    positions = GOING_ON[: given.positions]
    for name, make in comparisons(given.iterations):
        if given.names and not name.startswith(tuple(given.names)):
            continue
        begin = time.perf_counter()
        same = len(positions) - len(disagreements(make(), positions))
        seconds = time.perf_counter() - begin
        print(f"{name}: {same:,} of {len(positions):,} are equal, {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
