"""The twins of `intrinsics` in compiled code, as LLVM instructions.

`winning_four` and `line_of_four` process the four directions together, one in each lane of a
vector of four words; LLVM turns them into vector instructions of the machine. WebAssembly has no
vector shifts by several distances, so there it is one direction after the other. The others are
one instruction each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

from llvmlite import ir
from numba import extending
from numba.core import types

from claimeven.compiled import intrinsics

_I32 = ir.IntType(32)
_I64 = ir.IntType(64)
_LANES = ir.VectorType(_I64, 4)
_UNDEFINED = ir.Constant(_LANES, ir.Undefined)
_FALSE = ir.Constant(ir.IntType(1), 0)
_TO_READ, _KEEP, _DATA = _I32(0), _I32(3), _I32(1)

#: Whether the machine shifts the lanes of a vector by different distances.
use_vectors = True

#: Builds an operation: takes LLVM's builder and words, and returns the resulting word.
Build = Callable[..., Any]

_type_callable: Callable[..., Callable[[Build], Build]] = extending.type_callable
_lower_builtin: Callable[..., Callable[[Build], Build]] = extending.lower_builtin


def _of_words(function: Callable[..., Any]) -> Callable[[Build], Build]:
    """Replace calls of a function in kernels with the result of the decorated builder."""
    count = function.__code__.co_argcount
    typed = types.uint64(*[types.uint64] * count)
    typer: Any = (lambda word: typed) if count == 1 else (lambda discs, height: typed)
    _type_callable(function)(lambda context: typer)

    def decorate(build: Build) -> Build:
        @_lower_builtin(function, *typed.args)
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return build(builder, *arguments)

        return build

    return decorate


def in_every_lane(builder: Any, word: Any) -> Any:
    first = builder.insert_element(_UNDEFINED, word, _I32(0))
    lane_of_first = ir.Constant(ir.VectorType(_I32, 4), [0, 0, 0, 0])
    return builder.shuffle_vector(first, _UNDEFINED, lane_of_first)


def _steps(builder: Any, height: Any) -> Iterator[Any]:
    """Yield the shifts of one step up, right-down, right and right-up."""
    yield _I64(1)
    yield builder.sub(height, _I64(1))
    yield height
    yield builder.add(height, _I64(1))


def steps_in_lanes(builder: Any, height: Any) -> Any:
    """Return `_steps` as a vector."""
    steps = _UNDEFINED
    for lane, step in enumerate(_steps(builder, height)):
        steps = builder.insert_element(steps, step, _I32(lane))
    return steps


def any_lane(builder: Any, lanes: Any) -> Any:
    """Return the bitwise or of the lanes of a vector."""
    function = builder.module.declare_intrinsic(
        "llvm.vector.reduce.or.v4i64", (), fnty=ir.FunctionType(_I64, [_LANES])
    )
    return builder.call(function, [lanes])


def _along_any(builder: Any, discs: Any, height: Any, along: Build) -> Any:
    """Return the bitwise or of `along(builder, discs, step)` for the four directions."""
    if not use_vectors:
        return reduce(
            builder.or_, [along(builder, discs, each) for each in _steps(builder, height)]
        )
    lanes, steps = in_every_lane(builder, discs), steps_in_lanes(builder, height)
    return any_lane(builder, along(builder, lanes, steps))


def wins_along(builder: Any, discs: Any, steps: Any) -> Any:
    """Return the cells that complete a line of four along a step, or along each one of a vector."""
    up1 = builder.shl(discs, steps)
    up2 = builder.shl(up1, steps)
    up3 = builder.shl(up2, steps)
    down1 = builder.lshr(discs, steps)
    down2 = builder.lshr(down1, steps)
    down3 = builder.lshr(down2, steps)
    two_before = builder.and_(up1, up2)
    two_after = builder.and_(down1, down2)
    return builder.or_(
        builder.and_(two_before, builder.or_(up3, down1)),
        builder.and_(two_after, builder.or_(down3, up1)),
    )


def lines_along(builder: Any, discs: Any, steps: Any) -> Any:
    """Return the first cells of lines of four along a step, or along each one of a vector."""
    pairs = builder.and_(discs, builder.lshr(discs, steps))
    return builder.and_(pairs, builder.lshr(builder.lshr(pairs, steps), steps))


@_of_words(intrinsics.winning_four)
def _winning_four(builder: Any, discs: Any, height: Any) -> Any:
    return _along_any(builder, discs, height, wins_along)


@_of_words(intrinsics.line_of_four)
def _line_of_four(builder: Any, discs: Any, height: Any) -> Any:
    return _along_any(builder, discs, height, lines_along)


@_of_words(intrinsics.as_word)
def _as_word(builder: Any, word: Any) -> Any:
    return word


@_of_words(intrinsics.bits_of)
def _bits_of(builder: Any, word: Any) -> Any:
    return _I64(_I64.width)


@_of_words(intrinsics.folded)
def _folded(builder: Any, word: Any) -> Any:
    return word


@_of_words(intrinsics.popcount)
def _popcount(builder: Any, word: Any) -> Any:
    return builder.ctpop(word)


@_of_words(intrinsics.trailing_zeros)
def _trailing_zeros(builder: Any, word: Any) -> Any:
    return builder.cttz(word, _FALSE)


@_of_words(intrinsics.leading_zeros)
def _leading_zeros(builder: Any, word: Any) -> Any:
    return builder.ctlz(word, _FALSE)


@_type_callable(intrinsics.prefetch)
def _type_of_prefetch(context: Any) -> Any:
    def typer(words: Any, index: Any) -> Any:
        return types.void(words, types.uint64)

    return typer


@_lower_builtin(intrinsics.prefetch, types.Array, types.uint64)
def _prefetch(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    pointer_type = ir.IntType(8).as_pointer()
    address = builder.bitcast(builder.gep(array.data, [arguments[1]]), pointer_type)
    function = builder.module.declare_intrinsic(
        "llvm.prefetch",
        [pointer_type],
        fnty=ir.FunctionType(ir.VoidType(), [pointer_type, _I32, _I32, _I32]),
    )
    builder.call(function, [address, _TO_READ, _KEEP, _DATA])
    return context.get_dummy_value()
