"""The public functions of dynamics: one state or a batch (leading axis) of states in, arrays out.

`work` saves a look-up and `out` an allocation; both are optional. Units SI, world z up; q, v as in docs/conventions.md.
A wrench is (fx fy fz nx ny nz) and a twist (vx vy vz wx wy wz), in world axes at the body's origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.dynamics.aba_kernel import aba_many, aba_many_pushed, aba_one, aba_one_pushed
from bunraku.dynamics.arguments import OK, as_forces, as_rows, batch_of, check_work, output
from bunraku.dynamics.crba_kernel import crba_many, crba_one
from bunraku.dynamics.jacobian_kernel import columns_many, columns_one, frame_many, frame_one
from bunraku.dynamics.kinematics_kernel import centroidal_many, kinematics_many, momentum_matrix_many
from bunraku.dynamics.rnea_kernel import rnea_many, rnea_many_pushed, rnea_one, rnea_one_pushed
from bunraku.dynamics.work import Work, work_of
from bunraku.errors import InputError
from bunraku.kernel.compile import JIT
from bunraku.model.model import FrameInfo, Model


def aba(
    model: Model,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    f_ext: np.ndarray | None = None,
    *,
    work: Work | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Acceleration v' (nv,) [m/s^2 or rad/s^2] that torques tau (nv,) [N m or N] and external wrenches f_ext (nb, 6)
    [N, N m] cause: forward dynamics, O(n). A batch of states goes in as rows."""
    try:
        if model.massless:
            model.refuse_massless("aba")
        if f_ext is None:
            a = np.empty(model.nv if q.ndim == 1 else (len(q), model.nv)) if out is None else out
            w = work or work_of(model)
            kernel = aba_one if q.ndim == 1 else aba_many
            if JIT and w.reals is model.reals and kernel.call(w.handle, q, v, tau, a) == OK:
                return a
    except (TypeError, AttributeError):
        pass
    kernels = (aba_one, aba_one_pushed, aba_many, aba_many_pushed)
    return _forces_and_motion(kernels, model, (q, v, tau), f_ext, work or work_of(model), out, "tau")


def rnea(
    model: Model,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    f_ext: np.ndarray | None = None,
    *,
    work: Work | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Torques tau (nv,) [N m or N] that the acceleration v' = a [m/s^2 or rad/s^2] needs: inverse dynamics, O(n). With
    v = a = 0: gravity torques. f_ext (nb, 6) [N, N m]: external wrenches. A batch of states goes in as rows."""
    try:
        if f_ext is None:
            tau = np.empty(model.nv if q.ndim == 1 else (len(q), model.nv)) if out is None else out
            w = work or work_of(model)
            kernel = rnea_one if q.ndim == 1 else rnea_many
            if JIT and w.reals is model.reals and kernel.call(w.handle, q, v, a, tau) == OK:
                return tau
    except (TypeError, AttributeError):
        pass
    kernels = (rnea_one, rnea_one_pushed, rnea_many, rnea_many_pushed)
    return _forces_and_motion(kernels, model, (q, v, a), f_ext, work or work_of(model), out, "a")


def _forces_and_motion(kernels, model, state, f_ext, work, out, name):  # type: ignore[no-untyped-def]
    """The careful road of aba and rnea: convert, check, and take batches."""
    check_work(work, model)
    q, v, x = state
    batch = batch_of(q, model)
    arrays = (as_rows("q", q, model.nq, batch), as_rows("v", v, model.nv, batch), as_rows(name, x, model.nv, batch))
    forces = as_forces(f_ext, model.nb, batch)
    result = output(out, (model.nv,) if batch is None else (batch, model.nv))
    one, one_pushed, many, many_pushed = kernels
    if forces is None:
        (one if batch is None else many).call(work.handle, *arrays, result)
    else:
        (one_pushed if batch is None else many_pushed).call(work.handle, *arrays, forces, result)
    return result


def crba(model: Model, q: np.ndarray, *, work: Work | None = None, out: np.ndarray | None = None) -> np.ndarray:
    """Mass matrix M (nv, nv) [kg, kg m, kg m^2], symmetric and filled in both triangles."""
    w = work if work is not None else work_of(model)
    M = np.empty((model.nv, model.nv)) if out is None else out
    try:
        if JIT and w.reals is model.reals and q.ndim == 1 and crba_one.call(w.handle, q, M) == OK:
            return M
    except (TypeError, AttributeError, IndexError):
        pass
    return _of_pose((crba_one, crba_many), model, q, (model.nv, model.nv), w, out)


def joint_jacobians(
    model: Model, q: np.ndarray, *, work: Work | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """Motion columns (n, 6), linear then angular, about the world's origin [m and rad a unit of q], of every
    elementary DoF in the order of q.

    Without gears n = nv and row k belongs to v[k]. A gear's members each have a row, its ratio included.
    """
    w = work if work is not None else work_of(model)
    J = np.empty((w.columns, 6)) if out is None else out
    try:
        if JIT and w.reals is model.reals and q.ndim == 1 and columns_one.call(w.handle, q, J) == OK:
            return J
    except (TypeError, AttributeError, IndexError):
        pass
    return _of_pose((columns_one, columns_many), model, q, (w.columns, 6), w, out)


def _of_pose(kernels, model, q, shape, work, out):  # type: ignore[no-untyped-def]
    """The careful road of crba and joint_jacobians: convert, check, and take batches."""
    one, many = kernels
    w, batch = _ready(model, q, work)
    rows = as_rows("q", q, model.nq, batch)
    M = output(out, shape if batch is None else (batch, *shape))
    (one if batch is None else many).call(w.handle, rows, M)
    return M


def _ready(model: Model, q: Any, work: Work | None) -> tuple[Work, int | None]:
    """(the work, how many states: None for one), checked."""
    w = work if work is not None else work_of(model)
    check_work(w, model)
    return w, batch_of(q, model)


def frame_jacobian(
    model: Model, q: np.ndarray, frame: str | FrameInfo, *, work: Work | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """J (6, nv) with (linear, angular) velocity [m/s, rad/s] of the frame's origin = J v, in world axes."""
    w, batch = _ready(model, q, work)
    info = model.frame(frame) if isinstance(frame, str) else frame
    if not isinstance(info, FrameInfo):
        raise InputError(f"frame must be a name or one of model.frames, got {type(frame).__name__}.")
    point = info.position.copy()  # the model's own is read-only, and so of another type to a kernel
    rows = as_rows("q", q, model.nq, batch)
    J = output(out, (6, model.nv) if batch is None else (batch, 6, model.nv))
    (frame_one if batch is None else frame_many).call(w.handle, rows, info.body, point, J)
    return J


@dataclass(frozen=True)
class Kinematics:
    """Motion of all bodies in world axes, as `kinematics` gives it: rotation (nb, 3, 3), position (nb, 3) [m], twist
    (nb, 6) [m/s, rad/s], bias (nb, 6) [m/s^2, rad/s^2]; every array has a leading batch axis if q had one."""

    model: Model
    rotation: np.ndarray  # (nb, 3, 3) world <- body
    position: np.ndarray  # (nb, 3)
    twist: np.ndarray  # (nb, 6) linear, angular
    bias: np.ndarray  # (nb, 6) acceleration for v' = 0, without gravity

    def pose(self, frame: str | FrameInfo) -> tuple[np.ndarray, np.ndarray]:
        """(position, rotation) of a link or frame in the world."""
        f = self.model.frame(frame) if isinstance(frame, str) else frame
        R = self.rotation[..., f.body, :, :]
        return self.position[..., f.body, :] + R @ f.position, R @ f.rotation

    def velocity(self, frame: str | FrameInfo) -> np.ndarray:
        """(linear, angular) velocity (6,) of a link or frame, world axes."""
        f = self.model.frame(frame) if isinstance(frame, str) else frame
        t, r = self.twist[..., f.body, :], self.rotation[..., f.body, :, :] @ f.position
        return np.concatenate([t[..., :3] + np.cross(t[..., 3:], r), t[..., 3:]], axis=-1)

    def bias_acceleration(self, frame: str | FrameInfo) -> np.ndarray:
        """J' v of a link or frame (6,): its acceleration is J v' + this."""
        f = self.model.frame(frame) if isinstance(frame, str) else frame
        b, r = self.bias[..., f.body, :], self.rotation[..., f.body, :, :] @ f.position
        w = self.twist[..., f.body, 3:]
        linear = b[..., :3] + np.cross(b[..., 3:], r) + np.cross(w, np.cross(w, r))
        return np.concatenate([linear, b[..., 3:]], axis=-1)


def kinematics(model: Model, q: np.ndarray, v: np.ndarray | None = None, *, work: Work | None = None) -> Kinematics:
    """Poses [m], velocities [m/s, rad/s] and bias accelerations of all bodies, world axes; v defaults to rest."""
    w, batch = _ready(model, q, work)
    rows, rates = _states(model, q, np.zeros(model.nv) if v is None else v, batch)
    n, nb = len(rows), model.nb
    R, p, t, b = np.empty((n, nb, 9)), np.empty((n, nb, 3)), np.empty((n, nb, 6)), np.empty((n, nb, 6))
    kinematics_many.call(w.handle, rows, rates, R, p, t, b)
    R = R.reshape(n, nb, 3, 3)
    return Kinematics(model, R, p, t, b) if batch is not None else Kinematics(model, R[0], p[0], t[0], b[0])


@dataclass(frozen=True)
class Centroidal:
    """Centre of mass [m], momenta [kg m/s, kg m^2/s], energies [J] and mass [kg] of a whole figure, as `centroidal`
    gives them; leading batch axis if q had one."""

    com: np.ndarray  # (3,) m
    linear: np.ndarray  # (3,) kg m/s
    angular: np.ndarray  # (3,) kg m^2/s about the centre of mass
    kinetic: Any  # J, rotors included
    potential: Any  # J, zero at the world's origin
    mass: Any  # kg

    @property
    def energy(self) -> Any:
        """Kinetic plus potential energy [J]."""
        return self.kinetic + self.potential

    @property
    def com_velocity(self) -> np.ndarray:
        """Velocity of the centre of mass [m/s]."""
        return self.linear / np.asarray(self.mass)[..., None]


def centroidal(model: Model, q: np.ndarray, v: np.ndarray | None = None, *, work: Work | None = None) -> Centroidal:
    """Centre of mass [m], momentum [kg m/s], angular momentum about the centre of mass [kg m^2/s] and energy [J]."""
    w, batch = _ready(model, q, work)
    rows, rates = _states(model, q, np.zeros(model.nv) if v is None else v, batch)
    x = np.empty((len(rows), 12))
    centroidal_many.call(w.handle, rows, rates, x)
    if batch is None:
        x = x[0]
    return Centroidal(x[..., 0:3], x[..., 3:6], x[..., 6:9], x[..., 9], x[..., 10], x[..., 11])


def centre_of_mass(model: Model, q: np.ndarray, *, work: Work | None = None) -> np.ndarray:
    """Centre of mass (3,) [m] in the world; of a batch (n, 3)."""
    return centroidal(model, q, work=work).com


def energy(model: Model, q: np.ndarray, v: np.ndarray, *, work: Work | None = None) -> Any:
    """Kinetic plus potential energy [J]."""
    return centroidal(model, q, v, work=work).energy


def momentum_matrix(model: Model, q: np.ndarray, *, work: Work | None = None) -> np.ndarray:
    """A (6, nv): momentum (linear [kg m/s], angular about the centre of mass [kg m^2/s]) = A v."""
    w, batch = _ready(model, q, work)
    rows = np.atleast_2d(as_rows("q", q, model.nq, batch))
    A = np.empty((len(rows), 6, model.nv))
    momentum_matrix_many.call(w.handle, rows, A)
    return A if batch is not None else A[0]


def _states(model: Model, q: Any, v: Any, batch: int | None) -> tuple[np.ndarray, np.ndarray]:
    return (
        np.atleast_2d(as_rows("q", q, model.nq, batch)),
        np.atleast_2d(as_rows("v", v, model.nv, batch)),
    )


def wrenches(model: Model, q: np.ndarray, pushes: Sequence[tuple[str, Sequence[float]]]) -> np.ndarray:
    """f_ext (nb, 6) [N, N m], or (batch, nb, 6), from pushes [(frame, force 3 or wrench 6), …] that act at the frames'
    origins, world axes."""
    k = kinematics(model, q)
    f_ext = np.zeros((*k.position.shape[:-1], 6))
    for name, push in pushes:
        given = np.asarray(push, dtype=float)
        if given.shape not in ((3,), (6,)):
            raise InputError(
                f"wrenches: the push on {name!r} needs 3 numbers (force) or 6 (force, torque), got {given.shape}."
            )
        x = np.zeros(6)
        x[: len(given)] = given
        info = model.frame(name)
        arm = k.rotation[..., info.body, :, :] @ info.position
        f_ext[..., info.body, :3] += x[:3]
        f_ext[..., info.body, 3:] += x[3:] + np.cross(arm, x[:3])
    return f_ext
