"""axe-core, a maintained checker of accessibility, for the tests of the viewer's page.

It is a development dependency of the page (package.json, pinned by its hash in package-lock.json). `axe_source` takes it
from the page's node_modules, or fetches it once with `npm ci` and keeps it in the cache folder.
"""

import json
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from bunraku.errors import BunrakuError
from bunraku.viewer.build_page import node_command
from viewer_browser import PAGE_SOURCES as SOURCES
from viewer_browser import missing

FILE = "node_modules/axe-core/axe.min.js"


@cache
def axe_source():
    """The checker's script."""
    here = SOURCES / FILE
    if here.is_file():
        return here.read_text(encoding="utf-8")
    version = json.loads((SOURCES / "package.json").read_text())["devDependencies"]["axe-core"]
    folder = Path(os.environ.get("BUNRAKU_CACHE_DIR") or Path(tempfile.gettempdir()) / f"bunraku-tests-{os.getuid()}")
    kept = folder / f"axe-{version}.js"
    if not kept.is_file():
        fetch(kept)
    return kept.read_text(encoding="utf-8")


def fetch(kept):
    """`npm ci` of the page's libraries, of which the checker's file is kept."""
    try:
        node, npm = node_command()
        with tempfile.TemporaryDirectory() as scratch:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(SOURCES / name, scratch)
            path = os.pathsep.join([str(Path(node).parent), os.environ.get("PATH", "")])
            command = [*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            subprocess.run(command, cwd=scratch, env={**os.environ, "PATH": path}, check=True, capture_output=True)
            kept.parent.mkdir(parents=True, exist_ok=True)
            beside = kept.with_name(f".{kept.name}.{os.getpid()}")
            shutil.copy(Path(scratch, FILE), beside)
            os.replace(beside, kept)
    except (BunrakuError, OSError, subprocess.CalledProcessError) as error:
        missing(f"axe-core cannot be fetched, so accessibility is not checked: {error}")


def axe(page, only=None):
    """Run the checker: (violations as sentences, how many elements passed each rule)."""
    if not page.evaluate("!!window.axe"):
        page.evaluate(axe_source() + ";0")
    options = {"resultTypes": ["violations", "passes"], **({"runOnly": only} if only else {})}
    found = page.evaluate(
        """async options => {
          const { violations, passes } = await axe.run(document, options);
          return {
            violations: violations.flatMap(v => v.nodes.map(n => `${v.id}: ${n.html.slice(0, 120)} ${n.failureSummary}`)),
            passes: Object.fromEntries(passes.map(p => [p.id, p.nodes.length])),
          };
        }""",
        options,
    )
    return found["violations"], found["passes"]
