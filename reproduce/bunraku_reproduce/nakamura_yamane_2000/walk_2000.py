"""Section 5: a walk from captured motion, by feedback and with rigid contact, and what a step costs."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

import bunraku as bk
from bunraku_reproduce.experiment import Experiment, part

NOISE = 1.0, 0.005  # degrees of every angle, m of every place, of a walk that stands for a captured one
PRINTED_MS = 30.0


def captured(e: Experiment, folder: Path) -> bk.Motion:
    """The user's clip; else a walk of ours of four steps, written as BVH with noise on every channel and read again."""
    if e.clip is not None:
        return bk.load_bvh(e.clip)
    walk = bk.walk_motion(bk.human(), 4, fps=100.0)
    rng = np.random.default_rng([e.seed, 5])
    rates = rng.normal(size=(len(walk), walk.model.nv)) * np.radians(NOISE[0])
    rates[:, :3] = rng.normal(size=(len(walk), 3)) * NOISE[1]
    rough = np.array([bk.integrate(walk.model, q, v) for q, v in zip(walk.q, rates)])
    path = folder / "walk.bvh"
    bk.save_bvh(bk.Motion(walk.model, walk.times, rough), path)
    return bk.load_bvh(path)


@part(
    "A walk from captured motion",
    section="5",
    figure="4",
    how="bunraku retarget clip.bvh; bunraku filter clip.bvh --follow walked.bkr",
    printed="A strip of pictures of a walking figure with joints as cylinders: torques by feedback on a "
    "captured walk, simulated with contact.",
)
def walk(e: Experiment) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clip = captured(e, folder)
        figure = bk.human(body="2000", like=clip)
        filtered = bk.dynamics_filter(bk.retarget(clip, figure), dt=0.004)
        seconds = min(float(filtered.solved.times[-1] - filtered.solved.times[0]), 6.0)
        walked = bk.follow(filtered, record=folder / "walked.bkr", contact="virtual_link", seconds=seconds)
        source = "the given clip" if e.clip is not None else "a walk of ours with noise of 1 degree and 5 mm"
        beyond = "The given clip asks for what this figure cannot do, or ends in motion." if e.clip is not None else ""
        e.holds(
            "walk/stands",
            "5, Fig. 4",
            "the figure walks on its feet, by feedback, to the end",
            f"{source}: {walked.steps} steps in {walked.times[-1] - walked.times[0]:.1f} s, fell: "
            f"{walked.fell is not None}, help: {walked.help_impulse:g}",
            walked.fell is None and walked.help_impulse == 0.0,
            reason=beyond,
        )
        e.holds(
            "walk/follows",
            "5",
            "it goes where the captured motion goes",
            f"joints within {np.degrees(walked.error.max()):.1f} degrees of the consistent walk, "
            f"base within {1000 * walked.base.max():.0f} mm",
            bool(walked.error.max() < 0.2 and walked.base.max() < 0.1),
            reason=beyond,
        )
        load = walked.carried.sum(axis=1).mean() / filtered.solved.weight
        e.equal(
            "walk/weight",
            "5",
            "mean load of the feet, from rest to rest, of the weight",
            1.0,
            float(load),
            tolerance=0.05,
            reason=beyond,
        )
        with bk.Recording.open(folder / "walked.bkr") as recording:
            found = bk.consistency(recording, friction=0.8)
            e.zero(
                "walk/mechanics",
                "(11), 5",
                "rows of the base in the recording, of the weight (single precision): floor and torques explain it",
                found.base,
                tolerance=1e-3,
            )
            from bunraku.draw.picture import png_bytes

            image = bk.picture(recording, view="right", width=960, height=420, most=7)
        e.picture(
            png_bytes(image),
            "The printed strip shows single pictures of a walk from the right; ours lays them over each other.",
        )


@part(
    "Cost of a step",
    section="5",
    how='bunraku bench world; bk.World(contact="virtual_link")',
    printed="About 30 ms a sample, interference included, on an Alpha 21264 at 500 MHz, 28 degrees of freedom "
    "and the base.",
)
def cost(e: Experiment) -> None:
    world = bk.World(contact="virtual_link")
    world.add_ground()
    world.add(bk.human(body="2000"), at=(0, 0, 0.902)).servo(800.0, 40.0)
    world.step(200)
    began = time.process_time()
    world.step(2000)
    spent = 1000 * (time.process_time() - began) / 2000
    e.at_most("cost", "5", "time of a step of the standing figure, interference included", PRINTED_MS, spent, unit="ms")
    e.holds(
        "cost/real-time",
        "5",
        "real time at 1 ms a step, which 1999's machine was 30 times too slow for",
        f"{1 / spent:.0f} times faster than real time",
        spent < 1.0,
    )
