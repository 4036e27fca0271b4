"""What kernels take and return, for the reader of a signature.

Numba gives the real types; to a type checker they are anything, since compiled and plain Python
numbers mix at the border.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Word: TypeAlias = Any  #: an unsigned 64-bit integer
Int: TypeAlias = Any  #: a signed 64-bit integer
Words: TypeAlias = Any  #: an array of uint64
Ints: TypeAlias = Any  #: an array of int64
