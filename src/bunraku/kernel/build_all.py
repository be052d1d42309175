"""Makes the package's own objects: `python -m bunraku.kernel.build_all`.

The build hook (hatch_build.py) calls it when a wheel is made, so that who installs Bunraku compiles nothing: on all
cores, into `kernel/built`. `BUNRAKU_BUILD_KERNELS` says which: `all`, as a wheel wants that others install, or
`commands`, those of README's commands and the stage (bunraku.kernel.needed), as who waits for `pip install .` wants; the
others are then made at their first use. Without it pip builds `commands`, everything else `all`. `BUNRAKU_BUILD_CPU`
names the processor they are for: `host`, this one, or a level such as `x86-64-v3`, for others, which makes it `all`, too;
`none` leaves them out. See CONTRIBUTING.md, "A release". Checked in tests/kernel/test_build_all.py.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import sys
import time
from pathlib import Path

from bunraku.kernel import native, needed, workers
from bunraku.kernel.entry import Kernel

PACKAGE = Path(__file__).resolve().parent.parent
# what the levels of x86-64 promise, in LLVM's words
LEVELS = {
    "x86-64-v2": "+cx16,+sahf,+popcnt,+sse3,+sse4.1,+sse4.2,+ssse3",
    "x86-64-v3": "+cx16,+sahf,+popcnt,+sse3,+sse4.1,+sse4.2,+ssse3,+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe",
}


def all_kernels() -> list[Kernel]:
    """Every kernel of the package, by module and name."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        inner = path.relative_to(PACKAGE)
        if inner.parts[0] != "kernel" and re.search(
            r"^@(entry|phase)\b", path.read_text(encoding="utf-8"), re.MULTILINE
        ):
            module = importlib.import_module(".".join(("bunraku", *inner.with_suffix("").parts)))
            kernels = [k for k in vars(module).values() if isinstance(k, Kernel)]
            found += [k for k in kernels if k.function.__module__ == module.__name__]
    return found


def chosen(cpu: str) -> list[Kernel]:
    """The kernels to make, by `BUNRAKU_BUILD_KERNELS`."""
    pip_waits = "PIP_BUILD_TRACKER" in os.environ and cpu == "host"  # pip tells its children so
    which = os.environ.get("BUNRAKU_BUILD_KERNELS", "") or ("commands" if pip_waits else "all")
    if which not in ("all", "commands"):
        raise SystemExit(f"BUNRAKU_BUILD_KERNELS is {which!r}; wanted all or commands.")
    return all_kernels() if which == "all" else [needed.named(name) for name in needed.installed()]


def build(folder: Path = native.BUILT, cpu: str = "") -> int:
    """Make the objects that `folder` lacks, and remove others. Returns how many there are."""
    cpu = cpu or os.environ.get("BUNRAKU_BUILD_CPU", "") or "host"
    if cpu == "none":
        shutil.rmtree(folder, ignore_errors=True)
        return 0
    target = native.host() if cpu == "host" else native.Target(cpu, LEVELS.get(cpu, ""))
    if cpu != "host" and cpu not in LEVELS:
        raise SystemExit(f"BUNRAKU_BUILD_CPU is {cpu!r}; wanted host, none, {' or '.join(LEVELS)}.")
    kernels = chosen(cpu)
    folder.mkdir(parents=True, exist_ok=True)
    note = folder / "target.json"
    said = json.dumps({"cpu": target.cpu, "features": target.features})
    if not note.is_file() or note.read_text(encoding="utf-8") != said:
        for old in folder.glob("*.o"):
            old.unlink()
        note.write_text(said, encoding="utf-8")
    names = {native.file_name(k) for k in kernels}
    for old in folder.glob("*.o"):
        if old.name not in names:
            old.unlink()
    missing = [k for k in kernels if native.read(folder / native.file_name(k)) is None]
    failed = workers.compile_all(missing, folder, target)
    for kernel, reason in failed.items():
        print(f"bunraku: kernel {kernel.__name__} was not made: {reason}", file=sys.stderr)
    return len(kernels) - len(failed)


if __name__ == "__main__":
    begun = time.perf_counter()
    print(f"{build()} kernels in {native.BUILT}, {time.perf_counter() - begun:.1f} s")
