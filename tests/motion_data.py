"""Motions for the tests of retargeting and of the filter: captured ones where the collection is at hand, and a walk of our own with noise."""

import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import bunraku as bk
from bunraku.formats import bvh
from bunraku.formats.bvh_motion import from_motion
from bunraku.motion import walk_motion

SHARED = Path(os.environ.get("BUNRAKU_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def captured(name):
    """A clip of the CMU collection; the test is skipped where it is not on this machine."""
    path = SHARED / "data" / "bvh" / f"{name}.bvh"
    if not path.exists():
        pytest.skip(f"{path} is not on this machine: clips of the CMU collection are not part of the repository")
    return path


@cache
def walk(steps=3):
    """A walk of our own."""
    return walk_motion(bk.human(), steps, fps=100.0)


def noisy(path, steps=3, degrees=1.0, millimetres=5.0, seed=7):
    """Our walk as a BVH file with white noise on every channel."""
    out = from_motion(walk(steps))
    place = np.array([c.endswith("position") for j in out.joints for c in j.channels])
    size = np.where(place, 0.1 * millimetres, degrees)  # centimetres
    out.values[:] += np.random.default_rng(seed).normal(size=out.values.shape) * size
    return bvh.write(out, path)
