"""Read a figure from an MJCF file (extra `mjcf`).

MuJoCo itself compiles the file, so that defaults, includes, angles in degrees, `fromto` and inertias from geoms are
what MuJoCo makes of them; the compiled model is then turned into a `Description`: bodies, joints (hinge, slide, ball,
free; several on a body from inner to outer), inertias, primitive geoms and mesh files, named sites as frames, contact
excludes, and joint equalities that are linear as gears; bunraku.formats.mjcf_equipment reads actuators, tendons,
keyframes and loops. In MuJoCo an equality of two joints says

    q1 - ref1 = c0 + c1 (q2 - ref2) + c2 (…)^2 + …      so the gear has ratio c1 and offset c0 + ref1 - c1 ref2.

MuJoCo limits the whole angle t of a ball's rotation, cos(t/2) = cos(swing/2) cos(twist/2); the tightest swing and
twist limits that allow every t <= t_max are swing <= t_max, |twist| <= t_max, which a note says. What is not used is
listed by name and line.

Frames and units as in MuJoCo, which are ours. Source: mujoco.readthedocs.io ("XML Reference", "Computation"). Tested
by tests/formats/test_mjcf.py against MuJoCo's own kinematics.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.errors import FormatError, MissingExtra
from bunraku.formats import mjcf_parts, mjcf_source, xmlsafe
from bunraku.formats.mjcf_equipment import Equipment, closure
from bunraku.formats.mjcf_parts import Names, quaternion, vector
from bunraku.formats.mjcf_sensors import read_sensors
from bunraku.formats.mjcf_source import Source
from bunraku.formats.notebook import Notebook
from bunraku.formats.xmlsafe import Element
from bunraku.model.description import Description, Frame, Gear, Inertia, Link, Note, Shape
from bunraku.model.rotations import rotation_matrix

WORLD = "world"


def read(path: str | os.PathLike[str]) -> Description:
    """The figure in an MJCF file."""
    return from_element(xmlsafe.read(path), Path(path))


def from_element(main: Element, path: Path) -> Description:
    """The same where the root element of the file is already parsed."""
    if main.tag != "mujoco":
        raise main.error(f"the root element is <{main.tag}>; an MJCF model starts with <mujoco>.")
    source = mjcf_source.from_element(main, path)
    mujoco = _import_mujoco(path)
    model, warnings = _compile(mujoco, path, source)
    if model.nbody == 1 and model.ngeom == 0:
        raise main.error("the model has no bodies; add at least one to its <worldbody>.")
    names = Names(mujoco, model)
    notes = [Note("warning", f"MuJoCo says: {text}", source.file) for text in warnings]
    figure = Description(main.attributes.get("model") or path.stem, source=str(path), notes=notes + names.notes(source))
    off = bool(model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY))
    figure.gravity, figure.states_gravity = (0.0, 0.0, 0.0) if off else vector(model.opt.gravity), True
    figure.links = [_link(mujoco, model, names, body, source, notes=figure.notes) for body in range(model.nbody)]
    _frames(model, names, source, figure)
    _excludes(model, names, figure)
    _equalities(mujoco, model, names, source, figure)
    mjcf_parts.effort_limits(mujoco, model, names, figure)
    Equipment(mujoco, model, names, source, figure).read()
    read_sensors(mujoco, model, names, source, figure)
    if not figure.links[0].shapes and not _names_world(figure):
        del figure.links[0]  # nothing stands on the world itself
    book = Notebook()
    mjcf_source.remarks(book, source)
    figure.notes += book.notes()
    return figure


def _import_mujoco(path: Path) -> Any:
    try:
        import mujoco
    except ImportError:
        raise MissingExtra(
            f"{path.name}: reading MJCF needs the package mujoco; install it with: pip install 'bunraku[mjcf]'"
        ) from None
    return mujoco


def _compile(mujoco: Any, path: Path, source: Source) -> tuple[Any, list[str]]:
    """MuJoCo's compiled model and its warnings, which would otherwise go to a log file in the current folder."""
    warnings: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: warnings.append(_one_line(text)))
    try:
        return mujoco.MjModel.from_xml_path(str(path)), warnings
    except (ValueError, mujoco.FatalError) as error:
        text = _one_line(str(error))
        line = re.search(r"\bline (\d+)", text)
        place = f"{source.file}:{line[1]}" if line and source.files == len(source.roots) == 1 else source.file
        text = re.sub(r"^(XML )?(Error: )+", "", text)
        raise FormatError(f"{place}: MuJoCo refuses it: {text}.") from None
    finally:
        mujoco.set_mju_user_warning(before)


def _one_line(text: str) -> str:
    return " ".join(str(text).split()).rstrip(".")


def _link(mujoco: Any, model: Any, names: Names, body: int, source: Source, notes: list[Note]) -> Link:
    """Body `body` of the model; body 0 is the world and becomes a link fixed in it."""
    name = names.body[body]
    parent = int(model.body_parentid[body])
    where = source.place(source.find("worldbody", name, "body"))
    link = Link(name, names.body[parent] if parent else None, where=where)
    if body:
        link.position, link.rotation = vector(model.body_pos[body]), quaternion(model.body_quat[body])
        link.inertia = _inertia(model, body)
        link.gravcomp = float(model.body_gravcomp[body])
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    link.joints = [mjcf_parts.joint(mujoco, model, names, j, source, link, notes) for j in range(first, first + count)]
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    for geom in range(first, first + count):
        shape = mjcf_parts.shape(mujoco, model, geom, source, link, notes)
        if shape is not None:
            link.shapes.append(_as_grouped(model, geom, shape))
    return link


def _as_grouped(model: Any, geom: int, shape: Shape) -> Shape:
    """Geoms of groups 3 to 5 are not seen in MuJoCo's viewer unless asked for: those that touch are collision shapes
    (mjcf_parts), others are transparent."""
    if int(model.geom_group[geom]) >= mjcf_parts.HIDDEN and shape.role == "visual" and shape.color is not None:
        shape.color = (*shape.color[:3], 0.0)
    return shape


def _inertia(model: Any, body: int) -> Inertia:
    moments = np.diag(model.body_inertia[body])
    quat = quaternion(model.body_iquat[body])
    if quat is not None:
        turn = rotation_matrix(quat)
        moments = turn @ moments @ turn.T
        moments = 0.5 * (moments + moments.T)  # rounding only
    return Inertia(float(model.body_mass[body]), vector(model.body_ipos[body]), moments)


def _frames(model: Any, names: Names, source: Source, figure: Description) -> None:
    """Named sites become frames."""
    taken = {link.name for link in figure.links}
    for site in range(model.nsite):
        name, link = names.site[site], names.body[int(model.site_bodyid[site])]
        element = source.find("worldbody", name, "site")
        if not name or name in taken:
            reason = "a link has the same name" if name else "it has no name"
            text = f"site {name!r} on {link!r} is not kept: {reason}."
            figure.notes.append(Note("ignored", text, source.place(element)))
            continue
        figure.frames.append(Frame(name, link, vector(model.site_pos[site]), quaternion(model.site_quat[site])))


def _excludes(model: Any, names: Names, figure: Description) -> None:
    for signature in model.exclude_signature:
        pair = names.body[int(signature) >> 16], names.body[int(signature) & 0xFFFF]
        figure.collide_exclude.append(pair)


def _names_world(figure: Description) -> bool:
    ends = {name for pair in figure.collide_exclude for name in pair} | {closure.link for closure in figure.closures}
    return WORLD in ends or any(frame.link == WORLD for frame in figure.frames)


def _equalities(mujoco: Any, model: Any, names: Names, source: Source, figure: Description) -> None:
    """Linear equalities of two hinges or sliders become gears, connects and welds closures; all others are listed."""
    elements = source.elements("equality")
    in_order = len(elements) == model.neq and len(source.roots) == 1
    followers: set[int] = set()
    for eq in range(model.neq):
        kind = mujoco.mjtEq(int(model.eq_type[eq])).name.removeprefix("mjEQ_").lower()
        element = elements[eq] if in_order else source.find("equality", names.equality[eq], kind)
        where = source.place(element)
        title = f"equality <{kind}> {names.equality[eq]!r}" if names.equality[eq] else f"equality <{kind}>"
        if kind in ("connect", "weld") and model.eq_active0[eq]:
            name = names.equality[eq] or f"{kind}{eq}"
            figure.closures.append(closure(mujoco, model, names, eq, name, where))
            text = f"{title} is soft in MuJoCo; here {figure.closures[-1].link!r} is held rigidly, in a World."
            figure.notes.append(Note("changed", text, where))
            continue
        reason = _not_a_gear(model, eq, kind, followers)
        if reason:
            figure.notes.append(Note("ignored", f"{title} is not used: {reason}.", where, f"<{kind}> in <equality>"))
            continue
        follower, leader = int(model.eq_obj1id[eq]), int(model.eq_obj2id[eq])
        followers.add(follower)
        c0, c1 = (float(c) for c in model.eq_data[eq, :2])
        ref1, ref2 = (float(model.qpos0[model.jnt_qposadr[j]]) for j in (follower, leader))
        offset = c0 + ref1 - c1 * ref2
        gear = Gear(names.joint[follower], names.joint[leader], c1, offset, names.equality[eq], where)
        figure.gears.append(gear)
        text = f"{title} is soft in MuJoCo; here {gear.follower!r} follows {gear.leader!r} exactly."
        figure.notes.append(Note("changed", text, where))


def _not_a_gear(model: Any, eq: int, kind: str, followers: set[int]) -> str:
    """Why an equality cannot be a gear, or ''."""
    if not model.eq_active0[eq]:
        return "it is not active"
    if kind != "joint":
        return "only couplings of two joints, connects and welds are read"
    if int(model.eq_obj2id[eq]) < 0:
        return "it holds one joint at a constant"
    data = model.eq_data[eq, :5]
    if np.any(data[2:] != 0.0):
        return f"its polycoef {' '.join(f'{c:g}' for c in data)} is not linear"
    if data[1] == 0.0:
        return "its linear polycoef is 0, so the joint would be held at a constant"
    if int(model.eq_obj1id[eq]) in followers:
        return "its joint already follows another one"
    return ""
