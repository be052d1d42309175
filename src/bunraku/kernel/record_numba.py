"""The compiled side of records: a Numba type for each class, one pointer wide. See bunraku.kernel.record.

Private parts of Numba in use: `populate_array`, `lower_getattr_generic`, `lower_setattr_generic`.
"""

# pyright: reportPrivateImportUsage=false, reportCallIssue=false, reportArgumentType=false, reportOptionalCall=false

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_getattr_generic, lower_setattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.extending import lower_builtin, models, register_model, type_callable
from numba.np.arrayobj import populate_array

from bunraku.kernel.record import flat, handle

I64, DOUBLE = ir.IntType(64), ir.DoubleType()
POINTER = I64.as_pointer()


class RecordType(types.Type):
    """A record of one class: a pointer to its words, or to the rows of its Table."""

    def __init__(self, of: Any) -> None:
        self.of = of
        super().__init__(name=of.__name__)


class ManyType(types.Type):
    """Records of one class, or tuples of one width, side by side."""

    def __init__(self, item: Any) -> None:
        self.item = item
        is_record = isinstance(item, RecordType)
        self.words = item.of.layout.words if is_record else item.count
        super().__init__(name=f"many{item.name if is_record else item.count}")


@register_model(RecordType)
class RecordModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, POINTER)


@register_model(ManyType)
class ManyModel(models.StructModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, [("address", types.int64), ("count", types.int64)])


TYPES: dict[str, RecordType] = {}


def register(cls: Any) -> None:
    """Make the class known to the compiler, and what `cls(handle)` and `cls(record)` are: casts."""
    known = TYPES.get(cls.__name__)
    if known is not None and known.of is cls:
        return
    made = TYPES[cls.__name__] = RecordType(cls)
    made.of = cls  # Numba hands out the old type again where a module is loaded anew

    @type_callable(cls)
    def typing(context):  # type: ignore[no-untyped-def]
        return lambda h: made if isinstance(h, types.Integer | RecordType) else None

    @lower_builtin(cls, types.Integer)
    def from_address(context, builder, sig, args):  # type: ignore[no-untyped-def]
        return builder.inttoptr(args[0], POINTER)

    @lower_builtin(cls, RecordType)
    def from_record(context, builder, sig, args):  # type: ignore[no-untyped-def]
        return args[0]


# ---- fields --------------------------------------------------------------------------------------------------------


def _number(dtype: Any) -> Any:
    return types.int64 if dtype is np.int64 else types.float64


def _type_of(f: Any) -> Any:
    """The type that reading a field gives."""
    if f.kind == "number":
        return _number(f.dtype)
    if f.kind == "tuple":
        return types.UniTuple(types.float64, f.words)
    if f.kind == "tuples":
        return ManyType(types.UniTuple(types.float64, f.shape[1]))
    if f.kind in ("array", "table array"):
        return types.Array(_number(f.dtype), len(f.shape), "C")
    record = TYPES[f.of.__name__]
    return record if f.kind in ("record", "table record") else ManyType(record)


@infer_getattr
class RecordAttributes(AttributeTemplate):
    key = RecordType

    def generic_resolve(self, typ: Any, attr: str) -> Any:
        f = typ.of.layout.fields.get(attr)
        return None if f is None else _type_of(f)


def _at(builder: Any, base: Any, words: Any, dtype: Any = np.int64) -> Any:
    """A pointer to a number `words` behind base."""
    index = ir.Constant(I64, words) if isinstance(words, int) else words
    return builder.bitcast(builder.gep(base, [index]), (I64 if dtype is np.int64 else DOUBLE).as_pointer())


def _fixed(builder: Any, pointer: Any) -> Any:
    """A number that no kernel ever changes: an address or a size of a table."""
    load = builder.load(pointer)
    load.set_metadata("invariant.load", builder.module.add_metadata([]))
    return load


def _array(context: Any, builder: Any, typ: Any, data: Any, shape: list[Any]) -> Any:
    """A view of memory that nobody counts references of."""
    array = context.make_array(typ)(context, builder)
    size = ir.Constant(I64, 8)
    strides, step = [], size
    for n in reversed(shape):
        strides.insert(0, step)
        step = builder.mul(step, n, flags=["nsw"])
    data = builder.bitcast(data, array.data.type)
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return array._getvalue()


def _many(context: Any, builder: Any, typ: Any, address: Any, count: Any) -> Any:
    made = cgutils.create_struct_proxy(typ)(context, builder)
    made.address, made.count = address, count
    return made._getvalue()


def _tuple(context: Any, builder: Any, typ: Any, base: Any, first: int) -> Any:
    loads = [builder.load(_at(builder, base, first + k, np.float64)) for k in range(typ.count)]
    return context.make_tuple(builder, typ, loads)


def _store_tuple(builder: Any, value: Any, count: int, base: Any, first: int) -> None:
    for k in range(count):
        builder.store(builder.extract_value(value, k), _at(builder, base, first + k, np.float64))


@lower_getattr_generic(RecordType)
def read_field(context: Any, builder: Any, typ: Any, base: Any, attr: str) -> Any:
    f = typ.of.layout.fields[attr]
    result = _type_of(f)
    if f.kind == "number":
        return builder.load(_at(builder, base, f.offset, f.dtype))
    if f.kind == "tuple":
        return _tuple(context, builder, result, base, f.offset)
    if f.kind == "record":
        return _at(builder, base, f.offset)
    if f.kind == "array":
        shape = [ir.Constant(I64, n) for n in f.shape]
        return _array(context, builder, result, _at(builder, base, f.offset), shape)
    if f.kind in ("records", "tuples"):
        address = builder.ptrtoint(_at(builder, base, f.offset), I64)
        return _many(context, builder, result, address, ir.Constant(I64, f.shape[0]))
    address = _fixed(builder, _at(builder, base, f.offset))
    if f.kind == "table record":
        return builder.inttoptr(address, POINTER)
    sizes = [_fixed(builder, _at(builder, base, f.offset + 1 + k)) for k in range(len(f.shape) or 1)]
    if f.kind == "table records":
        return _many(context, builder, result, address, sizes[0])
    return _array(context, builder, result, builder.inttoptr(address, POINTER), sizes)


@lower_setattr_generic(RecordType)
def write_field(context: Any, builder: Any, sig: Any, args: Any, attr: str) -> None:
    f = sig.args[0].of.layout.fields[attr]
    if f.kind == "number":
        builder.store(args[1], _at(builder, args[0], f.offset, f.dtype))
    elif f.kind == "tuple":
        _store_tuple(builder, args[1], f.words, args[0], f.offset)
    else:
        raise TypeError(f"{attr} is an array or a record: write {attr}[...] = or one of its fields.")


# ---- records and tuples side by side -------------------------------------------------------------------------------


def _is_item(args: Any) -> bool:
    return isinstance(args[0], ManyType) and isinstance(args[1], types.Integer)


@infer_global(operator.getitem)
class ReadItem(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(args[0].item, args[0], types.intp) if len(args) == 2 and _is_item(args) else None


@infer_global(operator.setitem)
class WriteItem(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) == 3 and _is_item(args) and isinstance(args[0].item, types.UniTuple):
            return signature(types.none, args[0], types.intp, args[0].item)
        return None


@infer_global(len)
class Length(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(types.intp, args[0]) if len(args) == 1 and isinstance(args[0], ManyType) else None


def _item(builder: Any, sig: Any, args: Any) -> Any:
    """The address of item k."""
    first = builder.mul(args[1], ir.Constant(I64, sig.args[0].words), flags=["nsw"])
    return _at(builder, builder.inttoptr(builder.extract_value(args[0], 0), POINTER), first)


@lower_builtin(operator.getitem, ManyType, types.Integer)
def read_item(context, builder, sig, args):  # type: ignore[no-untyped-def]
    base = _item(builder, sig, args)
    is_record = isinstance(sig.return_type, RecordType)
    return base if is_record else _tuple(context, builder, sig.return_type, base, 0)


@lower_builtin(operator.setitem, ManyType, types.Integer, types.UniTuple)
def write_item(context, builder, sig, args):  # type: ignore[no-untyped-def]
    _store_tuple(builder, args[2], sig.args[0].words, _item(builder, sig, args), 0)
    return context.get_dummy_value()


@lower_builtin(len, ManyType)
def length(context, builder, sig, args):  # type: ignore[no-untyped-def]
    return builder.extract_value(args[0], 1)


# ---- handle and flat -----------------------------------------------------------------------------------------------


@type_callable(handle)
def handle_type(context):  # type: ignore[no-untyped-def]
    return lambda record: types.int64 if isinstance(record, RecordType) else None


@lower_builtin(handle, RecordType)
def handle_of(context, builder, sig, args):  # type: ignore[no-untyped-def]
    return builder.ptrtoint(args[0], I64)


@type_callable(flat)
def flat_type(context):  # type: ignore[no-untyped-def]
    def type_of(record: Any) -> Any:
        if not isinstance(record, RecordType) or record.of.layout.slots:
            return None
        return types.Array(_number(record.of.layout.dtype), 1, "C")

    return type_of


@lower_builtin(flat, RecordType)
def flat_of(context, builder, sig, args):  # type: ignore[no-untyped-def]
    return _array(context, builder, sig.return_type, args[0], [ir.Constant(I64, sig.args[0].of.layout.words)])


COMPILED: dict[str, Any] = {}  # Numba was told above what handle and flat are
