"""Record: named fields over memory that kernels reach through one address.

    class Sole(Record):                class State(Record):                 class Balance(Record):
        place = vec3()   # m               clock = real()       # s             state = ref(State)
        speed = vec3()   # m/s             standing = reals(2)                  goal = vector()  # (nq)
                                           sole = inner(Sole, 2)                rows = many(Sole)

A kernel gets the address h of a table, opens it with `b = Balance(h)` and writes `b.state.clock += dt`,
`b.state.sole[f].place = add(a, b.goal[0])`. Compiled, a record is one pointer and a field a constant offset: nothing
is copied, nothing allocated. Python reads and writes the same memory by the same names: `State()` owns zeros,
`State(array)` looks into an array that is there, `Balance(table)` into a Table. Type checkers know every field.

Fields of numbers (float64 or int64, 8 bytes each, in the order of declaration):
    real whole        a number
    pair vec3 mat3    a tuple, read and written as a whole (bunraku.kernel.vec)
    pairs vec3s mat3s n such tuples: `x[k]`, `x[k] = (a, b)`
    reals wholes      an array of fixed shape, a view
    inner(R[, n])     a record inside, or n of them
Fields of a Table (bunraku.kernel.table), one array each, so their sizes may depend on the model; `at=k` names the
array, without it the next number counts:
    vector matrix block int_vector int_matrix   an array of one, two or three axes
    ref(R), many(R)                             an array as one record; an array (n, ...) as n records
    inner(R)                                    R is itself a record of a Table: the same table, R's arrays

In Python `put` gives a Table its arrays by name and `x.column("place")` is one field of n records, an array (n, 3).
`save` and `load` turn a record into plain lists and back, bit for bit; `flat` shows all its numbers, `handle` its
address. While a kernel runs, nobody may `put`: addresses and sizes count as fixed. Compiled code checks no index.
Each record is a type of its own to the compiler and a part that is called with two types compiles twice: so records
contain each other and never inherit. Checked in tests/kernel/test_record.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar, overload

import numpy as np

from bunraku.kernel.compile import JIT, compiled_by
from bunraku.kernel.table import COLUMNS, PHASES, Table

Kind = Literal[
    "number", "tuple", "tuples", "array", "record", "records", "table array", "table record", "table records"
]  # fmt: skip


@dataclass(eq=False)
class Field:
    """One declared field: what it is and where it lies. As a descriptor it is Python's way to it."""

    kind: Kind
    shape: tuple[int, ...] = ()
    dtype: Any = np.float64  # of its numbers
    of: Any = None  # class of its records
    slot: Any = None  # which array of the Table
    name: str = ""
    offset: int = 0  # in words of 8 bytes, from the record's or the table's address

    @cached_property
    def in_table(self) -> bool:
        """Whether it belongs into a Table."""
        return self.kind.startswith("table") or (self.kind == "record" and self.of.layout.slots > 0)

    @cached_property
    def words(self) -> int:
        """Its size."""
        return prod(self.shape) * (1 if self.of is None else self.of.layout.words)

    @cached_property
    def place(self) -> slice:
        """Where its words are."""
        return slice(self.offset, self.offset + self.words)

    def __get__(self, record: Any, owner: Any = None) -> Any:
        if record is None:
            return self
        if self.in_table:
            return self._of_table(record)
        if self.kind == "record":
            return _view(self.of, record.source[self.place])
        if self.kind == "records":
            return Many(self.of, record.source[self.place].reshape(-1, self.of.layout.words))
        numbers = self._numbers(record)
        if self.kind == "number":
            return numbers[0]  # np.float64: divides by zero as compiled code does
        if self.kind == "tuple":
            return tuple(numbers)
        return Tuples(tuple, numbers.reshape(self.shape)) if self.kind == "tuples" else numbers.reshape(self.shape)

    def _numbers(self, record: Any) -> np.ndarray:
        words = record.source[self.place]
        return words if words.dtype.type is self.dtype else words.view(self.dtype)

    def _of_table(self, record: Any) -> Any:
        if self.kind == "record":
            return _view(self.of, record.source)
        array = record.source.arrays[self.slot]
        if array is None:
            raise AttributeError(f"{type(record).__name__}.{self.name} has no array yet: put(record, {self.name}=...).")
        if self.kind == "table array":
            return array
        self.check(array)
        if self.kind == "table record":
            return _view(self.of, array.reshape(-1))
        return Many(self.of, array.reshape(-1, self.of.layout.words))

    def check(self, array: np.ndarray) -> None:
        """TypeError where a Table's array is not what was declared."""
        if self.kind == "table array":
            if array.dtype == self.dtype and array.ndim == len(self.shape):
                return
            wanted = f"{np.dtype(self.dtype)}, {len(self.shape)} axes"
        else:
            count, words = len(array) if self.kind == "table records" else 1, self.of.layout.words
            if array.size == count * words:
                return
            wanted = f"{words} numbers" if self.kind == "table record" else f"rows of {words} numbers"
        raise TypeError(f"{self.name}: wanted {wanted}; got {array.dtype} of shape {array.shape}.")

    def __set__(self, record: Any, value: Any) -> None:
        if self.kind not in ("number", "tuple"):
            name = f"{type(record).__name__}.{self.name}"
            raise AttributeError(f"{name} is an array or a record: write {self.name}[...] = or one of its fields.")
        self._numbers(record)[:] = value


@dataclass(eq=False)
class Layout:
    """What a class of records declares."""

    fields: dict[str, Field]
    words: int  # of 8 bytes; 0 for a record of a Table
    slots: int  # arrays that a Table needs for it; 0 for a record of numbers
    dtype: Any  # of `flat`: int64 where all its numbers are whole


def _lay_out(owner: str, fields: dict[str, Field], after: int) -> Layout:
    """Give every field its place: numbers one behind another, arrays of a Table from number `after` on."""
    of_table = any(f.in_table for f in fields.values())
    words, slot, slots = 0, int(after), 0
    for name, f in fields.items():
        if hasattr(Record, name):
            raise TypeError(f"{owner}.{name}: every record has something of this name; take another.")
        f.name = name
        if f.in_table != of_table or (f.kind == "records" and f.of.layout.slots):
            raise TypeError(
                f"{owner}.{name}: a record holds either numbers or arrays of a Table; "
                f"write ref(R), where R is a record of the numbers."
            )
        if f.kind == "record" and of_table:
            slot = max(slot, f.of.layout.slots)
        elif of_table:
            f.slot = slot if f.slot is None else int(f.slot)
            f.offset = COLUMNS * (PHASES + f.slot)
            slot = f.slot + 1
        else:
            f.offset, words = words, words + f.words
        slots = max(slots, slot) if of_table else 0
    dtypes = {f.dtype if f.of is None else f.of.layout.dtype for f in fields.values()}
    return Layout(fields, words, slots, np.int64 if dtypes == {np.int64} else np.float64)


_declared_in: dict[str, tuple[str, str]] = {}  # module and name of every record


class _WithSlots(type):
    """Gives every record empty __slots__, so that a misspelt attribute is an error in Python too."""

    def __new__(cls, name: str, bases: tuple[type, ...], inside: dict[str, Any], **options: Any) -> Any:
        return super().__new__(cls, name, bases, {"__slots__": (), **inside}, **options)


class Record(metaclass=_WithSlots):
    """See the module text. `after`: the number of the first array of a Table."""

    __slots__ = ("source",)
    layout: ClassVar[Layout] = Layout({}, 0, 0, np.float64)
    source: Any  # the array or the Table it looks into

    def __init_subclass__(cls, after: int = 0) -> None:
        if cls.__bases__ != (Record,):
            raise TypeError(
                f"{cls.__name__}: records do not inherit; write a field inner({cls.__bases__[0].__name__})."
            )
        fields = {name: f for name, f in vars(cls).items() if isinstance(f, Field)}
        cls.layout = _lay_out(cls.__name__, fields, after)
        known = _declared_in.setdefault(cls.__name__, (cls.__module__, cls.__qualname__))
        if known != (cls.__module__, cls.__qualname__):
            raise TypeError(
                f"two records are called {cls.__name__}, in {known[0]} and {cls.__module__}: "
                f"the compiler tells them apart by name; rename one."
            )

    def __init__(self, source: Any = None) -> None:
        layout = self.layout
        if isinstance(source, Record):
            source = source.source
        if source is None:
            source = Table(layout.slots) if layout.slots else np.zeros(layout.words, layout.dtype)
        if layout.slots:
            fits, wanted = isinstance(source, Table), f"a Table of {layout.slots} arrays (kernels take its handle)"
        else:
            fits = isinstance(source, np.ndarray) and source.flags.c_contiguous and source.dtype.itemsize == 8
            fits = fits and source.size >= layout.words
            wanted = f"a C-contiguous array of {layout.words} numbers, float64 or int64"
        if not fits:
            raise TypeError(f"{type(self).__name__}: wanted {wanted}; got {source!r:.80}.")
        self.source = source if layout.slots else source.reshape(-1)


def _view(of: type[Record], source: Any) -> Any:
    """A record that looks into memory that is known to fit."""
    record = object.__new__(of)
    record.source = source
    return record


T = TypeVar("T")
R = TypeVar("R", bound=Record)


class Many(Generic[T]):
    """Records side by side: x[k] is one, a view."""

    def __init__(self, of: Any, rows: np.ndarray) -> None:
        self.of, self.rows = of, rows

    def __len__(self) -> int:
        return len(self.rows)

    def _checked(self, k: int) -> int:
        if not 0 <= k < len(self):
            raise IndexError(f"{self.of.__name__} {k} of {len(self)}")
        return k

    def __getitem__(self, k: int) -> T:
        return _view(self.of, self.rows[self._checked(k)])

    def __iter__(self) -> Iterator[T]:
        return (self[k] for k in range(len(self)))

    def column(self, name: str) -> np.ndarray:
        """One field of all records, a view (n, ...); in Python only."""
        f = _field(self.of, name)
        return self.rows[:, f.place].view(f.dtype).reshape(len(self), *f.shape)


class Tuples(Many[T]):
    """Tuples side by side: x[k] is one, a copy; x[k] = (a, b, c) sets it."""

    def __getitem__(self, k: int) -> T:
        return self.of(self.rows[self._checked(k)])

    def __setitem__(self, k: int, value: T) -> None:
        self.rows[self._checked(k)] = value

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.rows, dtype=dtype)


def zeros(of: type[Record], count: int) -> np.ndarray:
    """Memory for `count` records: what a Table takes for `many`."""
    return np.zeros((count, of.layout.words), of.layout.dtype)


def put(record: R, **arrays: np.ndarray | Record) -> R:
    """Give the Table of a record arrays (or records of their own memory) by name."""
    for name, array in arrays.items():
        f = _field(type(record), name)
        words = flat(array) if isinstance(array, Record) else array
        f.check(words)
        record.source.put(f.slot, words)
    return record


def save(record: Record) -> dict[str, Any]:
    """Every number of a record by name, in plain lists; what `load` puts back, bit for bit."""
    return {name: _plain(getattr(record, name)) for name in record.layout.fields}


def load(record: R, saved: dict[str, Any]) -> R:
    """Put saved numbers back; what `saved` does not name stays as it is."""
    for name, value in saved.items():
        _field(type(record), name)
        old = getattr(record, name)
        if isinstance(old, Record):
            load(old, value)
        elif isinstance(old, np.ndarray | Tuples):
            array = old.rows if isinstance(old, Tuples) else old
            array[...] = np.reshape(np.asarray(value, array.dtype), array.shape)
        elif isinstance(old, Many):
            for one, numbers in zip(old, value, strict=True):
                load(one, numbers)
        else:
            setattr(record, name, value)
    return record


def _plain(x: Any) -> Any:
    if isinstance(x, Record):
        return save(x)
    if isinstance(x, Many) and not isinstance(x, Tuples):
        return [save(one) for one in x]
    return np.asarray(x).tolist()


def _field(of: type[Record], name: str) -> Field:
    fields = of.layout.fields
    if name not in fields:
        raise KeyError(f"{of.__name__} has no field {name!r}. It has: {', '.join(fields)}.")
    return fields[name]


@compiled_by("bunraku.kernel.record_numba")
def handle(record: Record) -> Any:
    """The address of a record, or the handle of its Table: what a kernel's entry takes."""
    if isinstance(record.source, Table):
        return record.source.handle
    return record.source.ctypes.data if JIT else record.source


@compiled_by("bunraku.kernel.record_numba")
def flat(record: Record) -> np.ndarray:
    """All numbers of a record as one array, a view."""
    if record.layout.slots:
        raise TypeError(f"{type(record).__name__} has arrays of a Table and no numbers of its own.")
    return record.source[: record.layout.words].view(record.layout.dtype)


# ---- declarations: to a type checker each is what reading the field gives ------------------------------------------


def _declared(kind: Kind, *shape: int, dtype: Any = np.float64, of: Any = None, at: Any = None) -> Any:
    return Field(kind, shape, dtype, of, at)


if TYPE_CHECKING:

    class Array(np.ndarray):
        """What `x[k]` gives depends on k, which a kernel's type checker does not know."""

        def __getitem__(self, key: Any) -> Any: ...


Pair = tuple[float, float]
Vec3 = tuple[float, float, float]
Mat3 = tuple[float, float, float, float, float, float, float, float, float]


def real() -> float:
    """A float64."""
    return _declared("number")


def whole() -> int:
    """An int64."""
    return _declared("number", dtype=np.int64)


def pair() -> Pair:
    """Two reals, as a tuple."""
    return _declared("tuple", 2)


def vec3() -> Vec3:
    """Three reals, as a tuple."""
    return _declared("tuple", 3)


def mat3() -> Mat3:
    """A 3x3 matrix row by row, as a tuple of nine reals."""
    return _declared("tuple", 9)


def pairs(count: int) -> Tuples[Pair]:
    """`count` pairs."""
    return _declared("tuples", count, 2)


def vec3s(count: int) -> Tuples[Vec3]:
    """`count` tuples of three."""
    return _declared("tuples", count, 3)


def mat3s(count: int) -> Tuples[Mat3]:
    """`count` matrices."""
    return _declared("tuples", count, 9)


def reals(*shape: int) -> Array:
    """An array of float64 of fixed shape."""
    return _declared("array", *shape)


def wholes(*shape: int) -> Array:
    """An array of int64 of fixed shape."""
    return _declared("array", *shape, dtype=np.int64)


@overload
def inner(of: type[R]) -> R: ...
@overload
def inner(of: type[R], count: int) -> Many[R]: ...
def inner(of: Any, count: int | None = None) -> Any:
    """A record inside, or `count` of them."""
    return _declared("record", of=of) if count is None else _declared("records", count, of=of)


def vector(at: int | None = None) -> Array:
    """Array of a Table: float64, one axis."""
    return _declared("table array", 0, at=at)


def matrix(at: int | None = None) -> Array:
    """Array of a Table: float64, two axes."""
    return _declared("table array", 0, 0, at=at)


def block(at: int | None = None) -> Array:
    """Array of a Table: float64, three axes."""
    return _declared("table array", 0, 0, 0, at=at)


def int_vector(at: int | None = None) -> Array:
    """Array of a Table: int64, one axis."""
    return _declared("table array", 0, dtype=np.int64, at=at)


def int_matrix(at: int | None = None) -> Array:
    """Array of a Table: int64, two axes."""
    return _declared("table array", 0, 0, dtype=np.int64, at=at)


def ref(of: type[R], at: int | None = None) -> R:
    """Array of a Table, as one record."""
    return _declared("table record", of=of, at=at)


def many(of: type[R], at: int | None = None) -> Many[R]:
    """Array (n, ...) of a Table, as n records."""
    return _declared("table records", of=of, at=at)
