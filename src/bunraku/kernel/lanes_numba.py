"""The compiled side of lanes: the vector type registered with Numba, and the intrinsics behind `ld`, `st` and their
kin.

See bunraku.kernel.lanes for what they do; that module puts these in the place of its plain Python ones when the
compiler is on.
"""

# pyright: reportPrivateImportUsage=false, reportOptionalCall=false, reportArgumentType=false, reportAttributeAccessIssue=false

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import default_manager
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, lower_cast, models, overload, register_model

from bunraku.kernel.lanes import LANES, down, root

DATA = default_manager.lookup(types.Array(types.float64, 1, "C")).get_field_position("data")
VECTOR = ir.VectorType(ir.DoubleType(), LANES)


class Lane(types.Type):
    """Numba's view of a lane. Numbers convert to it by being repeated."""

    def __init__(self) -> None:
        super().__init__(name="Lane")

    def can_convert_from(self, typingctx: Any, other: types.Type) -> Conversion | None:
        if isinstance(other, types.Float | types.Integer):
            return Conversion.promote
        return None

    def unify(self, typingctx: Any, other: types.Type) -> types.Type | None:
        return self if isinstance(other, types.Float | types.Integer | Lane) else None


lane = Lane()


@register_model(Lane)
class LaneModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: types.Type) -> None:
        super().__init__(dmm, fe_type, VECTOR)


def _repeat(builder: Any, value: Any) -> Any:
    one = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, one, mask)


@lower_cast(types.Float, Lane)
def _float_to_lane(context: Any, builder: Any, fromty: Any, toty: Any, value: Any) -> Any:
    return _repeat(builder, context.cast(builder, value, fromty, types.float64))


@lower_cast(types.Integer, Lane)
def _integer_to_lane(context: Any, builder: Any, fromty: Any, toty: Any, value: Any) -> Any:
    return _repeat(builder, context.cast(builder, value, fromty, types.float64))


def _binary(op: Any, instruction: str) -> None:
    @infer_global(op)
    class Typing(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) == 2 and any(isinstance(a, Lane) for a in args):
                if all(isinstance(a, Lane | types.Float | types.Integer) for a in args):
                    return signature(lane, lane, lane)
            return None

    @lower_builtin(op, Lane, Lane)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, instruction)(args[0], args[1])


for _op, _inplace, _name in (
    (operator.add, operator.iadd, "fadd"),
    (operator.sub, operator.isub, "fsub"),
    (operator.mul, operator.imul, "fmul"),
    (operator.truediv, operator.itruediv, "fdiv"),
):
    _binary(_op, _name)
    _binary(_inplace, _name)


@infer_global(operator.neg)
class _NegTyping(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(lane, lane) if len(args) == 1 and isinstance(args[0], Lane) else None


@lower_builtin(operator.neg, Lane)
def _lower_neg(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.fsub(ir.Constant(VECTOR, [-0.0] * LANES), args[0])


def _unary_intrinsic(name: str) -> Any:
    @intrinsic
    def call(typingctx, x):  # type: ignore[no-untyped-def]
        def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
            function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(VECTOR, [VECTOR]), name)
            return builder.call(function, args)

        return lane(lane), codegen

    return call


_lane_root = _unary_intrinsic(f"llvm.sqrt.v{LANES}f64")
_lane_down = _unary_intrinsic(f"llvm.floor.v{LANES}f64")


@overload(root, inline="never")
def _root(x):  # type: ignore[no-untyped-def]
    return (lambda x: _lane_root(x)) if isinstance(x, Lane) else (lambda x: math.sqrt(x))


@overload(down, inline="never")
def _down(x):  # type: ignore[no-untyped-def]
    return (lambda x: _lane_down(x)) if isinstance(x, Lane) else (lambda x: np.floor(x))


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any, index_type: Any) -> Any:
    index = context.cast(builder, index, index_type, types.intp)
    data = builder.extract_value(array, DATA)  # less code for LLVM than an array proxy
    if array_type.ndim == 1:
        return builder.gep(data, [index])
    start = builder.mul(index, ir.Constant(index.type, LANES))
    return builder.bitcast(builder.gep(data, [start]), VECTOR.as_pointer())


@intrinsic
def borrow(typingctx, a):  # type: ignore[no-untyped-def]
    if isinstance(a, types.NoneType):
        return a(a), lambda context, builder, sig, args: args[0]

    def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
        array = context.make_array(sig.args[0])(context, builder, args[0])
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()

    return a(a), codegen


@intrinsic
def ld(typingctx, a, i):  # type: ignore[no-untyped-def]
    value = types.float64 if a.ndim == 1 else lane

    def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
        load = builder.load(_pointer(context, builder, sig.args[0], args[0], args[1], sig.args[1]))
        load.align = 8
        return load

    return value(a, i), codegen


@intrinsic
def st(typingctx, a, i, x):  # type: ignore[no-untyped-def]
    value = types.float64 if a.ndim == 1 else lane

    def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
        store = builder.store(args[2], _pointer(context, builder, sig.args[0], args[0], args[1], sig.args[1]))
        store.align = 8
        return context.get_dummy_value()

    return types.void(a, i, value), codegen


def _place(k: int) -> Any:
    return ir.Constant(ir.IntType(32), k)


@intrinsic
def join(typingctx, a, b, c, d):  # type: ignore[no-untyped-def]
    def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
        x = ir.Constant(VECTOR, ir.Undefined)
        for k, value in enumerate(args):
            x = builder.insert_element(x, value, _place(k))
        return x

    return lane(*[types.float64] * LANES), codegen


@intrinsic
def split(typingctx, x):  # type: ignore[no-untyped-def]
    def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
        parts = [builder.extract_element(args[0], _place(k)) for k in range(LANES)]
        return context.make_tuple(builder, sig.return_type, parts)

    return types.UniTuple(types.float64, LANES)(lane), codegen


def _wide(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    data = builder.extract_value(args[0], DATA)
    index = context.cast(builder, args[1], sig.args[1], types.intp)
    return builder.bitcast(builder.gep(data, [index]), VECTOR.as_pointer())


@intrinsic
def wide_ld(typingctx, a, i):  # type: ignore[no-untyped-def]
    def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
        load = builder.load(_wide(context, builder, sig, args))
        load.align = 8
        return load

    return lane(a, i), codegen


@intrinsic
def wide_st(typingctx, a, i, x):  # type: ignore[no-untyped-def]
    def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
        builder.store(args[2], _wide(context, builder, sig, args)).align = 8
        return context.get_dummy_value()

    return types.void(a, i, lane), codegen


COMPILED = {
    "ld": ld,
    "st": st,
    "wide_ld": wide_ld,
    "wide_st": wide_st,
    "join": join,
    "split": split,
    "borrow": borrow,
}
