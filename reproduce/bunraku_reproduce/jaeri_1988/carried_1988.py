"""Chapter 8(3)c of JAERI-M 88-080: a person who walks with a load in the hands, as the report wished."""

from __future__ import annotations

import tempfile
from pathlib import Path

from bunraku_reproduce.experiment import Experiment

LOAD = "10 kg in front"


def carried(e: Experiment) -> None:
    """Four steps with a box of 10 kg between the hands, in the physical world, on sensors alone."""
    import bunraku as bk
    from bunraku.draw.film import picture
    from bunraku.draw.picture import png_bytes

    with tempfile.TemporaryDirectory() as folder:
        done = bk.walk(footsteps="four steps", carry=LOAD, path=Path(folder) / "carried.bkr")
        with done.recording as recording:
            still = png_bytes(picture(recording, most=3, width=960, height=640))
    load, report = done.load or {}, done.report.summary()
    least, ahead = report["zmp_margin_m"]["single_least"], load["zmp_moved_m"]["ahead"]
    pull = max(x["most_N"] for x in load["grips"].values())
    said = (
        f"{report['steps']} steps with {LOAD}, upright; it moves the zero-moment point {1e3 * ahead:.0f} mm ahead, "
        f"{1e3 * least:.0f} mm inside the soles at the least; each hand bears up to {pull:.0f} N"
    )
    ok = done.fell is None and report["steps"] == 4 and least > 0 and ahead > 0 and pull < 9.81 * load["mass_kg"]
    e.holds("carry", "8(3)c", "walking with a load", said, ok)
    e.picture(still, "Printed: a wish in words. Ours: a box of 10 kg carried in both hands, four steps.")
