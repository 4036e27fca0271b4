"""Explanations of positions in sentences that the search has checked, and reviews of games."""

from claimeven.review.analysis import Analysis, JudgedMove, analyze
from claimeven.review.chart import score_chart
from claimeven.review.claims import Claim
from claimeven.review.explain import ColumnExplanation, Explanation, explain

__all__ = [
    "Analysis",
    "Claim",
    "ColumnExplanation",
    "Explanation",
    "JudgedMove",
    "analyze",
    "explain",
    "score_chart",
]
