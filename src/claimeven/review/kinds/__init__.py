"""Every kind of claim, each a class that says what it claims and whether that is true."""

from claimeven.review.claims import Claim
from claimeven.review.kinds.disc_claims import (
    Blocks,
    Closed,
    Denies,
    Ignores,
    Makes,
    Misses,
    Opens,
    Spoils,
    Wins,
)
from claimeven.review.kinds.score_claims import Best, BestPlay, Only, Reply, Standing, Verdict
from claimeven.review.kinds.win_claims import Double, FollowUp, Forces, Stack, Stops, Zugzwang

#: The kinds by name.
KINDS: dict[str, type[Claim]] = {
    each.kind: each
    for each in (
        Standing, Best, Verdict, Only, Wins, Blocks, Ignores, Opens, Misses, Denies, Double, Stack,
        Forces, Makes, Zugzwang, Closed, Spoils, FollowUp, Reply, BestPlay, Stops,
    )
}  # fmt: skip

__all__ = [
    "KINDS", "Best", "BestPlay", "Blocks", "Closed", "Denies", "Double", "FollowUp", "Forces",
    "Ignores", "Makes", "Misses", "Only", "Opens", "Reply", "Spoils", "Stack", "Standing", "Stops",
    "Verdict", "Wins", "Zugzwang",
]  # fmt: skip
