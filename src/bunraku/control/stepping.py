"""Which foot stands and where the next one shall land: phases of a plan played by a clock, contacts by measurement, steps moved to catch a fall.

Feet: a foot leaves the ground when the plan says so and stands again when its sensor feels weight (`FELT` of the figure's, and more than the
swing's own inertia) in the second half of its swing, near the ground. If the ground is late, the clock waits and the foot goes down (`SEARCH`); if
it is early, the foot stands where it is.

Offsets: o_f = where foot f stands less where the plan has it (level, 2). The plan's zero-moment point moves by sum load_f o_f; its capture
point by
    o_- + (o_+ - o_-) e^(-w (T - t))  before the middle T of the next exchange of feet, o_+ after it,
the one motion of the pendulum that leads from the old offset to the new one while the pressure stays where it is.

Landing place: an error e of the capture point grows to E = e e^(w (T - t)) until T. What the pressure under the standing foot can take back until
then, room (e^(w (T - t)) - 1), is left to it; the rest moves the landing place, within reach of the legs and clear of the other foot (capture
point: Pratt 2006; Englsberger 2011; Khadiv 2016). The more it is moved, the faster the clock runs, up to `FAST`. With an error above
`CALM` no step is begun while the capture point is between the feet: the clock waits, and the pressure under both brings it back. Without an
error the landing place goes back towards the plan by `HOME` a step. Checked in tests/control/test_stabiliser.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.control.walking_plan import FOOT, LOAD, WalkingPlan

FELT = 0.06  # of the weight: a foot that stands
LOW = 0.04  # m above its landing place: a foot that may touch
SEARCH = 0.25  # m/s downwards
PATIENCE = 0.4  # s that the clock waits for the ground
FAST = 2.2  # clock's largest rate
CALM = 0.03  # m: an error of the capture point with which no foot is lifted as long as both can hold it
HOLD = 1.5  # s that both feet stay for that
HOME = 0.04  # m a step back towards the plan
SOFT = 0.03  # s in which a new landing place is taken up
LAST = 0.04  # s before landing, in which it stays


@dataclass
class Reach:
    """Where a foot may land, seen from the standing one in its axes [m]: ahead and behind; outwards from `near` to `far`."""

    ahead: float
    near: float
    far: float


class Stepping:
    """See the module text. `standing` (2) bool, `offset` (2, 2), `target` (2) offset of the landing place."""

    def __init__(self, plan: WalkingPlan, weight: float, reach: Reach, period: float) -> None:
        self.plan, self.weight, self.reach, self.period = plan, weight, reach, period
        self.clock, self.rate, self.waited = 0.0, 1.0, 0.0
        self.standing = np.ones(2, dtype=bool)
        self.offset = np.zeros((2, 2))
        self.swing, self.done = -1, -1  # numbers in plan.swings: the one in the air, the last one that ended
        self.start, self.target = np.zeros(2), np.zeros(2)
        self.down = 0.0  # m that a late foot has been lowered
        self.held = 0.0  # s that both feet have been kept down

    # ---- the clock and the feet ----------------------------------------------------------------------------------------------

    def row(self) -> tuple[int, float]:
        """The row of now, and the part of the way to the next."""
        x = min(self.clock / self.plan.dt, len(self.plan) - 1.0)
        k = min(int(x), len(self.plan) - 2)
        return k, x - k

    def reference(self) -> tuple[int, np.ndarray]:
        """The row of now, and the plan's numbers there, between two rows."""
        k, part = self.row()
        return k, self.plan.rows[k] + part * (self.plan.rows[k + 1] - self.plan.rows[k])

    def advance(self) -> None:
        """Let the clock run; it waits at the end of a swing for the ground."""
        step = self.rate * self.period if self.held == 0.0 else 0.0
        if self.swing >= 0:
            _, _, landing = self.plan.swings[self.swing]
            left = landing * self.plan.dt - self.clock
            if left <= step:
                if self.waited < PATIENCE:
                    self.waited += self.period
                    self.down += SEARCH * self.period
                    step = max(left - 1e-9, 0.0)
        self.clock += step

    def lift_and_land(self, load: np.ndarray, heights: np.ndarray, swung: float) -> tuple[int, int]:
        """(foot that left, foot that landed) now, -1 for none; load (2) and heights (2) of the feet, `swung` [N]: what the swing itself puts on the
        sensor."""
        k, _ = self.row()
        if self.swing < 0:
            for number, (side, lift, landing) in enumerate(self.plan.swings):
                if number > self.done and lift <= k < landing and self.standing[side] and self.standing[1 - side]:
                    self.swing, self.standing[side] = number, False
                    self.start = self.offset[side].copy()
                    self.target = self.homewards(self.offset[1 - side])
                    self.waited = self.down = 0.0
                    return side, -1
            return -1, -1
        side, lift, landing = self.plan.swings[self.swing]
        late = k >= landing - 1
        low = heights[side] - self.plan.rows[min(landing, len(self.plan) - 1), FOOT + 3 * side + 2] < LOW
        if low and load[side] > FELT * self.weight + swung and k > 0.5 * (lift + landing):
            return -1, self.land(side)
        if late and self.waited >= PATIENCE:
            return -1, self.land(side)
        return -1, -1

    def land(self, side: int) -> int:
        """The swinging foot stands. After a step that was moved the clock goes on from the end of the swing; else it keeps the plan's time."""
        landing = self.plan.swings[self.swing][2] * self.plan.dt
        if self.rate > 1.0:
            self.clock = max(self.clock, landing)
        self.standing[side] = True
        self.swing, self.done, self.rate = -1, self.swing, 1.0
        return side

    def found(self, side: int, place: np.ndarray) -> None:
        """A foot was found to stand at `place` (its sole, level)."""
        self.offset[side] = place - self.plan.rows[self.landing(), FOOT + 3 * side : FOOT + 3 * side + 2]

    def landing(self) -> int:
        """The row of now, or where the swing of now ends."""
        k, _ = self.row()
        return min(max([k, *(landing for _, lift, landing in self.plan.swings if lift <= k)]), len(self.plan) - 1)

    def take(self, plan: WalkingPlan, clock: float) -> None:
        """Go on with another plan from a time of it; both feet stand."""
        self.plan, self.clock = plan, clock
        k, _ = self.row()
        self.done = max((n for n, s in enumerate(plan.swings) if s[2] <= k), default=-1)

    # ---- offsets -------------------------------------------------------------------------------------------------------------

    def homewards(self, offset: np.ndarray) -> np.ndarray:
        """The next foot's offset if nothing pushes: that of the standing one, less what is walked back."""
        size = float(np.hypot(*offset))
        return offset * (1.0 - min(HOME / size, 1.0)) if size > 0 else offset.copy()

    def shifts(self, row: np.ndarray, omega: float) -> tuple[np.ndarray, np.ndarray]:
        """(of the zero-moment point, of the capture point) now."""
        if self.swing >= 0:
            side = self.plan.swings[self.swing][0]
            stand = self.offset[1 - side]
            T = self.time_to_exchange()
            return stand.copy(), stand + (self.homewards(stand) - stand) * np.exp(-omega * T)
        before, after, T = self.exchange()
        grown = np.exp(-omega * T) if T > 0 else 1.0
        return row[LOAD : LOAD + 2] @ self.offset, (before + (after - before) * grown) @ self.offset

    def time_to_exchange(self) -> float:
        """From now to the middle of the support on both feet that follows this swing [s]."""
        landing = self.plan.swings[self.swing][2]
        after = self.plan.swings[self.swing + 1][1] if self.swing + 1 < len(self.plan.swings) else landing + 40
        both = min(after - landing, 40) * self.plan.dt
        return max(landing * self.plan.dt - self.clock, 0.0) / self.rate + 0.5 * both

    def exchange(self) -> tuple[np.ndarray, np.ndarray, float]:
        """While both feet stand: loads before and after, and the time to the middle."""
        k, _ = self.row()
        swings, dt = self.plan.swings, self.plan.dt
        past = max((s[2] for s in swings if s[1] <= k), default=0)
        next_ = min((s[1] for s in swings if s[1] > k), default=len(self.plan))
        a = self.plan.rows[max(past - 1, 0), LOAD : LOAD + 2]
        b = self.plan.rows[min(next_, len(self.plan) - 1), LOAD : LOAD + 2]
        middle = (
            max(past, next_ - 40) + 0.5 * min(next_ - past, 40) if past == 0 else past + 0.5 * min(next_ - past, 40)
        )
        return a, b, middle * dt - self.clock

    # ---- the landing place ---------------------------------------------------------------------------------------------------

    def place(
        self, number: int, error: np.ndarray, room: np.ndarray, axes: np.ndarray, grow: float
    ) -> tuple[np.ndarray, float, float]:
        """(offset of the landing place of a swing, how far it was moved [m], what is missing to it [m]) for an `error` (2) of the capture point that
        grows `grow` times; `room` (2) of the pressure in the standing foot's axes, `axes` (2, 2) their columns in the world."""
        side, _, landing = self.plan.swings[number]
        rest = (error @ axes) * grow
        rest = np.sign(rest) * np.maximum(np.abs(rest) - room * (grow - 1.0), 0.0)
        k, stand = min(landing, len(self.plan) - 1), 1 - side
        planned = self.plan.rows[k, FOOT + 3 * side : FOOT + 3 * side + 2]
        at = self.plan.rows[k, FOOT + 3 * stand : FOOT + 3 * stand + 2] + self.offset[stand]
        wanted = (planned + self.homewards(self.offset[stand]) - at) @ axes + rest
        out = 1.0 if side == 0 else -1.0
        x = min(max(float(wanted[0]), -self.reach.ahead), self.reach.ahead)
        y = out * min(max(out * float(wanted[1]), self.reach.near), self.reach.far)
        missing = float(np.hypot(wanted[0] - x, wanted[1] - y))
        return at + axes @ np.array([x, y]) - planned, float(np.hypot(rest[0], rest[1])), missing

    def catch(self, error: np.ndarray, room: np.ndarray, axes: np.ndarray, omega: float) -> None:
        """Move the landing place of the foot in the air, and hurry; arguments as in `place`."""
        grow = float(np.exp(omega * self.time_to_exchange()))
        goal, moved, missing = self.place(self.swing, error, room, axes, grow)
        left = (self.plan.swings[self.swing][2] * self.plan.dt - self.clock) / self.rate
        if left > LAST:
            self.target += min(self.period / SOFT, 1.0) * (goal - self.target)
        self.rate = max(self.rate, 1.0 + (FAST - 1.0) * min((missing + 0.5 * moved) / 0.15, 1.0))

    def due(self) -> int:
        """Number of the swing that begins with the next period, or -1."""
        k = int((self.clock + self.period) / self.plan.dt + 1e-9)
        for number, (_, lift, landing) in enumerate(self.plan.swings):
            if number > self.done and lift <= k < landing:
                return number
        return -1

    def consider(self, error: np.ndarray) -> None:
        """Before a foot is lifted that need not be: let the clock wait for the error to become small."""
        large = float(np.hypot(error[0], error[1])) > CALM
        self.held = self.held + self.period if large and self.held < HOLD else 0.0

    def foot_shift(self) -> tuple[np.ndarray, np.ndarray]:
        """(shift, its rate) (3) of the swinging foot against the plan."""
        _, lift, landing = self.plan.swings[self.swing]
        span = (landing - lift) * self.plan.dt
        u = float(np.clip((self.clock - lift * self.plan.dt) / span, 0.0, 1.0)) if span > 0 else 1.0
        u, du = min(u / 0.9, 1.0), (1.0 / (0.9 * span) if u < 0.9 and span > 0 else 0.0)
        s, ds = u * u * u * (10 + u * (6 * u - 15)), 30 * u * u * (1 - u) ** 2 * du * self.rate
        way = self.target - self.start
        shift, rate = np.zeros(3), np.zeros(3)
        shift[:2], rate[:2] = self.start + s * way, ds * way
        shift[2] = -self.down
        return shift, rate

    # ---- state ---------------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps."""
        plain = {k: getattr(self, k) for k in ("clock", "rate", "waited", "swing", "done", "down", "held")}
        arrays = {k: getattr(self, k).tolist() for k in ("standing", "offset", "start", "target")}
        return {**plain, **arrays}

    def restore(self, state: dict[str, Any]) -> None:
        """Put it back."""
        for k in ("clock", "rate", "waited", "down", "held"):
            setattr(self, k, float(state[k]))
        self.swing, self.done = int(state["swing"]), int(state["done"])
        self.standing = np.array(state["standing"], dtype=bool)
        for k in ("offset", "start", "target"):
            setattr(self, k, np.array(state[k], dtype=float))
