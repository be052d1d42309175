"""`bunraku bench choreography|dynamics|gait|startup|viewer|walk|world`: Bunraku beside its peers, measured in the same
run on this machine."""

from __future__ import annotations

from bunraku_bench.bench_choreography import choreography
from bunraku_bench.bench_dynamics import dynamics
from bunraku_bench.bench_gait import gait
from bunraku_bench.bench_startup import startup
from bunraku_bench.bench_viewer import viewer
from bunraku_bench.bench_walk import walk
from bunraku_bench.bench_world import world

COMMANDS = {
    "choreography": choreography,
    "dynamics": dynamics,
    "gait": gait,
    "startup": startup,
    "viewer": viewer,
    "walk": walk,
    "world": world,
}
