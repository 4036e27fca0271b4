"""Notebooks: a board to play on in a cell, linked to Python.

It needs anywidget, the extra `notebook`. The board is the board of the page: its modules are made
one (`bundle`) for the browser, so no server runs and no file is fetched. Positions, games and
results show themselves in notebooks without any of this.
"""

from claimeven import lazy

__getattr__, __dir__, __all__ = lazy.offer(__name__)
