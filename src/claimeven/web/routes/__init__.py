"""The routes, one module a noun."""

from claimeven.web.routes import (
    agents,
    book,
    live,
    lund,
    play,
    positions,
    puzzles,
    records,
    reviews,
    searches,
    solve,
    status,
)

#: Every router, in the order in which the API is listed.
ROUTERS = tuple(
    module.router
    for module in (
        positions, reviews, records, agents, searches, book, puzzles, live, solve, play, lund,
        status,
    )
)  # fmt: skip
