"""Rows of a Work's table of addresses and sizes: what bunraku.dynamics.work writes and bunraku.dynamics.work_numba reads.

They stand alone because the text of all that a compiled side imports names the kernels that use it
(bunraku.kernel.dependencies): an edit of `Work` recompiles nothing, an edit of these rows does.
"""

INTS, REALS, SCRATCH, LANE_SCRATCH, NB, NQ, NV, REAL_ROWS, SPARE = range(9)
