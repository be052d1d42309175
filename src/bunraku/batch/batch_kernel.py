"""Worlds of one thread, one after the other: each takes the thread's scratch and does all its steps.

Between two steps of a world comes what changes within them: pushes end, commands arrive late. A world that fails stands
still at its last good state and keeps the reason; the others know nothing of it. Checked in tests/batch/.
"""

from __future__ import annotations

from bunraku.batch.batch_arrays import Batch
from bunraku.batch.seats import take_seat
from bunraku.kernel.compile import part
from bunraku.kernel.entry import entry
from bunraku.kernel.table import run
from bunraku.kernel.vec import add, cross, ld3, ld9, mv, st3
from bunraku.model.layout import NW, ROT
from bunraku.step.euler import FREE, many_steps
from bunraku.step.step_arrays import OK, Step


@entry("h h I", nogil=True)
def run_worlds(h, batch, chosen):
    """Do the steps that are left of the chosen worlds, with the scratch of table h."""
    b = Batch(batch)
    each = len(b.pushes) // b.left.shape[0]
    late = b.ring.shape[1] > 0
    for k in range(chosen.shape[0]):
        w = chosen[k]
        take_seat(h, batch, w)
        while b.left[w] > 0 and b.status[w] == OK:
            n = b.left[w]
            if each > 0 and push_bodies(h, b, w, each):
                n = 1
            if late:
                delay_commands(Step(h), b, w)
                n = 1
            done, status = many_steps(h, n)
            b.left[w] -= done
            b.now[w] += done
            b.status[w] = status


@part
def push_bodies(h, b: Batch, w, each):
    """The forces on all bodies of world w in its coming step; whether there are any."""
    s = Step(h)
    f_ext = s.f_ext
    for k in range(f_ext.shape[0]):
        f_ext[k] = 0.0
    any_push = False
    posed = False
    for j in range(each):
        push = b.pushes[w * each + j]
        if push.until <= b.now[w]:
            continue
        any_push = True
        x = push.place
        torque = push.torque
        if x[0] != 0.0 or x[1] != 0.0 or x[2] != 0.0:
            if not posed:  # the bodies' rotations at the start of the step
                s.rows.count.tries = 0
                run(h, FREE)
                posed = True
            torque = add(torque, cross(mv(ld9(s.work, push.body * NW + ROT), x), push.force))
        i = 6 * push.body
        st3(f_ext, i, add(ld3(f_ext, i), push.force))
        st3(f_ext, i + 3, add(ld3(f_ext, i + 3), torque))
    return any_push


@part
def delay_commands(s: Step, b: Batch, w):
    """Remember what is asked of world w now, and let the drives know what was asked so many steps ago."""
    rows = b.ring.shape[1]
    new = b.now[w] % rows
    old = (b.now[w] + rows - b.delays[w]) % rows
    nq = s.target_q.shape[0]
    nv = s.target_v.shape[0]
    for k in range(nq):
        b.ring[w, new, k] = b.wanted_q[w, k]
        s.target_q[k] = b.ring[w, old, k]
    for k in range(nv):
        b.ring[w, new, nq + k] = b.wanted_v[w, k]
        s.target_v[k] = b.ring[w, old, nq + k]
        b.ring[w, new, nq + nv + k] = b.wanted_tau[w, k]
        s.tau[k] = b.ring[w, old, nq + nv + k]
