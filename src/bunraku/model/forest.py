"""Several figures and things as one Model: arrays side by side, one world, names with the figure's name in front.

The tree algorithms do not care whether bodies belong to one figure, so a scene of many is stepped by one kernel call.
Figure k's bodies, coordinates and rates begin at its `Part`'s offsets. Checked in tests/model/test_forest.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bunraku.errors import InputError
from bunraku.model import layout as at
from bunraku.model.description import Description
from bunraku.model.matrix_gears import place_groups
from bunraku.model.model import Model

LISTS = ("body_names", "joints", "frames", "shapes", "gears", "dof_names", "collide_exclude", "collide_pairs", "notes")
DOF_ARRAYS = ("lower", "upper", "damping", "friction", "stiffness", "rest", "armature", "effort", "velocity")


@dataclass(frozen=True)
class Part:
    """Where one figure stands in the whole: body b > 0 of its own is body `body + b`."""

    name: str
    model: Model
    body: int
    iq: int
    iv: int

    @property
    def q(self) -> slice:
        """Its coordinates in q."""
        return slice(self.iq, self.iq + self.model.nq)

    @property
    def v(self) -> slice:
        """Its rates in v."""
        return slice(self.iv, self.iv + self.model.nv)


def combine(
    figures: Sequence[tuple[str, Model]], gravity: Sequence[float] = (0.0, 0.0, -9.80665)
) -> tuple[Model, list[Part]]:
    """One Model for all figures [(name, model), …], and where each of them stands."""
    names = [name for name, _ in figures]
    if len(set(names)) != len(names):
        raise InputError(f"two figures are called {next(n for n in names if names.count(n) > 1)!r}.")
    ints, reals = [np.zeros((1, at.NI), dtype=np.int64)], [np.zeros((1, at.NF))]
    reals[0][0, at.PLACE : at.PLACE + 3] = gravity
    reals[0][0, at.TURN : at.TURN + 9] = np.eye(3).ravel()
    spare: list[np.ndarray] = []  # rows behind the bodies
    parts: list[Part] = []
    lists: dict[str, list[Any]] = {name: [] for name in LISTS}
    lists["body_names"].append("world")
    body = iq = iv = column = 0
    for name, m in figures:
        part = Part(name, m, body, iq, iv)
        rows = m.ints[1:].copy()
        for c in (at.PARENT, at.LEAD, at.OUTER):
            rows[:, c] = np.where(rows[:, c] > 0, rows[:, c] + body, 0)
        rows[:, at.IQ] += iq
        rows[:, at.IV] += iv
        rows[:, at.COLUMN] += column
        rows[:, at.FOLLOWS] += np.where(rows[:, at.KIND] >= at.COUPLED, sum(map(len, spare)) - m.nb, 0)
        ints.append(rows)
        reals.append(m.reals[1 : m.nb])
        spare.append(m.reals[m.nb :])

        def shifted(b: int, body: int = body) -> int:
            return b + body if b else 0

        lists["joints"] += [
            replace(
                j,
                name=f"{name}.{j.name}",
                link=f"{name}.{j.link}",
                body=shifted(j.body),
                iq=j.iq + iq,
                iv=j.iv + iv,
                leader=f"{name}.{j.leader}" if j.leader else None,
            )
            for j in m.joints
        ]
        lists["frames"] += [replace(f, name=f"{name}.{f.name}", body=shifted(f.body)) for f in m.frames]
        ns = len(lists["shapes"])
        lists["collide_pairs"] += [(a + ns, b + ns, mu) for a, b, mu in m.collide_pairs]
        lists["shapes"] += [replace(s, link=f"{name}.{s.link}", body=shifted(s.body)) for s in m.shapes]
        lists["gears"] += [replace(g, row=tuple((k + iq, x) for k, x in g.row)) for g in m.gears]
        lists["body_names"] += [f"{name}.{b}" for b in m.body_names[1:]]
        lists["dof_names"] += [f"{name}.{d}" for d in m.dof_names]
        lists["collide_exclude"] += [(shifted(a), shifted(b)) for a, b in m.collide_exclude]
        lists["notes"] += m.notes
        parts.append(part)
        body, iq, iv = body + m.nb - 1, iq + m.nq, iv + m.nv
        column += int(m.ints[:, at.DOF].sum())
    whole = np.concatenate(ints)
    whole[:, at.FOLLOWS] += np.where(whole[:, at.KIND] >= at.COUPLED, len(whole), 0)  # behind all bodies
    place_groups(whole, iq)
    dof = {key: np.concatenate([np.zeros(0), *(getattr(m, key) for _, m in figures)]) for key in DOF_ARRAYS}
    arrays = {"ints": whole, "reals": np.concatenate([*reals, *spare]), **dof}
    arrays["q0"] = np.concatenate([np.zeros(0), *(m.q0 for _, m in figures)])
    for a in arrays.values():
        a.flags.writeable = False
    named = {name: tuple(items) for name, items in lists.items()}
    model = Model(
        name="world", nb=body + 1, nq=iq, nv=iv, source="", description=Description("world"), **named, **arrays
    )
    return model, parts
