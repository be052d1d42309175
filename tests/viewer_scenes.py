"""A walking figure for the tests of the viewer's page: scene and frame messages made by hand, after the documented
layout.

Not a simulation: the pelvis moves evenly, the feet step along prescribed paths, the legs follow by plane geometry. What
the page must show is therefore known exactly: `Walk.feet`, `Walk.zmp`, `Walk.load` are the sources of the frames, not
their copies.
"""

import math
import struct

import numpy as np

import bunraku as bk
from bunraku import describe_human

SPEED, STEP_TIME, WEIGHT = 0.62, 0.6, 680.0  # m/s, s, N
DOUBLE = 0.2  # part of a step with both feet on the ground
SIDES = {"left": 1.0, "right": -1.0}
FOOT = np.array([[0.125, 0.06], [0.125, -0.06], [-0.065, -0.06], [-0.065, 0.06]])  # corners of a sole, m


def about_y(angle):
    return np.array([math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0])


def product(a, b):
    w, x, y, z = a
    return np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]]) @ b


def turned(q, p):
    w, v = q[0], q[1:]
    return p + 2.0 * np.cross(v, np.cross(v, p) + w * p)


class Walk:
    """Scene and frames of `seconds` at `fps`; `bodies` and `channels` are filled up to these counts."""

    def __init__(self, seconds=4.0, fps=30, bodies=13, channels=12, title="Walk", connections=()):
        self.links = describe_human().links
        self.fps, self.count = fps, round(seconds * fps) + 1
        self.names = [link.name for link in self.links]
        self.extra = bodies - len(self.names)
        self.channels = channels
        self.hip, self.leg = 0.86, (0.4165, 0.4182)
        place = {link.name: np.asarray(link.position, dtype=float) for link in self.links}
        self.leg = (abs(place["left_shank"][2]), abs(place["left_foot"][2]))
        self.wide = abs(place["left_thigh"][1])
        self.hip_drop = place["left_thigh"][2]
        self.sole = 0.0663
        self.pelvis = sum(self.leg) * 0.975 + self.sole - self.hip_drop
        self.place = place
        self.scene = {
            "type": "scene",
            "version": 1,
            "title": title,
            "dt": 1.0 / fps,
            "bodies": [{"name": f"walker.{n}", "figure": "walker"} for n in self.names]
            + [{"name": f"ball {i}", "figure": "walker"} for i in range(self.extra)],
            "shapes": self._shapes(),
            "figures": ["walker"],
            "channels": self._channel_list(),
            "start": 0.0,
            "duration": (self.count - 1) / fps,
            "live": False,
            "play": False,
            "connections": list(connections),
        }

    def _shapes(self):
        unit = [1.0, 0.0, 0.0, 0.0]
        shapes = [_shape(-1, "plane", [], [0, 0, 0], unit, None, "ground")]
        for i, link in enumerate(self.links):
            for s in link.shapes:
                shapes.append(_shape(i, s.kind, [float(x) for x in s.size], list(s.position), unit, None, link.name))
        shapes.append(_shape(-1, "box", [0.25, 0.25, 0.2], [1.2, 1.1, 0.2], unit, [0.62, 0.5, 0.42, 1.0], "crate"))
        shapes.append(_shape(-1, "cylinder", [0.18, 0.3], [2.4, 1.2, 0.3], unit, None, "post"))
        corners = [[x, y, z] for x in (-0.2, 0.2) for y in (-0.2, 0.2) for z in (0.0,)] + [[0.0, 0.0, 0.35]]
        shapes.append({**_shape(-1, "hull", [], [0.2, 1.3, 0.0], unit, None, "pyramid"), "points": corners})
        for i in range(self.extra):
            shapes.append(_shape(len(self.names) + i, "sphere", [0.06], [0, 0, 0], unit, None, f"ball {i}"))
        return shapes

    def _channel_list(self):
        first = [
            ("left foot Fz", "N", "forces"),
            ("right foot Fz", "N", "forces"),
            ("zmp x", "m", "zmp"),
            ("zmp y", "m", "zmp"),
            ("kinetic", "J", "energy"),
        ]
        kinds = [("torques", "N m"), ("angles", "rad")]
        more = [(f"joint {i} {kinds[i % 2][0]}", kinds[i % 2][1], kinds[i % 2][0]) for i in range(self.channels - 5)]
        return [{"name": n, "unit": u, "group": g} for n, u, g in first + more]

    def foot(self, side, t):
        """Middle of the ankle above the sole (x, z) and whether the foot stands."""
        phase = t / STEP_TIME + (0.0 if side == "left" else 1.0)
        stride, part = divmod(phase, 2.0)
        length = 2.0 * SPEED * STEP_TIME
        start = (stride - (0.0 if side == "left" else 0.5)) * length
        swing = 1.0 - DOUBLE
        if part < 2.0 - swing:
            return start, self.sole, True
        u = (part - 2.0 + swing) / swing
        return (
            start + length * (u - math.sin(2 * math.pi * u) / (2 * math.pi)),
            self.sole + 0.09 * math.sin(math.pi * u) ** 2,
            False,
        )

    def load(self, t):
        """Part of the weight on the left and on the right foot."""
        standing = {side: self.foot(side, t)[2] for side in SIDES}
        if all(standing.values()):
            u = (t / STEP_TIME % 1.0) / DOUBLE
            late = int(t / STEP_TIME) % 2 == 0
            share = min(max(u, 0.0), 1.0)
            return {"left": share if late else 1.0 - share, "right": 1.0 - share if late else share}
        return {side: 1.0 if standing[side] else 0.0 for side in SIDES}

    def zmp(self, t):
        load = self.load(t)
        x = sum(load[s] * (self.foot(s, t)[0] + 0.03) for s in SIDES)
        return np.array([x, sum(load[s] * SIDES[s] * self.wide for s in SIDES), 0.0])

    def pose(self, t):
        """Pose (x y z qw qx qy qz) of every body."""
        middle = np.array([SPEED * (t - 0.6 * STEP_TIME), 0.02 * math.sin(math.pi * t / STEP_TIME), self.pelvis])
        unit = np.array([1.0, 0.0, 0.0, 0.0])
        out = {"pelvis": (middle, unit)}
        angles = {}
        for side in SIDES:
            x, z, _ = self.foot(side, t)
            a, b = self.leg
            dx, dz = x - middle[0], z - (middle[2] + self.hip_drop)
            reach = min(math.hypot(dx, dz), 0.999 * (a + b))
            aim = math.atan2(-dx, -dz)
            bend = math.acos((a * a + reach * reach - b * b) / (2 * a * reach))
            knee = math.pi - math.acos((a * a + b * b - reach * reach) / (2 * a * b))
            angles[f"{side}_thigh"] = aim - bend
            angles[f"{side}_shank"] = knee
            angles[f"{side}_foot"] = -(aim - bend + knee)
            swing = 0.45 * math.sin(math.pi * t / STEP_TIME) * SIDES[side]
            angles[f"{side}_upper_arm"] = swing
            angles[f"{side}_lower_arm"] = -0.35 + 0.3 * min(swing, 0.0)
        for link in self.links[1:]:
            at, turn = out[link.parent]
            out[link.name] = (
                at + turned(turn, self.place[link.name]),
                product(turn, about_y(angles.get(link.name, 0.0))),
            )
        rows = [np.concatenate(out[name]) for name in self.names]
        for i in range(self.extra):
            a = 0.7 * t + i
            rows.append(np.array([1.5 + math.cos(a), -1.5 + math.sin(a), 0.3 + 0.1 * math.sin(3 * a), *about_y(a)]))
        return np.array(rows)

    def contacts(self, t):
        """Rows x y z fx fy fz patch state and bodies: four corners of a standing sole, two while it has just come down."""
        rows = []
        for patch, side in enumerate(SIDES):
            x, _, standing = self.foot(side, t)
            share = self.load(t)[side]
            if not standing or share < 1e-3:
                continue
            line = share < 0.35
            corners = FOOT[2:] if line else FOOT
            for corner in corners:
                force = WEIGHT * share / len(corners)
                rows.append(
                    [
                        x + corner[0],
                        SIDES[side] * self.wide + corner[1],
                        0.0,
                        0.08 * force,
                        0.0,
                        force,
                        patch,
                        2 if line else 3,
                        self.names.index(f"{side}_foot"),
                        -1,
                    ]
                )
        return np.array(rows).reshape(-1, 10)

    def values(self, t):
        load, zmp = self.load(t), self.zmp(t)
        first = [
            WEIGHT * load["left"],
            WEIGHT * load["right"],
            zmp[0],
            zmp[1],
            30.0 + 4.0 * math.sin(4 * math.pi * t / STEP_TIME),
        ]
        more = [
            (20.0 + i) * math.sin(math.pi * t / STEP_TIME + i) * (1.0 if i % 2 == 0 else 0.02)
            for i in range(self.channels - 5)
        ]
        return np.array(first + more)

    def time(self, k):
        return k / self.fps

    def frame(self, k):
        t = self.time(k)
        poses, contacts, values = self.pose(t), self.contacts(t), self.values(t)
        com = [poses[0, 0], poses[0, 1], poses[0, 2] + 0.08]
        figures = np.array([[*com, *self.zmp(t)]])
        return frame_bytes(k, t, poses, contacts, figures, values)

    def frames(self):
        return [self.frame(k) for k in range(self.count)]


def frame_bytes(sequence, time, poses, contacts, figures, channels):
    head = struct.pack("<4sIdIIII", b"BKF1", sequence, time, len(poses), len(contacts), len(figures), len(channels))
    return head + b"".join(np.asarray(part, dtype="<f4").tobytes() for part in (poses, contacts, figures, channels))


def _shape(body, kind, size, position, quaternion, color, name):
    return {
        "body": body,
        "kind": kind,
        "size": size,
        "position": [float(x) for x in position],
        "quaternion": quaternion,
        "color": color,
        "name": name,
    }


def with_parcel():
    """Ann and Bob face each other, a table between them, on it a parcel in reach of Ann's right hand."""
    c = bk.Choreography(name="ann")
    c.add_figure(name="bob", at=(0.9, 0.0), yaw=np.pi)
    hand = c.figure.pose("right_hand")[0]
    top = float(hand[2]) - 0.075
    at = (float(hand[0]) + 0.13, float(hand[1]))
    c.add_thing("box", name="table", size=(0.2, 0.3, top), at=(*at, 0.5 * top), fixed=True)
    c.add_thing("box", name="parcel", size=(0.15, 0.15, 0.15), mass=2.0, at=(*at, top + 0.0751))
    return c
