"""What kernels take and return, for the reader of a signature.

Numba gives the real types; to a type checker they are anything, since compiled and plain Python
numbers mix at the border.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from numba import float64, int32, int64, types, uint64

__all__ = [
    "Int",
    "Ints",
    "Word",
    "Words",
    "float64",
    "int32",
    "int64",
    "named_tuple",
    "uint64",
]

Word: TypeAlias = Any  #: an unsigned 64-bit integer
Int: TypeAlias = Any  #: a signed 64-bit integer
Words: TypeAlias = Any  #: an array of uint64
Ints: TypeAlias = Any  #: an array of int64


def named_tuple(kind: Any, *fields: Any) -> Any:
    """Return the type, in the signature of a kernel, of a NamedTuple: arrays that belong together.

    `fields` are the types of its fields in order, as in `int64[::1]`, a contiguous array. Such a
    signature is written with these types instead of as text: `int64(RUN, int64)`.
    """
    made: Any = types.NamedTuple
    return made(fields, kind)
