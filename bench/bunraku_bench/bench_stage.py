"""Latency of the stage, for `bunraku bench choreography`: from a drag's message to the first frame in which the hand
has moved.

Method: human() on a stage that runs in real time, as `bunraku stage` has it; a WebSocket client in a process of its
own, as a page is one, takes hold of the right hand and, when it is at rest, lets the target jump by 10 cm, up and down
by turns. `seen`: real time from sending the message until a frame arrives in which the hand's body has moved by 0.1 mm;
`clear`: by 1 mm, which takes the hand some simulated milliseconds of its own, whatever the machine. What a display
adds, up to one of its own frames, is not in it. Other programs that want the processor lengthen all of it; the medians
suffer least.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from bunraku.errors import BunrakuError

LONGEST = 300.0  # s for all of it
CLIENT = """
import json, sys, time
import numpy as np
from websockets.sync.client import connect
from bunraku.viewer.messages import unpack_frame
host, token = sys.argv[1].removeprefix("http://").split("/#token=")
jumps, body = int(sys.argv[2]), int(sys.argv[3])
protocols = ["bunraku", f"token.{token}"]
with connect(f"ws://{host}/ws", origin=f"http://{host}", subprotocols=protocols, compression=None) as page:
    item, times, path = None, {"seen": [], "clear": []}, []
    def heard():
        global item
        raw = page.recv(timeout=30)
        if isinstance(raw, bytes):
            return unpack_frame(raw).poses[body, :3].astype(float)
        message = json.loads(raw)
        if message["type"] == "stage":
            item = message["items"][0] if message["items"] else None
    def say(kind, **values):
        page.send(json.dumps({"type": kind, **values}))
    say("drag", link=sys.argv[4], point=[0.0, 0.0, 0.0], pose=False)
    while item is None:
        heard()
    start = item["target"]
    for k in range(jumps):
        still = []  # the latest third of a second
        while len(still) < 20 or np.ptp(still, axis=0).max() > 1e-5:
            if (p := heard()) is not None:
                still = [*still[-19:], p]
        target = [start[0], start[1], start[2] + (0.1 if k % 2 == 0 else 0.0)]
        sent = time.perf_counter()
        say("to", position=target)
        found = {}
        while len(found) < 2:
            p = heard()
            if p is not None:
                gone = np.linalg.norm(p - still[-1])
                for name, least in (("seen", 1e-4), ("clear", 1e-3)):
                    if gone > least:
                        found.setdefault(name, time.perf_counter() - sent)
        for name, t in found.items():
            times[name].append(1e3 * t)
    print(json.dumps(times))
"""


def measure_stage(jumps: int = 20) -> dict[str, Any]:
    """{"seen" and "clear": {median, least, most} [ms]} of so many jumps."""
    import numpy as np

    import bunraku as bk

    c = bk.Choreography()
    c.step(2)
    link = "right_lower_arm"
    body = c.model.frame(link).body - 1
    with c.stage(browser=False, html="") as view:
        command = [sys.executable, "-c", CLIENT, view.url, str(jumps), str(body), link]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            raise BunrakuError(f"bench choreography: the stage's client was not ready after {LONGEST:g} s.") from None
    if done.returncode:
        raise BunrakuError(
            f"bench choreography: the stage's client failed: {(done.stderr.strip().splitlines() or ['no reason'])[-1]}"
        )
    times = json.loads(done.stdout)
    return {
        name: {"median": float(np.median(t)), "least": float(np.min(t)), "most": float(np.max(t))}
        for name, t in times.items()
    }
