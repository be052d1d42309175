"""All mutants, folder by folder."""

from tests.mutants.around import AROUND
from tests.mutants.core import CORE
from tests.mutants.figures import FIGURES

MUTANTS = (*CORE, *FIGURES, *AROUND)
