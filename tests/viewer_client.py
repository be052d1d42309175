"""What tests of the viewer share: a small page, a client that behaves or does not, polling with a deadline, a world, a
recording made by hand."""

import json
import os
import socket
import time
from types import SimpleNamespace

import numpy as np
from websockets.sync.client import connect

import bunraku as bk
from bunraku.viewer.messages import unpack_frames

PAGE = "<!doctype html><title>t</title><style>p{color:red}</style><script>let a = 1;</script><p>page</p>"
# s until a state counts as never reached: a first step may have to compile on a busy machine
PATIENCE = float(os.environ.get("BUNRAKU_PATIENCE", "300"))


def poll(condition, what="it"):
    """The first true value of a condition; fails with a sentence where none comes."""
    deadline = time.monotonic() + PATIENCE
    while not (value := condition()):
        assert time.monotonic() < deadline, f"{what} did not happen within {PATIENCE:g} s"
        time.sleep(0.005)
    return value


def standing(dt=0.001):
    """A world with a standing figure."""
    world = bk.World(dt=dt)
    world.add_ground()
    world.add(bk.human()).servo(3000.0, 60.0)
    return world


def falling():
    """A world with one ball above the ground: quick to step."""
    world = bk.World()
    world.add_ground()
    world.add(bk.sphere(0.1, 1.0), at=(0, 0, 2.0))
    return world


def address(url):
    """(host with port, token)."""
    return url.removeprefix("http://").split("/#token=")


def page(url, **options):
    """A WebSocket as the page opens it; use it in `with`."""
    host, token = address(url)
    given = {
        "origin": f"http://{host}",
        "subprotocols": ["bunraku", f"token.{token}"],
        "compression": None,
        "open_timeout": PATIENCE,
        "close_timeout": 0.5,
    }
    return connect(f"ws://{host}/ws", **{**given, **options})


def say(connection, kind, **values):
    """Send a command."""
    connection.send(json.dumps({"type": kind, **values}))


def hear(connection, wanted, accept=lambda message: True):
    """The next frame, file (its name and content) or JSON message of a type that is accepted."""
    deadline = time.monotonic() + PATIENCE
    while True:
        left = deadline - time.monotonic()
        assert left > 0, f"no {wanted} within {PATIENCE:g} s"
        raw = connection.recv(timeout=left)
        if isinstance(raw, bytes) and raw[:4] == b"BKD1":
            n = int.from_bytes(raw[4:8], "little")
            kind, message = "file", (raw[8 : 8 + n].decode(), raw[8 + n :])
        elif isinstance(raw, bytes):
            frames = unpack_frames(raw)
            kind, message = ("frame", frames[0]) if len(frames) == 1 else ("overview", frames)
        else:
            message = json.loads(raw)
            kind = message["type"]
        if kind == wanted and accept(message):
            return message


def until_closed(connection):
    """Read until the other side closes, which raises ConnectionClosed; fails where it does not."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        connection.recv(timeout=PATIENCE)
    raise AssertionError(f"the server did not close the connection within {PATIENCE:g} s")


def request(url, path="/", **headers):
    """(status, headers, body) of a plain HTTP request, header by header; None leaves one out."""
    host, _ = address(url)
    lines = {"Host": host, **headers}
    text = f"GET {path} HTTP/1.1\r\n" + "".join(
        f"{k.replace('_', '-')}: {v}\r\n" for k, v in lines.items() if v is not None
    )
    return raw(host, (text + "\r\n").encode())


def raw(host, data):
    """(status, headers, body) of what a server answers to bytes; status 0 where it only hangs up."""
    name, port = host.rsplit(":", 1)
    with socket.create_connection((name.strip("[]"), int(port)), timeout=PATIENCE) as s:
        s.sendall(data)
        answer = b""
        try:
            while chunk := s.recv(65536):
                answer += chunk
                if answer.startswith(b"HTTP/1.1 101"):
                    break
        except ConnectionResetError:
            pass
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    status = int(lines[0].split()[1]) if lines[0] else 0
    return status, {k.lower(): v for k, _, v in (line.partition(": ") for line in lines[1:])}, body


def recording(world, frames=11, every=20):
    """What a recording offers a player, written down by hand while a world runs."""
    rows = {name: [] for name in ("times", "q", "v", "torques", "zmp", "forces", "contacts")}
    for k in range(frames):
        world.step(every if k else 1)
        touching = [
            (c, i)
            for c in world.contacts
            for i in range(len(c.points))
            if c.gaps[i] <= 1e-6 or c.forces[i] @ c.normal > 1e-9
        ]
        patches = list(dict.fromkeys(id(c) for c, _ in touching))
        states = ("none", "point", "line", "surface")
        contacts = SimpleNamespace(
            point=np.array([c.points[i] for c, i in touching]).reshape(-1, 3),
            force=np.array([c.forces[i] for c, i in touching]).reshape(-1, 3),
            patch=np.array([patches.index(id(c)) for c, _ in touching]),
            state=np.array([states.index(c.state) for c, _ in touching]),
            bodies=np.array([[body_number(world, b) for b in c.bodies] for c, _ in touching]).reshape(-1, 2),
        )
        zmp = [f.zmp if f.zmp is not None else np.full(3, np.nan) for f in world.figures]
        values = world.time, world.q.copy(), world.v.copy(), world.applied.copy(), zmp, forces_on(world), contacts
        for name, value in zip(rows, values):
            rows[name].append(value)
    arrays = {k: np.array(v) if k != "contacts" else v for k, v in rows.items()}
    models = {f.name: f.model for f in world.figures}
    fixed = [item.shape for item in world._fixed]
    return SimpleNamespace(models=models, fixed=fixed, dt=world.dt, gravity=world.gravity, events=[], **arrays)


def body_number(world, owner):
    """Number in the world's model of the body that (figure, link) belongs to; 0 for the world."""
    figure, link = owner
    if figure == "world":
        return 0
    f = world[figure]
    body = f.model.frame(link).body
    return f.part.body + body if body else 0


def forces_on(world):
    """Contact force on each figure from all that is not itself."""
    out = {f.name: np.zeros(3) for f in world.figures}
    for c in world.contacts:
        (a, _), (b, _) = c.bodies
        if a != b:
            for name, sign in ((a, 1.0), (b, -1.0)):
                if name in out:
                    out[name] += sign * c.force
    return list(out.values())
