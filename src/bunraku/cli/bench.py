"""`bunraku bench choreography|dynamics|gait|startup|viewer|walk|world`: Bunraku beside its peers, measured in the same run on this machine."""

from __future__ import annotations

from bunraku.cli.bench_choreography import choreography
from bunraku.cli.bench_dynamics import dynamics
from bunraku.cli.bench_gait import gait
from bunraku.cli.bench_startup import startup
from bunraku.cli.bench_viewer import viewer
from bunraku.cli.bench_walk import walk
from bunraku.cli.bench_world import world

COMMANDS = {
    "choreography": choreography,
    "dynamics": dynamics,
    "gait": gait,
    "startup": startup,
    "viewer": viewer,
    "walk": walk,
    "world": world,
}
