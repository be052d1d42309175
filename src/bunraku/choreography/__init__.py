"""Pin and drag a figure whose motion obeys dynamics (Yamane & Nakamura 2002). See docs/choreography.md."""

from bunraku import lazy as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
