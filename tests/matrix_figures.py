"""Random figures with joints coupled by a matrix, the same without the couplings, and the same in Pinocchio."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

import bunraku as bk
from bunraku.model.link_bodies import parents_first
from bunraku.model.rotations import rotation_matrix
from figures import body, random_axis

KINDS = ("hinge", "slider", "helical", "ball", "ball", "universal", "universal")
RATES = {"hinge": 1, "slider": 1, "helical": 1, "universal": 2, "ball": 3, "free": 6}
FORMS = ("serial", "parallel", "mixed")


def random_joint(rng: np.random.Generator, name: str, kind: str) -> bk.Joint:
    """A joint of a kind, with an armature at times."""
    options: dict[str, Any] = {"anchor": 0.1 * rng.normal(size=3)} if rng.random() < 0.3 else {}
    joint = bk.Joint(name, kind, random_axis(rng), armature=rng.uniform(0.01, 0.2) if rng.random() < 0.5 else 0.0)
    joint.anchor = options.get("anchor", joint.anchor)
    if kind == "helical":
        joint.pitch = rng.uniform(-3.0, 3.0)
    if kind == "universal":
        joint.axis2 = np.cross(np.asarray(joint.axis, float), rng.normal(size=3))
    return joint


def random_description(seed: int, form: str, root: str = "free", groups: int = 2) -> bk.Description:
    """A figure with `groups` groups, each behind links of its own: serial, parallel, or both mixed."""
    rng = np.random.default_rng(seed)
    fig = bk.Description(f"coupled{seed}")
    fig.add("base", None, bk.free() if root == "free" else bk.hinge("root", (0, 1, 0)), **body(rng))
    links = ["base"]

    def grow(parent: str, kind: str) -> str:
        name = f"l{len(links)}"
        joint = random_joint(rng, f"j{len(links)}", kind)
        at = np.zeros(3) if rng.random() < 0.3 else 0.4 * rng.normal(size=3)
        turn = None if rng.random() < 0.5 else rng.normal(size=4)
        fig.add(name, parent, joint, at=at, rotation=turn, **body(rng))
        links.append(name)
        return name

    for _ in range(groups):
        outer = grow(str(rng.choice(links)), str(rng.choice(("hinge", "ball"))))
        members: list[str] = []
        for k in range(int(rng.integers(2, 5))):
            first = k == 0 or form == "parallel" or (form == "mixed" and rng.random() < 0.5)
            carrier = outer if first else members[-1] if form == "serial" else str(rng.choice(members))
            members.append(grow(carrier, str(rng.choice(KINDS))))
        grow(str(rng.choice(members)), "hinge")  # something behind the group
        order = [f"j{m[1:]}" for m in rng.permutation(members)]
        leaders = order[: int(rng.integers(1, len(order)))]
        kinds = {j.name: j.kind for link in fig.links for j in link.joints}
        follow(fig, rng, kinds, leaders, order[len(leaders) :])
    return fig


def follow(fig: bk.Description, rng: np.random.Generator, kinds: dict[str, str], leaders: list[str], rest: list[str]):
    """Couple the rest to the leaders: at once, or one to the other in a chain."""

    def size(names: list[str]) -> int:
        return sum(RATES[kinds[n]] for n in names)

    if rng.random() < 0.5:
        fig.couple(rest, leaders, 0.7 * rng.normal(size=(size(rest), size(leaders))))
        return
    for name in rest:
        fig.couple(name, leaders, 0.7 * rng.normal(size=(size([name]), size(leaders))))
        leaders = [name]


def without(fig: bk.Description) -> bk.Model:
    """The same figure without couplings."""
    kept, fig.matrix_gears = fig.matrix_gears, []
    try:
        return fig.build()
    finally:
        fig.matrix_gears = kept


def rate_map(fig: bk.Description, coupled: bk.Model, plain: bk.Model) -> np.ndarray:
    """G (rates of the plain tree, rates of the coupled): from the couplings as they were written, by one solution of
    v_followers - matrix v_leaders = 0."""
    C, E = np.zeros((plain.nv, plain.nv)), np.zeros((plain.nv, coupled.nv))
    for gear in fig.matrix_gears:
        rows, columns = (
            [k for name in names for k in range(plain.joint(name).iv, plain.joint(name).iv + plain.joint(name).nv)]
            for names in (gear.followers, gear.leaders)
        )
        C[np.ix_(rows, columns)] = gear.matrix
    for j in coupled.joints:
        if j.nv:
            E[plain.joint(j.name).v, j.v] = np.eye(j.nv)
    return np.linalg.solve(np.eye(plain.nv) - C, E)


def plain_q(coupled: bk.Model, plain: bk.Model, q: np.ndarray) -> np.ndarray:
    """q of the plain tree."""
    out = plain.neutral()
    for j in coupled.joints:
        out[plain.joint(j.name).q] = q[j.q]
    return out


class PinocchioTree:
    """The plain tree in Pinocchio, joint by joint; `rates` are its rates per rate of ours."""

    def __init__(self, fig: bk.Description, plain: bk.Model) -> None:
        self.plain, self.model = plain, pin.Model()
        self.model.gravity.linear = plain.gravity
        self.joints: dict[str, list[int]] = {}
        frames: dict[str | None, tuple[int, pin.SE3]] = {None: (0, pin.SE3.Identity())}
        for link in parents_first(fig.links):  # depth first, as its crba needs
            (joint,) = link.joints
            up, pose = frames[link.parent]
            R = np.eye(3) if link.rotation is None else rotation_matrix(link.rotation)
            arm = pin.SE3(np.eye(3), np.asarray(joint.anchor, float))
            place = pose * pin.SE3(R, np.asarray(link.position, float)) * arm
            self.joints[joint.name] = []
            for k, kind in enumerate(kinds_of(joint)):
                up = self.model.addJoint(up, kind, place if k == 0 else pin.SE3.Identity(), f"{joint.name}.{k}")
                self.joints[joint.name].append(up)
            inertia = pin.Inertia(link.inertia.mass, np.asarray(link.inertia.com, float), link.inertia.matrix())
            self.model.appendBodyToJoint(up, inertia, arm.inverse())
            frames[link.name] = up, arm.inverse()
        self.data = self.model.createData()
        self.armature = np.array(plain.armature)

    def q(self, q: np.ndarray) -> np.ndarray:
        """q of the plain tree in its conventions."""
        out = pin.neutral(self.model)
        for j in self.plain.joints:
            x = q[j.q]
            for k, number in enumerate(self.joints[j.name]):
                one = self.model.joints[number]
                at = slice(one.idx_q, one.idx_q + one.nq)
                if j.kind == "free":
                    out[at] = [*x[:3], *x[4:], x[3]]
                elif j.kind == "ball":
                    out[at] = [*x[1:], x[0]]
                else:
                    out[at] = x[k]
        return out

    def rates(self, q: np.ndarray) -> np.ndarray:
        """T: v_theirs = T v_ours."""
        T = np.zeros((self.model.nv, self.plain.nv))
        for j in self.plain.joints:
            row = j.iv
            for number in self.joints[j.name]:
                one = self.model.joints[number]
                T[one.idx_v : one.idx_v + one.nv, row : row + one.nv] = np.eye(one.nv)
                row += one.nv
            if j.kind == "free":
                T[one.idx_v : one.idx_v + 3, j.iv : j.iv + 3] = pin.Quaternion(*q[j.q][3:]).matrix().T
        return T

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """M of the plain tree in our rates, armatures included."""
        M = pin.crba(self.model, self.data, self.q(q))
        M = np.triu(M) + np.triu(M, 1).T
        T = self.rates(q)
        return T.T @ M @ T + np.diag(self.armature)

    def bias_torque(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Torques of the plain tree for v' = 0, in our rates."""
        T, a = self.rates(q), np.zeros(self.model.nv)
        for j in self.plain.joints:
            if j.kind == "free":  # our linear velocity is in world axes
                at = self.model.joints[self.joints[j.name][0]].idx_v
                a[at : at + 3] = -np.cross(v[j.iv + 3 : j.iv + 6], T[at : at + 3, j.iv : j.iv + 3] @ v[j.iv : j.iv + 3])
        return T.T @ pin.rnea(self.model, self.data, self.q(q), T @ v, a)


def kinds_of(joint: bk.Joint) -> list[Any]:
    """A joint as those of Pinocchio."""
    axes = [np.asarray(a, float) / np.linalg.norm(a) for a in (joint.axis, joint.axis2) if a is not None]
    if joint.kind == "free":
        return [pin.JointModelFreeFlyer()]
    if joint.kind == "ball":
        return [pin.JointModelSpherical()]
    if joint.kind == "slider":
        return [pin.JointModelPrismaticUnaligned(axes[0])]
    if joint.kind == "helical":
        return [pin.JointModelHelicalUnaligned(axes[0], joint.pitch / (2 * np.pi))]
    return [pin.JointModelRevoluteUnaligned(a) for a in (axes if joint.kind == "universal" else axes[:1])]
