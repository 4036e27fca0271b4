"""Machine operations of kernels that Numba has no name for.

`winning_four` and `line_of_four` work on the four directions at once, one in each lane of a
vector of four words; LLVM turns them into whatever vector instructions the machine has. With
`NUMBA_DISABLE_JIT=1` each is the plain Python function of the same meaning.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from claimeven.compiled.kernels import PLAIN
from claimeven.compiled.types import Int, Word, Words

_I32 = ir.IntType(32)
_I64 = ir.IntType(64)
_LANES = ir.VectorType(_I64, 4)
_UNDEFINED = ir.Constant(_LANES, ir.Undefined)
_TO_READ, _KEEP, _DATA = _I32(0), _I32(3), _I32(1)


def _in_every_lane(builder: Any, word: Any) -> Any:
    first = builder.insert_element(_UNDEFINED, word, _I32(0))
    lane_of_first = ir.Constant(ir.VectorType(_I32, 4), [0, 0, 0, 0])
    return builder.shuffle_vector(first, _UNDEFINED, lane_of_first)


def _steps(builder: Any, height: Any) -> Any:
    """Return the shifts of one step up, right-down, right and right-up as a vector."""
    steps = ir.Constant(_LANES, [1, 0, 0, 0])
    steps = builder.insert_element(steps, builder.sub(height, _I64(1)), _I32(1))
    steps = builder.insert_element(steps, height, _I32(2))
    return builder.insert_element(steps, builder.add(height, _I64(1)), _I32(3))


def _any_lane(builder: Any, lanes: Any) -> Any:
    """Return the bitwise or of the four lanes."""
    function = builder.module.declare_intrinsic(
        "llvm.vector.reduce.or.v4i64", (), fnty=ir.FunctionType(_I64, [_LANES])
    )
    return builder.call(function, [lanes])


@intrinsic
def _winning_four(typing_context: Any, discs: Any, height: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = _in_every_lane(builder, arguments[0])
        steps = _steps(builder, arguments[1])
        up1 = builder.shl(lanes, steps)
        up2 = builder.shl(up1, steps)
        up3 = builder.shl(up2, steps)
        down1 = builder.lshr(lanes, steps)
        down2 = builder.lshr(down1, steps)
        down3 = builder.lshr(down2, steps)
        two_before = builder.and_(up1, up2)
        two_after = builder.and_(down1, down2)
        found = builder.or_(
            builder.and_(two_before, builder.or_(up3, down1)),
            builder.and_(two_after, builder.or_(down3, up1)),
        )
        return _any_lane(builder, found)

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic
def _line_of_four(typing_context: Any, discs: Any, height: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = _in_every_lane(builder, arguments[0])
        steps = _steps(builder, arguments[1])
        pairs = builder.and_(lanes, builder.lshr(lanes, steps))
        second_pairs = builder.lshr(builder.lshr(pairs, steps), steps)
        return _any_lane(builder, builder.and_(pairs, second_pairs))

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic
def _popcount(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def _trailing_zeros(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


@intrinsic
def _leading_zeros(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


@intrinsic
def _prefetch(typing_context: Any, words: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
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

    return types.void(words, types.uint64), generate


def _plain_winning_four(discs: Word, height: Word) -> Word:
    found = discs ^ discs
    for step in (height // height, height - height // height, height, height + height // height):
        up1, down1 = discs << step, discs >> step
        up2, down2 = up1 << step, down1 >> step
        found |= up1 & up2 & ((up2 << step) | down1) | down1 & down2 & ((down2 >> step) | up1)
    return found


def _plain_line_of_four(discs: Word, height: Word) -> Word:
    found = discs ^ discs
    for step in (height // height, height - height // height, height, height + height // height):
        pairs = discs & (discs >> step)
        found |= pairs & ((pairs >> step) >> step)
    return found


def _plain_popcount(word: Word) -> int:
    return int(word).bit_count()


def _plain_trailing_zeros(word: Word) -> int:
    value = int(word)
    return (value & -value).bit_length() - 1 if value else 64


def _plain_leading_zeros(word: Word) -> Int:
    return 64 - int(word).bit_length()


def _plain_prefetch(words: Words, index: Word) -> None:
    return None


#: Cells that would complete a line of four with `discs`, cells off the board and taken cells
#: included: (discs, height) -> word, `height` being the bits a column takes.
winning_four: Any = _plain_winning_four if PLAIN else _winning_four
#: Not zero when `discs` hold a line of four: (discs, height) -> word.
line_of_four: Any = _plain_line_of_four if PLAIN else _line_of_four
#: Number of zero bits above the highest set bit of a uint64, 64 for zero.
leading_zeros: Any = _plain_leading_zeros if PLAIN else _leading_zeros
#: Ask the machine to have words[index] at hand soon: (words, index) -> None. Changes no result.
prefetch: Any = _plain_prefetch if PLAIN else _prefetch
#: The number of bits set in a uint64 (one machine instruction inside kernels).
popcount: Any = _plain_popcount if PLAIN else _popcount
#: The index of the lowest set bit of a uint64, 64 for zero (one instruction inside kernels).
trailing_zeros: Any = _plain_trailing_zeros if PLAIN else _trailing_zeros
