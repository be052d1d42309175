"""Rubber bushes below the ankles: three virtual joints in each foot with springs and dampers, as Fig. 5 of Nakaoka et
al. 2007 has them for HRP-2.

    soft = bushes(bk.human(), ("left_foot", "right_foot")).build()       # vertical slider, pitch hinge, roll hinge

A new link, `<foot>_mount`, hangs on the ankle and carries the foot by the three joints; it takes `MOUNT` of the foot's
mass and inertia, so that the figure as a whole weighs and turns as before. The foot keeps its name, shapes and frames.
The joints turn about the ankle; their axes are the figure's own vertical, left and ahead in the pose in which it is
described.
    vertical  f = -k z - d z',    pitch, roll  n = -k_turn a - d_turn a'
No sensor measures a bush: encoders and controllers know the rigid figure alone. Stiffness by default: a foot that
carries the whole weight m g sinks by `SINK`, and turning stiffness is `TURN` times m g h (h: height of the centre of
mass over the ankles), below which the figure would fall over at once from a single foot; damping is that of a mode with
ratio `RATIO` of the figure above (m, or m h^2). Where torques are explicit (Runge-Kutta), that of a foot in the air bounds
it: at most `BEARS` of the foot's own inertia / dt. HRP-2's rubber gives about the same: its robot falls over in a walk
that rigid feet allow (Nakaoka et al. 2007, section 4). Checked in tests/control/test_bushes.py.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bunraku.dynamics.functions import centre_of_mass, kinematics
from bunraku.errors import InputError, UnknownName, closest
from bunraku.model.description import Description, Inertia, JointOptions, Link, hinge, slider
from bunraku.model.model import Model

SINK = 0.002  # m under the whole weight on one foot
TURN = 2.0  # of m g h
MOUNT = 0.3  # of the foot's inertia that is above the rubber
RATIO = 0.15  # damping ratio of rubber with the figure on it
BEARS = 0.6  # of the foot's inertia / dt: damping that an explicit step bears
NAMES = ("bush_z", "bush_pitch", "bush_roll")


@dataclass(frozen=True)
class Bushes:
    """Stiffness and damping of one foot's bushes: `stiffness` [N/m] and `damping` [N s/m] of the vertical slider,
    `turning_stiffness` [N m/rad] and `turning_damping` [N m s/rad] of pitch and roll.

    None: a foot that carries the whole weight sinks by 2 mm, it turns against twice the weight times the height of the
    centre of mass, and both are damped as a figure on them needs.
    """

    stiffness: float | None = None
    turning_stiffness: float | None = None
    damping: float | None = None
    turning_damping: float | None = None

    def __post_init__(self) -> None:
        for name in ("stiffness", "turning_stiffness", "damping", "turning_damping"):
            x = getattr(self, name)
            least = "0 or more" if "damping" in name else "above 0"
            if x is not None and not (np.isfinite(x) and (x >= 0 if "damping" in name else x > 0)):
                raise InputError(f"bushes: {name} {x} is not a finite number {least}.")

    def of(self, mass: float, height: float, gravity: float, most: tuple[float, float] = (np.inf, np.inf)) -> Bushes:
        """With all four numbers, for a figure of `mass` [kg] and a centre of mass `height` [m] above its ankles; most:
        damping [N s/m] and turning damping [N m s], where they are not given."""
        k = mass * gravity / SINK if self.stiffness is None else self.stiffness
        turn = TURN * mass * gravity * height if self.turning_stiffness is None else self.turning_stiffness
        d = min(2 * RATIO * (k * mass) ** 0.5, most[0]) if self.damping is None else self.damping
        inertia = mass * height * height
        d_turn = (
            min(2 * RATIO * (turn * inertia) ** 0.5, most[1]) if self.turning_damping is None else self.turning_damping
        )
        return Bushes(k, turn, d, d_turn)


def bushes(
    figure: Model | Description, feet: Sequence[str], rubber: Bushes | None = None, *, explicit: float | None = None
) -> Description:
    """A copy of the description with rubber (stiffness [N/m, N m/rad], damping [N s/m, N m s]) between the ankles and
    the links `feet` (or the links these are fixed to). explicit: the step [s] of an integrator with explicit torques,
    which bounds the damping that is not given."""
    description = copy.deepcopy(figure.description if isinstance(figure, Model) else figure)
    model = description.build()
    rest = kinematics(model, model.neutral())
    links = {link.name: link for link in description.links}
    done: set[str] = set()
    for name in feet:
        if name not in links:
            raise UnknownName(f"bushes: figure {description.name!r} has no link {name!r}.{closest(name, links)}")
        link = links[name]
        while not any(j.kind != "fixed" for j in link.joints) and link.parent is not None:
            link = links[link.parent]  # fixed to it: one body
        if not link.joints or any(j.kind == "free" for j in link.joints):
            raise InputError(f"bushes: link {name!r} hangs on no joint; name the links below the ankles.")
        if link.name in done:
            raise InputError(f"bushes: {name!r} and another of the feet are one body.")
        done.add(link.name)
        position, R = rest.pose(link.name)
        weight = float(np.linalg.norm(model.gravity))
        height = float((centre_of_mass(model, model.neutral()) - position)[2])
        if not height > 0 or not weight > 0:
            raise InputError(
                f"bushes: {name!r} is not below the centre of mass of {description.name!r}, or nothing weighs."
            )
        r = (rubber or Bushes()).of(model.mass, height, weight, most_damping(link.inertia, explicit))
        anchor = link.joints[-1].anchor
        mount = Link(f"{link.name}_mount", link.parent, link.position, link.rotation, link.joints, where=link.where)
        mount.inertia, link.inertia = scaled(link.inertia, MOUNT), scaled(link.inertia, 1.0 - MOUNT)
        description.links.insert(description.links.index(link), mount)
        if link.parent is not None:
            description.collide_exclude.append((link.parent, link.name))
        link.parent, link.position, link.rotation = mount.name, (0.0, 0.0, 0.0), None
        linear: JointOptions = {"anchor": anchor, "stiffness": r.stiffness, "damping": r.damping}
        turning: JointOptions = {"anchor": anchor, "stiffness": r.turning_stiffness, "damping": r.turning_damping}
        z, pitch, roll = (f"{link.name}_{what}" for what in NAMES)
        link.joints = [
            slider(z, R.T @ [0, 0, 1], **linear),
            hinge(pitch, R.T @ [0, 1, 0], **turning),
            hinge(roll, R.T @ [1, 0, 0], **turning),
        ]
    return description


def scaled(inertia: Inertia, share: float) -> Inertia:
    """A share of a body's mass and inertia about the same centre."""
    return Inertia(share * inertia.mass, inertia.com, share * inertia.matrix())


def most_damping(foot: Inertia, explicit: float | None) -> tuple[float, float]:
    """Damping [N s/m] and turning damping [N m s] that explicit steps [s] bear under a foot in the air."""
    if explicit is None:
        return np.inf, np.inf
    share = BEARS * (1.0 - MOUNT) / explicit
    return share * foot.mass, share * float(np.linalg.eigvalsh(foot.matrix())[0])
