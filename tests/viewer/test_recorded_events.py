"""Events of a recording as the page gets them: connections with their times, marks for the time line; nonsense in a
file is passed over."""

from types import SimpleNamespace

import numpy as np
import pytest

import bunraku as bk
from bunraku.motion import Recording
from bunraku.viewer.messages import scene_message
from bunraku.viewer.recorded_events import MOST_EVENTS, connections_of_recording, events_of_recording
from bunraku.viewer.world_frames import connections_of
from viewer_client import falling, recording, standing


def test_connections_and_marks_of_a_run(tmp_path):
    world = standing()
    first = world.connect(world["human"]["right_hand"])
    live = connections_of(world)
    with world.record(tmp_path / "run.bkr") as recorder:
        world.run(0.01)
        world.spring(world["human"]["trunk"], at_b=(1, 0, 1.2), stiffness=50.0, rest=0.1)
        live += connections_of(world)[1:]
        recorder.note("x" * 500)
        world.run(0.01)
        world.disconnect(first)
        world.push(world["human"]["trunk"], (10, 0, 0), 0.1)
        world.run(0.01)
    with Recording.open(tmp_path / "run.bkr") as r:
        scene = scene_message(r)
    hand, spring = scene["connections"]
    assert (hand.pop("from"), hand.pop("to")) == (0.0, pytest.approx(0.02))
    assert (spring.pop("from"), spring.pop("to")) == (pytest.approx(0.01), None)
    assert [hand, spring] == live and spring["kind"] == "spring"
    marks = [(round(e["time"], 6), e["kind"]) for e in scene["events"]]
    assert sorted(marks) == [(0.01, "connect"), (0.01, "note"), (0.02, "cut"), (0.02, "push")]
    assert max(len(e["text"]) for e in scene["events"]) == 200
    assert any(e["text"] == "push on human.trunk" for e in scene["events"])


def with_events(*events):
    return SimpleNamespace(**{**vars(recording(falling(), 3, 10)), "events": list(events)})


def test_a_number_used_again_is_another_connection():
    tie = {"kind": "connect", "number": 0, "bodies": [1, 0], "points": [[0, 0, 0], [0, 0, 2]], "axes": "x"}
    cut = {"kind": "cut", "number": 0}
    times = [(tie, 0.0), (cut, 0.1), (tie, 0.2), (cut, 0.3), (tie, 0.4)]
    found = connections_of_recording(with_events(*({**e, "time": t} for e, t in times)))
    assert [(c["from"], c["to"]) for c in found] == [(0.0, 0.1), (0.2, 0.3), (0.4, None)]


@pytest.mark.parametrize(
    "wrong",
    [{"bodies": [1, 2]}, {"bodies": [-1, 0]}, {"bodies": [1]}, {"bodies": "10"}, {"bodies": [True, 0]}, {"bodies": None}, {"points": [[0, 0, 0]]},
     {"points": [[0, 0, 0], [0, 0, np.nan]]}, {"points": "x"}],
)  # fmt: skip
def test_connections_that_make_no_sense_are_passed_over(wrong):
    good = {"time": 0.0, "kind": "connect", "number": 0, "bodies": [1, 0], "points": [[0, 0, 0], [0, 0, 2]]}
    assert len(connections_of_recording(with_events(good))) == 1
    assert connections_of_recording(with_events({**good, **wrong})) == []


def test_marks_are_within_the_recording_and_not_too_many():
    times = [-1.0, 0.005, 99.0, *[0.01] * 500]
    marks = events_of_recording(with_events(*({"time": t, "kind": "note", "text": "a"} for t in times)))
    assert len(marks) == MOST_EVENTS and {m["time"] for m in marks} == {0.005, 0.01}


def test_a_world_has_no_marks():
    assert scene_message(bk.scene.load("spin").build())["events"] == []
