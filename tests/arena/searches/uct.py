"""UCT with a class of nodes, untried columns taken from the end, results from 0 to 1."""

import math


class Node:
    def __init__(self, position, parent=None, column=None):
        self.position, self.parent, self.column = position, parent, column
        self.children, self.wins, self.visits = [], 0.0, 0
        self.untried = [] if position.is_over else list(position.legal_columns)

    def score(self, c):
        mean = self.wins / self.visits
        return mean + c / 2 * math.sqrt(math.log(self.parent.visits) / self.visits)


def uct(position, iterations, playout, c):
    root = Node(position)
    for _ in range(iterations):
        node = root
        while not node.untried and node.children:
            node = max(node.children, key=lambda child: child.score(c))
        if node.untried:
            column = node.untried.pop()
            child = Node(node.position.play(column), node, column)
            node.children.append(child)
            node = child
        result = (1 - playout(node.position)) / 2  # for the player that moved there
        while node is not None:
            node.visits += 1
            node.wins += result
            result = 1 - result
            node = node.parent
    best = max(root.children, key=lambda child: child.visits)
    return best.wins / best.visits, best.column
