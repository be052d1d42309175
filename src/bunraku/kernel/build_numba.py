"""Compiles a kernel to an object file: Numba's front end, one LLVM module a kernel, one optimisation of the whole.

Left to itself Numba makes every helper into machine code of its own, with two ways in from outside, and optimises it
again in each caller: 544 times for `bunraku walk`, of which only the kernels are ever called. Here a library keeps its
functions as they come from the front end; a kernel links all that it reaches into one module, makes everything but its
own way in internal, is optimised once and emitted. Half the time, and the calls are cheaper.

The way in of an `@entry` is a C function for Python's METH_FASTCALL, written as instructions (`_wrapper`): arguments are
checked and opened in place, 46 ns where Numba's dispatcher takes 341. Arrays are read at the offsets of NumPy's public
struct, which have stayed since NumPy 1.7. A `@phase` is int64 <- int64. An object refers to Python's C interface, libm
and memory functions, and to nothing of Numba: `UNKNOWN` tells which kernel refers to something else, as one would that
takes memory.

This takes over Numba's CPU target, so it runs in a process of its own (bunraku.kernel.build_worker). Private parts of
Numba in use are named in tests/kernel/test_numba_private.py.
"""

# pyright: reportPrivateImportUsage=false, reportOptionalCall=false, reportAttributeAccessIssue=false

from __future__ import annotations

import re
from types import FunctionType
from typing import Any

import llvmlite.binding as ll
import numpy as np
from llvmlite import ir
from numba.core import cgutils, codegen, compiler, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler
from numba.core.registry import cpu_target
from numba.core.runtime import nrtdynmod, rtsys

from bunraku.kernel.compile import OPTIONS, PART, mark_of
from bunraku.kernel.dependencies import Dependencies
from bunraku.kernel.fuse_numba import fuse
from bunraku.kernel.signatures import LETTERS, types_of
from bunraku.kernel.teach_numba import DISPATCHERS, leave_wrappers_out, teach

I8, I32, I64, REAL = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.DoubleType()
POINTER = I8.as_pointer()
HEADER = object.__basicsize__  # of every Python object: count and type; more where Python has no lock
# NumPy's struct of an array behind the header, and of its dtype
DATA, AXES, SIZES, DTYPE, FLAGS = HEADER, HEADER + 8, HEADER + 16, HEADER + 40, HEADER + 48
BYTE_ORDER, NUMBER = HEADER + 10, HEADER + 12
C_ORDER, ALIGNED, WRITABLE = 0x1, 0x100, 0x400
LIBM = "fma sin cos tan asin acos atan atan2 exp log pow hypot fmod floor ceil sqrt cbrt log10 log2 exp2 tanh sinh cosh log1p expm1 asinh acosh atanh"
KNOWN = re.compile(rf"_?Py\w+|bunraku_ndarray|mem(set|cpy|move|cmp)|({'|'.join(LIBM.split())})f?|_GLOBAL_OFFSET_TABLE_")
# What Numba's runtime would do; our arrays own no memory and lie in C order
STUBS = """
define internal void @NRT_MemInfo_call_dtor(ptr %m) { ret void }
define internal i32 @numba_attempt_nocopy_reshape(i64 %nd, ptr %d, ptr %s, i64 %n, ptr %new, ptr %out, i64 %size, i32 %f) {
entry:
  br label %more
more:
  %k = phi i64 [ %n, %entry ], [ %j, %axis ]
  %step = phi i64 [ %size, %entry ], [ %next, %axis ]
  %left = icmp sgt i64 %k, 0
  br i1 %left, label %axis, label %done
axis:
  %j = sub i64 %k, 1
  %to = getelementptr i64, ptr %out, i64 %j
  store i64 %step, ptr %to
  %from = getelementptr i64, ptr %new, i64 %j
  %many = load i64, ptr %from
  %next = mul i64 %step, %many
  br label %more
done:
  ret i32 1
}
"""


class BuildError(Exception):
    """A kernel that cannot be made into an object: what and why."""


class _Library(codegen.AOTCodeLibrary):
    """Functions as the front end gives them; nothing is optimised or made into code before the kernel is whole."""

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0


class _Codegen(codegen.AOTCPUCodegen):
    _library_class = _Library

    def __init__(self, cpu: str, features: str) -> None:
        self._features = features
        super().__init__("bunraku", cpu_name=cpu)

    def _customize_tm_features(self) -> str:
        return self._features

    def set_env(self, env_name: str, env: Any) -> None:
        pass


def _remember_calls() -> None:
    """Numba tries all definitions of an operator anew at every use of it; the first answer serves (a fifth less time)."""
    own, known = types.Function.get_call_type, {}

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws:
            return own(self, context, args, kws)
        found = known.get((self, args))
        if found is None:
            found = own(self, context, args, kws)
            if found is not None:
                known[self, args] = found
        return found

    types.Function.get_call_type = get_call_type  # type: ignore[method-assign]


class Builder:
    """Takes Numba's place in this process; `build` makes objects for one kind of processor."""

    def __init__(self, cpu: str, features: str) -> None:
        leave_wrappers_out()
        _remember_calls()
        self.context: Any = cpu_target.target_context
        self.context.refresh()
        self.context.post_lowering = self._post_lowering
        rtsys.initialize(self.context)
        self.codegen = self.context._internal_codegen = _Codegen(cpu, features)
        runtime, _ = nrtdynmod.create_nrt_module(self.context)
        library = self.codegen.create_library("runtime")
        library.add_ir_module(runtime)
        library.finalize()
        rtsys._library = library

    def _post_lowering(self, module: ir.Module, library: Any) -> None:
        """What Numba does with a function's instructions before they become text; its way of fast arithmetic replaced."""
        fuse(module)
        library.add_linking_library(rtsys.library)

    def build(self, function: FunctionType, signature: str, nogil: bool, symbol: str, needed: Dependencies) -> bytes:
        """The object of a kernel whose way in is `symbol`. signature: as `@entry` takes it; "" for a `@phase`."""
        teach(needed)
        with global_compiler_lock:
            made = self._front(function, signature)
            way_in = self._wrapper(made, symbol, signature, nogil) if signature else self._phase(made, symbol)
            module = self._whole(made, way_in, symbol, needed)
            self._optimise(module)
            self._check_symbols(module, function)
            return self.codegen._tm.emit_object(module)

    def _front(self, function: FunctionType, signature: str) -> Any:
        """Numba's front end: types, and LLVM instructions of the function and of all it calls."""

        class WithoutWrappers(_FunctionCompiler):
            def _customize_flags(self, flags: Any) -> Any:
                flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
                return flags

        front = WithoutWrappers(function, cpu_target, dict(OPTIONS), {}, compiler.Compiler)
        return front.compile(types_of(signature or "h"), None if signature else types.int64)

    def _whole(self, made: Any, way_in: ir.Module, symbol: str, needed: Dependencies) -> ll.ModuleRef:
        """One module: the kernel, all it calls, its way in; only the way in is to be seen."""
        module = ll.parse_assembly(str(self.codegen._create_empty_module(symbol)))
        module.data_layout = self.codegen._data_layout
        seen: dict[Any, None] = {}
        todo = [made.library]
        while todo:
            library = todo.pop()
            if library not in seen:
                seen[library] = None
                todo += library._linking_libraries
        self._check_listed(seen, needed)
        for library in seen:
            one = library._final_module.clone()
            for f in one.functions:
                if not f.is_declaration and f.name.startswith("__excinfo"):
                    f.linkage = "weak_odr"  # the same in every library that raises the same
            module.link_in(one)
        module.link_in(ll.parse_assembly(str(way_in)))
        stubs = ll.parse_assembly(f'target triple = "{module.triple}"\n' + STUBS.replace("internal ", ""))
        stubs.data_layout = self.codegen._data_layout
        module.link_in(stubs)
        module.verify()
        called = {
            result.fndesc.llvm_func_name
            for f in needed.functions
            if mark_of(f) == PART
            for result in DISPATCHERS[f].overloads.values()
        }
        for f in module.functions:
            if f.name in called and not f.is_declaration:
                f.add_function_attribute("noinline")
            if not f.is_declaration and f.name != symbol:
                f.linkage = "internal"
        for g in module.global_variables:
            if g.name.startswith("_ZN08NumbaEnv"):
                g.linkage = "internal"
        return module

    def _check_listed(self, libraries: dict[Any, None], needed: Dependencies) -> None:
        """Every helper that goes into a kernel counts in its digest: by itself, or as text of a compiled side."""
        for f, dispatcher in DISPATCHERS.items():
            if f not in needed.functions and not f.__module__.endswith("_numba"):
                if any(result.library in libraries for result in dispatcher.overloads.values()):
                    raise BuildError(
                        f"{needed.functions[0].__qualname__} uses {f.__qualname__}, which its digest misses"
                    )

    def _optimise(self, module: ll.ModuleRef) -> None:
        for options in ({"loop_vectorize": False, "slp_vectorize": False, "opt": 0, "cost": "cheap"}, {}):
            passes, builder = self.codegen._module_pass_manager(**options)
            passes.run(module, builder)

    def _check_symbols(self, module: ll.ModuleRef, function: FunctionType) -> None:
        things = [f for f in module.functions if not f.name.startswith("llvm.")] + list(module.global_variables)
        unknown = sorted(x.name for x in things if x.is_declaration and not KNOWN.fullmatch(x.name))
        if unknown:
            raise BuildError(f"{function.__qualname__} needs {', '.join(unknown)}: does it take memory or raise?")

    # ---- ways in ---------------------------------------------------------------------------------------------------

    def _callee(self, module: ir.Module, made: Any) -> ir.Function:
        f = made.fndesc
        return ir.Function(module, self.context.call_conv.get_function_type(f.restype, f.argtypes), f.llvm_func_name)

    def _phase(self, made: Any, symbol: str) -> ir.Module:
        """int64 SYMBOL(int64)."""
        module = self.codegen._create_empty_module(symbol + ".in")
        callee = self._callee(module, made)
        f = ir.Function(module, ir.FunctionType(I64, [I64]), symbol)
        builder = ir.IRBuilder(f.append_basic_block())
        status, result = self.context.call_conv.call_function(
            builder, callee, made.fndesc.restype, made.fndesc.argtypes, [f.args[0]]
        )
        with builder.if_then(status.is_error, likely=False):
            builder.ret(I64(-99))
        builder.ret(result)
        return module

    def _wrapper(self, made: Any, symbol: str, signature: str, nogil: bool) -> ir.Module:
        """PyObject *SYMBOL(PyObject *self, PyObject *const *args, Py_ssize_t count)."""
        module = self.codegen._create_empty_module(symbol + ".in")
        callee = self._callee(module, made)
        f = ir.Function(module, ir.FunctionType(POINTER, [POINTER, POINTER.as_pointer(), I64]), symbol)
        w = _Wrapper(self.context, module, f, signature)
        words = signature.split()
        w.demand(w.builder.icmp_signed("==", f.args[2], I64(len(words))))
        values = [w.argument(k, word) for k, word in enumerate(words)]
        thread = w.call("PyEval_SaveThread", POINTER) if nogil else None
        status, result = self.context.call_conv.call_function(
            w.builder, callee, made.fndesc.restype, made.fndesc.argtypes, values
        )
        if thread is not None:
            w.call("PyEval_RestoreThread", ir.VoidType(), thread)
        with w.builder.if_then(status.is_error, likely=False):
            w.fail("PyExc_RuntimeError", f"{symbol}: the kernel raised")
        w.builder.ret(w.boxed(made.fndesc.restype, result))
        return module


class _Wrapper:
    """Instructions that open Python's arguments and box the result."""

    def __init__(self, context: Any, module: ir.Module, function: ir.Function, signature: str) -> None:
        self.context, self.module, self.function = context, module, function
        self.bad = function.append_basic_block("bad")
        self.raised = function.append_basic_block("raised")
        self.builder = ir.IRBuilder(function.append_basic_block("start"))
        function.blocks.insert(0, function.blocks.pop())
        after, self.builder = self.builder, ir.IRBuilder(self.bad)
        self.fail("PyExc_TypeError", f"wanted {signature}")
        self.builder = ir.IRBuilder(self.raised)
        self.builder.ret(POINTER(None))
        self.builder = after

    def call(self, name: str, result: Any, *args: Any) -> Any:
        kind = ir.FunctionType(result, [a.type for a in args])
        return self.builder.call(cgutils.get_or_insert_function(self.module, kind, name), args)

    def outside(self, name: str, kind: Any) -> Any:
        known = self.module.globals.get(name)
        if known is None:
            known = ir.GlobalVariable(self.module, kind, name)
            known.linkage = "external"
        return known

    def text(self, words: str) -> Any:
        data = cgutils.make_bytearray(words.encode() + b"\0")
        return self.builder.bitcast(cgutils.global_constant(self.module, ".words", data), POINTER)

    def fail(self, kind: str, words: str) -> None:
        self.call("PyErr_SetString", ir.VoidType(), self.builder.load(self.outside(kind, POINTER)), self.text(words))
        self.builder.ret(POINTER(None))

    def demand(self, good: Any, otherwise: Any = None) -> None:
        """Go on where `good`."""
        on = self.function.append_basic_block()
        self.builder.cbranch(good, on, otherwise or self.bad).set_weights([9999, 1])
        self.builder.position_at_end(on)

    def at(self, thing: Any, offset: int, kind: Any) -> Any:
        """What lies `offset` bytes into a struct."""
        b = self.builder
        return b.load(b.bitcast(b.gep(thing, [I64(offset)]), kind.as_pointer()))

    def argument(self, k: int, word: str) -> Any:
        b = self.builder
        thing = b.load(b.gep(self.function.args[1], [I64(k)]))
        if word in ("h", "i"):
            value = self.call("PyLong_AsLongLong", I64, thing)
            return self._checked(value, b.icmp_signed("==", value, I64(-1)))
        if word == "d":
            value = self.call("PyFloat_AsDouble", REAL, thing)
            return self._checked(value, b.fcmp_ordered("==", value, REAL(-1.0)))
        if word == "n":
            self.demand(b.icmp_unsigned("==", thing, self.outside("_Py_NoneStruct", I8)))
            return self.context.get_dummy_value()
        return self._array(thing, word)

    def _checked(self, value: Any, odd: Any) -> Any:
        """A number that may stand for an error: -1 with an exception set."""
        with self.builder.if_then(odd, likely=False):
            error = self.call("PyErr_Occurred", POINTER)
            self.demand(self.builder.icmp_unsigned("==", error, POINTER(None)), self.raised)
        return value

    def _array(self, thing: Any, word: str) -> Any:
        b, kind = self.builder, types_of(word)[0]
        letter, axes = word[0], len(word)
        self.demand(b.icmp_unsigned("==", self.at(thing, 8, POINTER), self.outside("bunraku_ndarray", I8)))
        self.demand(b.icmp_signed("==", self.at(thing, AXES, I32), I32(axes)))
        flags = C_ORDER | ALIGNED | (WRITABLE if kind.mutable else 0)
        self.demand(b.icmp_signed("==", b.and_(self.at(thing, FLAGS, I32), I32(flags)), I32(flags)))
        dtype = self.at(thing, DTYPE, POINTER)
        self.demand(b.icmp_signed("==", self.at(dtype, NUMBER, I32), I32(np.dtype(LETTERS[letter]).num)))
        self.demand(b.icmp_signed("!=", self.at(dtype, BYTE_ORDER, I8), I8(ord(">"))))
        sizes = self.at(thing, SIZES, I64.as_pointer())
        shape = [b.load(b.gep(sizes, [I64(n)])) for n in range(axes)]
        size = I64(np.dtype(LETTERS[letter]).itemsize)
        strides, step, count = [], size, I64(1)
        for n in reversed(shape):
            strides.insert(0, step)
            step, count = b.mul(step, n), b.mul(count, n)
        array = self.context.make_array(kind)(self.context, b)
        array.data = b.bitcast(self.at(thing, DATA, POINTER), array.data.type)
        array.shape, array.strides = cgutils.pack_array(b, shape), cgutils.pack_array(b, strides)
        array.itemsize, array.nitems = size, count
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()

    def boxed(self, kind: Any, value: Any) -> Any:
        """A result as a Python object."""
        b = self.builder
        if isinstance(kind, types.Boolean):
            return self.call("PyBool_FromLong", POINTER, b.zext(value, I64))
        if isinstance(kind, types.Integer):
            return self.call("PyLong_FromLongLong", POINTER, b.sext(value, I64) if value.type.width < 64 else value)
        if isinstance(kind, types.Float):
            return self.call("PyFloat_FromDouble", POINTER, value)
        if isinstance(kind, types.NoneType):
            none = self.outside("_Py_NoneStruct", I8)
            self.call("Py_IncRef", ir.VoidType(), none)
            return none
        if isinstance(kind, types.BaseTuple):
            made = self.call("PyTuple_New", POINTER, I64(len(kind)))
            for k, one in enumerate(kind.types):
                self.call("PyTuple_SetItem", I32, made, I64(k), self.boxed(one, b.extract_value(value, k)))
            return made
        raise BuildError(f"a kernel cannot return {kind}")
