"""What users see: the names of `bk`, their texts, and what a type checker makes of a good and of a bad script."""

import inspect
import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import bunraku as bk

SOURCE = Path(bk.__file__).parent
SCRIPTS = Path(__file__).parent / "public_face"
ROOMS = sorted(p.parent.name for p in SOURCE.glob("*/__init__.py"))
STUB = (SOURCE / "__init__.pyi").read_text(encoding="utf-8")
NAMES = re.findall(r"^from \S+ import (\w+) as \1$", STUB, flags=re.MULTILINE)
OF_ROOMS = ("collision", "gait1988")  # public as they are, for those who want geometry or the 1988 program alone
SLIPS = {
    number: line.split("# wrong: ")[1]
    for number, line in enumerate((SCRIPTS / "bad_script.py").read_text(encoding="utf-8").splitlines(), 1)
    if "# wrong: " in line
}


def python(code: str) -> str:
    """What a fresh Python prints."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def pyright(*arguments: str, cwd: Path) -> dict:
    """What the type checker says, as JSON; no network is asked."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE.parent), "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, *arguments]
    out = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=environment)
    assert out.stdout.startswith("{"), f"pyright did not run: {out.stderr or out.stdout}"
    return json.loads(out.stdout)


def test_dir_shows_what_is_public_and_nothing_else():
    assert dir(bk) == sorted(NAMES) == bk.__all__ and len(NAMES) == len(set(NAMES))
    assert set(NAMES) & set(ROOMS) == set(OF_ROOMS), "a room of the same name would take its place"


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_there_and_explains_itself(name):
    thing = getattr(bk, name)
    if isinstance(thing, str | bk.Shape):  # the version, the ground
        return
    text = inspect.getdoc(thing) or ""
    assert len(text) > 20 and not re.match(r"See the (module )?text", text), f"bk.{name}: {text!r}"
    if inspect.isfunction(thing):
        hints = thing.__annotations__
        missing = [p for p in inspect.signature(thing).parameters if p not in hints]
        assert not missing and "return" in hints, f"bk.{name}: no types for {missing or 'what it returns'}"


UNIT = re.compile(  # of what floats and arrays are, or the word that there is none
    r"(?<![\w.])(N|N m|mm|cm|m|m/s|[Mm]etres?|kg( m\^2)?|kg|ms|us|s|[Ss]econds?|rad|rad/s|degrees?|Hz|SI units?|J|W|pixels?|frames?|%"
    r"|ratio|factor|fraction|pure numbers?|weight)(?!\w)"
)
PLAIN = {
    "Worlds.contacts",
    "Worlds.normal",
    "Pin.held",
    "Pin.along",
    "WalkReport.before",
}  # counts, directions, yes or no
SENSED = {"measure"}  # of sensors: what their channels are stands with each class
NUMBERS = re.compile(r"\bfloat\b|ndarray|ArrayLike")


def quantities():
    """(name, docstring) of all functions and methods at bk that take or give floats or arrays."""
    for name in NAMES:
        thing = getattr(bk, name)
        found = [(name, thing)] if inspect.isfunction(thing) else []
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            own = [(k, v) for k, v in vars(thing).items() if not k.startswith("_") and k not in SENSED]
            plain = [(k, v.fget if isinstance(v, property) else getattr(v, "__func__", v)) for k, v in own]
            found = [(f"{name}.{k}", f) for k, f in plain if inspect.isfunction(f)]
        for full, function in found:
            if any(NUMBERS.search(str(hint)) for hint in function.__annotations__.values()):
                yield full, inspect.getdoc(function) or ""


def test_quantities_have_units():
    told = dict(quantities())
    assert len(told) > 150
    assert [name for name, text in told.items() if not UNIT.search(text) and name not in PLAIN] == []
    assert not UNIT.search("Where its servos lead: coordinates like q, a view, writable.")  # as it was once


@pytest.mark.parametrize("room", ["choreography", "gait1988", "motion"])
def test_rooms_show_their_names_too(room):
    module = getattr(bk, room)
    assert isinstance(module, ModuleType) and dir(module) == module.__all__
    assert all(getattr(module, name) is not None for name in module.__all__)
    with pytest.raises(AttributeError, match=r"Closest|Available"):
        module.nothing_of_the_kind  # noqa: B018


def test_a_function_wins_over_the_module_it_is_in():
    said = (
        "import bunraku.motion.{0} as m; from bunraku.motion import {0} as f; import bunraku; print(f is bunraku.{0})"
    )
    for name in ("generate", "follow", "retarget", "replay", "consistency"):
        assert python(f"from bunraku.motion.{name} import {name}\n" + said.format(name)) == "True\n"


def test_a_slip_at_run_time_names_what_is_closest():
    with pytest.raises(AttributeError, match=r"no attribute 'wlak'\. Closest: 'walk'"):
        bk.wlak  # noqa: B018


def test_import_is_light():
    bare, loaded = (set(python(f"import sys{more}; print(*sys.modules)").split()) for more in ("", ", bunraku"))
    own = {"bunraku", "bunraku.lazy", "bunraku.moved", "bunraku.version"}
    assert {m for m in loaded - bare if m.split(".")[0] == "bunraku"} == own
    assert not [m for m in ("numpy", "numba", "scipy", "inspect") if m in loaded - bare]


def test_info_does_without_the_compiler():
    code = "import sys; from bunraku.cli import main; main(['info', 'human']); print('numba' in sys.modules)"
    assert python(code).endswith("False\n")


def test_types_are_shipped():
    assert (SOURCE / "py.typed").is_file() and (SOURCE / "__init__.pyi").is_file()


def test_a_strict_type_checker_is_content_with_a_good_script(tmp_path):
    (tmp_path / "good_script.py").write_text((SCRIPTS / "good_script.py").read_text(encoding="utf-8"))
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "strict"}))
    found = pyright("good_script.py", cwd=tmp_path)
    assert found["summary"]["filesAnalyzed"] == 1
    assert [(d["range"]["start"]["line"] + 1, d["message"]) for d in found["generalDiagnostics"]] == []


@pytest.mark.slow
def test_the_good_script_runs(capsys):
    runpy.run_path(str(SCRIPTS / "good_script.py"))
    assert "<Walk of 'human': 2 steps" in capsys.readouterr().out


@pytest.fixture(scope="session")
def found_slips(tmp_path_factory):
    """Line -> message of every error in the bad script, with the checker's ordinary settings."""
    folder = tmp_path_factory.mktemp("slips")
    (folder / "bad_script.py").write_text((SCRIPTS / "bad_script.py").read_text(encoding="utf-8"))
    (folder / "pyrightconfig.json").write_text("{}")
    errors = [d for d in pyright("bad_script.py", cwd=folder)["generalDiagnostics"] if d["severity"] == "error"]
    return {d["range"]["start"]["line"] + 1: d["message"] for d in errors}


@pytest.mark.parametrize("line", SLIPS, ids=lambda line: SLIPS[line].replace(" ", "_"))
def test_a_type_checker_finds_a_slip(line, found_slips):
    assert line in found_slips, f"nobody saw: {SLIPS[line]}"


def test_nothing_else_is_wrong_with_the_bad_script(found_slips):
    assert len(SLIPS) >= 10 and set(found_slips) == set(SLIPS)


def test_types_of_all_public_names_are_complete(tmp_path):
    """pyright --verifytypes, for what can be reached as bk.NAME, bk.NAME.method and bk.NAME.attribute: every type is
    stated, and none is unknown however deep one looks (inside, types of attributes may be inferred)."""
    found = pyright("--verifytypes", "bunraku", "--ignoreexternal", cwd=tmp_path)["typeCompleteness"]
    public = {f"{getattr(bk, name).__module__}.{name}" for name in NAMES if hasattr(getattr(bk, name), "__module__")}
    symbols = [s for s in found["symbols"] if s["name"] in public or s["name"].rpartition(".")[0] in public]
    assert len(symbols) > 500
    unstated = [s["name"] for s in symbols if any("missing" in d["message"] for d in s.get("diagnostics", []))]
    unknown = [s["name"] for s in symbols if not s["isTypeKnown"] and not s["isTypeAmbiguous"]]
    assert unknown == [] and unstated == []
