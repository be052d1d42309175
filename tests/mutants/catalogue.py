"""All mutants, folder by folder."""

from .around import AROUND
from .core import CORE
from .figures import FIGURES
from .worlds import WORLDS

MUTANTS = (*CORE, *WORLDS, *FIGURES, *AROUND)
