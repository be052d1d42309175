"""Section 4 and 5: time it takes, contact by springs, balance once lost, and use by hand."""

from __future__ import annotations

import time

import numpy as np

import bunraku as bk
from bunraku.viewer.messages import Command
from bunraku.viewer.stage import Stage
from bunraku_reproduce.experiment import Experiment, part


def dragged(**options: object) -> bk.Choreography:
    """A figure whose left hand is pulled by 0.2 m while the right one is pinned, after 1.5 s."""
    c = bk.Choreography(**options)  # type: ignore[arg-type]
    c.pin("right_hand")
    drag = c.drag("left_hand")
    drag.to(drag.target + np.array([0.1, 0.1, -0.15]))
    c.run(1.5)
    return c


@part(
    "Sampling time, springs and dampers, real time",
    section="4",
    how="bk.Choreography(contact='penalty', dt=0.001); bunraku bench choreography",
    printed="Simulation on springs and dampers needs steps of 1 to 2 ms; it takes 10 to 20 times real time.",
)
def real_time(e: Experiment) -> None:
    for ms in (1, 2):
        c = dragged(contact="penalty", dt=1e-3 * ms)
        off = max(v.metres for v in c.violations)
        e.holds(f"springs/{ms}ms", "4", f"springs and dampers with implicit integration, steps of {ms} ms",
                f"{c.report.state}, hands within {1e3 * off:.1f} mm", c.report.state == "standing" and off < 0.02)  # fmt: skip
        pull = min((float(f[2]) for p in c.figure.contacts for f in p.forces), default=0.0)
        e.at_least(f"springs/{ms}ms-push", "4", "least force of the floor's points: none pulls", 0.0, pull, unit="N")
    c = bk.Choreography()
    c.pin("left_foot", axes="pose")
    c.pin("right_hand")
    drag = c.drag("left_hand")
    c.run(0.1)
    start, spent, told = drag.target.copy(), [], 0.0
    for k in range(120):
        drag.to(start + 0.1 * np.array([np.sin(0.1 * k), 0.0, np.cos(0.1 * k) - 1.0]))
        began = time.process_time()
        c.run(1.0 / 60.0)
        spent.append(time.process_time() - began)
        told = c.time
    slower = sum(spent) / (told - 0.1)
    e.at_most("speed/factor", "4", "computing time against real time: printed 10 to 20", 10.0, slower, unit="times")
    e.holds("speed/real-time", "5", "real time, which the paper hopes for",
            f"{1.0 / slower:.0f} times faster than real time, two pins and a drag, steps of 1 ms", slower < 1.0)  # fmt: skip


@part(
    "Balance once lost",
    section="4",
    how="bk.Choreography(balance=False), bk.Choreography(balance=True); c.world.push(…)",
    printed="Optimisation is local in time: balance once lost is not regained; a controller would be needed.",
)
def balance(e: Experiment) -> None:
    ends = {on: pushed(on) for on in (False, True)}
    c, _ = ends[False]
    e.holds("balance/lost", "4", "without a controller balance once lost is not regained",
            f"pushed with 120 N for 0.15 s: {c.report.state} after 3 s", c.report.state != "standing")  # fmt: skip
    c, back = ends[True]
    e.holds("balance/regained", "4", "a controller is needed: with ours it is regained",
            f"capture point 5 mm near its place again {back:.2f} s after the push, {c.report.state}",
            c.report.state == "standing" and back < 3.0)  # fmt: skip
    ends = {on: shoved(on) for on in (False, True)}
    e.holds("balance/step", "4", "a push that needs a step",
            f"0.8 N s/kg from behind: without steps {ends[False].report.state}, with them {ends[True].report.state} after "
            f"{ends[True].world.step_state.taken}",
            ends[False].report.state != "standing" and ends[True].report.state == "standing")  # fmt: skip
    seconds = risen()
    e.holds("balance/rise", "4", "a figure that has fallen",
            f"pushed off its feet, it gets up by itself and stands after {seconds:.0f} s", seconds < 20.0)  # fmt: skip


def shoved(steps: bool) -> bk.Choreography:
    """A figure 3 s after a shove of 0.8 N s/kg, which feet in place do not withstand."""
    c = bk.Choreography(steps=steps, rises=False)
    c.run(0.2)
    c.world.push(c.figure["trunk"], force=(8.0 * c.model.mass, 0.0, 0.0), seconds=0.1)
    c.run(3.0)
    return c


def risen() -> float:
    """Time that a figure takes from lying to standing [s]; 30 where it does not."""
    c = bk.Choreography(steps=False, rises=False)
    c.run(0.2)
    c.world.push(c.figure["trunk"], force=(20.0 * c.model.mass, 0.0, 0.0), seconds=0.1)
    c.run(0.3)
    c.balance = False  # limbs give way
    c.run(3.0)
    fell = c.report.state != "standing"
    c.balance = c.steps = c.rises = True
    for k in range(120):
        c.run(0.25)
        if fell and not c.rising and c.report.state == "standing" and c.report.com[2] > 0.8:
            return 0.25 * (k + 1)
    return 30.0


def pushed(on: bool) -> tuple[bk.Choreography, float]:
    """(a figure 3 s after a push from behind, when its capture point was back for good [s])."""
    c = bk.Choreography(balance=on)
    c.run(0.1)
    c.world.push(c.figure["trunk"], force=(120.0, 0.0, 0.0), seconds=0.15)
    c.run(0.15)
    back = 0.0
    for k in range(300):
        c.run(0.01)
        if np.linalg.norm(c.report.capture - c.report.reference) > 0.005:
            back = 0.01 * (k + 1)
    return c, back


@part(
    "Interactive, from scratch",
    section="1, 5",
    how="bunraku stage",
    printed="Links are pinned and dragged by hand, without reference motions; for remote control of humanoids and animation.",
)
def interactive(e: Experiment) -> None:
    c = bk.Choreography()
    show = Stage(c, playing=False)
    try:
        for order in (
            Command("pin", viewer=1, data={"link": "left_foot", "point": (0.0, 0.0, 0.0), "pose": True}),
            Command("drag", viewer=1, data={"link": "right_lower_arm", "point": (0.0, 0.0, -0.05), "pose": False}),
        ):
            show.command(order)
        show._obey({})
        target = c.drags[0].target + np.array([0.1, 0.0, 0.15])
        show.command(Command("to", viewer=1, data={"position": tuple(target)}))
        show._obey({})
        steps, start = 0, c.figure.pose(c.drags[0].link)[0].copy()
        while np.linalg.norm(c.figure.pose(c.drags[0].link)[0] - start) < 1e-3 and steps < 1000:
            c.step()
            steps += 1
        e.at_most("interactive/answer", "1", "a drag is answered at once: until the hand has gone 1 mm", 50.0,
                  1e3 * steps * c.world.dt, unit="ms")  # fmt: skip
        c.run(1.5)
        off = {v.item.kind: v.metres for v in c.violations}
        e.at_most(
            "interactive/drag", "1", "a dragged link follows: off after 1.5 s", 10.0, 1e3 * off["drag"], unit="mm"
        )
        e.at_most("interactive/pin", "1", "a pinned one stays: off", 1.0, 1e3 * off["pin"], unit="mm")
    finally:
        show.stop()
    links = [f.name for f in c.model.links if f.body]
    other = bk.Choreography()
    for link in links:
        other.pin(link)
    other.run(0.3)
    e.holds("interactive/any", "1", "any link can be pinned, any number of them", f"all {len(links)} links at once, {other.report.state}",
            other.report.state == "standing" and len(other.pins) == len(links))  # fmt: skip
    e.holds("interactive/kept", "5", "a motion made by hand can be used again: its score gives it bit for bit",
            f"{round(c.time / c.world.dt)} steps", replayed(c))  # fmt: skip


def replayed(c: bk.Choreography) -> bool:
    """Whether the score of a choreography gives the same pose."""
    score = c.score.copied()
    score.seconds = c.time
    return bool(np.array_equal(bk.Choreography.perform(score).figure.q, c.figure.q))
