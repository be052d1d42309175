"""Listings laid out like the report's (Figs 6.1-6.3), in its units (rad, kp, kp m), and one for SERVO.

The numbers are those of the arrays; nothing is computed here but kp = N / 9.81. Where the mode is `exact` the head says
so, and the iterations are those of our solver. Checked in tests/gait1988/test_solved_walk.py (the printed first row of
Fig. 6.2(c) and of Fig. 6.3(b) appear in the text).
"""

from __future__ import annotations

import numpy as np

from bunraku.gait1988.pattern import Gait
from bunraku.gait1988.report_integrator import ReportProgram
from bunraku.gait1988.report_moments import joint_positions, report_moments, translation_moments
from bunraku.gait1988.report_shooting import ReportSearch
from bunraku.gait1988.servo import drives, energies
from bunraku.gait1988.smooth import curves, support_rows, swing_rows
from bunraku.gait1988.solved_walk import Walk
from bunraku.gait1988.twelve_bodies import MASS, G


def gait_listing(gait: Gait) -> str:
    """GAIT: input copy and smoothed patterns of both legs (Fig. 6.1)."""
    out = ["CONTROL", ""]
    for k, pattern in enumerate(gait.patterns):
        out += [f"{pattern.name:<12} INDICES OF THE BREAK UP POINTS   ANGLES VALUES AT BREAK UP POINTS"]
        out += [f"{'':<12}{i:>12d}{a:>40.4f}" for i, a in zip(pattern.index, pattern.angle)]
        out += ["", f"NUMBER OF BREAK UP POINTS IS {len(pattern.index)}", ""]
        curve = curves(gait)[f"beta{k + 1}"]
        for title, index, sign in (
            ("SUPPORT LEG (LEFT)", support_rows(gait), 1.0),
            ("SWING LEG (RIGHT)", swing_rows(gait), -1.0),
        ):
            out += [f"{pattern.name}  {title}, TIME STEP = {gait.cycle / 80.0:.4f}"]
            out += [f"{'ORIGINAL GRAPH':>16}{'SMOOTHEN ANGLE':>16}{'VELOCITY':>16}{'ACCELERATION':>16}"]
            for i in index:
                numbers = (
                    curve.polyline[i],
                    sign * curve.angle[i],
                    sign * curve.velocity[i],
                    sign * curve.acceleration[i],
                )
                out.append("".join(f"{value:16.4f}" for value in numbers))
            out.append("")
    return "\n".join(out)


def head(walk: Walk, title: str) -> list[str]:
    """Title, mode, factors and ZMP."""
    gait = walk.gait
    out = [
        title,
        "",
        "FOR",
        f"{gait.name.upper()}   MODE {walk.mode.upper()}{'   ARMS FREE' if walk.arms_free else ''}",
        "",
    ]
    out.append(f"SCALE FACTORS      PER={gait.time_factor:8.4f}      SFO={gait.angle_factor:8.4f}")
    begin = 0.0
    for end, x in zip(gait.zmp.until, gait.zmp.x):
        out.append(f"SUPP. LOGIC - ZMP = {x:6.3f} FOR TIME {begin:6.3f} TO {end:6.3f}")
        begin = end
    return [*out, ""]


def bidyn_listing(walk: Walk) -> str:
    """BIDYN: iterations and the walk (Fig. 6.2)."""
    out = head(walk, "BIPED'S NOMINAL DYNAMICS")
    found = walk.search
    if isinstance(found, ReportSearch):
        for trial in (*found.failed, found):
            out += search_lines(trial)
    else:
        out.append("NO INITIAL VALUE IS NEEDED; GAP OF ALL SEGMENTS AFTER EACH ITERATION")
        out += [f"ITERATION {k:3d}{gap:18.6e}" for k, gap in enumerate(found.history)]
    out += ["", f"SOLUTION FOUND IN {walk.iterations} ITERATIONS", ""]
    names = ("TIME", "THETA", "PSI", "DTHETA", "DPSI", "FORCE X", "FORCE Y", "FORCE Z", "D2THETA", "D2PSI")
    units = (
        "(SEC)",
        "(RAD)",
        "(RAD)",
        "(RAD/SEC)",
        "(RAD/SEC)",
        "(KP)",
        "(KP)",
        "(KP)",
        "(RAD/SEC**2)",
        "(RAD/SEC**2)",
    )
    out += ["".join(f"{n:>13}" for n in names), "".join(f"{u:>13}" for u in units)]
    for row in bidyn_rows(walk):
        out.append("".join(f"{value:13.4f}" for value in row))
    return "\n".join([*out, ""])


def search_lines(found: ReportSearch) -> list[str]:
    """The iterations from one start, and its end where it failed (Fig. 6.2(a))."""
    out = ["STATE VECTOR INITIAL VALUE " + four(found.first)]
    for step in found.iterations:
        out += [f"ITERATION {step.number}", "IN. VAL. PERTB.          " + four(step.move)]
        if not np.array_equal(step.move, step.scaled):
            out.append("NORMLZD. IN. VAL. PERTB. " + four(step.scaled))
        out += ["NEW IN. VAL.             " + four(step.start), "TERMLN. VAL.             " + four(step.end)]
        out.append(f"PERF. INDEX {step.index:18.8f}")
    if found.stopped:
        out += [f"TIME INDEX {found.stopped}", "STATE VECTOR NORM IS TOO BIG, TRY NEW INITIAL VALUE", ""]
    elif not found.converged and found.status != "given":
        out += [found.status.upper() + ", TRY NEW INITIAL VALUE", ""]
    return out


def bidyn_rows(walk: Walk) -> np.ndarray:
    """The columns of Fig. 6.2(c): time, theta, psi, rates, forces in kp, accelerations."""
    c = walk.coordinates
    return np.column_stack([walk.time, c[:, :2, 0], c[:, :2, 1], walk.force / G, c[:, :2, 2]])


def four(values: np.ndarray) -> str:
    """Numbers as in the report's iteration lines."""
    return "".join(f"{value:16.8f}" for value in values)


def moma_listing(walk: Walk, rows: slice = slice(None)) -> str:
    """MOMA: joint torques and the 12 bodies at every row (Fig. 6.3); in mode historical the report's own torques."""
    out = head(walk, "BIPED'S NOMINAL DYNAMICS")
    out.append("STATE VECTOR INITIAL VALUE " + four(walk.start[:4]))
    translation, rotation, total = torque_tables(walk)
    for n in range(len(walk.time))[rows]:
        out += ["", f"TIME {walk.time[n]:8.3f}"]
        for title, table in (("TRANSLATION", translation), ("ROTATION", rotation), ("TOTAL", total)):
            out.append(f"{title} TORQUES (KPM)")
            out.append("    " + "".join(f"{f'JOINT {k}':>14}" for k in range(1, 8)))
            for axis in range(3):
                out.append(f"TQ{'XYZ'[axis]} " + "".join(f"{value:14.5E}" for value in table[n, :, axis]))
        out.append("CENTER'S OF GRAVITY DYNAMICS")
        for first in (0, 6):
            for order, mark in enumerate(("", "D", "D2")):
                for axis in range(3):
                    cells = [f"{mark}{'XYZ'[axis]}({i + 1})" for i in range(first, first + 6)]
                    values = walk.bodies[n, first : first + 6, axis, order]
                    out.append("".join(f"{cell:>8}{value:12.4E}" for cell, value in zip(cells, values)))
    out += ["", "STATE VECTOR TERMINAL VALUE " + four(walk.end[:4]), ""]
    return "\n".join(out)


def torque_tables(walk: Walk) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """TRANSLATION, ROTATION, TOTAL (n, 7, 3) in kp m."""
    if walk.mode == "historical":
        program = ReportProgram(walk.gait)
        moments = report_moments(program, program.run(walk.start, 1e3))
        return moments.translation, moments.rotation, moments.total
    total = -walk.moments / G
    joints = joint_positions(walk.bodies, walk.coordinates[:, 4, 0], 0.0)
    translation = translation_moments(walk.bodies, joints, MASS)
    return translation, translation - total, total


def servo_listing(walk: Walk) -> str:
    """SERVO: every drive over time, then its energy over the step."""
    out = head(walk, "DRIVES: ANGLE (RAD), SPEED (RAD/SEC), TORQUE (N M), POWER (W)")
    for drive in drives(walk):
        out += [drive.name.upper(), f"{'TIME':>10}{'ANGLE':>12}{'SPEED':>12}{'TORQUE':>12}{'POWER':>12}"]
        for row in zip(walk.time, drive.angle, drive.speed, drive.torque, drive.power):
            out.append(f"{row[0]:10.4f}" + "".join(f"{value:12.4f}" for value in row[1:]))
        out.append("")
    out.append(
        f"{'ENERGY OVER ONE STEP (J)':<26}{'POSITIVE':>12}{'NEGATIVE':>12}{'NET':>12}{'PEAK N M':>12}{'PEAK W':>12}"
    )
    peaks = {d.name: (np.abs(d.torque).max(), np.abs(d.power).max()) for d in drives(walk)}
    for name, energy in energies(walk).items():
        numbers = (energy.positive, energy.negative, energy.net, *peaks[name])
        out.append(f"{name.upper():<26}" + "".join(f"{value:12.4f}" for value in numbers))
    return "\n".join([*out, ""])
