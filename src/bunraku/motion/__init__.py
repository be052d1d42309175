"""Motion: recordings of worlds, and motions of single figures. See docs/recordings.md."""

from bunraku.motion.motion import Motion
from bunraku.motion.recording import Instant, Recording
from bunraku.world.recorder import Recorder

__all__ = ["Instant", "Motion", "Recorder", "Recording"]
