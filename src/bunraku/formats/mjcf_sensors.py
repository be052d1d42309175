"""Sensors of a compiled MuJoCo model as meters of a description.

The kinds of READ are kept, on joints, actuators, sites, bodies and geoms, relative to such a frame where one is given;
all others are named. Source: mujoco.readthedocs.io ("XML Reference", "sensor"). Tested by
tests/world/test_file_sensors.py against MuJoCo's own readings.
"""

from __future__ import annotations

from typing import Any

from bunraku.formats.mjcf_parts import Names, quaternion, vector
from bunraku.formats.mjcf_source import Source
from bunraku.model.description import Description, Note
from bunraku.model.equipment import Meter, Mount

FRAME = ("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel")
SITE = ("gyro", "accelerometer", "velocimeter", "force", "torque", "touch")
JOINT = ("jointpos", "jointvel", "jointactuatorfrc", "ballquat", "ballangvel")
ACTUATOR = ("actuatorpos", "actuatorvel", "actuatorfrc")
SUBTREE = ("subtreecom", "subtreelinvel", "subtreeangmom")
READ = (*FRAME, *SITE, *JOINT, *ACTUATOR, *SUBTREE, "clock")
SHORT = {"JOINTACTFRC": "jointactuatorfrc"}


def read_sensors(mujoco: Any, model: Any, names: Names, source: Source, figure: Description) -> None:
    """All sensors into `figure.sensors`, or a note."""
    kept = {a.name for a in figure.actuators}
    links = {link.name for link in figure.links}
    for k in range(model.nsensor):
        title: str = mujoco.mjtSensor(int(model.sensor_type[k])).name.removeprefix("mjSENS_")
        kind: str = SHORT[title] if title in SHORT else title.lower()
        given = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_SENSOR, k) or ""
        element = source.find("sensor", given, kind) if given else None
        where, reason = source.place(element), ""
        name, taken = given or f"{kind}{k}", {m.name for m in figure.sensors}
        while name in taken:
            name += "_"
        made = Meter(name, kind, cutoff=float(model.sensor_cutoff[k]), where=where)
        number = int(model.sensor_objid[k])
        if kind not in READ:
            reason = "sensors of this kind are not read"
        elif kind in JOINT:
            made.on = names.joint[number]
        elif kind in ACTUATOR:
            made.on = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, number) or ""
            reason = "" if made.on in kept else "its actuator is not used, or has no name"
        elif kind != "clock":
            made.at = mount(mujoco, model, names, int(model.sensor_objtype[k]), number)
            if kind in FRAME and int(model.sensor_refid[k]) >= 0:
                made.seen_from = mount(mujoco, model, names, int(model.sensor_reftype[k]), int(model.sensor_refid[k]))
            for frame in filter(None, (made.at, made.seen_from)):
                if frame.link is None and kind in (*SITE, *SUBTREE):
                    reason = "it stands on the world itself"
                elif frame.link is not None and frame.link not in links:
                    reason = f"there is no link {frame.link!r}"
            if kind == "touch":
                shape = mujoco.mjtGeom(int(model.site_type[number])).name.removeprefix("mjGEOM_").lower()
                made.zone = shape, vector(model.site_size[number])
        if reason:
            said = f"sensor <{kind}> {given!r}" if given else f"sensor <{kind}>"
            figure.notes.append(Note("ignored", f"{said} is not used: {reason}.", where, f"<{kind}> in <sensor>"))
        else:
            figure.sensors.append(made)


def mount(mujoco: Any, model: Any, names: Names, kind: int, number: int) -> Mount:
    """The frame of a site, geom, camera or body (of a "body" its principal axes, of an "xbody" its own)."""
    what = mujoco.mjtObj(kind).name.removeprefix("mjOBJ_").lower()
    if what in ("site", "geom", "camera"):
        short = {"camera": "cam"}.get(what, what)
        body, place, turn = (getattr(model, f"{short}_{x}")[number] for x in ("bodyid", "pos", "quat"))
    elif what == "body":
        body, place, turn = number, model.body_ipos[number], model.body_iquat[number]
    else:
        return Mount(names.body[number] if number else None)
    return Mount(names.body[int(body)] if int(body) else None, vector(place), quaternion(turn))
