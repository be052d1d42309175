"""Hundreds of bad inputs over all commands: no traceback, exit code 2, exactly one sentence, which names the culprit;
nothing is written, and no kernel is needed to say no. The inputs are made by chance from a fixed seed, which a failure
names together with the command.

Version 0.1 met a 5,000-digit number in a scene, `--help | head -1` and an archive that unpacks to gigabytes with
tracebacks, and had wrong sentences for those of SENTENCES.
"""

import os
import random
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from bunraku.cli import COMMANDS, main
from bunraku.gait1988.cards import from_gait, moma_deck, write_dynamics_cards, write_gait_cards
from bunraku.gait1988.gaitfile import write_gait_toml
from bunraku.gait1988.library import library_gait
from bunraku.gaits.gait_library import file_of
from bunraku.kernel.build_all import all_kernels
from bunraku.kernel.compile import JIT
from bunraku.kernel.entry import Entry
from bunraku.recording.blockfile import BLOCK, HEAD_SIZE, MAGIC

SEED = 1988
RECORDING = Path(__file__).parent.parent / "data" / "recording-0.1.bkr"
BVH = """HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT knee
  {
    OFFSET 0 -40 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -40 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.01
0 90 0 0 0 0 0 0 0
0 90 1 0 0 0 0 1 0
0 90 2 0 0 0 0 2 0
"""
URDF = """<robot name="one"><link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
</inertial></link><link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""
MJCF = """<mujoco><worldbody><body name="a"><freejoint/><geom type="sphere" size="0.1"/><body name="b"><joint name="j" axis="0 0 1"/>
<geom type="sphere" size="0.1"/></body></body></worldbody></mujoco>"""
SCENE = """[world]
dt = 0.001
seconds = 1.0
[[ground]]
friction = 0.5
[[figure]]
name = "ball"
model = "sphere"
radius = 0.1
at = [0, 0, 1]
[[push]]
on = "ball"
force = [1, 0, 0]
seconds = 0.1
"""
SCORE = """format = "bunraku score"
version = 1
model = "human"
seconds = 1.0
[[pin]]
link = "left_hand"
begin = 0.0
"""
CONNECTIONS = (
    "rotation = [1, 2]", "rotation = [0, 0, 0, 0]", "rotation = 'up'", "rotation = [nan, 0, 0]", "restitution = 1.5", "restitution = { x = -1 }",
    "restitution = 'much'", "radius = 0", "radius = -1", "velocity_axes = 3", "velocity_axes = ''", "velocityaxes = 'x'",
)  # fmt: skip
CSV = "time [s],ball.x [m]\n0.0,1.0\n0.1,1.5\n0.2,2.0\n"
STEPS = """[[step]]
side = "left"
at = [0.3, 0.09, 0.0]
"""
BAD_TOML = (
    "x = [", "[world", "=", "a = 1\na = 2", "[a]\n[a]", "x = 1e", '"', "x = nope", "x = " + "[" * 3000, "\x00", "[world]\ndt = " + "9" * 5000,
    "[world]\nseed = 1" + "0" * 400, "x = 1979-13-01", "[nothing]\nx = 1", "nothing = 1", "x = '''\nnever closed",
)  # fmt: skip
READERS = {  # what reads a file of a kind
    "bkr": ["film @", "play @ --no-browser", "export @ --to csv", "export @ --to npz", "export @ --to bvh", "export @ --to png", "export @ --to gif",
            "export @ --to html", "filter @", "forces @", "view @ --no-browser"],
    "bvh": ["play @ --no-browser", "view @ --no-browser", "retarget @", "filter @", "forces @", "human --like @"],
    "csv": ["filter @", "walk --compare @"],
    "urdf": ["info @", "convert @ x.xml", "view @ --no-browser", "walk --model @", "stage @ --no-browser", "dance good.toml --model @",
             "retarget good.bvh --model @"],
    "xml": ["info @", "convert @ x.urdf", "view @ --no-browser", "walk --model @", "stage @ --no-browser"],
    "toml": ["generate @", "run @", "film @", "record @", "view @ --no-browser", "dance @", "gait smooth @", "gait run @", "gait convert @ x.gait",
             "walk --footsteps @",
             "walk --mapping @", "retarget good.bvh --mapping @", "human --like good.bvh --mapping @", "info @", "walk --model @"],
    "npz": ["gaits show @", "retarget @", "filter @"],
    "gait": ["gait smooth @", "gait solve @", "gait convert @ x.toml", "gait export @", "gait follow @", "gait run @"],
    "moma": ["gait moments --moma @"],
}  # fmt: skip
CONTRADICTIONS = """
run --list slope
run --list --seconds 2
run --list --out x
run slope --no-pictures
run slope --force
run slope --seconds 0
run slope --seconds -1
run slope --seconds nan
run slope --seconds inf
run slope --seconds 1e300
run slope --seed -1
run slope --contact rubber
run slop
run
record
record slope --every 0
record slope --every -5
record slope --seconds 1e9
record slope --seed -3
record slope --out x.csv
record slope --out folder
record slope --out good.bkr/x.bkr
record nothing
dance
dance good.toml --seconds 0
dance good.toml --seconds 1e10
dance good.toml --seed -1
dance good.toml --no-pictures
dance good.toml --force
dance good.toml --contact rubber
dance good.toml --model nobody
dance good.toml --model none.urdf
walk --port 80
walk --no-browser
walk --view --json
walk --view --out x
walk --view --force
walk --view --no-pictures
walk --seed -1
walk --push hard
walk --push 300@-1
walk --push 300@2.5:nowhere
walk --push nan@1
walk --push 1e400@1
stage --cast none.toml --no-browser
stage --cast good.bkr --no-browser
walk --carry heavy
walk --carry "5 kg on the head"
walk --carry 0kg
walk --carry -3kg
walk --carry nankg
walk --carry 10kg --speed 1.2
walk --carry 10kg --gait natural
walk --footsteps hop
walk --footsteps none.toml
walk --footsteps "walk -3 m"
walk --footsteps "walk 1e9 m"
walk --footsteps ""
walk --terrain lava
walk --terrain "stairs 5" --footsteps "walk 2 m"
walk --terrain "stairs 5" --pace slowly
walk --model nobody
walk --model ""
walk --model none.urdf
walk --mapping none.toml
walk --mapping folder
walk --contact rubber
walk --sweeps 3
walk --contact pgs_2007 --sweeps -1
walk --bush-damping 3
walk --bushes --bush-damping -3
walk --compare none.csv
walk --view --compare none.csv
run stand --sweeps 3
dance good.toml --sweeps 3
stage --sweeps 3 --no-browser
walk --servo velocity
walk --out good.bkr
walk --out good.bkr/below
export
export good.bkr
export good.bkr --to jpg
export good.bkr --out x
export good.bkr --out x.jpg
export good.bkr --to csv --out x.gif
export good.bkr --to html --out x.csv
export good.bkr --to csv --out folder
export good.bkr --to csv --out good.bkr/x.csv
export good.bkr --to csv --fps 0
export good.bkr --to csv --fps nan
export good.bkr --to csv --fps 1e9
export good.bkr --to npz --fps 30
export good.bkr --to csv --figure human
export good.bkr --to bvh --figure nobody
export good.bkr --to csv --view top
export good.bkr --to bvh --view top
export good.bkr --to csv --width 10
export good.bkr --to html --height 10
export good.bkr --to png --scale 1
export good.bkr --to bvh --scale 0
export good.bkr --to bvh --scale nan
export good.bkr --to png --width 0
export good.bkr --to png --width 100000
export good.bkr --to png --height -1
export good.bkr --to mp4 --width 641
export none.bkr --to csv
retarget
retarget none.bvh
retarget good.bvh
retarget good.bvh --cutoff -1
retarget good.bvh --cutoff nan
retarget good.bvh --out x.csv
retarget good.bvh --out folder
retarget good.bvh --model nobody
retarget good.bvh --reference last
filter
filter none.bvh
filter good.bvh
filter good.bvh --aid 5
filter good.bvh --aid -5 --follow y.bkr
filter good.bvh --aid nan --follow y.bkr
filter good.bvh --seconds 3
filter good.bvh --seconds 0 --follow y.bkr
filter good.bvh --dt 0
filter good.bvh --friction -1
filter good.bvh --friction nan
filter good.bvh --strength 0
forces
forces none.bvh
forces good.bvh --mass 0
forces good.bvh --mass nan
forces good.bvh --cutoff 0
forces good.bvh --cutoff inf
forces good.bvh --plates none.mot
forces good.bvh --plates x.csv
forces good.bvh --out x.csv
forces good.bvh --out good.bvh
forces good.bvh --model nobody
forces good.bvh --model human --mass 70
forces good.bkr --mass 70
filter good.bvh --slow 0.5
filter good.bvh --slow nan
filter good.bvh --workers 2
filter folder
filter . --workers 0
filter . --follow x.bkr
filter . --plot x.png
filter . --model nobody --out y
filter . --out x.bkr
filter . --out .
filter good.bvh --strength nan
filter good.bvh --contact pgs
filter good.bvh --contact rubber --follow y.bkr
filter good.bvh --cutoff -2
filter good.bvh --out x.csv
filter good.bvh --plot x.jpg
filter good.bvh --follow x.csv
filter good.bvh --follow good-filtered.bkr
filter good.bkr --model nobody
filter good.bkr --mapping good.toml
filter good.csv --model nobody
human --like none.bvh
human --like folder
human --like good.urdf
human --like good.bvh
human --mass 0
human --mass nan
human --height -1
human --height 9
human --body 1999
human --body 2000 --mass 70
human --mapping none.toml
human --mapping good.toml
human --out x.urdf
human --out folder
human --out good.bkr/x.toml
generate
generate reech
generate none.toml
generate folder
generate good.toml
generate reach --out x.csv
generate reach --out folder
generate reach --model nobody
generate reach --model ""
generate reach --model none.urdf
generate reach --seconds 1
generate --list --json --out x.bkr
generate --list reach
info
info ""
info nobody
info folder
info none.urdf
info human --root free
info human --package-dirs folder
info good.xml --root free
play none.bkr --no-browser
play folder --no-browser
play good.urdf --no-browser
play good.bkr --no-browser --port -1
play good.bkr --no-browser --port 70000
play good.bkr --no-browser --host nosuchhost.invalid
play good.bkr --no-browser --host ""
play good.bkr --no-browser --host "a b"
play good.bkr --no-browser --host 0.0.0.0
play good.bkr --no-browser --allow-remote
play good.bkr --no-browser --speed 0
play good.bkr --no-browser --speed nan
play good.bkr --no-browser --speed 1e9
view nothing --no-browser
view "" --no-browser
view folder --no-browser
view none.toml --no-browser
view none.urdf --no-browser
view human --no-browser --port -1
view human --no-browser --host 0.0.0.0
view human --no-browser --allow-remote
view human --no-browser --speed -1
stage nobody --no-browser
stage none.urdf --no-browser
stage --no-browser --friction -1
stage --no-browser --friction 1000
stage --no-browser --score folder
stage --no-browser --score nofolder/x.toml
stage --no-browser --score x.json
stage --no-browser --score locked.toml
stage --no-browser --recordings good.bkr
stage --no-browser --contact rubber
stage --no-browser --dt 0
stage --no-browser --dt nan
stage --no-browser --port 99999
stage --no-browser --host 0.0.0.0
reproduce 005
reproduce 000 004 7
reproduce --figure 99
reproduce 002 --figure 6.4
reproduce --clip none.bvh
reproduce --clip folder
reproduce --clip good.toml
reproduce --out good.toml
reproduce --out locked.toml
reproduce --seed -1
reproduce --seed x
gait
gait hop
gait smooth nothing
gait smooth folder
gait smooth none.toml
gait smooth flat --case IX
gait smooth stairs_up --case I
gait smooth flat --zmp 1:0
gait smooth flat --bidyn good.bidyn
gait smooth flat --out x.gif
gait smooth flat --out folder
gait smooth flat --json --out x.csv
gait smooth good.gait --bidyn none.bidyn
gait solve flat --out x.doc
gait solve flat --json --out x.csv
gait solve flat --zmp hop
gait solve flat --zmp 0.2
gait solve flat --zmp 0.2:nan,1:0
gait solve flat --samples 0
gait solve flat --samples 1
gait solve flat --mode other
gait solve flat --mode historical --arms-free
gait solve flat --mode historical --samples 7
gait solve flat --start 1 2
gait solve flat --start nan 0 0 0
gait moments flat --out x.gif
gait moments flat --steps 3 --out x.npz
gait moments flat --steps 3 --json
gait moments flat --steps 0
gait moments flat --steps -1
gait moments flat --moma none.moma
gait moments flat --moma folder
gait moments flat --moma good.bidyn
gait moments flat --moma good.bidyn --zmp 1:0
gait moments flat --moma good.bidyn --start 0 0 0 0
gait moments flat --moma good.bidyn --bidyn good.bidyn
gait moments flat --moma good.bidyn --samples 7
gait moments flat --moma good.bidyn --arms-free
gait moments nothing --moma good.bidyn
gait servo flat --out x.npz
gait servo flat --json --out x.txt
gait survey flat --count 0
gait survey flat --count -1
gait survey flat --count 10000000000
gait survey flat --seed -1
gait survey flat --own-starts --count 5
gait survey flat --own-starts --seed 5
gait survey flat --json --out x.csv
gait survey flat --out x.npz
gait survey flat --method guess
gait draw flat --out x.jpg
gait draw flat --out folder
gait draw flat --width 0
gait draw flat --width 99999
gait draw flat --height -5
gait draw flat --separate --out x.gif
gait draw flat --view below
gait draw flat --begin -1
gait draw flat --begin 5 --end 1
gait draw flat --interval 0
gait draw flat --interval nan
gait draw flat --style sticks
gait draw flat --azimuth nan
gait draw flat --azimuth 1000
gait draw flat --azimuth left
gait export nothing
gait export flat --out x.doc
gait export flat --out folder
gait export flat --steps 0
gait export flat --steps many
gait export flat --view top
gait export flat --view below --out x.gif
gait export flat --bidyn good.bidyn
gait export flat --mode historical --arms-free
gait follow nothing
gait follow stairs_up
gait follow flat --mode historical
gait follow flat --steps -1
gait follow flat --out x.gif
gait convert flat
gait convert flat x.doc
gait convert nothing x.toml
gait convert flat folder.toml/x.toml
gait run nothing
gait run flat --out good.bkr
gait run flat --mode other
gait run flat --steps 0
gait run flat --view below
gait run flat --bidyn good.bidyn
film
film none.bkr
film folder
film slop
film good.urdf
film good.bkr --fps 0
film good.bkr --fps nan
film good.bkr --width 0
film good.bkr --width 100000
film good.bkr --height -2
film good.bkr --out x.doc
film good.bkr --out good.bkr
film good.bkr --out folder
film good.bkr --view below
film good.bkr --views front,below
film good.bkr --strobe -1
film good.bkr --strobe nan
film good.bkr --follow perhaps
film good.bkr --seconds 2
film good.bkr --contact pgs
film good.bkr --seed 1
film slope --seconds 0
film slope --sweeps 10
film slope --contact rubber
convert
convert human
convert human x.doc
convert human folder
convert nobody x.urdf
convert none.urdf x.xml
convert folder x.xml
convert good.urdf good.urdf
convert good.xml good.xml
convert good.xml x.urdf --root free
convert human x.xml --root fixed
convert good.urdf x.xml --root loose
gaits
gaits hop
gaits make --speed 0
gaits make --speed nan
gaits make --speed 5
gaits make --step -1
gaits make --step 9
gaits make --height 0
gaits make --mass -1
gaits make --out x.gait
gaits make --out folder
gaits make --library good.bkr
gaits show
gaits show none.npz
gaits show folder
gaits show good.bkr
gaits show good.npz --steps 0 --out x.bkr
gaits show good.npz --steps 3
gaits show good.npz --height -1
gaits show good.npz --mass 0
gaits show good.npz --out x.doc
gaits show good.npz --out good.npz
hop
bench
bench hop
bench beside nothing
bench beside startup
bench beside --rounds 0
bench beside --checkout folder
bench walk --plots good.bkr
bench walk --repeats 0
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a good file of each kind, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BUNRAKU_QUIET", "1")
    _, back = from_gait(library_gait("flat", None))
    for name, content in samples().items():
        (tmp_path / f"good.{name}").write_bytes(content)
    (tmp_path / "good.toml").write_text(SCORE)
    (tmp_path / "good.bidyn").write_text(write_dynamics_cards(back))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.toml").write_text("")
    (tmp_path / "locked.toml").write_text("")
    (tmp_path / "locked.toml").chmod(0o444)
    return tmp_path


def samples():
    """A good file of each kind, toml: of several."""
    front, _ = from_gait(library_gait("flat", None))
    moma = write_dynamics_cards(moma_deck(library_gait("flat", None), (0.0, -0.09, 0.7, 2.32)))
    texts = {"bvh": BVH, "csv": CSV, "urdf": URDF, "xml": MJCF, "gait": write_gait_cards(front), "moma": moma}
    step = file_of(1.3).read_bytes()
    return {"bkr": RECORDING.read_bytes(), "npz": step, **{kind: text.encode() for kind, text in texts.items()}}


def tomls():
    return [SCENE, SCORE, STEPS, write_gait_toml(library_gait("flat", None))]


def words(line):
    """As a shell splits it."""
    return [a or b or "" for a, b in re.findall(r'"([^"]*)"|(\S+)', line)] if line else []


def bad_files(kind, good, rng):
    """(what, content) of files that are not what they should be."""
    yield "empty", b""
    yield "blank", b" \n\t\n"
    yield "binary", bytes(rng.randrange(256) for _ in range(300))
    yield "zeros", bytes(2000)
    yield "utf-16", "text".encode("utf-16")
    yield "latin", b"caf\xe9 \xff\xfe\n"
    yield "another format", b"\x89PNG\r\n\x1a\n" + bytes(50)
    yield "a zip archive", b"PK\x03\x04" + bytes(100)
    yield "gzip", b"\x1f\x8b\x08\x00" + bytes(30)
    yield "html", b"<!DOCTYPE html><html><body>404</body></html>"
    yield "json", b'{"format": "bunraku recording", "version": 1}'
    yield "nonsense", b"hello, world\n" * 3
    if kind == "toml":
        for k, text in enumerate(BAD_TOML):
            yield f"bad TOML {k}", text.encode()
        yield "a mark and nonsense", b"\xef\xbb\xbfx = ["
        return
    if kind == "bkr":
        yield from bad_recordings(good, rng)
        return
    for k in range(4):
        yield f"cut {k}", good[: rng.randrange(len(good) // 3)]
    yield "a mark and nonsense", b"\xef\xbb\xbfnonsense"


def bad_recordings(good, rng):
    """Recordings that are cut, damaged, or promise more than they hold."""
    for k in range(3):
        yield f"cut {k}", good[: rng.randrange(len(MAGIC) + HEAD_SIZE + 100)]
    head = len(MAGIC)
    kind, count, _, first, last = BLOCK.unpack_from(good, head)
    for name, value in (("huge", 2**62), ("none", 0), ("beyond", len(good))):
        yield (
            f"head of {name} length",
            good[:head] + BLOCK.pack(kind, count, value, first, last) + good[head + BLOCK.size :],
        )
    for k, text in enumerate((b"[]", b"{}", b"null", b"[" * 5000, b"{", b'{"format": "bunraku recording", "version": 99}',
                              b'{"format": "bunraku recording", "version": ' + b"9" * 5000 + b"}")):  # fmt: skip
        yield f"head {k}", good[:head] + block(b"HEAD", text)


def block(kind, content, count=0):
    head = BLOCK.pack(kind, count, len(content), 0.0, 0.0)
    return head + struct.pack("<I", zlib.crc32(content, zlib.crc32(head))) + content


def cases():
    """All commands that must fail: (arguments, files to write first, words of which the sentence must have one)."""
    rng = random.Random(SEED)
    out = []
    for line in CONTRADICTIONS.strip().splitlines():
        out.append((words(line), {}, None))
    good = samples()
    number = 0
    for k, line in enumerate(CONNECTIONS):
        name, word = f"tie{k}.toml", line.split(" ")[0]
        content = (SCENE + f"[[connection]]\na = 'ball'\n{line}\n").encode()
        out.append((["run", name], {name: content}, (word,)))
    for kind, commands in READERS.items():
        for what in ("none/x", "folder", "", "x\0y", "n" * 300):
            name = what if what in ("folder", "") else f"{what}.{kind}"
            for line in commands:
                out.append(([w.replace("@", name) for w in line.split(" ")], {}, None))
        for _, content in bad_files(kind, good.get(kind, b""), rng):
            for line in commands:
                if not content.strip() and line.startswith("walk --mapping"):
                    continue  # a mapping may say nothing
                number += 1
                name = f"bad{number}.{kind}"
                out.append(
                    ([w.replace("@", name) for w in line.split(" ")], {name: content}, (name, name.split(".")[0]))
                )
    return out


CASES = cases()


def test_there_are_many():
    assert len(CASES) >= 500 and {a[0] for a, _, _ in CASES if a} >= set(COMMANDS)


class KernelNeeded(BaseException):
    """A command wants to compute: it has accepted its input."""


@pytest.fixture
def without_kernels(monkeypatch):
    """To say no, no kernel is compiled or loaded."""

    def never(wanted):
        if wanted:
            raise KernelNeeded(wanted[0].__name__)

    monkeypatch.setattr("bunraku.kernel.entry._load", never)
    for kernel in all_kernels():  # as if nobody in this process had used one
        monkeypatch.setattr(kernel, "loaded", None)
        if isinstance(kernel, Entry) and JIT:
            monkeypatch.setattr(kernel, "call", kernel._first_call)


def tried(args, files, names, capsys):
    """What is wrong with the answer of a command to bad input; "" where nothing is, None where it was not bad."""
    for name, content in files.items():
        Path(name).write_bytes(content)
    try:
        code = main(args)
    except BaseException as error:
        code = error
    out, err = capsys.readouterr()
    for name in files:
        Path(name).unlink()
    if code == 0 or isinstance(code, KernelNeeded):
        return None
    shown = f": bunraku {' '.join(a[:60] or repr(a) for a in args)}\n    {err[:300]}"
    if code != 2:
        return f"exit {code!r}{shown}"
    if not err.startswith("bunraku") or err.count("\n") != 1 or not err.endswith(".\n") or len(err) > 900 or out:
        return f"not one sentence{shown}"
    return "" if names is None or any(n in err for n in names) else f"the culprit is not named{shown}"


@pytest.mark.parametrize("part", range(8))
def test_bad_inputs(part, place, capsys, without_kernels):
    before = contents(place)
    some = CASES[part::8]
    found = [(tried(*case, capsys), case[0]) for case in some]
    wrong = [said or f"accepted: bunraku {' '.join(args)[:120]}" for said, args in found if said != ""]
    assert not wrong, f"seed {SEED}, {len(wrong)} of {len(some)}:\n" + "\n".join(wrong)
    assert contents(place) == before


def mutated(content, rng):
    """Something near a good file."""
    data = bytearray(content)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(data))
        match rng.randrange(6):
            case 0:
                data[at] = rng.randrange(256)
            case 1:
                del data[at : at + rng.randrange(1, 30)]
            case 2:
                data[at:at] = data[rng.randrange(len(data)) :][: rng.randrange(1, 40)]
            case 3:
                del data[at:]
            case _:  # a number becomes absurd
                found = list(re.finditer(rb"-?\d+(\.\d+)?", bytes(data)))
                if found:
                    a, b = rng.choice(found).span()
                    data[a:b] = rng.choice(
                        (
                            b"-1",
                            b"0",
                            b"1e308",
                            b"1e999",
                            b"nan",
                            b"-inf",
                            b"9" * 30,
                            b"9" * 5000,
                            b"x",
                            b"",
                            b"1e-320",
                            b"[]",
                        )
                    )
        if not data:
            break
    return bytes(data)


@pytest.mark.parametrize(
    ("command", "name"),
    [("retarget @", "bvh"), ("filter @", "bvh"), ("filter @", "csv"), ("info @", "urdf"), ("info @", "xml"), ("gait smooth @", "gait"),
     ("export @ --to csv", "bkr"), ("film @", "bkr"), ("convert @ x.xml", "urdf"), ("convert @ x.urdf", "xml"), ("gaits show @", "npz"),
     ("run @", "scene.toml"), ("record @", "scene.toml"), ("dance @", "score.toml"),
     ("gait smooth @", "gait.toml"), ("walk --footsteps @", "steps.toml")],
)  # fmt: skip
def test_what_is_near_a_good_file(command, name, place, capsys, without_kernels):
    """Accepted, or refused with one sentence."""
    kinds = {
        **samples(),
        **dict(zip(("scene.toml", "score.toml", "steps.toml", "gait.toml"), map(str.encode, tomls()))),
    }
    rng, wrong, refused = random.Random(f"{SEED} {command} {name}"), [], 0
    for _ in range(60):
        file = f"near.{name}"
        args = [w.replace("@", file) for w in command.split()]
        said = tried(args, {file: mutated(kinds[name], rng)}, ("near",), capsys)
        refused += said is not None
        if said:
            wrong.append(said)
    assert not wrong, f"seed {SEED}, {len(wrong)}:\n" + "\n".join(wrong)
    assert refused > 5


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has other permissions")
@pytest.mark.parametrize(
    "command",
    ["info @.urdf", "export @.bkr --to csv", "play @.bkr --no-browser", "retarget @.bvh", "filter @.csv", "run @.toml", "dance @.toml",
     "gait smooth @.gait", "walk --footsteps @.toml", "walk --mapping @.toml"],
)  # fmt: skip
def test_files_of_others(command, place, capsys, without_kernels):
    """Unreadable ones; root, who reads all, is somebody else meanwhile."""
    args = [w.replace("@", "locked") for w in command.split()]
    tried(
        [w.replace("@", "none") for w in command.split()], {}, None, capsys
    )  # what is imported may be unreadable, too
    name = next(a for a in args if a.startswith("locked"))
    if not Path(name).exists():
        Path(name).write_bytes((place / f"good.{name.split('.')[1]}").read_bytes())
    Path(name).chmod(0)
    place.chmod(0o777)
    me = os.geteuid()
    try:
        if me == 0:
            os.seteuid(65534)
        said = tried(args, {}, ("locked",), capsys)
    finally:
        os.seteuid(me)
    assert said == ""


@pytest.mark.parametrize(
    "args", ["run folder", "info bad.urdf", "walk --seed x", "export none.bkr --to csv", "gait smooth bad.urdf", ""]
)
def test_from_the_shell(args, place):
    Path("bad.urdf").write_bytes(b"\xff\xfe")
    done = subprocess.run([sys.executable, "-m", "bunraku", *args.split()], check=False, capture_output=True, text=True)
    if args:
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and not done.stdout
    else:  # version 0.1 ended with a BrokenPipeError where the reader left early
        command = f"{sys.executable} -m bunraku --help | head -1"
        done = subprocess.run(["/bin/sh", "-c", command], check=False, capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr == "" and done.stdout.startswith("usage: bunraku")


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else b"" for p in folder.rglob("*")}
