"""The parts of Numba and llvmlite that are not promised to stay, each by its name: a new version that lacks one is told
in a sentence before anything else fails."""

import ast
import importlib
import inspect
import re
import tomllib
from functools import cache
from pathlib import Path

import llvmlite
import numba
import pytest

import bunraku

SOURCE = Path(bunraku.__file__).parent
PROJECT = Path(__file__).parent.parent.parent / "pyproject.toml"

# where it is imported from and what we need of it: (what we do with it, attributes or parameters that must be there)
PRIVATE = {
    "llvmlite.ir": ("write instructions of lanes, records and tables", "VectorType DoubleType IntType Constant"),
    "numba.core.caching.CompileResultCacheImpl": ("keep compiled kernels in folders of our own", "_locator_classes"),
    "numba.core.caching.FunctionCache": ("keep compiled kernels in folders of our own", "_impl_class"),
    "numba.core.caching._CacheLocator": (
        "name the folder of a kernel's cache after a hash of its sources",
        "get_cache_path get_source_stamp get_disambiguator from_function",
    ),
    "numba.core.ccallback.CFunc": ("give a phase of a step an address", "compile address"),
    "numba.core.codegen": ("keep functions as the front end gives them", "AOTCodeLibrary AOTCPUCodegen"),
    "numba.core.compiler": ("run the front end alone", "Compiler compile_extra"),
    "numba.core.compiler_lock.global_compiler_lock": ("compile alone", "__enter__ __exit__"),
    "numba.core.dispatcher._FunctionCompiler": ("run the front end alone", "compile _customize_flags"),
    "numba.core.registry.cpu_target": ("say what marked functions are", "typing_context target_context"),
    "numba.core.runtime.nrtdynmod": ("link what counts references", "create_nrt_module"),
    "numba.core.runtime.rtsys": ("link what counts references", "initialize"),
    "numba.core.cgutils": ("build values in LLVM", "get_or_insert_function get_null_value create_struct_proxy"),
    "numba.core.datamodel.default_manager": ("find the data of an array without a proxy", "lookup"),
    "numba.core.imputils.lower_getattr_generic": ("read the fields of a record", ""),
    "numba.core.imputils.lower_setattr_generic": ("write the fields of a record", ""),
    "numba.core.typeconv.Conversion": ("let a number stand for a lane of them", "promote"),
    "numba.core.types": ("state the types of kernels' arguments", "Type Array UniTuple int64 float64 intp none void"),
    "numba.core.typing.templates.AbstractTemplate": ("give operators of lanes and records their types", "apply"),
    "numba.core.typing.templates.AttributeTemplate": ("give fields of records their types", "generic_resolve"),
    "numba.core.typing.templates.infer_getattr": ("give fields of records their types", ""),
    "numba.core.typing.templates.infer_global": ("give operators of lanes and records their types", ""),
    "numba.core.typing.templates.signature": ("give operators of lanes and records their types", ""),
    "numba.np.arrayobj.populate_array": ("show a field of a record as an array", "array data shape strides itemsize"),
}
NEXT = "mend what uses it, or lower the bound on Numba in pyproject.toml"
compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="kernels run as plain Python")
HINT = f"Numba {numba.__version__}, llvmlite {llvmlite.__version__}"


def found(path: str):
    """What stands at a dotted path; None where nothing does."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        try:
            return importlib.import_module(path)
        except ImportError:
            return None


@cache
def imported() -> dict[str, list[str]]:
    """Private part -> files of the package that import it."""
    out: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and re.match(r"llvmlite|numba\.(?!extending)", node.module or ""):
                for name in node.names:
                    out.setdefault(f"{node.module}.{name.name}", []).append(path.relative_to(SOURCE).as_posix())
    return out


def test_the_list_is_what_the_package_imports():
    assert set(imported()) == set(PRIVATE)


@pytest.mark.parametrize("path", PRIVATE)
def test_a_private_part_is_there(path):
    purpose, wanted = PRIVATE[path]
    part = found(path)
    users = ", ".join(imported().get(path, []))
    assert part is not None, f"{HINT}: {path} is gone, with which {users} {purpose}; {NEXT}."
    known = set(dir(part))
    if inspect.isfunction(part):
        known |= set(inspect.signature(part).parameters)
    gone = [name for name in wanted.split() if name not in known]
    assert not gone, f"{HINT}: {path} has no {', '.join(gone)}, with which {users} {purpose}; {NEXT}."


@compiled
def test_a_dispatcher_asks_the_cache_that_we_give_it():
    asked = []

    class Cache:
        def load_overload(self, *_):
            asked.append("load")

        def save_overload(self, *_):
            asked.append("save")

    dispatcher = numba.njit(lambda x: x)
    for name in ("_cache", "compile", "disable_compile"):
        assert hasattr(dispatcher, name), f"{HINT}: a dispatcher has no {name}, which kernel/jit.py needs; {NEXT}."
    dispatcher._cache = Cache()
    dispatcher(1)
    assert asked == ["load", "save"], f"{HINT}: a dispatcher no longer asks its _cache for compiled kernels; {NEXT}."


def test_a_callback_is_made_as_we_make_it():
    wanted = ["pyfunc", "sig", "locals", "options"]
    given = list(inspect.signature(found("numba.core.ccallback.CFunc")).parameters)[:4]
    assert given == wanted, f"{HINT}: CFunc takes {given}, not {wanted}; mend phase_function in kernel/jit.py."


def test_the_bound_ends_behind_the_version_that_is_tested():
    """`numba>=A,<B` in pyproject.toml: the version these tests run with is the last below B."""
    stated = next(
        line
        for line in tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
        if line.startswith("numba")
    )
    low, high = (tuple(map(int, v.split("."))) for v in re.fullmatch(r"numba>=([\d.]+),<([\d.]+)", stated).groups())
    installed = tuple(map(int, numba.__version__.split(".")[:2]))
    assert low <= installed and high == (installed[0], installed[1] + 1), f"{stated} but Numba {numba.__version__}"
