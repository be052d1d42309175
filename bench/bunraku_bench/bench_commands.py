"""`bunraku bench beside|choreography|dynamics|gait|page|robots|shapes|startup|viewer|walk|world|worlds`: Bunraku beside its
peers, measured in the same run on this machine, or beside another version of itself."""

from __future__ import annotations

from bunraku_bench.bench_beside import beside
from bunraku_bench.bench_choreography import choreography
from bunraku_bench.bench_dynamics import dynamics
from bunraku_bench.bench_gait import gait
from bunraku_bench.bench_page import page
from bunraku_bench.bench_robots import robots
from bunraku_bench.bench_shapes import shapes
from bunraku_bench.bench_startup import startup
from bunraku_bench.bench_viewer import viewer
from bunraku_bench.bench_walk import walk
from bunraku_bench.bench_world import world
from bunraku_bench.bench_worlds import worlds

COMMANDS = {
    "beside": beside,
    "choreography": choreography,
    "dynamics": dynamics,
    "gait": gait,
    "page": page,
    "robots": robots,
    "shapes": shapes,
    "startup": startup,
    "viewer": viewer,
    "walk": walk,
    "world": world,
    "worlds": worlds,
}
