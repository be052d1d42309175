"""Links that stay apart: distances against hand-made poses, bounds against finite differences, arms that come out of
the trunk."""

import numpy as np

import bunraku as bk
from bunraku.control.whole_body import WholeBody
from bunraku.model.configuration import integrate
from bunraku.model.rotations import exponential
from bunraku.motion import Motion, overlaps, stand
from bunraku.motion.apart import KEEP, SLOW, SOON, arms_outside, limbs_of, own_links


def arms_in(angle):
    """A standing figure with its left arm turned towards the trunk."""
    model = bk.human()
    q = stand(model)
    q[model.joint("left_shoulder").q] = exponential(np.array([-angle, 0.0, 0.0]))
    return model, q


def test_limbs_are_arms_and_head():
    model = bk.human()
    names = {f.body: f.name for f in reversed(model.links)}
    limbs = limbs_of(model)
    assert {names[b] for b in limbs} == {
        "head",
        *(f"{s}_{x}_arm" for s in ("left", "right") for x in ("upper", "lower")),
    }
    elbow, shoulder = model.joint("left_elbow"), model.joint("left_shoulder")
    assert set(limbs[model.body("left_lower_arm")]) == {elbow.iv, *range(shoulder.iv, shoulder.iv + 3)}


def test_overlaps_are_those_of_the_world():
    model, q = arms_in(0.25)
    found = overlaps(model, q[None])
    assert overlaps(model, stand(model)[None]) == {} and ("left_lower_arm", "pelvis") in found
    world = bk.World(dt=1e-6, gravity=(0, 0, 0))
    figure = world.add(model)
    figure.q[:] = q
    world.step()
    deepest = {}
    for c in world.contacts:
        pair = tuple(sorted((c.bodies[0][1], c.bodies[1][1])))
        deepest[pair] = max(deepest.get(pair, 0.0), -float(c.gaps.min()))
    assert {pair for pair, d in deepest.items() if d > 1e-4} == set(found)
    assert all(abs(found[pair] - deepest[pair]) < 1e-4 for pair in found)


def test_bounds_are_the_second_derivative_of_the_distance():
    model, q = arms_in(0.02)
    rng = np.random.default_rng(0)
    v, a, own = 0.3 * rng.normal(size=model.nv), rng.normal(size=model.nv), own_links(model)
    v[:6] = a[:6] = 0.0
    kin = bk.kinematics(model, q, v)
    near = [x for x in own.near(kin) if x.bodies[0] in own.limbs or x.bodies[1] in own.limbs]
    x, h = next(x for x in near if set(x.links) == {"left_lower_arm", "pelvis"}), 1e-5
    bound = next(b for b in own.bounds(kin) if b.bodies == x.bodies)

    def distance(t, a):
        """Between the two points that are nearest now, along the normal of now."""
        k, at = bk.kinematics(model, integrate(model, q, t * v + 0.5 * t * t * a)), []
        for body in x.bodies:
            at.append(k.position[body] + k.rotation[body] @ (kin.rotation[body].T @ (x.point - kin.position[body])))
        return float(x.normal @ (at[0] - at[1]))

    rate = (distance(h, a) - distance(-h, a)) / (2 * h)
    least = (-SLOW * (x.gap - KEEP) - rate) / SOON
    assert abs(bound.least - least) < 1e-6 * (1.0 + abs(least))

    def second(a):  # its noise is 1e-16 / h^2
        return (distance(h, a) - 2 * distance(0.0, a) + distance(-h, a)) / (h * h)

    inwards = np.zeros(model.nv - 6)
    inwards[model.joint("left_shoulder").iv - 6] = -600.0
    free, held = (WholeBody(model).solve(q, v, posture=inwards, apart=x).a for x in ((), (bound,)))
    assert second(free) < least - 50.0 and abs(second(held) - least) < 0.05 * abs(second(free) - least)


def test_arms_come_out_of_the_trunk_smoothly():
    model, q = arms_in(0.0)
    rows = np.tile(q, (60, 1))
    for k in range(60):
        rows[k, model.joint("left_shoulder").q] = exponential(
            np.array([-0.3 * np.exp(-(((k - 30) / 8) ** 2)), 0.0, 0.0])
        )
    motion = Motion(model, np.arange(60) / 60, rows)
    assert max(overlaps(model, motion.q).values()) > 0.05
    out = arms_outside(motion)
    assert overlaps(model, out.q) == {}
    moved = np.abs(bk.difference(model, motion.q, out.q))
    assert moved[:5].max() < 0.02
    assert moved[:, :6].max() < 1e-12 and moved[:, model.joint("right_shoulder").v].max() < 1e-12
    assert np.abs(np.diff(moved, axis=0)).max() < 0.06  # rad a frame: 0.3 rad in a tenth of a second and more
