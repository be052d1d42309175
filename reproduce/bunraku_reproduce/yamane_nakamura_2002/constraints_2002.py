"""Section 3: constraints that mechanics allows, eqs (3) and (4), and their two priorities."""

from __future__ import annotations

import numpy as np

import bunraku as bk
from bunraku.choreography import end_link_relations
from bunraku.control.whole_body import Task, WholeBody
from bunraku_reproduce.experiment import Experiment, part

HANDS = ["left_hand", "right_hand"]


def one_step(c: bk.Choreography) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(q, v, acceleration, forces of the floor on the bodies (nb, 6)) of one more step."""
    m, q, v = c.model, c.figure.q.copy(), c.figure.v.copy()
    c.step()
    places, f_ext = bk.kinematics(m, q), np.zeros((m.nb, 6))
    for patch in c.figure.contacts:
        body = next(m.frame(name).body for figure, name in patch.bodies if figure == c.figure.name)
        for x, force in zip(patch.points, patch.forces):
            f_ext[body] += [*force, *np.cross(x - places.position[body], force)]
    return q, v, (c.figure.v - v) / c.world.dt, f_ext


@part(
    "Pins and drags that mechanics allows",
    section="3",
    how="c.pin(link), c.drag(link).to(position), c.run(seconds)",
    printed="Equation (3): joint accelerations for given accelerations of pinned and dragged links, floor forces included; (4) without dynamics.",
)
def constraints(e: Experiment) -> None:
    c = bk.Choreography()
    c.pin("right_hand")
    drag = c.drag("left_hand")
    drag.to(drag.target + np.array([0.1, 0.1, -0.2]))
    off = {"3": 0.0, "4": 0.0, "minus": 0.0, "base": 0.0}
    for _ in range(20):
        c.run(0.02)
        q, v, a, f_ext = one_step(c)
        got = end_link_relations(c.model, q, v, [*HANDS, "left_foot", "right_foot"], axes="pose")
        places = bk.kinematics(c.model, q, v)
        feet = np.zeros(24)
        for k, link in enumerate(("left_foot", "right_foot")):
            body = c.model.frame(link).body
            arm = places.pose(link)[0] - places.position[body]
            feet[12 + 6 * k : 18 + 6 * k] = f_ext[body] - np.concatenate([np.zeros(3), np.cross(arm, f_ext[body, :3])])
        J = np.vstack([bk.frame_jacobian(c.model, q, link) for link in HANDS])
        bias = np.concatenate([places.bias_acceleration(link) for link in HANDS])
        r = J @ a + bias
        left = got.Phi[:12] @ a[6:]
        off["3"] = max(off["3"], float(np.abs(left - (r - got.L[:12] @ feet - got.phi[:12])).max()))
        h = bk.rnea(c.model, q, v, a, f_ext)
        off["base"] = max(off["base"], float(np.abs(h[:6]).max()) / (9.80665 * c.model.mass))
        measured = numerical(c.model, q, v, a)
        off["4"] = max(off["4"], float(np.abs(J @ a - (measured - bias)).max()))
        off["minus"] = max(off["minus"], float(np.abs(-J @ a - (measured - bias)).max()))
    e.zero("constraint/3", "(3)", "Phi q'' = r'' - L f - phi in steps of a drag, the floor's forces as they were", off["3"],
           tolerance=1e-6, unit="m/s2, rad/s2")  # fmt: skip
    e.zero("constraint/base", "1", "physical consistency: no force but the floor's moves the base", off["base"],
           tolerance=1e-6, unit="of the weight")  # fmt: skip
    e.zero("constraint/4", "(4)", "J q'' = r'' - J' q', r'' from positions at three times", off["4"], tolerance=1e-4,
           unit="m/s2, rad/s2")  # fmt: skip
    e.zero("constraint/4-minus", "(4)", "the same with the minus that is printed before J", off["minus"], tolerance=1e-4,
           unit="m/s2, rad/s2", reason="A misprint: r'' = J q'' + J' q' has no minus, and with it hands would go where "
           "they are not wanted.")  # fmt: skip
    air = bk.Choreography(at=(0, 0, 2.0))
    air.pin("left_hand")
    air.run(0.2)
    fall = bk.centroidal(air.model, air.figure.q.copy(), air.figure.v.copy()).com_velocity[2] / 0.2
    e.equal("constraint/no-force", "3", "a pin exerts no force: pinned in the air the figure falls", -9.80665, fall,
            tolerance=0.01, unit="m/s2")  # fmt: skip


def numerical(model: bk.Model, q: np.ndarray, v: np.ndarray, a: np.ndarray, dt: float = 1e-4) -> np.ndarray:
    """Accelerations of the hands from their poses: central differences along the motion with constant a."""
    out = []
    for link in HANDS:
        rates = [
            bk.kinematics(model, bk.integrate(model, q, v + 0.5 * t * a, t), v + t * a).velocity(link)
            for t in (-dt, dt)
        ]
        out.append((rates[1] - rates[0]) / (2 * dt))
    return np.concatenate(out)


@part(
    "Two priorities",
    section="3",
    how="bk.Choreography(priority='2002')",
    printed="Limits and desired joint values are met as well as can be among the motions that fulfil (3).",
)
def priorities(e: Experiment) -> None:
    m, worst, moved = bk.human(), 0.0, 0.0
    for k in range(12):
        rng = np.random.default_rng(e.seed + k)
        q = bk.integrate(m, m.neutral(), 0.4 * rng.normal(size=m.nv), 1.0)
        v, nj = 0.5 * rng.normal(size=m.nv), m.nv - 6
        tasks = [Task(link, 5.0 * rng.normal(size=3)) for link in HANDS]
        J = np.vstack([bk.frame_jacobian(m, q, link)[:3] for link in HANDS])
        found = []
        for _ in range(2):
            middle, half = 5.0 * rng.normal(size=nj), 5.0 + 100.0 * rng.random(nj)
            asked = {"posture": 40.0 * rng.normal(size=nj), "bounds": (middle - half, middle + half)}
            found.append(WholeBody(m, priority="2002").solve(q, v, tasks=tasks, torque_limits=False, **asked).a)
        worst = max(worst, float(np.abs(J @ (found[1] - found[0])).max()))
        moved = max(moved, float(np.abs(found[1] - found[0])[6:].max()))
    e.zero("priority/upper", "3", "what the lower level asks for changes nothing of the upper one", worst, tolerance=1e-9,
           unit="m/s2")  # fmt: skip
    e.holds("priority/lower", "3", "the lower level moves in the general solution of the upper one",
            f"joint accelerations change by up to {moved:.0f} rad/s2", moved > 1.0)  # fmt: skip
    c = bk.Choreography(priority="2002")
    c.pin("left_hand")
    c.pose({"right_elbow": 1.2, "left_elbow": 2.0})
    beyond = 0.0
    for _ in range(75):
        c.run(0.02)
        beyond = max([beyond, *c.report.beyond_limits.values()])
    elbow = float(c.figure.q[c.model.joint("right_elbow").iq])
    e.equal(
        "priority/desired",
        "3",
        "a desired joint value is reached where it is free",
        1.2,
        elbow,
        tolerance=0.02,
        unit="rad",
    )
    e.at_most(
        "priority/pin",
        "3",
        "a pin stays although its arm is desired elsewhere: off by",
        1e-3,
        c.violations[0].metres,
        unit="m",
    )
    e.at_most("priority/limits", "3", "joints beyond their limits meanwhile: by", 1e-3, beyond, unit="rad")
    s = bk.Choreography(priority="2002")
    s.drag("left_hand").to(s.figure.pose("left_hand")[0] + [0.0, 0.6, 0.3])
    s.run(3.0)
    calm = float(np.abs(s.figure.v).max())
    e.at_most(
        "priority/singular",
        "1",
        "calm near a singular pose, an arm stretched out: fastest joint",
        0.05,
        calm,
        unit="rad/s",
    )
