"""Random cases of the tests: drawn anew at every run by hand, the same ones every time in CI.

A test that draws its cases asks for `fresh_rng()` or `fresh_seed()`. Without CI=true each run draws others; what failed is
said among the captured output, and `BUNRAKU_TEST_SEED=NUMBER pytest …` draws it again. In CI the seed follows from the
test's name, as Hypothesis's `derandomize` does it: a change that has nothing to do with a rare case is not refused for it.
"""

from __future__ import annotations

import os
import zlib

import numpy as np


def fresh_seed() -> int:
    """A seed below 2**31: of BUNRAKU_TEST_SEED, of the running test's name in CI, else a new one, printed."""
    given = os.environ.get("BUNRAKU_TEST_SEED")
    if given is not None:
        return int(given)
    if os.environ.get("CI") == "true":
        return zlib.crc32(os.environ.get("PYTEST_CURRENT_TEST", "").encode()) % 2**31
    seed = int(np.random.SeedSequence().generate_state(1)[0] % 2**31)
    print(f"drawn with BUNRAKU_TEST_SEED={seed}")
    return seed


def fresh_rng() -> np.random.Generator:
    """A generator of `fresh_seed`."""
    return np.random.default_rng(fresh_seed())
