"""Where the robots of other people's packages are: files of the installed wheels, found by path.

A missing package is a failure, not a skip: the comparisons with these robots are what the readers are tested by.
"""

from __future__ import annotations

import sysconfig
from importlib import metadata
from pathlib import Path

ROBOTS = {
    "simple_humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "talos_reduced": "talos_data/robots/talos_reduced.urdf",
    "talos_full": "talos_data/robots/talos_full_v2.urdf",
    "romeo_small": "romeo_description/urdf/romeo_small.urdf",
    "romeo": "romeo_description/urdf/romeo.urdf",
    "icub": "icub_description/robots/icub.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "human": "human_description/robots/human.urdf",
}
GOOD = tuple(name for name in ROBOTS if name != "romeo")  # romeo's fingers have no mass
INSIDE = "cmeel.prefix/share/example-robot-data/robots"


def robot(name: str) -> Path:
    """The URDF file of a humanoid of example-robot-data."""
    try:
        package = metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        raise AssertionError("the package example-robot-data is not installed: pip install '.[test]'") from None
    places = [Path(str(package.locate_file(""))), *(Path(sysconfig.get_path(key)) for key in ("purelib", "platlib"))]
    for place in places:
        if (path := place / INSIDE / ROBOTS[name]).is_file():
            return path
    raise AssertionError(f"example-robot-data is installed without {ROBOTS[name]}; looked in {places}")


def humanoid_mjcf() -> Path:
    """MuJoCo's humanoid as gymnasium ships it."""
    try:
        package = metadata.distribution("gymnasium")
    except metadata.PackageNotFoundError:
        raise AssertionError("the package gymnasium is not installed: pip install '.[test]'") from None
    path = Path(str(package.locate_file("gymnasium/envs/mujoco/assets/humanoid.xml")))
    assert path.is_file(), f"gymnasium is installed without {path}"
    return path


def all_robots() -> dict[str, Path]:
    """Every URDF and MJCF file of example-robot-data, MuJoCo and gymnasium, by package and its path inside."""
    base = robot("talos_full")
    for _ in Path(ROBOTS["talos_full"]).parts:
        base = base.parent
    found = {f"example-robot-data/{p.relative_to(base)}": p for p in sorted(base.rglob("*.urdf"))}
    gym = humanoid_mjcf().parent
    found |= {f"gymnasium/{p.name}": p for p in sorted(gym.glob("*.xml"))}
    mujoco = Path(str(metadata.distribution("mujoco").locate_file("mujoco")))
    return found | {f"mujoco/{p.relative_to(mujoco)}": p for p in sorted(mujoco.rglob("*.xml")) if is_mjcf(p)}


def is_mjcf(path: Path) -> bool:
    """Whether a file looks like an MJCF model."""
    return "<mujoco" in path.read_text(encoding="utf-8", errors="replace")[:3000]
