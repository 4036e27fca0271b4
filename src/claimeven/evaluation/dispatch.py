"""The compiled evaluations behind one function, for kernels."""

from __future__ import annotations

from claimeven.compiled import Int, Ints, Word, Words, inlined
from claimeven.evaluation.registry import SEQUENCES, STREAKS, WINDOWS
from claimeven.evaluation.sequences import sequences_kernel
from claimeven.evaluation.streaks import streaks_kernel
from claimeven.evaluation.triples import triples_kernel
from claimeven.evaluation.windows import windows_kernel


@inlined
def evaluate_discs(which: Int, mine: Word, mask: Word, words: Words, weights: Ints) -> Int:
    """Evaluate for the side to move, which owns `mine`; `which` is an `Evaluation.kernel`."""
    if which == WINDOWS:
        return windows_kernel(mine, mask, words, weights)
    if which == SEQUENCES:
        return sequences_kernel(mine, mask, words)
    if which == STREAKS:
        return streaks_kernel(mine, mask, words, weights)
    return triples_kernel(mine, mask, words)
