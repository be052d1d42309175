"""The safe XML tree: places are right, everything dangerous is refused at once."""

from __future__ import annotations

import math
import os

import pytest

from bunraku.errors import FormatError
from bunraku.formats import xmlsafe


def test_elements_know_their_line_and_column():
    text = '<?xml version="1.0"?>\n<!-- a\nremark -->\n<robot name="r">\n  <link name="a"/><link\n   name="b"/></robot>'
    root = xmlsafe.parse(text, "r.urdf")
    places = [(e.tag, e.line, e.column, depth) for depth, e in root.walk()]
    assert places == [("robot", 4, 1, 0), ("link", 5, 3, 1), ("link", 5, 19, 1)]
    assert [e.attributes["name"] for e in root.all("link")] == ["a", "b"]
    assert root.where == "r.urdf:4"
    assert root.first("joint") is None


def test_walk_is_in_document_order():
    root = xmlsafe.parse("<a><b><c/></b><d><e/><f/></d></a>", "x")
    assert [(e.tag, depth) for depth, e in root.walk()] == [("a", 0), ("b", 1), ("c", 2), ("d", 1), ("e", 2), ("f", 2)]


def test_numbers():
    element = xmlsafe.parse('<o xyz=" 1 -2.5e-1\n .5 " one="7" empty=""/>', "x")
    assert element.numbers("xyz", 3) == (1.0, -0.25, 0.5)
    assert element.number("one") == 7.0
    assert element.number("absent", 3.0) == 3.0
    assert element.numbers("absent", 2, (1.0, 2.0)) == (1.0, 2.0)


@pytest.mark.parametrize("word", ["nan", "inf", "-Infinity", "1e999"])
def test_numbers_must_be_finite(word):
    with pytest.raises(FormatError, match=r"^x:1: .*finite"):
        xmlsafe.parse(f'<o xyz="0 {word} 0"/>', "x").numbers("xyz", 3)


@pytest.mark.parametrize("word", ["abc", "1_000", "٣", "0x10", "1,5", "--1"])
def test_what_is_not_a_number(word):
    with pytest.raises(FormatError, match=r"^x:1: .*not a number"):
        xmlsafe.parse(f'<o v="{word}"/>', "x").number("v")


def test_number_of_numbers_and_missing_ones():
    element = xmlsafe.parse('<o xyz="0 1"/>', "x")
    with pytest.raises(FormatError, match="2 values; 3 numbers wanted"):
        element.numbers("xyz", 3)
    with pytest.raises(FormatError, match="has no rpy"):
        element.numbers("rpy", 3)
    with pytest.raises(FormatError, match="Run xacro"):
        xmlsafe.parse('<o v="${pi}"/>', "x").number("v")


def test_parse_number():
    assert xmlsafe.parse_number("1e3") == 1000.0
    assert xmlsafe.parse_number("1_0") is None
    assert math.isnan(xmlsafe.parse_number("nan") or 0.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<a><b></a>", "x:1: broken XML.*mismatched tag"),
        ("<a>\n<b>\n", "x:3: broken XML.*ends before"),
        ("<a b='1' b='2'/>", "x:1: broken XML.*duplicate attribute"),
        ("<a/><b/>", "x:1: broken XML.*junk"),
        ("<a>&what;</a>", "x:1: broken XML.*undefined entity"),
        ("<a>\x00</a>", "x:1: broken XML"),
        ("<!DOCTYPE a SYSTEM 'http://example.org/a.dtd'>\n<a/>", "x:1: a DOCTYPE"),
        ("\n<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>", "x:2: a DOCTYPE"),
    ],
)
def test_broken_and_forbidden(text, message):
    with pytest.raises(FormatError, match=message):
        xmlsafe.parse(text, "x")


def test_billion_laughs_is_refused_before_it_is_expanded():
    entities = "".join(f"<!ENTITY e{i} '{f'&e{i - 1};' * 10 if i else 'ha'}'>" for i in range(12))
    with pytest.raises(FormatError, match="DOCTYPE"):
        xmlsafe.parse(f"<!DOCTYPE a [{entities}]><a>&e11;</a>", "x")


def test_depth():
    deepest = "<a>" * xmlsafe.MAX_DEPTH + "</a>" * xmlsafe.MAX_DEPTH
    assert sum(1 for _ in xmlsafe.parse(deepest, "x").walk()) == xmlsafe.MAX_DEPTH
    with pytest.raises(FormatError, match="nested deeper"):
        xmlsafe.parse("<a>" * 1_000_000, "x")


def test_number_of_elements():
    with pytest.raises(FormatError, match="more than"):
        xmlsafe.parse("<a>" + "<b/>" * xmlsafe.MAX_ELEMENTS + "</a>", "x")


def test_files(tmp_path):
    file = tmp_path / "a.urdf"
    for content, message in [(b"", "empty"), (b" \n", "empty"), (b"<a>\n\xff</a>", r"a.urdf:2: byte 4 is not UTF-8")]:
        file.write_bytes(content)
        with pytest.raises(FormatError, match=message):
            xmlsafe.read(file)
    with pytest.raises(FormatError, match="folder"):
        xmlsafe.read(tmp_path)
    with pytest.raises(FormatError, match="no such file"):
        xmlsafe.read(tmp_path / "none.urdf")
    with pytest.raises(FormatError, match=r"^'a\\x00b': (no such file|cannot be read)"):
        xmlsafe.read("a\0b")
    with pytest.raises(FormatError, match=r"cannot be read|no such file"):
        xmlsafe.read(tmp_path / ("x" * 5000))
    file.write_bytes(b"\xef\xbb\xbf<a n='\xc3\xa9'/>")  # a byte order mark is fine
    assert xmlsafe.read(file).attributes == {"n": "é"}


def test_too_large_a_file_is_not_parsed(tmp_path):
    file = tmp_path / "a.urdf"
    with file.open("wb") as stream:
        stream.truncate(xmlsafe.MAX_BYTES + 1)
    with pytest.raises(FormatError, match="larger than"):
        xmlsafe.read(file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "pipe.urdf")
    with pytest.raises(FormatError, match="regular file"):
        xmlsafe.read(tmp_path / "pipe.urdf")
