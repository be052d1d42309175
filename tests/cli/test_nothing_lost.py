"""What exists is replaced only by what is complete, and never by something else without --force; outputs are checked
before work begins; options that do nothing are refused; wrong sentences of version 0.1 are right."""

import ast
import errno
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import bunraku
from bunraku.cli import COMMANDS, main
from bunraku.errors import BunrakuError, FormatError
from bunraku.files import NOTE, keep_results, note_results, write_text
from bunraku.formats import npz
from bunraku.recording.blockfile import BlockFile, BlockWriter

RECORDING = Path(__file__).parent.parent / "data" / "recording-0.1.bkr"
FORMATS = ("csv", "npz", "bvh", "html", "png", "gif")


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.bkr").write_bytes(RECORDING.read_bytes())
    return tmp_path


def said(capsys, *args):
    """The one sentence of a command that refuses."""
    assert main(list(args)) == 2, args
    out, err = capsys.readouterr()
    assert err.count("\n") == 1 and not out
    return err


# ---- replaced only when the new one is complete ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "how", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")], ids=["Ctrl-C", "full"]
)
@pytest.mark.parametrize("kind", FORMATS)
def test_what_is_there_stays_when_writing_fails(kind, how, place, capsys, monkeypatch):
    out = place / f"x.{kind}"
    out.write_text("old")

    def fails(_):
        raise how

    monkeypatch.setattr(os, "fsync", fails)
    more = ["--width", "40", "--height", "30"] if kind in ("png", "gif") else []
    code = main(["export", "run.bkr", "--out", str(out), *more])
    err = capsys.readouterr().err
    assert code == (130 if isinstance(how, KeyboardInterrupt) else 2)
    assert err.count("\n") == 1 and ("interrupted" in err or f"{out}: cannot be written (No space left" in err)
    assert out.read_text() == "old" and sorted(p.name for p in place.iterdir()) == ["run.bkr", out.name]


@pytest.mark.parametrize("how", ["stops", "cut", "none"])
def test_a_film_is_replaced_only_by_a_whole_one(how, place, capsys, monkeypatch):
    """The encoder does not say how it ended; version 0.1 printed its whole dump on a full disk."""
    film = pytest.importorskip("imageio_ffmpeg")
    (place / "x.mp4").write_bytes(b"old")
    write = film.write_frames

    def broken(path, *args, **options):
        writer = write(path, *args, **options)
        writer.send(None)
        try:
            yield
            while True:
                image = yield
                if how == "stops":
                    raise OSError("a dump\nof many lines\nCommand: ffmpeg -y")
                writer.send(image)
        finally:
            writer.close()
            if how != "stops":
                os.truncate(path, 0 if how == "none" else os.path.getsize(path) - 10)

    monkeypatch.setattr(film, "write_frames", broken)
    err = said(capsys, "export", "run.bkr", "--out", "x.mp4", "--width", "64", "--height", "48")
    assert "x.mp4: cannot be written (the encoder stopped)" in err and "dump" not in err
    assert (place / "x.mp4").read_bytes() == b"old" and len(list(place.iterdir())) == 2
    monkeypatch.setattr(film, "write_frames", write)
    assert main(["export", "run.bkr", "--out", "x.mp4", "--width", "64", "--height", "48"]) == 0
    assert (place / "x.mp4").read_bytes()[4:8] == b"ftyp"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_a_killed_writer_leaves_what_was_there(name, tmp_path):
    """By SIGTERM also nothing beside it."""
    (tmp_path / "a.txt").write_text("old")
    code = (
        f"import os, signal, sys; from bunraku import cli, files\n"
        f"os.fsync = lambda _: os.kill(os.getpid(), signal.{name})\n"
        f"cli.answer = lambda *_: files.write_text({str(tmp_path / 'a.txt')!r}, 'new')\n"
        f"sys.exit(cli.main(['x']))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == (-signal.SIGKILL if name == "SIGKILL" else 128 + signal.SIGTERM) and not done.stderr
    assert (tmp_path / "a.txt").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == (2 if name == "SIGKILL" else 1)


def test_nothing_else_writes_files():
    """Only bunraku.files, and recordings, which are written beside, open files to write."""
    root = Path(bunraku.__file__).parent
    known = {"files.py", "build_page.py", "compile.py", "own_browser.py"}
    for path in root.rglob("*.py"):
        if path.name in known or "kernel" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                own = isinstance(node.func, ast.Name)
                texts = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
                assert not (name == "open" and any(set(t) & set("wax+") and len(t) <= 3 for t in texts)), path
                assert name not in ("write_bytes", "write_text") or own, f"{path}:{node.lineno}"


# ---- results of something else --------------------------------------------------------------------------------------


def test_results_of_the_same_are_made_anew_those_of_others_are_kept(tmp_path):
    names = ("summary.json", "plot.png")
    keep_results(tmp_path / "new", names, "run slope", False)
    note_results(tmp_path, "run slope")
    keep_results(tmp_path, names, "run bar", False)  # nothing is there to be replaced
    write_text(tmp_path / "plot.png", "x")
    keep_results(tmp_path, names, "run slope", False)
    keep_results(tmp_path, names, "run bar", True)
    with pytest.raises(
        BunrakuError, match=r"holds the results of `bunraku run slope`; choose another --out, or add --force"
    ):
        keep_results(tmp_path, names, "run bar", False)
    (tmp_path / NOTE).unlink()
    with pytest.raises(BunrakuError, match=r"holds plot\.png, which `bunraku run slope` did not write"):
        keep_results(tmp_path, names, "run slope", False)


@pytest.mark.parametrize(
    ("args", "file"),
    [("run slope --out .", "strobe.png"), ("dance my.toml --out .", "score.toml"), ("walk --out .", "walk.html"),
     ("gait run usual --out .", "gait.toml")],
)  # fmt: skip
def test_a_folder_with_other_files_needs_force(args, file, place, capsys):
    """Version 0.1 wrote over a score.toml, or any other file of such a name, that was written by hand."""
    write_text("my.toml", 'format = "bunraku score"\nversion = 1\n')
    write_text(file, "by hand")
    assert "--force" in said(capsys, *args.split())
    assert Path(file).read_text() == "by hand"


def test_the_same_command_may_be_repeated_and_force_replaces(place, capsys):
    slope, spin = (["run", name, "--seconds", "0.02", "--out", "job"] for name in ("slope", "spin"))
    assert main(slope) == 0
    first = Path("job/summary.json").read_text()
    capsys.readouterr()
    assert "results of `bunraku run slope`" in said(capsys, *spin)
    assert Path("job/summary.json").read_text() == first
    assert main(slope) == 0
    assert main([*spin, "--force"]) == 0
    assert Path("job/summary.json").read_text() != first


# ---- before work begins ----------------------------------------------------------------------------------------------

WRITING = ("run slope --out {}/x", "record slope --out {}/x.bkr", "dance my.toml --out {}/x", "walk --out {}/x", "export run.bkr --out {}/x.csv",
           "film run.bkr --out {}/x.gif", "convert human {}/x.urdf", "gaits make --out {}/x.npz", "gaits show run.bkr --out {}/x.bkr",
           "retarget none.bvh --out {}/x.bkr", "human --out {}/x.toml", "generate reach --out {}/x.bkr",
           "filter none.bvh --out {}/x.bkr", "filter none.bvh --plot {}/x.png", "forces none.bvh --out {}/x.sto",
           "filter none.bvh --follow {}/x.bkr", "stage --score {}/x.toml", "stage --recordings {}/x", "gait smooth --out {}/x.txt",
           "gait solve --out {}/x.txt", "gait moments --out {}/x.txt", "gait servo --out {}/x.txt", "gait survey --out {}/x.txt",
           "gait draw --out {}/x.png", "gait convert flat {}/x.toml", "gait export --out {}/x.bkr",
           "gait follow --out {}/x.bkr", "gait run --out {}/x", "reproduce --out {}/x")  # fmt: skip


@pytest.mark.parametrize("where", ["run.bkr", "/proc/1", "n" * 300])
@pytest.mark.parametrize("args", WRITING)
def test_places_that_cannot_be_written_are_known_at_once(args, where, place, capsys, monkeypatch):
    """Version 0.1 noticed a bad --out after loading, after simulating, or at the click."""
    write_text("my.toml", 'format = "bunraku score"\nversion = 1\n')
    if where == "/proc/1" and not Path("/proc/1").is_dir():
        pytest.skip("needs /proc")
    err = said(capsys, *args.format(where).split())
    assert where[:20] in err and ("cannot be written" in err or "no file in a folder that exists" in err)


@pytest.mark.parametrize(
    ("args", "name"),
    [("export run.bkr --out old.csv", "old.csv"), ("stage --score old.toml", "old.toml"), ("gait smooth --out old.txt", "old.txt")],
)  # fmt: skip
def test_what_is_write_protected_is_not_replaced(args, name, place, capsys):
    write_text(name, "old")
    Path(name).chmod(0o444)
    assert f"{name}: cannot be written (it is write-protected)" in said(capsys, *args.split())
    assert Path(name).read_text() == "old"


def test_devices_are_not_replaced(place, capsys):
    """As root, version 0.1 would have put a file in the place of /dev/null."""
    if not Path("/dev/null").is_char_device():
        pytest.skip("needs /dev/null")
    write_text("my.bkr", "")
    err = said(capsys, "export", "run.bkr", "--to", "csv", "--out", "/dev/null")
    assert "not a regular file" in err and Path("/dev/null").is_char_device()


def test_every_command_that_writes_is_among_these():
    tried = {" ".join(a.split()[: 2 if a.startswith("gait") else 1]) for a in WRITING}
    assert {"info", "play", "view", "bench", "gait", "gaits"} | tried >= set(COMMANDS)


# ---- options and sentences that were wrong in version 0.1 ------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ("filter run.bkr --aid 5", "--aid has no effect without --follow; leave it out"),
        ("walk --port 80", "--port has no effect without --view"),
        ("export run.bkr --to csv --out x.gif", "x.gif: the name of a csv file ends in .csv"),
        ("run folder", "folder: is a folder; give the file inside it"),
        ("info ", "the name of the figure is empty"),
        ("play run.bkr --no-browser --host nosuchhost.invalid", "host 'nosuchhost.invalid' is not known here"),
        ("retarget open.bvh", "open.bvh:12: MOTION stands inside the joint 'hips', which a } must end first"),
        ("retarget one.bvh", "the motion has a single frame; two or more are needed"),
        ("retarget other.bvh", "say by --mapping (mapping=) which joints move which links"),
        ("run digits.toml", "digits.toml: not TOML: a whole number has thousands of digits"),
        (
            "play left.bkr --no-browser",
            "left.bkr: cannot be read; there is no such file, but an unfinished left.bkr.part.",
        ),
        ("run unknown.toml", "unknown.toml: [[figure]] 1: there is no model 'hum'. Closest: 'human'."),
    ],
)
def test_sentences(args, sentence, place, capsys):
    (place / "folder").mkdir()
    head = "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n"
    write_text("open.bvh", head + "\n\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n")
    write_text("other.bvh", head + "}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n0 0 0\n")
    write_text("one.bvh", human_bvh())
    write_text("digits.toml", f"[world]\nseed = {'9' * 5000}\n")
    write_text("unknown.toml", "[[figure]]\nmodel = 'hum'\n")
    write_text("left.bkr.part", "")
    err = said(capsys, *args.split(" "))
    assert sentence in err
    assert err.count("unknown.toml") <= 1


def human_bvh():
    """One frame of the human figure, as it stands."""
    from bunraku.formats.bvh_motion import from_motion
    from bunraku.model import human
    from bunraku.recording.motion import Motion

    model = human()
    return (
        from_motion(Motion(model, np.zeros(1), model.neutral()[None]))
        .text()
        .replace("Frame Time: 0\n", "Frame Time: 0.01\n")
    )


def test_a_byte_order_mark_is_no_mistake(tmp_path):
    """Version 0.1 refused one without naming it."""
    path = tmp_path / "x.toml"
    path.write_bytes(b"\xef\xbb\xbf[[figure]]\nmodel = 'human'\n")
    assert bunraku.load_scene(path).name == "x"


def test_an_unfinished_recording_is_mentioned(place, capsys, monkeypatch):
    """Version 0.1 showed run.bkr and said nothing of a newer run.bkr.part."""
    from bunraku.cli import play_command

    monkeypatch.setattr(play_command, "stay", lambda view: view.close() or 0)
    assert main(["play", "run.bkr", "--no-browser"]) == 0
    assert capsys.readouterr().err == ""
    write_text("run.bkr.part", "")
    assert main(["play", "run.bkr", "--no-browser"]) == 0
    assert "run.bkr.part is there, too: a recording that has not ended" in capsys.readouterr().err


# ---- files that would fill the memory --------------------------------------------------------------------------------


def test_an_archive_that_unpacks_to_gigabytes(tmp_path):
    """Version 0.1 read 9.7 GB out of 10 MB, or ended with a MemoryError."""
    import tracemalloc

    path = tmp_path / "bomb.npz"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("q.npy", "w", force_zip64=True) as member,
    ):
        for _ in range(200):
            member.write(bytes(2**20))
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"bomb\.npz: its 0\.9 MB unpack to 210 MB"):
        npz.read(path)
    assert tracemalloc.get_traced_memory()[1] < 5e6
    tracemalloc.stop()


@pytest.mark.parametrize("shape", ["(1000000000000,)", "(1000000, 1000000)", "(-1,)", "(4,)", "()"])
def test_an_array_that_promises_more_than_there_is(shape, tmp_path):
    path = tmp_path / "long.npz"
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("q.npy", b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + bytes(24))
    with pytest.raises(FormatError, match=r"not an \.npz file of a recording"):
        npz.read(path)


def test_an_index_that_names_a_block_many_times(tmp_path):
    """What a recording holds is never more than its file."""
    writer = BlockWriter(tmp_path / "x.bkr", {})
    writer.add(b"FRAM", bytes(1000), 5)
    writer.blocks += [writer.blocks[-1]] * 1000
    writer.close()
    file = BlockFile(tmp_path / "x.bkr", "a file")
    assert len(file.blocks) == 1
    file.close()


def test_packed_meshes_are_not_unpacked(tmp_path):
    from bunraku.collision.mesh_hulls import hull_of_mesh, missing_extra

    if missing_extra():
        pytest.skip("the extra mesh is not installed")
    for name, begins in (
        ("x.zip", b"PK\x03\x04"),
        ("x.stl.gz", b"\x1f\x8b\x08\x00"),
        ("x.tar.bz2", b"BZh9"),
        ("x.xz", b"\xfd7zXZ"),
    ):
        (tmp_path / name).write_bytes(begins + bytes(100))
        hull, note = hull_of_mesh(str(tmp_path / name), (1, 1, 1), "mesh")
        assert hull is None and "packed meshes are not read" in str(note)
