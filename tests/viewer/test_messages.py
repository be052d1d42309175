"""Messages of the viewer: scenes say in JSON what the world holds, frames survive packing, no message from a page is
believed unchecked."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bunraku as bk
from bunraku.errors import InputError
from bunraku.model.rotations import rotation_matrix
from bunraku.viewer.messages import Command, pack_frame, parse, scene_message, unpack_frame, unpack_frames
from bunraku.viewer.shapes import shapes_of
from bunraku.viewer.world_frames import connections_of
from viewer_client import recording, standing


def test_scene_of_a_world():
    world = standing()
    box = world.add(bk.box((0.3, 0.2, 0.1), 2.0), at=(1, 0, 1), name="crate")
    world.add_fixed(bk.Shape("box", (1.0, 1.0, 0.1), (3, 0, 0.1), name="step"))
    world.connect(world["human"]["left_hand"], box, at=(1, 0, 1))
    scene = json.loads(json.dumps(scene_message(world, "a title"), allow_nan=False))
    assert (scene["type"], scene["version"], scene["title"]) == ("scene", 1, "a title")
    assert scene["figures"] == ["human", "crate"] and scene["live"] is True and scene["duration"] is None
    assert [b["name"] for b in scene["bodies"]] == list(world.model.body_names[1:])
    assert {b["figure"] for b in scene["bodies"]} == {"human", "crate"}
    crate = next(s for s in scene["shapes"] if s["kind"] == "box" and s["body"] == len(scene["bodies"]) - 1)
    assert np.allclose(crate["size"], (0.15, 0.1, 0.05)) and np.allclose(crate["quaternion"], (1, 0, 0, 0))
    fixed = [s for s in scene["shapes"] if s["body"] == -1]
    assert [s["kind"] for s in fixed] == ["plane", "box"] and fixed[1]["name"] == "step"
    groups = [c["group"] for c in scene["channels"]]
    assert groups.count("angles") == groups.count("torques") == 28 and set(groups) == {
        "energy",
        "forces",
        "zmp",
        "angles",
        "torques",
    }
    (tie,) = scene["connections"]
    k = bk.kinematics(world.model, world.q)
    for body, point in ((tie["body_a"], tie["point_a"]), (tie["body_b"], tie["point_b"])):
        assert np.allclose(k.position[body + 1] + k.rotation[body + 1] @ point, (1, 0, 1), atol=1e-9)


def test_connections_that_were_cut_are_gone():
    world = standing()
    tie = world.connect(world["human"]["left_hand"])
    assert len(connections_of(world)) == 1 and connections_of(world)[0]["body_b"] == -1
    world.disconnect(tie)
    assert connections_of(world) == []


def test_scene_of_a_recording():
    scene = json.loads(json.dumps(scene_message(recording(standing(), 4, 10), "run"), allow_nan=False))
    assert scene["live"] is False and scene["duration"] == pytest.approx(0.03)
    assert scene["shapes"] == json.loads(json.dumps(scene_message(standing())["shapes"]))


def test_visual_shapes_before_those_of_collisions():
    figure = bk.Description(name="two")
    figure.add("a", None, bk.free("root"), mass=1.0, moments=(1, 1, 1))
    figure.links[0].shapes = [
        bk.Shape("sphere", (0.1,), role="collision"),
        bk.Shape("box", (0.1, 0.2, 0.3), role="visual"),
    ]
    told = [(s["kind"], s.get("role")) for s in shapes_of([("two", figure.build())])]
    assert told == [("box", None), ("sphere", "collision")]
    figure.links[0].shapes.pop()
    assert [s["kind"] for s in shapes_of([("two", figure.build())])] == ["sphere"]


def test_a_figure_without_shapes_becomes_sticks():
    figure = bk.Description(name="bones")
    figure.add("a", None, bk.free("root"), mass=1.0, moments=(1, 1, 1))
    figure.add("b", "a", bk.hinge("j", (0, 1, 0)), at=(0.3, 0, 0.4), mass=1.0, moments=(1, 1, 1))
    stick = next(s for s in shapes_of([("bones", figure.build())]) if s["kind"] == "capsule")
    along = rotation_matrix(stick["quaternion"])[:, 2]
    assert stick["body"] == 0 and stick["size"][1] == pytest.approx(0.25)
    assert np.allclose(np.asarray(stick["position"]) + 0.25 * along, (0.3, 0, 0.4))


def test_a_frame_survives():
    rng = np.random.default_rng(1)
    parts = [rng.normal(size=s).astype(np.float32) for s in ((3, 7), (2, 10), (1, 6), (5,))]
    data = pack_frame(2**32 + 7, 1.25, *parts)
    assert data[:4] == b"BKF1" and len(data) == 32 + 4 * (21 + 20 + 6 + 5)
    f = unpack_frame(data)
    assert (f.sequence, f.time) == (7, 1.25)
    for got, want in zip((f.poses, f.contacts, f.figures, f.channels), parts):
        assert got.dtype == np.dtype("<f4") and np.array_equal(got, want)
    assert [f.time for f in unpack_frames(data + data)] == [1.25, 1.25]
    for bad in (b"", data[:-1], data + b"\0", b"XXXX" + data[4:], data + data):
        with pytest.raises(InputError):
            unpack_frame(bad)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ('{"type": "play"}', Command("play")),
        ('{"type": "pause", "more": [1]}', Command("pause")),
        ('{"type": "hello"}', Command("hello")),
        ('{"type": "step"}', Command("step", 1)),
        ('{"type": "step", "n": 3.7}', Command("step", 3)),
        ('{"type": "step", "n": -3.7}', Command("step", -3)),
        ('{"type": "speed", "value": 0.5}', Command("speed", 0.5)),
        ('{"type": "seek", "time": -1}', Command("seek", -1)),
        ('{"type": "ready"}', Command("ready")),
        ('{"type": "restart"}', Command("restart")),
        ('{"type": "frame", "n": -2}', Command("frame", -2)),
        ('{"type": "go_on", "time": 1.25}', Command("go_on", 1.25)),
        ('{"type": "loop", "on": 1}', Command("loop", 1)),
    ],
)
def test_commands(text, command):
    assert parse(text) == command


BAD = [
    b"\x00\xff\xfe",
    "",
    "nonsense",
    "[1, 2]",
    "null",
    '"play"',
    "{}",
    '{"type": 5}',
    '{"type": "plya"}',
    '{"type": ["play"]}',
    '{"type": "speed"}',
    '{"type": "speed", "value": NaN}',
    '{"type": "speed", "value": Infinity}',
    '{"type": "speed", "value": 1e999}',
    '{"type": "speed", "value": 0}',
    '{"type": "speed", "value": -2}',
    '{"type": "speed", "value": "1"}',
    '{"type": "speed", "value": true}',
    '{"type": "speed", "value": [1]}',
    '{"type": "step", "n": 0}',
    '{"type": "step", "n": -0.5}',
    '{"type": "step", "n": 1000000000}',
    '{"type": "step", "n": ' + "9" * 3000 + "}",
    '{"type": "seek", "time": null}',
    '{"type": "frame", "n": 0}',
    '{"type": "go_on"}',
    '{"type": "go_on", "time": "now"}',
    '{"type": "loop", "on": 2}',
    "[" * 4000,
    '{"a":' * 800 + "1" + "}" * 800,
    '{"type": "play", "x": "' + "y" * 5000 + '"}',
    '{"type": "' + "é" * 2500 + '"}',
    "\ud800",
]


@pytest.mark.parametrize("message", BAD, ids=range(len(BAD)))
def test_bad_messages_get_one_short_sentence(message):
    with pytest.raises(InputError) as error:
        parse(message)
    assert str(error.value).startswith("message: ") and len(str(error.value)) < 300 and "\n" not in str(error.value)


@given(st.one_of(st.text(max_size=200), st.binary(max_size=200), st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=9),
    lambda x: st.lists(x) | st.dictionaries(st.sampled_from(["type", "n", "value", "time"]), x, max_size=4)).map(json.dumps)))  # fmt: skip
def test_whatever_arrives_is_a_command_or_a_sentence(message):
    try:
        assert np.isfinite(parse(message).value)
    except InputError as error:
        assert str(error).startswith("message: ")
