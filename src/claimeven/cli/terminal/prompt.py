"""What a person types in a game: a column, or a word such as `hint`."""

from __future__ import annotations

from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_choices, column_name, parse_column
from claimeven.suggestions import did_you_mean

UNDO, REDO, HINT, NEW, QUIT, HELP = WORDS = ("undo", "redo", "hint", "new", "quit", "help")
_MEANINGS = {
    UNDO: "take your last move back",
    REDO: "play it again",
    HINT: "what is best here",
    NEW: "another game, seats swapped",
    QUIT: "leave",
    HELP: "this help",
}
#: Other ways to type a word. A letter that names a column of the board is that column.
_SHORT = {
    "u": UNDO, "r": REDO, "h": HINT, "n": NEW, "rematch": NEW, "q": QUIT, "exit": QUIT, "?": HELP,
}  # fmt: skip


def read_typed(text: str, geometry: Geometry) -> int | str:
    """Return the 0-based column that a text names, or one of `WORDS`.

    Raises `ClaimevenError` for a text that is neither.

    >>> read_typed("4", Geometry()), read_typed("h", Geometry()), read_typed("h", Geometry(10, 6))
    (3, 'hint', 7)
    """
    typed = text.strip().lower()
    if typed in _column_names(geometry):
        return parse_column(typed, geometry)
    word = _SHORT.get(typed, typed)
    if word in WORDS:
        return word
    try:
        return parse_column(typed, geometry)
    except ClaimevenError as error:
        raise ClaimevenError(f"{error}, or type help{did_you_mean(typed, WORDS)}") from None


def help_text(geometry: Geometry) -> str:
    """Return the columns and words that can be typed, with their letters where they are free."""
    taken = _column_names(geometry)
    lines = [f"  {column_choices(geometry):<10} drop a disc in that column"]
    for word in WORDS:
        short = next((s for s, whole in _SHORT.items() if whole == word and len(s) == 1), "")
        name = f"{word}, {short}" if short and short not in taken else word
        lines.append(f"  {name:<10} {_MEANINGS[word]}")
    return "\n".join(lines)


def _column_names(geometry: Geometry) -> set[str]:
    return {column_name(column, geometry) for column in range(geometry.columns)}
