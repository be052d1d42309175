"""Rows of a clip that cannot be: a joint, or the whole person, is elsewhere for some frames. They are found, named and
bridged.

Between two frames a point that goes faster than FAST, or hips that go faster than FAST_HIPS (of a person; lengths are
scaled by the leg), is a cut. Frames between two cuts that last no longer than BRIEF are bad: at the beginning and at the
end they are left out, elsewhere they are bridged along the shortest way from the frame before to the one after. Longer
parts that do not join are refused in a sentence. Checked in tests/motion/test_bad_rows.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bunraku.errors import InputError
from bunraku.model.configuration import difference, integrate
from bunraku.model.model import Model

FAST, FAST_HIPS = 30.0, 15.0  # m/s
BRIEF = 0.2  # s


@dataclass(frozen=True, eq=False)
class Mended:
    """Rows (first, last + 1) of a clip that are left; their q; bad rows among the clip's (first, last + 1)."""

    rows: slice
    q: np.ndarray
    bad: tuple[tuple[int, int], ...]


def mended(
    model: Model, times: np.ndarray, q: np.ndarray, places: np.ndarray, hips: np.ndarray, title: str, who: str
) -> Mended:
    """A clip without its bad rows. places (n, points, 3), hips (n, 3): scaled to a person of usual size."""
    n = len(times)
    if n < 3:
        return Mended(slice(0, n), q, ())
    step = np.diff(times)
    quick = np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1) > FAST * step
    cut = quick | (np.linalg.norm(np.diff(hips, axis=0), axis=1) > FAST_HIPS * step)
    if not cut.any():
        return Mended(slice(0, n), q, ())
    ends = np.flatnonzero(cut) + 1
    parts = list(zip([0, *ends.tolist()], [*ends.tolist(), n]))
    brief = [float(times[b - 1] - times[a]) + float(step.mean()) <= BRIEF for a, b in parts]
    good = [p for p, short in zip(parts, brief) if not short]
    if not good and float(times[-1] - times[0]) <= BRIEF:
        return Mended(slice(0, n), q, ())  # too short to tell what is usual in it
    if not good:
        raise InputError(
            f"{who}: {title!r} jumps from frame to frame all the time; is it one person, in the order of its frames?"
        )
    for (_, a), (b, _) in pairwise(good):
        gone = float(times[b] - times[a - 1])
        jump = np.linalg.norm(places[b] - places[a - 1], axis=1).max()
        if (
            jump > FAST * gone
            or np.linalg.norm(hips[b] - hips[a - 1]) > FAST_HIPS * gone
            or gone > BRIEF + 2 * float(step.max())
        ):
            raise InputError(
                f"{who}: {title!r} jumps by {jump:.2g} m between {times[a - 1]:.2f} and {times[b]:.2f} s, and does not come back; "
                "take a part of it, by --from and --to, or cut the file there."
            )
    first, last, out = good[0][0], good[-1][1], q.copy()
    bad = [(0, first)] if first else []
    for (_, a), (b, _) in pairwise(good):
        if b > a:
            rate = difference(model, q[a - 1], q[b])
            share = (times[a:b] - times[a - 1]) / (times[b] - times[a - 1])
            out[a:b] = integrate(model, np.tile(q[a - 1], (b - a, 1)), share[:, None] * rate)
            bad.append((a, b))
    bad += [(last, n)] if last < n else []
    return Mended(slice(first, last), out[first:last], tuple(bad))
