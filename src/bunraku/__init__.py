"""Bunraku: human figures that move.

    import bunraku as bk
    fig = bk.human()
    a = bk.aba(fig, fig.neutral(), np.zeros(fig.nv), np.zeros(fig.nv))   # forward dynamics
    walk = bk.walk(fig, "walk 2 m, turn 90 degrees")                     # in the physical world
    walk.report.distance, walk.fell

All that users need is here; `dir(bk)` lists it. Lengths are in m, masses in kg, times in s, angles in rad, forces in N,
moments in N m; the world's z is up; quaternions are w x y z. Names are loaded when first used (bunraku.lazy), so that
`import bunraku` is quick and Numba is imported only where a kernel is called. Checked in tests/test_public_face.py.
"""

from bunraku import lazy as _lazy
from bunraku import moved as _moved
from bunraku.version import __version__ as __version__

_moved.install()
_load, __dir__, __all__ = _lazy.attach(__name__, __file__)


def __getattr__(name: str) -> object:
    return _load(_moved.renamed(name))
