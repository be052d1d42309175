"""Report of a walk: what a recording of a walking figure says of its feet, zero-moment point, torques and cost, beside
the pattern it followed.

    report = walk_report(recording, pattern)
    report.summary()                          # distance, speed, fall, margin, cost of transport … as plain data

From the recording alone (bunraku.humanoid.foot_loads, .recording):
    distance    length of the way through the middles between the soles at the start, at every landing and at the end, until a fall [m]
    speed       distance over the time from the first foot lifted to the last one landed [m/s]
    fall        the first time when something else than the feet carries more than 5 % of the weight, or the centre of mass is
                lower above the lower sole than 60 % of its first height
    margin      of the zero-moment point, from the edge of the soles that stand [m]; on one foot (`supports`: without 20 ms at both ends), and overall
    noise       upward force of both feet together from the first lift on, landings and all, above NOISE_HZ (zero-phase
                Butterworth) after means over 5 ms (walking.landings), largest and root mean square, as a share of the
                weight; `noise_alone`: that of the foot that stands alone, each of `supports` by itself
    descents    how feet came down: touches before each landing and its largest force (walking.landings)
    power       torque times mean rate of a step, of every driven degree of freedom (a free base and joints with springs are not)
    cost        of transport: positive mechanical work / (weight * distance)
A figure that carries something is given as a Humanoid that holds it: what it carries counts in the weight.
With a pattern also the deviation of the zero-moment point from its reference, at the pattern's phase (`phases`), and of
the soles from where they were to stand at the end. World axes, SI, sides (left, right). Checked in
tests/walking/test_walk_report.py.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import signal

from bunraku.dynamics.functions import centroidal
from bunraku.humanoid.foot import Foot, feet_in
from bunraku.humanoid.foot_loads import FootLoads, foot_loads, number_of, runs
from bunraku.humanoid.parts import Humanoid, humanoid
from bunraku.model.model import Model
from bunraku.recording.reader import Recording
from bunraku.walking.landings import Landing, mean_force
from bunraku.walking.landings import landings as descents
from bunraku.walking.missed_steps import MissedStep, missed_steps
from bunraku.walking.walking_pattern import WalkingPattern

NOISE_HZ = 30.0
ENDS = 0.02  # s of a support left out at each end
SHORTEST, MOVED = 0.1, 0.015  # s: a support or swing that counts; m that a foot moves in one
LOW, CARRIES = 0.6, 0.05  # of a fall, see the module text


@dataclass(frozen=True, eq=False)
class WalkReport:
    """What a recording says of a walk: n frames, without the first of the recording; two feet, left and right. `loads`
    are the forces, centres of pressure and states of the feet; `summary()` is a table of it all. See docs/walking.md.
    """

    title: str
    figure: str
    loads: FootLoads
    com: np.ndarray  # (n, 3) m
    zmp: np.ndarray  # (n, 3) m, NaN in the air
    reference: np.ndarray | None  # (n, 3) m: of the pattern at its phase, its last one after its end
    margin: np.ndarray  # (n,) m
    torques: np.ndarray  # (n, nd) N m or N
    power: np.ndarray  # (n, nd) W
    driven: tuple[str, ...]  # names of the nd driven degrees of freedom
    fell: float | None  # s
    landings: tuple[tuple[float, int], ...]  # (time, side)
    distance: float  # m
    speed: float  # m/s
    noise: tuple[float, float]  # largest and root mean square, of the weight, landings and all
    noise_alone: tuple[float, float]  # the same on one foot; NaN without single support
    descents: tuple[Landing, ...]  # how feet came down
    missed: tuple[MissedStep, ...]  # steps that were not done as planned; none without a pattern
    final_error: tuple[float, float] | None  # m and rad: farther of the two soles from its planned place
    pushes: tuple[tuple[float, float, float], ...]  # (begin [s], end [s], N)

    @property
    def times(self) -> np.ndarray:
        """(n,) s."""
        return self.loads.times

    @property
    def work(self) -> tuple[float, float]:
        """Positive and negative mechanical work of the driven degrees of freedom, until a fall [J]."""
        dt = np.diff(
            self.times, prepend=self.times[0] - (self.times[1] - self.times[0] if len(self.times) > 1 else 0.0)
        )
        each = (self.power * dt[:, None])[self.before]
        return float(each[each > 0].sum()), float(each[each < 0].sum())

    @property
    def cost_of_transport(self) -> float:
        """Positive work [J] over weight [N] and distance [m]; infinite where it got nowhere."""
        return self.work[0] / (self.loads.weight * self.distance) if self.distance > 1e-3 else np.inf

    @property
    def before(self) -> np.ndarray:
        """(n,): whether it has not fallen yet."""
        return np.asarray(self.times < (np.inf if self.fell is None else self.fell))

    def summary(self) -> dict[str, Any]:
        """What a person wants to know, as plain data (SI)."""
        on, before = self.loads.touches, self.before
        single = (on[:, 0] ^ on[:, 1]) & before
        alone = np.concatenate([np.zeros(0), *(self.margin[a:b] for a, b, _ in supports(self.loads, self.fell))])
        peak = int(np.abs(self.torques).max(axis=0).argmax()) if self.torques.size else None
        off = (
            np.linalg.norm((self.zmp - self.reference)[before & on.any(axis=1), :2], axis=1)
            if self.reference is not None
            else None
        )
        return {
            "figure": self.figure,
            "simulated_s": float(self.times[-1]),
            "steps": len(self.landings),
            "distance_m": self.distance,
            "speed_m_s": self.speed,
            "falls": int(self.fell is not None),
            "fell_s": self.fell,
            "final_error_m": None if self.final_error is None else self.final_error[0],
            "final_error_deg": None if self.final_error is None else float(np.degrees(self.final_error[1])),
            "zmp_margin_m": {
                "single_least": least(alone),
                "single_mean": mean(alone),
                "least": least(self.margin[before]),
                "mean": mean(self.margin[before]),
            },
            "zmp_error_m": None if off is None else {"rms": rms(off), "most": float(np.nanmax(off, initial=0.0))},
            "cost_of_transport": self.cost_of_transport,
            "positive_work_J": self.work[0],
            "negative_work_J": self.work[1],
            "peak_torque": None if peak is None else {"joint": self.driven[peak], "value": float(np.abs(self.torques[:, peak]).max())},
            "peak_power_W": float(np.abs(self.power.sum(axis=1)).max(initial=0.0)),
            "support_share": {
                "single": share(single, before),
                "double": share(on[:, 0] & on[:, 1], before),
                "none": share(~on[:, 0] & ~on[:, 1], before),
            },
            "noise_of_weight": {
                "most": self.noise[0], "rms": self.noise[1],
                "alone_most": self.noise_alone[0], "alone_rms": self.noise_alone[1],
            },
            "missed_steps": [x.plain() for x in self.missed],
            "landings": [x.plain() for x in self.descents],
            "weight_N": self.loads.weight,
            "pushes": [{"begin_s": a, "end_s": b, "newtons": f} for a, b, f in self.pushes],
        }  # fmt: skip


def walk_report(
    recording: Recording,
    feet: Humanoid | Model | Sequence[Foot],
    pattern: WalkingPattern | None = None,
    *,
    figure: str | None = None,
    driven: Collection[str] | None = None,
) -> WalkReport:
    """The report of a recording. feet: the figure that walked, or its soles (left, right) in the recorded figure's
    model; pattern: what was planned, from the recording's first time on; figure: its name in the recording, the one
    with the most joints by default; driven: joints with motors, all without springs by default."""
    f = recording.figure(figure)
    carried = 0.0
    if isinstance(feet, Humanoid | Model):
        h = humanoid(feet)
        feet, carried = feet_in(f.model, h.feet, h.model), 0.0 if h.holding is None else h.holding.load.carried
    loads, number = foot_loads(recording, feet, f.name), number_of(recording, f)
    if carried:
        loads = replace(loads, weight=loads.weight + carried * float(np.linalg.norm(recording.gravity)))
    frames = recording.frames
    q, v = (np.ascontiguousarray(a, dtype=float) for a in (frames.q[:, f.part.q], frames.v[:, f.part.v]))
    com = centroidal(f.model, q, v).com[1:]
    zmp = recording.zmp[1:, number]
    fell = fall(loads, com)
    landings, (begin, end) = landed(loads, fell)
    motors = [j for j in f.model.joints if j.nv and j.kind != "free" and (driven is None or j.name in driven)]
    dofs = np.array(
        [k for j in motors for k in range(j.iv, j.iv + j.nv) if driven is not None or not f.model.stiffness[k]],
        dtype=int,
    )
    torques = frames.torques[1:, f.part.v].astype(float)[:, dofs]
    distance = way(loads, landings, fell)
    reference, error = None, None
    if pattern is not None:
        at = phases(loads.times, float(frames.times[0]), pattern, landings)
        reference = np.column_stack([np.interp(at, pattern.times, column) for column in np.asarray(pattern.zmp).T])
        error = off_places(loads, pattern) if fell is None else None
    return WalkReport(
        recording.title, f.name, loads, com, zmp, reference, loads.margin(zmp), torques, torques * (0.5 * (v[1:] + v[:-1]))[:, dofs],
        tuple(f.model.dof_names[k] for k in dofs), fell, landings, distance, distance / (end - begin) if end > begin else 0.0,
        noise(loads, fell, begin), noise_alone(loads, fell), descents(loads, fell),
        () if pattern is None else missed_steps(f.model, q[1:], loads, pattern, landings), error,
        tuple((e["time"], float(e["until"]), float(np.linalg.norm(e["wrench"][:3]))) for e in recording.events if e["kind"] == "push"),
    )  # fmt: skip


def phases(
    times: np.ndarray, begin: float, pattern: WalkingPattern, landings: Sequence[tuple[float, int]]
) -> np.ndarray:
    """(n,): the pattern's time at each time of a walk that began at `begin`: straight between landings, the k-th one
    measured being the k-th one planned; a walker that waits for its foot to land runs late."""
    contact, at = np.asarray(pattern.contact), np.asarray(pattern.times, dtype=float)
    down = [
        (float(at[k + 1]), side) for side in (0, 1) for k in np.flatnonzero(~contact[:-1, side] & contact[1:, side])
    ]
    planned, measured = [float(at[0])], [begin]
    for (t, side), (wanted, other) in zip(landings, sorted(down)):
        if side != other or t <= measured[-1] or wanted <= planned[-1]:
            break
        planned.append(wanted)
        measured.append(t)
    late = measured[-1] - planned[-1]
    return np.interp(times, [*measured, measured[-1] + 1e3], [*planned, measured[-1] + 1e3 - late])


def fall(loads: FootLoads, com: np.ndarray) -> float | None:
    """When it fell [s]; None if it did not."""
    height = com[:, 2] - loads.position[..., 2].min(axis=1)
    down = (loads.other > CARRIES * loads.weight) | (height < LOW * height[0])
    return float(loads.times[int(np.argmax(down))]) if down.any() else None


def landed(loads: FootLoads, fell: float | None) -> tuple[tuple[tuple[float, int], ...], tuple[float, float]]:
    """((time, side) of every landing after a swing, before a fall; (first lift, last landing) [s])."""
    out, lifts, t = [], [], loads.times
    last = np.inf if fell is None else fell
    for side in (0, 1):
        for a, b in runs(~loads.touches[:, side]):
            if a == 0 or b == len(t) or t[b] - t[a] < SHORTEST or t[b] >= last:
                continue
            moved = np.linalg.norm(loads.position[a:b, side] - loads.position[a - 1, side], axis=1).max()
            if moved > MOVED:
                out.append((float(t[b]), side))
                lifts.append(float(t[a]))
    out.sort()
    return tuple(out), ((min(lifts), out[-1][0]) if out else (0.0, 0.0))


def way(loads: FootLoads, landings: Sequence[tuple[float, int]], fell: float | None) -> float:
    """Length of the way through the middles between the soles [m]."""
    last = len(loads.times) - 1 if fell is None else max(0, int(np.searchsorted(loads.times, fell)) - 1)
    rows = [0, *(int(np.searchsorted(loads.times, t)) for t, _ in landings)] + ([last] if fell is None else [])
    middle = loads.position[rows, :, :2].mean(axis=1)
    return float(np.linalg.norm(np.diff(middle, axis=0), axis=1).sum())


def noise(loads: FootLoads, fell: float | None, begin: float = 0.0) -> tuple[float, float]:
    """Largest and root mean square share of the weight above NOISE_HZ in the upward force of both feet, from `begin` [s]
    to a fall."""
    rows = slice(*np.searchsorted(loads.times, [begin, np.inf if fell is None else fell]))
    return above_cut(loads, [mean_force(loads.force[rows, :, 2].sum(axis=1), loads.times[rows])])


def noise_alone(loads: FootLoads, fell: float | None) -> tuple[float, float]:
    """The same in that of a foot that stands alone, step by step of the world."""
    return above_cut(loads, [loads.force[a:b, side, 2] for a, b, side in supports(loads, fell)])


def above_cut(loads: FootLoads, forces: list[np.ndarray]) -> tuple[float, float]:
    """Largest and root mean square share of the weight above NOISE_HZ in stretches of force; NaN without any."""
    dt = float(np.median(np.diff(loads.times)))
    if 2 * NOISE_HZ * dt >= 1:
        return np.nan, np.nan
    sections = signal.butter(2, NOISE_HZ, "highpass", fs=1.0 / dt, output="sos")
    left = [signal.sosfiltfilt(sections, f) / loads.weight for f in forces if len(f) > SHORTEST / dt]
    if not left:
        return np.nan, np.nan
    every = np.concatenate(left)
    return float(np.abs(every).max()), rms(every)


def supports(loads: FootLoads, fell: float | None) -> list[tuple[int, int, int]]:
    """(first row, row after the last, side) of every stretch on one foot before a fall, of SHORTEST or longer, ENDS
    left out at both ends."""
    ends, before = (
        round(ENDS / float(np.median(np.diff(loads.times)))),
        loads.times < (np.inf if fell is None else fell),
    )
    long = round(SHORTEST / float(np.median(np.diff(loads.times))))
    spans = [
        (a, b, side) for side in (0, 1) for a, b in runs(loads.touches[:, side] & ~loads.touches[:, 1 - side] & before)
    ]
    return [(a + ends, b - ends, side) for a, b, side in spans if b - a >= long]


def off_places(loads: FootLoads, pattern: WalkingPattern) -> tuple[float, float]:
    """How far the soles end from where the pattern has them: m and rad (about the vertical), the larger of both feet."""
    apart = np.linalg.norm(loads.position[-1, :, :2] - np.asarray(pattern.sole_position)[-1, :, :2], axis=1)
    ahead, wanted = loads.rotation[-1, :, :, 0], np.asarray(pattern.sole_rotation)[-1, :, :, 0]
    turn = np.arctan2(ahead[:, 1], ahead[:, 0]) - np.arctan2(wanted[:, 1], wanted[:, 0])
    return float(apart.max()), float(np.abs((turn + np.pi) % (2 * np.pi) - np.pi).max())


def share(mask: np.ndarray, rows: np.ndarray) -> float:
    """Of some rows, the share where a mask is true."""
    return float((mask & rows).sum()) / max(1.0, float(rows.sum()))


def least(x: np.ndarray) -> float | None:
    """Smallest finite number; None where there is none."""
    x = x[np.isfinite(x)]
    return float(x.min()) if len(x) else None


def mean(x: np.ndarray) -> float | None:
    """Mean of the finite numbers; None where there is none."""
    x = x[np.isfinite(x)]
    return float(x.mean()) if len(x) else None


def rms(x: np.ndarray) -> float:
    """Root mean square of the finite numbers."""
    x = x[np.isfinite(x)]
    return float(np.sqrt((x * x).mean())) if len(x) else 0.0
