"""Grounds to walk on, with footsteps that fit them: stairs up and down, slopes, and bumps that the footsteps do not
know of.

A Terrain is fixed shapes for `World.add_fixed`, where the feet stand at first, and the footsteps; level ground at z = 0
is a plane of the world's own (`World.add_ground`). All lead along +x from standing at the origin. Stairs are boxes one
behind the other; a foot stands in the middle of each tread (or both feet do, where `both`). A slope is a tilted box
between level ground and a platform; no sole is put across its edges. A slope is walked in careful steps, with the soles
flat on it. Units SI. Checked in tests/walking/test_terrain.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bunraku.errors import InputError
from bunraku.humanoid.parts import Humanoid, humanoid
from bunraku.model.description import Shape
from bunraku.model.model import Model
from bunraku.model.rotations import about
from bunraku.walking.footsteps import Footstep, beside, standing
from bunraku.walking.pace import careful_step
from bunraku.walking.step_limits import check_footsteps
from bunraku.walking.walking_pattern import walking_pattern

THICK = 0.3  # m: of a slope's box
STONE = (0.55, 0.55, 0.52, 1.0)


@dataclass(frozen=True, eq=False)
class Terrain:
    """A ground to walk on: fixed shapes, where both feet (left, right) stand at first, and footsteps over them [m]."""

    shapes: tuple[Shape, ...]
    begin: tuple[Footstep, Footstep]
    steps: tuple[Footstep, ...]


def box(low: Sequence[float], high: Sequence[float], name: str) -> Shape:
    """A box between two corners."""
    a, b = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    return Shape("box", tuple(0.5 * (b - a)), tuple(0.5 * (a + b)), name=name, color=STONE)


def positive(what: str, **values: float) -> None:
    """InputError for values that are not above 0."""
    for name, x in values.items():
        if not (np.isfinite(x) and x > 0):
            raise InputError(f"{what}: {name} {x} must be above 0.")


def stairs(
    figure: Humanoid | Model,
    count: int = 5,
    riser: float = 0.15,
    tread: float | None = None,
    *,
    down: bool = False,
    both: bool = False,
    width: float = 1.4,
    landing: float = 1.0,
) -> Terrain:
    """A flight of `count` steps of a riser [m] and a tread [m] (the sole's length and 6 cm by default), up from level
    ground or `down` to it; landing [m]: length of the platform above it. both: both feet stand on every tread. Raises
    InputError where the figure cannot climb it."""
    h = humanoid(figure)
    sole = 2.0 * max(float(f.half[0]) for f in h.feet)
    tread = sole + 0.06 if tread is None else float(tread)
    positive("stairs", riser=riser, tread=tread, width=width, landing=landing)
    if not 1 <= count <= 100:
        raise InputError(f"stairs: count {count} must be a whole number from 1 to 100.")
    if tread < sole + 0.02:
        raise InputError(
            f"stairs: a tread of {tread:g} m is too short for soles of {sole:.2f} m; {sole + 0.02:.2f} m would do."
        )
    shapes, begin, steps = flight(h, count, riser, tread, down, both, width, landing)
    checked(h, steps, begin, "stairs")
    if not climbable(h, riser, tread, down, both):
        low, high = 0.0, riser
        for _ in range(5):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if climbable(h, middle, tread, down, both, 0.02) else (low, middle)
        what = (
            f"{np.floor(100.0 * low) / 100.0:g} m would do"
            if low > 0.01
            else "lower ones do not help, make the tread shorter"
        )
        raise InputError(
            f"stairs: risers of {riser:g} m are too high for {h.model.name!r} to walk {'down' if down else 'up'} on treads of {tread:.2f} m; {what}."
        )
    return Terrain(shapes, begin, steps)


def flight(
    h: Humanoid, count: int, riser: float, tread: float, down: bool, both: bool, width: float, landing: float
) -> tuple[tuple[Shape, ...], tuple[Footstep, Footstep], tuple[Footstep, ...]]:
    """(shapes, begin, steps) of a flight of stairs."""
    first = 0.5 * tread  # the edge of the first riser, ahead of the first place
    y, top = 0.5 * width, count * riser
    heights = [top - riser * (k + 1) if down else riser * (k + 1) for k in range(count)]
    edges = [first + k * tread for k in range(count)]
    shapes = [
        box((x, -y, 0.0), (x + tread, y, z), f"stair {k + 1}") for k, (x, z) in enumerate(zip(edges, heights[:-1]))
    ]
    if down:
        shapes.append(box((-landing, -y, 0.0), (first, y, top), "landing"))
    else:
        shapes.append(box((edges[-1], -y, 0.0), (edges[-1] + tread + landing, y, top), "landing"))
    places = [((k + 1) * tread, z) for k, z in enumerate(heights) for _ in range(2 if both else 1)]
    if not both:
        places.append(places[-1])  # closes the feet
    steps = tuple(beside(h, k % 2, x, 0.0, 0.0, z) for k, (x, z) in enumerate(places))
    return tuple(shapes), standing(h, z=top if down else 0.0), steps


def climbable(h: Humanoid, riser: float, tread: float, down: bool, both: bool, dt: float = 0.01) -> bool:
    """Whether a coarse walk over three such stairs is possible."""
    _, begin, steps = flight(h, 3, riser, tread, down, both, 1.0, 1.0)
    try:
        walking_pattern(h, steps, begin=begin, dt=dt)
    except InputError:
        return False
    return True


def slope(
    figure: Humanoid | Model, degrees: float = 5.0, length: float = 2.0, *, width: float = 1.4, landing: float = 1.0
) -> Terrain:
    """A slope of `degrees` (up; below 0 down), as long as `length` [m] seen from above, between two level grounds, the
    far one a platform of length landing [m]; down it begins on the platform."""
    h = humanoid(figure)
    positive("slope", length=length, width=width, landing=landing)
    if not (np.isfinite(degrees) and 0 < abs(degrees) <= 45):
        raise InputError(f"slope: {degrees} degrees must be within 45 and not 0.")
    half = max(float(f.half[0]) for f in h.feet)
    clear = half + 0.02  # a sole's middle keeps so far from an edge
    a = float(np.radians(degrees))
    rise = float(np.tan(a) * length)
    low = max(0.0, -rise)  # height of the first ground
    step = careful_step(h)
    edge = step + clear  # where the slope begins
    if length < 2 * clear:
        raise InputError(f"slope: a length of {length:g} m is too short for a sole; {2 * clear:.2f} m would do.")
    y = 0.5 * width
    up = np.array([-np.sin(a), 0.0, np.cos(a)])
    along = np.array([np.cos(a), 0.0, np.sin(a)])
    middle = np.array([edge + 0.5 * length, 0.0, low + 0.5 * rise]) - 0.5 * THICK * up
    turn = np.column_stack([along, [0.0, 1.0, 0.0], up])
    ramp = Shape("box", (0.5 * length / np.cos(a), y, 0.5 * THICK), tuple(middle), turn, name="slope", color=STONE)
    if rise > 0:
        shapes = (ramp, box((edge + length, -y, 0.0), (edge + length + landing, y, rise), "landing"))
    else:
        shapes = (box((-landing, -y, 0.0), (edge, y, low), "landing"), ramp)

    def spread(begin: float, end: float) -> list[float]:
        """Places from one to the other, both among them, in equal steps of at most the usual length."""
        n = max(1, int(np.ceil((end - begin) / step - 1e-9)))
        return [begin + (end - begin) * k / n for k in range(n + 1)]

    places = [(x, low, (0.0, 0.0, 1.0)) for x in spread(0.0, edge - clear)[1:]]
    places += [(x, low + np.tan(a) * (x - edge), tuple(up)) for x in spread(edge + clear, edge + length - clear)]
    places += [(x, low + rise, (0.0, 0.0, 1.0)) for x in spread(edge + length + clear, edge + length + clear + step)]
    places.append(places[-1])  # closes the feet
    steps: list[Footstep] = []
    for k, (x, z, normal) in enumerate(places):
        at = beside(h, k % 2, x, 0.0, 0.0, float(z))
        steps.append(Footstep(at.side, at.position, at.yaw, normal))
    begin = standing(h, z=low)
    checked(h, steps, begin, "slope")
    return Terrain(shapes, begin, tuple(steps))


def bumps(
    figure: Humanoid | Model,
    steps: Sequence[Footstep],
    height: float = 0.02,
    count: int = 12,
    *,
    size: float = 0.1,
    seed: int = 0,
) -> Terrain:
    """Bumps of a height [m] on level ground that the footsteps do not know of: square plates of side `size` [m], drawn
    at random about the footsteps but not under the feet at first."""
    h = humanoid(figure)
    positive("bumps", height=height, size=size)
    if not steps:
        raise InputError("bumps: there are no footsteps to put bumps under.")
    rng = np.random.default_rng(seed)
    reach = float(np.hypot(*h.feet[0].half)) + 0.75 * size
    begin = standing(h)
    shapes: list[Shape] = []
    for _ in range(100 * count):
        if len(shapes) == count:
            break
        s = steps[int(rng.integers(len(steps)))]
        x, y = np.array(s.position[:2]) + rng.uniform(-0.8, 0.8, 2) * h.feet[0].half.max()
        yaw = float(rng.uniform(0.0, 0.5 * np.pi))
        if all(np.hypot(x - b.position[0], y - b.position[1]) > reach for b in begin):
            half, place = (0.5 * size, 0.5 * size, 0.5 * height), (float(x), float(y), 0.5 * height)
            name = f"bump {len(shapes) + 1}"
            shapes.append(Shape("box", half, place, about(2, yaw), name=name, color=STONE))
    return Terrain(tuple(shapes), begin, tuple(steps))


def checked(h: Humanoid, steps: Sequence[Footstep], begin: tuple[Footstep, Footstep], what: str) -> None:
    """InputError that names the terrain for steps that cannot be taken."""
    try:
        check_footsteps(h, steps, begin)
    except InputError as error:
        raise InputError(f"{what}: {h.model.name!r} cannot walk them; {error}") from None
