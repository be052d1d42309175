"""Actuators, fixed tendons, closed loops, keyframes, contact pairs and gravity compensation of a compiled MuJoCo model.

Actuators on hinges, sliders and fixed tendons with a fixed or affine gain, an affine bias and no activation are taken as
they are (bunraku.model.equipment); others are named with the reason. `connect` and `weld` equalities become closures.
MuJoCo keeps a weld as a point of the first body (eq_data[3:6]) that meets one of the second (eq_data[:3]), with the
second turned by eq_data[6:10] against the first. MuJoCo makes them soft, a World rigid, which a note says.

Source: mujoco.readthedocs.io ("XML Reference", "mjModel"). Tested by tests/formats/test_mjcf_equipment.py.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bunraku.formats.mjcf_parts import Names, quaternion, vector
from bunraku.formats.mjcf_source import Source
from bunraku.model.description import Description, Note, ShapePair
from bunraku.model.equipment import Actuator, Closure, Keyframe, Tendon, Transmission
from bunraku.model.joint_kinds import KINDS

INF = math.inf


class Equipment:
    """Reads the equipment of one model into its description."""

    def __init__(self, mujoco: Any, model: Any, names: Names, source: Source, figure: Description) -> None:
        self.mujoco, self.model, self.names, self.source, self.figure = mujoco, model, names, source, figure
        joints = {joint.name: joint for link in figure.links for joint in link.joints}
        self.one_axis = {name for name, joint in joints.items() if KINDS[joint.kind].one_axis}

    def read(self) -> None:
        """All of it."""
        self._tendons()
        self._actuators()
        self._keyframes()
        self._pairs()

    def _name(self, kind: str, k: int, proposal: str, taken: list[str]) -> str:
        name = self.mujoco.mj_id2name(self.model, getattr(self.mujoco.mjtObj, f"mjOBJ_{kind}"), k) or proposal
        while name in taken:
            name += "_"
        return name

    def _ignored(self, section: str, tag: str, name: str, reason: str) -> None:
        element = self.source.find(section, name, tag) if name else None
        title = f"{tag} {name!r}" if name else tag
        note = Note("ignored", f"{title} is not used: {reason}.", self.source.place(element), f"<{tag}>")
        self.figure.notes.append(note)

    def _tendon_joints(self, t: int) -> Transmission | None:
        """The joints of a fixed tendon; None of a spatial one."""
        m = self.model
        first, count = int(m.tendon_adr[t]), int(m.tendon_num[t])
        fixed = int(self.mujoco.mjtWrap.mjWRAP_JOINT)
        if any(int(m.wrap_type[w]) != fixed for w in range(first, first + count)):
            return None
        return [(self.names.joint[int(m.wrap_objid[w])], float(m.wrap_prm[w])) for w in range(first, first + count)]

    def _tendons(self) -> None:
        m = self.model
        for t in range(m.ntendon):
            name = self._name("TENDON", t, f"tendon{t}", [x.name for x in self.figure.tendons])
            joints = self._tendon_joints(t)
            if joints is None:
                self._ignored("tendon", "spatial", name, "only fixed tendons, which are sums of joints, are read")
                continue
            if not {joint for joint, _ in joints} <= self.one_axis:
                self._ignored("tendon", "fixed", name, "it acts on a joint with more than one axis")
                continue
            rest = float(m.tendon_lengthspring[t][0]), float(m.tendon_lengthspring[t][1])
            where = self.source.place(self.source.find("tendon", name, "fixed"))
            made = Tendon(name, joints, float(m.tendon_stiffness[t]), float(m.tendon_damping[t]), rest, where)
            self.figure.tendons.append(made)
            unused = [
                words
                for words, given in (
                    ("range", m.tendon_limited[t]),
                    ("frictionloss", m.tendon_frictionloss[t]),
                    ("armature", getattr(m, "tendon_armature", np.zeros(m.ntendon))[t]),
                )
                if given
            ]
            if unused:
                text = f"tendon {name!r}: its {', '.join(unused)} is not used."
                self.figure.notes.append(Note("ignored", text, where, f"<fixed> {' '.join(unused)}"))

    def _actuators(self) -> None:
        m, mujoco = self.model, self.mujoco
        for a in range(len(m.actuator_trntype)):
            given = mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_ACTUATOR, a) or ""
            joints, reason = self._transmission(a)
            reason = reason or self._strange(a)
            tag = self._tag(given, a)
            if reason:
                self._ignored("actuator", tag, given, reason)
                continue
            name = self._name(
                "ACTUATOR", a, "_".join(joint for joint, _ in joints), [x.name for x in self.figure.actuators]
            )
            made = Actuator(name, joints, where=self.source.place(self.source.find("actuator", given, tag)))
            g, b = (vector(x[a][:3]) for x in (m.actuator_gainprm, m.actuator_biasprm))
            affine = int(m.actuator_gaintype[a]) != int(mujoco.mjtGain.mjGAIN_FIXED)
            made.gain = (g[0], g[1], g[2]) if affine else (g[0], 0.0, 0.0)
            if int(m.actuator_biastype[a]) != int(mujoco.mjtBias.mjBIAS_NONE):
                made.bias = (b[0], b[1], b[2])
            if m.actuator_ctrllimited[a]:
                made.control = float(m.actuator_ctrlrange[a][0]), float(m.actuator_ctrlrange[a][1])
            if m.actuator_forcelimited[a]:
                made.force = float(m.actuator_forcerange[a][0]), float(m.actuator_forcerange[a][1])
            self.figure.actuators.append(made)
            self._numbers.append(a)

    @property
    def _numbers(self) -> list[int]:
        """MuJoCo's numbers of the actuators that were kept."""
        return self.__dict__.setdefault("numbers", [])

    def _tag(self, name: str, a: int) -> str:
        elements = self.source.elements("actuator")
        if name:
            found = [e.tag for e in elements if e.attributes.get("name") == name]
            return found[0] if found else "actuator"
        return elements[a].tag if len(elements) == len(self.model.actuator_trntype) else "actuator"

    def _transmission(self, a: int) -> tuple[Transmission, str]:
        """What an actuator acts on, or why it cannot be had."""
        m, kinds = self.model, self.mujoco.mjtTrn
        kind, target, gear = int(m.actuator_trntype[a]), int(m.actuator_trnid[a, 0]), float(m.actuator_gear[a, 0])
        if kind in (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT)):
            joint = self.names.joint[target]
            return [(joint, gear)], "" if joint in self.one_axis else "it acts on a joint with more than one axis"
        if kind == int(kinds.mjTRN_TENDON):
            joints = self._tendon_joints(target)
            if joints is None or not {joint for joint, _ in joints} <= self.one_axis:
                return [], "it acts on a tendon that is not used"
            return [(joint, gear * c) for joint, c in joints], ""
        return [], "only joints and fixed tendons can be acted on"

    def _strange(self, a: int) -> str:
        """Why the law of an actuator cannot be had, or ''."""
        m, mujoco = self.model, self.mujoco
        gain, bias, dynamics = (
            getattr(mujoco, kind)(int(array[a])).name.split("_")[-1].lower()
            for kind, array in (
                ("mjtGain", m.actuator_gaintype),
                ("mjtBias", m.actuator_biastype),
                ("mjtDyn", m.actuator_dyntype),
            )
        )
        if dynamics != "none":
            return f"its activation ({dynamics}) has a state of its own"
        if gain not in ("fixed", "affine"):
            return f"its gain is of the kind {gain!r}"
        if bias not in ("none", "affine"):
            return f"its bias is of the kind {bias!r}"
        extra = [n for n in ("damping", "armature") if np.any(getattr(m, f"actuator_{n}", np.zeros((a + 1, 1)))[a])]
        return f"it has {' and '.join(extra)} of its own" if extra else ""

    def _keyframes(self) -> None:
        m, figure = self.model, self.figure
        kinds = {joint.name: KINDS[joint.kind] for link in figure.links for joint in link.joints}
        control = getattr(m, "actuator_ctrladr", np.arange(len(m.actuator_trntype)))
        for k in range(m.nkey if self.source.elements("keyframe") else 0):  # <size nkey> reserves empty ones
            key = Keyframe(self._name("KEY", k, f"key{k}", [x.name for x in figure.keyframes]))
            for j, joint in enumerate(self.names.joint):
                kind, q, v = kinds[joint], int(m.jnt_qposadr[j]), int(m.jnt_dofadr[j])
                key.q.append((joint, vector(m.key_qpos[k][q : q + kind.coordinates])))
                if np.any(m.key_qvel[k][v : v + kind.dof]):
                    key.v.append((joint, vector(m.key_qvel[k][v : v + kind.dof])))
            for a, actuator in zip(self._numbers, figure.actuators):
                key.controls.append((actuator.name, float(m.key_ctrl[k][int(control[a])])))
            figure.keyframes.append(key)

    def _pairs(self) -> None:
        """<pair>: two geoms that touch in any case, with their sliding friction."""
        m, figure = self.model, self.figure
        known = {shape.name for link in figure.links for shape in link.shapes if shape.name}
        for p in range(m.npair):
            geoms = (int(m.pair_geom1[p]), int(m.pair_geom2[p]))
            one, two = (self.mujoco.mj_id2name(m, self.mujoco.mjtObj.mjOBJ_GEOM, g) or "" for g in geoms)
            if not {one, two} <= known:
                self._ignored("contact", "pair", "", f"geoms {one!r}, {two!r} are not both kept")
                continue
            figure.collide_pairs.append(ShapePair(one, two, float(m.pair_friction[p][0])))
            if float(m.pair_friction[p][0]) != 1.0:
                text = f"pair of geoms {one!r}, {two!r}: its friction is not used, that of the geoms is."
                figure.notes.append(Note("ignored", text, self.source.place(None), "<pair> friction"))


def closure(mujoco: Any, model: Any, names: Names, eq: int, name: str, where: str) -> Closure:
    """A `connect` or `weld` equality."""
    kind = mujoco.mjtEq(int(model.eq_type[eq])).name.removeprefix("mjEQ_").lower()
    one, two = int(model.eq_obj1id[eq]), int(model.eq_obj2id[eq])
    data = model.eq_data[eq]
    result = Closure(name, "", axes="x y z" if kind == "connect" else "x y z rx ry rz", where=where)
    if int(model.eq_objtype[eq]) == int(mujoco.mjtObj.mjOBJ_SITE):
        bodies = [int(model.site_bodyid[s]) for s in (one, two)]
        result.place, result.other_place = vector(model.site_pos[one]), vector(model.site_pos[two])
        result.rotation, result.other_rotation = (quaternion(model.site_quat[s]) for s in (one, two))
    else:
        bodies = [one, two]
        if kind == "connect":
            result.place, result.other_place = vector(data[:3]), vector(data[3:6])
        else:
            result.place, result.other_place = vector(data[3:6]), vector(data[:3])
            turn = np.asarray(data[6:10], dtype=float)
            size = float(np.linalg.norm(turn))
            result.rotation = quaternion(turn / size) if size > 0 else None
    result.link, other = names.body[bodies[0]], names.body[bodies[1]]
    result.other = other if bodies[1] else None
    if not bodies[0] and result.other is not None:  # the world first: exchange the ends
        result.link, result.other = result.other, None
        result.place, result.other_place = result.other_place, result.place
        result.rotation, result.other_rotation = result.other_rotation, result.rotation
    return result
