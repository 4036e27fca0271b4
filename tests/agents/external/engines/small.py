"""A small engine of another make: it speaks UGI and knows the rules by itself.

It wins and blocks if it can and drops its discs near the center otherwise. By its arguments it
fails in a chosen way when it is to move in a position with a given number of discs.
"""

import os
import random
import sys
import time

COLUMNS, ROWS = 7, 6
LETTERS = "abcdefg"


def lines():
    for column in range(COLUMNS):
        for row in range(ROWS):
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                cells = [(column + right * step, row + up * step) for step in range(4)]
                if all(0 <= c < COLUMNS and 0 <= r < ROWS for c, r in cells):
                    yield cells


LINES = list(lines())


class Board:
    def __init__(self):
        self.stacks = [[] for _ in range(COLUMNS)]
        self.turn = 0

    def play(self, column):
        self.stacks[column].append(self.turn)
        self.turn = 1 - self.turn

    def undo(self, column):
        self.stacks[column].pop()
        self.turn = 1 - self.turn

    def cell(self, column, row):
        return self.stacks[column][row] if row < len(self.stacks[column]) else None

    def has_won(self, player):
        return any(all(self.cell(c, r) == player for c, r in cells) for cells in LINES)

    def legal(self):
        return [column for column in range(COLUMNS) if len(self.stacks[column]) < ROWS]


def choose(board, rng):
    legal = board.legal()
    for player in (board.turn, 1 - board.turn):
        for column in legal:
            board.stacks[column].append(player)
            won = board.has_won(player)
            board.stacks[column].pop()
            if won:
                return column
    rng.shuffle(legal)
    return min(legal, key=lambda column: abs(column - 3))


def result(board):
    for player in (0, 1):
        if board.has_won(player):
            return f"p{player + 1}win"
    return "none" if board.legal() else "draw"


def fail(how):
    if how == "stall":
        time.sleep(600)
    if how == "late":
        time.sleep(0.7)
    if how == "die":
        os._exit(3)
    if how == "garbage":
        while True:
            print("gar\x1b[2Jbage \xe4 what is this", flush=True)
            time.sleep(0.001)
    if how == "flood":
        while True:
            sys.stdout.write("x" * 4096)
    if how == "shout":
        sys.stderr.write("loud " * 50_000)
        sys.stderr.flush()
    return {"full": LETTERS[0], "off": "k", "word": "seven", "nothing": ""}.get(how)


def main():
    arguments = sys.argv[1:]
    letters = "--digits" not in arguments
    how, when = "", -1
    if "--fail" in arguments:
        place = arguments.index("--fail")
        how, when = arguments[place + 1], int(arguments[place + 2])
    rng, board = random.Random(0), Board()
    if how == "mute":
        time.sleep(600)
    print("a banner that no protocol knows of", flush=True)
    for line in sys.stdin:
        words = line.split()
        if words == ["ugi"]:
            print("id name Small 1.0\nid author nobody")
            print("option name Seed type spin default 0 min 0 max 2147483647\nugiok", flush=True)
        elif words == ["isready"]:
            print("readyok", flush=True)
        elif words[:3] == ["setoption", "name", "Seed"]:
            rng = random.Random(int(words[4]))
        elif words[:2] == ["position", "startpos"]:
            board = Board()
            for move in words[3:]:
                board.play(LETTERS.index(move) if letters else int(move) - 1)
        elif words[:1] == ["query"]:
            output = {"p1turn": board.turn == 0, "gameover": result(board) != "none"}
            said = output.get(words[1], result(board))
            print(f"response {said if isinstance(said, str) else str(said).lower()}", flush=True)
        elif words[:1] == ["go"]:
            discs = sum(map(len, board.stacks))
            column = choose(board, rng)
            name = LETTERS[column] if letters else str(column + 1)
            if discs >= when >= 0:
                output = fail(how)
                name = name if output is None else output
            print(f"info depth 1 nodes 14 score cp 0 pv {name}\ninfo string all is well")
            print(f"bestmove {name}", flush=True)
        elif words == ["quit"]:
            return


if __name__ == "__main__":
    main()
