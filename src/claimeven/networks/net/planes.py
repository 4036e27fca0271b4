"""The planes of features, in their order: a number for each cell of a board.

| plane                        | 1, or the number, where a cell ...                            |
|------------------------------|---------------------------------------------------------------|
| mine, theirs                 | has a disc of the side to move, of the other side             |
| playable, above playable     | takes the next disc of its column, the one after              |
| my threat, first or second   | would complete a line of the side to move; one plane if that  |
|                              | is the first player, another if it is the second              |
| their threat, first, second  | would complete a line of the other side; by the side to move  |
| under my, their threat       | is empty and lies directly under such a cell                  |
| my, their near lines         | is empty and lies on a line of that side that lacks two discs |
| the same, twice              | is empty and lies on two or more such lines                   |
| my, their far lines          | is empty and lies on such lines that lack three: how many, up |
|                              | to 4                                                          |

A line is of a side that has discs in it where the other has none. A plane of the other side follows
that of the side to move.

Who has to give way when nothing harmless is left is a matter of counting: a column's **quiet**
cells are the empty ones below its lowest threat, all empty ones where there is none; so a column
has those below my threats, below theirs, and below any. A column has the numbers

| number                      | 1 where                                                |
|-----------------------------|--------------------------------------------------------|
| odd below my, their, any    | quiet cells of this kind are odd in number             |
| shut, all but shut          | none is below any threat, or one                       |

and the whole board has: who is to move (0 the first player, 1 the second); whether the quiet cells
of all columns are odd in number, below my, their and any threats; and how many columns are shut.
"""

from __future__ import annotations

from typing import Final

MINE: Final = 0
THEIRS: Final = 1
PLAYABLE: Final = 2
ABOVE_PLAYABLE: Final = 3
#: Four planes: mine with the first player to move, mine with the second, theirs likewise.
MY_THREAT_FIRST: Final = 4
UNDER_MY_THREAT: Final = 8
MY_LINES_NEAR: Final = 10
MY_LINES_NEAR_TWICE: Final = 12
MY_LINES_FAR: Final = 14
PLANES: Final = 16

ODD_BELOW: Final = 0
SHUT: Final = 3
ALL_BUT_SHUT: Final = 4
#: Numbers a column has.
COLUMN_NUMBERS: Final = 5

TO_MOVE: Final = 0
ALL_ODD_BELOW: Final = 1
ALL_SHUT: Final = 4
#: Numbers the whole board has.
BOARD_NUMBERS: Final = 5

#: What a cell is in the state of a line: empty and out of reach, mine, theirs, playable.
STATES: Final = 4
#: The cells of a column, from the lowest, that its state is made of.
SEEN_CELLS: Final = 4
#: The most far lines that are counted.
MOST_LINES: Final = 4
