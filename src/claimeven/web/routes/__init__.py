"""The routes, one module a noun."""

from claimeven.web.routes import (
    agents,
    book,
    live,
    lund,
    play,
    positions,
    reviews,
    searches,
    solve,
    status,
)

#: Every router, in the order in which the API is listed.
ROUTERS = tuple(
    module.router
    for module in (
        positions, reviews, agents, searches, book, live, solve, play, lund, status
    )
)  # fmt: skip
