"""Motion: recordings of worlds, motions of single figures (docs/recordings.md); generation, retargeting, the dynamics
filter (docs/motion-generation.md)."""

from bunraku import lazy as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
