"""Checks of couplings by a matrix: known joints that have rates, a constant matrix of the right shape, one coupling a
follower, no loop, no limits or passive forces that only the leaders can have. Tested by tests/model/test_matrix_gears.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.errors import ModelError, closest
from bunraku.model.check_values import place
from bunraku.model.description import Description, Joint, MatrixGear
from bunraku.model.joint_kinds import KINDS

ONLY_LEADERS = ("lower", "upper", "swing", "twist", "damping", "friction", "stiffness", "effort", "velocity")


def check_matrix_gears(description: Description) -> None:
    """Every coupling by itself, then their net."""
    joints = {joint.name: joint for link in description.links for joint in link.joints}
    geared = {name for g in description.gears for name in (g.follower, g.leader)}
    leaders_of: dict[str, list[str]] = {}
    for gear in description.matrix_gears:
        at = f"{place(gear.where)}coupling of {_listed(gear.followers)} to {_listed(gear.leaders)}"
        _check_names(gear, joints, at)
        _check_matrix(gear, joints, at)
        for name in (*gear.followers, *gear.leaders):
            if name in geared:
                raise ModelError(f"{at}: {name!r} has a gear, too; write that as a coupling by a 1 x 1 matrix.")
        for name in gear.followers:
            if name in leaders_of:
                raise ModelError(
                    f"{at}: {name!r} already follows {_listed(leaders_of[name])}; its rates would be given twice. "
                    "Give a follower one coupling, with all of its leaders."
                )
            leaders_of[name] = list(gear.leaders)
            _check_follower(joints[name], at)
    _no_loop(leaders_of)


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names))


def _check_names(gear: MatrixGear, joints: dict[str, Joint], at: str) -> None:
    names = [*gear.followers, *gear.leaders]
    if not gear.followers or not gear.leaders:
        raise ModelError(f"{at}: a coupling needs at least one follower and one leader.")
    for name in names:
        if name not in joints:
            raise ModelError(f"{at}: there is no joint {name!r}.{closest(str(name), joints)}")
        if joints[name].kind in ("free", "fixed"):
            raise ModelError(
                f"{at}: joint {name!r} is {joints[name].kind}; a matrix couples hinges, sliders, helical and universal "
                "joints and balls."
            )
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f"{at}: {name!r} stands there twice; a joint cannot follow itself, nor count double.")


def _check_matrix(gear: MatrixGear, joints: dict[str, Joint], at: str) -> None:
    rows, columns = (sum(KINDS[joints[n].kind].dof for n in names) for names in (gear.followers, gear.leaders))
    try:
        matrix = np.atleast_2d(np.asarray(gear.matrix, dtype=float))
    except (TypeError, ValueError):
        what = "a function" if callable(gear.matrix) else repr(gear.matrix)
        raise ModelError(f"{at}: the matrix must be constant numbers, {rows} x {columns}, got {what}.") from None
    if matrix.shape != (rows, columns):
        got = " x ".join(map(str, matrix.shape))
        raise ModelError(
            f"{at}: the matrix is {got}; {rows} x {columns} is wanted, a row a rate of the followers and a column a "
            "rate of the leaders (hinge, slider, helical 1, universal 2, ball 3)."
        )
    if not np.all(np.isfinite(matrix)):
        raise ModelError(f"{at}: the matrix has a value that is not finite: {matrix.tolist()}.")
    row = 0
    for name in gear.followers:
        n = KINDS[joints[name].kind].dof
        if not np.any(matrix[row : row + n]):
            raise ModelError(f"{at}: the rows of {name!r} are 0, so it would not move; make its joint fixed.")
        row += n


def _check_follower(joint: Joint, at: str) -> None:
    plain = Joint()
    for name in ONLY_LEADERS:
        if np.any(np.asarray(getattr(joint, name), dtype=float) != np.asarray(getattr(plain, name), dtype=float)):
            raise ModelError(
                f"{at}: the follower {joint.name!r} has {name} {getattr(joint, name)}; limits and passive forces of a "
                "joint that follows by a matrix are not supported, give them to its leaders."
            )


def _no_loop(leaders_of: dict[str, list[str]]) -> None:
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> None:
        if name in path:
            loop = " <- ".join(repr(n) for n in [*path[path.index(name) :], name])
            raise ModelError(f"the couplings {loop} form a loop; let one joint lead.")
        if name not in done:
            for leader in leaders_of.get(name, []):
                visit(leader, [*path, name])
            done.add(name)

    for name in leaders_of:
        visit(name, [])
