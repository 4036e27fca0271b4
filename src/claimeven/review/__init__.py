"""Explanations of positions in sentences that the search has checked, and reviews of games."""

from claimeven.review.analysis import Analysis as Analysis
from claimeven.review.analysis import JudgedMove as JudgedMove
from claimeven.review.analysis import analyze as analyze
from claimeven.review.analysis import score_chart as score_chart
from claimeven.review.claims import Claim as Claim
from claimeven.review.explain import ColumnExplanation as ColumnExplanation
from claimeven.review.explain import Explanation as Explanation
from claimeven.review.explain import explain as explain
