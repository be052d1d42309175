"""Every kind of joint in one table. The rest of the package asks it and knows no kind with one axis by name.

A joint with one axis turns about it, slides along it, or both: `turns` and `slide` say what one unit of q does. Its
kernel half is bunraku.dynamics.one_axis. Of any joint's coordinates the first `adds` move by simple addition, q + dt v;
where there are more coordinates than rates, the last four are a quaternion, which moves by the exponential map,
q exp(dt w), w in body axes. How to add a kind: docs/how-to.md. Checked in tests/model/test_joint_kinds.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

# the numbers by which kernels know joints: of those with one axis, 1 that they turn about it, 2 that they slide along it
WORLD, HINGE, SLIDER, HELICAL, BALL, FREE = 0, 1, 2, 3, 4, 8
COUPLED = 16  # times its own kind: a joint that follows others by a matrix (bunraku.model.matrix_gears)


@dataclass(frozen=True)
class JointKind:
    """What there is to know of one kind of joint."""

    name: str
    number: int = 0  # 0: kernels never meet it
    dof: int = 0  # rates in v
    coordinates: int = 0  # numbers in q
    axes: int = 0  # how many of `axis`, `axis2` a description gives
    turns: bool = False  # q turns the body about the joint's axis [rad]
    slide: Callable[[Any], float] = lambda joint: 0.0  # of a Joint: metres along the axis per unit of q
    pivots: bool = False  # the body's origin stays where it is in its parent
    parts: tuple[str, ...] = ()  # the simpler joints it is made of, from inner to outer
    limits: Literal["range", "cone", "none"] = "none"  # lower and upper; swing and twist; nothing
    unit: str = "rad"  # of q
    dof_names: tuple[str, ...] = ("",)  # endings that tell its degrees of freedom apart
    needs: str = ""  # a value of Joint that this kind alone has, and needs
    urdf: tuple[str, ...] = ()  # its names in URDF files
    mjcf: str = ""  # its name in MJCF files

    @property
    def one_axis(self) -> bool:
        """Whether it has one degree of freedom, about or along one axis."""
        return self.dof == 1

    @property
    def adds(self) -> int:
        """How many coordinates move by simple addition."""
        return self.dof if self.coordinates == self.dof else self.dof - 3


TABLE = (
    JointKind(
        "hinge", HINGE, 1, 1, axes=1, turns=True, pivots=True, limits="range",
        urdf=("revolute", "continuous"), mjcf="hinge",
    ),
    JointKind(
        "slider", SLIDER, 1, 1, axes=1, slide=lambda joint: 1.0, limits="range", unit="m",
        urdf=("prismatic",), mjcf="slide",
    ),
    JointKind(
        "helical", HELICAL, 1, 1, axes=1, turns=True, slide=lambda joint: joint.pitch / (2.0 * math.pi), limits="range",
        needs="pitch",
    ),
    JointKind("ball", BALL, 3, 4, pivots=True, limits="cone", dof_names=("x", "y", "z"), mjcf="ball"),
    JointKind("universal", 0, 2, 2, axes=2, parts=("hinge", "hinge"), limits="range", dof_names=("1", "2")),
    JointKind("free", FREE, 6, 7, dof_names=("x", "y", "z", "rx", "ry", "rz"), urdf=("floating",), mjcf="free"),
    JointKind("fixed", urdf=("fixed",)),
)  # fmt: skip
KINDS = {kind.name: kind for kind in TABLE}
BY_NUMBER = {kind.number: kind for kind in TABLE if kind.number}
