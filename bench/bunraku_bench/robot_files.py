"""Public robots in packages of PyPI: which files `bunraku bench robots` takes, and of what kind they are.

example-robot-data and gymnasium come with the extra `bench`; robots of dm_control and robosuite (large packages) are
taken as well where these are installed. A file that is not there is left out; the report says how many were found.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from bunraku.errors import MissingExtra

EXAMPLES = "example-robot-data"


@dataclass(frozen=True)
class RobotFile:
    """A robot of a package: its name in the tables, the end of its path, its kind, and whether its base stands fixed."""

    name: str
    package: str
    path: str
    kind: str  # humanoid, quadruped, arm, hand
    fixed: bool = False


def _examples(kind: str, fixed: bool, **paths: str) -> list[RobotFile]:
    return [RobotFile(name, EXAMPLES, path, kind, fixed) for name, path in paths.items()]


ROBOTS = (
    *_examples(
        "humanoid", False, g1="g1_29dof_rev_1_0.urdf", g1_hands="g1_29dof_with_hand_rev_1_0.urdf",
        talos="talos_reduced.urdf", talos_full="talos_full_v2.urdf", romeo="romeo_small.urdf", icub="icub_reduced.urdf",
        bolt="bolt.urdf", alex="alex_nub_hands.urdf", alexander="alexander_v1.lowerBodyOnly.urdf",
        simple_humanoid="simple_humanoid.urdf", human="human.urdf",
    ),
    *_examples(
        "quadruped", False, go1="go1.urdf", go2="go2.urdf", a1="a1.urdf", b1="b1.urdf", laikago="laikago.urdf",
        anymal_b="anymal_b_simple_description/robots/anymal.urdf", anymal_c="anymal_c_simple_description/urdf/anymal.urdf",
        hyq="hyq_no_sensors.urdf", solo="robots/solo.urdf", solo12="solo12.urdf", centauro="centauro.urdf",
    ),
    *_examples(
        "arm", True, panda="urdf/panda.urdf", ur3="ur3_robot.urdf", ur5="ur5_robot.urdf", ur10="ur10_robot.urdf",
        kinova="kinova.urdf", xarm7="xarm7.urdf", z1="z1.urdf", so100="so100.urdf", so101="so101.urdf",
        talos_arm="talos_left_arm.urdf", baxter="baxter.urdf", tiago="robots/tiago.urdf",
    ),
    *_examples("hand", True, allegro_right="allegro_right_hand.urdf", allegro_left="allegro_left_hand.urdf"),
    *(
        RobotFile(f"gym_{name}", "gymnasium", f"envs/mujoco/assets/{name}.xml", kind)
        for name, kind in (("humanoid", "humanoid"), ("ant", "quadruped"))
    ),
    *(
        RobotFile(f"dm_{name}", "dm_control", f"suite/{name}.xml", kind)
        for name, kind in (("humanoid", "humanoid"), ("humanoid_CMU", "humanoid"), ("quadruped", "quadruped"))
    ),
    *(
        RobotFile(f"suite_{name}", "robosuite", f"models/assets/robots/{name}/robot.xml", "arm", True)
        for name in ("panda", "sawyer", "iiwa", "ur5e", "jaco", "kinova3", "xarm7")
    ),
)  # fmt: skip
KINDS = ("humanoid", "quadruped", "arm", "hand")


def found(names: tuple[str, ...] = ()) -> dict[RobotFile, Path]:
    """The robots that are installed, or those of them that are named, and their files."""
    paths: dict[str, list[Path]] = {}
    out: dict[RobotFile, Path] = {}
    for robot in ROBOTS:
        if names and robot.name not in names:
            continue
        if robot.package not in paths:
            paths[robot.package] = _files_of(robot.package)
        file = next((p for p in paths[robot.package] if str(p).endswith(f"/{robot.path}")), None)
        if file is not None:
            out[robot] = file
    if not out:
        raise MissingExtra('the benchmark needs its peers and robots: pip install "bunraku[bench]".')
    return out


def _files_of(package: str) -> list[Path]:
    """Robot files of a package, sorted."""
    try:
        files = importlib.metadata.files(package) or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return sorted(Path(str(f.locate())).resolve() for f in files if f.suffix in (".urdf", ".xml"))
