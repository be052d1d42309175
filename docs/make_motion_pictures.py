"""Makes the pictures of docs/motion-generation.md: a noisy walk, filtered: strobe picture, ground reaction and ZMP.

python docs/make_motion_pictures.py [FOLDER]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

import bunraku as bk
from bunraku.draw.filtered import plot_filtered
from bunraku.formats.bvh_motion import from_motion, to_motion


def main() -> None:
    """Both pictures."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "pictures")
    human = bk.human()
    captured = from_motion(bk.walk_motion(human, 6, length=0.4))
    place = np.array([c.endswith("position") for j in captured.joints for c in j.channels])
    captured.values[:] += np.random.default_rng(7).normal(size=captured.values.shape) * np.where(place, 0.5, 1.0)
    filtered = bk.dynamics_filter(bk.retarget(to_motion(captured), human))
    print(filtered.text())
    (folder / "ground_reaction.png").write_bytes(plot_filtered(filtered))
    with (
        tempfile.TemporaryDirectory() as scratch,
        bk.Recording.open(filtered.solved.save(Path(scratch) / "walk.bkr")) as r,
    ):
        bk.picture(r, folder / "filtered_walk.png", view="oblique", width=1280, height=560, most=8)


if __name__ == "__main__":
    main()
