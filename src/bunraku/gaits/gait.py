"""Gait: a periodic step of a whole figure with its forces, found by `make_gait` from mechanics alone, and kept in a small
file.

A gait belongs to a height and a mass. `human` is self-similar, so that it serves every other: lengths scale with the
height, times with its square root, forces with the mass (`scaled`; Froude number kept). `at` gives coordinates at any
time, `solved` several steps with torques and contact forces as a recording has them. Files are NPZ without objects, some
20 kB. Checked in tests/gaits/test_make_gait.py.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.dynamics.functions import centroidal, rnea
from bunraku.errors import FormatError, InputError
from bunraku.files import cannot_be_read, check_unpacked, write_bytes
from bunraku.gaits.hinge_twin import Twin, twin_of
from bunraku.gaits.sole_points import SIDES, carriers, soles
from bunraku.gaits.step_plan import StepPlan
from bunraku.gaits.step_problem import CORNER, FOOT, GRAVITY
from bunraku.gaits.step_spline import StepSpline
from bunraku.model.body_1996 import with_inertias_of_1996
from bunraku.model.body_lengths import Measures, standard
from bunraku.model.human import describe_human, in_range
from bunraku.motion.solved import Solved, Touch, assemble

FORMAT, VERSION = "bunraku gait", 2


@dataclass(frozen=True, eq=False)
class Gait:
    """plan: what was asked; height [m] and mass [kg] of the figure; coefficients (N, n) of its spline; forces (N, 8, 3)
    [N] at the four corners of the leading (left) foot's sole and of the trailing foot's; ends: what comes before and
    after a step that starts or stops a walk (StepSpline)."""

    plan: StepPlan
    height: float
    mass: float
    coefficients: np.ndarray
    forces: np.ndarray
    ends: tuple[np.ndarray, np.ndarray] | None = None

    @cached_property
    def twin(self) -> Twin:
        """The figure as a tree of single joints."""
        return walking_twin(self.height, self.mass)

    @property
    def measures(self) -> Measures:
        """Lengths of the figure."""
        return standard(self.height)

    @cached_property
    def spline(self) -> StepSpline:
        """The step's spline."""
        return StepSpline(self.plan.nodes, self.plan.seconds, self.plan.length, self.twin.mirror, self.ends)

    def at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates of the twin, their rates and accelerations at times [s]; the left heel strikes at 0."""
        return self.spline.at(self.coefficients, np.asarray(times, dtype=float))

    def forces_at(self, times: np.ndarray) -> np.ndarray:
        """(len(times), 2, 4, 3) [N]: forces at the corners of the left and the right sole, linear between nodes."""
        N, T = self.plan.nodes, self.plan.seconds
        u = np.asarray(times, dtype=float) / T * N
        k = np.floor(u).astype(int)
        s = (u - k)[:, None, None, None]
        return (1 - s) * self._nodes(k) + s * self._nodes(k + 1)

    def _nodes(self, k: np.ndarray) -> np.ndarray:
        """Corner forces at whole nodes, of any step."""
        turns, at = np.divmod(k, self.plan.nodes)
        if self.ends is not None:
            turns, at = np.zeros_like(k), np.clip(k, 0, self.plan.nodes - 1)
        out = np.zeros((len(k), 2, 4, 3))
        out[:, FOOT, CORNER] = self.forces[at]
        odd = turns % 2 != 0
        mirrored = out[odd][:, ::-1][:, :, [1, 0, 3, 2]] * np.array([1.0, -1.0, 1.0])
        out[odd] = mirrored
        return out

    def figure_q(self, times: np.ndarray) -> np.ndarray:
        """Configurations of the figure (n, nq) [m, rad] at times [s]."""
        return self.twin.figure_q(self.at(times)[0])

    def torques(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, coordinates) [N m] of the twin: torques at the joints, and zeros (as far as the gait is solved) at the
        base; and (n, 2, 4, 3) the corners' places [m]."""
        Q, V, A = self.at(times)
        F = self.forces_at(times)
        s = soles(self.twin, Q, self.measures.sole[1] / 2, carriers(self.twin))
        model = self.twin.model
        wrench = np.zeros((len(Q), model.nb, 6))
        for f, side in enumerate(SIDES):
            body = model.frame(f"{side}_foot").body
            wrench[:, body, :3] = F[:, f].sum(axis=1)
            wrench[:, body, 3:] = np.cross(s.corners[:, f], F[:, f]).sum(axis=1)
        return rnea(model, Q, V, A, wrench), s.corners + s.origin[:, :, None]

    def solved(self, steps: int = 10, fps: float = 200.0) -> Solved:
        """Several steps with ground reaction and torques, at `fps` frames a second, for films, plots and recordings."""
        if not (isinstance(steps, int) and 1 <= steps <= 10_000):
            raise InputError(f"gait: {steps} steps; give a whole number from 1 to 10000.")
        dt = 1.0 / fps
        times = np.arange(0.0, steps * self.plan.seconds, dt)
        figure = self.twin.figure
        q, v = self.figure_q(times), self.figure_v(times)
        tau, places = self.torques(times)
        F = self.forces_at(times)
        torques = np.zeros((len(times), figure.nv))
        for joint in figure.joints:
            if joint.nv == 1:
                torques[:, joint.iv] = tau[:, self.twin.index[joint.name]]
            elif joint.kind == "ball":
                torques[:, joint.v] = self.ball_torques(joint.name, times, tau)
        touches = [
            [Touch(f"{side}_foot", places[k, f], F[k, f]) for f, side in enumerate(SIDES) if np.abs(F[k, f]).sum() > 0]
            for k in range(len(times))
        ]
        meta = {"gait": self.plan.speed}
        return assemble(figure, dt, q, v, torques, touches, meta=meta)

    def figure_v(self, times: np.ndarray) -> np.ndarray:
        """Rates of the figure (n, nv) [m/s, rad/s], by differences of a thousandth of a node's time."""
        from bunraku.model.configuration import difference

        h = 1e-3 * self.plan.seconds / self.plan.nodes
        return difference(self.twin.figure, self.figure_q(times - h), self.figure_q(times + h)) / (2 * h)

    def ball_torques(self, name: str, times: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """(n, 3) [N m] of a ball of the figure, in the axes of its child: the moment whose components along the twin's
        hinges are their torques (held axes carry none)."""
        kept = [n for n in self.twin.names if n.rsplit(" ", 1)[0] == name]
        if not kept:
            return np.zeros((len(times), 3))
        from bunraku.dynamics.functions import joint_jacobians, kinematics

        Q = self.at(times)[0]
        axes = joint_jacobians(self.twin.model, Q)[:, [self.twin.index[n] for n in kept], 3:]
        link = next(x.name for x in self.twin.figure.description.links if x.joints[0].name == name)
        R = kinematics(self.twin.model, Q).pose(link)[1]
        values = tau[:, [self.twin.index[n] for n in kept]]
        moment = np.stack([np.linalg.pinv(a) @ t for a, t in zip(axes, values)])
        return np.einsum("kji,kj->ki", R, moment)

    def scaled(self, height: float, mass: float) -> Gait:
        """The same gait of a figure of another height [m] and mass [kg]."""
        in_range("height", height, 0.3, 3.0)
        in_range("mass", mass, 1.0, 500.0)
        L = height / self.height
        p = self.plan
        plan = replace(
            p, speed=p.speed * np.sqrt(L), length=p.length * L, width=p.width * L, clearance=p.clearance * L,
            lasting=p.lasting * np.sqrt(L),
        )  # fmt: skip
        grow = np.where(np.arange(self.coefficients.shape[1]) < 3, L, 1.0)
        ends = None if self.ends is None else (self.ends[0] * grow, self.ends[1] * grow)
        return Gait(plan, height, mass, self.coefficients * grow, self.forces * (mass / self.mass), ends)

    def residual(self) -> float:
        """The largest force or moment [of the weight, of the weight times a metre] that nothing gives, at the nodes."""
        times = np.arange(self.plan.nodes) * self.plan.seconds / self.plan.nodes
        return float(np.abs(self.torques(times)[0][:, :6]).max()) / (self.mass * GRAVITY)

    def height_of_com(self, times: np.ndarray) -> np.ndarray:
        """Of the centre of mass [m]."""
        return centroidal(self.twin.model, self.at(times)[0]).com[:, 2]

    def save(self, path: str | Path) -> Path:
        """Write the file, whole or not at all."""
        head = {
            "format": FORMAT,
            "version": VERSION,
            "height": self.height,
            "mass": self.mass,
            "plan": asdict(self.plan),
        }
        known: dict[str, Any] = {} if self.ends is None else {"before": self.ends[0], "after": self.ends[1]}
        data = io.BytesIO()
        np.savez_compressed(
            data,
            head=np.frombuffer(json.dumps(head).encode(), dtype=np.uint8),
            coefficients=self.coefficients,
            forces=self.forces,
            **known,
        )
        return write_bytes(path, data.getvalue())


def walking_twin(height: float, mass: float) -> Twin:
    """The twin of human(height, mass) with the inertias of de Leva (1996)."""
    return twin_of(with_inertias_of_1996(describe_human(height, mass), standard(height), mass))


def load_gait(path: str | Path) -> Gait:
    """A gait from its file; mistakes are one sentence."""
    path = Path(path)
    try:
        with zipfile.ZipFile(path) as archive:
            check_unpacked(archive, path)
        with np.load(path, allow_pickle=False) as data:
            head: dict[str, Any] = json.loads(bytes(data["head"]).decode())
            coefficients, forces = np.array(data["coefficients"]), np.array(data["forces"])
            ends = (np.array(data["before"]), np.array(data["after"])) if "before" in data else None
        if head["format"] != FORMAT or head["version"] != VERSION:
            raise FormatError(f"{path}: is no gait of version {VERSION}.")
        asked: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in head["plan"].items()}
        plan = StepPlan(**asked)
        gait = Gait(plan, float(head["height"]), float(head["mass"]), coefficients, forces, ends)
    except OSError as error:
        raise cannot_be_read(path, error) from None
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError) as error:
        raise FormatError(f"{path}: is no gait; `bunraku gaits make` writes them ({error}).") from None
    wanted = ((plan.nodes, gait.twin.model.nv), (plan.nodes, 8, 3))
    if (coefficients.shape, forces.shape) != wanted or not np.all(np.isfinite(coefficients)):
        raise FormatError(f"{path}: its arrays are {coefficients.shape} and {forces.shape}, wanted {wanted}.")
    return gait
