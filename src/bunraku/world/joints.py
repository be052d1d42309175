"""Records of joints for the step: drives, limits, friction, ball ranges and kept gears, from a Model."""

from __future__ import annotations

import numpy as np

from bunraku.dynamics import crba
from bunraku.kernel.record import Many, put, zeros
from bunraku.model import layout
from bunraku.model.model import Model
from bunraku.step.drive import STIFF
from bunraku.step.step_arrays import BallLimit, Dof, DofLimit, Drive, KeptGear, Step

BIG = 1e300  # stands for infinity


def drive_rows(model: Model) -> np.ndarray:
    """A Drive for every degree of freedom; servos are off."""
    out = zeros(Drive, model.nv)
    drives = Many(Drive, out)
    drives.column("spring")[:], drives.column("rest")[:] = model.stiffness, model.rest
    drives.column("damping")[:], drives.column("effort")[:] = model.damping, np.minimum(model.effort, BIG)
    for i in range(1, model.nb):
        if not model.ints[i, layout.FOLLOWS]:
            d = model.ints[i, layout.IV]
            drives.column("armature")[d : d + model.ints[i, layout.DOF]] = model.reals[i, layout.ROTOR]
    return out


def put_joints(step: Step, m: Model, guesses: bool) -> None:
    """Put the joints of a model into a step. guesses: whether their friction may be guessed (bunraku.step.drive)."""
    balls = [j for j in m.joints if j.traits.limits == "cone" and np.any(np.isfinite([j.swing, *j.twist]))]
    put(step, dofs=zeros(Dof, m.nv), limits=zeros(DofLimit, m.nv), balls=zeros(BallLimit, len(balls)))
    of_q: dict[int, int] = {}  # degree of freedom of an index into q
    for i in range(1, m.nb):
        if m.ints[i, layout.DOF] == 1 and not m.ints[i, layout.FOLLOWS]:
            d, iq = int(m.ints[i, layout.IV]), int(m.ints[i, layout.IQ])
            dof = step.dofs[d]
            dof.lead, dof.iq = m.ints[i, layout.LEAD] if not m.ints[i, layout.SLOT] else i, iq
            dof.limited, dof.rubs = np.isfinite(m.lower[d]) or np.isfinite(m.upper[d]), m.friction[d] > 0
            dof.body = i
            of_q[iq] = d
    limits = step.limits
    limits.column("lower")[:], limits.column("upper")[:] = np.maximum(m.lower, -BIG), np.minimum(m.upper, BIG)
    limits.column("friction")[:] = m.friction
    put(step, rubbing=np.flatnonzero(step.dofs.column("rubs")).astype(np.int64))
    if guesses and len(step.rubbing):
        step.dofs.column("lock")[:] = STIFF * np.maximum(np.diag(crba(m, m.neutral())), 0.0)
    for ball, j in zip(step.balls, balls):
        ball.body = j.body
        ball.swing, ball.twist_low, ball.twist_high = np.clip([j.swing, *j.twist], -BIG, BIG)
    kept = [g for g in m.kept_gears if len(g.row) == 2 and all(k in of_q for k, _ in g.row)]
    put(step, gears=zeros(KeptGear, len(kept)), joint_impulse=np.zeros(3 * m.nv + 3 * len(balls) + len(kept)))
    for gear, g in zip(step.gears, kept):
        gear.constant = g.constant
        for side, (iq, coefficient) in zip(gear.side, g.row):
            side.dof, side.iq, side.coefficient = of_q[iq], iq, coefficient
            side.lead = step.dofs[of_q[iq]].lead
