"""What kernels are made of: edits that matter change a digest, others do not; few kernels hang on one file."""

import sys
import types
from collections import Counter, defaultdict

import numpy as np
import pytest

from bunraku.kernel import compile as marks
from bunraku.kernel.build_all import all_kernels
from bunraku.kernel.dependencies import dependencies

SOURCE = """
from bunraku.kernel import vec
from bunraku.kernel.compile import inline
from bunraku.kernel.vec import add, dot
from bunraku.kernel.record import Record, real, vec3

SIZE = 3
class R(Record):
    a = real()
    b = vec3()

@inline
def helper(x, k=1.0):
    return k * dot(x, x) + SIZE

def kernel(h, x):
    '''Words.'''
    return helper(x) + R(h).a + vec.dot(x, x)

def neighbour(x):
    return add(x, x)
"""


def digest(source: str) -> str:
    module = types.ModuleType("bunraku.made")
    exec(compile(source, "made.py", "exec"), module.__dict__)
    return dependencies(module.kernel).digest()


def edited(old: str, new: str) -> str:
    assert old in SOURCE
    return digest(SOURCE.replace(old, new))


@pytest.mark.parametrize(
    "old, new",
    [
        ("SIZE = 3", "SIZE = 4"), ("SIZE = 3", "SIZE = 3.0"), ("k * dot", "k + dot"), ("k=1.0", "k=2.0"),
        ("@inline\n", "@part\n"), ("    a = real()\n", "    a = real()\n    c = real()\n"),
        ("    b = vec3()", "    b = real()"), ("+ vec.dot", "- vec.dot"), ("vec.dot(x, x)", "vec.add(x, x)"),
    ],
)  # fmt: skip
def test_what_matters(old, new):
    source = SOURCE.replace("import inline", "import inline, part")
    assert digest(source.replace(old, new)) != digest(source)


@pytest.mark.parametrize(
    "old, new",
    [("Words.", "Other words."), ("return add(x, x)", "return add(x, x)[0]"), ("SIZE = 3\n", "\n\nSIZE = 3\n")],
)
def test_what_does_not_matter(old, new):
    assert edited(old, new) == digest(SOURCE)


def test_a_helper_in_another_module_matters(monkeypatch):
    before = digest(SOURCE)
    vec = sys.modules["bunraku.kernel.vec"]

    @marks.inline
    def dot(a, b):
        return a[0] * b[0]

    monkeypatch.setattr(vec, "dot", dot)
    assert digest(SOURCE) != before


def test_something_else_is_refused():
    with pytest.raises(TypeError, match="cannot be made of SIZE, dict"):
        edited("SIZE = 3", "SIZE = {}")


def test_few_kernels_hang_on_one_edit():
    """An edit of a function recompiles the kernels that use it, whatever else its file holds: four of 68 in the mean over
    the files, each function of a file as likely."""
    kernels, uses = all_kernels(), Counter()
    assert len(kernels) > 60 and len({k.digest for k in kernels}) == len(kernels)
    for kernel in kernels:
        uses.update(kernel.dependencies.functions)
    files = defaultdict(list)
    for function, count in uses.items():
        files[function.__code__.co_filename].append(count)
    assert np.mean([np.mean(counts) for counts in files.values()]) < 5.0
    ray_caster = next(k for k in kernels if k.__name__ == "cast")
    aba = next(k for k in kernels if k.__name__ == "aba_one")
    assert not {f for f in aba.dependencies.functions if "draw" in f.__module__}
    assert {f for f in ray_caster.dependencies.functions if "draw" in f.__module__}
