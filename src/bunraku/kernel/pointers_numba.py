"""Addresses as pointers inside a kernel (compiled code only); `carray` makes arrays of them.

Used by tables and by Work.
"""

# pyright: reportPrivateImportUsage=false

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic


def _pointer_intrinsic(dtype: Any) -> Any:
    @intrinsic
    def pointer(typingctx, address):  # type: ignore[no-untyped-def]
        def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
            return builder.inttoptr(args[0], context.get_value_type(sig.return_type))

        return types.CPointer(dtype)(types.int64), codegen

    return pointer


int_pointer = _pointer_intrinsic(types.int64)
real_pointer = _pointer_intrinsic(types.float64)
