"""A score performed: everything that happens in it, in its order, done to a choreography.

Checked in tests/choreography/test_score.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bunraku.choreography.dancer import Dancer
    from bunraku.choreography.engine import Choreography
    from bunraku.choreography.score import Act, GripAct, Score


def events(score: Score, dt: float) -> list[tuple[int, float, Any]]:
    """(step, order, what) of everything that happens, sorted."""
    out: list[tuple[int, float, Any]] = []

    def at(t: float) -> int:
        return round(t / dt)

    turns = [(act.order[0], at(act.begin), ("grip", act)) for act in score.grips]
    turns += [(act.order[1], at(act.end), ("ungrip", act)) for act in score.grips if act.end is not None]
    out += [(step, 0.5, what) for _, step, what in sorted(turns, key=lambda e: e[0])]
    for act in score.acts:
        if act.end is not None and at(act.end) == at(act.begin) and score.grips:
            continue  # it has done nothing, and what it was of may be gone
        out.append((at(act.begin), 1, ("begin", act)))
        over = at(act.end) if act.end is not None and act.end > act.begin else None  # a path may lead up to its end
        out += [(at(row[0]), 2, ("move", act, row)) for row in act.path if at(row[0]) != over]
        if act.end is not None:
            out.append((at(act.end), 0 if act.end > act.begin else 3, ("end", act)))
    out += [(at(t), 4, ("pose", joints)) for t, joints in score.poses]
    out += [(at(t), 5, ("balance", on)) for t, on in score.balances]
    out += [(at(t), 6, ("dynamics", on)) for t, on in score.dynamics]
    out += [(at(t), 7, ("steps", on)) for t, on in score.steps]
    out += [(at(t), 8, ("rises", on)) for t, on in score.rises]
    out += [(at(t), 9, ("get_up",)) for t in score.get_ups]
    out += [(at(t), 10, ("walk", place, yaw)) for t, place, yaw in score.walks]
    out += [(at(t), 11, ("told", who, what, value)) for t, who, what, value in score.told]
    return sorted(out, key=lambda e: e[:2])


def play(score: Score, c: Choreography, progress: Callable[[float], None] | None = None) -> None:
    """Do all of it to a choreography from its present time on, up to `length`."""
    dt, now, made, held = c.world.dt, 0, {}, {}
    last = round(score.length / dt)
    for step, _, what in events(score, dt):
        if step > last:
            break
        go(c, step - now, progress)
        now = step
        kind = what[0]
        if kind == "pose":
            c.pose({name: value or None for name, value in what[1].items()})
        elif kind == "balance":
            c.balance = what[1]
        elif kind == "dynamics":
            c.dynamics = what[1]
        elif kind in ("steps", "rises"):
            setattr(c, kind, what[1])
        elif kind == "get_up":
            c.get_up()
        elif kind == "walk":
            c.walk_to(what[1], what[2])
        elif kind == "told":
            tell(c[what[1]], what[2], what[3])
        elif kind in ("grip", "ungrip"):
            grip: GripAct = what[1]
            if kind == "ungrip":
                c.release(held[id(grip)])
            else:
                bears = {"break_force": grip.break_force, "break_torque": grip.break_torque}
                near = {} if grip.reach is None else {"reach": grip.reach}
                held[id(grip)] = c.grip(grip.link, grip.to, axes=grip.axes, **bears, **near)
        else:
            act: Act = what[1]
            if kind == "begin":
                more = {} if act.weight is None else {"weight": act.weight}
                if act.kind == "pin":
                    made[id(act)] = c.pin(act.link, act.point, axes=act.axes, at=act.at, rotation=act.rotation, **more)
                else:
                    own = None if act.axes == "pose" else act.rotation
                    made[id(act)] = c.drag(act.link, act.point, axes=act.axes, rotation=own, **more)
            elif kind == "move":
                row = what[2]
                c.move(made[id(act)], row[1:4], row[4:8] if len(row) == 8 else None)
            else:
                c.release(made[id(act)])
    go(c, last - now, progress)
    c.score.seconds = score.seconds


def go(c: Choreography, steps: int, progress: Callable[[float], None] | None) -> None:
    """Run on by steps."""
    while steps > 0:
        n = min(steps, 250)
        c.step(n)
        steps -= n
        if progress is not None:
            progress(c.time)


def tell(d: Dancer, what: str, value: Any) -> None:
    """Tell a figure what a score says."""
    if what == "get_up":
        d.get_up()
    elif what == "walk":
        d.walk_to(*value)
    else:
        setattr(d, what, value)
