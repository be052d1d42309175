"""CSV and NPZ of a recording: numbers come back bit for bit, with names and units; bad files get one sentence."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import BunrakuError, FormatError, UnknownName
from bunraku.formats import csvfile, npz
from bunraku.motion import Recording
from bunraku.world import World


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A figure that lands beside a ball."""
    path = tmp_path_factory.mktemp("run") / "run.bkr"
    world = World()
    world.add_ground()
    fig = world.add(bk.human(), at=(0, 0, 0.92), name="ann")
    fig.servo(800.0, 30.0)
    world.add(bk.sphere(0.1), at=(1, 0, 0.3), name="ball")
    with world.record(path):
        world.run(0.1)
    return Recording.open(path)


def test_csv_there_and_back(recording, tmp_path):
    csvfile.write(csvfile.from_recording(recording), tmp_path / "a.csv")
    head = (tmp_path / "a.csv").read_text().split("\n", 1)[0]
    for name in ("time [s]", "ann.root.x [m]", "ann.left_knee [rad]", "ann.waist.w [1]", "torque ann.left_knee [N m]"):
        assert name in head
    table = csvfile.read(tmp_path / "a.csv")
    assert np.array_equal(table["time"], recording.times)
    motion = table.motion(recording.figure("ann").model, "ann")
    assert np.array_equal(motion.q.astype(np.float32), recording.q[:, : motion.q.shape[1]])
    assert np.array_equal(table["energy ball"], recording.energy[:, 1])
    assert np.array_equal(table["zmp ann.x"], recording.zmp[:, 0, 0], equal_nan=True)
    assert np.isnan(table["zmp ann.x"]).any() and np.isfinite(table["zmp ann.x"]).any()
    joint = recording.figure("ann").model.joint("left_knee")
    assert np.array_equal(table["torque ann.left_knee"], recording.torques[:, joint.iv])


def test_forces_are_those_of_the_frames(recording):
    table = csvfile.from_recording(recording)
    for k in (0, 60, 100):
        frame = recording[k]
        first = [(recording.shape_owner(int(a))[0], recording.shape_owner(int(b))[0]) for a, b in frame.pair]
        up = sum(f[2] if a == "ann" else -f[2] for (a, b), f in zip(first, frame.force) if "ann" in (a, b) and a != b)
        assert table["force ann.z"][k] == pytest.approx(up, abs=1e-9)
    given = (
        table["force ann.z"][1:].sum() * 0.001 - 69.0 * 9.80665 * 0.1
    )  # N s, of ground and gravity since it was at rest
    after = 69.0 * (recording.com[-1, 0, 2] - recording.com[-2, 0, 2]) / 0.001
    assert given == pytest.approx(after, abs=0.02)  # of 67 N s each; q is known to 6e-8 m, so the rate to 1e-4 m/s


def test_fewer_frames(recording):
    table = csvfile.from_recording(recording, fps=100)
    assert np.allclose(table["time"], 0.01 * np.arange(11), atol=1e-9)


def test_npz_there_and_back(recording, tmp_path):
    npz.write(recording, tmp_path / "a.npz")
    got = npz.read(tmp_path / "a.npz")
    assert np.array_equal(got["q"], recording.q) and np.array_equal(got["forces"], recording.frames.forces)
    assert got["figures"].tolist() == ["ann", "ball"] and got["header"]["dt"] == 0.001 and got["events"] == []
    assert len(got["coordinates"]) == recording.model.nq and "world.plane" in got["shapes"].tolist()
    data = (tmp_path / "a.npz").read_bytes()
    for k in range(0, len(data), len(data) // 20):
        (tmp_path / "b.npz").write_bytes(data[:k])
        with pytest.raises(BunrakuError):
            npz.read(tmp_path / "b.npz")
    np.savez(tmp_path / "c.npz", x=np.zeros(3))
    with pytest.raises(FormatError, match=r"not an \.npz file of a recording"):
        npz.read(tmp_path / "c.npz")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no row"),
        ("time [s]\n", "no row"),
        ("time\n1\n", "has no unit"),
        ("time [s],time [s]\n1,2\n", "same name"),
        ("time [s],a [m]\n1,2\n3\n", "x.csv:3: 1 fields instead of 2"),
        ("time [s],a [m]\n1,two\n", "x.csv:2: 'two' in column 'a'"),
    ],
)
def test_bad_csv(text, words, tmp_path):
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(FormatError, match=words):
        csvfile.read(tmp_path / "x.csv")


def test_a_missing_column(tmp_path):
    (tmp_path / "x.csv").write_text("time [s],ball.root.x [m]\n0,1\n")
    with pytest.raises(UnknownName, match=r"no column 'ball.root.y'"):
        csvfile.read(tmp_path / "x.csv").motion(bk.sphere(0.1), "ball")
