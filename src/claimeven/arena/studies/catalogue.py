"""The studies: the experiments of the five originals, and what each reported."""

from __future__ import annotations

from claimeven.arena.errors import InvalidMatch
from claimeven.arena.studies import measures
from claimeven.arena.studies.study import SERVER, Figure, Match, Measurement, Source, Study
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.suggestions import no_such

POLITO = Source("Polito", "notebook of Politecnico di Torino, 2021", "Python, machine not told")
MENARY = Source("Menary", "notebook of S. Menary, 2023", "Python 3.10, machine not told")
LUND = Source("Lund", "student report, EDAP01, Lund, 2021", "Python, machine not told")
AIFOUR = Source("AIFour", "notebook AIFour", "Python 2, machine not told")
ITU = Source("ITU", "deep learning for games, lab 1", "Python, hosted notebook")


class InvalidStudy(InvalidMatch):
    """A name that no study has."""


Row = Figure
#: Budgets, in iterations a move, at which flat search and UCT of the ITU lab are compared.
_ITU_BUDGETS = (200, 1_000, 10_000)
_SMALL = Geometry(4, 4, 3)
_POLITO_UCT = "uct-polito:iterations=50,playout=alphabeta2"
_AIFOUR_WINS = (
    Row("games that UCT won", "wins", "1", 86.0),
    Row("games that negamax won", "wins", "0", 14.0),
)
_MENARY_BOARDS = (
    # moves, board, seconds, then the values and visits of each column and the column it chose
    ("232", _SMALL, 1.0, (-0.80, -0.55, -0.77, -0.82), (120, 535, 138, 111), 2),
    (
        "4",
        STANDARD,
        5.0,
        (-0.48, -0.41, -0.28, -0.20, -0.42, -0.28, -0.38),
        (77, 98, 169, 271, 95, 172, 107),
        4,
    ),
    (
        "",
        STANDARD,
        1.0,
        (0.21, 0.03, -0.25, 0.43, 0.00, -0.14, 0.21),
        (38, 29, 16, 88, 26, 21, 43),
        4,
    ),
)


def _where(moves: str, board: Geometry) -> str:
    return f"{board} after {moves}" if moves else f"the empty board of {board}"


STUDIES = (
    Study(
        "polito-alphabeta", "alpha-beta of depth 3 against random play", POLITO,
        (
            Match(
                ("alphabeta-polito", "random"), 500, (
                    Row("games won", "wins", then=99.40), Row("games drawn", "draws", then=0.0),
                    Row("games lost", "losses", words='"1-2%"'),
                    Row("time of a game", "seconds_per_game", then=596.026520 / 500),
                    Row("evaluations in a game", "evaluations_per_game", "0", 906, "in one game"),
                ), 500,
            ),
            Match(
                ("minimax-polito", "random"), 500, (
                    Row("games lost", "losses", words='"1-2%"'),
                    Row("evaluations in a game", "evaluations_per_game"),
                ),
            ),
        ),
        "the errors of the code are mended, its own random numbers are not drawn",
    ),
    Study(
        "polito-uct", "UCT with alpha-beta playouts against random play, and against alpha-beta",
        POLITO,
        (
            Match(
                (_POLITO_UCT, "random"), 10, (
                    Row("games won", "wins", then=100.0), Row("games drawn", "draws", then=0.0),
                    Row("time of a game", "seconds_per_game", then=659.632352 / 10),
                ), 10,
            ),
            *(
                Match((agent, "random"), 1000, (Row("games won", "wins", "0", 100.0, "of 10"),))
                for agent in (_POLITO_UCT, "uct-polito:iterations=100,playout=alphabeta1")
            ),
            Match(
                (_POLITO_UCT, "alphabeta-polito"), 200,
                (Row("score of UCT", "score", words='"way stronger"'),), swap=True, opening_plies=2,
            ),
        ),
        "the errors of the code are mended; the match of the two is not in the original",
        "against random play both win nearly always, so that tells little of the two",
    ),
    Study(
        "polito-counting", "runs counted four ways", POLITO,
        (
            Measurement(
                "whether a line of six cells has a run of four", measures.one_line,
                (
                    Row("scan", "microseconds", "scan", 60.9, "looking seven times"),
                    Row("convolution", "microseconds", "convolution", 8.52),
                    Row("table of lines", "microseconds", "table", 0.617),
                    Row("table against scan", "ratio", "table", 60.9 / 0.617,
                        "184 by its code here"),
                ),
            ),
            Measurement(
                "the first player's runs of three on a board of 20 discs, Python without kernels",
                measures.counting,
                (
                    *(Row(way, "microseconds", way)
                      for way in ("scan", "convolution", "table", "bitboard")),
                    Row("table against scan", "ratio", "table"),
                    Row("bitboard against scan", "ratio", "bitboard"),
                ),
                {"moves": "44444322553336111271", "geometry": STANDARD, "length": 3},
            ),
        ),
        "the original's scan of a line looks at it seven times, here once",
    ),
    Study(
        "menary-iterations", "iterations of vanilla UCT in a given time", MENARY,
        tuple(
            Measurement(
                f"{_where(moves, board)}, {seconds:g} s", measures.decision,
                (
                    Row("iterations", "iterations", then=sum(visits)),
                    Row("column chosen", "column", then=column),
                ),
                {"agent": "uct-menary", "moves": moves, "seconds": seconds, "geometry": board},
            )
            for moves, board, seconds, _, visits, column in _MENARY_BOARDS
        ),
        remark="after 232 on 4x4 every column loses; column 2 holds out the longest",
    ),
    Study(
        "menary-columns", "values and visits of the columns after as many iterations", MENARY,
        tuple(
            Measurement(
                f"{_where(moves, board)}, {sum(visits)} iterations, mean of 100 seeds",
                measures.columns,
                tuple(
                    Row(f"column {column}, {quantity}", quantity, str(column), numbers[column - 1])
                    for quantity, numbers in (("value", values), ("visits", visits))
                    for column in range(1, len(values) + 1)
                ),
                {
                    "agent": "uct-menary", "moves": moves, "iterations": sum(visits),
                    "geometry": board,
                },
            )
            for moves, board, _, values, visits, _ in _MENARY_BOARDS
        ),
        remark="then is one search, now the mean of many; on the small board they agree",
    ),
    Study(
        "menary-shallow", "whether a shallow tree defends against an imminent loss", MENARY,
        (
            Measurement(
                "100 random positions in which one column must be blocked, uct-menary",
                measures.blocks,
                tuple(
                    Row(f"blocked, {count:,} iterations", "share", str(count), words=said)
                    for count, said in (
                        (10, '"may neglect to defend"'), (100, ""), (1000, '"play is optimal"'),
                    )
                ),
                {"agent": "uct-menary", "budgets": (10, 100, 1000)},
            ),
        ),
    ),
    Study(
        "lund-time", "alpha-beta of depth 5 under a limit of 5 s a move", LUND,
        (
            Match(
                ("alphabeta-lund", "random"), 100, (
                    Row("time of a move", "seconds_per_move", words="within 5 s"),
                    Row("games won", "wins"),
                ), seconds=5.0,
            ),
            Measurement(
                "evaluations on the empty board, depth 5", measures.evaluations,
                (
                    Row("minimax", "evaluations", "minimax"),
                    Row("alpha-beta", "evaluations", "alphabeta"),
                ),
                {"evaluation": "windows", "depth": 5},
            ),
        ),
        "against random play; lund-server plays a server",
    ),
    Study(
        "lund-server", "alpha-beta of depth 5 against a server, 5 s a move", LUND,
        (
            Match(
                ("alphabeta-lund", SERVER), 10, (
                    Row("score", "score", words="not told"),
                    Row("time of a move", "seconds_per_move", words="within 5 s"),
                ), seconds=5.0, swap=True,
            ),
        ),
        "the server is yours: --server URL",
    ),
    Study(
        "lund-peer", "alpha-beta of depth 5 against the reviewed peer's", LUND,
        tuple(
            Match(
                (agent, other), 200, (Row(label, "score", words=said),),
                swap=True, opening_plies=4,
            )
            for agent, other, label, said in (
                ("alphabeta-lund", "alphabeta-lund:depth=2,eval=windows-symmetric",
                 "score against depth 2", '"a bit better"'),
                ("alphabeta-lund", "alphabeta-lund:eval=windows-symmetric",
                 "score at equal depth", '"less of a difference"'),
                ("alphabeta-lund", measures.lund_without_blocks,
                 "score of weighting blocks more", '"a bit more effort"'),
            )
        ),
        "the report argues this without playing it",
        "depth is what makes it better: at equal depth the peer's weights are not the worse",
    ),
    Study(
        "aifour-match", "UCT of 200 iterations against negamax of depth 4", AIFOUR,
        (
            Match(
                ("negamax-aifour", "uct-aifour"), 50, (
                    *_AIFOUR_WINS,
                    *(
                        Row(f"negamax won, games {first} to {first + 9}", "wins_in_ten",
                            f"0:{first}", wins)
                        for first, wins in zip(range(1, 51, 10), (1, 1, 2, 0, 3), strict=True)
                    ),
                    Row("search steps of UCT", "steps_per_move", "1", words='"smaller"'),
                    Row("search steps of negamax", "steps_per_move", "0",
                        words="2,573 by its code"),
                    Row("search depth of UCT, as it counts", "depth_from_one", "1",
                      words='"smaller", 6.08 by its code'),
                    Row("search depth of negamax, as it counts", "inner", "0",
                        words="382 by its code"),
                    Row("search depth of UCT", "depth", "1"),
                    Row("search depth of negamax", "depth", "0"),
                    Row("time of a move, UCT", "seconds_per_move", "1", words='"smaller"'),
                    Row("time of a move, negamax", "seconds_per_move", "0"),
                ), 50, swap=True,
            ),
            Match(("negamax-aifour", "uct-aifour"), 1000, _AIFOUR_WINS, 50, swap=True),
            Match(
                ("negamax-aifour:keep=no", "uct-aifour"), 1000,
                (Row("games that negamax won", "wins", "0", words="fewer"),), swap=True,
            ),
            Match(
                ("negamax-aifour:prune=yes", "uct-aifour"), 1000, (
                    Row("games that negamax won", "wins", "0"),
                    Row("search steps of negamax", "steps_per_move", "0"),
                ), swap=True,
            ),
            Match(("negamax-aifour-code", "uct-aifour-code"), 1000, _AIFOUR_WINS, 50, swap=True),
            Match(
                ("negamax-aifour", "uct-aifour:iterations=2000"), 200,
                (Row("games that UCT won", "wins", "1"),), swap=True,
            ),
        ),
        "what the text says is played; pruning is ours, and -code plays as printed",
        "two findings are reversed: UCT wins most games as the code plays the last column of"
        " negamax's best line, and its playouts cost as much as five evaluations. The depth of"
        " negamax counts the positions it expands, that of UCT the positions of its longest path"
        " and one",
    ),
    Study(
        "itu-minimax", "minimax to the end of the game", ITU,
        tuple(
            Measurement(
                f"exact score of {where}", measures.exact,
                (Row("time", "seconds", words=said), Row("score", "exact_score")),
                {"moves": "", **given},
            )
            for where, said, given in (
                ("the empty 4x4 board, connect 4", "", {"geometry": Geometry(4, 4, 4)}),
                ("the empty board, without an opening book", '"too difficult"', {"table_mb": 256}),
            )
        ),
        "the exact solver answers in place of minimax without limit",
    ),
    Study(
        "itu-rounds", "games stopped after some rounds", ITU,
        (
            Measurement(
                "1,000 games of random play", measures.rounds,
                tuple(
                    Row(f"over after {count} rounds", "share", str(count), words=said)
                    for count, said in ((5, ""), (10, ""), (15, ""), (20, "a playout is stopped"))
                ),
            ),
        ),
    ),
    Study(
        "itu-uct", "UCT against random and greedy play", ITU,
        tuple(
            Match(
                ("uct-itu", other), 10, (
                    Row("games won", "wins", words="won the game shown"),
                    Row("iterations of a move", "steps_per_move"),
                ), 10, seconds=1.0,
            )
            for other in ("random", "greedy")
        ),
        "1 s a move, not 5 s: --seconds 5",
    ),
    Study(
        "itu-flat", "UCT against flat Monte Carlo", ITU,
        (
            Match(
                ("uct-itu", "flat"), 10, (
                    Row("score of flat", "score", "1", words='"stronger"'),
                    Row("iterations of a move, UCT", "steps_per_move", "0"),
                    Row("iterations of a move, flat", "steps_per_move", "1"),
                ), 10, seconds=3.0,
            ),
            *(
                Match(
                    (f"uct-itu:iterations={count}", f"flat:iterations={count}"), 100,
                    (Row("score of flat", "score", "1", words='"stronger"'),),
                )
                for count in _ITU_BUDGETS
            ),
        ),
        "flat keeps within 3 s a move, where the original's took 3.7 s",
        'the original judges rightly: it puts it down to "the low time to think given"',
    ),
    Study(
        "itu-table", "UCT with a table of positions against random play", ITU,
        tuple(
            Match(
                (agent, "random"), 30, (
                    Row("games won", "wins"),
                    Row("positions stored", "stored", then=128_079, words=said),
                ), 30, seconds=seconds,
            )
            for agent, seconds, said in (
                ("uct-itu-table:iterations=1500", None, ""), ("uct-itu-table", 0.1, "at 3 s"),
            )
        ),
        "1,500 iterations or 0.1 s a move in place of 3 s (--seconds 3); a table holds 1,000,000",
    ),
)  # fmt: skip


def study_of(name: str) -> Study:
    """Return the study of a name. Raises `InvalidStudy`."""
    for study in STUDIES:
        if study.name == name:
            return study
    raise InvalidStudy(no_such("study", name, [study.name for study in STUDIES]))
