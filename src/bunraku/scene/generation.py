"""Files for motion generation: contacts, known quantities and trajectories written down in TOML, for the one equation of
Nakamura & Yamane 2000 (bunraku.motion.generate).

`TABLES` is the whole grammar, docs/motion-generation.md explains it. Numbers may be formulas (bunraku.scene.formula);
units are those of the Python call: m, rad, N, N m, s; a rotation is roll, pitch and yaw in degrees, or a quaternion w x y
z. Every mistake is one sentence with file, table and key. What comes out is what the Python call gives, bit for bit.
Checked in tests/scene/test_generation.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.dynamics.functions import centre_of_mass, kinematics
from bunraku.errors import BunrakuError, FormatError, InputError, closest
from bunraku.files import parse_toml, read_text
from bunraku.humanoid.stance import stand
from bunraku.model import Model, Shape
from bunraku.motion.generate import generate
from bunraku.motion.paths import H, samples, swing, waypoints
from bunraku.motion.requests import Contact, Trajectory
from bunraku.motion.solved import GROUND, Solved
from bunraku.motion.trees import Trees
from bunraku.scene import formula
from bunraku.scene import values as of
from bunraku.scene.figures import fixed_shape
from bunraku.scene.file import MOTION, Table, anything, built_in_folder, checked, shown
from bunraku.scene.file import TABLES as OF_SCENES
from bunraku.scene.values import Reader
from bunraku.world.world import World

TABLES: dict[str, dict[str, Reader]] = {
    **MOTION, "motion": {"about": of.text, "model": of.text, "dt": of.positive, **MOTION["motion"]},
    "start": {"stand": of.flag, "lower": of.number, "pose": anything, "shift": anything},
    "fixed": {**OF_SCENES["fixed"], "position": anything},
}  # fmt: skip
NEEDED = {"motion": ("seconds",), "fixed": ("shape",), "contact": ("frame",), "trajectory": ("of",)}
SINGLE = ("motion", "start")
PATHS = ("at", "waypoints", "samples", "swing")
SWING = ("start", "goal", "height")
SHARE = ("along", "with", "height")
GRAVITY = 9.80665


@dataclass(eq=False)
class Generation:
    """A file that was read, for a figure or for the world of a scene: `options` are those of `generate`."""

    name: str
    about: str
    what: Model | World
    options: dict[str, Any]

    @property
    def model(self) -> Model:
        """The figure, or all of the world as one model."""
        return Trees.of(self.what).model

    def run(self, progress: Callable[[int, int], None] | None = None) -> Solved:
        """The motion."""
        try:
            return generate(self.what, **self.options, progress=progress)
        except (BunrakuError, ValueError) as error:
            raise InputError(f"{self.name}: {error}") from None


def built_in() -> dict[str, Path]:
    """The files that come with Bunraku, by name: those of one figure, then scenes with a [motion]."""
    alone = sorted((Path(__file__).resolve().parent / "motions").glob("*.toml"))
    scenes = [p for p in sorted(built_in_folder().glob("*.toml")) if "motion" in parse_toml(read_text(p), p.name)]
    return {p.stem: p for p in (*alone, *scenes)}


def is_scene(path: Path) -> bool:
    """Whether a file is a scene, with figures of its own."""
    return "figure" in parse_toml(read_text(path), path.name)


def about_of(path: Path) -> str:
    """What a file says of itself."""
    content = parse_toml(read_text(path), path.name)
    return content.get("world", content.get("motion", {})).get("about", "")


def find(name: str | Path) -> Path:
    """A file, or a built-in one by its name."""
    path, ours = Path(name), built_in()
    if str(name) in ours and not path.is_file():
        return ours[str(name)]
    if not path.is_file() and path.suffix != ".toml" and len(path.parts) <= 1 and not path.exists():
        raise InputError(f"{str(name)!r} is neither a file nor a built-in motion.{closest(str(name), ours)}")
    return path


def model_of(name: str | Path) -> str:
    """The figure that a file names."""
    return tables(find(name))["motion"][0].get("model", "human")


def tables(path: Path) -> dict[str, list[Table]]:
    """Every kind of table with its tables, checked each by itself."""
    content = parse_toml(read_text(path), path.name)
    out: dict[str, list[Table]] = {kind: [] for kind in TABLES}
    for kind, given in content.items():
        if kind not in TABLES:
            raise FormatError(f"{path.name}: there is no table [{kind}].{closest(kind, TABLES)}")
        head = f"[{kind}]" if kind in SINGLE else f"[[{kind}]]"
        if not isinstance(given, dict | list) or isinstance(given, dict) != (kind in SINGLE):
            raise FormatError(f"{path.name}: write {head} as the head of this table.")
        for k, one in enumerate([given] if isinstance(given, dict) else given, 1):
            where = f"{path.name}: {head}" if kind in SINGLE else f"{path.name}: {head} {k}"
            out[kind].append(checked(kind, one, where, TABLES, NEEDED))
    if not out["motion"]:
        raise FormatError(f"{path.name}: there is no [motion]; write e.g. [motion] and seconds = 1.0.")
    return out


def load_generation(name: str | Path, model: Model) -> Generation:
    """The file, for a figure."""
    path = find(name)
    builder = Builder(path.name, tables(path), Trees.of(model))
    return builder.generation(model, builder.of_figure())


def scene_generation(name: str, given: Mapping[str, list[Table]], world: World) -> Generation:
    """The motion that a scene asks for, of all figures and things of its world, from the world's state on."""
    builder = Builder(name, given, Trees.of(world), world.q.copy())
    builder.fixed = tuple(f.shape for f in world._fixed)
    return builder.generation(world, {})


class Builder:
    """Turns tables into the options of `generate`."""

    def __init__(self, name: str, given: Mapping[str, list[Table]], trees: Trees, q: np.ndarray | None = None) -> None:
        self.name, self.given, self.trees, self.model = name, given, trees, trees.model
        self.q = self.model.neutral() if q is None else q
        self.fixed: tuple[Shape, ...] = (GROUND,)
        self.see()

    def see(self) -> None:
        """Where the parts of the figure are."""
        self.kin = kinematics(self.model, self.q)
        self.com = {name: centre_of_mass(p.model, self.q[p.q]) for name, p in self.trees.coms.items()}

    def place(self, name: str) -> np.ndarray:
        """Of a link, a frame, a thing or "com", at the start."""
        if name in self.com:
            return self.com[name]
        name = self.trees.roots.get(name, name)
        if name not in self.trees.frame_names:
            raise LookupError
        return self.kin.pose(name)[0]

    def of_figure(self) -> dict[str, Any]:
        """What a file says of its own figure and its shapes."""
        self.start()
        self.fixed = (GROUND, *(self.shape(t) for t in self.given["fixed"]))
        m = self.given["motion"][0]
        return {"start": self.q, "fixed": self.fixed, **({"dt": m["dt"]} if "dt" in m else {})}

    def generation(self, what: Model | World, options: dict[str, Any]) -> Generation:
        """See the module text."""
        m = self.given["motion"][0]
        options |= {key: m[key] for key in ("seconds", "friction", "stiffness", "bound") if key in m}
        options |= {"posture": tuple(m["posture"])} if "posture" in m else {}
        options |= {"weights": m["weights"]} if "weights" in m else {}
        options["contacts"] = [self.contact(t) for t in self.given["contact"]]
        options["trajectories"] = [self.trajectory(t) for t in self.given["trajectory"]]
        options["known"] = self.known(options)
        about = m.get("about", self.given["world"][0].get("about", "") if "world" in self.given else "")
        return Generation(self.name, about, what, options)

    def start(self) -> None:
        """q to start from."""
        for t in self.given["start"]:
            if "lower" in t and not t.get("stand"):
                raise t.wrong("lower has no effect without stand = true.")
            if t.get("stand"):
                try:
                    self.q = stand(self.model, **({"lower": t["lower"]} if "lower" in t else {}))
                except BunrakuError as error:
                    raise t.wrong(str(error)) from None
            pose = t.get("pose", {})
            if not isinstance(pose, dict):
                raise t.wrong("pose should be a table { joint = value }.")
            joints = {j.name: j for j in self.model.joints if j.nq and j.kind != "free"}
            for name, x in pose.items():
                if name not in joints:
                    raise t.wrong(f"pose: figure {self.model.name!r} has no joint {name!r}.{closest(name, joints)}")
                self.q[joints[name].q] = self.fixed_numbers(t, f"pose: {name}", x, joints[name].nq)
                if joints[name].kind == "ball" and abs(np.linalg.norm(self.q[joints[name].q]) - 1.0) > 1e-6:
                    raise t.wrong(f"pose: {name} = {shown(x)} should be a quaternion w x y z of length 1.")
            self.see()
            if "shift" in t:
                if self.model.joints[0].kind != "free":
                    raise t.wrong(f"shift: {self.model.name!r} has no free base.")
                self.q[:3] += self.fixed_numbers(t, "shift", t["shift"], 3)
            self.see()

    def shape(self, t: Table) -> Shape:
        """Of a [[fixed]]."""
        copy = Table(t.where, dict(t))
        if "position" in t:
            copy["position"] = self.fixed_numbers(t, "position", t["position"], 3)
        return fixed_shape(copy, Path())

    def contact(self, t: Table) -> Contact:
        """Of a [[contact]]: on a fixed shape by its name, or on a link or thing."""
        names = [s.name or ("ground" if s.kind == "plane" else s.kind) for s in self.fixed]
        self.has(t, "frame", t["frame"])
        on = t.get("on", "ground")
        link = not self.trees.alone and on not in names and "on" in t
        if link:
            self.has(t, "on", on, [n for n in names if n])
        elif on not in names and "on" in t:
            raise t.wrong(f"on = {on!r}: there is no [[fixed]] of that name.{closest(on, names)}")
        more: dict[str, Any] = {"at": self.fixed_numbers(t, "at", t["at"], 3)} if "at" in t else {}
        more |= {key: t[key] for key in ("axes", "grip", "rotation", "break_force", "break_torque") if key in t}
        more |= {"most": self.most(t)} if "most" in t else {}
        more |= {key: t[word] for word, key in (("from", "begin"), ("until", "end")) if word in t}
        fixed = 0 if link or on not in names else names.index(on)
        try:
            return Contact(t["frame"], on if link else None, fixed=fixed, **more)
        except BunrakuError as error:
            raise t.wrong(str(error)) from None

    def most(self, t: Table) -> np.ndarray:
        """The most that a contact carries, along each axis."""
        x = t["most"]
        return self.fixed_numbers(t, "most", x if isinstance(x, list) else [x] * 6, 6)

    def has(self, t: Table, key: str, name: str, also: Sequence[str] = (), what: str = "link or frame") -> None:
        """Refuse what the figures have not."""
        known = [*also, *(() if what != "link or frame" else (*self.trees.roots, *self.trees.frame_names))]
        if name not in known:
            whose = f"figure {self.model.name!r} has" if self.trees.alone else "the scene has"
            raise t.wrong(f"{key} = {name!r}: {whose} no such {what}.{closest(name, known)}")

    def trajectory(self, t: Table) -> Trajectory:
        """Of a [[trajectory]]."""
        joints = {j.name: j for j in self.model.joints if j.nv}
        self.has(
            t, "of", t["of"], [*self.com, *joints, *self.trees.roots, *self.trees.frame_names], "link, frame or joint"
        )
        ways = [key for key in PATHS if key in t]
        if len(ways) > 1:
            raise t.wrong(f"{ways[1]!r} and {ways[0]!r} are two paths; leave one of them out.")
        n = joints[t["of"]].nq if t["of"] in joints else 3
        position = None if not ways else self.path(t, ways[0], n)
        rotation = self.rotation(t, joints) if "rotation" in t else None
        if t["of"] in joints and rotation is None and position is not None and joints[t["of"]].kind == "ball":
            position, rotation = None, position
        more = {key: t[key] for key in ("axes", "weight", "stiffness") if key in t}
        more |= {"begin": t["from"]} if "from" in t else {}
        more |= {"end": t["until"]} if "until" in t else {}
        try:
            return Trajectory(t["of"], position, rotation, **more)
        except BunrakuError as error:
            raise t.wrong(str(error)) from None

    def path(self, t: Table, key: str, n: int) -> Callable[[float], Any]:
        """Of a trajectory: constant or a formula of t (`at`), from point to point, through points, or a foot's swing."""
        x = t[key]
        if key == "at":
            return self.function(t, key, x, n)
        if key == "swing":
            return self.swing(t, x)
        wanted = f"a list of [t, {'x' if n == 1 else 'x, y, z' if n == 3 else f'{n} numbers'}], times rising"
        if not isinstance(x, list) or not x or not all(isinstance(row, list) and len(row) == n + 1 for row in x):
            raise t.wrong(f"{key} = {shown(x)} should be {wanted}.")
        rows = np.array([self.fixed_numbers(t, key, row, n + 1) for row in x])
        values: Any = rows[:, 1] if n == 1 else rows[:, 1:]
        try:
            if key == "samples":
                return samples(rows[:, 0], values)
            return waypoints(list(zip(rows[:, 0].tolist(), values)))
        except BunrakuError:
            raise t.wrong(f"{key} = {shown(x)} should be {wanted}.") from None

    def swing(self, t: Table, x: Any) -> Callable[[float], Any]:
        """A foot's way between `from` and `until`."""
        if not isinstance(x, dict) or not {"start", "goal"} <= set(x) <= set(SWING):
            raise t.wrong(f"swing = {shown(x)} should be a table with start, goal and, if wanted, height.")
        if "from" not in t or "until" not in t:
            raise t.wrong("swing needs from and until, its times.")
        ends = [self.fixed_numbers(t, f"swing: {key}", x[key], 3) for key in ("start", "goal")]
        height = self.fixed_numbers(t, "swing: height", x.get("height", 0.06), 1)
        return swing(t["from"], t["until"], *ends, height=float(height[0]))

    def rotation(self, t: Table, joints: Mapping[str, Any]) -> Callable[[float], Any]:
        """A constant attitude: "start", or the rotation; of a ball joint a quaternion, as its q."""
        x, name = t["rotation"], t["of"]
        if name in self.com:
            raise t.wrong("rotation: the centre of mass has none.")
        if name in joints:
            if joints[name].kind != "ball":
                raise t.wrong(f"rotation: {name!r} is no ball; give its coordinate by at.")
            quaternion = self.fixed_numbers(t, "rotation", x, 4)
            return lambda now: quaternion
        if x == "start":
            R = self.kin.pose(self.trees.frame(name, "rotation"))[1]
            return lambda now: R
        try:
            turn = of.rotation(x)
        except ValueError as error:
            raise t.wrong(f'rotation = {shown(x)} should be "start", {error}.') from None
        return lambda now: turn

    def known(self, options: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Of all [[known]]."""
        out: dict[str, dict[str, Any]] = {"torque": {}, "acceleration": {}, "force": {}}
        joints = {j.name: j for j in self.model.joints if j.nv}
        for t in self.given["known"]:
            kinds = [key for key in out if key in t]
            if len(kinds) != 1:
                raise t.wrong("write one of torque, acceleration, force = the name of what is known.")
            kind, name = kinds[0], t[kinds[0]]
            if ("share" in t) == ("value" in t) or ("share" in t and kind != "force"):
                raise t.wrong("write value = …, or, of a force, share = { along = …, with = … }.")
            if kind == "force":
                self.has(t, kind, name, [c.frame for c in options["contacts"]], "contact")
            else:
                self.has(t, kind, name, list(joints), "joint")
            if name in out[kind]:
                raise t.wrong(f"{kind} of {name!r} is known already.")
            if "share" in t:
                out[kind][name] = self.share(t, name, options["trajectories"])
            else:
                n = 6 if kind == "force" else joints[name].nv
                out[kind][name] = self.function(t, "value", t["value"], n, unknown=True)
        return {kind: x for kind, x in out.items() if x}

    def share(self, t: Table, foot: str, trajectories: list[Trajectory]) -> Callable[[float], np.ndarray]:
        """Force straight up on a foot: its share of the weight, as the zero-moment point lies between it and another foot,
        where the point follows from a path that the body goes along: zmp = com - (height / g) times its acceleration."""
        x = t["share"]
        if not isinstance(x, dict) or not {"along", "with"} <= set(x) <= set(SHARE):
            raise t.wrong(f"share = {shown(x)} should be a table with along, with and, if wanted, height.")
        paths = {tr.of: tr.position for tr in trajectories if tr.position is not None}
        along = str(x["along"])
        if along not in paths:
            raise t.wrong(f"share: along = {along!r} has no [[trajectory]] with a path.{closest(along, paths)}")
        self.has(t, "share: with", str(x["with"]))
        whole = next((n for n in self.com if foot.startswith(n.removesuffix("com"))), "")
        if not whole:
            raise t.wrong(f"share: {foot!r} belongs to a figure without a free base.")
        com, mass = self.com[whole], self.trees.coms[whole].model.mass
        height = float(self.fixed_numbers(t, "share: height", x.get("height", float(com[2])), 1)[0])
        body, other = paths[along], self.place(str(x["with"]))
        here = self.place(along)
        stays = self.place(foot)
        way = paths.get(foot, lambda now: stays)

        def load(now: float) -> np.ndarray:
            before, place, after = (np.asarray(body(now + d), dtype=float) for d in (-H, 0.0, H))
            zmp = (place - here + com - height / GRAVITY * ((after - 2 * place + before) / (H * H)))[:2]
            line = (np.asarray(way(now), dtype=float) - other)[:2]
            part = np.clip((zmp - other[:2]) @ line / (line @ line), 0.0, 1.0)
            return np.array([0.0, 0.0, part * mass * GRAVITY, 0.0, 0.0, 0.0])

        return load

    def function(self, t: Table, key: str, x: Any, n: int, unknown: bool = False) -> Callable[[float], Any]:
        """n numbers, or formulas of t, as a function of t; unknown: "unknown" may stand for one that is not."""
        given = x if isinstance(x, list) else [x]
        if len(given) != n and not (unknown and not isinstance(x, list)):
            raise t.wrong(f"{key} = {shown(x)} should be {n} number{'s' * (n > 1)}, got {len(given)}.")
        parts = [np.nan if unknown and y == "unknown" else self.one(t, key, y) for y in given]
        if isinstance(x, list) or n > 1:
            parts = parts if len(parts) == n else parts * n
            now = lambda s: [p(s) if callable(p) else p for p in parts]  # noqa: E731
        else:
            now = lambda s: parts[0](s) if callable(parts[0]) else parts[0]  # noqa: E731

        def at(s: float) -> Any:
            try:
                return now(s)
            except ValueError as error:
                raise t.wrong(f"{key} = {shown(x)} should be {error}.") from None

        return at

    def fixed_numbers(self, t: Table, key: str, x: Any, n: int) -> np.ndarray:
        """n numbers that do not depend on time."""
        given = x if isinstance(x, list) else [x]
        if len(given) != n:
            raise t.wrong(f"{key} = {shown(x)} should be {n} number{'s' * (n > 1)}, got {len(given)}.")
        out = [self.one(t, key, y) for y in given]
        if any(callable(y) for y in out):
            raise t.wrong(f"{key} = {shown(x)} should not depend on t.")
        return np.array(out, dtype=float)

    def one(self, t: Table, key: str, x: Any) -> formula.Value:
        """A number or a formula."""
        try:
            return formula.value(x, self.place)
        except ValueError as error:
            raise t.wrong(f"{key}: {shown(x)} should be {error}.") from None
