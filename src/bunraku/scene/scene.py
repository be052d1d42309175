"""A Scene: a checked scene file, ready to be built into a World and run.

    scene = bk.load_scene("slope")            # a built-in one, or the path of a TOML file
    world = scene.build()                     # a World; or:
    record = scene.run()                      # runs to its end, a Recording

Random numbers (`scatter`, `scatter_turn`) come from the scene's seed alone. Figures are placed by `at` with their root
frame; what happens at its times is done by a controller (scene.actors), so that a saved world goes on with
`scene.resume(path)`. Checked in tests/scene/test_scene.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.errors import BunrakuError, UnknownName, closest
from bunraku.kernel.needed import prepare
from bunraku.scene.actors import Events, Push, Servo, Tie
from bunraku.scene.figures import OWN, fixed_shape, model_of, put_on_its_feet, put_pose
from bunraku.scene.file import Table, built_in_folder, find, read
from bunraku.scene.walks import Kept, check_start, plan, set_off
from bunraku.world.world import Figure, World

if TYPE_CHECKING:
    from bunraku.motion.perform import Performer
    from bunraku.motion.solved import Solved
    from bunraku.scene.generation import Generation
    from bunraku.scene.run import Recording
    from bunraku.walking.terrain import Terrain
    from bunraku.walking.walking_pattern import WalkingPattern

STIFFNESS, DAMPING = 3000.0, 60.0
"""Of a servo that does not say: N m/rad and N m s/rad."""
MOST_STEPS = 10**9
WORLD_OPTIONS = ("contact", "integrator", "gravity", "tolerance", "sweeps", "margin", "stiffness", "damping", "seed")
CONNECTION = (
    *("at", "axes", "rotation", "velocity_axes", "radius", "restitution"),
    *("break_force", "break_torque", "compliance", "damping"),
)
SPRING = ("at_a", "at_b", "stiffness", "damping", "rest", "break_force")


def load_scene(path: str | Path) -> Scene:
    """Read and check a scene file (TOML), or a built-in scene by name: bar, building, fall, hand-in-hand, lift, linkage,
    one_foot, plank, skate, slope, spin, stand, toe_edge, trapeze or valve."""
    file = find(path)
    return Scene(file.stem, file, read(file))


def built_in() -> dict[str, str]:
    """Name -> what it shows, of every built-in scene."""
    return {p.stem: load_scene(p).about for p in sorted(built_in_folder().glob("*.toml"))}


@dataclass(frozen=True)
class Scene:
    """A checked scene file: `build` makes a World of it, `run` runs it to its end; `tables` is the file's content. See
    docs/scenes.md."""

    name: str
    path: Path
    tables: dict[str, list[Table]]

    @property
    def options(self) -> Table:
        """The table [world]."""
        return self.tables["world"][0]

    @property
    def about(self) -> str:
        """What it shows."""
        return self.options.get("about", "")

    @property
    def seconds(self) -> float:
        """How long it runs [s]."""
        return self.options.get("seconds", 2.0)

    @property
    def view(self) -> str:
        """Where its pictures are taken from."""
        return self.options.get("view", "oblique")

    @property
    def files(self) -> list[Path]:
        """The files it is read from: its own and those of its models."""
        kinds = [table.get("model", "") for table in self.tables["figure"]]
        grounds = [table["file"] for table in self.tables["fixed"] if "file" in table]
        return [self.path, *(self.path.parent / name for name in (*(k for k in kinds if k not in OWN), *grounds))]

    def changed(self, **options: Any) -> Scene:
        """The same scene with other values in [world]; None leaves one as it is."""
        world = Table(self.options.where, {**self.options, **{k: v for k, v in options.items() if v is not None}})
        return replace(self, tables={**self.tables, "world": [world]})

    def build(self) -> World:
        """A new World at the start of the scene; what happens at time 0 has been done, what comes later its controller
        knows."""
        world = self.furnished()
        events = Events(self.acts(self.furnished()))
        world.add_controller(events)
        for t in self.tables["walk"]:
            set_off(world, world[t["figure"]], self.walk_plans[t["figure"]][0])
        if self.motion is not None:
            self.performer().join(world)
        events(world)
        return world

    @cached_property
    def generation(self) -> Generation | None:
        """The motion that its [motion] asks for, not yet generated; None where there is none."""
        if not self.tables["motion"]:
            return None
        from bunraku.scene.generation import scene_generation

        for kind in ("walk", "connection", "spring"):
            if self.tables[kind]:
                raise self.tables[kind][0].wrong("it cannot be in a scene with a [motion]; write contacts and grips.")
        head = self.tables["motion"][0]
        given = {**self.tables, "motion": [Table(head.where, {"seconds": self.seconds, **head})]}
        out = scene_generation(self.path.name, given, self.furnished())
        out.options["dt"] = self.options.get("dt", 0.001)
        return out

    @cached_property
    def motion(self) -> Solved | None:
        """The motion of all its figures and things that its [motion] asks for."""
        return None if self.generation is None else self.generation.run()

    def performer(self) -> Performer:
        """A controller that does its motion."""
        from bunraku.motion.perform import Performer

        head = self.tables["motion"][0]
        servo = head.get("servo", {})
        assert self.motion is not None
        return Performer(self.motion, servo.get("stiffness", 0.0), servo.get("damping", 0.0), head.get("servos"))

    def run(self, progress: Callable[[int, int], None] | None = None) -> Recording:
        """Build it and run it to its end; progress(done, all) is called now and then with counts of steps."""
        from bunraku.scene.run import record

        world = self.build()
        prepare("run", world.contact)
        return record(self, world, progress)

    def resume(self, path: str | Path) -> World:
        """A world of this scene that was saved, with its controllers."""
        controllers = 1 + len(self.walk_plans) + len(self.tables["motion"])
        if controllers == 1:
            return World.load(path, [Events(self.acts(self.furnished()))])
        world = self.build()  # a walk's stabiliser reads sensors of its own world
        world.restore(World.load(path, [Kept() for _ in range(controllers)]).snapshot())
        return world

    @cached_property
    def walk_plans(self) -> dict[str, tuple[WalkingPattern, Terrain | None]]:
        """Figure -> its planned walk and the terrain that it brings, of every [[walk]]."""
        given = {name: t for t in self.tables["figure"] for name, _ in copies(t)}
        out: dict[str, tuple[WalkingPattern, Terrain | None]] = {}
        for t in self.tables["walk"]:
            name = t["figure"]
            if name not in given:
                raise t.wrong(f"there is no figure {name!r}.{closest(name, given)}")
            if name in out:
                raise t.wrong(f"figure {name!r} has a walk already.")
            check_start(t, given[name])
            out[name] = plan(t, model_of(given[name], name, self.path.parent))
        return out

    def furnished(self) -> World:
        """The world with all shapes and figures."""
        rng = np.random.default_rng(self.options.get("seed", 0))
        given = {key: self.options[key] for key in WORLD_OPTIONS if key in self.options}
        try:
            world = World(self.options.get("dt", 0.001), **given)
        except BunrakuError as error:
            raise self.options.wrong(str(error)) from None
        if self.seconds / world.dt > MOST_STEPS:
            raise self.options.wrong(f"{self.seconds:g} s in steps of {world.dt:g} s are more than {MOST_STEPS} steps.")
        for table in self.tables["ground"]:
            world.add_ground(table.get("friction", 0.8), table.get("restitution", 0.0), height=table.get("height", 0.0))
        for table in self.tables["fixed"]:
            world.add_fixed(
                fixed_shape(table, self.path.parent),
                friction=table.get("friction", 0.8),
                restitution=table.get("restitution", 0.0),
            )
        for _, terrain in self.walk_plans.values():
            for shape in () if terrain is None else terrain.shapes:
                world.add_fixed(shape)
        for table in self.tables["figure"]:
            for name, k in copies(table):
                self.put_figure(world, table, name, k, rng)
        return world

    def put_figure(self, world: World, table: Table, name: str, k: int, rng: np.random.Generator) -> None:
        """Add copy k of a [[figure]]."""
        model = model_of(table, name, self.path.parent)
        root = model.joints[0] if model.joints and model.joints[0].kind == "free" else None
        place = model.neutral()[root.iq : root.iq + 3] if root is not None else np.zeros(3)
        at = table.get("at", place) + k * table.get("spacing", np.zeros(3))
        if "scatter" in table:
            at = at + rng.uniform(-1, 1, 3) * table["scatter"]
        turn = table.get("rotation", np.eye(3))
        if "scatter_turn" in table:
            turn = random_turn(rng, np.radians(table["scatter_turn"])) @ turn
        moved = any(key in table for key in ("at", "rotation", "spacing", "scatter", "scatter_turn"))
        try:
            figure = world.add(
                model,
                at if moved else None,
                rotation=turn if moved else None,
                name=name,
                friction=table.get("friction"),
                restitution=table.get("restitution"),
            )
        except BunrakuError as error:
            raise table.wrong(str(error)) from None
        put_on_its_feet(table, model, figure.q)
        put_pose(table, model, figure.q, table.get("pose", {}))
        for key, part in (("velocity", slice(0, 3)), ("spin", slice(3, 6))):
            if key in table:
                if root is None:
                    raise table.wrong(f"{key!r} needs a free base, which {name!r} has not.")
                R = figure.pose(model.links[0].name)[1]
                figure.v[part] = table[key] if key == "velocity" else R.T @ table[key]

    def acts(self, world: World) -> list[Tie | Servo | Push]:
        """What happens in it, checked against the figures of a world of this scene."""
        out: list[Tie | Servo | Push] = []
        for kind, keys in (("connection", CONNECTION), ("spring", SPRING)):
            for k, t in enumerate(self.tables[kind], 1):
                out.append(tie(t, world, f"{kind} {k}", keys, spring=kind == "spring"))
        for t in self.tables["figure"]:
            if "servo" in t:
                out += [servo(Table(f"{t.where}: servo", t["servo"]), world[name]) for name, _ in copies(t)]
        for t in self.tables["controller"]:
            if t["kind"] == "hold" and "target" in t:
                raise t.wrong("'hold' keeps the start pose and takes no target; use kind = \"servo\".")
            out.append(servo(t, named(t, t["figure"], world)))
        for t in self.tables["push"]:
            force, torque = (tuple(t.get(key, (0.0, 0.0, 0.0))) for key in ("force", "torque"))
            out.append(Push(link_name(t, "on", world), force, torque, t["seconds"], t.get("from", 0.0)))
        return out


def tie(table: Table, world: World, name: str, keys: tuple[str, ...], spring: bool) -> Tie:
    """A [[connection]] or [[spring]], tried once so that mistakes are known at once."""
    here = not spring and table["a"] == "world"
    ends = None if here else link_name(table, "a", world), link_name(table, "b", world) if "b" in table else None
    options = {key: table[key] for key in keys if key in table}
    times = table.get("from", 0.0), table.get("until", np.inf)
    out = Tie(table.get("name", name), *ends, options, spring, *times)
    try:
        world.disconnect(out.start(world))
    except BunrakuError as error:
        raise table.wrong(str(error)) from None
    return out


def copies(table: Table) -> list[tuple[str, int]]:
    """(name, number) of every figure that a [[figure]] stands for."""
    base = table.get("name") or Path(table["model"]).stem
    n = table.get("count", 1)
    return [(base if n == 1 else f"{base}{k + 1}", k) for k in range(n)]


def random_turn(rng: np.random.Generator, angle: float) -> np.ndarray:
    """A rotation by up to `angle` [rad] about a random axis."""
    from bunraku.model.rotations import exponential, rotation_matrix

    axis = rng.normal(size=3)
    return rotation_matrix(exponential(rng.uniform(0, angle) * axis / np.linalg.norm(axis)))


def named(table: Table, name: str, world: World) -> Figure:
    """A figure of the world."""
    known = [f.name for f in world.figures]
    if name not in known:
        raise table.wrong(f"there is no figure {name!r}.{closest(name, known)}")
    return world[name]


def link_name(table: Table, key: str, world: World) -> str:
    """A checked "figure.link"."""
    figure, _, link = table[key].partition(".")
    model = named(table, figure, world).model
    try:
        return f"{figure}.{model.frame(link).name if link else model.links[0].name}"
    except UnknownName as error:
        raise table.wrong(f"{key} = {table[key]!r}: {error}") from None


def servo(table: Table, figure: Figure) -> Servo:
    """The servo of a [[controller]] or of figure.servo: all joints but the free base, unless told."""
    model = figure.model
    names = [j.name for j in model.joints if j.nv and j.kind != "free"]
    for name in table.get("joints", ()):
        if name not in names:
            raise table.wrong(f"figure {figure.name!r} has no joint {name!r} to drive.{closest(name, names)}")
    options = {key: table[key] for key in ("stiffness", "damping", "effort") if key in table}
    if "target" in table:
        target = figure.q.copy()
        put_pose(table, model, target, table["target"])
        options["target"] = target
    times = table.get("from", 0.0), table.get("until", np.inf)
    return Servo(
        figure.name, tuple(table.get("joints", names)), {"stiffness": STIFFNESS, "damping": DAMPING, **options}, *times
    )
