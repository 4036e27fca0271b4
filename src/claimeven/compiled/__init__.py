"""Compiled code: making kernels, storing them on disk, and operations that they share."""

from claimeven.compiled.decorators import (
    MAX_BITS,
    Kernel,
    for_bits,
    inlined,
    kernel,
    load,
    prepared,
    when_compiling,
)
from claimeven.compiled.intrinsics import (
    bits_of,
    folded,
    leading_zeros,
    line_of_four,
    popcount,
    prefetch,
    trailing_zeros,
    winning_four,
)
from claimeven.compiled.types import (
    Int,
    Ints,
    Word,
    Words,
    bits64,
    boolean,
    float32,
    float64,
    int32,
    int64,
    named_tuple,
    read_only,
    uint8,
    uint64,
    void,
)

#: Whether kernels record their steps: only in modules for the page, see `webassembly`. Compiled
#: kernels have no trace of it otherwise.
RECORDING = False

__all__ = [
    "MAX_BITS",
    "RECORDING",
    "Int",
    "Ints",
    "Kernel",
    "Word",
    "Words",
    "bits64",
    "bits_of",
    "boolean",
    "float32",
    "float64",
    "folded",
    "for_bits",
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
    "read_only",
    "trailing_zeros",
    "uint8",
    "uint64",
    "void",
    "when_compiling",
    "winning_four",
]
