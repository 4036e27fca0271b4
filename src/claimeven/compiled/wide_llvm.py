"""The type of 128-bit words in kernels: an integer of LLVM, with the operators of a uint64.

An operand of another integer type becomes a wide word first, so that the source of a kernel is the
same for both widths. `np.int64` and `np.uint64` take the lowest 64 bits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir
from numba.core import types
from numba.core.imputils import lower_builtin, lower_cast, lower_constant
from numba.core.typeconv.castgraph import Conversion
from numba.core.typing.builtins import NumberClassAttribute
from numba.core.typing.templates import (
    AbstractTemplate,
    infer_global,
    make_callable_template,
    signature,
)
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

from claimeven.compiled import intrinsics, intrinsics_llvm
from claimeven.compiled.wide import Wide, WideWords

#: Builds an operation of LLVM.
Build = Callable[..., Any]

_lower: Callable[..., Callable[[Build], Build]] = lower_builtin
_cast: Callable[..., Callable[[Build], Build]] = lower_cast
_lower_constant: Callable[..., Callable[[Build], Build]] = lower_constant
_unboxed: Callable[..., Callable[[Build], Build]] = unbox
_infer: Any = infer_global
_signature: Any = signature
_template: Any = make_callable_template
_class_calls: Any = NumberClassAttribute

_I64, _I128 = ir.IntType(64), ir.IntType(128)
_NOT_POISON: Final = ir.Constant(ir.IntType(1), 0)

#: The operators of two wide words, by the name of LLVM's instruction.
_ARITHMETIC: Final = {
    "and_": (operator.and_, operator.iand),
    "or_": (operator.or_, operator.ior),
    "xor": (operator.xor, operator.ixor),
    "add": (operator.add, operator.iadd),
    "sub": (operator.sub, operator.isub),
    "mul": (operator.mul, operator.imul),
    "shl": (operator.lshift, operator.ilshift),
    "lshr": (operator.rshift, operator.irshift),
    "udiv": (operator.floordiv, operator.ifloordiv),
}
_COMPARISONS: Final = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class WideType(types.Type):
    """The type of 128-bit words without sign."""

    def __init__(self) -> None:
        prepare: Any = super().__init__
        prepare(name="wide")

    def can_convert_from(self, context: Any, other: Any) -> Any:
        """Accept all integers: they keep their value, negative ones modulo 2**128."""
        return Conversion.promote if isinstance(other, types.Integer) else None

    def unify(self, context: Any, other: Any) -> Any:
        """Return this type for a variable that is a wide word or an integer."""
        return self if isinstance(other, types.Integer) else None


_make_type: Any = WideType
wide: Any = _make_type()


@register_model(WideType)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, of: Any) -> None:
        prepare: Any = super().__init__
        prepare(manager, of, _I128)


@_cast(types.Integer, wide)
def _widen(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    return (builder.sext if source.signed else builder.zext)(value, _I128)


@_cast(wide, types.Integer)
def _narrow(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    return builder.trunc(value, ir.IntType(target.bitwidth))


@_lower_constant(wide)
def _constant(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return _I128(int(value))


def _takes(function: Any, count: int, result: Any, build: Build) -> None:
    """Let a function take `count` wide words in kernels; other integers are widened."""

    class Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            fits = len(args) == count and wide in args
            if fits and all(each is wide or isinstance(each, types.Integer) for each in args):
                return _signature(result, *[wide] * count)
            return None

    _infer(function)(Template)

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return build(builder, *arguments)

    _lower(function, *[wide] * count)(lower)


def _instruction(name: str) -> Build:
    return lambda builder, *words: getattr(builder, name)(*words)


def _fold(builder: Any, word: Any) -> Any:
    upper = builder.lshr(word, _I128(_I64.width))
    return builder.trunc(builder.xor(word, upper), _I64)


def _comparison(symbol: str) -> Build:
    return lambda builder, *words: builder.icmp_unsigned(symbol, *words)


def _selection(symbol: str) -> Build:
    return lambda builder, *words: builder.select(builder.icmp_unsigned(symbol, *words), *words)


for _name, _operators in _ARITHMETIC.items():
    for _operator in _operators:
        _takes(_operator, 2, wide, _instruction(_name))
for _symbol, _operator in _COMPARISONS.items():
    _takes(_operator, 2, types.boolean, _comparison(_symbol))
for _symbol, _function in (("<", min), (">", max)):
    _takes(_function, 2, wide, _selection(_symbol))
_takes(operator.invert, 1, wide, _instruction("not_"))
_takes(bool, 1, types.boolean, lambda builder, word: builder.icmp_unsigned("!=", word, _I128(0)))
_takes(intrinsics.popcount, 1, wide, _instruction("ctpop"))
_takes(intrinsics.trailing_zeros, 1, wide, lambda builder, word: builder.cttz(word, _NOT_POISON))
_takes(intrinsics.leading_zeros, 1, wide, lambda builder, word: builder.ctlz(word, _NOT_POISON))
_takes(intrinsics.as_word, 1, wide, lambda builder, word: word)
_takes(intrinsics.folded, 1, types.uint64, _fold)
_takes(intrinsics.bits_of, 1, types.uint64, lambda builder, word: _I64(_I128.width))


class _Halves:
    """Builds operations on wide words of four lanes, each as vectors of its low and high halves.

    Shifts are by less than 64 bits. The processor has one instruction for two halves, or three.
    """

    def __init__(self, builder: Any) -> None:
        self._builder = builder

    def and_(self, one: Any, other: Any) -> Any:
        return [self._builder.and_(*each) for each in zip(one, other, strict=True)]

    def or_(self, one: Any, other: Any) -> Any:
        return [self._builder.or_(*each) for each in zip(one, other, strict=True)]

    def shl(self, word: Any, steps: Any) -> Any:
        low, high = word
        return [self._builder.shl(low, steps), self._joined("fshl", high, low, steps)]

    def lshr(self, word: Any, steps: Any) -> Any:
        low, high = word
        return [self._joined("fshr", high, low, steps), self._builder.lshr(high, steps)]

    def _joined(self, name: str, high: Any, low: Any, steps: Any) -> Any:
        kind = ir.FunctionType(low.type, [low.type] * 3)
        function = self._builder.module.declare_intrinsic(f"llvm.{name}.v4i64", (), fnty=kind)
        return self._builder.call(function, [high, low, steps])


def _along_any(builder: Any, discs: Any, height: Any, along: Build) -> Any:
    """Return the bitwise or of `along` of the four directions, one in each lane."""
    upper = builder.lshr(discs, _I128(_I64.width))
    halves = [builder.trunc(each, _I64) for each in (discs, upper)]
    lanes = [intrinsics_llvm.in_every_lane(builder, half) for half in halves]
    steps = intrinsics_llvm.steps_in_lanes(builder, builder.trunc(height, _I64))
    found = along(_Halves(builder), lanes, steps)
    low, high = (builder.zext(intrinsics_llvm.any_lane(builder, each), _I128) for each in found)
    return builder.or_(low, builder.shl(high, _I128(_I64.width)))


def _winning_four(builder: Any, discs: Any, height: Any) -> Any:
    return _along_any(builder, discs, height, intrinsics_llvm.wins_along)


def _line_of_four(builder: Any, discs: Any, height: Any) -> Any:
    return _along_any(builder, discs, height, intrinsics_llvm.lines_along)


_takes(intrinsics.winning_four, 2, wide, _winning_four)
_takes(intrinsics.line_of_four, 2, wide, _line_of_four)

_call_of_class: Any = _class_calls.resolve___call__


def _resolve_call(self: Any, number_class: Any) -> Any:
    """Let `np.int64` and `np.uint64` take wide words in kernels."""
    default, made = _call_of_class(self, number_class), number_class.instance_type

    def typer(value: Any) -> Any:
        if value is wide:
            return made
        found = default.get_call_type(self.context, (value,), {})
        return None if found is None else found.return_type

    return types.Function(_template(key=made, typer=typer))


_class_calls.resolve___call__ = _resolve_call


@typeof_impl.register(WideWords)
def _type_of_words(words: WideWords, context: Any) -> Any:
    return types.Array(wide, words.ndim, "C", readonly=not words.flags.writeable)


@typeof_impl.register(Wide)
def _type_of_number(number: Wide, context: Any) -> Any:
    return wide


@_unboxed(WideType)
def _unbox(kind: Any, number: Any, context: Any) -> Any:
    """Read a Python integer as two halves."""
    python, builder = context.pyapi, context.builder
    take = python._get_function(
        ir.FunctionType(_I64, [python.pyobj]), "PyLong_AsUnsignedLongLongMask"
    )
    shift = python.long_from_longlong(_I64(_I64.width))
    upper = python.number_rshift(number, shift)
    halves = [builder.zext(builder.call(take, [each]), _I128) for each in (number, upper)]
    python.decref(upper)
    python.decref(shift)
    native: Any = NativeValue
    return native(builder.or_(halves[0], builder.shl(halves[1], _I128(_I64.width))))
