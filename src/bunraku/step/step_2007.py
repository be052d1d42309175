"""The phases of the contact model "pgs_2007": islands solved by the iteration of Nakaoka et al. 2007 as it was published
(bunraku.contact.pgs_2007), a given number of sweeps from f = 0, dense or sparse.

Rows, islands and what is remembered are those of `pgs`. An island whose constraints contradict each other is not solved
a second time: forces are what the sweeps made of them. Checked in tests/world/test_pgs_2007_world.py.
"""

from __future__ import annotations

from bunraku.contact.pgs_2007 import solve_dense, solve_sparse
from bunraku.kernel.compile import inline
from bunraku.kernel.table import phase
from bunraku.step.euler import RIGID, impulses_by
from bunraku.step.island import islands_by
from bunraku.step.large import large_by
from bunraku.step.step_arrays import Step


@inline
def iterate_dense(s: Step, rows, blocks):
    """(status, sweeps, residual) of the dense island in hand."""
    return solve_dense(s.island, rows, blocks, s.numbers.tolerance, s.info.sweep_limit)


@inline
def iterate_large(s: Step, rows, blocks):
    """The same of the large one."""
    return solve_sparse(s.large.matrix, rows, blocks, s.numbers.tolerance, s.info.sweep_limit)


impulses = impulses_by(islands_by(iterate_dense))
large_island = large_by(iterate_large)


@phase
def pgs_2007(h):
    """Rigid contact by the published iteration."""
    return impulses(Step(h), RIGID)


@phase
def solve_large_2007(h):
    """Its islands that are too large for a dense matrix."""
    return large_island(Step(h))
