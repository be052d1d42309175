"""Which products and sums become one rounding (fused multiply-add): decided here, on each function as it is written.

Left to LLVM (the flag `contract`), the choice hangs on what was inlined where: the same source gives other last digits
in another kernel, for lanes than for single states, for another version. Here  a b + c,  a b - c  and  c - a b  become a
fused operation where the product is used for nothing else and stands in the same function; a sum of two products fuses
the left one. So kernels that share a function share its bits, on every processor. Checked in
tests/dynamics/test_batch.py.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from llvmlite import ir
from numba.core import cgutils

NAMES = {"double": "llvm.fma.f64", "<4 x double>": "llvm.fma.v4f64"}


class Fused(ir.Instruction):
    """What a sum becomes: a call of LLVM's operation with the factors and the other term."""

    def descr(self, buf: list[str]) -> None:
        args = ", ".join(f"{x.type} {x.get_reference()}" for x in self.operands)
        buf.append(f"call {self.type} @{NAMES[str(self.type)]}({args})\n")


def fuse(module: ir.Module) -> None:
    """Fuse products and sums of a module, in place."""
    for function in module.functions:
        uses = Counter(
            id(value)
            for block in function.blocks
            for instruction in block.instructions
            for value in _values(instruction)
        )
        for block in function.blocks:
            for instruction in list(block.instructions):
                if instruction.opname in ("fadd", "fsub") and str(instruction.type) in NAMES:
                    _fuse_one(module, block, instruction, uses)


def _values(instruction: Any) -> list[Any]:
    """What an instruction uses."""
    return [*instruction.operands, *(value for value, _ in getattr(instruction, "incomings", ()))]


def _fuse_one(module: ir.Module, block: ir.Block, total: Any, uses: Counter[int]) -> None:
    left, right = total.operands

    def is_product(value: Any) -> bool:
        return getattr(value, "opname", "") == "fmul" and uses[id(value)] == 1

    product, other = (left, right) if is_product(left) else (right, left)
    if not is_product(product):
        return
    a, b = product.operands
    if total.opname == "fsub":
        negative = other if product is left else a
        less = ir.Instruction(block, total.type, "fneg", [negative], name="less")
        block.instructions.insert(block.instructions.index(total), less)
        uses[id(less)] = 1
        a, other = (a, less) if product is left else (less, other)
    cgutils.get_or_insert_function(
        module, ir.FunctionType(total.type, [total.type] * 3), NAMES[str(total.type)]
    )  # is declared
    total.__class__, total.opname, total.operands = Fused, "call", (a, b, other)
    product.parent.instructions.remove(product)
