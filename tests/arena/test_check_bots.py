"""`check` and many bots: bots with a known fault do not pass, sound bots do."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import pytest

from claimeven import Geometry, Limit
from claimeven.arena.validate import CheckReport, check_agent

#: Seeds of positions and chance, such as "0 1 2 3 4 5 6 7 8 9". By default each bot has one of its
#: own from 0 to 9: the whole takes two minutes.
SEEDS = tuple(map(int, os.environ.get("CLAIMEVEN_CHECK_SEEDS", "").split()))

#: Wins and blocks on Kaggle's board, by which `me` is to move.
SIGHT = """
def wins(board, column, who, columns, rows):
    cells = [row * columns + column for row in range(rows)]
    free = [cell for cell in cells if not board[cell]]
    if not free:
        return False
    own = {divmod(cell, columns) for cell in range(rows * columns) if board[cell] == who}
    row = free[-1] // columns
    for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1)):
        run = 1
        for sign in (-1, 1):
            step = sign
            while (row + step * down, column + step * right) in own:
                run, step = run + 1, step + sign
        if run > 3:
            return True
    return False

def best(board, me, columns=7, rows=6):
    legal = [column for column in range(columns) if not board[column]]
    for who in (me, 3 - me):
        for column in legal:
            if wins(board, column, who, columns, rows):
                return column
    return legal[len(legal) // 2]
"""

#: Bots with a fault, by its kind and a number.
FAULTY = {
    "random column 1": "import random\ndef agent(p):\n    return random.randint(0, 6)",
    "from 1, 1": "def agent(p):\n    return p.legal_columns[len(p.legal_columns) // 2] + 1",
    "all but 0, 1": """
        def agent(obs, config):
            return max(range(1, config.columns), key=lambda c: (obs.board[c] == 0, c))""",
    "all but the last, 2": """
        import random
        def agent(p):
            free = [c for c in range(6) if c in p.legal_columns]
            return random.choice(free or [0])""",
    "full column 1": "def agent(p):\n    return p.geometry.columns // 2",
    "full column 2": """
        def agent(obs, config):
            below = [c for c in range(7) if obs.board[7 + c] == 0]
            return below[0] if below else 3""",
    "None 1": """
        def agent(obs, config):
            for c in (3, 2, 4, 1, 5, 0):
                if obs.board[c] == 0:
                    return c""",
    "None 2": "def agent(p):\n    if p.ply < 41:\n        return p.legal_columns[0]",
    "float 1": "def agent(p):\n    return sum(p.legal_columns[:1]) / 1",
    "text 2": "def agent(p):\n    return str(p.legal_columns[0])",
    "kaggle: numpy 1": """
        import numpy as np
        def agent(obs, config):
            return np.flatnonzero(np.array(obs.board[:7]) == 0)[0]""",
    "kaggle: None 3": "def agent(obs):\n    return obs.board.index(0) % 7 or None",
    "own board 1": """
        board = [[0] * 7 for _ in range(6)]
        def agent(obs, config):
            for row in reversed(board):
                for c in range(7):
                    if not row[c]:
                        row[c] = obs.mark
                        return c""",
    "state 1": """
        def agent(obs, config):
            global seen
            if obs.step < 2:
                seen = []
            seen.append(obs.step)
            assert seen[-1] == seen[0] + 2 * (len(seen) - 1)
            return obs.board[:7].index(0)""",
    "state 2": """
        from claimeven import Agent, Decision
        class Follows(Agent):
            def reset(self):
                self.before = None
            def choose(self, position, limit, rng):
                if position.ply < 2:
                    self.before = 0
                self.before += 1
                return Decision(position.legal_columns[0])""",
    "side 1": SIGHT + "\ndef agent(obs, config):\n    return best(obs.board, 1)",
    "side 2": SIGHT + "\ndef agent(obs, config):\n    return best(obs.board, 3 - obs.mark)",
    "side 3": SIGHT + "\ndef agent(obs, config):\n    return best(obs.board, 2)",
    "side 4": """
        def agent(p):
            for c in p.legal_columns:
                if p.play(c).winner == 1:
                    return c
            return p.legal_columns[0]""",
    "parity 1": SIGHT + """
def agent(obs, config):
    return best(obs.board, 2 if obs.step % 2 == 0 else 1)""",
    "parity 2": SIGHT + """
me = None
def agent(obs, config):
    global me
    if obs.step < 2:
        me = obs.step + 1
    return best(obs.board, me)""",
    "transposed 1": "def agent(obs):\n    return [obs.board[6 * c] for c in range(7)].index(0)",
    "upside down 3": """
        import numpy as np
        def agent(obs, config):
            grid = np.array(obs.board).reshape(7, 6)
            return int(np.argmin(grid[0]))""",
    "9x7: seven columns 1": """
        def agent(p):
            return [c for c in range(7) if c in p.legal_columns][0]""",
    "slow start 1": """
        import time
        ready = []
        def agent(p):
            if not ready:
                time.sleep(1)
                ready.append(1)
            return p.legal_columns[0]""",
    "slow start 2": """
        import time
        def agent(p):
            time.sleep(1 * (p.ply < 2))
            return p.legal_columns[0]""",
    "slow end 1": """
        import time
        def agent(p):
            time.sleep(p.ply > 34)
            return p.legal_columns[0]""",
    "loop 2": """
        def agent(p):
            while len(p.legal_columns) == 2:
                pass
            return p.legal_columns[0]""",
    "loop 3": """
        def agent(p):
            column = 3
            while column not in p.legal_columns:
                column = (column + 3) % 6
            return column""",
    "recursion 1": """
        def agent(p, depth=0):
            return agent(p, depth + 1) if p.ply > 40 else p.legal_columns[0]""",
    "recursion 2": """
        def look(p):
            return max(-look(p.play(c)) for c in p.legal_columns) if p.ply > 39 else 0
        def agent(p):
            return max(p.legal_columns, key=lambda c: -look(p.play(c)))""",
    "leak 1": """
        kept = []
        def agent(p):
            kept.append(bytearray(1 << 20))
            return p.legal_columns[0]""",
    "leak 2": """
        import functools
        @functools.lru_cache(None)
        def look(key, number):
            return [number] * 60000
        number = 0
        def agent(p):
            global number
            number += 1
            return p.legal_columns[0 * len(look(p.key, number))]""",
    "prints 1": "def agent(p):\n    print('x' * 9000)\n    return p.legal_columns[0]",
    "prints 2": """
        import sys
        def agent(p):
            for c in range(400):
                sys.stderr.write('trying\\n')
            return p.legal_columns[0]""",
    "exit 1": """
        import sys
        def agent(p):
            return p.legal_columns[0] if p.ply < 31 else sys.exit()""",
    "exit 2": "def agent(p):\n    return quit() if p.ply == 41 else p.legal_columns[0]",
    "os._exit 1": """
        import os
        def agent(p):
            if len(p.legal_columns) == 1:
                os._exit(0)
            return p.legal_columns[0]""",
    "os._exit 2": """
        import os, signal
        def agent(p):
            if p.ply == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            return p.legal_columns[0]""",
    "library 1": """
        import json
        def agent(p):
            return p.legal_columns[0] if p.ply < 38 else json.loads('{')""",
    "threads 1": """
        import threading, time
        def agent(p):
            threading.Thread(target=time.sleep, args=(99,), daemon=True).start()
            return p.legal_columns[0]""",
    "open files 1": """
        kept = []
        def agent(p):
            kept.append(open(__file__))
            return p.legal_columns[0]""",
    "processes 2": """
        import subprocess, sys
        kept = []
        def agent(p):
            if p.ply % 9 == 0:
                kept.append(subprocess.Popen(["sleep", "60"]))
            return p.legal_columns[0]""",
    "files 1": """
        weights = open('data.csv').read()
        def agent(p):
            return p.legal_columns[0]""",
    "files 2": """
        import numpy as np
        def agent(p):
            return p.legal_columns[int(np.loadtxt('data.csv'))]""",
    "module 1": "import not_there\ndef agent(p):\n    return 0",
    "module 2": "def agent(p):\n    import not_there\n    return 0",
    "wrong function 1": "def main():\n    print('plays')\nmain()",
    "wrong function 2": "def bot(board, piece):\n    return board[0].index(0)",
    "input 1": "def agent(p):\n    return int(input())",
    "board 1": "def student_move(state):\n    return state[0].index(0)",
    "class 1": "class Agent:\n    def act(self, board):\n        return 0",
    "generator 1": "def agent(p):\n    yield p.legal_columns[0]",
    "coroutine 2": "async def agent(p):\n    return p.legal_columns[0]",
    "last disc 1": "def agent(p):\n    return p.legal_columns[p.ply // 41]",
    "empty board 2": "def agent(p):\n    return p.legal_columns[0 // p.ply]",
    "win at hand 1": """
        def agent(p):
            for c in p.legal_columns:
                after = p.play(c)
                if not after.is_over:
                    return c
            return p.play(c).legal_columns[0]""",
    "block at hand 2": """
        def agent(p):
            for c in p.legal_columns:
                for answer in p.play(c).legal_columns:
                    if answer != c and p.play(c).play(answer).winner is not None:
                        return {}[answer]
            return p.legal_columns[0]""",
}  # fmt: skip

#: Bots without a fault.
SOUND = {
    "first": "def agent(p):\n    return p.legal_columns[0]",
    "last": "def play(position):\n    return position.legal_columns[-1]",
    "middle": "def agent(p):\n    return min(p.legal_columns, key=lambda c: abs(c - 3))",
    "random": "import random\ndef agent(p):\n    return random.choice(p.legal_columns)",
    "numpy": "import numpy as np\ndef agent(p):\n    return np.random.choice(p.legal_columns)",
    "tries": """
        import random
        def agent(p):
            while (column := random.randint(0, 6)) not in p.legal_columns:
                pass
            return column""",
    "highest": "def agent(p):\n    return max(p.legal_columns, key=p.height_of)",
    "wins": """
        def agent(p):
            wins = [c for c in p.legal_columns if p.play(c).winner is not None]
            return (wins or p.legal_columns)[0]""",
    "careful": """
        def lost(p):
            return any(p.play(c).winner is not None for c in p.legal_columns)
        def agent(p):
            wins = [c for c in p.legal_columns if p.play(c).winner is not None]
            safe = [c for c in p.legal_columns if not lost(p.play(c))]
            return (wins or safe or p.legal_columns)[0]""",
    "class": """
        from claimeven import Agent, Decision
        class Player(Agent):
            def choose(self, position, limit, rng):
                return Decision(int(rng.choice(position.legal_columns)), value=0.0)""",
    "remembers": """
        from claimeven import Agent, Decision
        class Player(Agent):
            def reset(self):
                self.moves = 0
            def choose(self, position, limit, rng):
                self.moves += 1
                legal = position.legal_columns
                return Decision(legal[-self.moves % len(legal)])""",
    "kaggle: first": "def agent(obs, config):\n    return obs.board[:config.columns].index(0)",
    "kaggle: sees": SIGHT + """
def my_agent(obs, config):
    return best(obs.board, obs.mark, config.columns, config.rows)""",
    "kaggle: with a game": """
        def agent(obs, config):
            global seen
            if obs.step < 2:
                seen = []
            seen.append(obs.step)
            assert seen[-1] == seen[0] + 2 * (len(seen) - 1)
            return obs.board[:7].index(0)""",
    "sees": SIGHT + """
def agent(observation):
    return best(observation.board, observation.mark)""",
    "searches": """
        def value(p, depth):
            if p.is_over:
                return 0 if p.winner is None else -10 - depth
            if depth == 0:
                return 0
            return max(-value(p.play(c), depth - 1) for c in p.legal_columns)
        def agent(p):
            return max(p.legal_columns, key=lambda c: -value(p.play(c), 1))""",
    "plays out": """
        import random
        def result(p, side):
            while not p.is_over:
                p = p.play(random.choice(p.legal_columns))
            return 0.5 if p.winner is None else float(p.winner == side)
        def agent(p):
            values = {c: sum(result(p.play(c), p.turn) for _ in range(2)) for c in p.legal_columns}
            return max(values, key=values.get)""",
    "caches": """
        import functools
        @functools.lru_cache(1000)
        def chosen(p):
            return p.legal_columns[p.ply % len(p.legal_columns)]
        agent = chosen""",
    "prints": "def agent(p):\n    print(p)\n    return p.legal_columns[0]",
    "pool": """
        import concurrent.futures
        pool = concurrent.futures.ThreadPoolExecutor(2)
        def agent(p):
            return pool.submit(min, p.legal_columns).result()""",
    "main": """
        def my_bot(position):
            return position.legal_columns[0]
        def main():
            input()
        if __name__ == '__main__':
            main()""",
    "helpers": """
        def my_agent(obs, config):
            return free(obs.board)[0]
        def free(board):
            return [c for c in range(7) if board[c] == 0]""",
    "files": """
        from pathlib import Path
        data = Path(__file__).with_name('data.csv').read_text()
        def agent(p):
            return p.legal_columns[int(data)]""",
    "lambda": "agent = lambda position: position.legal_columns[0]",
    "column 6 first": "def agent(p):\n    return 6 if 6 in p.legal_columns else p.legal_columns[0]",
}  # fmt: skip


def checked(name: str, text: str, folder: Path, seed: int) -> CheckReport:
    """The report on a bot; the part of its name before a colon is its kind of spec."""
    (folder / "data.csv").write_text("0", encoding="utf-8")
    (folder / "bot.py").write_text(textwrap.dedent(text) + "\n", encoding="utf-8")
    kind = name.partition(":")[0]
    spec = f"{'kaggle:' * (kind == 'kaggle')}{folder / 'bot.py'}"
    geometry = Geometry(9, 7, 4) if kind == "9x7" else None
    is_slow = name.startswith(("loop", "slow"))
    limit = Limit(seconds=0.05) if is_slow else None
    return check_agent(spec, geometry=geometry, limit=limit, memory_limit_mb=300, seed=seed)


@pytest.mark.parametrize("name", FAULTY)
def test_no_bot_with_a_fault_passes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where files without a folder are found
    for seed in SEEDS or (list(FAULTY).index(name) % 10,):
        assert not checked(name, FAULTY[name], tmp_path, seed).is_fine, seed


@pytest.mark.parametrize("name", SOUND)
def test_no_sound_bot_is_accused(name: str, tmp_path: Path) -> None:
    for seed in SEEDS or (list(SOUND).index(name) % 10,):
        report = checked(name, SOUND[name], tmp_path, seed)
        assert report.is_fine, (report.failure, [fault.reason for fault in report.faults])


def test_there_are_enough() -> None:
    assert len(FAULTY) >= 40 and len(SOUND) >= 20
