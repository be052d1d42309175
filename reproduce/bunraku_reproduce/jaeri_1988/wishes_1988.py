"""SERVO, which was never built, chapters 8 and 9: what the report wished for its next year."""

from __future__ import annotations

import numpy as np

from bunraku_reproduce.experiment import Experiment, part
from bunraku_reproduce.jaeri_1988.carried_1988 import carried
from bunraku_reproduce.jaeri_1988.hands_1988 import together, valve
from bunraku_reproduce.jaeri_1988.walks_1988 import exact, historical

FPS = 5.0  # of the film


def com_share_inside(name: str) -> float:
    """Part of a step during which the mass centre is above the sole of the foot that carries."""
    from bunraku.gait1988.checks import sole_of
    from bunraku.gait1988.twelve_bodies import MASS, SOLE_HALF_WIDTH

    walk = exact(name)
    com = np.einsum("i,nia->na", MASS / MASS.sum(), walk.bodies[..., 0])
    heel, toe = sole_of(walk.gait)
    ahead = com[:, 0] + walk.zmp
    return float(np.mean((ahead > heel) & (ahead < toe) & (np.abs(com[:, 1]) < SOLE_HALF_WIDTH)))


@part(
    "SERVO",
    section="4.1",
    figure="4.1",
    how="bunraku gait servo flat",
    printed="Angle, speed, torque and power of every drive; described, not built, as it serves to build a machine.",
)
def servo(e: Experiment) -> None:
    from bunraku.gait1988.servo import drives

    walk = exact()
    every = drives(walk)
    off = np.abs(np.sum([d.power for d in every], axis=0) - walk.power).max()
    e.zero("servo/power", "4.1", "the powers of all drives add up to the change of energy (W)", off, tolerance=1e-9)
    names = {d.name for d in every}
    wanted = {"left_ankle", "left_knee", "left_hip", "right_hip", "right_knee", "right_ankle", "waist"}
    found = {w for w in wanted if any(n.startswith(w) for n in names)}
    e.holds(
        "servo/drives",
        "4.1",
        "drives of ankles, knees, hips, waist, and the carrying ankle sideways",
        f"{len(every)} drives",
        found == wanted,
    )


@part(
    "Walking after 1988",
    section="8, 9",
    figure="2.13, 2.14",
    how="bunraku gait solve flat --arms-free; bunraku run building; bunraku run lift; bunraku run valve; "
    "bunraku walk --carry '10 kg' --footsteps 'four steps'; bunraku gait follow usual --steps 12",
    printed="Plans: arms that swing (six unknowns), a film of a person in a simple building at its own speed, legs that "
    "mechanics moves, work with the hands.",
)
def wishes(e: Experiment) -> None:
    inside = {name: com_share_inside(name) for name in ("flat", "usual")}
    said = ", ".join(f"{name} {100 * share:.0f} %" for name, share in inside.items())
    e.holds(
        "fig-2.13",
        "Fig. 2.13",
        "a dynamic walk has its mass centre outside the sole",
        f"above the sole: {said} of the time",
        max(inside.values()) == 0.0,
    )
    from bunraku.gait1988.library import flat
    from bunraku.gait1988.solved_walk import exact_walk

    free = exact_walk(flat(), arms_free=True, samples=81)
    e.equal("arms/unknowns", "8(1)", "unknowns with free arms", 6, len(free.start) // 2, tolerance=0)
    e.zero(
        "arms/zero-moment",
        "8(1)",
        "zero moment at the ZMP, and at shoulders and elbows springs alone (N m)",
        np.abs(free.residual).max(),
        tolerance=1e-9,
    )
    swing = float(np.degrees(np.ptp(free.coordinates[:, 8, 0])))
    e.holds("arms/swing", "8(1)", "arms that are free swing", f"by {swing:.0f} degrees", swing > 5.0)
    building(e)
    followed(e)
    legs(e)
    together(e)
    carried(e)
    valve(e)
    h, x = historical(), exact()
    e.holds("input", "9", "the angles of the legs are given, only psi and theta are solved for: between simulation and animation",
            f"so in both modes ({h.mode}, {x.mode}); bunraku walk plans legs by footsteps", len(h.start) == len(x.start) == 4)  # fmt: skip


def building(e: Experiment) -> None:
    """A person walks through the building in the physical world; a picture and a film of it."""
    import tempfile
    from pathlib import Path

    import bunraku as bk
    from bunraku.draw.film import film, picture
    from bunraku.draw.picture import png_bytes
    from bunraku.recording.reader import Recording

    scene = bk.load_scene("building")
    world = scene.build()
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "building.bkr"
        with world.record(kept, 20):
            world.run(scene.seconds)
        with Recording.open(kept) as recording:
            still = png_bytes(picture(recording, width=960, height=640))
            moving = film(recording, Path(folder) / "building.gif", fps=FPS, width=320, height=240).read_bytes()
    person = world["person"]
    _, upright = person.pose("trunk")
    feet = np.array([person.pose(name)[0][2] for name in ("left_foot", "right_foot")])
    ok = bool(upright[2, 2] > 0.9 and feet.min() > 0.55)
    e.holds("building", "8(2)", "a person walks in a simple building: door, corridor, corner, stairs",
            f"upright on the landing, {feet.min():.2f} m up, after {world.time:.0f} s", ok)  # fmt: skip
    e.picture(
        still,
        "Printed: a wish in words. Ours: through the door, round the corner and up the stairs; near walls are drawn low.",
    )
    e.picture(moving, "Printed: a film at the speed of a person is wished for. Ours: that film, at its own speed.")


def legs(e: Experiment) -> None:
    """Steps derived from mechanics alone, kept up in the world."""
    import bunraku as bk

    walk = bk.walk(speed=1.3, footsteps="ten steps")
    fell, report = walk.fell, walk.report
    steps = len(report.landings)
    e.holds("legs", "8(3)a", "legs whose motion follows from mechanics, not from given angles",
            f"{steps} steps that an optimisation found from mechanics alone, kept up in the world by what the figure feels: "
            f"{report.distance:.1f} m, {'upright' if fell is None else 'fell'}", fell is None and steps >= 10)  # fmt: skip


def followed(e: Experiment) -> None:
    """The usual walk in the physical world."""
    from bunraku.gait1988.walker_motion import walker_solved
    from bunraku.motion.follow import follow

    done = follow(walker_solved(exact("usual"), 4), friction=1.0, self_collision=False)
    e.holds("world", "8", "the walk of the program, done by the figure itself",
            f"four steps in a World, {'upright' if done.fell is None else 'fell'}, mass centre within {1e3 * done.com_error.max():.0f} mm",
            done.fell is None and float(done.com_error.max()) < 0.01)  # fmt: skip
