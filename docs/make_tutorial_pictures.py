"""Makes the pictures that readers of the tutorials make, by the tutorials' own blocks, and the film of the home page.

python docs/make_tutorial_pictures.py [FOLDER]
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageSequence

import bunraku as bk

DOCS = Path(__file__).resolve().parent
BLOCK = re.compile(r"^```(python|bash)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)
MADE = {  # picture: the page that makes it, and what it is called there
    "swing": ("connections", "swing.png"),
    "lamp": ("articulated", "lamp.png"),
    "walk-1988": ("walk-1988", "walk.png"),
    "dance": ("choreography", "dance/strobe.png"),
    "robot": ("roboticist", "robot.png"),
    "ankle": ("biomechanist", "ankle.png"),
}


def run(page: Path) -> None:
    """All blocks of a page, from top to bottom, in the present folder."""
    names: dict = {}
    for language, code in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "bash":
            subprocess.run(["bash", "-euc", code], check=True)
        else:
            exec(compile(code, page.name, "exec"), names)


def film(path: Path) -> None:
    """Four steps, in 64 colours."""
    walk = bk.walk(bk.human(body="1996"), "four steps", speed=1.2)
    bk.film(walk.recording, "walk.gif", fps=10, width=400, height=225, follow=True, view="right")
    frames = [
        f.convert("RGB").quantize(64, dither=Image.Dither.NONE) for f in ImageSequence.Iterator(Image.open("walk.gif"))
    ]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=100, loop=0, optimize=True)


def main() -> None:
    """All of them, 800 pixels wide."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else DOCS / "pictures").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for name, (page, made) in MADE.items():
        with tempfile.TemporaryDirectory() as scratch:
            os.chdir(scratch)
            run(DOCS / "tutorials" / f"{page}.md")
            picture = Image.open(made).convert("RGB")
            small = picture.resize((800, round(picture.height * 800 / picture.width)), Image.Resampling.LANCZOS)
            small.quantize(200).save(folder / f"{name}.png", optimize=True)
            os.chdir(DOCS)
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        film(folder / "walk.gif")
        os.chdir(DOCS)


if __name__ == "__main__":
    main()
