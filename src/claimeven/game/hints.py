"""Hints for attributes that a position does not have, by their names in other programs."""

from __future__ import annotations

from collections.abc import Iterable

from claimeven.suggestions import did_you_mean

_CELLS = "its cells are cell(column, row), rows and to_array(), and encodings.to_kaggle(position)"
#: The attributes of a position, with their names in other programs.
_HINTS = {
    _CELLS: "board grid cells state array matrix bitboard",
    "legal_columns": "legal_moves valid_moves legal_actions valid_actions actions moves_left"
    " available_moves possible_moves get_legal_moves get_valid_moves legal",
    "play(column), which returns a new position": "move push drop make_move do_move step apply"
    " apply_action place put",
    "GameLine, which has undo and redo": "pop undo take_back unmake_move history moves move_stack",
    "turn (0 or 1)": "player current_player to_move mark side side_to_move current_turn",
    "is_over": "is_terminal terminal game_over is_game_over done finished is_finished ended",
    "winner and outcome": "result get_winner is_win is_won reward score",
    "ply": "move_count num_moves count step_count n_moves",
    "geometry, with columns, rows and connect": "columns cols width height connect inarow size",
    "no need for copies: a position never changes": "copy clone deepcopy",
}


def hint_for(name: str, names_there: Iterable[str]) -> str:
    """Return a hint for an attribute that a position does not have, "" without one.

    >>> hint_for("legal_moves", ())
    ': there is legal_columns'
    """
    plain = name.lower()
    for there, names in _HINTS.items():
        if plain in names.split():
            return f": there is {there}" if there != _CELLS else f": {there}"
    if plain.startswith(("to_", "from_")):
        return ": claimeven.encodings has functions such as to_kaggle"
    if name.startswith("_"):
        return ""
    return did_you_mean(name, [each for each in names_there if not each.startswith("_")])
