"""Types of the arguments and results of kernels, for readers and for Numba.

For a type checker these are `Any`, because compiled and Python numbers mix. Signatures of kernels
are written as in Numba, `int64(uint64[::1], int64)`, and become Numba types when the kernel is
compiled, because importing Numba takes long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

Word: TypeAlias = Any  #: an unsigned integer of 64 bits, or of 128 bits in wide kernels
Int: TypeAlias = Any  #: a signed 64-bit integer
Words: TypeAlias = Any  #: an array of words
Ints: TypeAlias = Any  #: an array of int64


class Type:
    """A type as written: `int64[::1]` is a contiguous array, `int64(Type, ...)` a signature.

    `numba()` returns the type of Numba.
    """

    def __init__(self, numba: Callable[[], Any]) -> None:
        self.numba = numba

    def __getitem__(self, layout: Any) -> Type:
        """Return the type of arrays of this type."""
        return Type(lambda: self.numba()[layout])

    def __call__(self, *arguments: Type) -> Type:
        """Return the signature of a function that returns this type."""
        return Type(lambda: self.numba()(*(argument.numba() for argument in arguments)))


#: A signature in the types below, or as a text that Numba reads: "int64(uint64[::1], int64)".
Signature: TypeAlias = Type | str


#: Boards of this many bits or fewer have words of 64 bits.
narrow_bits = 64


def is_narrow(bits: int) -> bool:
    """Whether the words of a board of `bits` bits have 64 bits."""
    return bits <= narrow_bits


#: The type of Numba of wide words while a kernel for them is compiled or loaded, otherwise None.
_wide: Any = None


def is_wide() -> bool:
    """Whether a kernel for wide words is being compiled or loaded."""
    return _wide is not None


@contextmanager
def words_as(wide: Any) -> Iterator[None]:
    """Let `uint64` in the signatures of kernels be a type of Numba; `bits64` stays."""
    global _wide  # noqa: PLW0603 - kernels are compiled one at a time
    before, _wide = _wide, wide
    try:
        yield
    finally:
        _wide = before


def numba_signature(signature: Signature) -> Any:
    """Return a signature as a type of Numba."""
    return signature.numba() if isinstance(signature, Type) else signature


def _named(name: str) -> Type:
    def numba() -> Any:
        from numba.core import types  # noqa: PLC0415 - see above

        return getattr(types, name)

    return Type(numba)


boolean: Type = _named("boolean")
float32: Type = _named("float32")
float64: Type = _named("float64")
int8: Type = _named("int8")
int32: Type = _named("int32")
int64: Type = _named("int64")
uint8: Type = _named("uint8")
uint16: Type = _named("uint16")
bits64: Type = _named("uint64")
uint64: Type = Type(lambda: bits64.numba() if _wide is None else _wide)
void: Type = _named("void")


def read_only(array: Type) -> Type:
    """Return the type of arrays that are only read, and may be read-only."""
    return Type(lambda: array.numba().copy(readonly=True))


def tuple_of(*fields: Type) -> Type:
    """Return the type of tuples with fields of these types in order."""

    def numba() -> Any:
        from numba.core import types  # noqa: PLC0415 - see above

        made: Any = types.Tuple
        return made([field.numba() for field in fields])

    return Type(numba)


def named_tuple(kind: Any, *fields: Type) -> Type:
    """Return the type of a NamedTuple: arrays that belong together.

    `fields` are the types of its fields in order.
    """

    def numba() -> Any:
        from numba.core import types  # noqa: PLC0415 - see above

        found = [field.numba() for field in fields]
        alike: Any = types.NamedUniTuple
        made: Any = types.NamedTuple
        if all(each == found[0] for each in found):
            return alike(found[0], len(found), kind)
        return made(found, kind)

    return Type(numba)
