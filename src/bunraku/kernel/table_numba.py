"""The compiled side of tables: arrays and calls made inside a kernel from addresses. See bunraku.kernel.table."""

# pyright: reportPrivateImportUsage=false, reportCallIssue=false

from __future__ import annotations

from llvmlite import ir
from numba import carray, types
from numba.extending import intrinsic

from bunraku.kernel.compile import inline
from bunraku.kernel.pointers_numba import int_pointer, real_pointer
from bunraku.kernel.table import COLUMNS, PHASES


@intrinsic
def _call(typingctx, address, handle):  # type: ignore[no-untyped-def]
    def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
        kind = ir.FunctionType(ir.IntType(64), [ir.IntType(64)])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), [args[1]])

    return types.int64(types.int64, types.int64), codegen


@inline
def run(handle, k):
    """Run phase k; returns its status."""
    return _call(carray(int_pointer(handle), PHASES * COLUMNS)[COLUMNS * k], handle)


@inline
def _row(handle, k):
    """Address and sizes of array k."""
    return carray(int_pointer(handle + 8 * COLUMNS * (PHASES + k)), COLUMNS)


@inline
def ints1(handle, k):
    """Array k: int64, one axis."""
    r = _row(handle, k)
    return carray(int_pointer(r[0]), r[1])


@inline
def ints2(handle, k):
    """Array k: int64, two axes."""
    r = _row(handle, k)
    return carray(int_pointer(r[0]), (r[1], r[2]))


@inline
def reals1(handle, k):
    """Array k: float64, one axis."""
    r = _row(handle, k)
    return carray(real_pointer(r[0]), r[1])


@inline
def reals2(handle, k):
    """Array k: float64, two axes."""
    r = _row(handle, k)
    return carray(real_pointer(r[0]), (r[1], r[2]))


@inline
def reals3(handle, k):
    """Array k: float64, three axes."""
    r = _row(handle, k)
    return carray(real_pointer(r[0]), (r[1], r[2], r[3]))


COMPILED = {"run": run, "ints1": ints1, "ints2": ints2, "reals1": reals1, "reals2": reals2, "reals3": reals3}
