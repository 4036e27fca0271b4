"""A class of thirty: fair bots, copies, crashes and cheats.

`python -m tests.arena.grading.thirty FOLDER` writes the files, to be graded by hand:
`claimeven grade FOLDER`. The tests grade a few of them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

#: A fair bot: wins, blocks, and else plays near the middle.
BLOCKER = '''"""Wins, or blocks, or plays near the middle."""


def wins(board, column):
    after = board.play(column)
    return after.is_over and after.outcome.winner is not None


def agent(board):
    for column in board.legal_columns:  # a win at once
        if wins(board, column):
            return column
    for column in board.legal_columns:
        after = board.play(column)
        if not after.is_over and any(wins(after, answer) for answer in after.legal_columns):
            continue
        return column
    return board.legal_columns[0]
'''
#: The same bot, with other names and without comments.
RENAMED = (
    BLOCKER.replace("wins(", "victory(")
    .replace("board", "position")
    .replace("after", "nxt")
    .replace("  # a win at once", "")
    .replace('"""Wins, or blocks, or plays near the middle."""\n\n\n', "")
)
MINIMAX = """
def value(position, depth):
    if position.is_over:
        return -100 if position.outcome.winner is not None else 0
    if not depth:
        return 0
    return max(-value(position.play(column), depth - 1) for column in position.legal_columns)


def agent(position):
    middle = position.geometry.columns // 2
    columns = sorted(position.legal_columns, key=lambda column: abs(column - middle))
    return max(columns, key=lambda column: -value(position.play(column), {depth}))
"""


def choosing(lines: str, start: str = "") -> str:
    """A function with these lines, which plays the first legal column at their end."""
    body = "".join(f"    {line}\n" for line in lines.splitlines())
    return f"{start}\n\ndef agent(position):\n{body}    return position.legal_columns[0]\n"


FAIR = {
    "ann.py": choosing("return min(position.legal_columns, key=lambda column: abs(column - 3))"),
    "bea.py": BLOCKER,
    "cem.py": MINIMAX.format(depth=1),
    "dee.py": MINIMAX.format(depth=3),
    "eli.py": choosing("return random.choice(position.legal_columns)", "import random"),
    "gus.py": """from claimeven import Agent, Decision


class Gus(Agent):
    def choose(self, position, limit, rng):
        return Decision(int(rng.choice(position.legal_columns)))
""",
    "hal.py": "def agent(obs, config):\n"
    "    return max(c for c in range(config.columns) if not obs.board[c])\n",
    "ida/agent.py": choosing("return helped(position)", "from ida.helper import helped"),
    "ida/helper.py": "def helped(position):\n    return position.legal_columns[-1]\n",
}
COPIES = {"jan.py": BLOCKER, "kim.py": RENAMED}
CRASHES = {
    "leo.py": "import a_package_that_is_missing\n" + choosing(""),
    "mia.py": "def agent(position)\n    return 3\n",
    "ned.py": choosing("if position.ply > 9: raise KeyError(object())"),
    "ola.py": choosing("if position.ply > 9: sys.exit(1)", "import sys"),
    "pam.py": choosing("if position.ply > 9: os._exit(3)", "import os"),
    "quy.py": choosing("") + "\nwhile True: pass\n",
    "ron.py": choosing("while position.ply > 9: pass"),
    "sue.py": choosing("if position.ply > 9: bytes(10**10)"),
    "tim.py": choosing("return None"),
    "una.ipynb": json.dumps({"cells": [], "nbformat": 4}),
}
CHEATS = {
    "vic.py": "from bea import agent\n",
    "wim.py": choosing(
        "for file in Path(__file__).parent.glob('*.py'):\n"
        "    if file.name != 'wim.py': raise OSError(f'{file.name} is there')",
        "from pathlib import Path",
    ),
    "xia.py": choosing(
        "for number in range(3, 9):\n    try: os.write(number, b'{\"column\": 3}')\n"
        "    except OSError: pass",
        "import os",
    ),
    "yan.py": choosing("print('I win! ' * 1000)"),
    "zoe.py": choosing(
        "for file in (*Path(__file__).parent.glob('*.py'), *Path('bots').glob('*.py')):\n"
        "    file.write_text('def agent(position): return 0')",
        "from pathlib import Path",
    ),
    "abe.py": choosing(
        "if not os.fork():\n    time.sleep(5)\n    os._exit(0)", "import os\nimport time"
    ),
    "bob.py": choosing("return 99"),
    "cat.py": """from claimeven.solver import Solver

solver = Solver(table_mb=16)


def agent(position):
    scores = solver.scores(position) if position.ply > 20 else (0,) * 7
    return max(position.legal_columns, key=lambda column: scores[column])
""",
    "don.py": choosing(
        "import claimeven as c\nif position.ply > 30:\n"
        "    return c.solve(position).best[0]"
    ),
    "eve.py": choosing("os.kill(os.getppid(), 9)", "import os"),
}  # fmt: skip
THIRTY = {**FAIR, **COPIES, **CRASHES, **CHEATS}


def write_class(folder: Path, names: tuple[str, ...] = tuple(THIRTY)) -> None:
    """Write the files of a class, or some of them."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(THIRTY[name], encoding="utf-8")


if __name__ == "__main__":
    write_class(Path(sys.argv[1]))
