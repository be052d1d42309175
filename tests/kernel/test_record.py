"""Records: the same numbers by the same names in kernels, in plain Python and in what is saved; mistakes are told."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from bunraku.kernel.compile import JIT, part
from bunraku.kernel.entry import entry
from bunraku.kernel.record import (
    Record,
    block,
    flat,
    handle,
    inner,
    int_matrix,
    int_vector,
    load,
    many,
    mat3,
    mat3s,
    matrix,
    pair,
    pairs,
    put,
    real,
    reals,
    ref,
    save,
    vec3,
    vec3s,
    vector,
    whole,
    wholes,
    zeros,
)
from bunraku.kernel.table import COLUMNS, PHASES
from bunraku.kernel.vec import add, mv


class ToySole(Record):
    """A record of numbers."""

    place = vec3()
    speed = vec3()


class ToyState(Record):
    """Every kind of number."""

    clock = real()
    count = whole()
    half = pair()
    turn = mat3()
    standing = reals(2)
    grid = reals(2, 3)
    offset = pairs(2)
    anchor = vec3s(3)
    turns = mat3s(2)
    sole = inner(ToySole, 2)
    last = inner(ToySole)


class ToySwing(Record):
    """Whole numbers alone."""

    side = whole()
    rows = wholes(2)


class ToyFigure(Record, after=1):
    """Arrays of a Table."""

    q = vector()
    m = matrix()


class ToyTable(Record):
    """Every kind of array, the figure's in the same table."""

    figure = inner(ToyFigure)
    state = ref(ToyState)
    soles = many(ToySole)
    swings = many(ToySwing)
    names = int_vector()
    cube = block()
    pinned = int_matrix(at=0)


@part
def move(s: ToyState, w: ToyTable):
    """Writes every kind of number."""
    s.clock += 0.5
    s.count += 2
    s.half = (s.clock, -s.half[0])
    s.turn = (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    s.standing[1] = s.clock / 3.0
    s.grid[1, 2] = s.standing[1]
    s.offset[1] = (7.0, s.offset[0][1] - 1.0)
    for f in range(len(s.anchor)):
        s.anchor[f] = (0.0, 1.0, 0.1 * f)
    s.turns[1] = s.turn
    for f in range(len(s.sole)):
        s.sole[f].place = add(s.sole[f].place, (1.0, 2.0, 3.0))
        s.sole[f].speed = mv(s.turns[1], s.sole[f].place)
    s.last.speed = w.soles[2].place
    flat(s)[0] += 100.0


@part
def play(w: ToyTable):
    """Writes every kind of array."""
    move(w.state, w)
    w.figure.m[1, 2] = w.figure.q[2]
    w.soles[2].speed = w.state.sole[1].place
    w.swings[1].side = w.names[1]
    w.swings[1].rows[0] = len(w.swings)
    flat(w.swings[1])[2] += 5
    w.cube[1, 0, 2] = 2.5
    w.pinned[0, 1] = len(w.soles) + w.figure.q.shape[0]
    return ToyFigure(handle(w)).q.shape[0] + ToyFigure(w).m.shape[1]


@entry("h")
def enter(h):
    """The table's address in."""
    return play(ToyTable(h))


@entry("h")
def tick(h):
    """The address of a record in."""
    ToyState(h).clock += 1.0


def played() -> tuple[ToyTable, int]:
    """A table that the kernel has worked on."""
    w = ToyTable()
    put(w.figure, q=np.arange(4.0), m=np.zeros((3, 3)))
    put(w, state=ToyState(), soles=np.arange(18.0).reshape(3, 6), swings=zeros(ToySwing, 2))
    put(w, names=np.arange(9), cube=np.zeros((2, 1, 3)), pinned=np.zeros((1, 2), np.int64))
    return w, int(enter.call(handle(w)))


def test_a_kernel_and_python_see_the_same_numbers():
    w, status = played()
    s = w.state
    assert status == 7
    assert (s.clock, s.count, s.half) == (100.5, 2, (0.5, 0.0))
    assert s.turns[1] == s.turn and s.turn[1] == -1.0
    assert s.standing.tolist() == [0.0, 0.5 / 3.0] and s.grid[1].tolist() == [0.0, 0.0, 0.5 / 3.0]
    assert np.array(s.offset).tolist() == [[0.0, 0.0], [7.0, -1.0]] and s.anchor[2] == (0.0, 1.0, 0.2)
    assert [sole.place for sole in s.sole] == [(1.0, 2.0, 3.0)] * 2 and s.sole[0].speed == (-2.0, 1.0, 3.0)
    assert s.last.speed == (12.0, 13.0, 14.0)
    assert w.figure.m[1, 2] == 2.0 and w.soles[2].speed == (1.0, 2.0, 3.0) and w.cube[1, 0, 2] == 2.5
    assert flat(w.swings[1]).tolist() == [1, 2, 5] and w.swings[1].side.dtype == np.int64
    assert w.pinned.tolist() == [[0, 7]]


def test_the_address_of_a_record_is_a_handle_too():
    s = ToyState()
    tick.call(handle(s))
    assert s.clock == 1.0


def test_python_writes_what_it_reads():
    s = ToyState()
    s.clock, s.count, s.half = 0.1, 7, (1.0, 2.0)
    s.standing[:] = 1.0
    s.offset[1] = (3.0, 4.0)
    s.sole[1].place = (1.0, 2.0, 3.0)
    assert (s.clock, s.count, s.half, s.offset[1]) == (0.1, 7, (1.0, 2.0), (3.0, 4.0))
    assert flat(s)[ToyState.layout.fields["standing"].offset] == 1.0 and s.sole[1].place[2] == 3.0
    speeds = s.sole.column("speed")
    speeds[1, 2] = 9.0
    assert speeds.shape == (2, 3) and s.sole[1].speed == (0.0, 0.0, 9.0)
    with np.errstate(divide="ignore"):
        assert 1.0 / ToyState().clock == np.inf  # as compiled code divides


def test_the_layout_is_the_order_of_declaration():
    places = {name: f.offset for name, f in ToyState.layout.fields.items()}
    assert list(places.values()) == [0, 1, 2, 4, 13, 15, 21, 25, 34, 52, 64]
    assert ToyState.layout.words == 70 and ToySwing.layout.dtype is np.int64
    slots = {name: f.slot for name, f in ToyTable.layout.fields.items()}
    assert slots == {"figure": None, "state": 3, "soles": 4, "swings": 5, "names": 6, "cube": 7, "pinned": 0}
    assert ToyTable.layout.slots == 8 and ToyFigure.layout.fields["q"].offset == COLUMNS * (PHASES + 1)


def test_what_is_saved_comes_back_bit_for_bit():
    w, _ = played()
    w.state.sole[0].place = (0.1, -0.0, np.nan)
    saved = json.loads(json.dumps(save(w.state)))
    assert flat(load(ToyState(), saved)).tobytes() == flat(w.state).tobytes()
    load(w.state, {"clock": 3.0})
    assert w.state.clock == 3.0 and w.state.count == 2  # what is not named stays
    again, _ = played()
    everything = json.loads(json.dumps(save(w)))
    load(again, everything)
    assert json.dumps(save(again)) == json.dumps(everything)


@pytest.mark.skipif(not JIT, reason="this is plain Python already")
def test_plain_python_gives_the_compiled_numbers():
    env = dict(os.environ, NUMBA_DISABLE_JIT="1")
    done = subprocess.run([sys.executable, __file__], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    w, status = played()
    assert json.loads(done.stdout) == [status, save(w)]


def test_mistakes_are_told():
    s, w = ToyState(), ToyTable()
    with pytest.raises(AttributeError, match="clok"):
        s.clok = 1.0  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"ToyState.standing is an array"):
        s.standing = np.zeros(2)
    with pytest.raises(TypeError):
        s.half[0] = 1.0  # type: ignore[index]
    with pytest.raises(KeyError, match=r"no field 'clok'\. It has: clock"):
        load(s, {"clok": 1.0})
    with pytest.raises(KeyError, match="no field 'plce'"):
        s.sole.column("plce")
    with pytest.raises(ValueError):
        load(s, {"standing": [1.0, 2.0, 3.0]})
    with pytest.raises(IndexError, match="ToySole 2 of 2"):
        s.sole[2]
    with pytest.raises(AttributeError, match=r"ToyTable.names has no array yet: put\(record, names="):
        w.names  # noqa: B018
    with pytest.raises(TypeError, match="names: wanted int64, 1 axes; got float64"):
        put(w, names=np.zeros(3))
    with pytest.raises(TypeError, match="soles: wanted rows of 6 numbers; got float64 of shape"):
        put(w, soles=np.zeros((2, 5)))
    with pytest.raises(TypeError, match="ToyTable: wanted a Table"):
        ToyTable(12345)
    with pytest.raises(TypeError, match="ToyState: wanted a C-contiguous array of 70 numbers"):
        ToyState(np.zeros(3))
    with pytest.raises(TypeError, match="no numbers of its own"):
        flat(w)


def declare(name: str, base: type = Record, **fields: object) -> type:
    return type(name, (base,), fields)


def test_bad_declarations_are_refused():
    for name in ("layout", "source"):
        with pytest.raises(TypeError, match="take another"):
            declare("Bad", **{name: real()})
    with pytest.raises(TypeError, match="either numbers or arrays of a Table"):
        declare("Mixed", clock=real(), q=vector())
    with pytest.raises(TypeError, match="either numbers or arrays of a Table"):
        declare("ManyTables", q=vector(), figures=inner(ToyFigure, 2))
    with pytest.raises(TypeError, match=r"do not inherit; write a field inner\(ToySole\)"):
        declare("Child", ToySole, more=real())


@pytest.mark.skipif(not JIT, reason="names matter to the compiler alone")
def test_two_records_of_one_name_are_refused():
    with pytest.raises(TypeError, match=r"two records are called ToySole"):
        type("ToySole", (Record,), {"x": real(), "__module__": "elsewhere"})


@pytest.mark.skipif(not JIT, reason="these are the compiler's words")
def test_the_compiler_tells_mistakes():
    @entry("h")
    def misspelt(h):
        ToyState(h).clok = 1.0

    @entry("h")
    def whole_array(h):
        s = ToyState(h)
        s.standing = s.standing

    for bad, words in ((misspelt, "clok"), (whole_array, "is an array or a record")):
        with pytest.raises(Exception, match=words):
            bad.call(handle(ToyState()))


USER = """
from bunraku.kernel.record import Record, inner, many, real, reals, ref, vec3
class Sole(Record):
    place = vec3()
class Seen(Record):
    clock = real()
    standing = reals(2)
    sole = inner(Sole, 2)
class Balance(Record):
    seen = ref(Seen)
    soles = many(Sole)
b = Balance()
"""
GOOD = ["b.seen.sole[1].place = (0.0, b.seen.clock, b.soles[0].place[2])", "b.seen.standing[:] = 1.0"]
BAD = ["b.sen", "b.seen.clok", "b.seen.clok = 1.0", "b.seen.sole[1].plce", "b.seen.clock = 'a'", "b.soles[0].place[3]"]
BAD += ["b.seen.sole.place", "b.soles[0].place[2] = 1.0"]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("pyright") is None, reason="pyright is not installed")
def test_a_type_checker_knows_the_fields(tmp_path):
    script = tmp_path / "user.py"
    script.write_text(USER + "\n".join(GOOD + BAD) + "\n")
    call = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", str(script)]
    done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path)
    if not done.stdout.startswith("{"):
        pytest.skip(f"pyright does not run here: {done.stderr[-200:]}")
    found = json.loads(done.stdout)["generalDiagnostics"]
    first = len((USER + "\n".join(GOOD)).splitlines())
    errors = {d["range"]["start"]["line"] - first for d in found if d["severity"] == "error"}
    assert errors == set(range(len(BAD)))


if __name__ == "__main__":
    table, number = played()
    print(json.dumps([number, save(table)]))
