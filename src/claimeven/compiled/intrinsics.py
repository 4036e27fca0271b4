"""Machine operations of kernels that are missing in Numba.

These are the Python versions, which run outside kernels and with `NUMBA_DISABLE_JIT=1`. Their
replacements in kernels are in `intrinsics_llvm`.
"""

from __future__ import annotations

from claimeven.compiled.types import Int, Word, Words


def winning_four(discs: Word, height: Word) -> Word:
    """Return the cells that would complete a line of four with `discs`.

    They include cells off the board and taken cells; `height` is the number of bits per column.
    """
    found = discs ^ discs
    for step in (height // height, height - height // height, height, height + height // height):
        up1, down1 = discs << step, discs >> step
        up2, down2 = up1 << step, down1 >> step
        found |= up1 & up2 & ((up2 << step) | down1) | down1 & down2 & ((down2 >> step) | up1)
    return found


def line_of_four(discs: Word, height: Word) -> Word:
    """Return a word that is not zero if `discs` include a line of four."""
    found = discs ^ discs
    for step in (height // height, height - height // height, height, height + height // height):
        pairs = discs & (discs >> step)
        found |= pairs & ((pairs >> step) >> step)
    return found


def as_word(number: Int) -> Word:
    """Return an argument of a kernel as a word, which it already is in a compiled one."""
    import numpy as np  # noqa: PLC0415 - takes long to import

    return np.uint64(number)


def bits_of(word: Word) -> Word:
    """Return the number of bits of a word, whatever its value."""
    return 64


def folded(word: Word) -> Word:
    """Return a word as 64 bits: of a wide one, the exclusive or of its halves."""
    return word


def popcount(word: Word) -> Int:
    """Return the number of bits set in a uint64."""
    return int(word).bit_count()


def trailing_zeros(word: Word) -> Int:
    """Return the index of the lowest set bit of a uint64, 64 for zero."""
    value = int(word)
    return (value & -value).bit_length() - 1 if value else 64


def leading_zeros(word: Word) -> Int:
    """Return the number of zero bits above the highest set bit of a uint64, 64 for zero."""
    return 64 - int(word).bit_length()


def prefetch(words: Words, index: Word) -> None:
    """Load words[index] into the processor cache ahead of its use."""
