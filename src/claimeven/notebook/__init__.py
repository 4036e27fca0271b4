"""Notebooks: a board to play on in a cell, linked to Python.

It needs anywidget, the extra `notebook`. The board is the board of the page: its modules are made
one (`bundle`) for the browser, so no server runs and no file is fetched. Positions, games and
results show themselves in notebooks without any of this.
"""

from typing import TYPE_CHECKING

from claimeven import lazy

if TYPE_CHECKING:
    from claimeven.notebook.widget import BoardWidget

__all__ = ["BoardWidget"]

_HOMES = {"widget": "BoardWidget"}
__getattr__, __dir__ = lazy.offer(__name__, _HOMES)
