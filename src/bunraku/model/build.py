"""From a Description to a Model: merge fixed joints, split universal joints, choose body axes, group gears, number
everything.

Steps: (1) every link becomes one body a joint, or part of its parent's body if it has none
(bunraku.model.link_bodies); (2) gears become groups; (3) bodies are numbered group by group, parents first; (4)
arrays are filled; (5) a numerical pass refuses a figure whose mass matrix is singular. Body frames and columns:
bunraku.model.layout.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bunraku.errors import ModelError
from bunraku.model import layout as at
from bunraku.model.check import check
from bunraku.model.description import Description, Note
from bunraku.model.gears import Coupling, Group, group_gears, order_groups
from bunraku.model.joint_kinds import COUPLED, KINDS, JointKind
from bunraku.model.link_bodies import Body, make_bodies, value
from bunraku.model.matrix_gears import follower_rows, matrix_groups, place_groups
from bunraku.model.model import FrameInfo, GearInfo, JointInfo, Model, ShapeInfo
from bunraku.model.regular import massless_joints, refuse_singular, without_mass
from bunraku.model.repair import repaired
from bunraku.model.rotations import rotation_matrix


def build(description: Description, *, strict: bool = False, repair: bool = False) -> Model:
    """Check a description and compile it; raises ModelError on the first thing that is wrong.

    With `repair` what bunraku.model.repair can mend is mended first, and joints that move no mass are kept: the model
    names them in `massless`, and what needs their inertia refuses it.
    """
    if repair:
        description = repaired(description)
    notes = [*description.notes, *check(description, strict=strict)]
    if np.shape(description.gravity) != (3,) or not np.all(np.isfinite(description.gravity)):
        raise ModelError(f"figure {description.name!r}: gravity needs three finite numbers, got {description.gravity}.")
    bodies, poses = make_bodies(description)
    couplings = make_couplings(description, bodies)
    parent = [b.parent for b in bodies]
    coupled = matrix_groups(description, [(b.joint.name, b.kind.dof) for b in bodies], parent)
    groups, kept = group_gears(parent, [c for c, _ in couplings], coupled)
    model = fill(description, bodies, poses, groups, couplings, kept, notes)
    weak = massless_joints(model)
    if not repair:
        refuse_singular(model, weak)
    if weak:
        text = f"{without_mass(model, weak)}; kinematics and drawing work, forward dynamics and worlds refuse it."
        model = replace(model, massless=tuple(weak), notes=(*model.notes, Note("warning", text)))
    return model


def make_couplings(description: Description, bodies: list[Body]) -> list[tuple[Coupling, int]]:
    """Gears by body number, each with its index in the description."""
    by_joint = {b.joint.name: k for k, b in enumerate(bodies) if k and b.kind.one_axis}
    return [
        (Coupling(by_joint[g.follower], by_joint[g.leader], float(g.ratio), float(g.offset)), n)
        for n, g in enumerate(description.gears)
    ]


def fill(
    description: Description,
    bodies: list[Body],
    poses: dict[str, tuple[int, np.ndarray, np.ndarray]],
    groups: list[Group],
    couplings: list[tuple[Coupling, int]],
    kept: list[Coupling],
    notes: list[Note],
) -> Model:
    """Number the bodies and write every array."""
    parent = [b.parent for b in bodies]
    dof_order, body_order = order_groups(parent, groups)
    number = {0: 0}
    for b in (b for members in body_order for b in members):
        number[b] = len(number)
    nb = len(bodies)
    ints = np.zeros((nb, at.NI), dtype=np.int64)
    follows = {b: g.rates[b] for g in groups for b in g.rates if b not in g.leaders}
    reals = np.zeros((nb + sum(x.shape[1] for x in follows.values()), at.NF))
    spare = nb
    reals[0, at.PLACE : at.PLACE + 3] = description.gravity
    reals[0, at.TURN : at.TURN + 9] = np.eye(3).ravel()
    group_of = {b: g for g in groups for b in g.members}
    maps: dict[int, tuple[float, float]] = {}
    leaders: dict[int, int] = {}
    nq = nv = columns = 0
    q0: list[np.ndarray] = []
    dofs = DofTable()
    for members in dof_order:
        group = group_of[members[0]]
        leader, group_maps = group.maps()
        lead = number[members[0]]
        rates = group.rates[leader].shape[1] if group.rates else 0
        first = nv
        for b in members:
            body, i = bodies[b], number[b]
            ratio, offset = maps[b] = group_maps[b]
            leaders[b] = b if rates else leader
            ints[i, at.PARENT] = number[body.parent]
            ints[i, at.KIND] = body.kind.number
            ints[i, at.IQ], ints[i, at.IV] = nq, nv
            ints[i, at.LEAD], ints[i, at.COUNT] = lead, len(members) if i == lead else 0
            ints[i, at.OUTER] = number[group.outer(parent) or 0]
            ints[i, at.DOF] = body.kind.dof
            ints[i, at.FOLLOWS] = int(b != leaders[b])
            ints[i, at.AXIS] = body.axis
            ints[i, at.STRAIGHT] = int(np.array_equal(body.turn, np.eye(3)))
            if rates:
                ints[i, at.SLOT] = 1 + 6 * rates * (i - lead)
            if b in follows:
                ints[i, at.KIND] = COUPLED * body.kind.number
                ints[i, at.DOF], ints[i, at.IV], ints[i, at.FOLLOWS] = rates, first, spare
                reals[spare : spare + rates] = follower_rows(
                    body.kind, body.axis, body.joint, value(body.joint.armature, body.part), follows[b]
                )
                spare += rates
            ints[i, at.COLUMN] = columns
            columns += int(ints[i, at.DOF])
            ints[i, at.SAME] = int(body.kind.pivots and not np.any(body.place))
            reals[i, at.PLACE : at.PLACE + 3] = body.place
            reals[i, at.TURN : at.TURN + 9] = body.turn.ravel()
            reals[i, at.MASS] = body.mass
            reals[i, at.FIRST : at.FIRST + 3] = body.first
            reals[i, at.SECOND : at.SECOND + 6] = body.second[np.triu_indices(3)]
            reals[i, at.RATIO], reals[i, at.SHIFT] = ratio, offset
            reals[i, at.ROTOR] = 0.0 if b in follows else value(body.joint.armature, body.part)
            reals[i, at.SLIDE] = body.kind.slide(body.joint)
            if rates:
                q0.append(body.q0)
                nq += body.kind.coordinates
            if b in group.leaders:
                dofs.add(body.kind, [(body, 1.0, 0.0)], body)
                nv += body.kind.dof
        if not rates:
            kind = bodies[leader].kind
            dofs.add(kind, [(bodies[b], *maps[b]) for b in members], bodies[leader])
            q0.append(bodies[leader].q0)
            nq += kind.coordinates
            nv += kind.dof
    place_groups(ints, nq)

    reached = {0}
    for i in range(nb - 1, 0, -1):
        if ints[i, at.COUNT]:
            ints[i, at.STARTS] = int(ints[i, at.OUTER] == 0 or ints[i, at.OUTER] not in reached)
            reached.add(int(ints[i, at.OUTER]))
    for i in range(1, nb):
        ints[i, at.LEAF] = int(i not in reached)

    frames = [
        frame_info(link.name, number[poses[link.name][0]], *poses[link.name][1:], is_link=True)
        for link in description.links
    ]
    for f in description.frames:
        b, p, R = poses[f.link]
        position = p + R @ np.asarray(f.position, dtype=float)
        frames.append(frame_info(f.name, number[b], position, R @ rotation_matrix(f.rotation), is_link=False))
    shapes = []
    for link in description.links:
        b, p, R = poses[link.name]
        for s in link.shapes:
            place, turn = _frozen(p + R @ np.asarray(s.position, dtype=float), R @ rotation_matrix(s.rotation))
            size = tuple(map(float, s.size))
            look = s.role, s.name, s.color, s.mesh, s.scale
            shapes.append(
                ShapeInfo(s.kind, size, number[b], place, turn, link.name, *look, s.masks, s.friction, s.relief)
            )
    joints = make_joints(description, bodies, number, ints, maps, leaders, follows)
    gears = make_gears(description, couplings, kept, number, ints, maps)
    names = ["world"] * nb
    for b, body in enumerate(bodies):
        last = b == poses[body.link][0] if b else True
        names[number[b]] = body.link if last else f"{body.link}/{body.joint.name}"
    arrays = {k: _frozen(np.array(v, dtype=float))[0] for k, v in dofs.columns.items()}
    ints.flags.writeable = reals.flags.writeable = False
    for g in gears:
        if not g.eliminated:
            notes.append(
                Note("warning", f"gear {g.follower!r} <- {g.leader!r} cannot be eliminated; kept as a constraint.")
            )
    return Model(
        name=description.name,
        nb=nb,
        nq=nq,
        nv=nv,
        ints=ints,
        reals=reals,
        body_names=tuple(names),
        joints=tuple(joints),
        frames=tuple(frames),
        shapes=tuple(shapes),
        gears=tuple(gears),
        dof_names=tuple(dofs.names),
        q0=_frozen(np.concatenate(q0) if q0 else np.zeros(0))[0],
        notes=tuple(notes),
        collide_exclude=tuple(
            (number[poses[a][0]], number[poses[b][0]])
            for a, b in description.collide_exclude
            if a in poses and b in poses
        ),
        source=description.source,
        description=description,
        collide_pairs=_shape_pairs(description, shapes),
        massless=(),
        **arrays,
    )


def _shape_pairs(description: Description, shapes: list[ShapeInfo]) -> tuple[tuple[int, int, Any], ...]:
    """`collide_pairs` by numbers."""
    place = {s.name: k for k, s in enumerate(shapes) if s.name}
    return tuple((place[p.a], place[p.b], p.friction) for p in description.collide_pairs)


def frame_info(name: str, body: int, position: np.ndarray, rotation: np.ndarray, *, is_link: bool) -> FrameInfo:
    """A frame with read-only arrays."""
    p, R = _frozen(position, rotation)
    return FrameInfo(name, body, p, R, is_link)


def _frozen(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    out = []
    for a in arrays:
        a = np.array(a, dtype=float)
        a.flags.writeable = False
        out.append(a)
    return tuple(out)


class DofTable:
    """Limits and passive forces per degree of freedom; those of gear followers are mapped to the leader.

    With q_c = g q + o: limits (lo - o)/g, (up - o)/g intersected; speed limits / |g|; damping, stiffness times g^2;
    friction times |g|.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        keys = ("lower", "upper", "damping", "friction", "stiffness", "rest", "armature", "effort", "velocity")
        self.columns: dict[str, list[float]] = {k: [] for k in keys}

    def add(self, kind: JointKind, members: list[tuple[Body, float, float]], leader: Body) -> None:
        """Append the DoF of one group of joints."""
        suffixes = kind.dof_names
        lower, upper, velocity = -np.inf, np.inf, np.inf
        damping = friction = stiffness = armature = pull = 0.0
        for body, g, o in members:
            j, part = body.joint, body.part
            if kind.limits == "range":
                lo, up = (value(j.lower, part) - o) / g, (value(j.upper, part) - o) / g
                lower, upper = max(lower, min(lo, up)), min(upper, max(lo, up))
            velocity = min(velocity, value(j.velocity, part) / abs(g))
            damping += g * g * value(j.damping, part)
            friction += abs(g) * value(j.friction, part)
            k = value(j.stiffness, part)
            stiffness += g * g * k
            pull += g * k * (value(j.rest, part) - o)
            armature += g * g * value(j.armature, part)
        row = {
            "lower": lower,
            "upper": upper,
            "damping": damping,
            "friction": friction,
            "stiffness": stiffness,
            "rest": pull / stiffness if stiffness > 0 else value(leader.joint.rest, leader.part),
            "armature": armature,
            "effort": value(leader.joint.effort, leader.part),
            "velocity": velocity,
        }
        base = leader.joint.name
        whole = KINDS[leader.joint.kind]
        if whole.parts:
            suffixes = (whole.dof_names[leader.part],)
        for suffix in suffixes:
            self.names.append(f"{base}.{suffix}" if suffix else base)
            for key, x in row.items():
                self.columns[key].append(x)


def make_joints(
    description: Description,
    bodies: list[Body],
    number: dict[int, int],
    ints: np.ndarray,
    maps: dict[int, tuple[float, float]],
    leaders: dict[int, int],
    follows: dict[int, np.ndarray],
) -> list[JointInfo]:
    """What users see of the joints, in the order of q."""
    seen: list[JointInfo] = []
    for b in sorted(range(1, len(bodies)), key=lambda b: ints[number[b], at.COLUMN]):
        body = bodies[b]
        j = body.joint
        if body.part == 1:
            continue
        i = number[b]
        follower = leaders[b] != b
        kind = KINDS[j.kind]
        n, parts = kind.dof, max(len(kind.parts), 1)
        seen.append(
            JointInfo(
                name=j.name,
                kind=j.kind,
                link=body.link,
                body=number[b + parts - 1],
                iq=int(ints[i, at.IQ]),
                nq=0 if follower else kind.coordinates,
                iv=int(ints[i, at.IV]),
                nv=0 if follower or b in follows else n,
                lower=tuple(value(j.lower, k) for k in range(n)) if kind.limits == "range" else (),
                upper=tuple(value(j.upper, k) for k in range(n)) if kind.limits == "range" else (),
                swing=float(j.swing),
                twist=(float(j.twist[0]), float(j.twist[1])),
                leader=bodies[leaders[b]].joint.name if follower else None,
                ratio=maps[b][0],
                offset=maps[b][1],
                slide=body.kind.slide(j),
                matrix=_frozen(np.concatenate([follows[b + k] for k in range(parts)]))[0] if b in follows else None,
            )
        )
    return seen


def make_gears(
    description: Description,
    couplings: list[tuple[Coupling, int]],
    kept: list[Coupling],
    number: dict[int, int],
    ints: np.ndarray,
    maps: dict[int, tuple[float, float]],
) -> list[GearInfo]:
    """Gears with, for those kept, the row of the constraint in terms of the remaining q."""
    out = []
    for c, n in couplings:
        g = description.gears[n]
        if not any(c is k for k in kept):
            out.append(GearInfo(g.follower, g.leader, c.ratio, c.offset, True))
            continue
        (gf, of), (gl, ol) = maps[c.follower], maps[c.leader]
        row: dict[int, float] = {}
        for b, x in ((c.follower, gf), (c.leader, -c.ratio * gl)):
            k = int(ints[number[b], at.IQ])
            row[k] = row.get(k, 0.0) + x
        constant = c.ratio * ol + c.offset - of
        out.append(GearInfo(g.follower, g.leader, c.ratio, c.offset, False, tuple(sorted(row.items())), constant))
    return out
