"""`bunraku bench viewer`: what a viewer at 60 Hz, and what recording (bunraku_bench.bench_recording), costs the
simulation.

Method: human() stands with servos on the ground and is stepped flat out, one thread, in portions of a sixtieth of a
second; with a viewer every portion ends with a frame that is made and published. Bursts of BURST portions alone, alone
once more and with the viewer take turns in one run, the same steps in each; the shortest of each counts. A burst is
long enough to hold all that the server's thread does for its frames.

Two clocks: processor time of the whole process, server's thread included, which other programs hardly disturb and which
bounds the cost from above; and real time, which means something only on an idle machine. The second `alone` is the
control: how far it is from the first is what the figures can be trusted to. The viewer is a WebSocket client in a
process of its own that takes every frame apart; where it got less than 80 % of them there is no result.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from bunraku.cli.common import print_json, progress_bar
from bunraku.errors import BunrakuError
from bunraku_bench.bench_dynamics import machine
from bunraku_bench.bench_recording import measure_recording

BURST = 15  # portions: a quarter of a second
KINDS = ("alone", "control", "viewed")
CLIENT = """
import sys
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from bunraku.viewer.messages import unpack_frame
host, token = sys.argv[1].removeprefix("http://").split("/#token=")
frames = last = 0
protocols = ["bunraku", f"token.{token}"]
with connect(f"ws://{host}/ws", origin=f"http://{host}", subprotocols=protocols, compression=None) as page:
    try:
        while True:
            message = page.recv()
            if isinstance(message, bytes):
                last, frames = unpack_frame(message).sequence, frames + 1
    except ConnectionClosed:
        print(frames, last)
"""


def viewer(json: bool = False, repeats: int = 40) -> int:
    """Measure a step of a standing figure with and without a viewer at 60 Hz, and with and without recording at 1 kHz.

    Args:
        json: Print JSON.
        repeats: Rounds of three bursts of a quarter of a second each, and of three times 1.5 simulated seconds; the
            minimum counts.
    """
    report = measure(repeats)
    with progress_bar(repeats, "bench recording") as update:
        report["recording"] = measure_recording(repeats, standing, update)
    report["machine"] = machine()
    if json:
        print_json(report)
        return 0
    for clock, text in (("cpu", "processor time"), ("wall", "real time")):
        r = report[clock]
        print(
            f"{text:<14}  a step {r['alone_us']:.2f} us alone, {r['viewed_us']:.2f} us with a viewer: "
            f"{r['percent']:+.2f} % (control {r['control_percent']:+.2f} %)"
        )
    print(
        f"a frame every {report['steps_per_frame']} steps: {report['frame_us']:.0f} us to make, "
        f"{report['frame_bytes']} bytes; "
        f"{report['received']} of {report['published']} reached the viewer"
    )
    recording = report["recording"]
    for clock, text in (("cpu", "processor time"), ("wall", "real time")):
        r = recording[clock]
        print(
            f"{text:<14}  a step {r['alone_us']:.2f} us alone, {r['recorded_us']:.2f} us recorded: "
            f"{r['percent']:+.2f} % (control {r['control_percent']:+.2f} %)"
        )
    print(
        f"recording of {recording['seconds']:g} s at 1 kHz: {recording['bytes'] / 1e6:.1f} MB, "
        f"{recording['size_ratio']:.3f} times its numbers as float32"
    )
    print(", ".join(f"{k} {v}" for k, v in report["machine"].items()))
    return 0


def measure(repeats: int) -> dict[str, Any]:
    """The figures."""
    from bunraku.viewer.messages import scene_message
    from bunraku.viewer.server import Server
    from bunraku.viewer.world_frames import WorldFrames

    world = standing()
    frames = WorldFrames(world)
    server = Server("", lambda command: None)
    server.start()
    client = subprocess.Popen([sys.executable, "-c", CLIENT, server.url], stdout=subprocess.PIPE, text=True)
    try:
        server.publish("scene", scene_message(world))
        wait_for(server, client)
        frame_us = min(burst(frames.frame, 60) for _ in range(20)) / 60 * 1e6
        steps = max(1, round(1 / 60 / min(step_seconds(world) for _ in range(10))))
        best = {kind: [float("inf"), float("inf")] for kind in KINDS}
        first = frames.sequence
        with progress_bar(repeats, "bench viewer") as update:
            for done in range(repeats):
                update(done)
                for kind in KINDS[done % 3 :] + KINDS[: done % 3]:
                    began = time.process_time(), time.perf_counter()
                    for _ in range(BURST):
                        world.step(steps)
                        if kind == "viewed":
                            server.publish("frame", frames.frame())
                    took = time.process_time() - began[0], time.perf_counter() - began[1]
                    best[kind] = [min(a, b) for a, b in zip(best[kind], took)]
        published, size = frames.sequence - first, len(frames.frame())
    finally:
        server.close()  # says goodbye behind the last frame
        text, _ = client.communicate(timeout=30)
    received = int(text.split()[0]) if text.strip() else 0
    if received < 0.8 * published:
        raise BunrakuError(
            f"bench viewer: only {received} of {published} frames reached the viewer; try again when the machine is "
            "idle."
        )
    report: dict[str, Any] = {}
    for k, clock in enumerate(("cpu", "wall")):
        alone, control, viewed = (best[kind][k] / BURST / steps * 1e6 for kind in KINDS)
        report[clock] = {
            "alone_us": alone,
            "viewed_us": viewed,
            "percent": 100 * (viewed / alone - 1),
            "control_percent": 100 * (control / alone - 1),
        }
    return {
        **report,
        "steps_per_frame": steps,
        "frame_us": frame_us,
        "frame_bytes": size,
        "published": published,
        "received": received,
    }


def standing() -> Any:
    """A world with a figure that has come to rest."""
    import bunraku as bk

    world = bk.World()
    world.add_ground()
    world.add(bk.human()).servo(3000.0, 60.0)
    world.step(1000)
    return world


def step_seconds(world: Any) -> float:
    """Processor time of a step."""
    began = time.process_time()
    world.step(1000)
    return (time.process_time() - began) / 1000


def wait_for(server: Any, client: subprocess.Popen[str]) -> None:
    """Until the client watches."""
    deadline = time.monotonic() + 60.0
    while not server.viewers:
        if client.poll() is not None or time.monotonic() > deadline:
            raise BunrakuError("bench viewer: the client could not connect to the server.")
        time.sleep(0.01)


def burst(call: Callable[[], Any], n: int) -> float:
    """Seconds of n calls."""
    began = time.perf_counter()
    for _ in range(n):
        call()
    return time.perf_counter() - began
