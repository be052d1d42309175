"""`bunraku reproduce [000|001|002|003|004] [--figure N] [--out DIR]`: tables, figures and claims of the five documents
beside ours, as pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro

from bunraku.cli.common import check_seed, print_json, progress_bar, write_json
from bunraku.errors import InputError
from bunraku.files import keep_inputs, keep_results, note_results, write_text
from bunraku_reproduce.documents import DOCUMENTS, chosen
from bunraku_reproduce.page import document_page, index_page
from bunraku_reproduce.run import as_data, run, select

FILES = ("index.html", *(d.page for d in DOCUMENTS), "rows.json")


def main(
    documents: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="NUMBER")] = (),
    /,
    *,
    figure: str = "",
    out: Path = Path("bunraku-reproduce"),
    clip: Path | None = None,
    seed: int = 0,
    json: bool = False,
    force: bool = False,
) -> int:
    """Reproduce the five documents: what each says, what we get, and pictures, on one page a document.

    Exit code 1 where a part failed, which its page shows.

    Args:
        documents: 000 Nakamura & Yamane 2000, 001 Nakaoka et al. 2007, 002 Tazaki 2013, 003 JAERI-M 88-080,
            004 Yamane & Nakamura 2002; all of them where none is named.
        figure: only what makes this figure of the document, e.g. 2 or 6.1(b).
        out: folder for index.html, one page a document and rows.json.
        clip: a captured walk (BVH) for the parts that want one, instead of a walk of ours with noise.
        seed: start of the random numbers.
        json: print all rows as JSON.
        force: replace results of another command in that folder.
    """
    check_seed(seed)
    if clip is not None and not clip.is_file():
        raise InputError(f"{clip}: cannot be read; there is no such file. --clip wants a BVH file.")
    if clip is not None:
        from bunraku.formats.bvh import read

        read(clip)
    wanted = select(chosen(documents), figure)
    pages = [d.page for d, _ in wanted]
    keep_inputs([clip], [out / name for name in ("index.html", *pages, "rows.json")])
    keep_results(out, FILES, "reproduce", force)
    with progress_bar(sum(len(parts) for _, parts in wanted), "reproducing") as update:
        reports = run(wanted, clip, seed, update)
    note_results(out, "reproduce")
    for report in reports:
        write_text(out / report.document.page, document_page(report))
    write_text(out / "index.html", index_page(reports))
    data = as_data(reports)
    write_json(out / "rows.json", data)
    if json:
        print_json(data)
    else:
        for r in reports:
            counts = ", ".join(f"{n} {v}" for v in ("good", "differs", "open", "failed") if (n := r.count(v)))
            print(f"{r.document.cited:<24} {counts}")
            for done in r.failed:
                print(f"  failed: {done.part.title}: {done.error or 'a row is off without a reason'}")
        print(f"pages: {out / 'index.html'}")
    return 1 if data["failed"] else 0
