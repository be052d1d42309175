"""Broken, degenerate and adversarial robot files, made from good ones by chance: `python tests/fuzz_files.py 10000 [SEED]`
loads as many and tells what was neither loaded nor refused by one sentence, or took longer than `PATIENCE`. The suite
runs a sample (tests/formats/test_fuzz.py)."""

from __future__ import annotations

import random
import re
import sys
import tempfile
import time
import traceback
from pathlib import Path

PATIENCE = 20.0  # s for one file
ODD = [
    "",
    "nan",
    "-nan",
    "inf",
    "-inf",
    "-1",
    "0",
    "-0",
    "1e-320",
    "1e13",
    "1e300",
    "1e999",
    "x",
    "1 2",
    "0 0 0",
    "0 0 0 0",
]
ODD += [
    "9" * 400,
    "é",
    "\u202e",
    "'",
    "&amp;",
    "${x}",
    "$(find y)",
    "true",
    "world",
    "root",
    "a" * 5000,
    "1,2,3",
    "0x10",
    "1_0",
]
ODD += [
    "../" * 30 + "etc/passwd",
    "/dev/zero",
    "/dev/stdin",
    "file:///etc/hostname",
    "package://../../x.stl",
    "con",
    ".",
    "/",
]
ODD += [
    "http://localhost:1/x.stl",
    "\\\\host\\x",
    "a\nb",
    "a\tb",
    "%00",
    "~/x.stl",
    "-1 -1 -1",
    "1e9 1e9 1e9",
    "0.5 nan 0.5",
]


def bases() -> dict[str, str]:
    """Good files by name."""
    sys.path[:0] = [str(Path(__file__).parent)] if str(Path(__file__).parent) not in sys.path else []
    from formats.test_body import ROBOT
    from formats.test_mjcf import FIGURE
    from formats.test_sdf import FOUR_BAR
    from robots import robot
    from world.test_actuators import GRIPPER, HAND

    urdf = robot("simple_humanoid").read_text(encoding="utf-8")
    fingers = robot("romeo").read_text(encoding="utf-8")[:20000]
    texts = {"a.urdf": urdf, "b.urdf": fingers, "a.xml": GRIPPER, "b.xml": HAND, "c.xml": FIGURE}
    return texts | {"a.sdf": FOUR_BAR, "a.body": ROBOT}


def spoiled(text: str, rng: random.Random) -> str:
    """One change of a file."""
    how, k = rng.randrange(11), rng.randrange(len(text) + 1)
    values = list(re.finditer(r'"([^"]*)"|>([^<>\s][^<>]*)<|: ([^\n{\[]+)\n', text))
    elements = list(re.finditer(r"<[^<>]+/>|<(\w+)[^<>]*>[^<>]*</\1>", text))
    if how <= 3 and values:
        value = rng.choice(values)
        group = next(g for g in (1, 2, 3) if value[g] is not None)
        new = rng.choice(ODD) if how < 3 else next(filter(None, rng.choice(values).groups()), "")
        return text[: value.start(group)] + new + text[value.end(group) :]
    if how <= 6 and elements:
        one, two = rng.choice(elements), rng.choice(elements)
        put = {4: "", 5: one[0] + two[0], 6: one[0] * rng.choice([2, 50])}[how]
        return text[: one.start()] + put + text[one.end() :]
    if how == 7:
        return text[:k]
    if how == 8:
        return (
            text[:k]
            + chr(rng.choice([0, 7, 38, 60, 62, 255, 0x1F600, rng.randrange(1, 0xD800)]))
            + text[k + rng.randrange(3) :]
        )
    if how == 9:
        tags = re.findall(r"<(\w+)", text) or ["x"]
        return text.replace(f"<{rng.choice(tags)}", f"<{rng.choice(tags)}", rng.choice([1, -1]))
    n = rng.choice([3, 300, 3000])
    return (
        text[:k] + rng.choice(["<link>", "<body>", "[", "{a: ", "<model name='m'>", " ", "<!-- ", "- "]) * n + text[k:]
    )


def case(texts: dict[str, str], rng: random.Random) -> tuple[str, bytes]:
    """(name, content) of a bad file."""
    name = rng.choice(list(texts))
    text = texts[name]
    for _ in range(rng.choice([1, 1, 2, 4])):
        text = spoiled(text, rng)
    data = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.03:
        data = bytes(rng.randrange(256) for _ in range(rng.randrange(2000)))
    return rng.choice([name, name, "c.txt", "d.xml"]), data


def verdict(path: Path) -> tuple[str, str]:
    """("loaded" or "refused", the sentence); anything else is a fault, told in words."""
    import bunraku as bk

    start = time.perf_counter()
    try:
        bk.load(path)
        answer = "loaded", ""
    except bk.BunrakuError as error:
        text = str(error)
        good = "\n" not in text and 0 < len(text) < 700 and text.isprintable()
        answer = ("refused" if good else "fault"), text
    except Exception:
        answer = "fault", traceback.format_exc()
    took = time.perf_counter() - start
    return answer if took < PATIENCE else ("fault", f"took {took:.0f} s: {answer}")


def run(count: int, seed: int, folder: Path, say=print) -> dict[str, int]:
    """Try `count` files; faults are told with their number, so that they can be made again."""
    texts, counts = bases(), {"loaded": 0, "refused": 0, "fault": 0}
    for k in range(count):
        name, data = case(texts, random.Random(f"{seed} {k}"))
        path = folder / name
        path.write_bytes(data)
        kind, text = verdict(path)
        counts[kind] += 1
        if kind == "fault":
            say(f"file {k} of seed {seed} ({name}): {text}")
        path.unlink()
    return counts


if __name__ == "__main__":
    number, start = (int(x) for x in (*sys.argv[1:], *("1000", "0")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as place:
        result = run(number, start, Path(place))
    print(result)
    sys.exit(1 if result["fault"] else 0)
