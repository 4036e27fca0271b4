"""Types of the arguments and results of kernels, for readers and for Numba.

For a type checker these are `Any`, because compiled and Python numbers mix. Signatures of kernels
are written as in Numba, `int64(uint64[::1], int64)`, and become Numba types when the kernel is
compiled, because importing Numba takes long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

__all__ = [
    "Int",
    "Ints",
    "Signature",
    "Type",
    "Word",
    "Words",
    "boolean",
    "float32",
    "float64",
    "int32",
    "int64",
    "named_tuple",
    "numba_signature",
    "read_only",
    "uint8",
    "uint64",
    "void",
]

Word: TypeAlias = Any  #: an unsigned 64-bit integer
Int: TypeAlias = Any  #: a signed 64-bit integer
Words: TypeAlias = Any  #: an array of uint64
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
int32: Type = _named("int32")
int64: Type = _named("int64")
uint8: Type = _named("uint8")
uint64: Type = _named("uint64")
void: Type = _named("void")


def read_only(array: Type) -> Type:
    """Return the type of arrays that are only read, and may be read-only."""
    return Type(lambda: array.numba().copy(readonly=True))


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
