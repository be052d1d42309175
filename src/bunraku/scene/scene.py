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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.errors import BunrakuError, UnknownName, closest
from bunraku.scene.actors import Events, Push, Servo, Tie
from bunraku.scene.figures import OWN, fixed_shape, model_of, put_pose
from bunraku.scene.file import Table, built_in_folder, find, read
from bunraku.world.world import Figure, World

if TYPE_CHECKING:
    from bunraku.scene.run import Recording

STIFFNESS, DAMPING = 3000.0, 60.0
"""Of a servo that does not say: N m/rad and N m s/rad."""
MOST_STEPS = 10**9
WORLD_OPTIONS = ("contact", "integrator", "gravity", "tolerance", "sweeps", "margin", "stiffness", "damping", "seed")
CONNECTION = ("at", "axes", "break_force", "break_torque", "compliance", "damping")
SPRING = ("at_a", "at_b", "stiffness", "damping", "rest", "break_force")


def load_scene(path: str | Path) -> Scene:
    """Read and check a scene file (TOML), or a built-in scene by name: bar, fall, linkage, one_foot, slope, spin, stand
    or toe_edge."""
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
        return [self.path, *(self.path.parent / kind for kind in kinds if kind not in OWN)]

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
        events(world)
        return world

    def run(self, progress: Callable[[int, int], None] | None = None) -> Recording:
        """Build it and run it to its end; progress(done, all) is called now and then with counts of steps."""
        from bunraku.scene.run import record

        return record(self, self.build(), progress)

    def resume(self, path: str | Path) -> World:
        """A world of this scene that was saved, with its controllers."""
        return World.load(path, [Events(self.acts(self.furnished()))])

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
                fixed_shape(table), friction=table.get("friction", 0.8), restitution=table.get("restitution", 0.0)
            )
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
    ends = link_name(table, "a", world), link_name(table, "b", world) if "b" in table else None
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
