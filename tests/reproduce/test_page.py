"""Pages: whole, self-contained, with every row; nothing of what parts say is taken for HTML."""

import re
from html.parser import HTMLParser

from bunraku.draw.picture import png_bytes
from bunraku_reproduce.documents import DOCUMENTS
from bunraku_reproduce.experiment import Experiment, part
from bunraku_reproduce.page import document_page, index_page, value, words
from bunraku_reproduce.run import run


@part("A <part>", section="1", figure="1", how="bunraku run <scene>", printed="Lines & points.")
def shown(e: Experiment) -> None:
    import numpy as np

    e.equal("a", "1", "mass <b>", 69.0, 69.01, tolerance=0.05, unit="kg")
    e.equal("b", "1", "x", 69.0, 70.0, tolerance=0.05, reason="because <script>")
    e.waits("c", "1", "a claim", "steps")
    e.picture(png_bytes(np.zeros((4, 4, 3), np.uint8)), 'a "quoted" caption')


@part("Breaks")
def broken(e: Experiment) -> None:
    raise ValueError("<i>so</i>")


class Reader(HTMLParser):
    """Open and close tags, and what would be fetched or run."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []
        self.sources: list[str] = []

    def handle_starttag(self, tag, attrs):
        assert tag not in ("script", "link", "iframe", "b", "i")
        assert not any(name.startswith("on") for name, _ in attrs)
        self.sources += [v for name, v in attrs if name == "src"]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    assert all(s.startswith("data:image/") for s in reader.sources)
    assert "http" not in re.sub("http-equiv", "", html)
    return reader


def test_pages():
    reports = run([(DOCUMENTS[0], [shown, broken])], None, 0)
    page = read(document_page(reports[0]))
    text = " ".join(page.text)
    for said in (
        "A <part>",
        "mass <b>",
        "69.01 kg",
        "because <script>",
        "bunraku run <scene>",
        "ValueError: <i>so</i>",
    ):
        assert said in text
    assert len(page.sources) == 1
    index = " ".join(read(index_page(reports)).text)
    assert "1 good" in index and "1 part failed" in index and "because <script>" in index


def test_values_as_people_read_them():
    assert value(28.0) == "28"
    assert value(69.0123456, "kg") == "69.012 kg"
    assert value("≤ 3", "solves") == "≤ 3 solves"
    assert value(1e-13) == "1e-13"
    assert value(float("nan")) == "not a number"
    assert value(None) == ""


def test_code_in_reasons_is_set_as_code():
    assert words("`bunraku walk --x <y>` says") == "<code>bunraku walk --x &lt;y&gt;</code> says"
