"""Messages of a stage: what a page may ask for is checked value by value; whatever else arrives becomes one sentence."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import InputError
from bunraku.viewer.messages import Command, pack_file, parse
from bunraku.viewer.stage_messages import KEYS

POINT = [0.1, -2, 3.5]
GOOD = [
    (
        {"type": "pin", "link": "left_foot", "point": POINT, "pose": True},
        {"link": "left_foot", "point": (0.1, -2.0, 3.5), "pose": True},
    ),
    (
        {"type": "drag", "link": "left_hand", "point": [0, 0, 0], "pose": False},
        {"link": "left_hand", "point": (0.0, 0.0, 0.0), "pose": False},
    ),
    ({"type": "to", "position": POINT}, {"position": (0.1, -2.0, 3.5)}),
    ({"type": "drop"}, {}),
    ({"type": "release", "name": "pin1"}, {"name": "pin1"}),
    ({"type": "release_all"}, {}),
    ({"type": "balance", "on": False}, {"on": False}),
    ({"type": "dynamics", "on": False}, {"on": False}),
    ({"type": "steps", "on": False}, {"on": False}),
    ({"type": "rises", "on": True}, {"on": True}),
    ({"type": "get_up"}, {}),
    ({"type": "walk", "place": [1.5, -2]}, {"place": (1.5, -2.0)}),
    (
        {"type": "pin", "link": "a", "point": POINT, "pose": False, "axes": "z rx", "rotation": "link"},
        {"link": "a", "point": (0.1, -2.0, 3.5), "pose": False, "axes": "z rx", "rotation": "link"},
    ),
    (
        {"type": "drag", "link": "a", "point": POINT, "pose": False, "rotation": [1, 0, 0, 0]},
        {"link": "a", "point": (0.1, -2.0, 3.5), "pose": False, "rotation": [1, 0, 0, 0]},
    ),
    ({"type": "desire", "joint": "left_elbow", "value": [1]}, {"joint": "left_elbow", "value": [1.0]}),
    ({"type": "desire", "joint": "neck", "value": [0, 0.1, 0]}, {"joint": "neck", "value": [0.0, 0.1, 0.0]}),
    ({"type": "undesire", "joint": "neck"}, {"joint": "neck"}),
    ({"type": "record", "on": True}, {"on": True}),
    ({"type": "undo"}, {}),
    ({"type": "grip"}, {}),
    ({"type": "grip", "link": "left_hand", "other": "box"}, {"link": "left_hand", "other": "box"}),
    ({"type": "reset"}, {}),
    ({"type": "save"}, {}),
    ({"type": "export", "format": "gif"}, {"format": "gif"}),
]
BAD = [
    ({"type": "pin"}, "'link'"),
    ({"type": "pin", "link": 7, "point": POINT, "pose": True}, "'link'"),
    ({"type": "pin", "link": "", "point": POINT, "pose": True}, "'link'"),
    ({"type": "pin", "link": "x" * 201, "point": POINT, "pose": True}, "'link'"),
    ({"type": "pin", "link": "a", "point": POINT}, "'pose'"),
    ({"type": "pin", "link": "a", "point": POINT, "pose": 1}, "'pose'"),
    ({"type": "pin", "link": "a", "point": POINT, "pose": True, "weight": 1e9}, "'weight'"),
    ({"type": "pin", "link": "a", "point": [0, 0], "pose": True}, "'point'"),
    ({"type": "pin", "link": "a", "point": [0, 0, 1e4], "pose": True}, "'point'"),
    ({"type": "pin", "link": "a", "point": [0, 0, "1"], "pose": True}, "'point'"),
    ({"type": "pin", "link": "a", "point": [0, 0, True], "pose": True}, "'point'"),
    ({"type": "pin", "link": "a", "point": POINT, "pose": False, "axes": "w"}, "'axes'"),
    ({"type": "pin", "link": "a", "point": POINT, "pose": False, "axes": "x" * 500}, "'axes'"),
    ({"type": "pin", "link": "a", "point": POINT, "pose": False, "axes": 3}, "'axes'"),
    ({"type": "pin", "link": "a", "point": POINT, "pose": False, "rotation": "world"}, "'rotation'"),
    ({"type": "pin", "link": "a", "point": POINT, "pose": False, "rotation": [1, 0, 0]}, "'rotation'"),
    ({"type": "pin", "link": "a", "point": POINT, "pose": False, "rotation": [1, 0, 0, "0"]}, "'rotation'"),
    ({"type": "to", "position": POINT, "axes": "x"}, "'axes'"),
    ({"type": "desire", "joint": "left_elbow"}, "'value'"),
    ({"type": "desire", "joint": "left_elbow", "value": 1.0}, "'value'"),
    ({"type": "desire", "joint": "left_elbow", "value": [1.0, 2.0]}, "'value'"),
    ({"type": "desire", "joint": "left_elbow", "value": [None]}, "'value'"),
    ({"type": "desire", "joint": "left_elbow", "value": [10**400]}, "'value'"),
    ({"type": "desire", "joint": 3, "value": [1.0]}, "'joint'"),
    ({"type": "undesire"}, "'joint'"),
    ({"type": "dynamics", "on": 1}, "'on'"),
    ({"type": "to", "position": None}, "'position'"),
    ({"type": "to", "position": {"x": 1}}, "'position'"),
    ({"type": "to", "position": [[0], [0], [0]]}, "'position'"),
    ({"type": "to", "position": [0, 0, 10**400]}, "'position'"),
    ({"type": "drop", "viewer": 3}, "'viewer'"),
    ({"type": "release", "name": None}, "'name'"),
    ({"type": "balance", "on": "yes"}, "'on'"),
    ({"type": "export", "format": "sh"}, "'format'"),
    ({"type": "export", "format": "../x"}, "'format'"),
    ({"type": "export", "format": ["gif"]}, "'format'"),
    ({"type": "save", "path": "/etc/passwd"}, "'path'"),
    ({"type": "undoo"}, "undo"),
]


@pytest.mark.parametrize("message, values", GOOD, ids=lambda m: str(m)[:40])
def test_good(message, values):
    assert parse(json.dumps(message)) == Command(message["type"], data=values)


def test_every_kind_is_here():
    assert {m["type"] for m, _ in GOOD} == set(KEYS)


@pytest.mark.parametrize("message, word", BAD, ids=lambda m: str(m)[:60])
def test_bad(message, word):
    with pytest.raises(InputError) as error:
        parse(json.dumps(message))
    text = str(error.value)
    assert word in text and text.startswith("message:") and text.endswith(".") and "\n" not in text and len(text) < 300


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_not_finite(number):
    with pytest.raises(InputError):
        parse(f'{{"type": "to", "position": [0, 0, {number}]}}')


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@given(
    st.sampled_from(sorted(KEYS)),
    st.dictionaries(st.sampled_from(["link", "point", "pose", "position", "name", "on", "format", "x"]), VALUES),
)
def test_anything_gives_a_command_or_a_sentence(kind, values):
    try:
        command = parse(json.dumps({**values, "type": kind}))
    except InputError as error:
        assert str(error).startswith("message:")
    else:
        assert set(command.data) == set(KEYS[kind]) and command.viewer == 0


def test_a_file():
    data = pack_file("Tänzer.toml", b"abc")
    assert data == b"BKD1" + (12).to_bytes(4, "little") + "Tänzer.toml".encode() + b"abc"
