"""Compiled code: how kernels are made, kept on disk, and what they share with each other."""

from claimeven.compiled.intrinsics import (
    leading_zeros,
    line_of_four,
    popcount,
    prefetch,
    trailing_zeros,
    winning_four,
)
from claimeven.compiled.kernels import Kernel, inlined, kernel, load, prepared, when_compiling
from claimeven.compiled.types import (
    Int,
    Ints,
    Word,
    Words,
    boolean,
    float32,
    float64,
    int32,
    int64,
    named_tuple,
    uint8,
    uint64,
    void,
)

__all__ = [
    "Int",
    "Ints",
    "Kernel",
    "Word",
    "Words",
    "boolean",
    "float32",
    "float64",
    "inlined",
    "int32",
    "int64",
    "kernel",
    "leading_zeros",
    "line_of_four",
    "load",
    "named_tuple",
    "popcount",
    "prefetch",
    "prepared",
    "trailing_zeros",
    "uint8",
    "uint64",
    "void",
    "when_compiling",
    "winning_four",
]
