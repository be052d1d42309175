"""One self-contained HTML page a document, and an index over all: no script, nothing fetched, pictures inside.

Checked in tests/reproduce/test_page.py; looked at in a browser, wide and narrow, light and dark.
"""

from __future__ import annotations

import base64
import math
import re
from html import escape

from bunraku.version import __version__
from bunraku_reproduce.experiment import Row, Value
from bunraku_reproduce.run import Done, Report
from bunraku_reproduce.style import STYLE

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
VERDICTS = {
    "good": "as printed, within the tolerance",
    "differs": "not as printed, with the reason",
    "open": "not done by Bunraku yet",
    "failed": "went wrong",
}


def words(text: str) -> str:
    """Text of ours; what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def page(title: str, head: str, body: str) -> str:
    """A whole page."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body><header>{head}</header>\n<main>\n{body}\n</main>\n"
        f"<footer>Made by <code>bunraku reproduce</code>, version {escape(__version__)}.</footer></body></html>\n"
    )


def document_page(report: Report) -> str:
    """The page of one document."""
    d = report.document
    contents = "".join(f'<li><a href="#{p.part.name}">{escape(p.part.title)}</a></li>' for p in report.parts)
    head = (
        f'<p><a href="index.html">All documents</a></p><h1>{escape(d.cited)}</h1>'
        f'<p class="soft">{escape(d.title)}</p><p>{escape(d.about)}</p>{counts(report)}'
        f"<nav><ol>{contents}</ol></nav>"
    )
    return page(f"{d.cited} – Bunraku", head, "\n".join(section(done) for done in report.parts))


def index_page(reports: list[Report]) -> str:
    """The page over all documents."""
    head = (
        "<h1>The documents, reproduced</h1><p>What each paper or report prints – tables, figures, claims – beside what "
        "Bunraku computes. Tolerances come from the printed digits.</p>"
        + "".join(f'<p><span class="verdict {v}">{v}</span>: {escape(text)}</p>' for v, text in VERDICTS.items())
    )
    cards = "".join(
        f'<section><h2><a href="{r.document.page}">{escape(r.document.cited)}</a></h2>'
        f'<p class="soft">{escape(r.document.title)}</p><p>{escape(r.document.about)}</p>{counts(r)}</section>'
        for r in reports
    )
    waiting = [(r, part, row) for r in reports for part, row in r.rows if row.verdict in ("differs", "open")]
    rows = "".join(
        f'<tr><td class="words" data-name="Document"><a href="{r.document.page}#{part.name}">{escape(r.document.cited)}</a>'
        f", {escape(row.place)}</td><td class='words' data-name='It says'>{escape(row.claim)}</td>"
        f'<td class="verdict {row.verdict}">{row.verdict}</td>'
        f"<td class='words' data-name='Why'>{words(row.reason)}</td></tr>"
        for r, part, row in waiting
    )
    table = (
        "<section><h2>Where ours is not as printed, and what is open</h2><table><thead><tr><th>document</th>"
        f"<th>it says</th><th>verdict</th><th>why</th></tr></thead><tbody>{rows}</tbody></table></section>"
    )
    return page("Reproduced – Bunraku", head, f'<div class="cards">{cards}</div>{table if waiting else ""}')


def counts(report: Report) -> str:
    """How many rows have which verdict."""
    found = [(v, report.count(v)) for v in VERDICTS if report.count(v)]
    broken = sum(bool(done.error) for done in report.parts)
    parts = [f'<span class="verdict {v}">{n} {v}</span>' for v, n in found]
    if broken:
        parts.append(f'<span class="verdict failed">{broken} part{"s" * (broken > 1)} failed</span>')
    seconds = sum(done.seconds for done in report.parts)
    return f'<div class="counts">{"".join(parts)}<span class="soft">{seconds:.1f} s</span></div>'


def section(done: Done) -> str:
    """One part: what the document has there, how ours is made, rows, pictures."""
    p = done.part
    text = [f'<section id="{p.name}"><h2>{escape(p.title)}</h2><p class="soft">{escape(p.place)}</p>']
    if p.printed:
        text.append(f"<p>{escape(p.printed)}</p>")
    if p.how:
        text.append(f"<pre>{escape(p.how)}</pre>")
    if done.error:
        text.append(f'<p class="error"><span class="verdict failed">failed</span> {escape(done.error)}</p>')
    if done.experiment.rows:
        names = ("where", "it says", "printed", "ours", "difference", "tolerance", "verdict")
        head = "".join(f"<th>{name}</th>" for name in names)
        body = "".join(row_html(row) for row in done.experiment.rows)
        text.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    for picture in done.experiment.pictures:
        data = base64.b64encode(picture.data).decode()
        text.append(
            f'<figure><img loading="lazy" alt="{escape(picture.caption)}" src="data:{picture.kind};base64,{data}">'
            f"<figcaption>{escape(picture.caption)}</figcaption></figure>"
        )
    return "\n".join(text) + "</section>"


def row_html(row: Row) -> str:
    """A row of a table, and below it the reason where there is one."""
    cells = [("Where", row.place, "words"), ("It says", row.claim, "words")]
    if row.verdict == "open":
        cells += [("", "", "number")] * 4
    else:
        cells += [
            ("Printed", value(row.printed, row.unit), kind(row.printed)),
            ("Ours", value(row.ours, row.unit), kind(row.ours)),
            ("Difference", value(row.difference), "number"),
            ("Tolerance", value(row.tolerance), "number"),
        ]
    named = "".join(
        f'<td class="{c}"{f" data-name={chr(34)}{n}{chr(34)}" if text else ""}>{escape(text)}</td>'
        for n, text, c in cells
    )
    out = f'<tr>{named}<td class="verdict {row.verdict}">{row.verdict}</td></tr>'
    if row.reason:
        why = f"Waits for {row.reason}" if row.verdict == "open" else row.reason
        out += f'<tr class="why"><td></td><td class="reason words" colspan="6">{words(why)}</td></tr>'
    return out


def kind(x: Value) -> str:
    """Words may be broken into lines, numbers not."""
    return "words" if isinstance(x, str) else "number"


def value(x: Value, unit: str = "") -> str:
    """A number in as many digits as one reads, with its unit."""
    if x is None:
        return ""
    if isinstance(x, str):
        return f"{x} {unit}".strip() if x[:1] in "≤≥" else x
    if not math.isfinite(x):
        return "not a number"
    text = f"{x:.0f}" if x == round(x) and abs(x) < 1e6 else f"{x:.5g}"
    return f"{text} {unit}".strip()
