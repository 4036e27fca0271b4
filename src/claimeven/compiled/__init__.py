"""Compiled code: how kernels are made, kept on disk, and what they share with each other."""

from claimeven.compiled.intrinsics import (
    leading_zeros,
    line_of_four,
    popcount,
    prefetch,
    trailing_zeros,
    winning_four,
)
from claimeven.compiled.kernels import Kernel, inlined, kernel, load, when_compiling
from claimeven.compiled.types import Int, Ints, Word, Words

__all__ = [
    "Int",
    "Ints",
    "Kernel",
    "Word",
    "Words",
    "inlined",
    "kernel",
    "leading_zeros",
    "line_of_four",
    "load",
    "popcount",
    "prefetch",
    "trailing_zeros",
    "when_compiling",
    "winning_four",
]
