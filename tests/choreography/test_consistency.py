"""Every motion made is physical: recomputed from the saved recording, and replayed in a plain world."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.recording.reader import Recording

MU = 0.8


def drag_slowly(c, seconds=1.0, by=(0.1, 0.1, -0.2)):
    """Drag the left hand along a straight way while the right one is pinned."""
    c.pin("right_hand")
    d = c.drag("left_hand")
    start, parts = d.target.copy(), 50
    for k in range(parts):
        d.to(start + np.array(by) * (k + 1) / parts)
        c.run(seconds / parts)
    return d


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A recorded drag that ends in a fall: standing, falling and lying all count."""
    path = tmp_path_factory.mktemp("dance") / "drag.bkr"
    c = bk.Choreography(friction=MU)
    with c.record(path):
        d = drag_slowly(c)
        c.balance = False
        d.to(d.target + np.array([0.5, 0.3, -0.2]))
        c.run(1.0)
    return path


def base_residuals(path):
    """(residual of the six base rows [N or N m], pull [N], cone excess [N]) of every step, from the file alone."""
    with Recording.open(path) as r:
        model, f = r.model, r.frames
        q, v, dt = f.q.astype(float), f.v.astype(float), r.dt
        start, first = f.patch_start, f.point_start
        worst, pull, cone = [], [], []
        for k in range(1, len(f)):
            a = (v[k] - v[k - 1]) / dt
            places = bk.kinematics(model, q[k - 1])
            f_ext = np.zeros((model.nb, 6))
            for p in range(start[k], start[k + 1]):
                n = f.normal[p].astype(float)
                for i in range(first[p], first[p + 1]):
                    force, x = f.forces[i].astype(float), f.points[i].astype(float)
                    press = force @ n
                    pull.append(-press)
                    cone.append(np.linalg.norm(force - press * n) - MU * press)
                    for shape, sign in ((f.patches[p, 0], 1.0), (f.patches[p, 1], -1.0)):
                        b = r.shapes[shape][1]
                        if b:
                            f_ext[b, :3] += sign * force
                            f_ext[b, 3:] += sign * np.cross(x - places.position[b], force)
            worst.append(np.abs(bk.rnea(model, q[k - 1], v[k - 1], a, f_ext)[:6]).max())
        return np.array(worst), np.array(pull), np.array(cone), 9.80665 * model.mass


def test_the_six_unactuated_rows_hold_in_the_recording(recorded):
    worst, pull, cone, weight = base_residuals(recorded)
    assert worst.max() < 1e-6 * weight
    assert pull.max() < 1e-6 * weight and cone.max() < 1e-6 * weight


def test_torques_replay_in_a_plain_world(tmp_path):
    """Open loop, the same step, integrator and contact model: bit for bit, not only within 1e-3 rad."""
    c = bk.Choreography()
    start = c.figure.q.copy()
    with c.record(tmp_path / "slow.bkr"):
        drag_slowly(c)
    with Recording.open(tmp_path / "slow.bkr") as r:
        torques, q = r.torques.copy(), r.q.copy()
    world = bk.World()
    world.add_ground(friction=0.8)
    fig = world.add(bk.human())
    fig.q[:] = start
    for k in range(1, len(torques)):
        fig.tau[:] = torques[k]
        world.step()
        assert np.array_equal(fig.q, q[k]), f"step {k}: {np.abs(fig.q - q[k]).max()}"


@pytest.mark.parametrize("contact", ["penalty", "virtual_link"])
def test_other_contact_models_need_little_help(contact, tmp_path):
    """The same torques under another contact model, with servos along the motion: their share of torque is small."""
    c = bk.Choreography()
    start = c.figure.q.copy()
    with c.record(tmp_path / "slow.bkr"):
        drag_slowly(c)
    with Recording.open(tmp_path / "slow.bkr") as r:
        torques, q, v = (x.astype(float).copy() for x in (r.torques, r.q, r.v))
    world = bk.World(contact=contact)
    world.add_ground(friction=0.8)
    fig = world.add(bk.human())
    fig.q[:] = start
    fig.servo(500.0, 30.0, target=start)
    share, size = 0.0, 0.0
    for k in range(1, len(torques)):
        fig.tau[:] = torques[k]
        fig.target_q[:], fig.target_v[:] = q[k], v[k]
        world.step()
        share = max(share, np.abs((fig.applied - torques[k])[6:]).max())
        size = max(size, np.abs(torques[k][6:]).max())
        assert np.abs(bk.difference(c.model, fig.q.copy(), q[k])).max() < 0.02
    print(f"{contact}: servos give up to {share:.2f} N m of {size:.1f} N m")
    assert share < 0.25 * size
