"""Motion: recordings of worlds, motions of single figures (docs/recordings.md); generation, retargeting, the dynamics
filter (docs/motion-generation.md).

Names are loaded when first used, so that reading a recording does not import what makes motions.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

_HOME = {
    "solved": "Solved Touch",
    "consistency": "Consistency consistency",
    "generate": "generate",
    "requests": "Contact Trajectory",
    "paths": "samples swing waypoints",
    "replay": "Replay replay",
    "retarget": "retarget",
    "footing": "find_feet",
    "plain_walk": "stand walk_motion",
    "filter": "Filtered dynamics_filter",
    "follow": "Followed Help follow",
    "apart": "overlaps",
}
_WHERE = {name: f"bunraku.motion.{module}" for module, names in _HOME.items() for name in names.split()}
_WHERE |= {
    "Instant": "bunraku.recording.reader",
    "Motion": "bunraku.recording.motion",
    "Recorder": "bunraku.recording.recorder",
    "Recording": "bunraku.recording.reader",
}
__all__ = sorted(_WHERE)  # pyright: ignore[reportUnsupportedDunderAll]

if TYPE_CHECKING:
    from bunraku.motion.apart import overlaps  # noqa: F401
    from bunraku.motion.consistency import Consistency, consistency  # noqa: F401
    from bunraku.motion.filter import Filtered, dynamics_filter  # noqa: F401
    from bunraku.motion.follow import Followed, Help, follow  # noqa: F401
    from bunraku.motion.footing import find_feet  # noqa: F401
    from bunraku.motion.generate import generate  # noqa: F401
    from bunraku.motion.paths import samples, swing, waypoints  # noqa: F401
    from bunraku.motion.plain_walk import stand, walk_motion  # noqa: F401
    from bunraku.motion.replay import Replay, replay  # noqa: F401
    from bunraku.motion.requests import Contact, Trajectory  # noqa: F401
    from bunraku.motion.retarget import retarget  # noqa: F401
    from bunraku.motion.solved import Solved, Touch  # noqa: F401
    from bunraku.recording.motion import Motion  # noqa: F401
    from bunraku.recording.reader import Instant, Recording  # noqa: F401
    from bunraku.recording.recorder import Recorder  # noqa: F401


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'bunraku.motion' has no attribute {name!r}")
    module = importlib.import_module(_WHERE[name])
    for other, where in _WHERE.items():  # all of its names at once: a module and a function in it may have the same one
        if where == module.__name__:
            globals()[other] = getattr(module, other)
    return globals()[name]
