"""Chapter 8(3): both arms, and fingers with an arm, at work together; turning a valve."""

from __future__ import annotations

import numpy as np

import bunraku as bk
from bunraku.model.rotations import about
from bunraku_reproduce.experiment import Experiment

FINGERS, BALL = 3, 0.05  # m: the radius of the ball that three fingers hold
REACH, TURN = np.array([0.12, 0.10, 0.15]), 0.8  # m, rad: what the ball is asked to do


def together(e: Experiment) -> None:
    """Two arms that hold one box, and three fingers on an arm that hold one ball: chains closed by what is held."""
    lift(e)
    motion = fingers_and_arm()
    found = bk.consistency(motion)
    start, end = motion.q[0], motion.q[-1]
    ball = motion.model.joint("ball.root").q
    moved = float(np.linalg.norm(end[ball][:3] - start[ball][:3] - REACH))
    joints = [j.name for j in motion.model.joints if j.kind == "hinge"]
    swing = np.degrees([np.ptp(motion.q[:, motion.model.joint(name).q]) for name in joints])
    e.holds(
        "arms/fingers",
        "8(3)b",
        "fingers and arm work together",
        f"an arm of six joints with three fingers carries a ball {100 * np.linalg.norm(REACH):.0f} cm and turns it by "
        f"{np.degrees(TURN):.0f} degrees: it ends {1e3 * moved:.2f} mm from there; arm joints go through up to "
        f"{swing[:6].max():.0f}, finger joints {swing[6:].max():.0f} degrees",
        moved < 1e-3 and swing[6:].max() > 1.0,
    )
    e.zero(
        "arms/fingers-mechanics",
        "8(3)b",
        "the equation of motion of arm, fingers and ball, from the saved motion alone, of the weight",
        found.base,
        tolerance=1e-9,
    )


def lift(e: Experiment) -> None:
    """The built-in scene: both hands take a box from one table onto another."""
    from bunraku.draw.picture import png_bytes
    from bunraku.draw.world_pictures import strobe

    run = bk.load_scene("lift").run()
    box, share = run.world["box"], run.servo_share or 0.0
    off = float(np.linalg.norm(box.q[:3] - [0.4, 0.17, 0.9]))
    e.holds(
        "arms/both",
        "8(3)b, c",
        "both arms work together; lifting things",
        f"both hands lift a box of 5 kg from one table onto another, in the world: it stands {1e3 * off:.1f} mm from where it "
        f"was wanted; servos carry {100 * share:.1f} % of the torques",
        off < 0.005 and share < 0.02,
    )
    e.picture(png_bytes(strobe(run)), "Printed: a wish in words. Ours: a box of 5 kg, held by both hands.")


def valve(e: Experiment) -> None:
    """A figure turns a valve with both hands: generated from contacts, then done in the world."""
    from bunraku.draw.picture import png_bytes
    from bunraku.draw.world_pictures import strobe

    run = bk.load_scene("valve").run()
    wheel = run.world.model.joint("valve.wheel")
    turns, share = float(run.world.q[wheel.iq]) / (2 * np.pi), run.servo_share or 0.0
    e.holds("valve", "8(3)c", "turning a valve",
            f"{turns:.2f} turns against 6 N m by both hands, taken anew six times; servos carry {100 * share:.1f} % of the torques",
            abs(turns - 2.0) < 0.02 and share < 0.02)  # fmt: skip
    e.picture(png_bytes(strobe(run)), "Printed: a wish in words. Ours: a hand wheel that resists with 6 N m.")


def arm_with_fingers() -> bk.Description:
    """An arm of six hinges on a post, and three fingers of three hinges each, around its palm."""
    d = bk.Description("arm")
    rod = {"mass": 1.2, "com": (0.0, 0.0, 0.15), "moments": (0.01, 0.01, 0.002)}
    d.add("shoulder", None, bk.hinge("turn", (0, 0, 1)), at=(0, 0, 0.6), mass=2.0, moments=(0.01, 0.01, 0.01))
    d.add("upper", "shoulder", bk.hinge("lean", (0, 1, 0)), **rod)
    d.add("lower", "upper", bk.hinge("elbow", (0, 1, 0)), at=(0, 0, 0.3), **rod)
    d.add("roll", "lower", bk.hinge("roll", (0, 0, 1)), at=(0, 0, 0.3), mass=0.4, moments=(0.002, 0.002, 0.001))
    d.add("wrist", "roll", bk.hinge("wrist", (0, 1, 0)), mass=0.3, moments=(0.001, 0.001, 0.001))
    d.add("palm", "wrist", bk.hinge("palm", (0, 0, 1)), mass=0.4, com=(0, 0, 0.04), moments=(0.001, 0.001, 0.001))
    bone = {"mass": 0.05, "com": (0.0, 0.0, 0.02), "moments": (2e-5, 2e-5, 5e-6)}
    for k in range(FINGERS):
        turn = about(2, 2 * np.pi * k / FINGERS)
        root = d.add(
            f"f{k}", "palm", bk.hinge(f"spread{k}", (1, 0, 0)), at=turn @ (0.04, 0, 0.06), rotation=turn, **bone
        )
        d.add(f"m{k}", root.name, bk.hinge(f"knuckle{k}", (0, 1, 0)), at=(0, 0, 0.01), **bone)
        d.add(f"t{k}", f"m{k}", bk.hinge(f"tip{k}", (0, 1, 0)), at=(0, 0, 0.045), **bone)
        d.frame(f"touch{k}", f"t{k}", at=(0, 0, 0.04))
    return d


def fingers_and_arm() -> bk.Solved:
    """Fingertips on a ball, which is asked along a path: everything else follows."""
    world = bk.World()
    arm = world.add(arm_with_fingers().build())
    q = arm.q
    for name, angle in (("lean", 0.5), ("elbow", 1.2), ("wrist", 0.7), *((f"knuckle{k}", 0.5) for k in range(FINGERS)),
                        *((f"tip{k}", -0.9) for k in range(FINGERS))):  # fmt: skip
        q[arm.model.joint(name).q] = angle
    pose = bk.kinematics(arm.model, q)
    middle = np.mean([pose.pose(f"touch{k}")[0] for k in range(FINGERS)], axis=0)
    world.add(bk.sphere(BALL, 0.4), name="ball", at=tuple(middle))
    ball = bk.Trajectory(
        "ball",
        bk.waypoints([(0.0, middle), (1.0, middle + REACH)]),
        rotation=lambda t: about(2, TURN * (0.5 - 0.5 * np.cos(np.pi * min(t, 1.0)))),
    )
    tips = [bk.Contact(f"arm.touch{k}", "ball", "x y z", grip=True) for k in range(FINGERS)]
    return bk.generate(world, seconds=1.2, dt=0.002, contacts=tips, trajectories=[ball])
