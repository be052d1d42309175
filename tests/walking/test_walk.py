"""`walk`: plan, simulate, record and report in one call; pushes and terrain in words."""

import math

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.errors import InputError
from bunraku.humanoid.parts import humanoid
from bunraku.walking.walk import in_words, planned
from bunraku.walking.walk_push import Push, push_of


@pytest.fixture(scope="module")
def human():
    return humanoid(bk.human())


def test_two_steps_with_all_that_is_known_of_them(tmp_path):
    told = []
    done = bk.walk(
        bk.human(),
        "two steps",
        stabiliser=False,
        pushes=[Push(60.0, 0.6, 90.0), "20@0.9"],
        path=tmp_path / "walk.bkr",
        progress=lambda what, share: told.append((what, share)),
    )
    with done.recording as r:
        assert done.fell is None and done.report.fell is None and len(done.report.landings) == 2
        assert done.report.distance == pytest.approx(0.48, abs=0.05) and done.real_time_factor > 0
        assert r.path == tmp_path / "walk.bkr" and r.title == "human: two steps"
        assert r.duration == pytest.approx(done.world.time) and [e["kind"] for e in r.events] == ["push", "push"]
        assert np.allclose(r.q[-1], done.figure.q, atol=1e-6)
    assert len(done.pattern.steps) == 2 and "2 steps, 0.4" in repr(done)
    assert list(dict.fromkeys(what for what, _ in told)) == ["plan", "prepare", "simulate", "report"]
    shares = [share for what, share in told if what == "simulate"]
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1.0)


def test_without_a_path_the_recording_lives_as_long_as_it_is_open():
    done = bk.walk(footsteps="two steps", stabiliser=False)
    assert not done.recording.path.exists()
    assert len(done.recording.times) == len(done.recording) == done.recording.frames.q.shape[0]
    done.recording.close()


def test_pushes_in_words():
    assert push_of("300@2.5:left") == Push(300.0, 2.5, 90.0) and push_of("20@1") == Push(20.0, 1.0, 0.0)
    assert push_of("20@1:-45") == Push(20.0, 1.0, -45.0)


def test_the_pace_is_said_once_for_all_footsteps(human):
    slow, usual = (planned(human, "two steps", None, pace)[0] for pace in ("slowly", None))
    bumpy = planned(human, "two steps", "bumps 1 cm")[0]
    assert bumpy.steps == slow.steps  # with care, unless it is said
    assert slow.duration > usual.duration and slow.steps[0].position[0] < usual.steps[0].position[0]


def test_a_push_counts_from_where_the_figure_heads(human):
    pattern, _ = planned(human, "turn 40 degrees")
    early, late = (Push(100.0, t, 90.0).force(pattern) for t in (0.1, pattern.duration))
    assert early == pytest.approx((0.0, 100.0, 0.0), abs=1e-9)
    heading = math.radians(40.0)
    assert np.allclose(late, (-100 * math.sin(heading), 100 * math.cos(heading), 0.0), atol=0.5)


def test_footsteps_from_words_a_list_and_a_file(human, tmp_path):
    words, _ = planned(human, "two steps")
    listed, _ = planned(human, bk.footsteps("two steps", human))
    (tmp_path / "steps.toml").write_text('walk = "two steps"\n')
    read, _ = planned(human, tmp_path / "steps.toml")
    assert words.steps == listed.steps == read.steps
    assert np.array_equal(words.q, listed.q) and np.array_equal(words.q, read.q)


def test_terrain_in_words_or_made(human):
    stairs = bk.terrain("stairs 3 of 10 cm", human)
    assert len(stairs.shapes) == 3 and stairs.steps[-1].position[2] == pytest.approx(0.3)
    said, ground = planned(human, None, "stairs 3 of 0.1 m")
    made, same = planned(human, None, stairs)
    assert np.array_equal(said.q, made.q) and same is stairs and len(ground.shapes) == 3
    assert in_words(None, None) == "ten steps" and in_words("two steps", "bumps 1 cm") == "two steps, bumps 1 cm"
    assert in_words(made.steps, None) == f"{len(made.steps)} footsteps" and in_words(None, stairs) == "a terrain"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"pushes": ["300"]}, "N@SECONDS"),
        ({"footsteps": "two steps", "pushes": [Push(300.0, 99.0)]}, "after the walk"),
        ({"terrain": "swamp"}, "not understood"),
        ({"terrain": "stairs", "footsteps": "two steps"}, "brings its own footsteps"),
        ({"terrain": "slope", "pace": "slowly"}, "leave the pace out"),
        ({"figure": bk.box((1, 1, 1))}, "no feet"),
    ],
)
def test_mistakes_are_one_sentence(options, text):
    with pytest.raises(InputError, match=text):
        bk.walk(**options)


@pytest.mark.parametrize(
    ("rubber", "stabiliser", "integrator"), [(False, False, "rk4"), (True, True, "euler"), (True, True, "rk4")]
)
@asserts(
    "2007/stepping/walked", "2007/stepping/noise", "2007/stepping/weight", "2007/stepping/alone",
    "2007/stepping/peak", "2007/stepping/peak-rk4"
)  # fmt: skip
def test_eight_steps_in_place(rubber, stabiliser, integrator):
    """Fig. 4 of Nakaoka et al. 2007: feet loaded in turn, next to no noise."""
    how = {"bushes": rubber, "stabiliser": stabiliser, "contact": "pgs_2007", "integrator": integrator}
    done = bk.walk(None, "eight steps in place", **how)
    assert done.fell is None and len(done.report.landings) == 8 and done.report.distance < 0.1
    assert done.world.contact == "pgs_2007" and done.world.sweeps == 120 and done.world.integrator == integrator
    up = done.report.loads.force[..., 2] / done.report.loads.weight
    assert up.sum(axis=1)[500:-500].mean() == pytest.approx(1.0, abs=0.01)  # nothing rises or sinks
    assert np.median(up[up[:, 1] == 0.0, 0]) == pytest.approx(1.0, abs=0.01)
    assert done.report.noise_alone[1] < 0.01  # root mean square above 30 Hz
    assert up.max() < 1.1


@pytest.mark.parametrize(
    ("rubber", "stabiliser", "falls"), [(False, False, False), (True, False, True), (True, True, False)]
)
@asserts("2007/walk/rigid", "2007/walk/rubber", "2007/walk/stabilised", "2007/walk/place")
def test_nineteen_steps_in_three_forms_with_the_papers_settings(rubber, stabiliser, falls):
    """Nakaoka et al. 2007, section 4: 1 ms, Runge-Kutta 4, at most 120 sweeps. Rigid feet need no stabiliser, rubber
    ones do."""
    done = bk.walk(
        None, "nineteen", bushes=rubber, stabiliser=stabiliser, contact="pgs_2007", sweeps=120, integrator="rk4"
    )
    assert done.world.dt == 0.001 and done.world.report.most_sweeps <= 120
    assert len(done.pattern.steps) == 19 and done.pattern.duration == pytest.approx(20.0)
    assert (done.fell is not None) == falls
    if not falls:
        assert len(done.report.landings) == 19 and max(e.distance for e in done.walker.footstep_error()) < 0.05


def test_nineteen_is_a_walk_of_its_own(human):
    pattern, ground = planned(human, "nineteen")
    assert ground is None and len(pattern.steps) == 19 and pattern.duration == pytest.approx(20.0)
    with pytest.raises(InputError, match="leave the pace out"):
        planned(human, "nineteen", pace="slowly")
    assert planned(human, "nineteen steps")[0].duration != pytest.approx(20.0)
